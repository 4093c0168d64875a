"""AsciiMath -> TeX, for its frequent constructs: fractions, roots, scripts, matrices, functions, words and symbols."""

from __future__ import annotations

import re

from webcontent.document.rich_text.mathml import FUNCTIONS, MAX_DEPTH, SYMBOLS, joined, pairs

_COMMANDS = {tex[1:]: tex for tex in SYMBOLS.values() if tex[1:].isalpha()} | pairs("ascii")
_ONE, _TWO = pairs("ascii_one"), pairs("ascii_two")
"""Commands of one and of two arguments."""
_NAMES = "|".join(map(re.escape, sorted({*_COMMANDS, *_ONE, *_TWO, *FUNCTIONS}, key=len, reverse=True)))
_TOKEN = re.compile(rf"\"[^\"]*\"|text\([^()]*\)|{_NAMES}|\d+(?:\.\d+)?|\S")
_OPENING, _CLOSING = "([{", (")", "]", "}")
_ROWS = re.compile(r"[(\[][^()\[\]]*[)\]](?:,[(\[][^()\[\]]*[)\]])+")


def ascii_to_tex(text: str) -> str:
    """The TeX of a formula in AsciiMath; brackets without their partners stay."""
    symbols, parts = _TOKEN.findall(text)[::-1], list[str]()
    while symbols:
        parts += [_expression(symbols, 0), *symbols[-1:]]
        del symbols[-1:]
    return joined(parts)


def _expression(symbols: list[str], depth: int) -> str:
    """Terms and fractions up to a closing bracket; `symbols`: in reverse order, those that were read are taken away."""
    parts: list[str] = []
    while symbols and symbols[-1] not in _CLOSING:
        part = _scripted(symbols, depth)
        if symbols and symbols[-1] == "/":
            symbols.pop()
            part = f"\\frac{{{_inner(part)}}}{{{_inner(_scripted(symbols, depth))}}}"
        parts.append(part)
    return joined(parts)


def _scripted(symbols: list[str], depth: int) -> str:
    base = _simple(symbols, depth)
    while symbols and symbols[-1] in ("_", "^"):
        mark, script = symbols.pop(), _inner(_simple(symbols, depth))
        base += mark + (script if len(script) == 1 else f"{{{script}}}")
    return base


def _simple(symbols: list[str], depth: int) -> str:
    """A symbol, a function or command with its arguments, or what brackets hold."""
    symbol = symbols.pop() if symbols else ""
    if depth > MAX_DEPTH or not symbol:
        return symbol
    if symbol in _OPENING:
        inner, closing = _expression(symbols, depth + 1), symbols.pop() if symbols else ""
        if _ROWS.fullmatch(inner):
            rows = re.sub(r"[)\]],[(\[]", r"\\\\ ", inner[1:-1]).replace(",", " & ")
            return f"\\begin{{{'pbB'[_OPENING.index(symbol)]}matrix}}{rows}\\end{{{'pbB'[_OPENING.index(symbol)]}matrix}}"
        return "\\" * (symbol == "{") + symbol + inner + "\\" * (closing == "}") + closing
    if symbol[0] == '"' or symbol.startswith("text("):
        return f"\\text{{{symbol.removeprefix('text')[1:-1]}}}"
    if command := _ONE.get(symbol) or _TWO.get(symbol):
        arguments = [_inner(_simple(symbols, depth + 1)) for _ in range(1 + (symbol in _TWO))]
        return f"\\sqrt[{arguments[0]}]{{{arguments[1]}}}" if symbol == "root" else f"{command}{{{'}{'.join(arguments)}}}"
    if symbol in FUNCTIONS:
        return joined([f"\\{symbol}", _simple(symbols, depth + 1) if symbols and symbols[-1] not in "_^/,)" else ""])
    return _COMMANDS.get(symbol, symbol)


def _inner(tex: str) -> str:
    """An argument without the brackets around it."""
    return tex[1:-1] if tex[:1] == "(" and tex[-1:] == ")" else tex
