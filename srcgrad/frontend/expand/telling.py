"""Knows what calls give that depend on nothing but literals, functions and tables of modules."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, Final

import numpy as np

from srcgrad.frontend.effects import written_parameters
from srcgrad.frontend.expand.blind import Answer, answer_for, stand_in
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.token import Token
from srcgrad.frontend.expand.values import (
    Choice,
    Instance,
    Items,
    Known,
    Root,
    Static,
    Value,
)
from srcgrad.frontend.lasting_answers import stays, stores
from srcgrad.frontend.rebinding import binds_outside
from srcgrad.frontend.repeatable import not_repeatable
from srcgrad.frontend.settled import is_settled, may_choose, only_hands_on
from srcgrad.ir import gast
from srcgrad.ir.reach import reached_functions, values_of
from srcgrad.ir.scopes import uncached
from srcgrad.ir.walk import walk
from srcgrad.runtime.objects import is_plain_object

_MOST: Final = 64
_CALLED: Final = (FunctionType, BuiltinFunctionType, functools.partial, type)
_SIMPLE: Final = (gast.Name, gast.Attribute, gast.Subscript, gast.Constant, gast.Load)


class Telling(Part):
    """The part of the expansion that asks functions now what they give at each call."""

    def told(
        self,
        function: Any,
        args: list[Value],
        keywords: dict[str, Value],
        node: Any,
        text: Any = None,
    ) -> Value | None:
        """Return what a function gives of what is known, if that is known as well; else None.

        It is asked now, and again at each call: another answer makes another text. What gives the
        keywords of a call may also hand on values that only the run tells. An object that is there
        is known where a `text` asks for it in the run, and so is a function.
        """
        starred = node is self.frame.tables.starred_twice
        if not starred and not self.session.settled and text is None:
            return None
        given = Given(takes_values=starred)
        positions = [given.ways(item) for item in args]
        named = {name: given.ways(item) for name, item in keywords.items()}
        every = [item for item in (*positions, *named.values()) if item is not None]
        if len(every) < len(args) + len(named) or not self._may_be_asked(function, given, args):
            return None
        called = uncached(function) if given.tokens else function
        ways = list(itertools.islice(itertools.product(*every), _MOST))

        def answer(arguments: Mapping[str, Any]) -> Any:
            found = [_asked(called, list(named), way, arguments) for way in ways]
            if text is not None and is_plain_object(found[0]):
                return ("object", Same(found[0])) if len(set(map(id, found))) == 1 else None
            shapes = [None if given.looked_at() else given.shape(item) for item in found]
            return shapes[0] if all(item == shapes[0] for item in shapes) else None

        first = _tried(answer, self.session.arguments)
        if first is not None and (starred or self.session.settled) and first[0] != "object":
            value = self._value_of(first, given)
        elif first is not None and text is not None and first[0] in ("object", "function"):
            value = self._given_by(text, answer, first, args)
        else:
            value = None
        if value is None:
            return None
        if isinstance(plain := uncached(function), FunctionType):
            self.session.functions[plain] = None
        self.session.assume(functools.partial(_tried, answer), first)
        self.frame.changed = True
        return value

    def told_of_kinds(
        self, function: Any, args: list[Value], keywords: dict[str, Value], node: Any
    ) -> Value | None:
        """Return the object or library that a function chooses by what kinds its arguments are of.

        Lists and dicts of its module may tell it, too: it is asked again at each call.
        """
        if keywords or not args or not self._may_choose(function):
            return None
        given = Given(takes_values=False)
        roots = [given.ways(item) for item in args]
        if any(root is None and isinstance(a, Static) for root, a in zip(roots, args, strict=True)):
            return None
        known = self.session.arguments
        ways = [None if root is None else [read(known) for read in root] for root in roots]
        key = function, *(None if way is None else tuple(map(id, way)) for way in ways)
        if key not in self.session.chosen:
            told = answer_for(function, ways)
            changed = told is not None and self._may_be_changed(told)
            self.session.chosen[key] = None if changed else told
        told = self.session.chosen[key]
        found = None if told is None else told.value
        is_object = is_plain_object(found)
        if not is_object and not isinstance(found, ModuleType):
            return None
        first = [stand_in(np.ndarray) if way is None else way[0] for way in ways]
        self.session.functions[function] = None
        self.session.assume(lambda _: function(*first), found)
        self.frame.changed = True
        text = self.frame.constant(found, function.__name__ if is_object else "xp")
        return Instance(found, text, lambda _: found) if is_object else Known(found, text)

    def _may_be_changed(self, told: Answer) -> bool:
        """Say whether the program may write into the lists and dicts that tell an answer."""
        starts = self.session.starts or self.session.halved
        if starts is None:
            return True
        tables = set(map(id, told.containers))
        for item in reached_functions(starts, self.session.arguments.values()).functions:
            reads = any(id(value) in tables for value in values_of(item).values())
            if reads and item.__code__ not in told.codes and stores(item):
                return True
        return False

    def _may_choose(self, function: Any) -> bool:
        known = self.session.choosers
        if not isinstance(function, FunctionType):
            return False
        if function not in known:
            plain = self.session.is_user(function)
            known[function] = plain and may_choose(function, self.session.rebound)
        return known[function]

    def _may_be_asked(self, function: Any, given: Given, args: list[Value]) -> bool:
        """Say whether a function does the same whenever it is asked, and nothing else."""
        if function is tuple:
            return len(args) == 1 and isinstance(args[0], Instance)
        plain = uncached(function)
        vocabulary = self.session.vocabulary
        if not isinstance(plain, FunctionType) or vocabulary.rule_for(plain):
            return False
        if not_repeatable(plain, vocabulary) is not None or written_parameters(plain, vocabulary):
            return False
        if binds_outside(plain) or (given.tokens and not only_hands_on(plain)):
            return False
        return is_settled(plain, self.session.rebound)

    def _given_by(self, text: Any, answer: Root, first: Any, owners: list[Value]) -> Value | None:
        """Return the object or function that a text gives.

        None if it is another one each time, or may be another one by then.
        """
        starts = self.session.starts or self.session.halved
        if _tried(answer, self.session.arguments) != first or starts is None:
            return None
        given = self.session.arguments.values()
        kinds = [type(item.value) for item in owners if isinstance(item, Instance)]
        if not all(stays(kind, starts, given) for kind in kinds):
            return None
        if first[0] == "function":
            return Known(first[1])
        return Instance(first[1].value, text, lambda given: answer(given)[1].value)

    def _value_of(self, shape: Any, given: Given) -> Value | None:
        """Return the value of an answer: all that was given is evaluated, whatever is handed on."""
        for place, value in enumerate(given.values):
            simple = isinstance(value, Static) or all(isinstance(n, _SIMPLE) for n in walk(value))
            if not simple and not self.frame.hoistable:
                return None
            given.values[place] = value if simple else self.frame.keep("value", value, value)
        return _written(shape, given.values)


class Given:
    """What a function is given: what is known of it, and tokens for what only the run tells.

    Attributes:
        tokens: What stands for values of the run.
        values: Those values.
    """

    def __init__(self, *, takes_values: bool) -> None:
        self._takes_values = takes_values
        self.tokens: list[Any] = []
        self.values: list[Value] = []

    def ways(self, value: Value) -> list[Root] | None:
        """Return how to find what an argument may be; None if that may not be known."""
        if isinstance(value, Choice):
            ways = [self.ways(value.then), self.ways(value.other)]
            return None if None in ways else [way for item in ways for way in item or ()]
        if isinstance(value, gast.Constant) or (
            isinstance(value, Known) and isinstance(value.value, _CALLED)
        ):
            known = value.value
            return [lambda _: known]
        if isinstance(value, Instance) and value.leaves is None:
            return [value.root]
        if isinstance(value, Items) and value.is_own:
            return None  # a plain dict in its place has other methods
        if isinstance(value, (Items, gast.Tuple, gast.List)):
            return self._of_display(value)
        if not self._takes_values or isinstance(value, Static):
            return None
        token = Token()
        self.tokens.append(token)
        self.values.append(value)
        return [lambda _: token]

    def _of_display(self, value: Any) -> list[Root] | None:
        held = value.values if isinstance(value, Items) else value.elts
        keys = value.keys if isinstance(value, Items) else None
        parts = [part for item in held if (part := self.ways(item)) is not None and len(part) == 1]
        if len(parts) < len(held):
            return None
        if keys is not None:
            return [lambda given: {k: part[0](given) for k, part in zip(keys, parts, strict=True)}]
        made = value.kind if isinstance(value, Items) else type(value).__name__.lower()
        make = tuple if made == "tuple" else list
        return [lambda given: make(part[0](given) for part in parts)]

    def looked_at(self) -> bool:
        """Say whether a function has done more with a value than to hand it on."""
        return any(object.__getattribute__(token, "looked_at") for token in self.tokens)

    def shape(self, answer: Any) -> Any:
        """Return an answer as what can be compared; None if a part of it is nothing to be known."""
        for place, token in enumerate(self.tokens):
            if answer is token:
                return "given", place
        if answer is None or type(answer) in (bool, str, int):
            return "literal", type(answer), answer
        if isinstance(answer, (*_CALLED, ModuleType)) or _is_of_library(answer):
            return "function", answer
        if type(answer) not in (dict, tuple):
            return None
        keys = tuple(answer) if type(answer) is dict else None
        parts = tuple(map(self.shape, answer.values() if type(answer) is dict else answer))
        plain = None not in parts and len(parts) <= _MOST
        return ("items", keys, parts) if plain and all(type(k) is str for k in keys or ()) else None


def _asked(
    function: Any, names: list[str], way: tuple[Root, ...], arguments: Mapping[str, Any]
) -> Any:
    values = [read(arguments) for read in way]
    cut = len(values) - len(names)
    return function(*values[:cut], **dict(zip(names, values[cut:], strict=True)))


def _tried(answer: Root, arguments: Mapping[str, Any]) -> Any:
    try:
        return answer(arguments)
    except Exception:  # noqa: BLE001 - the run raises it, too, where it comes to the call
        return None


def _is_of_library(value: Any) -> bool:
    """Say whether a value is called and is none of the user's objects: ``np.sin``, ``np.zeros``."""
    return callable(value) and not isinstance(value, MethodType) and not is_plain_object(value)


def _written(shape: Any, values: list[Value]) -> Value:
    kind, *said = shape
    if kind == "given":
        return values[said[0]]
    if kind == "function":
        return Known(said[0])
    if kind == "literal":
        return gast.Constant(said[1], None)
    keys, parts = said
    made = [_written(part, values) for part in parts]
    return Items("tuple", made) if keys is None else Items("dict", made, list(keys))


class Same:
    """An object, which is equal to itself alone."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        """Say whether it is the same object."""
        return isinstance(other, Same) and other.value is self.value

    def __hash__(self) -> int:
        """Return a number that is the same for the same object."""
        return id(self.value)
