"""Collects everything that is refused in one function, to report it together."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from srcgrad.errors import Diagnostic, SrcgradError, UnsupportedError, UnsupportedSyntaxError
from srcgrad.frontend.source import FunctionSource
from srcgrad.ir.origins import foreign_span
from srcgrad.spans import Placed, Span, is_of_library, within


class Refusals:
    """The problems found so far, with the error class of each."""

    def __init__(self, source: FunctionSource) -> None:
        self.source = source
        self._found: list[tuple[type[SrcgradError], Diagnostic]] = []
        self._seen: Counter[tuple[str, int, int]] = Counter()

    def add(
        self,
        node: Any,
        message: str,
        hint: str,
        kind: type[SrcgradError] = UnsupportedSyntaxError,
    ) -> None:
        """Note one problem at the place of `node`; the same one twice is kept once."""
        span, helper = self.source.span(node), foreign_span(node)
        details: tuple[str, ...] = ()
        if isinstance(message, Placed) and not isinstance(message.place, (Span, type(None))):
            message = Placed.at(message, self.source.span(message.place))
        elif helper is not None and not isinstance(message, Placed):
            message, details = Placed.at(message, helper), (f"inside, in a helper: {helper}",)
        key = (message, span.line, span.column)
        self._seen[key] += 1
        if self._seen[key] == 1:
            self._found.append((kind, Diagnostic(kind.code, message, span, hint, details)))

    @property
    def found(self) -> bool:
        """Whether anything was refused so far."""
        return bool(self._found)

    def raise_if_any(self) -> None:
        """Raise one error that holds all problems in source order; its class is the first one's."""
        if not self._found:
            return
        found = sorted(self._found, key=_place)
        raise found[0][0](diagnostics=[diagnostic for _, diagnostic in found])


def merged(first: SrcgradError, second: SrcgradError) -> SrcgradError:
    """Return one error with what two passes found, in source order; one problem for each line."""
    found = {
        _line(item): (type(error), item) for error in (second, first) for item in error.diagnostics
    }
    ordered = sorted(found.values(), key=_place)
    return ordered[0][0](diagnostics=[item for _, item in ordered])


@contextlib.contextmanager
def merging(refusal: SrcgradError | None) -> Iterator[None]:
    """Say of what is refused next that `refusal`, if there is one, stood against it before."""
    try:
        yield
    except UnsupportedError as other:
        if refusal is None:
            raise
        raise merged(refusal, other) from other


@contextlib.contextmanager
def shown_in(source: FunctionSource, node: Any) -> Iterator[None]:
    """Show what is refused in a library, that the user's function calls at `node`, at that call."""
    try:
        yield
    except UnsupportedError as refusal:
        span = source.span(node)
        found = [_shown_at(item, span) for item in refusal.diagnostics]
        refusal.calls = (*refusal.calls, span)
        if tuple(found) == refusal.diagnostics:
            raise
        shown = type(refusal)(diagnostics=found)
        shown.calls = refusal.calls
        raise shown from refusal


def _shown_at(item: Diagnostic, span: Span) -> Diagnostic:
    if item.span is None or is_of_library(span.file) or not is_of_library(item.span.file):
        return item
    message = Placed.like(item.message, item.message, item.span)
    return replace(item, message=message, span=span, details=(*item.details, within(item.span)))


def _line(item: Diagnostic) -> tuple[str, int]:
    return (item.span.file, item.span.line) if item.span else ("", 0)


def _place(item: tuple[type[SrcgradError], Diagnostic]) -> tuple[int, int]:
    span = item[1].span
    return (span.line, span.column) if span else (0, 0)
