"""Our items as those of zyte-common-items, and back (extra `poet`): what both have a field for is kept whole.

Their items have no place for kind, source, related links, captions, flags, scores of lists; ours have none for breadcrumbs, descriptions,
videos. Bodies: they part paragraphs by an empty line, ours by a line end. Dates: theirs are whole seconds, so ours stand beside them
as `datePublishedRaw`, exactly as precise as the page.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import zyte_common_items as zyte

if TYPE_CHECKING:
    from webcontent.items import Article, Listing

_OURS = re.compile(r"\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?)?)?)?")
"""A time as our items write it; other raw dates ("3 hours ago") are as the page shows them."""
_NEVER = "0000-01-01T00:00:00"


def article_to_zyte(article: Article) -> zyte.Article:
    """Raises ValueError for an article without address, which theirs must have."""
    return zyte.Article(
        url=_address(article),
        canonicalUrl=article.canonical_url,
        headline=article.title,
        datePublished=_to_seconds(article.time),
        datePublishedRaw=article.time,
        dateModified=_to_seconds(article.modified),
        dateModifiedRaw=article.modified,
        authors=[zyte.Author(name=name, nameRaw=name) for name in article.authors] or None,
        inLanguage=article.language,
        mainImage=zyte.Image(url=article.images[0].url) if article.images else None,
        images=[zyte.Image(url=image.url) for image in article.images] or None,
        articleBody=article.body.replace("\n", "\n\n") or None,
        articleBodyHtml=article.body_html or None,
        metadata=zyte.ArticleMetadata(dateDownloaded=_to_utc(article.fetched_at), probability=article.score),
    )


def article_from_zyte(item: zyte.Article) -> dict[str, Any]:
    """Values of an Article."""
    images = [image.url for image in item.images or ()]
    if item.mainImage and item.mainImage.url not in images:
        images.insert(0, item.mainImage.url)
    metadata = item.metadata
    return {
        "url": item.url,
        "canonical_url": item.canonicalUrl,
        "title": item.headline,
        "time": _time(item.datePublished, item.datePublishedRaw),
        "modified": _time(item.dateModified, item.dateModifiedRaw),
        "authors": _names(item.authors),
        "language": item.inLanguage,
        "images": images,
        "body": (item.articleBody or "").replace("\n\n", "\n"),
        "body_html": item.articleBodyHtml or "",
        "fetched_at": _from_utc(metadata.dateDownloaded) if metadata else None,
        "score": (metadata.probability if metadata else None) or 0.0,
    }


def listing_to_zyte(listing: Listing) -> zyte.ArticleList:
    """Raises ValueError for a list without address."""
    return zyte.ArticleList(
        url=_address(listing),
        canonicalUrl=listing.canonical_url,
        articles=[
            zyte.ArticleFromList(
                url=entry.url,
                headline=entry.title,
                datePublished=_to_seconds(entry.time),
                datePublishedRaw=entry.time,
                articleBody=(entry.summary or "").replace("\n", "\n\n") or None,
                mainImage=zyte.Image(url=entry.image) if entry.image else None,
            )
            for entry in listing.entries
        ]
        or None,
        metadata=zyte.ArticleListMetadata(dateDownloaded=_to_utc(listing.fetched_at)),
    )


def listing_to_zyte_navigation(listing: Listing) -> zyte.ArticleNavigation:
    """Where a list leads: its entries and its next page as requests. Raises ValueError for a list without address."""
    return zyte.ArticleNavigation(
        url=_address(listing),
        categoryName=listing.title,
        items=[zyte.ProbabilityRequest(url=entry.url, name=entry.title) for entry in listing.entries] or None,
        nextPage=zyte.Request(url=listing.next_page) if listing.next_page else None,
        metadata=zyte.ArticleNavigationMetadata(dateDownloaded=_to_utc(listing.fetched_at)),
    )


def listing_from_zyte(item: zyte.ArticleList | zyte.ArticleNavigation) -> dict[str, Any]:
    """Values of a Listing; its entries as dicts."""
    values: dict[str, Any] = {"url": item.url, "fetched_at": _from_utc(item.metadata.dateDownloaded) if item.metadata else None}
    if isinstance(item, zyte.ArticleNavigation):
        links = [{"title": request.name or "", "url": request.url} for request in item.items or ()]
        next_page = item.nextPage.url if item.nextPage else None
        return values | {"title": item.categoryName, "next_page": next_page, "entries": links}
    entries: list[dict[str, str | None]] = [
        {
            "title": article.headline or "",
            "url": article.url or "",
            "time": _time(article.datePublished, article.datePublishedRaw),
            "summary": (article.articleBody or "").replace("\n\n", "\n") or None,
            "image": article.mainImage.url if article.mainImage else None,
        }
        for article in item.articles or ()
    ]
    return values | {"canonical_url": item.canonicalUrl, "entries": entries}


def _address(item: Article | Listing) -> str:
    if not item.url:
        raise ValueError("The item has no url, and an item of zyte-common-items must have one.")
    return item.url


def _to_seconds(time: str | None) -> str | None:
    """A time as exact as theirs: what the page does not say is zero.

    >>> _to_seconds("2024-03-05"), _to_seconds("2024-03-05T14:22+08:00"), _to_seconds(None)
    ('2024-03-05T00:00:00', '2024-03-05T14:22:00+08:00', None)
    """
    if time is None or not (match := _OURS.fullmatch(time)):
        return None
    zone = match[5] or ""
    known = time.removesuffix(zone)
    return known + _NEVER[len(known) :] + zone


def _time(exact: str | None, raw: str | None) -> str | None:
    """Ours, if that is what stands in the raw date."""
    return raw if raw and _OURS.fullmatch(raw) else exact


def _names(authors: list[zyte.Author] | None) -> list[str]:
    return [name for author in authors or () if (name := author.name or author.nameRaw)]


def _to_utc(time: str | None) -> str | None:
    """When a page was fetched, as theirs write it.

    >>> _to_utc("2026-01-02T11:04:05+08:00"), _from_utc("2026-01-02T03:04:05Z")
    ('2026-01-02T03:04:05Z', '2026-01-02T03:04:05+00:00')
    """
    if time is None:
        return None
    try:
        return f"{datetime.fromisoformat(time).astimezone(UTC).replace(tzinfo=None).isoformat(timespec='seconds')}Z"
    except ValueError:
        return None


def _from_utc(time: str | None) -> str | None:
    return time.removesuffix("Z") + "+00:00" if time and time.endswith("Z") else time
