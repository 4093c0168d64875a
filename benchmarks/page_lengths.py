"""How an extractor's time grows with the page: python -m benchmarks.lengths web2text

CPU ms of pages with so many blocks (paragraphs with a link, in sections, under a menu), reading and walking not counted.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

from benchmarks.report import shown, table
from webcontent.document.parsing import Document
from webcontent.extractors import TABLE, load_extractor
from webcontent.items import Page, PageType

if TYPE_CHECKING:
    from collections.abc import Sequence

LENGTHS = (1_000, 10_000, 100_000)
_WORDS = "the council said on Monday that it would build a new bridge over the river before the end of next year".split()
_SECTION = 20
"""Blocks of a section."""


def page_of(blocks: int) -> str:
    """A page of exactly so many blocks."""
    paragraphs = [f"<p>{' '.join(_WORDS[i % 7 :])} {i}</p>" if i % 4 else f"<p><a href='/{i}'>link {i}</a></p>" for i in range(blocks)]
    sections = ("".join(paragraphs[i : i + _SECTION]) for i in range(0, blocks, _SECTION))
    return f"<html><body><main>{''.join(f'<section>{part}</section>' for part in sections)}</main></body></html>"


def cost(name: str, blocks: int) -> float:
    """CPU ms of an extractor for a page of so many blocks: the faster of two runs."""
    extractor, times = load_extractor(name), []
    for _ in range(2):
        document = Document.from_page(Page(html=page_of(blocks)))
        document.page_type = PageType("article", "article", 1.0)
        assert len(document.blocks) == blocks or "truncated" in document.flags
        started = time.process_time()
        extractor(document)
        times.append((time.process_time() - started) * 1e3)
    return min(times)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lengths", description="Time of an extractor by blocks of a page.")
    parser.add_argument("extractors", nargs="+", choices=sorted(TABLE))
    parser.add_argument("--blocks", type=int, nargs="+", default=LENGTHS)
    options = parser.parse_args(arguments)
    rows = []
    for name in options.extractors:
        for blocks in options.blocks:
            ms = cost(name, blocks)
            rows.append([name, str(blocks), shown(ms, 1), shown(ms / blocks * 1000, 2)])
    print(table(["extractor", "blocks", "ms", "ms per 1,000 blocks"], rows))


if __name__ == "__main__":
    main()
