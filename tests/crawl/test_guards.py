"""Servers that attack Scrapy's own components, through the command line."""

from __future__ import annotations

import gzip
import json
import socket
import time
from contextlib import ExitStack, contextmanager
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.http import HtmlResponse

from tests.crawl.crawls import OUR_PROJECT, article, crawl_seeds, listing, python, scrapy, serve
from tests.crawl.servers import free_port
from webcontent.crawl.guards import guarded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.process

PLAIN = ("-s", "WEBCONTENT_RENDER=False", "-s", "RETRY_ENABLED=False")
ESCAPE = "\x1b]0;owned\x07\x1b[2J"
SLOW_CODECS = ("punycode", "idna", "rot13", "zlib", "base64", "hex", "bz2", "uu", "quopri", "undefined", "utf-7")
OTHER_CODECS = ("cp437", "ibm850", "cp037", "mac-turkish", "hz", "iso-2022-kr", "johab", "utf-32", "hp-roman8")
"""What Python calls encodings, and no browser does."""


def attacks() -> dict[str, Any]:
    """Pages that all stand on one site, by path."""
    text = article("A bridge", head="<meta charset={}>").encode()
    pages: dict[str, Any] = {f"/meta/{codec}": text.replace(b"{}", codec.encode()) for codec in SLOW_CODECS}
    pages |= {f"/header/{codec}": (200, {"Content-Type": f"text/html; charset={codec}"}, text) for codec in SLOW_CODECS}
    packed = gzip.compress(text.replace(b"{}", b"punycode") + b"<p>word " * 100_000)
    pages["/meta/packed"] = (200, {"Content-Type": "text/html; charset=punycode", "Content-Encoding": "gzip"}, packed)
    head = '<base href="http://[x]/"><meta http-equiv="refresh" content="0; url=http://[x]/">'
    pages |= {"/base": article("A base", head=head), "/refresh": article("A refresh", head=head.partition(">")[2])}
    for path, location in (("/v6", "http://[x"), ("/port", "http://127.0.0.1:99999999/"), ("/script", "javascript:alert(1)"), ("/local", "file:///etc/passwd")):  # fmt: skip
        pages[f"/to{path}"] = (302, {"Location": location}, b"")
    pages |= {f"/no{name}": (200, {"Content-Encoding": name}, b"\xff\xff\xff") for name in ("br", "zstd", "gzip", "deflate")}
    pages["/thrice"] = (200, {"Content-Encoding": "gzip, gzip, gzip"}, gzip.compress(b"<p>text"))
    pages |= {f"/lines/{lines}": (200, {f"X-{n}": "x" * 10_000 for n in range(lines)}, article("A header")) for lines in (20, 40)}
    return pages | CONTROLS


CONTROLS = {
    "/controls/type": (200, {"Content-Type": f"text/x{ESCAPE}"}, b"\x89 no page"),
    "/controls/packed": (200, {"Content-Encoding": f"gzip{ESCAPE}"}, article("A bridge")),
}


@pytest.fixture(scope="module")
def extracted(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], str]:
    """The titles by path, and the log, of one command for all attacks."""
    pages = attacks()
    with serve(pages) as site:
        done = scrapy("extract", *(site.url + path for path in pages), *PLAIN, cwd=tmp_path_factory.mktemp("extracted"))
    assert "Traceback" not in done.stderr, done.stderr[-3000:]
    items = [json.loads(line) for line in done.stdout.splitlines()]
    return {item["url"].removeprefix(site.url): item["title"] for item in items}, done.stderr.replace(site.url, "")


def test_codecs_that_no_page_has_are_not_used(extracted: tuple[dict[str, str], str]):
    """In the header, in the markup, in a compressed page; punycode is quadratic."""
    titles = {path: title for path, title in extracted[0].items() if path.startswith(("/meta/", "/header/"))}
    assert len(titles) == 2 * len(SLOW_CODECS) + 1
    assert set(titles.values()) == {"A bridge"}


@pytest.mark.parametrize("codec", [*SLOW_CODECS, *OTHER_CODECS])
def test_scrapy_reads_a_page_as_browsers_do(codec: str):
    """A label that is not in the list of WHATWG counts as none."""
    body = f"<meta charset={codec}><p>Br\xfccke".encode()
    for headers in ({}, {"Content-Type": f"text/html; charset={codec}"}):
        assert "Br\xfccke" in guarded(HtmlResponse("http://a.example/", body=body, headers=headers)).text


def test_a_base_that_is_no_address_costs_no_page(extracted: tuple[dict[str, str], str]):
    assert extracted[0]["/base"] == "A base"
    assert extracted[0]["/refresh"] == "A refresh"


def test_a_redirect_to_what_is_no_page_is_one_sentence(extracted: tuple[dict[str, str], str]):
    lines = [line.partition(" /to/")[2] for line in extracted[1].splitlines() if " /to/" in line]
    assert sorted(lines) == [f"{name} was not fetched: status 302" for name in ("local", "port", "script", "v6")]


def test_a_spider_logs_no_traceback_for_what_a_server_answers(tmp_path: Path):
    pages = {path: page for path, page in attacks().items() if path.startswith(("/to/", "/no", "/thrice"))}
    with serve({**pages, "/": listing("News", {path: f"A long headline about {path}" for path in pages})}) as site:
        items = crawl_seeds(site.url, tmp_path, "-s", "RETRY_ENABLED=False")
        assert {path for path in pages if path not in site.asked} == set()
    assert [item["title"] for item in items] == ["News"]


def test_a_body_that_cannot_be_unpacked_is_one_sentence(extracted: tuple[dict[str, str], str]):
    """Packed once and declared thrice; or not packed at all."""
    for path in ("/thrice", "/nobr", "/nozstd", "/nogzip", "/nodeflate"):
        assert path not in extracted[0]
        lines = [line for line in extracted[1].splitlines() if path in line]
        assert len(lines) == 1
        assert lines[0].endswith(f" {path} was not fetched: {path} can't be unpacked: its Content-Encoding is wrong")


def test_long_headers_are_read_up_to_a_limit(extracted: tuple[dict[str, str], str]):
    """200 KB are, 400 KB are not; Twisted reads 64 KB at a time."""
    assert [path for path in extracted[0] if path.startswith("/lines/")] == ["/lines/20"]
    assert "its headers are longer than 256 KiB" in extracted[1]


@contextmanager
def endless(first: bytes, more: bytes) -> Iterator[tuple[str, list[int]]]:
    """A server whose headers never end. Its address, and how many bytes it could send each time."""
    server = socket.create_server(("127.0.0.1", 0))
    sent: list[int] = []

    def answer(connection: socket.socket) -> None:
        number, until = len(sent), time.monotonic() + 20
        sent.append(0)
        with connection:
            connection.recv(4096)
            connection.sendall(first)
            try:
                while time.monotonic() < until:
                    connection.sendall(more)
                    sent[number] += len(more)
            except OSError:
                pass

    def accept() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            Thread(target=answer, args=(connection,), daemon=True).start()

    Thread(target=accept, daemon=True).start()
    yield f"http://127.0.0.1:{server.getsockname()[1]}/", sent
    server.close()


OK = b"HTTP/1.1 200 OK\r\n"
ENDLESS = {
    "lines": (OK, b"X-More: " + b"x" * 90 + b"\r\n"),
    "folded": (OK + b"X-First: x\r\n", b" " + b"x" * 90 + b"\r\n"),
    "short": (OK, b"A: b\r\n"),
    "answers before the answer": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "behind the body": (OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n", b"X: y\r\n"),
}
"""What a server sends first, and then for ever."""


@pytest.mark.parametrize("render", ["False", "auto"])
def test_headers_that_never_end_are_cut_off(render: str, tmp_path: Path):
    """Twisted would collect them until the memory is full."""
    with ExitStack() as stack:
        servers = [stack.enter_context(endless(first, more * 500)) for first, more in ENDLESS.values()]
        urls = [url for url, _ in servers]
        done = scrapy("extract", *urls, "-s", f"WEBCONTENT_RENDER={render}", "-s", "RETRY_ENABLED=False", cwd=tmp_path)
        assert done.returncode == 1
        failures = [line for line in done.stderr.splitlines() if " ERROR: " in line]
        assert [sum(url in line for line in failures) for url in urls] == [1] * len(ENDLESS), done.stderr
        assert "Traceback" not in done.stderr
        for _, sent in servers:
            assert sent
            assert max(sent) < 20_000_000  # what the buffers of the system hold, too


def test_a_robots_txt_is_read_to_its_limit(tmp_path: Path):
    """A rule at 500 KB holds, one at 550 KB doesn't; and a sitemap that is no address costs no other one."""
    rules = "User-agent: *\nSitemap: http://[x]/\nSitemap: /map.xml\n"
    near, beyond = "Allow: /x\n" * 50_000 + "Disallow: /private\n", "Allow: /x\n" * 5_000 + "Disallow: /a.html\n"
    huge = gzip.compress((rules + near + beyond + "Allow: /x\n" * 3_000_000).encode())
    pages = {
        "/": listing("News", {"/private": "A page that robots.txt forbids", "/a.html": "A story about the new bridge"}),
        "/robots.txt": (200, {"Content-Type": "text/plain", "Content-Encoding": "gzip"}, huge),
        "/map.xml": (200, {"Content-Type": "application/xml"}, "<urlset><url><loc>/b.html</loc></url></urlset>"),
        "/private": article("Secret"),
        "/a.html": article("A"),
        "/b.html": article("B"),
    }
    with serve(pages) as site:
        done = scrapy("harvest", site.url, *PLAIN, "-s", "AUTOTHROTTLE_ENABLED=False", cwd=tmp_path)
    assert sorted(json.loads(line)["title"] for line in done.stdout.splitlines()) == ["A", "B", "News"]
    assert "Traceback" not in done.stderr
    assert "/private" not in site.asked


def test_control_characters_of_a_server_are_escaped(extracted: tuple[dict[str, str], str], tmp_path: Path):
    """In headers, wherever they are printed: by extract, inspect, and in Scrapy's own lines."""
    with serve(CONTROLS | {"/": listing("News", {path: f"A long headline {path}" for path in CONTROLS})}) as site:
        seeds = ("crawl", "seeds", "-a", f"urls={site.url}", "-s", "AUTOTHROTTLE_ENABLED=False")
        commands = (("inspect", site.url + "/controls/packed"), seeds)
        runs = [scrapy(*command, *PLAIN, cwd=tmp_path, env=OUR_PROJECT) for command in commands]
    printed = [extracted[1], *(done.stdout + done.stderr for done in runs)]
    assert not [text for text in printed if "\x1b" in text or "\x07" in text]
    assert "\\x1b]0" in printed[0]
    assert "\\x1b]0;owned" in printed[-1]


def test_an_address_with_a_password_is_refused_without_it(tmp_path: Path):
    (tmp_path / "sites.txt").write_text("user:s3cret@example.org/news\n")
    for command in (("extract", "http://user:s3cret@127.0.0.1:9/x"), ("inspect", "http://s3cret@127.0.0.1:9/"), ("harvest", "sites.txt")):
        done = scrapy(*command, cwd=tmp_path)
        assert done.returncode in (1, 2)
        assert "holds a user name or password" in done.stderr
        assert "s3cret" not in done.stdout + done.stderr


WATCHED = """
import socket, sys

asked = open("asked.txt", "a", buffering=1)


def watch(event, arguments):
    if event in ("socket.getaddrinfo", "socket.gethostbyname"):
        asked.write(f"name {arguments[0]}\\n")
    elif event in ("socket.connect", "socket.sendto") and isinstance(arguments[1], tuple) and not arguments[1][0].startswith("127."):
        asked.write(f"address {arguments[1][0]}\\n")
        raise OSError("There is no network")


sys.addaudithook(watch)
"""


@pytest.mark.parametrize("with_guards", [True, False], ids=["ours", "Scrapy's own"])
def test_cookies_with_a_domain_ask_nobody(with_guards: bool, tmp_path: Path):
    """No name is looked up and no address called but the site's own, where Scrapy itself asks for a list of public suffixes."""
    undo = "from scrapy.downloadermiddlewares import cookies\nfrom webcontent.crawl import guards\n" if not with_guards else ""
    undo += "import tldextract\nguards.suffixes = tldextract.TLDExtract(cache_dir=None)\n" if undo else ""
    code = f"{WATCHED}{undo}from scrapy.cmdline import execute\nexecute(['scrapy', *sys.argv[1:]])\n"
    headers = {"Set-Cookie": "a=b; Domain=example.com"}
    with serve({"/": (200, headers, article("A bridge"))}) as site:
        done = python(code, "extract", site.url + "/", *PLAIN, cwd=tmp_path)
    assert json.loads(done.stdout.splitlines()[-1])["title"] == "A bridge", done.stderr
    asked = set((tmp_path / "asked.txt").read_text().splitlines())
    assert any("publicsuffix" in line for line in asked) != with_guards
    assert not with_guards or asked <= {"name 127.0.0.1", "name None", "name localhost"}, asked


def test_a_server_that_is_not_there_is_one_sentence(tmp_path: Path):
    """Also where robots.txt is obeyed."""
    for command in ("extract", "inspect", "harvest"):
        done = scrapy(command, f"http://127.0.0.1:{free_port()}/x", "-s", "RETRY_ENABLED=False", "-s", "ROBOTSTXT_OBEY=True", cwd=tmp_path)
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        assert len(done.stderr.strip().splitlines()) <= 2 + 2 * (command == "harvest")


def test_a_damaged_store_is_one_sentence(tmp_path: Path):
    """For the commands, too."""
    (tmp_path / "seen.db").write_text("no database")
    done = scrapy("extract", "http://127.0.0.1:9/", "-s", "WEBCONTENT_CRAWL_STATE=sqlite:///seen.db", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.partition("CRITICAL: ")[2] == "The store seen.db can't be opened: file is not a database.\n"


def test_https_on_a_plain_port_is_a_reason_in_words(tmp_path: Path):
    """The same host with http is a row of its own, and its pages are there."""
    with serve({"/": article("The only page")}) as site:
        host = site.url.removeprefix("http://")
        done = scrapy("harvest", host, site.url, "-o", "items.jsonl", *PLAIN, "-s", "AUTOTHROTTLE_ENABLED=False", cwd=tmp_path)
    secure, plain = done.stdout.splitlines()[1:3]
    assert secure.startswith(f"https://{host}/")
    assert "wrong version number" in secure or "SSL" in secure
    assert "<twisted" not in done.stdout
    assert plain.split()[:3] == [f"{site.url}/", "1", "1"]


def test_sitemaps_of_a_seed_have_a_budget(tmp_path: Path):
    """Of 24 that unpack to 30 MB each a third is asked for; the pages come all the same."""
    huge = gzip.compress(b"<urlset><url><loc>/a.html</loc></url>" + b" " * 30_000_000 + b"</urlset>")
    maps = {f"/map{number}.xml": (200, {"Content-Type": "application/xml", "Content-Encoding": "gzip"}, huge) for number in range(24)}
    pages = {
        **maps,
        "/": listing("News", {"/b.html": "A story about the new bridge"}),
        "/robots.txt": (200, {"Content-Type": "text/plain"}, "".join(f"Sitemap: {path}\n" for path in maps)),
        "/a.html": article("A"),
        "/b.html": article("B"),
    }
    with serve(pages) as site:
        done = scrapy("harvest", site.url, *PLAIN, "-s", "CONCURRENT_REQUESTS=2", "-s", "AUTOTHROTTLE_ENABLED=False", cwd=tmp_path)
    assert sorted(json.loads(line)["title"] for line in done.stdout.splitlines()) == ["A", "B", "News"]
    assert done.stderr.count("No further feed or sitemap") == 1
    assert 6 < len([path for path in site.asked if path in maps]) < 12


def test_dead_links_end_a_seed(tmp_path: Path):
    """Requests without a page count towards a bound, too."""
    dead = {f"/{number}.html": f"A long headline about nothing, number {number}" for number in range(900)}
    with serve({"/": listing("News", dead)}) as site:
        done = scrapy("harvest", site.url, "--pages", "3", "--no-feeds", *PLAIN, "-s", "AUTOTHROTTLE_ENABLED=False", cwd=tmp_path)
        asked = len(site.asked)
    assert 100 < asked < 150
    assert "Too many requests of" in done.stderr
