"""Public corpora, fetched from an archive as their repository has it."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.crawls import serve
from webcontent.evaluation.corpora import load_corpus
from webcontent.evaluation.fetch import main

if TYPE_CHECKING:
    from pathlib import Path

ANNOTATION: dict[str, Any] = {
    "url": "https://news.example.org/rain",
    "_internal": {"page_type": {"primary": "article"}},
    "ground_truth": {
        "title": "Rain",
        "author": None,
        "publish_date": "2025-08-25",
        "main_content": "It rained.",
        "with": ["rained"],
        "without": ["Menu"],
    },
}


def archive(*files: tuple[str, bytes]) -> bytes:
    """A gzipped tar archive, with everything in one folder, as code hosts make them."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, content in files:
            member = tarfile.TarInfo(f"benchmark-c039d5e/{name}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


FILES = (
    ("README.md", b"A benchmark"),
    ("dev/ground-truth/0002.json", json.dumps(ANNOTATION).encode()),
    ("dev/ground-truth/0003.json", json.dumps({"ground_truth": {}}).encode()),
    ("dev/html/0002.html.gz", gzip.compress("<meta charset=gbk><title>雨</title><p>It rained.".encode("gbk"))),
    ("test/ground-truth/0009.json", json.dumps(ANNOTATION).encode()),
    ("test/html/0009.html.gz", gzip.compress(b"<p>held back")),
)


def test_the_development_part_becomes_a_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Pages with their gold; what the annotators left empty is left out. The part for evaluation is not read."""
    with serve({"/archive": (200, {"Content-Type": "application/gzip"}, archive(*FILES))}) as site:
        main(["wcxb-dev", "--out", str(tmp_path / "corpora"), "--archive", f"{site.url}/archive"])
    assert capsys.readouterr().out == (
        f"{tmp_path}/corpora/wcxb-dev: 1 pages. WCXB by Murrough Foley, CC BY 4.0. The pages belong to their owners.\n"
        f"export WEBCONTENT_CORPORA={tmp_path}/corpora\n"
    )
    monkeypatch.setenv("WEBCONTENT_CORPORA", str(tmp_path / "corpora"))
    (record,) = load_corpus("wcxb-dev")
    assert record["gold"] == {"title": "Rain", "time": "2025-08-25", "body": "It rained.", "with": ["rained"], "without": ["Menu"]}
    assert (record["id"], record["site"], record["type"]) == ("wcxb-dev-0002", "example.org", "article")
    assert "<title>雨</title>" in record["html"]


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "no.tar.gz can't be read"), (b"no archive", "no.tar.gz can't be read"), (archive(), "no.tar.gz has no pages in dev/html.")],
    ids=["missing", "no-archive", "empty"],
)
def test_archives_that_are_none(content: bytes | None, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """One sentence, and no folder."""
    if content is not None:
        (tmp_path / "no.tar.gz").write_bytes(content)
    with pytest.raises(SystemExit):
        main(["wcxb-dev", "--out", str(tmp_path / "corpora"), "--archive", str(tmp_path / "no.tar.gz")])
    assert message in capsys.readouterr().err
    assert not (tmp_path / "corpora").exists()


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A corpus that is there is not replaced by what a repository has."""
    (tmp_path / "no.tar.gz").write_bytes(archive(*FILES))
    arguments = ["wcxb-dev", "--out", str(tmp_path), "--archive", str(tmp_path / "no.tar.gz")]
    main(arguments)
    with pytest.raises(SystemExit):
        main(arguments)
    assert "exists. Remove it to fetch the corpus again." in capsys.readouterr().err
