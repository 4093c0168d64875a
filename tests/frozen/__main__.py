"""Writes what is frozen anew: `python -m tests.frozen`. It prints what differs from before."""

from __future__ import annotations

import json

from tests.frozen.pages import FILE, of_extractor, of_golden_pages, of_series, stored
from tests.frozen.series import SERIES
from webcontent.extractors import TABLE

before = stored() if FILE.exists() else {}
now = {
    "golden": of_golden_pages(),
    "series": {name: of_series(name) for name in SERIES},
    "extractors": {name: of_extractor(name) for name in TABLE},
}
for part, values in now.items():
    for name, value in values.items():
        if before.get(part, {}).get(name) != value:
            print(f"{part} {name}")
lines = [
    f"{json.dumps(part)}: {{\n"
    + ",\n".join(f"{json.dumps(name)}: {json.dumps(value, separators=(',', ':'))}" for name, value in values.items())
    + "\n}"
    for part, values in now.items()
]
FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
