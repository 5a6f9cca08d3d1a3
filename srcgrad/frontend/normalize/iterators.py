"""Writes iterators that are used up at once as list comprehensions."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, Final

from srcgrad.frontend.normalize.comprehensions import comprehension_of, inlined, is_plain_lambda
from srcgrad.frontend.normalize.rewriter import Rewriter
from srcgrad.ir import gast
from srcgrad.ir.build import at, call, load, store, subscript

LAZY: Final = (map, filter, zip, enumerate, reversed)
_VIEWS: Final = ("items", "values")
_CHOICES: Final = (itertools.pairwise, itertools.product, itertools.combinations)


class Iterators(Rewriter):
    """Finds the lists that generators, `map`, `zip` and their kin make."""

    def as_list(self, value: Any, *, through: bool = True) -> Any:
        """Return a list comprehension for an iterator that is used up at once.

        `through` says to run through `zip` and its kin, too, which loops know themselves.
        """
        made = self._as_list(value, through=through)
        if made is not value:
            self.work.varies.spread([gast.Expr(made)])
        return made

    def _as_list(self, value: Any, *, through: bool) -> Any:
        if isinstance(value, gast.GeneratorExp):
            return at(gast.ListComp(value.elt, value.generators), value)
        if not isinstance(value, gast.Call) or value.keywords:
            return value
        callee = self.resolve(value.func)
        if callee is map and len(value.args) >= 2:
            return self._mapped(value)
        if callee is filter and len(value.args) == 2:
            return self._filtered(value)
        views = isinstance(value.func, gast.Attribute) and value.func.attr in _VIEWS
        if through and (views or callee in (*LAZY, *_CHOICES)):
            return self._through(value)
        return self._of_itertools(callee, value) or value

    def _of_itertools(self, callee: Any, value: Any) -> Any | None:
        """Return the list that a call of a function of `itertools` makes, of one that is known."""
        if callee is itertools.chain:
            parts = [gast.Starred(item, gast.Load()) for item in value.args]
            return gast.List(parts, gast.Load())
        if callee is itertools.islice and len(value.args) <= 4:
            return self._sliced(value)
        if callee is itertools.starmap and _is_zip(value, self.resolve):
            return self._mapped(gast.Call(value.func, [value.args[0], *value.args[1].args], []))
        if callee == itertools.chain.from_iterable and len(value.args) == 1:
            return self._chained(value)
        return None

    def _chained(self, value: Any) -> Any:
        part, item = self.namer.fresh("part"), self.namer.fresh("item")
        made = comprehension_of(load(item), part, value.args[0])
        made.generators += comprehension_of(load(item), item, load(part)).generators
        return made

    def _through(self, value: Any) -> Any:
        target = self.namer.fresh("item")
        return comprehension_of(load(target), target, value)

    def _mapped(self, value: Any) -> Any:
        function, *sources = value.args
        if isinstance(function, gast.Lambda) and not is_plain_lambda(function, len(sources)):
            return value
        names = self.names_for(function, len(sources))
        element = inlined(function, [load(name) for name in names])
        if len(sources) == 1:
            return comprehension_of(element, names[0], sources[0])
        made = comprehension_of(element, "_", call("zip", *sources))
        made.generators[0].target = gast.Tuple([store(name) for name in names], gast.Store())
        return made

    def _filtered(self, value: Any) -> Any:
        function, source = value.args
        if isinstance(function, gast.Lambda) and not is_plain_lambda(function, 1):
            return value
        (name,) = self.names_for(function, 1)
        keep = load(name)
        if not isinstance(function, gast.Constant):
            keep = inlined(function, [load(name)])
        return comprehension_of(load(name), name, source, keep)

    def names_for(self, function: Any, count: int) -> list[str]:
        if not isinstance(function, gast.Lambda):
            return [self.namer.fresh("item") for _ in range(count)]
        return [self.namer.fresh(item.id) for item in function.args.args]

    def _sliced(self, value: Any) -> Any:
        source, *bounds = value.args
        lower, upper, step = (
            (None, bounds[0], None) if len(bounds) == 1 else (*bounds, None, None)[:3]
        )
        bounds = [None if getattr(b, "value", b) is None else b for b in (lower, upper, step)]
        return subscript(self.as_list(source), gast.Slice(*bounds))


def _is_zip(value: Any, resolve: Callable[[Any], Any]) -> bool:
    """Say whether ``starmap(f, zip(x, y))`` calls a function, as ``map(f, x, y)`` would."""
    source = value.args[-1] if len(value.args) == len(("function", "iterable")) else None
    return isinstance(source, gast.Call) and not source.keywords and resolve(source.func) is zip
