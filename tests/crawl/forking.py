"""Commands as forks of one process that has imported what they need and read a page, which saves a second and more per command.

Run as a script this module is that process. For each message on its standard input it forks a waiter, which forks the command. The command
has a folder, an environment and, on request, a session of its own, and ends as any Python process does.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from pkgutil import iter_modules
from select import select
from threading import Lock
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

CHECKOUT = Path(__file__).parents[2]
MAX_MESSAGE_BYTES = 100_000
PRELOADED = (
    *("scrapy.cmdline", "scrapy.core.downloader.handlers.http11", "scrapy.core.scheduler", "scrapy.dupefilters", "scrapy.logformatter"),
    *("scrapy.pipelines.images", "scrapy.robotstxt", "scrapy.squeues", "scrapy.statscollectors", "scrapy.utils.template"),
    *("PIL.Image", "PIL.ImageDraw", "encodings.utf_8_sig", "playwright.async_api", "protego", "urllib.robotparser"),
    *("webcontent.crawl.addon", "webcontent.crawl.output.markdown", "webcontent.crawl.output.parquet", "webcontent.crawl.output.rss"),
    *("webcontent.crawl.pipelines", "webcontent.crawl.rendering.job", "webcontent.crawl.settings", "webcontent.crawl.spiders.seeds"),
    *("webcontent.demo.spider", "webcontent.extractors.fusion", "webcontent.pagetype.classify"),
)
"""What most commands import, without Twisted's reactor and without what starts threads (pyarrow); and all of Scrapy's COMPONENTS."""
COMPONENTS = ("DOWNLOADER_MIDDLEWARES_BASE", "EXTENSIONS_BASE", "SPIDER_MIDDLEWARES_BASE")


_lock = Lock()
"""Two threads that start commands share one server."""


class Command:
    """A running command, with the methods of `subprocess.Popen` that the tests use. Its output goes to files."""

    def __init__(
        self, program: str, *arguments: str, cwd: Path, env: Mapping[str, str] | None = None, start_new_session: bool = False
    ) -> None:
        """`program`: "scrapy"; "-c", as of Python, with its code as the first argument; or the module of these tests whose `run` gets the
        first argument. `env`: variables to be added to those of this process."""
        self.args = (program, *arguments)
        self.returncode: int | None = None
        self._texts = ("", "")
        self._stdout, self._stderr = _new_file(), _new_file()
        self._status, status = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        message = json.dumps([self.args, str(cwd), {**os.environ, **(env or {})}, start_new_session])
        with status:
            with _lock:
                server = _server()
            socket.send_fds(server, [message.encode()], [self._stdout.fileno(), self._stderr.fileno(), status.fileno()])
        self.pid = self._receive()

    def _receive(self) -> int:
        number = self._status.recv(100)
        assert number, "The process that forks has ended; its reason is in the output of the tests."
        return int(number)

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select([self._status], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            self.returncode = os.waitstatus_to_exitcode(self._receive())
            self._status.close()
            self._texts = (_read(self._stdout), _read(self._stderr))
        return self.returncode

    def poll(self) -> int | None:
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Standard output and standard error of a command, after its end."""
        self.wait(timeout)
        return self._texts

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def _new_file() -> IO[str]:
    return tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")


def _read(file: IO[str]) -> str:
    """All text of a file, which is closed."""
    with file:
        file.seek(0)
        return file.read()


@cache
def _server() -> socket.socket:
    """The connection to the process that forks. That process ends when this one does."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * MAX_MESSAGE_BYTES)
    with theirs:
        environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # the threads of numpy would be lost in a fork
        process = subprocess.Popen([sys.executable, __file__], stdin=theirs, stdout=subprocess.DEVNULL, cwd=CHECKOUT, env=environment)
    process.returncode = 0  # nobody waits for it
    return ours


# The process that forks


def serve() -> list[str]:
    """Forks for every message. Returns in a command, with its program and arguments; the process itself ends here."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # waiters are not waited for
    with socket.socket(fileno=os.dup(0)) as requests:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        while True:
            message, files, *_ = socket.recv_fds(requests, MAX_MESSAGE_BYTES, 3)
            if not message:
                sys.exit()
            if os.fork() == 0:
                break
            for file in files:
                os.close(file)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    stdout, stderr, status = files
    if command := os.fork():
        os.close(stdout)
        os.close(stderr)
        os.write(status, str(command).encode())
        os.write(status, str(os.waitpid(command, 0)[1]).encode())
        os._exit(0)
    arguments, folder, environment, new_session = json.loads(message)
    if new_session:
        os.setsid()
    os.dup2(stdout, 1)
    os.dup2(stderr, 2)
    for file in files:
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    return arguments


def preload() -> None:
    from scrapy import commands
    from scrapy.exceptions import ScrapyDeprecationWarning
    from scrapy.settings import default_settings

    import webcontent

    warnings.filterwarnings("error", category=ScrapyDeprecationWarning)
    components = [path.rpartition(".")[0] for name in COMPONENTS for path in getattr(default_settings, name)]
    for name in (*PRELOADED, *components, *(f"scrapy.commands.{module.name}" for module in iter_modules(commands.__path__))):
        import_module(name)
    for command in entry_points(group="scrapy.commands"):
        command.load()
    for text in ("", "<p>" + "A story of the harbour. " * 40):
        webcontent.extract(f"<title>News</title><h1>News</h1>{text}", url="http://news.example.org/1.html")  # opens the models
    assert "twisted.internet.reactor" not in sys.modules
    assert len(list(Path("/proc/self/task").iterdir())) == 1, "an imported module has started a thread"
    gc.collect()
    gc.freeze()


def main() -> None:
    sys.path[0] = ""  # as in `python -c`
    preload()
    program, *arguments = serve()
    sys.argv[1:] = arguments
    if program == "scrapy":
        from scrapy.cmdline import execute

        execute(["scrapy", *arguments])
    elif program == "-c":
        sys.argv = ["-c", *arguments[1:]]
        exec(arguments[0], {"__name__": "__main__"})
    else:
        sys.path.insert(0, str(CHECKOUT))
        import_module(f"tests.crawl.{program}").run(json.loads(arguments[0]))


if __name__ == "__main__":
    main()
