"""Writes the methods of lists and dicts as reads, stores, `append`, `insert` and `pop`."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from typing import Any, Final

from srcgrad.frontend.normalize.comprehensions import loops, own_names
from srcgrad.frontend.normalize.iterators import Iterators
from srcgrad.frontend.normalize.rewriter import Rewriter
from srcgrad.frontend.normalize.workspace import Workspace
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, clone, constant, load, method, store, subscript
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import is_same, names_read

_FINDERS: Final = (bisect.bisect_left, bisect.bisect_right)


class Methods(Rewriter):
    """Makes the statements of methods of lists and dicts."""

    def __init__(
        self, work: Workspace, atom: Callable[[Any, Any], Any], iterators: Iterators
    ) -> None:
        super().__init__(work, atom)
        self._iterators = iterators
        self._places: set[str] = set()  # the names of indices that are not negative

    def reading(self, name: str, value: Any, node: Any) -> list[Any] | None:
        """Return the statements of ``name = d.get(k)`` and its kin; None if it is simple."""
        func = value.func
        if not isinstance(func, gast.Attribute) or value.keywords:
            return None
        if self.resolve(func) is not MISSING or not self._is_container(func.value):
            return None
        readers = {
            ("copy", 0): self._copied,
            ("get", 1): self._got,
            ("get", 2): self._got,
            ("setdefault", 1): self._default_read,
            ("setdefault", 2): self._default_read,
            ("pop", 0): self._popped,
            ("pop", 1): self._popped,
            ("pop", 2): self._popped,
        }
        reader = readers.get((func.attr, len(value.args)))
        return reader(name, value, node) if reader is not None else None

    def _copied(self, name: str, value: Any, node: Any) -> list[Any] | None:
        owner = value.func.value
        if not isinstance(owner, gast.Name) or owner.id in self.work.asked:
            return None  # it may be an array
        if owner.id in self.work.dicts:
            return [assign(name, gast.Dict([None], [owner]), node)]
        return [assign(name, gast.List([gast.Starred(owner, gast.Load())], gast.Load()), node)]

    def _default_read(self, name: str, value: Any, node: Any) -> list[Any]:
        key = self.kept_key(value.args[0], node)
        owner = self.atom(value.func.value, node)
        value.args[0] = key
        read = subscript(clone(owner), clone(key))
        return [*self._setdefault(owner, value, node), assign(name, read, node)]

    def _is_container(self, owner: Any) -> bool:
        named = isinstance(owner, gast.Name)
        known = named and owner.id in self.work.lists | self.work.dicts | self.work.changing
        return known or not named

    def _got(self, name: str, value: Any, node: Any) -> list[Any]:
        owner = self.atom(value.func.value, node)
        key = self.kept_key(value.args[0], node)
        default = value.args[1] if len(value.args) > 1 else gast.Constant(None, None)
        known = gast.Compare(clone(key), [gast.In()], [clone(owner)])
        entry = subscript(owner, key)
        return [assign(name, gast.IfExp(known, entry, default), node)]

    def _popped(self, name: str, value: Any, node: Any) -> list[Any] | None:
        """Write ``d.pop(k, v)`` as a branch; count the index of ``xs.pop(i)`` from the start."""
        owner = self.atom(value.func.value, node)
        if not isinstance(owner, gast.Name):
            return None
        is_dict = owner.id in self.work.dicts
        if len(value.args) == 2:
            key = self.kept_key(value.args[0], node)
            known = gast.Compare(clone(key), [gast.In()], [clone(owner)])
            taken = assign(name, method(owner, "pop", clone(key)), node)
            default = assign(name, value.args[1], node)
            return [at(gast.If(known, [taken], [default]), node)]
        if is_dict or not value.args or self._is_placed(value.args[0]):
            named = isinstance(value.func.value, gast.Name)
            return None if named else [assign(name, method(owner, "pop", *value.args), node)]
        if getattr(_number(value.args[0]), "value", 0) == -1:
            return [assign(name, method(owner, "pop"), node)]
        place = subscript(call("range", call("len", clone(owner))), value.args[0])
        index = self.named_plain("place", place, node)
        self._places.add(index.id)
        return [assign(name, method(owner, "pop", index), node)]

    def _is_placed(self, index: Any) -> bool:
        """Say whether an index of `pop` needs not be counted, or is the key of a dict."""
        is_word = isinstance(index, gast.Constant) and isinstance(index.value, str)
        return is_word or _is_natural(index) or getattr(index, "id", None) in self._places

    def _append(self, owner: Any, value: Any, node: Any) -> list[Any]:
        return [gast.Expr(method(owner, "append", self.atom(value.args[0], node)))]

    def _insert(self, owner: Any, value: Any, node: Any) -> list[Any]:
        place, entry = value.args
        entry = self.atom(entry, node)
        if self._is_found_in(owner, place):
            place = self.named_plain("place", place, node)
        elif not (isinstance(place, gast.Constant) and place.value == 0):
            start = call("slice", place, constant(None))
            inside = method(start, "indices", call("len", clone(owner)))
            place = self.named_plain("place", subscript(inside, constant(0)), node)
        return [gast.Expr(method(owner, "insert", place, entry))]

    def _is_found_in(self, owner: Any, place: Any) -> bool:
        """Say whether a place is where `bisect` finds that something belongs in a list."""
        finds = isinstance(place, gast.Call) and self.resolve(place.func) in _FINDERS
        return finds and is_same(place.args[0], owner)

    def _extend(self, owner: Any, value: Any, node: Any) -> list[Any]:
        source = value.args[0]
        if isinstance(source, (gast.List, gast.Tuple)) and not any(
            isinstance(item, gast.Starred) for item in source.elts
        ):
            return [gast.Expr(method(clone(owner), "append", item)) for item in source.elts]
        source = self._iterators.as_list(source)
        if isinstance(source, gast.ListComp) and owner.id not in names_read(source):
            source = own_names(source, self.work.taken, self.namer)
            put = at(gast.Expr(method(clone(owner), "append", source.elt)), node)
            return loops(source.generators, [put], node)
        if owner.id in names_read(source):
            source = gast.List([gast.Starred(source, gast.Load())], gast.Load())
            source = self.named("items", source, node)
        item = self.namer.fresh("item")
        put = at(gast.Expr(method(clone(owner), "append", load(item))), node)
        return [gast.For(store(item), source, [put], [], None)]

    def _update(self, owner: Any, value: Any, node: Any) -> list[Any]:
        done = [part for source in value.args for part in self.updated(owner, source, node)]
        for item in value.keywords:
            place = subscript(clone(owner), constant(item.arg), storing=True)
            done.append(assign(place, item.value, node))
        return done

    def updated(self, owner: Any, source: Any, node: Any) -> list[Any]:
        if isinstance(source, gast.Dict) and None not in source.keys:
            return [
                assign(subscript(clone(owner), key, storing=True), entry, node)
                for key, entry in zip(source.keys, source.values, strict=True)
            ]
        if not isinstance(source, gast.Name):
            source = self.named("items", source, node)
            self.work.dicts.add(source.id)
        key = self.namer.fresh("key")
        place = subscript(clone(owner), load(key), storing=True)
        put = assign(place, subscript(clone(source), load(key)), node)
        self.work.dicts.add(source.id)
        return [at(gast.For(store(key), clone(source), [put], [], None), node)]

    def _setdefault(self, owner: Any, value: Any, node: Any) -> list[Any]:
        key, default = value.args if len(value.args) == 2 else (value.args[0], constant(None))
        absent = gast.Compare(clone(key), [gast.NotIn()], [clone(owner)])
        place = subscript(clone(owner), clone(key), storing=True)
        return [at(gast.If(absent, [assign(place, default, node)], []), node)]

    def changing(self, value: Any, node: Any) -> list[Any] | None:
        """Return statements for a call that changes a list or dict; None if it is simple."""
        func = value.func
        if not isinstance(func, gast.Attribute) or self.resolve(func) is not MISSING:
            return None
        changers = {
            ("append", 1): self._append,
            ("insert", 2): self._insert,
            ("extend", 1): self._extend,
            ("update", 0): self._update,
            ("update", 1): self._update,
            ("setdefault", 1): self._setdefault,
            ("setdefault", 2): self._setdefault,
        }
        handler = changers.get((func.attr, len(value.args)))
        starred = any(isinstance(item, gast.Starred) for item in value.args)
        if handler is None or starred or (value.keywords and func.attr != "update"):
            return None  # a method of the same name of something else, or one that fails
        owner = self.atom(func.value, node)
        if not isinstance(owner, gast.Name):
            return None
        return [at(item, node) for item in handler(owner, value, node)]


def _is_natural(node: Any) -> bool:
    return isinstance(node, gast.Constant) and type(node.value) is int and node.value >= 0


def _number(node: Any) -> Any:
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        inner = node.operand
        if isinstance(inner, gast.Constant):
            return gast.Constant(-inner.value, None)
    return node
