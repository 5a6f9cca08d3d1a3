"""Finds the parts of functions that may be left out, where something in them is refused."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from srcgrad.errors import Diagnostic, UnsupportedError
from srcgrad.frontend import remembered
from srcgrad.frontend.choices import ends_around
from srcgrad.frontend.left_out import LEFT_OUT, Part
from srcgrad.frontend.tried_attributes import without_tried
from srcgrad.ir import gast
from srcgrad.parsing import parsed
from srcgrad.spans import Span, printable

_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_ENDS: Final = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_SCOPES: Final = (*_FUNCTIONS, ast.ClassDef, ast.Lambda)


@contextmanager
def leaving_out(parts: Mapping[Part, str]) -> Iterator[None]:
    """Let functions be read without some parts, with why these are left out."""
    token = LEFT_OUT.set(parts)
    try:
        with remembered.anew():
            yield
    finally:
        LEFT_OUT.reset(token)


def parts_of(refusal: UnsupportedError, *, whole: bool = False) -> dict[Part, str]:
    """Return the parts of functions that a refusal is about, with why each is refused.

    They are as small as can be, or as large, if `whole`. There are none where something is refused
    that every call comes by, unless it is refused as a consequence of something else.
    """
    after = getattr(refusal.__cause__, "diagnostics", ())
    first = [item for item in refusal.diagnostics if item not in after]
    found = [(item, _parts_of(item) or _parts_of_calls(refusal, item)) for item in first]
    if after and not all(parts for _, parts in found):  # one of the others may call it
        found = [(item, _parts_of(item)) for item in refusal.diagnostics]
    elif not all(parts for _, parts in found):
        return {}
    return {parts[-1 if whole else 0]: _why(item) for item, parts in found if parts}


def _parts_of(item: Diagnostic) -> list[Part]:
    """Return the parts around what is refused, or around the place that its sentence tells of."""
    places = [getattr(item.message, "place", None), item.span]
    return next(filter(None, (_parts_around(span) for span in places if span)), [])


def _parts_of_calls(refusal: UnsupportedError, item: Diagnostic) -> list[Part]:
    """Return the parts around the calls by which what is refused is reached, if they have some."""
    waiting, seen = [*refusal.calls, *_called_at(item.span, refusal)], set[Span]()
    while waiting:
        span = waiting.pop(0)
        if parts := _parts_around(span):
            return parts
        seen.add(span)
        waiting += [call for call in _called_at(span, refusal) if call not in seen]
    return []


def _called_at(span: Span | None, refusal: UnsupportedError) -> list[Span]:
    """Return where the function around a place was put in the place of its calls."""
    tree = None if span is None else _tree_of(span.file)
    around = _functions_around(tree, span) if tree is not None and span is not None else []
    return [place for name, place in refusal.placed if around and name == around[0].name]


def _why(item: Diagnostic) -> str:
    """Return what the text says of a part that is left out."""
    span = getattr(item.message, "place", None) or item.span
    place = "" if span is None else f" ({Path(span.file).name}:{span.line})"
    told = place if place not in str(item.message) else ""  # unless the sentence tells it
    return printable(str(item.message).replace("\n", " ") + told)


def _parts_around(span: Span) -> list[Part]:
    """Return the parts around a place that some calls do not come by, the innermost first."""
    tree = _tree_of(span.file)
    functions = [] if tree is None else _functions_around(tree, span)
    found = _ends_around(functions[0], span) if functions else []
    for function in functions:
        for owner, block, place in reversed(list(_blocks_around(function, span.line))):
            if any(map(_may_end, block[:place])):
                found.append(Part(span.file, *_start(block[place])))
            if _is_branch(owner, block):
                found.append(Part(span.file, *_start(block[0])))
    return found


def _ends_around(function: Any, span: Span) -> list[Part]:
    """Return what is chosen around a place in one statement, the innermost first."""
    around = list(_blocks_around(function, span.line))
    if not around:
        return []
    _, block, place = around[-1]
    ends = list(ends_around(gast.ast_to_gast(block[place]), span.line, _column_of(span)))
    return [Part(span.file, *_start(end)) for end in reversed(ends)]


def _start(node: Any) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _column_of(span: Span) -> int:
    """Return the column of a place as `ast` counts it."""
    return len(span.text[: span.column].encode(errors="replace"))


def statements_of(part: Part) -> list[ast.stmt]:
    """Return the statements that a part has; what is chosen counts as one."""
    tree = _tree_of(part.file)
    for node in ast.walk(tree) if tree is not None else ():
        for block in _blocks_in(node):
            for place, statement in enumerate(block):
                if _start(statement) == (part.line, part.column):
                    return block[place:]
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.expr) and _start(node) == (part.line, part.column):
            return [ast.Expr(node)]
    return []


def function_around(part: Part) -> Any:
    """Return the definition that a part stands in."""
    tree = _tree_of(part.file)
    around = _blocks_around(tree, part.line) if tree is not None else ()
    found = [block[place] for _, block, place in around]
    return next((node for node in reversed(found) if isinstance(node, _FUNCTIONS)), None)


def _tree_of(file: str) -> ast.Module | None:
    return _parsed("".join(linecache.getlines(file)))


@lru_cache(maxsize=4)
def _parsed(text: str) -> ast.Module | None:
    """Parse a file, which is asked for each of the places in it; nobody changes the tree."""
    try:
        return parsed(text) if text else None
    except SyntaxError:
        return None


def _functions_around(tree: ast.Module, span: Span) -> list[Any]:
    """Return the definitions of functions around a place, the innermost first."""
    around = (block[place] for _, block, place in _blocks_around(tree, span.line))
    found = [node for node in around if isinstance(node, _FUNCTIONS) and _is_inside(span, node)]
    return found[::-1]


def _is_inside(span: Span, function: Any) -> bool:
    """Say whether a place is in the body of a function, which may stand in the line of its name."""
    return function.lineno < span.line or _start(function.body[0]) <= (
        span.line,
        _column_of(span),
    )


def _blocks_around(owner: Any, line: int) -> Iterator[tuple[Any, list[Any], int]]:
    """Yield the blocks of statements around a line, with the place in each, the outermost first."""
    for block in _blocks_in(owner):
        for place, statement in enumerate(block):
            if statement.lineno <= line <= (statement.end_lineno or 0):
                yield owner, block, place
                yield from _blocks_around(statement, line)
                return


def _blocks_in(owner: Any) -> list[list[Any]]:
    parts = [owner, *getattr(owner, "handlers", ()), *getattr(owner, "cases", ())]
    return [
        block
        for part in parts
        for name in ("body", "orelse", "finalbody")
        if isinstance(block := getattr(part, name, None), list)
    ]


def _is_branch(owner: Any, block: list[Any]) -> bool:
    """Say whether a block is one of several ways, of which a call goes one."""
    if isinstance(owner, (ast.If, ast.Match)):
        return True
    if isinstance(owner, ast.Try) and any(block is item.body for item in owner.handlers):
        return True
    tried = isinstance(owner, (ast.Try, ast.With)) and block is owner.body
    return tried and without_tried(gast.ast_to_gast(owner), None) is not None


def _may_end(statement: Any) -> bool:
    """Say whether what follows a statement may not run."""
    if isinstance(statement, _SCOPES):
        return False
    if isinstance(statement, _ENDS):
        return True
    return any(_may_end(item) for block in _blocks_in(statement) for item in block)
