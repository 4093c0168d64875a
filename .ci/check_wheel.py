"""Checks the installed wheel. Run it with the Python of an environment that holds nothing but the wheel and its dependencies."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import distributions, entry_points, files, metadata
from pathlib import Path
from tempfile import TemporaryDirectory

from rights import foreign_notices

import webcontent

HEAVY = {"scrapy", "onnxruntime", "twisted", "playwright", "torch", "sklearn", "lightgbm", "matplotlib"}
PARAGRAPH = "<p>It rained all day in the hills, and the river rose by a metre before the evening came.</p>"
PAGE = f"""<html lang="en"><head><title>Rain - Daily</title></head><body><nav><a href="/">Home</a></nav>
<article><h1>Rain</h1>{PARAGRAPH * 8}</article></body></html>"""


def check_models() -> None:
    """Opens every model that page types, fields and extractors need."""
    from webcontent.extractors import TABLE
    from webcontent.pipeline import Options, check_options

    check_options(Options(), TABLE)


package = Path(webcontent.__file__).parent
loaded = HEAVY & set(sys.modules)
assert not loaded, f"import webcontent loads {loaded}"
assert "site-packages" in package.parts, f"{package} is not the installed wheel"
assert (package / "py.typed").is_file()
models = sorted(path.parent.name for path in package.glob("_models/*/model.onnx"))
assert models, "the wheel holds no models"
assert "pagetype_lenet5_v1" not in models, "the network that docs/extractors.md takes from a checkout is in the wheel"
folders = {path.parts[0] for path in files("webcontent") or () if ".dist-info" not in path.parts[0]}
assert folders == {"webcontent"}, f"the wheel holds {folders}"

notices = foreign_notices(path for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc")
assert not notices, f"the wheel holds code of others: {notices}"
licence = metadata("webcontent")
assert (licence["License-Expression"], licence.get_all("License-File")) == ("MIT", ["LICENSE"]), licence

training = {"torch", "scikit-learn", "lightgbm", "matplotlib"} & {distribution.metadata["Name"].lower() for distribution in distributions()}
assert not training, f"a plain installation brings {training}"

item = webcontent.extract(PAGE, url="https://example.org/rain")
assert item.type == "article", item
assert item.title == "Rain", item.title
assert item.body.count("It rained all day") == 8, item.body
check_models()

names = {entry.name for entry in entry_points(group="scrapy.commands")}
assert {"extract", "harvest", "inspect", "report"} <= names, names
scrapy = [sys.executable, "-c", "import sys; from scrapy.cmdline import execute; execute(['scrapy', *sys.argv[1:]])"]
usage = subprocess.run([*scrapy, "--help"], capture_output=True, text=True, check=True).stdout
listed = {line.split()[0] for line in usage.splitlines() if line.startswith("  ") and line.strip()}
assert {"extract", "harvest", "inspect", "report"} <= listed, usage
with TemporaryDirectory() as folder:  # a site file beside a saved page, without a project
    Path(folder, "sites").mkdir()
    Path(folder, "sites", "example.org.toml").write_text('title = "title"\n')
    Path(folder, "page.html").write_text(PAGE)
    command = [*scrapy, "extract", "page.html", "--url", "https://example.org/rain"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert json.loads(run.stdout)["title"] == "Rain - Daily", run.stdout
    Path(folder, "sites", "example.org.toml").write_text("titel = 1\n")
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode, run.stdout
    assert "there is no key 'titel'; did you mean 'title'?" in run.stderr, run.stderr
print(f"wheel: {len(models)} models ({', '.join(models)}), commands {', '.join(sorted(names))}")
