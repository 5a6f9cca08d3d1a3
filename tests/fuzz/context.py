"""Where a program is drawn: the function that is written now, its names, tables of choices."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.fuzz.kinds import (
    Array,
    Class,
    Dict,
    Function,
    Integer,
    Kind,
    List,
    Name,
    Object,
    Scope,
    Shape,
    Tuple,
)
from tests.fuzz.names import Names
from tests.fuzz.weights import WEIGHTS

Production = Callable[..., Any]
TABLES: dict[str, dict[str, Production]] = {}
NAMED = {"argument": "argument_", "module": "module_"}  # what the functions' names begin with


def production(table: str) -> Callable[[Production], Production]:
    """Add a function to a table of choices, under its own name."""

    def add(function: Production) -> Production:
        TABLES.setdefault(table, {})[function.__name__] = function
        return function

    return add


@dataclass
class Outer:
    """A name of a module: how other modules say it, and what it is."""

    module: str
    name: str
    kind: Kind


@dataclass
class ModuleDraft:
    """A module that is being written."""

    name: str
    imported: set[str] = field(default_factory=set)  # from NumPy, by their bare names
    taken: set[str] = field(default_factory=set)
    values: list[Outer] = field(default_factory=list)
    functions: list[Outer] = field(default_factory=list)
    classes: list[Class] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    reached: dict[str, str] = field(default_factory=dict)  # other modules by import line

    def reach(self, other: Outer, rng: random.Random) -> str:
        """Return how this module says a name of another, imported as is drawn."""
        if other.module == self.name:
            return other.name
        key = f"{other.module}.{other.name}"
        if key not in self.reached:
            whole = other.name in self.taken or rng.random() < 0.6
            whole = whole or not isinstance(other.kind, Function)
            if whole:
                self.reached[key] = f"from . import {other.module}"
            else:
                self.reached[key] = f"from .{other.module} import {other.name}"
                self.taken.add(other.name)
        whole = self.reached[key].startswith("from . ")
        return key if whole else other.name


@dataclass
class Context:
    """The function that is written now."""

    rng: random.Random
    module: ModuleDraft
    names: Names
    scope: Scope
    counts: Counter[str]
    others: list[ModuleDraft] = field(default_factory=list)
    depth: int = 0  # blocks around
    loops: int = 0  # loops around, in this function
    budget: list[int] = field(default_factory=lambda: [8])  # statements to write
    arguments_written: bool = True
    result: Kind | None = None  # what an early return has to give
    may_return: bool = True
    may_effect: bool = True  # whether outside state may be changed
    globals_used: set[str] = field(default_factory=set)
    frozen: set[str] = field(default_factory=set)  # names that must not be bound again
    nested: bool = False
    walrus: bool = True  # whether an expression may bind a name
    strict: bool = False  # whether what the caller has stays as it is
    table: str = "statement"  # what statements are drawn from

    # -- choices

    def chance(self, probability: float) -> bool:
        """Return True with a probability."""
        return self.rng.random() < probability

    def pick(self, items: Any) -> Any:
        """Return one of some items."""
        return self.rng.choice(list(items))

    def draw(self, table: str, *args: Any) -> Any:
        """Return what one production of a table gives, tried by weight until one suits."""
        weights = dict(WEIGHTS[table])
        while weights:
            name = self.rng.choices(list(weights), list(weights.values()))[0]
            found = TABLES[table][NAMED.get(table, "") + name](self, *args)
            if found is not None:
                self.counts[f"{table}.{name}"] += 1
                return found
            del weights[name]
        return None

    def inner(self, **changes: Any) -> Context:
        """Return the context of a block."""
        made = Context(**{**vars(self), "scope": self.scope.inner(), "depth": self.depth + 1})
        for key, value in changes.items():
            setattr(made, key, value)
        return made

    # -- names

    def bind(self, name: str, kind: Kind, writable: bool = True) -> str:
        """Note what a name is bound to from here on."""
        self.scope.names[name] = Name(kind, writable)
        return name

    def fresh(self, kind: Kind, writable: bool = True) -> str:
        """Bind a new name."""
        return self.bind(self.names.fresh(), kind, writable)

    def target(self, kind: Kind) -> str:
        """Return a name to bind: mostly a new one, else one of the same kind."""
        same = [n for n, v in self.scope.names.items() if v.kind == kind and n not in self.frozen]
        if same and self.chance(0.3):
            name = self.pick(same)
            return self.bind(name, kind)
        return self.fresh(kind)

    def named(self, kind: Kind, writable: bool = False) -> list[str]:
        """Return the names of one kind."""
        return [
            n
            for n, v in self.scope.names.items()
            if v.kind == kind and (v.writable or not writable)
        ]

    def arrays(
        self, dtype: str = "f", rank: int | None = None, writable: bool = False
    ) -> list[str]:
        """Return the names of arrays."""
        return [
            n
            for n, v in self.scope.names.items()
            if isinstance(v.kind, Array)
            and v.kind.dtype == dtype
            and (rank is None or len(v.kind.shape) == rank)
            and (v.writable or not writable)
        ]

    def kind(self, name: str) -> Any:
        """Return what a name is bound to."""
        return self.scope.names[name].kind

    def of_type(self, type_: type, writable: bool = False) -> list[str]:
        """Return the names of a type of kinds."""
        return [
            n
            for n, v in self.scope.names.items()
            if isinstance(v.kind, type_) and (v.writable or not writable)
        ]

    # -- how things are said

    def np(self, function: str) -> str:
        """Say a function of NumPy."""
        bare = function in self.module.imported and not self.hidden(function)
        return function if bare else f"np.{function}"

    def hidden(self, name: str) -> bool:
        """Say whether a name is a variable of this function."""
        return self.names.hides(name)

    def builtin(self, name: str) -> str | None:
        """Say a function of Python, if no name hides it."""
        known = name in self.module.imported or self.hidden(name)
        return None if known else name

    def length(self, length: str) -> str | None:
        """Say a length in the names of the scope."""
        if length.isdigit():
            return length
        named = [n for n, v in self.scope.names.items() if v.kind == Integer(length)]
        if named and self.chance(0.7):
            return self.pick(named)
        for name in self.rng.sample(list(self.scope.names), len(self.scope.names)):
            kind = self.kind(name)
            if isinstance(kind, Array) and length in kind.shape:
                axis = kind.shape.index(length)
                if axis == 0 and self.builtin("len") and self.chance(0.5):
                    return f"len({name})"
                return f"{name}.shape[{axis}]"
        if named:
            return self.pick(named)
        for sign, word in (("-", " - "), ("/", " // ")):
            base, found, rest = length.rpartition(sign)
            if found and (said := self.length(base)):
                return f"{said}{word}{rest}"
        return None

    def shape(self, shape: Shape) -> str | None:
        """Say a shape."""
        parts = [self.length(item) for item in shape]
        if None in parts:
            return None
        same = list(self.named(Array(shape)))
        if same and self.chance(0.3):
            return f"{self.pick(same)}.shape"
        if len(parts) == 1 and self.chance(0.7):
            return str(parts[0])
        return f"({', '.join(map(str, parts))}{',' if len(parts) == 1 else ''})"

    # -- places in containers

    def held(self, writable: bool = False) -> Iterator[tuple[str, Kind]]:
        """Yield expressions of what containers hold, with its kind."""
        for name, entry in self.scope.names.items():
            if entry.writable or not writable:
                yield from self._held(name, entry.kind, 2)

    def own(self, text: str) -> str:
        """Return a value that may be written: a copy, where it may be the caller's memory."""
        if not self.strict or self.chance(0.04) or is_fresh(text):
            return text
        return f"{text} * 1.0" if " " not in text or text.startswith("(") else f"({text}) * 1.0"

    def _held(self, text: str, kind: Kind, depth: int) -> Iterator[tuple[str, Kind]]:
        parts: list[tuple[str, Kind]] = []
        if isinstance(kind, List):
            places = [*range(kind.least), -1] if kind.least else []
            parts = [(f"{text}[{i}]", kind.element) for i in places]
        elif isinstance(kind, Tuple):
            parts = [(f"{text}[{i}]", item) for i, item in enumerate(kind.elements)]
        elif isinstance(kind, Dict):
            parts = [(f"{text}[{key!r}]", kind.element) for key in kind.keys]
        elif isinstance(kind, Object):
            parts = [(f"{text}.{key}", item) for key, item in kind.cls.fields]
        for part, inner in parts:
            yield part, inner
            if depth > 1:
                yield from self._held(part, inner, depth - 1)

    def held_of(self, kind: Kind) -> list[str]:
        """Return expressions of entries and fields of one kind."""
        return [text for text, found in self.held() if found == kind]

    def functions(self) -> list[tuple[str, Function]]:
        """Return the functions that may be called here, as they are said."""
        found = [(n, v.kind) for n, v in self.scope.names.items() if isinstance(v.kind, Function)]
        for draft in (self.module, *self.others):
            for item in draft.functions:
                if self.hidden(item.name) or self.hidden(draft.name):
                    continue
                found.append((f"@{draft.name}.{item.name}", item.kind))
        return found

    def say(self, text: str) -> str:
        """Return how a function is said, if it is another module's."""
        if not text.startswith("@"):
            return text
        module, _, name = text[1:].partition(".")
        for draft in (self.module, *self.others):
            if draft.name == module:
                for item in draft.functions:
                    if item.name == name:
                        return self.module.reach(item, self.rng)
        raise KeyError(text)

    def outer_values(self, type_: type) -> list[tuple[str, Outer]]:
        """Return values of modules that this function may read, as they are said."""
        found = []
        for draft in (self.module, *self.others):
            for item in draft.values:
                if isinstance(item.kind, type_) and not self.hidden(item.name):
                    if draft is not self.module and self.hidden(draft.name):
                        continue
                    found.append(item)
        return [(self.module.reach(item, self.rng), item) for item in found]


_MAY_GIVE_THE_SAME = (
    "np.asarray(", "np.ravel(", "np.transpose(", "np.real(", "np.atleast_1d(", "np.flip(", "np.split",
    "np.ascontiguousarray(", "np.imag(",
)  # fmt: skip


def is_fresh(text: str) -> bool:
    """Say whether an expression surely makes an array of its own.

    >>> is_fresh("x[1:]"), is_fresh("np.sin(x)"), is_fresh("0.5 * x"), is_fresh("np.asarray(x)")
    (False, True, True, False)
    """
    if text.startswith("(") or ":=" in text or " if " in text:
        return False
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0 and letter == " " and text[place + 1] in "+-*/@":
            return True
    return text.startswith(("np.", "-")) and not text.startswith(_MAY_GIVE_THE_SAME)
