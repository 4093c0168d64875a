"""Our items as JSON-LD in the terms of schema.org, as search engines read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from webcontent.items import Article, Entry, Image, Listing

CONTEXT = "https://schema.org"
ARTICLE_TYPES = {"article": "NewsArticle", "forum": "DiscussionForumPosting", "documentation": "TechArticle"}
"""Kind of page -> type; of others it is an Article."""


def article_to_json_ld(article: Article) -> dict[str, Any]:
    return _present(
        {
            "@context": CONTEXT,
            "@type": ARTICLE_TYPES.get(article.kind, "Article"),
            "url": article.url,
            "mainEntityOfPage": article.canonical_url or article.url,
            "headline": article.title,
            "datePublished": article.time,
            "dateModified": article.modified,
            "author": [{"@type": "Person", "name": name} for name in article.authors],
            "publisher": _organization(article.source),
            "inLanguage": article.language,
            "image": [_image(image) for image in article.images],
            "articleBody": article.body,
        }
    )


def listing_to_json_ld(listing: Listing) -> dict[str, Any]:
    return _present(
        {
            "@context": CONTEXT,
            "@type": "ItemList",
            "url": listing.url,
            "name": listing.title,
            "numberOfItems": len(listing.entries),
            "itemListElement": [
                {"@type": "ListItem", "position": position, "item": _entry(entry)} for position, entry in enumerate(listing.entries, 1)
            ],
        }
    )


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


def _image(image: Image) -> dict[str, Any]:
    return _present({"@type": "ImageObject", "url": image.url, "caption": image.caption, "width": image.width, "height": image.height})


def _organization(name: str | None) -> dict[str, str] | None:
    return {"@type": "Organization", "name": name} if name else None


def _present(values: dict[str, Any]) -> dict[str, Any]:
    """Without what the page has not."""
    return {name: value for name, value in values.items() if value not in (None, "", [])}
