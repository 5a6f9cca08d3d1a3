"""Says which reads may meet a name that no path has bound."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

import gast

from srcgrad.ir.jumps import falls_through, jumps
from srcgrad.ir.program import bound_names, header_of, header_reads, targets_of
from srcgrad.ir.walk import blocks_of, names_bound, statements, walk


def maybe_unbound(
    body: list[Any], parameters: Iterable[str], base: Callable[[str], str]
) -> frozenset[str]:
    """Return the names of a body that are read where not every path has bound them.

    Python raises an UnboundLocalError then, and so must a derivative. Copies between versions of
    one variable, of the same `base`, are no reads of the user's.

    >>> from srcgrad.compiler.doctesting import parse
    >>> body = parse('''
    ... if x > 0:
    ...     y = x
    ... if x > 1:
    ...     z = x
    ... else:
    ...     z = y
    ... out = z
    ... ''')
    >>> sorted(maybe_unbound(body, ["x"], str))
    ['y']
    """
    found: list[tuple[Any, str]] = []
    _Walk(bound_names(body), found, base).block(body, set(parameters))
    return frozenset(name for _, name in found)


def unbound_reads(
    body: list[Any],
    parameters: Iterable[str],
    base: Callable[[str], str],
    started: Collection[str] = (),
) -> list[tuple[Any, str]]:
    """Return the statements that read what not every path to them has bound, and what that is.

    They surely do once they run. The names that are `started` are bound to None before a loop,
    which the program itself does not.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... s = None
    ... for i in range(3):
    ...     y = s * x
    ...     s = y
    ... ''')
    >>> [(text([item]), name) for item, name in unbound_reads(body, ["x"], str, ["s"])]
    [('y = s * x', 's')]
    """
    found: list[tuple[Any, str]] = []
    _Walk(bound_names(body), found, base, started, surely_read).block(body, set(parameters))
    return found


def surely_read(statement: Any) -> list[str]:
    """Return the names that a statement reads itself, whatever their values are.

    What is calculated later, for each entry, or if another value says so, it may not read.

    >>> from srcgrad.compiler.doctesting import parse
    >>> (statement,) = parse("z = [f(a, v) for v in b] if c and d else (lambda: e)")
    >>> surely_read(statement)
    ['c']
    >>> surely_read(parse("z[i] = g(v for v in b[j]) < c < d")[0])
    ['g', 'b', 'j', 'c', 'z', 'i']
    """
    return [name for part in header_of(statement) for name in _surely(part)]


def _surely(node: Any) -> list[str]:
    if isinstance(node, gast.Name):
        return [node.id] if isinstance(node.ctx, gast.Load) else []
    parts = gast.iter_child_nodes(node)
    if isinstance(node, gast.BoolOp):
        parts = node.values[:1]
    elif isinstance(node, gast.IfExp):
        parts = [node.test]
    elif isinstance(node, gast.Compare):
        parts = [node.left, node.comparators[0]]
    elif isinstance(node, gast.Assert):
        parts = [node.test]
    elif isinstance(node, (gast.Lambda, gast.FunctionDef)):
        written = getattr(node, "decorator_list", [])
        parts = [*written, *node.args.defaults, *filter(None, node.args.kw_defaults)]
    elif isinstance(node, (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)):
        parts = [node.generators[0].iter]
    return [name for part in parts for name in _surely(part)]


def read_at_once(loop: Any, name: str) -> bool:
    """Say whether the first trip of a loop surely reads a name before it binds it.

    >>> from srcgrad.compiler.doctesting import parse
    >>> (loop,) = parse('''
    ... for i in range(n):
    ...     if i > 0:
    ...         a = a + b
    ...     b = [c for c in x]
    ... ''')
    >>> [name for name in "abcx" if read_at_once(loop, name)]
    ['x']
    """
    is_asked = isinstance(loop, gast.While) and _reads(loop, name)
    return is_asked or _first_use(loop.body, name) == "read"


def _reads(statement: Any, name: str) -> bool:
    """Say whether a statement reads a name itself, and no name like it of a comprehension's."""
    if name not in header_reads(statement):
        return False
    own = [node for node in walk(statement) if isinstance(node, (gast.comprehension, gast.Lambda))]
    parts = [getattr(node, "target", None) or getattr(node, "args", None) for node in own]
    return not any(getattr(item, "id", "") == name for part in parts for item in walk(part))


def _first_use(block: list[Any], name: str) -> str:
    """Return what surely happens to a name first, "read" or "bound"; "" if neither is sure."""
    for statement in block:
        if _reads(statement, name):
            return "read"
        if isinstance(statement, gast.If):
            used = {_first_use(part, name) for part in (statement.body, statement.orelse)}
            if len(used) == 1 and "" not in used:
                return used.pop()
        elif isinstance(statement, (gast.Try, gast.With)):
            used = {_first_use(statement.body, name)}
            if used != {""}:
                return used.pop()
        if any(name in _binds(item) for item in statements([statement])):
            is_plain = not any(True for _ in blocks_of(statement))
            return "bound" if is_plain else ""
        if not falls_through([statement]) or any(jumps([statement])):
            return ""
    return ""


class _Walk:
    """Goes through a body with the names that are surely bound."""

    def __init__(
        self,
        local: set[str],
        found: list[tuple[Any, str]],
        base: Callable[[str], str],
        started: Collection[str] = (),
        reads: Callable[[Any], list[str]] = header_reads,
    ) -> None:
        self._local = local
        self._found = found
        self._base = base
        self._started = started
        self._reads = reads

    def block(self, block: list[Any], bound: set[str]) -> set[str]:
        """Return the names bound after a block, given those before; note the reads of others."""
        for statement in block:
            if self._joins(statement):
                known = statement.value.id not in self._local or statement.value.id in bound
                bound |= set(_binds(statement)) if known else set()
                continue
            unbound = self._local - bound
            found = [name for name in dict.fromkeys(self._reads(statement)) if name in unbound]
            self._found += [(statement, name) for name in found]
            bound |= set(found)  # or it has raised
            if isinstance(statement, gast.If):
                bound = self._branch(statement, bound)
            elif isinstance(statement, (gast.For, gast.While)):
                self.block(statement.body, bound | set(_binds(statement)))
            elif isinstance(statement, gast.With):
                bound = self.block(statement.body, bound | set(_binds(statement)))
            elif any(True for _ in blocks_of(statement)):
                return bound | self._local  # a `try` is taken apart with care of its own
            else:
                bound |= set() if is_start(statement, self._started) else set(_binds(statement))
        return bound

    def _branch(self, statement: Any, bound: set[str]) -> set[str]:
        parts = (statement.body, statement.orelse)
        ends = [self.block(part, set(bound)) for part in parts]
        ends = [end for end, part in zip(ends, parts, strict=True) if falls_through(part)]
        return set.intersection(*ends) if ends else bound | self._local

    def _joins(self, statement: Any) -> bool:
        """Say whether a statement copies one version of a variable to another."""
        if not isinstance(statement, gast.Assign) or not isinstance(statement.value, gast.Name):
            return False
        (target,) = statement.targets
        same = isinstance(target, gast.Name) and (
            self._base(target.id) == self._base(statement.value.id)
        )
        return same and target.id != statement.value.id


def is_start(statement: Any, started: Collection[str]) -> bool:
    """Say whether a statement binds one of some names to nothing, for a loop to hand on.

    >>> from srcgrad.compiler.doctesting import parse
    >>> [is_start(item, ["s"]) for item in parse("s = None; t = None; s = t")]
    [True, False, False]
    """
    if not isinstance(statement, gast.Assign) or not isinstance(statement.value, gast.Constant):
        return False
    return statement.value.value is None and not set(_binds(statement)).isdisjoint(started)


def _binds(statement: Any) -> list[str]:
    return [name for target in targets_of(statement) for name in names_bound(target)]
