"""Defines what may be known of a value beforehand: functions, objects, displays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import CellType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from srcgrad.frontend.expand.presence import Questions
from srcgrad.frontend.expand.record_classes import classes_of
from srcgrad.frontend.expand.scoping import Names
from srcgrad.frontend.source import FunctionSource, Leaves, Path
from srcgrad.ir import gast
from srcgrad.ir.build import clone
from srcgrad.ir.walk import found_in
from srcgrad.runtime.objects import is_member, is_plain_object


@dataclass(slots=True)
class Home:
    """Where the free names of a function are looked up: its cells, then its globals."""

    globals: dict[str, Any]
    cells: dict[str, CellType]

    @classmethod
    def of(cls, function: FunctionType) -> Home:
        """Return the home of a function."""
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        return cls(function.__globals__, cells)


@dataclass(slots=True)
class Code:
    """A function definition with the place where it stands.

    Attributes:
        tree: The definition; a lambda is written as one.
        owner: The class that a method was defined in, for `super()`.
        repeated: Whether its calls are run again in the backward pass.
    """

    tree: Any
    home: Home
    source: FunctionSource
    owner: type | None = None
    repeated: bool = False
    _names: Names | None = field(default=None, init=False, repr=False, compare=False)
    _asked: Questions | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def names(self) -> Names:
        """The names in the definition, which nobody rewrites: found once for all expansions."""
        if self._names is None:
            self._names = Names.of(self.tree)
        return self._names

    @property
    def asked(self) -> Questions:
        """Of what the definition asks whether it is None."""
        if self._asked is None:
            self._asked = Questions.of(self.tree)
        return self._asked


Root = Callable[[Mapping[str, Any]], Any]
"""From the arguments of the entry to an object that can be reached from them or from outside."""


class Static:
    """A value that is known when the function is compiled; what else is there is an expression."""

    __slots__ = ()


Value = Any
"""A `Static`, or the expression of a value that only the run tells."""


@dataclass(slots=True)
class Known(Static):
    """An object outside the function: a function, a class, a module."""

    value: Any
    expression: Any = None


@dataclass(slots=True)
class Local(Static):
    """A function defined in the function.

    `captured` says what its free names mean: variables are read at the call, as Python reads them.
    """

    code: Code
    captured: Mapping[str, Value]
    defaults: dict[str, Value] = field(default_factory=dict)


@dataclass(slots=True)
class Partial(Static):
    """A function with its first or some named arguments.

    `expression` is the variable that holds it, if it is an object of the run.
    """

    function: Static
    args: list[Value]
    keywords: dict[str, Value]
    expression: Any = None


@dataclass(slots=True)
class Frozen(Static):
    """A distribution of SciPy with its parameters, ``stats.norm(m, s)``, or a method of that.

    `expression` makes it anew, or names it.
    """

    law: Known
    args: list[Value]
    keywords: dict[str, Value]
    expression: Any
    method: str = ""


@dataclass(slots=True)
class Method(Static):
    """A function with the object that it is bound to."""

    function: Static
    owner: Value


@dataclass(slots=True)
class Derivative(Static):
    """A derivative of a function: what `grad` and its like return; see `operators.Taken`."""

    kind: Any
    function: Value
    argnums: Any = None
    argnames: Any = None
    aux: bool = False


@dataclass(slots=True)
class Pulling(Static):
    """The function that `vjp` returns: a backward half with what the forward half kept.

    Attributes:
        backward: The half.
        saved: The variable of what was kept.
        places: The arguments that the half returns adjoints of.
        count: How many arguments there are.
        depth: How many branches and loops are around it.
        spent: Whether it may not run once more, if the half uses up what was kept.
    """

    backward: Known
    saved: Any
    places: list[int]
    count: int
    depth: int = 0
    spent: bool = False


@dataclass(slots=True)
class Items(Static):
    """A tuple, list or dict with functions or objects in it; `keys` are those of a dict.

    It is `lent` if a caller made it, who would not see it being changed. One from outside has an
    `expression`, which stands for all of it if its `origin` is an object of a class of the user's,
    which may have methods. One whose entries are written is `held`: the dict or list that it is.
    """

    kind: str
    values: list[Value]
    keys: list[Any] | None = None
    lent: bool = False
    expression: Any = None
    origin: Instance | None = None
    held: Instance | None = None

    @property
    def is_own(self) -> bool:
        """Whether it is of a class of the user's."""
        return self.origin is not None

    def as_written(self) -> Any | None:
        """Return the display of a list that is new and holds no functions or objects; else None.

        An empty one may come to hold some.
        """
        made = self.kind == "list" and self.expression is None and not self.lent
        if not made or not self.values or any(isinstance(item, Static) for item in self.values):
            return None
        return gast.List([clone(item) for item in self.values], gast.Load())

    def get(self, key: Any) -> Value | None:
        """Return the value at a position or key, or None."""
        if self.keys is not None:
            return self.values[self.keys.index(key)] if key in self.keys else None
        if type(key) is int and -len(self.values) <= key < len(self.values):
            return self.values[key]
        return None


def display_class(value: Value) -> type | None:
    """Return the class of a tuple, list or dict that is displayed, without calls; None of others.

    >>> display_class(gast.parse("i, j").body[0].value), display_class(gast.parse("i").body[0])
    (<class 'tuple'>, None)
    """
    if isinstance(value, Items):
        own = value.is_own or value.expression is not None
        return None if own else {"tuple": tuple, "list": list, "dict": dict}.get(value.kind)
    made = _DISPLAYS.get(type(value))
    return None if made is None or found_in(value, gast.Call) else made


def joined_items(first: Value, second: Value) -> Items | None:
    """Return the sum of two lists, or tuples, one of which has functions or objects; else None."""
    parts = [_listed(item) for item in (first, second)]
    static = isinstance(first, Items) or isinstance(second, Items)
    if not static or parts[0] is None or parts[1] is None or parts[0][0] != parts[1][0]:
        return None
    return Items(parts[0][0], [*parts[0][1], *parts[1][1]])


def _listed(value: Value) -> tuple[str, list[Value]] | None:
    """Return the kind and the entries of a list or tuple that is known."""
    if isinstance(value, Items):
        plain = value.keys is None and value.held is None and not value.is_own
        return (value.kind, list(value.values)) if plain else None
    shown = isinstance(value, (gast.List, gast.Tuple))
    if not shown or any(isinstance(item, gast.Starred) for item in value.elts):
        return None
    return type(value).__name__.lower(), list(value.elts)


@dataclass(slots=True)
class Object(Static):
    """An object made by the function: one variable for each field.

    Attributes:
        cls: Its class.
        name: What its variables begin with.
        fields: Where the fields are; filled by the constructor.
        lent: Whether it was made by a caller, who would not see a field being written.
        origin: The object that it stands for, if that was there before.
    """

    cls: type
    name: str
    fields: dict[str, Value] = field(default_factory=dict)
    lent: bool = False
    origin: Any = None


@dataclass(slots=True)
class Instance(Static):
    """An object that is there before the function is called, of a class that is known.

    Attributes:
        value: The object, as it was when the function was compiled.
        expression: How the function reaches it.
        root: How to find it again, given the arguments of a call.
        leaves: For an object that is differentiated: the variables of its fields, by their paths.
        path: What leads from the argument to it.
        lent: Whether the function is called by another that is differentiated, by which it is
            handed on: what it writes into the object is then written there.
    """

    value: Any
    expression: Any
    root: Root
    leaves: Leaves | None = None
    path: Path = ()
    lent: bool = False


@dataclass(slots=True)
class Recorded(Static):
    """An object that the run keeps as a dict of its fields, or a list or dict of such objects.

    Attributes:
        kind: The class of the object, or the `Holder` that says what lies in the list or dict.
        expression: How the function reaches it.
    """

    kind: Any
    expression: Any


@dataclass(slots=True)
class RecordMethod(Static):
    """A method of a list or dict that holds objects."""

    owner: Recorded
    name: str


@dataclass(slots=True)
class Choice(Static):
    """One of two functions; a test that the run evaluates says which."""

    test: Any
    then: Value
    other: Value


@dataclass(slots=True)
class Identity(Static):
    """A decorator that leaves a function as it is, such as what `functools.wraps(f)` returns.

    Attributes:
        caches: Whether it keeps what the function returns.
    """

    caches: bool = False


def copied(value: Value) -> Value:
    """Return a value that may be written into the text twice."""
    return value if isinstance(value, Static) else clone(value)


def written_value(value: Value) -> Any:
    """Return the value of a literal, and anything else as it is."""
    return value.value if isinstance(value, gast.Constant) else value


def is_literal(value: Value) -> bool:
    """Say whether a value is a literal that a test may depend on: None, a bool or a text."""
    return isinstance(value, gast.Constant) and (
        value.value is None or type(value.value) in (bool, str)
    )


def is_negative(value: Value) -> bool:
    """Say whether a value is a negative number as it is written: a literal after a sign."""
    negated = isinstance(value, gast.UnaryOp) and isinstance(value.op, gast.USub)
    return negated and type(getattr(value.operand, "value", None)) in (int, float)


def is_whole(value: Value) -> bool:
    """Say whether a value is a whole number that is written out."""
    return isinstance(value, gast.Constant) and type(value.value) is int


def is_dtype(value: Value) -> bool:
    """Say whether a value is a type of numbers, as NumPy takes it for a dtype."""
    kind = value.value if isinstance(value, Known) else None
    return isinstance(kind, type) and issubclass(kind, (np.generic, int, float, complex))


def literals_in(value: Value) -> list[Any] | None:
    """Return the keys of a dict, or the items of a display of literals, if all are known."""
    if isinstance(value, Items):
        return value.keys
    if isinstance(value, (gast.Tuple, gast.List, gast.Set)) and all(map(is_literal, value.elts)):
        return [item.value for item in value.elts]
    return None


def is_text(value: Value) -> bool:
    """Say whether a value is a text that is known."""
    return isinstance(value, gast.Constant) and isinstance(value.value, str)


def is_literal_tuple(value: Value) -> bool:
    """Say whether a value is a tuple of literals, which nobody changes."""
    return isinstance(value, gast.Tuple) and literals_in(value) is not None


def is_named(value: Any) -> bool:
    """Say whether a name means a value before the run: a function, a module, a member of a class.

    >>> is_named(np), is_named(np.sin), is_named(3.0)
    (True, True, False)
    """
    if isinstance(value, ModuleType) or is_member(value):
        return True
    return is_callee(value) and not is_plain_object(value)


def is_callee(value: Any) -> bool:
    """Say whether a value is there to be called: not a text, number or container of such a class.

    Those have a truth of their own, and are equal to others.

    >>> class Word(str):
    ...     __call__ = str.format
    >>> is_callee(np.sin), is_callee(Word()), is_callee("")
    (True, False, False)
    """
    return callable(value) and not isinstance(value, _DATA)


class Lost(Static):
    """A function or object that is another one on another path: it cannot be used."""

    __slots__ = ()


@dataclass(slots=True)
class Super(Static):
    """What `super()` means in a method of `owner` that was called for `receiver`."""

    owner: type
    receiver: Value


class DictMethod(Static):
    """A method of a dict of options."""

    __slots__ = ("name", "owner")

    def __init__(self, owner: Items, name: str) -> None:
        self.owner = owner
        self.name = name


class Lazy(Static):
    """A default that is no literal; it gets a name if the call uses it."""

    __slots__ = ("value", "wish")

    def __init__(self, wish: str, value: Any) -> None:
        self.wish = wish
        self.value = value


def has_plain_keys(value: Any) -> bool:
    """Say whether a list, tuple or dict from outside can be spelled entry by entry."""
    return not isinstance(value, dict) or all(type(key) in (str, int, bool) for key in value)


_DATA: Final = (str, bytes, int, float, complex, list, tuple, dict, set, frozenset)
_DISPLAYS: Final = {gast.Tuple: tuple, gast.List: list, gast.Dict: dict}
_READING: Final = (
    *("__getitem__", "__missing__", "__iter__", "__len__", "__contains__", "__bool__", "__eq__"),
    *("keys", "values", "items", "get"),
)


def reads_otherwise(kind: type) -> bool:
    """Say whether a class of lists, tuples or dicts has methods of its own to read what is there.

    >>> class Table(dict):
    ...     def __getitem__(self, name):
    ...         return super().__getitem__(name.lower())
    >>> reads_otherwise(Table), reads_otherwise(dict)
    (True, False)
    """
    methods = (vars(base).get(name) for base in kind.__mro__ for name in _READING)
    return any(isinstance(method, FunctionType) for method in methods)


def places_for(target: Any, values: list[Value]) -> list[slice] | None:
    """Return where the values of several targets lie in a list; None if they do not fit it.

    >>> target = gast.parse("a, *b, c = v").body[0].targets[0]
    >>> places_for(target, [1, 2, 3, 4])
    [slice(0, 1, None), slice(1, 3, None), slice(3, 4, None)]
    >>> places_for(target, [1])
    """
    stars = [isinstance(item, gast.Starred) for item in target.elts]
    more = len(values) - len(stars) + sum(stars)
    if any(isinstance(item, gast.Starred) for item in values) or sum(stars) > 1:
        return None
    if more < 0 or (more and not any(stars)):
        return None
    places, start = [], 0
    for starred in stars:
        places.append(slice(start, start + (more if starred else 1)))
        start = places[-1].stop
    return places


def class_of(value: Any) -> type:
    """Return the class of an object."""
    if isinstance(value, Recorded):
        return next(iter(classes_of(value.kind)), object)
    return value.cls if isinstance(value, Object) else type(value.value)
