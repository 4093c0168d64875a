"""What a site file changes: the type of a page by its address, the values of fields, the body, the zone of times.

A selector that finds nothing costs its field only: the models' value stays, and the item has the flag `site-file-missed`.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.blocks import xpath_of
from webcontent.document.text import body_text, node_text
from webcontent.extraction import BODY, NOISE
from webcontent.fields.body.left_out import inside
from webcontent.fields.dates import DateContext, parse_time
from webcontent.items import LIST, Candidate
from webcontent.site_files.reading import NAME_FIELDS, TIME_FIELDS, URL_FIELDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webcontent.document.parsing import Document
    from webcontent.extraction import Extraction
    from webcontent.items import Article, Listing, PageType
    from webcontent.site_files.reading import Selector, SiteFile

ORIGIN = "site file"
"""The origin of values that a site file gives."""
MISSED = "site-file-missed"
"""The flag of an item where a selector found nothing."""


def with_type(file: SiteFile, document: Document, page_type: PageType) -> PageType:
    said = file.type_of(document.url)
    if said is None:
        return page_type
    kind = page_type.kind if page_type.type == said else "listing" if said == LIST else "article"
    return replace(page_type, type=said, kind=kind, score=1.0)


def with_file(file: SiteFile, document: Document, extraction: Extraction, page_type: PageType) -> Extraction:
    """The extraction with what the file says of the page: values before those of the models, and the body."""
    is_list, found, flags = page_type.type == LIST, dict(extraction.fields), set(extraction.flags)
    for name, selector in file.fields.items():
        if (name == "next_page") != is_list:
            continue
        if (candidate := find_value(file, name, selector, document)) is not None:
            found[name] = [candidate, *found.get(name, ())]
        elif not selector.optional:
            flags.add(MISSED)
    extraction = replace(extraction, fields=found, flags=flags)
    return extraction if is_list else _with_body(file, document, extraction)


def find_value(file: SiteFile, name: str, selector: Selector, document: Document) -> Candidate | None:
    """The value of a field where a selector finds it; None if it finds none."""
    attribute = selector.attribute or ("href" if name in URL_FIELDS else None)
    found = []
    for node in selector.nodes(document.root):
        text = node if isinstance(node, str) else node.get(attribute) or "" if attribute else node_text(node)
        if value := _value(file, name, selector.part_of(text), document):
            found.append((value, None if isinstance(node, str) else xpath_of(node)))
            if name not in NAME_FIELDS:
                break
    if not found:
        return None
    chosen: Any = list(dict(found)) if name in NAME_FIELDS else found[0][0]
    return Candidate(chosen, ORIGIN, xpath=found[0][1], score=1.0)


def finds(file: SiteFile, name: str, selector: Selector, document: Document) -> bool:
    return bool(block_mask(selector, document).any()) if name == "body" else find_value(file, name, selector, document) is not None


def _value(file: SiteFile, name: str, text: str, document: Document) -> str | None:
    if name in URL_FIELDS:
        return document.absolute(text)
    if name not in TIME_FIELDS:
        return text
    time = parse_time(text, DateContext.of(document.fetched_at, day_first=file.date_order != "mdy"))
    return time and _in_zone(file, time)


def _in_zone(file: SiteFile, time: str) -> str:
    """A time that names no zone, in that of the site."""
    moment = datetime.fromisoformat(time) if file.time_zone is not None and "T" in time else None
    if moment is None or moment.tzinfo is not None:
        return time
    return time + moment.replace(tzinfo=file.time_zone).isoformat().removeprefix(moment.isoformat())


def with_zone(file: SiteFile, item: Article | Listing) -> Article | Listing:
    """The item with its times in the zone of the site; it is updated inline."""
    for name in TIME_FIELDS:
        if time := getattr(item, name):
            setattr(item, name, _in_zone(file, time))
    return item


def _with_body(file: SiteFile, document: Document, extraction: Extraction) -> Extraction:
    """The extraction with the blocks of the file's body, and without those that it drops."""
    blocks, labels = document.blocks, extraction.labels
    dropped = np.logical_or.reduce([np.zeros(len(blocks), np.bool_), *(block_mask(one, document) for one in file.drop)])
    if file.body is not None:
        body = block_mask(file.body, document) & ~dropped
        if body.any():
            labels, text = np.where(body, BODY, NOISE).astype(np.int8), body_text(blocks, body)
            certain = {"scores": body.astype(np.float32), "page_scores": None, "score": 1.0, "is_exact": True}
            return replace(extraction, labels=labels, body=text, body_html="", **certain)
        extraction.flags.update(() if file.body.optional else (MISSED,))
    if labels is None or not dropped.any():
        return extraction
    labels = np.where(dropped & (labels == BODY), NOISE, labels).astype(np.int8)
    return replace(extraction, labels=labels, body=body_text(blocks, labels == BODY), dropped=dropped)


def block_mask(selector: Selector, document: Document) -> NDArray[np.bool_]:
    """The blocks of the elements that a selector finds: bool [blocks]."""
    rows = document.blocks.row_of
    return inside(document.blocks, [rows[node] for node in selector.nodes(document.root) if node in rows])
