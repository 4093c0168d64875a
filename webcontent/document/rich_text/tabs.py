"""Tabs of code: the label of each panel, which the page shows apart from it."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from webcontent.document.rich_text.class_names import Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml.html import HtmlElement

MAX_CLIMB = 5
"""Elements around code among which its panel is looked for."""
MAX_LABEL_CHARS = 40
MAX_BEFORE = 10
"""Elements before the parent of panels among which their labels are looked for."""
_PANEL = Role("tab_panel")
_LABELS = "descendant-or-self::*[@role='tab' or self::label or contains(@class, 'tab-label') or contains(@class, 'nav-link')]"


def labelled_panels(codes: Iterable[HtmlElement]) -> Iterator[tuple[HtmlElement, HtmlElement, str]]:
    """Panel, element of its label, and label, for the panels of tabs in which code stands."""
    groups: dict[HtmlElement, list[HtmlElement]] = {}
    for code in codes:
        panel = next(filter(_is_panel, islice(code.iterancestors(), MAX_CLIMB)), None)
        parent = panel.getparent() if panel is not None else None
        if parent is not None and parent not in groups:
            groups[parent] = [child for child in parent if isinstance(child.tag, str) and _is_panel(child)]
    for parent, panels in groups.items():
        labels = _labels_before(parent, len(panels))
        for panel, label in zip(panels, labels, strict=False):
            yield panel, label, " ".join("".join(label.itertext()).split())


def _is_panel(node: HtmlElement) -> bool:
    return node.get("role") == "tabpanel" or _PANEL.is_of(node)


def _labels_before(parent: HtmlElement, count: int) -> list[HtmlElement]:
    """The labels of `count` panels: in a sibling of the first panel, or in one before their parent."""
    siblings = [child for child in parent if isinstance(child.tag, str) and not _is_panel(child)]
    siblings += islice(parent.itersiblings(preceding=True), MAX_BEFORE)
    for sibling in siblings:
        labels = [node for node in sibling.xpath(_LABELS) if 0 < len("".join(node.itertext()).strip()) <= MAX_LABEL_CHARS]
        if len(labels) == count:
            return labels
    return []
