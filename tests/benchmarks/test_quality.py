"""The benchmark: its figures, its workers, its report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks import __main__ as command
from benchmarks import peers
from benchmarks.peers import OWN, SYSTEMS
from benchmarks.quality import measure, read_predictions
from benchmarks.report import shown, table
from webcontent.evaluation.scores import figures_of, half_width, mean, plain, snippet_f1, word_f1
from webcontent.extractors import DEFAULT, TABLE

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "The council said that it would build a new bridge over the river before the end of next year. "
HTML = f"<html><head><title>A bridge</title></head><body><nav><a href='/'>Home</a></nav><h1>A bridge</h1><p>{TEXT * 4}</p><p>{TEXT * 3}</p></body></html>"


def record(number: int, **gold: Any) -> dict[str, Any]:
    url = f"https://site{number}.example/x"
    return {"id": f"p{number}", "url": url, "site": f"site{number}.example", "lang": "en", "type": "article", "html": HTML, "gold": gold}


@pytest.mark.parametrize(
    ("found", "gold", "f1"),
    [
        ("a b c", "a b c", 1.0),
        ("A, b; c!", "a b c", 1.0),
        ("a b", "a b c d", 2 / 3),
        ("a a", "a", 2 / 3),
        ("", "", 1.0),
        ("", "a", 0.0),
        ("a", "", 0.0),
        ("a", "b", 0.0),
        ("新闻正文", "新闻全文", 0.75),
    ],
)
def test_word_f1_counts_words_or_chinese_characters(found: str, gold: str, f1: float) -> None:
    """Multisets of lower-case words; both empty is right, one empty is wrong."""
    assert word_f1(found, gold)[0] == pytest.approx(f1)


@pytest.mark.parametrize(
    ("found", "gold", "f1"),
    [
        ("one two three", {"with": ["one  two"], "without": ["menu"]}, 1.0),
        ("one two menu", {"with": ["one two"], "without": ["menu"]}, 2 / 3),
        ("one", {"with": ["one", "two"]}, 2 / 3),
        ("nothing", {"without": ["menu"]}, 1.0),
        ("menu", {"without": ["menu"]}, 0.0),
        ("", {"with": ["one"]}, 0.0),
    ],
)
def test_snippets_have_to_be_in_the_text_or_out_of_it(found: str, gold: dict[str, Any], f1: float) -> None:
    """White space does not count."""
    assert snippet_f1(found, gold) == pytest.approx(f1)


def test_only_what_the_gold_has_is_judged() -> None:
    """Titles are compared without case and punctuation, times by their day."""
    found = {"title": "a  Bridge!", "time": "2024-03-05T14:22", "body": TEXT, "type": "article"}
    assert figures_of(found, record(1, title="A bridge", time="2024-03-05")) == {"title": 1.0, "date": 1.0, "type": 1.0}
    assert figures_of({}, record(1, body=TEXT)) == {"f1": 0.0, "precision": 0.0, "recall": 0.0}
    assert plain("Ａ b-C") == "abc"


def test_means_leave_out_pages_without_the_figure() -> None:
    """None where no page has it."""
    rows = [{"f1": 1.0}, {"f1": 0.0}, {}]
    assert mean(rows, "f1") == 0.5
    assert mean(rows, "title") is None
    assert half_width(rows, "f1") == pytest.approx(1.96 * 0.5)


def test_every_extractor_of_ours_is_a_system() -> None:
    """The default first."""
    assert [system.name for system in OWN] == [f"webcontent:{name}" for name in (DEFAULT, *sorted(set(TABLE) - {DEFAULT}))]


def test_systems_run_in_their_own_processes_on_the_same_pages() -> None:
    """A row a page and system, the turn changing; a library that is missing is left out with the reason."""
    missing = peers.System("gne", peers._gne, "gne")
    pages = [("tiny", record(number, body=TEXT * 7, title="A bridge")) for number in range(3)]
    systems = [SYSTEMS["webcontent:awce"], SYSTEMS["all text"], missing]
    rows, megabytes, left_out = measure(systems, pages)
    present = [system.name for system in systems if system.name not in left_out]
    assert set(left_out) <= {"gne"}
    assert all("not installed" in reason for reason in left_out.values())
    assert sorted((row["id"], row["system"]) for row in rows) == sorted((f"p{i}", name) for i in range(3) for name in present)
    assert [row["system"] for row in rows[:1] + rows[len(present) : len(present) + 1]] == present[:2]
    assert all(row["f1"] > 0.8 and row["title"] == 1.0 and row["ms"] > 0 and not row["error"] for row in rows)
    assert all(20 < value < 2000 for value in megabytes.values())


def test_the_command_writes_a_report_with_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Tables, versions, the warning about in-sample figures, and every picture that the report names."""
    extra = tmp_path / "mine"
    extra.mkdir()
    lines = [json.dumps(record(number, body=TEXT * 7, title="A bridge")) for number in range(12)]
    (extra / "pages.jsonl").write_text("\n".join(lines), encoding="utf-8")
    command.main(["--corpora", "", "--extra", str(extra), "--peers", "webcontent:awce,all text", "--out", str(tmp_path / "out")])
    report = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert report.strip() in capsys.readouterr().out
    assert "12 pages" in report
    assert "in-sample" in report
    assert "| webcontent:awce |" in report
    assert "mine (12)" in report
    pictures = [line.partition("](")[2].rstrip(")") for line in report.splitlines() if line.startswith("![")]
    assert len(pictures) == 5
    assert all((tmp_path / "out" / name).stat().st_size > 5_000 for name in pictures)


def test_predictions_are_judged_instead(tmp_path: Path) -> None:
    """Bodies of a training run for unseen sites; the other fields are today's."""
    folder = tmp_path / "predictions"
    folder.mkdir()
    (folder / "mine.jsonl").write_text(json.dumps({"id": "p0", "body": "bridge"}), encoding="utf-8")
    pages = [("mine", record(number, body=TEXT * 7, title="A bridge")) for number in range(2)]
    rows, _, _ = measure([SYSTEMS["webcontent:awce"]], pages, read_predictions({"webcontent:awce": folder}))
    assert rows[0]["f1"] < 0.2
    assert rows[1]["f1"] > 0.8
    assert rows[0]["title"] == 1.0


def test_unknown_systems_and_missing_pages_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message lists what there is, or says what to name."""
    with pytest.raises(SystemExit):
        command.main(["--peers", "nosuch"])
    assert "--peers names 'nosuch'; there are: webcontent:" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        command.main(["--predictions", "fusion=nosuch"])
    assert "--predictions takes an extractor's name and a folder, as in fusion=DIR, not 'fusion=nosuch'" in capsys.readouterr().err
    monkeypatch.setenv("WEBCONTENT_CORPORA", str(tmp_path))
    with pytest.raises(SystemExit, match="No pages"):
        command.main(["--corpora", "none", "--out", str(tmp_path)])


def test_tables_are_markdown() -> None:
    """A dash where there is nothing."""
    assert table(["a", "b"], [[1, shown(None)], [shown(0.5), "x"]]) == "| a | b |\n| --- | --- |\n| 1 | - |\n| 0.500 | x |\n"
