"""Lists for the tests of entries and next pages."""

from __future__ import annotations


def record(number: int) -> str:
    """One record of a list."""
    return f'<li><a href="/story/{number}">Story number {number} of the harbour</a> <span>2024-05-0{number}</span></li>'


LIST = f"<h1>News</h1><ul class=list>{''.join(map(record, range(1, 7)))}</ul>"
