"""Holds what one compilation remembers across functions: what was made, and what was relied on."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import CellType, FunctionType
from typing import Any, Final

from srcgrad.frontend.expand.anew import is_read_anew, reader_of
from srcgrad.frontend.expand.assumptions import Assumption
from srcgrad.frontend.expand.holding import Holding, may_bind_fields
from srcgrad.frontend.expand.nonlocal_cells import with_cells
from srcgrad.frontend.expand.record_kinds import RecordKinds
from srcgrad.frontend.expand.scoping import free_names
from srcgrad.frontend.expand.values import Code, Home, Local, Root
from srcgrad.frontend.long_loops import is_repeated
from srcgrad.frontend.remembered import source_to_read
from srcgrad.frontend.source import FunctionSource, find_generator, has_source
from srcgrad.ir.packages import package_of
from srcgrad.ir.program import Program
from srcgrad.ir.reach import values_of
from srcgrad.ir.scopes import Binding
from srcgrad.ir.vocabulary import Vocabulary

WRITTEN_OUT: Final = "__srcgrad_written_out__"
"""Marks functions that stand for others of a library, and are read from their source."""
_MOST_CALLED: Final = 300
_MOST_NUMBERED: Final = 4
"""How many functions are made of a definition where only a whole number tells them apart."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A function whose statements were put in the place of its call, and where that was."""

    callee: str
    file: str
    line: int


@dataclass(slots=True)
class Session:
    """One compilation.

    Attributes:
        used: The names from outside that were looked up.
        assumptions: What else the text relies on.
        functions: The user's functions whose definitions were put to use.
        made: The derived functions, by what they were made of, with the arguments that they take.
        kept: What must not be freed, since its identity is a key.
        answers: The literals that those give which do nothing else.
        recursive: The cells of derived functions that were called while they were made.
        expand: From a function to the one without function values and objects.
        promised: Where the expanded forms of recursive functions will be.
        factories: The functions that return functions or objects, which are put in place.
        placed: The functions that were put in place.
        keep_complex: Whether complex numbers may appear.
        list_makers: For each generator, by the number of its definition and how its values are
            taken: the function that returns the list of these, or None, and the definition.
        rebound: The variables outside that the program binds anew while it runs.
        arguments: What is known of the arguments of the call that the program is made for.
        settled: Whether texts and bools outside are taken for what they are now, as flags are.
        starts: The function that the program begins with.
        halved: The function whose two halves the program is, for any arguments.
        told: Of fields of objects outside, whether they are only told values.
        keepers: Of functions, whether they only keep what they are told.
        places: What keeps values: functions, and fields of objects by their names.
        deep: Whether what such fields hold is written into further inside, too.
        alone: Of nested functions, by the numbers of their definitions, whether they write outside.
        holding: The objects outside whose fields are written.
        movers: Where calls stand that change something, as it turned out, after other parts of
            their statements, which get names before that.
        unplain: The variables of which nothing is relied on, since they may come to hold objects.
        changing: The fields of objects, with their classes, that are bound anew on some paths.
        growing: Those that hold lists of functions, which begin empty.
        choosers: Of functions, whether they may choose an object by what they are given.
        chosen: What such functions give for the kinds of their arguments, if that is known.
        nested: For each derivative that the program takes: whether it is still current.
        local_classes: The classes that functions define, by where, with what they were made from.
        tables: The names of outside that mean tables of numbers, of which it is taken for granted.
        records: Which variables and fields hold objects that the run keeps as dicts.
    """

    vocabulary: Vocabulary
    used: list[Binding] = field(default_factory=list)
    assumptions: dict[Any, Assumption] = field(default_factory=dict)
    functions: dict[FunctionType, None] = field(default_factory=dict)
    made: dict[Any, tuple[CellType, list[int]]] = field(default_factory=dict)
    answers: dict[Any, Any] = field(default_factory=dict)
    kept: list[Any] = field(default_factory=list)
    recursive: set[int] = field(default_factory=set)
    expand: Callable[[FunctionType], FunctionType] = lambda function: function
    promised: dict[FunctionType, CellType] = field(default_factory=dict)
    factories: set[FunctionType] = field(default_factory=set)
    placed: list[Placed] = field(default_factory=list)
    keep_complex: bool = False
    rebound: frozenset[Any] = frozenset()
    arguments: Mapping[str, Any] = field(default_factory=dict)
    settled: bool = False
    list_makers: dict[tuple[int, str], tuple[Any, Any]] = field(default_factory=dict)
    starts: Any = None
    halved: Any = None
    told: dict[Any, bool] = field(default_factory=dict)
    keepers: dict[FunctionType, bool] = field(default_factory=dict)
    places: list[tuple[Any, str]] = field(default_factory=list)
    deep: bool = False
    alone: dict[int, bool] = field(default_factory=dict)
    holding: Holding = field(default_factory=Holding)
    movers: set[Any] = field(default_factory=set)
    unplain: set[str] = field(default_factory=set)
    changing: set[tuple[type, str]] = field(default_factory=set)
    growing: set[tuple[type, str]] = field(default_factory=set)
    choosers: dict[FunctionType, bool] = field(default_factory=dict)
    chosen: dict[Any, Any] = field(default_factory=dict)
    nested: list[Callable[[], bool]] = field(default_factory=list)
    local_classes: dict[Any, tuple[type, Any]] = field(default_factory=dict)
    tables: dict[tuple[int, str], Binding] = field(default_factory=dict)
    records: RecordKinds = field(default_factory=RecordKinds)
    _binds: bool | None = None
    _codes: dict[FunctionType, Code] = field(default_factory=dict)
    _recurring: dict[FunctionType, bool] = field(default_factory=dict)
    _variants: dict[Any, tuple[Any, Code]] = field(default_factory=dict)
    _cells: dict[int, CellType] = field(default_factory=dict)
    _readers: dict[Any, FunctionType] = field(default_factory=dict)

    def lengths(self) -> tuple[int, ...]:
        """Return how much has been noted so far of what was put in place."""
        return tuple(len(noted) for noted in self._noted())

    def cut(self, lengths: tuple[int, ...]) -> None:
        """Forget what was noted since then."""
        for noted, length in zip(self._noted(), lengths, strict=True):
            del noted[length:]

    def forget_made(self, count: int) -> None:
        """Forget the functions that were made, but for the first: more is known of objects now."""
        for key in list(self.made)[count:]:
            del self.made[key]
            self.answers.pop(key, None)

    def _noted(self) -> tuple[list[Any], ...]:
        return self.placed, self.places

    @property
    def binds_fields(self) -> bool:
        """Whether some function of the program may bind fields of objects that it has not made."""
        if self._binds is None:
            given = self.arguments.values()
            self._binds = self.starts is None or may_bind_fields(self.starts, given)
        return self._binds

    def knows_written(self, function: FunctionType) -> bool:
        """Say whether a function may know names outside into whose arrays the program writes."""
        return bool(self.holding.objects) and self.holding.is_known_to(function)

    def use(self, binding: Binding) -> None:
        """Note that a name from outside was looked up."""
        self.used.append(binding)

    def note_tables(self, program: Program) -> None:
        """Note the tables of outside which a program takes for such."""
        for text in program.tables:
            binding = program.reader.scope.used[text.partition("[")[0]]
            self.tables[id(binding.holder), binding.name] = binding

    def assume(self, read: Root, expected: Any) -> None:
        """Note that the text relies on something, once."""
        plain = isinstance(expected, (bool, int, str, tuple))
        key = read, type(expected), expected if plain else id(expected)
        self.assumptions.setdefault(key, Assumption(read, expected))

    def reader(self, current: Callable[[], Any]) -> Root:
        """Return the root of what a name means."""
        return lambda _: current()

    def may_recur(self, code: Code, captured: Any) -> bool:
        """Say whether a definition may call itself, or has been made for several numbers already.

        A whole number that it is given may then say how often it does.
        """
        others = sum(key[0] == id(code.tree) for key in self.made)
        if others >= _MOST_NUMBERED or self.pending(code):
            return True
        found = (captured.get(name) for name in free_names(code.tree))
        return any(isinstance(item, Local) for item in found) or self.recurs(code.source.function)

    def pending(self, code: Code) -> int:
        """Return how many functions are being made of a definition."""
        made = self.made.items()
        return sum(key[0] == id(code.tree) and is_empty(cell) for key, (cell, _) in made)

    def recurs(self, function: FunctionType) -> bool:
        """Say whether a function may call itself, as far as the names in functions tell."""
        if function not in self._recurring:
            seen: set[FunctionType] = set()
            waiting = [function]
            while waiting and function not in seen and len(seen) < _MOST_CALLED:
                called = values_of(waiting.pop()).values()
                new = {v for v in called if isinstance(v, FunctionType) and self.is_user(v)} - seen
                seen |= new
                waiting += new
            self._recurring[function] = bool(waiting) or function in seen
        return self._recurring[function]

    def is_user(self, function: Any) -> bool:
        """Say whether a function is one that is differentiated from its source."""
        if not isinstance(function, FunctionType) or hasattr(function, "__srcgrad_source__"):
            return isinstance(function, FunctionType)
        if hasattr(function, WRITTEN_OUT):
            return True
        vocabulary = self.vocabulary
        if vocabulary.rule_for(function) or vocabulary.constant_reason(function) is not None:
            return False
        library = ("numpy", "scipy", "srcgrad")
        if inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
            return False
        return package_of(function) not in library and has_source(function)

    def code(self, function: FunctionType) -> Code:
        """Return the definition of a function; the same one at each call."""
        if function not in self._codes:
            yields = inspect.isgeneratorfunction(function)
            source = find_generator(function) if yields else source_to_read(function)
            home = Home.of(function)
            owner = home.cells.get("__class__")
            self._codes[function] = Code(
                with_cells(source.tree),
                home,
                source,
                owner.cell_contents if owner is not None else None,
                is_repeated(function),
            )
            self.functions[function] = None
        return self._codes[function]

    def variant(self, code: Code, kind: Any, make: Callable[[], Code]) -> Code:
        """Return a definition that is made of another; always the same."""
        key = id(code.tree), kind
        if key not in self._variants:
            self._variants[key] = code.tree, make()
        return self._variants[key][1]

    def cell_of(self, value: Any) -> CellType:
        """Return the one cell of an object."""
        if id(value) not in self._cells:
            self.kept.append(value)
            self._cells[id(value)] = CellType(value)
        return self._cells[id(value)]

    def reading(self, binding: Binding, source: FunctionSource) -> FunctionType | None:
        """Return what reads a name of a module that the program binds anew; else None."""
        if not self.rebound or not is_read_anew(binding, self.rebound):
            return None
        key = id(binding.holder), binding.name
        if key not in self._readers:
            space: Any = binding.holder
            self._readers[key] = reader_of(binding.name, space, source)
        return self._readers[key]


def is_empty(cell: CellType) -> bool:
    """Say whether a cell holds nothing yet."""
    try:
        return cell.cell_contents is None
    except ValueError:
        return True
