"""What was done to a rendered page before it was read: what was hidden, opened and scrolled, and how long each step took."""

from __future__ import annotations

from typing import Any

from webcontent.inspect.markup import Markup, bar, tag
from webcontent.inspect.text import preparation_lines


def preparation_section(report: dict[str, Any]) -> Markup:
    """The section about the preparation; empty for a page that was not prepared."""
    if not report:
        return Markup("")
    durations = report.get("ms", {})
    longest = max(durations.values(), default=0)
    rows = [
        tag("tr", tag("th", name, scope="row"), tag("td", bar(ms / longest if longest else 0)), tag("td", f"{ms} ms", class_="number"))
        for name, ms in durations.items()
    ]
    lines = [tag("li", line) for line in preparation_lines(report)]
    done = tag("ul", *lines) if lines else tag("p", "Nothing was hidden, opened or scrolled.", class_="note")
    return tag("section", tag("h2", "Preparation"), done, tag("table", *rows, class_="bars"), id="preparation")
