"""Settings are read and checked once, and a wrong one says what it takes."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.settings import Settings

from webcontent.crawl.config import PREFIX, SETTINGS, Config, RequestOptions, warn_of_unknown


def read(**values: object) -> Config:
    return Config.from_settings(Settings({PREFIX + name: value for name, value in values.items()}))


def test_defaults_need_no_setting():
    config = read()
    assert config.render == "auto"
    assert config.screenshot_size == (1366, 8000)
    assert config.routes == {"article": "fusion", "list": "fusion"}
    assert not config.auto


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("RENDER", "auto", "auto"),
        ("RENDER", "True", True),
        ("RENDER", "0", False),
        ("AUTO", "1", True),
        ("SCREENSHOT_SIZE", "1000,2000", (1000, 2000)),
        ("SCREENSHOT_SIZE", [1000, 2000], (1000, 2000)),
        ("BLOCK", "font, Ads.example.com", ("font", "ads.example.com")),
        ("BLOCK", [], ()),
        ("ROUTES", {"list": "awce"}, {"article": "fusion", "list": "awce"}),
        ("ROUTES", '{"list": "awce"}', {"article": "fusion", "list": "awce"}),
        ("THREADS", "3", 3),
        ("EMIT", "article", ("article",)),
        ("BROWSER", "", None),
        ("CRAWL_STATE", "", None),
        ("CRAWL_STATE", "redis://localhost:6379/1", "redis://localhost:6379/1"),
        ("JOIN_PAGES", "0", 0),
        ("JOIN_PAGES", 20, 20),
        ("DATABASE", "postgresql://localhost/news", "postgresql://localhost/news"),
        ("PRIVATE_HOSTS", "wiki, 10.1.0.0/16, ::1", ("wiki", "10.1.0.0/16", "::1")),
        ("BROWSER_MEMORY", "2000", 2000),
    ],
)
def test_values_may_come_from_a_file_or_a_command_line(name, given, value):
    """Strings of a command line say the same as Python values."""
    assert getattr(read(**{name: given}), name.lower()) == value


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("RENDER", "yes", "WEBCONTENT_RENDER is 'yes'; it takes True, False or \"auto\"."),
        ("AUTO", "maybe", "WEBCONTENT_AUTO is 'maybe'; it takes True or False."),
        ("THREADS", 0, "WEBCONTENT_THREADS is 0; it takes a number of threads above 0."),
        ("THREADS", 1.5, "WEBCONTENT_THREADS is 1.5; it takes a number of threads above 0."),
        ("MAX_BYTES", "many", "WEBCONTENT_MAX_BYTES is 'many'; it takes a number of bytes above 0."),
        ("MAX_BYTES", True, "WEBCONTENT_MAX_BYTES is True; it takes a number of bytes above 0."),
        ("SCREENSHOT_FORMAT", "gif", 'WEBCONTENT_SCREENSHOT_FORMAT is \'gif\'; it takes "jpeg", "png" or "webp".'),
        ("SCREENSHOT_SIZE", 5, "WEBCONTENT_SCREENSHOT_SIZE is 5; it takes a width of 200 to 4000 and a height"),
        ("SCREENSHOT_SIZE", (1366, 40_000), "WEBCONTENT_SCREENSHOT_SIZE is (1366, 40000); it takes"),
        ("DUPLICATES", "merge", 'WEBCONTENT_DUPLICATES is \'merge\'; it takes "keep", "flag" or "drop".'),
        ("EMIT", "forum", "WEBCONTENT_EMIT is 'forum'; it takes a list of types of page"),
        ("BLOCK", ["https://example.com/"], "WEBCONTENT_BLOCK is ['https://example.com/']; it takes a list of host names"),
        ("ROUTES", {"forum": "awce"}, "WEBCONTENT_ROUTES is {'forum': 'awce'}; it takes a dict of names of extractors by type of page"),
        ("ROUTES", {"article": "awc"}, "WEBCONTENT_ROUTES names the extractor 'awc'. There are: "),
        ("EXTRACTORS", "mine", "WEBCONTENT_EXTRACTORS is 'mine'; it takes a dict of dotted paths by name"),
        ("CRAWL_STATE", "crawl.db", "WEBCONTENT_CRAWL_STATE is 'crawl.db'; it takes an address of the form sqlite:///FILE or redis://"),
        ("DATABASE", "mysql://x", "WEBCONTENT_DATABASE is 'mysql://x'; it takes an address of the form sqlite:///FILE or postgresql://"),
        ("JOIN_PAGES", -1, "WEBCONTENT_JOIN_PAGES is -1; it takes a number of pages, 0 or more."),
        ("PRIVATE_HOSTS", ["10.0.0.0/99"], "WEBCONTENT_PRIVATE_HOSTS is ['10.0.0.0/99']; it takes a list of host names, IP addresses and"),
        ("PRIVATE_HOSTS", ["wiki:8080"], "WEBCONTENT_PRIVATE_HOSTS is ['wiki:8080']; it takes a list of host names, IP addresses and"),
        ("SCREENSHOT_STORE", 5, "WEBCONTENT_SCREENSHOT_STORE is 5; it takes a folder or a URI."),
    ],
)
def test_a_wrong_value_names_the_setting_and_what_it_takes(name, given, message):
    with pytest.raises(ValueError) as error:
        read(**{name: given})
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("text", ["\0", "[1]", '{"cookies": []}', '{"cookies": {}, "origins": []}', "[" * 100_000])
def test_a_file_that_is_no_session_is_named(text: str, tmp_path):
    """The browser would refuse it for each page."""
    file = tmp_path / "state.json"
    file.write_text(text)
    with pytest.raises(ValueError, match=r"state\.json'; it takes the path of a file that Playwright's storage_state wrote"):
        read(STORAGE_STATE=str(file))
    file.write_text('{"cookies": [], "origins": []}')
    assert read(STORAGE_STATE=str(file)).storage_state == str(file)


def test_a_users_extractor_may_be_routed_to():
    config = read(EXTRACTORS={"mine": "project.Mine"}, ROUTES={"article": "mine"})
    assert config.routes["article"] == "mine"


def test_misspelt_settings_are_named(caplog):
    """With the setting that is meant, where one is similar."""
    warn_of_unknown(Settings({"WEBCONTENT_RENDR": True, "WEBCONTENT_RENDER": True, "OTHER": 1, "WEBCONTENT_MIN_SCORE": 1}))
    assert caplog.messages == [
        "WEBCONTENT_MIN_SCORE is no setting of webcontent and is ignored.",
        "WEBCONTENT_RENDR is no setting of webcontent and is ignored. Did you mean WEBCONTENT_RENDER?",
    ]


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("frames", "0", False),
        ("frames", "true", True),
        ("render", 1, True),
        ("render", "auto", "auto"),
        ("budget_ms", "300", 300),
        ("screenshot", 0, False),
        ("full_size", "1", True),
        ("locale", "", None),
        ("overlays", "keep", "keep"),
    ],
)
def test_a_request_takes_the_same_values_as_the_setting(name, given, value):
    """The request then has the value that the setting would have."""
    request = Request("https://example.org/", meta={"webcontent": {name: given}})
    RequestOptions({}).check(request)
    assert request.meta["webcontent"] == {name: value}
    if name in SETTINGS:
        assert getattr(read(**{name.upper(): given}), name) == value


@pytest.mark.parametrize(
    ("name", "given"), [("frames", "maybe"), ("render", 2), ("budget_ms", -1), ("scroll", "down"), ("locale", "de, en")]
)
def test_a_wrong_option_of_a_request_has_no_effect(name, given, caplog):
    """The message is that of the setting."""
    request = Request("https://example.org/", meta={"webcontent": {name: given}})
    RequestOptions({}).check(request)
    assert request.meta["webcontent"] == {}
    with pytest.raises(ValueError) as error:
        read(**{name.upper(): given})
    assert caplog.records[0].getMessage().startswith(f'request.meta["webcontent"]["{name}"] is')
    assert str(error.value).partition("; ")[2] in caplog.text
