"""The settings that all trainers share, and the cache of samples."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from webcontent.training.common.samples import PageSample, cached_samples
from webcontent.training.common.settings import TrainingSettings
from webcontent.training.common.trainer import cached_json

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(TrainingSettings):
    rate: float = 0.1
    bias: float = 0.0

    NOT_LEARNED: ClassVar[frozenset[str]] = frozenset({"bias"})


def test_the_checksum_depends_on_what_is_learned():
    """Another rate or feature is another model; a setting that is applied afterwards is not."""
    settings = Settings()
    assert settings.checksum("features") == Settings().checksum("features")
    assert settings.checksum("features") != settings.checksum("other features")
    assert settings.checksum() != replace(settings, rate=0.2).checksum()
    assert settings.checksum() == replace(settings, bias=0.5).checksum()


def test_no_path_is_recorded():
    """config.json names a user's folder, and not where it lies."""
    settings = Settings(corpora={"wcxb-dev": 5, "/home/user/pages": None}, weights={"/home/user/pages": 3.0})
    assert settings.recorded()["corpora"] == {"wcxb-dev": 5, "pages": None}
    assert settings.recorded()["weights"] == {"pages": 3.0}


def test_samples_are_read_once_for_each_version(tmp_path: Path):
    """The second call takes the file; another version is read again."""
    calls: list[int] = []

    def read() -> list[PageSample]:
        calls.append(1)
        return [PageSample(id="a", corpus="c", site="s.example")]

    first, again = (cached_samples(tmp_path / "cache" / "c", [1], read) for _ in range(2))
    assert first == again
    assert len(calls) == 1
    cached_samples(tmp_path / "cache" / "c", [2], read)
    assert len(calls) == 2


def test_pages_of_a_site_share_a_fold():
    """Whatever their corpus."""
    one, other = (PageSample(id=name, corpus=name, site="s.example") for name in ("a", "b"))
    assert one.fold() == other.fold()
    assert {PageSample(id="a", corpus="a", site=f"s{i}.example").fold(3) for i in range(50)} == {0, 1, 2}


def test_a_result_is_kept(tmp_path: Path):
    """It is made where its file is missing."""
    assert cached_json(tmp_path / "result.json", lambda: {"f1": 0.5}) == {"f1": 0.5}
    assert cached_json(tmp_path / "result.json", dict) == {"f1": 0.5}
