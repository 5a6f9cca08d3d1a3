"""Reads functions without the parts that are left out of a derivative: the text raises there.

What is refused often stands where a call does not come by: a branch for symbols, for tables, for an
option that nobody chose. The rest is differentiated all the same, and the text says where it stops.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Final, NamedTuple

from srcgrad.errors import LEFT_OUT_SAYS
from srcgrad.frontend.choices import ends_around, first_choice, is_end, written_out
from srcgrad.frontend.tried_attributes import without_tried
from srcgrad.ir import gast
from srcgrad.ir.build import at
from srcgrad.ir.walk import blocks_of

_STANDS_FOR: Final = "NotImplementedError"


class Part(NamedTuple):
    """The statements of a block from one on, by the place of that one; or what may be chosen."""

    file: str
    line: int
    column: int


LEFT_OUT: Final[ContextVar[Mapping[Part, str] | None]] = ContextVar(
    "srcgrad_left_out", default=None
)
"""The parts that are left out just now, with why."""


def leaves_out() -> bool:
    """Say whether functions are read without some parts just now."""
    return bool(LEFT_OUT.get())


def without_parts(tree: Any, file: str) -> None:
    r"""Write a ``raise`` in the place of the parts of a function that are left out, in place.

    >>> import ast
    >>> tree = gast.parse("def f(x, kind):\n  if kind:\n    a = g(x)\n    return a\n  return x")
    >>> token = LEFT_OUT.set({Part("model.py", 3, 4): "`g` has no rule"})
    >>> without_parts(tree.body[0], "model.py")
    >>> LEFT_OUT.reset(token)
    >>> print(ast.unparse(gast.gast_to_ast(tree.body[0].body[0])))
    if kind:
        raise NotImplementedError('not differentiated by source: `g` has no rule')
    """
    parts = LEFT_OUT.get()
    if parts and any(part.file == file for part in parts):
        _without(tree.body, file, parts)


def _without(block: list[Any], file: str, parts: Mapping[Part, str]) -> None:
    for place in range(len(block)):
        why = _why(block[place], file, parts)
        if why is not None:
            block[place:] = [_raised(why, block[place])]
            return
        block[place] = _without_tried(block[place], file, parts)
        if any(_has_end(block[place], part) for part in parts if part.file == file):
            block[place] = _without_ends(block[place], file, parts)
        statement = block[place]
        nested = [statement.body] if isinstance(statement, gast.FunctionDef) else []
        cases = [case.body for case in getattr(statement, "cases", ())]
        for inner in (*blocks_of(statement), *cases, *nested):
            _without(inner, file, parts)


def _why(node: Any, file: str, parts: Mapping[Part, str]) -> str | None:
    return parts.get(Part(file, node.lineno, node.col_offset))


def _raised(why: str, like: Any) -> Any:
    said = gast.Constant(f"{LEFT_OUT_SAYS}{why}", None)
    call = gast.Call(gast.Name(_STANDS_FOR, gast.Load(), None, None), [said], [])
    return at(gast.Raise(at(call, like), None), like)


def _without_tried(statement: Any, file: str, parts: Mapping[Part, str]) -> Any:
    """Return a statement as a branch, if it is left out what it tries."""
    tried = isinstance(statement, (gast.Try, gast.With))
    why = _why(statement.body[0], file, parts) if tried else None
    branch = None if why is None else without_tried(statement, _raised(why, statement))
    return statement if branch is None else branch


def _has_end(statement: Any, part: Part) -> bool:
    ends = ends_around(statement, part.line, part.column)
    return any((end.lineno, end.col_offset) == part[1:] for end in ends)


def _without_ends(statement: Any, file: str, parts: Mapping[Part, str]) -> Any:
    """Return a statement as a branch, without what is left out of that from which it chooses."""
    choice = first_choice(statement)
    if choice is None:
        return statement
    branch = written_out(statement)
    for end, block in ((choice.then, branch.body), (choice.other, branch.orelse)):
        why = _why(end, file, parts) if is_end(end) else None
        if why is not None:
            block[:] = [_raised(why, statement)]
    return branch


def marks(node: Any) -> str | None:
    """Return why a part is left out, of a ``raise`` that stands for one."""
    call = node.exc if isinstance(node, gast.Raise) else None
    if not isinstance(call, gast.Call) or getattr(call.func, "id", "") != _STANDS_FOR:
        return None
    said = call.args[0].value if call.args and isinstance(call.args[0], gast.Constant) else None
    if not isinstance(said, str) or not said.startswith(LEFT_OUT_SAYS):
        return None
    return said.removeprefix(LEFT_OUT_SAYS)
