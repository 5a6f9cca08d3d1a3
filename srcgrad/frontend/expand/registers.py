"""Keeps the list that a decorator makes of the arguments of a call as variables, one an entry.

So of ``args = list(args)``, then ``for i, v in enumerate(args): args[i] = np.asarray(v)``, then
``return fn(*args)`` comes ``a = np.asarray(a)``, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from srcgrad.frontend.expand.keeping import known_elements
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.values import Items, Known, Static, Value
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, load, store
from srcgrad.ir.displays import spread_in
from srcgrad.ir.walk import blocks_of, found_in

if TYPE_CHECKING:
    from srcgrad.frontend.expand.interpreter import Interpreter

_NAME_IT: Final = "loop over `enumerate` of it"
_SOME_PATHS: Final = ("a list of functions that is written on some paths", "write a display")


@dataclass(slots=True)
class Registered(Items):
    """A list whose entries are variables, or functions and objects."""

    def as_written(self) -> None:
        """It is no display: what is written goes into the variables."""


class Numbered(Items):
    """An entry of such a list, after its place."""


class Registers(Part):
    """The part of the expansion that keeps lists of arguments as variables."""

    def __init__(self, frame: Interpreter) -> None:
        super().__init__(frame)
        self._variables: set[str] = set()

    def opened(self, name: str, value: Value, node: Any) -> Items | None:
        """Return a new list with its entries in variables, if that is how it is used."""
        if isinstance(value, gast.List) and not spread_in(value):
            entries = value.elts
        elif isinstance(value, Items) and value.kind == "list" and value.expression is None:
            entries = value.values
        else:
            return None
        if isinstance(value, Items) and value.lent:
            return None
        tree = self.frame.tree
        if self.frame.depth or name not in self.frame.rewritten or not is_run_through(tree, name):
            return None
        self.frame.changed = True
        made = Registered("list", entries)
        if is_written_on_some_paths(tree, name):
            made.values = [self._variable(name, item, node) for item in entries]
        return made

    def options(self, loop: Any) -> Iterator[Value] | None:
        """Return what a loop over ``options.items()`` goes through that writes their entries.

        Those are kept in variables, if the loop may leave some as they are.
        """
        method: Any = getattr(loop.iter, "func", None)
        name = getattr(getattr(method, "value", None), "id", "")
        owner = self.frame.env.get(name)
        if not isinstance(owner, Items) or owner.keys is None or method.attr != "items":
            return None
        if owner.lent or owner.expression is not None:
            return None
        places = [place for part in loop.body for place in found_in(part, gast.Subscript)]
        if self.frame.depth or not any(_is_stored(place, name) for place in places):
            return None
        if is_written_on_some_paths(loop, name):
            owner.values = [self._variable(name, item, loop) for item in owner.values]
            self._variables.update(item.id for item in owner.values if isinstance(item, gast.Name))
        keys = [gast.Constant(key, None) for key in owner.keys]
        pairs = zip(keys, owner.values, strict=True)
        return (Numbered("tuple", [key, item]) for key, item in pairs)

    def puts_option(self, entry: Value | None, value: Value, node: Any) -> bool:
        """Put a value into an entry of ``**options`` in a branch, if that is in a variable."""
        name = getattr(entry, "id", "")
        if name not in self._variables or isinstance(value, Static):
            return False
        self.frame.bind(name, value, node)
        return True

    def _variable(self, name: str, value: Value, node: Any, before: Value | None = None) -> Value:
        if isinstance(value, Static):
            return value
        return self.frame.keep(getattr(before, "id", getattr(value, "id", name)), value, node)

    def entries(self, iterable: Any) -> Iterator[Value] | None:
        """Return what a loop goes through, if that is such a list, or its numbered entries.

        Each is what it is when its trip begins.
        """
        if isinstance(iterable, gast.Name):
            owner = self.frame.env.get(iterable.id)
            return iter(owner.values) if isinstance(owner, Registered) else None
        if not isinstance(iterable, gast.Call) or iterable.keywords:
            return None
        parts = [self.entries(item) for item in iterable.args]
        callee = self.frame.looked_at(iterable.func)
        if not isinstance(callee, Known) or not any(part is not None for part in parts):
            return None
        if callee.value is enumerate and len(parts) == 1 and not self.frame.depth:
            numbered = enumerate(parts[0] or ())
            return (Numbered("tuple", [gast.Constant(k, None), item]) for k, item in numbered)
        if callee.value is not zip:
            return None
        others = zip(parts, iterable.args, strict=True)
        given = [self._known(item) if part is None else part for part, item in others]
        if None in given:
            return None
        return (Items("tuple", list(row)) for row in zip(*(p or () for p in given), strict=False))

    def numbered(self, target: Any, element: Value) -> tuple[Any, Value]:
        """Let the first target mean the place of an entry; return what is left to be bound."""
        known = isinstance(element, Numbered) and isinstance(target, gast.Tuple)
        if not known or not isinstance(target.elts[0], gast.Name):
            return target, element
        place, entry = element.values
        self.frame.env[target.elts[0].id] = place
        return target.elts[1], entry

    def _known(self, node: Any) -> list[Value] | None:
        value = self.frame.value(clone(node))
        if isinstance(value, (gast.List, gast.Tuple)):
            return None if spread_in(value) else list(value.elts)
        return known_elements(self.frame, value)

    def _owner(self, target: Any) -> Registered | None:
        """Return the list of which a target is an entry, if it is one."""
        name = target.value if isinstance(target, gast.Subscript) else None
        owner = self.frame.env.get(getattr(name, "id", ""))
        return owner if isinstance(owner, Registered) else None

    def is_entry(self, target: Any) -> bool:
        """Say whether a target is an entry of such a list."""
        return self._owner(target) is not None

    def _entry(self, owner: Registered, target: Any, node: Any) -> tuple[int, Value]:
        place = getattr(self.frame.value(target.slice), "value", None)
        entry = owner.get(place)
        if not isinstance(place, int) or entry is None:
            self.frame.refuse(node, "a write into a list of arguments by an index", _NAME_IT)
        return place, entry

    def update(self, target: Any, node: Any) -> bool:
        """Do ``args[i] += v`` as an update of the variable of the entry, if it is one."""
        owner = self._owner(target)
        if owner is None:
            return False
        place, entry = self._entry(owner, target, node)
        if isinstance(entry, Static):
            self.frame.refuse(node, *_SOME_PATHS)
        value = self.frame.expression(node.value)
        if not self.frame.depth:
            entry = owner.values[place] = self._variable(target.value.id, entry, node)
        self.frame.note_bound(entry.id, gast.BinOp(load(entry.id), node.op, value), node)
        self.frame.out.append(at(gast.AugAssign(store(entry.id), node.op, value), node))
        return True

    def store(self, target: Any, value: Value, node: Any) -> bool:
        """Put a value into the variable of an entry, if the target is one."""
        owner = self._owner(target)
        if owner is None:
            return False
        place, entry = self._entry(owner, target, node)
        if not self.frame.depth:
            owner.values[place] = self._variable(target.value.id, value, node, entry)
        elif isinstance(entry, Static) or isinstance(value, Static):
            self.frame.refuse(node, *_SOME_PATHS)
        else:
            self.frame.bind(entry.id, value, node)
        return True


def is_run_through(tree: Any, name: str) -> bool:
    r"""Say whether a function only runs through a list, writes known entries, and passes it on.

    >>> def run_through(text):
    ...     return is_run_through(gast.parse(f"def f(*a):\n  {text}").body[0], "xs")
    >>> run_through("for i, v in enumerate(xs): xs[i] = g(v)\n  return h(*xs, xs[0])")
    True
    >>> run_through("xs[n] = 0\n  return h(*xs)"), run_through("xs[0] = 0\n  return xs")
    (False, False)
    """
    bound = [item for item in found_in(tree, gast.Assign) if _binds(item, name)]
    places = [item for item in found_in(tree, gast.Name) if item.id == name]
    stored = sum(1 for item in places if isinstance(item.ctx, gast.Store))
    loaded = sum(1 for item in places if isinstance(item.ctx, gast.Load))
    fitting = sum(_count(item.value, name) for item in bound)
    for statement in tree.body:
        counter = _counter(statement, name)
        for node in found_in(statement, gast.For, gast.comprehension, gast.Subscript, gast.Call):
            fitting += sum(getattr(v, "id", "") == name for v in _looked_at(node, counter))
    return stored == len(bound) <= 1 and loaded == fitting


def is_written_on_some_paths(tree: Any, name: str) -> bool:
    """Say whether an entry of a list is written in a branch or in a loop over something else."""
    for statement in tree.body:
        inner = statement.body if _counter(statement, name) else [statement]
        nested = [part for item in inner for block in blocks_of(item) for part in block]
        places = [place for part in nested for place in found_in(part, gast.Subscript)]
        if any(_is_stored(place, name) for place in places):
            return True
    return False


def _is_stored(subscript: Any, name: str) -> bool:
    return isinstance(subscript.ctx, gast.Store) and getattr(subscript.value, "id", "") == name


def _binds(statement: Any, name: str) -> bool:
    return len(statement.targets) == 1 and getattr(statement.targets[0], "id", "") == name


def _count(value: Any, name: str) -> int:
    return sum(1 for item in found_in(value, gast.Name) if item.id == name)


def _counter(loop: Any, name: str) -> str:
    """Return the variable that numbers the entries in a loop which runs through all of them."""
    call = getattr(loop, "iter", None)
    if not isinstance(call, gast.Call) or getattr(call.func, "id", "") != "enumerate":
        return ""
    if len(call.args) != 1 or getattr(call.args[0], "id", "") != name or loop.orelse:
        return ""
    counter = loop.target.elts[0] if isinstance(loop.target, gast.Tuple) else None
    left = found_in(loop, gast.Break, gast.Continue, gast.Return)
    again = [item for item in found_in(loop, gast.Name) if item.id == getattr(counter, "id", "")]
    once = sum(1 for item in again if isinstance(item.ctx, gast.Store)) == 1
    return str(again[0].id) if once and not left else ""


def _looked_at(node: Any, counter: str) -> Iterator[Any]:
    """Yield the lists that are run through, asked for a known entry or their length, or given."""
    if isinstance(node, (gast.For, gast.comprehension)):
        yield node.iter
    elif isinstance(node, gast.Call):
        if getattr(node.func, "id", "") in ("enumerate", "zip", "len"):
            yield from node.args
        yield from (item.value for item in node.args if isinstance(item, gast.Starred))
    elif isinstance(node.slice, gast.Constant) or getattr(node.slice, "id", "-") == counter:
        yield from () if isinstance(node.ctx, gast.Del) else (node.value,)
