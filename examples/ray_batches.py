"""Extracts items from many pages with Ray, on the cores of this machine or on the cluster that RAY_ADDRESS names.

    pip install 'webcontent[ray]'
    python examples/ray_batches.py pages.parquet items/

`pages.parquet` is a file, a folder or an address that Ray reads. It has a column `html` and, if known, a column `url`.
"""

from __future__ import annotations

import sys

import ray

from webcontent.batch import extract_table

PAGES_PER_BATCH = 64
"""Large enough that moving a batch to a worker is cheap, small enough to fit into memory a few times."""


def main(pages: str, items: str) -> None:
    ray.init(log_to_driver=False)
    table = ray.data.read_parquet(pages)
    table.map_batches(extract_table, batch_format="pyarrow", batch_size=PAGES_PER_BATCH).write_parquet(items)


if __name__ == "__main__":
    main(*sys.argv[1:])
