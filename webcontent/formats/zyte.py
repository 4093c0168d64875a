"""Conversion between items of this package and of zyte-common-items (extra `poet`). Fields that both have survive a round trip.

zyte-common-items has no fields for kind, source, related links, captions, titles of videos, flags and scores of lists; this package has
none for breadcrumbs and descriptions. zyte-common-items separates paragraphs by an empty line, this package by a line break. Its dates are
exact to the second, so that `datePublishedRaw` holds the date with the precision of the page.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import attrs
import zyte_common_items as zyte

from webcontent.items import Article, Audio, Entry, Image, Listing, Video, schema_of

if TYPE_CHECKING:
    from collections.abc import Callable

_EXACT_TIME = re.compile(r"\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?)?)?)?")
"""A time in the format of Article.time. Other raw dates are texts of the page, such as "3 hours ago"."""
_MIDNIGHT = "0000-01-01T00:00:00"
_UNCHANGED = (lambda value: value, lambda value: value)


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


def from_zyte(item: zyte.Article | zyte.ArticleList | zyte.ArticleNavigation) -> Article | Listing:
    """An Article for an Article, a Listing for an ArticleList or ArticleNavigation."""
    item_class = Article if isinstance(item, zyte.Article) else Listing
    values = {
        name: _CONVERTERS.get(schema.zyte, _UNCHANGED)[1](value)
        for name, schema in schema_of(item_class).items()
        if schema.zyte and (value := getattr(item, schema.zyte, None)) is not None
    }
    if item.metadata:
        values["fetched_at"] = _from_utc(item.metadata.dateDownloaded)
    if isinstance(item, zyte.Article):
        values["time"] = _exact_time(item.datePublished, item.datePublishedRaw)
        values["modified"] = _exact_time(item.dateModified, item.dateModifiedRaw)
        values["score"] = (item.metadata.probability if item.metadata else None) or 0.0
        images = [Image(image.url) for image in item.images or ()]
        main = [Image(item.mainImage.url)] if item.mainImage else []
        values["images"] = images if not main or main[0] in images else [*main, *images]
    elif isinstance(item, zyte.ArticleNavigation):
        values["entries"] = [Entry(request.name or "", request.url) for request in item.items or ()]
    return item_class(**values)


def _attributes(item: Article | Listing, target: type) -> dict[str, Any]:
    """The attributes of a class of zyte-common-items whose values follow from one field each. Raises ValueError for an item without url."""
    if not item.url:
        raise ValueError("The item has no url, and items of zyte-common-items require one.")
    attributes = attrs.fields_dict(target)
    return {
        schema.zyte: _CONVERTERS.get(schema.zyte, _UNCHANGED)[0](getattr(item, name)) or None
        for name, schema in schema_of(type(item)).items()
        if schema.zyte in attributes
    }


def _paragraphs(body: str | None) -> str:
    return (body or "").replace("\n", "\n\n")


def _lines(body: str | None) -> str:
    return (body or "").replace("\n\n", "\n")


def _from_entry(entry: Entry) -> zyte.ArticleFromList:
    return zyte.ArticleFromList(
        url=entry.url,
        headline=entry.title,
        datePublished=_to_seconds(entry.time),
        datePublishedRaw=entry.time,
        articleBody=_paragraphs(entry.summary) or None,
        mainImage=zyte.Image(url=entry.image) if entry.image else None,
    )


def _to_entry(article: zyte.ArticleFromList) -> Entry:
    return Entry(
        title=article.headline or "",
        url=article.url or "",
        time=_exact_time(article.datePublished, article.datePublishedRaw),
        summary=_lines(article.articleBody) or None,
        image=article.mainImage.url if article.mainImage else None,
    )


def _to_seconds(time: str | None) -> str | None:
    """A time that is exact to the second. Parts that the page does not show are zero.

    >>> _to_seconds("2024-03-05"), _to_seconds("2024-03-05T14:22+08:00"), _to_seconds(None)
    ('2024-03-05T00:00:00', '2024-03-05T14:22:00+08:00', None)
    """
    if time is None or not (match := _EXACT_TIME.fullmatch(time)):
        return None
    zone = match[5] or ""
    known = time.removesuffix(zone)
    return known + _MIDNIGHT[len(known) :] + zone


def _exact_time(seconds: str | None, raw: str | None) -> str | None:
    """The raw date if it is a time in the format of Article.time, else the date that is exact to the second."""
    return raw if raw and _EXACT_TIME.fullmatch(raw) else seconds


def _to_utc(time: str | None) -> str | None:
    """The time of fetching in the format of zyte-common-items.

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


_CONVERTERS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "datePublished": (_to_seconds, _UNCHANGED[1]),
    "dateModified": (_to_seconds, _UNCHANGED[1]),
    "authors": (
        lambda names: [zyte.Author(name=name, nameRaw=name) for name in names],
        lambda authors: [name for author in authors if (name := author.name or author.nameRaw)],
    ),
    "articleBody": (_paragraphs, _lines),
    "images": (lambda images: [zyte.Image(url=image.url) for image in images], _UNCHANGED[1]),
    "videos": (lambda videos: [zyte.Video(url=video.url) for video in videos], lambda videos: [Video(video.url) for video in videos]),
    "audios": (lambda audios: [zyte.Audio(url=audio.url) for audio in audios], lambda audios: [Audio(audio.url) for audio in audios]),
    "articles": (lambda entries: list(map(_from_entry, entries)), lambda articles: list(map(_to_entry, articles))),
    "nextPage": (lambda url: zyte.Request(url=url) if url else None, lambda request: request.url),
}
"""Attribute of zyte-common-items -> how the field's value becomes its value, and the other way round. Others are the same in both."""
