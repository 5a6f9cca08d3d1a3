"""Asks of the handlers of a `try` what they do, and who asks after it which of them was run."""

from __future__ import annotations

from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.jumps import falls_through
from srcgrad.ir.marks import ATTEMPT
from srcgrad.ir.program import bound_names
from srcgrad.ir.walk import blocks_of, names_read, nodes_in, statements
from srcgrad.primitives.methods import SHAPERS

_MOST_COPIED: Final = 8  # statements of handlers, in normal form
_QUESTIONS: Final = ("len", "str", "repr", "isinstance", "type")


def can_be_copied(handlers: list[Any]) -> bool:
    """Say whether handlers are short, and without a `try`, whose parts are told by identity."""
    items = [item for handler in handlers for item in statements(handler.body)]
    return len(items) <= _MOST_COPIED and not any(isinstance(item, gast.Try) for item in items)


def can_be_shared(handlers: list[Any]) -> bool:
    """Say whether what a long handler does can be written once, after pieces of its `try`."""
    going_on = [handler for handler in handlers if falls_through(handler.body)]
    others = [handler for handler in handlers if handler not in going_on]
    return len(going_on) == 1 and not reads_exception(going_on[0]) and can_be_copied(others)


def reads_exception(handler: Any) -> bool:
    """Say whether a handler reads the exception that it has caught, or raises it once more."""
    name = getattr(handler.name, "id", handler.name)
    read = {n for statement in handler.body for n in names_read(statement)}
    return name in read or any(map(is_bare, statements(handler.body)))


def is_bare(statement: Any) -> bool:
    """Say whether a statement is ``raise`` alone."""
    return isinstance(statement, gast.Raise) and statement.exc is None


def note_questions(block: list[Any]) -> list[Any]:
    """Note which branches of a block ask whether a `try` before them has failed; return them.

    They ask for a name that its handler has set. What is live after the handler is then what the
    branch reads, and not what the other side does.
    """
    asking: list[Any] = []
    for position, statement in enumerate(block):
        for part in blocks_of(statement):
            asking += note_questions(part)
        flag = _flag_of(statement)
        for later in block[position + 1 :] if flag else ():
            if isinstance(later, gast.If) and getattr(later.test, "id", "") == flag:
                ATTEMPT.put(later, statement)
                asking.append(later)
                break
            if flag in bound_names([later]):
                break
    return asking


def _flag_of(statement: Any) -> str:
    """Return the name that is true after the one handler of a `try` that goes on, or ""."""
    handlers = getattr(statement, "handlers", ())
    going_on = [handler for handler in handlers if falls_through(handler.body)]
    last = going_on[0].body[-1] if len(going_on) == 1 else None
    if not isinstance(last, gast.Assign) or getattr(last.value, "value", None) is not True:
        return ""
    flag: str = getattr(last.targets[0], "id", "")
    return "" if flag in bound_names(statement.finalbody) else flag


def carriers(value: Any) -> list[str]:
    """Return the names that are bound whole or of which an attribute is read, but for questions."""
    if isinstance(value, gast.Name):
        return [value.id]
    if isinstance(value, gast.JoinedStr):
        return []
    if isinstance(value, gast.Call) and getattr(value.func, "id", "") in _QUESTIONS:
        return []
    if isinstance(value, gast.Call) and getattr(value.func, "id", "") == "float":
        return names_read(value)  # from the text of its message
    found = [value.value.id] if _is_attribute(value) else []
    found += [item.id for item in getattr(value, "args", []) if isinstance(item, gast.Name)]
    for child in nodes_in(value):
        found += [] if isinstance(child, gast.Name) else carriers(child)
    return found


def puts(value: Any) -> bool:
    """Say whether an expression is ``xs.append(v)`` or the like."""
    return getattr(getattr(value, "func", None), "attr", "") in SHAPERS


def _is_attribute(value: Any) -> bool:
    return isinstance(value, gast.Attribute) and isinstance(value.value, gast.Name)
