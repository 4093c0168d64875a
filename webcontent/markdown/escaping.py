r"""Text, code, TeX and addresses -> Markdown that shows the same and nothing else.

Nothing is escaped that needs no escaping, because Markdown is also read as plain text: `snake_case`, `C#`, `2 * 3` and `[1]` stay. What is
escaped holds for CommonMark, GitHub, python-markdown and mistune. python-markdown knows no backslash before `<` and `&`, so these become
entities, and its extension attr_list reads attributes in braces.
"""

from __future__ import annotations

import re
from functools import cache
from html import escape
from itertools import cycle
from urllib.parse import quote

_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef"
    + "".join(chr(plane << 16 | end) for plane in range(17) for end in (0xFFFE, 0xFFFF))
    + "]"
)
"""Control characters and Unicode's noncharacters: no text holds them, and XML does not allow most of them."""
_SPECIAL = re.compile(r"[\\`*_~<&\[\]{^]")
_MARKUP = r"""
    \\(?=[!-/:-@\[-`{-~]|\Z)                  # a backslash before punctuation
    | `
    | (?<![\s*])\*++ | (?<!\*)\*++(?!\s)      # asterisks beside a word
    | (?<!\w)_++(?!\s) | (?<![\s_])_++(?!\w)  # underscores at the edge of a word
    | ~~+
    | <(?=[A-Za-z/!?<]|\Z)
    | &(?=\#?\w{1,31};|\Z)
    | \[(?=\^) | \](?=[(:\[]) | \^(?=\[)      # a note; a link, a definition of one
    | \A\[(?=[^\]]*(?:\](?=[(:\[])|\Z))      # what mistune closes in a later block, whatever stands between
    | \{(?=[^{}\n]*(?:[={]|\Z)) | \A\{(?=[^\n]*\})  # attributes, of what stands before the text, too
    """
_ENTITY = re.compile(r"&(?=#?\w{1,31};)")
_ENTITIES = {"<": "&lt;", "&": "&amp;"}
_PAIRS = {
    "$": (re.compile(r"\$(?=\S(?:[^$\n]*\S)?\$(?!\d))|\$(?=\$)"), re.compile(r"\$")),
    "~": (re.compile(r"(?<!~)~(?=[^\s~])"), re.compile(r"(?<=[^\s~])~(?!~)")),
}
"""Character -> where a formula, or text with a line through it, may begin, and where it may end then. Prices such as $5 and $6 do not."""
_LINE_START = re.compile(r"([-+*:](?=\s|\Z)|#|>|[-=_* ]+\Z|[-:| ]+\Z|\|)|(\d+)([.)](?=\s|\Z))")
_LIVE = re.compile(r"<[a-z/!?]|<[^\s<>]*@|\]\(|^[ \t>*+\-\d.)]*\[[^\[\]\n]*\]:|\{[^{}\n]*(?:\bon\w+\s*=|=[\"'])", re.I | re.M)
"""Tags, links, definitions of links, and attributes for scripts."""
_LIVE_IN_HTML = re.compile(r"`|(?<=\])[(:\[]|\{(?=[^{}\n]*[={])")
_LIVE_IN_FRONT_MATTER = re.compile(r"<|(?<=\])[(:\[]|\{")
_TICKS = re.compile(r"`+")
_LANGUAGE = re.compile(r"[\w#.+-]+")
_BLANK_LINE = re.compile(r"(?<=\n)([ \t\r\f\v]*)\n")
_NOT_IN_ADDRESS = re.compile(r"[^!-~]|[<>\"`\\|{}]|\](?=[(\[])")
_BRACKET = re.compile(r"\\.|([\[\]])")
_TEX_COMMENT = re.compile(r"(?<!\\)%.*\n?")
_TEX_MARKUP = re.compile(
    r"<(?=[a-z/!?<]|[^\s<>]*@)|&(?=#?\w{1,31};)|\](?=[(:\[])|\[(?=\^)|\^(?=\[)|\b(?:on\w+|style|background|href|src)(?==)|=(?=[\"'])", re.I
)
_TEX_BRACE = re.compile(r"\\.|([{}])")
_TEX_DOLLAR = re.compile(r"(?<!\\)\$")


def cleaned(text: str) -> str:
    """A text without control characters and noncharacters, one blank in the place of each white space."""
    text = " ".join(text.split())
    return text if text.isprintable() else " ".join(_FORBIDDEN.sub("", text).split())


def cleaned_lines(text: str) -> str:
    """The same for code, whose white space stays."""
    return _FORBIDDEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def escape_text(text: str, pairs: str = "") -> str:
    r"""A text within a line. Its ends are taken for ends of words, because marks of Markdown may follow there.

    `pairs`: characters that get a backslash too, see `pairs_in`.
    """
    return _pattern(pairs).sub(_escaped, text) if pairs or _SPECIAL.search(text) else text


@cache
def _pattern(pairs: str) -> re.Pattern[str]:
    return re.compile(f"[{pairs}]|{_MARKUP}" if pairs else _MARKUP, re.VERBOSE)


def _escaped(match: re.Match[str]) -> str:
    return _ENTITIES.get(match[0]) or "".join([f"\\{character}" for character in match[0]])


def pairs_in(line: str) -> str:
    """Those characters that a reader may take for a pair of marks in a line without escapes: "$", "~", and "<" of an e-mail address."""
    if "$" not in line and "~" not in line and "<" not in line:  # as in most lines
        return ""
    pairs = [
        character
        for character, (begin, end) in _PAIRS.items()
        if character in line and (match := begin.search(line)) and end.search(line, match.end())
    ]
    return "".join([*pairs, "<"] if "@" in line and "<" in line else pairs)


def escape_line_start(text: str) -> str:
    """The escaped text at the beginning of a line."""
    match = _LINE_START.match(text)
    return f"{match[2] or ''}\\{text[len(match[2] or '') :]}" if match else text


def escape_line(text: str, pairs: str = "") -> str:
    """A plain text within a line. `pairs`: characters that get a backslash even without a second one."""
    line = cleaned(text)
    return escape_text(line, pairs + pairs_in(line))


def heading(line: str, level: int) -> str:
    r"""A heading of escaped text; "" without text. Number signs at its end would be taken for its end."""
    text = f"{line[:-1]}\\#" if line.endswith("#") else line
    return f"{'#' * level} {text}" if text else ""


def with_brackets(text: str) -> str:
    """Escaped text of a link or an image: all brackets get a backslash where they do not belong together."""
    if "[" not in text and "]" not in text or _is_balanced("".join(_BRACKET.findall(text)), "[", "]"):
        return text
    return _BRACKET.sub(lambda match: f"\\{match[1]}" if match[1] else match[0], text)


def _is_balanced(text: str, opening: str, closing: str) -> bool:
    depth = 0
    for character in text:
        depth += (character == opening) - (character == closing)
        if depth < 0:
            break
    return depth == 0


def address(url: str) -> str:
    """An address as the target of a link, on one line and without what would end it."""
    url = _NOT_IN_ADDRESS.sub(lambda match: quote(match[0], safe="", errors="replace"), cleaned_lines(url).strip())
    if ("(" in url or ")" in url) and not _is_balanced(url, "(", ")"):
        url = url.replace("(", "%28").replace(")", "%29")
    return _ENTITY.sub("&amp;", url) if "&" in url else url


def code_span(text: str) -> str:
    """Code within a line."""
    ticks = _ticks(text, 0)
    blank = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{ticks}{blank}{text}{blank}{ticks}"


def code_block(text: str, language: str, *, is_nested: bool) -> str:
    """A fenced block of code.

    `is_nested`: in a list, a quote or a note, where python-markdown reads no fences; code that would come alive there is HTML.
    """
    language = language if _LANGUAGE.fullmatch(language) else ""
    if is_nested and _LIVE.search(text):
        name = f' class="language-{language}"' if language else ""
        return html_block(f"<pre><code{name}>{escape(text, quote=False)}</code></pre>")
    ticks = _ticks(text, 2)
    return f"{ticks}{language}\n{text}\n{ticks}"


def _ticks(text: str, least: int) -> str:
    """Backticks around code: more than `least`, and more than follow each other in it."""
    return "`" * (max(least, *map(len, _TICKS.findall(text)), 0) + 1)


def html_block(html: str) -> str:
    """HTML without blank lines, which would end it, and without what would be Markdown where a reader takes it for text."""
    return _LIVE_IN_HTML.sub(lambda match: f"&#{ord(match[0])};", _BLANK_LINE.sub(r"\1&#10;", html))


def front_matter_value(json: str) -> str:
    """A JSON value that shows no markup where a reader takes front matter for text."""
    return _LIVE_IN_FRONT_MATTER.sub(lambda match: f"\\u{ord(match[0]):04x}", json)


def formula(tex: str, *, is_display: bool, in_cell: bool) -> str:
    """TeX between dollar signs, on one line. Blanks, which TeX ignores, part what would be markup for readers that know no formulas."""
    line = _TEX_MARKUP.sub(r"\g<0> ", cleaned(_TEX_COMMENT.sub("\n", tex)).replace("`", "\u2018"))
    if "$" in line:  # a formula in the text of a formula
        sides = cycle("()")
        line = _TEX_DOLLAR.sub(lambda _: f"\\{next(sides)}", line)
    if in_cell:
        line = line.replace("\\|", "\\Vert ").replace("|", "\\vert ")
    if (len(line) - len(line.rstrip("\\"))) % 2:  # of a blank at the end
        line = line[:-1]
    depth = 0
    for brace in _TEX_BRACE.findall(line):
        depth = max(0, depth + (brace == "{") - (brace == "}"))
    line += "}" * depth  # attributes would go on behind the formula
    mark = "$$" if is_display else "$"
    return f"{mark}{line.strip()}{mark}" if line.strip() else ""
