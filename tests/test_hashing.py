"""Hashes that are stored somewhere: the same values for ever."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from webcontent.hashing import GOLDEN, digest, hash64, mix64, polynomial_sums, simhash

CHINESE = "新闻正文：今天上午，市政府召开会议，讨论道路建设的计划。"


@pytest.mark.parametrize(
    ("text", "size", "value"),
    [
        ("", 8, "e4a6a0577479b2b4"),
        ("a.example/1", 8, "0dd9dae7b46b72e2"),
        ("a.example/1", 16, "350db0bbdb991c12158893c858ed6eb3"),
        (CHINESE, 4, "778a457f"),
        ("\ud800", 8, "4208783e927d0d68"),
    ],
)
def test_a_digest_stays_the_same(text, size, value):
    """Crawl states and folds of corpora are stored by it; a lone surrogate is a text as well."""
    assert digest(text, size).hex() == value


def test_a_64_bit_hash_is_the_digest_as_a_number():
    """Big-endian."""
    assert hash64("a.example/1") == int(digest("a.example/1").hex(), 16)


def test_the_mixer_is_one_to_one_and_spreads():
    """Neighbouring numbers differ in about half of their bits."""
    mixed = mix64(np.arange(1000, dtype=np.uint64)).tolist()
    assert len(set(mixed)) == 1000
    distances = [(one ^ other).bit_count() for one, other in pairwise(mixed)]
    assert 28 < sum(distances) / len(distances) < 36


def test_polynomials_depend_on_the_order_within_a_run_alone():
    """Equal runs have equal sums wherever they are; a permutation has another."""
    values = np.array([1, 2, 3, 3, 2, 1, 1, 2, 3], np.uint64)
    sums = polynomial_sums(values, np.tile(np.arange(3), 3), np.array([0, 3, 6])).tolist()
    assert sums[0] == sums[2] != sums[1]
    assert polynomial_sums(values[:1], np.zeros(1, np.int64), np.zeros(1, np.int64)).tolist() == [int(GOLDEN)]


def test_alike_texts_differ_in_a_few_bits():
    """And others in about half of them."""
    text = " ".join(f"Sentence number {n} of the story about the ferry and the ice." for n in range(40))
    values = [int(value or "", 16) for value in (simhash(text), simhash(text.replace("number 7", "number seven")), simhash(CHINESE * 3))]
    assert (values[0] ^ values[1]).bit_count() < 10
    assert (values[0] ^ values[2]).bit_count() > 15


def test_a_simhash_has_sixteen_digits_and_stays_the_same():
    """Feeds of last year are compared with it."""
    assert simhash("The ferry was cancelled.") == "6ab21d781c3a5523"


@pytest.mark.parametrize("text", ["", "  ", "…!?"])
def test_nothing_has_no_simhash(text):
    """No letter, no simhash."""
    assert simhash(text) is None


def test_a_simhash_reads_letters_and_digits_in_lower_case():
    """Punctuation and case do not count; a text shorter than a gram has one."""
    assert simhash("The Ferry, was -- cancelled!") == simhash("theferrywascancelled")
    assert simhash("é") != simhash("e")


@pytest.mark.parametrize(("before", "is_read"), [(199_999, True), (200_000, False)])
def test_a_simhash_reads_the_first_200_000_characters(before, is_read):
    assert (simhash("." * before + "x") is not None) is is_read
