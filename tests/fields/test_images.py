"""The images of a page."""

from __future__ import annotations

import pytest

from tests.fields.pages import ENGLISH, article_of

TITLE = "<title>Ice stops the ferry</title><h1>Ice stops the ferry</h1>"


def images_of(html: str) -> list[tuple[str, str | None, int | None, int | None]]:
    return [
        (image.url.removeprefix("https://news.example/"), image.caption, image.width, image.height) for image in article_of(html).images
    ]


def test_declared_images_stand_first() -> None:
    """Then come those of the body in order."""
    head = '<meta property="og:image" content="/c.jpg"><script type="application/ld+json">{"@type": "NewsArticle", "image": {"url": "/b.jpg", "width": 800, "height": "600px"}}</script>'
    assert images_of(f"{head}{TITLE}{ENGLISH}<img src=/a.jpg>{ENGLISH}") == [
        ("c.jpg", None, None, None),
        ("b.jpg", None, 800, 600),
        ("a.jpg", None, None, None),
    ]


def test_an_image_that_is_declared_and_shown_counts_once() -> None:
    """Its caption is that of the body, and so is its size where the address is the same."""
    head = '<meta property="og:image" content="/a-1200x800.jpg?v=2"><meta property="og:image:width" content="1200">'
    assert images_of(f"{head}{TITLE}{ENGLISH}<img src=/a-300x200.jpg alt='The hull in the ice' width=300>{ENGLISH}") == [
        ("a-1200x800.jpg?v=2", "The hull in the ice", 1200, None)
    ]


@pytest.mark.parametrize("address", ["/img/{}/large.jpg", "/media.php?id={}", "/{}/photo/"], ids=["path", "query", "folder"])
def test_images_with_equal_file_names_are_told_apart(address: str) -> None:
    """By their paths, and by their queries where the name is no image file's; the declared one of them counts once."""
    urls = [address.format(number) for number in range(1, 6)]
    shown = "".join(f"<img src='{url}'>{ENGLISH}" for url in urls)
    head = f'<meta property="og:image" content="{urls[2]}">'
    expected = [urls[2], *(url for url in urls if url != urls[2])]
    assert [f"/{image[0]}" for image in images_of(f"{head}{TITLE}{ENGLISH}{shown}")] == expected


@pytest.mark.parametrize(
    "form",
    ["<img src=/60/{0}.png><noscript><img src=/1080/{0}.png></noscript>", "<figure><img src=/60/{0}.png><img src=/1080/{0}.png></figure>"],
)
def test_what_stands_in_for_an_image_counts_once(form: str) -> None:
    """The small picture that scripts replace, and the large one in <noscript> or in the same figure."""
    shown = "".join(f"{form.format(name)}{ENGLISH}" for name in "ab")
    assert [image[0] for image in images_of(f"{TITLE}{ENGLISH}{shown}")] == ["60/a.png", "60/b.png"]


def test_images_for_pages_without_scripts_count_where_nothing_else_shows_them() -> None:
    """Each of them, though their file names are equal."""
    shown = "".join(f"<noscript><img src=/{name}/large.png></noscript>{ENGLISH}" for name in "ab")
    assert [image[0] for image in images_of(f"{TITLE}{ENGLISH}{shown}")] == ["a/large.png", "b/large.png"]


@pytest.mark.parametrize("variant", ["/img/1/large-800x600.jpg", "/img/1/large.jpg?w=800", "/img/800x600/1/large.jpg"])
def test_sizes_of_one_image_count_once(variant: str) -> None:
    """In the name, in the query of an image file and in a folder."""
    shown = f"<img src=/img/1/large.jpg>{ENGLISH}<img src='{variant}'>{ENGLISH}<img src=/img/2/large.jpg>"
    assert [image[0] for image in images_of(f"{TITLE}{ENGLISH}{shown}{ENGLISH}")] == ["img/1/large.jpg", "img/2/large.jpg"]


@pytest.mark.parametrize(
    "html",
    [
        "<img src=/icons/print.png>",
        "<img src=/a.svg>",
        "<img src=/ads/a.jpg>",
        "<img src=/a.jpg width=89>",
        "<img src=/a.jpg height=1px>",
        "<img src='data:image/gif;base64,R0lGOD'>",
        "<img>",
    ],
)
def test_icons_and_advertisements_are_left_out(html: str) -> None:
    """By their address or their declared size."""
    assert images_of(f"{TITLE}{ENGLISH}{html}{ENGLISH}") == []


@pytest.mark.parametrize(
    ("html", "caption"),
    [
        ("<figure><img src=/a.jpg alt='A ship'><figcaption>The hull in the ice</figcaption></figure>", "The hull in the ice"),
        ("<figure><a href=/a><img src=/a.jpg alt='A ship'></a><figcaption> </figcaption></figure>", "A ship"),
        ("<p><img src=/a.jpg alt='A  ship'></p>", "A ship"),
        ("<p><img src=/a.jpg alt='IMG_2041'></p>", None),
        ("<p><img src=/a.jpg alt='ship.jpeg'></p>", None),
    ],
    ids=["figure", "empty-caption", "alternative-text", "camera-name", "file-name"],
)
def test_the_caption_is_that_of_the_figure_else_the_alternative_text(html: str, caption: str | None) -> None:
    """A file name is no caption."""
    assert [image[1] for image in images_of(f"{TITLE}{ENGLISH}{html}{ENGLISH}")] == [caption]


@pytest.mark.parametrize(
    ("html", "caption", "credit"),
    [
        ("<figcaption>A hull. <span class=credit>Photo: Ada</span></figcaption>", "A hull.", "Photo: Ada"),
        ("<figcaption>A hull <cite>Ada</cite></figcaption>", "A hull", "Ada"),
        ("<figcaption>A hull (<span class=image__copyright>Ada / AP</span>)</figcaption>", "A hull", "Ada / AP"),
        ("<figcaption><p>A hull.</p><div itemprop=copyrightHolder>Ada</div></figcaption>", "A hull.", "Ada"),
        ("<figcaption>A hull. <small>© Ada</small></figcaption>", "A hull.", "© Ada"),
        ("<div class=photographer>Ada</div><figcaption>A hull</figcaption>", "A hull", "Ada"),
        ("<figcaption class=image-credit>Ada</figcaption>", "A ship", "Ada"),
        ("<figcaption>A hull in credit</figcaption>", "A hull in credit", None),
    ],
    ids=["class", "cite", "parentheses", "property", "sign", "beside", "alone", "none"],
)
def test_credits_are_apart_from_captions(html: str, caption: str, credit: str | None) -> None:
    """As the page writes them."""
    (image,) = article_of(f"{TITLE}{ENGLISH}<figure><img src=/a.jpg alt='A ship'>{html}</figure>{ENGLISH}").images
    assert (image.caption, image.credit) == (caption, credit)


def test_json_ld_names_the_credit_of_an_image() -> None:
    data = '{"@type": "NewsArticle", "image": {"@type": "ImageObject", "url": "/b.jpg", "creditText": "Ada / AP"}}'
    (image,) = article_of(f'<script type="application/ld+json">{data}</script>{TITLE}{ENGLISH}').images
    assert image.credit == "Ada / AP"


def test_images_between_title_and_body_belong_to_it() -> None:
    """Those above the title and behind the body do not."""
    html = f"<img src=/banner.jpg><p>Harbour Courier</p>{TITLE}<img src=/a.jpg>{ENGLISH}<div><p>Contact</p><img src=/b.jpg></div>"
    assert [image[0] for image in images_of(html)] == ["a.jpg"]


@pytest.mark.parametrize(("width", "pixels"), [("640", 640), (" 640px ", 640), ("640.5", 640), ("100%", None), ("wide", None)])
def test_a_size_is_in_pixels(width: str, pixels: int | None) -> None:
    """Percentages and words are no size."""
    assert [image[2] for image in images_of(f"{TITLE}{ENGLISH}<img src=/a.jpg width='{width}'>{ENGLISH}")] == [pixels]


@pytest.mark.parametrize(("lines", "found"), [(11, ["a.jpg"]), (12, [])])
def test_images_before_a_body_far_below_its_title_do_not_belong_to_it(lines: int, found: list[str]) -> None:
    """From the thirteenth block behind the title on."""
    assert [image[0] for image in images_of(f"{TITLE}<img src=/a.jpg>{'<p>x</p>' * lines}{ENGLISH}")] == found


@pytest.mark.parametrize(("depth", "credit"), [(5, "Ada"), (6, None)])
def test_a_credit_is_near_its_figure(depth: int, credit: str | None) -> None:
    deep = f"{'<div>' * depth}<span class=credit>Ada</span>{'</div>' * depth}"
    (image,) = article_of(f"{TITLE}{ENGLISH}<figure><img src=/a.jpg>{deep}</figure>{ENGLISH}").images
    assert image.credit == credit


def test_titles_of_players_are_cut() -> None:
    player = f"<iframe src=https://www.youtube.com/embed/abcdefghijk title='{'x' * 201}'></iframe>"
    assert [video.title for video in article_of(f"{TITLE}{ENGLISH}{player}{ENGLISH}").videos] == ["x" * 200]
