"""Public corpora that a user has downloaded, converted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from webcontent.evaluation.convert import main
from webcontent.evaluation.corpora import load_corpus

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def test_articles_are_told_from_their_comments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """The marker was typed by hand. Pages without a text are left out; the site is the page's own or the one it links to most."""
    links = b"<a href='http://www.rain.example.org/1'>1</a> <a href=http://www.rain.example.org/2>2</a> <a href='http://b.example/'>3</a>"
    files = {
        "HTML/a.html": b"<link rel='canonical' href='http://news.example.org/rain'><p>It rained. <p>Good.",
        "Corrected/a.html.corrected.txt": b"It  rained.\n\nAll day.\n!@#$%^&*() COMMENTS\nGood.\nBad.\n",
        "HTML/b.html": links,
        "Corrected/b.html.corrected.txt": "R\u00e9sum\u00e9".encode("latin-1"),
        "HTML/c.html": b"<p>No text",
    }
    main(["dragnet", str(write(tmp_path / "download", files)), "--out", str(tmp_path / "corpora")])
    assert capsys.readouterr().out == f"{tmp_path}/corpora/dragnet: 2 pages.\n"
    monkeypatch.setenv("WEBCONTENT_CORPORA", str(tmp_path / "corpora"))
    first, second = load_corpus("dragnet")
    assert first["gold"] == {"body": "It rained.\nAll day.", "blocks": [["comments", "Good."], ["comments", "Bad."]]}
    assert (first["id"], first["url"], first["type"]) == ("dragnet-a", "http://news.example.org/rain", "article")
    assert (second["site"], second["gold"]["body"]) == ("example.org", "R\u00e9sum\u00e9")


def test_markers_and_wrappers_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Line ends within a paragraph come from a rendering. The encoding is the one that the organisers noted."""
    page = '<text id="1" title="x" encoding="windows-1251">\n<p>Привет\n</text>\n'.encode("windows-1251")
    files = {
        "en_original/1.html": page,
        "en_cleaned/1-cleaned.txt": b"URL: http://www.example.org/x\n\n<h>A heading\n<p>A paragraph\nof two lines\n\nand one\n<l> an item\n",
        "en_original/2.html": b"<p>A page",
        "en_cleaned/2.txt": b"A text of something else",
    }
    main(["cleaneval", str(write(tmp_path / "download", files)), "--out", str(tmp_path / "corpora")])
    monkeypatch.setenv("WEBCONTENT_CORPORA", str(tmp_path / "corpora"))
    (record,) = load_corpus("cleaneval")
    assert record["html"].strip() == "<p>Привет"
    assert record["gold"] == {"body": "A heading\nA paragraph of two lines\nand one\nan item"}
    assert (record["site"], record["url"]) == ("example.org", "http://www.example.org/x")


@pytest.mark.parametrize("form", ["dragnet", "cleaneval"])
def test_a_folder_without_pages_is_named(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """With what the folder should hold."""
    with pytest.raises(SystemExit):
        main([form, str(tmp_path), "--out", str(tmp_path / "corpora")])
    assert f"{tmp_path} has no pages of this form: " in capsys.readouterr().err
    assert not (tmp_path / "corpora").exists()
