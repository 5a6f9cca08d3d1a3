"""Runs programs in normal form, and looks whether what analyses say of their values holds."""

from __future__ import annotations

import copy
import inspect
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import numpy as np

import srcgrad as sg
from srcgrad.analyses.absent_values import named_first
from srcgrad.analyses.float_names import float_names
from srcgrad.analyses.shifts import taken_off
from srcgrad.codegen.printer import to_source
from srcgrad.compiler import derivation
from srcgrad.compiler.conditions import in_words_of_arguments
from srcgrad.errors import LEFT_OUT_SAYS
from srcgrad.ir import gast
from srcgrad.ir.build import load
from srcgrad.ir.program import bound_names
from srcgrad.runtime import refuse_integers
from srcgrad.runtime.adjoints import same_kind
from tests.differences import copied
from tests.programs.corpus import Program

Bindings = dict[str, list[Any]]


@dataclass
class Found:
    """A program in normal form, and what was said of its names before it was derived."""

    name: str
    text: str
    scope: dict[str, Any]
    conditions: tuple[str, ...]
    integers: set[str]
    numbers: set[str]
    arrays: set[str]
    floats: set[str]
    axes: dict[str, tuple[Any, ...]]
    steady: set[str]
    late: frozenset[str] = frozenset()  # None at first, of which nothing is said
    bindings: Bindings = field(default_factory=dict)

    def wrong(self, args: dict[str, Any]) -> Iterator[str]:
        """Yield what was said and is not so, of all values that names were bound to."""
        for name, values in self.bindings.items():
            for value in values:
                if value is None and name in self.late:
                    continue
                if name in self.integers and not isinstance(value, (int, np.integer)):
                    yield f"{name} is no integer: {value!r}"
                if name in self.numbers and np.shape(value):
                    yield f"{name} is no number: {value!r}"
                if name in self.arrays and not np.ndim(getattr(value, "T", None)):
                    yield f"{name} is no array with axes: {value!r}"
                if name in self.floats and not _all_floats(value):
                    yield f"{name} is no float: {value!r}"
                if name in self.axes and _is_array(value):
                    yield from _axes_wrong(name, value, self.axes[name], args)


def _axes_wrong(name: str, value: Any, axes: tuple[Any, ...], args: dict[str, Any]) -> Any:
    shape = np.shape(value)
    if len(shape) != len(axes):
        yield f"{name} has {len(shape)} axes, not {axes}"
        return
    for length, axis in zip(shape, axes, strict=True):
        said = size(axis, args)
        if said is not None and said != length:
            yield f"{name} has the shape {shape}, not {axes}"


def size(length: Any, args: dict[str, Any]) -> int | None:
    """Return how long a length is for some arguments; None if that is not known."""
    if length is None or isinstance(length, int):
        return length
    if len(length) == 2:
        try:
            value = eval(length[0], {}, args)
        except (SyntaxError, KeyError, NameError):
            return None
        return int(value) if length[1] == "value" else np.shape(value)[length[1]]
    kind, whole, rest = length
    if kind == "apart":
        return _size_of_sum(whole, rest, args)
    known = size(whole, args)
    if known is None or kind == "cut":
        return None
    if kind == "less":
        return max(0, known - rest)
    if kind == "part":
        end = size(rest[1], args)
        missing = end is None and rest[1] is not None
        return None if missing else len(range(known)[slice(rest[0], end, rest[2])])
    assert kind == "share"
    return known // rest[1] * rest[0]


def _size_of_sum(terms: Any, constant: int, args: dict[str, Any]) -> int | None:
    """Return how long a sum of lengths is for some arguments; None if that is not known."""
    total = constant
    for item, times in terms:
        found = size(item, args)
        if found is None:
            return None
        total += found * times
    return max(0, total)


def _is_array(value: Any) -> bool:
    return isinstance(value, (np.ndarray, np.generic, float, int))


def _all_floats(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_all_floats, value.values()))
    if value is None or isinstance(value, (str, list, tuple)):
        return True  # nothing is stored in texts, and what is stored in lists is kept as it is
    kind = getattr(getattr(value, "dtype", None), "kind", "none")
    return isinstance(value, (float, complex)) or kind in ("f", "c", "O")


def found_of(program: Program, args: tuple[Any, ...]) -> list[Found]:
    """Return what is found of a program and its helpers when a gradient is called."""
    found: list[Found] = []
    original = derivation.Derivation._facts

    def noting(self: Any, outputs: Any, *, is_number: bool) -> Any:
        facts = original(self, outputs, is_number=is_number)
        found.append(_noted(self, facts))
        return facts

    derivation.Derivation._facts = noting  # type: ignore[method-assign]
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            gradient = sg.grad(program.function, program.argnums, fallback="error")
            with suppress(sg.UnsupportedError):  # there is none for all shapes
                gradient.source  # noqa: B018 - asked for, it is made
            gradient(*args)
    finally:
        derivation.Derivation._facts = original  # type: ignore[method-assign]
    return [item for item in found if item.name == program.function.__name__]


def _noted(derived: Any, facts: Any) -> Found:
    program = derived.program
    names = {*program.parameters, *bound_names(program.body)}
    function = gast.parse(f"def {program.name}(): pass").body[0]
    function.args, function.body = (
        copy.deepcopy(program.arguments),
        copy.deepcopy([*program.reads, *program.body]),
    )
    scope = {
        "refuse_integers": refuse_integers,
        "same_kind": same_kind,
        **derived.source.function.__globals__,
    }
    scope |= {n: b.value for n, b in program.reader.scope.used.items()}
    axes = {name: facts.dimensions.of(load(name)) for name in names}
    return Found(
        program.name,
        to_source(gast.Module([function], [])),
        scope,
        tuple(in_words_of_arguments(derived.conditions, derived.source)),
        set(facts.integers.names),
        set(derived.kinds.numbers),
        set(derived.kinds.arrays),
        set(float_names(program)),
        {name: found for name, found in axes.items() if found is not None},
        names - facts.activity.varied - taken_off(program, facts.dimensions.rank, ()),
        named_first(program),
    )


def _holds(condition: str, given: dict[str, Any]) -> bool:
    try:
        return bool(eval(condition, {"np": np, "len": len}, given))
    except (AttributeError, TypeError, KeyError, IndexError):  # of arguments of another kind
        return False


def run(found: Found, args: tuple[Any, ...]) -> dict[str, Any] | None:
    """Run a program in normal form and keep what its names were bound to; return its arguments.

    None if it takes something for granted that is not so, or comes by a part that is left out.
    """
    scope = dict(found.scope)
    exec(compile(found.text, f"<{found.name}>", "exec"), scope)
    function: FunctionType = scope[found.name]
    bound = inspect.signature(function).bind(*copied(args))
    bound.apply_defaults()
    given = dict(bound.arguments)
    known = {**found.scope, **given}
    if not all(_holds(item, known) for item in found.conditions):
        return None
    before: dict[str, int] = {}

    def look(frame: Any, event: str, _: Any) -> Any:
        if frame.f_code is not function.__code__:
            return None
        for name, value in frame.f_locals.items():
            if before.get(name) != id(value):
                before[name] = id(value)
                found.bindings.setdefault(name, []).append(value)
        return look

    try:
        _traced(lambda: function(*copied(args)), look)
    except NotImplementedError as error:
        if not str(error).startswith(LEFT_OUT_SAYS):
            raise
        return None
    return given


def _traced(work: Callable[[], Any], look: Any) -> None:
    tracing = sys.gettrace()
    sys.settrace(look)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            work()
    finally:
        sys.settrace(tracing)
