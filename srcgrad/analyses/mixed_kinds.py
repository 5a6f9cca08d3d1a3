"""Finds names that are a container on one path and a number or an array on another."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any, Final

from srcgrad.analyses.containers import kinds
from srcgrad.ir import gast
from srcgrad.ir.changes import change_of
from srcgrad.ir.displays import makes_list
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program, bound_names, direct_names
from srcgrad.ir.walk import names_bound, names_read, statements

_HELD: Final = ("list", "dict")
_COMPUTING: Final = ("numpy.", "math.", "scipy.")
_HINT: Final = "give the number a name of its own, or return in each branch"
_NUMBERED: Final = "`{}` is a dict on one path and a number or an array on another"
_COUNTED: Final = "`{}` is a list on one path and a number on another"
_ENTERED: Final = "`{}` is a list on one path and an entry of one on another"


def uses_of_mixed_kinds(
    program: Program,
    find_varied: Callable[[], Collection[str]],
    is_number: Callable[[Any], bool] = lambda _: False,
) -> Iterator[tuple[Any, str, str]]:
    """Yield where a name of what varies is first not what it is elsewhere, and a hint.

    Such a name has one adjoint, which is a dict or an array, where nothing shows that it is either.
    That of a list serves for an array of the same length, too, but not for a number, nor for an
    entry, which shares the adjoint that its list holds. `is_number` says what surely is a number.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x):
    ...     p = {"a": x}
    ...     if n > 0:
    ...         p = 1.0
    ...     return p["a"] if isinstance(p, dict) else p
    ... ''', "x")
    >>> [message for _, message, _ in uses_of_mixed_kinds(program, lambda: {"p_3"})]
    ['`p` is a dict on one path and a number or an array on another']
    >>> program = program_of('''
    ... def f(x):
    ...     y = x * x
    ...     ys = []
    ...     ys.append(y)
    ...     if len(ys) == 1:
    ...         out = ys[0]
    ...     else:
    ...         out = ys
    ...     return out
    ... ''', "x")
    >>> [message for _, message, _ in uses_of_mixed_kinds(program, lambda: {"out_4"})]
    ['`out` is a list on one path and an entry of one on another']
    """
    if not any(_is_display(item, program) for item in statements(program.body)):
        return  # as in most functions
    found = _Bindings(program, is_number)
    mixed = {
        **dict.fromkeys(found.lists_and_numbers(), _COUNTED),
        **dict.fromkeys(found.lists_and_entries(), _ENTERED),
        **dict.fromkeys(found.dicts_and_numbers(), _NUMBERED),
    }
    either = kinds(program).either - _bound_in_loops(program) if mixed else frozenset()
    mixed = {name: said for name, said in mixed.items() if name not in either}
    varied = find_varied() if mixed else ()
    for statement in statements(program.body) if varied else ():
        targets = statement.targets if isinstance(statement, gast.Assign) else ()
        for name in (name for target in targets for name in names_bound(target)):
            if name in varied and name in mixed:
                yield statement, mixed[name].format(program.namer.base(name)), _HINT
                return


def _bound_in_loops(program: Program) -> set[str]:
    """Return the names that loops bind, which may be one thing first and another later."""
    loops = [s for s in statements(program.body) if isinstance(s, (gast.For, gast.While))]
    return bound_names([item for loop in loops for item in loop.body])


def _is_display(statement: Any, program: Program) -> bool:
    """Say whether a statement binds a name to a dict or a list that is shown."""
    if not isinstance(statement, gast.Assign):
        return False
    return program.operation(statement).kind == "dict" or makes_list(statement.value)


class _Bindings:
    """What the names of a program are bound to.

    Attributes:
        dicts: The names of displays of dicts.
        lists: The names of displays of lists.
        computed: The names of numbers and arrays.
        numbers: The names of numbers.
        copies: The pairs of names of which the second is bound to what the first is.
        entries: The names of lists and dicts, with those that are bound to an entry of them.
        put: The names of lists, with those of what is put into them.
    """

    def __init__(self, program: Program, is_number: Callable[[Any], bool]) -> None:
        self._program = program
        self._says_number = is_number
        self.dicts, self.lists, self.computed = set[str](), set[str](), set[str]()
        self.numbers = set[str]()
        self.copies: list[tuple[str, str]] = []
        self.entries: list[tuple[str, str]] = []
        self.put: list[tuple[str, str]] = []
        for statement in statements(program.body):
            change = change_of(statement)
            if change is not None:
                self.put.append((change.name, getattr(change.value, "id", "")))
            elif isinstance(statement, gast.Assign):
                self._note(statement)

    def _note(self, statement: Any) -> None:
        operation, value = self._program.operation(statement), statement.value
        targets = [target.id for target in statement.targets if isinstance(target, gast.Name)]
        if operation.kind == "dict":
            self.dicts.update(targets)
        elif makes_list(value):
            self.lists.update(targets)
            held = names_read(value)
            self.put += [(target, name) for target in targets for name in held]
        elif operation.kind == "copy":
            sources = [name for arg in operation.args for name in direct_names(arg)]
            self.copies += [(source, target) for source in sources for target in targets]
        elif _is_entry(value):
            self.entries += [(value.value.id, target) for target in targets]
        is_number = operation.kind != "copy" and self._says_number(value)
        if is_number:
            self.numbers.update(targets)
        if is_number or _is_number(operation, statement, self._program):
            self.computed.update(targets)

    def dicts_and_numbers(self) -> set[str]:
        """Return the names that are dicts on some path, and computed on others."""
        if not self.dicts or not self.computed:
            return set()
        return _reached(self.dicts, self.copies) & _reached(self.computed, self.copies)

    def lists_and_numbers(self) -> set[str]:
        """Return the names that are lists on some path, and numbers on others."""
        if not self.lists or not self.numbers:
            return set()
        return _reached(self.lists, self.copies) & _reached(self.numbers, self.copies)

    def lists_and_entries(self) -> set[str]:
        """Return the names that are lists on some path, and on others an entry that is none."""
        if not self.lists or not self.entries:
            return set()
        lists = _reached(self.lists, self.copies)
        return lists & _reached(self._entries_that_are_no_lists(lists), self.copies)

    def _entries_that_are_no_lists(self, lists: set[str]) -> set[str]:
        """Return the names of entries of arrays, and of lists that hold numbers and arrays."""
        given = self._program.given
        plain = self.computed | {n for n in self._program.parameters if given.get(n) not in _HELD}
        nested = {name for name, value in self.put if value in lists}
        read, size = set[str](), -1
        while size != (size := len(read)):
            known = _reached(plain | read, self.copies) - lists
            holding = _reached({name for name, value in self.put if value in known}, self.copies)
            holding -= _reached(nested, self.copies)
            read |= {target for source, target in self.entries if source in holding | known}
        return read


def _is_entry(value: Any) -> bool:
    """Say whether an expression is one entry of what a name is bound to."""
    reads = isinstance(value, gast.Subscript) and isinstance(value.value, gast.Name)
    return reads and not isinstance(value.slice, (gast.Slice, gast.Tuple))


def _is_number(operation: Operation, statement: Any, program: Program) -> bool:
    """Say whether the result is surely no container: that of arithmetic or of an array library."""
    if operation.kind != "primitive":
        value = statement.value
        return isinstance(value, gast.Constant) and type(value.value) in (int, float, complex)
    vocabulary = program.reader.vocabulary
    name = vocabulary.canonical_name(operation.primal)
    is_arithmetic = name.startswith(_COMPUTING) and operation.primal is not vocabulary.getitem
    return is_arithmetic and vocabulary.results(operation.primal, 1) == 1


def _reached(start: set[str], copies: list[tuple[str, str]]) -> set[str]:
    """Return the names that a value reaches by being copied."""
    found, size = set(start), -1
    while len(found) != size:
        size = len(found)
        found |= {target for source, target in copies if source in found}
    return found
