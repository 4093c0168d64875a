"""Document -> Blocks: one walk over the tree; a block is a run of text between two block boundaries.

A block ends at block-level tags and at <br>. Hidden and <noscript> text stays, with a flag, because some forums put their posts into
<noscript> and some shops their products into hidden tabs. Scripts, styles, SVG, frames and <head> are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from lxml import etree

from webcontent.document.characters import character_classes, count_words
from webcontent.document.unseen import is_unseen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from lxml.html import HtmlElement
    from numpy.typing import NDArray

T = TypeVar("T")

MAX_ELEMENTS = 100_000
"""Elements of a page that are walked; the rest is cut and the item flagged `truncated`."""

MAX_NAME_CHARACTERS = 500
"""Characters of a class or id attribute. Patterns take time that grows with the square of a hostile one."""

TAGS = tuple(
    "? a abbr address article aside b blockquote body br button caption center cite code dd del details dialog div dl dt em "
    "fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 header hr html i iframe img input ins label legend li main mark "
    "menu nav noscript ol option p picture pre q s section select small source span strong sub summary sup table tbody td template "
    "textarea tfoot th thead time tr u ul video".split()
)
"""Names of the tag codes, in the order of the codes; code 0 stands for all others."""
TAG_CODES = {name: code for code, name in enumerate(TAGS)}

_MATHML = (
    "math semantics mrow mi mo mn ms mtext mspace mfrac msqrt mroot mstyle msup msub msubsup mover munder munderover mfenced mpadded "
    "menclose mtable mtr mlabeledtr mtd merror mphantom maction mmultiscripts mprescripts none"
)
_DRAWN = (
    "container texatom script frac num den nstrut dstrut dbox dtable row line sqrt surd box c over under base spacer assistive-mml table "
    "itable tr cell root index labels"
)
"""What MathJax draws formulas with, besides elements like those of MathML."""
INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rb rp rt ruby s samp small span "
    "strike strong sub sup time tt u var wbr img picture source input map area math-renderer tex-math d-math d-cite d-footnote".split()
    + _MATHML.split()
    + [f"mjx-{name}" for name in f"{_MATHML} {_DRAWN}".split()]
)
SKIPPED = frozenset(
    "script style svg head iframe frame frameset noframes noembed object embed applet canvas audio video datalist annotation "
    "annotation-xml".split()
)
PLACED = frozenset("iframe video audio object embed".split())
"""Elements without text of their own whose place in the text is kept; so is that of scripts of formulas (type math/tex)."""
PREFORMATTED = frozenset(("pre", "xmp", "plaintext", "listing", "textarea"))
_METADATA = SKIPPED | set("title meta link base noscript template basefont bgsound".split())
_LINK, _HIDDEN, _NOSCRIPT, _PREFORMATTED, _BLOCK, _SPECIAL = (1 << bit for bit in range(6))
_PASSED_ON = _LINK | _HIDDEN | _NOSCRIPT | _PREFORMATTED
"""The traits of an element that its descendants have, too: flags of their text."""
_TRAITS = (
    dict.fromkeys({*TAGS} - {"button", "?"}, _BLOCK)
    | dict.fromkeys(INLINE, 0)
    | {"a": _LINK, "noscript": _NOSCRIPT | _BLOCK, "template": _HIDDEN | _BLOCK}
    | dict.fromkeys(PREFORMATTED, _PREFORMATTED | _BLOCK)
    | {name: (0 if name in INLINE else _BLOCK) | _SPECIAL for name in (*SKIPPED, "title")}
)
"""What the walk has to know of a tag; others are at block level, unless they stand amid words."""
_OF_WORDS = frozenset(("p", "h1", "h2", "h3", "h4", "h5", "h6"))
_SKIPPED_ROW = -2
"""Stands among the open rows for an element that has no row."""

_REMOVING_STYLE = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_HIDING_ATTRIBUTES = frozenset(("style", "hidden", "aria-hidden", "popover"))
_HIDING_STYLE = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)


@dataclass(slots=True, frozen=True, eq=False)
class Elements:
    """All elements that were walked, in document order; m rows."""

    nodes: list[HtmlElement]
    classes: list[str]
    """The class attribute as written, "" where there is none."""
    ids: list[str]
    parent: NDArray[np.int32]
    """Row of the parent, -1 at the root."""
    depth: NDArray[np.int32]
    tag: NDArray[np.int16]
    """Code: index into TAGS."""
    start: NDArray[np.int32]
    """The subtree of an element covers the blocks [start, end), so sums over subtrees are differences of cumulative sums."""
    end: NDArray[np.int32]
    last: NDArray[np.int32]
    """The last row of the subtree of an element, its own where it has no children: the rows of a subtree are adjacent."""
    piece: NDArray[np.int32]
    piece_end: NDArray[np.int32]
    """The text of an element is made of the pieces [piece, piece_end). Unlike blocks, they are exact for inline elements too."""

    def __len__(self) -> int:
        return len(self.nodes)

    def xpaths(self) -> list[str]:
        """`xpath_of` each element, in linear time."""
        names = [str(node.tag) for node in self.nodes]
        codes = number_all(list(zip(self.parent.tolist(), names, strict=True)))[1]
        numbers, totals = (count_ranks(codes) + 1).tolist(), np.bincount(codes)[codes].tolist() if names else []
        paths: list[str] = []
        for row, (name, parent) in enumerate(zip(names, self.parent.tolist(), strict=True)):
            step = f"{name}[{numbers[row]}]" if totals[row] > 1 else name
            paths.append(f"{paths[parent]}/{step}" if parent >= 0 else xpath_of(self.nodes[row]))
        return paths

    def around(self, row: int) -> Iterator[int]:
        """Rows of the elements around one, the innermost first."""
        while (row := int(self.parent[row])) >= 0:
            yield row


@dataclass(frozen=True, eq=False)
class Blocks:
    """All blocks of a document, in order; n = len(blocks)."""

    texts: list[str]
    """White space collapsed, except in preformatted blocks; never empty."""
    element: NDArray[np.int32]
    """Row in `elements` of the innermost block-level element that holds the text."""
    link_texts: list[str]
    """The part of each text that is inside links."""
    hidden: NDArray[np.bool_]
    noscript: NDArray[np.bool_]
    preformatted: NDArray[np.bool_]
    elements: Elements
    pieces: list[tuple[str, int]]
    """The text nodes that the blocks are made of, as (text, row of the element that directly holds it)."""
    piece_start: NDArray[np.int32]
    """Block i is made of the pieces [piece_start[i], piece_start[i + 1]); n + 1 numbers."""
    placed: list[tuple[HtmlElement, int, int]]
    """Players and scripts of formulas, which have no text, as (element, row of its parent, number of pieces before it)."""
    unseen: list[int]
    """Rows of the elements that nobody sees (`document.unseen`)."""
    hiding: list[int]
    """Rows of the elements whose attributes may hide them: style, hidden, aria-hidden, popover."""
    is_cut: bool = False
    """Whether the page has more than MAX_ELEMENTS elements, of which the last were left out."""

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def chars(self) -> NDArray[np.int32]:
        """Characters of each block."""
        return np.fromiter(map(len, self.texts), np.int32, len(self.texts))

    @cached_property
    def character_classes(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """`character_classes` of all texts."""
        return character_classes(self.texts)

    @cached_property
    def words(self) -> NDArray[np.int32]:
        """Words of each block; in Chinese, Japanese and Korean each character is one."""
        return count_words(*self.character_classes)

    @cached_property
    def link_chars(self) -> NDArray[np.int32]:
        return np.fromiter(map(len, self.link_texts), np.int32, len(self.texts))

    @cached_property
    def link_words(self) -> NDArray[np.int32]:
        return count_words(*character_classes(self.link_texts))

    @cached_property
    def tag(self) -> NDArray[np.int16]:
        """Tag code of each block's element."""
        return self.elements.tag[self.element] if len(self) else np.zeros(0, np.int16)

    @cached_property
    def steps(self) -> list[tuple[NDArray[np.intp], NDArray[np.int32]]]:
        """Elements of each depth below the root with their parents, as rows: for values that are passed down or up the tree."""
        order = np.argsort(self.elements.depth, kind="stable")
        cuts = np.cumsum(np.bincount(self.elements.depth))
        levels = np.split(order, cuts[:-1])[1:]
        return [(rows, self.elements.parent[rows]) for rows in levels]

    @cached_property
    def class_codes(self) -> tuple[list[str], NDArray[np.int64]]:
        """The different class attributes of the page, and for each element the number of its own."""
        return number_all(self.elements.classes)

    @cached_property
    def row_of(self) -> dict[HtmlElement, int]:
        """Row in the table of elements of each element that was walked."""
        return {node: row for row, node in enumerate(self.elements.nodes)}

    @cached_property
    def addresses(self) -> dict[int, str]:
        """The address of each link as written, by the row of its element."""
        nodes = self.elements.nodes
        return {row: nodes[row].get("href") or "" for row in np.flatnonzero(self.elements.tag == TAG_CODES["a"]).tolist()}

    def rows_named(self, names: AbstractSet[str]) -> list[int]:
        """Rows of the elements with text that have one of the classes (".name") or ids ("#name"), without headings of the first level.

        Pages draw the words of such a heading as an image.
        """
        elements = self.elements
        asked, asked_ids = ({name[1:] for name in names if name[0] == sign} for sign in ".#")
        classes = [number for number, own in enumerate(self.class_codes[0]) if not asked.isdisjoint(own.split())]
        rows = np.flatnonzero(np.isin(self.class_codes[1], classes)).tolist() if classes else []
        rows += [row for row, own in enumerate(elements.ids) if own in asked_ids] if asked_ids else []
        return [row for row in rows if elements.nodes[row].tag != "h1" and elements.piece_end[row] > elements.piece[row]]

    def xpath(self, block: int) -> str:
        """Path of a block's element."""
        return xpath_of(self.elements.nodes[int(self.element[block])])

    @cached_property
    def xpaths(self) -> list[str]:
        """`xpath` of all blocks."""
        paths = self.elements.xpaths()
        return [paths[row] for row in self.element.tolist()]

    def subtree_sums(self, column: NDArray[Any]) -> NDArray[np.float64]:
        """For each element the sum of a column (one number a block) over its subtree: float64[m]."""
        sums = np.concatenate(([0.0], np.cumsum(column, dtype=np.float64)))
        result: NDArray[np.float64] = sums[self.elements.end] - sums[self.elements.start]
        return result


def are_tags(names: str) -> NDArray[np.bool_]:
    """Tag code -> whether it is that of one of the names, which blanks divide: an index by a column of codes is faster than `np.isin`.

    >>> bool(are_tags("p ul")[TAG_CODES["ul"]]), int(are_tags("p ul").sum())
    (True, 2)
    """
    table = np.zeros(len(TAGS), np.bool_)
    table[[TAG_CODES[name] for name in names.split()]] = True
    return table


def number_all(values: Sequence[T]) -> tuple[list[T], NDArray[np.int64]]:
    """The different values, in the order of their first occurrence, and for each place the number of its value.

    >>> number_all("abac")
    (['a', 'b', 'c'], array([0, 1, 0, 2]))
    """
    codes = {value: code for code, value in enumerate(dict.fromkeys(values))}
    return list(codes), np.fromiter(map(codes.__getitem__, values), np.int64, len(values))


def count_ranks(codes: NDArray[Any]) -> NDArray[np.int64]:
    """For each code how many equal ones precede it.

    >>> count_ranks(np.array([7, 5, 7, 7])).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    places = np.arange(len(codes))
    firsts = np.where(np.append(True, ordered[1:] != ordered[:-1])[: len(codes)], places, 0)
    ranks = np.empty(len(codes), np.int64)
    ranks[order] = places - np.maximum.accumulate(firsts)
    return ranks


def xpath_of(node: HtmlElement) -> str:
    """The element's path as a browser would give it: /html/body/div[2]/p."""
    path: str = node.getroottree().getpath(node)
    return path


def walk(root: HtmlElement) -> Blocks:
    """The blocks of a tree. Flat lists, as a tenth of the time of an extraction is spent here."""
    nodes: list[HtmlElement] = []
    names: list[str] = []  # class and id of each element, by turns
    numbers: list[int] = []  # parent, tag, first block, first piece and flags (those of the ancestors included) of each element
    last: list[int] = []  # the last row of the subtree of each element
    pieces: list[tuple[str, int]] = []
    runs: list[tuple[int, int, int]] = []  # of each block the end of its pieces, its element, and the flags of the elements around its end
    placed, hiding, open_rows, holders = [], [], [-1], [0]  # rows of the open elements, and of those at block level
    count = run = piece = flags = 0  # elements, first piece of the run that is being read, pieces
    for event, node in (events := etree.iterwalk(root, events=("start", "end"))):
        if event == "start":
            name: Any = node.tag
            traits = _TRAITS[name] if name in _TRAITS else _BLOCK * (not _is_in_words(node, nodes and nodes[holders[-1]].tag))
            if (traits & _SPECIAL and _is_skipped(node)) or count >= MAX_ELEMENTS:
                if name in PLACED or (name == "script" and (node.get("type") or "").startswith("math/")):
                    placed.append((node, open_rows[-1], piece))
                events.skip_subtree()
                open_rows.append(_SKIPPED_ROW)
                continue
            if traits & _BLOCK:
                if piece != run:
                    piece = run = _end_run(runs, pieces, holders[-1], flags)
                holders.append(count)
            flags |= traits & _PASSED_ON
            keys = node.keys()  # most elements lack most attributes: one call tells
            if keys and not _HIDING_ATTRIBUTES.isdisjoint(keys):
                hiding.append(count)
                flags |= _hides(node)
            nodes.append(node)
            names.extend((node.get("class", "") if "class" in keys else "", node.get("id", "") if "id" in keys else ""))
            numbers.extend((open_rows[-1], TAG_CODES.get(name, 0), len(runs), piece, flags))
            last.append(count)
            open_rows.append(count)
            text, row, count = node.text, count, count + 1
        else:
            row = open_rows.pop()
            if row >= 0:
                if holders[-1] == row:
                    if piece != run:
                        piece = run = _end_run(runs, pieces, row, flags)
                    holders.pop()
                last[row] = count - 1
            text, row = node.tail, open_rows[-1]
            flags = numbers[5 * row + 4] if row >= 0 else 0
        if text and row >= 0 and (piece > run or flags & _PREFORMATTED or not text.isspace()):  # a run begins with text
            pieces.append((text, row))
            piece += 1
    return _blocks(nodes, names, numbers, last, pieces, runs, placed=placed, hiding=hiding, is_cut=count >= MAX_ELEMENTS)


def _is_in_words(node: HtmlElement, holder: Any) -> bool:
    """Whether a button or an element of no standard is a part of a line: words follow it, or it is one. `holder`: the tag of its block."""
    is_word = holder == "p" and (node.tag != "button" or (node.text or "").strip().isdigit())
    return holder in _OF_WORDS and (is_word or bool((node.tail or "").strip()))


def is_inline(node: HtmlElement) -> bool:
    """Whether an element is a part of a line of text."""
    if node.tag in _TRAITS:
        return node.tag in INLINE
    blocks = (outer.tag for outer in node.iterancestors() if outer.tag in _TRAITS and outer.tag not in INLINE)
    return _is_in_words(node, next(blocks, None))


def _is_skipped(node: HtmlElement) -> bool:
    """Whether a special element is left out with its subtree.

    Where <body> is left out, libxml2 puts elements that are not of HTML 4 into the head, with the page below them: such a head stays.
    """
    if node.tag == "title":
        holder = node.getparent()
        return holder is not None and holder.tag == "head"
    return node.tag != "head" or all(not isinstance(child.tag, str) or child.tag in _METADATA for child in node)


def _end_run(runs: list[tuple[int, int, int]], pieces: list[tuple[str, int]], holder: int, flags: int) -> int:
    """Makes a block of the pieces behind the last one, unless they are blank. Returns the number of pieces."""
    first = runs[-1][0] if runs else 0
    if flags & _PREFORMATTED and all(text.isspace() for text, _ in pieces[first:]):
        del pieces[first:]
    else:
        runs.append((len(pieces), holder, flags))
    return len(pieces)


def _blocks(
    nodes: list[HtmlElement],
    names: list[str],
    numbers: list[int],
    last_rows: list[int],
    pieces: list[tuple[str, int]],
    runs: list[tuple[int, int, int]],
    **found: Any,
) -> Blocks:
    """The tables of what the walk has found; `found`: further fields of Blocks. Pieces and blocks that it took back are in no range."""
    ends, of_runs, flags = np.array(runs, np.int32).reshape(-1, 3).T.copy()
    holders = np.fromiter((row for _, row in pieces), np.int64, len(pieces))
    parent, tag, start, piece, element_flags = np.array(numbers, np.int32).reshape(-1, 5).T.copy()
    last = np.array(last_rows, np.int32)
    piece_end, depth = _ends_and_depths(last, piece, holders)
    end = np.where(piece_end > piece, np.searchsorted(ends, piece_end - 1, "right") + 1, start)
    elements = Elements(
        nodes=nodes,
        classes=_clipped(names[::2]),
        ids=_clipped(names[1::2]),
        parent=parent,
        depth=depth,
        tag=tag.astype(np.int16),
        start=start,
        end=np.minimum(end, len(runs)).astype(np.int32),
        last=last,
        piece=np.minimum(piece, len(pieces)),
        piece_end=np.minimum(piece_end, len(pieces)),
    )
    piece_start = np.append(np.int32(0), ends)
    return Blocks(
        texts=list(_iter_texts(pieces, runs)),
        element=of_runs,
        link_texts=_link_texts(pieces, np.flatnonzero(element_flags[holders] & _LINK), piece_start),
        hidden=(flags & _HIDDEN).astype(bool),
        noscript=(flags & _NOSCRIPT).astype(bool),
        preformatted=(flags & _PREFORMATTED).astype(bool),
        elements=elements,
        pieces=pieces,
        piece_start=piece_start,
        unseen=[row for row in found["hiding"] if is_unseen(nodes[row])],
        **found,
    )


def _ends_and_depths(
    last: NDArray[np.int32], piece: NDArray[np.int32], holders: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """End of the pieces, and depth, of each element, from the last row of its subtree, its first piece, and the holder of each piece."""
    count = len(last)
    held = np.append(0, np.cumsum(np.bincount(holders, minlength=count)))
    ended = np.cumsum(np.bincount(last + 1, minlength=count))[:count]
    return (piece + held[last + 1] - held[:-1]).astype(np.int32), (np.arange(count) - ended).astype(np.int32)


def _iter_texts(pieces: Sequence[tuple[str, int]], runs: Sequence[tuple[int, int, int]]) -> Iterator[str]:
    start = 0
    for end, _, flags in runs:
        text = "".join([text for text, _ in pieces[start:end]])
        yield text.strip("\r\n").rstrip() if flags & _PREFORMATTED else " ".join(text.split())
        start = end


def _link_texts(pieces: Sequence[tuple[str, int]], linked: NDArray[np.intp], piece_start: NDArray[np.int32]) -> list[str]:
    """For each block the text of its pieces in links, which `linked` names."""
    texts = [""] * (len(piece_start) - 1)
    for piece, block in zip(linked.tolist(), (np.searchsorted(piece_start, linked, "right") - 1).tolist(), strict=True):
        texts[block] += pieces[piece][0]
    return [text and " ".join(text.split()) for text in texts]


def _clipped(names: list[str]) -> list[str]:
    if max(map(len, names), default=0) <= MAX_NAME_CHARACTERS:
        return names
    return [name[:MAX_NAME_CHARACTERS] for name in names]


def is_not_displayed(node: HtmlElement) -> bool:
    """Whether an element's tag and attributes hide it from everybody, as `aria-hidden` does not.

    What a search within the page opens (`hidden="until-found"`) counts as shown.
    """
    if _REMOVING_STYLE.search(node.get("style", "")) or node.get("popover") is not None or node.tag == "textarea":
        return True
    if (node.tag, node.get("open")) == ("dialog", None) or (node.tag, node.get("shadowrootmode")) == ("template", None):
        return True
    value = node.get("hidden")
    return value is not None and value.lower() != "until-found"


def _hides(node: HtmlElement) -> int:
    """The flag of an element whose attributes hide it, else 0."""
    is_hidden = node.get("hidden") is not None or node.get("aria-hidden") == "true" or _HIDING_STYLE.search(node.get("style", ""))
    return _HIDDEN if is_hidden else 0
