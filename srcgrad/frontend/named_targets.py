"""Writes what binds several places of arrays and lists as what binds names."""

from __future__ import annotations

from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import assign, load, store
from srcgrad.ir.names import free_name
from srcgrad.ir.walk import blocks_of, found_in, names_bound, names_read, places_in, statements

_PLACES = (gast.Subscript, gast.Attribute)


def with_named_targets(tree: Any) -> Any:
    """Return a definition, changed in place, that stores into several places one by one.

    So do its loops, and its assignments to parts of what is reached by an index or an attribute.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... for i, y[0] in enumerate(x):
    ...     total += y[0]
    ... m[i][0], i = x
    ... ''')
    >>> print(text(with_named_targets(gast.Module(body, [])).body))
    for i, item in enumerate(x):
        y[0] = item
        total += y[0]
    item_2, item_3 = x
    m[i][0] = item_2
    i = item_3
    """
    wanted = [item for item in statements(tree.body) if _binds_places(item)]
    if wanted:
        names = _Names({item.id for item in found_in(tree, gast.Name)}, set(map(id, wanted)))
        names.in_block(tree.body)
    return tree


def _binds_places(statement: Any) -> bool:
    """Say whether a statement is a loop over places, or binds parts of rows beside others."""
    if isinstance(statement, gast.For):
        return bool(found_in(statement.target, *_PLACES))
    if not isinstance(statement, gast.Assign) or len(statement.targets) != 1:
        return False
    target = statement.targets[0]
    several = isinstance(target, (gast.Tuple, gast.List))
    return several and any(_is_nested(place) for place in places_in(target))


def _is_nested(place: Any) -> bool:
    return isinstance(place, gast.Subscript) and not isinstance(place.value, gast.Name)


class _Names:
    """Gives names to the places that some statements bind."""

    def __init__(self, taken: set[str], wanted: set[int]) -> None:
        self._taken = taken
        self._wanted = wanted

    def in_block(self, block: list[Any]) -> None:
        """Write the statements of a block so, and those inside of them."""
        for statement in block[:]:
            for inner in blocks_of(statement):
                self.in_block(inner)
            if id(statement) not in self._wanted:
                continue
            if isinstance(statement, gast.For):
                statement.target, statement.body[:0] = self._apart(statement.target, statement)
            else:
                target, stores = self._apart(statement.targets[0], statement)
                statement.targets = [target]
                place = next(i for i, item in enumerate(block) if item is statement)
                block[place + 1 : place + 1] = stores

    def _apart(self, target: Any, like: Any) -> tuple[Any, list[Any]]:
        """Return a target of names, and what stores them in its places, in their order.

        Variables that the places ask for get their values in that order, too.
        """
        places = [item for item in places_in(target) if isinstance(item, _PLACES)]
        asked = {name for place in places for name in names_read(place)}
        in_turn = bool(asked.intersection(names_bound(target))) and not _first(target, asked)
        stores: list[Any] = []
        return self._named(target, stores, like, in_turn), stores

    def _named(self, target: Any, stores: list[Any], like: Any, in_turn: bool) -> Any:
        if isinstance(target, _PLACES) or (in_turn and isinstance(target, gast.Name)):
            name = free_name("item", self._taken)
            stores.append(assign(target, load(name), like))
            return store(name)
        if isinstance(target, gast.Starred):
            target.value = self._named(target.value, stores, like, in_turn)
        elif isinstance(target, (gast.Tuple, gast.List)):
            target.elts = [self._named(item, stores, like, in_turn) for item in target.elts]
        return target


def _first(target: Any, asked: set[str]) -> bool:
    """Say whether a target binds all variables that are asked for before the first place."""
    places = places_in(target)
    count = next(i for i, item in enumerate(places) if isinstance(item, _PLACES))
    later = {getattr(item, "id", "") for item in places[count:]}
    return asked.isdisjoint(later)
