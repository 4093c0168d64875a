"""Consent is rejected where a request or a setting asks for it, and never given."""

from __future__ import annotations

import pytest

from tests.crawl import server as served
from tests.crawl.rendered import WITHOUT_PIPELINES, crawl
from tests.crawl.server import TEXT, hostile_server, page, script
from webcontent.crawl.rendering.preparation.consent import CONFIG, rules_for

FIXED = "position:fixed;left:0;right:0;bottom:0;z-index:9999;background:#fff;padding:30px"
WORDS = "We and our partners use cookies to store information on your device, such as personal data."


def banner(attributes: str, buttons: str, after: str = "") -> str:
    names = {"Accept all": "accept", "Reject all": "reject", "Nur notwendige Cookies": "reject", "OK": "accept", "Agree": "accept"}
    clicks = f"document.querySelectorAll('#box button').forEach(b => b.onclick = () => {{ fetch('/' + {names}[b.textContent]); box.remove(); {after} }})"
    return page(TEXT + f"<div id=box><div {attributes} style='{FIXED}'><p>{WORDS}</p>{buttons}</div></div>" + script(clicks))


def frame(source: str, rest: str = "") -> str:
    """A page with its request for consent in a frame, which says by a message what was chosen."""
    listen = "onmessage = (event) => { fetch('/' + event.data); box.remove(); }"
    shown = f"<iframe src='{source}' title='Consent' style='width:100%;height:200px;border:0'></iframe>"
    return page(TEXT + f"<div id=box style='{FIXED}'>{shown}</div>{rest}" + script(listen))


CHOICES = {"Accept all": "11 accept", "Reject all": "13 reject"}
MESSAGE = "".join(
    f"<button class=sp_choice_type_{value.split()[0]} value={value.split()[1]}>{name}</button>" for name, value in CHOICES.items()
)
KNOWN = "<button id=onetrust-accept-btn-handler>Accept all</button><button id=onetrust-reject-all-handler>Reject all</button>"
PAGES = {
    "/consent/known": banner("id=onetrust-banner-sdk", KNOWN),
    "/consent/unknown": banner("class=css-1x", "<button>Accept all</button><button>Reject all</button>"),
    "/consent/accept-only": banner("class=css-1x", "<button>Accept all</button>"),
    "/consent/ok-only": banner("class=css-1x", "<button>OK</button>"),
    "/consent/withheld": banner(
        "class=css-1x", "<button>Agree</button><button>Reject all</button>", "document.body.append('Now you may read it.')"
    ),
    "/consent/frame": frame("/index.html?message_id=1"),
    "/consent/other-site": frame("OTHER/index.html?message_id=1"),
    "/consent/strange-frame": frame("/consent/strange"),
    "/consent/strange": page(
        "<p>Cookies</p><button>Accept all</button>"
        + script("document.querySelector('button').onclick = () => parent.postMessage('accept', '*')")
    ),
    "/index.html": page(
        f"<p>{WORDS}</p>{MESSAGE}"
        + script("document.querySelectorAll('button').forEach(b => b.onclick = () => parent.postMessage(b.value, '*'))")
    ),
    "/consent/none": page(TEXT),
}
FRAMES = {"/index.html", "/consent/strange"}
REJECT = {"webcontent": {"overlays": "reject"}}


@pytest.fixture(scope="module")
def done():
    """One crawl: the responses by path, the paths that were asked for with the page that asked, and the stats."""
    with pytest.MonkeyPatch.context() as patch, hostile_server() as server:
        other = server.url.replace("127.0.0.1", "localhost")
        patch.setattr(served, "PAGES", served.PAGES | {path: text.replace("OTHER", other) for path, text in PAGES.items()})
        requests = [{"url": server.url + path, "meta": REJECT} for path in PAGES if path not in FRAMES] + [
            {"url": server.url + "/consent/known?hide"}
        ]
        settings = {
            "ITEM_PIPELINES": WITHOUT_PIPELINES,
            "WEBCONTENT_RENDER": True,
            "WEBCONTENT_PRIVATE_HOSTS": ["localhost"],
            "DOWNLOAD_TIMEOUT": 20,
        }
        result = crawl(requests, settings=settings)
        result.check()
        clicks = {(path, headers["referer"].rpartition("/consent/")[2]) for path, headers in server.asked if path in ("/accept", "/reject")}
        yield {row["asked"].rpartition("/")[2]: row for row in result.responses}, clicks, result.stats


@pytest.mark.browser
def test_reject_is_clicked_where_it_is_asked_for_and_accept_never(done):
    assert done[1] == {
        ("/reject", "known"),
        ("/reject", "unknown"),
        ("/reject", "withheld"),
        ("/reject", "frame"),
        ("/reject", "other-site"),
    }


@pytest.mark.browser
@pytest.mark.parametrize(
    "name", ["known", "unknown", "accept-only", "ok-only", "withheld", "known?hide", "frame", "other-site", "strange-frame"]
)
def test_no_banner_is_left(done, name: str):
    assert not {"button", "iframe"} & {row[1] for row in done[0][name]["boxes"]}


@pytest.mark.browser
def test_text_that_was_withheld_is_there(done):
    assert "Now you may read it." in done[0]["withheld"]["content"]


@pytest.mark.browser
def test_what_was_rejected_is_reported(done):
    assert done[2]["webcontent/consent_rejected"] == 5
    assert done[0]["known"]["preparation"]["rejected"]
    assert "reject" not in done[0]["none"]["preparation"]["ms"]


def test_heuristics_are_those_that_reject():
    assert (CONFIG["heuristicMode"], CONFIG["autoAction"], CONFIG["isMainWorld"]) == ("reject", "optOut", False)


def test_rules_of_other_sites_are_left_out():
    generic = rules_for("https://example.org/")
    assert 100 < len(generic["r"]) < 300
    assert not [rule for rule in generic["r"] if rule[3] and "example" not in rule[3] and rule[4] == 1]
    names = {rule[1] for rule in rules_for("https://www.streamingthe.net/x")["r"]} - {rule[1] for rule in generic["r"]}
    assert names


def test_rules_for_frames_are_no_rules_of_pages():
    rules = rules_for("https://cmp-consent-tool.privacymanager.io/x", is_main=False)
    assert "privacymanager.io" in {rule[1] for rule in rules["r"]}
    assert all(rule[4] in (1, 11) for rule in rules["r"])
