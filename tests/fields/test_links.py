"""Where a page leads."""

from __future__ import annotations

import pytest

from tests.fields.pages import CHINESE, ENGLISH, article_of, listing_of

TITLE = "<title>Ice stops the ferry</title><h1>Ice stops the ferry</h1>"


def card(number: int, *, time: str = "2024-05-0{}", summary: str = "", title: str = "Story number {} of the harbour") -> str:
    return f'<li><a href="/story/{number}">{title.format(number)}</a> <span>{time.format(number)}</span>{summary}</li>'


LIST = f"<h1>News</h1><ul class=list>{''.join(card(number) for number in range(1, 7))}</ul>"


class TestRelated:
    @pytest.mark.parametrize(
        "heading",
        ["相关新闻", "相关阅读：", "延伸閱讀", "Related articles", "More on this story", "Mehr zum Thema", "À lire aussi", "関連記事"],
    )
    def test_links_under_such_a_heading_are_related(self, heading: str) -> None:
        """In any of the usual languages."""
        html = f"{TITLE}{ENGLISH}<h3>{heading}</h3><ul><li><a href=/a>The first other story</a></li><li><a href=/b>The second other story</a></li></ul>"
        assert [link.url for link in article_of(html).related] == ["https://news.example/a", "https://news.example/b"]

    @pytest.mark.parametrize("heading", ["热门排行", "Most read", "猜你喜欢", "最新文章"])
    def test_rankings_and_feeds_are_not(self, heading: str) -> None:
        """They are offered to everybody, or to this reader; not to this story's."""
        html = f"{TITLE}{ENGLISH}<h3>{heading}</h3><ul><li><a href=/a>The first other story</a></li><li><a href=/b>The second other story</a></li></ul>"
        assert article_of(html).related == []

    def test_they_end_at_the_next_heading(self) -> None:
        """What stands below belongs to that."""
        html = f"{TITLE}{ENGLISH}<div><h3>Related</h3><p><a href=/a>The first other story</a></p><h3>Most read</h3><p><a href=/b>The second other story</a></p></div>"
        assert [link.title for link in article_of(html).related] == ["The first other story"]

    def test_a_line_in_the_text_may_offer_one(self) -> None:
        """Read more: ..."""
        html = f"{TITLE}{ENGLISH}<p>Read more: <a href=/a>The first other story</a></p>{ENGLISH}"
        assert [link.title for link in article_of(html).related] == ["The first other story"]

    def test_links_that_lead_nowhere_are_left(self) -> None:
        """javascript:, mailto:, the page itself, and what no parser takes."""
        html = f"{TITLE}{ENGLISH}<h3>Related</h3><a href='javascript:x()'>One of the stories</a><a href='http://[bad'>Two of the stories</a><a href='/story.html'>This very story</a><a href=/a>The other story</a>"
        assert [link.url for link in article_of(html).related] == ["https://news.example/a"]


class TestEntries:
    def test_records_have_title_address_and_time(self) -> None:
        """In page order."""
        entries = listing_of(LIST).entries
        assert [(entry.title, entry.url, entry.time) for entry in entries][:2] == [
            ("Story number 1 of the harbour", "https://news.example/story/1", "2024-05-01"),
            ("Story number 2 of the harbour", "https://news.example/story/2", "2024-05-02"),
        ]
        assert len(entries) == 6

    def test_navigation_ranking_and_footer_are_no_records(self) -> None:
        """Only the main list."""
        nav = "<nav><ul><li><a href=/x1>The harbour and its people</a></li><li><a href=/x2>The town and its people</a></li></ul></nav>"
        side = (
            "<div class=sidebar><ol>"
            + "".join(f"<li><a href=/hot/{n}>A story that everybody reads {n}</a></li>" for n in range(9))
            + "</ol></div>"
        )
        foot = "<footer><a href=/about>About this newspaper</a><a href=/imprint>Imprint of this paper</a></footer>"
        assert {entry.url.split("/")[3] for entry in listing_of(nav + LIST + side + foot).entries} == {"story"}

    def test_a_cut_title_is_repaired(self) -> None:
        """From the title attribute."""
        html = "".join(f'<li><a href="/s/{n}" title="The long title of story number {n}">The long title of ...</a></li>' for n in range(4))
        assert listing_of(f"<ul>{html}</ul>").entries[0].title == "The long title of story number 0"

    def test_a_card_may_be_covered_by_a_link_without_text(self) -> None:
        """Its heading is the title."""
        html = "".join(f"<article><a href=/s/{n}></a><div><h3>The story of pier {n}</h3></div></article>" for n in range(4))
        assert [entry.title for entry in listing_of(f"<main>{html}</main>").entries][:2] == ["The story of pier 0", "The story of pier 1"]

    def test_a_card_may_be_one_link(self) -> None:
        """The heading inside is the title, the rest summary and time."""
        html = "".join(
            f"<a href=/s/{n}><h3>The story of pier {n}</h3><p>What happened at the pier in the night of the storm.</p><p>2024-05-0{n}</p></a>"
            for n in range(1, 4)
        )
        entry = listing_of(f"<main>{html}</main>").entries[0]
        assert (entry.title, entry.summary, entry.time) == (
            "The story of pier 1",
            "What happened at the pier in the night of the storm.",
            "2024-05-01",
        )

    def test_summary_source_and_image(self) -> None:
        """Where the record shows them."""
        html = "".join(
            f"<div class=item><img src=/i/{n}.jpg><h2><a href=/s/{n}>第{n}号码头的故事</a></h2><p>风暴之夜码头上发生的事情，至今没有人说得清楚，只有灯塔还亮着。</p><p>来源：新报 2024-05-0{n}</p></div>"
            for n in range(1, 4)
        )
        entry = listing_of(f"<main>{html}</main>").entries[0]
        assert (entry.source, entry.image, entry.time) == ("新报", "https://news.example/i/1.jpg", "2024-05-01")
        assert entry.summary == "风暴之夜码头上发生的事情，至今没有人说得清楚，只有灯塔还亮着。"

    def test_a_day_and_a_month_that_stand_apart_are_put_together(self) -> None:
        """05 above 2024-03."""
        html = "".join(
            f"<li><div>0{number}</div><div>2024-03</div><a href=/s/{number}>The story of pier number {number}</a></li>"
            for number in range(1, 5)
        )
        assert [entry.time for entry in listing_of(f"<ul>{html}</ul>").entries][:2] == ["2024-03-01", "2024-03-02"]

    def test_a_missing_year_is_that_of_the_address(self) -> None:
        """05-03 and /2022/05/03/."""
        html = "".join(f"<li><a href=/2022/05/0{n}/x>The story of pier number {n}</a> <span>05-0{n}</span></li>" for n in range(1, 5))
        assert listing_of(f"<ul>{html}</ul>", fetched_at=None).entries[0].time == "2022-05-01"

    @pytest.mark.parametrize("count", [1, 2])
    def test_a_last_page_may_have_one_or_two_records(self, count: int) -> None:
        """With a heading, a date and a summary they are records."""
        nav = "<nav><a href=/x1>The harbour and its people</a><a href=/x2>The town and its people</a><a href=/x3>The sea and its people</a></nav>"
        posts = "".join(
            f"<article><h2><a href=/s/{n}>The story of pier {n}</a></h2><p>2024-05-0{n + 1}</p><p>What happened at the pier in the storm.</p></article>"
            for n in range(count)
        )
        assert len(listing_of(f"{nav}<main>{posts}</main>").entries) == count

    def test_years_of_an_archive_are_one_list(self) -> None:
        """Several lists in the same markup."""
        html = f"<h2>2024</h2><ul class=a>{card(1)}{card(2)}</ul><h2>2023</h2><ul class=a>{card(3)}{card(4)}</ul>"
        assert len(listing_of(html).entries) == 4

    def test_a_page_without_links_has_none(self) -> None:
        """Nothing is made up."""
        assert listing_of(CHINESE).entries == []


class TestNextPage:
    @pytest.mark.parametrize(
        ("html", "address"),
        [
            ("<link rel=next href=/page/2>", "/page/2"),
            ("<a href=/page/2>下一页</a>", "/page/2"),
            ("<a href=/page/2>Next »</a>", "/page/2"),
            ("<a href=/page/2>Older posts</a>", "/page/2"),
            ("<a href=/page/2>›</a>", "/page/2"),
            ("<div><span class=current>1</span><a href=/page/2>2</a><a href=/page/3>3</a></div>", "/page/2"),
            ("<ul><li><a href=/page/1>1</a></li><li class=active><a href=/page/2>2</a></li><li><a href=/page/3>3</a></li></ul>", "/page/3"),
            ("<div><a href=/page/1>1</a><a href=/page/2>2</a><strong>3</strong></div>", None),
            ("<a href='javascript:next()'>下一页</a>", None),
            ("<a href=/story/9>下一篇：另一个故事</a>", None),
            ("", None),
        ],
    )
    def test_the_next_page_is_where_the_pager_leads(self, html: str, address: str | None) -> None:
        """By rel, by word, by sign, by number; never a script, never the next story."""
        found = listing_of(LIST + html).next_page
        assert found == (f"https://news.example{address}" if address else None)
