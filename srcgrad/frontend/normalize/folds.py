"""Writes `sum`, `max`, `sorted` and their kin, on values with derivatives, as loops and reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from srcgrad.frontend.normalize.comprehensions import (
    comprehension_of,
    inlined,
    is_plain_lambda,
    loops,
    own_names,
)
from srcgrad.frontend.normalize.iterators import Iterators
from srcgrad.frontend.normalize.rewriter import Rewriter
from srcgrad.frontend.normalize.workspace import Workspace
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, clone, constant, load, store, subscript
from srcgrad.ir.walk import names_bound, names_read

_ROWS: Final = (gast.Tuple, gast.List, gast.ListComp)


class Folds(Rewriter):
    """Makes the statements of calls that go through a list and return one value or an order."""

    def __init__(
        self, work: Workspace, atom: Callable[[Any, Any], Any], iterators: Iterators
    ) -> None:
        super().__init__(work, atom)
        self._iterators = iterators

    def summed(self, name: str, value: Any, node: Any) -> list[Any] | None:
        """Write the sum of a generator as a running sum."""
        source = self._iterators.as_list(value.args[0])
        start = [*value.args[1:], *[item.value for item in value.keywords]]
        if not isinstance(source, gast.ListComp):
            return None if source is value.args[0] else self._over(name, value, source, node)
        source = own_names(source, self.work.taken, self.namer)
        total = name
        if name in [*names_read(source), *_bound_in(source)] or not self._is_own(name):
            total = self.fresh(name, "total")
        self.work.carried.add(total)
        add = gast.BinOp(load(total), gast.Add(), source.elt)
        step = assign(total, add, node)
        first = assign(total, start[0] if start else constant(0), node)
        done = [first, *loops(source.generators, [step], node)]
        return done if total == name else [*done, assign(name, load(total), node)]

    def _over(self, name: str, value: Any, source: Any, node: Any) -> list[Any]:
        """Return ``name = value`` for a call, with its first argument made a list before."""
        value.args[0] = self.named("items", source, node)
        return [assign(name, value, node)]

    def extreme(self, name: str, value: Any, node: Any) -> list[Any] | None:
        """Write ``max(xs, key=f)`` as the entry at the best index."""
        options = {item.arg: item.value for item in value.keywords}
        if len(value.args) == 1 and "default" in options:
            source = self._sequence(value.args[0], node)
            value.args[0] = clone(source)
            value.keywords = [item for item in value.keywords if item.arg != "default"]
            some = gast.Compare(call("len", source), [gast.Gt()], [constant(0)])
            return [assign(name, gast.IfExp(some, value, options["default"]), node)]
        if "key" in options and len(options) == 1:
            first = value.args[0]
            display = gast.List(value.args, gast.Load())
            source = self._sequence(first if len(value.args) == 1 else display, node)
            best = self.namer.fresh("best")
            chosen = gast.Call(
                value.func, [call("range", call("len", source))], self._by_entry(source, options)
            )
            self.work.emit(assign(best, chosen, node))
            return [assign(name, subscript(clone(source), load(best)), node)]
        first = value.args[0]
        if options or len(value.args) != 1:
            return None
        if _are_numbers(first):
            value.args = first.elts  # ``max(0.0, b)``, of which equal ones share
            return None
        source = self._iterators.as_list(first)
        if source is first and not self.work.is_list(first):
            return None
        if getattr(source, "id", "") in self.work.numbered:  # of which equal ones share
            return None
        if isinstance(source, gast.ListComp) and not isinstance(source.elt, _ROWS):
            done = self._over(name, value, source, node)
            self.work.numbered.add(value.args[0].id)
            return done
        value.keywords = [gast.keyword("key", gast.Constant(None, None))]
        value.args[0] = source
        return self.extreme(name, value, node)

    def in_order(self, name: str, value: Any, node: Any) -> list[Any] | None:
        """Write ``sorted(xs)`` as the entries in the order of the sorted indices."""
        options = {item.arg: item.value for item in value.keywords}
        source = self._sequence(value.args[0], node)
        order = self.namer.fresh("order")
        options.setdefault("key", gast.Constant(None, None))
        ranks = call("range", call("len", clone(source)))
        chosen = gast.Call(value.func, [ranks], self._by_entry(source, options))
        self.work.emit(assign(order, chosen, node))
        index = self.namer.fresh("i")
        entry = subscript(clone(source), load(index))
        return [assign(name, comprehension_of(entry, index, load(order)), node)]

    def _by_entry(self, source: Any, options: dict[str, Any]) -> list[Any]:
        """Return the keywords that rank indices as the user ranks entries."""
        index = self.namer.fresh("i")
        entry = subscript(clone(source), load(index))
        key = options.pop("key")
        if is_plain_lambda(key, 1):
            (old,) = [item.id for item in key.args.args]
            entry = _replaced(clone(key.body), old, entry)
        elif getattr(key, "value", key) is not None:
            entry = gast.Call(clone(key), [entry], [])
        parameter = store(index)
        parameter.ctx = gast.Param()
        arguments = gast.arguments([parameter], [], None, [], [], None, [])
        ranked = gast.keyword("key", gast.Lambda(arguments, entry))
        return [ranked, *[gast.keyword(key, item) for key, item in options.items()]]

    def reduced(self, name: str, value: Any, node: Any) -> list[Any] | None:
        """Write ``reduce(f, xs, start)`` as a loop."""
        function, source, *start = value.args
        if isinstance(function, gast.Lambda) and not is_plain_lambda(function, 2):
            return None
        if value.keywords or len(start) > 1:
            return None
        total = self.fresh(name, "total")
        self.work.carried.add(total)
        lead: list[Any] = []
        if not start:
            source = self._sequence(source, node)
            start = [subscript(clone(source), constant(0))]
            source = subscript(source, gast.Slice(constant(1), None, None))
        (item,) = self._iterators.names_for(function, 2)[1:]
        step = inlined(function, [load(total), load(item)])
        loop = at(gast.For(store(item), source, [assign(total, step, node)], [], None), node)
        first = assign(total, start[0], node)
        return [*lead, first, loop, assign(name, load(total), node)]

    def _is_own(self, name: str) -> bool:
        """Say whether a name is a variable of the user's."""
        return name in self.work.reader.scope.local

    def _sequence(self, source: Any, node: Any) -> Any:
        """Return a name of something that can be indexed."""
        source = self._iterators.as_list(source)
        if isinstance(source, gast.Name) and source.id not in self.work.dicts:
            return source
        return self.named("items", source, node)


def _bound_in(comprehension: Any) -> list[str]:
    """Return the variables of a comprehension."""
    return [name for part in comprehension.generators for name in names_bound(part.target)]


def _replaced(node: Any, name: str, value: Any) -> Any:
    """Return an expression with a variable replaced by a value."""
    if isinstance(node, gast.Name):
        return clone(value) if node.id == name else node
    for field, child in gast.iter_fields(node):
        if isinstance(child, list):
            setattr(
                node,
                field,
                [_replaced(c, name, value) if isinstance(c, gast.AST) else c for c in child],
            )
        elif isinstance(child, gast.AST):
            setattr(node, field, _replaced(child, name, value))
    return node


def _are_numbers(node: Any) -> bool:
    """Say whether a node is a display of numbers: one is, and the others are compared with it."""
    if not isinstance(node, (gast.List, gast.Tuple)) or len(node.elts) < 2:
        return False
    if any(isinstance(item, gast.Starred) for item in node.elts):
        return False
    bare = [getattr(item, "operand", item) for item in node.elts]
    return any(type(getattr(item, "value", None)) in (int, float) for item in bare)
