"""Writes what recursive local functions bind around them as entries of lists, instead of cells.

A local function is put in the place of its call, with the variables around it, unless it calls
itself. One that does is a function of its own, which is given what it reads: it may change a list.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from srcgrad.frontend.expand.scoping import all_names, free_names, nonlocals, own_names, parameters
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, load, store
from srcgrad.ir.names import Namer
from srcgrad.ir.rewriting import Rewriter
from srcgrad.ir.walk import found_in, statements

_BOUND_ELSEWHERE: Final = (gast.NamedExpr, gast.ExceptHandler, gast.ClassDef, gast.Lambda)


def with_cells(tree: Any) -> Any:
    r"""Return a definition whose recursive local functions bind no variables around them.

    >>> tree = gast.parse('''
    ... def f(n):
    ...     count = 0
    ...     def go(i):
    ...         nonlocal count
    ...         count += 1
    ...         return go(i - 1) if i else count
    ...     return go(n) + count
    ... ''').body[0]
    >>> print(gast.unparse(with_cells(tree)))
    def f(n):
        count_cell = [0]
    <BLANKLINE>
        def go(i):
            count_cell[0] += 1
            return go(i - 1) if i else count_cell[0]
        return go(n) + count_cell[0]
    """
    inner = [item for item in statements(tree.body) if isinstance(item, gast.FunctionDef)]
    wanted = {name for item in _recursive(inner) for name in nonlocals(item)}
    names = {name: place for name in sorted(wanted) if (place := _first(tree, inner, name))}
    if not names:
        return tree
    made, namer = clone(tree), Namer(all_names(tree))
    cells = {name: namer.fresh(f"{name}_cell") for name in names}
    return _Cells(cells).function(made)


def _recursive(inner: list[Any]) -> Iterator[Any]:
    """Yield those of some local functions that call themselves, by way of others or not."""
    names = {item.name for item in inner}
    calls = {item.name: names.intersection(free_names(item)) for item in inner}
    grows = True
    while grows:
        grows = False
        for name, called in calls.items():
            more = called.union(*(calls[other] for other in called))
            grows = grows or more != called
            calls[name] = more
    yield from (item for item in inner if item.name in calls[item.name])


def _first(tree: Any, inner: list[Any], name: str) -> Any:
    """Return the statement that binds a variable at first; None if a cell would not do for it."""
    own = [item for item in tree.body if isinstance(item, gast.Assign)]
    first = next((item for item in own if _binds(item, name)), None)
    before = tree.body[: tree.body.index(first)] if first is not None else []
    mentioned = any(n.id == name for item in before for n in found_in(item, gast.Name))
    others = [item for item in inner if name in own_names(item) - nonlocals(item)]
    if first is None or mentioned or others or name in parameters(tree.args):
        return None
    for node in found_in(tree, gast.For, gast.comprehension, gast.withitem, gast.Delete):
        bound = [getattr(node, "target", None), getattr(node, "optional_vars", None)]
        bound += getattr(node, "targets", [])
        if any(n.id == name for part in bound if part for n in found_in(part, gast.Name)):
            return None
    odd = (n for item in found_in(tree, *_BOUND_ELSEWHERE) for n in found_in(item, gast.Name))
    return None if any(n.id == name for n in odd) else first


def _binds(statement: Any, name: str) -> bool:
    """Say whether a statement is ``name = value``."""
    target = statement.targets[0]
    return len(statement.targets) == 1 and getattr(target, "id", "") == name


class _Cells(Rewriter):
    """Rewrites one definition."""

    def __init__(self, cells: dict[str, str]) -> None:
        self._cells = cells
        self._begun: set[str] = set()

    def function(self, tree: Any) -> Any:
        """Return the definition with its cells."""
        tree.body = [self._statement(item) for item in tree.body]
        return tree

    def _statement(self, statement: Any) -> Any:
        plain = isinstance(statement, gast.Assign)
        name = next((n for n in self._cells if plain and _binds(statement, n)), "")
        statement = self.visit(statement)
        if name and name not in self._begun:
            self._begun.add(name)
            made = gast.List([statement.value], gast.Load())
            return at(gast.Assign([store(self._cells[name])], made, None), statement)
        return statement

    def visit_Name(self, node: Any) -> Any:
        """Write a variable as the entry of its list."""
        if node.id not in self._cells:
            return node
        first = gast.Constant(0, None)
        return at(gast.Subscript(load(self._cells[node.id]), first, node.ctx), node)

    def visit_Nonlocal(self, node: Any) -> Any:
        """Leave out what is a cell."""
        node.names = [name for name in node.names if name not in self._cells]
        return node if node.names else None
