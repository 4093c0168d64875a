"""The contract: what goes in (`Page`) and what comes out (`Article`, `Listing` and their parts).

All are plain dataclasses: they work with itemadapter, pickle and JSON. `None` means that the page has none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import zyte_common_items

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


@dataclass(slots=True, kw_only=True)
class Article:
    """One main text."""

    url: str | None = None
    """Address that was fetched, after redirects."""
    canonical_url: str | None = None
    """Absolute address that the page names as its own."""
    type: str = ARTICLE
    kind: str = "article"
    """One of KINDS; informs only."""
    title: str | None = None
    """One line, without the site's name."""
    time: str | None = None
    """When it was published: ISO 8601, exactly as precise as the page: 2024-03-05, 2024-03-05T14:22, 2024-03-05T14:22:08+08:00."""
    modified: str | None = None
    """When it was last changed; the same format."""
    source: str | None = None
    """Who published it first (来源, "Reuters"), else the site's name."""
    authors: list[str] = field(default_factory=list)
    """Names of persons or organisations, as shown, without "By"."""
    body: str = ""
    """Plain text: a line a paragraph, heading, list item, table row."""
    body_html: str = ""
    """Cleaned HTML: whitelisted tags, absolute links; safe to show."""
    related: list[Link] = field(default_factory=list)
    """Links that the page offers as related to this story."""
    images: list[Image] = field(default_factory=list)
    """Top image first."""
    language: str | None = None
    """ISO 639-1."""
    score: float = 0.0
    """Calibrated, 0 to 1: the chance that the item is right."""
    flags: list[str] = field(default_factory=list)
    """Of FLAGS, sorted, each once."""
    extractor: str | None = None
    """Name in the table of extractors."""
    page_type_score: float | None = None
    """Calibrated chance that `type` is right."""
    evidence: dict[str, list[Candidate]] = field(default_factory=dict)
    """All candidates of each field, best first; left out of feeds unless WEBCONTENT_EVIDENCE is set."""
    fetched_at: str | None = None
    """ISO 8601 with offset."""
    screenshot: str | None = None
    """Path or URI when stored."""
    fingerprint: str | None = None
    """64-bit simhash of the body, 16 hexadecimal digits."""

    def to_zyte(self) -> zyte_common_items.Article:
        """The same as an item of zyte-common-items (extra `poet`). Raises ValueError when it has no url."""
        from webcontent.formats.zyte import article_to_zyte

        return article_to_zyte(self)

    @classmethod
    def from_zyte(cls, item: zyte_common_items.Article) -> Article:
        """The article that an item of zyte-common-items holds."""
        from webcontent.formats.zyte import article_from_zyte

        values = article_from_zyte(item)
        return cls(**{**values, "images": [Image(url) for url in values["images"]]})

    def to_json_ld(self) -> dict[str, Any]:
        """The same in the terms of schema.org: a NewsArticle, or what its kind is there."""
        from webcontent.formats.jsonld import article_to_json_ld

        return article_to_json_ld(self)


@dataclass(slots=True, kw_only=True)
class Listing:
    """A page whose purpose is to lead on to others. Fields not described here are those of Article."""

    url: str | None = None
    canonical_url: str | None = None
    type: str = LIST
    kind: str = "listing"
    title: str | None = None
    entries: list[Entry] = field(default_factory=list)
    """The main repeated records, in page order."""
    next_page: str | None = None
    """Absolute URL."""
    body: str = ""
    """The records' text, in order: a line a part."""
    related: list[Link] = field(default_factory=list)
    language: str | None = None
    score: float = 0.0
    flags: list[str] = field(default_factory=list)
    extractor: str | None = None
    page_type_score: float | None = None
    evidence: dict[str, list[Candidate]] = field(default_factory=dict)
    fetched_at: str | None = None
    screenshot: str | None = None
    fingerprint: str | None = None

    def to_zyte(self) -> zyte_common_items.ArticleList:
        """The same as an item of zyte-common-items (extra `poet`). Raises ValueError when it has no url."""
        from webcontent.formats.zyte import listing_to_zyte

        return listing_to_zyte(self)

    def to_zyte_navigation(self) -> zyte_common_items.ArticleNavigation:
        """Where the list leads, as requests: entries and next page. Raises ValueError when it has no url."""
        from webcontent.formats.zyte import listing_to_zyte_navigation

        return listing_to_zyte_navigation(self)

    @classmethod
    def from_zyte(cls, item: zyte_common_items.ArticleList | zyte_common_items.ArticleNavigation) -> Listing:
        """The list that an item of zyte-common-items holds."""
        from webcontent.formats.zyte import listing_from_zyte

        values = listing_from_zyte(item)
        return cls(**{**values, "entries": [Entry(**entry) for entry in values["entries"]]})

    def to_json_ld(self) -> dict[str, Any]:
        """The same in the terms of schema.org: an ItemList."""
        from webcontent.formats.jsonld import listing_to_json_ld

        return listing_to_json_ld(self)
