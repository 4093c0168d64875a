"""The tables of the docs that follow from declarations in the code. `python -m tests.docs.tables` writes them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from webcontent.crawl.config import SETTINGS, Setting
from webcontent.crawl.spiders.seeds import DEFAULTS
from webcontent.formats.outputs import OUTPUTS

DOCS = Path(__file__).parents[2] / "docs"
SHOWN = {"threads": "number of cores", "block": "media, font, ping and the hosts of common ad servers"}
"""Defaults in words. The number of cores is that of the machine, and the ad servers are many."""


def settings_tables(page: str) -> str:
    """docs/settings.md with today's tables of settings, one below the heading of each theme."""
    for theme in dict.fromkeys(setting.theme for setting in SETTINGS.values()):
        rows = sorted(_row(setting) for setting in SETTINGS.values() if setting.theme == theme)
        page = _with_table(page, f"### {theme.capitalize()}\n\n", ["| setting | takes | default | meaning |", "|---|---|---|---|", *rows])
    return page


def formats_table(page: str) -> str:
    """docs/incremental.md with today's table of output formats."""
    rows = [
        f"| `-{'O' if output.is_closed else 'o'} items{output.suffixes[0]}` | {output.title}{f' (extra `{output.extra}`)' if output.extra else ''} "
        f"| {output.use} |"
        for output in OUTPUTS
        if output.exporter
    ]
    return _with_table(page, "## Output formats\n\n", ["| option | format | use |", "|---|---|---|", *rows])


PAGES = {"settings.md": settings_tables, "incremental.md": formats_table}
"""Pages of the docs, and what gives them today's tables."""


def _with_table(page: str, heading: str, lines: list[str]) -> str:
    """A page with a table below a heading, in place of the one that is there."""
    assert heading in page, f"there is no heading {heading.strip()!r}"
    begin = page.index(heading) + len(heading)
    return page[:begin] + "\n".join(lines) + "\n" + re.sub(r"\A(?:\|.*\n)*", "", page[begin:])


def _row(setting: Setting) -> str:
    takes = re.sub(r"; in passwords.*", "", setting.reader.takes).replace("|", r"\|")
    default = SHOWN.get(setting.name, _written(setting.default))
    if setting.label in DEFAULTS:
        default += f"; `seeds`: `{DEFAULTS[setting.label]}`"
    return f"| `{setting.label}` | {takes} | {default} | {setting.doc} |"


def _written(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else f"{value}".replace("'", '"')


if __name__ == "__main__":
    for name, with_tables in PAGES.items():
        (DOCS / name).write_text(with_tables((DOCS / name).read_text(encoding="utf-8")), encoding="utf-8")
