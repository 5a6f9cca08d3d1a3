"""Says what functions of the library do with functions and objects, such as `functools.partial`."""

from __future__ import annotations

import builtins
import collections
import functools
from dataclasses import replace
from types import FunctionType
from typing import Any, Final, NoReturn

import numpy as np

from srcgrad.frontend.expand.keeping import cached_tree, is_kept_by_cache
from srcgrad.frontend.expand.lookup import WithItself
from srcgrad.frontend.expand.memos import changing_around, remembering, with_memo
from srcgrad.frontend.expand.namespaces import gives_namespace
from srcgrad.frontend.expand.part import Part, function
from srcgrad.frontend.expand.scoping import parameters
from srcgrad.frontend.expand.values import (
    Code,
    Identity,
    Instance,
    Items,
    Known,
    Local,
    Method,
    Object,
    Partial,
    Recorded,
    Static,
    Super,
    Value,
    class_of,
    display_class,
    is_literal,
    is_text,
)
from srcgrad.frontend.long_loops import is_repeating, repeated
from srcgrad.frontend.source import find_source
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, clone, load, store, subscript
from srcgrad.ir.displays import spread_in
from srcgrad.ir.scopes import uncached
from srcgrad.ir.walk import found_in
from srcgrad.runtime.indexing import names_element
from srcgrad.runtime.objects import is_member, is_plain_class

Bound = dict[str, Value]

_MOST_ADDED: Final = 8


class Special(Part):
    """The part of the expansion that deals with functions of the library."""

    def of_library(
        self, function: Any, args: list[Value], keywords: Bound, node: Any
    ) -> Value | None:
        """Return the result of a call of a function of the library, if it is a special one."""
        key = "function", id(function)
        frame = self.frame
        parts: list[Part] = [self, frame.named_attributes, frame.masked, frame.whole_objects]
        handler = next(filter(None, (part.handler(*key) for part in parts)), None)
        if is_repeating(function):
            handler = self._checkpoint
        if handler is None and gives_namespace(function):
            return self._namespace(function, args, keywords, node)
        found: Value | None = None if handler is None else handler(args, keywords, node)
        if found is None:
            found = self.frame.telling.told(function, args, keywords, node)
        if found is None:
            found = self.frame.telling.told_of_kinds(function, args, keywords, node)
        return (
            self.frame.mapping.of_numpy(function, args, keywords, node) if found is None else found
        )

    @function(functools.partial)
    def _partial(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Bind arguments now, whatever their variables mean later."""
        function, *rest = args
        if not isinstance(function, Static):
            return None
        kept = [self.frame.bound_now(value, "bound", node) for value in rest]
        named = {name: self.frame.bound_now(value, name, node) for name, value in keywords.items()}
        return Partial(function, kept, named)

    @function(functools.wraps)
    def _wraps(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        return Identity()

    @function(functools.lru_cache, functools.cache)
    def _cache(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """A cache changes no value: of local functions it is left out."""
        made = Identity(caches=True)
        if len(args) == 1 and isinstance(args[0], Local):
            return self.frame.call(made, args, {}, node)
        return made

    def kept(self, callee: Known, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Call a function that needs its cache to come to an end as one that keeps its results."""
        varying = any(map(self.frame.varies, [*args, *keywords.values()]))
        function = callee.value
        tree = cached_tree(function) if varying else None
        if not tree or not is_kept_by_cache(tree):
            return None
        made = remembering(uncached(function))
        if made is None:
            self._refuse_needed_cache(tree, node)
        known = parameters(find_source(made).tree.args)[-1]
        return self.frame.call(Known(made), args, {**keywords, known: _nothing(node)}, node)

    def cached(self, function: Local, node: Any) -> Static:
        """Return a local function without its cache; one that needs it keeps its results itself."""
        code = function.code
        outer = self.frame.tree
        changing = changing_around(code.tree, outer)
        if changing is not None:
            what = f"`{code.tree.name}`, whose cache keeps what it found of another `{changing}`,"
            self.frame.refuse(
                node, f"{what} is not differentiated by source", "leave the cache out"
            )
        if not is_kept_by_cache(code.tree):
            return function
        found = with_memo(code.tree)
        if found is None or function.defaults:
            self._refuse_needed_cache(code.tree, node)
        made = Code(found[0], code.home, code.source, code.owner)
        self.session.kept.append(made)
        captured: Any = WithItself(function.captured, code.tree.name)
        captured.itself = Local(made, captured)
        return Partial(captured.itself, [], {found[1]: _nothing(node)})

    def _refuse_needed_cache(self, tree: Any, node: Any) -> NoReturn:
        what = f"`{tree.name}`, which calls itself in several places and needs its cache,"
        self.frame.refuse(node, f"{what} is not differentiated by source", "fill a table")

    def _checkpoint(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Let the calls of a function be run again; of an object, differentiate them as others."""
        return _repeated(args[0]) if len(args) == 1 and isinstance(args[0], Static) else None

    @function(functools.reduce)
    def _reduce(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        function, sequence, *start = args
        if not isinstance(function, Static):
            return None
        elements = _elements(sequence)
        if elements is not None:
            values = [*start, *elements]
            if not values:
                return None
            total = values[0]
            for value in values[1:]:
                total = self.frame.call(function, [total, value], {}, node)
            return total
        if not start or not self.frame.hoistable:
            return None
        result = self.frame.variable("reduced")
        item = self.frame.variable("item")
        self.frame.out.append(assign(result, self.frame.plain(start[0], node), node))
        outer, self.frame.out = self.frame.out, []
        step = self.frame.plain(
            self.frame.call(function, [load(result), load(item)], {}, node), node
        )
        body, self.frame.out = [*self.frame.out, assign(result, step, node)], outer
        loop = gast.For(store(item), self.frame.plain(sequence, node), body, [], None)
        self.frame.out.append(at(loop, node))
        return load(result)

    @function(builtins.sum)
    def _sum(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Write the sum of a display as that of its parts: ``sum([a, b])`` as ``0 + a + b``."""
        display, *start = args
        parts = list(getattr(display, "elts", ())) if not isinstance(display, Static) else []
        start += [keywords[name] for name in keywords]
        short = 0 < len(parts) <= _MOST_ADDED and not spread_in(display)
        if not short or any(isinstance(item, Static) for item in start):
            return None
        if not isinstance(display, (gast.List, gast.Tuple)) or not self.frame.varies(display):
            return None
        total: Any = start[0] if start else gast.Constant(0, None)
        for part in parts:
            total = at(gast.BinOp(total, gast.Add(), part), node)
        return total

    @function(builtins.map)
    def _map(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Write ``map(f, xs)`` as the list of its values, if it is used up, or as what is lazy."""
        if len(args) < 2 or not isinstance(args[0], Static):
            return None
        used_up = self.frame.generators.is_used_up(node)
        sequences = [elements for item in args[1:] if (elements := _elements(item)) is not None]
        if len(sequences) == len(args) - 1 and not used_up:
            return None
        if len(sequences) == len(args) - 1:
            rows = zip(*sequences, strict=False)
            values = [self.frame.call(args[0], list(row), {}, node) for row in rows]
            if any(isinstance(value, Static) for value in values):
                return Items("list", values)
            return at(gast.List(values, gast.Load()), node)
        if len(args) != 2:
            return None
        if isinstance(args[0], Known) and not self.session.is_user(args[0].value):
            return None
        name = self.frame.variable("item")
        with self.frame.conditional():
            value = self.frame.plain(self.frame.call(args[0], [load(name)], {}, node), node)
        part = gast.comprehension(store(name), self.frame.plain(args[1], node), [], 0)
        listed = used_up and not self.frame.generators.is_looped_over(node)
        return at((gast.ListComp if listed else gast.GeneratorExp)(value, [part]), node)

    @function(collections.OrderedDict)
    def _ordered_dict(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Read ``OrderedDict(...)`` as a dict, if nothing asks it for more than a dict has."""
        names = [item.attr for item in found_in(self.frame.code.tree, gast.Attribute)]
        own = [name for name in vars(collections.OrderedDict) if not name.startswith("__")]
        more = {name for name in own if getattr(dict, name, None) is None or name == "popitem"}
        equals = any(
            isinstance(item.left, gast.Name) and isinstance(item.ops[0], (gast.Eq, gast.NotEq))
            for item in found_in(self.frame.code.tree, gast.Compare)
        )  # which asks for the order, too
        if more.intersection(names) or equals or len(args) > 1:
            return None
        return self.frame.call(Known(dict), args, keywords, node)

    @function(builtins.callable)
    def _callable(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        if isinstance(args[0], (Local, Known, Partial)):
            return gast.Constant(True, None)
        return gast.Constant(False, None) if self.frame.plain_values.of(args[0]) else None

    @function(builtins.isinstance)
    def _isinstance(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        value, kind = args
        classes = _classes(kind)
        if isinstance(value, Object) and classes:
            return gast.Constant(issubclass(value.cls, classes), None)
        told = isinstance(value, (Instance, gast.Constant)) or (
            isinstance(value, Known) and is_member(value.value)
        )
        if told and classes:
            return gast.Constant(isinstance(value.value, classes), None)
        shown = display_class(value)
        if classes and shown is not None:
            return gast.Constant(issubclass(shown, classes), None)
        if classes and all(map(is_plain_class, classes)) and self.frame.plain_values.of(value):
            return gast.Constant(False, None)
        if self.frame.masked.never_is(value, classes):
            return gast.Constant(False, None)
        cls = classes[0] if len(classes) == 1 else None
        if isinstance(cls, type) and hasattr(cls, "__srcgrad_written_out__"):
            if isinstance(value, gast.Name) and value.id not in {*self.frame.own, *self.frame.env}:
                cell = self.frame.home.cells.get(value.id)
                known = cell.cell_contents if cell else self.frame.home.globals.get(value.id)
                return gast.Constant(isinstance(known, cls), None)
            return gast.Constant(False, None)  # it never leaves the text as an object
        return None

    def _namespace(
        self, function: Any, args: list[Value], keywords: Bound, node: Any
    ) -> Value | None:
        """Let the text use the functions of the library that it is for, as it does elsewhere."""
        if any(isinstance(item, Static) for item in args) or not any(map(self.frame.varies, args)):
            return None
        if not all(map(is_literal, keywords.values())):
            return None
        options = {name: getattr(value, "value", None) for name, value in keywords.items()}
        library = function(np.zeros(1), **options)
        self.frame.changed = True
        return Known(library, self.frame.constant(library, "xp"))

    @function(names_element)
    def _names_element(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        return gast.Constant(False, None)  # those that do are calls of `element`

    @function(builtins.len)
    def _len(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        (value,) = args
        if isinstance(value, Items):
            return gast.Constant(len(value.values), None)
        return None

    @function(builtins.type)
    def _type(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        known = len(args) == 1 and isinstance(args[0], (Object, Recorded))
        return Known(class_of(args[0])) if known else None

    @function(builtins.super)
    def _super(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        if args:
            return _super_with_its_class(*args)
        if not self.frame.receivers:
            return None
        owner, receiver = self.frame.receivers[-1]
        if owner is None or isinstance(receiver, (Object, Instance, Recorded)):
            return None if owner is None else Super(owner, receiver)
        first = next(iter(parameters(self.frame.code.tree.args)), "")
        held = load(first) if receiver is None else self.frame.plain(receiver, node)
        node.args = [self.frame.constant(owner, owner.__name__), held]
        return node

    @function(builtins.enumerate)
    def _enumerate(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        items = args[0]
        if len(args) != 1 or keywords or not isinstance(items, Items) or items.keys is not None:
            return None
        if not self.frame.generators.is_used_up(node):
            return None
        pairs = [Items("tuple", [gast.Constant(i, None), v]) for i, v in enumerate(items.values)]
        return Items("list", list(pairs))

    @function(builtins.zip)
    def _zip(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Pair a known list with others, and with what is written out, which is evaluated now."""
        known = [self._held_by(item) for item in args]
        sizes = [len(item.values) for item in args if isinstance(item, Items) and _is_static(item)]
        if sizes:  # of functions: of what stands beside them there is one each
            places = zip(known, args, strict=True)
            known = [_entries(item, min(sizes)) if v is None else v for v, item in places]
        if None in known or not any(isinstance(item, Items) for item in args):
            return None
        if keywords and len({len(values or ()) for values in known}) > 1:
            return None  # `strict=True` may raise an error
        if not self.frame.generators.is_used_up(node):
            return None
        rows = zip(*[values for values in known if values is not None], strict=False)
        parts = [[self.frame.bound_now(v, "part", node) for v in row] for row in rows]
        return Items("list", [Items("tuple", row) for row in parts])

    def _held_by(self, items: Value) -> list[Value] | None:
        """Return what a known list holds, or one that is written out; None of all others."""
        if isinstance(items, Items):
            return None if items.keys is not None else list(items.values)
        if not isinstance(items, (gast.List, gast.Tuple)) or not self.frame.hoistable:
            return None
        starred = any(isinstance(item, gast.Starred) for item in items.elts)
        return None if starred else list(items.elts)

    @function(builtins.reversed)
    def _reversed(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        items = args[0]
        used_up = self.frame.generators.is_used_up(node)
        if used_up and isinstance(items, Items) and items.keys is None:
            return Items("list", list(reversed(items.values)))
        return None

    @function(builtins.dict)
    def _dict(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        given = _held_by_keys(args[0]) if args else {}
        if given is None:
            return None
        given.update(keywords)
        if not args and not any(isinstance(value, Static) for value in given.values()):
            return None
        return Items(
            "dict", [self.frame.bound_now(v, "part", node) for v in given.values()], list(given)
        )

    @function(builtins.list)
    def _list(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        return _sequence("list", args)

    @function(builtins.tuple)
    def _tuple(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        return _sequence("tuple", args)


def _is_static(items: Items) -> bool:
    return items.keys is None and any(isinstance(value, Static) for value in items.values)


def _entries(held: Value, size: int) -> list[Value] | None:
    """Return so many entries of a variable; None of anything else."""
    if not isinstance(held, gast.Name):
        return None
    return [subscript(clone(held), gast.Constant(place, None)) for place in range(size)]


def _held_by_keys(value: Value) -> Bound | None:
    """Return what a dict holds, or pairs of texts and values, by its keys; None of all others."""
    if not isinstance(value, Items):
        return None
    if value.keys is not None:
        return dict(zip(value.keys, value.values, strict=True))
    pairs = [item.values for item in value.values if isinstance(item, Items)]
    told = [len(pair) == 2 and is_text(pair[0]) for pair in pairs]
    if not all(told) or len(pairs) < len(value.values):
        return None
    keys: list[Any] = [key for key, _ in pairs]
    return {key.value: held for key, (_, held) in zip(keys, pairs, strict=True)}


def _classes(kind: Value) -> tuple[type, ...]:
    """Return the classes that `isinstance` is given; none if they are not known."""
    held = kind.values if isinstance(kind, Items) and kind.keys is None else [kind]
    found = [item.value for item in held if isinstance(item, Known)]
    known = len(found) == len(held) and all(isinstance(item, type) for item in found)
    return tuple(found) if known else ()


def _super_with_its_class(owner: Value, receiver: Value | None = None) -> Value | None:
    """Return what ``super(Class, self)`` means, which is ``super()`` in the methods of a class."""
    known = isinstance(owner, Known) and isinstance(receiver, (Object, Instance, Recorded))
    return (
        Super(owner.value, receiver)
        if known and owner.value in class_of(receiver).__mro__
        else None
    )


def _elements(value: Value) -> list[Value] | None:
    if isinstance(value, Items) and value.keys is None:
        return list(value.values)
    if isinstance(value, (gast.List, gast.Tuple)):
        return list(value.elts)
    return None


def _nothing(node: Any) -> Any:
    """Return an empty dict, where `node` is."""
    return at(gast.Dict([], []), node)


def _repeated(value: Value) -> Value:
    if isinstance(value, Known) and isinstance(value.value, FunctionType):
        return Known(repeated(value.value))
    if isinstance(value, Local):
        return replace(value, code=replace(value.code, repeated=True))
    if isinstance(value, (Method, Partial)):
        return replace(value, function=_repeated(value.function))
    return value


def _sequence(kind: str, args: list[Value]) -> Value | None:
    if len(args) != 1:
        return None
    items = args[0]
    if isinstance(items, (gast.List, gast.Tuple)):  # what `map` was written as
        display = gast.List if kind == "list" else gast.Tuple
        return gast.copy_location(display(items.elts, gast.Load()), items)
    if not isinstance(items, Items):
        return None
    values = list(items.values)
    if items.keys is not None:
        values = [gast.Constant(key, None) for key in items.keys]
    return Items(kind, values)
