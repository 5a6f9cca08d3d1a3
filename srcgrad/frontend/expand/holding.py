"""Knows the objects outside whose fields a program writes: each such field is a variable.

Which fields those are is found out on the way: where a write is met of which nobody knew, the
function that is differentiated is expanded once more, from its beginning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import gast
import numpy as np

from srcgrad.frontend.expand.assumptions import stored_in
from srcgrad.frontend.expand.values import Instance, Root
from srcgrad.frontend.one_way import is_reached_twice
from srcgrad.frontend.source import Entry, Leaves, Path
from srcgrad.ir.build import at, clone, load
from srcgrad.ir.reach import reached_functions, read_outside
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import blocks_of, root_name
from srcgrad.runtime import tell
from srcgrad.runtime.objects import is_plain_object

_MOST: Final = 200
"""Fields that are written by one program."""
_RANKS: Final = {1: "vector", 2: "matrix"}
_CONTAINERS: Final = (list, tuple, dict)


class FieldWrittenError(Exception):
    """A field of an object outside is written, of which nobody knew so far."""

    def __init__(self, owner: Any, name: str) -> None:
        super().__init__(name)
        self.owner = owner
        self.name = name


@dataclass(slots=True)
class HeldObject:
    """An object that is there before, with fields that the program writes.

    Attributes:
        value: The object.
        written: The names of those fields.
        expression: How the function reaches it, where it begins.
        root: How to find it again, given the arguments of a call.
        variables: The variables of the fields.
        differentiated: Those of fields that are differentiated, which are read with the others.
        bound: The fields that are bound anew, which are put back at the end.
        updated: Those whose arrays are written into, at any time: what was made stays.
    """

    value: Any
    written: set[str] = field(default_factory=set)
    expression: Any = None
    root: Root | None = None
    variables: dict[str, str] = field(default_factory=dict)
    differentiated: dict[str, str] = field(default_factory=dict)
    bound: dict[str, None] = field(default_factory=dict)
    updated: set[str] = field(default_factory=set)

    def stored(self) -> set[str]:
        """Return the fields whose arrays may be written into."""
        return self.written - self.bound.keys() | self.updated

    def is_there(self, name: str) -> bool:
        """Say whether a field is set before, or its class has a value for it."""
        return stored_in(self.value, name) is not MISSING


@dataclass(slots=True)
class Holding:
    """The objects of one compilation that are held so.

    Attributes:
        is_open: Whether writes may be understood so; it is given up if that leads to a refusal.
        objects: The objects, by their identities.
    """

    is_open: bool = True
    objects: dict[int, HeldObject] = field(default_factory=dict)

    def of(self, value: Any) -> HeldObject | None:
        """Return an object as it is held, if it is."""
        return self.objects.get(id(value)) if self.objects else None

    def note(self, owner: Any, name: str) -> bool:
        """Note a field that is written, before the function is expanded once more.

        False if there are so many that they may be those of objects that are made anew each time.
        """
        held = self.objects.setdefault(id(owner), HeldObject(owner))
        held.written.add(name)
        for item in self.objects.values():
            item.expression = item.root = None
            item.variables, item.differentiated, item.bound = {}, {}, {}
        return sum(len(item.written) for item in self.objects.values()) <= _MOST

    def close(self) -> None:
        """Leave the fields what they are: what reads or writes them is refused, or told."""
        self.is_open = False
        self.objects.clear()

    def met(self) -> list[HeldObject]:
        """Return the objects that the program has met."""
        return [item for item in self.objects.values() if item.expression is not None]


def kind_of(value: Any) -> str:
    """Return what analyses of memory are told of a value; nothing of most.

    >>> kind_of(np.ones(3)), kind_of(2.0), kind_of([1.0]), kind_of(2), kind_of(np.array(1.0))
    ('vector', 'number', 'list', '', '')
    """
    if type(value) is np.ndarray:
        return _RANKS.get(value.ndim, "array") if value.ndim else ""
    if isinstance(value, float):
        return "number"
    return type(value).__name__ if type(value) in _CONTAINERS else ""


def path_of(expression: Any) -> tuple[str, Path] | None:
    """Return the name and the steps by which an expression reaches an object; None for others.

    >>> path_of(gast.parse("model.parts[0].grid", mode="eval").body)
    ('model', ('parts', Entry(key=0), 'grid'))
    >>> path_of(gast.parse("run.__self__", mode="eval").body) is None
    True
    """
    steps: list[str | Entry] = []
    while not isinstance(expression, gast.Name):
        if isinstance(expression, gast.Attribute) and not expression.attr.startswith("__"):
            steps.append(expression.attr)
        elif isinstance(expression, gast.Subscript):
            if not isinstance(expression.slice, gast.Constant):
                return None
            steps.append(Entry(expression.slice.value))
        else:
            return None
        expression = expression.value
    return expression.id, tuple(reversed(steps))


def leaves_of(held: HeldObject) -> Leaves:
    """Return the fields of an object as variables that are read before all else."""
    found = path_of(held.expression)
    assert found is not None
    name, path = found
    made = Leaves(name, is_held=True, path=path)
    for attribute, variable in held.variables.items():
        if held.is_there(attribute):
            made.names[*path, attribute] = variable
            note_kind(made, variable, stored_in(held.value, attribute))
    return made


def note_kind(leaves: Leaves, variable: str, value: Any) -> None:
    """Note what a field that is written is before, as far as an analysis asks for that."""
    if kind := kind_of(value):
        leaves.kinds[variable] = kind
    if type(value) is np.ndarray and value.dtype.kind in "fc":
        leaves.floats.add(variable)


def put_back(body: list[Any], objects: Iterable[HeldObject], name_of: Callable[..., Any]) -> None:
    """Let fields that are bound anew be bound so in the objects, before each `return`, in place.

    `name_of(function, wish)` is the expression of a function.
    """
    pairs = [(held, name) for held in objects for name in held.bound]
    if not pairs:
        return

    def stores(node: Any) -> list[Any]:
        return [
            at(gast.Expr(gast.Call(name_of(tell, "tell"), _stored(held, name), [])), node)
            for held, name in pairs
        ]

    def walk_block(block: list[Any]) -> None:
        for place in reversed(range(len(block))):
            statement = block[place]
            if isinstance(statement, gast.Return):
                block[place:place] = stores(statement)
            for inner in blocks_of(statement):
                walk_block(inner)

    walk_block(body)


def _stored(held: HeldObject, name: str) -> list[Any]:
    variable = held.differentiated.get(name) or held.variables[name]
    owner = clone(held.expression)
    return [load("setattr"), owner, gast.Constant(name, None), load(variable)]


def is_reached_otherwise(
    held: HeldObject, function: Any, arguments: Mapping[str, Any], name: str
) -> bool:
    """Say whether an object, or an array that it holds, is reached by another way, too.

    `name` is that by which the function reaches it. What is looked through are the arguments, and
    what the functions that may run read outside.
    """
    path = path_of(held.expression)
    assert path is not None
    outside = list(read_outside(reached_functions(function, arguments.values()).functions))
    first = arguments.get(name, MISSING)
    others = [value for key, value in arguments.items() if key != name]
    if first is MISSING:
        named = [value for key, value in outside if key == name]
        if len(named) != 1:  # other functions know it, too
            return True
        first = named[0]
        others += [value for key, value in outside if key != name]
    else:
        others += [value for _, value in outside]
    return is_reached_twice(first, path[1], held.stored(), others)


def is_bound_in(body: list[Any], expression: Any) -> bool:
    """Say whether statements bind the name anew by which an expression begins."""
    name = root_name(expression)
    return any(
        isinstance(node, gast.Name) and node.id == name and not isinstance(node.ctx, gast.Load)
        for statement in body
        for node in gast.walk(statement)
    )


def may_be_held(owner: Instance) -> bool:
    """Say whether the fields of an object may be variables: they are set as Python does it."""
    return is_plain_object(owner.value) and not isinstance(owner.value, tuple)
