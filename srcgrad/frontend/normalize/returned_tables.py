"""Lets functions return tables of numbers row by row, so that what they wrote into stays theirs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import at, load, store
from srcgrad.ir.displays import makes_table
from srcgrad.ir.names import Namer
from srcgrad.ir.scopes import Scope
from srcgrad.ir.walk import statements, walk

_INNER = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.Lambda)


def rows_returned(body: list[Any], scope: Scope, namer: Namer) -> list[Any]:
    """Return a body that returns copies of the rows of a table into whose cells it writes.

    Nobody tells them from the rows: the table is made here, and used by its cells alone.

    >>> from srcgrad.compiler.doctesting import parse, reader_of, text
    >>> def show(lines):
    ...     print(text(rows_returned(parse(lines), reader_of().scope, Namer(["m", "x"]))))
    >>> show("m = [[0.0] * 2 for _ in range(2)]; m[0][1] = x; return m, x")
    m = [[0.0] * 2 for _ in range(2)]
    m[0][1] = x
    return [row[:] for row in m], x
    >>> show("m = [[0.0] * 2 for _ in range(2)]; m[0][1] = x; kept = m; return m")
    m = [[0.0] * 2 for _ in range(2)]
    m[0][1] = x
    kept = m
    return m
    """
    returns = [item for item in statements(body) if isinstance(item, gast.Return)]
    wanted = {item.id for line in returns for item in _values(line) if isinstance(item, gast.Name)}
    tables = wanted & set(_tables(body, scope)) if wanted else wanted
    if not tables or any(isinstance(node, _INNER) for line in body for node in walk(line)):
        return body
    tables -= set(_used_otherwise(body, tables, scope))
    for line in returns:
        items = line.value.elts if isinstance(line.value, gast.Tuple) else None
        if items is not None:
            items[:] = [_copied(item, tables, namer) for item in items]
        elif line.value is not None:
            line.value = _copied(line.value, tables, namer)
    return body


def _values(line: Any) -> list[Any]:
    return list(line.value.elts) if isinstance(line.value, gast.Tuple) else [line.value]


def _tables(body: list[Any], scope: Scope) -> Iterator[str]:
    """Yield the names that are bound to new lists of rows, and those whose cells are written."""
    made, written = set(), set()
    for statement in statements(body):
        for target in getattr(statement, "targets", [getattr(statement, "target", None)]):
            if isinstance(target, gast.Name) and _makes_rows(statement, scope):
                made.add(target.id)
            written.add(getattr(_table_of_cell(target), "id", ""))
    yield from made & written


def _makes_rows(statement: Any, scope: Scope) -> bool:
    plain = isinstance(statement, gast.Assign) and len(statement.targets) == 1
    return (
        plain
        and not isinstance(statement.value, gast.DictComp)
        and makes_table(statement.value, scope)
    )


def _table_of_cell(node: Any) -> Any:
    """Return what stands for `m` in ``m[i][j]``, or None."""
    row = node.value if isinstance(node, gast.Subscript) else None
    if not isinstance(row, gast.Subscript) or isinstance(row.slice, gast.Slice):
        return None
    return row.value


def _used_otherwise(body: list[Any], tables: set[str], scope: Scope) -> Iterator[str]:
    """Yield the tables that are more than made, returned once, and read and written by cells."""
    allowed: set[int] = set()
    for statement in statements(body):
        if _makes_rows(statement, scope):
            allowed.add(id(statement.targets[0]))
        if isinstance(statement, gast.Return):
            named = {getattr(item, "id", ""): id(item) for item in _values(statement)}
            allowed.update(named.values())
    nodes = [node for line in body for node in walk(line)]
    for node in nodes:
        allowed.add(id(_table_of_cell(node)))
        if isinstance(node, gast.Call) and getattr(node.func, "id", "") == "len":
            allowed.update(id(item) for item in node.args)
    for node in nodes:
        if isinstance(node, gast.Name) and node.id in tables and id(node) not in allowed:
            yield node.id


def _copied(value: Any, tables: set[str], namer: Namer) -> Any:
    if getattr(value, "id", "") not in tables:
        return value
    row = namer.fresh("row")
    part = gast.Subscript(load(row), gast.Slice(None, None, None), gast.Load())
    loop = gast.comprehension(store(row), value, [], 0)
    return at(gast.ListComp(part, [loop]), value)
