"""Says which names are read later."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.jumps import is_endless
from srcgrad.ir.marks import ATTEMPT
from srcgrad.ir.program import bound_by, header_reads
from srcgrad.ir.walk import names_bound

Visitor = Callable[[Any, set[str]], None]


def walk_live(
    block: list[Any],
    live: set[str],
    visit: Visitor | None = None,
    after_loop: Collection[str] = (),
    raises: Collection[str] = (),
) -> set[str]:
    r"""Walk a block backwards and return the names live before it, given those live after it.

    `visit(statement, live_after)` is called once for every statement, with the set as it is then:
    read it, do not keep it. Loops are walked until their set is stable, and only then visited.
    `after_loop` are the names live after the loop around the block, where a `break` leads, and
    `raises` those live where an exception leads.

    >>> tree = gast.parse("a = x + 1\nb = a * x\nc = 2")
    >>> sorted(walk_live(tree.body, {"b"}))
    ['x']
    """
    failing: dict[int, set[str]] = {}
    for statement in reversed(block):
        _pass_by(statement, failing, after_loop, raises)
        if isinstance(statement, (gast.For, gast.While)):
            live = _loop(statement, live, visit, raises)
        elif isinstance(statement, gast.If):
            if visit is not None:
                visit(statement, live)
            after = set(live)
            live = walk_live(statement.body, live, visit, after_loop, raises)
            _note_failing(statement, live, failing)
            live |= walk_live(statement.orelse, after, visit, after_loop, raises)
            live.update(header_reads(statement))
        elif isinstance(statement, gast.Try):
            live = _attempt(statement, live, visit, raises, failing.pop(id(statement), live))
        elif isinstance(statement, gast.With):
            if visit is not None:
                visit(statement, live)
            live = walk_live(statement.body, live, visit, after_loop, raises)
            live.difference_update(killed(statement))
            live.update(header_reads(statement))
        else:
            live = _after_jump(statement, live, after_loop, raises)
            if visit is not None:
                visit(statement, live)
            live.difference_update(killed(statement))
            live.update(header_reads(statement))
        if raises and may_raise(statement):
            live.update(raises)
    return live


def may_raise(statement: Any) -> bool:
    """Say whether a statement may raise an exception: all but copies may."""
    if isinstance(statement, gast.If):
        plain = isinstance(statement.test, (gast.Name, gast.Constant))
        return not plain or any(map(may_raise, [*statement.body, *statement.orelse]))
    if isinstance(statement, gast.Assign):
        names = all(isinstance(target, gast.Name) for target in statement.targets)
        return not (names and isinstance(statement.value, (gast.Name, gast.Constant)))
    return not isinstance(statement, (gast.Pass, gast.Break, gast.Continue))


def _after_jump(
    statement: Any, live: set[str], after_loop: Collection[str], raises: Collection[str]
) -> set[str]:
    """Return the names live where a statement leads."""
    if isinstance(statement, gast.Break):
        return set(after_loop)
    return set(raises) if isinstance(statement, gast.Raise) else live


def _note_failing(branch: Any, live: set[str], failing: dict[int, set[str]]) -> None:
    """Note what is live where a branch asks whether the `try` before it has failed, and it has."""
    attempt = ATTEMPT.of(branch)
    if attempt is not None and isinstance(branch.test, gast.Name):
        failing[id(attempt)] = {*live, branch.test.id}


def _pass_by(
    statement: Any,
    failing: dict[int, set[str]],
    after_loop: Collection[str],
    raises: Collection[str],
) -> None:
    """Take what is live on the paths from handlers past a statement that follows their `try`."""
    for attempt, live in failing.items():
        if attempt != id(statement):
            failing[attempt] = walk_live([statement], set(live), None, after_loop, raises)


def _attempt(
    node: Any,
    live: set[str],
    visit: Visitor | None,
    raises: Collection[str],
    failing_after: set[str],
) -> set[str]:
    """What is live in a handler is live wherever the body may raise.

    After a handler that goes on, `failing_after` is live: the path from there is known.
    """
    if visit is not None:
        visit(node, live)
    after = walk_live(node.finalbody, set(live), visit, (), raises)
    after_handlers = walk_live(node.finalbody, set(failing_after), None, (), raises)
    failing = set(raises) | walk_live(node.finalbody, set(raises))
    for handler in node.handlers:
        failing |= walk_live(handler.body, set(after_handlers), visit, (), raises)
    failing.update(header_reads(node))
    end = walk_live(node.orelse, set(after), visit, (), failing if node.finalbody else raises)
    return walk_live(node.body, end, visit, (), failing)


def _loop(loop: Any, live: set[str], visit: Visitor | None, raises: Collection[str]) -> set[str]:
    """The set at the loop's head holds what lives after the loop, in its header and in its body."""
    if visit is not None:
        visit(loop, live)
    after = frozenset(live)
    head = set() if is_endless(loop) else set(live)
    head.update(header_reads(loop))
    bound = set(names_bound(loop.target)) if isinstance(loop, gast.For) else set()
    size = -1
    while len(head) != size:
        size = len(head)
        head |= walk_live(loop.body, set(head), None, after, raises) - bound
    if visit is not None:
        walk_live(loop.body, set(head), visit, after, raises)
    return head


def killed(statement: Any) -> Iterable[str]:
    """Return the names that a simple statement binds anew."""
    if isinstance(statement, gast.AugAssign):
        return ()
    return bound_by(statement)


def first_reads(block: list[Any]) -> set[str]:
    r"""Return the names that a block may read before it binds them.

    >>> tree = gast.parse("a = x + 1\nb = a * y")
    >>> sorted(first_reads(tree.body))
    ['x', 'y']
    """
    return walk_live(block, set())
