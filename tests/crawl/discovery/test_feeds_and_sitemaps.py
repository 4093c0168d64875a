"""The pages that feeds, sitemaps and robots.txt list."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime

import pytest

from webcontent.crawl.discovery.feeds_and_sitemaps import UrlSource, feeds_of_page, read_source, sitemaps_of_robots
from webcontent.document.parsing import Document
from webcontent.items import Page

SITEMAP = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">
<!-- made by hand -->
<url><loc> http://a.example/old </loc><lastmod>2024-01-01</lastmod></url>
<url><loc>http://a.example/undated</loc></url>
<url><loc>/new?a=1&amp;b=2</loc><news:news><news:publication_date>2024-03-05T14:22:00+08:00</news:publication_date></news:news></url>
</urlset>"""
RSS = """<rss version="2.0"><channel><title>x</title><link>http://a.example/</link>
<item><title>One</title><link>/1</link><pubDate>Tue, 05 Mar 2024 06:22:00 GMT</pubDate></item>
<item><title>Two</title><guid isPermaLink="true">http://a.example/2</guid></item>
<item><title>Three</title><guid isPermaLink="false">3</guid></item>
</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><link href="/"/>
<entry><title>One</title><link rel="edit" href="/edit/1"/><link rel="alternate" href="http://a.example/1"/>
<published>2024-03-05T06:22:00Z</published><updated>2024-04-01T00:00:00Z</updated></entry></feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<item><link>http://a.example/1</link><dc:date>2024-03-05T06:22:00Z</dc:date></item></rdf:RDF>"""
TIME = datetime(2024, 3, 5, 6, 22, tzinfo=UTC)


def read(body: str | bytes, max_bytes: int = 1_000_000) -> UrlSource | None:
    return read_source(body.encode() if isinstance(body, str) else body, "http://a.example/feed", max_bytes)[0]


def test_a_sitemap_lists_its_pages_newest_first():
    """The time is that of the change, in a news sitemap that of publication. Pages without a time come last."""
    source = read(SITEMAP)
    assert source is not None
    assert source.kind == "sitemap"
    assert [entry.url.removeprefix("http://a.example/") for entry in source.entries] == ["new?a=1&b=2", "old", "undated"]
    assert source.entries[0].time == TIME


@pytest.mark.parametrize("body", [RSS, ATOM, RDF], ids=["rss", "atom", "rss 1.0"])
def test_a_feed_lists_its_entries(body: str):
    """URLs are absolute, times are UTC."""
    source = read(body)
    assert source is not None
    assert source.kind == "feed"
    assert (source.entries[0].url, source.entries[0].time) == ("http://a.example/1", TIME)


def test_an_entry_may_have_only_a_permanent_guid():
    """A guid that is no URL gives no entry."""
    source = read(RSS)
    assert source is not None
    assert [entry.url for entry in source.entries] == ["http://a.example/1", "http://a.example/2"]


def test_an_index_names_further_sitemaps():
    source = read("<sitemapindex><sitemap><loc>http://a.example/1.xml</loc></sitemap></sitemapindex>")
    assert source is not None
    assert (source.kind, [entry.url for entry in source.entries]) == ("index", ["http://a.example/1.xml"])


@pytest.mark.parametrize(
    "body", [gzip.compress(SITEMAP.encode()), b"\xef\xbb\xbf\n" + SITEMAP.encode(), b"http://a.example/1\nhttp://a.example/2\n"]
)
def test_other_forms_of_a_sitemap(body: bytes):
    """Gzipped, with a byte order mark, one URL per line."""
    source = read(body)
    assert source is not None
    assert source.kind == "sitemap"
    assert len(source.entries) >= 2


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not found",
        b"<html><body><a href='/feed'>x</a></body></html>",
        b"{}",
        b"[1]",
        b"{" * 5000,
        b"\x1f\x8b\x08 broken",
        b"\x00\xff" * 100,
    ],
    ids=["empty", "text", "html", "json", "list", "deep", "gzip", "bytes"],
)
def test_other_files_give_none(body: bytes):
    """No error is raised for pages of other kinds and broken files."""
    assert read(body) is None


def test_a_broken_file_ends_early():
    """Entries before the break are kept. A body that is longer than the limit is cut there."""
    source = read(SITEMAP[: SITEMAP.index("<url><loc>/new")])
    assert source is not None
    assert len(source.entries) == 2
    assert read(SITEMAP, SITEMAP.index("<url><loc>/new")) == source


@pytest.mark.parametrize("missing", [1, 9, 20, 40])
def test_no_half_url_of_a_broken_file_is_given(missing: int):
    """A packed sitemap that breaks off, or is longer than the limit, gives its whole entries."""
    urls = [f"http://a.example/story-{n}" for n in range(2000)]
    body = "<urlset>" + "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    packed = gzip.compress(body.encode())
    lines = "\n".join(urls).encode()
    for source in (read(packed[: len(packed) // 2 + missing]), read(packed, len(body) - missing), read(lines, len(lines) - missing)):
        assert source is not None
        given = [entry.url for entry in source.entries]
        assert given == urls[: len(given)]
        assert len(given) > 100
    assert len(read(packed).entries) == len(urls)


def test_entities_are_not_expanded():
    """A feed that would expand to gigabytes, and one that names a local file."""
    bomb = '<!DOCTYPE rss [<!ENTITY a "xxxxxxxxxx">' + "".join(
        f'<!ENTITY b{n} "{f"&b{n - 1};" * 10 if n else "&a;" * 10}">' for n in range(12)
    )
    source = read(bomb + "]><rss><channel><item><link>&b11;</link></item></channel></rss>")
    assert source is None or not source.entries
    file = read(
        '<!DOCTYPE rss [<!ENTITY f SYSTEM "file:///etc/passwd">]><rss><channel><item><link>http://a/&f;</link></item></channel></rss>'
    )
    assert file is None or not any("root" in entry.url for entry in file.entries)


def test_robots_name_sitemaps():
    robots = b"User-agent: *\nDisallow: /x\nSitemap: http://a.example/1.xml\nsitemap:/2.xml\nSitemap: http://a.example/1.xml\n"
    assert sitemaps_of_robots(robots, "http://a.example/robots.txt") == ["http://a.example/1.xml", "http://a.example/2.xml"]


def test_a_page_names_its_feeds():
    """Autodiscovery: links of a feed's type, in the head or in the text; not style sheets and other languages."""
    html = """<link rel="alternate" type="application/rss+xml" href="/rss"><link rel="ALTERNATE" type="application/atom+xml; charset=utf-8" href="atom">
    <link rel="alternate" hreflang="de" href="/de"><link rel="stylesheet" href="/x.css"><a type="application/rss+xml" href="/rss">RSS</a>
    <link rel="alternate" type="application/rss+xml" href="javascript:x">"""
    document = Document.from_page(Page(url="http://a.example/news/", html=html))
    assert feeds_of_page(document) == ["http://a.example/rss", "http://a.example/news/atom"]


def test_empty_members_of_a_packed_sitemap_cost_little():
    """Only the first member is read. The standard library's reader is quadratic in their number, and would take minutes."""
    assert read(gzip.compress(b"") * 400_000 + gzip.compress(SITEMAP.encode())) is None


def test_a_bad_line_of_robots_costs_itself():
    body = b"Sitemap: http://[x]/\nSITEMAP: /a.xml\n  sitemap:http://b.example/x\n"
    assert sitemaps_of_robots(body, "http://a.example/robots.txt") == ["http://a.example/a.xml", "http://b.example/x"]
