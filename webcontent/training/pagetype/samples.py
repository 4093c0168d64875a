"""The pages of the page type models: from records of corpora to labelled samples and their folds."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.evaluation.corpora import checksum, is_saved_folder, load_screens
from webcontent.items import LIST_KINDS, TYPES
from webcontent.pagetype.layout_raster import read_boxes
from webcontent.training.common.samples import PageSample
from webcontent.training.pagetype.settings import FAMILY, PAGE
from webcontent.training.snapshots import PAGES, SNAPSHOT, load_rendered

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from webcontent.evaluation.corpora import Record
    from webcontent.pagetype.layout_raster import Boxes
    from webcontent.training.pagetype.settings import Run

SAME_SITE = {
    "lcx": "lcx.cc",
    "linuxcn": "undefined.today",
    "xinghuo": "undefined.today",
    "wpblog": "guozhiman.github.io",
    "art350": "350art",
    "freepressokc": "okc",
    "makumaku": "maku77",
    "noventaminutos": "90min",
}
"""Families of screens, and site snapshots, whose site has pages elsewhere under another name: both are in the same fold."""
LEARNED_PAGES = 40
"""Maximum number of pages of a site snapshot that are trained on, spread evenly, so that a large site counts like a design. All pages
are evaluated."""
SNAPSHOTS_DATA = "site snapshots"
"""Name of the rendered site snapshots among the corpora of a run."""
CORPUS_WITH_KINDS = "wcxb-dev"
"""The other corpora state only article or list."""
IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")


@dataclass(slots=True, kw_only=True)
class TypeSample(PageSample):
    """A labelled page. `site` is the family or the site that stays in one fold; `kind` is one of KINDS or ""."""

    part: str
    """Group of pages that has metrics of its own: a kind of design, or the corpus."""
    is_article: bool
    is_learned: bool = True
    """False: the page is evaluated, and never trained on."""


@dataclass(slots=True)
class Samples:
    """Labelled pages in the order of the corpora."""

    rows: list[TypeSample] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.rows)

    def add(self, record: Record, corpus: str, group: str, part: str, *, is_learned: bool = True) -> None:
        """Adds a page. `group`: what stays in one fold."""
        kind = record["type"]
        self.rows.append(
            TypeSample(
                id=record["id"],
                corpus=corpus,
                site=group,
                language=record.get("lang") or "",
                kind=kind if corpus == CORPUS_WITH_KINDS else "",
                part=part,
                is_article=kind not in LIST_KINDS and kind != "list",
                is_learned=is_learned,
            )
        )

    def column(self, name: str) -> NDArray[Any]:
        """The values of a field of all pages."""
        return np.array([getattr(row, name) for row in self.rows])

    @property
    def labels(self) -> NDArray[np.int64]:
        """1 for articles, 0 for lists."""
        return np.array([row.is_article for row in self.rows], dtype=np.int64)

    @property
    def is_learned(self) -> NDArray[np.bool_]:
        """Whether each page may be trained on."""
        return np.array([row.is_learned for row in self.rows], dtype=bool)

    @property
    def is_snapshot(self) -> NDArray[np.bool_]:
        """Whether each page is of a site snapshot."""
        return np.array([row.part == SNAPSHOT for row in self.rows], dtype=bool)

    def is_of(self, corpora: Sequence[str]) -> NDArray[np.bool_]:
        """Whether each page is of one of some corpora."""
        return np.array([row.corpus in corpora for row in self.rows], dtype=bool)

    def folds(self, folds: int) -> NDArray[np.int64]:
        """The fold of each page."""
        return np.array([row.fold(folds) for row in self.rows], dtype=np.int64)

    def splits(self, folds: int) -> Iterator[tuple[int, NDArray[np.intp], NDArray[np.intp]]]:
        """The number of each fold, rows to train on, rows to test on."""
        fold = self.folds(folds)
        for number in range(folds):
            yield number, np.flatnonzero((fold != number) & self.is_learned), np.flatnonzero(fold == number)

    def only(self, is_kept: NDArray[np.bool_]) -> Samples:
        """The pages that are marked true."""
        return Samples([self.rows[row] for row in np.flatnonzero(is_kept).tolist()])


def screen_records(run: Run) -> list[Record]:
    """The screens and the rendered site snapshots, or those of --data alone: rendered site snapshots, or pages that a crawl saved."""
    if run.data is not None:
        return list(load_screens(str(run.data)) if is_saved_folder(run.data) else load_rendered(run.data))
    return [*load_screens(), *(load_rendered(run.snapshots) if run.snapshots else ())]


def records_with_boxes(run: Run) -> tuple[list[Record], list[Boxes]]:
    """The screens that have boxes, and these."""
    pairs = [(record, boxes) for record in screen_records(run) if (boxes := read_boxes(record["boxes"]))]
    return [record for record, _ in pairs], [boxes for _, boxes in pairs]


def screen_checksums(run: Run) -> dict[str, str]:
    """Names and versions of what `screen_records` gives."""
    if run.data is not None and is_saved_folder(run.data):
        return {"own pages": checksum(str(run.data))}
    rendered = run.data or run.snapshots
    snapshots = {SNAPSHOTS_DATA: files_checksum(sorted(rendered.glob(f"*/{PAGES}")))} if rendered else {}
    return snapshots if run.data else {"screens/dev": checksum("screens/dev"), **snapshots}


def screen_samples(records: Sequence[Record], split: str = FAMILY) -> Samples:
    """The samples of screens and rendered site snapshots; `split`: what stays in one fold."""
    samples = Samples()
    seen: dict[str, int] = defaultdict(int)
    total = Counter(record["family"] for record in records)
    for record in records:
        family, is_snapshot = record["family"], record["kind"] == SNAPSHOT
        is_learned = split == PAGE or not is_snapshot or _is_drawn(seen[family], total[family])
        group = record["id"] if split == PAGE else SAME_SITE.get(str(family), str(family))
        samples.add(record, "screens", group, record["kind"], is_learned=is_learned)
        seen[family] += 1
    return samples


def _is_drawn(number: int, total: int) -> bool:
    """Whether a page is one of LEARNED_PAGES pages of a site that are spread evenly."""
    return total <= LEARNED_PAGES or number * LEARNED_PAGES // total != (number - 1) * LEARNED_PAGES // total


def screenshot_samples(run: Run) -> tuple[Samples, list[Path], dict[str, str]]:
    """Labelled screenshots, their files, and their version: the user's own, rendered site snapshots, or the screens."""
    if run.data is not None and not is_saved_folder(run.data) and not any(run.data.glob(f"*/{PAGES}")):
        samples, paths = folder_samples(run.data)
        return samples, paths, {"own screenshots": files_checksum(paths)}
    records = screen_records(run)
    return screen_samples(records, run.settings.split), [record["shot"] for record in records], screen_checksums(run)


def folder_samples(folder: Path) -> tuple[Samples, list[Path]]:
    """A user's own screenshots, DIR/{article,list}/*.png. ValueError names what is missing."""
    samples, paths = Samples(), []
    for name in TYPES:
        files = sorted(path for path in (folder / name).rglob("*") if path.suffix.lower() in IMAGE_SUFFIXES)
        if not files:
            raise ValueError(f"{folder / name} has no screenshots; --data takes a folder with article/*.png and list/*.png.")
        for path in files:
            group = path.parent.name if path.parent != folder / name else path.stem
            samples.add({"id": str(path.relative_to(folder)), "type": name}, "own", group, "own")
            paths.append(path)
    return samples, paths


def files_checksum(paths: Sequence[Path]) -> str:
    """The version of files: the first digits of the SHA-256 of their contents."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def page_checksums(run: Run) -> Mapping[str, str]:
    """Names and versions of the screens and of the corpora without screenshots."""
    return {**screen_checksums(run), **{name: checksum(name) for name in run.settings.corpora}}
