"""Items as JSON-LD with the vocabulary of schema.org, which search engines read."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from webcontent.items import Article, Listing, schema_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from webcontent.items import Entry, Image

_NOT_IN_SCRIPT = re.compile("[<>&\u2028\u2029\ud800-\udfff]")
"""Characters that end a script element or a comment in it, line breaks of JavaScript, and surrogates, which UTF-8 can't hold."""
CONTEXT = "https://schema.org"
ARTICLE_TYPES = {"article": "NewsArticle", "forum": "DiscussionForumPosting", "documentation": "TechArticle"}
"""Kind of page -> type. Other kinds are an Article."""
OF_LIST = frozenset({"url", "name", "image", "itemListElement"})
OF_PAGE = frozenset({"author", "editor", "sourceOrganization", "publisher", "datePublished", "dateModified"})
"""Properties of an ItemList, and those that only its page can have."""


def to_json_ld(item: Article | Listing) -> dict[str, Any]:
    """An item as a dict for `json.dumps`: an article as NewsArticle or the type of its kind, a list as ItemList. Empty fields are left out.

    For a script element of a page, use `to_json_ld_script`.
    """
    properties = {
        schema.json_ld: _CONVERTERS.get(schema.json_ld, lambda value: value)(getattr(item, name))
        for name, schema in schema_of(type(item)).items()
        if schema.json_ld
    }
    page = item.canonical_url or item.url
    if isinstance(item, Article):
        return _present({"@context": CONTEXT, "@type": ARTICLE_TYPES.get(item.kind, "Article"), **properties, "mainEntityOfPage": page})
    known = _present({name: value for name, value in properties.items() if name in OF_PAGE})
    own = {name: value for name, value in properties.items() if name in OF_LIST} | {"numberOfItems": len(item.entries)}
    main = _thing("CollectionPage", url=page, **known) if known else None
    return _present({"@context": CONTEXT, "@type": "ItemList", **own, "mainEntityOfPage": main})


def to_json_ld_script(item: Article | Listing) -> str:
    """The JSON-LD of an item as the content of `<script type="application/ld+json">`. No text of the item can end the element.

    >>> "</script>" in to_json_ld_script(Article(title="</script>"))
    False
    """
    text = json.dumps(to_json_ld(item), ensure_ascii=False)
    return _NOT_IN_SCRIPT.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _present(properties: dict[str, Any]) -> dict[str, Any]:
    """The properties that are not empty."""
    return {name: value for name, value in properties.items() if value not in (None, "", [])}


def _thing(kind: str, **properties: Any) -> dict[str, Any]:
    return {"@type": kind, **_present(properties)}


def _persons(names: list[str]) -> list[dict[str, str]]:
    return [_thing("Person", name=name) for name in names]


def _organization(name: str | None) -> dict[str, str] | None:
    return _thing("Organization", name=name) if name else None


def _image(image: Image) -> dict[str, Any]:
    return _thing("ImageObject", url=image.url, caption=image.caption, creditText=image.credit, width=image.width, height=image.height)


def _entry(entry: Entry) -> dict[str, Any]:
    details = {"datePublished": entry.time, "publisher": _organization(entry.source), "description": entry.summary, "image": entry.image}
    return _thing("Article", url=entry.url, headline=entry.title, **details)


_CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "author": _persons,
    "editor": _persons,
    "sourceOrganization": _organization,
    "publisher": _organization,
    "image": lambda images: list(map(_image, images)),
    "video": lambda videos: [_thing("VideoObject", url=video.url, name=video.title) for video in videos],
    "audio": lambda audios: [_thing("AudioObject", url=audio.url, name=audio.title) for audio in audios],
    "itemListElement": lambda entries: [_thing("ListItem", position=n, item=_entry(entry)) for n, entry in enumerate(entries, 1)],
}
"""Property -> the function that converts the field's value. Other properties take the value as it is."""
