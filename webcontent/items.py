"""The contract: what goes in (`Page`) and what comes out (`Article`, `Listing` and their parts).

All are plain dataclasses: they work with itemadapter, pickle and JSON. `None` means that the page has none. Each field of an item carries
a `FieldSchema` in its metadata; CSV columns, the Arrow schema, JSON-LD, zyte-common-items and saved pages are derived from it, so that
a new field is added here and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Type = Literal["article", "list"]

ARTICLE, LIST = "article", "list"
TYPES = (ARTICLE, LIST)
KINDS = ("article", "forum", "product", "documentation", "service", "collection", "listing")
LIST_KINDS = frozenset({"collection", "listing"})
FLAGS = (
    "consent-wall",
    "paywall",
    "robot-check",
    "error-page",
    "login",
    "empty",
    "truncated",
    "not-rendered",
    "render-failed",
    "no-reference-page",
    "bad-encoding",
    "duplicate",
)


@dataclass(slots=True, kw_only=True)
class Page:
    """A page as it came in. It is an item: a spider yields it, the pipelines turn it into an Article or a Listing."""

    url: str | None = None
    """Absolute address after redirects."""
    html: bytes | str = b""
    """The body as it came; bytes are decoded by `Document`."""
    encoding: str | None = None
    """What is known of the encoding; None: the Content-Type header, then the bytes decide."""
    headers: dict[str, str] = field(default_factory=dict)
    """Headers of use, names in lower case: content-type, last-modified."""
    status: int = 200
    """The server's status code."""
    screenshot: bytes | None = None
    """WebP, JPEG or PNG of the whole page, 1366 CSS px wide before scaling."""
    boxes: list[list[Any]] | None = None
    """Rows of the browser's boxes, in the column order of `document.boxes.COLUMNS`."""
    fetched_at: str | None = None
    """ISO 8601 with offset; relative times ("3小时前") are counted back from here."""
    flags: list[str] = field(default_factory=list)
    """What is known already: render-failed, not-rendered, truncated."""
    meta: dict[str, Any] = field(default_factory=dict)
    """The route: what `request.meta["webcontent"]` said (extractor ...)."""

    @classmethod
    def from_response(cls, response: Any) -> Page:
        """The page of a Scrapy response; screenshot and boxes are taken over where the render middleware attached them."""
        headers = {
            name: value.decode("latin-1") for name in ("content-type", "last-modified") if (value := response.headers.get(name)) is not None
        }
        return cls(
            url=response.url,
            html=response.body,
            headers=headers,
            status=response.status,
            screenshot=getattr(response, "screenshot", None),
            boxes=getattr(response, "boxes", None),
            fetched_at=getattr(response, "fetched_at", None),
            flags=list(getattr(response, "page_flags", None) or ()),
            meta=dict((response.request.meta if response.request else {}).get("webcontent") or {}),
        )

    @classmethod
    def from_file(cls, path: str | Path, url: str | None = None) -> Page:
        """The page stored in a file; without `url` it has none and relative links stay relative."""
        return cls(url=url, html=Path(path).read_bytes())


@dataclass(slots=True, frozen=True)
class PageType:
    """What a page is."""

    type: Type
    """article (one main text) or list (a page whose purpose is to lead on to others)."""
    kind: str
    """One of KINDS; informs only."""
    score: float
    """Calibrated probability, 0 to 1, that `type` is right."""
    flags: tuple[str, ...] = ()
    """Of FLAGS: what keeps the page from being a normal one."""
    evidence: dict[str, float] = field(default_factory=dict)
    """What each part said: probability of `article` by the name of the model."""


@dataclass(slots=True, frozen=True)
class Candidate:
    """One possible value of a field and where it was seen."""

    value: Any
    origin: str
    """Where it was seen: `json-ld`, `og:title`, `meta:author`, `h1`, `time`, `text`, `url`, or an extractor's name ..."""
    xpath: str | None = None
    score: float = 0.0
    """Rank among the candidates of its field, 0 to 1; a probability where a model gives it (titles)."""


@dataclass(slots=True)
class Link:
    title: str
    """Link text, trimmed."""
    url: str
    """Absolute, http or https."""
    time: str | None = None
    """ISO 8601, exactly as precise as shown."""


@dataclass(slots=True)
class Image:
    url: str
    """Absolute, http or https."""
    caption: str | None = None
    width: int | None = None
    """CSS px as declared or rendered."""
    height: int | None = None


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
    """Where a field of an item appears besides the item itself."""

    column: int
    """Place among the columns of CSV and Arrow."""
    meaning: str
    json_ld: str | None = None
    """Property of schema.org; None: JSON-LD has no place for it."""
    zyte: str | None = None
    """Attribute of zyte-common-items; None: those items have no place for it."""
    in_feeds: bool = True
    """Whether feeds and tables hold it by default."""
    is_derived: bool = False
    """Whether it says how the item was made or follows from other fields: nobody corrects it by hand, and saved pages leave it out."""


_SCHEMA = "schema"


def _schema(column: int, meaning: str, **more: Any) -> dict[str, FieldSchema]:
    """The metadata of a field."""
    return {_SCHEMA: FieldSchema(column=column, meaning=meaning, **more)}


def _as_in_article(name: str) -> Mapping[str, FieldSchema]:
    """The metadata of a field that means the same as in Article."""
    return Article.__dataclass_fields__[name].metadata


@dataclass(slots=True, kw_only=True)
class Article:
    """One main text."""

    url: str | None = field(default=None, metadata=_schema(0, "Address that was fetched, after redirects.", json_ld="url", zyte="url"))
    canonical_url: str | None = field(
        default=None,
        metadata=_schema(15, "Absolute address that the page names as its own.", json_ld="mainEntityOfPage", zyte="canonicalUrl"),
    )
    type: str = field(default=ARTICLE, metadata=_schema(16, "article: one main text; list: a page whose purpose is to lead on to others."))
    kind: str = field(default="article", metadata=_schema(9, f"The finer sort: {', '.join(KINDS)}. It informs only."))
    title: str | None = field(default=None, metadata=_schema(1, "One line, without the site's name.", json_ld="headline", zyte="headline"))
    time: str | None = field(
        default=None,
        metadata=_schema(
            2,
            "When it was published: ISO 8601, exactly as precise as the page: 2024-03-05, 2024-03-05T14:22, 2024-03-05T14:22:08+08:00.",
            json_ld="datePublished",
            zyte="datePublished",
        ),
    )
    modified: str | None = field(
        default=None,
        metadata=_schema(14, "When it was last changed; the same format as `time`.", json_ld="dateModified", zyte="dateModified"),
    )
    source: str | None = field(
        default=None, metadata=_schema(3, 'Who published it first (来源, "Reuters"); else the site\'s name.', json_ld="publisher")
    )
    authors: list[str] = field(
        default_factory=list,
        metadata=_schema(4, 'Names of persons or organisations, as shown, without "By".', json_ld="author", zyte="authors"),
    )
    body: str = field(
        default="",
        metadata=_schema(
            7, "Plain text: one line for each paragraph, heading, list item and table row.", json_ld="articleBody", zyte="articleBody"
        ),
    )
    body_html: str = field(
        default="",
        metadata=_schema(22, "Cleaned HTML: whitelisted tags, absolute links; safe to show.", zyte="articleBodyHtml", is_derived=True),
    )
    related: list[Link] = field(
        default_factory=list, metadata=_schema(12, "Links that the page offers as related to this article: title, url, time.")
    )
    images: list[Image] = field(
        default_factory=list,
        metadata=_schema(13, "Images of the text: url, caption, width, height. The top image comes first.", json_ld="image", zyte="images"),
    )
    language: str | None = field(default=None, metadata=_schema(8, "ISO 639-1.", json_ld="inLanguage", zyte="inLanguage"))
    score: float = field(
        default=0.0,
        metadata=_schema(10, "Probability that the word F1 of `body` exceeds 0.9, calibrated per extractor; 0 if empty.", is_derived=True),
    )
    flags: list[str] = field(
        default_factory=list, metadata=_schema(11, "What keeps the page from being a normal one: of FLAGS, sorted, each once.")
    )
    extractor: str | None = field(default=None, metadata=_schema(18, "Name in the table of extractors.", is_derived=True))
    page_type_score: float | None = field(
        default=None, metadata=_schema(17, "Calibrated probability that `type` is right.", is_derived=True)
    )
    evidence: dict[str, list[Candidate]] = field(
        default_factory=dict,
        metadata=_schema(
            23,
            "All candidates of each field, best first; left out of feeds unless WEBCONTENT_EVIDENCE is set.",
            in_feeds=False,
            is_derived=True,
        ),
    )
    fetched_at: str | None = field(default=None, metadata=_schema(19, "When the page was fetched: ISO 8601 with offset.", is_derived=True))
    screenshot: str | None = field(default=None, metadata=_schema(20, "Path or URI of the stored screenshot.", is_derived=True))
    fingerprint: str | None = field(
        default=None, metadata=_schema(21, "64-bit simhash of the body, 16 hexadecimal digits.", is_derived=True)
    )


@dataclass(slots=True, kw_only=True)
class Listing:
    """A page whose purpose is to lead on to others."""

    url: str | None = field(default=None, metadata=_as_in_article("url"))
    canonical_url: str | None = field(
        default=None, metadata=_schema(15, "Absolute address that the page names as its own.", zyte="canonicalUrl")
    )
    type: str = field(default=LIST, metadata=_schema(16, "list"))
    kind: str = field(default="listing", metadata=_schema(9, "listing: an index of texts; collection: a grid of products."))
    title: str | None = field(default=None, metadata=_schema(1, "One line, without the site's name.", json_ld="name", zyte="categoryName"))
    entries: list[Entry] = field(
        default_factory=list,
        metadata=_schema(
            5,
            "The main repeated records, in page order: title, url, time, source, summary, image.",
            json_ld="itemListElement",
            zyte="articles",
        ),
    )
    next_page: str | None = field(default=None, metadata=_schema(6, "Absolute address of the next page of the list.", zyte="nextPage"))
    body: str = field(default="", metadata=_schema(7, "The records' text, in order: one line for each part."))
    related: list[Link] = field(default_factory=list, metadata=_as_in_article("related"))
    language: str | None = field(default=None, metadata=_schema(8, "ISO 639-1."))
    score: float = field(default=0.0, metadata=_as_in_article("score"))
    flags: list[str] = field(default_factory=list, metadata=_as_in_article("flags"))
    extractor: str | None = field(default=None, metadata=_as_in_article("extractor"))
    page_type_score: float | None = field(default=None, metadata=_as_in_article("page_type_score"))
    evidence: dict[str, list[Candidate]] = field(default_factory=dict, metadata=_as_in_article("evidence"))
    fetched_at: str | None = field(default=None, metadata=_as_in_article("fetched_at"))
    screenshot: str | None = field(default=None, metadata=_as_in_article("screenshot"))
    fingerprint: str | None = field(default=None, metadata=_as_in_article("fingerprint"))


def schema_of(*item_classes: type) -> dict[str, FieldSchema]:
    """The fields of the classes together, in the order of their columns.

    >>> list(schema_of(Listing))[:5]
    ['url', 'title', 'entries', 'next_page', 'body']
    """
    found = {part.name: part.metadata[_SCHEMA] for item_class in item_classes for part in fields(item_class)}
    return dict(sorted(found.items(), key=lambda pair: pair[1].column))


DERIVED = frozenset(name for name, schema in schema_of(Article, Listing).items() if schema.is_derived)
"""Fields that say how an item was made or follow from others: saved pages leave them out."""
