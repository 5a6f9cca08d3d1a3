"""Marks up lines of Python for a page, token by token."""

from __future__ import annotations

import io
import keyword
import tokenize
from collections.abc import Sequence
from html import escape

_KINDS = {tokenize.COMMENT: "c", tokenize.STRING: "s", tokenize.NUMBER: "n"}
_BROKEN = (tokenize.TokenError, IndentationError, SyntaxError)

Mark = tuple[int, int, str]


def marked_up(lines: Sequence[str]) -> list[str]:
    """Return lines of Python as HTML: comments, strings, numbers and keywords in spans.

    Lines that are no program by themselves, such as one out of a call, come as far as they go.

    >>> marked_up(["if x < 2:", "    y = 'a'"])
    ['<b class="k">if</b> x &lt; <b class="n">2</b>:', '    y = <b class="s">&#x27;a&#x27;</b>']
    """
    marks: list[list[Mark]] = [[] for _ in lines]
    text = "".join(f"{line}\n" for line in lines)
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            kind = _kind(token)
            if kind:
                _mark(token, kind, marks, lines)
    except _BROKEN:
        pass
    return [_line(line, found) for line, found in zip(lines, marks, strict=True)]


def _kind(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.NAME:
        return "k" if keyword.iskeyword(token.string) else ""
    if tokenize.tok_name[token.type].startswith("FSTRING"):
        return "s"
    return _KINDS.get(token.type, "")


def _mark(
    token: tokenize.TokenInfo, kind: str, marks: list[list[Mark]], lines: Sequence[str]
) -> None:
    """Note where a token stands, which may be in several lines."""
    (first, start), (last, end) = token.start, token.end
    for number in range(first, min(last, len(lines)) + 1):
        begin = start if number == first else 0
        stop = end if number == last else len(lines[number - 1])
        marks[number - 1].append((begin, stop, kind))


def _line(line: str, marks: list[Mark]) -> str:
    parts: list[str] = []
    position = 0
    for start, end, kind in marks:
        if end <= start:
            continue
        parts += [escape(line[position:start]), f'<b class="{kind}">{escape(line[start:end])}</b>']
        position = end
    return "".join([*parts, escape(line[position:])])
