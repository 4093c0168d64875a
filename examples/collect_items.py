"""Moves the items of a distributed crawl from Redis into a file.

    python examples/collect_items.py redis://host:6379/0 front:items items.jsonl

The program runs until it is stopped; with `--once` it ends when the list is empty. Each item is written once, even if the program is
killed: Redis holds the length of the file without the items that are still in the list, and changes it in the same step as the list.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import BinaryIO

import redis

BATCH = 500
"""Items that are moved at once."""
WAIT_S = 1
"""Pause while the list is empty."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(".")[0])
    parser.add_argument("server", help="address of the Redis server")
    parser.add_argument("key", help="key of the list of items")
    parser.add_argument("file", type=Path, help="a JSON Lines file; items are appended")
    parser.add_argument("--once", action="store_true", help="end when the list is empty")
    options = parser.parse_args()
    client = redis.Redis.from_url(options.server)
    size_key = f"{options.key}:size:{options.file.name}"
    with options.file.open("ab") as file:
        size = client.get(size_key)
        if size is None:
            client.set(size_key, file.tell())
        else:
            file.truncate(int(size))  # the items behind this length are still in the list
            file.seek(0, os.SEEK_END)
        while True:
            if move_batch(client, options.key, size_key, file):
                continue
            if options.once:
                return
            time.sleep(WAIT_S)


def move_batch(client: redis.Redis, key: str, size_key: str, file: BinaryIO) -> int:
    """Append the first items of the list to the file and remove them from the list; the number of items."""
    lines = client.lrange(key, 0, BATCH - 1)
    file.writelines(line + b"\n" for line in lines)
    file.flush()
    os.fsync(file.fileno())
    with client.pipeline(transaction=True) as step:
        step.ltrim(key, len(lines), -1).set(size_key, file.tell()).execute()
    return len(lines)


if __name__ == "__main__":
    main()
