"""What the repository holds was written for it: others' code comes as a dependency."""

from __future__ import annotations

import importlib.util
import subprocess
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

CHECKOUT = Path(__file__).parents[1]
LICENCE = "Permission is hereby granted, free of charge, to any person"


def load() -> ModuleType:
    """The module that the check of the wheel uses, too."""
    spec = importlib.util.spec_from_file_location("rights", CHECKOUT / ".ci/rights.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_file_of_the_repository_carries_a_copyright_of_others():
    try:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no git checkout")
    files = [CHECKOUT / name for name in listed.split("\0") if name]
    assert len(files) > 500
    assert load().foreign_notices(file for file in files if file.is_file()) == []


@pytest.mark.parametrize(
    "text",
    [
        "/*\niframe 1.0\n\nCopyright (c) 2020 Somebody Else\n*/\n",
        "# Copyright 2019 Somebody Else. All rights reserved.\n",
        "// © 2021 Somebody\nx()\n",
        "/*! @license MIT */\n",
        "# SPDX-License-Identifier: Apache-2.0\n",
        f" * {LICENCE}\n",
        "# Licensed under the Apache License, Version 2.0\n",
        "// This Source Code Form is subject to the terms of the Mozilla Public License\n",
    ],
)
def test_a_notice_of_others_is_found(tmp_path: Path, text: str):
    (tmp_path / "file").write_text(text, encoding="utf-8")
    assert len(load().foreign_notices([tmp_path / "file"])) == 1


@pytest.mark.parametrize(
    "text",
    [
        f"MIT License\n\nCopyright (c) 2026 webcontent contributors\n\n{LICENCE}\n",
        'FOOTER = "<footer>Copyright 2024 Example. All rights reserved.</footer>"\n',
        '    ("© 2024 x", {"copyrights": 1}),\n',
        '"copyright": -2.62,\n',
        "<footer><p>© 2024 The Ellery Courier.</p></footer>\n",
    ],
)
def test_our_own_licence_and_the_text_of_pages_are_no_notices_of_others(tmp_path: Path, text: str):
    (tmp_path / "file").write_text(text, encoding="utf-8")
    assert load().foreign_notices([tmp_path / "file"]) == []


def test_the_package_is_under_one_licence():
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (project["license"], project["license-files"]) == ("MIT", ["LICENSE"])
