"""The language of a page: by its script, by its commonest words, by what it declares."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from webcontent.fields.lexicon import by_language, load
from webcontent.items import Candidate

if TYPE_CHECKING:
    from webcontent.fields.page_signals import PageSignals

SAMPLE_CHARS = 3_000
"""Characters of running text that are read."""
MIN_SCRIPT_SHARE = 0.3
"""Share of the letters in a script that decides the language."""
MIN_KANA_SHARE, MIN_LETTER_SHARE = 0.1, 0.015
"""Shares of a script's letters that are typical of one of its rarer languages: kana among East Asian ones; others."""
MIN_COMMON_WORDS, MIN_COMMON_SHARE = 3, 0.05
"""Common words of its language in a text in Latin script, and their share of its words."""
WORDS_SCORE, DECLARED_SCORE, SCRIPT_SCORE = 0.55, 0.7, 0.95
"""Of a language whose common words are hardly more frequent than those of another, of a declared one, and of one by its script."""

_LANGUAGES = load("languages")
_SCRIPTS = {name: re.compile(letters) for name, letters in _LANGUAGES["script"].items()}
_COMMON_WORDS = {language: frozenset(words) for language, words in by_language("languages", "common_words").items()}
_ASCII = re.compile(r"[\x00-\x7f]+")
_WORD = re.compile(r"[^\W\d_]+")
_CODES = frozenset(_LANGUAGES["codes"].split())
_CODE = re.compile(r"^\s*([a-zA-Z]{2,3})(?:$|[-_;,\s])")


def find_languages(signals: PageSignals) -> list[Candidate]:
    """ISO 639-1 codes, best first: an argument, then the script, among Latin ones the words, then what the page declares."""
    candidates = [
        Candidate(code, row.origin, None, DECLARED_SCORE)
        for row in signals.declared.rows("language")
        if row.object == 0 and row.position == 0 and (code := code_of(row.value))
    ]
    language, score = language_of(_sample(signals))
    if language:
        is_declared = any(candidate.value == language for candidate in candidates)
        candidates.append(Candidate(language, "text", None, round((score + 1) / 2 if is_declared else score, 4)))
    if signals.document.language:
        candidates.append(Candidate(signals.document.language, "argument", None, 1.0))
    return sorted(candidates, key=lambda candidate: -candidate.score)


def code_of(text: str | None) -> str | None:
    """ISO 639-1 of a language tag; None where it has none.

    >>> code_of("zh-Hans-CN"), code_of("nb_NO"), code_of("x-default")
    ('zh', 'no', None)
    """
    match = _CODE.match(text or "")
    if not match:
        return None
    code: str = _LANGUAGES["alias"].get(match[1].lower(), match[1].lower())
    return code if code in _CODES else None


def _sample(signals: PageSignals) -> str:
    """Running text of the page: its body where that is known, else its first blocks."""
    first, last = signals.body or (0, len(signals.blocks.texts))
    return " ".join(signals.blocks.texts[first : last + 1])[:SAMPLE_CHARS]


def language_of(text: str) -> tuple[str | None, float]:
    """The language of a text and its score; (None, 0) where the text is too short or has no known language.

    >>> language_of("Это короткий текст на русском языке, и его достаточно.")[0]
    'ru'
    """
    foreign = _ASCII.sub("", text)  # none of the scripts has a letter in there
    counts = {name: len(pattern.findall(foreign)) for name, pattern in _SCRIPTS.items()} if foreign else {"": 0}
    name = max(counts, key=lambda name: counts[name])
    east_asian = counts.get("kana", 0) + counts.get("han", 0)
    found = max(counts[name], east_asian)
    if not found or found <= MIN_SCRIPT_SHARE * sum(map(str.isalpha, text)):
        return _language_by_words(text)
    if east_asian >= counts[name]:
        return ("ja" if counts["kana"] > MIN_KANA_SHARE * east_asian else "zh"), SCRIPT_SCORE
    return _language_by_letters(text, name, counts[name]) if name in _LANGUAGES["letters"] else name, SCRIPT_SCORE


def _language_by_letters(text: str, script: str, count: int) -> str:
    """Of the languages that share a script; `count`: letters of the text in that script."""
    lowered = text.lower()
    shares = {language: sum(map(lowered.count, letters)) / count for language, letters in _LANGUAGES["letters"][script].items()}
    best = max(shares, key=lambda language: shares[language])
    usual: str = _LANGUAGES["usual"][script]
    return best if shares[best] > MIN_LETTER_SHARE else usual


def _language_by_words(text: str) -> tuple[str | None, float]:
    words = _WORD.findall(text.lower())
    counts = Counter(words)
    hits = {language: sum(map(counts.__getitem__, common & counts.keys())) for language, common in _COMMON_WORDS.items()}
    best, second = sorted(hits, key=lambda language: -hits[language])[:2]
    if hits[best] < max(MIN_COMMON_WORDS, MIN_COMMON_SHARE * len(words)):
        return None, 0.0
    return best, min(SCRIPT_SCORE, WORDS_SCORE + (hits[best] - hits[second]) / hits[best])
