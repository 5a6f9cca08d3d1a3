"""Says of a function that writes into what it is given where it does so."""

from __future__ import annotations

from pathlib import Path
from types import FunctionType
from typing import Final

from srcgrad.errors import SrcgradError
from srcgrad.frontend.callees import ELSEWHERE, is_library
from srcgrad.frontend.effects import Active, Effects, written_parameters
from srcgrad.frontend.remembered import nothing_changes, source_to_read
from srcgrad.ir.vocabulary import Vocabulary
from srcgrad.spans import Placed, Span

_LONGEST: Final = 100
"""Characters of a line that a message still quotes."""


def how_written(function: FunctionType, vocabulary: Vocabulary) -> str | None:
    """Return what to say of a call that may write, with the innermost statement that does so.

    None where it writes into nothing.
    """
    with nothing_changes() as memory:
        found: str | None = memory.found(
            ("how written", id(vocabulary)), function, lambda: _how_written(function, vocabulary)
        )
        return found


def _how_written(function: FunctionType, vocabulary: Vocabulary) -> str | None:
    written = written_parameters(function, vocabulary)
    if not written:
        return None
    wanted = written & {ELSEWHERE} or written
    what = "memory that it is not given" if ELSEWHERE in written else "its arguments"
    span = _place_of_write(function, vocabulary, wanted, frozenset())
    return Placed.at(_told(what, span), span)


def _told(what: str, span: Span | None) -> str:
    if span is None or len(span.text) > _LONGEST:
        return what
    file = "/".join(Path(span.file).parts[-2 if span.file.endswith("__init__.py") else -1 :])
    return f"{what} by `{span.text.strip()}` ({file}:{span.line})"


def _place_of_write(
    function: FunctionType, vocabulary: Vocabulary, wanted: frozenset[str], active: Active
) -> Span | None:
    """Return where a function writes into one of the `wanted`, in itself or in what it calls."""
    if function in active or is_library(function):
        return None
    try:
        source = source_to_read(function)
    except SrcgradError:
        return None
    active |= {function}
    node, callee = Effects(function, source.tree, vocabulary, active).first_write(wanted)
    if callee is not None:
        inner = written_parameters(callee, vocabulary, active)
        inner = inner & {ELSEWHERE} if wanted == {ELSEWHERE} else inner
        found = _place_of_write(callee, vocabulary, inner, active)
        if found is not None:
            return found
    return None if node is None else source.span(node)
