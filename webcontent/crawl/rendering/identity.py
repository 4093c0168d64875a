"""As whom a page is visited: the reader's language, time zone and session. The user agent stays what it is."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

_DIGEST_BYTES = 6


@dataclass(frozen=True, slots=True)
class Identity:
    """What the browser context of a page says of its reader. Pages with different identities have different contexts."""

    locale: str | None = None
    timezone: str | None = None
    storage_state: str | None = None
    """File with the cookies and the local storage of a session, as Playwright writes it."""

    @property
    def label(self) -> str:
        """A part of the context's name; empty for a reader without properties."""
        if self == NOBODY:
            return ""
        text = "\n".join(part or "" for part in (self.locale, self.timezone, self.storage_state))
        return " " + blake2b(text.encode(), digest_size=_DIGEST_BYTES).hexdigest()

    def context_options(self) -> dict[str, Any]:
        """Arguments of Playwright's `new_context`."""
        options = {"locale": self.locale, "timezone_id": self.timezone, "storage_state": self.storage_state}
        return {name: value for name, value in options.items() if value is not None}


NOBODY = Identity()
"""A reader of whom nothing is said."""
