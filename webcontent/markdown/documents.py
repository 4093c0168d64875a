"""An item -> a Markdown document: front matter, title, byline, body; a listing's entries as a list of links."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from itertools import groupby
from typing import TYPE_CHECKING, Any

from webcontent.markdown.escaping import address, escape_line, escape_line_start, front_matter_value, heading, with_brackets
from webcontent.markdown.writer import html_to_markdown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FRONT_MATTER = ("title", "url", "canonical_url", "time", "modified", "source", "authors", "language", "kind")
"""The fields of the front matter, in this order; those without a value are left out."""
BYLINE_SEPARATOR = " · "
MAX_BESIDE_TITLE = 20
"""Letters and digits beside the title of an entry: its date or number."""

_FIRST_HEADING = re.compile(r"\s*<h[12]>(.*?)</h[12]>", re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_DAY = re.compile(r"-0?(\d+)(?:T|$)")
_AROUND_REST = " \t·|-–—:,"


def article_document(item: Any, *, links: bool, images: bool, front_matter: bool) -> str:
    """An article: its title as a heading of level 1, a line of authors, source and time, and its body."""
    body = item.body_html
    if item.title and (first := _FIRST_HEADING.match(body)) and _plain(first[1]) == _plain(item.title):
        body = body[first.end() :]
    text = html_to_markdown(body, links=links, images=images) if body else _paragraphs(item.body.split("\n"))
    byline = _byline([", ".join(item.authors), item.source, item.time])
    return _document(item, [heading(escape_line(item.title or ""), 1), f"*{byline}*" if byline else "", text], front_matter=front_matter)


def listing_document(item: Any, *, links: bool, images: bool, front_matter: bool) -> str:
    """A list page: its title as a heading, then an item for each entry: link, time and source, summary.

    The lines of its body that no entry shows stand before the entries, or behind them if other lines do that an entry shows.
    """
    before, behind, beside = _other_lines(item)
    lines = [*_entry_lines(item.entries, beside, links=links, images=images)]
    is_loose = any(line[0] == "\n" for line in lines)
    entries = "\n".join([f"\n{line}" if is_loose and line[0] == "-" else line for line in lines]).lstrip()
    following = _link(item.next_page, item.next_page) if item.next_page and links and entries else ""
    return _document(
        item,
        [heading(escape_line(item.title or ""), 1), _paragraphs(before), entries, _paragraphs(behind), following],
        front_matter=front_matter,
    )


def _other_lines(item: Any) -> tuple[list[str], list[str], dict[str, list[str]]]:
    """The lines of a body that neither title nor entries show: before the first line that they show, and behind it.

    And what stands in a line beside the title of an entry, by the title.
    """
    titles = sorted(filter(None, (_plain(entry.title or "") for entry in item.entries)))
    reversed_titles = sorted(title[::-1] for title in titles)
    shown = {_plain(text) for entry in item.entries for text in (entry.title, entry.summary, entry.source, entry.time) if text}
    parts: tuple[list[str], list[str]] = [], []
    names = {_plain(entry.title): entry.title for entry in item.entries if entry.title}
    beside: dict[str, list[str]] = {}
    is_behind = False
    for line in item.body.split("\n"):
        key = _plain(line)
        nearest = [titles[bisect_right(titles, key) - 1]] if titles else []
        nearest += [reversed_titles[bisect_right(reversed_titles, key[::-1]) - 1][::-1]] if titles else []
        ends = [title for title in nearest if key.startswith(title) or key.endswith(title)]
        title = next((title for title in ends if 0 < len(key) - len(title) <= MAX_BESIDE_TITLE and names[title] in line), None)
        if key in shown or title:
            is_behind = is_behind or bool(key)
            if title and (rest := line.replace(names[title], "", 1).strip(_AROUND_REST)):
                beside.setdefault(names[title], []).append(rest)
        elif key != _plain(item.title or ""):
            parts[is_behind].append(line)
    return *parts, beside


def _document(item: Any, parts: Iterable[str], *, front_matter: bool) -> str:
    """The parts that are not empty, one blank line apart, with a line break at the end."""
    head = _front_matter(item) if front_matter else ""
    text = "\n\n".join(part for part in (head, *parts) if part)
    return f"{text.encode('utf-8', 'replace').decode()}\n" if text else ""  # lone surrogates become question marks


def _front_matter(item: Any) -> str:
    """YAML between two lines of hyphens. Values are written as JSON, which is YAML too."""
    values = {name: getattr(item, name, None) for name in FRONT_MATTER}
    lines = [f"{name}: {front_matter_value(json.dumps(value, ensure_ascii=False))}" for name, value in values.items() if value]
    return "\n".join(["---", *lines, "---"]) if lines else ""


def _byline(parts: Sequence[str | None]) -> str:
    return BYLINE_SEPARATOR.join(filter(None, [escape_line(part or "") for part in parts]))


def _entry_lines(entries: Sequence[Any], beside: dict[str, list[str]], *, links: bool, images: bool) -> Iterable[str]:
    """The lines of each entry. A date that the page shows beside its title stands in the place of its time."""
    for entry in entries:
        title = entry.title or entry.url
        head = _link(title, entry.url) if links else escape_line(title)
        rest = BYLINE_SEPARATOR.join(beside.pop(title, ()))
        time = entry.time if not (rest and (day := _DAY.search(entry.time or "")) and day[1] in rest) else None
        yield "- " + BYLINE_SEPARATOR.join([head, *filter(None, [_byline([rest, time, entry.source])])])
        image = f"![]({address(entry.image)})" if entry.image and images else ""
        for line in (_paragraph(entry.summary or ""), image):
            if line:
                yield f"\n  {line}"


def _paragraph(text: str) -> str:
    return escape_line_start(escape_line(text))


def _paragraphs(lines: Iterable[str]) -> str:
    """Lines of plain text as paragraphs; those whose cells tabs divide as rows of a table."""
    parts: list[str] = []
    for is_row, group in groupby(lines, lambda line: "\t" in line):
        if is_row:
            rows = [[escape_line(cell).replace("|", "\\|") for cell in line.split("\t")] for line in group]
            width = max(map(len, rows))
            head, *others = (f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in rows)
            parts.append("\n".join([head, f"|{' --- |' * width}", *others]))
        else:
            parts += map(_paragraph, group)
    return "\n\n".join(filter(None, parts))


def _link(text: str, url: str) -> str:
    return f"[{with_brackets(escape_line(text))}]({address(url)})"


def _plain(html: str) -> str:
    """The letters and digits of a text, without its tags."""
    text = _TAG.sub("", html).replace("&amp;", "&") if "<" in html or "&" in html else html
    return "".join(filter(str.isalnum, text.lower()))
