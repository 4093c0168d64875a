"""The benchmark of quality: its workers, its report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.quality import __main__ as command
from benchmarks.quality.evaluator import evaluate, read_predictions
from benchmarks.quality.systems import OWN_SYSTEMS, SYSTEMS
from benchmarks.report import decimal, markdown_table
from webcontent.evaluation import baselines
from webcontent.extractors import DEFAULT, TABLE

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "The council said that it would build a new bridge over the river before the end of next year. "
HTML = f"<html><head><title>A bridge</title></head><body><nav><a href='/'>Home</a></nav><h1>A bridge</h1><p>{TEXT * 4}</p><p>{TEXT * 3}</p></body></html>"


def record(number: int, **gold: Any) -> dict[str, Any]:
    url = f"https://site{number}.example/x"
    return {"id": f"p{number}", "url": url, "site": f"site{number}.example", "lang": "en", "type": "article", "html": HTML, "gold": gold}


def test_every_extractor_of_ours_is_a_system() -> None:
    """The default first."""
    assert [system.name for system in OWN_SYSTEMS] == [f"webcontent:{name}" for name in (DEFAULT, *sorted(set(TABLE) - {DEFAULT}))]


@pytest.mark.process
def test_systems_run_in_their_own_processes_on_the_same_pages() -> None:
    """A row a page and system, the turn changing; a library that is missing is left out with the reason."""
    missing = baselines.System("gne", baselines._gne, "gne")
    pages = [("tiny", record(number, body=TEXT * 7, title="A bridge")) for number in range(3)]
    systems = [SYSTEMS["webcontent:awce"], SYSTEMS["all text"], missing]
    results = evaluate(systems, pages)
    rows, left_out = results.rows, results.left_out
    present = [system.name for system in systems if system.name not in left_out]
    assert set(left_out) <= {"gne"}
    assert all("not installed" in reason for reason in left_out.values())
    assert sorted((row["id"], row["system"]) for row in rows) == sorted((f"p{i}", name) for i in range(3) for name in present)
    assert [row["system"] for row in rows[:1] + rows[len(present) : len(present) + 1]] == present[:2]
    assert all(row["f1"] > 0.8 and row["title"] == 1.0 and row["ms"] > 0 and not row["error"] for row in rows)
    assert all(20 < value < 2000 for value in results.megabytes.values())


@pytest.mark.process
def test_the_command_writes_a_report_with_plots(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Tables, versions, the warning about in-sample results, and every plot that the report names."""
    extra = tmp_path / "mine"
    extra.mkdir()
    lines = [json.dumps(record(number, body=TEXT * 7, title="A bridge")) for number in range(12)]
    (extra / "pages.jsonl").write_text("\n".join(lines), encoding="utf-8")
    command.main(["--corpora", "", "--extra", str(extra), "--systems", "webcontent:awce,all text", "--out", str(tmp_path / "out")])
    report = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert report.strip() in capsys.readouterr().out
    assert "12 pages" in report
    assert "in-sample" in report
    assert "| webcontent:awce |" in report
    assert "mine (12)" in report
    plots = [line.partition("](")[2].rstrip(")") for line in report.splitlines() if line.startswith("![")]
    assert len(plots) == 5
    assert all((tmp_path / "out" / name).stat().st_size > 5_000 for name in plots)


@pytest.mark.process
def test_predictions_are_evaluated_instead(tmp_path: Path) -> None:
    """Bodies of a training run for unseen sites; the other fields are today's."""
    folder = tmp_path / "predictions"
    folder.mkdir()
    (folder / "mine.jsonl").write_text(json.dumps({"id": "p0", "body": "bridge"}), encoding="utf-8")
    pages = [("mine", record(number, body=TEXT * 7, title="A bridge")) for number in range(2)]
    rows = evaluate([SYSTEMS["webcontent:awce"]], pages, read_predictions({"webcontent:awce": folder})).rows
    assert rows[0]["f1"] < 0.2
    assert rows[1]["f1"] > 0.8
    assert rows[0]["title"] == 1.0


def test_unknown_systems_and_missing_pages_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message lists what there is, or says what to name."""
    with pytest.raises(SystemExit):
        command.main(["--systems", "nosuch"])
    assert "--systems names 'nosuch'. There are: webcontent:" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        command.main(["--predictions", "fusion=nosuch"])
    assert "--predictions takes the name of an extractor and a folder, as in fusion=DIR, not 'fusion=nosuch'" in capsys.readouterr().err
    monkeypatch.setenv("WEBCONTENT_CORPORA", str(tmp_path))
    with pytest.raises(SystemExit, match="No pages"):
        command.main(["--corpora", "none", "--out", str(tmp_path)])


def test_tables_are_markdown() -> None:
    """A dash where there is nothing."""
    assert markdown_table(["a", "b"], [[1, decimal(None)], [decimal(0.5), "x"]]) == "| a | b |\n| --- | --- |\n| 1 | - |\n| 0.500 | x |\n"
