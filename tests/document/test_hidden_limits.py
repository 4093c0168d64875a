"""Hidden text of a plain page that stays, as docs/security.md says: whoever mends one of these takes its words out of there."""

from __future__ import annotations

import pytest

from tests.document.test_unseen import LONG, REMOVED, SECRET, SENTENCE, item_of


@pytest.mark.parametrize(
    ("html", "head"),
    [
        (f"<p class=q7>{SECRET}</p>", "<link rel=stylesheet href=/site.css>"),
        (f"<div><p class=q7>{SECRET}</p></div>", "<style>div .q7{display:none}</style>"),
        (f"<p data-q7>{SECRET}</p>", "<style>[data-q7]{display:none}</style>"),
        (f"<p style='opacity:0'>{SECRET}</p>", ""),
        (f"<p class=q7>{LONG}</p>", REMOVED + "<script src=/site.js></script>"),
        (f"<p style='transform:scale(0)'>{SECRET}</p>", ""),
        (f"<p style='margin-left:-9999px'>{SECRET}</p>", ""),
        (f"<p style='color:rgba(0,0,0,0)'>{SECRET}</p>", ""),
        (f"<p style='color:#fff'>{SECRET}</p>", ""),
        (f"<p>{SENTENCE}<noscript>{SECRET}</noscript></p>", ""),
    ],
    ids=["file", "selector", "attribute", "opacity", "long", "transform", "margin", "rgba", "colour", "noscript"],
)
def test_this_hidden_text_stays(html: str, head: str):
    assert "harbour company" in item_of(html, head).body
