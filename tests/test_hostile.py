"""Pages that attack, break or exhaust the parser give an item and a flag, in bounded time and memory, and never an exception.

A process of their own reads the pages, and the system limits its memory. Run as a program, this file is that process: its arguments
are names of pages, its output is a JSON object per page. `extractors/test_contract.py` gives bad input to the other extractors.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.process

URL = "https://example.org/2024/03/05/story.html"
MAX_MEMORY = 1_500_000_000
"""Bytes that the whole process may allocate."""
MAX_CPU_S = 20
LONGEST_TEXT = 20_000
"""Characters of each field that the process prints."""
SENTENCE = "The council said on Monday that it would build a new bridge over the river before the end of next year. "
MARKED = "\u202e" + SENTENCE + "\u200b\u200f"
ARTICLE = f"<h1>A new bridge</h1><p>{SENTENCE * 4}</p><p>{SENTENCE * 3}</p><p>{SENTENCE * 5}</p>"
CHINESE = (
    "<html><head><meta charset='{}'></head><body><h1>新桥开工</h1>"
    + "<p>新闻正文：今天上午，市政府召开会议，讨论道路和桥梁建设的计划，并听取了市民的意见。</p>" * 8
    + "</body></html>"
)


def page(body: str = ARTICLE, head: str = "") -> str:
    return f"<!DOCTYPE html><html><head><title>A new bridge</title>{head}</head><body>{body}</body></html>"


def json_ld(text: str) -> str:
    return page(head=f'<script type="application/ld+json">{text}</script>')


def links(*hrefs: str) -> str:
    return page(ARTICLE + "".join(f"<li><a href='{href}'>a link with some words</a></li>" for href in hrefs))


DATES = (
    "2024-13-45",
    "0000-00-00",
    "9999-99-99T99:99:99",
    "2024-02-30",
    "-1",
    "1e400",
    "2024-03-05T25:61:61+99:99",
    "٢٠٢٤",
    "13月45日",
    "٣小时前",
    "9" * 400 + "年前",
    "infinity",
)

PAGES: dict[str, Callable[[], str | bytes]] = {
    "empty": lambda: b"",
    "blank": lambda: b" \r\n\t" * 100,
    "empty-body": lambda: b"<html><body></body></html>",
    "no-html-tag": lambda: ARTICLE,
    "text-only": lambda: SENTENCE * 10,
    "50-megabytes": lambda: (f"<p>{SENTENCE * 5}</p>".encode() * 100_000)[:50_000_000],
    "50-megabytes-of-tags": lambda: b"<div><span>x</span></div>" * 2_000_000,
    "50-megabytes-of-links": lambda: b"<li><a href='/some/page?x=1'>some page</a></li>" * 1_000_000,
    "50-megabytes-of-attributes": lambda: b"<p " + b" ".join(b"a%d=b" % i for i in range(4_500_000)) + b">text",
    "50-megabytes-of-chinese": lambda: "新闻正文，".encode("gb18030") * 5_000_000,
    "50-megabytes-of-noise": lambda: bytes((i * i + (i >> 7)) % 251 for i in range(1_000_000)) * 50,
    "50-megabytes-of-open-tags": lambda: b"<b>x" * 12_500_000,
    "50-megabytes-of-less-than-signs": lambda: b"<" * 50_000_000,
    "50-megabytes-of-entities": lambda: b"&amp;&#65;" * 5_000_000,
    "100000-nested": lambda: "<div>" * 100_000 + ARTICLE + "</div>" * 100_000,
    "100000-nested-inline": lambda: "<b>" * 100_000 + ARTICLE,
    "100000-nested-lists": lambda: "<ul><li>x" * 50_000,
    "many-inline-at-depth": lambda: "<i>" * 900 + "<b>x</b> " * 30_000,
    "nul-bytes": lambda: b"\x00" * 100_000,
    "nul-bytes-between": lambda: page().replace(" ", " \x00").encode(),
    "gbk-as-utf-8": lambda: CHINESE.format("utf-8").encode("gbk"),
    "utf-8-as-gbk": lambda: CHINESE.format("gbk").encode(),
    "utf-16": lambda: CHINESE.format("utf-16").encode("utf-16"),
    "utf-16-without-mark": lambda: CHINESE.format("utf-8").encode("utf-16-le"),
    "utf-7": lambda: b"<meta charset=utf-7>+ADw-script+AD4-alert(1)+ADw-/script+AD4-",
    "half-a-character": lambda: CHINESE.format("utf-8").encode()[:-30],
    "random-bytes": lambda: bytes((i * 7919 + (i >> 3) * 104729) % 256 for i in range(200_000)),
    "xml": lambda: (
        b"<?xml version='1.0'?><rss version='2.0'><channel><title>t</title><item><title>An item</title><link>http://example.org/x</link></item></channel></rss>"
    ),
    "xml-without-end": lambda: b"<?xml version='1.0' encoding='utf-16'?><a><b><c",
    "json": lambda: b'{"title": "A new bridge", "items": [1, 2, 3]}',
    "pdf": lambda: (
        b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\nstream\n"
        + bytes(range(256)) * 400
        + b"\nendstream\n%%EOF"
    ),
    "png": lambda: b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x04\x00\x00\x00\x04\x00\x08\x06\x00\x00\x00" + bytes(range(256)) * 400,
    "jpeg": lambda: b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01" + bytes(reversed(range(256))) * 400,
    "gzip": lambda: b"\x1f\x8b\x08\x00" + bytes((i * 37) % 256 for i in range(50_000)),
    "10-megabyte-line": lambda: page("<p>" + SENTENCE * 100_000 + "</p>"),
    "10-megabyte-word": lambda: page("<p>" + "x" * 10_000_000 + "</p>"),
    "1-megabyte-attributes": lambda: page(
        "".join(
            f"<p class='{'c ' * 500_000}' id='{'i' * 1_000_000}' style='{'a:b;' * 250_000}' title='{'t' * 1_000_000}'>{SENTENCE}</p>"
            for _ in range(3)
        )
    ),
    "1-megabyte-link": lambda: links("/" + "a" * 1_000_000, "https://" + "a" * 1_000_000, "?" + "b=c&" * 250_000),
    "1-megabyte-meta": lambda: page(
        head="".join(
            f"<meta property='{name}' content='{'2024 ' * 150_000}'>"
            for name in ("og:title", "article:published_time", "author", "og:site_name", "og:locale", "description")
        )
    ),
    "1-megabyte-title": lambda: f"<title>{'title ' * 160_000}</title>{ARTICLE}",
    "1-megabyte-heading": lambda: page(f"<h1>{'heading ' * 120_000}</h1>{ARTICLE}"),
    "many-metas": lambda: page(head="<meta name=author content='A. Body'>" * 40_000),
    "many-headings": lambda: page("<h1>A heading</h1>" * 20_000),
    "many-times": lambda: page("<time datetime='2024-03-05'>5 March 2024</time> " * 15_000),
    "many-bylines": lambda: page("<p>By Jane Doe, 5 March 2024</p>" * 10_000),
    "many-chinese-bylines": lambda: page("<p>来源：新华社 作者：张三 时间：2024年3月5日 14:22 编辑：李四</p>" * 8_000),
    "many-related-headings": lambda: page("<h3>Related</h3><a href=/x>some story</a><h3>相关新闻</h3>" * 4_000),
    "many-pictures": lambda: page(ARTICLE + "<img src=a.png alt=x>" * 30_000),
    "many-cells": lambda: page(
        "<table>" + "<tr>" + "<td>1</td>" * 30 + "</tr>" * 1 + ("<tr>" + "<td>1</td>" * 30 + "</tr>") * 1_000 + "</table>"
    ),
    "nested-tables": lambda: page("<table><tr><td>x" * 600),
    "entity-bomb": lambda: (
        "<!DOCTYPE html ["
        "<!ENTITY a0 'lol'>"
        + "".join(f"<!ENTITY a{i} '{f'&a{i - 1};' * 10}'>" for i in range(1, 12))
        + f"]><html><body>&a11;{ARTICLE}</body></html>"
    ),
    "entity-bomb-in-xml": lambda: (
        "<?xml version='1.0'?><!DOCTYPE x ["
        + "".join(f"<!ENTITY b{i} '{f'&b{i + 1};' * 10}'>" for i in range(12))
        + "<!ENTITY b12 'lol'>]><x>&b0;</x>"
    ),
    "external-entity": lambda: "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><x>&e;</x>",
    "bad-references": lambda: page("<p>&#0;&#x110000;&#xD800;&#99999999999;&nosuch;&#x;&#;&</p>" + ARTICLE),
    "json-ld-broken": lambda: json_ld('{"@type": "NewsArticle", "headline": "A new'),
    "json-ld-huge": lambda: json_ld('{"@type": "NewsArticle", "articleBody": "' + "x" * 5_000_000 + '"}'),
    "json-ld-deep": lambda: json_ld('{"@type": "NewsArticle", "author": ' * 50_000 + "1" + "}" * 50_000),
    "json-ld-deep-lists": lambda: json_ld("[" * 50_000 + "]" * 50_000),
    "json-ld-wide": lambda: json_ld(
        "[" + ",".join(['{"@type": "NewsArticle", "headline": "h", "author": {"@type": "Person", "name": "n"}}'] * 8_000) + "]"
    ),
    "json-ld-wrong-types": lambda: json_ld(
        '{"@context": 5, "@type": ["NewsArticle", null, {}], "@id": [], "headline": {"a": 1}, "name": [[]], "datePublished": [5, {}, null],'
        '"dateModified": true, "author": [1, null, [], {"name": {"name": [2]}}, {"@id": {}}], "publisher": [[{"name": 7}]], "image": [1, {"url": {}}, [null]],'
        '"inLanguage": {"x": 1}, "url": 3, "mainEntityOfPage": [9], "isPartOf": [], "articleBody": 1e999}'
    ),
    "json-ld-of-scalars": lambda: json_ld("null") + json_ld("5") + json_ld('"x"') + json_ld("true") + json_ld("[]") + json_ld("[[[1]]]"),
    "json-ld-circle": lambda: json_ld(
        '{"@graph": [{"@id": "a", "@type": "NewsArticle", "author": {"@id": "b"}}, {"@id": "b", "@type": "Person", "name": {"@id": "b"}, "author": {"@id": "a"}}]}'
    ),
    "json-ld-impossible-dates": lambda: json_ld(
        json.dumps({"@type": "NewsArticle", "datePublished": list(DATES), "dateModified": "2024-13-45", "dateCreated": 1e300})
    ),
    "json-ld-numbers-for-dates": lambda: json_ld('{"@type": "NewsArticle", "datePublished": 99999999999999999999, "dateModified": -5.5}'),
    "json-ld-surrogates": lambda: json_ld(
        '{"@type": "NewsArticle", "headline": "\\ud83d \\udc00 x", "author": {"@type": "Person", "name": "\\ud800"}}'
    ),
    "impossible-dates": lambda: page(
        ARTICLE + "".join(f"<time datetime='{date}'>{date}</time><p>{date}</p>" for date in DATES),
        head="".join(f"<meta property='article:published_time' content='{date}'>" for date in DATES),
    ),
    "bad-links": lambda: links(
        "http://[::1",
        "http://[",
        "//",
        "///",
        "http://",
        "http://a:b:c/",
        "http://exa mple.org/ x",
        "http://\ud800.example/",
        "http://例え.jp/パス",
        "\\\\unc\\path",
        "?",
        "#",
        ":",
        "://",
        "http://%zz/",
        "http://a@b@c:99999999/",
        "\x01\x02",
    ),
    "bad-base": lambda: page(head="<base href='http://[::1'><base href='javascript:x'><base href='//'>") + links("x", "../y"),
    "bad-canonical": lambda: page(
        head="<link rel=canonical href='http://[::1'><link rel=canonical href='javascript:x'><meta property=og:url content='data:,x'><meta property=og:image content='http://['>"
    ),
    "script-links": lambda: links(
        "javascript:alert(1)",
        "JAVASCRIPT:x",
        " java\nscript:x",
        "data:text/html,<script>x</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "ftp://x/y",
    ),
    "lone-surrogates": lambda: page(
        f"<h1>\ud83d A bridge \udc00</h1><p>{SENTENCE * 6}\ud800</p>", head="<meta name=author content='\udfff'>"
    ),
    "right-to-left-marks": lambda: page(f"<p>{MARKED * 9}</p>"),
    "frames": lambda: b"<frameset cols='*,*'><frame src=a><frame src=b><noframes>none</noframes></frameset>",
    "only-scripts": lambda: b"<div id=app></div><script>" + b"x();" * 100_000 + b"</script>",
    "script-never-closed": lambda: ARTICLE + "<script>" + "if (a < b) { '<p>' }" * 10_000,
    "comment-never-closed": lambda: ARTICLE + "<!-- " + "<p>x</p>" * 10_000,
    "tag-soup": lambda: "<table><p><a><tr><h1><td><a><li></p></table></h1><form><form></a><select><p><option><table>" * 500 + ARTICLE,
    "repeated-attributes": lambda: page("<p class=a class=b id=c id=c>" + ARTICLE),
    "regex-traps": lambda: page(
        "<p>"
        + "By " * 30_000
        + "</p><p>"
        + "2024-" * 30_000
        + "</p><p>"
        + "来源：" * 30_000
        + "</p><p>"
        + " " * 100_000
        + "x</p><p>"
        + "a," * 50_000
        + "</p>"
    ),
}

FLAGS = {
    "empty": "empty",
    "blank": "empty",
    "empty-body": "empty",
    "nul-bytes": "empty",
    "frames": "empty",
    "only-scripts": "empty",
    "50-megabytes": "truncated",
    "50-megabytes-of-tags": "truncated",
    "50-megabytes-of-links": "truncated",
    "50-megabytes-of-attributes": "truncated",
    "50-megabytes-of-chinese": "truncated",
    "50-megabytes-of-noise": "truncated",
    "50-megabytes-of-open-tags": "truncated",
    "50-megabytes-of-less-than-signs": "truncated",
    "50-megabytes-of-entities": "truncated",
    "100000-nested": "truncated",
    "100000-nested-inline": "truncated",
    "100000-nested-lists": "truncated",
    "10-megabyte-line": "truncated",
    "10-megabyte-word": "truncated",
    "gbk-as-utf-8": "bad-encoding",
    "utf-8-as-gbk": "bad-encoding",
}
"""A flag that the page's item must have."""
KEEPS_ITS_TEXT = [
    "no-html-tag", "100000-nested", "100000-nested-inline", "nul-bytes-between", "entity-bomb", "bad-references", "json-ld-broken", "json-ld-huge", "json-ld-deep",
    "json-ld-deep-lists", "json-ld-wide", "json-ld-wrong-types", "json-ld-circle", "json-ld-impossible-dates", "json-ld-numbers-for-dates", "json-ld-surrogates",
    "impossible-dates", "bad-canonical", "lone-surrogates", "script-never-closed", "comment-never-closed", "1-megabyte-meta", "1-megabyte-title",
]  # fmt: skip
"""Pages that hold a whole article in spite of all: its text must come out."""


def peak_bytes() -> int:
    """Peak memory of this process. (getrusage starts with the memory of the process that started this one.)"""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) * 1024


def main(names: list[str]) -> None:
    """Read the pages and print the item of each."""
    import webcontent

    webcontent.extract(page(), url=URL)  # opens the models
    acts: list[str] = []
    sys.addaudithook(lambda event, arguments: acts.append(f"{event} {arguments[:1]}") if is_act(event, arguments) else None)
    for name in names:
        html = PAGES[name]()
        acts.clear()
        started = time.process_time()
        item = webcontent.extract(html, url=URL, fetched_at="2024-06-01T12:00:00+00:00")
        json.dumps(fields := asdict(item), default=str).encode()  # a feed must be able to write it
        cut = {key: value[:LONGEST_TEXT] if isinstance(value, str) else value for key, value in fields.items() if key != "evidence"}
        memory = peak_bytes()
        print(
            json.dumps({"page": name, **cut, "cpu_s": time.process_time() - started, "memory": memory, "acts": acts}, default=str),
            flush=True,
        )


def is_act(event: str, arguments: tuple[Any, ...]) -> bool:
    """Whether an event of the interpreter is something that no page may cause: a request, a process, a file that is no module or data of ours."""
    if event == "open":
        return not str(arguments[0]).startswith((sys.prefix, sys.base_prefix, str(Path(__file__).parents[1]), "/proc/self/status"))
    return event.startswith(("socket.", "subprocess.", "os.system", "os.exec", "urllib.", "shutil.", "os.remove"))


def bound() -> None:
    """Limit the child process; the system ends it when it allocates more."""
    resource.setrlimit(resource.RLIMIT_DATA, (MAX_MEMORY, MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def read(*names: str) -> dict[str, dict[str, Any]]:
    """The items that a limited process makes of the pages. Fails with its last messages if it dies."""
    process = subprocess.run([sys.executable, __file__, *names], preexec_fn=bound, capture_output=True, text=True, timeout=500, check=False)
    items = [json.loads(line) for line in process.stdout.splitlines()]
    assert process.returncode == 0, f"after {[item['page'] for item in items][-1:]}: {process.stderr[-3000:]}"
    return {item["page"]: item for item in items}


@pytest.fixture(scope="module")
def items() -> dict[str, dict[str, Any]]:
    """Items of all pages, made by one process."""
    return read(*PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_a_hostile_page_gives_an_item(items: dict[str, dict[str, Any]], name: str) -> None:
    """An item of the contract, in less than 20 s and 1.5 GB: a score between 0 and 1, web addresses only, and the flag of the page."""
    check(items[name], name)


def check(item: dict[str, Any], name: str) -> None:
    assert item["url"] == URL
    assert item["type"] in ("article", "list")
    assert 0.0 <= item["score"] <= 1.0
    assert item["cpu_s"] < MAX_CPU_S
    assert item["memory"] < MAX_MEMORY
    assert item["acts"] == []
    if name in FLAGS:
        assert FLAGS[name] in item["flags"]
    if not item["body"] and not item.get("entries"):
        assert item["score"] == 0.0
        assert "empty" in item["flags"]
    for link in [*item["related"], *item.get("entries", []), *item.get("images", [])]:
        assert link["url"].startswith(("http://", "https://"))
    for key in ("canonical_url", "next_page"):
        assert (item.get(key) or "https://").startswith(("http://", "https://"))
    assert not any(
        bad in item.get("body_html", "").lower() for bad in ("<script", "javascript:", "vbscript:", 'href="data:', 'onerror="', "file:")
    )


@pytest.mark.parametrize("name", KEEPS_ITS_TEXT)
def test_an_article_survives_broken_surroundings(items: dict[str, dict[str, Any]], name: str) -> None:
    """Broken metadata, deep nesting or bad characters may cost a field, but not the text."""
    assert SENTENCE.strip() in " ".join(items[name]["body"].split())


@pytest.mark.parametrize("name", ["impossible-dates", "json-ld-impossible-dates", "json-ld-numbers-for-dates"])
def test_an_impossible_date_is_none(items: dict[str, dict[str, Any]], name: str) -> None:
    """Only the date in the address is possible."""
    item = items[name]
    assert item.get("time") in (None, "2024-03-05", "2024-03")
    assert item.get("modified") is None


@pytest.mark.parametrize("name", ["gbk-as-utf-8", "utf-8-as-gbk", "utf-16", "utf-16-without-mark", "half-a-character"])
def test_chinese_text_is_read_in_spite_of_its_declaration(items: dict[str, dict[str, Any]], name: str) -> None:
    """The bytes decide."""
    assert "市政府召开会议" in items[name]["body"]


@pytest.mark.parametrize("name", ["external-entity", "entity-bomb-in-xml"])
def test_no_entity_is_fetched_or_multiplied(items: dict[str, dict[str, Any]], name: str) -> None:
    """The item holds no file of this machine and no multiplied text."""
    assert "root:" not in items[name]["body"]
    assert len(items[name]["body"]) < 2_000


if __name__ == "__main__":
    main(sys.argv[1:])
