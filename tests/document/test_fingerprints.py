"""Fingerprints of texts and paths: what changes them, and what does not."""

from __future__ import annotations

import numpy as np
import pytest

from webcontent.document.fingerprints import PATH_KINDS, TEXT_CHARACTERS, text_hashes
from webcontent.document.parsing import Document
from webcontent.items import Page

TEXTS = [69659252313840618, 10849676986749068033]
PATHS = [
    [16912032797723502701, 12729204658871475474],
    [1971125536298776454, 13079582595586718940],
    [4987675305120835258, 4987675305120835258],
]


def paths_of(html: str, text: str) -> dict[str, int]:
    """The paths of the block with a text."""
    document = Document.from_page(Page(html=html))
    return dict(zip(PATH_KINDS, document.fingerprints.paths[:, document.blocks.texts.index(text)].tolist(), strict=True))


def test_case_and_digits_do_not_tell_texts_apart():
    """ "3 comments" and "12 Comments" differ in length only; "3 comments" and "4 Comments" in nothing."""
    hashes = text_hashes(["3 comments", "4 Comments", "12 comments", "3 comment"]).tolist()
    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 3


def test_a_long_text_is_its_beginning_and_its_length():
    """Later characters do not count, the length does."""
    start = "The ferry was cancelled because of the ice. " * 2
    assert len(start) > TEXT_CHARACTERS
    one, other, longer = text_hashes([start + "One", start + "Two", start + "Three"]).tolist()
    assert one == other != longer


def test_the_hash_of_a_text_does_not_depend_on_its_neighbours():
    """All texts of a page are hashed at once."""
    assert text_hashes(["first", "second"])[1] == text_hashes(["second"])[0]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("<p>x</p>", "<p>x</p>", PATH_KINDS),
        ("<p class='a b'>x</p>", "<p class='b  a'>x</p>", PATH_KINDS),
        ("<p class='post-12'>x</p>", "<p class='post-345'>x</p>", PATH_KINDS),
        ("<p class='a'>x</p>", "<p class='b'>x</p>", ("numbered", "around")),
        ("<p>x</p>", "<p>y</p><p>x</p>", ("named", "around")),
        ("<div><p>x</p></div>", "<section><p>x</p></section>", ()),
        ("<body class='home'><p>x</p>", "<body class='post'><p>x</p>", PATH_KINDS),
    ],
    ids=["equal", "order of names", "digits of names", "another name", "another number", "another tag", "names of the body"],
)
def test_paths(one, other, same):
    """Each kind of path sees something else."""
    first, second = paths_of(one, "x"), paths_of(other, "x")
    assert tuple(kind for kind in PATH_KINDS if first[kind] == second[kind]) == same


def test_depth_takes_few_steps():
    """Paths of a thousand nested elements differ from one another."""
    document = Document.from_page(Page(html="".join(f"<div>{n}" for n in range(900))))
    numbered = document.fingerprints.paths[PATH_KINDS.index("numbered")]
    assert len(set(numbered.tolist())) == len(document.blocks) == 900


def test_stored_fingerprints_stay_the_same():
    """Site histories of last year are compared with them."""
    document = Document.from_page(Page(html="<body><nav class='menu main'><a>Home</a></nav><p id=a class=post-7>新闻 2024</p></body>"))
    assert document.fingerprints.texts.tolist() == TEXTS
    assert document.fingerprints.paths.tolist() == PATHS


def test_a_page_without_blocks_has_none():
    """Empty arrays, in their shapes."""
    fingerprints = Document.from_page(Page(html="")).fingerprints
    assert fingerprints.texts.shape == (0,)
    assert fingerprints.paths.shape == (len(PATH_KINDS), 0)
    assert fingerprints.texts.dtype == fingerprints.paths.dtype == np.uint64
