"""Drops questions whose answer is known: whether a variable is bound, or holds one number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import at, dotted_path
from srcgrad.ir.program import bound_names
from srcgrad.ir.walk import blocks_of, names_bound, statements


def drop_idle_guards(body: list[Any]) -> list[Any]:
    """Return a body that asks whether a name is bound to None only if it may be.

    A read of what nothing has bound raises by itself, but as that of a global if nothing binds it.
    What uses None raises, too, but not what a handler may wait for.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... s = None
    ... t = x[0]
    ... if s is None:
    ...     raise UnboundLocalError("s")
    ... if t is None:
    ...     raise UnboundLocalError("t")
    ... if u is None:
    ...     raise UnboundLocalError("u")
    ... ''')
    >>> print(text(drop_idle_guards(body)))
    s = None
    t = x[0]
    if s is None:
        raise UnboundLocalError("s")
    raise UnboundLocalError("u")
    """
    if not any(_asked_by(item) for item in statements(body)):
        return body
    bound = bound_names(body)
    usual, caught = may_be_none(body), may_be_none(body, every=True)

    def kept(block: list[Any], nothing: set[str]) -> list[Any]:
        done: list[Any] = []
        for statement in block:
            name = _asked_by(statement)
            if name is None or name in nothing:
                done.append(statement)
            elif name not in bound:
                done += _without_question(statement)
        for statement in done:
            for part in blocks_of(statement):
                is_tried = isinstance(statement, gast.Try) and part is statement.body
                part[:] = kept(part, caught if is_tried else nothing)
        return done

    return kept(body, usual)


def may_be_none(block: list[Any], *, every: bool = False) -> set[str]:
    r"""Return the names that are bound to None somewhere, or to such a name before a `try`.

    What a `try` binds may be None after it has failed, if it was so before. With `every`, whatever
    is bound to such a name counts.

    >>> from srcgrad.compiler.doctesting import parse
    >>> sorted(may_be_none(parse("a = None\nb = a\ntry:\n  b = x\nexcept: pass\nc = a")))
    ['a', 'b']
    >>> sorted(may_be_none(parse("a = None; b = a; c = x"), every=True))
    ['a', 'b']
    """
    tried = bound_names([item for item in statements(block) if isinstance(item, gast.Try)])
    copies = [
        (name, item.value)
        for item in statements(block)
        if isinstance(item, gast.Assign) and isinstance(item.value, (gast.Name, gast.Constant))
        for target in item.targets
        for name in names_bound(target)
    ]
    found = {n for n, v in copies if isinstance(v, gast.Constant) and v.value is None}
    size = -1
    while size != (size := len(found)):
        found |= {n for n, v in copies if getattr(v, "id", "") in found and (every or n in tried)}
    return found


def _asked_by(statement: Any) -> str | None:
    """Return the name that a guard asks of, which may do so if another test holds; None if none."""
    if not isinstance(statement, gast.If) or not _raises(statement):
        return None
    error, test = statement.body[0].exc, statement.test
    if getattr(getattr(error, "func", None), "id", "") != "UnboundLocalError" or statement.orelse:
        return None
    asked = test.values[-1] if isinstance(test, gast.BoolOp) else test
    asks = isinstance(asked, gast.Compare) and isinstance(asked.ops[0], gast.Is)
    return asked.left.id if asks and isinstance(asked.left, gast.Name) else None


def _raises(branch: Any) -> bool:
    return bool(branch.body) and isinstance(branch.body[0], gast.Raise)


def _without_question(guard: Any) -> list[Any]:
    """Return what a guard does where nothing binds the name."""
    if not isinstance(guard.test, gast.BoolOp):
        error: list[Any] = guard.body
        return error
    *before, _ = guard.test.values
    test = gast.BoolOp(gast.And(), before) if len(before) > 1 else before[0]
    return [at(gast.If(test, guard.body, []), guard)]


def drop_number_guards(body: list[Any], is_number: Callable[[str], bool]) -> list[Any]:
    """Return a body that does not ask of numbers whether they have axes.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... if np.ndim(s):
    ...     raise ValueError("an array")
    ... y[...] = s
    ... ''')
    >>> print(text(drop_number_guards(body, {"s"}.__contains__)))
    y[...] = s
    """

    def is_idle(item: Any) -> bool:
        if not isinstance(item, gast.If) or not _raises(item):
            return False
        asks = dotted_path(getattr(item.test, "func", None)).endswith(".ndim")
        named = asks and isinstance(item.test.args[0], gast.Name)
        return named and not item.orelse and is_number(item.test.args[0].id)

    kept = [item for item in body if not is_idle(item)]
    for statement in kept:
        for part in blocks_of(statement):
            part[:] = drop_number_guards(part, is_number)
    return kept
