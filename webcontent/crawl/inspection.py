"""Why a page became the item that it became: its picture with the blocks coloured by label, its type, its fields.

The HTML view is one file that loads nothing and runs nothing: page text is escaped, and a policy forbids scripts besides.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, fields
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter

from webcontent.document.boxes import COLUMNS
from webcontent.document.parsing import Document
from webcontent.extractors import DEFAULT, LABELS, Extraction, load_extractor
from webcontent.fields.assembly import assemble
from webcontent.items import Listing
from webcontent.models import use_folder
from webcontent.pagetype import classify_document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL import Image, ImageFont

    from webcontent.crawl.config import Config
    from webcontent.items import Article, Page, PageType

ENTRY = "entry"
COLORS = {
    "title": "#1d4ed8",
    "time": "#c2410c",
    "source": "#7e22ce",
    "authors": "#be185d",
    "body": "#15803d",
    ENTRY: "#0e7490",
    "related": "#a16207",
    "noise": "#6b7280",
}
"""Label -> colour; the labels of blocks, and `entry` for the records of a list."""
HEADER_PX = 96
FILL = 56
"""Opacity of a box's inside, 0 to 255."""
DAY = len("2024-03-05")
"""Places that agree so far show the value: a time may be more exact in the markup than on the page."""
MAX_SHOWN = 300
"""Characters of a value that the views show."""
_FONTS = ("NotoSansCJK-Regular.ttc", "wqy-zenhei.ttc", "wqy-microhei.ttc", "msyh.ttc", "PingFang.ttc", "DejaVuSans.ttf")
_X, _Y, _W, _H, _OWN = (COLUMNS.index(name) for name in ("x", "y", "w", "h", "own"))


@dataclass(frozen=True, slots=True)
class Inspection:
    """All that was found on a page, stage by stage."""

    document: Document
    page_type: PageType
    extraction: Extraction
    item: Article | Listing
    labels: tuple[str, ...]
    """One a block: what the extractor said, and the fields that came from it."""
    width_px: int
    """Width of the page when it was photographed, CSS px."""


@dataclass(frozen=True, slots=True)
class Rectangle:
    """Where a block stands, CSS px."""

    label: str
    x: float
    y: float
    width: float
    height: float
    text: str

    def holds(self, other: Rectangle) -> bool:
        return (
            self.x <= other.x + 1
            and self.y <= other.y + 1
            and other.x + other.width <= self.x + self.width + 1
            and other.y + other.height <= self.y + self.height + 1
        )


def inspect_page(page: Page, config: Config) -> Inspection:
    """The page's life once more, with nothing thrown away; blocking. Raises ModelError, never on page content."""
    use_folder(config.models)
    document = Document.from_page(page)
    document.page_type = page_type = classify_document(document, model=config.page_type_model)
    name = page.meta.get("extractor") or config.routes.get(page_type.type, DEFAULT)
    extraction = load_extractor(name, dict(config.extractors))(document)
    item = assemble(document, page_type, extraction, name)
    return Inspection(document, page_type, extraction, item, _labels(document, extraction, item), config.screenshot_size[0])


def _labels(document: Document, extraction: Extraction, item: Article | Listing) -> tuple[str, ...]:
    blocks = document.blocks
    if extraction.labels is not None and len(extraction.labels) == len(blocks):
        labels = [LABELS[int(code)] for code in extraction.labels]
    else:
        lines = {part for line in item.body.splitlines() for part in (line, *line.split("\t"))}
        labels = ["body" if any(line in lines for line in text.splitlines()) else "noise" for text in blocks.texts]
    known = {link.title: "related" for link in item.related}
    if isinstance(item, Listing):
        known |= {entry.title: ENTRY for entry in item.entries}
    else:
        known |= dict.fromkeys(item.authors, "authors")
    known[item.title or ""] = "title"
    places = dict(_places(item))
    for i, text in enumerate(blocks.texts):
        place = places.get(blocks.xpath(i)) if labels[i] != "body" else None
        if place == "time" and not any(map(str.isdigit, text)):  # another line of the same element
            place = None
        labels[i] = known.get(text) or known.get(blocks.link_texts[i]) or place or labels[i]
    return tuple(labels)


def _places(item: Article | Listing) -> Iterator[tuple[str, str]]:
    """Where the values of the item's fields were seen: XPath and field."""
    for field in ("authors", "source", "time", "title"):
        candidates = item.evidence.get(field) or []
        for candidate in candidates:
            shown = DAY if field == "time" else None
            if candidate.xpath and str(candidate.value)[:shown] == str(candidates[0].value)[:shown]:
                yield candidate.xpath, field


def rectangles(inspection: Inspection) -> list[Rectangle]:
    """The browser's boxes that hold text, each with the label of the block that it belongs to; empty without a browser."""
    blocks = inspection.document.blocks
    by_path: dict[str, int] = {}
    for i in range(len(blocks)):
        path = blocks.xpath(i)
        if path not in by_path or inspection.labels[by_path[path]] == "noise":
            by_path[path] = i
    found: dict[int, list[Rectangle]] = {}
    for row in inspection.document.boxes or []:
        block = _find_block(str(row[0]), by_path) if row[_OWN] > 0 else None
        if block is not None:
            box = Rectangle(inspection.labels[block], row[_X], row[_Y], row[_W], row[_H], blocks.texts[block])
            if not any(outer.holds(box) for outer in found.setdefault(block, [])):  # a link or a bold word of it
                found[block].append(box)
    return [box for boxes in found.values() for box in boxes]


def _find_block(path: str, by_path: dict[str, int]) -> int | None:
    """The block of the nearest element at or above a path."""
    while path:
        if path in by_path:
            return by_path[path]
        path = path.rpartition("/")[0]
    return None


def summary(inspection: Inspection) -> Iterator[str]:
    """Two lines that say what the page is taken for, and why."""
    page_type, item = inspection.page_type, inspection.item
    parts = ", ".join(f"{name.removeprefix('pagetype_').partition('_v')[0]} {value:.2f}" for name, value in page_type.evidence.items())
    yield f"{page_type.type} ({page_type.kind}), score {page_type.score:.2f}" + (f" · probability of article: {parts}" if parts else "")
    flags = f" · flags: {', '.join(item.flags)}" if item.flags else ""
    yield f"extractor {item.extractor}, score {item.score:.2f}{flags} · {item.title or 'no title'}"


def block_lines(inspection: Inspection) -> Iterator[str]:
    """A line a block: label, score where there is one, text."""
    for i, text in enumerate(inspection.document.blocks.texts):
        yield f"{inspection.labels[i]:8} {_score(inspection, i):5} {_short(text, 120)}"


def _score(inspection: Inspection, block: int) -> str:
    scores = inspection.extraction.scores
    return f"{float(scores[block]):.2f}" if scores is not None and len(scores) > block else ""


def _short(text: str, limit: int = MAX_SHOWN) -> str:
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def png(inspection: Inspection) -> bytes:
    """The page's screenshot with its boxes and a header. Raises ValueError where the page has no screenshot."""
    from PIL import Image, ImageDraw

    picture = _picture(inspection)
    scale = picture.width / inspection.width_px
    overlay = Image.new("RGBA", picture.size)
    draw = ImageDraw.Draw(overlay)
    for box in rectangles(inspection):
        color, is_noise = COLORS[box.label], box.label == "noise"
        corners = [part * scale for part in (box.x, box.y, box.x + max(box.width, 0), box.y + max(box.height, 0))]
        draw.rectangle(corners, fill=None if is_noise else f"{color}{FILL:02x}", outline=color, width=1 if is_noise else 2)
    whole = Image.new("RGB", (picture.width, picture.height + HEADER_PX), "white")
    whole.paste(Image.alpha_composite(picture.convert("RGBA"), overlay).convert("RGB"), (0, HEADER_PX))
    _draw_header(ImageDraw.Draw(whole), inspection)
    written = BytesIO()
    whole.save(written, "PNG")
    return written.getvalue()


def _picture(inspection: Inspection) -> Image.Image:
    """The screenshot, at least as wide as the page."""
    from PIL import Image, UnidentifiedImageError

    if not inspection.document.screenshot:
        raise ValueError("the page has no screenshot")
    try:
        picture = Image.open(BytesIO(inspection.document.screenshot)).convert("RGB")
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError) as error:
        raise ValueError(f"the screenshot can't be read: {error}") from error
    if picture.width < inspection.width_px:
        picture = picture.resize((inspection.width_px, round(picture.height * inspection.width_px / picture.width)))
    return picture


def _draw_header(draw: Any, inspection: Inspection) -> None:
    font = _font(18)
    for line, text in enumerate(summary(inspection)):
        draw.text((12, 8 + 26 * line), _short(text, 140), fill="black", font=font)
    x = 12.0
    for label, color in COLORS.items():
        draw.rectangle((x, 66, x + 18, 84), fill=color)
        draw.text((x + 24, 64), label, fill="black", font=font)
        x += 24 + draw.textlength(label, font=font) + 24


def _font(size_px: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """A font of this machine that knows Chinese, where there is one."""
    from PIL import ImageFont

    for name in _FONTS:
        try:
            return ImageFont.truetype(name, size_px)
        except OSError:
            continue
    return ImageFont.load_default(size_px)


def html(inspection: Inspection) -> str:
    """The whole inspection as one HTML file: picture and boxes, the item's fields with their evidence, the blocks."""
    lines = "".join(f"<p>{escape(line)}</p>" for line in summary(inspection))
    switches = "".join(
        f'<input type="checkbox" id="show-{label}" checked><label for="show-{label}" style="border-color:{color}">{label}</label>'
        for label, color in COLORS.items()
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">"
        f"<title>{escape(inspection.item.title or inspection.item.url or 'page')}</title><style>{_style()}</style></head><body>"
        f"<header>{lines}</header>{switches}<main>{_html_picture(inspection)}"
        f"<section>{_html_item(inspection)}{_html_blocks(inspection)}</section></main></body></html>"
    )


_STYLE = """
body { font: 14px/1.4 sans-serif; margin: 12px }
header p { margin: 2px 0 }
main { display: flex; gap: 16px; align-items: flex-start }
section { flex: 1; min-width: 0 }
label { border-left: 14px solid; padding: 0 14px 0 4px }
table { border-collapse: collapse; width: 100% }
td, th { border: 1px solid #ddd; padding: 2px 6px; text-align: left; vertical-align: top; overflow-wrap: anywhere }
th { white-space: nowrap }
.page { position: relative; flex: 0 0 60%; overflow: hidden }
.page img { width: 100%; display: block }
.box { position: absolute; box-sizing: border-box; border: 2px solid }
"""


def _style() -> str:
    """A rule for each label: its colour, and that its switch hides it."""
    rules = _STYLE
    for label, color in COLORS.items():
        rules += f".box.{label} {{ border-color: {color}; background: {color}33 }}\n"
        rules += f"tr.{label} td:first-child {{ background: {color}; color: #fff }}\n"
        rules += f"#show-{label}:not(:checked) ~ main .{label} {{ display: none }}\n"
    return rules + ".box.noise { background: none; border-width: 1px }\n"


def _html_picture(inspection: Inspection) -> str:
    shot = inspection.document.screenshot
    if not shot:
        return ""
    picture = _picture(inspection)
    width_px, height_px = inspection.width_px, picture.height * inspection.width_px / picture.width
    boxes = "".join(
        f'<div class="box {box.label}" title="{escape(f"{box.label}: {_short(box.text)}")}" style="left:{box.x / width_px:.4%};'
        f'top:{box.y / height_px:.4%};width:{box.width / width_px:.4%};height:{box.height / height_px:.4%}"></div>'
        for box in rectangles(inspection)
    )
    kind = "png" if shot.startswith(b"\x89PNG") else "webp" if shot.startswith(b"RIFF") else "jpeg"
    return f'<div class="page"><img alt="" src="data:image/{kind};base64,{base64.b64encode(shot).decode()}">{boxes}</div>'


def _html_item(inspection: Inspection) -> str:
    item = inspection.item
    rows = ""
    for field in fields(item):
        value = getattr(item, field.name)
        if field.name not in ("evidence", "body_html") and value not in (None, [], ""):
            seen = "; ".join(f"{_short(str(c.value), 80)} ({c.origin})" for c in item.evidence.get(field.name, [])[:5])
            rows += f"<tr><th>{field.name}</th><td>{escape(_shown(value))}</td><td>{escape(seen)}</td></tr>"
    return f"<table><tr><th>field</th><th>value</th><th>seen</th></tr>{rows}</table>"


def _shown(value: Any) -> str:
    if isinstance(value, list):
        parts = [str(ItemAdapter(part).asdict()) if ItemAdapter.is_item(part) else str(part) for part in value[:20]]
        return " | ".join(_short(part, 120) for part in parts) + (f" … ({len(value)})" if len(value) > 20 else "")
    return _short(str(value))


def _html_blocks(inspection: Inspection) -> str:
    texts = enumerate(zip(inspection.labels, inspection.document.blocks.texts, strict=True))
    rows = "".join(
        f'<tr class="{label}"><td>{label}</td><td>{_score(inspection, i)}</td><td>{escape(_short(text))}</td></tr>'
        for i, (label, text) in texts
    )
    return f"<h2>Blocks</h2><table><tr><th>label</th><th>score</th><th>text</th></tr>{rows}</table>"
