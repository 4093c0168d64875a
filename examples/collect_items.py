"""Moves the items of a shared crawl from Redis into a file: `python examples/collect_items.py redis://host:6379/0 front:items items.jsonl`.

Runs until it is stopped, or with `--once` until the list is empty. Each item is in the file once, also when this is killed: how long the
file is without the items that the list still has stands in Redis, and changes in the same step as the list.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import redis

AT_ONCE = 500


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("server")
    parser.add_argument("key")
    parser.add_argument("file", type=Path)
    parser.add_argument("--once", action="store_true", help="end when the list is empty")
    options = parser.parse_args()
    client = redis.Redis.from_url(options.server)
    size_key = f"{options.key}:size:{options.file.name}"
    with options.file.open("ab") as file:
        size = client.get(size_key)
        if size is not None:
            file.truncate(int(size))  # what was written behind it is still in the list
            file.seek(0, os.SEEK_END)
        else:
            client.set(size_key, file.tell())
        while True:
            lines = client.lrange(options.key, 0, AT_ONCE - 1)
            if not lines and options.once:
                return
            file.writelines(line + b"\n" for line in lines)
            file.flush()
            os.fsync(file.fileno())
            with client.pipeline(transaction=True) as step:
                step.ltrim(options.key, len(lines), -1).set(size_key, file.tell()).execute()
            if not lines:
                time.sleep(1)


if __name__ == "__main__":
    main()
