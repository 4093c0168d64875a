"""Names of people and desks in a text: freed of labels, roles and dates, and parted."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from webcontent.fields.dates import iter_times
from webcontent.fields.dates.forms import MONTHS, plain_word
from webcontent.fields.lexicon import alternation, words
from webcontent.fields.page_signals import collapse, plain

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MAX_NAME_CHARS, MAX_NAME_WORDS, MAX_HAN_NAME_CHARS = 60, 6, 16
"""Of a name, and of a Chinese one with its desk or paper."""
MAX_NAMES_CHARS = 200
"""Characters of a list of names."""
MAX_INITIAL_CHARS = 4
"""A last word with a dot and at most this number of characters is an abbreviation, such as "Jr."."""
PERSON_CHARS, PERSON_WORDS = range(2, 5), range(2, 5)
"""Of the name of a person, in Chinese and in other languages."""

MAX_HREF_CHARS = 300
AUTHOR_PAGE = re.compile(rf"/(?:{alternation('bylines', 'author_page')})/[^/?#]+/?(?:[?#].*)?$|[?&]author=", re.I)
HAN = re.compile(r"[\u3400-\u9fff]")
FIRST_HAN = "\u2e80"
"""Characters from here on are written without spaces between words."""
SURNAMES = frozenset(words("chinese_bylines", "surnames"))
ORGANIZATION = re.compile(alternation("sources", "organization"), re.I)
"""A part of the name of a publisher or an office."""


def _either(*names: str) -> str:
    return f"(?:{alternation('bylines', *names)})"


LABEL = re.compile(
    rf"^(?:{_either('works')} {_either('of')}|{alternation('bylines', 'written_by', 'by', 'label')})\s*[:：/／]?\s+"
    rf"|^by[:\s]+|^(?:by){{2}}\s*|^(?-i:{_either('glued')}(?=[A-ZÀ-Þ][a-zß-ÿ]))|^{_either('label_with_colon')}\s*[:：/／]\s*",
    re.I,
)
"""What stands before names: "By ", "Texte : ", "作者："."""
OPENING = rf"(?:{_either('works')} {_either('of')}|{alternation('bylines', 'written_by', 'by')})"
"""What opens a byline of running text: fewer words than LABEL."""
_BEHIND = re.compile(
    r"(?:(?:(?<!\s)\s++)?(?:\(.*\)|[（〔\[].*)|(?<!\s)\s++[-–—|].*|,.*|"
    rf"(?<!\s)\s++{_either('before_date', 'office_behind')}$|"
    rf"(?:(?<!\s)\s++)?(?:{_either('behind')}.*|{_either('rank')}\b.*|{_either('role', 'role_behind')}s?\b.*))$",
    re.I,
)
_BEFORE_DATE_OR_BAR = re.compile(rf"\s{_either('before_date', 'office_behind')}$|[|(]")
_SECTION_BEHIND = re.compile(rf"(?<=\w),\s{_either('section_behind')}\s[A-Z].*$")
_HAN_DESK_BEHIND = re.compile(
    rf"\s?[/／]\s?[^/／]{{2,12}}{words('chinese_bylines', 'report_behind')[0]}$|{words('chinese_bylines', 'report_behind')[0]}$"
    rf"|^(?:[^\s]{{0,8}}(?:{alternation('chinese_bylines', 'reporter')}))(?=[\u3400-\u9fff]{{2,4}}(?:[\s、/／]|$))"
)
_BETWEEN = re.compile(
    rf"(?:(?<!\s)\s++)?[,;、，；|/·•＆]\s*|(?<=[\u3400-\u9fff])\s?&\s?(?=[\u3400-\u9fff])|(?<!\s)\s++{_either('with')}\s+", re.I
)
_AND = re.compile(rf"(?<!\s)\s++(?:{_either('and')}|&)\s+", re.I)
_DOMAIN = re.compile(r"^\S+\.[a-z]{2,4}$", re.I)
_EDGES = ' ,;:|·•-–—"“”'

_NO_NAME = re.compile(rf"\d{{3}}|https?:|www\.|\.com\b|@|[:?!=<>{{}}\[\]]|^{_either('no_name')}$|^{_either('degree')}\.?$", re.I)
_ROLE = re.compile(rf"^(?:{_either('rank', 'rank_of_role')} )?{_either('role')}s?$|^{_either('no_name_before', 'image_agency')}\b", re.I)
_PROFESSION = re.compile(rf"(?:\S+\s)?{_either('profession')}(?:\s{_either('at')}\s.*)?$", re.I)
_NO_HAN_AUTHOR = re.compile(rf"[，。！？、：:]|{alternation('chinese_bylines', 'no_author')}")
_PARTICLE = re.compile(alternation("bylines", "particle"))


def names_of(text: str | None) -> list[str]:
    """The names in a byline, without "By", roles and agencies' marks; each once.

    >>> names_of("By Jane Doe and John Q. Public, Staff Writer")
    ['Jane Doe', 'John Q. Public']
    >>> names_of("作者：张三 李四")
    ['张三', '李四']
    >>> names_of("https://www.example.com/page")
    []
    """
    text = until_date(collapse((text or "")[: 2 * MAX_NAMES_CHARS]).strip(" |·•-–—,:："))
    text = _SECTION_BEHIND.sub("", _HAN_DESK_BEHIND.sub("", LABEL.sub("", text, count=1)))
    if not text or len(text) > MAX_NAMES_CHARS or "http" in text:
        return []
    pieces = [piece for part in _BETWEEN.split(text) for piece in _parts_at_and(part)]
    found = [name for piece in pieces for name in (_han_names(piece) if HAN.search(piece) else [_clean_name(piece)])]
    names = unique_names(list(filter(is_name, found)))
    return [name for name in names if not _DOMAIN.search(name)] or names


def until_date(text: str) -> str:
    """The part of a byline before its date."""
    first = next(iter_times(text), None)
    return text[: first.start].rstrip(" ,|·•–—-") if first and first.start > 2 else text


def _parts_at_and(text: str) -> list[str]:
    """Parted at "and" and "&" where both sides are whole names: not "Le Journal et AFP", not "Barnes & Noble"."""
    parts = _AND.split(text)
    return parts if all(len(part.split()) > 1 for part in parts) else [text]


def _clean_name(text: str) -> str:
    """Without what stands before and behind a name; a role stays where it is all of it ("AOL Staff")."""
    text = text.replace("\xad", "").strip()
    text = LABEL.sub("", LABEL.sub("", text, count=1), count=1)
    shorter = _BEHIND.sub("", text).strip(_EDGES + "'()")
    if len(shorter.split()) > 1 or _BEFORE_DATE_OR_BAR.search(text):
        text = shorter
    is_abbreviated = text.endswith(".") and len(text.split()[-1]) <= MAX_INITIAL_CHARS
    return text.strip(_EDGES if is_abbreviated or not text.endswith(".") else f"{_EDGES}.")


def _han_names(text: str) -> list[str]:
    """Chinese names may stand with a space between them: 张三 李四."""
    parts = text.split()
    if len(parts) > 1 and all(len(part) in PERSON_CHARS and part[0] in SURNAMES for part in parts):
        return parts
    return [text.strip(" 　:：")]


@lru_cache(maxsize=10_000)
def is_name(text: str) -> bool:
    """Whether a text can be the name of a person or a desk."""
    if not 2 <= len(text) <= MAX_NAME_CHARS or _NO_NAME.search(text) or not any(c.isalpha() for c in text):
        return False
    if HAN.search(text):
        return len(text) <= MAX_HAN_NAME_CHARS and not _NO_HAN_AUTHOR.search(text)
    parts = text.split()
    is_date = plain_word(parts[0]) in MONTHS and any(map(str.isdigit, text))
    is_word = len(text) < MAX_INITIAL_CHARS and text.islower() and not ORGANIZATION.search(text)
    if is_date or is_word or _ROLE.match(text) or _PROFESSION.match(text):
        return False
    return len(parts) <= MAX_NAME_WORDS and (len(parts) == 1 or is_capitalized(parts[0]) or parts[-1][:1].isupper())


def are_people(value: str) -> bool:
    """Whether a value is one or more Chinese names of people with blanks between them.

    >>> are_people("张三 李四丰"), are_people("新报")
    (True, False)
    """
    parts = value.split()
    return bool(parts) and all(len(part) in PERSON_CHARS[:2] and part[0] in SURNAMES and HAN.match(part[-1]) for part in parts)


def is_capitalized(word: str) -> bool:
    """Whether a word is written as in names: with a capital, in letters without capitals, or a particle like "von"."""
    first = word.lstrip("\"'“(")[:1]
    return first.isalpha() and not first.islower() or _PARTICLE.match(word) is not None


def is_written_as_name(text: str) -> bool:
    """Whether every word is written as in names; one or two words, and Chinese, may be anything."""
    parts = text.split()
    return len(parts) <= 2 or HAN.search(text) is not None or all(map(is_capitalized, parts))


def links_author_page(node: HtmlElement) -> bool:
    """Whether the address of a link is that of an author's page."""
    return AUTHOR_PAGE.search((node.get("href") or "")[:MAX_HREF_CHARS]) is not None


def unique_names(names: list[str]) -> list[str]:
    """Each name once, in its first form."""
    unique: dict[str, str] = {}
    for name in names:
        unique.setdefault(plain(name), name)
    return [name for key, name in unique.items() if key]
