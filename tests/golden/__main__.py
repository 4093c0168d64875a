"""`python -m tests.golden [SLUG ...] [--renew]` shows where the items of golden pages differ from the expected ones, or renews these.

A renewed expectation is the output of the package. Compare it with the page before you keep it.
"""

from __future__ import annotations

import argparse
import json

from tests.golden.pages import expected, extracted, folders, known_faults


def main() -> None:
    parser = argparse.ArgumentParser(description="Golden pages: show differences, or renew what is expected.")
    parser.add_argument("slugs", nargs="*", help="names of pages (default: all)")
    parser.add_argument("--renew", action="store_true", help="write the output of the package as the expectation")
    arguments = parser.parse_args()
    for folder in [*folders(), *known_faults()]:
        if arguments.slugs and folder.name not in arguments.slugs:
            continue
        known, actual = expected(folder), extracted(folder)
        for name in sorted({*known["item"], *actual}):
            if known["item"].get(name) != actual.get(name):
                print(f"{folder.name}: {name}\n  expected {known['item'].get(name)!r}\n  actual   {actual.get(name)!r}")
        if arguments.renew:
            text = json.dumps({**known, "item": actual}, ensure_ascii=False, indent=2)
            (folder / "expected.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
