"""Lines cut into single values with their labels."""

from __future__ import annotations

import pytest

from webcontent.fields.names.atoms import cut_lines
from webcontent.fields.names.lines import MARK, Line


def line_of(text: str, block: int = 0) -> Line:
    """A line; | stands between two elements."""
    return Line(block, "head", text.replace("|", MARK), [0], [0], is_part=False)


def values_of(*texts: str) -> list[tuple[str, str]]:
    atoms = cut_lines([line_of(text, block) for block, text in enumerate(texts)])
    return [(atom.text, atom.label) for atom in atoms]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("来源：|新京报| 举报", [("新京报", "source"), ("举报", "source")]),
        ("2024-03-05 14:22 来源：新报 作者：张三", [("新报", "source"), ("张三", "author")]),
        ("作者：人事处来源： 新报", [("人事处", "author"), ("新报", "source")]),
        ("作 者：张三、李四", [("张三", "author"), ("李四", "author")]),
        ("责任编辑 王五", [("王五", "editor")]),
        ("卓冠齊／編輯", [("卓冠齊", "editor")]),
        ("记者梁爽报道", [("梁爽", "author")]),
        ("图／記者林敬旻攝", [("林敬旻", "image")]),
        ("By |Jane Doe| and |John Public", [("Jane Doe", "author"), ("John Public", "author")]),
        ("Erstellt von Erika Muster am 3. Mai 2019", [("Erika Muster am", "author")]),
        ("Jane Doe · May 1, 2024", [("Jane Doe", "")]),
        ("浏览：|35", [("35", "counter")]),
        ("聯合報 記者|陳嘉寧|／桃園機場報導", [("聯合報", ""), ("陳嘉寧", "author")]),
        ("来源：新报 张三", [("新报", "source"), ("张三", "author")]),
        ("2024-03-05 海峡日报 张三", [("海峡日报", ""), ("张三", "author")]),
        ("部长 张三", [("部长 张三", ""), ("张三", "")]),
        ("海峡网消息（张三 李四 摄影报道）", [("张三", "author"), ("李四", "author")]),
        ("张三| 文/图", [("张三", "author")]),
        ("本网讯 |张三|报道：三月五日，海峡冰封", [("张三", "author")]),
        ("作者： |香港特約記者 陳嘉寧", [("香港", ""), ("陳嘉寧", "author")]),
        ("（本文由「|海峽日報|」授權轉載）", [("海峽日報", "source")]),
        ("（撰稿：张三、李四；摄影：王五）", [("张三", "author"), ("李四", "author"), ("王五", "image")]),
        ("Posted 3 May 2024 |Jane Doe", [("Jane Doe", "")]),
        ("渡轮停航已有三天，两岸往来全靠绕行，居民盼望冰封早日解除。（海峡社记者王小明北岸23日電）", [("王小明", "author")]),
        ("社會中心／王小明報導", [("社會中心", ""), ("王小明", "")]),
        ("海峡＝山田太郎", [("海峡", ""), ("山田太郎", "")]),
        ("해협일보 김민수 기자", [("김민수", "author")]),
        ("기자 김민수", [("김민수", "author")]),
        ("山田太郎記者", [("山田太郎", "author")]),
        ("文・山田太郎", [("山田太郎", "author")]),
        ("Alexa von Heyden", [("Alexa von Heyden", "")]),
        ("بقلم أحمد خالد", [("أحمد خالد", "author")]),
    ],
)
def test_a_line_is_cut_at_elements_labels_dates_and_marks(text: str, values: list[tuple[str, str]]):
    """Each value stands alone, with the kind of its label."""
    assert [pair for pair in values_of(text) if pair[0] in dict(values)] == values


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("（张三 李四）", {"张三 李四", "张三", "李四"}),
        ("（李 迪 陈 科）", {"李 迪", "陈 科"}),
        ("来源：界面新闻 郑萃颖", {"界面新闻", "郑萃颖"}),
        ("By Ann Lee and Bob Ray", {"Ann Lee and Bob Ray", "Ann Lee", "Bob Ray"}),
    ],
)
def test_blanks_and_words_between_names_are_read_both_ways(text: str, names: set[str]):
    """A blank may part two names or two parts of one."""
    assert names <= {text for text, _ in values_of(text)}


def test_a_label_at_the_end_of_a_line_holds_for_the_next_one():
    """来源： in a line of its own."""
    assert values_of("来源：", "新报")[-1] == ("新报", "source")


@pytest.mark.parametrize(
    ("text", "beside"),
    [
        ("海峡日报| (2024-03-05 14:22)", 2),
        ("海峡日报 发布时间：2024-03-05", 2),
        ("2024-03-05| |海峡日报", 1),
        ("Posted 3 May 2024 |Jane Doe", 1),
        ("海峡日报 点击：35 2024-03-05", 0),
    ],
)
def test_a_value_stands_beside_a_date(text: str, beside: int):
    """1 for a date before it, 2 for one behind it; borders, brackets and a date's label may stand between."""
    assert next(atom for atom in cut_lines([line_of(text)]) if atom.text in ("海峡日报", "Jane Doe")).beside_date == beside


def test_a_button_at_the_end_of_a_line_is_no_label_of_the_next_one():
    """Only a colon leaves a value open."""
    assert values_of("编辑", "酒驾")[-1] == ("酒驾", "")


def test_reporters_in_a_sentence_are_no_labels():
    """记者从交通运输部获悉: what stands behind is no name."""
    assert ("从交通运输部获悉", "author") not in values_of("《经济参考报》记者从交通运输部获悉，近期批复试点实施方案")


def test_no_lines_have_no_values():
    """A page may be empty."""
    assert cut_lines([]) == []
