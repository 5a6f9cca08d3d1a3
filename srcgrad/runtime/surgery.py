"""Lets a program say what is done to the adjoint of one of its values: ``with grad_of(x) as gx:``.

Generated code has the block in its place in the backward pass, and none of this. Here is what
happens where the function itself runs: the block is skipped, by an exception that is raised at its
first step and goes no further; if the value is a tensor of the tape, the block is kept for it.
"""

from __future__ import annotations

import ast
import functools
import linecache
import sys
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any, Final

from srcgrad.errors import SourceNotFoundError, UnsupportedSyntaxError
from srcgrad.parsing import parsed
from srcgrad.runtime.noticed import NOTICED
from srcgrad.spans import Span

Edit = Callable[[Any], Any]

_engines: list[Callable[[Any, Callable[[], Edit]], None]] = []
_PLAIN: Final = frozenset(
    "Assign AugAssign AnnAssign Expr If For Pass Raise Assert Break Continue".split()
)


class grad_of:
    """Run a block on the adjoint of a value, at that point of the backward pass.

    What later statements make of `x` has been added up in its adjoint then. The block may print it,
    write into it, bind the name to something else, or stop in the debugger. It runs if the function
    is differentiated in reverse mode and the result depends on `x`, else it is skipped.

    >>> def f(x):
    ...     y = x * 3.0
    ...     with grad_of(y) as gy:
    ...         gy *= 2.0
    ...     return y
    >>> f(1.0)
    3.0
    """

    def __init__(self, x: Any) -> None:
        self._x = x
        self._before: Any = None

    def __enter__(self) -> Any:
        """Keep the block for the backward pass, and skip it now."""
        NOTICED.edits += 1
        frame = sys._getframe(1)  # noqa: SLF001 - the block is the caller's
        for attach in _engines:
            attach(self._x, lambda: edit_of(frame))
        self._before = sys.gettrace(), frame.f_trace, frame.f_trace_opcodes
        frame.f_trace_opcodes = True
        frame.f_trace = _skip
        sys.settrace(_ignore)
        return None

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> bool:
        """Go on after the block."""
        frame = sys._getframe(1)  # noqa: SLF001 - the block is the caller's
        trace, frame.f_trace, frame.f_trace_opcodes = self._before
        sys.settrace(trace)
        return kind is _SkippedError

    @staticmethod
    def edited(x: Any, block: str, *reads: Any) -> Any:
        """Stand for a block in the stages of the compiler: `x` itself, whose adjoint it edits."""
        del block, reads
        return x

    @staticmethod
    def refused(what: str, hint: str) -> None:
        """Stand for a block that cannot be, in the stages of the compiler."""
        raise UnsupportedSyntaxError(what, hint=hint)


class _SkippedError(Exception):
    """Leaves the block of `grad_of`."""


def _ignore(frame: Any, event: str, argument: Any) -> None:
    del frame, event, argument


def _skip(frame: Any, event: str, argument: Any) -> Any:
    del frame, argument
    if event in ("line", "opcode"):
        raise _SkippedError
    return _skip


def set_engine(attach: Callable[[Any, Callable[[], Edit]], None]) -> None:
    """Say who keeps blocks for tensors; the tape does so when it is imported."""
    _engines[:] = [attach]


def problem_with(
    items: list[Any], body: list[Any], others: Iterable[str]
) -> tuple[str, str] | None:
    """Say why a block cannot run in the backward pass, and what to do; None if it can.

    `others` are the variables that the function has outside of the block.
    """
    if len(items) != 1:
        return "`grad_of` together with other managers", "write one `with` inside the other"
    target = items[0].optional_vars
    if target is not None and not hasattr(target, "id"):
        return "`grad_of` that is bound to more than a name", "write `with grad_of(x) as gx:`"
    own = getattr(target, "id", "")
    inside = [node for statement in body for node in ast.walk(statement)]
    for node in inside:
        kind = type(node).__name__
        if isinstance(node, ast.stmt) and kind not in _PLAIN:
            return f"`{kind.lower()}` in a block of `grad_of`", "call a function that does it"
        if kind in ("Yield", "YieldFrom", "Await", "NamedExpr", "Lambda") or "Comp" in kind[-4:]:
            return f"this expression ({kind}) in a block of `grad_of`", "call a function"
    for statement in body:
        if _leaves(statement):
            return "a jump out of a block of `grad_of`", "let the block run to its end"
    bound = names_bound_in(body) - {own}
    taken = sorted(bound & set(others))
    if taken:
        return (
            f"a block of `grad_of` that assigns `{taken[0]}`, a variable of the function",
            "the block runs in the backward pass: put what it finds into a list of the module",
        )
    if own in others:
        return f"`{own}` is a variable of the function", "give the adjoint a name of its own"
    return None


def _leaves(statement: Any) -> bool:
    """Say whether a statement has a `break` or `continue` that is not of a loop in it."""
    if type(statement).__name__ in ("Break", "Continue"):
        return True
    if type(statement).__name__ != "If":
        return False
    return any(map(_leaves, [*statement.body, *statement.orelse]))


def names_bound_in(body: list[Any]) -> set[str]:
    """Return the names that a block assigns."""
    nodes: list[Any] = [node for statement in body for node in ast.walk(statement)]
    return {node.id for node in nodes if hasattr(node, "id") and type(node.ctx).__name__ != "Load"}


def edit_of(frame: FrameType) -> Edit:
    """Return the block of the `with` statement at which a frame stands, as a function.

    It reads the variables as they are now.

    Raises:
        SourceNotFoundError: The text of the function is not to be found.
        UnsupportedSyntaxError: The block cannot run in the backward pass.
    """
    code = frame.f_code
    statement, line = _statement_of(frame)
    held = dict(frame.f_locals)
    problem = problem_with(statement.items, statement.body, held.keys() - _own(statement))
    if problem is not None:
        what, hint = problem
        span = Span(code.co_filename, statement.lineno, text=line)
        raise UnsupportedSyntaxError(what, hint=hint, span=span)
    target = statement.items[0].optional_vars
    name = "_" if target is None else target.id
    bound = names_bound_in(statement.body)
    reads = {
        node.id
        for part in statement.body
        for node in ast.walk(part)
        if isinstance(node, ast.Name) and node.id in held and node.id not in bound | {name}
    }
    function = _compiled(statement, name, tuple(sorted(reads)), code.co_filename, frame.f_globals)
    kept = {key: _as_now(held[key]) for key in reads}
    return functools.partial(function, **kept)


def _own(statement: Any) -> set[str]:
    """Return the name of the adjoint, which an earlier trip may have left behind."""
    target = statement.items[0].optional_vars
    return {getattr(target, "id", "")}


def _as_now(value: Any) -> Any:
    if hasattr(value, "detach"):
        return value.clone()  # with its history, for derivatives of what the block makes of it
    return value.copy() if hasattr(value, "dtype") and hasattr(value, "copy") else value


def _compiled(
    statement: Any, name: str, reads: tuple[str, ...], file: str, scope: dict[str, Any]
) -> Callable[..., Any]:
    given = [ast.arg(key) for key in (name, *reads)]
    parameters = ast.arguments([], given, None, [], [], None, [])
    back = ast.Return(ast.Name(name, ast.Load()))
    body = [*statement.body, ast.copy_location(back, statement.body[-1])]
    definition = ast.FunctionDef("block", parameters, body, [], None, None)
    ast.copy_location(definition, statement)
    module = ast.fix_missing_locations(ast.Module([definition], []))
    made: dict[str, Any] = {}
    exec(compile(module, file, "exec"), scope, made)  # noqa: S102 - the user's own text
    function: Callable[..., Any] = made["block"]
    return function


def _statement_of(frame: FrameType) -> tuple[Any, str]:
    """Return the tree of the `with` statement that a frame is at, and its line."""
    file, number = frame.f_code.co_filename, frame.f_lineno
    linecache.checkcache(file)
    lines = linecache.getlines(file, frame.f_globals)
    found = [
        node
        for node in ast.walk(_tree("".join(lines)))
        if isinstance(node, ast.With)
        and any(_spans(item.context_expr, number) for item in node.items)
    ]
    if len(found) != 1:
        raise SourceNotFoundError(
            f"the block of `grad_of` cannot be found in {file!r}, line {number}",
            hint="define the function in a file, with one `with` on a line",
        )
    return found[0], lines[found[0].lineno - 1].rstrip("\n")


def _spans(node: Any, line: int) -> bool:
    first, last = node.lineno, node.end_lineno
    return bool(first <= line <= last)


@functools.lru_cache(maxsize=16)
def _tree(text: str) -> ast.Module:
    return parsed(text)
