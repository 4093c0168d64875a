"""Pages whose markup is composed of that of one article page: lists of whole posts or long excerpts, and long articles with subheadings.

It does for the model of markup what `posts` does for boxes. What a page declares (types of Open Graph and schema.org, the classes of its
body) tells what it was before, so a composed page declares nothing.
"""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree, html

from webcontent.document.characters import CJK_RANGES
from webcontent.training.pagetype.augmentation.posts import EXCERPT, POSTS, SECTIONS, TEASERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np

    Node = Any
    """An element of lxml."""

LEAST_PARAGRAPH, LEAST_BODY, LEAST_PARAGRAPHS, LEAST_TITLE = 80, 500, 3, 6
"""Letters of a paragraph and of a body, paragraphs of a body, letters of a headline, from which pages are composed of an article."""
IDEOGRAPH_LETTERS = 2.5
"""Letters that an ideograph counts as."""
MOST_OTHER = 1.25
"""Times the letters of the body that all elements from the headline to the body may have; else the headline moves to the body."""
MOST_LINKS, MOST_TITLE_LINKS = 0.3, 0.8
"""Largest shares of a paragraph and of a headline that are linked."""
TITLE_WORDS, NAME_WORDS, SUBHEADING_WORDS, LINK_WORDS, TEASER_WORDS = (5, 14), (1, 4), (2, 8), (1, 3), (10, 30)
SUBHEADING_TAGS = ("h2", "h3", "h4")
DECLARED = ("og:", "article:", "twitter:", "date", "pub", "author", "dc.", "description")
"""How the names of meta elements begin that declare what a page is."""
RELATIONS = ("canonical", "prev", "next", "shortlink")

_MARK, _TITLE, _BODY = "data-composed", "title", "body"
_PARAGRAPHS = ("p", "blockquote")
_GAP = re.compile(rf"(?<=[{CJK_RANGES}]) (?=[{CJK_RANGES}])")
_IDEOGRAPH, _INVALID = re.compile(f"[{CJK_RANGES}]"), re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


class MarkupStory(NamedTuple):
    """Where the article of a page stands: the children `first` to `last` of `place`, which hold its headline and its body."""

    place: Node
    first: int
    last: int
    body: Node
    """Parent of the paragraphs."""


def composed_markup(markup: str, generator: np.random.Generator, *, is_list: bool) -> str | None:
    """The markup of a list of posts, or of a long article, composed of an article page; None where the page has no clear article."""
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    root = html.document_fromstring(_INVALID.sub(" ", markup).encode("utf-8", "replace"), parser=parser)
    etree.strip_elements(root, "script", "style", with_tail=False)
    story = find_markup_story(root)
    if story is None:
        return None
    _forget_declarations(root)
    composer = MarkupComposer(story, _words(story.body), generator)
    nodes = composer.list_of_posts() if is_list else composer.long_article()
    composer.replace(nodes, is_cut=generator.random() < (0.7 if is_list else 0.3))
    for node in root.xpath(f"//*[@{_MARK}]"):
        del node.attrib[_MARK]
    text: str = html.tostring(root, encoding="unicode", doctype="<!DOCTYPE html>")
    return text


# ------------------------------------------------------------------------------------------------------------- article
def find_markup_story(root: Node) -> MarkupStory | None:
    """The article of a page, with its headline and its body marked; None where they are not clear or the text is short."""
    page = root.find("body")
    body = None if page is None else _body(page)
    title = None if body is None else _title(page, body)
    if body is None or title is None:
        return None
    place, first, last = _parts(title, body)
    if sum(map(_letters, place[first : last + 1])) > MOST_OTHER * _letters(body):  # the parts hold half of the page
        body.addprevious(title)
        place, first, last = _parts(title, body)
    title.set(_MARK, _TITLE)
    if place is not body:
        body.set(_MARK, _BODY)
    return MarkupStory(place, first, last, body) if first <= last else None


def _parts(title: Node, body: Node) -> tuple[Node, int, int]:
    """The lowest element that holds the headline and the body, and the places of the first and the last of its children that do."""
    above, path = [body, *body.iterancestors()], [title, *title.iterancestors()]
    place = next(node for node in path if node in above)
    start = path[path.index(place) - 1]
    end = [node for node in place if node.tag in _PARAGRAPHS][-1] if place is body else above[above.index(place) - 1]
    return place, place.index(start), place.index(end)


def _body(page: Node) -> Node | None:
    """The element whose own paragraphs hold the most text."""
    letters: dict[Node, list[float]] = {}
    for node in page.iter(*_PARAGRAPHS):
        count = _letters(node)
        if count >= LEAST_PARAGRAPH and _linked_letters(node) < MOST_LINKS * count:
            letters.setdefault(node.getparent(), []).append(count)
    if not letters:
        return None
    body, counts = max(letters.items(), key=lambda item: sum(item[1]))
    return body if sum(counts) >= LEAST_BODY and len(counts) >= LEAST_PARAGRAPHS else None


def _title(page: Node, body: Node) -> Node | None:
    """The last h1 above the body or the first in it, else the last h2 above it."""
    order = {node: number for number, node in enumerate(page.iter())}
    titles = [
        node
        for node in page.iter("h1", "h2")
        if _letters(node) >= LEAST_TITLE and _linked_letters(node) < MOST_TITLE_LINKS * _letters(node)
    ]
    for tag in ("h1", "h2"):
        of_tag = [node for node in titles if node.tag == tag]
        above = [node for node in of_tag if order[node] < order[body]]
        inside = [node for node in of_tag if tag == "h1" and body in node.iterancestors()]
        if above or inside:
            return above[-1] if above else inside[0]
    return None


def _text(node: Node) -> str:
    return " ".join("".join(node.itertext()).split())


def _letters(node: Node) -> float:
    text = _text(node)
    return len(text) * (IDEOGRAPH_LETTERS if _IDEOGRAPH.search(text) else 1)


def _linked_letters(node: Node) -> float:
    return sum(_letters(link) for link in node.iter("a"))


def _words(body: Node) -> list[str]:
    """The words of the paragraphs, of which new texts are made; an ideograph is a word."""
    return re.findall(rf"[{CJK_RANGES}]|[^\s{CJK_RANGES}]+", " ".join(_text(node) for node in body if node.tag in _PARAGRAPHS))


def _forget_declarations(root: Node) -> None:
    """Removes what the page declares, in place; its JSON-LD went with its scripts."""
    for node in list(root.iter("meta", "link")):
        name = (node.get("property") or node.get("name") or node.get("itemprop") or "").lower()
        if name.startswith(DECLARED) if node.tag == "meta" else node.get("rel") in RELATIONS:
            node.getparent().remove(node)
    for name in ("class", "id", "itemtype"):
        root.find("body").attrib.pop(name, None)


# -------------------------------------------------------------------------------------------------------------- pages
class MarkupComposer:
    """Composes pages of the parts of a story. `words`: those that new texts are made of."""

    def __init__(self, story: MarkupStory, words: Sequence[str], generator: np.random.Generator) -> None:
        self.story, self.words, self.generator = story, words, generator
        self.parts = list(story.place)[story.first : story.last + 1]

    def replace(self, nodes: Sequence[Node], *, is_cut: bool) -> None:
        """Puts nodes in the place of the story. `is_cut`: what stands below it in the same element is left out."""
        place = self.story.place
        removed = list(place)[self.story.first :] if is_cut else self.parts
        for node in removed:
            place.remove(node)
        for number, node in enumerate(nodes):
            place.insert(self.story.first + number, node)

    def list_of_posts(self) -> list[Node]:
        """Several times the headline with all or some of the paragraphs."""
        generator = self.generator
        has_name, is_excerpt, is_linked, is_lower, has_foot, is_wrapped, has_pages = (
            generator.random(7) < (0.4, 0.35, 0.8, 0.7, 0.6, 0.6, 0.6)
        ).tolist()
        tag = str(generator.choice(["article", "div"]))
        nodes = [_element("h1", self._text(NAME_WORDS))] if has_name else []
        for _ in range(self._between(POSTS)):
            post = self._copy(self._between(EXCERPT) if is_excerpt else None)
            self._entitle(post, is_linked=is_linked, is_lower=is_lower)
            if has_foot:
                post.append(self._links(self._between((1, 5))))
            post.tag = tag
            nodes += [post] if is_wrapped else list(post)
        return [*nodes, *([self._links(self._between((2, 9)))] if has_pages else [])]

    def _entitle(self, post: Node, *, is_linked: bool, is_lower: bool) -> None:
        """Gives a copy of the story a headline of its own, in place."""
        for title in post.xpath(f".//*[@{_MARK}='{_TITLE}']"):
            text = self._text(TITLE_WORDS)
            title[:] = []
            title.text = "" if is_linked else text
            if is_linked:
                title.append(self._link(text))
            if is_lower and title.tag == "h1":
                title.tag = "h2"

    def long_article(self) -> list[Node]:
        """The headline, paragraphs below subheadings, and teasers of other articles."""
        article, tag = self._copy(None), SUBHEADING_TAGS[int(self.generator.integers(len(SUBHEADING_TAGS)))]
        body = _body_of(article)
        for _ in range(self._between(SECTIONS) - 1):
            section = _body_of(self._copy(None, with_start=False))
            body.append(_element(tag, self._text(SUBHEADING_WORDS)))
            body.extend([node for node in section if not node.xpath(f"descendant-or-self::*[@{_MARK}]")])
        return [*article, *([self._teasers()] if self.generator.random() < 0.6 else [])]

    def _teasers(self) -> Node:
        teasers, has_text = _element("div"), self.generator.random() < 0.5
        for _ in range(self._between(TEASERS)):
            teasers.append(_element("h3", "", [self._link(self._text(TITLE_WORDS))]))
            if has_text:
                teasers.append(_element("p", self._text(TEASER_WORDS)))
        return teasers

    def _copy(self, most: int | None, *, with_start: bool = True) -> Node:
        """A copy of the parts in a div; of the body only consecutive paragraphs, `most` at most, and what stands above the first one."""
        holder = _element("div", "", copy.deepcopy(self.parts))
        body = _body_of(holder)
        children = list(body)
        places = [place for place, node in enumerate(children) if node.tag in _PARAGRAPHS and _letters(node)]
        if places:
            first = int(self.generator.integers(len(places)))
            end = self._between((first + 1, len(places) + 1))
            end = end if most is None else min(end, first + most)
            kept = [*(children[: places[0]] if with_start else []), *children[places[first] : places[end - 1] + 1]]
            for node in children:
                if node not in kept and not node.xpath(f"descendant-or-self::*[@{_MARK}]"):
                    body.remove(node)
        return holder

    def _links(self, count: int) -> Node:
        """A line of short links: to the post, its comments, its tags, or to further pages."""
        return _element("p", "", [self._link(self._text(LINK_WORDS)) for _ in range(count)])

    def _link(self, text: str) -> Node:
        link = _element("a", text)
        link.set("href", f"/{int(self.generator.integers(1_000_000))}")
        return link

    def _text(self, counts: tuple[int, int]) -> str:
        """Consecutive words of the page."""
        count = self._between(counts)
        first = int(self.generator.integers(max(1, len(self.words) - count)))
        return _GAP.sub("", " ".join(self.words[first : first + count]))

    def _between(self, numbers: tuple[int, int]) -> int:
        return int(self.generator.integers(*numbers))


def _body_of(holder: Node) -> Node:
    """The copy of the body in a copy of the parts: the copy itself where the parts are the paragraphs."""
    return next(iter(holder.xpath(f".//*[@{_MARK}='{_BODY}']")), holder)


def _element(tag: str, text: str = "", children: Iterable[Node] = ()) -> Node:
    node = etree.Element(tag)
    node.text = text
    node.extend(children)
    return node
