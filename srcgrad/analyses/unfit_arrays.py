"""Finds arrays of integers, records and objects, which do not keep what varies as floats do."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any, Final

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.program import Program, direct_names, is_store, store_target
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import names_bound, names_read, root_name, statements, walk
from srcgrad.primitives import Primitive
from srcgrad.spans import Placed

_UNFIT: Final = {
    **dict.fromkeys("iub", "integers"),
    **dict.fromkeys("US", "texts"),
    **dict.fromkeys("mM", "times"),
    "V": "records",
    "O": "objects",
}
_HINT: Final = "make the array of floats: `dtype=float`"


def uses_of_unfit_arrays(
    program: Program, find_varied: Callable[[], Collection[str]]
) -> Iterator[tuple[Any, str, str]]:
    """Yield where what varies meets an array that does not keep it as floats do, and a hint.

    An array of integers keeps the whole part, which has no slope; the adjoints of one of records
    or objects are no arrays of floats.
    """
    unfit = unfit_arrays(program)
    varied = find_varied() if unfit else ()
    for statement in statements(program.body) if unfit else ():
        stored = direct_names(getattr(statement, "value", None))  # of the rest nothing varies
        if is_store(statement) and any(name in varied for name in stored):
            name = root_name(store_target(statement)) or ""
            kind = unfit.get(name)
            if kind is not None:
                message = f"this stores a value with a derivative into an array of {kind}"
                yield statement, Placed.at(message, _maker(name, unfit, program)), _HINT
        elif isinstance(statement, gast.Assign):
            found = _meeting(statement, program, unfit, varied)
            if found is not None:
                yield statement, f"this {found}", _HINT


def _maker(name: str, unfit: dict[str, str], program: Program) -> Any:
    """Return the statement that makes the array, by any of the names that it has on its way."""
    names, size = {name}, 0
    while size != (size := len(names)):
        for statement in statements(program.body):
            if not isinstance(statement, gast.Assign):
                continue
            if names.isdisjoint(name for item in statement.targets for name in names_bound(item)):
                continue
            read = [item for item in names_read(statement.value) if item in unfit]
            if not read and _held(statement, program, {}) is not None:
                return statement
            names.update(read)
    return None


def _meeting(
    statement: Any, program: Program, unfit: dict[str, str], varied: Collection[str]
) -> str | None:
    """Return what a statement does if it makes or uses an unfit array of what varies."""
    read = names_read(statement.value)
    if not any(name in varied for name in read):
        return None
    made = _held(statement, program, {})
    if made in ("records", "texts", "times"):
        return f"makes an array of {made}"
    if _calculates(statement, program) and any(unfit.get(name) == "objects" for name in read):
        return "calculates with an array of objects"
    return None


def _calculates(statement: Any, program: Program) -> bool:
    operation = program.operation(statement)
    return operation.kind == "primitive" and (
        operation.primal is not program.reader.vocabulary.getitem
    )


def unfit_arrays(program: Program) -> dict[str, str]:
    """Return the names that are bound to arrays of no floats on some path, with what they hold.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x):
    ...     a = np.arange(4)
    ...     b = a[1:]
    ...     c = np.zeros(4, object)
    ...     d = np.zeros(4)
    ...     e = np.zeros(4, dtype=[("p", float)])
    ...     a[0] = b[0] = c[0] = d[0] = x[0]
    ...     return np.sum(a * c * d) + e["p"][0]
    ... ''')
    >>> found = unfit_arrays(program)
    >>> [(name, found[name]) for name in "abce"], "d" in found
    ([('a', 'integers'), ('b', 'integers'), ('c', 'objects'), ('e', 'records')], False)
    """
    found: dict[str, str] = {}
    size = -1
    while size != (size := len(found)):
        for statement in statements(program.body):
            kind = _held(statement, program, found) if isinstance(statement, gast.Assign) else None
            if kind is not None:
                for name in (name for target in statement.targets for name in names_bound(target)):
                    found.setdefault(name, kind)
    return found


def _held(statement: Any, program: Program, found: dict[str, str]) -> str | None:
    """Return what the array that a statement binds holds in the place of floats."""
    operation = program.operation(statement)
    if operation.kind == "copy":
        return _first_of(operation.args[:1], found)
    if operation.primal is program.reader.vocabulary.getitem:
        kind = _first_of(operation.args[:1], found)
        return "objects, or one of them" if kind == "objects" else kind  # an entry is what it was
    value = statement.value
    if not isinstance(value, gast.Call):
        return None
    callee = program.reader.scope.resolve(value.func)
    if callee is MISSING:
        return _kind(value.args[0], program) if _is_cast(value) else None
    known = program.reader.vocabulary.primitive(callee)
    said = _type_said(known, value)
    if said is not None:
        return _kind(said, program) if known.name.startswith("numpy.") else None
    alike = (known.kind == "first" or known.moves) and bool(value.args)
    kind = _first_of(value.args[:1], found) if alike else None
    return _made_of(value.args, known) if kind is None else kind


def _made_of(given: list[Any], known: Primitive) -> str | None:
    """Return what an array holds that is made of numbers, or else, that stand in the call."""
    if known.gives != "array" or known.kind != "promoted":
        return None
    if known.dtype is not None and any(map(_is_no_number, given)):
        return "objects"
    return "integers" if _has_integers(known, given) else None


def _first_of(operands: Any, found: dict[str, str]) -> str | None:
    names = (name for item in operands for name in direct_names(item))
    return next((found[name] for name in names if name in found), None)


def _is_no_number(node: Any) -> bool:
    """Say whether an argument is, or lists, something that makes an array one of objects."""
    if isinstance(node, (gast.List, gast.Tuple)):
        return any(map(_is_no_number, node.elts))
    nothing = isinstance(node, gast.Constant) and node.value is None
    return nothing or isinstance(node, (gast.Dict, gast.Lambda))


def _is_cast(call: Any) -> bool:
    return isinstance(call.func, gast.Attribute) and call.func.attr == "astype" and bool(call.args)


def _type_said(known: Primitive, call: Any) -> Any:
    """Return the expression of the type that a function is told to make an array of, or None."""
    given = {item.arg: item.value for item in call.keywords}
    place = known.dtype
    told = None if place is None or place >= len(call.args) else call.args[place]
    return given.get("dtype", told)


def _kind(node: Any, program: Program, depth: int = 3) -> str | None:
    """Return what an array of a type holds in the place of floats, if the type is known."""
    if isinstance(node, (gast.List, gast.Dict)):
        return "records"
    if isinstance(node, gast.Call) and program.reader.scope.resolve(node.func) is np.dtype:
        return _kind(node.args[0], program, depth) if node.args else None
    kind = program.reader.scope.resolve(node)
    kind = node.value if isinstance(node, gast.Constant) else kind
    if kind is MISSING and isinstance(node, gast.Name) and depth:
        bound = [
            item.value
            for item in statements(program.body)
            if isinstance(item, gast.Assign)
            and node.id in [name for target in item.targets for name in names_bound(target)]
        ]
        return _kind(bound[0], program, depth - 1) if len(bound) == 1 else None
    try:
        return None if kind is MISSING or kind is None else _UNFIT.get(np.dtype(kind).kind)
    except TypeError:
        return None


def _has_integers(known: Primitive, given: list[Any]) -> bool:
    """Say whether an array is made of integers that stand in the call."""
    args = given[1:2] if known.shape == "told" else given
    plain = (gast.Constant, gast.List, gast.Tuple, gast.UnaryOp, gast.USub, gast.Load)
    nodes = [node for arg in args for node in walk(arg)]
    numbers = [node.value for node in nodes if isinstance(node, gast.Constant)]
    literal = all(isinstance(node, plain) for node in nodes)
    return literal and bool(numbers) and all(isinstance(item, int) for item in numbers)
