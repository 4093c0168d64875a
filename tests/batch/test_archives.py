"""Whole archives: each page once in the output, whatever happens to the run."""

from __future__ import annotations

import errno
import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from tests.batch.archives import packed, record, story
from tests.crawl.crawls import scrapy
from webcontent.batch import Counts, Options, extract_archives, outputs
from webcontent.crawl.commands.warc import check_command, run_command

CHECKOUT = Path(__file__).parents[2]
PARQUET = pytest.param(
    ".parquet", marks=pytest.mark.skipif("not __import__('importlib.util').util.find_spec('pyarrow')", reason="no pyarrow")
)

# A run in a process of its own, in small chunks, that is killed after some of them; the rest of the command line says when.
KILLED = """
import os, signal, sys
from webcontent.batch import archives
output, last, *paths = sys.argv[1:]
archives.STATE_INTERVAL_S, archives.PAGES_PER_CHUNK = 0, 3
if output.endswith("parquet"):
    from webcontent.batch import outputs
    outputs.PART_BYTES = 1

def show(counts, done, total):
    if counts.pages >= int(last):
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    archives.extract_archives(paths, output, processes=1, show=show)
"""


@pytest.fixture
def archives(tmp_path: Path) -> list[Path]:
    """Two archives with 16 pages, a picture and a damage."""
    first, second = tmp_path / "a.warc.gz", tmp_path / "b.warc"
    picture = record("http://example.com/a.png", b"\x89PNG", headers="Content-Type: image/png\r\n")
    first.write_bytes(packed(*(story(n) for n in range(5))) + b"garbage" + packed(*(story(n) for n in range(5, 10)), picture))
    second.write_bytes(b"".join(story(n) for n in range(10, 16)))
    return [first, second]


def titles(output: Path) -> list[str]:
    if output.suffix == ".parquet":
        from pyarrow import parquet

        return parquet.read_table(output).column("title").to_pylist()
    return [json.loads(line)["title"] for line in output.read_text(encoding="utf-8").splitlines()]


def _full_after(count: int):
    """What writes to a disk that is full when it was asked so often."""
    asked = []

    def sync(file) -> None:
        asked.append(file)
        if len(asked) > count:
            raise OSError(errno.ENOSPC, "No space left on device", file.name)

    return sync


ALL = [f"Storm {number}" for number in range(16)]


@pytest.mark.parametrize("suffix", [".jsonl", PARQUET])
def test_a_killed_run_goes_on(suffix: str, archives: list[Path], tmp_path: Path):
    """kill -9 twice, in the first archive and in the second: each page is in the output once, in order; nothing else is left behind."""
    script, output = tmp_path / "run.py", tmp_path / f"items{suffix}"
    script.write_text(KILLED)
    for last in (6, 13):
        killed = subprocess.run([sys.executable, script, output, str(last), *archives], cwd=CHECKOUT, check=False, timeout=300)
        assert killed.returncode == -signal.SIGKILL
        with (output if suffix == ".jsonl" else tmp_path / "other").open("ab") as file:
            file.write(b'{"title": "a line that was written and not')  # what the state does not know of
    done = extract_archives(archives, output, processes=1)
    assert titles(output) == ALL
    assert done == Counts(pages=16, others=1, damaged=1, items=16)
    assert not list(tmp_path.glob("items*.*.*"))


def test_a_page_that_kills_its_process_costs_itself(archives: list[Path], tmp_path: Path, monkeypatch, caplog):
    """An extractor that ends the process: the page gives an item with a flag, all others come out as ever."""
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
    assert [item["flags"] for item in items if item["extractor"] is None] == [["empty"]]


def test_the_command(archives: list[Path], tmp_path: Path):
    """`scrapy extract --warc FILES -o items.jsonl`, outside of any project; a last line counts."""
    done = scrapy("extract", "--warc", *map(str, archives), "-o", "items.jsonl", "-s", "WEBCONTENT_THREADS=1", cwd=tmp_path, timeout_s=300)
    assert done.returncode == 0, done.stderr
    assert titles(tmp_path / "items.jsonl") == ALL
    assert "items.jsonl: 16 items of 16 pages; 1 records without a page, 1 damaged places, 0 pages failed" in done.stderr


def test_lines_are_added_to_a_file_that_is_there(archives: list[Path], tmp_path: Path):
    """As Scrapy's feeds do; an archive without pages adds none."""
    output, empty = tmp_path / "items.jsonl", tmp_path / "empty.warc"
    output.write_text('{"title": "before"}\n')
    empty.write_bytes(b"")
    assert extract_archives([empty], output, processes=1) == Counts()
    assert titles(output) == ["before"]


def test_the_state_of_other_archives_is_not_taken_up(archives: list[Path], tmp_path: Path):
    """One sentence says what to do."""
    state = {"archives": [["other.warc", 1]], "position": {}, "counts": {}, "output": {"bytes": 0}}
    (tmp_path / "items.jsonl.state").write_text(json.dumps(state))
    with pytest.raises(ValueError, match=r"items\.jsonl\.state is of a run over other archives"):
        extract_archives(archives, tmp_path / "items.jsonl", processes=1)


@pytest.mark.parametrize(
    ("files", "outputs", "message"),
    [
        (["nowhere.warc"], ["items.jsonl"], "'nowhere.warc' is no file; --warc takes WARC files."),
        (["a.warc"], [], "--warc wants one output whose name ends in .jsonl or .parquet"),
        (["a.warc"], ["items.csv"], "--warc wants one output whose name ends in .jsonl or .parquet"),
        (["a.warc"], ["a.jsonl", "b.jsonl"], "--warc wants one output whose name ends in .jsonl or .parquet"),
    ],
    ids=["no file", "no output", "another format", "two outputs"],
)
def test_wrong_calls_say_what_is_wrong(files: list[str], outputs: list[str], message: str, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.warc").write_bytes(b"")
    with pytest.raises(UsageError, match=re.escape(message)):
        check_command(files, outputs)


@pytest.mark.parametrize(
    ("output", "settings", "message"),
    [
        ("nowhere/items.jsonl", {}, "nowhere/items.jsonl: No such file or directory. What was extracted so far is kept"),
        ("items.jsonl", {"WEBCONTENT_EMIT": "all"}, "WEBCONTENT_EMIT is 'all'; it takes"),
        ("items.jsonl", {"WEBCONTENT_PAGE_TYPE_MODEL": "./nowhere"}, "nowhere/model.onnx is missing."),
        ("there.parquet", {}, "there.parquet is there already, and a Parquet file can't be added to: -O overwrites it."),
        ("/dev/full", {}, "'full' ends in none of .jsonl, .jl, .parquet."),
    ],
    ids=["no folder", "a wrong setting", "no model", "a Parquet file that is there", "another format"],
)
def test_what_fails_is_said_in_one_sentence(output: str, settings: dict[str, str], message: str, tmp_path: Path, monkeypatch, caplog):
    """And the exit code says so."""
    monkeypatch.chdir(tmp_path)
    Path("a.warc").write_bytes(b"")
    Path("there.parquet").write_bytes(b"PAR1")
    assert run_command(["a.warc"], Path(output), Settings(settings), overwrites=False) == 1
    assert message in caplog.text
    assert "Traceback" not in caplog.text


def test_a_full_disk_loses_nothing(archives: list[Path], tmp_path: Path, caplog):
    """One sentence; with room again the same command goes on."""
    output = tmp_path / "items.jsonl"
    run = (list(map(str, archives)), output, Settings({"WEBCONTENT_THREADS": 1}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outputs, "_sync", _full_after(1))
        assert run_command(*run, overwrites=False) == 1
    assert "No space left on device. What was extracted so far is kept; the same command goes on from there." in caplog.text
    assert run_command(*run, overwrites=False) == 0
    assert titles(output) == ALL


def test_overwriting_begins_anew(archives: list[Path], tmp_path: Path):
    """-O takes away an earlier output and the state of a run that ended too soon."""
    output = tmp_path / "items.jsonl"
    output.write_text("{}\n")
    (tmp_path / "items.jsonl.state").write_text("{}")
    assert run_command([str(archives[1])], output, Settings({"WEBCONTENT_THREADS": 1}), overwrites=True) == 0
    assert titles(output) == ALL[10:]
