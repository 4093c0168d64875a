"""A site whose markup misleads: its pages declare the name of the site as title, and write the day before the month."""

from __future__ import annotations

from tests.crawl.crawls import TEXTS
from webcontent.items import Page

HOST = "https://news.example.org"
TITLES = ("The bridge opens in May", "A tunnel under the hill", "Ferries stay in the harbour", "The market moves to the square")


def story_html(number: int) -> str:
    paragraphs = "".join(f"<p>{text} Part {number}.</p>" for text in TEXTS)
    return (
        f'<html lang="en"><head><title>The Example</title><meta property="og:title" content="The Example"></head><body>'
        f'<div class="logo"><h1>The Example</h1></div><div class="story"><div class="kicker">{TITLES[number]}</div>'
        f'<span class="day">Issued 0{number + 1}/04/2024 10:15</span> <span class="pen">Written by Ann Lee {number}</span>'
        f'<div class="text">{paragraphs}<div class="promo"><p>Try our newsletter today, it costs nothing and comes each morning.</p></div>'
        "</div></div></body></html>"
    )


def story(number: int, html: str | None = None) -> Page:
    return Page(url=f"{HOST}/news/{number}.html", html=html or story_html(number), fetched_at="2024-06-01T00:00:00+00:00")


def body_lines(number: int) -> list[str]:
    return [f"{text} Part {number}." for text in TEXTS]
