"""A language is lines of the lexicon: Swedish was added so."""

from __future__ import annotations

import pytest

import webcontent

TEXT = (
    "<p>Färjan över sundet ställdes in på måndagen eftersom isen hade lagt sig över hamnen, säger kaptenen som har seglat här länge.</p>"
    * 5
)


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (
            "<p>Av Anna Andersson och Per Holm</p><p>Publicerad 5 mars 2024 kl. 14.22</p>",
            (["Anna Andersson", "Per Holm"], "2024-03-05T14:22"),
        ),
        ("<p>Skriven av Anna Andersson</p><p>Publicerat: den 5 mars 2024 kl 14:22</p>", (["Anna Andersson"], "2024-03-05T14:22")),
        ("<p>Av: Anna Andersson | Uppdaterat 2024-03-06 | Publicerat 2024-03-05</p>", (["Anna Andersson"], "2024-03-05", "2024-03-06")),
        ("<p>Källa: TT Nyhetsbyrån</p><p>Redaktör: Per Holm</p>", ([], None, None, "TT Nyhetsbyrån", ["Per Holm"])),
    ],
)
def test_swedish_bylines_and_dates_are_read(lines: str, found: tuple[object, ...]) -> None:
    """Authors, time, last change, source and editors."""
    item = webcontent.extract(f"<html lang=sv><title>Isen stoppar färjan</title><h1>Isen stoppar färjan</h1>{lines}{TEXT}</html>")
    assert (item.authors, item.time, item.modified, item.source, item.editors)[: len(found)] == found
