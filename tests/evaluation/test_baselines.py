"""Other extraction libraries behind one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from webcontent.evaluation.baselines import BASELINES, System, baseline_texts

if TYPE_CHECKING:
    from pathlib import Path

    from webcontent.evaluation.baselines import Extracted

TEXT = "The council said that it would build a new bridge over the river before the end of next year. "
HTML = f"<html><head><title>A bridge</title></head><body><h1>A bridge</h1><p>{TEXT * 4}</p><p>{TEXT * 3}</p></body></html>"
RECORDS = [{"id": f"p{number}", "url": f"https://example.org/{number}", "html": f"<p>{number}</p>"} for number in range(3)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("system", BASELINES, ids=lambda system: system.name)
def test_a_baseline_gives_the_text_of_a_page(system: System) -> None:
    """Each library that is installed; the extra `bench` brings them."""
    try:
        run = system.make()
    except ImportError as error:
        pytest.skip(f"not installed: {error}")
    assert TEXT.strip() in run(HTML, "https://example.org/a")["body"]
    assert system.version


def test_texts_are_kept_and_a_failure_is_an_empty_text(tmp_path: Path) -> None:
    """A second run asks for the missing pages only."""
    asked = []

    def run(html: str, url: str) -> Extracted:
        asked.append(url)
        if html == "<p>1</p>":
            raise ValueError(html)
        return {"body": f"text of {url}"}

    system = System("tiny", lambda: run)
    first = baseline_texts(system, RECORDS[:2], tmp_path / "texts.jsonl")
    assert first == {"p0": "text of https://example.org/0", "p1": ""}
    assert baseline_texts(system, RECORDS, tmp_path / "texts.jsonl") == {**first, "p2": "text of https://example.org/2"}
    assert asked == [record["url"] for record in RECORDS]
