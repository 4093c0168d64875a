"""`python -m benchmarks [NAME] [OPTIONS]` runs a benchmark; `python -m benchmarks NAME --help` lists its options."""

from __future__ import annotations

import sys
from importlib import import_module

BENCHMARKS = {
    "quality": "extraction quality and CPU time, beside other libraries (the default)",
    "calibration": "how well the scores of items are calibrated",
    "crawl": "pages a second and memory of rendered crawls, with and without preparation, and beside bare scrapy-playwright",
    "page_steps": "CPU time of each step of a page",
    "page_lengths": "CPU time of an extractor by the number of a page's blocks",
    "archives": "speed and memory of WARC files and Arrow tables",
    "distributed": "speed of several processes on one crawl",
    "nights": "how soon a nightly crawl notices that a site has changed, simulated, beside the simplest alarm",
    "incremental": "losses and repeats of a crawl that is killed; requests of a second crawl",
    "ablation": "what each rule and number is worth: items and metrics without it",
    "recall": "paragraphs of the gold text that bodies lack, and short pages that come out empty",
    "mutation": "numbers of the package that no fast test notices when they are moved",
    "vips": "quality and speed of visual blocks",
    "cleaneval": "the experiment of Web2Text's paper: CleanEval with its split, beside other libraries",
    "nemtf": "the experiments of NEMTF's paper: features, kernels, pages of new sites",
    "ngfv": "quality and speed of the extractor ngfv on rendered pages",
}
PLACES = {"quality": "quality.__main__", "cleaneval": "papers.cleaneval", "nemtf": "papers.nemtf"}
"""Modules of the benchmarks that stand in a package of their own."""
USAGE = "usage: python -m benchmarks [NAME] [OPTIONS]; python -m benchmarks NAME --help lists the options.\n"


def main(words: list[str] | None = None) -> None:
    """Run the benchmark that the first word names."""
    words = sys.argv[1:] if words is None else words
    if words and words[0] in {"-h", "--help"}:
        print(USAGE)
        print("\n".join(f"  {name:<13} {meaning}" for name, meaning in BENCHMARKS.items()))
        return
    name, *options = words if words and not words[0].startswith("-") else ["quality", *words]
    if name not in BENCHMARKS:
        sys.exit(f"There is no benchmark {name!r}. There are: {', '.join(BENCHMARKS)}.")
    import_module(f"benchmarks.{PLACES.get(name, name)}").main(options)


if __name__ == "__main__":
    main()
