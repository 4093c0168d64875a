"""No text keeps a pattern busy: each pattern of the code and the lexicon is tried with texts made of its own characters."""

from __future__ import annotations

import random
import time

import pytest

import webcontent
from tests.fuzz.budget import SEED, rounds
from tests.fuzz.patterns import busy_text, patterns, pieces
from tests.fuzz.slots import SLOTS, page

PATTERNS = patterns()
SHORT, LONG = 200, 20_000
"""Characters of a text that a pattern sees alone, and of one in a page."""
MAX_CPU_S = 5.0
"""Ordinary cost of either: below 0.1 s. A pattern with quadratic time needs a minute for LONG characters."""
URL = "https://example.org/2024/03/05/story.html"


def test_no_pattern_takes_exponential_time():
    """Short texts: exponential growth would show."""
    for name, pattern in PATTERNS.items():
        chooser = random.Random(SEED)
        own = pieces(pattern, chooser)
        begin = time.thread_time()
        for piece in chooser.sample(own, min(12, len(own))):
            for around in (("", ""), (chooser.choice(own), "!\x00")):
                pattern.search(busy_text(pattern, piece, around, SHORT))
        assert time.thread_time() - begin < MAX_CPU_S, name


def test_no_text_in_a_page_keeps_a_pattern_busy():
    """Long texts, in all places where a page can put one: what reaches patterns is clipped, or they take linear time."""
    chooser = random.Random(SEED)
    names = sorted(PATTERNS)
    for _ in rounds(least=40):
        pattern, slot = PATTERNS[chooser.choice(names)], chooser.choice(SLOTS)
        own = pieces(pattern, chooser)
        piece = chooser.choice(own) + (chooser.choice(own) if chooser.random() < 0.3 else "")
        text = busy_text(pattern, piece, (chooser.choice(("", *own)), chooser.choice(("", "!", *own))), LONG)
        text = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
        begin = time.thread_time()
        webcontent.extract(page(slot, text), url=URL, fetched_at="2024-06-01T12:00:00+00:00")
        assert time.thread_time() - begin < MAX_CPU_S, (slot, piece)


@pytest.mark.parametrize("slot", SLOTS)
def test_white_space_and_repeated_words_are_read_at_once(slot: str):
    """The texts that kept patterns busy before: white space, words of class names, digits, points."""
    begin = time.thread_time()
    for piece in ("\t ", "\u3000", "page", "art", "0", "›<", "."):
        webcontent.extract(page(slot, piece * (LONG // len(piece))), url=URL)
    assert time.thread_time() - begin < MAX_CPU_S
