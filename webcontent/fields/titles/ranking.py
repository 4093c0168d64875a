"""The best title first, and where it stands: the heading that a declared title agrees with, else the candidates ranked by `titles_v1`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES
from webcontent.fields.page_signals import plain
from webcontent.fields.titles.candidates import title_groups
from webcontent.fields.titles.features import title_features
from webcontent.items import Candidate
from webcontent.models import SHIPPED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles.candidates import TitleGroup
    from webcontent.models import ModelRegistry

MODEL = "titles_v1"
MIN_SHARED_CHARS = 6
"""A heading with fewer letters and digits is not taken for a part of the title."""

MAX_LINE_CHARS = 200
"""A longer block is no byline and no date line."""

BEFORE, BEHIND = 15, 30
"""Blocks of the window before and behind the origin."""

_FRAME = frozenset((TAG_CODES["aside"], TAG_CODES["nav"]))


@dataclass(slots=True, frozen=True)
class TitleAnchor:
    """The place of the title, and what is measured from it."""

    signals: PageSignals
    block: int | None = None
    """Block of the title; None where the page does not show it."""
    key: str | None = None
    """Plain form of the title; None where there is none."""

    @property
    def origin(self) -> int:
        """The block from which distances are counted: the title's, without one the first one of the body, else of the page."""
        return self.block if self.block is not None else self.signals.body[0] if self.signals.body else 0

    def lines(self) -> Iterator[tuple[int, str]]:
        """Short visible blocks around the origin, among which lines about the article stand, with their numbers."""
        texts, hidden = self.signals.blocks.texts, self.signals.blocks.hidden
        for block in range(max(0, self.origin - BEFORE), min(len(texts), self.origin + BEHIND)):
            if len(texts[block]) <= MAX_LINE_CHARS and not hidden[block]:
                yield block, texts[block]

    def distance(self, block: int) -> int:
        """Blocks from the origin to a block, negative before it."""
        return block - self.origin


def find_titles(signals: PageSignals, models: ModelRegistry = SHIPPED) -> tuple[list[Candidate], TitleAnchor]:
    """All candidates, best first, and the place of the best one on the page.

    `Candidate.score` is the model's probability that the candidate is the title; 1 for one that is chosen without the model, and 0 for
    the others then.
    """
    groups = title_groups(signals)
    agreed = agreed_group(groups)
    if agreed is None:
        groups = _without_sections(signals, _without_frame(signals, groups))
    if not groups:
        return [], TitleAnchor(signals)
    scores = _scores(signals, groups, models) if agreed is None else [float(group is agreed) for group in groups]
    scored = list(zip(scores, groups, strict=True))
    possible = [pair for pair in scored if not _is_first_sentence(signals, pair[1])]
    ranked = sorted(possible or scored, key=lambda pair: -pair[0])
    best = ranked[0][1]
    candidates = [Candidate(group.text, *_place_of(group), round(score, 4)) for score, group in ranked]
    return candidates, TitleAnchor(signals, _block_of(signals, best), plain(best.text))


def agreed_group(groups: list[TitleGroup]) -> TitleGroup | None:
    """The heading of the first level, else of the second, that og:title or the headline of JSON-LD is the same as."""
    declared = [group for group in groups if not group.origins.keys().isdisjoint(("og:title", "json-ld:headline"))]
    return next((group for level in ("h1", "h2") for group in declared if level in group.origins), None)


def _without_frame(signals: PageSignals, groups: list[TitleGroup]) -> list[TitleGroup]:
    """The candidates without the first-level headings of sidebars and menus that nothing declares, where the page has others too."""
    h1s = [group for group in groups if "h1" in group.origins]
    framed = [group for group in h1s if _is_framed(signals, group) and ":" not in "".join(group.origins)]
    return [group for group in groups if group not in framed] if len(framed) < len(h1s) else groups


def _without_sections(signals: PageSignals, groups: list[TitleGroup]) -> list[TitleGroup]:
    """The candidates without headings of sections that nothing declares, where the page declares a title and has no first-level heading."""
    blocks, declared = signals.blocks, [group for group in groups if any(":" in origin or "title" in origin for origin in group.origins)]
    if not declared or any(heading.level == 1 for heading in signals.headings):
        return groups
    sections = Counter(int(blocks.elements.parent[blocks.element[heading.block]]) for heading in signals.headings if heading.level == 2)

    def is_section(group: TitleGroup) -> bool:
        holder = -1 if group.block is None else int(blocks.elements.parent[blocks.element[group.block]])
        return group not in declared and "h2" in group.origins and sections[holder] > 1

    return [group for group in groups if not is_section(group)]


def _is_framed(signals: PageSignals, group: TitleGroup) -> bool:
    """Whether a candidate stands in a sidebar or a menu."""
    row = -1 if group.block is None else int(signals.blocks.element[group.block])
    return any(int(signals.blocks.elements.tag[above]) in _FRAME for above in signals.ancestors(row))


def _is_first_sentence(signals: PageSignals, group: TitleGroup) -> bool:
    """Whether a candidate is the first paragraph of the running text and nothing else."""
    is_in_text = signals.running is not None and group.block is not None and group.block >= signals.running[0]
    return is_in_text and group.origins.keys() == {"line"} and group.text.endswith((".", "。"))


def _scores(signals: PageSignals, groups: list[TitleGroup], models: ModelRegistry) -> list[float]:
    """Probability of each candidate to be the title."""
    model = models.load(MODEL)
    rows = [[features[name] for name in model.config["features"]] for features in title_features(signals, groups)]
    scores: list[float] = model.run(features=np.array(rows, np.float32))[0][:, 0].tolist()
    return scores


def _place_of(group: TitleGroup) -> tuple[str, str | None]:
    """Origin and xpath of a candidate: where the reader sees it, else the first place that declares it."""
    return next(((origin, xpath) for origin, xpath in group.origins.items() if xpath), next(iter(group.origins.items())))


def _block_of(signals: PageSignals, best: TitleGroup) -> int | None:
    """Where the title stands on the page: its own heading or line, else the first heading that shares its text."""
    if best.block is not None:
        return best.block
    key = plain(best.text)
    for heading in signals.headings:
        other = plain(heading.text)
        if len(other) >= MIN_SHARED_CHARS and (other in key or key in other):
            return heading.block
    return None
