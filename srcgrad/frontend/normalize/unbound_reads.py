"""Lets a read of a variable that no path has bound raise what Python raises.

A loop hands variables on from trip to trip, and a derivative keeps what they held. So a variable
that nothing binds before is bound to None there, and whoever reads it before a trip has bound it
would read that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.binding import Read, is_start
from srcgrad.ir.build import at, call, clone, constant, load
from srcgrad.ir.changes import change_of
from srcgrad.ir.operations import Reader
from srcgrad.ir.walk import blocks_of, names_bound, names_read, root_name, statements


def raise_if_unbound(
    body: list[Any], reads: Iterable[Read], variable: Callable[[str], str]
) -> list[Any]:
    """Return a body that raises where a name is read and still bound to nothing.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... s = None
    ... y = s * x
    ... ''')
    >>> (test,) = parse("x > 0")
    >>> print(text(raise_if_unbound(body, [Read(body[1], "s", test.value)], str)))
    s = None
    if x > 0 and s is None:
        raise UnboundLocalError(
            "cannot access local variable 's' where it is not associated with a value"
        )
    y = s * x
    """
    asked: dict[int, list[Read]] = {}
    for read in reads:
        asked.setdefault(id(read.statement), []).append(read)

    def guarded(block: list[Any]) -> list[Any]:
        done: list[Any] = []
        for statement in block:
            for part in blocks_of(statement):
                part[:] = guarded(part)
            done += [_guard(read, variable(read.name)) for read in asked.get(id(statement), ())]
            done.append(statement)
        return done

    return guarded(body)


def _guard(read: Read, variable: str) -> Any:
    like = read.statement
    said = f"cannot access local variable '{variable}' where it is not associated with a value"
    error = call("UnboundLocalError", constant(said))
    test = gast.Compare(load(read.name), [gast.Is()], [constant(None)])
    if read.test is not None:
        before = read.test.values if _is_and(read.test) else [read.test]
        test = gast.BoolOp(gast.And(), [*clone(before), test])
    return at(gast.If(test, [at(gast.Raise(error, None), like)], []), like)


def _is_and(test: Any) -> bool:
    return isinstance(test, gast.BoolOp) and isinstance(test.op, gast.And)


def may_be_none(
    body: list[Any], reader: Reader, arrays: Iterable[str], started: Collection[str]
) -> set[str]:
    """Return the names of a body that the program itself may bind to None.

    Those of `arrays` are not, and what is `started` is bound to None by nobody else.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x, y):
    ...     a = x * 2
    ...     b = [y, a]
    ...     return a, b[0], y
    ... ''')
    >>> sorted(may_be_none(program.body, program.reader, ["x"], []))
    ['out_2', 'out_3', 'y']
    """
    bindings = _Bindings(reader, started)
    for statement in statements(body):
        bindings.note(statement)
    return bindings.spread({*arrays})


class _Bindings:
    """What names are bound to: to None maybe, to a container, or to what another name holds."""

    def __init__(self, reader: Reader, started: Collection[str]) -> None:
        self._reader = reader
        self._started = started
        self._nothing: set[str] = set()
        self._holders: set[str] = set()
        self._bound: set[str] = set()
        self._sources: list[tuple[str, str]] = []
        self._entries: list[tuple[str, str]] = []
        self._held: set[str] = set()  # what is put into any container, as a value or as a key
        self._handed: set[str] = set()  # what may be changed elsewhere
        self._holds_nothing = False

    def note(self, statement: Any) -> None:
        """Note what a statement binds, and what it puts into containers."""
        change = change_of(statement)
        if change is not None:
            self._hold([change.value] if change.value is not None else [])
        elif isinstance(statement, gast.Expr):
            self._handed.update(names_read(statement))
        if isinstance(statement, gast.For):
            self._run_over(statement.target, statement.iter)
        elif isinstance(statement, gast.Assign):
            (target,) = statement.targets
            if isinstance(target, gast.Subscript):
                self._hold([target.slice, statement.value])
            if not is_start(statement, self._started):
                kind = self._kind(statement.value)
                self._add(target, kind, root_name(statement.value))
                if kind == "display":
                    self._hold(_shown(statement.value))
                elif kind not in ("copy", "entry", "number", "constant"):
                    self._handed.update(names_read(statement.value))

    def _run_over(self, target: Any, iterable: Any) -> None:
        """Note what a loop binds."""
        called = getattr(getattr(iterable, "func", None), "id", "")
        given = getattr(iterable, "args", [])
        several = getattr(target, "elts", [])
        if called == "range":
            self._add(target, "number")
        elif called == "reversed":
            self._run_over(target, given[0])
        elif called == "enumerate" and len(several) > 1:
            self._add(several[0], "number")
            self._run_over(several[1], given[0])
        elif called == "zip" and len(several) == len(given):
            for part, items in zip(several, given, strict=True):
                self._run_over(part, items)
        elif isinstance(iterable, (gast.Tuple, gast.List)) and isinstance(target, gast.Name):
            for item in iterable.elts:
                self._add(target, self._kind(item), root_name(item))
        elif isinstance(iterable, gast.Name):  # over the keys of a dict
            self._add(target, "entry", root_name(iterable))
        else:
            self._add(target, "nothing")

    def _hold(self, values: list[Any]) -> None:
        """Note what is put into a container."""
        for value in values:
            if isinstance(value, gast.Name):
                self._held.add(value.id)
            elif isinstance(value, gast.Starred):
                self._held.update(names_read(value))
            elif (kind := self._kind(value)) == "display":
                self._hold(_shown(value))
            elif kind != "number" and not isinstance(value, (gast.Slice, gast.JoinedStr)):
                self._holds_nothing = True

    def _add(self, target: Any, kind: str, source: str | None = None) -> None:
        for name in names_bound(target):
            self._bound.add(name)
            plain = isinstance(target, gast.Name)
            if kind == "copy" and source and plain:
                self._sources.append((name, source))
            elif kind in ("copy", "entry") and source:
                self._entries.append((name, source))
            elif kind == "display" and plain:
                self._holders.add(name)
            elif kind != "number":
                self._nothing.add(name)

    def _kind(self, value: Any) -> str:
        operation = self._reader.read(value)
        if operation.kind in ("tuple", "list", "dict"):
            return "display"
        if operation.primal is self._reader.vocabulary.getitem:
            text = isinstance(getattr(operation.args[0], "value", None), str)
            return "number" if text else "entry"
        if operation.kind == "primitive" or isinstance(value, (gast.Compare, gast.BoolOp)):
            return "number"
        if isinstance(value, gast.Constant):
            return "nothing" if value.value is None else "number"
        return operation.kind

    def spread(self, arrays: set[str]) -> set[str]:
        """Return the names that may be bound to None, if `arrays` are not."""
        pairs = [*self._sources, *self._entries]
        given = {source for _, source in pairs if source not in self._bound} - arrays
        found = self._nothing | given
        holders = self._holders | given
        size = -1
        while len(found) + len(holders) != size:
            size = len(found) + len(holders)
            holders |= {name for name, source in pairs if source in holders}
            found |= {name for name, source in pairs if source in found}
            if self._holds_nothing or self._held & found or self._handed & holders:
                found |= {name for name, source in self._entries if source in holders}
        return found


def _shown(value: Any) -> list[Any]:
    """Return what a display holds, and under which keys."""
    if isinstance(value, gast.Dict):
        return [item for item in (*value.keys, *value.values) if item is not None]
    return list(value.elts)
