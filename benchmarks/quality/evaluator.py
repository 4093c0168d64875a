"""The evaluator: every system reads the same pages, page by page in turn, each in a process of its own."""

from __future__ import annotations

import json
import logging
import multiprocessing
import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psutil

from benchmarks.quality.systems import SYSTEMS
from webcontent.evaluation.scores import page_metrics

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from multiprocessing.connection import Connection
    from pathlib import Path

    from webcontent.evaluation.baselines import Run, System
    from webcontent.evaluation.corpora import Record

Row = dict[str, Any]
"""A page and a system: system, corpus, id, kind, lang, kilobytes, ms (CPU time), error, and the metrics of the page."""
Predictions = dict[tuple[str, str, str], dict[str, Any]]
"""(system, corpus, page id) -> out-of-fold fields of that page. They are evaluated in place of what the system gives."""
TIMEOUT_S = 300
"""A system that needs longer for one page is killed."""
JOIN_S = 5
ERROR_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Results:
    """What `evaluate` measured."""

    rows: list[Row]
    megabytes: dict[str, float]
    """Peak memory of each system after a page."""
    left_out: dict[str, str]
    """Why a system has no results, or only some."""


def evaluate(systems: list[System], pages: list[tuple[str, Record]], predictions: Predictions | None = None) -> Results:
    """Run all systems on all pages. `pages`: pairs of a corpus's name and a page."""
    workers = [Worker(system) for system in systems]
    left_out = {worker.name: worker.failure for worker in workers if worker.failure}
    workers = [worker for worker in workers if not worker.failure]
    try:
        rows = [row for turn, page in enumerate(pages) for row in _iter_rows(workers, page, turn, predictions or {})]
    finally:
        for worker in workers:
            worker.close()
    left_out |= {worker.name: worker.failure for worker in workers if worker.failure}
    return Results(rows, {worker.name: worker.megabytes for worker in workers}, left_out)


def _iter_rows(workers: list[Worker], page: tuple[str, Record], turn: int, predictions: Predictions) -> Iterator[Row]:
    """Every system reads the page; the first one changes from page to page."""
    corpus, record = page
    alive = [worker for worker in workers if not worker.failure]
    first = turn % max(1, len(alive))
    for worker in alive[first:] + alive[:first]:
        answer = worker.run(record["html"], record["url"])
        extracted = answer["extracted"] | predictions.get((worker.name, corpus, record["id"]), {})
        yield {
            "system": worker.name,
            "corpus": corpus,
            "id": record["id"],
            "kind": record.get("type") or "",
            "lang": record.get("lang") or "",
            "kilobytes": len(record["html"].encode("utf-8", "replace")) / 1024,
            "ms": answer["ms"],
            "error": answer["error"],
            **page_metrics(extracted, record),
        }


def read_predictions(folders: Mapping[str, Path]) -> Predictions:
    """The predictions of a training run (`<corpus>.jsonl`, one page per line with its id) for each system that is a key."""
    return {
        (system, path.stem, page.pop("id")): page
        for system, folder in folders.items()
        for path in sorted(folder.glob("*.jsonl"))
        for page in map(json.loads, path.read_text(encoding="utf-8").splitlines())
    }


class Worker:
    """A system in its own process. `failure` says why it did not start or was ended; "" while it works."""

    def __init__(self, system: System) -> None:
        context = multiprocessing.get_context("spawn")  # a process holds nothing that another system imported
        self.name = system.name
        self.failure = ""
        self.megabytes = 0.0
        self.pipe, far = context.Pipe()
        self.process = context.Process(target=_serve, args=(system.name, far), daemon=True)
        self.process.start()
        far.close()
        self.failure = self._receive().get("error", "")

    def run(self, html: str, url: str) -> dict[str, Any]:
        """What the system extracted, its CPU time in ms, its error, and its memory in MB."""
        self.pipe.send((html, url))
        answer = self._receive()
        self.megabytes = max(self.megabytes, answer.get("megabytes", 0.0))
        return answer

    def _receive(self) -> dict[str, Any]:
        try:
            if self.pipe.poll(TIMEOUT_S):
                answer: dict[str, Any] = self.pipe.recv()
                return answer
            self.failure = f"no answer in {TIMEOUT_S} s"
        except (EOFError, ConnectionError):
            self.failure = "its process ended"
        self.process.kill()
        return {"extracted": {}, "ms": 0.0, "error": self.failure}

    def close(self) -> None:
        self.pipe.close()
        self.process.join(JOIN_S)
        self.process.kill()


def _serve(name: str, pipe: Connection) -> None:
    """The child process: answers pages until the pipe is closed."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)  # some libraries log an error per page
    try:
        run = SYSTEMS[name].make()
    except ImportError as error:
        pipe.send({"error": f"not installed ({error})"})
        return
    pipe.send({})
    is_warm = False
    while True:
        try:
            html, url = pipe.recv()
        except EOFError:
            return
        if not is_warm:  # what is loaded on first use is not a cost of the first page
            _timed(run, html, url)
            is_warm = True
        pipe.send(_timed(run, html, url))


def _timed(run: Run, html: str, url: str) -> dict[str, Any]:
    started = time.process_time()
    extracted: dict[str, Any] = {}
    error = ""
    try:
        extracted = run(html, url)
    except Exception as problem:  # a failure of a baseline is a result: no text, counted
        error = f"{type(problem).__name__}: {problem}"[:ERROR_CHARACTERS]
    elapsed_ms = (time.process_time() - started) * 1000
    plain = {key: value for key, value in extracted.items() if isinstance(value, (str, list, type(None)))}
    return {"extracted": plain, "ms": elapsed_ms, "error": error, "megabytes": psutil.Process().memory_info().rss / 1e6}
