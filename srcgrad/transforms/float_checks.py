"""Lets a program refuse arrays of integers that it would store values with derivatives into.

Such an array keeps the whole part of what it is given, which has no slope. Often only the run
tells: ``np.zeros_like(k)`` is an array of what `k` is of.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

import numpy as np

from srcgrad.analyses.containers import kinds
from srcgrad.analyses.float_names import float_names
from srcgrad.analyses.number_tables import number_tables
from srcgrad.ir import gast
from srcgrad.ir.build import at, call, load
from srcgrad.ir.changes import change_of
from srcgrad.ir.displays import makes_list
from srcgrad.ir.marks import CASTS
from srcgrad.ir.program import (
    Program,
    bound_names,
    direct_names,
    is_store,
    store_target,
    targets_of,
)
from srcgrad.ir.walk import blocks_of, names_bound, names_read, root_name, statements
from srcgrad.transforms.externals import Externals

_CHECKS: Final = ("refuse_integers", "refuse_twins")


def check_floats(
    program: Program,
    externals: Externals,
    active: Collection[str],
    varied: Collection[str],
    own: Collection[int] = (),
) -> None:
    """Add a check where a name is bound to what may be integers and is written into.

    `own` are the stores that change lists and dicts, by identity.

    >>> from srcgrad.compiler.doctesting import program_of, text
    >>> from srcgrad.ir.names import Namer
    >>> program = program_of('''
    ... def f(x, k):
    ...     y = np.zeros_like(k)
    ...     y[0] = x
    ...     return np.sum(y)
    ... ''')
    >>> check_floats(program, Externals(Namer(set())), {"x", "y"}, {"x", "y"})
    >>> print(text(program.body[:3]))
    y = np.zeros_like(k)
    refuse_integers(y)
    y[0] = x
    """
    program.body = _without_twin_checks(program)
    _check_casts(program, externals, active)
    written = set(_written(program, active, varied, own))
    unknown = _not_surely_floats(program, written) if written else written
    if not unknown:
        return

    def checks(names: list[str], like: Any) -> list[Any]:
        check = externals.use_runtime("refuse_integers")
        found = [name for name in dict.fromkeys(names) if name in unknown]
        return [at(gast.Expr(call(check, load(name))), like) for name in found]

    def checked(block: list[Any]) -> list[Any]:
        done: list[Any] = []
        for statement in block:
            for part in blocks_of(statement):
                part[:] = checked(part)
            names = [name for target in targets_of(statement) for name in names_bound(target)]
            after = checks([] if is_store(statement) else names, statement)
            done.append(statement)
            if isinstance(statement, gast.For):
                statement.body = after + statement.body
            else:
                done += after
        return done

    first = program.body[0]
    lookup = program.reader.scope.lookup
    free = sorted(unknown - bound_names(program.body) - set(program.parameters))
    outside = [name for name in free if isinstance(lookup(name), np.ndarray)]
    before = checks([*program.parameters, *outside], first)  # it may be another at a later call
    program.body = before + checked(program.body)


def _without_twin_checks(program: Program) -> list[Any]:
    """Return the body without the checks that arrays and numbers hold nothing twice."""
    checks = [item for item in statements(program.body) if _asks_for_twins(item)]
    if not checks:
        return program.body  # as most, of which nobody has to find out what is an array
    arrays = kinds(program).arrays | program.given.keys()
    idle = {id(item) for item in checks if direct_names(item.value.args[0])[0] in arrays}

    def without(block: list[Any]) -> list[Any]:
        for statement in block:
            for part in blocks_of(statement):
                part[:] = without(part)
        return [statement for statement in block if id(statement) not in idle]

    return without(program.body)


def _asks_for_twins(statement: Any) -> bool:
    """Say whether a statement looks whether something holds an array twice."""
    is_call = isinstance(statement, gast.Expr) and is_check(statement)
    return is_call and statement.value.func.id == "refuse_twins"


def _check_casts(program: Program, externals: Externals, active: Collection[str]) -> None:
    """Ask of what ``out=`` writes into a constant whether NumPy casts it to what that holds."""
    stores = [s for s in statements(program.body) if CASTS.of(s) and is_store(s)]
    floats = float_names(program) if stores else ()
    for statement in stores:
        name = root_name(store_target(statement)) or ""
        if name not in active and name not in floats:
            check = externals.use_runtime("same_kind")
            statement.value = at(call(check, statement.value, load(name)), statement)


def _written(
    program: Program, active: Collection[str], varied: Collection[str], own: Collection[int]
) -> Iterator[str]:
    """Yield the names of memory that values with derivatives may be stored into."""
    for statement in statements(program.body):
        if change_of(statement) is not None:
            continue  # of a list or dict
        if is_store(statement):
            target = root_name(store_target(statement)) or ""
            stored = names_read(statement.value)
            if target in active and id(statement) not in own and not _is_checked(statement):
                yield from [target] if any(name in varied for name in stored) else []
        elif isinstance(getattr(statement, "value", None), gast.Call):
            operands = _written_operands(program, statement)
            yield from (n for item in operands for n in direct_names(item) if n in active)


def _not_surely_floats(program: Program, written: set[str]) -> set[str]:
    arrays = written - _containers(program)
    return arrays - float_names(program) if arrays else arrays


def _containers(program: Program) -> set[str]:
    """Return the names that are bound to lists and dicts made in the program."""
    return program.once(number_tables).rows.keys() | {
        name
        for statement in statements(program.body)
        if isinstance(statement, gast.Assign)
        and (makes_list(statement.value) or isinstance(statement.value, gast.Dict))
        for target in statement.targets
        for name in names_bound(target)
    }


def _written_operands(program: Program, statement: Any) -> list[Any]:
    """Return the operands that the call in a statement writes into."""
    value = statement.value
    operation = program.reader.read(value)
    if operation.kind == "user":
        operands, _ = program.reader.vocabulary.written_operands(operation.primal, value)
        return list(operands)
    if not isinstance(statement, gast.Expr) or operation.kind == "constant":
        return []
    is_method = operation.args[:1] == (getattr(value.func, "value", None),)
    if is_method:
        return [value.func.value] if value.func.attr == "fill" else []
    return list(value.args[:1])


def is_check(statement: Any) -> bool:
    """Say whether a statement is one that looks at a value, and raises or does nothing."""
    return getattr(getattr(statement.value, "func", None), "id", "") in _CHECKS


def _is_checked(statement: Any) -> bool:
    """Say whether NumPy itself refuses an update, as it does for every part that is an array."""
    if not isinstance(statement, gast.AugAssign):
        return False
    index = statement.target.slice
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    return any(
        isinstance(part, gast.Slice) or getattr(part, "value", None) is Ellipsis for part in parts
    )
