"""Turns the variables in static values into parameters, for a function that they are passed to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.frontend.expand.frame import NeedsInlineError
from srcgrad.frontend.expand.scoping import free_names
from srcgrad.frontend.expand.values import (
    Choice,
    Derivative,
    Instance,
    Items,
    Known,
    Local,
    Method,
    Object,
    Partial,
    Pulling,
    Recorded,
    Root,
    Static,
    Value,
    is_literal_tuple,
)
from srcgrad.ir import gast
from srcgrad.ir.build import load
from srcgrad.runtime.objects import outline

Key = tuple[Any, ...]


class NotLiftedError(Exception):
    """A static value is not handed on, such as one that is another on another path."""


class Lifting:
    """Collects the parameters and arguments of one derived function.

    Attributes:
        parameters, arguments: What is passed; the same variable is passed once.
    """

    def __init__(
        self,
        taken: set[str],
        fields: Callable[[Instance], Object | None],
        assume: Callable[[Root, Any], None],
    ) -> None:
        self._assume = assume
        self.parameters: list[str] = []
        self.arguments: list[Any] = []
        self._taken = taken
        self._fields = fields
        self._by_text: dict[str, str] = {}
        self._objects: dict[int, tuple[Object, Key]] = {}
        self._locals: dict[tuple[int, int], tuple[Local, Key]] = {}
        self._alive: list[Any] = []  # what those are the numbers of, which nobody else may hold

    def parameter(self, expression: Any, wish: str) -> str:
        """Return the parameter for a variable of the caller."""
        text = gast.dump(expression)
        if text not in self._by_text:
            self._by_text[text] = self.add(expression, wish)
        return self._by_text[text]

    def add(self, expression: Any, wish: str) -> str:
        """Return a new parameter for an argument."""
        name, number = wish, 2
        while name in self._taken:
            name, number = f"{wish}_{number}", number + 1
        self._taken.add(name)
        self.parameters.append(name)
        self.arguments.append(expression)
        return name

    def lift(self, value: Value, wish: str = "value") -> tuple[Value, Key]:
        """Return a value as the derived function knows it, and what tells it from others."""
        if isinstance(value, gast.Constant):
            return value, ("literal", type(value.value).__name__, repr(value.value))
        if is_literal_tuple(value):
            return value, ("literals", gast.dump(value))
        if not isinstance(value, Static):
            name = self.parameter(value, getattr(value, "id", wish))
            return load(name), ("variable", self.parameters.index(name))
        method = getattr(self, f"_lift_{type(value).__name__}", None)
        if method is None:
            raise NotLiftedError(wish)
        lifted: tuple[Value, Key] = method(value, wish)
        return lifted

    def _lift_Known(self, value: Known, wish: str) -> tuple[Value, Key]:
        return Known(value.value), ("known", id(value.value))

    def _lift_Identity(self, value: Static, wish: str) -> tuple[Value, Key]:
        return value, ("identity",)

    def _lift_Local(self, value: Local, wish: str) -> tuple[Value, Key]:
        place = (id(value.code.tree), id(getattr(value.captured, "frame", value.captured)))
        if place in self._locals:
            return self._locals[place]
        captured: dict[str, Value] = {}
        lifted = Local(value.code, captured)
        self._alive.append(value)
        self._locals[place] = (lifted, ("same", len(self._locals)))
        parts: list[Any] = []
        for name in free_names(value.code.tree):
            found = value.captured.get(name)
            if found is not None:
                captured[name], key = self.lift(found, name)
                parts.append((name, key))
        for name, default in value.defaults.items():
            lifted.defaults[name], key = self.lift(default, name)
            parts.append((name, key))
        home = value.code.home
        key = ("local", id(value.code.tree), id(home.globals), tuple(parts))
        return lifted, key

    def _lift_Partial(self, value: Partial, wish: str) -> tuple[Value, Key]:
        function, key = self.lift(value.function, wish)
        args = [self.lift(item) for item in value.args]
        named = {name: self.lift(item, name) for name, item in value.keywords.items()}
        lifted = Partial(
            function, [item for item, _ in args], {name: item for name, (item, _) in named.items()}
        )
        parts = (tuple(k for _, k in args), tuple((name, k) for name, (_, k) in named.items()))
        return lifted, ("partial", key, parts)

    def _lift_Derivative(self, value: Derivative, wish: str) -> tuple[Value, Key]:
        function, key = self.lift(value.function, wish)
        options = (value.kind, value.argnums, value.argnames, value.aux)
        return Derivative(value.kind, function, *options[1:]), ("derivative", key, options)

    def _lift_Pulling(self, value: Pulling, wish: str) -> tuple[Value, Key]:
        saved, key = self.lift(value.saved, "saved")
        lifted = Pulling(value.backward, saved, value.places, value.count, spent=True)
        return lifted, ("pulling", id(value.backward.value), tuple(value.places), key)

    def _lift_Method(self, value: Method, wish: str) -> tuple[Value, Key]:
        function, key = self.lift(value.function, wish)
        owner, other = self.lift(value.owner, "self")
        return Method(function, owner), ("method", key, other)

    def _lift_Items(self, value: Items, wish: str) -> tuple[Value, Key]:
        if value.held is not None:
            raise NeedsInlineError
        if value.is_own:
            return self.lift(value.expression, wish)
        names = [wish if value.keys is None else str(key) for key in value.keys or value.values]
        parts = [self.lift(item, n) for item, n in zip(value.values, names, strict=True)]
        keys = None if value.keys is None else list(value.keys)
        lifted = Items(value.kind, [item for item, _ in parts], keys, lent=True)
        return lifted, (value.kind, repr(keys), tuple(key for _, key in parts))

    def _lift_Object(self, value: Object, wish: str) -> tuple[Value, Key]:
        if id(value) in self._objects:
            return self._objects[id(value)]
        lifted = Object(value.cls, value.name, {}, lent=True, origin=value.origin)
        self._alive.append(value)
        self._objects[id(value)] = (lifted, ("object again", len(self._objects)))
        parts: list[Any] = []
        for name, item in value.fields.items():
            lifted.fields[name], key = self.lift(item, name)
            parts.append((name, key))
        return lifted, ("object", id(value.cls), tuple(parts))

    def _lift_Recorded(self, value: Recorded, wish: str) -> tuple[Value, Key]:
        name = self.parameter(value.expression, getattr(value.expression, "id", wish))
        lifted = Recorded(value.kind, load(name))
        return lifted, ("recorded", value.kind, self.parameters.index(name))

    def _lift_Instance(self, value: Instance, wish: str) -> tuple[Value, Key]:
        fields = self._fields(value)
        if fields is not None:
            return self.lift(fields)
        wish = getattr(value.expression, "id", getattr(value.expression, "attr", "item"))
        name = self.parameter(value.expression, wish)
        root, seen = value.root, outline(value.value)
        self._assume(lambda arguments: outline(root(arguments)), seen)
        return Instance(value.value, load(name), root, lent=True), ("instance", seen)

    def _lift_Choice(self, value: Choice, wish: str) -> tuple[Value, Key]:
        test = load(self.parameter(value.test, "chosen"))
        then, first = self.lift(value.then)
        other, second = self.lift(value.other)
        return Choice(test, then, other), ("choice", first, second)
