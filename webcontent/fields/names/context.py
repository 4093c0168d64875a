"""The words around a candidate as numbers: hashes of labels, neighbouring words, class names, tags and origins.

The model adds one learned weight for each hash, which gives a logistic regression over words that no list has to name.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from webcontent.document.features.class_names import name_tokens
from webcontent.fields.names.labels import squeezed
from webcontent.fields.names.lines import MARK
from webcontent.fields.names.people import HAN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from webcontent.fields.names.atoms import Atom
    from webcontent.fields.names.candidates import BylineGroup
    from webcontent.fields.page_signals import PageSignals

SLOTS = 48
"""Hashes of a candidate."""
BUCKETS = 1 << 14
"""Hash values; 0 stands for none and has the weight 0."""
MAX_ATOMS = 2
"""Places of a candidate whose words count."""
MAX_TOKENS = 6
"""Class tokens of an element."""
NAME_ANCESTORS = 3
_DIGITS = str.maketrans("123456789", "000000000")


def context_hashes(signals: PageSignals, groups: Sequence[BylineGroup]) -> NDArray[np.int64]:
    """Hashes of the words around each candidate: int64 [candidates, SLOTS]."""
    hashes = np.zeros((len(groups), SLOTS), np.int64)
    for place, group in enumerate(groups):
        values = [_hash(word) for word in dict.fromkeys(_iter_words(signals, group))][:SLOTS]
        hashes[place, : len(values)] = values
    return hashes


@lru_cache(maxsize=20_000)
def _hash(word: str) -> int:
    return crc32(word.encode("utf-8", "replace")) % (BUCKETS - 1) + 1


def _iter_words(signals: PageSignals, group: BylineGroup) -> Iterator[str]:
    """The words of a candidate, the most telling ones first."""
    for name in group.declared:
        yield f"o:{name.origin}{name.is_person}"
    yield from _own_words(group.text)
    for atom in group.atoms[:MAX_ATOMS]:
        yield from _around(atom)
        yield from _element_words(signals, atom.row)


@lru_cache(maxsize=10_000)
def _own_words(text: str) -> tuple[str, ...]:
    """How a name ends, and how long it is."""
    if HAN.search(text):
        return f"v:{text[-1]}", f"v:{text[-2:]}", f"n:{min(8, len(text))}", f"s:{text[0]}"
    last = text.lower().split()[-1]
    return f"v:{last}", f"w:{min(6, text.count(' '))}", f"i:{text.istitle()}{text.isupper()}"


def _around(atom: Atom) -> Iterator[str]:
    """Its label, and the characters or words before and behind it."""
    yield f"l:{squeezed(atom.label_text)[-8:]}"
    yield f"z:{atom.line.zone}{atom.label}"
    before, after = atom.before.translate(_DIGITS), atom.after.translate(_DIGITS)
    if HAN.search(before) or HAN.search(after) or HAN.search(atom.text):
        before, after = f"^{before.replace(MARK, '')}".rstrip(), f"{after.replace(MARK, '')}$".lstrip()
        yield from (f"b:{before[-count:]}" for count in (1, 2, 3, 4))
        yield from (f"a:{after[:count]}" for count in (1, 2, 3))
    else:
        left, right = ["^", *before.lower().replace(MARK, " ").split()], [*after.lower().replace(MARK, " ").split(), "$"]
        yield f"b:{left[-1]}"
        yield f"b:{' '.join(left[-2:])}"
        yield f"a:{right[0]}"
        yield f"a:{' '.join(right[:2])}"
    yield f"m:{atom.before[-1:] == MARK}{atom.after[:1] == MARK}"


def _element_words(signals: PageSignals, row: int) -> Iterator[str]:
    """Tags and class tokens of an element and its nearest ancestors."""
    elements = signals.blocks.elements
    path = []
    for step, place in enumerate(signals.ancestors(row, NAME_ANCESTORS)):
        path.append(str(int(elements.tag[place])))
        for token in name_tokens(elements.classes[place], elements.ids[place])[:MAX_TOKENS]:
            yield f"c{min(1, step)}:{token}"
    yield f"t:{path[0]}"
    yield f"t:{'/'.join(path)}"
