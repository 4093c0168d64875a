"""Gold bodies of corpora that mark them in another way than the rest: with headline and byline, or by their first and last characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webcontent.evaluation.scores import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webcontent.evaluation.corpora import Record

WITH_HEAD = frozenset({"dragnet-dev"})
"""Corpora whose bodies begin with headline and byline."""
HEAD_LINES = 5
"""At most so many first lines of a body are headline and byline."""
HEAD_WORDS = 14
"""A line of more words is no byline."""
STOPS = '.!?:…"”'
"""What a line of running text ends with."""
MAX_LINK_SHARE = 0.7
"""Between the edges of a body, blocks that are links to a larger share are not taken."""


def gold_body(corpus: str, record: Record, texts: Sequence[str], link_shares: Sequence[float]) -> str | None:
    """The main text of a page without headline and byline; None where the corpus does not tell it.

    `texts`, `link_shares`: of the page's blocks, which the edges of a body are looked for in.
    """
    gold = record["gold"]
    body: str | None = gold.get("body")
    if body is not None:
        return without_head(body) if corpus in WITH_HEAD else body
    if gold.get("body_start") and gold.get("body_end"):
        return between(texts, link_shares, gold["body_start"], gold["body_end"])
    return None


def without_head(body: str) -> str:
    """A body without its first lines, as far as they are short and no sentences.

    >>> without_head("A bridge opens\\nBy Jane Doe\\nThe bridge over the river opened on Monday.").splitlines()
    ['The bridge over the river opened on Monday.']
    """
    lines = body.splitlines()
    for line in lines[: min(HEAD_LINES, len(lines) - 1)]:
        if len(line.split()) > HEAD_WORDS or line.rstrip().endswith(tuple(STOPS)) and line is not lines[0]:
            break
        lines = lines[1:]
    return "\n".join(lines)


def between(texts: Sequence[str], link_shares: Sequence[float], start: str, end: str) -> str | None:
    """The text from the block that has the first characters of the body to the next one that has the last; None without these.

    White space does not count. Blocks of links between them are left out.
    """
    squeezed = [plain(text) for text in texts]
    start, end = plain(start), plain(end)
    first = next((i for i, text in enumerate(squeezed) if text.startswith(start)), None)
    if first is None:
        first = next((i for i, text in enumerate(squeezed) if start in text), None)
    if first is None or not start or not end:
        return None
    last = next((i for i in range(first, len(squeezed)) if squeezed[i].endswith(end)), None)
    if last is None:
        return None
    return "\n".join(texts[i] for i in range(first, last + 1) if link_shares[i] <= MAX_LINK_SHARE)
