"""Does what follows a `try` in the `try` itself, where one flag alone says what that is."""

from __future__ import annotations

from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.jumps import falls_through
from srcgrad.ir.marks import IS_PRIMAL
from srcgrad.ir.nodes import Blank, Comment
from srcgrad.ir.program import count_binds, count_reads
from srcgrad.ir.walk import blocks_of, statements


def merge_handlers(body: list[Any]) -> list[Any]:
    """Return `body` with what an `if` after a `try` does in its handler, and in its `else`.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... failed = False
    ... try:
    ...     root = math.sqrt(x)
    ... except ValueError:
    ...     failed = True
    ... if failed:
    ...     grad_x = 0.0
    ... else:
    ...     grad_x = 0.5 / root
    ... ''')
    >>> print(text(merge_handlers(body)))
    try:
        root = math.sqrt(x)
    except ValueError:
        grad_x = 0.0
    else:
        grad_x = 0.5 / root
    """
    if not any(isinstance(statement, gast.Try) for statement in statements(body)):
        return body
    reads, binds = count_reads(body), count_binds(body)
    flags = {name for name, count in reads.items() if count == 1 and binds[name] == 2}
    return _block(body, flags)


def _block(block: list[Any], flags: set[str]) -> list[Any]:
    kept: list[Any] = []
    for statement in block:
        for part in blocks_of(statement):
            part[:] = _block(part, flags)
        attempt: Any = next(
            (i for i in reversed(kept) if not isinstance(i, (Blank, Comment))), None
        )
        start = _start_of(kept, attempt, statement, flags)
        if start is None:
            kept.append(statement)
            continue
        kept = [item for item in kept if item is not start]
        handler = _waiting(attempt, start.targets[0].id)
        for item in statement.body:  # the `except` speaks for itself
            IS_PRIMAL.put(item, getattr(item, "lineno", 0) == getattr(statement, "lineno", 0))
        handler.body[-1:] = statement.body or ([] if handler.body[1:] else [gast.Pass()])
        attempt.orelse = statement.orelse
    return kept


def _start_of(block: list[Any], attempt: Any, branch: Any, flags: set[str]) -> Any:
    """Return the statement that lowers the flag, if a branch asks whether the `try` has failed."""
    name = getattr(branch.test, "id", "") if isinstance(branch, gast.If) else ""
    if name not in flags or not isinstance(attempt, gast.Try):
        return None
    if attempt.orelse or attempt.finalbody or _waiting(attempt, name) is None:
        return None
    return next((item for item in block if _sets(item, name, to=False)), None)


def _waiting(attempt: Any, name: str) -> Any:
    """Return the handler that raises a flag, if all others leave."""
    going_on = [handler for handler in attempt.handlers if falls_through(handler.body)]
    if len(going_on) != 1:
        return None
    body = going_on[0].body
    return going_on[0] if body and _sets(body[-1], name, to=True) else None


def _sets(statement: Any, name: str, *, to: bool) -> bool:
    if not isinstance(statement, gast.Assign) or len(statement.targets) != 1:
        return False
    named = getattr(statement.targets[0], "id", "") == name
    return named and getattr(statement.value, "value", None) is to
