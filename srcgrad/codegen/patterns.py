"""Prints the patterns of `match` statements."""

from __future__ import annotations

from typing import Any

from srcgrad.codegen.expressions import ExpressionPrinter
from srcgrad.codegen.precedence import ATOM


class PatternPrinter(ExpressionPrinter):
    """Writes one method for each kind of pattern."""

    def open_pattern(self, t: Any) -> str:
        """Return the text of a whole pattern."""
        return self.text(t)

    def _MatchValue(self, t: Any) -> None:
        self.dispatch(t.value)

    def _MatchSingleton(self, t: Any) -> None:
        self.write(repr(t.value))

    def _MatchSequence(self, t: Any) -> None:
        self.write(f"[{self.texts(t.patterns)}]")

    def _MatchStar(self, t: Any) -> None:
        self.write("*" + (t.name or "_"))

    def _MatchMapping(self, t: Any) -> None:
        pairs = zip(t.keys, t.patterns, strict=True)
        items = [f"{self.text(key)}: {self.text(pattern)}" for key, pattern in pairs]
        if t.rest:
            items.append("**" + t.rest)
        self.write("{" + ", ".join(items) + "}")

    def _MatchClass(self, t: Any) -> None:
        items = [self.text(pattern) for pattern in t.patterns]
        pairs = zip(t.kwd_attrs, t.kwd_patterns, strict=True)
        items += [f"{name}={self.text(pattern)}" for name, pattern in pairs]
        self.write(f"{self.text(t.cls, ATOM)}({', '.join(items)})")

    def _MatchAs(self, t: Any) -> None:
        if t.pattern is None:
            self.write(t.name or "_")
        else:
            self.write(f"{self._closed(t.pattern, 'MatchAs')} as {t.name}")

    def _MatchOr(self, t: Any) -> None:
        self.write(" | ".join([self._closed(item, "MatchAs", "MatchOr") for item in t.patterns]))

    def _closed(self, t: Any, *loose: str) -> str:
        """Return a pattern, in parentheses if it is one of the kinds that bind loosely."""
        text = self.text(t)
        is_name = type(t).__name__ == "MatchAs" and t.pattern is None
        return f"({text})" if type(t).__name__ in loose and not is_name else text
