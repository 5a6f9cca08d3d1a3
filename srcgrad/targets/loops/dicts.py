"""Answers for dicts what the named tuples that stand for them would answer otherwise."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import constant
from srcgrad.ir.walk import own_nodes, statements
from srcgrad.targets.loops.kind import Items, Kind

_GO_THROUGH: Final = frozenset("list tuple sorted set sum max min any all enumerate zip".split())


def answer_for_dicts(
    function: Any, kind_of: Callable[[Any], Kind], records: Collection[Sequence[str]]
) -> list[tuple[str, int]]:
    """Write into a function whether dicts have keys; return what else asks for keys, with lines.

    A named tuple gives its values where a dict gives its keys.

    Args:
        function: The function.
        kind_of: The kind of an expression in it.
        records: The fields of each class of named tuples that stands for dicts.
    """
    known = set(map(tuple, records))

    def is_dict(node: Any) -> bool:
        kind = kind_of(node)
        return isinstance(kind, Items) and kind.fields in known

    refused: list[tuple[str, int]] = []
    for statement in statements(function.body):
        for node in own_nodes(statement):
            if any(map(is_dict, _gone_through(node))):
                refused.append(("a dict that is gone through", statement.lineno))
            elif _asks_for_key(node) and is_dict(node.comparators[0]):
                has = node.left.value in kind_of(node.comparators[0]).fields
                has = has is isinstance(node.ops[0], gast.In)
                node.left, node.ops, node.comparators = constant(has), [gast.Eq()], [constant(True)]
    return refused


def _gone_through(node: Any) -> list[Any]:
    if isinstance(node, gast.For):
        return [node.iter]
    if isinstance(node, gast.Call) and getattr(node.func, "id", "") in _GO_THROUGH:
        return list(node.args)
    return []


def _asks_for_key(node: Any) -> bool:
    is_one = isinstance(node, gast.Compare) and len(node.ops) == 1
    is_text = is_one and isinstance(getattr(node.left, "value", None), str)
    return is_text and isinstance(node.ops[0], (gast.In, gast.NotIn))
