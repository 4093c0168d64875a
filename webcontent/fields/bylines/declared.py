"""Names that a page declares in JSON-LD, in meta elements, in its title element and in its address."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from webcontent.fields.page_signals import collapse, strings_of, type_of
from webcontent.fields.people.names import names_of
from webcontent.fields.titles.site_names import ORGANIZATION_TYPES, tail_of_title

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles import TitleAnchor

AUTHOR_META = (
    "author", "article:author", "og:article:author", "parsely-author", "sailthru.author", "dc.creator", "dcterms.creator", "byl",
    "citation_author", "cxenseparse:author", "article.author", "authors", "creator", "dc.creator.personalname", "og:author",
    "lp.article:author", "twitter:data1",
)  # fmt: skip
SOURCE_META = ("source", "contentsource", "article:source", "dc.source", "original-source", "syndication-source", "mediaid")
SITE_META = (
    "og:site_name", "og:site", "application-name", "site_name", "sitename", "dc.publisher", "publisher", "apple-mobile-web-app-title",
)  # fmt: skip
MAX_OBJECTS, MAX_SITE_OBJECTS = 4, 60
MAX_AUTHORS, MAX_META = 20, 8
MAX_NAME_CHARS = 60
_PERSON_TYPES = ("Person", "")


class Declared(NamedTuple):
    """A name that the page declares."""

    text: str
    origin: str
    position: int = 0
    """Its place among the names of its origin."""
    size: int = 1
    """Names of its origin."""
    object: int = 0
    """The number of the JSON-LD object."""


def declared_names(signals: PageSignals, anchor: TitleAnchor) -> list[Declared]:
    """All declared names; a text that holds several gives each of them."""
    found = [*_iter_json_ld(signals), *_iter_meta(signals), *_iter_site(signals, anchor)]
    return [name for name in found if 1 < len(name.text) <= MAX_NAME_CHARS]


def _iter_json_ld(signals: PageSignals) -> Iterator[Declared]:
    for number, item in enumerate(signals.objects[:MAX_OBJECTS]):
        for key in ("author", "creator", "editor"):
            people = list(_people(signals, item.get(key)))
            for place, (name, is_person) in enumerate(people):
                origin = f"json-ld:{key}" if is_person else f"json-ld:{key} organization"
                yield Declared(name, origin, place, len(people), number)
        for text in strings_of(signals.resolve(item.get("sourceOrganization")), "name")[:1]:
            yield Declared(collapse(text), "json-ld:sourceOrganization", object=number)


def _people(signals: PageSignals, value: Any) -> Iterator[tuple[str, bool]]:
    """Names in an author value, and whether each is a person's."""
    values = value if isinstance(value, list) else [value]
    for item in map(signals.resolve, values[:MAX_AUTHORS]):
        is_person = type_of(item) in _PERSON_TYPES if isinstance(item, dict) else True
        for text in strings_of(item, "name")[:MAX_AUTHORS]:
            yield from ((name, is_person) for name in names_of(text))


def _iter_meta(signals: PageSignals) -> Iterator[Declared]:
    meta = signals.document.meta
    for key in AUTHOR_META:
        names = [name for text in meta.get(key, ())[:MAX_META] for name in names_of(text)]
        for place, name in enumerate(names):
            yield Declared(name, key if ":" in key else f"meta:{key}", place, len(names))
    for key in SOURCE_META:
        for text in meta.get(key, ())[:1]:
            yield Declared(collapse(text), key if ":" in key else f"meta:{key}")


def _iter_site(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Declared]:
    """What the site calls itself."""
    for key in SITE_META:
        for text in signals.document.meta.get(key, ())[:1]:
            yield Declared(collapse(text), key if ":" in key else f"meta:{key}")
    for item in signals.objects[:MAX_OBJECTS]:
        for text in strings_of(signals.resolve(item.get("publisher")), "name")[:1]:
            yield Declared(collapse(text), "json-ld:publisher")
    for item in signals.document.json_ld[:MAX_SITE_OBJECTS]:
        if type_of(item) in ORGANIZATION_TYPES:
            for text in strings_of(item.get("name"))[:1]:
                yield Declared(collapse(text), "json-ld:site")
    if anchor.key and (tail := tail_of_title(signals.document.title or "", anchor.key)):
        yield Declared(tail, "title")
