"""Writes a loop over the values of a generator as the statements of the generator itself."""

from __future__ import annotations

from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, clone, load, store
from srcgrad.ir.walk import blocks_of, found_in, statements

_LOOPS: Final = (gast.For, gast.While)
_INNER: Final = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.Lambda)
_AROUND: Final = (gast.Try, gast.With)
_INNERMOST: Final = gast.Pass()  # stands for a loop in a loop
_MOST_PLACES: Final = 3
_FEW: Final = 12  # nodes of statements that may stand in more places than one


def may_run_through(tree: Any, body: list[Any]) -> bool:
    """Say whether a generator may be run in the place of a loop over it, with the loop's `body`.

    The body then stands wherever a value is yielded. It must not leave the loop from where the
    generator would go on, and what it raises must not be seen by the generator.

    >>> (tree,) = gast.parse('''
    ... def halves(x):
    ...     for v in x:
    ...         yield v * 0.5
    ... ''').body
    >>> bodies = ["y = y + v", "if v > 1: break", "return v"]
    >>> [may_run_through(tree, gast.parse(body).body) for body in bodies]
    [True, True, False]
    """
    tree = clone(tree)
    if not returns_at_end(tree.body):
        return False
    places = _places(tree.body, None, [])
    yields = [item for line in tree.body for item in found_in(line, gast.Yield, gast.YieldFrom)]
    if places is None or len(places) != len(yields) or not yields:
        return False
    long = sum(1 for line in body for _ in statements([line])) > _FEW
    if len(places) > (1 if long else _MOST_PLACES) or _holds(body, gast.Return):
        return False
    last = tree.body[-1]
    lasting = all(loop is last and not getattr(loop, "orelse", []) for loop, _ in places)
    if leaves(body) and not lasting:
        return False
    return not _holds(body, gast.Continue) or all(goes_on for _, goes_on in places)


def manages(tree: Any, body: list[Any]) -> bool:
    r"""Say whether a generator yields once, in no loop, around a body that goes on behind it.

    >>> text = "def scaled(d):\n  try:\n    yield d\n  finally:\n    d.clear()"
    >>> bodies = ["y = d", "return d", "for v in d: break"]
    >>> [manages(gast.parse(text).body[0], gast.parse(body).body) for body in bodies]
    [True, False, True]
    """
    yields = found_in(gast.Module(tree.body, []), gast.Yield, gast.YieldFrom)
    plain = [s.value for s in statements(tree.body) if isinstance(s, gast.Expr)]
    loops = [s for s in statements(tree.body) if isinstance(s, (*_LOOPS, *_INNER))]
    inside = any(found_in(loop, gast.Yield, gast.YieldFrom) for loop in loops)
    left = any(_holds(body, kind) for kind in (gast.Return, gast.Break, gast.Continue))
    returns = any(isinstance(s, gast.Return) for s in statements(tree.body))
    return len(yields) == 1 and yields[0] in plain and not (inside or left or returns)


def run_through(tree: Any, target: Any, body: list[Any], counter: str = "") -> None:
    """Put the body of a loop into the definition of a generator, where it yields a value.

    With a `counter` the target is a pair, of which the first is the number of the value.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> (tree,), body = parse('''
    ... def halves(x):
    ...     for v in x:
    ...         yield v * 0.5
    ...         yield from others
    ... '''), parse("total += y")
    >>> run_through(tree, store("y"), body)
    >>> print(text([tree]))
    def halves(x):
        for v in x:
            y = v * 0.5
            total += y
            for y in others:
                total += y
    """
    returns_at_end(tree.body)
    tree.body[:] = _replaced(tree.body, target, body, counter)


def leaves(body: list[Any]) -> bool:
    """Say whether the body of a loop may leave it by a `break`."""
    return _holds(body, gast.Break)


def returns_in_place(body: list[Any]) -> bool:
    """Say whether the body of a loop returns, and wherever it does from no loop inside of it.

    >>> bodies = ["if a: return b", "for v in a: return v", "y = a"]
    >>> [returns_in_place(gast.parse(body).body) for body in bodies]
    [True, False, False]
    """
    inner = [line for line in statements(body) if isinstance(line, (*_LOOPS, *_AROUND, *_INNER))]
    return _holds(body, gast.Return) and not any(found_in(line, gast.Return) for line in inner)


def with_breaks(block: list[Any], left: str, result: str) -> None:
    """Let a body break where it returns, after it has noted that, and what it returns."""
    for place, statement in enumerate(block):
        for part in blocks_of(statement):
            with_breaks(part, left, result)
        if isinstance(statement, gast.Return):
            value = statement.value or gast.Constant(None, None)
            noted = [assign(result, value, statement)]
            noted.append(assign(left, gast.Constant(True, None), statement))
            block[place:] = [*noted, at(gast.Break(), statement)]
            return


def _replaced(block: list[Any], target: Any, body: list[Any], counter: str) -> list[Any]:
    done: list[Any] = []
    for statement in block:
        value = getattr(statement, "value", None)
        if isinstance(statement, gast.Expr) and isinstance(value, gast.YieldFrom):
            lines = _counted(clone(body), target, None, counter, statement)
            bound = target.elts[1] if counter else target
            done.append(at(gast.For(clone(bound), value.value, lines, [], None), statement))
        elif isinstance(statement, gast.Expr) and isinstance(value, gast.Yield):
            item = gast.Constant(None, None) if value.value is None else value.value
            done += _counted(clone(body), target, item, counter, statement)
        else:
            for part in blocks_of(statement):
                part[:] = _replaced(part, target, body, counter)
            done.append(statement)
    return done


def _counted(body: list[Any], target: Any, value: Any, counter: str, node: Any) -> list[Any]:
    """Return the statements that bind a value, and its number, and do with it what a loop does."""
    bound = target.elts[1] if counter else target
    lines = [] if value is None else [at(gast.Assign([clone(bound)], value, None), node)]
    if counter:
        number = assign(clone(target.elts[0]), load(counter), node)
        step = gast.AugAssign(store(counter), gast.Add(), gast.Constant(1, None))
        lines = [number, *lines, at(step, node)]
    return [*lines, *body]


def _places(
    block: list[Any], loop: Any, found: list[tuple[Any, bool]], *, goes_on: bool = False
) -> list[tuple[Any, bool]] | None:
    """Return of each `yield` the one loop around it, and whether that goes on after it; or None.

    There is none where a `break` would leave an inner loop alone.
    """
    for place, statement in enumerate(block):
        ends = goes_on and place == len(block) - 1
        value = getattr(statement, "value", None)
        if isinstance(statement, gast.Expr) and isinstance(value, gast.Yield):
            found.append((loop, ends))
        elif isinstance(statement, gast.Expr) and isinstance(value, gast.YieldFrom):
            found.append((statement if loop is None else None, True))
        elif found_in(statement, gast.Yield, gast.YieldFrom):
            only_ends = isinstance(statement, gast.Try) and not statement.handlers
            if isinstance(statement, (*_AROUND, *_INNER)) and not only_ends:
                return None  # it may see what the body of the loop raises
            ends = ends and not only_ends
            loops = isinstance(statement, _LOOPS)
            around = (statement if loop is None else _INNERMOST) if loops else loop
            for part in blocks_of(statement):
                if _places(part, around, found, goes_on=loops or ends) is None:
                    return None
    return found


def _holds(body: list[Any], kind: type) -> bool:
    """Say whether statements hold a `break` or the like that belongs to what is around them."""
    for statement in body:
        if isinstance(statement, kind):
            return True
        if isinstance(statement, _INNER) or (
            isinstance(statement, _LOOPS) and kind is not gast.Return
        ):
            continue
        if any(_holds(part, kind) for part in blocks_of(statement)):
            return True
    return False


def returns_at_end(body: list[Any], *, in_loop: bool = False) -> bool:
    """Write each `return` as what leads to the end of the body; say whether that could be done."""
    for place, statement in enumerate(body):
        if not found_in(statement, gast.Return):
            continue
        inner = isinstance(statement, _LOOPS)
        if not in_loop and place < len(body) - 1:
            return False  # something would follow
        if inner and (in_loop or statement.orelse):
            return False  # it would leave the inner loop alone, or run what comes after it
        if isinstance(statement, gast.Return):
            body[place] = at(gast.Break() if in_loop else gast.Pass(), statement)
        elif not isinstance(statement, (gast.If, *_LOOPS)) or not all(
            returns_at_end(part, in_loop=in_loop or inner) for part in blocks_of(statement)
        ):
            return False
    return True
