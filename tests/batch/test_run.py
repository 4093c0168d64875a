"""Runs over whole archives: each page is in the output once, even if the run is killed."""

from __future__ import annotations

import errno
import gc
import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from tests.batch.warc_records import compressed, numbered_record, record
from tests.crawl.crawls import scrapy
from webcontent.batch import Counts, Options, extract_archives, run
from webcontent.batch.pool import ProcessPool
from webcontent.crawl.commands.extract import check_arguments, extract_to_file

CHECKOUT = Path(__file__).parents[2]
PARQUET = pytest.param(
    ".parquet", marks=pytest.mark.skipif("not __import__('importlib.util').util.find_spec('pyarrow')", reason="no pyarrow")
)

# A run in a process of its own with small chunks, which kills itself after a number of pages. Arguments: output, pages, archives.
KILLED = """
import os, signal, sys
from webcontent.batch import run
output, last, *paths = sys.argv[1:]
run.STATE_INTERVAL_S, run.BYTES_PER_CHUNK = 0, 1500

def show(counts, done, total):
    if counts.pages >= int(last):
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    run.extract_archives(paths, output, processes=1, show=show)
"""


@pytest.fixture
def archives(tmp_path: Path) -> list[Path]:
    """Two archives with 16 pages, an image and a damaged place."""
    first, second = tmp_path / "a.warc.gz", tmp_path / "b.warc"
    image = record("http://example.com/a.png", b"\x89PNG", headers="Content-Type: image/png\r\n")
    first.write_bytes(
        compressed(*(numbered_record(n) for n in range(5))) + b"garbage" + compressed(*(numbered_record(n) for n in range(5, 10)), image)
    )
    second.write_bytes(b"".join(numbered_record(n) for n in range(10, 16)))
    return [first, second]


def titles(output: Path) -> list[str]:
    if output.suffix == ".parquet":
        from pyarrow import parquet

        return parquet.read_table(output).column("title").to_pylist()
    return [json.loads(line)["title"] for line in output.read_text(encoding="utf-8").splitlines()]


def _full_after(count: int):
    """A replacement of `_sync` on a disk that is full after some calls."""
    calls = []

    def sync(file) -> None:
        calls.append(file)
        if len(calls) > count:
            raise OSError(errno.ENOSPC, "No space left on device", file.name)

    return sync


ALL = [f"Storm {number}" for number in range(16)]


@pytest.mark.process
@pytest.mark.parametrize("suffix", [".jsonl", PARQUET])
def test_a_killed_run_can_be_continued(suffix: str, archives: list[Path], tmp_path: Path):
    """JSON lines are killed in the first archive and in the second. Each page is in the output once, in order; no other file is left."""
    script, output = tmp_path / "run.py", tmp_path / f"items{suffix}"
    script.write_text(KILLED)
    for last in (6, 13) if suffix == ".jsonl" else (13,):
        killed = subprocess.run([sys.executable, script, output, str(last), *archives], cwd=CHECKOUT, check=False, timeout=300)
        assert killed.returncode == -signal.SIGKILL
        with (output if suffix == ".jsonl" else tmp_path / "items.parquet.lines").open("ab") as file:
            file.write(b'{"title": "a line that was written and not')  # written after the state
    done = extract_archives(archives, output, processes=1)
    assert titles(output) == ALL
    assert done == Counts(pages=16, others=1, damaged=1, items=16)
    assert not list(tmp_path.glob("items*.*.*"))


def test_a_page_that_kills_its_process_is_the_only_one_lost(archives: list[Path], tmp_path: Path, monkeypatch, caplog):
    """The page gives an item with a flag. The items of all other pages are as usual."""
    (tmp_path / "deadly.py").write_text(
        "import os\n"
        "from webcontent.extraction import Extraction\n"
        "class Deadly:\n"
        "    name, needs = 'deadly', frozenset()\n"
        "    def __call__(self, document):\n"
        "        if 'Storm 7' in document.text: os._exit(9)\n"
        "        return Extraction()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    options = Options(extractors={"deadly": "deadly.Deadly"}, routes={"article": "deadly", "list": "deadly"})
    done = extract_archives(archives[:1], tmp_path / "items.jsonl", options=options, processes=1)
    assert done == Counts(pages=10, others=1, damaged=1, failed=1, items=10)
    assert "http://example.com/7.html killed the process that read it" in caplog.text
    items = [json.loads(line) for line in (tmp_path / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [item["url"] for item in items] == [f"http://example.com/{number}.html" for number in range(10)]
    assert [item["flags"] for item in items if item["extractor"] is None] == [["empty", "timeout"]]


@pytest.mark.process
def test_the_garbage_collector_is_off_in_the_processes():
    """They are the package's own. The caller keeps his."""
    with ProcessPool(1, Options(), None) as processes:
        assert not processes._submit(_collector_is_on, None).result()
    assert gc.isenabled()


def _collector_is_on(_: None) -> bool:
    return gc.isenabled()


@pytest.mark.process
def test_a_page_that_takes_too_long_ends_its_process_also_without_a_timer_of_the_system():
    """As on Windows, where it is the time of day. A page in its time does not."""
    code = (
        "import signal\n"
        "from time import process_time\n"
        "from webcontent.batch import pool\n"
        "del signal.setitimer\n"
        "with pool._cpu_limit():\n"
        "    pass\n"
        "print('in time', flush=True)\n"
        "pool.PAGE_LIMIT_S = 0.3\n"
        "with pool._cpu_limit():\n"
        "    while process_time() < 60: pass\n"
        "print('too late')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=False)
    assert done.stdout == "in time\n"
    assert done.returncode == 1


@pytest.mark.process
def test_the_command(archives: list[Path], tmp_path: Path):
    """`scrapy extract --warc FILES -o items.jsonl` works outside of projects. Its last line shows the counts."""
    done = scrapy("extract", "--warc", *map(str, archives), "-o", "items.jsonl", "-s", "WEBCONTENT_THREADS=1", cwd=tmp_path, timeout_s=300)
    assert done.returncode == 0, done.stderr
    assert titles(tmp_path / "items.jsonl") == ALL
    assert "items.jsonl: 16 items of 16 pages; 1 records without a page, 1 damaged places, 0 pages failed" in done.stderr


def test_lines_are_appended_to_an_existing_file(archives: list[Path], tmp_path: Path):
    """Scrapy's feeds do the same. An archive without pages adds no line."""
    output, empty = tmp_path / "items.jsonl", tmp_path / "empty.warc"
    output.write_text('{"title": "before"}\n')
    empty.write_bytes(b"")
    assert extract_archives([empty], output, processes=1) == Counts()
    assert titles(output) == ["before"]


def test_the_state_of_other_archives_is_not_continued(archives: list[Path], tmp_path: Path):
    """The message says what to do."""
    state = {"archives": [["other.warc", 1]], "position": {}, "counts": {}, "bytes": 0}
    (tmp_path / "items.jsonl.state").write_text(json.dumps(state))
    with pytest.raises(ValueError, match=r"items\.jsonl\.state belongs to a run over other archives"):
        extract_archives(archives, tmp_path / "items.jsonl", processes=1)


@pytest.mark.parametrize(
    ("files", "outputs", "message"),
    [
        (["nowhere.warc"], ["items.jsonl"], "'nowhere.warc' is not a file; --warc takes WARC files."),
        (["a.warc"], [], "--warc takes one output that ends in .jsonl, .jl, .parquet, as in -o items.parquet; it got none."),
        (["a.warc"], ["items.csv"], "; it got 'items.csv'."),
        (["a.warc"], ["a.jsonl", "b.jsonl"], "; it got 'a.jsonl', 'b.jsonl'."),
    ],
    ids=["no file", "no output", "another format", "two outputs"],
)
def test_wrong_arguments_are_named(files: list[str], outputs: list[str], message: str, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.warc").write_bytes(b"")
    with pytest.raises(UsageError, match=re.escape(message)):
        check_arguments(files, outputs)


@pytest.mark.parametrize(
    ("output", "settings", "message"),
    [
        ("nowhere/items.jsonl", {}, "nowhere/items.jsonl: No such file or directory. The items written so far are kept."),
        ("items.jsonl", {"WEBCONTENT_EMIT": "all"}, "WEBCONTENT_EMIT is 'all'; it takes"),
        ("items.jsonl", {"WEBCONTENT_PAGE_TYPE_MODEL": "./nowhere"}, "nowhere/model.onnx is missing."),
        ("there.parquet", {}, "there.parquet exists already, and a Parquet file can't be appended to. -O overwrites it."),
        ("/dev/full", {}, "The output is 'full'; its name must end in .jsonl, .jl, .parquet."),
    ],
    ids=["no folder", "a wrong setting", "no model", "an existing Parquet file", "another format"],
)
def test_errors_are_reported_without_a_traceback(output: str, settings: dict[str, str], message: str, tmp_path: Path, monkeypatch, caplog):
    """The exit code is 1."""
    monkeypatch.chdir(tmp_path)
    Path("a.warc").write_bytes(b"")
    Path("there.parquet").write_bytes(b"PAR1")
    assert extract_to_file(["a.warc"], Path(output), Settings(settings), overwrites=False) == 1
    assert message in caplog.text
    assert "Traceback" not in caplog.text


def test_a_full_disk_loses_nothing(archives: list[Path], tmp_path: Path, caplog):
    """The message says what to do. Once there is room again, the same command continues."""
    output = tmp_path / "items.jsonl"
    task = (list(map(str, archives)), output, Settings({"WEBCONTENT_THREADS": 1}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "_sync", _full_after(1))
        assert extract_to_file(*task, overwrites=False) == 1
    assert "No space left on device. The items written so far are kept. Repeat the command to continue." in caplog.text
    assert extract_to_file(*task, overwrites=False) == 0
    assert titles(output) == ALL


def test_overwriting_starts_over(archives: list[Path], tmp_path: Path):
    """-O removes an earlier output and the state of a run that was killed."""
    output = tmp_path / "items.jsonl"
    output.write_text("{}\n")
    (tmp_path / "items.jsonl.state").write_text("{}")
    assert extract_to_file([str(archives[1])], output, Settings({"WEBCONTENT_THREADS": 1}), overwrites=True) == 0
    assert titles(output) == ALL[10:]
