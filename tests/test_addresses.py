"""URLs of pages."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from webcontent.addresses import is_public, site_of


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://www.example.com/a", "example.com"),
        ("https://news.example.co.uk/", "example.co.uk"),
        ("https://someone.github.io/blog/", "someone.github.io"),
        ("https://例子.公司.cn/", "例子.公司.cn"),
        ("http://127.0.0.1:8000/", "127.0.0.1:8000"),
        ("http://localhost/", "localhost:80"),
        ("https://8.8.8.8/", "8.8.8.8:443"),
        ("javascript:alert(1)", None),
    ],
)
def test_a_site_is_a_registered_domain(url: str, site: str | None):
    """A host without one (an IP address, a private name) is a site with its port."""
    assert site_of(url) == site


PUBLIC = ("8.8.8.8", "1.1.1.1", "2606:4700::1", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::")
PRIVATE = (
    *("0.0.0.0", "10.1.1.1", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1", "192.0.0.192", "192.168.0.1", "198.18.0.1"),
    *("224.0.0.1", "240.0.0.1", "255.255.255.255", "168.63.129.16", "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "64:ff9b::a00:1"),
    *("64:ff9b:1::1", "2002:7f00:1::", "2001:0:1::", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "2001:db8::1", "100::1"),
)


@pytest.mark.parametrize("address", [*PUBLIC, *PRIVATE])
def test_public_addresses_are_those_of_one_host_of_the_internet(address: str):
    assert is_public(ip_address(address)) is (address in PUBLIC)
