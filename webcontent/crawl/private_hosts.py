"""The hosts of the local network that pages may load from, as users name them."""

from __future__ import annotations

import ipaddress

from webcontent.addresses import ip_address


class PrivateHosts:
    """Hosts of the local network that every page may reach: names, IP addresses, and networks.

    Raises ValueError for an entry that is none of them.

    >>> allowed = PrivateHosts(["wiki.example.com", "10.1.0.0/16"])
    >>> allowed.allows("wiki.example.com"), allowed.has_address("10.1.2.3"), allowed.has_address("10.2.2.3")
    (True, True, False)
    """

    def __init__(self, entries: tuple[str, ...] | list[str]) -> None:
        self.names: set[str] = set()
        self.networks: list[ipaddress.IPv4Network | ipaddress.IPv6Network] = []
        for entry in entries:
            bare = plain_host(entry)
            if "/" in bare or ip_address(bare) is not None:
                self.networks.append(ipaddress.ip_network(ip_address(bare) or bare, strict=False))
            elif not bare or ":" in bare:
                raise ValueError(f"{entry!r} is no host name, IP address or network")
            else:
                self.names.add(bare)

    def has_address(self, address: str) -> bool:
        return any(ipaddress.ip_address(address) in network for network in self.networks)

    def allows(self, host: str) -> bool:
        """Whether a host, as it stands in a URL, is one of these by name or as an address."""
        host = plain_host(host)
        literal = ip_address(host)
        return host in self.names or literal is not None and self.has_address(str(literal))


def plain_host(host: str) -> str:
    """A host in the form in which hosts are compared: lower case, without brackets and the dot at the end."""
    return host.strip().strip("[]").rstrip(".").lower()
