"""Holds one function in normal form, with what the passes agree to know of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, Final, TypeVar

from srcgrad.ir import gast
from srcgrad.ir.build import load
from srcgrad.ir.names import Namer
from srcgrad.ir.operations import Operation, Reader
from srcgrad.ir.packages import is_generated
from srcgrad.ir.vocabulary import Vocabulary
from srcgrad.ir.walk import names_bound, names_read, statements
from srcgrad.locks import kept_property

_COPY = Operation("copy")
_HEADERS = {gast.For: "iter", gast.If: "test", gast.While: "test", gast.With: "items"}
_Found = TypeVar("_Found")


GIVEN_ARRAYS: Final = ("array", "vector", "matrix")
"""What is known of parameters that are arrays with axes."""


@dataclass(slots=True)
class Program:
    """One function in normal form: single assignment, one operation a statement, one exit.

    Attributes:
        name: The user's name of the function.
        arguments: The parameter list as the user wrote it.
        parameters: The names of all parameters.
        inputs: The parameters whose gradient is wanted.
        body: The statements; the last one is the `return`.
        outputs: The names that are returned, in order.
        returns_tuple: Whether the user's function returns a tuple display.
        inlined: The functions whose bodies were put in the place of their calls.
        placed: The names of those functions, each with the line of the call.
        hands_back: Whether it calls functions that may hand back their arguments.
        unbound: Names that are read where not every path has bound them.
        guarded: Those of them that nobody reads before an error is raised where they are None.
        given: What is known of parameters: "int", "number", "vector" or "matrix".
        tables: The texts for entries of tables outside that are numbers: ``TABLE[*]``, as facts.
        reads: The statements that read fields into variables, which are parameters here.
        floats: The parameters that are known to be arrays of floats.
        places: The parameters that are known to be arrays of "integers" or "truths".
        witness: What the checker of derivatives is told, if one is to check this.
        elements: The variables that were taken for single elements of vectors.
        results: The variables that keep the result on the way to the exit. They are bound where a
            `return` stood, and read only if it was met.
    """

    name: str
    arguments: Any
    parameters: tuple[str, ...]
    inputs: tuple[str, ...]
    body: list[Any]
    reader: Reader
    namer: Namer
    outputs: tuple[str, ...] = ()
    returns_tuple: bool = False
    unbound: frozenset[str] = frozenset()
    guarded: frozenset[str] = frozenset()
    given: dict[str, str] = field(default_factory=dict)
    tables: dict[str, str] = field(default_factory=dict)
    reads: list[Any] = field(default_factory=list)
    floats: frozenset[str] = frozenset()
    places: dict[str, str] = field(default_factory=dict)
    inlined: tuple[FunctionType, ...] = ()
    placed: tuple[tuple[str, int], ...] = ()
    hands_back: bool = False
    elements: frozenset[str] = frozenset()
    results: frozenset[str] = frozenset()
    witness: Any = None
    _operations: dict[int, Operation] = field(default_factory=dict)
    _found: dict[Any, Any] = field(default_factory=dict)
    _found_in: Any = None

    @property
    def of_generated(self) -> bool:
        """Say whether the program is a derivative that was generated before."""
        return is_generated(self.reader.scope.function.__module__)

    def operation(self, statement: Any) -> Operation:
        """Return what an assignment computes; read once and kept."""
        found = self._operations.get(id(statement))
        if found is None:
            found = self.reader.read(statement.value)
            if found.kind == "copy" and isinstance(statement.targets[0], gast.Tuple):
                found = Operation("unpack", None, found.args)
            self._operations[id(statement)] = found
        return found

    def once(self, find: Callable[[Program], _Found]) -> _Found:
        """Return what `find` finds out about the program: once for each body that it has.

        Those who ask share the answer, and must not write into it.
        """
        if self._found_in is not self.body:
            self._found, self._found_in = {}, self.body
        if find not in self._found:
            self._found[find] = find(self)
        found: _Found = self._found[find]
        return found

    def forget(self) -> None:
        """Let go of what was found out about the program, which may hold the program itself."""
        self._found, self._found_in = {}, None


def operand_names(operation: Operation, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the names through which an operation can pass a derivative on."""
    if operation.names is None:
        operation.names = tuple(_operand_names(operation, vocabulary))
    return operation.names


def _operand_names(operation: Operation, vocabulary: Vocabulary) -> list[str]:
    if operation.kind in ("constant", "unknown") or operation.whole:
        return []
    if operation.kind == "user" and not vocabulary.passes_on(operation.primal):
        return []
    one = operation.primal is vocabulary.getitem or operation.kind == "pop"
    given = enumerate(operation.args[:1] if one else operation.args)
    operands: list[tuple[int | str, Any]] = [*given, *operation.keywords.items()]
    inert = vocabulary.inert(operation.primal) if operation.kind == "primitive" else frozenset()
    return [n for place, arg in operands if place not in inert for n in direct_names(arg)]


def direct_names(arg: Any) -> list[str]:
    """Return the names that an operand is, or that it displays; not those it merely mentions."""
    if isinstance(arg, gast.Name):
        return [arg.id]
    if isinstance(arg, gast.Starred):
        return direct_names(arg.value)
    if isinstance(arg, (gast.Tuple, gast.List)):
        return [name for item in arg.elts for name in direct_names(item)]
    return []


def is_store(statement: Any) -> bool:
    """Say whether a statement writes into an element: ``x[i] = v`` or ``x[i] += v``."""
    kind = statement.__class__
    if kind is gast.AugAssign:
        return statement.target.__class__ is gast.Subscript
    return kind is gast.Assign and statement.targets[0].__class__ is gast.Subscript


def store_target(statement: Any) -> Any:
    """Return the subscript that a store writes into."""
    return statement.target if isinstance(statement, gast.AugAssign) else statement.targets[0]


def bound_names(block: list[Any]) -> set[str]:
    """Return all names that the statements of a block bind, inner blocks included."""
    return set(_names_bound_in(block))


def _names_bound_in(block: list[Any]) -> list[str]:
    """Return the names that the statements of a block bind, one for each time."""
    found: list[str] = []
    for statement in statements(block):
        if statement.__class__ is gast.Assign:  # as in `bound_by`
            targets = statement.targets
            if len(targets) == 1 and targets[0].__class__ is gast.Name:
                found.append(targets[0].id)
                continue
        found += bound_by(statement)
    return found


def targets_of(statement: Any) -> list[Any]:
    """Return the assignment targets of one statement (not those of inner blocks)."""
    kind = statement.__class__
    if kind is gast.Assign:
        return list(statement.targets)
    if kind is gast.AugAssign or kind is gast.For:
        return [statement.target]
    if kind is gast.With:
        return [item.optional_vars for item in statement.items if item.optional_vars is not None]
    return []


def binds_name(statement: Any) -> bool:
    """Say whether a statement is an assignment to one name."""
    if statement.__class__ is not gast.Assign:
        return False
    targets = statement.targets
    return len(targets) == 1 and targets[0].__class__ is gast.Name


def bound_by(statement: Any) -> list[str]:
    """Return the names that one statement binds itself, updates such as ``a += b`` included."""
    if statement.__class__ is gast.Assign:  # most are, of one name
        targets = statement.targets
        if len(targets) == 1 and targets[0].__class__ is gast.Name:
            return [targets[0].id]
    return [name for target in targets_of(statement) for name in names_bound(target)]


def elements_read(program: Program) -> Iterator[tuple[Any, str]]:
    """Yield the assignments of what was taken for single elements, and the names they bind."""
    for statement in statements(program.body) if program.elements else ():
        if isinstance(statement, gast.Assign):
            for name in bound_by(statement):
                if program.namer.base(name) in program.elements:
                    yield statement, name


def count_reads(body: list[Any]) -> Counter[str]:
    """Return how often the statements of a body, inner blocks included, read each name."""
    found: list[str] = []
    for statement in statements(body):
        found += header_reads(statement)
    return Counter(found)


def count_binds(body: list[Any]) -> Counter[str]:
    """Return how many statements of a body, inner blocks included, bind each name."""
    return Counter(_names_bound_in(body))


class Counts:
    """How often a body reads and binds each name, as it was when that was first asked.

    >>> counts = Counts(gast.parse("a = b * b").body)
    >>> counts.reads["b"], counts.binds["a"]
    (2, 1)
    """

    def __init__(self, body: list[Any]) -> None:
        self._body = body

    @kept_property
    def reads(self) -> Counter[str]:
        """How often each name is read."""
        return count_reads(self._body)

    @kept_property
    def binds(self) -> Counter[str]:
        """How many statements bind each name."""
        return count_binds(self._body)


def header_of(statement: Any) -> list[Any]:
    """Return what one statement consists of but for its inner blocks; values before targets.

    >>> from srcgrad.compiler.doctesting import parse
    >>> [[gast.unparse(part) for part in header_of(item)] for item in parse("a[i] = b; x += y")]
    [['b', 'a[i]'], ['y', 'x']]
    """
    if statement.__class__ is gast.Assign:  # as most are
        return [statement.value, *statement.targets]
    if isinstance(statement, gast.AugAssign):
        target = statement.target
        if isinstance(target, gast.Name):
            target = load(target.id)
        return [statement.value, target]
    if isinstance(statement, gast.Try):
        return [handler.type for handler in statement.handlers if handler.type is not None]
    header = getattr(statement, _HEADERS.get(type(statement), ""), statement)
    return header if isinstance(header, list) else [header]


def header_reads(statement: Any) -> list[str]:
    """Return the names that one statement reads itself (not those of inner blocks)."""
    kind = statement.__class__
    if kind is gast.Assign:  # most are
        reads = names_read(statement.value)
        for target in statement.targets:
            if target.__class__ is not gast.Name or target.ctx.__class__ is gast.Load:
                reads += names_read(target)
        return reads
    if kind is gast.AugAssign:
        target = statement.target
        reads = [target.id] if target.__class__ is gast.Name else names_read(target)
        return reads + names_read(statement.value)
    if kind is gast.Try:
        return names_read([handler.type for handler in statement.handlers])
    header = _HEADERS.get(kind)
    return names_read(statement if header is None else getattr(statement, header))
