"""Model cards: one shape for all, and the cards that ship."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from webcontent.training import bpnn
from webcontent.training.bylines import card as bylines
from webcontent.training.common.cards import WIDTH, Card, bullets, table, wrapped
from webcontent.training.fusion import card as fusion
from webcontent.training.history import card as history
from webcontent.training.nemtf import card as nemtf
from webcontent.training.pagetype import card as pagetype
from webcontent.training.titles import card as titles
from webcontent.training.web2text import card as web2text

SECTIONS = [
    "Origin", "Use", "Input and output", "Data", "Split and selection", "Settings", "Metrics", "Calibration", "Known faults",
    "Tried without gain", "Cost", "Train again", "History",
]  # fmt: skip
MODELS = Path(bpnn.__file__).resolve().parents[2] / "models"
TEXTS = {
    "fusion_v1": [fusion.USE, bullets(fusion.KNOWN_FAULTS), bullets(fusion.TRIED), fusion.LOOKED_AT, bullets(fusion.CLASSES)],
    "web2text_v1": [web2text.USE, web2text.LABELS, web2text.CLEANEVAL_NOTE, bullets(web2text.KNOWN_FAULTS), bullets(web2text.TRIED)],
    "nemtf_v1": [nemtf.USE, bullets(nemtf.KNOWN_FAULTS), nemtf.PAPER],
    "bylines_v1": [bylines.USE, bullets(bylines.KNOWN_FAULTS), bullets(bylines.TRIED)],
    "titles_v1": [titles.USE, bullets(titles.KNOWN_FAULTS), bullets([titles.SECOND_EDITION.format(models=2)])],
    "history_v1": [history.ORIGIN, history.USE, bullets(history.KNOWN_FAULTS), bullets(history.TRIED)],
    "pagetype_default_v1": [pagetype.DEFAULT_ORIGIN, pagetype.DEFAULT_USE, pagetype.DATA, bullets(pagetype.DEFAULT_HISTORY)],
    **{
        f"pagetype_{name}_v1": [about.summary, about.origin, about.use_for, about.interface, bullets(about.known_faults), about.notes]
        for name, about in pagetype.ABOUT.items()
    },
}
"""What the generators write whatever the run."""


def make_card(**changes) -> Card:
    texts = dict.fromkeys(
        ("summary", "origin", "use_for", "interface", "data", "split", "metrics", "calibration", "cost", "train_again"), "A text."
    )
    return Card(**{"name": "small_v1", "settings": {"seed": 1}, "known_faults": ["One."], **texts, **changes})


def titles_of(text: str) -> list[str]:
    return re.findall(r"^## (.*)$", text, re.MULTILINE)


def test_a_card_has_its_sections_in_one_order():
    """The name comes first, further sections last."""
    text = make_card(tried=["Less."], appendix={"Features": "Some."}).markdown()
    assert text.startswith("# small_v1\n\nA text.\n\n## Origin\n\nA text.\n")
    assert titles_of(text) == [*SECTIONS, "Features"]


def test_a_section_without_content_is_left_out():
    """No heading without a text below it."""
    assert titles_of(make_card(settings={}).markdown()) == [name for name in SECTIONS if name not in ("Settings", "Tried without gain")]


def test_prose_is_wrapped_and_the_rest_keeps_its_lines():
    """Tables and images are not changed; code spans are not broken."""
    code = "`python -m webcontent.training.fusion --cache cache --out models/fusion_v1`"
    long_row = f"| {'cell ' * 40}|"
    text = wrapped(f"{'word ' * 20}{code} {'word ' * 20}\n\n{long_row}\n\n![image](image.png)")
    assert max(len(line) for line in text.splitlines() if not line.startswith("|")) <= WIDTH
    assert code in text
    assert long_row in text
    assert text.endswith("\n\n![image](image.png)")


def test_items_of_a_list_are_indented():
    """So that they stay one item."""
    first, second = bullets([f"{'word ' * 40}"]).splitlines()
    assert (first[:7], second[:6]) == ("- word ", "  word")


def test_tables_round_and_mark_what_is_missing():
    """Three digits; "-" where there is no value."""
    assert table(["a", "b"], [["x", 0.12345], ["y", np.nan]]) == "| a | b |\n|---|---|\n| x | 0.123 |\n| y | - |"


@pytest.mark.parametrize("folder", sorted(MODELS.iterdir()), ids=lambda folder: folder.name)
def test_a_shipped_card_has_the_shape_and_the_prose_of_its_generator(folder: Path):
    """The sections in order; what does not depend on a run, word for word."""
    text = (folder / "CARD.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {folder.name}\n")
    shown = titles_of(text)
    assert shown[: len(SECTIONS)] == [name for name in SECTIONS if name in shown]
    assert set(SECTIONS) - set(shown) <= {"Tried without gain"}
    joined = " ".join(text.split())
    for part in TEXTS.get(folder.name, ()):
        assert " ".join(part.split()) in joined
