"""Scrapy commands in processes of their own that need not import Scrapy and webcontent: they are forked from one that has done so.

Half of the time of a small crawl is spent on imports. `tests/demo`, the examples and the benchmarks start Scrapy as a user does.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
import subprocess
import sys
import warnings
import weakref
from types import ModuleType
from typing import TYPE_CHECKING

from scrapy.exceptions import ScrapyDeprecationWarning

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

STDOUT, STDERR = 1, 2
PRELOADED = [
    "onnxruntime",
    "pytest",  # each child imports the program that started it
    "scrapy.cmdline",
    "scrapy.crawler",
    "tests.crawl.forked",
    "webcontent.crawl.addon",
    "webcontent.crawl.middlewares",
    "webcontent.crawl.pipelines",
    "webcontent.crawl.spiders.seeds",
]
multiprocessing.get_context("forkserver").set_forkserver_preload(PRELOADED)


class ForkedScrapy:
    """A running Scrapy command, with the methods of `subprocess.Popen` that the tests use. It leads a process group of its own."""

    def __init__(self, arguments: tuple[str, ...], cwd: Path) -> None:
        self.args = ["scrapy", *arguments]
        self._streams = [os.memfd_create(name) for name in ("stdout", "stderr")]
        for stream in self._streams:
            weakref.finalize(self, os.close, stream)
        paths = [f"/proc/{os.getpid()}/fd/{stream}" for stream in self._streams]
        target = (self.args, str(cwd), dict(os.environ), paths)
        self._process = multiprocessing.get_context("forkserver").Process(target=run_scrapy, args=target)
        self._process.start()
        self.pid = int(self._process.pid or 0)

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """The exit code. Raises TimeoutExpired."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return self._process.exitcode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Standard output and standard error of the command when it has ended. Raises TimeoutExpired."""
        self.wait(timeout)
        output, log = (os.pread(stream, os.fstat(stream).st_size, 0).decode() for stream in self._streams)
        return output, log

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def run_scrapy(arguments: list[str], cwd: str, environment: Mapping[str, str], streams: list[str]) -> None:
    """The child process: runs Scrapy as its command line does, with its deprecation warnings turned into errors."""
    assert "twisted.internet.reactor" not in sys.modules, "A reactor can't be forked."
    warnings.filterwarnings("error", category=ScrapyDeprecationWarning)
    os.setsid()
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    for number, path in zip((STDOUT, STDERR), streams, strict=True):
        os.dup2(os.open(path, os.O_WRONLY | os.O_APPEND), number)
    sys.modules["__main__"] = ModuleType("__main__")  # the processes that this one starts need not import pytest
    sys.path.insert(0, "")
    sys.argv = arguments
    from scrapy.cmdline import execute

    try:
        execute(arguments)
    finally:
        atexit._run_exitfuncs()  # a process of multiprocessing does not run them
        sys.stdout.flush()
