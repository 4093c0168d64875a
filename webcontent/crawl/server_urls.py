"""URLs of servers and databases in settings. Their passwords appear in no message."""

from __future__ import annotations

import re
from typing import Any

from webcontent.crawl.setup_errors import SetupError, WrongValueError

CONNECT_S, TIMEOUT_S = 10, 30
"""How long to wait for a connection to a server; for its answer, or for another process's lock of a file."""
_SCHEME = re.compile(r"[a-zA-Z][\w+.-]{0,20}:?/{1,3}")
_HOST = r"(?:\[[0-9a-fA-F:.]+\]|[\w.%-]*)(?::\d*)?"
_WELL_FORMED = re.compile(
    rf"[a-z]\w*://(?:(?:[^\W_]|[-._~!$&'()*+,;=:]|%[0-9a-fA-F]{{2}})*@)?(?P<rest>{_HOST}(?:,{_HOST})*(?:/[^@?#\s]*)?)(?:\?(?:[^@#%\s]|%[0-9a-fA-F]{{2}})*)?"
)

ENCODING_HINT = "in passwords, characters such as / ? # @ % and blanks are written as %2F %3F %23 %40 %25 %20"


def without_password(url: str) -> str:
    """A URL that can be logged: without user, password and query. Of a URL that can't be read, only the scheme is shown.

    >>> without_password("redis://user:secret@host:6379/0?password=secret"), without_password("redis:/:secret@host")
    ('redis://host:6379/0', 'redis:/***')
    """
    if url.startswith("sqlite:"):
        return url
    scheme = _SCHEME.match(url)
    match = _WELL_FORMED.fullmatch(url)
    if match is None and not re.search("[:@]", url[scheme.end() if scheme else 0 :]):
        return url  # no address of a server, so it has no password
    return (scheme[0] if scheme else "") + (match["rest"] if match else "***")


def check_server_url(url: str) -> bool:
    """True. Raises ValueError, without the URL, if a library would take a part of its password for something else.

    >>> check_server_url("redis://:se/cret@host")
    Traceback (most recent call last):
    ValueError: in passwords, characters such as / ? # @ % and blanks are written as %2F %3F %23 %40 %25 %20
    """
    if not url.startswith("sqlite:") and not _WELL_FORMED.fullmatch(url):
        raise ValueError(ENCODING_HINT)
    return True


def sqlite_path(url: str) -> str:
    """The file of an SQLite URL: three slashes before a relative path, four before an absolute one. Raises ValueError.

    >>> sqlite_path("sqlite:///crawl.db"), sqlite_path("sqlite:////var/lib/crawl.db")
    ('crawl.db', '/var/lib/crawl.db')
    """
    path = url.removeprefix("sqlite:///")
    if path == url or not path:
        raise ValueError(f"{without_password(url)!r} names no file; it is sqlite:///FILE, with four slashes before an absolute path.")
    return path


def redis_client(url: str) -> Any:
    """A client of a Redis server that has answered. Raises SetupError."""
    address = without_password(url)
    try:
        import redis
    except ImportError:
        raise SetupError(f'{address} needs the package redis: pip install "webcontent[redis]"') from None
    try:
        check_server_url(url)
        with redis.Redis.from_url(url, socket_connect_timeout=CONNECT_S, retry=None) as probe:
            probe.ping()
        return redis.Redis.from_url(url, socket_timeout=TIMEOUT_S, decode_responses=True)
    except ValueError:  # its message may hold a part of the password
        raise WrongValueError(f"The address {address} can't be read: {ENCODING_HINT}.") from None
    except (redis.RedisError, OSError) as error:
        raise SetupError(no_answer(address, error)) from None


def no_answer(address: str, error: Exception) -> str:
    """The message for a Redis server that does not answer. `address`: without password."""
    return f"No Redis server answers at {address}: {str(error).rstrip('.')}."
