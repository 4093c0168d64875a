"""What other libraries make of the pages of CleanEval: their texts, for the table that stands beside Web2Text's own figures."""

from __future__ import annotations

import json
import logging
import warnings
from typing import TYPE_CHECKING

from tqdm import tqdm

from benchmarks.peers import SYSTEMS, Run, System

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from webcontent.evaluation.corpora import Record


CLEANEVAL_PEERS = tuple(SYSTEMS[name] for name in ("boilerpy3", "readability-lxml", "trafilatura", "resiliparse", "justext"))


def peer_texts(system: System, records: Sequence[Record], path: Path) -> dict[str, str]:
    """A library's text of each page, by the page's id; "" where it fails. Kept in a file, so that a stopped run goes on.

    ImportError where the library is not installed.
    """
    run = system.make()
    texts: dict[str, str] = {}
    if path.exists():
        texts = dict(json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    logging.disable(logging.CRITICAL)  # some libraries log an error a page
    with path.open("a", encoding="utf-8") as stream, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for record in tqdm([record for record in records if record["id"] not in texts], desc=system.name, unit="page", mininterval=10):
            texts[record["id"]] = _text(run, record)
            stream.write(json.dumps([record["id"], texts[record["id"]]], ensure_ascii=False) + "\n")
    logging.disable(logging.NOTSET)
    return texts


def _text(run: Run, record: Record) -> str:
    try:
        return str(run(record["html"], record["url"]).get("body") or "")
    except Exception:  # a peer's failure is a result: no text
        return ""
