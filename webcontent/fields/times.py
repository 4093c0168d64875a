"""When a page was published and changed: candidates from JSON-LD, meta tags, markup, visible lines and the address."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from typing import TYPE_CHECKING

from webcontent.fields.dates import FoundTime, iter_times, parse_time
from webcontent.fields.page_signals import node_text, node_xpath, strings_of
from webcontent.items import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from webcontent.fields.page_signals import PageSignals

EARLIEST_YEAR = 1993
"""No page is older than the web."""

LEAST_SCORE = 0.3
"""What is trusted less is no candidate: on pages that show no date of their own it is mostly another story's."""

_PUBLISHED_KEYS = ("datePublished", "pubDate", "dateCreated", "uploadDate")
_MODIFIED_KEYS = ("dateModified", "upDate")
_PUBLISHED_META = {
    "article:published_time": 0.86, "og:article:published_time": 0.85, "article:published": 0.84, "article:published:time": 0.84,
    "datepublished": 0.8,
    "parsely-pub-date": 0.84, "sailthru.date": 0.82, "publishdate": 0.8, "publish_date": 0.8, "published_time": 0.8, "pub_date": 0.8,
    "pubdate": 0.8,
    "og:published_time": 0.8, "og:pubdate": 0.8, "og:publish_date": 0.8, "article_date_original": 0.8,
    "cxenseparse:recs:publishtime": 0.8, "cxenseparse:publishtime": 0.8,
    "publish-date": 0.8, "publication_date": 0.8, "published_at": 0.8, "published": 0.78, "publishtime": 0.78, "ptime": 0.76,
    "dc.date.issued": 0.78,
    "dcterms.issued": 0.76, "dc.date": 0.72, "dcterms.date": 0.72, "dcterms.created": 0.72, "dc.date.created": 0.72, "date": 0.7,
    "citation_publication_date": 0.7,
    "citation_date": 0.68, "weibo: article:create_at": 0.78, "og:release_date": 0.74, "bt:pubdate": 0.8,
    "originalpublicationdate": 0.82, "date.created": 0.7,
    "datecreated": 0.72, "created": 0.65, "article.created": 0.72, "rnews:datepublished": 0.8, "timestamp": 0.5, "gentime": 0.5,
    "time": 0.5, "dc.created": 0.7,
}  # fmt: skip
"""How far each meta tag is trusted."""
_MODIFIED_META = (
    "article:modified_time", "og:updated_time", "og:article:modified_time", "article:modified", "article:modified:time",
    "datemodified", "lastmod", "last-modified",
    "dcterms.modified", "dc.date.modified", "cxenseparse:modified_time", "modified", "updated", "revised", "article:updated_time",
    "dateupdate", "dateupdated", "last_updated",
)  # fmt: skip

_PUBLISHED_LABEL = re.compile(
    r"(?:发[布表]|發[布佈表]|刊[登发發]|上[传传線线]|公[布开開]|成文|添加|录入|建立|创建|撰写|出刊|更新|投稿|公開|掲載|"
    r"配信|作成|등록|입력|기사입력|발행|승인)?(?:日期|时间|時間|日時|时候|日)?\s?[:：]\s?$"
    r"|(?:发布于|發布於|發表於|发表于|posted(?: on)?|published(?: on| at)?|publi(?:é|cado|cada|kováno)|pubblicato|veröffentlicht|erstellt|"
    r"geplaatst|publicerad|publisert|udgivet|date|first published|opublikowano|создан|опубликовано|added|created|written|filed|"
    r"on)\W{0,3}(?:am|on|at|le|il|el|em|op|den|um)?\s?$",
    re.I,
)
_MODIFIED_LABEL = re.compile(
    r"(?:更新|修改|編集|最終更新|最后编辑|最後編輯|编辑于|編輯於|수정)(?:于|於|日期|时间|時間|日時|日)?\s?[:：]?\s?$"
    r"|(?:last )?(?:updated?|modified|edited|revised|changed|reviewed|aktualisiert|geändert|bearbeitet|mis(?:e)? à jour|modifié|"
    r"actualizad[oa]|modificad[oa]|atualizad[oa]|aggiornato|modificato|bijgewerkt|gewijzigd|uppdaterad|oppdatert|opdateret|"
    r"aktualizováno|aktualizace|güncelleme|güncellendi|обновлено|stand|changed|update)"
    r"(?:[^\w]{0,3}(?:am|on|at|le|il|el|em|op|den|um|:|på|o))?\W{0,3}$",
    re.I,
)
_NO_DATE_OF_PAGE = re.compile(
    r"(?:©|copyright|\(c\)|版权|版權|since|自|至|截[至止]|born|geboren|expires?|deadline|valid|event|until|bis|jusqu|"
    r"hasta|from|起|有效|生日|"
    r"joined|注册|註冊|member|registered|von|ab|seit|vom|week of|for)\W{0,4}$",
    re.I,
)
_SPAN_BEHIND = re.compile(r"^\s?(?:[-–—~至到]|bis|to|until)\s?\d", re.I)
_IN_SENTENCE = 60
"""A line with so much more text than its date is a sentence, not a date line."""


@dataclass(slots=True, frozen=True)
class _Seen:
    """A time with its place and trust."""

    value: str
    origin: str
    xpath: str | None
    score: float
    block: int | None = None


def find_times(signals: PageSignals) -> tuple[list[Candidate], list[Candidate]]:
    """Candidates of the time of publishing and of the last change, best first."""
    published: list[_Seen] = []
    modified: list[_Seen] = []
    for seen, is_modified in _iter_seen(signals):
        if int(seen.value[:4]) >= EARLIEST_YEAR:
            (modified if is_modified else published).append(seen)
    changes = _choose(modified)
    published = [_with_habit(signals, item) for item in published if item.score > LEAST_SCORE]
    return _choose(published) or [_as_published(change) for change in changes if change.origin in ("text", "time")], changes


def _with_habit(signals: PageSignals, item: _Seen) -> _Seen:
    """A time gains where the site's other pages have theirs in the same place."""
    site = signals.host
    return item if site is None else replace(item, score=item.score + site.bonus("time", item.origin, item.xpath))


def _as_published(candidate: Candidate) -> Candidate:
    """A page that says only when it was changed was published then, as far as anybody can see."""
    return Candidate(candidate.value, candidate.origin, candidate.xpath, round(0.6 * candidate.score, 4))


# ---------------------------------------------------------------------------------------------- candidates
def _iter_seen(signals: PageSignals) -> Iterator[tuple[_Seen, bool]]:
    declared = list(_iter_declared(signals))
    yield from declared
    hint = next((int(seen.value[:4]) for seen, _ in declared), None) or (int(signals.url_time[:4]) if signals.url_time else None)
    if signals.url_time:
        yield _Seen(signals.url_time, "url", None, 0.62 if len(signals.url_time) == 10 else 0.2), False
    seen = [*_iter_marked(signals, hint), *_iter_lines(signals, hint)]
    yield from seen
    if not any(item.score > 0.6 and len(item.value) > 7 for item, _ in (*declared, *seen)):
        yield from _iter_scripts(signals)


_SCRIPT_TIME = re.compile(
    r"""["']?(?:pub_?(?:lish(?:ed)?)?_?(?:time|date|at)|date_?published|create_?time|published_?date|ptime)["']?"""
    r"""\s*[:=]\s*["']?([\d][\dT:+ ./Z-]{7,30})""",
    re.I,
)


def _iter_scripts(signals: PageSignals) -> Iterator[tuple[_Seen, bool]]:
    """Times in the data of scripts: pages that scripts fill."""
    if not (signals.is_han or signals.is_article or "article" in signals.document.meta.get("og:type", ())):
        return
    match = _SCRIPT_TIME.search(signals.document.text[:2_000_000])
    if match and (value := parse_time(match[1], now=signals.now)):
        yield _Seen(value, "script", None, 0.6), False


def _iter_declared(signals: PageSignals) -> Iterator[tuple[_Seen, bool]]:
    """What JSON-LD and meta tags say."""
    parse = partial(parse_time, now=signals.now, day_first=signals.day_first)
    for place, item in enumerate(signals.objects[:4]):
        trust = 0.87 if place == 0 and signals.is_article else 0.74 - 0.05 * place
        for keys, is_modified in ((_PUBLISHED_KEYS, False), (_MODIFIED_KEYS, True)):
            for step, key in enumerate(keys):
                for text in strings_of(item.get(key), "@value")[:1]:
                    if value := parse(text):
                        yield _Seen(value, f"json-ld:{key}", None, trust - 0.08 * step), is_modified
    meta = signals.document.meta
    for name, trust in _PUBLISHED_META.items():
        for text in meta.get(name, ())[:1]:
            if value := parse(text):
                yield _Seen(value, name if ":" in name else f"meta:{name}", None, trust), False
    for name in _MODIFIED_META:
        for text in meta.get(name, ())[:1]:
            if value := parse(text):
                yield _Seen(value, name if ":" in name else f"meta:{name}", None, 0.8), True


def _iter_marked(signals: PageSignals, hint: int | None) -> Iterator[tuple[_Seen, bool]]:
    """Microdata and <time> elements; those near the title are trusted more."""
    parse = partial(parse_time, now=signals.now, day_first=signals.day_first, year_hint=hint, relative=signals.fetched is not None)
    for name, is_modified in (("datepublished", False), ("datecreated", False), ("datemodified", True)):
        for node in signals.marked.get(name, ())[:5]:
            if value := _node_time(node, parse):
                yield (
                    _Seen(value, f"itemprop:{name}", node_xpath(node), 0.8 * _nearness(signals, node) + 0.05, signals.block_of(node)),
                    is_modified,
                )
    for node in signals.marked.get("time", ())[:40]:
        value = _node_time(node, parse)
        if not value:
            continue
        words = f"{node.get('class') or ''} {node.get('itemprop') or ''}".lower()
        is_modified = "modif" in words or ("updat" in words and "publi" not in words) or _says_modified(node)
        trust = (0.84 if node.get("pubdate") is not None or "publi" in words else 0.78) * _nearness(signals, node)
        yield _Seen(value, "time", node_xpath(node), trust, signals.block_of(node)), is_modified


def _node_time(node: HtmlElement, parse: partial[str | None]) -> str | None:
    for name in ("datetime", "content", "title"):
        if (text := node.get(name)) and (value := parse(text)):
            return value
    return parse(node_text(node)[:100])


def _says_modified(node: HtmlElement) -> bool:
    """Whether the words before an element say "updated"."""
    before, parent = node.getprevious(), node.getparent()
    text = (before.tail or before.text) if before is not None else parent.text if parent is not None else None
    return bool(text) and _MODIFIED_LABEL.search((text or "").strip()[-40:]) is not None


def _nearness(signals: PageSignals, node: HtmlElement) -> float:
    """1 beside the title, falling to 0.4 far away or before it."""
    block = signals.block_of(node)
    return _near(signals, block) if block is not None else 0.4


def _near(signals: PageSignals, block: int) -> float:
    distance = signals.distance(block)
    if signals.title_block is None and signals.body is None:
        return 0.8 if block < 60 else 0.5
    if -4 <= distance <= 12:
        return 1.0 - 0.01 * abs(distance)
    if signals.body is not None and signals.body[0] - 6 <= block <= signals.body[1] + 4:
        return 0.75 if block <= signals.body[0] + 1 or block >= signals.body[1] - 1 else 0.55
    return 0.7 if -12 <= distance <= 30 else 0.4


def _iter_lines(signals: PageSignals, hint: int | None) -> Iterator[tuple[_Seen, bool]]:
    """Dates in short lines near the title, in lines whose class speaks of time, and in the last lines of the body."""
    find = partial(iter_times, now=signals.now, day_first=signals.day_first, year_hint=hint, relative=signals.fetched is not None)
    named = {int(signals.blocks.elements.start[row]): name for row, name in signals.short_rows if "time" in name or "modified" in name}
    near = {block: (text, list(find(text))) for block, text in dict(_date_lines(signals, named)).items()}
    found = [item for block, (text, times) in near.items() for item in _line_times(signals, block, text, times, named.get(block, ""))]
    dated = {block for block, (_, times) in near.items() if times}
    found = [(_in_row(seen, dated), is_modified) for seen, is_modified in found]
    yield from found
    if not any(seen.score > 0.6 for seen, _ in found):
        yield from _iter_openings(signals, find)
        for block, text in _far_lines(signals, set(near)):
            yield from _line_times(signals, block, text, list(find(text)), "")


def _iter_openings(signals: PageSignals, find: partial[Iterator[FoundTime]]) -> Iterator[tuple[_Seen, bool]]:
    """A date that opens the text: 01.02.2022 - The harbour ..."""
    if signals.body is None or signals.is_han:
        return
    for block in range(signals.body[0], min(signals.body[0] + 2, signals.body[1] + 1)):
        first = next(find(signals.blocks.texts[block][:60]), None)
        if first and first.start <= 2:
            yield _Seen(first.value, "text", signals.xpath(block), 0.45, block), False


def _in_row(seen: _Seen, dated: set[int]) -> _Seen:
    """Dates in three lines running are those of a list."""
    block = seen.block or 0
    run = any({block + shift, block + shift + 1, block + shift + 2} <= dated for shift in (-2, -1, 0))
    return replace(seen, score=0.4 * seen.score) if run else seen


def _far_lines(signals: PageSignals, seen: set[int]) -> Iterator[tuple[int, str]]:
    """Other short lines of the page with a year and a word for publishing or changing."""
    blocks = signals.blocks
    count = 0
    for block, text in enumerate(blocks.texts[:3000]):
        if 8 <= len(text) <= 160 and block not in seen and _YEAR.search(text) and _LABELLED_YEAR.search(text) and not blocks.hidden[block]:
            yield block, text
            count += 1
            if count >= 12:
                return


_YEAR = re.compile(r"(?:19|20)\d\d")
_LABELLED_YEAR = re.compile(
    r"(?:publi|post|updat|edit|modif|aktual|erstell|stand|date|datum|fecha|geänd|veröff|written|created|wurde am|发|發|更新|时间|時間|"
    r"日期|公開|작성|입력).{0,60}(?:19|20)\d\d|(?:19|20)\d\d.{0,12}(?:发布|發布|更新)",
    re.I,
)


def _date_lines(signals: PageSignals, named: dict[int, str]) -> Iterator[tuple[int, str]]:
    yield from signals.lines()
    texts = signals.blocks.texts
    for block in list(named)[:40]:
        if block < len(texts) and len(texts[block]) <= 200:
            yield block, texts[block]
    if signals.body is not None:
        last = signals.body[1]
        for block in range(max(0, last - 2), min(len(texts), last + 5)):
            if len(texts[block]) <= 120:
                yield block, texts[block]


def _line_times(signals: PageSignals, block: int, text: str, found: list[FoundTime], class_name: str) -> Iterator[tuple[_Seen, bool]]:
    previous = signals.blocks.texts[block - 1] if block else ""
    linked = signals.blocks.link_chars[block] > 0.6 * len(text)
    for place, item in enumerate(found[:3]):
        before = text[: item.start] if item.start else (previous if len(previous) < 20 else "")
        if place:
            before = text[found[place - 1].end : item.start]
        if _NO_DATE_OF_PAGE.search(before[-20:]) or _SPAN_BEHIND.match(text[item.end :]):
            continue
        labelled = bool(_PUBLISHED_LABEL.search(before[-25:])) if before.strip() else False
        is_modified = bool(before) and bool(_MODIFIED_LABEL.search(before[-35:])) or ("modified" in class_name and "time" not in class_name)
        if is_modified and signals.is_han and not place:
            is_modified = False  # Chinese pages say "updated" of the time of publishing
        trust = (
            (0.88 if signals.is_han and "T" in item.value else 0.8 if signals.is_han else 0.66)
            + 0.1 * labelled
            + 0.05 * ("time" in class_name)
            + 0.04 * ("T" in item.value)
            - 0.02 * place
        )
        if len(text) - (item.end - item.start) > _IN_SENTENCE and not labelled:
            trust -= 0.3
        trust = (trust - 0.35 * linked) * _near(signals, block)
        yield _Seen(item.value, "text", signals.xpath(block), trust, block), is_modified


# ---------------------------------------------------------------------------------------------- choice
def _choose(seen: list[_Seen]) -> list[Candidate]:
    """Best first: places that name the same day support each other; then the most exact form of the best one."""
    if not seen:
        return []
    scored = sorted(((item.score + _support(item, seen), item) for item in seen), key=lambda pair: -pair[0])
    best = _most_exact(scored[0][1], [item for _, item in scored])
    candidates = [Candidate(best.value, best.origin, best.xpath, round(min(1.0, scored[0][0]), 4))]
    return candidates + [
        Candidate(item.value, item.origin, item.xpath, round(min(1.0, score), 4)) for score, item in scored if item is not best
    ]


def _support(item: _Seen, seen: list[_Seen]) -> float:
    kinds = {_kind(other) for other in seen if other is not item and _same_day(item, other) and other.score > 0.3} - {_kind(item)}
    return 0.1 * len(kinds)


def _kind(item: _Seen) -> str:
    if item.origin.startswith("json-ld"):
        return "json-ld"
    return item.origin if item.origin in ("url", "text", "time") else "meta"


def _same_day(a: _Seen, b: _Seen) -> bool:
    return a.value[: min(10, len(b.value))] == b.value[:10] or _zone_between(a.value, b.value) is not None


def _most_exact(best: _Seen, ranked: list[_Seen]) -> _Seen:
    """The best one's moment, with the clock time, the seconds and the zone that other places give for the same moment.

    Where a visible clock time and a declared moment are the same in another zone, the moment is told in the visible zone.
    """
    value = best.value
    if len(value) == 10:
        value = next(
            (
                item.value
                for item in ranked
                if len(item.value) > 10 and item.value[:10] == value and item.score > 0.45 and not _is_midnight(item.value)
            ),
            value,
        )
    for item in ranked:
        value = _merged(value, item.value)
    return _Seen(value, best.origin, best.xpath, best.score, best.block) if value != best.value else best


def _is_midnight(value: str) -> bool:
    return value[10:16] == "T00:00" and value[16:19] in ("", ":00")


def _merged(value: str, other: str) -> str:
    """`value`, more exact by what `other` says of the same minute."""
    if len(value) < 16 or len(other) < 16:
        return value
    if value[:16] == other[:16]:  # the same wall clock
        if _zone(value) is None and _zone(other) is not None:
            return other if len(other) >= len(value) else value
        return other if _zone(value) is None and len(other) > len(value) else value
    offset = _zone_between(value, other)
    if offset is None:
        return value
    wall, instant = (value, other) if _zone(value) is None else (other, value)
    moment = datetime.fromisoformat(instant).astimezone(offset)
    return moment.isoformat(timespec="seconds" if len(instant) > 22 or len(wall) == 19 else "minutes")


def _zone(value: str) -> str | None:
    return value[-6:] if len(value) > 16 and value[-6] in "+-" else None


def _zone_between(a: str, b: str) -> timezone | None:
    """The zone in which a wall clock (the one without a zone) shows the instant of the other; None where there is none."""
    if len(a) < 16 or len(b) < 16 or (_zone(a) is None) == (_zone(b) is None):
        return None
    wall, instant = (a, b) if _zone(a) is None else (b, a)
    try:
        ahead = datetime.fromisoformat(wall[:16]).replace(tzinfo=UTC) - datetime.fromisoformat(instant).replace(second=0)
    except ValueError:
        return None
    whole = ahead.total_seconds() % 1800 == 0
    return timezone(ahead) if whole and timedelta(hours=-11) <= ahead <= timedelta(hours=14) else None
