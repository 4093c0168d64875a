"""An incremental crawl delivers only what is new, and loses or repeats nothing."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from hashlib import blake2b
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from benchmarks import incremental
from tests.crawl.crawls import OUR_PROJECT, POLL_S, Site, article, listing, scrapy, serve, start_scrapy
from tests.crawl.incremental.test_store import redis_url  # noqa: F401  (a fixture)

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

pytestmark = pytest.mark.process

ARTICLES = {f"/story/{n}.html": f"Headline number {n} about something that happened" for n in range(5)}


class Validating(Site):
    """A site that answers 304 to a request with the page's ETag. `unchanged`: the paths that were answered so."""

    def __init__(self, pages: dict[str, Any]) -> None:
        super().__init__(pages)
        self.unchanged: list[str] = []
        site, plain = self, self.server.RequestHandlerClass

        class Handler(plain):  # type: ignore[misc, valid-type]
            def do_GET(self) -> None:  # noqa: N802  (as the base class has it)
                status, _, body = site.answer(self.path)
                if status == 200 and self.headers.get("If-None-Match") == etag(body):
                    site.asked.append(self.path)
                    site.unchanged.append(self.path)
                    self.send_response(304)
                    self.end_headers()
                else:
                    super().do_GET()

            def end_headers(self) -> None:
                status, _, body = site.answer(self.path)
                if status == 200:
                    self.send_header("ETag", etag(body))
                super().end_headers()

        self.server.RequestHandlerClass = Handler


def etag(body: bytes) -> str:
    return f'"{blake2b(body, digest_size=6).hexdigest()}"'


@pytest.fixture
def news() -> Iterator[Validating]:
    """A front page with a feed, a section with a second page, and articles, one of which is linked only by a redirect."""
    pages: dict[str, Any] = {
        "/": listing(
            "News",
            {
                "/story/0.html": ARTICLES["/story/0.html"],
                "/story/1.html": ARTICLES["/story/1.html"],
                "/sport/": "Sport of the day and of the night",
            },
            more='<a href="/moved">A story that has moved to another address</a><a href="/gone.html">A story that is no longer there</a>'
            '<link rel="alternate" type="application/rss+xml" href="/rss.xml">',
        ),
        "/sport/": listing("Sport", {"/story/2.html": ARTICLES["/story/2.html"]}, more='<a rel="next" href="/sport/?page=2">2</a>'),
        "/sport/?page=2": listing("Sport, page 2", {"/story/3.html": ARTICLES["/story/3.html"]}),
        "/moved": (302, {"Location": "/story/4.html"}, ""),
        "/rss.xml": (200, {"Content-Type": "application/rss+xml"}, "<rss version='2.0'><channel></channel></rss>"),
        "/robots.txt": (200, {"Content-Type": "text/plain"}, "User-agent: *\nAllow: /\n"),
    }
    pages |= {path: article(title) for path, title in ARTICLES.items()}
    site = Validating(pages)
    Thread(target=site.server.serve_forever, kwargs={"poll_interval": POLL_S}, daemon=True).start()
    yield site
    site.server.shutdown()
    site.server.server_close()


def crawl(url: str, folder: Path, *arguments: str, feed: str = "items.jsonl", code: int = 0) -> subprocess.CompletedProcess[str]:
    """A run with its feed and its store in the folder."""
    done = scrapy(
        *("crawl", "seeds", "-a", f"urls={url}", "-s", f"WEBCONTENT_CRAWL_STATE=sqlite:///{folder}/state.db", "-o", str(folder / feed)),
        *("-s", "AUTOTHROTTLE_ENABLED=False", "-s", "WEBCONTENT_RENDER=False", *arguments),
        cwd=folder,
        env=OUR_PROJECT,
    )
    assert done.returncode == code, done.stderr[-3000:]
    return done


def paths(folder: Path, feed: str = "items.jsonl") -> list[str]:
    text = (folder / feed).read_text(encoding="utf-8") if (folder / feed).exists() else ""
    return [urlsplit(json.loads(line)["url"])._replace(scheme="", netloc="").geturl() for line in text.splitlines()]


ALL = sorted(["/", "/sport/", "/sport/?page=2", *ARTICLES])


def test_only_what_is_new_is_requested_and_delivered(news: Validating, tmp_path: Path):
    """Listings and feeds are requested again with the server's validators, also where no changed page links to them."""
    crawl(news.url, tmp_path)
    assert sorted(paths(tmp_path)) == ALL
    news.asked.clear()
    news.pages["/sport/"] = listing(
        "Sport", {"/story/8.html": "The second new headline of this day", "/story/2.html": ARTICLES["/story/2.html"]}
    )
    news.pages["/story/8.html"] = article("The second new headline of this day")
    link = "<item><link>/story/9.html</link></item>"
    news.pages["/rss.xml"] = (200, {"Content-Type": "application/rss+xml"}, f"<rss version='2.0'><channel>{link}</channel></rss>")
    news.pages["/story/9.html"] = article("A new headline about a new event in town")
    crawl(news.url, tmp_path)
    assert sorted(paths(tmp_path)[len(ALL) :]) == ["/story/8.html", "/story/9.html"]
    assert set(news.asked) <= {"/robots.txt", "/", "/sport/", "/rss.xml", "/story/8.html", "/story/9.html"}
    assert news.unchanged == ["/"]
    news.asked.clear()
    crawl(news.url, tmp_path)
    assert len(paths(tmp_path)) == len(ALL) + 2
    assert set(news.asked) <= {"/robots.txt", "/", "/sport/", "/rss.xml"}
    assert {"/", "/rss.xml"} <= set(news.unchanged)


def test_a_changed_article_is_delivered_again_with_the_setting(news: Validating, tmp_path: Path):
    """With the time of its change. Unchanged articles are not delivered."""
    changed = ("-s", "WEBCONTENT_CHANGED=True")
    crawl(news.url, tmp_path, *changed)
    assert sorted(paths(tmp_path)) == ALL
    time = format_datetime(datetime(2026, 3, 5, 6, 22, tzinfo=UTC), usegmt=True)
    news.pages["/story/2.html"] = (200, {"Last-Modified": time}, article("A headline that was corrected after some hours"))
    crawl(news.url, tmp_path, *changed)
    items = [json.loads(line) for line in (tmp_path / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [urlsplit(item["url"]).path for item in items[len(ALL) :]] == ["/story/2.html"]
    assert items[-1]["modified"] == "2026-03-05T06:22:00+00:00"


def test_a_limit_of_pages_leaves_the_rest_to_the_next_run(news: Validating, tmp_path: Path):
    """Also pages that only a page of the first run links to."""
    for _ in range(4):
        crawl(news.url, tmp_path, "-a", "pages=3", "-s", "CONCURRENT_REQUESTS=1")
    assert sorted(paths(tmp_path)) == ALL


def test_the_site_of_a_seed_has_its_own_scope(tmp_path: Path):
    """Patterns, a number of pages, and sitemaps newest first, which robots.txt and a sitemap index name, gzipped or not."""
    now = datetime.now(UTC)
    dated = {f"/news/{n}.html": (now - timedelta(hours=4 * n)).isoformat(timespec="seconds") for n in range(6)} | {
        "/news/old.html": "2001-01-01",
        "/tag/1.html": now.isoformat(),
    }
    urls = "".join(f"<url><loc>{path}</loc><lastmod>{time}</lastmod></url>" for path, time in dated.items())
    pages: dict[str, Any] = {path: article(f"A story of the address {path} and more") for path in dated}
    pages |= {
        "/": listing("News", {"/about.html": "About us and what we do all day"}),
        "/robots.txt": (200, {"Content-Type": "text/plain"}, "User-agent: *\nSitemap: /maps.xml\n"),
        "/maps.xml": (200, {"Content-Type": "text/xml"}, "<sitemapindex><sitemap><loc>/map.xml.gz</loc></sitemap></sitemapindex>"),
        "/map.xml.gz": (200, {"Content-Type": "application/gzip"}, gzip.compress(f"<urlset>{urls}</urlset>".encode())),
    }
    pages["/about.html"] = article("About us and what we do all day")
    seeds = tmp_path / "seeds.txt"
    with serve(pages) as site:
        seeds.write_text(f"{site.url}/ allow=/news/ deny=/tag/ days=30 pages=4  # four of six\n")
        crawl(str(seeds), tmp_path, "-s", "CONCURRENT_REQUESTS=1")
    assert sorted(paths(tmp_path)) == [f"/news/{n}.html" for n in range(4)]
    assert not {"/about.html", "/tag/1.html", "/news/old.html"} & set(site.asked)


def start(url: str, feed: Path, store: str, *arguments: str) -> Any:
    """As the benchmark starts its crawls, and sooner."""
    settings = ("-s", f"WEBCONTENT_CRAWL_STATE={store}", "-s", "AUTOTHROTTLE_ENABLED=False", "-s", "WEBCONTENT_RENDER=False")
    return start_scrapy("crawl", "seeds", "-a", f"urls={url}", "-o", str(feed), *settings, *arguments, cwd=feed.parent, env=OUR_PROJECT)


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_a_killed_crawl_loses_and_repeats_nothing(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """SIGKILL at random moments, then the runs after it: each page is there once, and each line is whole."""
    monkeypatch.setattr(incremental, "start_crawl", start)
    counts = incremental.KillTest(tmp_path, 3, seed=7, longest_s=1.5, form=form).run()
    assert counts["kills"] == 3
    assert (counts["lost"], counts["twice"], counts["broken"]) == (0, 0, 0)


def test_machines_share_the_crawl_state(news: Validating, tmp_path: Path, redis_url: str):  # noqa: F811
    """Two runs with different folders and one Redis server: the second does not deliver what the first did."""
    store = ("-s", f"WEBCONTENT_CRAWL_STATE={redis_url}?name=two")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        crawl(news.url, tmp_path / name, *store, "-s", "EXTENSIONS={}")
    assert sorted(paths(tmp_path / "one")) == ALL
    assert paths(tmp_path / "two") == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-s", "WEBCONTENT_REDIS=redis://user:word@127.0.0.1:1/0"), "No Redis server answers at redis://127.0.0.1:1/0: "),
        (("-s", "WEBCONTENT_CRAWL_STATE=mysql://x"), "WEBCONTENT_CRAWL_STATE is 'mysql://x'; it takes"),
        (("-s", "WEBCONTENT_CRAWL_STATE=sqlite:////proc/none/state.db"), "The store /proc/none/state.db can't be opened"),
        (("-o", "/proc/none/items.jsonl"), "The feed /proc/none/items.jsonl can't be written"),
        (("-s", "WEBCONTENT_DATABASE=sqlite:////proc/none/items.db"), "The database sqlite:////proc/none/items.db can't be used"),
    ],
    ids=["no Redis", "no address", "store on a read-only disk", "feed on a read-only disk", "database on a read-only disk"],
)
def test_what_cannot_be_used_ends_the_crawl_before_its_first_page(
    arguments: tuple[str, ...], message: str, news: Validating, tmp_path: Path
):
    """The last line gives the reason."""
    store = ("-s", f"WEBCONTENT_CRAWL_STATE=sqlite:///{tmp_path}/state.db")
    done = scrapy("crawl", "seeds", "-a", f"urls={news.url}", *store, *arguments, cwd=tmp_path, env=OUR_PROJECT)
    assert done.returncode == 1
    assert message in done.stderr.strip().splitlines()[-1]
    assert ".." not in done.stderr.strip().splitlines()[-1]
    assert done.stderr.count("CRITICAL") == 1, done.stderr  # nothing was open that logs an error when it is closed
    assert news.asked == []


def test_formats_of_ours_on_the_command_line(news: Validating, tmp_path: Path):
    """`-o` and `-O` accept them like Scrapy's own."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    crawl(news.url, tmp_path, "-o", str(tmp_path / "news.rss"), feed="items.parquet")
    table = parquet.read_table(tmp_path / "items.parquet")
    assert table.num_rows == len(ALL)
    assert (tmp_path / "news.rss").read_text(encoding="utf-8").count("<item>") == table.column("type").to_pylist().count("article")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_ends_the_crawl_and_loses_nothing(news: Validating, tmp_path: Path):
    """One sentence, no traceback. Items that did not reach the feed are delivered in the next run."""
    (tmp_path / "full.jsonl").symlink_to("/dev/full")
    done = crawl(news.url, tmp_path, feed="full.jsonl")
    assert "full.jsonl can't be written: No space left on device. The crawl stops" in done.stderr
    assert "Traceback" not in done.stderr
    assert "'finish_reason': 'feed_failed'" in done.stderr
    crawl(news.url, tmp_path)
    assert sorted(paths(tmp_path)) == ALL


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_and_a_feed_that_is_complete_only_at_its_end(news: Validating, tmp_path: Path):
    """Items that the feed does not hold are delivered in the next run."""
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    (tmp_path / "full.parquet").symlink_to("/dev/full")
    done = crawl(news.url, tmp_path, feed="full.parquet")
    assert "full.parquet can't be written: No space left on device. The crawl stops." in done.stderr
    assert "Traceback" not in done.stderr
    crawl(news.url, tmp_path)
    assert sorted(paths(tmp_path)) == ALL
