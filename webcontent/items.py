"""The input (`Page`) and the output (`Article`, `Listing` and their parts) of the package.

All are dataclasses, so they work with itemadapter, pickle and JSON. `None` means that the page has no such value. Each field of an item
has a `FieldSchema` in its metadata. CSV columns, the Arrow schema, JSON-LD, zyte-common-items and saved pages are derived from it.
docs/architecture.md has the other steps for a new field.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from webcontent.addresses import page_address

Type = Literal["article", "list"]

ARTICLE, LIST = "article", "list"
TYPES = (ARTICLE, LIST)
"""Page types. The type decides which extractor reads a page."""
KINDS = ("article", "forum", "product", "documentation", "service", "collection", "listing")
"""Finer page types, those of the WCXB benchmark."""
LIST_KINDS = frozenset({"collection", "listing"})
FLAGS = tuple(
    "consent-wall paywall robot-check error-page login empty truncated timeout not-rendered render-failed no-reference-page bad-encoding "
    "bad-address hidden-text duplicate syndicated site-file-missed".split()
)
"""What keeps a page from being a normal one."""
BROKEN_FLAGS = frozenset(
    {"consent-wall", "paywall", "robot-check", "error-page", "login", "empty", "timeout", "not-rendered", "render-failed"}
)
"""Flags of a page that came without its content. Such a page counts as failed, and an incremental crawl requests it again."""
TIMEOUT = "timeout"
BAD_ADDRESS = "bad-address"

_MAX_REPR = 80


def _shown(text: str | None) -> str:
    """A text of a page in one line of a log, without control characters and cut."""
    return str(text) if text is None else repr(text[:_MAX_REPR])[1:-1]


@dataclass(slots=True, kw_only=True, repr=False, weakref_slot=True)
class Page:
    """A page as it was fetched. A spider yields it as an item, and the item pipelines turn it into an Article or a Listing."""

    url: str | None = None
    """Absolute URL after redirects."""
    html: bytes | str = b""
    """The body as it was received. `Document` decodes bytes."""
    encoding: str | None = None
    """The encoding, if it is known. None: it is detected from the Content-Type header, then from the bytes."""
    headers: dict[str, str] = field(default_factory=dict)
    """The headers content-type and last-modified, with names in lower case."""
    status: int = 200
    screenshot: bytes | None = None
    """Screenshot of the whole page as WebP, JPEG or PNG, 1366 CSS px wide before scaling."""
    boxes: list[list[Any]] | None = None
    """The boxes that the browser drew, with the columns of `document.boxes.COLUMNS`."""
    fetched_at: str | None = None
    """Time of fetching in ISO 8601 with offset. Relative times ("3 hours ago") are counted back from it."""
    flags: list[str] = field(default_factory=list)
    """Flags that are known before extraction: render-failed, not-rendered, truncated."""
    preparation: dict[str, Any] = field(default_factory=dict)
    """What was done to a rendered page before it was read: what was hidden, opened and scrolled, and `ms` by step."""
    meta: dict[str, Any] = field(default_factory=dict)
    """The options of `request.meta["webcontent"]`, such as extractor."""

    def __repr__(self) -> str:
        """One line, for logs."""
        unit = "bytes" if isinstance(self.html, bytes) else "characters"
        return f"<Page {_shown(self.url)}, status {self.status}, {len(self.html):,} {unit}>"

    @classmethod
    def from_response(cls, response: Any) -> Page:
        """The page of a Scrapy response, with the screenshot and boxes of a rendered response.

        A script can give a page any path. If it is no address for an item, the page gets the requested URL and the flag `bad-address`.
        """
        headers = {
            name: value.decode("latin-1") for name in ("content-type", "last-modified") if (value := response.headers.get(name)) is not None
        }
        request, address, flags = response.request, page_address(response.url), list(getattr(response, "page_flags", None) or ())
        if address is None:
            address, flags = page_address(request.url if request else None), [*flags, BAD_ADDRESS]
        rendered: dict[str, Any] = {name: getattr(response, name, None) for name in ("screenshot", "boxes", "fetched_at")}
        rendered["preparation"] = dict(getattr(response, "preparation", None) or {})
        meta = dict((request.meta if request else {}).get("webcontent") or {})
        return cls(url=address, html=response.body, headers=headers, status=response.status, flags=flags, meta=meta, **rendered)

    @classmethod
    def from_file(cls, path: str | Path, url: str | None = None) -> Page:
        """The page in a file. Without `url`, relative links stay relative. Raises OSError."""
        return cls(url=url, html=Path(path).read_bytes())


@dataclass(slots=True, frozen=True)
class PageType:
    """The result of page type classification."""

    type: Type
    """article: one main text; list: a page whose purpose is to lead to other pages."""
    kind: str
    """One of KINDS. It is informative; `type` decides which extractor reads the page."""
    score: float
    """Calibrated probability, 0 to 1, that `type` is right."""
    flags: tuple[str, ...] = ()
    evidence: dict[str, float] = field(default_factory=dict)
    """Name of a model -> its probability of `article`."""


@dataclass(slots=True, frozen=True)
class Candidate:
    """One possible value of a field, and where it was found."""

    value: Any
    origin: str
    """Where it was found: `json-ld`, `og:title`, `meta:author`, `h1`, `time`, `text`, `url` ..., or the name of an extractor."""
    xpath: str | None = None
    score: float = 0.0
    """Rank among the candidates of its field, 0 to 1. A probability only where a model computes it (title, source, authors)."""


@dataclass(slots=True)
class Link:
    """A link to a related page."""

    title: str
    url: str
    time: str | None = None


@dataclass(slots=True)
class Image:
    """An image of an article."""

    url: str
    caption: str | None = None
    width: int | None = None
    """CSS px, as declared or rendered."""
    height: int | None = None
    credit: str | None = None
    """Whom the page names as the image's source, as it is written there: "Photo: Ada Byron"."""


@dataclass(slots=True)
class Video:
    """A video of an article: a player, an embedded page or a file."""

    url: str
    """Absolute, http or https: the page of the video where it is known, else the address of its player or file."""
    title: str | None = None


@dataclass(slots=True)
class Audio:
    """A recording in an article, such as an episode of a podcast."""

    url: str
    title: str | None = None


@dataclass(slots=True)
class Entry:
    """One record of a list page."""

    title: str
    url: str
    time: str | None = None
    source: str | None = None
    summary: str | None = None
    image: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldSchema:
    """The meaning of a field, and where it appears outside of the item."""

    column: int
    """Position among the columns of CSV and Arrow."""
    meaning: str
    json_ld: str | None = None
    zyte: str | None = None
    in_feeds: bool = True
    """Whether feeds and tables contain it by default."""
    is_time: bool = False
    """Whether it is a time in ISO 8601. CSV files have it as spreadsheet programs read times."""
    is_derived: bool = False
    """Whether it says how the item was made or follows from other fields. Saved pages leave it out, because users do not correct it."""


_SCHEMA = "schema"


def _field(default: Any, column: int, meaning: str, **more: Any) -> Any:
    """A field of an item. `default`: a value, or the class of an empty one; `more`: of FieldSchema."""
    metadata = {_SCHEMA: FieldSchema(column=column, meaning=meaning, **more)}
    return field(default_factory=default, metadata=metadata) if callable(default) else field(default=default, metadata=metadata)


@dataclass(slots=True, kw_only=True, repr=False, weakref_slot=True)
class Item:
    """What items of both classes have, and what they can be turned into. The fields of a list are those of the page, not of its entries."""

    url: str | None = _field(None, 0, "URL that was fetched, after redirects.", json_ld="url", zyte="url")
    canonical_url: str | None = _field(None, 15, "URL that the page declares as its own.", json_ld="mainEntityOfPage", zyte="canonicalUrl")
    type: str = _field(ARTICLE, 16, "article: one main text; list: a page whose purpose is to lead to other pages.")
    kind: str = _field("article", 9, "One of KINDS. It is informative.")
    title: str | None = _field(None, 1, "One line, without the name of the site.", json_ld="headline", zyte="headline")
    time: str | None = _field(
        None, 2, "Publishing time, exactly as precise as on the page.", json_ld="datePublished", zyte="datePublished", is_time=True
    )
    modified: str | None = _field(None, 14, "Time of the last change.", json_ld="dateModified", zyte="dateModified", is_time=True)
    source: str | None = _field(None, 3, "Where the text was published first, as the page names it.", json_ld="sourceOrganization")
    publisher: str | None = _field(None, 30, "What the site calls itself.", json_ld="publisher")
    authors: list[str] = _field(list, 4, 'Names of persons or organizations, without "By".', json_ld="author", zyte="authors")
    editors: list[str] = _field(list, 31, "Names of editors (责任编辑, Editor). They are no authors.", json_ld="editor")
    body: str = _field("", 7, "Plain text, one line per paragraph and table row.", json_ld="articleBody", zyte="articleBody")
    related: list[Link] = _field(list, 12, "Links that the page offers as related.")
    entries: list[Entry] = _field(list, 32, "The records of an article that may be a list as well.")
    images: list[Image] = _field(list, 13, "Images of the text, top image first.", json_ld="image", zyte="images")
    language: str | None = _field(None, 8, "ISO 639-1.", json_ld="inLanguage", zyte="inLanguage")
    score: float = _field(0.0, 10, "Probability that the word F1 of `body` exceeds 0.9; 0 if empty.", is_derived=True)
    flags: list[str] = _field(list, 11, "Those of FLAGS that apply, sorted.")
    extractor: str | None = _field(None, 18, "Name of the extractor that produced the item.", is_derived=True)
    page_type_score: float | None = _field(None, 17, "Calibrated probability that `type` is right.", is_derived=True)
    evidence: dict[str, list[Candidate]] = _field(dict, 23, "All candidates of each field, best first.", in_feeds=False, is_derived=True)
    fetched_at: str | None = _field(None, 19, "Time of fetching, with offset.", is_time=True, is_derived=True)
    screenshot: str | None = _field(None, 20, "Path or URI of the stored screenshot.", is_derived=True)
    fingerprint: str | None = _field(None, 21, "64-bit simhash of the body, 16 hexadecimal digits.", is_derived=True)
    markdown: str | None = _field(None, 29, "The item as Markdown. None unless WEBCONTENT_MARKDOWN is set.", is_derived=True)

    def to_dict(self, *, evidence: bool = False) -> dict[str, Any]:
        """The fields as dicts, lists, strings and numbers, which `json.dumps` accepts. `evidence`: whether all candidates are included."""
        values: dict[str, Any] = asdict(self)
        if not evidence:
            del values["evidence"]
        return values

    def to_json(self, *, evidence: bool = False, indent: int | None = None) -> str:
        """`to_dict` as JSON, with characters of all languages as they are."""
        return json.dumps(self.to_dict(evidence=evidence), ensure_ascii=False, indent=indent)

    def to_markdown(self, *, links: bool = True, images: bool = True, front_matter: bool = False) -> str:
        """The item as GitHub-flavoured Markdown: an article's title, byline and body; a list's title, and each entry as a link with time,
        source and summary.

        `links`: whether links keep their addresses. `images`: whether images stay. `front_matter`: whether the fields stand before it
        as YAML.
        """
        from webcontent.markdown.documents import article_document, listing_document

        document = article_document if isinstance(self, Article) else listing_document
        return document(self, links=links, images=images, front_matter=front_matter)

    def __repr__(self) -> str:
        """One line for logs: texts of the page are cut and have no control characters.

        >>> Article(url="https://a.example/1", title="A bridge", body="It opens in spring.", score=0.9)
        <Article 'A bridge' https://a.example/1, 19 characters, score 0.90>
        """
        title = "without title" if self.title is None else repr(self.title[:_MAX_REPR])
        size = f"{len(self.entries)} entries" if isinstance(self, Listing) else f"{len(self.body):,} characters"
        parts = (self.time, size, f"score {self.score:.2f}", *self.flags)
        return f"<{type(self).__name__} {title} {_shown(self.url)}, {', '.join(filter(None, parts))}>"


@dataclass(slots=True, kw_only=True, repr=False)
class Article(Item):
    """The item of a page with one main text."""

    body_html: str = _field("", 22, "Cleaned HTML, safe to embed in a page.", zyte="articleBodyHtml", is_derived=True)
    videos: list[Video] = _field(list, 27, "Videos of the text, in page order.", json_ld="video", zyte="videos")
    audios: list[Audio] = _field(list, 28, "Recordings of the text, in page order.", json_ld="audio", zyte="audios")


@dataclass(slots=True, kw_only=True, repr=False)
class Listing(Item):
    """The item of a page whose purpose is to lead to other pages."""

    type: str = _field(LIST, 16, "list: a page whose purpose is to lead to other pages.")
    kind: str = _field("listing", 9, "listing: an index of texts; collection: a grid of products.")
    title: str | None = _field(None, 1, "One line, without the name of the site.", json_ld="name", zyte="categoryName")
    entries: list[Entry] = _field(list, 5, "The main repeated records, in page order.", json_ld="itemListElement", zyte="articles")
    next_page: str | None = _field(None, 6, "Absolute URL of the next page of the list.", zyte="nextPage")


def schema_of(*item_classes: type) -> dict[str, FieldSchema]:
    """Name of a field -> its schema, for all fields of the classes, in the order of their columns. Own fields of subclasses have none.

    >>> list(schema_of(Listing))[:5]
    ['url', 'title', 'time', 'source', 'authors']
    """
    parts = (part for item_class in item_classes for part in fields(item_class))
    schemas: dict[str, FieldSchema] = {part.name: part.metadata[_SCHEMA] for part in parts if _SCHEMA in part.metadata}
    return dict(sorted(schemas.items(), key=lambda pair: pair[1].column))


DERIVED = frozenset(name for name, schema in schema_of(Article, Listing).items() if schema.is_derived)
"""Fields that say how an item was made or follow from other fields. Saved pages leave them out."""
TIMES = frozenset(name for name, schema in schema_of(Article, Listing).items() if schema.is_time)
TEXT_LISTS = frozenset(part.name for item_class in (Article, Listing) for part in fields(item_class) if part.type == "list[str]")
TEXT_SEPARATOR = "; "
"""Between the texts of a list in a cell of a table."""
