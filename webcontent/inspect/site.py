"""What a site file does: the item with it and without it, where its selectors find nothing, and new lines for it from right values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from webcontent.addresses import site_of
from webcontent.inspect.text import SHOWN, side_by_side
from webcontent.items import LIST
from webcontent.pipeline import classify, page_item, read
from webcontent.saved_pages.archive import as_json, is_checked, load_item, load_page, saved_pages
from webcontent.site_files import SiteFile
from webcontent.site_files.applying import ORIGIN, finds
from webcontent.site_files.proposing import is_right, propose, write_keys
from webcontent.site_files.reading import NAME_FIELDS, SUFFIX

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from webcontent.document.parsing import Document
    from webcontent.items import Article, Listing, Page
    from webcontent.pipeline import Options


@dataclass(slots=True)
class SitePage:
    """A page of the site, with its item now, and the right values that a person gave."""

    name: str
    document: Document
    item: Article | Listing
    right: dict[str, Any]


def read_site_page(page: Page, options: Options, right: Mapping[str, Any], name: str = "") -> SitePage:
    """`right`: field -> its right value, a body as its lines."""
    return SitePage(name or page.url or "the page", read(page, options), page_item(page, options), dict(right))


def saved_site_pages(folder: Path, url: str | None, options: Options) -> Iterator[SitePage]:
    """The saved articles of an address's host, the earliest first. A page whose item was corrected or checked has right values."""
    pages = [(place, load_page(place)) for place in saved_pages(folder)]
    host = urlsplit(url or "").hostname
    own = [(place, page) for place, page in pages if urlsplit(page.url or "").hostname == host]
    for place, page in sorted(own, key=lambda pair: pair[1].fetched_at or ""):
        if classify(read(page, options), options).type != LIST:
            item = load_item(place) if is_checked(place) else {}
            yield read_site_page(page, options, {name: item[name] for name in SHOWN if item.get(name)}, place.name)


def compared(page: Page, options: Options, saved: Sequence[SitePage]) -> Iterator[str]:
    """The item with the site file beside the item without it, with the lines of the file that took part; then its misses on saved pages."""
    file = options.site_file(page.url)
    if file is None:
        yield f"There is no site file for {page.url}."
        return
    item, plain = page_item(page, replace(options, evidence=True)), page_item(page, replace(options, site_files=None))
    yield from side_by_side({f"with {file.path.name}": item, "without": plain}, lambda name: _line_of(file, name, item))
    yield from misses(file, saved)


def _line_of(file: SiteFile, name: str, item: Article | Listing) -> str:
    """The line that gave a value, in short; "" if none did."""
    if name == "type":
        return "articles, lists" if file.type_of(item.url) else ""
    if name == "body":
        parts = [file.body, *file.drop]
        return " - ".join(part.select for part in parts if part is not None)
    candidates = item.evidence.get(name)
    return file.fields[name].select if candidates and candidates[0].origin == ORIGIN and name in file.fields else ""


def misses(file: SiteFile, pages: Sequence[SitePage]) -> Iterator[str]:
    """For each selector that finds nothing on some of the saved pages: on how many, and since when."""
    selectors = {**file.fields, **({"body": file.body} if file.body else {})}
    for name, one in selectors.items():
        missed = [page for page in pages if name != "next_page" and not finds(file, name, one, page.document)]
        if missed and not one.optional:
            last = " These are the latest ones: its design may have changed." if missed == list(pages[-len(missed) :]) else ""
            yield f"{name}: {one.select} finds nothing on {len(missed)} of {len(pages)} saved pages, such as {missed[0].name}.{last}"


def learned(pages: Sequence[SitePage], url: str, options: Options, folder: Path) -> Iterator[str]:
    """Writes a line of the site file for each field that is wrong where its right value is known, and says what it wrote."""
    host = urlsplit(url).hostname
    domain = (site_of(f"http://{host}") or str(host)).partition(":")[0]
    file = options.site_file(url) or SiteFile(path=folder / f"{domain}{SUFFIX}")
    for name in SHOWN:
        known = [page for page in pages if page.right.get(name)]
        if all(is_right(name, as_json(page.item).get(name), page.right[name]) for page in known):
            continue
        others = [page.document for page in pages if page not in known]
        proposal = propose(file, name, [(page.document, page.right[name]) for page in known], others)
        if proposal is None:
            yield f"{name}: no selector gives the right value on all {len(known)} pages where it is known."
            continue
        keys, found = proposal
        file = write_keys(file.path, keys)
        lines = "; ".join(f"{key} = {value!r}" for key, value in keys.items())
        yield f"{file.path}: {lines} (right on {len(known)} pages; finds something on {found} of {len(others)} others)"


def right_value(text: str) -> tuple[str, Any]:
    """Field and value of `NAME=VALUE`; names are separated by semicolons. Raises ValueError for a field that has no selector."""
    name, _, value = text.partition("=")
    if name not in SHOWN or not value.strip():
        raise ValueError(f"--set takes FIELD=VALUE with one of {', '.join(SHOWN)}, not {text!r}.")
    if name in NAME_FIELDS:
        return name, [part.strip() for part in value.split(";")]
    return name, value.split("\n") if name == "body" else value.strip()
