"""The collapsed DOM: which text nodes are leaves, what is merged, and what is counted in them."""

from __future__ import annotations

import numpy as np
import pytest

from webcontent.document.parsing import Document
from webcontent.extractors.web2text.collapsed import SUMS, Collapsed
from webcontent.items import Page


def collapsed_of(html: str) -> Collapsed:
    return Collapsed(Document.from_page(Page(html=html)).blocks)


def counts(text: str) -> dict[str, float]:
    """What is counted in one text, without what is 0."""
    sums = collapsed_of(f"<p>{text}</p>").leaf_sums
    return {name: float(column[0]) for name, column in sums.items() if column[0]}


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("", []),
        ("<p> \n </p><div></div>", []),
        ("<p>one <b>two</b> three</p>", ["one", "two", "three"]),
        ("<p>one <!-- a comment --> line</p>", ["one line"]),
        ("<p>kept</p><select><option>x</select><textarea>y</textarea><script>z</script><style>w</style>", ["kept"]),
        ("<noscript><p>also kept</p></noscript><p hidden>and this</p>", ["also kept", "and this"]),
        ("<p>a<br>b</p>", ["a", "b"]),
    ],
    ids=["nothing", "blanks", "inline tags part a paragraph", "comments do not", "controls", "noscript and hidden", "line breaks"],
)
def test_leaves_are_text_nodes_that_are_not_blank(html: str, texts: list[str]) -> None:
    """In reading order, white space collapsed."""
    assert collapsed_of(html).texts == texts


def test_elements_that_hold_the_same_leaves_are_one_node() -> None:
    """An element with one kept child is merged with it; one without text is dropped."""
    tree = collapsed_of("<body><div><section><p>one <b>two</b></p><p></p></section></div><ul><li><a href=x>three</a></li></ul></body>")
    names = [tree.elements.nodes[row].tag for row in tree.top]
    assert names == ["html", "div", "b", "ul"]  # html + body, div + section + p, b + "two", ul + li + a + "three"
    assert tree.parent.tolist() == [-1, 0, 1, 0]
    assert tree.leaf_node.tolist() == [-1, 2, 3]
    assert tree.leaf_parent.tolist() == [1, 1, 0]


def test_neighbours_meet_in_their_lowest_common_node() -> None:
    """The distance counts the steps up and down."""
    tree = collapsed_of("<body><div>one <b>two</b></div><div><p>three <i>four</i></p><p>five</p></div></body>")
    tops = [tree.elements.nodes[row].tag for row in tree.top[tree.common]]
    assert tops == ["div", "html", "p", "div"]
    assert tree.distance.tolist() == [2, 5, 2, 3]


@pytest.mark.parametrize("seed", range(5))
def test_the_tables_agree_with_the_tree(seed: int) -> None:
    """Parents, common nodes and depths found by columns are those of a walk over the tree (random markup)."""
    random = np.random.default_rng(seed)
    tags = random.choice(["<div>", "</div>", "<p>", "</p>", "<b>", "</b>", "<a href=x>", "</a>", "word ", "<br>", "<ul><li>", "</ul>"], 300)
    tree = collapsed_of("".join(tags))
    chains = []
    for leaf in range(len(tree)):
        row, chain = int(tree.holder[leaf]), []
        while row >= 0:
            span = (int(tree.element_first[row]), int(tree.element_end[row]))
            if span[1] - span[0] > 1 and (not chain or chain[-1] != span):
                chain.append(span)
            row = int(tree.elements.parent[row])
        chains.append(chain)
    spans = list(zip(tree.first.tolist(), tree.end.tolist(), strict=True))
    assert [spans[node] for node in tree.leaf_parent] == [chain[0] for chain in chains]
    shared = [next(span for span in chain if span[1] > leaf + 1) for leaf, chain in enumerate(chains[:-1])]
    assert [spans[node] for node in tree.common] == shared
    steps = [chains[i].index(span) + chains[i + 1].index(span) + 2 for i, span in enumerate(shared)]
    assert tree.distance.tolist() == steps


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Two words", {"words": 2, "spaced_words": 2, "capitals": 1, "characters": 9, "sentences": 1}),
        (
            "The end. And more? no.",
            {"words": 5, "stopwords": 4, "spaced_words": 5, "capitals": 2, "characters": 22, "punctuation": 3, "sentences": 2},
        ),
        ("新闻的报道。明天", {"words": 7, "stopwords": 1, "characters": 8, "punctuation": 1, "sentences": 2}),
        ("© 2024 x", {"words": 2, "spaced_words": 2, "digits": 4, "characters": 8, "sentences": 1, "copyrights": 1, "years": 1}),
        ("A2024 20245", {"words": 3, "stopwords": 1, "spaced_words": 3, "capitals": 1, "digits": 9, "characters": 11, "sentences": 1}),
    ],
    ids=["words", "sentences", "Chinese", "copyright and year", "numbers that are no years"],
)
def test_counts_of_a_text(text: str, expected: dict[str, float]) -> None:
    """A Chinese character is a word without a capital; stop words are of any language."""
    assert counts(text) == expected


def test_addresses_are_counted() -> None:
    """E-mail and web addresses."""
    found = counts("write to me@example.org or see https://example.org/ and ftp://x")
    assert (found["emails"], found["urls"]) == (1, 2)


def test_a_node_has_the_sums_of_its_leaves() -> None:
    """Link characters, too."""
    tree = collapsed_of("<div><p>one <a href=x>two</a></p><p>three</p></div><p>four</p>")
    assert tree.node_sums["characters"].tolist() == [15, 11, 6, 3, 5, 4]
    assert tree.node_sums["link_characters"].tolist() == [3, 3, 3, 3, 0, 0]
    assert set(tree.node_sums) == set(SUMS)


def test_what_holds_an_input_is_marked_up_to_the_root() -> None:
    """And nothing beside it."""
    tree = collapsed_of("<form><p>name <input></p></form><p>text</p>")
    marked = {tree.elements.nodes[row].tag for row in np.flatnonzero(tree.has_input)}
    assert marked == {"html", "body", "form", "p", "input"}
    assert int(tree.has_input.sum()) == 5
