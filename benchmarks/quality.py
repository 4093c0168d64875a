"""Quality and speed of all systems on the same pages, in one run: each in a process of its own, page by page in turn."""

from __future__ import annotations

import json
import logging
import multiprocessing
import time
import warnings
from typing import TYPE_CHECKING, Any

import psutil

from benchmarks.peers import SYSTEMS, System
from webcontent.evaluation.scores import figures_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from multiprocessing.connection import Connection
    from pathlib import Path

Row = dict[str, Any]
"""A page and a system: system, corpus, id, kind, lang, kilobytes, ms, error, and the figures of `scores`."""
PATIENCE_S = 300
"""A system that takes longer for one page is ended."""


class Worker:
    """A system in its own process. `failed` says why it is not, or no longer, there."""

    def __init__(self, system: System) -> None:
        context = multiprocessing.get_context("spawn")  # nothing that one system has loaded is in another's memory
        self.name = system.name
        self.failed = ""
        self.megabytes = 0.0
        self.pipe, far = context.Pipe()
        self.process = context.Process(target=_serve, args=(system.name, far), daemon=True)
        self.process.start()
        far.close()
        self.failed = self._answer().get("error", "")

    def run(self, html: str, url: str) -> Row:
        """What it found, CPU ms, and its memory in MB."""
        self.pipe.send((html, url))
        answer = self._answer()
        self.megabytes = max(self.megabytes, answer.get("megabytes", 0.0))
        return answer

    def _answer(self) -> Row:
        try:
            if self.pipe.poll(PATIENCE_S):
                received: Row = self.pipe.recv()
                return received
            self.failed = f"no answer in {PATIENCE_S} s"
        except (EOFError, ConnectionError):
            self.failed = "its process ended"
        self.process.kill()
        return {"found": {}, "ms": 0.0, "error": self.failed}

    def close(self) -> None:
        self.pipe.close()
        self.process.join(5)
        self.process.kill()


def _serve(name: str, pipe: Connection) -> None:
    """The child: answers pages until the pipe closes."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)  # some libraries log an error a page
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
        if not is_warm:  # what is loaded on first use is no page's cost
            _timed(run, html, url)
            is_warm = True
        pipe.send(_timed(run, html, url))


def _timed(run: Any, html: str, url: str) -> Row:
    started = time.process_time()
    found: dict[str, Any] = {}
    error = ""
    try:
        found = run(html, url)
    except Exception as problem:  # a peer's failure is a result: no text, counted
        error = f"{type(problem).__name__}: {problem}"[:200]
    spent = (time.process_time() - started) * 1000
    plain = {key: value for key, value in found.items() if isinstance(value, (str, list, type(None)))}
    return {"found": plain, "ms": spent, "error": error, "megabytes": psutil.Process().memory_info().rss / 1e6}


Predictions = dict[tuple[str, str, str], dict[str, Any]]
"""(System, corpus, page id) -> what it gave for a page whose site it had not seen: judged in place of what it gives now."""


def read_predictions(folders: Mapping[str, Path]) -> Predictions:
    """The predictions of a training run (`<corpus>.jsonl`, a page a line with its id) for each system named."""
    return {
        (system, path.stem, page.pop("id")): page
        for system, folder in folders.items()
        for path in sorted(folder.glob("*.jsonl"))
        for page in map(json.loads, path.read_text(encoding="utf-8").splitlines())
    }


def measure(
    systems: list[System], pages: list[tuple[str, dict[str, Any]]], predictions: Predictions | None = None
) -> tuple[list[Row], dict[str, float], dict[str, str]]:
    """Rows of all pages, the most memory in MB that each system had after a page, and why systems were left out."""
    workers = [Worker(system) for system in systems]
    left_out = {worker.name: worker.failed for worker in workers if worker.failed}
    workers = [worker for worker in workers if not worker.failed]
    try:
        rows = [row for number, page in enumerate(pages) for row in _iter_rows(workers, page, number, predictions or {})]
    finally:
        for worker in workers:
            worker.close()
    left_out.update({worker.name: worker.failed for worker in workers if worker.failed})
    return rows, {worker.name: worker.megabytes for worker in workers}, left_out


def _iter_rows(workers: list[Worker], page: tuple[str, dict[str, Any]], number: int, predictions: Predictions) -> Iterator[Row]:
    """Every system reads the page; the one that begins changes from page to page."""
    corpus, record = page
    alive = [worker for worker in workers if not worker.failed]
    turn = number % max(1, len(alive))
    for worker in alive[turn:] + alive[:turn]:
        answer = worker.run(record["html"], record["url"])
        yield {
            "system": worker.name,
            "corpus": corpus,
            "id": record["id"],
            "kind": record.get("type") or "",
            "lang": record.get("lang") or "",
            "kilobytes": len(record["html"].encode("utf-8", "replace")) / 1024,
            "ms": answer["ms"],
            "error": answer["error"],
            **figures_of({**answer["found"], **predictions.get((worker.name, corpus, record["id"]), {})}, record),
        }
