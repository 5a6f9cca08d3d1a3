"""Knows the names of fields that loops run through, wherever they stand: ``for f in self.fields``.

They may be kept in a module, in a class or in an object; that they are still the same is asked at
each call.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import FunctionType
from typing import Any, Final

from srcgrad.frontend.expand.assumptions import Attribute, InClasses, Of, Outside
from srcgrad.frontend.expand.deciding import asked_of
from srcgrad.frontend.expand.frame import at_key
from srcgrad.frontend.expand.keeping import returns_object
from srcgrad.frontend.expand.named_loops import is_own, names_attributes
from srcgrad.frontend.expand.order import place
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.placing import makes_functions
from srcgrad.frontend.expand.scoping import parameters
from srcgrad.frontend.expand.values import (
    Instance,
    Items,
    Known,
    Object,
    Root,
    Static,
    Value,
    is_callee,
    is_negative,
    is_text,
)
from srcgrad.frontend.source import find_source
from srcgrad.frontend.weak_memory import PerFunction
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, subscript
from srcgrad.ir.scopes import MISSING, scope_of
from srcgrad.ir.walk import found_in, names_bound, walk
from srcgrad.runtime.objects import is_plain_object

_MOST: Final = 32
_WIDEST: Final = 8
_RUNNING: Final = (enumerate, zip, list, tuple, reversed, sorted)
_LOOKING: Final = ("items", "keys", "values", "get", "copy")


class ToldNames(Part):
    """The part of the expansion that knows which names of fields are run through."""

    def opened(self, node: Any) -> Any:
        """Return an iterable with what is known of the names in it, in their place."""
        if isinstance(node, gast.Call):
            callee = self.frame.looked_at(node.func) if isinstance(node.func, gast.Name) else None
            if isinstance(callee, Known) and any(callee.value is item for item in _RUNNING):
                node.args = [self.opened(item) for item in node.args]
            if isinstance(callee, Known) and callee.value is zip:
                self._take_beside(node)
            return node
        found = self._texts(node)
        return node if found is None else self.frame.named(found)

    def wants(self, loop: Any, *parts: Any) -> bool:
        """Say whether what a loop does hangs on the names that it runs through.

        They name attributes, choose a function of a table, or come with what is passed on by stars.
        """
        if names_attributes(loop, *parts):
            return True
        own = set(names_bound(loop.target))
        nodes = [node for part in (parts or loop.body) for node in walk(part)]
        return any(self._hangs_on(node, own) for node in nodes)

    def _hangs_on(self, node: Any, own: set[str]) -> bool:
        if isinstance(node, gast.Starred) or (isinstance(node, gast.keyword) and not node.arg):
            return getattr(node.value, "id", "") in own
        if isinstance(node, gast.Subscript) and getattr(node.slice, "id", "") in own:
            plain = isinstance(node.value, (gast.Name, gast.Attribute))
            table = self.frame.looked_at(node.value) if plain else None
            return isinstance(table, Items) and any(isinstance(v, Static) for v in table.values)
        if not isinstance(node, gast.Call) or not isinstance(node.func, gast.Name):
            return False
        given = [k for k, item in enumerate(node.args) if _is_of(item, own)]
        callee = self.frame.look(node.func.id)
        function = callee.value if isinstance(callee, Known) else None
        if not isinstance(function, FunctionType) or not self.session.is_user(function):
            return False
        source = find_source(function)
        names = parameters(source.tree.args)
        keys = set(_keys_of_tables(function))
        keys |= asked_of(source.tree) if returns_object(source) else set()
        return any(names[k] in keys for k in given if k < len(names))

    def as_names(self, node: Any) -> Any:
        """Return what gives the names that are passed on with stars, with those that are known."""
        if isinstance(node, gast.DictComp):
            node.generators[0].iter = self.opened(node.generators[0].iter)
        elif isinstance(node, gast.Call) and len(node.args) == 1:
            named, pairs = isinstance(node.func, gast.Name), isinstance(node.args[0], gast.Call)
            callee = self.frame.looked_at(node.func) if named and pairs else None
            if isinstance(callee, Known) and callee.value is dict:
                node.args = [self.opened(node.args[0])]
        return node

    def _take_beside(self, node: Any) -> None:
        """Let `zip` pair names with as many elements of a variable, which has them if all is well.

        Of one that has fewer, the text raises an error.
        """
        held = [self.frame.env.get(getattr(item, "id", "")) for item in node.args]
        sizes = [len(item.values) for item in held if isinstance(item, Items)]
        for number, item in enumerate(node.args if sizes else ()):
            if isinstance(item, gast.Name) and not isinstance(self.frame.look(item.id), Static):
                reads = [subscript(clone(item), gast.Constant(k, None)) for k in range(min(sizes))]
                node.args[number] = at(gast.List(reads, gast.Load()), node)

    def _texts(self, node: Any) -> Items | None:
        """Return the texts that a display, or a container from outside, holds; None of others."""
        if isinstance(node, (gast.Tuple, gast.List)):
            return _written_out(node) if 0 < len(node.elts) <= _MOST else None
        if is_text(node) and 0 < len(node.value) <= _MOST:
            return Items("tuple", [gast.Constant(letter, None) for letter in node.value])
        if not isinstance(node, (gast.Name, gast.Attribute)):
            return None
        held, root = self._found(node)
        told = _words(held)
        if not told:
            return None
        self.session.assume(Of(_words, root), told)
        self.frame.changed = True
        if type(held) is dict or type(held[0]) is str:
            return Items("tuple", [gast.Constant(item, None) for item in held])
        return Items("tuple", [self._row(row, k, root, node) for k, row in enumerate(held)])

    def _row(self, row: Any, number: int, root: Root, node: Any) -> Value:
        """Return a tuple of texts and other values from outside; the run reads these."""
        place, found = subscript(clone(node), gast.Constant(number, None)), at_key(root, number)
        entries: list[Value] = []
        for k, item in enumerate(row):
            read, reader = subscript(clone(place), gast.Constant(k, None)), at_key(found, k)
            if type(item) is str:
                entries.append(gast.Constant(item, None))
            elif type(item) is dict and all(type(key) is str for key in item):
                entries.append(self.frame.tables.by_entries(item, reader, read))
            elif is_callee(item) and not is_plain_object(item):
                self.session.assume(reader, item)
                entries.append(Known(item, read))
            else:
                entries.append(self.frame.lookup.outside(item, read, reader))
        return Items("tuple", entries)

    def _found(self, node: Any) -> tuple[Any, Root]:
        """Return what a name or an attribute means outside, or MISSING, and how to find it again.

        What may run code of the user's, as a property, is not asked.
        """
        if isinstance(node, gast.Name):
            binding = self.frame.tables.bound_outside(node)
            return (MISSING, _nothing) if binding is None else (binding.value, Outside(binding))
        owner, name = self.frame.looked_at(node.value), node.attr
        if isinstance(owner, Object) and name not in owner.fields:
            return _in_class(owner.cls, name)
        if isinstance(owner, Known) and isinstance(owner.value, type):
            return _in_class(owner.value, name)
        if isinstance(owner, Instance) and owner.leaves is None:
            if self.session.holding.of(owner.value) is not None:
                return MISSING, _nothing
            held = getattr(owner.value, "__dict__", {})
            if name in held:
                return held[name], Attribute(owner.root, name)
            self.session.assume(Of(type, owner.root), type(owner.value))
            return _in_class(type(owner.value), name)
        binding = self.frame.tables.bound_outside(node)
        return (MISSING, _nothing) if binding is None else (binding.value, Outside(binding))

    def binds(self, target: Any, value: Value, loop: Any) -> bool:
        """Let the variable of a loop mean the text that it is at a trip; False if it has to be one.

        Where other statements read it, they see the last one.
        """
        if not is_text(value) or not isinstance(target, gast.Name):
            return False
        own = is_own(target, loop, self.frame.tree)
        known = target.id in self.frame.locals or target.id in self.frame.env
        if not own and (self.frame.depth or not known or makes_functions(self.frame.tree)):
            return False
        self.frame.present.discard(target.id)
        self.frame.env[target.id] = value
        return True

    def pairs(self, target: Any, value: Value) -> list[tuple[Any, Value]] | None:
        """Return each target with its part of a display, if one of those is a text.

        Else None, also if what is bound first might be read by the rest.
        """
        parts: Any = getattr(value, "values" if isinstance(value, Items) else "elts", None)
        if parts is None or not any(map(is_text, parts)) or len(parts) != len(target.elts):
            return None
        if sum(not is_text(part) for part in parts) > 1 or found_in(target, gast.Starred):
            return None
        return sorted(zip(target.elts, parts, strict=True), key=lambda pair: is_text(pair[1]))

    def is_looked_at(self, node: Any) -> bool:
        """Say whether the dict of an object is only looked at where it stands, and not kept."""
        return place(node) in {place(item) for item in looked_at(self.frame.tree)}


def _written_out(display: Any) -> Items | None:
    """Return a display of texts, or of tuples or dicts of literals with some; None of others."""
    if all(map(is_text, display.elts)):
        return Items("tuple", list(display.elts))
    rows = [_row_of_literals(row) for row in display.elts]
    known = [row for row in rows if row is not None]
    return Items("tuple", list(known)) if len(known) == len(rows) else None


def _row_of_literals(row: Any) -> Items | None:
    if isinstance(row, gast.Dict):
        told = all(map(is_text, row.keys)) and all(map(_is_literal, row.values))
        return Items("dict", list(row.values), [key.value for key in row.keys]) if told else None
    if not isinstance(row, gast.Tuple) or not any(map(is_text, row.elts)):
        return None
    if not all(_is_literal(item) or isinstance(item, gast.Dict) for item in row.elts):
        return None
    parts = [_row_of_literals(item) if isinstance(item, gast.Dict) else item for item in row.elts]
    return None if None in parts else Items("tuple", parts)


def _is_literal(node: Any) -> bool:
    """Say whether an expression is a number, a text or the like, or a tuple of such."""
    if isinstance(node, gast.Tuple):
        return all(map(_is_literal, node.elts))
    return isinstance(node, gast.Constant) or is_negative(node)


def _words(held: Any) -> Any:
    """Return the texts in a container of texts, or of tuples with some, as they lie; () of others.

    >>> _words(["h", "u"]), _words([("h", 1.0), ("u", 2.0)]), _words([1.0]), _words(["a", 1.0])
    (('h', 'u'), (('h', None), ('u', None)), (), ())
    """
    if type(held) not in (tuple, list, dict) or not 0 < len(held) <= _MOST:
        return ()
    if all(type(item) is str for item in held):
        return tuple(held)
    if type(held) is dict or not all(type(row) is tuple and len(row) <= _WIDEST for row in held):
        return ()
    if not all(any(type(item) is str for item in row) for row in held):
        return ()
    return tuple(
        tuple(
            item if type(item) is str else tuple(item) if type(item) is dict else None
            for item in row
        )
        for row in held
    )


def _is_of(node: Any, names: set[str]) -> bool:
    return isinstance(node, gast.Name) and node.id in names


@PerFunction
def _keys_of_tables(function: FunctionType) -> frozenset[str]:
    """Return the names by which a function takes functions or classes out of tables."""
    tree = find_source(function).tree
    scope = scope_of(function, tree)
    reads = [node for node in found_in(tree, gast.Subscript) if isinstance(node.slice, gast.Name)]
    tables = [(scope.resolve(node.value), node.slice.id) for node in reads]
    return frozenset(
        key
        for table, key in tables
        if isinstance(table, dict) and any(map(callable, table.values()))
    )


def _in_class(cls: type, name: str) -> tuple[Any, Root]:
    found = inspect.getattr_static(cls, name, MISSING)
    return found, InClasses(cls.__mro__, name)


def _nothing(_arguments: Any) -> Any:
    return MISSING


def looked_at(tree: Any) -> Iterator[Any]:
    r"""Yield what is read, run through or passed on with stars, where it stands.

    >>> tree = gast.parse("for k in vars(p).items(): f(**vars(q))\nd = vars(r)")
    >>> sorted(gast.unparse(node) for node in looked_at(tree) if isinstance(node, gast.Call))
    ['vars(p)', 'vars(p).items()', 'vars(q)']
    """
    for node in walk(tree):
        if isinstance(node, gast.Call):
            if isinstance(node.func, gast.Attribute) and node.func.attr in _LOOKING:
                yield node.func.value
            if getattr(node.func, "attr", "") == "update":
                yield from node.args
            yield from (item.value for item in node.keywords if item.arg is None)
            if getattr(node.func, "id", "") in ("len", "list", "tuple", "dict", "sorted"):
                yield from node.args
        elif isinstance(node, (gast.For, gast.comprehension)):
            yield node.iter
        elif isinstance(node, gast.Subscript) and isinstance(node.ctx, gast.Load):
            yield node.value
        elif isinstance(node, gast.Compare):
            yield from node.comparators
        elif isinstance(node, gast.Dict):
            yield from (
                value for key, value in zip(node.keys, node.values, strict=True) if key is None
            )
