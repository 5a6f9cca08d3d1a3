"""Finds the axes of what calls return, by following the functions that are called."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, Final

from srcgrad.analyses.dimensions import Dimensions
from srcgrad.analyses.integers import Integers
from srcgrad.analyses.knowledge import Follow, Knowledge, Operands, Result
from srcgrad.analyses.lengths import Lengths, Seen, outside
from srcgrad.analyses.outside_tables import outside_tables
from srcgrad.analyses.shapes import Shapes
from srcgrad.analyses.spelled_lengths import Length, Vector
from srcgrad.compiler.calls import Call
from srcgrad.compiler.normal_form import Manner, normal_form, parameter_names
from srcgrad.compiler.parameters import renamed_root
from srcgrad.compiler.reserved import own_names
from srcgrad.compiler.stages import Stages
from srcgrad.compiler.vocabulary import VOCABULARY
from srcgrad.errors import UnsupportedError
from srcgrad.frontend.expand.entry import Expander
from srcgrad.frontend.expand.scoping import without_collisions
from srcgrad.frontend.source import FunctionSource, find_source
from srcgrad.ir.build import load
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program
from srcgrad.ir.walk import statements
from srcgrad.runtime.objects import held_attribute, hides_class
from srcgrad.transforms.externals import Externals

_MOST_STATEMENTS: Final = 10_000
"""Of all functions that are followed, again and again; what is called beyond that is not known."""
_FACTS = {0: "number", 1: "vector", 2: "matrix"}


@dataclass(frozen=True, slots=True)
class _Arguments:
    """What a function is taken to be called with."""

    axes: tuple[Vector | None, ...]
    integers: tuple[bool, ...]
    numbers: tuple[str, ...]  # what leads from lists to the numbers in them

    def include(self, other: _Arguments) -> bool:
        """Say whether what holds for these arguments holds for others."""
        axes = zip(self.axes, other.axes, strict=True)
        integers = zip(self.integers, other.integers, strict=True)
        numbers = zip(self.numbers, other.numbers, strict=True)
        return (
            all(our is None or our == their for our, their in axes)
            and all(their or not our for our, their in integers)
            and all(our in ("", their) for our, their in numbers)
        )


@dataclass(slots=True)
class Following:
    """Follows the calls in one function.

    `programs` are functions in normal form, as far as they were followed before. `within` are the
    functions that led there, each with the axes of its arguments and those that are integers. A
    function that calls itself with arguments of the same axes is taken to return a
    number, until it is seen to return something else: what holds for the innermost call, and for
    each call if it holds for the calls in it, holds for all.
    """

    caller: FunctionSource
    expander: Expander
    externals: Externals
    manner: Manner
    programs: dict[FunctionType, Program | None] = field(default_factory=dict)
    within: Mapping[FunctionType, _Arguments] = field(default_factory=dict)
    supposed: set[FunctionType] = field(default_factory=set)
    doubted: set[FunctionType] = field(default_factory=set)
    _known: dict[Any, tuple[Lengths, tuple[Result, ...]]] = field(default_factory=dict)
    _met: list[FunctionType] = field(default_factory=list)
    _spent: list[int] = field(default_factory=lambda: [0])

    def results(
        self, statement: Any, operation: Operation, operands: Operands, lengths: Lengths
    ) -> tuple[Result, ...]:
        """Return the axes of the results of a call; nothing if they cannot be told."""
        try:
            callee = find_source(self.expander.expand(operation.primal))
            passed = Call(self.caller, statement, callee, operation).operands(self.externals)
        except UnsupportedError:
            return ()
        axes = tuple(outside(operands.of(item)) for item in passed)
        lists = tuple(map(operands.numbers_in, passed))
        arguments = _Arguments(axes, tuple(map(operands.is_integer, passed)), lists)
        function = callee.function
        if function in self.within:
            self._met.append(function)
            alike = self.within[function].include(arguments)
            if not alike or function in self.doubted:
                return ()
            self.supposed.add(function)
            return self._supposed(callee, axes)
        key = function, arguments, id(lengths)
        if key in self._known:  # what it took for granted of lengths is so already
            return self._known[key][1]
        met = len(self._met)
        found = self._found(callee, arguments, lengths)
        if len(self._met) == met:  # else it leans on what is supposed of the functions around
            self._known[key] = lengths, found
        return found

    def _found(
        self, callee: FunctionSource, arguments: _Arguments, lengths: Lengths
    ) -> tuple[Result, ...]:
        """Return what a function returns; once more if it was supposed to return something else."""
        function, axes = callee.function, arguments.axes
        self.supposed.discard(function)
        found = self._followed(callee, arguments, lengths)
        if found != self._supposed(callee, axes) and function in self.supposed:
            self.doubted.add(function)
            found = self._followed(callee, arguments, lengths)
            self.doubted.discard(function)
        return found

    def _supposed(
        self, callee: FunctionSource, axes: tuple[Vector | None, ...]
    ) -> tuple[Result, ...]:
        """Return the axes of numbers, and of states those that they have when they are given."""
        program = self._program(callee)
        if program is None:
            return ((),)
        names = VOCABULARY.states_returned(callee.function)
        given = dict(zip(program.parameters, axes, strict=False))
        states = [given.get(name) for name in names]
        return (*[() for _ in program.outputs[len(states) :]], *states)

    def _followed(
        self, callee: FunctionSource, arguments: _Arguments, lengths: Lengths
    ) -> tuple[Result, ...]:
        """Return the axes of the results of a function."""
        program = self._program(callee)
        if program is None or self._spent[0] > _MOST_STATEMENTS:
            return ()
        self._spent[0] += sum(1 for _ in statements(program.body))
        program.forget()  # what was found for other arguments
        names = program.parameters[: len(arguments.axes)]
        given = dict(zip(names, arguments.axes, strict=True))
        program.given = {
            name: _FACTS[len(v)] for name, v in given.items() if v is not None and len(v) in _FACTS
        }
        pairs = zip(names, arguments.integers, strict=True)
        program.given.update({name: "int" for name, is_integer in pairs if is_integer})
        lists = zip(names, arguments.numbers, strict=True)
        program.given.update({name + ends: "number" for name, ends in lists if ends})
        integers = Integers(program)
        inner = Following(
            callee,
            self.expander,
            self.externals,
            self.manner,
            self.programs,
            {**self.within, callee.function: arguments},
            self.supposed,
            self.doubted,
            self._known,
            self._met,
            self._spent,
        )
        knowledge = Knowledge(given=given, lengths=lengths, follow=inner.results)
        shapes = Shapes(program, integers)
        found = Dimensions(program, integers, shapes, assume=False, knowledge=knowledge)
        outputs = [load(name) for name in program.outputs]
        vectors = tuple(outside(found.of(output)) for output in outputs)
        if vectors == (None,) and not program.returns_tuple:
            listed = found.numbers_in(outputs[0])
            return (listed,) if listed else vectors
        return vectors if program.returns_tuple or len(vectors) == 1 else ()

    def _program(self, callee: FunctionSource) -> Program | None:
        function = callee.function
        if function not in self.programs:
            try:
                self.programs[function] = self._normal(callee)
            except UnsupportedError:
                self.programs[function] = None
        return self.programs[function]

    def _normal(self, callee: FunctionSource) -> Program:
        """Return the normal form of a function, for derivatives with respect to all arguments."""
        source, _ = without_collisions(callee, own_names())
        names = [] if source.leaves else parameter_names(source.tree)
        program, refusals = normal_form(source, names, own_names(), Stages(), self.manner)
        refusals.raise_if_any()
        program.tables = outside_tables(program)
        self.expander.session.note_tables(program)
        return program


def seen_knowledge(seen: Seen, renamed: Mapping[str, str], follow: Follow) -> Knowledge:
    """Return what is known of arguments whose shapes were seen, by the names that the text uses."""
    by_name = {renamed_root(text, renamed): shape for text, shape in seen.items()}
    return Knowledge(by_name, follow=follow)


@dataclass(frozen=True, slots=True)
class Passed:
    """What is known of the arguments of a call, in the words of the function that is called.

    Attributes:
        axes: The axes of arguments, by lengths that are named by where they are met first.
        equal: Which lengths agree that are made of those.
    """

    axes: tuple[tuple[str, Vector], ...] = ()
    equal: tuple[tuple[Length, Length], ...] = ()

    @classmethod
    def of(
        cls, dimensions: Dimensions, arguments: Mapping[str, Any], callee: FunctionType
    ) -> Passed:
        """Return what a caller knows of the arguments that it passes, by their names there.

        Of a function that calls itself only the axes, which are the same at most depths.
        """
        words: dict[Length, Length] = {}
        axes = renumbered({name: dimensions.of(n) for name, n in arguments.items()}, words)
        return cls(axes, () if _calls_itself(callee) else dimensions.lengths.told(words))

    def knowledge(self, renamed: Mapping[str, str], follow: Follow) -> Knowledge:
        """Return it as what is known of a function, some of whose parameters have other names."""
        given = {renamed.get(item, item): vector for item, vector in self.axes}
        return Knowledge(given=given, lengths=Lengths({}, self.equal), follow=follow)


def _calls_itself(function: FunctionType) -> bool:
    """Say whether a function seems to call itself: it reads a name that is bound to it."""
    code = function.__code__
    read = [function.__globals__.get(name) for name in code.co_names]
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # not bound yet
            read.append(cell.cell_contents)
    told = (value for value in read if not hides_class(value))
    return any(held_attribute(value, "__code__") is code for value in told)


def renumbered(
    axes: Mapping[str, Vector | None], first: dict[Length, Length]
) -> tuple[tuple[str, Vector], ...]:
    """Return the axes of arguments by lengths that are named by where they are met first.

    >>> renumbered({"x": (("u", 0), None), "y": (("u", 0), 3), "n": ()}, {})
    (('x', (('x', 0), None)), ('y', (('x', 0), 3)), ('n', ()))
    """
    found: list[tuple[str, Vector]] = []
    for name, vector in axes.items():
        if vector is None:
            continue
        for axis, length in enumerate(vector):
            if isinstance(length, tuple):
                first.setdefault(length, (name, axis))
        found.append((name, tuple(first.get(length, length) for length in vector)))
    return tuple(found)
