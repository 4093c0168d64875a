"""Site files as they are read: the host that a file is for, and one sentence for each mistake."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from webcontent.site_files import SiteFileError, SiteFiles

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("title = ", "is no TOML file: Invalid value"),
        ('title = "h1"\ntitle = "h2"', "is no TOML file: Cannot overwrite a value"),
        ('titel = "h1"', "there is no key 'titel'; did you mean 'title'?"),
        ("qqq = 1", "there is no key 'qqq'; the keys are articles, lists,"),
        ("title = 5", "title is 5; it takes a selector such as"),
        ('title = ""', "title: select is ''; it takes a CSS selector or an XPath."),
        ('title = "h1["', "title: 'h1[' is no CSS selector: Expected"),
        ('title = "//h1["', "title: '//h1[' is no XPath: Invalid expression."),
        ('title = "mine(//h1)"', "title: 'mine(//h1)' is no XPath: Unregistered function."),
        ('title = { attribute = "title" }', "title: the key 'select' is missing."),
        ('title = { select = "h1", atribute = "title" }', "title: there is no key 'atribute'; did you mean 'attribute'?"),
        ('title = { select = "h1", optional = "yes" }', "title: optional is 'yes'; it takes true or false."),
        ('title = { select = "h1", strip = "(" }', "title: strip: '(' is no regular expression: missing )"),
        ('title = { select = "h1", take = "(a)(b)" }', "title: take: '(a)(b)' has 2 groups; it takes one at most."),
        ('drop = ".share"', "drop is '.share'; it takes a list of selectors such as"),
        ('drop = [".share", ">"]', "drop: '>' is no CSS selector"),
        ('articles = "/news/*"', "articles is '/news/*'; it takes a list of paths such as"),
        ('lists = ["topics"]', "lists is ['topics']; it takes a list of paths such as"),
        ('date_order = "ymd"', 'date_order is \'ymd\'; it takes "dmy" or "mdy".'),
        ('time_zone = "Mars/Olympus"', "time_zone is 'Mars/Olympus'; it takes a name such as \"Asia/Shanghai\"."),
        ('render = "auto"', "render is 'auto'; it takes true or false."),
        ('scroll = "down"', 'scroll is \'down\'; it takes "auto" or "page" or "list" or "none".'),
        ('wait_for = "//p["', "wait_for: '//p[' is no XPath"),
        ('extractor = "fussion"', "extractor is 'fussion'; it takes awce, fusion."),
        ("headers = { DNT = 1 }", "headers is {'DNT': 1}; it takes a table of texts such as"),
    ],
)
def test_each_mistake_is_one_sentence(tmp_path: Path, text: str, sentence: str):
    """It names the file, the key, and what the key takes."""
    (tmp_path / "example.org.toml").write_text(text)
    with pytest.raises(SiteFileError) as raised:
        SiteFiles(tmp_path, ("awce", "fusion"))
    message = str(raised.value)
    assert message.startswith(f"{tmp_path / 'example.org.toml'}")
    assert sentence in message
    assert "\n" not in message


def test_the_name_of_a_file_is_a_host(tmp_path: Path):
    (tmp_path / "www example.toml").write_text("")
    with pytest.raises(SiteFileError, match=r"the name of a site file is a host in lower case, as in example\.org\.toml"):
        SiteFiles(tmp_path)
    with pytest.raises(SiteFileError, match="none is no folder of site files"):
        SiteFiles(tmp_path / "none")


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://example.org/a", "example.org"),
        ("https://www.example.org:8443/a", "example.org"),
        ("https://m.news.example.org/a", "news.example.org"),
        ("https://notexample.org/a", None),
        ("https://org/", None),
        ("http://[bad", None),
        (None, None),
    ],
)
def test_a_file_is_for_its_host_and_those_below(tmp_path: Path, url: str | None, name: str | None):
    """The nearest one counts. A folder of files can be pickled, for workers of another process."""
    for host in ("example.org", "news.example.org"):
        (tmp_path / f"{host}.toml").write_text("")
    file = pickle.loads(pickle.dumps(SiteFiles(tmp_path))).find(url)
    assert (file.path.stem if file else None) == name


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://example.org/news/1.html", "article"),
        ("https://example.org/news/", "list"),
        ("https://example.org/", "list"),
        ("https://example.org", "list"),
        ("https://example.org/show?id=3", "article"),
        ("https://example.org/about", None),
    ],
)
def test_addresses_tell_articles_and_lists(tmp_path: Path, url: str, said: str | None):
    """A star stands for anything. Forms cover the path, or the path with its query."""
    (tmp_path / "example.org.toml").write_text('articles = ["/news/*.html", "/show?id=*"]\nlists = ["/", "/news/"]')
    file = SiteFiles(tmp_path).find(url)
    assert file is not None
    assert file.type_of(url) == said
