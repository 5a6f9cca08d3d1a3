"""Keeps which of two values is the greater, not the values, where the way back asks only that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import assign, call, load
from srcgrad.ir.marks import CLOSING
from srcgrad.ir.names import Namer
from srcgrad.ir.program import bound_by
from srcgrad.ir.walk import found_in, names_read, spelled, statements

_Pair = tuple[str, str]


class Orders:
    """Looks for values that a loop need not keep for its mirror, as their order will do.

    Attributes:
        use: Is told the functions of the runtime that the text calls now.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... way = u[k] + d
    ... u = np.minimum(u, way)
    ... ''')
    >>> back = parse('''
    ... grad_way = greater_part(grad_u, u_2, way)
    ... grad_u = greater_part(grad_u, way, u_2)
    ... ''')
    >>> orders = Orders(Namer(["way", "u"]), lambda name: False)
    >>> orders.keep(body, ["way"], back, []), text(body) == text(parse(text(body)))
    (['way'], True)
    >>> body.insert(1, parse("u_2 = u")[0])
    >>> orders.keep(body, ["way", "u_2"], back, [])
    ['order']
    >>> print(text(body))
    way = u[k] + d
    u_2 = u
    order = order_of(u_2, way)
    u = np.minimum(u, way)
    >>> print(text(back))
    grad_way = part_if_greater(grad_u, order)
    grad_u = part_if_less(grad_u, order)
    """

    def __init__(self, namer: Namer, is_number: Callable[[str], bool]) -> None:
        self.use: Callable[[str], object] = str
        self._namer = namer
        self._is_number = is_number

    def keep(
        self, primal: list[Any], names: list[str], adjoint: list[Any], recipes: Sequence[Any]
    ) -> list[str]:
        """Return what to record in the place of `names`, and let both blocks use it."""
        calls = [
            node
            for statement in adjoint
            for node in found_in(statement, gast.Call)
            if getattr(node.func, "id", "") == "greater_part"
        ]
        if not calls:
            return names
        places = _places(primal)
        asked: dict[_Pair, list[Any]] = {}
        for node in calls:
            pair = self._pair(node, places)
            if pair is not None:
                asked.setdefault(pair, []).append(node)
        reads = Counter(n for item in [*adjoint, *recipes] for n in names_read(item))
        left = list(names)
        for pair in self._worth(asked, names, reads):
            order = self._namer.fresh("order")
            replaced = _names(asked[pair][0])
            left = [*(name for name in left if name not in replaced), order]
            self._write(primal, places, asked[pair], order)
        return left

    def _pair(self, node: Any, places: dict[str, int]) -> _Pair | None:
        """Return the operands of a call that one trip makes, or that are constants."""
        names = _names(node)
        made = names and all(name in places for name in names)
        if not made or all(map(self._is_number, names)):
            return None  # a float is as short as an order
        first, second = sorted(map(_written, node.args[1:]))
        return (first, second) if first and second and first != second else None

    def _worth(
        self, asked: dict[_Pair, list[Any]], names: list[str], reads: Counter[str]
    ) -> list[_Pair]:
        """Return the pairs whose values are recorded for nothing else."""
        return [
            pair
            for pair, nodes in asked.items()
            if all(name in names and reads[name] == len(nodes) for name in _names(nodes[0]))
        ]

    def _write(
        self,
        primal: list[Any],
        places: dict[str, int],
        nodes: list[Any],
        order: str,
    ) -> None:
        _, x, y = nodes[0].args
        first = _written(x)
        last = max(places[name] for name in _names(nodes[0]))
        made = assign(order, call("order_of", x, y), primal[max(last, 0)])
        self.use("order_of")
        for node in nodes:
            name = "part_if_greater" if _written(node.args[1]) == first else "part_if_less"
            node.func = load(name)
            self.use(name)
            node.args[1:] = [load(order)]
        primal.insert(last + 1, made)
        places.update({name: place + (place > last) for name, place in places.items()})


def _places(block: list[Any]) -> dict[str, int]:
    """Return where a block binds the names that it binds once, by assignments of its own.

    What it binds at its end, for the next trip of a loop, is there from its start.
    """
    binds: Counter[str] = Counter()
    places: dict[str, int] = {}
    for statement in statements(block):
        binds.update(bound_by(statement))
    for place, statement in enumerate(block):
        if isinstance(statement, gast.Assign):
            closes = CLOSING.of(statement)
            places.update(dict.fromkeys(bound_by(statement), -1 if closes else place))
    return {name: place for name, place in places.items() if binds[name] == 1}


def _names(node: Any) -> list[str]:
    """Return the operands of a call of `greater_part` that are names."""
    return [item.id for item in node.args[1:] if isinstance(item, gast.Name)]


def _written(node: Any) -> str:
    """Return an operand as text: of a name or a number, and nothing else."""
    if isinstance(node, gast.Name):
        return str(node.id)
    return str(spelled(node)) if isinstance(node, gast.Constant) else ""
