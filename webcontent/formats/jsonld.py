"""Items as JSON-LD with the vocabulary of schema.org, which search engines read."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from webcontent.items import Article, Listing, schema_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from webcontent.items import Audio, Entry, Image, Video

_NOT_IN_SCRIPT = re.compile("[<>&\u2028\u2029\ud800-\udfff]")
"""Characters that end a script element or a comment in it, line breaks of JavaScript, and surrogates, which UTF-8 can't hold."""
CONTEXT = "https://schema.org"
ARTICLE_TYPES = {"article": "NewsArticle", "forum": "DiscussionForumPosting", "documentation": "TechArticle"}
"""Kind of page -> type. Other kinds are an Article."""


def to_json_ld(item: Article | Listing) -> dict[str, Any]:
    """An item as a dict for `json.dumps`: an article as NewsArticle or the type of its kind, a list as ItemList. Empty fields are left out.

    For a script element of a page, use `to_json_ld_script`.
    """
    properties = {
        schema.json_ld: _CONVERTERS.get(schema.json_ld, _unchanged)(getattr(item, name))
        for name, schema in schema_of(type(item)).items()
        if schema.json_ld
    }
    others: dict[str, Any]
    if isinstance(item, Article):
        others = {"@type": ARTICLE_TYPES.get(item.kind, "Article"), "mainEntityOfPage": item.canonical_url or item.url}
    else:
        others = {"@type": "ItemList", "numberOfItems": len(item.entries), "mainEntityOfPage": _page_of_list(item)}
    return _present({"@context": CONTEXT, **properties, **others})


def _page_of_list(listing: Listing) -> dict[str, Any] | None:
    """The page of a list with its own time and names, which an ItemList can't have; None where it has none of these."""
    known = _present(
        {
            "datePublished": listing.time,
            "dateModified": listing.modified,
            "author": _persons(listing.authors),
            "editor": _persons(listing.editors),
            "sourceOrganization": _organization(listing.source),
            "publisher": _organization(listing.publisher),
        }
    )
    return _present({"@type": "CollectionPage", "url": listing.canonical_url or listing.url, **known}) if known else None


def to_json_ld_script(item: Article | Listing) -> str:
    """The JSON-LD of an item as the content of `<script type="application/ld+json">`. No text of the item can end the element.

    >>> "</script>" in to_json_ld_script(Article(title="</script>"))
    False
    """
    text = json.dumps(to_json_ld(item), ensure_ascii=False)
    return _NOT_IN_SCRIPT.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _unchanged(value: Any) -> Any:
    return value


def _persons(names: list[str]) -> list[dict[str, str]]:
    return [{"@type": "Person", "name": name} for name in names]


def _organization(name: str | None) -> dict[str, str] | None:
    return {"@type": "Organization", "name": name} if name else None


def _images(images: list[Image]) -> list[dict[str, Any]]:
    return [
        _present(
            {
                "@type": "ImageObject",
                "url": image.url,
                "caption": image.caption,
                "creditText": image.credit,
                "width": image.width,
                "height": image.height,
            }
        )
        for image in images
    ]


def _media(kind: str) -> Callable[[list[Video] | list[Audio]], list[dict[str, Any]]]:
    """A converter of videos or recordings to objects of a type."""
    return lambda media: [_present({"@type": kind, "url": part.url, "name": part.title}) for part in media]


def _list_items(entries: list[Entry]) -> list[dict[str, Any]]:
    return [{"@type": "ListItem", "position": position, "item": _entry(entry)} for position, entry in enumerate(entries, 1)]


def _entry(entry: Entry) -> dict[str, Any]:
    return _present(
        {
            "@type": "Article",
            "url": entry.url,
            "headline": entry.title,
            "datePublished": entry.time,
            "publisher": _organization(entry.source),
            "description": entry.summary,
            "image": entry.image,
        }
    )


_CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "author": _persons,
    "editor": _persons,
    "sourceOrganization": _organization,
    "publisher": _organization,
    "image": _images,
    "video": _media("VideoObject"),
    "audio": _media("AudioObject"),
    "itemListElement": _list_items,
}
"""Property -> the function that converts the field's value. Other properties take the value as it is."""


def _present(properties: dict[str, Any]) -> dict[str, Any]:
    """The properties that are not empty."""
    return {name: value for name, value in properties.items() if value not in (None, "", [])}
