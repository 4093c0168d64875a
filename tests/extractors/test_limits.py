"""What extractors take for text, copies, fields and parts: a size that they do, beside one that they do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest.mock import MagicMock, Mock

import numpy as np
import pytest

from tests.extractors.test_nemtf import extraction_of
from webcontent.document.boxes import box_columns
from webcontent.document.parsing import Document
from webcontent.extraction import PageContext
from webcontent.extractors import fusion
from webcontent.extractors.decoding import without_copies
from webcontent.extractors.fusion import Fusion
from webcontent.extractors.nemtf.features import TITLE
from webcontent.extractors.ngfv import extractor as ngfv
from webcontent.extractors.ngfv.positions import Alignment
from webcontent.extractors.ngfv.vips import CUES, Structure, cues
from webcontent.extractors.ngfv.visual_layout import Layout
from webcontent.items import Page

if TYPE_CHECKING:
    from collections.abc import Callable


# ------------------------------------------------------------------------------------------- fusion
def is_copy(probability: float) -> bool:
    """Whether a text is left out that repeats a likelier one in other markup."""
    return bool(without_copies(np.array([0.9, probability]), ["a", "a"], np.array([9, 9]), np.array([0, 1]))[1] == 0)


def fused(html: str, model: Any = None, **parts: Any) -> Any:
    """The extraction of a page, with other functions in place of these."""
    with pytest.MonkeyPatch.context() as patch:
        for name, part in parts.items():
            patch.setattr(fusion, name, part)
        return Fusion()(Document.from_page(Page(html=html)), PageContext(models=MagicMock(), host=Mock()))


def has_text(empty: float) -> bool:
    """Whether a page has text that has none with this probability."""
    model = {"block_probabilities": lambda *_: np.array([0.9]), "with_history": lambda host, document, alone, *_: alone}
    return bool(fused("<p>one two", calibrated_probability=lambda *_: empty, **model).body)


def is_trusted(words: int) -> bool:
    """Whether the history of a host may leave so many of 100 words."""
    html = f"<p>{'a ' * words}</p><p>{'b ' * (100 - words)}</p>"
    model = {"block_probabilities": lambda *_: np.array([0.99, 0.99]), "with_history": lambda *_: np.array([0.99, 0.001])}
    return "b" not in fused(html, calibrated_probability=lambda *_: 0.1, **model).body


def is_read(blocks: int) -> bool:
    """Whether the model reads a page of so many blocks."""
    model = Mock(return_value=np.array([0.9]))
    fused(
        "<p>one",
        FeatureContext=lambda document: Mock(count=blocks),
        block_probabilities=model,
        with_history=lambda host, document, alone, *_: alone,
        _choose=Mock(),
        _running_text=Mock(),
    )
    return model.called


# ------------------------------------------------------------------------------------------- nemtf
def titles(lines: int, chars: int = 20) -> int:
    """How many candidates there are where so many lines are titles."""
    html = "".join(f"<p>{'t' * chars}{line}" for line in range(lines))
    return len(extraction_of(html, dict.fromkeys(range(lines), TITLE)).fields.get("title", ()))


# ------------------------------------------------------------------------------------------- ngfv
def layout(*boxes: tuple[str, float, float], weight: int = 400) -> Layout:
    """Boxes of 100 px, by path, top and height."""
    rows = [
        [path, path.rpartition("/")[2].partition("[")[0], 0, y, 100, h, 16, weight, "#000000", "#ffffff", 5, 5, 0, 0, 0]
        for path, y, h in boxes
    ]
    return Layout(box_columns(rows))


def cue(name: str, *boxes: tuple[str, float, float]) -> float:
    return float(cues(Structure(layout(*boxes)))[:, list(CUES).index(name)].max())


def screens(height: float) -> float:
    return cue("screens", ("/html/body/p[1]", 0, height / 2), ("/html/body/p[2]", height / 2, height / 2))


def depth(levels: int) -> float:
    return cue("depth", *((f"/html/body{'/div' * level}/p", level * 10, 10) for level in range(levels + 1)))


def is_parted(overlap: float) -> bool:
    """Whether there is a separator between two boxes that overlap so far, one of them wider."""
    return (
        len(
            Structure(layout(("/html/body/p[1]", 0, 100), ("/html/body/p[2]", 100 - overlap, 100)))._separators([3, 4], is_horizontal=True)[
                1
            ]
        )
        > 0
    )


def is_cut(cuts: int) -> bool:
    """Whether two boxes are parted behind so many cuts of one element."""
    return Structure(layout(("/html/body/p[1]", 0, 100), ("/html/body/p[2]", 190, 100)))._cut([3, 4], cuts)[0] != 0


def is_useful(position: int, count: int = 6, same: float = 0.0) -> bool:
    """Whether a page of 99 positions tells noise where so many positions have that place on it."""
    alignment = Alignment(Mock(), range(99), np.full(count, position))  # type: ignore[arg-type]
    alignment.__dict__["same_share"] = same
    return alignment.is_useful


def is_link_list(links: int = 9, share: int = 99) -> bool:
    tree = Mock(links=[links], link_text=[share], text=[100], children=[[1]])
    return ngfv.is_link_list(tree, 0)


def compared(pages: int) -> int:
    """The number of reference pages that are used of so many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ngfv, "align", lambda tree, other: Mock(is_useful=True))
        return len(ngfv.useful_alignments(Mock(), [Mock()] * pages))


def is_content(diversity: float = 1.0, changing: float = 100.0) -> bool:
    return ngfv.diverse_block(np.array([0, diversity]), ngfv.Ngfv().eta, np.array([100, changing])) == 1


LIMITS: dict[str, tuple[Callable[[int], object], int, int] | tuple[Callable[[float], object], float, float]] = {
    "probability of a copy": (is_copy, 0.74, 0.76),
    "least probability of a copy": (is_copy, 0.011, 0.0099),
    "probability of no text": (has_text, 0.49, 0.51),
    "words that a history leaves": (is_trusted, 21, 19),
    "blocks of a page": (is_read, 15_000, 15_001),
    "candidates of a field": (lambda n: titles(n) == n, 3, 4),
    "characters of a field": (lambda n: titles(1, n - 1), 300, 301),
    "px that count as screens": (lambda n: screens(n + 10) > screens(n), 3590, 3600),
    "levels that count": (lambda n: depth(n + 1) > depth(n), 11, 12),
    "px2 of one step": (lambda n: cue("log_area", ("/html/body/p", 0, n / 100)) > 0.693, 1000, 990),
    "weight of bold text": (lambda n: layout(("/html/body/p", 0, 9), weight=n).fonts[-1][1], 600, 599),
    "steps of a path": (lambda n: len(layout(("/div" * n, 0, 9)).xpaths) == n + 1, 120, 121),
    "px of an overlap": (is_parted, 1, 1.5),
    "cuts of an element": (is_cut, 31, 32),
    "positions at the top": (is_useful, 30, 31),
    "positions that fit": (lambda n: is_useful(1, n), 6, 5),
    "text that is the same": (lambda n: is_useful(1, same=n), 0.94, 0.96),
    "links of a list": (lambda n: is_link_list(links=n), 3, 2),
    "linked text of a list": (lambda n: is_link_list(share=n), 61, 59),
    "pages that are compared": (lambda n: compared(n) == n, 3, 4),
    "diversity of content": (is_content, 0.061, 0.059),
    "share of the changing text": (lambda n: is_content(changing=n), 71, 69),
}  # fmt: skip
"""What -> whether it is so, a size at which it is, and the next one at which it is not."""


@pytest.mark.parametrize("name", LIMITS)
def test_extractors_have_their_limits(name: str):
    holds, size, beyond = LIMITS[name]
    assert (bool(holds(size)), bool(holds(beyond))) == (True, False)
