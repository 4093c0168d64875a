"""`python -m tests.docs.chinese` brings the tables of names in the Chinese pages up to date with the English ones; `make docs` runs it.

A name that is new gets its English row until somebody translates it, and a name that is gone loses its row. Texts are left as they are.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)
HEADED_TABLE = re.compile(rf"^###+ .*\n\n{TABLE.pattern}", re.MULTILINE)
TEXT_BLOCK = re.compile(r"^```text\n.*?^```$", re.DOTALL | re.MULTILINE)
SECTIONS = (
    ("docs/zh/settings.md", "设置", "docs/settings.md", "Settings"),
    ("docs/zh/settings.md", "单个请求的选项", "docs/settings.md", "Meta keys"),
    ("docs/zh/settings.md", "统计", "docs/settings.md", "Stats"),
    ("docs/zh/settings.md", "命令", "docs/settings.md", "Commands"),
    ("docs/zh/fields.md", "Article", "docs/fields.md", "Article"),
    ("docs/zh/fields.md", "Listing", "docs/fields.md", "Listing"),
    ("docs/zh/fields.md", "细类", "docs/fields.md", "Kinds"),
    ("docs/zh/fields.md", "CSV 的列", "docs/fields.md", "Columns of CSV files"),
    ("README.zh-CN.md", "不用 Scrapy", "README.md", "Use it without Scrapy"),
)
"""A Chinese page and one of its sections, and the English page and section that it follows."""


def section(text: str, title: str) -> str:
    """The text below the heading of that title, up to the next heading of the same level."""
    match = re.search(rf"^(##+) {re.escape(title)}(?: {{#[a-z-]+}})?\n", text, re.MULTILINE)
    if match is None:
        raise ValueError(f"There is no section {title!r}.")
    return re.split(rf"^{match[1]} ", text[match.end() :], flags=re.MULTILINE)[0]


def row_names(row: str) -> list[str]:
    """The code in the first cell of a table's row."""
    return re.findall("`([^`]+)`", re.split(r"(?<!\\)\|", row)[1])


def table_rows(table: str) -> list[str]:
    """The rows of a table, without its head."""
    return table.splitlines()[2:]


def updated(chinese: str, english: str) -> str:
    """A Chinese section with the rows of the English one, and with its text blocks, such as the columns of CSV files.

    Tables are paired by their order. A row keeps its Chinese cells if its first name has them. A table with a heading of its own that has no
    Chinese partner is added in English.
    """
    cells = {row_names(row)[0]: re.split(r"(?<!\\)\|", row, maxsplit=2)[2] for table in TABLE.findall(chinese) for row in table_rows(table)}
    english_tables = TABLE.findall(english)
    unpaired = len(english_tables) - len(TABLE.findall(chinese))
    tables = iter(english_tables)

    def follow(match: re.Match[str]) -> str:
        head = match[0].splitlines()[:2]
        rows = table_rows(next(tables, match[0]))
        return "\n".join([*head, *(translated(row, cells) for row in rows)]) + "\n"

    blocks = iter(TEXT_BLOCK.findall(english))
    text = TEXT_BLOCK.sub(lambda match: next(blocks, match[0]), TABLE.sub(follow, chinese))
    added = HEADED_TABLE.findall(english)[-unpaired:] if unpaired > 0 else []
    return text + "".join(f"{table}\n" for table in added)


def translated(row: str, cells: dict[str, str]) -> str:
    """An English row with the Chinese cells of its first name, where there are any."""
    names = row_names(row)
    return f"| {'、'.join(f'`{name}`' for name in names)} |{cells[names[0]]}" if names[0] in cells else row


def linked(text: str, page: str) -> str:
    """The text of an English page of `docs` with links that work in `docs/zh`."""
    text = re.sub(r"\]\((?!#|[a-z]+:)", "](../", text)
    return text.replace("](#", f"](../{Path(page).name}#")


def main() -> None:
    """Rewrites the Chinese pages and names those that changed."""
    pages = {page: (ROOT / page).read_text(encoding="utf-8") for page in {name for entry in SECTIONS for name in (entry[0], entry[2])}}
    before = dict(pages)
    for page, title, english_page, english_title in SECTIONS:
        old, new = section(pages[page], title), section(pages[english_page], english_title)
        pages[page] = pages[page].replace(old, updated(old, linked(new, english_page) if page.startswith("docs/") else new), 1)
    for page, text in pages.items():
        if text != before[page]:
            (ROOT / page).write_text(text, encoding="utf-8")
            sys.stdout.write(f"{page}: tables of names updated\n")


if __name__ == "__main__":
    main()
