"""Conversion of items to those of zyte-common-items (extra `poet`).

zyte-common-items has no fields for kind, source, related links, captions, titles of videos, flags and scores of lists; this package has
none for breadcrumbs and descriptions. zyte-common-items separates paragraphs by an empty line, this package by a line break. Its dates are
exact to the second, so that `datePublishedRaw` holds the date with the precision of the page.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import attrs
import zyte_common_items as zyte

from webcontent.items import Article, Entry, Listing, schema_of

if TYPE_CHECKING:
    from collections.abc import Callable

_EXACT_TIME = re.compile(r"\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d)?(?P<zone>Z|[+-]\d\d:\d\d)?)?)?)?")
"""A time in the format of Article.time."""
_MIDNIGHT = "0000-01-01T00:00:00"


def to_zyte(item: Article | Listing) -> zyte.Article | zyte.ArticleList:
    """An Article for an article, an ArticleList for a list. Raises ValueError for an item without url, which both require."""
    if isinstance(item, Listing):
        metadata = zyte.ArticleListMetadata(dateDownloaded=_to_utc(item.fetched_at))
        return zyte.ArticleList(**_attributes(item, zyte.ArticleList), metadata=metadata)
    raw: dict[str, Any] = {"datePublishedRaw": item.time, "dateModifiedRaw": item.modified}
    image = zyte.Image(url=item.images[0].url) if item.images else None
    article_metadata = zyte.ArticleMetadata(dateDownloaded=_to_utc(item.fetched_at), probability=item.score)
    return zyte.Article(**_attributes(item, zyte.Article), **raw, mainImage=image, metadata=article_metadata)


def to_zyte_navigation(listing: Listing) -> zyte.ArticleNavigation:
    """The entries and the next page of a list as requests. Raises ValueError for a list without url."""
    items = [zyte.ProbabilityRequest(url=entry.url, name=entry.title) for entry in listing.entries]
    metadata = zyte.ArticleNavigationMetadata(dateDownloaded=_to_utc(listing.fetched_at))
    return zyte.ArticleNavigation(**_attributes(listing, zyte.ArticleNavigation), items=items or None, metadata=metadata)


def _attributes(item: Article | Listing, target: type) -> dict[str, Any]:
    """The attributes of a class of zyte-common-items whose values follow from one field each. Raises ValueError for an item without url."""
    if not item.url:
        raise ValueError("The item has no url, and items of zyte-common-items require one.")
    attributes = attrs.fields_dict(target)
    return {
        schema.zyte: _CONVERTERS.get(schema.zyte, lambda value: value)(getattr(item, name)) or None
        for name, schema in schema_of(type(item)).items()
        if schema.zyte in attributes
    }


def _paragraphs(body: str | None) -> str:
    return (body or "").replace("\n", "\n\n")


def _from_entry(entry: Entry) -> zyte.ArticleFromList:
    return zyte.ArticleFromList(
        url=entry.url,
        headline=entry.title,
        datePublished=_to_seconds(entry.time),
        datePublishedRaw=entry.time,
        articleBody=_paragraphs(entry.summary) or None,
        mainImage=zyte.Image(url=entry.image) if entry.image else None,
    )


def _to_seconds(time: str | None) -> str | None:
    """A time that is exact to the second. Parts that the page does not show are zero.

    >>> _to_seconds("2024-03-05"), _to_seconds("2024-03-05T14:22+08:00"), _to_seconds(None)
    ('2024-03-05T00:00:00', '2024-03-05T14:22:00+08:00', None)
    """
    if time is None or not (match := _EXACT_TIME.fullmatch(time)):
        return None
    zone = match["zone"] or ""
    known = time.removesuffix(zone)
    return known + _MIDNIGHT[len(known) :] + zone


def _to_utc(time: str | None) -> str | None:
    """The time of fetching in the format of zyte-common-items.

    >>> _to_utc("2026-01-02T11:04:05+08:00")
    '2026-01-02T03:04:05Z'
    """
    with suppress(ValueError):
        return f"{datetime.fromisoformat(time or '').astimezone(UTC).replace(tzinfo=None).isoformat(timespec='seconds')}Z"
    return None


_CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "datePublished": _to_seconds,
    "dateModified": _to_seconds,
    "authors": lambda names: [zyte.Author(name=name, nameRaw=name) for name in names],
    "articleBody": _paragraphs,
    "images": lambda images: [zyte.Image(url=image.url) for image in images],
    "videos": lambda videos: [zyte.Video(url=video.url) for video in videos],
    "audios": lambda audios: [zyte.Audio(url=audio.url) for audio in audios],
    "articles": lambda entries: list(map(_from_entry, entries)),
    "nextPage": lambda url: zyte.Request(url=url) if url else None,
}
"""Attribute of zyte-common-items -> how the field's value becomes its value. Others are the same in both."""
