"""Measures how an extractor's CPU time grows with the page: `python -m benchmarks page_lengths web2text`.

Pages have this many blocks: paragraphs of text and paragraphs of one link, in sections. Parsing and block building are not counted.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

from benchmarks.report import decimal, markdown_table
from webcontent.document.parsing import Document
from webcontent.extraction import PageContext
from webcontent.extractors import TABLE, load_extractor
from webcontent.items import Page, PageType

if TYPE_CHECKING:
    from collections.abc import Sequence

LENGTHS = (1_000, 10_000, 100_000)
RUNS = 2
"""The faster run counts."""
BLOCKS_PER_SECTION = 20
TEXTS_PER_LINK = 4
"""Of so many paragraphs one is a link."""
ARTICLE = PageContext(page_type=PageType("article", "article", 1.0))
_WORDS = "the council said on Monday that it would build a new bridge over the river before the end of next year".split()
_OPENINGS = 7
"""Paragraphs begin at one of so many words of the sentence, so that neighbours differ."""


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, measure, print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks page_lengths", description=__doc__)
    parser.add_argument("extractors", nargs="+", choices=sorted(TABLE))
    parser.add_argument("--blocks", type=int, nargs="+", default=LENGTHS, help="blocks of the pages (default: %(default)s)")
    options = parser.parse_args(words)
    rows = []
    for name in options.extractors:
        for blocks in options.blocks:
            ms = extraction_ms(name, blocks)
            rows.append([name, str(blocks), decimal(ms, 1), decimal(ms / blocks * 1000, 2)])
    print(markdown_table(["extractor", "blocks", "ms", "ms per 1,000 blocks"], rows))


def extraction_ms(name: str, blocks: int) -> float:
    """CPU time of an extractor on a page of so many blocks."""
    extractor, times = load_extractor(name), []
    for _ in range(RUNS):
        document = Document.from_page(Page(html=page_of(blocks)))
        assert len(document.blocks) == blocks or "truncated" in document.flags
        started = time.process_time()
        extractor(document, ARTICLE)
        times.append((time.process_time() - started) * 1000)
    return min(times)


def page_of(blocks: int) -> str:
    """A page of exactly so many blocks."""
    paragraphs = [
        f"<p>{' '.join(_WORDS[i % _OPENINGS :])} {i}</p>" if i % TEXTS_PER_LINK else f"<p><a href='/{i}'>link {i}</a></p>"
        for i in range(blocks)
    ]
    sections = ("".join(paragraphs[i : i + BLOCKS_PER_SECTION]) for i in range(0, blocks, BLOCKS_PER_SECTION))
    return f"<html><body><main>{''.join(f'<section>{part}</section>' for part in sections)}</main></body></html>"


if __name__ == "__main__":
    main()
