"""Pages saved with their items: a test or training set from a user's own crawl (WEBCONTENT_SAVE, `scrapy inspect --save`).

docs/inspect.md describes the files of a page's folder. A saved page is never written again, so a later crawl overwrites no correction.
This module needs no Scrapy.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from uuid import uuid4

from itemadapter import ItemAdapter

import webcontent
from webcontent.items import DERIVED, Page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.items import Article, Listing

HTML, PAGE, BOXES, ITEM, SCREENSHOT = "page.html", "page.json", "boxes.json", "item.json", "screenshot"
CHECKED = "checked"
"""Key of item.json: true if a user found the item right."""
EXTRACTOR = "extractor"
"""Key of page.json: the extractor that the page's own route names."""
ITEM_DIGEST = "item_sha256"
"""Key of page.json: the digest of the item as it was saved, which tells whether it was corrected."""
MAX_NAME = 60
"""Characters of a folder's name before its digest."""
DIGEST_LENGTH = 10
"""Hexadecimal digits of the digest in a folder's name."""
_SIGNATURES = ((b"\x89PNG", "png"), (b"\xff\xd8", "jpg"), (b"RIFF", "webp"))
_UNSAFE = re.compile(r"(?:[^a-z0-9.]|(?<![a-z0-9])\.|\.(?![a-z0-9]))+")
"""All but letters, digits, and dots between them."""
_PAGE_FIELDS = ("url", "encoding", "headers", "status", "fetched_at", "flags")


class PageArchive:
    """Saves pages into one folder. `save` blocks and may be called from any thread. Raises ValueError if the folder can't be created."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder).absolute()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(f"WEBCONTENT_SAVE is {str(folder)!r}, which can't be a folder: {error.strerror}.") from error

    def save(self, page: Page, item: dict[str, Any]) -> Path | None:
        """Saves a page with its item, which `as_json` made, and returns the new folder; None if the page is saved already.

        The files are written to a temporary folder, which is then renamed, so that no page is ever incomplete. Raises OSError if the
        disk does.
        """
        place = self.folder / folder_name(page)
        if place.exists():
            return None
        part = self.folder / f".part-{uuid4().hex}"
        try:
            part.mkdir()
            _write(part, page, item)
            part.rename(place)
        except OSError:
            shutil.rmtree(part, ignore_errors=True)
            if place.exists():  # another thread or crawl saved it in the meantime
                return None
            raise
        return place


def folder_name(page: Page) -> str:
    """Host and path in plain letters, and a digest of the address. Without an address the digest is that of the body.

    >>> folder_name(Page(url="https://news.example.org/2024/Story_1.html?id=3"))
    'news.example.org-2024-story-1.html-id-3-d021e57e6e'
    """
    try:
        parts = urlsplit(page.url or "")
        text = f"{parts.hostname or 'page'} {parts.path} {parts.query}"
    except ValueError:
        text = "page"
    digest = hashlib.sha256((page.url or "").encode("utf-8", "replace") or _html_bytes(page)).hexdigest()[:DIGEST_LENGTH]
    name = _UNSAFE.sub("-", text.lower()).strip("-")[:MAX_NAME].strip("-.") or "page"
    return f"{name}-{digest}"


def _html_bytes(page: Page) -> bytes:
    return page.html if isinstance(page.html, bytes) else page.html.encode("utf-8", "replace")


def _write(folder: Path, page: Page, item: dict[str, Any]) -> None:
    fields = {name: getattr(page, name) for name in _PAGE_FIELDS} | {"webcontent": webcontent.__version__, ITEM_DIGEST: digest_of(item)}
    if isinstance(page.html, str):
        fields["encoding"] = "utf-8"
    if page.meta.get(EXTRACTOR):
        fields[EXTRACTOR] = page.meta[EXTRACTOR]
    (folder / HTML).write_bytes(_html_bytes(page))
    _write_json(folder / PAGE, fields)
    _write_json(folder / ITEM, {CHECKED: False, **item})
    if page.boxes is not None:
        rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in page.boxes)
        (folder / BOXES).write_text(f"[\n{rows}\n]\n", encoding="utf-8")
    if page.screenshot:
        (folder / f"{SCREENSHOT}.{suffix_of(page.screenshot)}").write_bytes(page.screenshot)


def suffix_of(image: bytes) -> str:
    """How names of files of an image's format end."""
    return next((name for signature, name in _SIGNATURES if image.startswith(signature)), "bin")


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8", errors="replace")


def as_json(item: Article | Listing) -> dict[str, Any]:
    """The fields of an item that are saved and compared, as plain JSON values, the body as a list of lines."""
    fields = {name: value for name, value in ItemAdapter(item).asdict().items() if name not in DERIVED}
    values: dict[str, Any] = json.loads(json.dumps(fields))
    values["body"] = item.body.split("\n") if item.body else []
    return values


def digest_of(item: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(item, sort_keys=True).encode()).hexdigest()


# Reading


def is_saved_page(folder: Path) -> bool:
    return (folder / HTML).is_file() and (folder / ITEM).is_file()


def saved_pages(folder: Path) -> Iterator[Path]:
    """The folders of the saved pages, by name. Folders whose names begin with a dot are still being written."""
    for place in sorted(folder.iterdir()):
        if not place.name.startswith(".") and is_saved_page(place):
            yield place


def load_page(folder: Path) -> Page:
    """The page as it was fetched. Raises OSError for files that can't be read, ValueError naming a file that is damaged."""
    fields = _read_fields(folder)
    for name in (*_PAGE_FIELDS, EXTRACTOR):
        default = getattr(Page(), name, None)
        kind = str if default is None else type(default)
        is_right = isinstance(fields.get(name), (kind, type(None)))
        if not is_right:
            raise ValueError(f"{folder / PAGE} has {name} {fields[name]!r}; it takes {kind.__name__}.")
    screenshots = sorted(folder.glob(f"{SCREENSHOT}.*"))
    return Page(
        html=(folder / HTML).read_bytes(),
        boxes=_read(folder / BOXES, list) if (folder / BOXES).exists() else None,
        screenshot=screenshots[0].read_bytes() if screenshots else None,
        meta={EXTRACTOR: fields[EXTRACTOR]} if fields.get(EXTRACTOR) else {},
        **{name: value for name, value in fields.items() if name in _PAGE_FIELDS and value is not None},
    )


def load_item(folder: Path) -> dict[str, Any]:
    """The item as it is in the file, without the key CHECKED. A body that is one text is split into lines."""
    item: dict[str, Any] = _read(folder / ITEM, dict)
    item.pop(CHECKED, None)
    if isinstance(item.get("body"), str):
        item["body"] = item["body"].split("\n") if item["body"] else []
    return item


def is_checked(folder: Path) -> bool:
    """Whether a user marked the item as checked, or corrected it."""
    is_marked = _read(folder / ITEM, dict).get(CHECKED) is True
    return is_marked or bool(_read_fields(folder).get(ITEM_DIGEST) != digest_of(load_item(folder)))


def _read_fields(folder: Path) -> dict[str, Any]:
    """The content of page.json; empty without that file."""
    return dict(_read(folder / PAGE, dict)) if (folder / PAGE).exists() else {}


def _read(path: Path, kind: type) -> Any:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not JSON: {error}") from error
    if isinstance(value, kind):
        return value
    raise ValueError(f"{path} holds {type(value).__name__}; it takes {'an object' if kind is dict else 'a list'}.")
