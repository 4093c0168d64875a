"""A seed's row in the table at the end of a crawl."""

from __future__ import annotations

from collections import Counter

from webcontent.crawl.spiders.seed_rows import SeedRow


def test_addresses_and_reasons_are_cut_to_the_width_of_the_table():
    row = SeedRow(f"http://news.example/{'x' * 99}", counts=Counter(pages=1, article=1), failures=Counter({"y" * 99: 1}))
    address, *_, why = row.cells()
    assert [len(address), len(why)] == [50, 80]
