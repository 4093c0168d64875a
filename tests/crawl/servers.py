"""Servers of other programs that tests start on loopback, where the machine has them."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

needs_redis = pytest.mark.skipif(not shutil.which("redis-server"), reason="no redis-server: apt-get install redis-server")


@contextmanager
def redis_server(folder: Path, port: int | None = None) -> Iterator[str]:
    """A Redis of its own, empty, on a free port; gives its address. Nothing of it is kept."""
    import redis

    port = port or free_port()
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        client = redis.Redis(port=port)
        for _ in range(600):
            try:
                client.ping()
                break
            except redis.RedisError:
                assert process.poll() is None, "redis-server ended at once"
                time.sleep(0.05)
        client.close()
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.kill()
        process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
