"""Where a page leads: related stories, the records of a list page, the next page."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from operator import attrgetter
from typing import TYPE_CHECKING
from urllib.parse import urldefrag

import numpy as np

from webcontent.document.blocks import TAG_CODES, TAGS, xpath_of
from webcontent.document.text import image_url
from webcontent.fields.dates import iter_times, time_from_url
from webcontent.fields.page_signals import collapse, plain
from webcontent.items import Candidate, Entry, Link

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webcontent.fields.page_signals import PageSignals

MAX_ENTRIES = 500
MAX_RELATED = 40
MAX_ANCHORS = 5_000
RECORD_LINKS = 40
"""Links of a record that are looked at."""

_LINK = TAG_CODES["a"]
_HEADINGS = frozenset(TAG_CODES[f"h{level}"] for level in range(1, 7))
_FRAME = frozenset(TAG_CODES[name] for name in ("nav", "footer", "aside", "header"))
_NAVIGATION = frozenset(TAG_CODES[name] for name in ("nav", "footer"))
_FRAME_WORDS = re.compile(
    r"(?:^|[\s_-])(?:nav|navi|navbar|navigation|menu|foot|footer|side|sidebar|aside|widget|breadcrumbs?|crumb|header|topbar|"
    r"toolbar|share|social|tags?|tagcloud|comments?|login|friend|friendlink|copyright|"
    r"rank|ranking|hot|hotlist|popular|trending|related|recommend|recommended|ads?|banner|cookie|pager|pagination|page-?nav|"
    r"paging|lang|language|search|subnav|leftnav|links)(?:$|[\s_-])",
    re.I,
)


class Anchor:
    """A link with its place, text and address; these are worked out when first asked for."""

    def __init__(self, anchors: Anchors, row: int) -> None:
        self._anchors = anchors
        self.row = row
        self.block = int(anchors.elements.start[row])
        self.node = anchors.elements.nodes[row]
        self.href: str = (self.node.get("href") or "").strip()

    @cached_property
    def text(self) -> str:
        return self._anchors.text(self.row)

    @cached_property
    def is_heading(self) -> bool:
        """Whether it stands in a heading or holds one."""
        return _stands_in_heading(self._anchors, self)

    @cached_property
    def weight(self) -> float:
        """How much it looks like a record's title."""
        return _weigh(self._anchors, self)

    @cached_property
    def title(self) -> str:
        """The title that it shows."""
        return _anchor_title(self._anchors.signals, self._anchors, self)

    @cached_property
    def url(self) -> str | None:
        """Absolute, http or https; None where it leads nowhere."""
        return self._anchors.signals.document.absolute(self.href)


class Anchors:
    """The links of a page that lead somewhere, in document order."""

    def __init__(self, signals: PageSignals) -> None:
        self.signals = signals
        self.elements = signals.blocks.elements

    @cached_property
    def chars_before(self) -> list[int]:
        """Characters in the blocks before each block; one number more than blocks."""
        return [0, *np.cumsum(self.signals.blocks.chars).tolist()]

    @cached_property
    def link_chars_before(self) -> list[int]:
        return [0, *np.cumsum(self.signals.blocks.link_chars).tolist()]

    @cached_property
    def dates_before(self) -> list[int]:
        """Blocks before each block that may hold a date."""
        return [0, *accumulate(_MAYBE_TIME.search(text[:400]) is not None for text in self.signals.blocks.texts)]

    @cached_property
    def parents(self) -> list[int]:
        """Row of each element's parent."""
        parents: list[int] = self.elements.parent.tolist()
        return parents

    @cached_property
    def tags(self) -> list[int]:
        """Tag code of each element."""
        tags: list[int] = self.elements.tag.tolist()
        return tags

    @cached_property
    def starts(self) -> list[int]:
        """First block of each element."""
        starts: list[int] = self.elements.start.tolist()
        return starts

    @cached_property
    def ends(self) -> list[int]:
        """Block behind each element."""
        ends: list[int] = self.elements.end.tolist()
        return ends

    @cached_property
    def all(self) -> list[Anchor]:
        nodes = self.elements.nodes
        rows = np.flatnonzero(self.elements.tag == _LINK)[:MAX_ANCHORS].tolist()
        return [Anchor(self, row) for row in rows if _leads_on((nodes[row].get("href") or "").strip())]

    @cached_property
    def rows(self) -> list[int]:
        return [anchor.row for anchor in self.all]

    @cached_property
    def last(self) -> list[int]:
        """For each element the row behind its subtree."""
        return _last_rows(self.elements.depth.tolist())

    def text(self, row: int) -> str:
        """Text of an element, white space collapsed."""
        blocks, end = self.signals.blocks, self.last[row]
        first = int(self.elements.piece[row])
        parts = []
        for text, holder in blocks.pieces[first : first + 400]:
            if holder >= end:
                break
            if holder >= row:
                parts.append(text)
        return collapse("".join(parts))

    def inside(self, first_row: int, last_row: int, most: int = MAX_ANCHORS) -> list[Anchor]:
        """Links whose rows lie in [first_row, last_row), the first `most` of them."""
        first = bisect_left(self.rows, first_row)
        return self.all[first : min(first + most, bisect_left(self.rows, last_row))]


_NO_ADDRESS = ("#", "javascript:", "mailto:", "tel:", "data:", "about:")
_HOME_HREF = re.compile(r"(?:https?:)?(?://[^/]+)?/?(?:\.{1,2}/)*(?:(?:index|default|home)\.\w{3,5})?")


def _leads_on(href: str) -> bool:
    """Whether an address can be a story's: no script, no place on the page, no front page."""
    return not href[:11].lower().startswith(_NO_ADDRESS) and not _HOME_HREF.fullmatch(href)


def _last_rows(depths: Sequence[int]) -> list[int]:
    """For each row the row behind its subtree."""
    last = [len(depths)] * len(depths)
    stack: list[int] = []
    for row, depth in enumerate(depths):
        while stack and depths[stack[-1]] >= depth:
            last[stack.pop()] = row
        stack.append(row)
    return last


# ---------------------------------------------------------------------------------------------- related
_RELATED = re.compile(
    r"^\W*(?:相关|相關|延伸|推荐|推薦|拓展|关联|關聯|更多相关)(?:新闻|新聞|阅读|閱讀|文章|报道|報導|报导|推荐|推薦|链接|"
    r"連結|内容|內容|资讯|資訊|专题|日志|博文|事件|主题|話題|话题|帖子|讨论|热点|稿件|"
    r"视频)\W*(?:more|更多)?\W*$"
    r"|^\W*(?:相关|相關|延伸閱讀|延伸阅读|關鍵字新聞|同类文章|同類文章|你可能也想看|更多(?:相关)?(?:报道|新闻|文章)|"
    r"関連記事|関連ニュース|あわせて読みたい|関連リンク|関連トピックス|関連|こちらもおすすめ|"
    r"관련\s?기사|관련\s?뉴스)\W*$"
    r"|^\W*(?:related(?: (?:articles?|stor(?:y|ies)|posts?|news|content|links?|coverage|topics|reading|items|videos?|"
    r"information))?|read (?:more|also|next|this next)|more (?:on|about|from) (?:this|the) (?:story|topic|subject|article)|"
    r"more on this(?: story)?|see also|also read|also see|"
    r"you (?:may|might) (?:also )?(?:like|be interested in|enjoy)|further reading|recommended(?: (?:stories|articles|reading|"
    r"posts|for you))?|similar (?:posts|articles|stories)|keep reading|what to read next|don['’]t miss|more (?:stories|"
    r"articles)(?: like this)?|other (?:stories|articles|news))\W*$"
    r"|^\W*(?:verwandte (?:artikel|themen|beiträge|inhalte)|mehr zum thema|mehr (?:dazu|lesen|artikel)|lesen sie (?:auch|mehr|"
    r"hier mehr|dazu auch)|lesen sie mehr zum thema|weitere (?:artikel|beiträge|meldungen|themen|informationen)|"
    r"passend(?: zum thema|e artikel)?|das könnte (?:sie|dich) auch interessieren|ähnliche (?:artikel|beiträge)|"
    r"auch interessant|zum thema|weiterlesen|"
    r"à lire (?:aussi|également)|lire aussi|sur le même (?:sujet|thème)|articles? (?:liés|similaires|connexes|associés)|"
    r"voir aussi|pour aller plus loin|"
    r"noticias relacionadas|artículos relacionados|relacionad[oa]s|lea también|te puede interesar|también te puede interesar|"
    r"más sobre (?:este tema|esta noticia)|notas relacionadas|entradas relacionadas|"
    r"leia (?:também|mais)|veja também|notícias relacionadas|artigos relacionados|posts relacionados|"
    r"leggi anche|articoli correlati|potrebbe interessarti(?: anche)?|correlati|lees (?:ook|verder|meer)|"
    r"gerelateerd(?:e artikelen)?|läs (?:också|mer|även)|relaterat|les også|les mer|læs også|læs mere|lue myös|lue lisää|"
    r"czytaj (?:też|także|również|więcej)|zobacz (?:też|także|również)|powiązane(?: artykuły)?|podobne(?: artykuły)?|"
    r"související(?: články)?|čtěte (?:také|dále)|citește și|olvassa el|kapcsolódó(?: cikkek)?|"
    r"ilgili (?:haberler|içerikler|yazılar)|читайте также|по теме|похожие (?:статьи|новости)|материалы по теме|читайте також|"
    r"اقرأ أيضا|مقالات ذات صلة|baca juga|berita terkait|artikel terkait|xem thêm|tin liên quan|bài viết liên quan)\W*$",
    re.I,
)
_RELATED_INLINE = re.compile(
    r"^\W*(?:相关(?:新闻|阅读|文章|报道|链接)|相關(?:新聞|閱讀|文章|報導)|延伸閱讀|延伸阅读|推荐阅读|推薦閱讀|関連記事|"
    r"read (?:more|also|next)|related(?: \w+)?|see also|"
    r"also read|more|lesen sie (?:auch|mehr|dazu)|mehr (?:dazu|zum thema)|à lire (?:aussi|également)|lire aussi|lea también|"
    r"leia (?:também|mais)|veja também|leggi anche|lees ook|läs (?:också|mer)|les også|læs også|czytaj (?:też|także|również)|"
    r"zobacz (?:też|także)|читайте также|baca juga|ilgili haber|延伸閱讀|▲|▼|►|▶|👉)\s*[:：»›>|]\s*",
    re.I,
)
_CLASS_RELATED = re.compile(r"(?:^|[\s_-])(?:related|relate|correlat|xiangguan|relevant|similar|verwandt|relacionad[ao]s?|yarpp)", re.I)


_WEAK = re.compile(
    r"推荐|推薦|recommended|you (?:may|might)|don['’]t miss|keep reading|what to read|more (?:stories|articles)|other |"
    r"interessieren|interesar|interessarti|おすすめ|あわせて|你可能",
    re.I,
)
"""Headings that sites also set over what they want read: they count where nothing else is offered as related."""
FAR = 40
"""Blocks behind the body, after which a second block of links is no longer this story's."""


def find_related(signals: PageSignals, anchors: Anchors) -> list[Candidate]:
    """Links that the page offers as related to its story; one candidate a block of links."""
    found: list[tuple[int, bool, Candidate]] = []
    taken: set[str] = {_bare(signals.document.url or "")}
    link_chars = signals.blocks.link_chars.tolist()
    for block, text in enumerate(signals.blocks.texts):
        if len(text) <= 60 and (len(text) < 8 or not text[0].isdigit()) and _RELATED.match(text):
            links, origin = _links_under(signals, anchors, block), "heading"
        elif link_chars[block] and len(text) <= 300 and _RELATED_INLINE.match(text):
            links, origin = [anchor for anchor in _block_links(signals, anchors, block) if anchor.block == block], "text"
        else:
            continue
        if _in_frame(signals, anchors, block):
            continue
        made = _as_links(signals, anchors, links, taken)
        if made:
            weak = _WEAK.search(text) is not None
            found.append((block, weak, Candidate(made, f"{origin}:{text[:30]}", signals.xpath(block), 0.6 if weak else 0.8)))
    if any(not weak for _, weak, _ in found):
        found = [item for item in found if not item[1]]
    end = signals.body[1] if signals.body is not None else 0
    return [candidate for place, (block, _, candidate) in enumerate(found) if place == 0 or block < end + FAR]


def _in_frame(signals: PageSignals, anchors: Anchors, block: int) -> bool:
    """Whether a block lies in navigation or the footer."""
    elements = anchors.elements
    row = int(signals.blocks.element[block])
    while row >= 0:
        if elements.tag[row] in _NAVIGATION:
            return True
        row = int(elements.parent[row])
    return False


def _block_links(signals: PageSignals, anchors: Anchors, block: int) -> list[Anchor]:
    row = int(signals.blocks.element[block])
    return anchors.inside(row, anchors.last[row])


def _links_under(signals: PageSignals, anchors: Anchors, block: int) -> list[Anchor]:
    """The links behind a heading: in the smallest element around it that has some, until text or another heading comes."""
    elements, blocks = anchors.elements, signals.blocks
    row = int(blocks.element[block])
    heading = row
    while row >= 0:
        links = [anchor for anchor in anchors.inside(row, anchors.last[row]) if anchor.block > block]
        if links:
            return _until_text(signals, anchors, block, heading, links, int(elements.end[row]))
        row = int(elements.parent[row])
    return []


def _until_text(signals: PageSignals, anchors: Anchors, block: int, heading: int, links: list[Anchor], end: int) -> list[Anchor]:
    """Links before the next heading (a heading element, or a short line in the same markup) or the next running text."""
    blocks, elements = signals.blocks, anchors.elements
    gap = 0
    level = elements.tag[heading]
    for place in range(block + 1, end):
        text, linked = blocks.texts[place], int(blocks.link_chars[place])
        row = int(blocks.element[place])
        tag = elements.tag[row]
        is_heading = tag in _HEADINGS and (level not in _HEADINGS or tag <= level)
        like_heading = (
            tag == level
            and elements.classes[row] == elements.classes[heading]
            and elements.depth[row] == elements.depth[heading]
            and len(text) < 20
        )
        gap = 0 if linked * 2 >= len(text) or linked >= 8 else gap + len(text)
        if (not linked and (is_heading or like_heading)) or gap > 250 or (gap and _RELATED.match(text)):
            return [anchor for anchor in links if anchor.block < place]
    return [anchor for anchor in links if anchor.block < end]


def _as_links(signals: PageSignals, anchors: Anchors, found: list[Anchor], taken: set[str]) -> list[Link]:
    """Links with a title, each address once; of cards only the headings' links. `taken` is updated inline."""
    headed = [anchor for anchor in found if anchor.is_heading]
    if len(headed) > 1:
        found = headed
    best: dict[str, Anchor] = {}
    for anchor in found:
        key = _bare(anchor.url or "")
        if not key or key in taken:
            continue
        if key not in best or len(best[key].text) < len(anchor.text) <= 160:
            best[key] = anchor
    made = []
    for key, anchor in best.items():
        title = anchor.title
        if len(title) >= 4 and not _NO_TITLE.match(title):
            made.append(Link(title[:300], anchor.url or "", _time_beside(signals, anchor.block)))
            taken.add(key)
    return made[:MAX_RELATED]


_NO_TITLE = re.compile(
    r"^(?:more|read more|weiterlesen|mehr|更多|查看更多|阅读全文|详细|详情|全文|next|previous|\d+|comments?|"
    r"\d+ comments?|share|login|home|首页|"
    r"意见反馈|我要反馈|反馈|feedback|[>»›<«]+)\W*$",
    re.I,
)


def _time_beside(signals: PageSignals, block: int) -> str | None:
    texts = signals.blocks.texts
    for place in (block, block + 1):
        if place < len(texts) and len(texts[place]) < 160:
            found = next(iter_times(texts[place], now=signals.now, day_first=signals.day_first, relative=signals.fetched is not None), None)
            if found and (place == block or found.end - found.start > len(texts[place]) - 12):
                return found.value
    return None


def _full_title(anchor: Anchor) -> str:
    """The text of a link; the title attribute where the text is cut short or missing."""
    text = anchor.text
    other = collapse(anchor.node.get("title") or "")
    cut = re.sub(r"\s*(?:\.{2,}|…+|。。+)$", "", text)
    if other and (
        not text
        or (cut != text and plain(other).startswith(plain(cut)[:20]))
        or (len(other) > len(text) > 5 and plain(other).startswith(plain(text)))
    ):
        return other
    return text or next((collapse(image.get("alt") or "") for image in anchor.node.iter("img") if (image.get("alt") or "").strip()), "")


def _bare(url: str) -> str:
    try:
        return re.sub(r"^\w+://(?:www\.)?", "", urldefrag(url)[0]).rstrip("/")
    except ValueError:
        return url


# ---------------------------------------------------------------------------------------------- records of a list
@dataclass(slots=True)
class _Record:
    """A run of sibling elements about one story."""

    first_row: int
    last_row: int
    """Rows [first_row, last_row)."""
    anchor: Anchor
    title: str
    text_chars: int
    link_chars: int
    has_time: bool
    in_heading: bool


@dataclass(slots=True)
class _Run:
    """Sibling records of one parent."""

    parent: int
    key: str
    records: list[_Record]
    score: float


def find_entries(signals: PageSignals, anchors: Anchors) -> list[Candidate]:
    """The main records of a list page, as one candidate (a list of Entry); empty where there are none."""
    runs = _runs(signals, anchors)
    if not runs:
        return []
    best = max(runs, key=lambda run: run.score)
    chosen = [run for run in runs if run is best or _belongs(signals, run, best)]
    own = _bare(signals.document.url or "")
    entries: list[Entry] = []
    seen: set[str] = set()
    for run in sorted(chosen, key=lambda run: run.records[0].first_row):
        for record in run.records:
            key = _bare(record.anchor.url or "")
            if key and key not in seen and key != own and not _HOME.fullmatch(key):
                seen.add(key)
                entries.append(_entry(signals, anchors, record))
    xpath = xpath_of(anchors.elements.nodes[best.parent])
    return [Candidate(entries[:MAX_ENTRIES], "records", xpath, round(min(1.0, best.score / 20), 4))] if entries else []


_HOME = re.compile(r"[^/?#]*(?:/(?:index|default|home)\.\w{3,5})?")
"""The front page of a site: no record of a list."""


def _runs(signals: PageSignals, anchors: Anchors) -> list[_Run]:
    """All runs of sibling records, of parents that lead to more than one address."""
    wanted: set[int] = set()
    for anchor in anchors.all:
        row = anchor.row
        for _ in range(9):
            row = anchors.parents[row]
            if row < 0:
                break
            wanted.add(row)
    children: dict[int, list[int]] = {}
    for row, parent in enumerate(anchors.parents):
        if parent in wanted:
            children.setdefault(parent, []).append(row)
    frame = _frame_rows(signals)
    runs = []
    for parent, rows in children.items():
        for key, starts in _alike(anchors, rows) if len(rows) > 1 else ():  # an only child is no record
            run = _run(signals, anchors, parent, key, starts, rows, frame)
            if run:
                runs.append(run)
    return _without_nested(runs, anchors)


def _alike(anchors: Anchors, rows: list[int]) -> Iterator[tuple[str, list[int]]]:
    """Children by tag, and by tag and class where that splits them."""
    by_tag: dict[str, list[int]] = {}
    by_class: dict[str, list[int]] = {}
    for row in rows:
        tag = TAGS[anchors.tags[row]]
        name = _first_class(anchors.elements.classes[row])
        by_tag.setdefault(tag, []).append(row)
        by_class.setdefault(f"{tag}.{name}", []).append(row)
    yield from by_tag.items()
    for key, starts in by_class.items():
        if len(starts) < len(by_tag[key.split(".")[0]]):
            yield key, starts


@lru_cache(maxsize=20_000)
def _first_class(class_name: str) -> str:
    """The first class without digits: post-12 and post-13 are alike."""
    return re.sub(r"\d+", "", (class_name.split(None, 1) or [""])[0])[:50]


def _frame_rows(signals: PageSignals) -> list[bool]:
    """Whether each element lies in navigation, footer, sidebar or the like."""
    elements = signals.blocks.elements
    known: dict[str, bool] = {}
    result: list[bool] = []
    most = (elements.end - elements.start > 0.5 * len(signals.blocks)).tolist()  # what holds most of the page frames nothing
    for tag, class_name, element_id, parent, wide in zip(
        elements.tag.tolist(), elements.classes, elements.ids, elements.parent.tolist(), most, strict=True
    ):
        key = f"{class_name} {element_id}"
        if key not in known:
            known[key] = bool(_FRAME_WORDS.search(key)) if key != " " and len(key) < 200 else False
        own = known[key] and TAGS[tag] not in ("body", "html", "main", "article") or tag in _FRAME
        result.append(own and not wide or (parent >= 0 and result[parent]))
    return result


def _run(
    signals: PageSignals, anchors: Anchors, parent: int, key: str, starts: list[int], rows: list[int], frame: list[bool]
) -> _Run | None:
    if len(starts) == 1 and (len(rows) == 1 or anchors.ends[starts[0]] - anchors.starts[starts[0]] < 2):
        return None  # one record alone has a title and something beside it
    records = []
    for place, row in enumerate(starts):
        following = starts[place + 1] if place + 1 < len(starts) else anchors.last[parent]
        record = _record(signals, anchors, row, following)
        if record:
            records.append(record)
    if not records:
        return None
    addresses = {record.anchor.href for record in records}
    if len(addresses) < len(records) * 0.7:
        return None
    values = [_value(record) for record in records]
    score = sum(sorted(values, reverse=True)[:60])
    if len(records) == 1:
        record = records[0]
        if not (record.in_heading or record.has_time) or record.text_chars < 20:
            return None
        score *= 0.5
    titled = sum(len(record.title) >= 8 for record in records) / len(records)
    score *= 0.25 + 0.75 * titled
    score *= len(records) / max(len(records), len(starts)) if len(starts) > 1 else 1.0
    if frame[records[0].first_row]:
        score *= 0.15
    return _Run(parent, key, records, score)


def _value(record: _Record) -> float:
    """What a record counts: by its title, its time and its text."""
    length = min(len(record.title), 40) / 40
    return length * (1 + 0.8 * record.has_time + 0.8 * record.in_heading + min(record.text_chars, 150) / 150)


_WEIGHT = attrgetter("weight")


def _record(signals: PageSignals, anchors: Anchors, first_row: int, last_row: int) -> _Record | None:
    """The record that begins with an element; None where it leads nowhere or to many places alike."""
    count = len(signals.blocks)
    start = anchors.starts[first_row]
    if start >= count or signals.blocks.hidden[start]:
        return None
    links = anchors.inside(first_row, min(last_row, anchors.last[first_row]), RECORD_LINKS) or anchors.inside(
        first_row, last_row, RECORD_LINKS
    )
    if not links:
        return None
    end = max(start + 1, anchors.starts[last_row] if last_row < len(anchors.starts) else count)
    ranked = sorted(links, key=_WEIGHT, reverse=True)
    anchor = ranked[0]
    heading = "" if anchor.text and not _NO_TITLE.match(anchor.text) else _heading_inside(anchors, first_row, last_row)
    title = heading or anchor.title
    if len(title) < 2:
        return None
    weight = anchor.weight
    rivals = {other.href for other in ranked[1:] if other.weight > 0.55 * weight} - {anchor.href}
    if len(rivals) > 1 or (len(rivals) == 1 and not anchor.is_heading):
        return None  # a group of stories, not one
    end = min(end, count)
    text = anchors.chars_before[end] - anchors.chars_before[start]
    linked = anchors.link_chars_before[end] - anchors.link_chars_before[start]
    has_time = anchors.dates_before[min(end, start + 12)] > anchors.dates_before[start]
    wraps = len(anchor.text) > len(title) + 15
    return _Record(
        first_row,
        last_row,
        anchor,
        title,
        (len(anchor.text) - len(title)) if wraps else text - linked,
        linked,
        has_time,
        bool(heading) or anchor.is_heading,
    )


def _heading_inside(anchors: Anchors, first_row: int, last_row: int) -> str:
    """The text of a record's first heading: cards may be covered by a link without text, or end with "read more"."""
    for row in range(first_row, min(last_row, first_row + 60)):
        if anchors.tags[row] in _HEADINGS and (text := anchors.text(row)):
            return text
    return ""


_MAYBE_TIME = re.compile(
    r"(?:19|20)\d\d\s?[-/.年]\s?\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d\d|(?<!\d)\d\d-\d\d(?!\d)|\d月\d|\d{1,2}:\d\d|[小時时天分]前|\bago\b|"
    r"\d{1,2},? (?:19|20)\d\d|[a-zäé]{3,9}\.? (?:19|20)\d\d",
    re.I,
)


def _weigh(anchors: Anchors, anchor: Anchor) -> float:
    text = anchor.text or (anchor.node.get("title") or "")
    if _NO_TITLE.match(text):
        return 0.1
    weight = min(len(text), 60) + 0.1
    if anchor.is_heading:
        weight += 60
    elif _TITLE_CLASS.search(anchors.elements.classes[anchor.row]) or _TITLE_CLASS.search(
        anchors.elements.classes[anchors.parents[anchor.row]]
    ):
        weight += 30
    return weight


_TITLE_CLASS = re.compile(r"(?:^|[\s_-])(?:tit|title|titles|headline|subject|biaoti)(?:$|[\s_-])|title$", re.I)


def _stands_in_heading(anchors: Anchors, anchor: Anchor) -> bool:
    """Whether a link stands in a heading or holds one."""
    row, tags = anchor.row, anchors.tags
    for _ in range(3):
        row = anchors.parents[row]
        if row < 0:
            break
        if tags[row] in _HEADINGS:
            return True
    return not _HEADINGS.isdisjoint(tags[anchor.row + 1 : min(anchors.last[anchor.row], anchor.row + 25)])


def _anchor_title(signals: PageSignals, anchors: Anchors, anchor: Anchor) -> str:
    """The title that a link shows: of the heading inside it where it wraps a whole card, else its text."""
    elements = anchors.elements
    last = anchors.last[anchor.row]
    for row in range(anchor.row + 1, min(last, anchor.row + 40)):
        if anchors.tags[row] in _HEADINGS and (text := anchors.text(row)):
            return text
    first, end = int(elements.start[anchor.row]), int(elements.end[anchor.row])
    if end - first > 1 and len(anchor.text) > 40:
        lines = [line for line in signals.blocks.texts[first:end] if len(line) >= 6 and not (_MAYBE_TIME.search(line) and len(line) < 24)]
        if lines:
            return lines[0]
    return _full_title(anchor)


def _without_nested(runs: list[_Run], anchors: Anchors) -> list[_Run]:
    """Of runs that share their links only the best."""
    kept: list[_Run] = []
    taken: dict[int, _Run] = {}
    for run in sorted(runs, key=lambda run: -run.score):
        rows = [record.anchor.row for record in run.records]
        if sum(row in taken for row in rows) * 2 > len(rows):
            continue
        kept.append(run)
        taken.update(dict.fromkeys(rows, run))
    return kept


def _belongs(signals: PageSignals, run: _Run, best: _Run) -> bool:
    """Whether a run is another part of the page's main list: alike in markup (years of an archive), or as weighty."""
    elements = signals.blocks.elements
    same_markup = (
        run.key == best.key
        and elements.tag[run.parent] == elements.tag[best.parent]
        and elements.classes[run.parent] == elements.classes[best.parent]
    )
    mean, best_mean = run.score / len(run.records), best.score / len(best.records)
    if same_markup and elements.depth[run.parent] == elements.depth[best.parent]:
        return mean > 0.4 * best_mean
    return run.score > 0.6 * best.score and mean > 0.5 * best_mean


def _entry(signals: PageSignals, anchors: Anchors, record: _Record) -> Entry:
    blocks, elements = signals.blocks, anchors.elements
    start = int(elements.start[record.first_row])
    end = max(start + 1, int(elements.start[record.last_row]) if record.last_row < len(elements) else len(blocks))
    end = min(end, start + 40)
    title = _full_title(record.anchor) if record.anchor.text and plain(record.title) == plain(record.anchor.text) else record.title
    lines = blocks.texts[start:end]
    return Entry(
        title=title[:300],
        url=record.anchor.url or "",
        time=_entry_time(signals, lines, title, record.anchor.url),
        source=_entry_source(lines),
        summary=_entry_summary(lines, title),
        image=_entry_image(signals, anchors, record),
    )


def _entry_time(signals: PageSignals, lines: list[str], title: str, url: str | None) -> str | None:
    """The date of the record's date line, else the first one of its other lines, the title left out; a missing year is that of an address.

    A day and a month that stand apart are put together.
    """
    hint = time_from_url(url, now=signals.now) or signals.url_time
    best: tuple[int, str] | None = None
    for line in (line.replace(title, " ") for line in lines):
        if len(line) <= 400 and _MAYBE_TIME.search(line):
            year = int(hint[:4]) if hint else None
            for found in iter_times(
                line, now=signals.now, year_hint=year, day_first=signals.day_first, relative=signals.fetched is not None
            ):
                around = len(line) - (found.end - found.start)
                if best is None or around < min(best[0], 60):
                    best = around, found.value
                break
    return best[1] if best else _split_time(signals, lines)


_DAY_ALONE = re.compile(r"\d{1,2}日?")
_YEAR_AND_MONTH = re.compile(r"((?:19|20)\d\d)\s?[-/.年]\s?(\d{1,2})月?|([A-Za-zÀ-ÿ]{3,9}\.?),? ((?:19|20)\d\d)")


def _split_time(signals: PageSignals, lines: list[str]) -> str | None:
    """`05` and `2024-03` (or `March 2024`) in two lines, in either order."""
    for first, second in pairwise(lines):
        for day, month in ((first, second), (second, first)):
            if _DAY_ALONE.fullmatch(day) and (match := _YEAR_AND_MONTH.fullmatch(month)):
                number = day.rstrip("日")
                text = f"{match[1]}-{match[2]}-{number}" if match[1] else f"{number} {match[3]} {match[4]}"
                for found in iter_times(text, now=signals.now):
                    return found.value
    return None


_ENTRY_SOURCE = re.compile(
    r"(?:来源|來源|出处|出處|source|quelle|fuente)\s?[:：]\s*([^\s|，,:：][^|，,:：]{0,30}?)(?=\s{1,}|$|[|，,])", re.I
)


def _entry_source(lines: list[str]) -> str | None:
    for line in lines:
        if len(line) <= 100 and (match := _ENTRY_SOURCE.search(line)):
            return match[1].strip()
    return None


def _entry_summary(lines: list[str], title: str) -> str | None:
    """The longest line that is neither the title nor a date line, nor both in one."""
    key = plain(title)
    best = max((line for line in lines if len(line) >= 20 and len(plain(line).replace(key, "", 1)) >= 15), key=len, default=None)
    return best[:1000] if best and plain(best) not in key else None


def _entry_image(signals: PageSignals, anchors: Anchors, record: _Record) -> str | None:
    elements = anchors.elements
    for row in range(record.first_row, min(record.last_row, anchors.last[record.first_row])):
        if TAGS[elements.tag[row]] == "img" and (url := image_url(signals.document, elements.nodes[row])):
            return url
    return None


# ---------------------------------------------------------------------------------------------- next page
_NEXT = re.compile(
    r"^\W*(?:下一?页|下一頁|下頁|后一页|後一頁|下翻|后页|next(?: (?:page|posts|entries|results))?|older(?: (?:posts|"
    r"entries|articles|stories))?|"
    r"previous posts|nächste(?: seite)?|weiter|suivante?|page suivante|siguientes?|página siguiente|"
    r"próxim[oa]|próxima página|seguinte|successiv[oa]|avanti|pagina successiva|volgende|nästa|neste|næste|seuraava|następna|"
    r"dalej|další|sonraki|следующая|вперед|далее|次へ|次のページ|次ページ|次|다음|التالي|berikutnya|selanjutnya|tiếp)\W*$",
    re.I,
)
_NEXT_SIGN = re.compile(r"^\s*(?:>|›|→|＞|»|>>|▶|&gt;)\s*$")
_NEXT_CLASS = re.compile(r"(?:^|[\s_-])(?:next|nextpage|pagination-next|older|nextpostslink)(?:$|[\s_-])", re.I)
_STORY = re.compile(r"下一篇|next (?:post|article|story)", re.I)


def find_next_page(signals: PageSignals, anchors: Anchors) -> list[Candidate]:
    """Addresses of the list's next page, best first."""
    own = _bare(signals.document.url or "")
    found = [
        Candidate(url, "link:rel", xpath_of(node), 0.9)
        for node in signals.document.root.iter("link")
        if "next" in (node.get("rel") or "").lower().split() and (url := signals.document.absolute(node.get("href")))
    ]
    for anchor in anchors.all:
        score = _next_score(anchor)
        if score and anchor.url:
            found.append(Candidate(anchor.url, "text", xpath_of(anchor.node), score))
    found += _numbered(signals, anchors)
    return sorted((candidate for candidate in found if _bare(candidate.value) != own), key=lambda candidate: -candidate.score)


def _next_score(anchor: Anchor) -> float:
    text = anchor.text or (anchor.node.get("aria-label") or anchor.node.get("title") or "")
    if _STORY.search(text) or len(text) > 30:
        return 0.0
    if "next" in (anchor.node.get("rel") or "").lower().split():
        return 0.85
    if _NEXT.match(text):
        return 0.88
    if _NEXT_CLASS.search(anchor.node.get("class") or "") and len(text) < 12:
        return 0.7
    return 0.5 if _NEXT_SIGN.match(text) else 0.0


def _numbered(signals: PageSignals, anchors: Anchors) -> Iterator[Candidate]:
    """The link behind the current number of a pager: the first number that is no link, or is marked as current."""
    numbers = [anchor for anchor in anchors.all if re.fullmatch(r"\W{0,2}\d{1,4}\W{0,2}", anchor.text)]
    by_parent: dict[int, list[Anchor]] = {}
    for anchor in numbers:
        row = int(anchors.elements.parent[anchor.row])
        if TAGS[anchors.elements.tag[row]] in ("li", "span", "td", "div") and len(anchors.inside(row, anchors.last[row])) == 1:
            row = int(anchors.elements.parent[row])
        by_parent.setdefault(row, []).append(anchor)
    for row, links in by_parent.items():
        values = {int(re.sub(r"\D", "", link.text)): link for link in links}
        current = _current_number(signals, anchors, row, set(values))
        if current is not None and current + 1 in values and (len(values) > 1 or current == 1) and (url := values[current + 1].url):
            yield Candidate(url, "pager", xpath_of(values[current + 1].node), 0.75)


def _current_number(signals: PageSignals, anchors: Anchors, parent: int, linked: set[int]) -> int | None:
    elements = anchors.elements
    for row in range(parent + 1, anchors.last[parent]):
        text = anchors.text(row)
        if not re.fullmatch(r"\W{0,2}\d{1,4}\W{0,2}", text):
            continue
        number = int(re.sub(r"\D", "", text))
        marked = re.search(
            r"current|active|selected|\bcur\b|\bon\b|this", f"{elements.classes[row]} {elements.nodes[row].get('aria-current') or ''}", re.I
        )
        node = elements.nodes[row]
        unlinked = node.tag in ("span", "strong", "b", "em", "li", "a", "font", "i") and not any(
            link.get("href") for link in (node, *node.iterancestors("a"), *node.iter("a"))
        )
        if marked or (unlinked and number not in linked):
            return number
    return None
