"""Measures speed and memory of many pages: `python -m benchmarks archives [--records N] [--processes N] [--corpus NAME ...]`.

Writes N corpus pages into a WARC file and a Parquet file. Reads them with the code of `scrapy extract --warc`, with plain processes over
Arrow batches, and with Ray over the same batches, in turn and twice (A B A B), since a machine is never quiet. Repeated pages get other
addresses. Memory is that of all processes together, at each tenth of the pages.

`--only warc --rounds 1 --records 100000 --largest 25000 --extractor awce` shows whether memory is flat over 100,000 records. It takes
small pages and a cheap extractor, since a worker's memory does not depend on the time per page. `--minutes` ends a run that takes too
long.
"""

from __future__ import annotations

import argparse
import json
import logging
import multiprocessing
import resource
import struct
import tempfile
import threading
import zlib
from contextlib import suppress
from importlib.util import find_spec
from itertools import count as count_from
from itertools import islice
from pathlib import Path
from time import perf_counter, sleep
from typing import TYPE_CHECKING, Any

import psutil

from webcontent.batch import Counts, Options, extract_archives, extract_table
from webcontent.evaluation.corpora import load_corpus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

CORPORA = ("wcxb-dev", "zh-gold-dev", "fundus-dev")
RUNS = ("warc", "processes", "ray")
RECORDS = 2000
PROCESSES = 2
ROUNDS = 2
PAGES_PER_BATCH = 64
RAY_BLOCKS = 64
"""Blocks of Ray's table: a small file would be one block, and one block is one task."""
SAMPLE_S = 1
TENTHS = 10


def main(words: list[str] | None = None) -> None:
    """Read the command line, measure, print one JSON object per run."""
    options = _arguments(words)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        archive, table = folder / "pages.warc.gz", folder / "pages.parquet"
        arguments = (archive, table if set(options.only) > {"warc"} else None, options.records, options.corpus, options.largest)
        writer = multiprocessing.get_context("spawn").Process(target=write_records, args=arguments)  # its memory is freed with it
        writer.start()
        writer.join()
        extract_options = Options(extractor=options.extractor)
        runs: dict[str, Callable[[ResourceSampler], int]] = {
            "warc": lambda sampler: run_archive(
                archive, folder / "items.jsonl", options.processes, extract_options, 60 * options.minutes, sampler
            ),
            "processes": lambda sampler: run_processes(table, options.processes, sampler),
            "ray": lambda sampler: run_ray(table, options.processes, sampler),
        }
        names = [run for run in options.only if run != "ray" or find_spec("ray")]
        if "ray" in names:
            start_ray(options.processes)
        for _ in range(options.rounds):
            for run in names:
                print(json.dumps(measure(run, runs[run])), flush=True)


def _arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks archives", description=__doc__)
    parser.add_argument("--records", type=int, default=RECORDS, help="pages per run (default: %(default)s)")
    parser.add_argument("--processes", type=int, default=PROCESSES, help="(default: %(default)s)")
    parser.add_argument("--corpus", nargs="+", default=CORPORA, help="names of corpora (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="runs of each kind (default: %(default)s)")
    parser.add_argument("--only", nargs="+", choices=RUNS, default=RUNS, help="kinds of runs (default: all)")
    parser.add_argument("--largest", type=int, default=None, help="bytes of the largest page (default: any size)")
    parser.add_argument("--extractor", help="warc: extractor of all pages (default: by page type)")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="warc: a run ends after this time")
    return parser.parse_args(words)


def write_records(archive: Path, table: Path | None, count: int, corpora: list[str], largest: int | None) -> None:
    """Write corpus pages, repeated to `count` records, into a WARC file, compressed by record, and into a Parquet file."""
    corpus_pages = [(page["url"], page["html"].encode("utf-8", "replace")) for name in corpora for page in load_corpus(name)]
    pages = [(url, html) for url, html in corpus_pages if largest is None or len(html) <= largest]
    pages.sort(key=lambda page: zlib.crc32(page[0].encode("utf-8", "replace")))  # corpora differ in page size: mixed, in a fixed order
    with archive.open("wb") as file:
        blocks = [PackedBlock(html) for _, html in pages[:count]]
        file.writelines(blocks[place % len(blocks)].record(url) for place, (url, _) in enumerate(repeated(pages, count)))
    if table is None:
        return
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema([("url", pa.string()), ("html", pa.binary())])
    with parquet.ParquetWriter(table, schema, compression="zstd") as writer:
        source = repeated(pages, count)
        while part := list(islice(source, PAGES_PER_BATCH * 4)):
            writer.write_table(pa.table({"url": [url for url, _ in part], "html": [html for _, html in part]}, schema=schema))


def repeated(pages: list[tuple[str, bytes]], count: int) -> Iterator[tuple[str, bytes]]:
    """The first `count` pages of an endless repetition. Copies have addresses of their own, since a known address would cost nothing."""
    rounds = ((f"{url}{'&' if '?' in url else '?'}copy={copy}" if copy else url, html) for copy in count_from() for url, html in pages)
    return islice(rounds, count)


class PackedBlock:
    """A page as the block of a WARC record, compressed once for all records that hold it."""

    def __init__(self, html: bytes) -> None:
        self.block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + html
        self.rest = self.block + b"\r\n\r\n"
        packer = zlib.compressobj(6, wbits=-15)
        self.packed = packer.compress(self.rest) + packer.flush()

    def record(self, url: str) -> bytes:
        """A gzip member (RFC 1952): the head, ended by a full flush so that the block does not refer back to it, and the block."""
        head = (
            f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
            f"WARC-Record-ID: <urn:uuid:0>\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {len(self.block)}\r\n\r\n"
        ).encode("utf-8", "replace")
        packer = zlib.compressobj(6, wbits=-15)
        begin = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
        return begin + self.packed + struct.pack("<II", zlib.crc32(self.rest, zlib.crc32(head)), len(head) + len(self.rest))


def run_archive(archive: Path, output: Path, processes: int, options: Options, limit_s: float, sampler: ResourceSampler) -> int:
    """Pages that `extract_archives` read within the limit."""
    output.unlink(missing_ok=True)
    end = perf_counter() + limit_s

    def show(counts: Counts, done_bytes: int, total_bytes: int) -> None:
        sampler.pages = counts.pages
        if perf_counter() > end:
            raise TimeoutError

    with suppress(TimeoutError):
        extract_archives([archive], output, options=options, processes=processes, show=show)
    return sampler.pages


def run_processes(table: Path, processes: int, sampler: ResourceSampler) -> int:
    """Pages that plain multiprocessing read, one batch per task."""
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        return sampler.count(pool.imap(count_items, iter_batches(table)))


def count_items(batch: Any) -> int:
    """Extract the items of a batch and count them."""
    rows: int = extract_table(batch).num_rows
    return rows


def iter_batches(table: Path) -> Iterator[Any]:
    from pyarrow import parquet

    yield from parquet.ParquetFile(table).iter_batches(PAGES_PER_BATCH)


def start_ray(processes: int) -> None:
    import ray

    ray.init(num_cpus=processes, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    ray.data.DataContext.get_current().enable_progress_bars = False


def run_ray(table: Path, processes: int, sampler: ResourceSampler) -> int:
    """Pages that Ray read."""
    import ray

    pages: Any = ray.data.read_parquet(str(table)).repartition(RAY_BLOCKS)
    items = pages.map_batches(extract_table, batch_format="pyarrow", batch_size=PAGES_PER_BATCH)
    return sampler.count(batch.num_rows for batch in items.iter_batches(batch_format="pyarrow", batch_size=None))


def measure(name: str, run: Callable[[ResourceSampler], int]) -> dict[str, Any]:
    """Pages per second, CPU time per page of this process and its children, and their memory at each tenth of the pages."""
    sampler = ResourceSampler()
    cpu_before_s, started = _cpu_s(), perf_counter()
    pages = run(sampler)
    elapsed_s, cpu_s = perf_counter() - started, sampler.stop() + _cpu_s() - cpu_before_s
    return {
        "run": name,
        "pages": pages,
        "pages_per_s": round(pages / elapsed_s, 1),
        "cpu_ms_per_page": round(1000 * cpu_s / pages, 1),
        "memory_mb": sampler.memory_mb(),
    }


class ResourceSampler:
    """Samples the memory of this process and its children once a second, and measures the CPU time of children that live on."""

    def __init__(self) -> None:
        self.pages = 0
        """Pages that were read so far."""
        self._samples: list[tuple[int, float]] = []
        self._children_cpu_s = _children_cpu_s()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        """End the sampling; CPU seconds of the children that live on, as Ray's do."""
        self._end.set()
        self._thread.join()
        return _children_cpu_s() - self._children_cpu_s

    def count(self, parts: Iterable[int]) -> int:
        """The sum of the parts. `pages` grows with each."""
        for part in parts:
            self.pages += part
        return self.pages

    def memory_mb(self) -> dict[str, int]:
        """Memory by the number of pages that were read, and the peak."""
        last = self._samples[-1][0] if self._samples else 0
        tenths = (
            next(sample for sample in self._samples if sample[0] >= last * tenth // TENTHS) for tenth in range(1, TENTHS + 1 if last else 1)
        )
        return {str(pages): round(memory) for pages, memory in tenths} | {"peak": round(max(memory for _, memory in self._samples))}

    def _sample(self) -> None:
        while not self._end.is_set():
            self._samples.append((self.pages, sum(_memory_mb(process) for process in _family())))
            sleep(SAMPLE_S)


def _family() -> list[psutil.Process]:
    own = psutil.Process()
    return [own, *own.children(recursive=True)]


def _memory_mb(process: psutil.Process) -> float:
    try:
        used: float = process.memory_info().rss / 2**20
    except psutil.Error:
        return 0.0
    return used


def _children_cpu_s() -> float:
    total = 0.0
    for process in _family()[1:]:
        try:
            times = process.cpu_times()
        except psutil.Error:
            continue
        total += times.user + times.system
    return total


def _cpu_s() -> float:
    """CPU seconds of this process and of its children that have ended."""
    return sum(
        usage.ru_utime + usage.ru_stime for usage in (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


if __name__ == "__main__":
    main()
