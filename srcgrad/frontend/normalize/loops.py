"""Rewrites loops over values with derivatives as loops over their indices."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from srcgrad.frontend.normalize.index_steps import (
    bound_loop,
    entry_of,
    is_of_columns,
    is_pair,
    length_of,
)
from srcgrad.frontend.returned_iterators import makes_iterator
from srcgrad.ir import gast
from srcgrad.ir.build import at, call, clone, constant, load, method, store, subscript
from srcgrad.ir.names import Namer
from srcgrad.ir.operations import Reader
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import names_bound, names_read, root_name, walk

_VIEWS = ("items", "keys", "values")
_MOST_PARTS = 6
"""Tuples of so many values at the most are taken apart, where one name means the whole."""


@dataclass(slots=True)
class _Plan:
    """How to run over something by an index.

    Attributes:
        lengths: The trip counts; the loop ends with the shortest.
        binds: The targets and the values that they get at each index.
        keys: The names of keys, with what gives them: this is run over itself.
    """

    lengths: list[Any] = field(default_factory=list)
    binds: list[tuple[Any, Any]] = field(default_factory=list)
    keys: list[tuple[str, Any]] = field(default_factory=list)

    def beside(self, index: str) -> tuple[Any, Any]:
        """Return the loop's target and what runs over an index and the keys."""
        views = [clone(view) for _, view in self.keys]
        target = gast.Tuple([store(index), *(store(name) for name, _ in self.keys)], gast.Store())
        if len(views) == 1 and not self.lengths:
            return target, call("enumerate", *views)
        counts = self.lengths or [length_of(self.keys[0][1])]
        count = counts[0] if len(counts) == 1 else call("min", *counts)
        return target, call("zip", call("range", count), *views)


class IndexLoops:
    """Writes ``for v in xs`` as ``for i in range(len(xs)): v = xs[i]``.

    `xs` may be a sequence, or `enumerate`, `zip`, `reversed` and functions of `itertools` of such.
    `simple` turns an expression into a name, `is_dict` says whether a name is bound to what has no
    positions, a dict or a set, for all that its use tells, `is_sure` whether surely to a dict,
    and `is_used_up` whether to an iterator.

    >>> from srcgrad.compiler.doctesting import program_of, text
    >>> print(text(program_of('''
    ... def f(xs, n):
    ...     for i, x in enumerate(xs):
    ...         n = n + i * x
    ...     return n
    ... ''').body))
    n_2 = n
    for i_2 in range(len(xs)):
        i = i_2
        x = xs[i_2]
        i_times_x = i * x
        n_3 = n_2 + i_times_x
        n_2 = n_3
    out = n_2
    return out
    """

    def __init__(
        self,
        reader: Reader,
        namer: Namer,
        simple: Callable[[Any], Any],
        is_dict: Callable[[Any], bool],
        is_sure: Callable[[Any], bool],
        is_used_up: Callable[[str], bool],
    ) -> None:
        self._reader = reader
        self._namer = namer
        self._simple = simple
        self._is_dict = is_dict
        self._is_sure = is_sure
        self._is_used_up = is_used_up
        self._inside: list[Any] = []

    def rewritten(self, node: Any) -> Any | None:
        """Return the loop over indices; None if it cannot be."""
        self._inside = [item for statement in node.body for item in walk(statement)]
        over_keys = self._over_keys(node)
        if over_keys is not None:
            return over_keys
        tuples = self._over_tuples(node) or self._over_numbered_tuples(node)
        if tuples is not None:
            return tuples
        index = self._namer.fresh(_index_name(node))
        iterable, backwards = node.iter, False
        if self._callee(iterable) is reversed and len(iterable.args) == 1:
            iterable, backwards = iterable.args[0], True
        plan = self._plan(iterable, node.target, load(index))
        if plan is None or (backwards and (plan.keys or len(plan.lengths) != 1)):
            return None
        if plan.keys:
            return bound_loop(*plan.beside(index), plan.binds, node)
        count = plan.lengths[0] if len(plan.lengths) == 1 else call("min", *plan.lengths)
        if backwards:
            last = gast.BinOp(count, gast.Sub(), constant(1))
            steps = call("range", last, constant(-1), constant(-1))
        else:
            steps = call("range", count)
        return bound_loop(store(index), steps, plan.binds, node)

    def counted_down(self, iterable: Any) -> Any:
        """Return ``range(n - 1, -1, -1)`` for ``reversed(range(n))``, and all else as it is."""
        turned = self._callee(iterable) is reversed and len(iterable.args) == 1
        inner: Any = iterable.args[0] if turned else None
        if self._callee(inner) is not range or len(inner.args) > 2:
            return iterable
        *start, stop = inner.args
        ends = [_one_less(stop), _one_less(start[0]) if start else constant(-1), constant(-1)]
        return at(gast.Call(inner.func, ends, []), iterable)

    def _callee(self, node: Any) -> Any:
        """Return the function that an expression calls without keywords, or MISSING."""
        if not isinstance(node, gast.Call) or any(isinstance(a, gast.Starred) for a in node.args):
            return MISSING
        return self._reader.scope.resolve(node.func)

    def _plan(self, iterable: Any, target: Any, index: Any) -> _Plan | None:
        if is_of_columns(iterable, self._reader.scope):
            return self._of_columns(iterable, target, index)
        callee = self._callee(iterable)
        if callee is enumerate:
            return self._enumerated(iterable, target, index)
        if callee is zip:
            return self._zipped(iterable, target, index)
        if callee is itertools.pairwise and len(iterable.args) == 1 and is_pair(target):
            if not self._stored.isdisjoint(names_read(iterable.args[0])):
                return None  # the first of a pair is what was read a trip before
            xs = self._simple(self._pooled(iterable.args[0], target))
            after = gast.BinOp(clone(index), gast.Add(), constant(1))
            count = gast.BinOp(length_of(xs), gast.Sub(), constant(1))
            first, second = target.elts
            reads = [(first, entry_of(xs, index)), (second, entry_of(xs, after))]
            return _Plan([count], reads)
        if callee is reversed and len(iterable.args) == 1:
            (inner,) = iterable.args
            no_places = self._has_no_places(inner, target)
            xs = self._simple(call("list", inner) if no_places else inner)
            last = gast.BinOp(length_of(xs), gast.Sub(), constant(1))
            read = entry_of(xs, gast.BinOp(last, gast.Sub(), index))
            return _Plan([length_of(xs)], [(target, read)])
        return self._sequence(iterable, target, index)

    def _enumerated(self, iterable: Any, target: Any, index: Any) -> _Plan | None:
        start = [*iterable.args[1:], *[k.value for k in iterable.keywords if k.arg == "start"]]
        if not is_pair(target) or len(iterable.args) + len(iterable.keywords) > 2:
            return None
        counter, item = target.elts
        plan = self._plan(iterable.args[0], item, index)
        if plan is None:
            return None
        number = clone(index)
        if start and getattr(start[0], "value", None) != 0:
            number = gast.BinOp(number, gast.Add(), self._simple(start[0]))
        plan.binds.insert(0, (counter, number))
        return plan

    def _zipped(self, iterable: Any, target: Any, index: Any) -> _Plan | None:
        if any(getattr(item.value, "value", None) is not False for item in iterable.keywords):
            return None  # `strict=True` raises where lengths differ
        items = target.elts if isinstance(target, (gast.Tuple, gast.List)) else []
        if not items:
            names = [self._namer.fresh("item") for _ in iterable.args]
            items = [store(name) for name in names]
        if len(items) != len(iterable.args):
            return None
        whole = _Plan()
        for inner, item in zip(iterable.args, items, strict=True):
            plan = self._endless(inner, item, index) or self._plan(inner, item, index)
            if plan is None:
                return None
            whole.lengths.extend(plan.lengths)
            whole.binds.extend(plan.binds)
            whole.keys.extend(plan.keys)
        if items is not getattr(target, "elts", None):
            whole.binds.append((target, _displayed(items)))
        return whole if whole.lengths or whole.keys else None

    def _of_columns(self, iterable: Any, target: Any, index: Any) -> _Plan | None:
        """Return how to run over ``zip(*rows)``: each trip reads an entry of each row."""
        source = iterable.args[0].value
        if isinstance(source, gast.GeneratorExp):
            source = at(gast.ListComp(source.elt, source.generators), source)
        elif _view(source) is not None:
            source = self._listed_view(source)
        elif isinstance(source, gast.Call) and not self._has_places(source):
            source = call("list", source)
        elif self._is_used_up(getattr(source, "id", "")):
            return None
        rows, row = self._simple(self._pooled(source, target)), self._namer.fresh("row")

        def of_each(part: Any) -> Any:
            loop = gast.comprehension(store(row), clone(rows), [], 0)
            return gast.ListComp(part, [loop])

        shortest = call("min", of_each(length_of(load(row))))
        shortest.keywords = [gast.keyword("default", constant(0))]
        column = of_each(entry_of(load(row), index))
        whole = isinstance(target, gast.Name)
        return _Plan([shortest], [(target, call("tuple", column) if whole else column)])

    def _listed_view(self, view: Any) -> Any:
        """Return the list of what ``d.items()`` gives, or another view of a dict."""
        names = [self._namer.fresh(name) for name in ("key", "value")]
        if view.func.attr != "items":
            names = names[1:]
        targets = [store(name) for name in names]
        target = gast.Tuple(targets, gast.Store()) if len(names) > 1 else targets[0]
        held = _displayed(targets) if len(names) > 1 else load(names[0])
        return at(gast.ListComp(held, [gast.comprehension(target, view, [], 0)]), view)

    def _endless(self, iterable: Any, target: Any, index: Any) -> _Plan | None:
        """Return how to run over what never ends by itself, as the others of a `zip` do."""
        callee = self._callee(iterable)
        if callee not in (itertools.count, itertools.repeat, itertools.cycle):
            return None
        args = iterable.args
        if iterable.keywords or len(args) > (2 if callee is itertools.count else 1):
            return None
        if callee is itertools.repeat and args:
            return _Plan([], [(target, self._simple(args[0]))])
        if callee is itertools.count:
            steps = index if len(args) < 2 else gast.BinOp(index, gast.Mult(), args[1])
            number = gast.BinOp(self._simple(args[0]), gast.Add(), steps) if args else steps
            return _Plan([], [(target, number)])
        if not isinstance(args[0], (gast.List, gast.Tuple)) or not args[0].elts:
            return None  # of what is empty nothing comes
        xs = self._simple(args[0])
        starred = any(isinstance(item, gast.Starred) for item in args[0].elts)
        count = length_of(xs) if starred else constant(len(args[0].elts))
        return _Plan([], [(target, entry_of(xs, gast.BinOp(index, gast.Mod(), count)))])

    def _of_view(self, view: tuple[Any, str], target: Any) -> _Plan | None:
        """Return how to run over the keys, values or items of a dict."""
        holder, kind = self._simple(view[0]), view[1]
        key, keys = self._namer.fresh("key"), method(clone(holder), "keys")
        value = load(key) if kind == "keys" else subscript(clone(holder), load(key))
        if kind != "items":
            return _Plan([], [(target, value)], [(key, keys)])
        if not is_pair(target):
            return None
        first, second = target.elts
        return _Plan([], [(first, load(key)), (second, value)], [(key, keys)])

    def _sequence(self, iterable: Any, target: Any, index: Any) -> _Plan | None:
        view = _view(iterable)
        if view is not None:
            return self._of_view(view, target)
        if isinstance(iterable, gast.Call) and not self._has_places(iterable):
            return None
        if isinstance(iterable, gast.GeneratorExp) and not self._is_disturbed(iterable, target):
            iterable = at(gast.ListComp(iterable.elt, iterable.generators), iterable)
        if isinstance(iterable, (gast.Set, gast.SetComp, gast.GeneratorExp)):
            return None
        named = isinstance(iterable, gast.Name)
        value = self._reader.scope.resolve(iterable) if named else MISSING
        if isinstance(value, Iterator) or self._is_used_up(getattr(iterable, "id", "")):
            return None
        is_dict = isinstance(iterable, (gast.Dict, gast.DictComp))
        if is_dict or self._has_no_places(iterable, target):
            if is_dict or (named and self._is_sure(iterable)):
                return self._of_view((iterable, "keys"), target)
            iterable = call("list", iterable)
        elif value is not MISSING and not hasattr(type(value), "__getitem__"):
            return None
        xs = self._simple(iterable)
        return _Plan([length_of(xs)], [(target, entry_of(xs, index))])

    def _is_disturbed(self, made: Any, target: Any) -> bool:
        """Say whether the loop may change what a generator expression reads from trip to trip."""
        read = {*names_read(made)}
        names = (item for item in self._inside if isinstance(item, gast.Name))
        bound = {item.id for item in names if not isinstance(item.ctx, gast.Load)}
        changes = any(may_change(item, read) for item in self._inside)
        return changes or not read.isdisjoint(bound | {*names_bound(target)})

    def _has_no_places(self, source: Any, target: Any) -> bool:
        """Say whether an expression is a dict, a set or an enumeration: none is read by index."""
        if isinstance(self._reader.scope.resolve(source), type):
            return True
        return isinstance(source, gast.Name) and self._has_keys(source, target)

    def _has_keys(self, name: Any, target: Any) -> bool:
        """Say whether a name is bound to a dict or set, or may be one, as its use shows."""
        value = self._reader.scope.resolve(name)
        if self._is_dict(name) or isinstance(value, (dict, set, frozenset)):
            return True
        names = names_bound(target)
        return any(
            isinstance(item, gast.Subscript)
            and getattr(item.value, "id", None) == name.id
            and getattr(item.slice, "id", "") in names
            for item in self._inside
        )

    def _has_places(self, node: Any) -> bool:
        """Say whether a call gives what is read by index, for all that is known."""
        callee = self._reader.scope.resolve(node.func)
        known = self._reader.read(node).kind in ("primitive", "user", "list", "tuple")
        if callee in (range, sorted, list, tuple):
            return True
        return known and not makes_iterator(callee)

    def _over_keys(self, node: Any) -> Any | None:
        """Return a loop over the keys of a dict, for one over the dict or its views."""
        view = _view(node.iter)
        if self._callee(node.iter) in (sorted, list) and len(node.iter.args) == 1:
            (inner,) = node.iter.args
            if isinstance(inner, gast.Name) and self._is_dict(inner):
                node.iter.args = [_sure_keys(inner, node)]
                return bound_loop(node.target, node.iter, [], node)
        if view is None:
            is_dict = isinstance(node.iter, gast.Name) and self._is_dict(node.iter)
            view = (node.iter, "keys") if is_dict else None
        if view is None:
            return None
        owner, kind = self._simple(view[0]), view[1]
        if kind == "keys":
            return bound_loop(node.target, _sure_keys(owner, node), [], node)
        if kind == "values":
            key = self._namer.fresh("key")
            value = subscript(clone(owner), load(key))
            return bound_loop(store(key), owner, [(node.target, value)], node)
        if not is_pair(node.target) or not isinstance(node.target.elts[0], gast.Name):
            return None
        first, second = node.target.elts
        value = subscript(clone(owner), load(first.id))
        return bound_loop(store(first.id), owner, [(second, value)], node)

    def _over_tuples(self, node: Any) -> Any | None:
        """Return a loop over tuples of indices, for `product`, `combinations` and their kin."""
        callee = self._callee(node.iter)
        several = (itertools.product,)
        choices = (
            itertools.combinations,
            itertools.permutations,
            itertools.combinations_with_replacement,
        )
        if callee not in (*several, *choices):
            return None
        sources = node.iter.args if callee in several else node.iter.args[:1]
        items = self._items_of(node, sources, callee in choices)
        if items is None:
            return self._over_long_tuples(node) if callee in choices else None
        count = len(items)
        repeats = callee in choices or bool(node.iter.keywords)
        if any(k.arg not in ("repeat", "r") for k in node.iter.keywords):
            return None
        if (repeats and len(sources) != 1) or (not repeats and len(sources) != count):
            return None
        names = [self._simple(self._pooled(item, node.target)) for item in sources]
        indices = [self._namer.fresh(letter) for letter in _letters(node, count)]
        ranges = [call("range", length_of(xs)) for xs in names]
        rest = [] if callee in several else node.iter.args[1:]
        steps = gast.Call(node.iter.func, [*ranges, *rest], node.iter.keywords)
        target = gast.Tuple([store(name) for name in indices], gast.Store())
        every = names * count if repeats else names
        binds = [
            (item, entry_of(xs, load(i))) for item, xs, i in zip(items, every, indices, strict=True)
        ]
        if items is not getattr(node.target, "elts", None):
            binds.append((node.target, _displayed(items)))
        return bound_loop(target, steps, binds, node)

    def _over_long_tuples(self, node: Any) -> Any | None:
        """Return a loop over tuples of indices, of which only the run tells how many there are."""
        if not isinstance(node.target, gast.Name) or node.iter.keywords or len(node.iter.args) != 2:
            return None
        source, count = node.iter.args
        xs = self._simple(self._pooled(source, node.target))
        places, place = self._namer.fresh("places"), self._namer.fresh("place")
        part = gast.comprehension(store(place), load(places), [], 0)
        held = call("tuple", gast.ListComp(entry_of(xs, load(place)), [part]))
        steps = gast.Call(node.iter.func, [call("range", length_of(xs)), count], [])
        return bound_loop(store(places), steps, [(node.target, held)], node)

    @property
    def _stored(self) -> set[str]:
        """The names of what the body of the loop stores into."""
        nodes = (item for item in self._inside if isinstance(item, gast.Subscript))
        return {root_name(item) or "" for item in nodes if not isinstance(item.ctx, gast.Load)}

    def _pooled(self, source: Any, target: Any) -> Any:
        """Return what tuples are made of, as a list where that is a dict or the loop changes it.

        `product` and its kin take all values before the first tuple, and the keys of a dict.
        """
        is_dict = isinstance(source, (gast.Dict, gast.DictComp, gast.Set, gast.SetComp))
        if is_dict or self._has_no_places(source, target):
            return call("list", source)
        read = names_read(source)
        changes = any(may_change(item, read) for item in self._inside)
        return call("list", source) if changes else source

    def _over_numbered_tuples(self, node: Any) -> Any | None:
        """Return a loop over tuples of indices and their numbers, for `enumerate` of such."""
        if self._callee(node.iter) is not enumerate or not is_pair(node.target):
            return None
        counter, item = node.target.elts
        inner = self._over_tuples(at(gast.For(item, node.iter.args[0], node.body, [], None), node))
        if inner is None:
            return None
        inner.target = gast.Tuple([counter, inner.target], gast.Store())
        inner.iter = gast.Call(
            node.iter.func, [inner.iter, *node.iter.args[1:]], node.iter.keywords
        )
        return inner

    def _items_of(self, node: Any, sources: list[Any], chooses: bool) -> list[Any] | None:
        """Return the targets of the parts of a tuple; None if it is not told how many there are."""
        if isinstance(node.target, gast.Tuple):
            return node.target.elts  # type: ignore[no-any-return]
        numbers = [*node.iter.args[1:], *(item.value for item in node.iter.keywords)]
        count = len(sources)
        if chooses or node.iter.keywords:
            count = getattr(numbers[-1], "value", 0) if numbers else 0
        if not isinstance(count, int) or not 0 < count <= _MOST_PARTS:
            return None
        return [store(self._namer.fresh("item")) for _ in range(count)]


def may_change(node: Any, names: Collection[str]) -> bool:
    """Say whether a node of a body stores into something, calls for effect, or updates a name."""
    if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name):
        return node.target.id in names
    if isinstance(node, (gast.Subscript, gast.Attribute)):
        return not isinstance(node.ctx, gast.Load)
    return isinstance(node, gast.Expr) and isinstance(node.value, gast.Call)


def _one_less(node: Any) -> Any:
    """Return an expression of the number before a whole number."""
    if type(getattr(node, "value", None)) is int:
        return constant(node.value - 1)
    return gast.BinOp(node, gast.Sub(), constant(1))


def _view(node: Any) -> tuple[Any, str] | None:
    """Read ``d.items()``, ``d.keys()`` or ``d.values()``."""
    if not isinstance(node, gast.Call) or node.args or node.keywords:
        return None
    if isinstance(node.func, gast.Attribute) and node.func.attr in _VIEWS:
        return node.func.value, node.func.attr
    return None


def _index_name(node: Any) -> str:
    iterable, target = node.iter, node.target
    if isinstance(target, gast.Tuple) and isinstance(iterable, gast.Call):
        return "i"
    return "i" if not isinstance(target, gast.Name) or target.id != "i" else "j"


def _letters(node: Any, count: int) -> list[str]:
    taken = names_bound(node.target)
    free = [letter for letter in "ijklmnpqr" if letter not in taken]
    return free[:count] if count <= len(free) else ["i"] * count


def _displayed(items: list[Any]) -> Any:
    return gast.Tuple([load(item.id) for item in items], gast.Load())


def _sure_keys(owner: Any, loop: Any) -> Any:
    """Return what runs over the keys of `owner`, and fails if it turns out to be a list.

    A body that reads ``d[key]`` fails on a list by itself.
    """
    names = names_bound(loop.target)
    reads = any(
        isinstance(item, gast.Subscript)
        and getattr(item.value, "id", None) == owner.id
        and getattr(item.slice, "id", "") in names
        for statement in loop.body
        for item in walk(statement)
    )
    return owner if reads else method(clone(owner), "keys")
