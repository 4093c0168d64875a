"""Who wrote and who published: authors and source, from JSON-LD, meta tags, markup and bylines."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.blocks import TAG_CODES
from webcontent.fields.dates import iter_times
from webcontent.fields.months import MONTHS, plain_word
from webcontent.fields.page_signals import collapse, node_text, node_xpath, plain, strings_of, type_of
from webcontent.fields.titles import site_names, tail_of_title
from webcontent.items import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.fields.page_signals import PageSignals

LONGEST_NAME = 60
_LINK = TAG_CODES["a"]

_META_AUTHORS = {
    "author": 0.62, "article:author": 0.6, "og:article:author": 0.58, "parsely-author": 0.72, "sailthru.author": 0.72,
    "dc.creator": 0.66, "dcterms.creator": 0.66,
    "byl": 0.72, "citation_author": 0.7, "cxenseparse:author": 0.7, "article.author": 0.6, "authors": 0.62, "creator": 0.55,
    "smartbanner:author": 0.0,
    "dc.creator.personalname": 0.7, "og:author": 0.6, "lp.article:author": 0.6, "twitter:data1": 0.0,
}  # fmt: skip
_SPLIT = re.compile(r"\s*[,;、，；|/·•&＆]\s*|\s+(?:with|和|与)\s+", re.I)
_SPLIT_WORDS = re.compile(r"\s+(?:and|und|et|och|og|en|mit|y|e|i)\s+", re.I)
_PREFIX = re.compile(
    r"^(?:(?:more (?:stories|articles|posts|from|by)|(?:view )?all posts|posts|articles?|veröffentlicht|artikel|geschrieben|"
    r"beitrag|ein(?: \w+)?) (?:by|von)|(?:written|posted|published|reported|story|reviewed|words|text|article|created|authored|"
    r"submitted) by|by|von|von:|par|por|di|af|av|door|vo?m|text|texte|texto|testo|autor(?:in|en|es|a)?|author\(?s?\)?|auteurs?|"
    r"autore|"
    r"redaktion|作者|文章作者|撰文|采写|執筆|文|记者|記者|写作|著者|ライター|글|기자|автор|oleh|yazar|pisze|opracowanie|"
    r"escrito por|publicado por|"
    r"publié par|geschrieben von|ein(?:e)? .{3,25} von)\s*[:：/／]?\s+|^by[:\s]+|^(?:by){2}\s*|^(?-i:(?:[Bb]y|[Vv]on|[Pp]ar|"
    r"[Pp]or)(?=[A-ZÀ-Þ][a-zß-ÿ]))|^(?:作者|文|记者|記者|采写|撰文|著者|執筆)\s*[:：/／]\s*",
    re.I,
)
_SUFFIX = re.compile(
    r"(?:\s*(?:\(.*\)|[（〔\[].*)|\s+[-–—|].*|,.*|\s+(?:am|on|le|il|el|em|den|vom|um|at)$|\s*(?:\bfor\b.*|\bat\b .*|\bvia\b.*|"
    r"\bon\b .*|\bin\b .*|updated.*|published.*|posted.*|(?:staff|senior|special|contributing|associated|freelance|chief|"
    r"political)\b.*|"
    r"(?:reporter|correspondent|writer|editor|columnist|contributor|journalist|photographer|author|redakteur(?:in)?)s?\b.*|"
    r"about the author.*|\bread more.*|follow.*|@.*|all(?:e|) (?:artikel|posts|articles).*|im gespräch.*))$",
    re.I,
)
_NO_NAME = re.compile(
    r"\d{3}|https?:|www\.|\.com\b|@|[:?!=<>{}\[\]]|^(?:admin(?:istrator)?|author|editor|editors|unknown|anonymous|anonym|staff|"
    r"user|guest|web ?master|root|none|null|undefined|未知|佚名|网络|匿名|本站|管理员|小编|编辑|原创|转载|网络整理|整理|by|home|more|"
    r"the|share|comments?|read more|view all|all posts|see more|follow|subscribe|(?:view )?author archives?|posted|published|updated|"
    r"written|about|profile|bio|image|photo|credit|email|print|advertisement|article|news|blog|press release)$",
    re.I,
)
_BYLINE = re.compile(
    r"^(?:(?:more (?:stories|articles|posts|from|by)|(?:view )?all posts|posts|articles?|veröffentlicht|artikel|geschrieben|"
    r"beitrag|ein(?: \w+)?) (?:by|von)|(?:written|posted|reported|story|words|text|article|created|authored|submitted|"
    r"published) by|by|von|par|por|di|af|av|door|oleh|text|texte|texto|testo|autor(?:in)?|author|auteur|autore|автор|"
    r"escrito por|geschrieben von)\s*:?\s+(?-i:(?=[\"'“]?[A-ZÀ-ÞĀ-ŽА-Я]))(.{3,120})$",
    re.I,
)
_UPPER_WORD = re.compile(
    r"^(?:[\"'“(]?[A-ZÀ-ÞĀ-ŽА-ЯΑ-Ω]|de|del|della|di|da|van|von|der|den|la|le|el|al|bin|ibn|dos|das|du|y|e|ter|ten|zu|zur|af|mc|o['’]|d['’])"
)
_HAN = re.compile(r"[\u3400-\u9fff]")


def find_authors(signals: PageSignals) -> list[Candidate]:
    """Candidates, each a list of names, best first."""
    found = sorted(_iter_authors(signals), key=lambda candidate: -candidate.score)
    if signals.is_han:
        found = _without_editors_and_publishers(signals, found)
    return _supported(found)


def _without_editors_and_publishers(signals: PageSignals, found: list[Candidate]) -> list[Candidate]:
    """On Chinese pages meta tags name the editor (编辑：) or the publisher as author."""
    publishers = {plain(candidate.value) for candidate in find_sources(signals)}
    editors = "".join(text for text in signals.blocks.texts[-1500:] if len(text) < 120 and _EDITOR.search(text))
    kept = []
    for candidate in found:
        labelled = candidate.origin == "text" and candidate.score > 0.8
        names = [name for name in candidate.value if labelled or not (plain(name) in publishers or name in editors)]
        if names:
            kept.append(Candidate(names, candidate.origin, candidate.xpath, candidate.score))
    return kept


_EDITOR = re.compile(r"编辑|編輯|责编|責編|校对|审核")


def _supported(found: list[Candidate]) -> list[Candidate]:
    """Names that several places give gain; the longest list among equals leads."""
    found = _without_places(found)
    kinds: dict[str, set[str]] = {}
    for candidate in found:
        for name in candidate.value:
            kinds.setdefault(plain(name), set()).add(candidate.origin.split(":")[0])
    scored = []
    for candidate in found:
        others = sum(len(kinds[plain(name)]) - 1 for name in candidate.value) / len(candidate.value)
        scored.append(Candidate(candidate.value, candidate.origin, candidate.xpath, round(min(1.0, candidate.score + 0.08 * others), 4)))
    return _fullest_first(sorted(scored, key=lambda candidate: -candidate.score))


_EACH_LINKED = ("rel=author", "link:author")
"""Origins whose names were linked one by one."""
FULLER = 0.2
"""How much less the score of a fuller list may be."""


def _fullest_first(found: list[Candidate]) -> list[Candidate]:
    """The candidates; a list with all names of the first one and more leads where its names are links beside each other."""
    if not found:
        return found
    first = set(map(plain, found[0].value))
    for candidate in found[1:]:
        if candidate.origin in _EACH_LINKED and candidate.score > found[0].score - FULLER and first < set(map(plain, candidate.value)):
            return [candidate, *(other for other in found if other is not candidate)]
    return found


def _without_places(found: list[Candidate]) -> list[Candidate]:
    """The candidates without single words that no other place gives, beside names that others do give: By Jane Doe, Berlin."""
    places = {(candidate.xpath or candidate.origin, plain(name)) for candidate in found for name in candidate.value}
    given = Counter(name for _, name in places)
    kept = []
    for candidate in found:
        names = [name for name in candidate.value if given[plain(name)] > 1 or not (name.istitle() and " " not in name)]
        shared = any(given[plain(name)] > 1 for name in names)
        kept.append(Candidate(names, candidate.origin, candidate.xpath, candidate.score) if shared else candidate)
    return kept


def _iter_authors(signals: PageSignals) -> Iterator[Candidate]:
    site = site_names(signals)
    named_site = False
    for place, item in enumerate(signals.objects[:4]):
        names, person = _json_names(signals, item.get("author") or item.get("creator"))
        if names:
            score = 0.85 if place == 0 and signals.is_article else 0.7
            is_site = _are_site(names, site)
            named_site = named_site or is_site
            yield Candidate(names, "json-ld:author", None, score - 0.15 * (not person) - 0.25 * is_site)
    for key, trust in _META_AUTHORS.items():
        names = [name for text in signals.document.meta.get(key, ())[:8] for name in names_of(text)]
        if names and trust:
            is_site = _are_site(names, site)
            named_site = named_site or is_site
            yield Candidate(_unique(names), key if ":" in key else f"meta:{key}", None, trust - 0.25 * is_site)
    yield from _iter_marked_authors(signals)
    yield from _iter_author_links(signals)
    yield from _iter_bylines(signals)
    if not signals.is_han:
        yield from _iter_names_beside_dates(signals)
    yield from _iter_han_bylines(signals)
    if named_site:
        yield from _iter_signed(signals)


SIGNED = 0.56
"""Score of a name alone beside the text: above the site's own name, below all others."""
_NAME_WORD = re.compile(r"[A-ZÀ-ÞĀ-ŽА-ЯΑ-ΩĐ][^\W\d_]*(?:[-'’][^\W\d_]+)*\.?")
_HEADINGS = frozenset(TAG_CODES[f"h{level}"] for level in range(1, 7))


def _iter_signed(signals: PageSignals) -> Iterator[Candidate]:
    """A name alone in the line before the text, in its first or its last one or behind it."""
    if signals.body is None:
        return
    blocks = signals.blocks
    first, last = signals.running or signals.body
    for block in dict.fromkeys((first - 1, signals.body[0], last + 1, signals.body[1])):
        text = blocks.texts[block] if 0 < block < len(blocks.texts) else ""
        words = text.split()
        row = int(blocks.element[block]) if text else -1
        if (
            1 < len(words) < 5
            and all(map(_NAME_WORD.fullmatch, words))
            and is_name(text)
            and plain(text) != signals.title_key
            and not blocks.link_chars[block]
            and int(blocks.elements.tag[row]) not in _HEADINGS
            and not _in_figure(signals, row)
        ):
            yield Candidate([text], "text", signals.xpath(block), SIGNED)


def _are_site(names: list[str], site: set[str]) -> bool:
    """Whether the site itself stands where its authors should."""
    return all(plain(name) in site for name in names)


def _json_names(signals: PageSignals, value: Any) -> tuple[list[str], bool]:
    """Names in an author value, and whether the first is a person's."""
    values = value if isinstance(value, list) else [value]
    names: list[str] = []
    person = True
    for item in map(signals.resolve, values[:20]):
        texts = strings_of(item, "name")
        if isinstance(item, dict) and not names:
            person = type_of(item) in ("Person", "")
        for text in texts[:10]:
            names += names_of(text)
    return _unique(names), person


def _iter_marked_authors(signals: PageSignals) -> Iterator[Candidate]:
    """Microdata, rel=author, and elements whose class speaks of an author, near the title."""
    for key, trust in (("author", 0.72), ("rel=author", 0.68)):
        names, xpath = [], None
        for node in signals.marked.get(key, ())[:6]:
            block = signals.block_of(node)
            if len(node) and not node_text(node):
                block = None  # data without text says nothing by its place
            if block is not None and not -12 <= signals.distance(block) <= 25 and signals.title_block is not None:
                continue
            inner = next((child for child in node.iter() if "name" in (child.get("itemprop") or "").lower().split()), node)
            found = names_of(inner.get("content") or node_text(inner)[:100])
            names += found
            xpath = xpath or (node_xpath(node) if found else None)
        if names:
            yield Candidate(_unique(names), key if "=" in key else f"itemprop:{key}", xpath, trust)
    for row, name in signals.short_rows[:80]:
        if "authors" not in name.split():
            continue
        block = int(signals.blocks.elements.start[row])
        distance = signals.distance(block)
        if not -8 <= distance <= 20:
            continue
        text = signals.row_text(row)
        if _in_figure(signals, row):
            continue
        if 2 < len(text) <= 120 and (names := [name for name in names_of(text) if _all_upper(name)]):
            yield Candidate(_unique(names), "class:author", node_xpath(signals.blocks.elements.nodes[row]), 0.66 - 0.005 * abs(distance))


_AUTHOR_ADDRESS = re.compile(
    r"/(?:authors?|autore?s?|auteurs?|autorin(?:nen)?|users?|u|writers?|contributors?|editors|staff|team|columnists?|reporters?|"
    r"journalist(?:en|s)?|bloggers?|profiles?|people|person|redakteure?|redaktion|members?|bio|by)/[^/?#]+/?(?:[?#].*)?$|"
    r"[?&]author=",
    re.I,
)


def _iter_author_links(signals: PageSignals) -> Iterator[Candidate]:
    """Links near the title whose address is that of an author's page."""
    if signals.title_block is None:
        return
    elements = signals.blocks.elements
    rows = np.flatnonzero(
        (elements.tag == _LINK) & (elements.start >= signals.title_block - 6) & (elements.start <= signals.title_block + 14)
    )
    names: list[str] = []
    xpath, last = None, 0
    for row in rows[:80].tolist():
        node = elements.nodes[row]
        start = int(elements.start[row])
        if names and start > last + 1 or not _AUTHOR_ADDRESS.search((node.get("href") or "")[:300]):
            continue
        if found := names_of(node_text(node)[:80]):
            names += found
            last = start
            xpath = xpath or node_xpath(node)
    if names:
        yield Candidate(_unique(names), "link:author", xpath, 0.67)


def _iter_names_beside_dates(signals: PageSignals) -> Iterator[Candidate]:
    """A name alone before or behind the date of a short line: Jane Doe | May 1, 2024."""
    for block, text in signals.lines():
        if not -4 <= signals.distance(block) <= 8 or not 14 < len(text) <= 110 or not _YEAR.search(text):
            continue
        first = next(iter_times(text), None)
        if first is None:
            continue
        for part, trust in ((text[: first.start], 0.56), (text[first.end :], 0.54)):
            names = names_of(_LABELS_AROUND.sub("", part))
            if names and all(1 < len(name.split()) < 5 and all(map(_UPPER_WORD.match, name.split())) for name in names):
                yield Candidate(names, "text", signals.xpath(block), trust)


_YEAR = re.compile(r"(?:19|20)\d\d")
_LABELS_AROUND = re.compile(
    r"\b(?:on|am|le|il|el|em|den|vom|um|at|updated|published|posted|aktualisiert|veröffentlicht|stand|uhr|\d+ (?:comments?|"
    r"min\w*(?: read)?))\b\W*",
    re.I,
)


def _in_figure(signals: PageSignals, row: int) -> bool:
    """Whether an element belongs to a picture: its author is the photographer."""
    elements = signals.blocks.elements
    for _ in range(4):
        if row < 0:
            return False
        if elements.nodes[row].tag in ("figure", "figcaption") or _PICTURE_CLASS.search(elements.classes[row]):
            return True
        row = int(elements.parent[row])
    return False


_PICTURE_CLASS = re.compile(r"caption|photo|image|picture|copyright|credit|\bimg", re.I)


def _iter_bylines(signals: PageSignals) -> Iterator[Candidate]:
    """Lines that begin with "By", "Von", "Par" and the like."""
    for block, text in signals.lines():
        distance = signals.distance(block)
        if not -6 <= distance <= 15 or len(text) > 150:
            continue
        match = _BYLINE.match(text)
        if match and (names := [name for name in names_of(_until_date(match[1])) if _all_upper(name)]):
            yield Candidate(_unique(names), "text", signals.xpath(block), 0.7 - 0.01 * abs(distance))


def _all_upper(name: str) -> bool:
    """Whether every word is written as in names; one or two words may be anything."""
    words = name.split()
    return len(words) < 3 or _HAN.search(name) is not None or all(map(_UPPER_WORD.match, words))


def _until_date(text: str) -> str:
    """The part of a byline before its date."""
    first = next(iter_times(text), None)
    return text[: first.start].rstrip(" ,|·•–—-") if first and first.start > 2 else text


# ---------------------------------------------------------------------------------------------- names
def names_of(text: str | None) -> list[str]:
    """The names in a byline, without "By", roles and agencies' marks.

    >>> names_of("By Jane Doe and John Q. Public, Staff Writer")
    ['Jane Doe', 'John Q. Public']
    >>> names_of("作者：张三 李四")
    ['张三', '李四']
    >>> names_of("https://www.facebook.com/page")
    []
    """
    text = _until_date(collapse((text or "")[:300]).strip(" |·•-–—,:："))
    text = _SECTIONS_BEHIND.sub("", _HAN_DESK_BEHIND.sub("", _PREFIX.sub("", text, count=1)))
    if not text or len(text) > 200 or "http" in text:
        return []
    names = []
    for part in _SPLIT.split(text):
        for piece in _split_words(part):
            names += [name for name in _han_names(piece) if name] if _HAN.search(piece) else [_clean_name(piece)]
    names = _unique([name for name in names if is_name(name)])
    people = [name for name in names if not _DOMAIN.search(name)]
    return people or names


_SECTIONS_BEHIND = re.compile(r"(?<=\w),\s(?:in|at|for|on)\s[A-Z].*$")
_DOMAIN = re.compile(r"^\S+\.[a-z]{2,4}$", re.I)


def _split_words(text: str) -> list[str]:
    """Parted at "and" where both sides are whole names: not "Le Figaro et AFP"."""
    parts = _SPLIT_WORDS.split(text)
    return parts if all(len(part.split()) > 1 for part in parts) else [text]


_HAN_DESK_BEHIND = re.compile(
    r"\s?[/／]\s?[^/／]{2,12}[報报][導导道]$|[報报][導导道]$|^(?:[^\s]{0,8}(?:记者|記者))(?=[\u3400-\u9fff]{2,4}(?:[\s、/／]|$))"
)


def _clean_name(text: str) -> str:
    """Without what stands before and behind a name; roles stay where they are all of it ("AOL Staff")."""
    text = text.replace("\xad", "").strip()
    for _ in range(2):
        text = _PREFIX.sub("", text, count=1)
    shorter = _SUFFIX.sub("", text).strip(" ,;:|·•-–—\"'“”()")
    if len(shorter.split()) > 1 or re.search(r"\s(?:am|on|le|il|el|em|den|vom|um|at)$|[|(]", text):
        text = shorter
    return text.strip(' ,;:|·•-–—"“”') if not text.endswith(".") or len(text.split()[-1]) < 5 else text.strip(' .,;:|·•-–—"“”')


def _han_names(text: str) -> list[str]:
    """Chinese names may stand with a space between them: 张三 李四."""
    parts = text.split()
    if len(parts) > 1 and all(2 <= len(part) <= 4 and part[0] in _SURNAMES for part in parts):
        return parts
    return [text.strip(" 　:：")]


def is_name(text: str) -> bool:
    """Whether a text can be the name of a person or a desk."""
    if not 2 <= len(text) <= LONGEST_NAME or _NO_NAME.search(text) or not any(c.isalpha() for c in text):
        return False
    if _HAN.search(text):
        return len(text) <= 16 and not _NO_HAN_AUTHOR.search(text)
    words = text.split()
    first = plain_word(words[0])
    if _NO_AUTHOR_WORD.match(text) or (first in MONTHS and any(map(str.isdigit, text))) or (len(text) < 4 and text.islower()):
        return False
    return len(words) <= 6 and (len(words) == 1 or _UPPER_WORD.match(words[0]) is not None or words[-1][:1].isupper())


_NO_AUTHOR_WORD = re.compile(
    r"^(?:(?:staff|senior|special|contributing|associate|freelance|chief|political|managing|deputy|guest) )?(?:writer|reporter|"
    r"editor|correspondent|contributor|columnist|journalist|photographer)s?$|"
    r"^(?:veröffentlicht|published|posted|updated|aktualisiert|geändert|stand|datum|date|bild|foto|photo|image|getty|keystone|"
    r"istock|shutterstock|reuters/|artikel|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|monday|tuesday|wednesday|"
    r"thursday|friday|saturday|sunday|"
    r"lesezeit|reading time|min read|kommentar|comment|teilen|copyright|©|kategorie|category|in|am|von|par|por|um|uhr|tags?)\b",
    re.I,
)
_NO_HAN_AUTHOR = re.compile(
    r"[，。！？、：:]|来源|來源|编辑|編輯|责任|責任|时间|時間|版权|声明|发布|發布|发表|阅读|閱讀|浏览|评论|分享|原创|"
    r"关注|点击|更多|查看|全部|作品|^文章$|粉丝|收藏|简介|作者|投稿|登录|注册|登録|ログイン"
)


def _unique(names: list[str]) -> list[str]:
    seen: dict[str, str] = {}
    for name in names:
        seen.setdefault(plain(name), name)
    return [name for key, name in seen.items() if key]


# ---------------------------------------------------------------------------------------------- Chinese bylines
_SURNAMES = frozenset(
    "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何高林罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖萧蕭田董袁潘于蒋蔣蔡余杜叶葉程苏蘇魏吕呂丁任沈姚卢盧姜崔钟鍾谭譚陆陸汪范石廖贾賈夏韦韋付傅方白邹鄒孟熊秦邱江尹薛闫閻阎段雷侯龙龍史陶黎贺賀"
    "顾顧毛郝龚龔邵万萬钱錢严嚴覃武戴莫孔向汤湯温溫康施文牛樊葛邢安齐齊易乔喬伍庞龐颜顏倪庄莊聂聶章鲁魯岳翟殷詹申欧歐耿关關兰蘭焦俞左柳甘祝包宁寧尚符舒阮柯纪紀梅童凌毕畢单單季裴霍涂苗翁路辛官巫骆駱连連成曲盛饶饒房耀岑解冀景应應古柴桂屈鲍鮑车車位谷巩游卜戚米瞿卓裘步桑冷"
    "冉沙穆农農时時丛叢仇简簡华華麦麥隋郁宗邸晏缪闵閔蔺随臧艾喻阳陽阎储栾"
)
_HAN_NAME = r"(?!通讯员|通訊員|记者|記者|实习|見習|见习|特约|摄影|攝影|综合|綜合|编辑)[\u3400-\u9fff·]{2,4}"
_HAN_NAMES = rf"({_HAN_NAME}(?:(?:\s*[、，,&和及]\s*|\s+){_HAN_NAME}){{0,5}})"
_CREDIT = r"(?:摄|攝|图|圖|供图|翻摄|翻攝|制图|摄影|攝影)"
_HAN_LABEL = re.compile(
    r"(?:^|[\s|｜/，,。;；(（【\[〔■》]|(?<=[\u3400-\u9fff])(?=作者[:：]))(?:(?:文[/／]图|图[/／]文|文图|图文|文字|"
    r"文章作者|本文作者|作\s?者|撰\s?文|撰稿人?|采\s?写|采访|"
    r"執筆|执笔|署名|文|著者|編集)\s?(?:[:：/／]|(?<=[图文]) )|文章作者\s|(?<=[^\s原该本])作者[:：])\s?(?P<names>[^\s|"
    r"｜()（）:：;；。【】][^|"
    r"｜()（）:：;；。【】]{0,40})"
)
_HAN_REPORTER = re.compile(
    rf"(?P<open>[(（〔【\[])?(?P<who>(?:[^\s()（）〔〕【】，。,;；:：]{{0,14}}?)(?:(?:见习|實習|实习|特派|特约|全媒体|"
    rf"通讯)?(?:记者|記者|通讯员|通訊員|实习生|"
    rf"评论员)))\s*[:：]?\s*{_HAN_NAMES}"
)
_HAN_DESK = re.compile(
    rf"[(（〔\[【]\s?{_HAN_NAMES}\s?[／/]\s?[^)）〕\]】]{{2,14}}[報报][導导]\s?[)）〕\]】]|"
    rf"^{_HAN_NAMES}\s?[／/]\s?[^\s]{{2,12}}[報报][導导]"
)
_HAN_SIGNED = re.compile(rf"[(（]\s?(?:文/|文／|图文/|文/图\s?)?{_HAN_NAMES}\s?[)）]$")
_NO_HAN_NAME = re.compile(
    r"新聞|新闻|中心|返回|查看|记者|記者|报道|報導|报导|日电|获悉|表示|编辑|通讯|了解|采访|介绍|今日|昨日|摄影|翻攝|從|"
    r"从|来到|看到|发现|綜合|综合|现场|现在|如何|提问|网友|先生|女士|同学|完$|攝$|摄$|图$|"
    r"圖$|说$|称$|问$|[0-9]"
)


def _iter_han_bylines(signals: PageSignals) -> Iterator[Candidate]:
    """作者：张三; （记者 张三 李四）; 記者林悅／南市報導; （李楠） at the end of the text."""
    named: dict[str, tuple[str, float]] = {}
    for block, text, edge in _han_lines(signals):
        if not _HAN.search(text):
            continue
        for names, score in _han_line_names(text, edge):
            for name in names:
                if name not in named or named[name][1] < score:
                    named[name] = (signals.xpath(block), score)
    named = {name: place for name, place in named.items() if is_name(name)}
    if named:
        best = max(score for _, score in named.values())
        names = [name for name, (_, score) in named.items() if score >= best - 0.04]
        yield Candidate(_unique(names), "text", named[names[0]][0], best)


def _han_lines(signals: PageSignals) -> Iterator[tuple[int, str, str]]:
    """Lines about the article ("line"), and the beginnings ("head") and ends ("tail") of its first and last paragraphs."""
    texts = signals.blocks.texts
    for block, text in signals.lines():
        if -6 <= signals.distance(block) <= 12 and len(text) <= 100:
            yield block, text, "line"
    if signals.body is None:
        return
    first, last = signals.body
    for block in range(first, min(first + 4, last + 1)):
        yield block, texts[block][:90], "head"
    for block in range(max(first, last - 4), min(last + 7, len(texts))):
        text = texts[block][-60:] if block <= last else texts[block][:100]
        if len(text) <= 16 and text.endswith(("记者", "記者")) and block + 1 < len(texts):
            text = f"{text} {texts[block + 1][:30]}"  # the names stand in the next line
        yield block, text, "tail"


def _han_line_names(text: str, edge: str) -> Iterator[tuple[list[str], float]]:
    text = text.replace("\xa0", " ")
    for match in _HAN_LABEL.finditer(text):
        names = [
            name
            for name in names_of(
                re.split(r"\s(?:来源|來源|时间|時間|编辑|責任|责任|发布|发表|选题|译者|校对|浏览|点击|阅读|20\d\d)", match["names"])[0]
            )
            if not _NO_HAN_NAME.search(name)
        ]
        if names:
            yield names, 0.84
    for match in _HAN_DESK.finditer(text):
        yield _split_han(match[1] or match[2]), 0.76
    for match in _HAN_REPORTER.finditer(text):
        behind = text[match.end() : match.end() + 6]
        if re.match(r"\s?[／/]?\s?(?:攝|摄|翻攝|翻摄|图|圖|供图)", behind) or (
            edge != "line" and not match["open"] and len(text) > 45 and match.start() > 12
        ):
            continue
        names = _split_han(match[3])
        closed = re.match(r"\s*(?:[)）〕】\]／/]|$|\s|[，,]\s?通讯员)", behind) is not None
        if names and (closed or match["open"]):
            yield names, 0.77
    if edge == "tail" and (signed := _HAN_SIGNED.search(text)):
        names = _split_han(signed[1])
        if names and all(name[0] in _SURNAMES for name in names):
            yield names, 0.72


def _split_han(text: str) -> list[str]:
    names = [name.strip() for name in re.split(r"[\s、，,&和及]+", text) if name.strip()]
    return [name for name in names if 2 <= len(name) <= 4 and not _NO_HAN_NAME.search(name)]


# ---------------------------------------------------------------------------------------------- source
_META_SOURCES = {
    "source": 0.74,
    "contentsource": 0.78,
    "article:source": 0.72,
    "dc.source": 0.6,
    "original-source": 0.4,
    "syndication-source": 0.4,
    "mediaid": 0.6,
}
SOURCE_LABEL = re.compile(
    r"(?:^|[\s|｜/（(\[【\]】)），,;；。:：\d])(?:(?:信息|文章|新闻|稿件|消息|内容|本文|资料|資料|新聞|文本)?(?:来源|"
    r"來源)(?:于|於)?|稿源|出处|出處|转载自|转自|轉載自|信源|来稿|供稿单位|"
    r"출처|出典|引用元|source|quelle|fuente|fonte|bron|kilde|källa|źródło|zdroj|kaynak|источник)\s?[:：]\s*(?P<name>.*)$",
    re.I,
)
_SOURCE_END = re.compile(
    r"\s*(?:[|｜]|\s{1,}(?:By\s+[A-Z]|作者|记者|編輯|编辑|责任|發布|发布|发表|时间|時間|日期|点击|阅读|浏览|字号|字體|"
    r"字体|分享|评论|我要|参与|收藏|原创|访问|录入|关注|查看|【|\[|\(|（|"
    r"20\d\d)|(?:作者|记者|责任编辑|编辑|发布(?:时间|日期)?|时间|日期|点击|阅读|浏览|作者)\s?[:：]|我有话说|我要评论|\s20\d\d|https?:)"
)
_NO_SOURCE = re.compile(r"^(?:[-—–.·:：\s]*|网络|互联网|未知|本站|原创|转载|\d+|admin|not applicable|点击.*|浏览.*|none|null)$", re.I)
_BESIDE_NOISE = re.compile(
    r"(?:发布|發布|发表|更新|刊登)?(?:于|时间|時間|日期)?[:：]|我有话说.*|我要评论.*|收藏本文.*|收藏.*|评论.*|"
    r"\d+\s?(?:人|次|条|阅读|浏览).*|\(?\d+人参与.*|https?://\S+|"
    r"字号.*|字體.*|分享.*|打印.*|[\[【(（]\s?(?:微博|微信|整理|原创|投稿|编译)\s?[\])】）].*|^原创\s|\s原创$|[(（]\s*$|"
    r"^\s*[)）]|星期.|周[一二三四五六日]|北京时间|\s\d+$|"
    r"来源.*|记者.*|記者.*|作者.*|编辑.*|點擊.*|点击.*|阅读.*|浏览.*"
)


def find_sources(signals: PageSignals, title: str | None = None) -> list[Candidate]:
    """Candidates of who published the text first; last of all the site's own name. Best first."""
    found = [
        *_iter_named_sources(signals),
        *_iter_sources_beside_dates(signals),
        *_iter_source_elements(signals),
        *_iter_site_names(signals),
    ]
    return sorted(found, key=lambda candidate: -candidate.score)


def _iter_named_sources(signals: PageSignals) -> Iterator[Candidate]:
    for key, trust in _META_SOURCES.items():
        for text in signals.document.meta.get(key, ())[:1]:
            if name := source_name(text):
                yield Candidate(name, f"meta:{key}", None, trust)
    texts = signals.blocks.texts
    for block, text in _source_lines(signals):
        match = SOURCE_LABEL.search(text)
        if not match or _in_figure(signals, int(signals.blocks.element[block])):
            continue
        name = source_name(match["name"])
        if (
            not name
            and not match["name"].strip()
            and block + 1 < len(texts)
            and len(texts[block + 1]) <= 20
            and not re.search(r"[:：\d]", texts[block + 1])
        ):
            name = source_name(texts[block + 1])
        if name:
            yield Candidate(name, "text", signals.xpath(block), 0.9 - 0.004 * abs(signals.distance(block)))


def _iter_source_elements(signals: PageSignals) -> Iterator[Candidate]:
    """Elements whose class speaks of a source, near the title."""
    for row, name in signals.short_rows[:80]:
        block = int(signals.blocks.elements.start[row])
        if (
            signals.is_han
            and "source" in name.split()
            and -6 <= signals.distance(block) <= 12
            and (text := source_name(signals.row_text(row)))
            and len(text) <= 20
            and is_name(text)
            and not _PREFIX.match(text)
        ):
            yield Candidate(text, "class:source", node_xpath(signals.blocks.elements.nodes[row]), 0.6)


def _source_lines(signals: PageSignals) -> Iterator[tuple[int, str]]:
    yield from signals.lines()
    if signals.body is not None:
        texts = signals.blocks.texts
        for block in range(max(0, signals.body[1] - 2), min(len(texts), signals.body[1] + 6)):
            if len(texts[block]) <= 80:
                yield block, texts[block]


def source_name(text: str) -> str | None:
    """The name behind a label, until the next label.

    >>> source_name("新华社 作者：张三")
    '新华社'
    """
    text = collapse(text)[:200]
    if match := SOURCE_LABEL.search(" " + text):
        text = match["name"]
    if end := _SOURCE_END.search(text):
        text = text[: end.start()]
    first = next(iter_times(text), None)
    if first:
        text = text[: first.start] if first.start > 1 else text[first.end :]
    text = text.strip(" 　:：|,，;；-–—·/()（）[]【】")
    return text if 1 < len(text) <= 40 and not _NO_SOURCE.match(text) else None


def _iter_sources_beside_dates(signals: PageSignals) -> Iterator[Candidate]:
    """Chinese date lines name the source beside the time: 2019年11月25日 18:57 参考消息."""
    if not signals.is_han:
        return
    authors = {plain(name) for node in signals.marked.get("rel=author", ())[:6] for name in names_of(node_text(node)[:100])}
    texts = signals.blocks.texts
    tail = range(signals.body[1], min(len(texts), signals.body[1] + 4)) if signals.body else ()
    near = ((block, text) for block, text in signals.lines() if -4 <= signals.distance(block) <= 12)
    for block, text in (*near, *((block, texts[block]) for block in tail)):
        if len(text) > 80 or not _HAN.search(text):
            continue
        first = next(iter_times(text), None)
        if first is None or "T" not in first.value:
            continue
        for part, trust in ((text[first.end :], 0.7), (text[: first.start], 0.66)):
            name = _BESIDE_NOISE.sub("", part).strip(" 　:：|,，;；-–—·/()（）[]【】")
            name = name.split(" ")[0] if len(name) > 12 else name
            if _PREFIX.match(name) or {plain(part) for part in names_of(name)} & authors:
                continue
            if 2 <= len(name) <= 16 and _HAN.search(name) and not _NO_SOURCE.match(name) and not re.search(r"[0-9，。！？:：]", name):
                yield Candidate(name, "text", signals.xpath(block), trust)


_SITE_META = {
    "og:site_name": 0.53, "og:site": 0.4, "application-name": 0.38, "site_name": 0.38, "sitename": 0.38, "dc.publisher": 0.42,
    "publisher": 0.4,
    "apple-mobile-web-app-title": 0.3,
}  # fmt: skip


def _iter_site_names(signals: PageSignals) -> Iterator[Candidate]:
    """The site's own name; one that is no address is better."""
    for value, origin, trust in _site_places(signals):
        text = collapse(value)
        if 1 < len(text) <= 60 and "http" not in text:
            yield Candidate(text, origin, None, trust - 0.05 * (re.search(r"\w\.\w{2,4}$", text) is not None))


def _site_places(signals: PageSignals) -> Iterator[tuple[str, str, float]]:
    for key, trust in _SITE_META.items():
        for text in signals.document.meta.get(key, ())[:1]:
            yield text, key if ":" in key else f"meta:{key}", trust
    for item in signals.objects[:3]:
        for text in strings_of(signals.resolve(item.get("publisher")), "name")[:1]:
            yield text, "json-ld:publisher", 0.52
    for item in signals.document.json_ld[:60]:
        if type_of(item) in ("WebSite", "NewsMediaOrganization"):
            for text in strings_of(item.get("name"))[:1]:
                yield text, "json-ld:site", 0.45
    if signals.title_key and (tail := tail_of_title(signals.document.title or "", signals.title_key)):
        yield tail, "title", 0.34
