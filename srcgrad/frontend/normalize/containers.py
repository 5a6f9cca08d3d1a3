"""Writes what Python does with lists and dicts as loops and a few changes of them.

Left are displays, reads, stores, `append`, `insert` and `pop`.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from enum import Enum
from typing import Any, Final

from srcgrad.frontend.normalize.comprehensions import (
    COMPREHENSIONS,
    comprehension_of,
    own_names,
    written_out,
)
from srcgrad.frontend.normalize.counting import bind_outside
from srcgrad.frontend.normalize.folds import Folds
from srcgrad.frontend.normalize.iterators import Iterators
from srcgrad.frontend.normalize.methods import Methods
from srcgrad.frontend.normalize.rewriter import Rewriter
from srcgrad.frontend.normalize.workspace import Workspace
from srcgrad.garbage import weakly
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, load, store, subscript
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import names_read
from srcgrad.runtime import copied

_ORDERING: Final = (sum, max, min, sorted)
Maker = Callable[[str, Any, Any], "list[Any] | None"]


class Containers(Rewriter):
    """Finds the statements for expressions that make or change lists and dicts."""

    def __init__(self, work: Workspace, atom: Callable[[Any, Any], Any]) -> None:
        super().__init__(work, atom)
        self._iterators = Iterators(work, atom)
        self._methods = Methods(work, atom, self._iterators)
        folds = Folds(work, atom, self._iterators)
        self.as_list = self._iterators.as_list
        self.changing = self._methods.changing
        self._makers: dict[Any, Maker] = {
            list: weakly(self._listed),
            tuple: weakly(self._listed),
            dict: weakly(self._of_pairs),
            copy.copy: weakly(self._copied),
            sum: folds.summed,
            max: folds.extreme,
            min: folds.extreme,
            sorted: folds.in_order,
            functools.reduce: folds.reduced,
        }

    def making(self, name: str, value: Any, node: Any) -> list[Any] | None:
        """Return statements for ``name = value`` if `value` needs some; None if it is simple."""
        if isinstance(value, COMPREHENSIONS) and not isinstance(value, gast.GeneratorExp):
            return self._comprehension(name, value, node)
        if isinstance(value, gast.BinOp):
            return self._joined(name, value, node)
        if isinstance(value, gast.Dict) and not self._are_distinct(value.keys):
            return self._merged(name, value, node)
        if isinstance(value, gast.Call):
            made = self._methods.reading(name, value, node)
            return made if made is not None else self._call(name, value, node)
        return None

    def _are_distinct(self, keys: list[Any]) -> bool:
        """Say whether each entry of a display surely stays: no later one has an equal key."""
        if None in keys:  # a dict that is spread
            return False
        known = [self._key(key) for key in keys]
        return len(keys) < 2 or (MISSING not in known and len({*known}) == len(keys))

    def _key(self, node: Any) -> Any:
        """Return the value of a key that is the same in each run, or MISSING."""
        if isinstance(node, gast.Constant):
            return node.value
        if isinstance(node, gast.Tuple):
            items = tuple(map(self._key, node.elts))
            return MISSING if MISSING in items else items
        if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
            value = self._key(node.operand)
            return -value if isinstance(value, (int, float)) else MISSING
        value = self.resolve(node) if isinstance(node, gast.Attribute) else MISSING
        return value if isinstance(value, Enum) else MISSING

    def _comprehension(self, name: str, value: Any, node: Any) -> list[Any]:
        value = own_names(value, self.work.taken, self.namer)
        if name not in names_read(value):
            return written_out(name, value, node)
        made = self.fresh(name, "items")
        return [*written_out(made, value, node), assign(name, load(made), node)]

    def _call(self, name: str, value: Any, node: Any) -> list[Any] | None:
        callee = self.resolve(value.func)
        try:
            maker = self._makers.get(callee)
        except TypeError:  # not hashable: nothing of ours
            return None
        if maker is None or not value.args:
            return None
        if callee in _ORDERING and self._is_dict(value.args[0]):
            self.work.refusals.add(
                value,
                f"`{callee.__name__}` over the keys of a dict is not differentiated by source",
                "write it over `list(d.values())`, or loop over the items",
            )
            return None
        return maker(name, value, node)

    def _is_dict(self, node: Any) -> bool:
        name = getattr(node, "id", None)
        return name in self.work.dicts and name not in self.work.lists

    def _listed(self, name: str, value: Any, node: Any) -> list[Any] | None:
        """Write ``list(xs)`` as ``[*xs]``."""
        if len(value.args) != 1 or value.keywords:
            return None
        source = self._iterators.as_list(value.args[0])
        is_tuple = self.resolve(value.func) is tuple
        if isinstance(source, gast.ListComp) and not is_tuple:
            return [assign(name, source, node)]
        if isinstance(source, gast.List) and not is_tuple:
            return [assign(name, source, node)]
        if not isinstance(source, gast.Name):
            source = self.named("items", source, node)
        if source.id in self.work.dicts:
            return None
        kind = gast.Tuple if is_tuple else gast.List
        return [assign(name, kind([gast.Starred(source, gast.Load())], gast.Load()), node)]

    def _of_pairs(self, name: str, value: Any, node: Any) -> list[Any] | None:
        """Write ``dict(pairs)`` as a loop; copies of dicts are displays already."""
        if len(value.args) != 1 or value.keywords:
            return None
        key, entry = self.namer.fresh("key"), self.namer.fresh("value")
        target = gast.Tuple([store(key), store(entry)], gast.Store())
        body = [assign(subscript(load(name), load(key), storing=True), load(entry), node)]
        return [
            assign(name, gast.Dict([], []), node),
            at(gast.For(target, self._iterators.as_list(value.args[0]), body, [], None), node),
        ]

    def _copied(self, name: str, value: Any, node: Any) -> list[Any] | None:
        """Write ``copy.copy(p)`` of a list, a dict or an array, if its use tells what it is."""
        source, work = value.args[0], self.work
        name_of = getattr(source, "id", "")
        is_list, is_dict = name_of in work.lists, name_of in work.dicts
        if not is_list and not is_dict and work.is_array(source):
            copier = bind_outside(work.reader, work.namer.fresh("copied"), copied)
            return [assign(name, call(copier, source), node)]
        if is_list == is_dict or name_of in work.arrays:
            return None
        if is_dict:
            return [assign(name, gast.Dict([None], [source]), node)]
        entries = gast.Starred(source, gast.Load())
        return [assign(name, gast.List([entries], gast.Load()), node)]

    def _joined(self, name: str, value: Any, node: Any) -> list[Any] | None:
        """Write ``xs + ys`` as ``[*xs, *ys]``, ``xs * n`` as a loop, ``p | q`` as a dict."""
        work = self.work
        sides = (value.left, value.right)
        if isinstance(value.op, gast.Add) and all(work.is_surely_list(side) for side in sides):
            items = [item for side in sides for item in self._items(side)]
            kind = gast.Tuple if any(isinstance(s, gast.Tuple) for s in sides) else gast.List
            return [assign(name, kind(items, gast.Load()), node)]
        if isinstance(value.op, gast.Mult) and any(work.is_surely_list(side) for side in sides):
            entries, count = sides if work.is_list(value.left) else (value.right, value.left)
            return self._repeated(name, entries, count, node) if self._counts(count) else None
        if isinstance(value.op, gast.BitOr) and any(
            isinstance(side, gast.Dict) or getattr(side, "id", None) in work.dicts for side in sides
        ):
            return self._merged(name, gast.Dict([None, None], list(sides)), node)
        return None

    def _counts(self, count: Any) -> bool:
        """Say whether a factor of a list is a number of times, not an array to multiply it by."""
        named = isinstance(count, (gast.Name, gast.Attribute))
        known: Any = self.resolve(count) if named else None
        is_array = hasattr(known, "shape") and known.shape != ()
        is_array = is_array or self.work.is_array(count)
        return not is_array and not self.work.varies.of(count)

    def _items(self, side: Any) -> list[Any]:
        if isinstance(side, (gast.List, gast.Tuple)):
            return list(side.elts)
        if isinstance(side, gast.BinOp) and isinstance(side.op, gast.Add):
            return self._items(side.left) + self._items(side.right)
        return [gast.Starred(side, gast.Load())]

    def _repeated(self, name: str, entries: Any, count: Any, node: Any) -> list[Any]:
        times = self.namer.fresh("_")
        entries, before = self._made_once(entries, node)
        if isinstance(entries, (gast.List, gast.Tuple)) and len(entries.elts) == 1:
            made = comprehension_of(entries.elts[0], times, call("range", count))
        else:
            item = self.namer.fresh("item")
            made = comprehension_of(load(item), times, call("range", count))
            made.generators.append(gast.comprehension(store(item), entries, [], 0))
        return [*before, assign(name, made, node)]

    def _made_once(self, entries: Any, node: Any) -> tuple[Any, list[Any]]:
        """Return entries that are names, and the statements that make them: all hold one object."""
        if not isinstance(entries, (gast.List, gast.Tuple)):
            return entries, []
        before: list[Any] = []
        for place, entry in enumerate(entries.elts):
            if isinstance(entry, (gast.Name, gast.Constant, gast.Starred)):
                continue
            made = self.namer.fresh("entry")
            if self.work.varies.of(entry):
                self.work.varies.names.add(made)
            before.append(assign(made, entry, node))
            entries.elts[place] = load(made)
        return entries, before

    def _merged(self, name: str, value: Any, node: Any) -> list[Any] | None:
        """Write ``{**p, "a": v}`` as a copy and stores."""
        pairs = list(zip(value.keys, value.values, strict=True))
        if len(pairs) == 1 and isinstance(pairs[0][1], gast.Name):
            return None  # a plain copy
        made = self.fresh(name, "merged") if name in names_read(value) else name
        plain = isinstance(pairs[0][1], gast.Name) and pairs[0][0] is None
        first = [gast.Dict([None], [pairs[0][1]])] if plain else [gast.Dict([], [])]
        done = [assign(made, first[0], node)]
        for key, entry in pairs[1:] if plain else pairs:
            if key is not None:
                place = subscript(load(made), key, storing=True)
                done.append(assign(place, entry, node))
            else:
                done.extend(self._methods.updated(load(made), entry, node))
        self.work.dicts.add(made)
        return done if made == name else [*done, assign(name, load(made), node)]
