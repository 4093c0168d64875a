"""Speed and memory of many pages at once: `python -m benchmarks.archives [--records N] [--processes N] [--corpus NAME ...]`.

Makes N records of stored pages, as a WARC file and as a Parquet file, and reads them with `scrapy extract --warc`'s own code, with plain
processes over Arrow batches, and with Ray over the same batches, one after the other and twice (A B A B), since a machine is never quiet.
Pages that are repeated have other addresses. Memory is that of all processes together, at each tenth of the pages.

Is memory flat over 100,000 records? `--only warc --rounds 1 --records 100000 --largest 25000 --extractor awce` takes small pages and a
cheap extractor, since a worker's memory does not ask how long a page took; `--minutes` ends a run that takes too long.
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
    parser.add_argument("--largest", type=int, default=None, help="bytes of the largest page that is taken (default: all pages)")
    parser.add_argument("--extractor", help="for warc: all pages to this one (default: by type)")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="for warc: a longer run ends here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        archive, table = Path(folder) / "pages.warc.gz", Path(folder) / "pages.parquet"
        made = (archive, table if set(options.only) > {"warc"} else None, options.records, options.corpus, options.largest)
        maker = multiprocessing.get_context("spawn").Process(target=make_records, args=made)  # what it takes of memory goes with it
        maker.start()
        maker.join()
        how = Options(extractor=options.extractor)
        runs: dict[str, Callable[[Watch], int]] = {
            "warc": lambda watch: run_archive(archive, Path(folder) / "items.jsonl", options.processes, how, 60 * options.minutes, watch),
            "processes": lambda watch: run_processes(table, options.processes, watch),
            "ray": lambda watch: run_ray(table, options.processes, watch),
        }
        names = [name for name in options.only if name != "ray" or find_spec("ray")]
        if "ray" in names:
            start_ray(options.processes)
        for _ in range(options.rounds):
            for name in names:
                print(json.dumps(measure(name, runs[name])), flush=True)


def make_records(archive: Path, table: Path | None, count: int, corpora: list[str], largest: int | None) -> None:
    """The stored pages, repeated to so many records: a WARC file, compressed by record, and a Parquet file."""
    stored = [(page["url"], page["html"].encode("utf-8", "replace")) for name in corpora for page in load_corpus(name)]
    pages = [(url, html) for url, html in stored if largest is None or len(html) <= largest]
    pages.sort(key=lambda page: hash_of(page[0]))  # corpora differ in size of page: mixed, so that each part is like the whole
    with archive.open("wb") as file:
        packed = [PackedBlock(html) for _, html in pages[:count]]
        file.writelines(packed[place % len(packed)].record(url) for place, (url, _) in enumerate(repeated(pages, count)))
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
    """So many pages; those that come again have addresses of their own, since what is remembered by address would cost nothing else."""
    rounds = ((f"{url}{'&' if '?' in url else '?'}copy={copy}" if copy else url, html) for copy in count_from() for url, html in pages)
    return islice(rounds, count)


class PackedBlock:
    """A page as the block of a record of an archive, compressed once for all records that hold it."""

    def __init__(self, html: bytes) -> None:
        self.block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + html
        self.rest = self.block + b"\r\n\r\n"
        packer = zlib.compressobj(6, wbits=-15)
        self.packed = packer.compress(self.rest) + packer.flush()

    def record(self, url: str) -> bytes:
        """A gzip member (RFC 1952): the head, ended by a full flush so that nothing behind it looks back, and the block."""
        head = (
            f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
            f"WARC-Record-ID: <urn:uuid:0>\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {len(self.block)}\r\n\r\n"
        ).encode("utf-8", "replace")
        packer = zlib.compressobj(6, wbits=-15)
        begin = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
        return begin + self.packed + struct.pack("<II", zlib.crc32(self.rest, zlib.crc32(head)), len(head) + len(self.rest))


def hash_of(text: str) -> int:
    """The same in every run."""
    return zlib.crc32(text.encode("utf-8", "replace"))


def run_archive(archive: Path, output: Path, processes: int, options: Options, limit_s: float, watch: Watch) -> int:
    output.unlink(missing_ok=True)
    end = perf_counter() + limit_s

    def show(counts: Counts, done_bytes: int, total_bytes: int) -> None:
        watch.pages = counts.pages
        if perf_counter() > end:
            raise TimeoutError

    with suppress(TimeoutError):
        extract_archives([archive], output, options=options, processes=processes, show=show)
    return watch.pages


def run_processes(table: Path, processes: int, watch: Watch) -> int:
    """Plain multiprocessing: a batch a task."""
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        return watch.count(pool.imap(count_items, iter_batches(table)))


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


def run_ray(table: Path, processes: int, watch: Watch) -> int:
    import ray

    pages: Any = ray.data.read_parquet(str(table)).repartition(BLOCKS)  # a small file is one block, and one block is one task
    made = pages.map_batches(extract_table, batch_format="pyarrow", batch_size=PAGES_PER_BATCH)
    return watch.count(batch.num_rows for batch in made.iter_batches(batch_format="pyarrow", batch_size=None))


def measure(name: str, run: Callable[[Watch], int]) -> dict[str, Any]:
    """Pages a second, processor time a page of all processes below this one, and their memory at each tenth of the pages."""
    watch = Watch()
    cpu, begin = _cpu_s(), perf_counter()
    pages = run(watch)
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
        self.pages = 0
        """That are done so far."""
        self._samples: list[tuple[int, float]] = []
        self._alive = _alive_cpu_s()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        """Ends; gives the seconds of the processes that live on (Ray's do)."""
        self._end.set()
        self._thread.join()
        return _alive_cpu_s() - self._alive

    def count(self, parts: Iterable[int]) -> int:
        """The sum, while it grows."""
        for part in parts:
            self.pages += part
        return self.pages

    def memory_mb(self) -> dict[str, int]:
        """By the number of pages that were done."""
        last = self._samples[-1][0] if self._samples else 0
        tenths = (next(sample for sample in self._samples if sample[0] >= last * tenth // 10) for tenth in range(1, 11 if last else 1))
        return {str(pages): round(memory) for pages, memory in tenths} | {"most": round(max(memory for _, memory in self._samples))}

    def _look(self) -> None:
        while not self._end.is_set():
            self._samples.append((self.pages, sum(_memory_mb(process) for process in _family())))
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
