"""Site history in memory, in a file, and packed for another process."""

from __future__ import annotations

import numpy as np
import pytest

from tests.history.pages import ARTICLES, document_of, features_of, learn
from webcontent.history import store as module
from webcontent.history.store import SiteHistory


def test_the_hosts_asked_for_last_are_kept():
    """A limit on hosts, by use."""
    history = SiteHistory(limit=2)
    first = history.find("http://a.example/1")
    history.find("http://b.example/1")
    assert history.find("http://www.a.example/2") is first
    history.find("http://c.example/1")
    assert len(history) == 2
    assert history.find("http://a.example/3") is first


@pytest.mark.parametrize("url", ["http://[broken", "http://a.example:99999999/", "/only/a/path", "", None])
def test_an_address_without_a_host_has_no_profile(url):
    """Nor does it make one."""
    history = SiteHistory()
    assert history.find(url) is None
    assert len(history) == 0


def test_a_saved_history_comes_back(tmp_path):
    """The same features before and after, order of use included."""
    history = SiteHistory(limit=3)
    for host in "abc":
        for text in ARTICLES:
            learn(history.find(f"http://{host}.example/"), document_of(text))
    history.find("http://a.example/")
    history.save(tmp_path / "folder" / "sites.npz")
    again = SiteHistory.load(tmp_path / "folder" / "sites.npz", limit=3)
    document = document_of("An article that nobody has read before, long enough to be one for the town's paper.")
    before, after = (features_of(one.find("http://b.example/"), document) for one in (history, again))
    assert np.array_equal(before, after)
    again.find("http://d.example/")
    assert again.find("http://a.example/").count == 4
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["sites.npz"]


@pytest.mark.parametrize("content", [b"", b"no archive at all", b"PK\x03\x04broken"])
def test_a_damaged_file_is_an_empty_history(tmp_path, content, caplog):
    """The crawl goes on, and the log says why it learns anew."""
    path = tmp_path / "sites.npz"
    path.write_bytes(content)
    assert len(SiteHistory.load(path)) == 0
    assert "learned anew" in caplog.text


def test_no_file_and_another_version(tmp_path, monkeypatch, caplog):
    """A missing file is silent, one of another version is not read."""
    assert len(SiteHistory.load(tmp_path / "none.npz")) == 0
    assert not caplog.text
    history = SiteHistory()
    history.find("http://a.example/")
    history.save(tmp_path / "sites.npz")
    monkeypatch.setattr(module, "VERSION", module.VERSION + 1)
    assert len(SiteHistory.load(tmp_path / "sites.npz")) == 0
    assert "version" in caplog.text
