"""What a page declares of itself, read once: JSON-LD, meta elements, Open Graph, microdata, RDFa, links and data attributes.

All of it stands in one table of rows. A finder takes the rows of its field. No other module knows the names under which it is declared.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from lxml import etree

from webcontent.document.blocks import TAG_CODES
from webcontent.document.text import node_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lxml.html import HtmlElement

    from webcontent.document.blocks import Blocks

# Of each place so many are read, at most: pages that have more repeat them without end.
MAX_OBJECTS = 3
"""JSON-LD objects that describe the page."""
MAX_SITE_OBJECTS = 60
"""JSON-LD objects of all kinds, whose publishers and sites are read."""
MAX_VALUES = 20
"""Values of a property or in a list, and meta elements with the same name."""
MAX_ELEMENTS = 2_000
"""Elements with an itemprop, with a property, and links."""
MAX_MARKED = 40
"""Elements with one property, and <time> elements."""
MAX_PERSON_ELEMENTS = 200
"""Elements inside of one about a person."""

OTHER = -1
"""The number of a JSON-LD object that does not describe the page."""
_ARTICLE_TYPE = re.compile(r"(?:article|posting|report|review|recipe)$", re.I)
_PAGE_TYPE = re.compile(r"(?:page|work|object|product|event|course|dataset|episode|movie|book|show|podcast|thesis|paper)$", re.I)
_IMAGE_TYPE = "ImageObject"
_SITE_TYPES = frozenset(("WebSite", "NewsMediaOrganization"))
"""Types of objects whose name is the site's."""

_META = {
    "title": (
        "og:title", "twitter:title", "title", "headline", "dc.title", "dcterms.title", "parsely-title", "sailthru.title", "citation_title",
        "twitter:text:title",
    ),
    "authors": (
        "author", "article:author", "og:article:author", "parsely-author", "sailthru.author", "dc.creator", "dcterms.creator", "byl",
        "citation_author", "cxenseparse:author", "article.author", "authors", "creator", "dc.creator.personalname", "og:author",
        "lp.article:author", "twitter:data1",
    ),
    "source": ("source", "contentsource", "article:source", "dc.source", "original-source", "syndication-source", "mediaid"),
    "site": ("og:site_name", "application-name", "dc.publisher", "publisher", "apple-mobile-web-app-title"),
    "site_alias": ("og:site:name", "og:site", "site_name", "sitename"),
    "published": (
        "article:published_time", "og:article:published_time", "article:published", "article:published:time", "parsely-pub-date",
        "sailthru.date", "originalpublicationdate", "datepublished", "publishdate", "publish_date", "published_time", "pub_date", "pubdate",
        "og:published_time", "og:pubdate", "og:publish_date", "article_date_original", "cxenseparse:recs:publishtime",
        "cxenseparse:publishtime", "publish-date", "publication_date", "published_at", "bt:pubdate", "rnews:datepublished", "published",
        "publishtime", "dc.date.issued", "weibo: article:create_at", "ptime", "dcterms.issued",
    ),
    "dated": (
        "og:release_date", "dc.date", "dcterms.date", "dcterms.created", "dc.date.created", "datecreated", "article.created", "date",
        "citation_publication_date", "date.created", "dc.created", "citation_date", "created",
    ),
    "stamped": ("timestamp", "gentime", "time"),
    "modified": (
        "article:modified_time", "og:updated_time", "og:article:modified_time", "article:modified", "article:modified:time", "datemodified",
        "lastmod", "last-modified", "dcterms.modified", "dc.date.modified", "cxenseparse:modified_time", "modified", "updated", "revised",
        "article:updated_time", "dateupdate", "dateupdated", "last_updated",
    ),
    "language": ("content-language", "og:locale", "dc.language", "inlanguage", "language"),
    "image": ("og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src"),
    "image:width": ("og:image:width",),
    "image:height": ("og:image:height",),
    "url": ("og:url",),
    "type": ("og:type",),
}  # fmt: skip
"""Names of meta elements by field, the most telling ones first. The times are those of publishing, some other one, and a bare stamp."""
_JSON_LD = {
    "title": (("headline", "name", "title"), ()),
    "authors": (("author", "creator"), ("name",)),
    "editors": (("editor",), ("name",)),
    "source": (("sourceOrganization",), ("name",)),
    "publisher": (("publisher",), ("name",)),
    "published": (("datePublished", "pubDate"), ("@value",)),
    "dated": (("dateCreated", "uploadDate"), ("@value",)),
    "modified": (("dateModified", "upDate"), ("@value",)),
    "language": (("inLanguage",), ()),
    "image": (("image",), ("url", "contentUrl", "@id")),
    "video": (("video",), ("url", "embedUrl", "contentUrl", "@id")),
    "audio": (("audio",), ("url", "embedUrl", "contentUrl", "@id")),
    "url": (("mainEntityOfPage", "url"), ("@id", "url")),
}
"""Properties of JSON-LD by field, and the keys of objects that stand as their values."""
_MARKUP = {"headline": "title", "author": "authors", "datepublished": "published", "datecreated": "published", "datemodified": "modified"}
"""Fields by the property, in lower case, of microdata and RDFa."""
_PEOPLE = ("authors", "editors")
_FAMILY_FIRST = ("citation_author",)
"""Meta elements that give one person each, by convention the family name first: Byron, Ada."""

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_INVERTED = re.compile(r"\s*(?P<family>[^\W\d_][^\s,;&]*),\s+(?P<given>[^\W\d_][^\s,;&]*(?:\s[^\W\d_]\.?)*)\s*")
"""A family name of one word, a given name of one word, perhaps with initials."""
_HAN = re.compile("[\u3400-\u9fff]")
_ITEMPROP = etree.XPath("descendant::*[@itemprop]")
_ITEMTYPE = etree.XPath("descendant::*[@itemtype]")
_PREFIX = re.compile("^.*[:/#]")
_RDFA = etree.XPath("descendant::*[not(self::meta or self::link)][@property or @rel]")
_LINK, _TIME = TAG_CODES["a"], TAG_CODES["time"]


class Row(NamedTuple):
    """One declared value."""

    field: str
    value: str
    """The text with its entities decoded; of elements only the name of a person, else ""."""
    origin: str
    """Where it stands, such as "json-ld:headline", "meta:author", "og:title", "itemprop:author", "link:canonical"."""
    object: int = 0
    """The number of its JSON-LD object, articles first; OTHER for one that does not describe the page."""
    position: int = 0
    """Its place among the values of its origin and object."""
    node: HtmlElement | None = None
    """The element that declares it; None for JSON-LD and meta elements."""
    data: Mapping[str, Any] = {}
    """The JSON-LD object that stands as its value."""

    @property
    def is_json_ld(self) -> bool:
        """Whether it stands in JSON-LD."""
        return self.origin.startswith("json-ld:")

    @property
    def is_person(self) -> bool:
        """Whether nothing says that it is an organization."""
        names = types_of(self.data)
        return not names or "Person" in names


class Declared:
    """The table of a document. Nothing changes after construction; each part is read when it is first asked for."""

    def __init__(
        self,
        root: HtmlElement,
        text: str,
        blocks: Blocks,
        json_ld: Sequence[dict[str, Any]],
        meta: Mapping[str, Sequence[str]],
        links: Sequence[HtmlElement],
    ) -> None:
        """`text`: the page's source. `json_ld`: its objects. `meta`: contents of meta elements by name. `links`: elements <link>."""
        self._root, self._text, self._blocks, self._json_ld, self._meta, self._links = root, text, blocks, json_ld, meta, links

    def rows(self, field: str) -> list[Row]:
        """The rows of a field from JSON-LD, then from meta elements by the order of their names, then from links."""
        return self._by_field.get(field, [])

    def values(self, field: str, origin: str) -> list[str]:
        """The values of a field that stand in one place."""
        return [row.value for row in self.rows(field) if row.origin == origin]

    def marked(self, field: str) -> list[tuple[HtmlElement, Row]]:
        """The rows of a field from microdata, RDFa, rel=author and <time> (the field `time`), each with its element."""
        return [(row.node, row) for row in self._marked_by_field.get(field, ()) if row.node is not None]

    @cached_property
    def objects(self) -> list[dict[str, Any]]:
        """JSON-LD objects that may describe the page, articles first, each kind in page order."""
        articles, pages = [], []
        for item in self._json_ld:
            names = types_of(item)
            if any(map(_ARTICLE_TYPE.search, names)):
                articles.append(item)
            elif not names or any(name != _IMAGE_TYPE and _PAGE_TYPE.search(name) for name in names):
                pages.append(item)
        return articles + pages

    @cached_property
    def is_article(self) -> bool:
        """Whether JSON-LD calls something on the page an article."""
        return any(_ARTICLE_TYPE.search(name) for item in self.objects[:1] for name in types_of(item))

    @cached_property
    def types(self) -> list[str]:
        """Names of all types of JSON-LD and microdata, without the vocabulary's address."""
        names = [name for item in self._json_ld for name in types_of(item)]
        text = self._text
        nodes = _ITEMTYPE(self._root) if "itemtype" in text or "itemType" in text else ()  # most pages have none
        return names + [(node.get("itemtype") or "").strip().rsplit("/", 1)[-1] for node in nodes]

    def resolve(self, value: Any) -> Any:
        """The fullest object with the @id of a reference `{"@id": ...}`; other values as they are."""
        if isinstance(value, dict) and len(value) <= 2 and isinstance(key := value.get("@id"), str) and "name" not in value:
            return self._objects_by_id.get(key, value)
        return value

    @cached_property
    def _objects_by_id(self) -> dict[str, dict[str, Any]]:
        objects: dict[str, dict[str, Any]] = {}
        for item in self._json_ld:
            key = item.get("@id")
            if isinstance(key, str) and len(item) > len(objects.get(key, {})):
                objects[key] = item
        return objects

    @cached_property
    def _by_field(self) -> dict[str, list[Row]]:
        table: dict[str, list[Row]] = {}
        for row in (*self._iter_json_ld(), *self._iter_meta(), *self._iter_unseen(), *self._iter_links()):
            table.setdefault(row.field, []).append(row)
        return table

    @cached_property
    def _marked_by_field(self) -> dict[str, list[Row]]:
        table: dict[str, list[Row]] = {}
        counts: Counter[str] = Counter()
        for field, origin, node in self._iter_marked():
            counts[origin] += 1
            if counts[origin] <= MAX_MARKED:
                name = decoded(_shown_name(node)) if field in _PEOPLE else ""
                table.setdefault(field, []).append(Row(field, name, origin, node=node))
        return table

    # --------------------------------------------------------------------------------------- JSON-LD
    def _iter_json_ld(self) -> Iterator[Row]:
        described = self.objects[:MAX_OBJECTS]
        for number, item in enumerate(described):
            for field, (properties, keys) in _JSON_LD.items():
                for name in properties:
                    if name in item:
                        yield from self._iter_values(field, name, keys, item[name], number)
        for item in self._json_ld[:MAX_SITE_OBJECTS]:
            if "publisher" in item and not any(item is other for other in described):
                yield from self._iter_values("publisher", "publisher", ("name",), item["publisher"], OTHER)
            if not _SITE_TYPES.isdisjoint(types_of(item)):
                for position, text in enumerate(strings_of(item.get("name"), "name")):
                    yield Row("site", decoded(text), "json-ld:site", OTHER, position)

    def _iter_values(self, field: str, name: str, keys: tuple[str, ...], value: Any, number: int) -> Iterator[Row]:
        """The rows of one property: one a string, with the object that holds it."""
        position = 0
        for item in map(self.resolve, (value if isinstance(value, list) else [value])[:MAX_VALUES]):
            data = item if isinstance(item, dict) else {}
            texts = [_person(text, data) for text in _names(item)] if field in _PEOPLE else strings_of(item, *keys)
            for text in texts[:MAX_VALUES]:
                yield Row(field, decoded(text), f"json-ld:{name}", number, position, None, data)
                position += 1

    # --------------------------------------------------------------------------------------- elements
    def _iter_meta(self) -> Iterator[Row]:
        contents = self._meta
        for field, names in _META.items():
            for name in names:
                for position, text in enumerate(contents.get(name, ())[:MAX_VALUES]):
                    value = in_given_order(decoded(text)) if name in _FAMILY_FIRST else decoded(text)
                    yield Row(field, value, name if ":" in name else f"meta:{name}", 0, position)

    def _iter_unseen(self) -> Iterator[Row]:
        """People of microdata and RDFa whom only attributes name; they are read as <meta itemprop=author> is."""
        for node, row in self.marked("authors"):
            is_organization = "Organization" in f"{node.get('itemtype')} {node.get('typeof')}"
            if row.value and "<" not in row.value and not is_organization and not node_text(node):
                yield Row("authors", row.value, "meta:author")

    def _iter_links(self) -> Iterator[Row]:
        for node in self._links[:MAX_ELEMENTS]:
            relations, address = (node.get("rel") or "").lower().split(), node.get("href") or ""
            if "canonical" in relations:
                yield Row("url", address, "link:canonical", node=node)
        if language := self._root.get("lang") or self._root.get("xml:lang"):
            yield Row("language", language, "html:lang", node=self._root)

    def _iter_marked(self) -> Iterator[tuple[str, str, HtmlElement]]:
        """(field, origin, element) of microdata, links, times and RDFa."""
        elements = self._blocks.elements
        for node in _ITEMPROP(self._root)[:MAX_ELEMENTS] if "itemprop" in self._text else ():
            yield from ((_MARKUP[name], f"itemprop:{name}", node) for name in node.get("itemprop").lower().split() if name in _MARKUP)
        for row in np.flatnonzero(elements.tag == _LINK)[:MAX_ELEMENTS].tolist():
            if "author" in (elements.nodes[row].get("rel") or ""):
                yield "authors", "rel=author", elements.nodes[row]
        yield from (("time", "time", elements.nodes[row]) for row in np.flatnonzero(elements.tag == _TIME)[:MAX_MARKED].tolist())
        for node in _RDFA(self._root)[:MAX_ELEMENTS] if " typeof=" in self._text else ():
            yield from ((_MARKUP[name], f"property:{name}", node) for name in _properties(node) if name in _MARKUP)


# ------------------------------------------------------------------------------------------- values
def types_of(item: Mapping[str, Any]) -> tuple[str, ...]:
    """The types of a JSON-LD object, without the vocabulary's address.

    >>> types_of({"@type": ["Thing", "https://schema.org/NewsArticle"]})
    ('Thing', 'NewsArticle')
    """
    value = item.get("@type")
    names = value if isinstance(value, list) else [value]
    return tuple(name.rsplit("/", 1)[-1] for name in names if isinstance(name, str) and name)


def strings_of(value: Any, *keys: str, depth: int = 3) -> list[str]:
    """Every string of a JSON value that may be a string, an object (its `keys`) or a list of these."""
    if isinstance(value, str):
        return [value] if value.strip() else []
    if depth and isinstance(value, list):
        return [text for item in value[:MAX_VALUES] for text in strings_of(item, *keys, depth=depth - 1)]
    if depth and isinstance(value, dict):
        for key in keys:
            if texts := strings_of(value.get(key), *keys, depth=depth - 1):
                return texts
    return []


def decoded(text: str) -> str:
    """A text with its entities as characters: scripts and doubly escaped attributes keep them.

    >>> decoded("Se&aacute;n &amp; Co, /a?b&copy=1")
    'Seán & Co, /a?b&copy=1'
    """
    return _ENTITY.sub(lambda match: html.unescape(match[0]), text) if "&" in text else text


def in_given_order(name: str) -> str:
    """A name whose family name stands first, before a comma, in the usual order.

    >>> in_given_order("Byron, Ada"), in_given_order("Ada Byron")
    ('Ada Byron', 'Ada Byron')
    """
    family, comma, given = name.partition(",")
    return f"{given.strip()} {family.strip()}" if comma and given.strip() and "," not in given else name


def _names(item: Any) -> list[str]:
    """The names of a person or of several; of an object without one its parts, joined."""
    if texts := strings_of(item, "name"):
        return texts
    parts = [text for key in ("givenName", "familyName") for text in strings_of(item.get(key))[:1]] if isinstance(item, dict) else []
    return ["".join(reversed(parts)) if all(map(_HAN.search, parts)) else " ".join(parts)] if parts else []


def _person(text: str, data: Mapping[str, Any]) -> str:
    """The name of a JSON-LD author in the usual order, where it is that of one person with the family name first."""
    match = _INVERTED.fullmatch(text)
    is_person = not types_of(data) or "Person" in types_of(data)
    return in_given_order(text) if match and is_person and all(map(_is_written_as_name, match.groups())) else text


def _is_written_as_name(text: str) -> bool:
    """Whether a word begins with a capital and is no abbreviation: "PhD", "AFP", "Jr."."""
    word = text.split(maxsplit=1)[0]
    return word[0].isupper() and word[-1].islower()


def _shown_name(node: HtmlElement) -> str:
    """The name that an element about a person gives: that of its properties, or its parts, or all its text."""
    found: dict[str, HtmlElement] = {}
    for child in islice(node.iter(), MAX_PERSON_ELEMENTS):
        if child.attrib:
            for name in (*(child.get("itemprop") or "").lower().split(), *_properties(child)):
                found.setdefault(name, child)
    parts = [found[name] for name in ("givenname", "familyname") if name in found]
    holders = [found["name"]] if "name" in found else parts or [node]
    return " ".join(holder.get("content") or node_text(holder) for holder in holders)


def _properties(node: HtmlElement) -> list[str]:
    """Names of the RDFa properties of an element in lower case, without their vocabulary; a plain rel="author" is none."""
    if not node.get("property") and ":" not in (node.get("rel") or ""):
        return []
    relations = [name for name in (node.get("rel") or "").lower().split() if ":" in name]
    return [_PREFIX.sub("", name) for name in (*(node.get("property") or "").lower().split(), *relations)]
