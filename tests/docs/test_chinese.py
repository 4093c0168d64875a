"""The tables of names in the Chinese pages follow the English ones; a missing translation fails no test."""

from __future__ import annotations

from tests.docs import chinese

CHINESE = """
### 甲

| 设置 | 含义 |
|---|---|
| `A` | 第一个 |
| `OLD` | 没有了 |
| `C`、`D` | 两个 |

```text
url, title
```
"""
ENGLISH = """
### One

| setting | meaning |
|---|---|
| `A` | the first |
| `B` | new, see [Limits](limits.md#b) or [below](#c) |
| `C`, `D`, `E` | several |

### Two

| setting | meaning |
|---|---|
| `F` | of a new theme |

```text
url, title, time
```
"""


def test_names_follow_and_texts_stay():
    """A new name has its English row, a name that is gone has none, and a further name of a row joins it."""
    text = chinese.updated(CHINESE, chinese.linked(ENGLISH, "docs/settings.md"))
    assert text.splitlines()[3:8] == [
        "| 设置 | 含义 |",
        "|---|---|",
        "| `A` | 第一个 |",
        "| `B` | new, see [Limits](../limits.md#b) or [below](../settings.md#c) |",
        "| `C`、`D`、`E` | 两个 |",
    ]
    assert "OLD" not in text


def test_a_new_table_and_the_text_blocks_are_taken_over():
    text = chinese.updated(CHINESE, ENGLISH)
    assert "### Two\n\n| setting | meaning |\n|---|---|\n| `F` | of a new theme |\n" in text
    assert "```text\nurl, title, time\n```" in text


def test_an_updated_section_stays_as_it_is():
    text = chinese.updated(CHINESE, ENGLISH)
    assert chinese.updated(text, ENGLISH) == text


def test_every_section_is_there():
    """Each pair of sections of the pages has tables of names that begin with code."""
    for page, title, english_page, english_title in chinese.SECTIONS:
        sections = [
            chinese.section((chinese.ROOT / name).read_text(encoding="utf-8"), of)
            for name, of in ((page, title), (english_page, english_title))
        ]
        assert all(chinese.TABLE.findall(text) or chinese.TEXT_BLOCK.findall(text) for text in sections)
