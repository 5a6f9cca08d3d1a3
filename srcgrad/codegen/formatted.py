"""Prints formatted strings, with quotes that Python 3.11 can read too wherever there are any."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, Final

from srcgrad.codegen import literals
from srcgrad.codegen.expressions import ExpressionPrinter
from srcgrad.codegen.precedence import OR, TEST
from srcgrad.errors import InternalError

_NESTED_QUOTES: Final = sys.version_info >= (3, 12)  # PEP 701: any text inside the braces


class FormattedPrinter(ExpressionPrinter):
    """Writes f-strings."""

    def _FormattedValue(self, t: Any) -> None:
        self._formatted([t])

    def _JoinedStr(self, t: Any) -> None:
        self._formatted(t.values)

    def _formatted(self, values: Iterable[Any]) -> None:
        """Write an f-string, with quotes that no part of it uses if there are any."""
        outer = self._quotes
        try:
            for quote in sorted(outer, key=_escapes(values)):
                self._quotes = tuple(other for other in outer if quote not in other)
                if text := self._formatted_in(quote, values):
                    break
            else:
                self._quotes = outer
                text = self._formatted_in('"', values, anything=True)
                if outer == literals.QUOTES and not _NESTED_QUOTES:
                    raise InternalError(f"no quotes are left for the f-string {text}")
        finally:
            self._quotes = outer
        self.write(text)

    def _formatted_in(self, quote: str, values: Iterable[Any], *, anything: bool = False) -> str:
        pieces = self._pieces(values, quote)
        bad = ("\\", "\n", quote)  # Python 3.11 reads none of these inside the braces
        if not anything and any(
            mark in code for plain, code in pieces for mark in bad if not plain
        ):
            return ""
        return f"f{quote}{''.join(text for _, text in pieces)}{quote}"

    def _pieces(self, values: Iterable[Any], quote: str) -> list[tuple[bool, str]]:
        """Return the parts of an f-string, each with whether it is plain text."""
        pieces = []
        for value in values:
            kind = type(value).__name__
            if kind == "Constant":
                body = literals.quoted(str(value.value), (quote,))[len(quote) : -len(quote)]
                pieces.append((True, body.replace("{", "{{").replace("}", "}}")))
            elif kind == "JoinedStr":
                pieces += self._pieces(value.values, quote)
            else:
                pieces += self._replacement(value, quote)
        return pieces

    def _replacement(self, t: Any, quote: str) -> list[tuple[bool, str]]:
        text = self.text(t.value, TEST)
        if "lambda" in text or ":=" in text:
            text = self.text(t.value, OR)  # a bare colon would start the format
        space = " " if text.startswith("{") else ""
        pieces = [(True, "{" + space), (False, text)]
        if t.conversion != -1:
            pieces.append((True, "!" + chr(t.conversion)))
        if t.format_spec is not None:
            pieces.append((True, ":"))
            pieces += self._pieces([t.format_spec], quote)
        return [*pieces, (True, "}")]


def _escapes(values: Iterable[Any]) -> Callable[[str], tuple[int, int]]:
    """Return a key that sorts quotes by how often the text of an f-string would escape them."""
    plain = "".join([str(v.value) for v in values if type(v).__name__ == "Constant"])
    return lambda quote: (len(quote), plain.count(quote))
