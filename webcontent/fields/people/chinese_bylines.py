"""Chinese bylines: labels (作者：张三), reporters (记者 张三 李四), desks (〔記者王小明／台北報導〕) and signatures (（李楠）)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webcontent.fields.lexicon import alternation, words
from webcontent.fields.people.names import HAN, HAN_PERSON_CHARS, SURNAMES, is_name, names_of, unique_names
from webcontent.items import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles import TitleAnchor

# Lines that are read: near the title; the beginnings of the first paragraphs; the ends of the last ones, and what follows them.
LINE_RANGE = range(-6, 13)
MAX_LINE_CHARS = 100
HEAD_BLOCKS, HEAD_CHARS = 4, 90
TAIL_BLOCKS_BEFORE, TAIL_BLOCKS_BEHIND = 4, 7
TAIL_CHARS, BEHIND_CHARS = 60, 100
MAX_REPORTER_LINE_CHARS, NEXT_LINE_CHARS = 16, 30
"""A line so short that ends with "记者" has its names in the next line."""
MAX_OPEN_CHARS, MAX_OPEN_OFFSET = 45, 12
"""A reporter without brackets, further into a longer line of the text, is somebody whom the text speaks of."""
BEHIND_NAMES_CHARS = 6
SCORE_MARGIN = 0.04
"""Names of all lines count whose score is at most this much below the best one's."""

# Ranks of candidates by form; they order the candidates of a page and are no probabilities.
LABEL_SCORE = 0.84
REPORTER_SCORE = 0.77
DESK_SCORE = 0.76
SIGNED_SCORE = 0.72


def _either(*names: str) -> str:
    return f"(?:{alternation('chinese_bylines', *names)})"


_AUTHOR = alternation("chinese_bylines", "author")
_REPORT = alternation("chinese_bylines", "report")
_AND = "".join(words("chinese_bylines", "and"))
_NAME = rf"(?!{alternation('chinese_bylines', 'no_name_start')})[\u3400-\u9fff·]{{2,4}}"
_NAMES = rf"({_NAME}(?:(?:\s*[、，,&{_AND}]\s*|\s+){_NAME}){{0,5}})"
_LABEL = re.compile(
    rf"(?:^|[\s|｜/，,。;；(（【\[〔■》]|(?<=[\u3400-\u9fff])(?={_AUTHOR}[:：]))(?:{_either('label')}\s?(?:[:：/／]|(?<=[图文]) )"
    rf"|{_either('label_without_colon')}\s|(?<=[^\s{''.join(words('chinese_bylines', 'other_author'))}]){_AUTHOR}[:：])"
    r"\s?(?P<names>[^\s|｜()（）:：;；。【】][^|｜()（）:：;；。【】]{0,40})"
)
_NEXT_LABEL = re.compile(rf"\s{_either('next_label')}")
_REPORTER = re.compile(
    rf"(?P<open>[(（〔【\[])?(?P<who>(?:[^\s()（）〔〕【】，。,;；:：]{{0,14}}?)(?:{_either('reporter_kind')}?"
    rf"{_either('reporter', 'other_reporter')}))\s*[:：]?\s*{_NAMES}"
)
_PHOTOGRAPHER = re.compile(rf"\s?[／/]?\s?{_either('photographer')}")
_CLOSED = re.compile(rf"\s*(?:[)）〕】\]／/]|$|\s|[，,]\s?{_either('second_reporter')})")
_DESK = re.compile(
    rf"[(（〔\[【]\s?{_NAMES}\s?[／/]\s?[^)）〕\]】]{{2,14}}{_REPORT}\s?[)）〕\]】]|^{_NAMES}\s?[／/]\s?[^\s]{{2,12}}{_REPORT}"
)
_SIGNED = re.compile(rf"[(（]\s?{_either('signature_label')}?{_NAMES}\s?[)）]$")
_PARTING = re.compile(rf"[\s、，,&{_AND}]+")
_NO_NAME = re.compile(alternation("chinese_bylines", "no_name"))
_REPORTERS = words("chinese_bylines", "reporter")


def iter_chinese_bylines(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
    """One candidate: the names of the form that tells most about them."""
    places: dict[str, tuple[str, float]] = {}
    for block, text, edge in _iter_lines(signals, anchor):
        if not HAN.search(text):
            continue
        for names, score in _iter_names(text, edge):
            for name in names:
                if name not in places or places[name][1] < score:
                    places[name] = (signals.xpath(block), score)
    places = {name: place for name, place in places.items() if is_name(name)}
    if places:
        best = max(score for _, score in places.values())
        names = [name for name, (_, score) in places.items() if score >= best - SCORE_MARGIN]
        yield Candidate(unique_names(names), "text", places[names[0]][0], best)


def _iter_lines(signals: PageSignals, anchor: TitleAnchor) -> Iterator[tuple[int, str, str]]:
    """Lines about the article ("line"), and the beginnings ("head") and ends ("tail") of its first and last paragraphs."""
    texts = signals.blocks.texts
    for block, text in anchor.lines():
        if anchor.distance(block) in LINE_RANGE and len(text) <= MAX_LINE_CHARS:
            yield block, text, "line"
    if signals.body is None:
        return
    first, last = signals.body
    for block in range(first, min(first + HEAD_BLOCKS, last + 1)):
        yield block, texts[block][:HEAD_CHARS], "head"
    for block in range(max(first, last - TAIL_BLOCKS_BEFORE), min(last + TAIL_BLOCKS_BEHIND, len(texts))):
        text = texts[block][-TAIL_CHARS:] if block <= last else texts[block][:BEHIND_CHARS]
        if len(text) <= MAX_REPORTER_LINE_CHARS and text.endswith(_REPORTERS) and block + 1 < len(texts):
            text = f"{text} {texts[block + 1][:NEXT_LINE_CHARS]}"
        yield block, text, "tail"


def _iter_names(text: str, edge: str) -> Iterator[tuple[list[str], float]]:
    """Names of a line, with the score of the form in which they stand there."""
    text = text.replace("\xa0", " ")
    for match in _LABEL.finditer(text):
        names = [name for name in names_of(_NEXT_LABEL.split(match["names"])[0]) if not _NO_NAME.search(name)]
        if names:
            yield names, LABEL_SCORE
    for match in _DESK.finditer(text):
        yield _parted_names(match[1] or match[2]), DESK_SCORE
    for match in _REPORTER.finditer(text):
        names = _reporters(match, text, edge)
        if names:
            yield names, REPORTER_SCORE
    if edge == "tail" and (signed := _SIGNED.search(text)):
        names = _parted_names(signed[1])
        if names and all(name[0] in SURNAMES for name in names):
            yield names, SIGNED_SCORE


def _reporters(match: re.Match[str], text: str, edge: str) -> list[str]:
    """The names behind "记者"; none where they are a photographer's or a part of the text."""
    behind = text[match.end() : match.end() + BEHIND_NAMES_CHARS]
    in_text = edge != "line" and not match["open"] and len(text) > MAX_OPEN_CHARS and match.start() > MAX_OPEN_OFFSET
    if _PHOTOGRAPHER.match(behind) or in_text or not (match["open"] or _CLOSED.match(behind)):
        return []
    return _parted_names(match[3])


def _parted_names(text: str) -> list[str]:
    shortest, longest = HAN_PERSON_CHARS
    names = [name.strip() for name in _PARTING.split(text) if name.strip()]
    return [name for name in names if shortest <= len(name) <= longest and not _NO_NAME.search(name)]
