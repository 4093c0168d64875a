"""Ten designs of news, with players, galleries and live blogs."""

from __future__ import annotations

from tests.markdown.pages.common import ENGLISH, SITE_FOOTER, SITE_LACKS, SITE_NAV, TestPage, document, paragraphs

HEAD = '<meta property="og:type" content="article"><meta property="article:published_time" content="2026-03-05T14:22:00+01:00"><meta name="author" content="Ada Byron">'
RELATED = '<aside class="related"><h3>Read more</h3><ul><li><a href="/n/2">Storm closes the coast road for a second week</a></li><li><a href="/n/3">New timetable of the ferries</a></li></ul></aside>'
LACKS = ("Storm closes the coast road", *SITE_LACKS)


def article(name: str, main: str, has: tuple[str, ...], lacks: tuple[str, ...] = (), **more: tuple[str, ...] | None) -> TestPage:
    html = document(
        "Council agrees on the bridge - Quarry News",
        f'{SITE_NAV}<main><article><h1>Council agrees on the bridge</h1><p class="byline">By <a rel="author" href="/a">Ada Byron</a> <time datetime="2026-03-05T14:22:00+01:00">5 March 2026, 14:22</time></p>{main}</article>{RELATED}</main>{SITE_FOOTER}',
        head=HEAD,
    )
    return TestPage(name=name, html=html, has=("# Council agrees on the bridge\n", "*Ada Byron · ", *has), lacks=(*LACKS, *lacks), **more)


def youtube_and_tweet() -> TestPage:
    tweet = '<blockquote class="twitter-tweet" data-lang="en"><p lang="en" dir="ltr">Eleven years of waiting are over.</p>&mdash; Carl Gauss (@gauss) <a href="https://twitter.com/gauss/status/1204?ref_src=twsrc">March 5, 2026</a></blockquote><script async src="https://platform.twitter.com/widgets.js"></script>'
    player = '<div class="video-wrapper"><iframe width="560" height="315" src="https://www.youtube-nocookie.com/embed/abcDEF12345" title="The debate in four minutes" allowfullscreen></iframe></div>'
    ad = '<iframe src="https://ads.example/banner?id=3" width="300" height="250"></iframe>'
    main = f"{paragraphs(5)}{player}{paragraphs(4)}{ad}{tweet}{paragraphs(6)}"
    url = "https://www.youtube.com/watch?v=abcDEF12345"
    return article(
        "youtube-and-tweet",
        main,
        (
            f"[The debate in four minutes]({url})",
            "> Eleven years of waiting are over.",
            "Carl Gauss (@gauss)",
            "twitter.com/gauss/status/1204",
        ),
        ("ads.example",),
        videos=(url,),
        audios=(),
    )


def video_element() -> TestPage:
    main = (
        f'<figure class="lead"><video controls poster="/poster.jpg" title="The old bridge"><source src="/media/bridge.mp4" type="video/mp4"><p>Your browser does not support video.</p></video><figcaption>The old bridge in 1931. <span class="credit">Photo: City archive</span></figcaption></figure>{paragraphs(5, 4)}'
        f'<p>Listen to the debate:</p><audio controls src="https://cdn.example.org/debate.mp3"></audio>{paragraphs(6)}'
    )
    return article(
        "video-element",
        main,
        (
            "[The old bridge](https://example.org/media/bridge.mp4)",
            "(https://cdn.example.org/debate.mp3)",
            "The old bridge in 1931.",
            "Photo: City archive",
        ),
        ("does not support",),
        videos=("https://example.org/media/bridge.mp4",),
        audios=("https://cdn.example.org/debate.mp3",),
    )


def gallery() -> TestPage:
    def image(number: int) -> str:
        return (
            f'<figure class="gallery__item"><picture><source type="image/webp" srcset="/img/{number}-400.webp 400w, /img/{number}-1600.webp 1600w"><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" data-src="/img/{number}-400.jpg" alt="View {number}" loading="lazy"></picture>'
            f'<noscript><img src="/img/{number}-400.jpg" alt="View {number}"></noscript><figcaption>The pier on day {number}</figcaption></figure>'
        )

    main = f'{paragraphs(5)}<div class="gallery">{image(1)}{image(2)}{image(3)}</div>{paragraphs(4, 6)}'
    return article(
        "gallery",
        main,
        ("![View 1](https://example.org/img/1-1600.webp)", "![View 3](https://example.org/img/3-1600.webp)", "*The pier on day 2*"),
        ("400.jpg", "data:image"),
    )


def vimeo_podcast() -> TestPage:
    main = (
        f'{paragraphs(4)}<div class="embed"><iframe src="https://player.vimeo.com/video/120412041?h=1" title="Flight over the valley" allow="fullscreen"></iframe></div>{paragraphs(5)}'
        f'<iframe style="border-radius:12px" src="https://open.spotify.com/embed/episode/4rOoJ6Egrf8K2IrywzwOMk" title="Spotify Embed: The bridge, part one"></iframe>{paragraphs(6)}'
    )
    return article(
        "vimeo-podcast",
        main,
        ("[Flight over the valley](https://vimeo.com/120412041)", "(https://open.spotify.com/episode/4rOoJ6Egrf8K2IrywzwOMk)"),
        videos=("https://vimeo.com/120412041",),
        audios=("https://open.spotify.com/episode/4rOoJ6Egrf8K2IrywzwOMk",),
    )


def live_blog() -> TestPage:
    def post(time: str, title: str, text: str) -> str:
        return f'<div class="liveblog-post" id="post-{time}"><header><time datetime="2026-03-05T{time}:00+01:00">{time}</time><h2>{title}</h2></header><div class="body"><p>{text}</p></div></div>'

    main = f'<div class="liveblog"><p>{ENGLISH[4]}</p>{post("14:22", "The vote", ENGLISH[5])}{post("13:40", "The debate begins", ENGLISH[6])}{post("12:05", "Before the town hall", ENGLISH[9])}</div>'
    return article("live-blog", main, ("14:22", "## The vote", "13:40", "## The debate begins", "12:05", ENGLISH[9]))


def quotes() -> TestPage:
    main = (
        f'{paragraphs(5)}<figure class="quote"><blockquote><p>We have waited for eleven years.</p></blockquote><figcaption>Maria Oakes, resident</figcaption></figure>{paragraphs(4)}'
        f'<blockquote class="pullquote"><p>It will be a good bridge.</p><footer>— <cite>Carl Gauss, engineer</cite></footer></blockquote>{paragraphs(6)}<h2>What it costs</h2><table><thead><tr><th>Part</th><th>Million</th></tr></thead><tbody><tr><td>Bridge</td><td>41.5</td></tr><tr><td>Ramps</td><td>9</td></tr></tbody></table>{paragraphs(9)}'
    )
    return article(
        "quotes",
        main,
        (
            "> We have waited for eleven years.",
            "Maria Oakes, resident",
            "> It will be a good bridge.",
            "> — Carl Gauss, engineer",
            "| Bridge | 41.5 |",
        ),
    )


def lists_and_box() -> TestPage:
    main = (
        f'<p class="lead">{ENGLISH[5]}</p><h2>The plan in short</h2><ul><li><strong>Length:</strong> 412 metres</li><li><strong>Width:</strong> 4 metres<ul><li>bicycles: 2.5 metres</li></ul></li></ul>{paragraphs(4)}<ol><li>Survey of the ground</li><li>Tender</li><li>Work</li></ol>'
        f"{paragraphs(6)}<details><summary>What happens to the old bridge?</summary><p>It will be taken down when the new one has been open for a year.</p></details>{paragraphs(9)}<p>The area is 10<sup>6</sup> m<sup>2</sup>, and CO<sub>2</sub> falls.</p>"
    )
    return article(
        "lists-and-box",
        main,
        (
            "- **Length:** 412 metres\n- **Width:** 4 metres\n  - bicycles: 2.5 metres",
            "1. Survey of the ground\n2. Tender\n3. Work",
            "What happens to the old bridge?",
            "It will be taken down",
            "10<sup>6</sup> m<sup>2</sup>",
            "CO<sub>2</sub>",
        ),
    )


def mastodon_instagram() -> TestPage:
    main = (
        f'{paragraphs(5)}<iframe src="https://harbour.social/@gauss/109876543210987654/embed" class="mastodon-embed" width="400" allowfullscreen></iframe>{paragraphs(4)}<blockquote class="instagram-media" data-instgrm-permalink="https://www.instagram.com/p/CxAbC12/"><a href="https://www.instagram.com/p/CxAbC12/">A post shared by the harbour</a></blockquote>{paragraphs(6)}'
        '<div class="plain-embed"><lite-youtube videoid="zyxWVU98765" playlabel="The first pile"></lite-youtube></div>'
        f"{paragraphs(9)}"
    )
    return article(
        "mastodon-instagram",
        main,
        (
            "(https://harbour.social/@gauss/109876543210987654)",
            "(https://www.instagram.com/p/CxAbC12/)",
            "[The first pile](https://www.youtube.com/watch?v=zyxWVU98765)",
        ),
        videos=("https://www.youtube.com/watch?v=zyxWVU98765",),
    )


def dailymotion_json_ld() -> TestPage:
    ld = '{"@context":"https://schema.org","@type":"NewsArticle","headline":"Council agrees on the bridge","datePublished":"2026-03-05T14:22:00+01:00","author":{"@type":"Person","name":"Ada Byron"},"video":{"@type":"VideoObject","name":"The council votes","embedUrl":"https://www.dailymotion.com/embed/video/x8abc12"}}'
    main = f'<script type="application/ld+json">{ld}</script><div class="player"><iframe src="https://geo.dailymotion.com/player/x1.html?video=x8abc12" allowfullscreen></iframe></div>{paragraphs(5, 4, 6)}'
    return article(
        "dailymotion-json-ld",
        main,
        ("(https://www.dailymotion.com/video/x8abc12)",),
        videos=("https://www.dailymotion.com/video/x8abc12",),
    )


def old_layout_table() -> TestPage:
    main = (
        f'<table border="0" cellpadding="4" width="100%"><tr><td valign="top"><table border="0" align="right"><tr><td><img src="/img/bridge.jpg" alt="The bridge" width="300" height="200"></td></tr><tr><td><font size="1">The bridge today</font></td></tr></table><p>{ENGLISH[5]}</p><p>{ENGLISH[4]}</p><p>{ENGLISH[6]}</p></td></tr></table>'
        f'<font face="Arial">{ENGLISH[9]}<br><br>{ENGLISH[0]}</font>'
    )
    return article(
        "old-layout-table", main, (ENGLISH[5], ENGLISH[9], "![The bridge](https://example.org/img/bridge.jpg)"), ("| --- |", "<table")
    )


PAGES = [
    make()
    for make in (
        youtube_and_tweet, video_element, gallery, vimeo_podcast, live_blog, quotes, lists_and_box, mastodon_instagram, dailymotion_json_ld, old_layout_table,
    )
]  # fmt: skip
