"""Names in bylines."""

from __future__ import annotations

import pytest

from webcontent.fields.names.people import is_name, names_of


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("By Jane Doe", ["Jane Doe"]),
        ("ByJane Doe", ["Jane Doe"]),
        ("By Jane Doe and John Q. Public, Staff Writer", ["Jane Doe", "John Q. Public"]),
        ("By A. Writer | May 1, 2024 11:05 PM EDT", ["A. Writer"]),
        ("Von Anna Thomson-Graf und Jörg Maier", ["Anna Thomson-Graf", "Jörg Maier"]),
        ("Le Journal et AFP", ["Le Journal et AFP"]),
        ("Barnes & Noble", ["Barnes & Noble"]),
        ("Jane Doe & John Q. Public", ["Jane Doe", "John Q. Public"]),
        ("张三 & 李四", ["张三", "李四"]),
        ("张三&李四", ["张三", "李四"]),
        ("Example Staff", ["Example Staff"]),
        ("作者：张三 李四", ["张三", "李四"]),
        ("記者王小明／台北報導", ["王小明"]),
        ("大渡 美咲", ["大渡 美咲"]),
        ("https://social.example/page", []),
        ("Updated May 3, 2024", []),
        ("12345", []),
        ("", []),
        (None, []),
    ],
)
def test_names_are_parted_and_freed_of_labels(text: str | None, names: list[str]) -> None:
    """Labels, roles and dates go; double names and agencies stay whole."""
    assert names_of(text) == names


@pytest.mark.parametrize("text", ["read more", "admin", "www.example.org", "责任编辑：张三", "x", "January 17", "a" * 100])
def test_what_is_no_name(text: str) -> None:
    """Labels, addresses, dates."""
    assert not is_name(text)


@pytest.mark.parametrize(
    "text",
    [
        "Sign up",
        "Log in to comment",
        "Request a demo",
        "Authorized Dealer",
        "Best Practices",
        "API documentation",
        "View Profile",
        "Email Author",
        "Text size",
        "No Author",
        "No Comments",
        "More Posts",
        "Super User",
        "wordpressadmin",
        "Table of Contents",
        "anónimo",
        "Keine Kommentare",
    ],
)
def test_buttons_are_no_names(text: str):
    """Pages of products and companies show them where a byline could stand."""
    assert not is_name(text)
