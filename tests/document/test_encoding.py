"""The encoding of a page: declared, wrongly declared, or not declared at all."""

from __future__ import annotations

import pytest

from webcontent.document.encoding import decode
from webcontent.document.parsing import Document
from webcontent.items import Page

CHINESE = "<html><head>{}</head><body><p>新闻正文：今天上午，市政府召开会议，讨论道路建设的计划。</p></body></html>"
TRADITIONAL = "<html><head>{}</head><body><p>新聞內容：今天上午，市政府召開會議，討論道路建設的計畫。</p></body></html>"
JAPANESE = "<html><head>{}</head><body><p>これは日本語の記事です。今日は東京で会議が行われました。</p></body></html>"
KOREAN = "<html><head>{}</head><body><p>이것은 한국어 기사입니다. 오늘 서울에서 회의가 열렸습니다.</p></body></html>"
FRENCH = "<html><head>{}</head><body><p>L’été à Orléans — déjà près de 40 € la journée, où ça ?</p></body></html>"


def document_of(html: bytes | str, **more: object) -> Document:
    return Document.from_page(Page(html=html, **more))  # type: ignore[arg-type]


def declared(page: str, encoding: str) -> str:
    return page.format(f'<meta charset="{encoding}">')


@pytest.mark.parametrize(
    ("page", "stored_as", "meta", "header"),
    [
        (CHINESE, "utf-8", None, None),
        (CHINESE, "utf-8", "utf-8", None),
        (CHINESE, "utf-8", "gb2312", None),
        (CHINESE, "utf-8", None, "text/html; charset=gbk"),
        (CHINESE, "utf-8-sig", "gbk", None),
        (CHINESE, "gb18030", "gb2312", None),
        (CHINESE, "gb18030", "utf-8", None),
        (CHINESE, "gb18030", None, None),
        (CHINESE, "gb18030", None, "text/html; charset=utf-8"),
        (CHINESE, "gb18030", "no-such-encoding", None),
        (CHINESE, "utf-16", None, None),
        (CHINESE, "utf-16-le", "utf-16", None),
        (CHINESE, "utf-16-be", None, None),
        (TRADITIONAL, "big5", "big5", None),
        (TRADITIONAL, "big5", "utf-8", None),
        (JAPANESE, "shift_jis", "shift_jis", None),
        (JAPANESE, "shift_jis", "utf-8", None),
        (JAPANESE, "euc_jp", "euc-jp", None),
        (JAPANESE, "iso2022_jp", "iso-2022-jp", None),
        (KOREAN, "euc_kr", "euc-kr", None),
        (KOREAN, "euc_kr", "utf-8", None),
        (FRENCH, "cp1252", "iso-8859-1", None),
        (FRENCH, "cp1252", None, "text/html; charset=windows-1252"),
        (FRENCH, "utf-8", "iso-8859-1", None),
    ],
)
def test_text_is_read_whatever_is_declared(page: str, stored_as: str, meta: str | None, header: str | None) -> None:
    """Bytes that are valid UTF-8 are UTF-8; else the declaration counts if it fits, else the bytes decide."""
    html = declared(page, meta) if meta else page.format("")
    headers = {"content-type": header} if header else {}
    document = document_of(html.encode(stored_as), headers=headers)
    assert document.blocks.texts == [page.partition("<p>")[2].partition("</p>")[0]]


def test_a_wrong_declaration_is_flagged() -> None:
    """The item says that the encoding had to be guessed."""
    assert "bad-encoding" in document_of(declared(CHINESE, "utf-8").encode("gb18030")).flags
    assert "bad-encoding" not in document_of(declared(CHINESE, "gbk").encode("gb18030")).flags


def test_a_few_bad_bytes_do_not_change_the_encoding() -> None:
    """A cut character at the end of a read is no reason to doubt a page's encoding."""
    html = declared(CHINESE, "utf-8").encode() + "建".encode()[:2]
    text, encoding, fits = decode(html)
    assert encoding == "utf-8"
    assert not fits
    assert "道路建设" in text
