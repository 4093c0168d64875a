"""The examples work as their docstrings say."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.batch.warc_records import page
from tests.crawl.crawls import article, listing, scrapy, serve
from tests.crawl.servers import needs_redis, redis_server

CHECKOUT = Path(__file__).parents[2]
EXAMPLES = CHECKOUT / "examples"
ARTICLES = {f"/{n}.html": f"Headline number {n} about something that happened" for n in range(12)}
PAGES = {"/": listing("News", ARTICLES), **{path: article(f"Story {path}") for path in ARTICLES}}


def needs(*packages: str) -> pytest.MarkDecorator:
    missing = [package for package in packages if not find_spec(package)]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


@pytest.mark.process
@needs("scrapy_poet")
def test_poet_spider(tmp_path: Path):
    """One article per entry of the list, with the fields that its callback yields."""
    with serve(PAGES) as site:
        spider = EXAMPLES / "poet_spider.py"
        arguments = ("-a", f"url={site.url}/", "-O", "articles.jsonl", "-s", "WEBCONTENT_RENDER=False")
        process = scrapy("runspider", str(spider), *arguments, cwd=tmp_path, timeout_s=300)
    assert process.returncode == 0, process.stderr
    articles = [json.loads(line) for line in (tmp_path / "articles.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sorted(row["headline"] for row in articles) == sorted(f"Story {path}" for path in ARTICLES)
    assert {row["schema"]["@type"] for row in articles} == {"NewsArticle"}


@pytest.mark.process
@needs_redis
@needs("scrapy_redis")
def test_machines(tmp_path: Path):
    """Two processes of the example's spider share a crawl. The collector writes each item once although it is killed."""
    with redis_server(tmp_path) as server, serve(PAGES) as site:
        arguments = (
            "-a",
            f"site={site.url}",
            "-s",
            f"WEBCONTENT_REDIS={server}",
            "-s",
            "WEBCONTENT_RENDER=False",
            "-s",
            "SCHEDULER_PERSIST=1",
        )
        spider = [sys.executable, "-m", "scrapy", "runspider", str(EXAMPLES / "machines" / "front.py"), *arguments]
        collect = [sys.executable, str(EXAMPLES / "collect_items.py"), server, "front:items", "items.jsonl"]
        crawlers = [subprocess.Popen(spider, cwd=tmp_path, stderr=subprocess.PIPE, text=True) for _ in range(2)]
        killed = subprocess.Popen(collect, cwd=tmp_path)
        try:
            file, deadline = tmp_path / "items.jsonl", time.monotonic() + 300
            while not file.exists() or not file.stat().st_size:
                assert time.monotonic() < deadline
                time.sleep(0.05)
            killed.send_signal(signal.SIGKILL)
            with file.open("ab") as written:
                written.write(b'{"written": "and not yet taken from the list"}\n{"cut')
            logs = [crawler.communicate(timeout=300)[1] for crawler in crawlers]
        finally:
            for process in (*crawlers, killed):
                process.kill()
                process.wait()
        assert not any("Traceback" in log for log in logs), logs
        subprocess.run([*collect, "--once"], cwd=tmp_path, check=True, timeout=300)
    urls = [json.loads(line)["url"] for line in file.read_text(encoding="utf-8").splitlines()]
    assert sorted(urls) == sorted(site.url + path for path in PAGES)


@pytest.mark.process
@pytest.mark.skipif(not shutil.which("docker"), reason="no docker")
def test_compose_file():
    """Docker accepts it."""
    command = ["docker", "compose", "-f", str(EXAMPLES / "machines" / "compose.yaml"), "config", "--quiet"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={"SITE": "https://example.org", "PATH": "/usr/bin:/usr/local/bin"}
    )
    if "is not a docker command" in done.stderr or "unknown shorthand flag" in done.stderr:
        pytest.skip("docker has no compose")
    assert done.returncode == 0, done.stderr


@needs("yaml")
def test_compose_file_names_what_is_there():
    """The services, the Dockerfile, the programs and the extras that it names exist."""
    import yaml

    folder = EXAMPLES / "machines"
    services = yaml.safe_load((folder / "compose.yaml").read_text(encoding="utf-8"))["services"]
    assert {"redis", "crawler", "collector"} == set(services)
    assert all(set(service.get("depends_on", ())) <= set(services) for service in services.values())
    extras = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for service in (services["crawler"], services["collector"]):
        context = (folder / service["build"]["context"]).resolve()
        dockerfile = (context / service["build"]["dockerfile"]).read_text(encoding="utf-8")
        programs = [word for word in service["command"] if word.endswith(".py")]
        assert programs
        assert all((context / program).is_file() for program in programs)
        assert set(re.findall(r'install .*"\.\[([a-z,]+)\]"', dockerfile)[0].split(",")) <= set(extras)


@pytest.mark.process
@needs("ray", "pyarrow")
def test_ray_batches(tmp_path: Path):
    """Pages and items are Parquet files."""
    import pyarrow as pa
    from pyarrow import parquet

    pages = pa.table({"url": [f"http://example.com/{n}.html" for n in range(20)], "html": [page(n) for n in range(20)]})
    parquet.write_table(pages, tmp_path / "pages.parquet")
    command = [sys.executable, str(EXAMPLES / "ray_batches.py"), str(tmp_path / "pages.parquet"), str(tmp_path / "items")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=500)
    if "timed out during startup" in done.stderr:
        pytest.skip("Ray gives up on a machine that is too busy to start it within 30 s")
    assert done.returncode == 0, done.stderr[-3000:]
    items = parquet.read_table(tmp_path / "items")
    assert sorted(items.column("title").to_pylist()) == sorted(f"Storm {n}" for n in range(20))


@pytest.mark.process
@needs("spidermon")
def test_spidermon_monitors():
    """The monitors pass on the stats of a good crawl and fail on those of a bad one. The documentation shows the same stats."""
    program = (
        "import sys, json; sys.path.insert(0, sys.argv[1])\n"
        "import spidermon_monitors, unittest\n"
        "from spidermon.runners import TextMonitorRunner\n"
        "from spidermon.data import Data\n"
        "failed = []\n"
        "for stats in json.loads(sys.argv[2]):\n"
        "    suite = spidermon_monitors.CloseMonitors()\n"
        "    result = TextMonitorRunner().run(suite, stats=stats)\n"
        "    failed.append(len(result.failures) + len(result.errors))\n"
        "print(json.dumps(failed))\n"
    )
    good = {"webcontent/pages": 100, "webcontent/rendered": 50, "webcontent/flags/empty": 1}
    bad = {"webcontent/pages": 10, "webcontent/flags/empty": 9, "webcontent/render_failed/timeout": 5, "webcontent/errors/links": 1}
    done = subprocess.run(
        [sys.executable, "-c", program, str(EXAMPLES), json.dumps([good, bad])], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [0, 3]
    shown = (CHECKOUT / "docs" / "scrapy.md").read_text(encoding="utf-8")
    names = re.findall(r'"(webcontent/[a-z_/]+)"', (EXAMPLES / "spidermon_monitors.py").read_text(encoding="utf-8"))
    assert names
    assert all(f'"{name}"' in shown for name in names)
