"""Pages kept with their items: a test or training set from a user's own crawl (WEBCONTENT_SAVE, `scrapy inspect --save`).

A folder a page:

    page.html        the body, byte for byte
    page.json        what else is known of it: address, encoding, headers, flags, when it was fetched and by what version saved
    boxes.json       the browser's rows, where it was rendered
    screenshot.jpg   (.png, .webp) the picture, where one was taken
    item.json        the item: correct it by hand (the body is a list of its lines); a field that is left out is not judged;
                     "checked": true says that the item is right

A page that is there already stays as it is, so a later crawl takes no correction away. This module needs no Scrapy.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from itemadapter import ItemAdapter

import webcontent
from webcontent.items import DERIVED, Page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.items import Article, Listing

HTML, ABOUT, BOXES, ITEM, SCREENSHOT = "page.html", "page.json", "boxes.json", "item.json", "screenshot"
CHECKED = "checked"
"""Key of item.json: true once somebody has looked and found the item right."""
MAX_NAME = 60
"""Characters of a folder's name before its digest."""
_SIGNATURES = ((b"\x89PNG", "png"), (b"\xff\xd8", "jpg"), (b"RIFF", "webp"))
_UNSAFE = re.compile(r"(?:[^a-z0-9.]|(?<![a-z0-9])\.|\.(?![a-z0-9]))+")
"""All but letters, digits, and dots between them."""
_TEXT = ((str, type(None)), "text or null")
_KEPT: dict[str, tuple[tuple[type, ...], str]] = {
    "url": _TEXT,
    "encoding": _TEXT,
    "headers": ((dict,), "an object"),
    "status": ((int,), "a number"),
    "fetched_at": _TEXT,
    "flags": ((list,), "a list"),
}
"""What of a page is in page.json, and what each may be."""
EXTRACTOR = "extractor"
"""Key of page.json: the extractor that the page's own route named."""


class PageArchive:
    """Saves pages into one folder, at most `limit` of them in its life. `save` blocks and may be called from any thread.

    Raises ValueError where there can be no such folder.
    """

    def __init__(self, folder: str | Path, limit: int | None = None) -> None:
        self.folder = Path(folder).absolute()
        self.limit = limit
        self.saved = 0
        self._lock = threading.Lock()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(f"WEBCONTENT_SAVE is {str(folder)!r}, which can't be a folder: {error.strerror}.") from error

    @property
    def is_full(self) -> bool:
        return self.limit is not None and self.saved >= self.limit

    def save(self, page: Page, item: dict[str, Any]) -> Path | None:
        """Saves a page with its item, given as `as_json` makes it, and gives the new folder.

        None where the page was there already or the recorder is full. Raises OSError where the disk does.
        The files are written beside their place and moved there together: no page is ever half there.
        """
        place = self.folder / folder_name(page)
        with self._lock:
            if self.is_full or place.exists():
                return None
            self.saved += 1
        part = Path(tempfile.mkdtemp(prefix=".part-", dir=self.folder))
        try:
            part.chmod(0o755)
            _write(part, page, item)
            part.rename(place)
        except OSError:
            self.saved -= 1
            shutil.rmtree(part, ignore_errors=True)
            if place.exists():  # another thread or crawl came first
                return None
            raise
        return place


def folder_name(page: Page) -> str:
    """Host and path in plain letters, and a digest of the address (of the body, where there is no address).

    >>> folder_name(Page(url="https://news.example.org/2024/Story_1.html?id=3"))
    'news.example.org-2024-story-1.html-id-3-d021e57e6e'
    """
    try:
        parts = urlsplit(page.url or "")
        told = f"{parts.hostname or 'page'} {parts.path} {parts.query}"
    except ValueError:
        told = "page"
    html = page.html if isinstance(page.html, bytes) else page.html.encode("utf-8", "replace")
    digest = hashlib.sha256((page.url or "").encode("utf-8", "replace") or html).hexdigest()[:10]
    name = _UNSAFE.sub("-", told.lower()).strip("-")[:MAX_NAME].strip("-.") or "page"
    return f"{name}-{digest}"


def _write(folder: Path, page: Page, item: dict[str, Any]) -> None:
    html = page.html if isinstance(page.html, bytes) else page.html.encode("utf-8", "replace")
    about = {name: getattr(page, name) for name in _KEPT} | {"webcontent": webcontent.__version__, "item_sha256": digest_of(item)}
    if isinstance(page.html, str):
        about["encoding"] = "utf-8"
    if page.meta.get(EXTRACTOR):
        about[EXTRACTOR] = page.meta[EXTRACTOR]
    (folder / HTML).write_bytes(html)
    _write_json(folder / ABOUT, about)
    _write_json(folder / ITEM, {CHECKED: False, **item})
    if page.boxes is not None:
        (folder / BOXES).write_text(
            "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in page.boxes) + "\n]\n", encoding="utf-8"
        )
    if page.screenshot:
        kind = next((name for signature, name in _SIGNATURES if page.screenshot.startswith(signature)), "bin")
        (folder / f"{SCREENSHOT}.{kind}").write_bytes(page.screenshot)


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8", errors="replace")


def as_json(item: Article | Listing) -> dict[str, Any]:
    """What of an item is saved and compared, as plain JSON values; the body as a list of lines."""
    found = {name: value for name, value in ItemAdapter(item).asdict().items() if name not in DERIVED}
    plain: dict[str, Any] = json.loads(json.dumps(found))
    plain["body"] = item.body.split("\n") if item.body else []
    return plain


def digest_of(saved: dict[str, Any]) -> str:
    """Tells an item that was corrected from one that is as it was saved."""
    return hashlib.sha256(json.dumps(saved, sort_keys=True).encode()).hexdigest()


# Reading


def is_saved_page(folder: Path) -> bool:
    return (folder / HTML).is_file() and (folder / ITEM).is_file()


def saved_pages(folder: Path) -> Iterator[Path]:
    """The saved pages of a folder, by name; those that are being written have names that begin with a dot."""
    for place in sorted(folder.iterdir()):
        if not place.name.startswith(".") and is_saved_page(place):
            yield place


def load_page(folder: Path) -> Page:
    """The page as it came in. Raises OSError for files that can't be read, ValueError naming one that is damaged."""
    about = _read_json(folder / ABOUT, dict) if (folder / ABOUT).exists() else {}
    for name, (kinds, takes) in (_KEPT | {EXTRACTOR: _TEXT}).items():
        if name in about and not isinstance(about[name], kinds):
            raise ValueError(f"{folder / ABOUT} has {name} {about[name]!r}; it takes {takes}.")
    screenshots = sorted(folder.glob(f"{SCREENSHOT}.*"))
    return Page(
        html=(folder / HTML).read_bytes(),
        boxes=_read_json(folder / BOXES, list) if (folder / BOXES).exists() else None,
        screenshot=screenshots[0].read_bytes() if screenshots else None,
        meta={EXTRACTOR: about[EXTRACTOR]} if about.get(EXTRACTOR) else {},
        **{name: value for name, value in about.items() if name in _KEPT},
    )


def load_item(folder: Path) -> dict[str, Any]:
    """The item as it stands in the file, without the mark that it was checked."""
    item: dict[str, Any] = _read_json(folder / ITEM, dict)
    item.pop(CHECKED, None)
    if isinstance(item.get("body"), str):  # somebody likes it better so
        item["body"] = item["body"].split("\n") if item["body"] else []
    return item


def is_checked(folder: Path) -> bool:
    """Whether somebody said that the item is right, or corrected it."""
    if _read_json(folder / ITEM, dict).get(CHECKED) is True:
        return True
    about = _read_json(folder / ABOUT, dict) if (folder / ABOUT).exists() else {}
    return bool(about.get("item_sha256") != digest_of(load_item(folder)))


def _read_json(path: Path, kind: type) -> Any:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is no JSON: {error}") from error
    if not isinstance(value, kind):
        raise ValueError(f"{path} holds {type(value).__name__}; it takes {'an object' if kind is dict else 'a list'}.")  # noqa: TRY004  (a file's fault)
    return value
