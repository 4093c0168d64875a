"""Pages modelled on the real web end as a reader would want them: uncovered, whole, and without a click that does harm."""

from __future__ import annotations

import pytest

from tests.crawl import server as served
from tests.crawl.rendered import WITHOUT_PIPELINES, crawl
from tests.crawl.rendering.model_pages import MODELS, OTHERS, PAGES
from tests.crawl.server import hostile_server

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def done():
    """One crawl of all models with one browser: the responses by name, and the paths that were asked for.

    Models whose text is not all there are asked for once more, alone: on a machine with more to do than it has cores, a script may need
    longer than scrolling waits for it.
    """
    with pytest.MonkeyPatch.context() as patch, hostile_server() as server:
        patch.setattr(served, "PAGES", served.PAGES | PAGES)
        patch.setattr(served, "OTHERS", served.OTHERS | OTHERS)
        urls = {name: server.url + path for name, path in zip(MODELS, PAGES, strict=True)}
        requests = [{"url": urls[name], "meta": dict(model.meta)} for name, model in MODELS.items()]
        settings = {
            "ITEM_PIPELINES": WITHOUT_PIPELINES,
            "WEBCONTENT_RENDER": True,
            "WEBCONTENT_PRIVATE_HOSTS": ["localhost", "127.0.0.1"],
            "WEBCONTENT_BUDGET_MS": 20_000,  # a busy machine takes longer
            "DOWNLOAD_TIMEOUT": 60,
        }
        result = crawl(requests, settings=settings)
        result.check()
        responses = {name: result.response(url) for name, url in urls.items()}
        late = [name for name, model in MODELS.items() if any(text not in responses[name]["content"] for text in model.has)]
        if late:
            result = crawl([request for request in requests if request["url"] in {urls[name] for name in late}], settings=settings)
            responses |= {name: result.response(urls[name]) for name in late}
        yield responses, server.paths()


@pytest.mark.parametrize("name", MODELS)
def test_the_page_is_whole_and_uncovered(done, name: str):
    model, response = MODELS[name], done[0][name]
    drawn = [row[1] for row in response["boxes"]]
    assert [text for text in model.has if text not in response["content"]] == []
    assert [text for text in model.lacks if text in response["content"]] == []
    assert [tag for tag in model.unseen if tag in drawn] == []
    assert [tag for tag in model.seen if tag not in drawn] == []
    assert drawn.count("a") >= model.min_links
    assert max(row[3] + row[5] for row in response["boxes"]) >= model.min_height
    assert response["screenshot"]
    assert response["url"] == response["asked"]


def test_nothing_is_accepted_and_no_page_is_left(done):
    assert not [path for path in done[1] if path.startswith(("/clicked", "/leave"))]
