"""Pages that a user's crawl saved, corrected and learned from."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("lightgbm")

from PIL import Image

from tests.crawl.crawls import CHECKOUT, scrapy
from tests.training.pages import write_corpus
from webcontent import extract
from webcontent.items import Page
from webcontent.saved_pages.archive import PageArchive, as_json, saved_pages
from webcontent.training.fusion import trainer as fusion
from webcontent.training.fusion.samples import read_corpus
from webcontent.training.pagetype.samples import screen_checksums, screen_records, screen_samples
from webcontent.training.pagetype.settings import Run
from webcontent.training.titles import trainer as titles

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "The council met on Monday to decide about the new bridge over the river, after two years of planning and three hearings."
CORPUS = "tiny"


def story(number: int) -> str:
    body = "".join(f"<p>Story {number}, part {part}: {TEXT}</p>" for part in range(3 + number % 3))
    menu = "".join(f'<li><a href="/{name}">{name}</a></li>' for name in ("News", "Sport", "Weather"))
    return f"<html><head><title>Bridge {number} - Example</title></head><body><ul>{menu}</ul><h1>Bridge {number}</h1>{body}</body></html>"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A folder of saved pages, each of a site of its own, all checked but the last."""
    folder = tmp_path / "own"
    written = BytesIO()
    Image.new("RGB", (64, 64), "white").save(written, "PNG")
    for number in range(12):
        page = Page(url=f"https://site{number}.org/1.html", html=story(number), screenshot=written.getvalue(), boxes=[])
        PageArchive(folder).save(page, as_json(extract(page.html, url=page.url)))
    for place in list(saved_pages(folder))[:-1]:
        item = json.loads((place / "item.json").read_text())
        (place / "item.json").write_text(json.dumps({**item, "checked": True}))
    return folder


@pytest.fixture
def corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One small corpus in place of those of the project."""
    write_corpus(tmp_path, CORPUS, [record(number) for number in range(100, 140)])
    monkeypatch.setenv("WEBCONTENT_CORPORA", str(tmp_path))
    for module in (fusion, titles):
        monkeypatch.setattr(module, "WEIGHTS", {CORPUS: 1.0})
    monkeypatch.setattr(fusion, "EVALUATED_ONLY", ())


def record(number: int) -> dict[str, Any]:
    body = "\n".join(f"Story {number}, part {part}: {TEXT}" for part in range(3 + number % 3)) if number % 10 else ""
    html = story(number) if number % 10 else "<title>Shell</title><ul><li>News</li></ul>"
    site = f"site{number}.example"
    gold = {"title": f"Bridge {number}", "body": body}
    return {"id": str(number), "url": f"https://{site}/", "site": site, "lang": "en", "type": "article", "html": html, "gold": gold}


@pytest.mark.usefixtures("corpora")
def test_the_default_extractor_learns_from_them(own: Path, tmp_path: Path):
    """Only those that were checked, added to the corpora; the cache does not hide a correction."""
    arguments = ["--cache", str(tmp_path / "cache"), "--out", str(tmp_path / "fusion_own"), "--trees", "3", "3", "--data", str(own)]
    fusion.main(arguments)
    config = json.loads((tmp_path / "fusion_own" / "config.json").read_text())
    assert config["settings"]["weights"] == {CORPUS: 1.0, own.name: fusion.OWN_WEIGHT}
    assert {path.name for path in (tmp_path / "cache").glob("*/predictions/*")} == {f"{CORPUS}.jsonl", f"{own.name}.jsonl"}
    samples = read_corpus(str(own), tmp_path / "cache")
    assert len(samples) == 11
    (place, *_) = saved_pages(own)
    item = json.loads((place / "item.json").read_text())
    (place / "item.json").write_text(json.dumps({**item, "body": ["Another text"]}))
    again = read_corpus(str(own), tmp_path / "cache")
    assert [sample.match.labels.tolist() for sample in again] != [sample.match.labels.tolist() for sample in samples]


@pytest.mark.usefixtures("corpora")
def test_the_ranker_of_titles_learns_from_them(own: Path, tmp_path: Path):
    """Its card and config name the folder and its version."""
    titles.main(["--out", str(tmp_path / "titles_own"), "--folds", "2", "--data", str(own)])
    config = json.loads((tmp_path / "titles_own" / "config.json").read_text())
    assert set(config["data"]) == {CORPUS, own.name}
    assert config["metrics"][own.name]["pages"] == 11
    assert own.name in (tmp_path / "titles_own" / "CARD.md").read_text()


def test_the_page_type_models_learn_from_them(own: Path):
    """Screenshots, boxes and types of the pages that were checked; each site is a family."""
    run = Run(out=own, work=own, data=own)
    records = screen_records(run)
    samples = screen_samples(records)
    assert len(set(samples.column("site"))) == len(samples) == 11
    assert samples.labels.tolist() == [1] * 11
    assert all(one["shot"].is_file() for one in records)
    assert list(screen_checksums(run)) == ["own pages"]


@pytest.mark.process
def test_own_pages_alone_make_a_model(own: Path, tmp_path: Path):
    """Without any corpus: the command says what is missing and how many pages are sensible, and the model is used by its folder."""
    command = [
        sys.executable,
        "-m",
        "webcontent.training.fusion",
        "--data",
        str(own),
        "--cache",
        str(tmp_path / "cache"),
        "--trees",
        "3",
        "3",
    ]
    env = {**os.environ, "WEBCONTENT_CORPORA": str(tmp_path / "nowhere")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert f"not in {tmp_path / 'nowhere'}" in done.stdout
    assert "Own pages: 11 of 11 sites.\nAt least 300 pages of as many sites as possible are sensible" in done.stdout
    page = next(place for place in saved_pages(own)) / "page.html"
    read = scrapy("extract", str(page), "-s", "WEBCONTENT_MODELS=models", "-s", "WEBCONTENT_RENDER=False", cwd=tmp_path)
    assert json.loads(read.stdout)["type"] == "article", read.stderr


def test_a_title_ranker_of_own_pages_alone(own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WEBCONTENT_CORPORA", str(tmp_path / "nowhere"))
    titles.main(["--data", str(own), "--folds", "2"])
    assert (tmp_path / "models" / "titles_v1" / "model.onnx").is_file()


@pytest.mark.process
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            [],
            "has no wcxb-dev, zh-gold-dev, zh-silver, fundus-dev, l3s-gn1, cleaneval, dragnet-dev, zh-bylines. Name your own pages with --data DIR",
        ),
        (["--alone"], "--alone needs --data."),
        (["--data", "nowhere"], "No corpus 'nowhere'"),
        (["--data", "unchecked"], "has no page that was checked"),
        (["--data", "few"], "your pages are of 3 sites. Training on them alone needs pages of at least 5 sites."),
    ],
)
def test_what_can_not_be_trained_on_is_one_sentence(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
):
    """The exit code is 2, and there is no traceback."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WEBCONTENT_CORPORA", str(tmp_path / "corpora"))
    for name, is_checked in (("unchecked", False), ("few", True)):
        for number in range(3):
            page = Page(url=f"https://site{number}.org/1.html", html=story(number))
            place = PageArchive(tmp_path / name).save(page, as_json(extract(page.html, url=page.url)))
            item = json.loads((place / "item.json").read_text())
            (place / "item.json").write_text(json.dumps({**item, "checked": is_checked}))
    with pytest.raises(SystemExit) as stopped:
        fusion.main(arguments)
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.process
def test_a_missing_extra_is_named(tmp_path: Path):
    """Without a traceback: Python reports what the package says."""
    hidden = "import importlib.util as u\nfind = u.find_spec\nu.find_spec = lambda name, *rest: None if name == 'lightgbm' else find(name, *rest)\n"
    (tmp_path / "sitecustomize.py").write_text(hidden)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(CHECKOUT)])}
    command = [sys.executable, "-m", "webcontent.training.fusion"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=env)
    assert done.returncode == 1
    assert 'training needs lightgbm: pip install "webcontent[train]"' in done.stderr
    assert "Traceback" not in done.stderr
