"""Model cards: templates that are filled with the figures of a run, and the cards that ship."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("torch")

from webcontent.training import bpnn
from webcontent.training.bylines import trainer as bylines
from webcontent.training.common.cards import DataFacts, fill, settings_block, table
from webcontent.training.fusion import trainer as fusion
from webcontent.training.history import trainer as history
from webcontent.training.history.settings import Settings as HistorySettings
from webcontent.training.nemtf import trainer as nemtf
from webcontent.training.nemtf.settings import Settings as NemtfSettings
from webcontent.training.pagetype import card as pagetype
from webcontent.training.titles import trainer as titles
from webcontent.training.web2text import trainer as web2text
from webcontent.training.web2text.settings import SHIPPED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.training.common.trainer import Trainer

SECTIONS = [
    "Origin", "Use", "Input and output", "Data", "Split and selection", "Settings", "Metrics", "Calibration", "Known faults",
    "Tried without gain", "Cost", "Train again", "History",
]  # fmt: skip
MODELS = Path(bpnn.__file__).resolve().parents[2] / "models"
TRAINERS: list[type[Trainer]] = [
    bpnn.BpnnTrainer,
    bylines.BylineTrainer,
    fusion.FusionTrainer,
    history.HistoryTrainer,
    nemtf.NemtfTrainer,
    titles.TitleTrainer,
    web2text.Web2textTrainer,
]
TEMPLATES = {trainer.model: trainer.card for trainer in TRAINERS} | {
    f"pagetype_{path.stem}_v1": path for path in pagetype.CARDS.glob("*.md") if path.stem not in ("data", "split")
}
FACTS = DataFacts(pages=12, sites=5, languages=2, corpora={"tiny": "abc"})
GROUP = {"corpus": "tiny", "pages": "all", "count": 12, "f1": 0.9, "spread": 0.1, "good": 0.5, "score": 0.6}
RELIABILITY = [{"from": 0.9, "pages": 12, "score": 0.95, "good": 0.9}]
COST = {"megabytes": 0.5, "ms": 3.0, "rows": 300, "minutes": 2.0, "seconds": 9.0}


def config_of(model: str) -> dict[str, Any]:
    return json.loads((MODELS / model / "config.json").read_text(encoding="utf-8"))


def rendered() -> Iterator[tuple[str, str]]:
    """The names of all models and their cards, with the results that ship where config.json has them."""
    shipped = {trainer.model: config_of(trainer.model).get("metrics") for trainer in TRAINERS}
    figures = {
        bpnn.BpnnTrainer: (bpnn.Settings(), bpnn.card_figures(shipped["bpnn_v1"])),
        bylines.BylineTrainer: (bylines.Settings(), bylines.card_figures(shipped["bylines_v1"])),
        fusion.FusionTrainer: (
            fusion.Settings(),
            fusion.card_figures({"groups": [GROUP], "reliability": RELIABILITY}),
        ),
        history.HistoryTrainer: (HistorySettings(), history.card_figures(4, {"tiny": 9}, HistorySettings(), shipped["history_v1"])),
        nemtf.NemtfTrainer: (NemtfSettings(), nemtf.card_figures(99, NemtfSettings(), shipped["nemtf_v1"], "No experiments.")),
        titles.TitleTrainer: (titles.Settings(), titles.card_figures(shipped["titles_v1"])),
        web2text.Web2textTrainer: (
            SHIPPED,
            web2text.card_figures(FACTS, {"groups": [GROUP], "reliability": RELIABILITY}, ""),
        ),
    }
    for trainer, (settings, own) in figures.items():
        block = settings_block(settings.recorded())
        yield trainer.model, fill(trainer.card, name=trainer.model, facts=FACTS, settings=settings, settings_block=block, cost=COST, **own)
    for name in ("lenet5", "pixels", "layout", "dom", "resnet101", "efficientnet"):
        model = f"pagetype_{name}_v1"
        config = config_of(model if (MODELS / model).is_dir() else "pagetype_lenet5_v1")
        metrics = config["metrics"] | {"calibration": RELIABILITY}
        yield model, pagetype.model_card(name, model, FACTS, config["settings"], metrics, COST, losses={"fold 1": 0.5})
    config = config_of("pagetype_default_v1")
    by_parts = {name: own | {"calibration": RELIABILITY} for name, own in config["metrics"].items()}
    yield "pagetype_default_v1", pagetype.default_card(FACTS, config["settings"], by_parts, config["combinations"], COST)


def titles_of(text: str) -> list[str]:
    return re.findall(r"^## (.*)$", text, re.MULTILINE)


def plain(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture
def template(tmp_path: Path) -> Path:
    return tmp_path / "card.md"


def test_every_template_has_its_figures() -> None:
    """All placeholders are filled, none is left, and the sections come in one order."""
    cards = dict(rendered())
    assert cards.keys() == TEMPLATES.keys()
    for name, text in cards.items():
        assert text.startswith(f"# {name}\n")
        assert not re.search(r"\{[a-z]", text), name
        assert titles_of(text)[: len(SECTIONS)] == [title for title in SECTIONS if title in text]


def test_a_placeholder_without_a_figure_is_an_error(template: Path) -> None:
    template.write_text("{pages} pages of {sites} sites.")
    assert fill(template, pages=1, sites=2) == "1 pages of 2 sites.\n"
    with pytest.raises(KeyError, match="sites"):
        fill(template, pages=1)


def test_a_part_without_content_is_left_out(template: Path) -> None:
    """A figure may be several paragraphs, or none."""
    template.write_text("# a\n\n{none}\n\n{two}\n")
    assert fill(template, none="", two="b\n\nc") == "# a\n\nb\n\nc\n"


def test_tables_round_and_mark_what_is_missing() -> None:
    """Three digits; "-" where there is no value."""
    assert table(["a", "b"], [["x", 0.12345], ["y", np.nan]]) == "| a | b |\n|---|---|\n| x | 0.123 |\n| y | - |"


@pytest.mark.parametrize("folder", sorted(MODELS.iterdir()), ids=lambda folder: folder.name)
def test_a_shipped_card_has_the_shape_and_the_prose_of_its_template(folder: Path) -> None:
    """The sections in order; what does not depend on a run, word for word."""
    text = (folder / "CARD.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {folder.name}\n")
    shown = titles_of(text)
    assert shown[: len(SECTIONS)] == [name for name in SECTIONS if name in shown]
    assert set(SECTIONS) - set(shown) <= {"Tried without gain"}
    parts = TEMPLATES[folder.name].read_text(encoding="utf-8").split("\n\n")
    assert [part for part in parts if "{" not in part and plain(part) not in plain(text)] == []
