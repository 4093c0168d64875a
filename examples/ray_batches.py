"""Items of many pages on a Ray cluster, or on the cores of one machine: `python examples/ray_batches.py pages.parquet items/`.

`pages.parquet` (a file, a folder, an address that Ray reads) has a column `html` and, where it is known, `url`. Wants `pip install
'webcontent[ray]'`. Ray starts here, or the cluster that RAY_ADDRESS names does the work.
"""

from __future__ import annotations

import sys

import ray

from webcontent.batch import extract_table

PAGES_PER_BATCH = 64
"""Large enough that handing over costs nothing, small enough to be in memory a few times."""


def main(pages: str, items: str) -> None:
    ray.init(log_to_driver=False)
    table = ray.data.read_parquet(pages)
    table.map_batches(extract_table, batch_format="pyarrow", batch_size=PAGES_PER_BATCH).write_parquet(items)


if __name__ == "__main__":
    main(*sys.argv[1:])
