"""URLs of servers and databases in settings. Their passwords appear in no message."""

from __future__ import annotations

import re

_SCHEME = re.compile(r"[a-zA-Z][\w+.-]{0,20}:?/{1,3}")
_AUTHORITY_END = re.compile(r"[/?#]")
_HOSTS = re.compile(r"(?:\[[0-9a-fA-F:.]+\]|[\w.%-]*)(?::\d*)?(?:,(?:\[[0-9a-fA-F:.]+\]|[\w.%-]*)(?::\d*)?)*")
_PASSWORD_PARAMETER = re.compile(r"((?:^|[?&;\s])\w*pass\w*=)[^&;\s]*", re.IGNORECASE)


def without_password(url: str) -> str:
    """A URL that can be logged, also if it is misspelt or its password contains a character that ends a password.

    >>> without_password("redis://user:secret@host:6379/0"), without_password("redis:/:se/cret@host")
    ('redis://host:6379/0', 'redis:/host')
    >>> without_password("postgresql://host/news?password=secret"), without_password("redis://user:secret")
    ('postgresql://host/news?password=***', 'redis://***')
    """
    if url.startswith("sqlite:"):
        return url
    match = _SCHEME.match(url)
    scheme = match[0] if match else ""
    rest = url[len(scheme) :].rpartition("@")[2]
    authority = _AUTHORITY_END.split(rest, maxsplit=1)[0]
    if not _HOSTS.fullmatch(authority):
        rest = "***"
    return _PASSWORD_PARAMETER.sub(r"\1***", scheme + rest)


def check_server_url(url: str) -> None:
    """Raises ValueError, without the URL, if a library would take a part of its password for something else.

    >>> check_server_url("redis://:se/cret@host")
    Traceback (most recent call last):
    ValueError: / ? # and @ in a user name or a password must be written as %2F %3F %23 %40
    """
    if url.startswith("sqlite:"):
        return
    rest = url.partition("://")[2]
    authority = _AUTHORITY_END.split(rest, maxsplit=1)[0]
    if "@" in rest[len(authority) :] or authority.count("@") > 1 or not _HOSTS.fullmatch(authority.rpartition("@")[2]):
        raise ValueError("/ ? # and @ in a user name or a password must be written as %2F %3F %23 %40")


def sqlite_path(url: str) -> str:
    """The file of an SQLite URL: three slashes before a relative path, four before an absolute one. Raises ValueError.

    >>> sqlite_path("sqlite:///crawl.db"), sqlite_path("sqlite:////var/lib/crawl.db")
    ('crawl.db', '/var/lib/crawl.db')
    """
    path = url.removeprefix("sqlite:///")
    if path == url or not path:
        raise ValueError(f"{without_password(url)!r} names no file; it is sqlite:///FILE, with four slashes before an absolute path.")
    return path
