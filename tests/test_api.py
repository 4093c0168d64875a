"""Wrong calls: each names the argument and what it takes. Names that do not exist are errors for type checkers too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import webcontent
from tests.crawl.crawls import article
from webcontent.extraction import BODY, Extraction

if TYPE_CHECKING:
    from webcontent.document.parsing import Document

PAGE = "<title>Rain</title><h1>Rain</h1><p>It rained all day in the hills, and the river rose by a metre before the evening.</p>"
ABSOLUTE = "it takes an absolute URL such as 'https://example.org/news/1.html', or None"


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"url": "example.org/rain"}, ValueError, f"url is 'example.org/rain'; {ABSOLUTE}"),
        ({"url": "/rain"}, ValueError, f"url is '/rain'; {ABSOLUTE}"),
        ({"url": ""}, ValueError, f"url is ''; {ABSOLUTE}"),
        ({"url": b"https://example.org/"}, TypeError, "url is bytes; it takes str or None"),
        ({"language": "english"}, ValueError, "language is 'english'; it takes a code of ISO 639-1 such as 'en', or None"),
        (
            {"language": "xx-not-a-language"},
            ValueError,
            "language is 'xx-not-a-language'; it takes a code of ISO 639-1 such as 'en', or None",
        ),
        ({"language": "en;drop"}, ValueError, "language is 'en;drop'; it takes a code of ISO 639-1 such as 'en', or None"),
        ({"language": 5}, TypeError, "language is int; it takes str or None"),
        ({"encoding": "utf8x"}, ValueError, "encoding is 'utf8x'; it takes the name of an encoding such as 'utf-8' or 'gbk', or None"),
        ({"encoding": "base64"}, ValueError, "encoding is 'base64'; it takes the name of an encoding such as 'utf-8' or 'gbk', or None"),
        (
            {"fetched_at": "yesterday"},
            ValueError,
            "fetched_at is 'yesterday'; it takes a time in ISO 8601 such as '2024-03-05T14:22:08+08:00', or None",
        ),
        ({"extractor": 5}, TypeError, "extractor is int; it takes a name, a callable or None"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], error: type[Exception], message: str):
    with pytest.raises(error) as caught:
        webcontent.extract(PAGE, **arguments)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "arguments",
    [
        {"url": "https://example.org"},
        {"url": "file:///tmp/rain.html"},
        {"url": " HTTP://例子.example/雨 "},
        {"encoding": "GB2312"},
        {"encoding": "UTF-16"},
        {"encoding": "latin-1"},
        {"fetched_at": "2024-03-05"},
        {"fetched_at": "2024-03-05T14:22:08Z"},
    ],
)
def test_right_arguments(arguments: dict[str, Any]):
    assert webcontent.extract(PAGE, **arguments).title == "Rain"


def test_a_language_tag_is_shortened():
    assert webcontent.extract("<p>1", language="zh-Hans-CN").language == "zh"


def test_many_pages_survive_a_url_that_is_none():
    """An archive of a million pages has some. Only calls for single pages reject them."""
    (item,) = webcontent.extract_many([webcontent.Page(url="no url", html=PAGE, encoding="utf8x", fetched_at="?")])
    assert item.title == "Rain"


def test_a_declared_codec_that_is_no_encoding_loses_no_page():
    """A page may declare any name, also one that Python knows as something else."""
    html = "<meta charset=base64><h1>Straßen</h1>".encode() + b"<p>\xe4\xf6\xfc is what the page says in Latin-1.</p>" * 20
    assert "is what the page says" in webcontent.extract(html).body


@pytest.mark.process
def test_type_checkers_find_misspelled_names(tmp_path: Path):
    (tmp_path / "spelled.py").write_text("import webcontent\nfrom webcontent import batch\nwebcontent.extrct\nbatch.extract_tabel\n")
    # Without the types of other packages, which would take most of the time.
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--follow-imports=silent",
        "--no-site-packages",
        "--cache-dir",
        str(tmp_path / "cache"),
        "spelled.py",
    ]
    env = {**os.environ, "MYPYPATH": str(Path(webcontent.__file__).parents[1])}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=env)
    assert 'spelled.py:3: error: Module has no attribute "extrct"' in done.stdout, done.stdout + done.stderr
    assert 'spelled.py:4: error: Module has no attribute "extract_tabel"' in done.stdout


@pytest.mark.process
@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [("extract_table", "pyarrow", "parquet"), ("SCHEMA", "pyarrow", "parquet"), ("iter_pages", "fastwarc", "warc")],
)
def test_a_missing_extra_is_named(name: str, package: str, extra: str, tmp_path: Path):
    """The rest of `webcontent.batch` works without it."""
    code = f"import sys; sys.modules[{package!r}] = None; from webcontent.batch import Options; from webcontent.batch import {name}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
    expected = f'ModuleNotFoundError: webcontent.batch.{name} needs the package {package}: pip install "webcontent[{extra}]"'
    assert done.stderr.splitlines()[-1] == expected


@pytest.mark.parametrize("name", ["https://example.org/news/1.html", "pages/index.html", r"C:\pages\1.HTM"])
def test_an_address_or_a_file_name_in_place_of_a_page_is_warned_of(name: str):
    with pytest.warns(UserWarning, match="looks like an address or a file name") as caught:
        assert webcontent.extract(name).flags == ["empty"]
    assert caught[0].filename == __file__


@pytest.mark.parametrize("html", ["", "ferry", "<p>See index.html", "A text of ours, see page.html", b"index.html"])
def test_texts_and_fragments_are_pages(html: str | bytes, recwarn: pytest.WarningsRecorder):
    webcontent.extract(html)
    assert not recwarn.list


def test_a_page_object_is_for_extract_many():
    with pytest.raises(TypeError, match=r"extract_many\(\) takes Page objects"):
        webcontent.extract(webcontent.Page(html="<p>ferry"))


def test_an_extractors_own_body_stands_beside_its_labels():
    """Such as one that a language model has cleaned. A body that the labels give is completed as usual."""

    class Cleaned:
        name = "cleaned"
        needs: frozenset[str] = frozenset()

        def __init__(self, body: str) -> None:
            self.body = body

        def __call__(self, document: Document) -> Extraction:
            return Extraction(body=self.body, body_html="<p>Clean</p>", labels=np.full(len(document.blocks), BODY, np.int8))

    page = article("A bridge")
    assert webcontent.extract(page, extractor=Cleaned("Clean")).body == "Clean"
    assert webcontent.extract(page, extractor=Cleaned("Clean")).body_html == "<p>Clean</p>"
    assert "two years of planning" in webcontent.extract(page, extractor=Cleaned("")).body
