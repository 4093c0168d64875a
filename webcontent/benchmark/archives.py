"""Speed and memory of many pages at once: `python -m webcontent.benchmark.archives [--records N] [--processes N] [--corpus NAME ...]`.

Makes N records of stored pages, as a WARC file and as a Parquet file, and reads them with `scrapy extract --warc`'s own code, with plain
processes over Arrow batches, and with Ray over the same batches, one after the other and twice (A B A B), since a machine is never quiet.
"""

from __future__ import annotations

import argparse
import gzip
import json
import logging
import multiprocessing
import resource
import tempfile
import threading
from importlib.util import find_spec
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter, sleep
from typing import TYPE_CHECKING, Any

import psutil

from webcontent.batch import extract_archives, extract_table
from webcontent.corpus import load_corpus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CORPORA = ("wcxb-dev", "zh-gold-dev", "fundus-dev")
PAGES_PER_BATCH = 64
BLOCKS = 64
ROUNDS = 2


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--records", type=int, default=2000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--corpus", nargs="+", default=CORPORA)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--only", nargs="+", choices=["warc", "processes", "ray"], default=["warc", "processes", "ray"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        archive, table = make_records(Path(folder), options.records, options.corpus)
        runs: dict[str, Callable[[], int]] = {
            "warc": lambda: run_archive(archive, Path(folder) / "items.jsonl", options.processes),
            "processes": lambda: run_processes(table, options.processes),
            "ray": lambda: run_ray(table, options.processes),
        }
        names = [name for name in options.only if name != "ray" or find_spec("ray")]
        if "ray" in names:
            start_ray(options.processes)
        for _ in range(options.rounds):
            for name in names:
                print(json.dumps(measure(name, runs[name])), flush=True)


def make_records(folder: Path, count: int, corpora: list[str]) -> tuple[Path, Path]:
    """The stored pages, repeated to so many records: a WARC file, compressed by record, and a Parquet file."""
    import pyarrow as pa
    from pyarrow import parquet

    pages = [(page["url"], page["html"].encode("utf-8", "replace")) for name in corpora for page in load_corpus(name)]
    pages.sort(key=lambda page: hash_of(page[0]))  # corpora differ in size of page: mixed, so that each part is like the whole
    archive, table = folder / "pages.warc.gz", folder / "pages.parquet"
    packed = [gzip.compress(record(url, html), 6) for url, html in pages[:count]]
    with archive.open("wb") as file:
        file.writelines(islice(cycle(packed), count))
    schema = pa.schema([("url", pa.string()), ("html", pa.binary())])
    with parquet.ParquetWriter(table, schema, compression="zstd") as writer:
        source = islice(cycle(pages), count)
        while part := list(islice(source, PAGES_PER_BATCH * 4)):
            writer.write_table(pa.table({"url": [url for url, _ in part], "html": [html for _, html in part]}, schema=schema))
    return archive, table


def record(url: str, html: bytes) -> bytes:
    """A page as a record of an archive."""
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + html
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:0>\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode("utf-8", "replace") + block + b"\r\n\r\n"


def hash_of(text: str) -> int:
    """The same in every run."""
    import zlib

    return zlib.crc32(text.encode("utf-8", "replace"))


def run_archive(archive: Path, output: Path, processes: int) -> int:
    output.unlink(missing_ok=True)
    return extract_archives([archive], output, processes=processes).items


def run_processes(table: Path, processes: int) -> int:
    """Plain multiprocessing: a batch a task."""
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        return sum(pool.imap(count_items, iter_batches(table)))


def count_items(batch: Any) -> int:
    rows: int = extract_table(batch).num_rows
    return rows


def iter_batches(table: Path) -> Iterator[Any]:
    from pyarrow import parquet

    yield from parquet.ParquetFile(table).iter_batches(PAGES_PER_BATCH)


def start_ray(processes: int) -> None:
    import ray

    ray.init(num_cpus=processes, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    ray.data.DataContext.get_current().enable_progress_bars = False


def run_ray(table: Path, processes: int) -> int:
    import ray

    pages: Any = ray.data.read_parquet(str(table)).repartition(BLOCKS)  # a small file is one block, and one block is one task
    made = pages.map_batches(extract_table, batch_format="pyarrow", batch_size=PAGES_PER_BATCH)
    return sum(batch.num_rows for batch in made.iter_batches(batch_format="pyarrow", batch_size=None))


def measure(name: str, run: Callable[[], int]) -> dict[str, Any]:
    """Pages a second, processor time a page of all processes below this one, and their memory at a third and at the end."""
    watch = Watch()
    cpu, begin = _cpu_s(), perf_counter()
    pages = run()
    elapsed_s, cpu_s = perf_counter() - begin, watch.stop() + _cpu_s() - cpu
    return {
        "run": name,
        "pages": pages,
        "pages_per_s": round(pages / elapsed_s, 1),
        "cpu_ms_per_page": round(1000 * cpu_s / pages, 1),
        "memory_mb": watch.memory_mb(),
    }


class Watch:
    """Memory of this process and of all below it, once a second; and the processor time of those that are still there."""

    def __init__(self) -> None:
        self.memory: list[float] = []
        self._alive = _alive_cpu_s()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        """Ends; gives the seconds of the processes that live on (Ray's do)."""
        self._end.set()
        self._thread.join()
        return _alive_cpu_s() - self._alive

    def memory_mb(self) -> dict[str, int]:
        third = self.memory[len(self.memory) // 3 :] or [0.0]
        return {"at_a_third": round(third[0]), "at_the_end": round(self.memory[-1]) if self.memory else 0, "most": round(max(third))}

    def _look(self) -> None:
        while not self._end.is_set():
            self.memory.append(sum(_memory_mb(process) for process in _family()))
            sleep(1)


def _family() -> list[psutil.Process]:
    own = psutil.Process()
    return [own, *own.children(recursive=True)]


def _memory_mb(process: psutil.Process) -> float:
    try:
        used: float = process.memory_info().rss / 2**20
    except psutil.Error:
        return 0.0
    return used


def _alive_cpu_s() -> float:
    total = 0.0
    for process in _family()[1:]:
        try:
            times = process.cpu_times()
        except psutil.Error:
            continue
        total += times.user + times.system
    return total


def _cpu_s() -> float:
    """Of this process and of those below it that have ended."""
    return sum(
        usage.ru_utime + usage.ru_stime for usage in (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


if __name__ == "__main__":
    main()
