"""Small steps on the trees of rules, which the templates are made of."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.walk import names_bound, names_read, statements
from srcgrad.rules.base import Function
from srcgrad.transforms.rule_sources import (
    NotInlinableError,
    is_lone_star,
    load_counts,
    rule_source,
)


def scaled(grad: Any, slope: Any) -> Any:
    """Return the product of a gradient and a slope; a quotient of 1 divides it."""
    if isinstance(slope, gast.Constant) and slope.value == 1:
        return grad
    if isinstance(slope, gast.UnaryOp) and isinstance(slope.op, gast.USub):
        return gast.UnaryOp(gast.USub(), scaled(grad, slope.operand))
    if isinstance(slope, gast.BinOp) and isinstance(slope.op, gast.Div):
        return gast.BinOp(scaled(grad, slope.left), gast.Div(), slope.right)
    return gast.BinOp(grad, gast.Mult(), slope)


@functools.cache
def needed_part(rule: type[Function], needed: tuple[bool, ...]) -> tuple[Any, Mapping[str, int]]:
    """Return what the partials of a rule compute for some operands, and how often it reads names.

    Nobody writes into it: what is put in place is built anew.
    """
    tree = only_needed(rule_source(rule).backward, needed)  # type: ignore[arg-type]
    return tree, load_counts(tree)


def only_needed(tree: Any, needed: Sequence[bool]) -> Any:
    """Return the body of `partials` without what serves only gradients that are not wanted."""
    *others, last = tree.body
    parts = [
        getattr(item, "body", item) if flag else gast.Constant(None, None)
        for item, flag in zip(last.value.elts, needed, strict=True)
    ]
    body = [gast.Return(gast.Tuple(parts, gast.Load()))]
    read = set(names_read(body[0]))
    for statement in reversed(others):
        if not isinstance(statement, gast.Assign) or read & set(names_bound(statement.targets[0])):
            read |= set(names_read(statement))
            body.insert(0, statement)
    return gast.FunctionDef(tree.name, tree.args, body, [], None, None, [])


def is_plain_display(node: Any) -> bool:
    """Say whether a node displays all items of a tuple or list."""
    displays = isinstance(node, (gast.Tuple, gast.List))
    return displays and not any(isinstance(item, gast.Starred) for item in node.elts)


def spread(items: list[Any]) -> list[Any]:
    """Return items with those of a display in place of a star before it."""
    found: list[Any] = []
    for item in items:
        inner = getattr(item.value, "elts", None) if isinstance(item, gast.Starred) else None
        found += [item] if inner is None else inner
    return found


def matched(targets: list[Any], items: list[Any]) -> list[tuple[Any, Any]]:
    """Return pairs of targets and items; a last target with a star takes a list of the rest."""
    if targets and isinstance(targets[-1], gast.Starred):
        count = len(targets) - 1
        rest = items[count:]
        whole = rest[0].value if is_lone_star(rest) else gast.List(rest, gast.Load())
        items = [*items[:count], whole]
        targets = [*targets[:count], targets[-1].value]
    if len(items) != len(targets):
        raise NotInlinableError
    return list(zip(targets, items, strict=True))


def last_return(tree: Any) -> Any:
    """Return what the last `return` of a function gives."""
    returns = [item for item in statements(tree.body) if isinstance(item, gast.Return)]
    return returns[-1].value if returns else None


def is_none(node: Any) -> bool:
    """Say whether an expression is absent or `None`."""
    return node is None or (isinstance(node, gast.Constant) and node.value is None)
