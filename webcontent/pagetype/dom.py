"""What a page's markup amounts to, as figures for a forest: how much text, how much of it linked, what repeats, what standards declare.

No figure knows a site or a language: lengths are in words (a Chinese, Japanese or Korean character is one word), names are those of
HTML, schema.org, Open Graph and of class names that many sites share (the vocabulary is learned, and stands in the model's config).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np
from lxml import etree

from webcontent.document.blocks import TAG_CODES, TAGS
from webcontent.items import KINDS, LIST_KINDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks, Elements
    from webcontent.document.parsing import Document

SCHEMA = {
    "article": ("article", "newsarticle", "blogposting", "report", "reportagenewsarticle", "analysisnewsarticle", "opinionnewsarticle",
                "socialmediaposting", "liveblogposting", "scholarlyarticle", "medicalwebpage"),
    "technical": ("techarticle", "apireference", "howto", "softwaresourcecode", "softwareapplication", "webapplication"),
    "product": ("product", "productgroup", "individualproduct", "vehicle", "book", "offer", "aggregateoffer"),
    "rating": ("aggregaterating", "review", "rating"),
    "list": ("itemlist", "collectionpage", "blog", "searchresultspage", "offercatalog", "imagegallery"),
    "item": ("listitem",),
    "forum": ("discussionforumposting", "qapage", "question", "answer", "comment", "interactioncounter"),
    "faq": ("faqpage",),
    "offering": ("service", "localbusiness", "professionalservice", "organization", "corporation", "restaurant", "event", "place",
                 "postaladdress", "openinghoursspecification", "contactpoint"),
    "breadcrumb": ("breadcrumblist",),
    "web": ("webpage", "aboutpage", "contactpage"),
    "site": ("website", "searchaction"),
    "person": ("person",),
    "video": ("videoobject", "recipe", "movie"),
}  # fmt: skip
"""Types of schema.org by what they say about a page."""
OG_TYPES = ("article", "website", "product", "blog", "profile", "video", "object")
PUBLISHED = ("article:published_time", "datepublished", "pubdate", "publishdate", "date", "dc.date")
"""Meta elements that say when a page was published."""
REGIONS = ("nav", "header", "footer", "aside", "form")
"""What stands in these is no main text ..."""
EDGES = ("header", "footer")
"""... but in an article these are the head and foot of a record."""
COUNTED = ("img", "iframe", "video", "table", "form", "input", "select", "button", "pre", "code", "article", "section", "time", "p", "li",
           "dt",
                      "td", "h1", "h2", "h3", "h4", "ul", "blockquote", "figure", "br", "hr", "textarea", "details", "label")  # fmt: skip

_BLOCKS = (
    "blocks", "words", "link_share", "plain", "plain_share", "plain_25", "plain_25_share", "plain_60", "longest", "median_plain",
    "titles", "titles_share", "title_words", "short_links", "hidden_share", "noscript_share", "preformatted_share", "region_share",
    "run", "run_share", "run_blocks", "run_start", "main_run", "main_run_share", "main_run_titles", "runs", "second_run", "even_runs",
    "repeated_links", "link_run", "link_run_share", "link_run_blocks",
    "record_run", "record_run_share", "record_titles",
    "main_words", "main_share", "has_main", "article_words", "article_share", "article_count", "article_mean", "article_even",
    "headings", "headings_linked", "headings_linked_share", "headings_words", "h1_words", "h1_linked", "h1_place", "h1_in_title",
    "groups", "repeats", "dates", "dates_first", "prices", "price_share", "questions", "question_share", "colons",
    "p_share", "li_share", "td_share", "dd_share", "div_share", "heading_share", "comma_rate",
)  # fmt: skip
_GROUPS = tuple(
    f"{prefix}_{name}" for prefix in ("linked", "plain", "any") for name in ("count", "share", "words", "span", "start", "step")
)
_MARKUP = (
    "elements", "depth", "links", "links_per_block", "images_linked", "images_per_block", "next_link", "canonical_root", "feeds",
    "published", "author_meta", "json_ld", "offers", "og_other",
)  # fmt: skip
_URL = (
    "url_depth",
    "url_last",
    "url_hyphens",
    "url_digits",
    "url_long_number",
    "url_date",
    "url_query",
    "url_slash",
    "url_file",
    "url_number_end",
)
FEATURES = (
    _BLOCKS + _GROUPS + _MARKUP
    + tuple(f"count_{tag}" for tag in COUNTED)
    + tuple(f"schema_{name}" for name in SCHEMA)
    + tuple(f"og_{name}" for name in OG_TYPES)
    + _URL
)  # fmt: skip
"""Names of the columns that `dom_features` gives before those of the class vocabulary."""

LINKED_SHARE = 0.6
"""A block counts as linked when so much of it is: a title may carry a date or "4 minute read"."""
TITLE_WORDS = 5
"""From so many linked words a block is taken for the title of another page."""
PLAIN_WORDS = 8
"""From so many words that are not linked a block is taken for running text."""

_TYPE_OF = {name: group for group, names in SCHEMA.items() for name in names}
_DATE = re.compile(
    r"(?<!\d)(?:(?:19|20)\d\d[-/.年]\s?\d{1,2}(?:[-/.月]|\b)|\d{1,2}[-/. ](?:\d{1,2}|[^\W\d]{3,9})[-/., ]{1,2}(?:19|20)\d\d"
    r"|[^\W\d]{3,9}\.? \d{1,2},? (?:19|20)\d\d)"
)
_PRICE = re.compile(r"(?:[$€£¥￥₹₩₽]|\b(?:USD|EUR|GBP|CNY|RMB|JPY)\b)\s?\d|\d\s?(?:[€£¥￥₹₩₽元円]|(?:USD|EUR|GBP|CNY|RMB|JPY)\b)")
_TOKEN = re.compile(r"[a-z]{3,20}")
_ITEMTYPE = etree.XPath("descendant::*[@itemtype]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LONG_NUMBER = re.compile(r"\d{5,}")
_URL_DATE = re.compile(r"(?:19|20)\d\d[-/_]?(?:0\d|1[0-2])")
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LETTERS = bytes(c if chr(c).islower() and c < 128 else 32 for c in range(256))
"""Translates all but small letters to blanks."""
_LARGE_BLOCKS = 6000


def _marks(*tags: str) -> NDArray[np.bool_]:
    """bool [len(TAGS)]: a table that tells these tags by their codes."""
    table = np.zeros(len(TAGS), dtype=bool)
    table[[TAG_CODES[tag] for tag in tags]] = True
    return table


_IS_HEADING = _marks("h1", "h2", "h3", "h4", "h5", "h6")
_IN_REGIONS, _IN_EDGES, _IN_ARTICLE, _IN_MAIN = _marks(*REGIONS), _marks(*EDGES), _marks("article"), _marks("main")
_TEXT_TAGS = {
    "p_share": _marks("p"),
    "li_share": _marks("li"),
    "td_share": _marks("td", "th"),
    "dd_share": _marks("dd", "dt"),
    "div_share": _marks("div", "section", "article", "body"),
    "heading_share": _IS_HEADING,
}


def dom_features(document: Document, vocabulary: Sequence[str] = ()) -> NDArray[Any]:
    """float32 [1, len(FEATURES) + len(vocabulary)]; counts as logarithms, -1 where there is nothing to measure,
    1 for each word of the vocabulary that the page's class names have."""
    blocks = document.blocks
    values = {
        **_block_figures(document, blocks),
        **_markup_figures(document, blocks.elements),
        **_standard_figures(document),
        **_url_figures(document.url),
    }
    row = np.zeros((1, len(FEATURES) + len(vocabulary)), dtype=np.float32)
    row[0, : len(FEATURES)] = [values[name] for name in FEATURES]
    if vocabulary:
        row[0, len(FEATURES) :] = list(map(page_tokens(document).__contains__, vocabulary))
    return row


def page_tokens(document: Document) -> set[str]:
    """Words that say what a page is made with: of its classes and ids ("postTitle" is post and title), and, with a prefix, of the names of
    its meta elements, its generator, the types of its JSON-LD, its host (before the registered domain) and the folders of its address."""
    blocks, meta = document.blocks, document.meta
    names = {name[:300] for name in {*blocks.class_codes[0], *blocks.elements.ids}}
    lower = [name for name in names if name == name.lower()]  # most are: they need no cut
    mixed = _CAMEL.sub(" ", " ".join(names.difference(lower))).lower()
    words = set(" ".join([*lower, mixed]).encode("ascii", "replace").translate(_LETTERS).split())
    tokens = set(_TOKEN.findall(b" ".join(words).decode()))
    tokens |= {f"meta:{name[:40]}" for name in meta}
    tokens |= {f"generator:{word}" for content in meta.get("generator", ())[:3] for word in _TOKEN.findall(content[:100].lower())[:1]}
    for entry in document.json_ld:
        types = entry.get("@type")
        tokens |= {f"ld:{name.lower()[:40]}" for name in (types if isinstance(types, list) else [types]) if isinstance(name, str)}
    try:
        parts = urlsplit(document.url or "")
        tokens |= {f"url:{folder}" for folder in parts.path[:500].lower().split("/")[1:-1] if _TOKEN.fullmatch(folder)}
        tokens |= {f"host:{name}" for name in (parts.hostname or "").split(".")[:-2]}
    except ValueError:
        pass  # an address that no parser takes has no folders
    return tokens


def article_probability(article: float, kinds: NDArray[Any]) -> float:
    """How likely the page is an article by both forests: the mean of what the one for types and the one for kinds say."""
    return (float(article) + sum(float(kinds[i]) for i, kind in enumerate(KINDS) if kind not in LIST_KINDS)) / 2


def _log(value: Any) -> float:
    return math.log1p(max(float(value), 0.0))


def _share(part: Any, whole: Any) -> float:
    return float(part) / float(whole) if whole > 0 else 0.0


def _in_regions(elements: Elements, marks: NDArray[np.bool_], count: int) -> NDArray[Any]:
    """bool [count]: which blocks stand inside elements of the tags marked."""
    rows = np.flatnonzero(marks[elements.tag])
    depth = np.bincount(elements.start[rows], minlength=count + 1) - np.bincount(elements.end[rows], minlength=count + 1)
    return np.cumsum(depth[:-1]) > 0


def _block_figures(document: Document, blocks: Blocks) -> dict[str, float]:
    n, elements = len(blocks), blocks.elements
    if not n:
        return dict.fromkeys(_BLOCKS + _GROUPS, 0.0)
    words, link_words, tag = blocks.words.astype(float), blocks.link_words.astype(float), blocks.tag
    shown = ~blocks.hidden & ~blocks.noscript
    if words[shown].sum() < 0.3 * words.sum():  # pages that hide everything until a script runs
        shown = np.ones(n, dtype=bool)
    linked = link_words >= LINKED_SHARE * np.maximum(words, 1)
    visible = np.where(shown, words, 0.0)
    total = max(visible.sum(), 1.0)
    plain = shown & (link_words < 0.3 * words) & (words >= PLAIN_WORDS)
    title = shown & linked & (link_words >= TITLE_WORDS)
    heading = shown & _IS_HEADING[tag]
    region = _in_regions(elements, _IN_REGIONS, n)
    main = shown & ~region
    record = main | (shown & _in_regions(elements, _IN_EDGES, n) & _in_regions(elements, _IN_ARTICLE, n))
    plain_words = words[plain]
    values = {
        "blocks": _log(n), "words": _log(total), "link_share": link_words[shown].sum() / total, "plain": _log(plain.sum()),
        "plain_share": plain_words.sum() / total, "plain_25": _log((plain_words >= 25).sum()),
        "plain_25_share": plain_words[plain_words >= 25].sum() / total, "plain_60": _log((plain_words >= 60).sum()),
        "longest": _log(plain_words.max(initial=0)), "median_plain": _log(np.median(plain_words)) if len(plain_words) else 0.0,
        "titles": _log(title.sum()), "titles_share": words[title].sum() / total,
        "title_words": _log(words[title].mean()) if title.any() else 0.0, "short_links": _log((shown & linked & ~title).sum()),
        "hidden_share": _share(words[blocks.hidden].sum(), words.sum()),
        "noscript_share": _share(words[blocks.noscript].sum(), words.sum()),
        "preformatted_share": visible[blocks.preformatted].sum() / total, "region_share": visible[region].sum() / total,
    }  # fmt: skip
    values |= _run_figures(words, plain, title, main, total)
    values |= _record_figures(words, plain & record, title & record)
    values |= _link_figures(blocks, words, plain, shown & linked & ~region, total)
    values |= _article_figures(elements, visible, total, n)
    values |= _heading_figures(document, blocks, words, heading, linked, visible)
    values |= _group_figures(blocks, words, shown, linked, total)
    values |= _text_figures(blocks, words, shown, total)
    return values | {name: visible[marks[tag]].sum() / total for name, marks in _TEXT_TAGS.items()}


def _run_figures(words: NDArray[Any], plain: NDArray[Any], title: NDArray[Any], main: NDArray[Any], total: float) -> dict[str, float]:
    """Running text between two titles of other pages: an article has one long run, a list many short ones of even length."""
    run = np.cumsum(title)
    sums = np.bincount(run, weights=np.where(plain, words, 0))
    best = int(np.argmax(sums))
    main_run = np.cumsum(title & main)
    main_sums = np.bincount(main_run, weights=np.where(plain & main, words, 0))
    ordered = np.sort(sums)[::-1]
    filled = sums[sums > 0]
    main_words = max(words[main].sum(), 1.0)
    return {
        "run": _log(sums[best]), "run_share": sums[best] / total, "run_blocks": _log((plain & (run == best)).sum()),
        "run_start": float(np.argmax(run == best)) / len(words), "main_run": _log(main_sums.max()),
        "main_run_share": main_sums.max() / main_words,
        "main_run_titles": _log((title & main)[: int(np.argmax(main_run == int(np.argmax(main_sums))))].sum()), "runs": _log(len(filled)),
        "second_run": _share(ordered[1] if len(ordered) > 1 else 0, ordered[0]),
        "even_runs": _share(filled.std(), filled.mean()) if len(filled) > 1 else -1.0,
    }  # fmt: skip


def _record_figures(words: NDArray[Any], plain: NDArray[Any], title: NDArray[Any]) -> dict[str, float]:
    """The longest run once more, with the heads and feet of records."""
    sums = np.bincount(np.cumsum(title), weights=np.where(plain, words, 0))
    share = _share(sums.max(), sums.sum())
    return {"record_run": _log(sums.max()), "record_run_share": share, "record_titles": _log(title.sum())}


def _link_figures(blocks: Blocks, words: NDArray[Any], plain: NDArray[Any], linked: NDArray[Any], total: float) -> dict[str, float]:
    """How often one short link comes back ("read more"), and the longest running text that no linked block at all breaks."""
    short = np.flatnonzero(linked & (words < TITLE_WORDS)).tolist()
    repeated = Counter(blocks.texts[i] for i in short).most_common(1)
    run = np.cumsum(linked)
    sums = np.bincount(run, weights=np.where(plain, words, 0))
    best = int(np.argmax(sums))
    return {
        "repeated_links": _log(repeated[0][1] if repeated else 0), "link_run": _log(sums[best]), "link_run_share": sums[best] / total,
        "link_run_blocks": _log((plain & (run == best)).sum()),
    }  # fmt: skip


def _article_figures(elements: Elements, visible: NDArray[Any], total: float, n: int) -> dict[str, float]:
    """What stands outside navigation, and inside <article>."""
    sums = np.concatenate(([0.0], np.cumsum(visible)))
    rows = np.flatnonzero(elements.tag == TAG_CODES["article"])
    sizes = sums[elements.end[rows]] - sums[elements.start[rows]]
    sizes = sizes[sizes > 0]
    main = _in_regions(elements, _IN_MAIN, n)
    return {
        "main_words": _log(visible[main].sum()) if main.any() else -1.0,
        "main_share": -1.0 if not main.any() else visible[main].sum() / total,
        "has_main": float(main.any()), "article_words": _log(sizes.max(initial=0)), "article_share": sizes.max(initial=0) / total,
        "article_count": _log(len(sizes)), "article_mean": _log(sizes.mean()) if len(sizes) else -1.0,
        "article_even": _share(sizes.std(), sizes.mean()) if len(sizes) > 1 else -1.0,
    }  # fmt: skip


def _heading_figures(
    document: Document, blocks: Blocks, words: NDArray[Any], heading: NDArray[Any], linked: NDArray[Any], visible: NDArray[Any]
) -> dict[str, float]:
    first = np.flatnonzero((blocks.tag == TAG_CODES["h1"]) & heading)
    rows = np.flatnonzero(heading)
    values = {
        "headings": _log(len(rows)), "headings_linked": _log(linked[rows].sum()),
        "headings_linked_share": _share(linked[rows].sum(), len(rows)),
        "headings_words": float(words[rows].mean()) if len(rows) else 0.0, "h1_words": -1.0, "h1_linked": -1.0, "h1_place": -1.0,
        "h1_in_title": -1.0,
    }  # fmt: skip
    if len(first):
        place = int(first[np.argmax(words[first])])
        title = " ".join((document.title or "").split()).lower()
        values |= {
            "h1_words": float(words[place]), "h1_linked": float(linked[place]), "h1_place": visible[:place].sum() / max(visible.sum(), 1.0),
            "h1_in_title": float(blocks.texts[place].lower()[:200] in title),
        }  # fmt: skip
    return values


def _group_figures(blocks: Blocks, words: NDArray[Any], shown: NDArray[Any], linked: NDArray[Any], total: float) -> dict[str, float]:
    """Blocks in equal markup (tag and class of the element and of the two around it) are the records of a list, or the paragraphs of a
    text: the group with the most words among the linked blocks, among the others, and among all."""
    elements, n = blocks.elements, len(blocks)
    names, classes = blocks.class_codes
    pair = classes * len(TAGS) + elements.tag
    places = np.arange(len(pair))
    first = np.empty(len(names) * len(TAGS), dtype=np.int64)
    first[pair[::-1]] = places[::-1]  # of each pair of tag and class the row where it comes first
    number = np.cumsum(first[pair] == places)
    own = number[first[pair]]
    parent = elements.parent
    above = np.where(parent >= 0, own[parent], 0)
    further = np.where(parent >= 0, above[parent], 0)
    base = int(number[-1]) + 1
    key = ((own * base + above) * base + further)[blocks.element]
    _, group = np.unique(key, return_inverse=True)
    size = np.bincount(group)
    values = {"groups": _log((size >= 4).sum()), "repeats": float((size[group] >= 4).mean())}
    for prefix, wanted in (("linked", shown & linked), ("plain", shown & ~linked), ("any", shown)):
        weights = np.where(wanted & (words >= 3) & (size[group] >= 3), words, 0.0)
        sums = np.bincount(group, weights=weights)
        members = np.flatnonzero((group == int(np.argmax(sums))) & (weights > 0))
        count = len(members)
        steps = np.diff(members)
        values |= {
            f"{prefix}_count": _log(count), f"{prefix}_share": sums.max() / total,
            f"{prefix}_words": _log(words[members].mean()) if count else 0.0,
            f"{prefix}_span": _share(members[-1] - members[0], n) if count else 0.0,
            f"{prefix}_start": float(members[0]) / n if count else 1.0,
            f"{prefix}_step": _share(steps.std(), steps.mean()) if count > 2 else -1.0,
        }  # fmt: skip
    return values


def _text_figures(blocks: Blocks, words: NDArray[Any], shown: NDArray[Any], total: float) -> dict[str, float]:
    """Dates, prices, questions; in short blocks only, where records and bylines stand."""
    short = np.flatnonzero(shown & (words <= 20))[:_LARGE_BLOCKS].tolist()
    texts = [blocks.texts[i][:200] for i in short]
    with_digit = [(i, text) for i, text in zip(short, texts, strict=True) if _DIGIT.search(text)]
    dates = [i for i, text in with_digit if _YEAR.search(text) and _DATE.search(text)]  # every date has a year, which is found sooner
    prices = sum(_PRICE.search(text) is not None for _, text in with_digit)
    last = Counter([text[-1] for text in texts])
    questions, colons = last["?"] + last["？"], last[":"] + last["："]
    long_text = "".join([blocks.texts[i][:1000] for i in np.flatnonzero(shown & (words > 20))[:200].tolist()])
    marks = sum(long_text.count(mark) for mark in ",，、;；")
    return {
        "dates": _log(len(dates)), "dates_first": dates[0] / len(words) if dates else -1.0, "prices": _log(prices),
        "price_share": _share(prices, len(texts)),
        "questions": _log(questions), "question_share": _share(questions, len(texts)), "colons": _log(colons),
        "comma_rate": _share(100 * marks, len(long_text)),
    }  # fmt: skip


def _markup_figures(document: Document, elements: Elements) -> dict[str, float]:
    counts = np.bincount(elements.tag, minlength=len(TAG_CODES))
    words = max(len(document.blocks.texts), 1)
    images = np.flatnonzero(elements.tag == TAG_CODES["img"])
    link = elements.tag == TAG_CODES["a"]
    above = elements.parent[images] if len(images) else images
    image_links = link[above] | link[np.maximum(elements.parent[above], 0)] if len(images) else np.zeros(0)
    values = {
        "elements": _log(len(elements)), "depth": float(elements.depth.max(initial=0)), "links": _log(counts[TAG_CODES["a"]]),
        "links_per_block": counts[TAG_CODES["a"]] / words, "images_linked": _share(image_links.sum(), len(images)),
        "images_per_block": len(images) / words,
    }  # fmt: skip
    return values | {f"count_{tag}": _log(counts[TAG_CODES[tag]]) for tag in COUNTED}


def _standard_figures(document: Document) -> dict[str, float]:
    """What the page declares by schema.org (JSON-LD, microdata), Open Graph, link and meta elements."""
    schema: Counter[str] = Counter()
    for entry in document.json_ld:
        names = entry.get("@type")
        for name in names if isinstance(names, list) else [names]:
            if isinstance(name, str):
                schema[_TYPE_OF.get(name.rsplit("/", 1)[-1].lower(), "")] += 1
    has_microdata = "itemtype" in document.text or "itemType" in document.text  # most pages have none: the tree need not be searched
    for node in _ITEMTYPE(document.root) if has_microdata else ():
        schema[_TYPE_OF.get((node.get("itemtype") or "").strip().rsplit("/", 1)[-1].lower(), "")] += 1
    meta = document.meta
    og_type = (meta.get("og:type") or [""])[0].strip().lower().split(":")[-1].split(".")[0]
    relations: Counter[str] = Counter()
    canonical = ""
    for node in document.root.iter("link"):
        relation = (node.get("rel") or "").strip().lower()
        relations[relation] += 1
        if relation == "alternate" and ("rss" in (node.get("type") or "") or "atom" in (node.get("type") or "")):
            relations["feed"] += 1
        if relation == "canonical":
            canonical = node.get("href") or ""
    values = {
        "next_link": float(relations["next"] > 0), "canonical_root": _is_root(canonical), "feeds": _log(relations["feed"]),
        "published": float(any(name in meta for name in PUBLISHED)),
        "author_meta": float(any(key in meta for key in ("author", "article:author", "dc.creator"))),
        "json_ld": _log(len(document.json_ld)),
        "offers": float(any("offers" in entry or "price" in entry for entry in document.json_ld)),
        "og_other": float(bool(og_type) and og_type not in OG_TYPES),
    }  # fmt: skip
    values |= {f"schema_{name}": _log(schema[name]) for name in SCHEMA}
    return values | {f"og_{name}": float(og_type == name) for name in OG_TYPES}


def _is_root(address: str) -> float:
    try:
        return float(bool(address) and urlsplit(address.strip()).path in ("", "/"))
    except ValueError:
        return 0.0


def _url_figures(url: str | None) -> dict[str, float]:
    try:
        parts = urlsplit(url or "")
    except ValueError:
        parts = urlsplit("")
    if not parts.netloc:
        return dict.fromkeys(_URL, -1.0)
    segments = [segment for segment in parts.path.split("/") if segment]
    last = segments[-1] if segments else ""
    return {
        "url_depth": float(len(segments)), "url_last": _log(len(last)),
        "url_hyphens": _log(last.count("-") + last.count("_") + last.count("%20")),
        "url_digits": _share(sum(map(str.isdigit, last)), len(last)), "url_long_number": float(_LONG_NUMBER.search(parts.path) is not None),
        "url_date": float(_URL_DATE.search(parts.path) is not None), "url_query": float(parts.query.count("=")),
        "url_slash": float(parts.path.endswith("/")),
        "url_file": float("." in last), "url_number_end": float(last[-1:].isdigit()),
    }  # fmt: skip
