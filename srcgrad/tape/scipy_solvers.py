"""Lets tensors be handed on to SciPy's solvers that return an object of results."""

from __future__ import annotations

import functools
import importlib
import inspect
from typing import Any

from srcgrad.errors import MissingRuleError, NotDifferentiableError
from srcgrad.runtime.results import Solver, bound_by_name, rule_and_options, solver_of
from srcgrad.tape.callers import call_recorded, has_tensor
from srcgrad.tape.closing import Closure, closing_over
from srcgrad.tape.core import Core
from srcgrad.tape.refusing import refusal


def recording_solver(function: Any) -> Any:
    """Return a solver that takes tensors as `args`, and as the start, which plays no part."""
    solver = solver_of(function)

    @functools.wraps(function, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        args = tuple(map(closing_over, args))
        kwargs = {name: closing_over(value) for name, value in kwargs.items()}
        every = (*args, *kwargs.values())
        closure = Closure(every)
        if solver is None or not (closure.given or has_tensor(every)):
            called = {name: _called_plainly(value) for name, value in kwargs.items()}
            return function(*map(_called_plainly, args), **called)
        bound = bound_by_name(function, args, kwargs)
        _check(function.__name__, solver, bound)
        with closure.plain(plain):
            found = function(**{name: _called_plainly(plain(v)) for name, v in bound.items()})
        bound[solver.function] = closure.taking(bound[solver.function])
        if closure.given:
            bound["args"] = (*_handed_on(bound), *closure.given)
        return RecordedResult(function.__name__, solver, bound, found)

    return call


def recording_caller(function: Any, place: int) -> Any:
    """Return a function that calls the functions it is given with `args`, which may be tensors."""
    signature = inspect.signature(function)

    @functools.wraps(function, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        args = tuple(map(closing_over, args))
        kwargs = {name: closing_over(value) for name, value in kwargs.items()}
        every = (*args, *kwargs.values())
        closure = Closure(every)
        if not (closure.given or has_tensor(every)):
            return function(*args, **kwargs)
        bound = signature.bind(*args, **kwargs).arguments
        if function.__name__ == "newton" and isinstance(bound.get("args"), list):
            bound["args"] = tuple(bound["args"])  # which is handed on one by one, too
        given = {k: closure.taking(v) if _is_function(v) else v for k, v in bound.items()}
        if closure.given:
            given["args"] = (*_handed_on(given), *closure.given)
        names = list(signature.parameters)[:place]
        first = [given.pop(name) for name in names if name in given]
        return call_recorded(function, tuple(first), given)

    return call


def _is_function(value: Any) -> bool:
    return callable(value) and not isinstance(value, (type, Core))


def _check(name: str, solver: Solver, bound: dict[str, Any]) -> None:
    for parameter, way_out in solver.refused:
        if bound.get(parameter) not in (None, False, (), {}, []):
            raise MissingRuleError(
                f"`{name}` with `{parameter}=` has no derivative rule", hint=way_out
            )
    for parameter in solver.held:
        if has_gradient(bound.get(parameter)):
            raise MissingRuleError(
                f"`{name}` has no derivative rule in its `{parameter}`", hint="keep it constant"
            )


class RecordedResult:
    """What a solver returned, with its numbers as tensors."""

    def __init__(self, name: str, solver: Solver, bound: dict[str, Any], found: Any) -> None:
        self._name = name
        self._solver = solver
        self._bound = bound
        self._found = found
        for attribute, rule in (solver.solution, *solver.others):
            setattr(self, attribute, self._number(attribute, rule))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in self._solver.constant:
            return getattr(self._found, name)
        solver = self._solver
        known = (solver.solution[0], *(other for other, _ in solver.others), *solver.constant)
        raise MissingRuleError(
            f"the attribute `{name}` of what `{self._name}` returns has no derivative rule",
            hint=f"there are {', '.join(known)}",
        )

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def _number(self, name: str, rule: str) -> Any:
        rules = importlib.import_module(f"srcgrad.rules.scipy.{self._solver.file}")
        bound, solution = self._bound, self._solver.solution[0]
        rule, options = rule_and_options(rule, bound)
        x = () if name == solution else (getattr(self, solution),)
        found, func = getattr(self._found, name), bound[self._solver.function]
        options = {key: plain(value) for key, value in options.items()}
        operands = [bound[key] for key in self._solver.operands]
        operands += [getattr(self._found, key) for key in self._solver.beside]
        given = (found, func, *operands, *x, _args_of(bound))
        return call_recorded(getattr(rules, rule).apply, given, options)


def plain(value: Any) -> Any:
    """Return what a tensor holds, also in lists and tuples."""
    if isinstance(value, Core):
        return value._array if value._array.ndim else value._array[()]
    if isinstance(value, (list, tuple)):
        return type(value)(map(plain, value))
    return value


def _called_plainly(function: Any) -> Any:
    """Return a function as SciPy may call it: with plain results; other values stay."""
    if not callable(function) or isinstance(function, type):
        return function

    @functools.wraps(function, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        value = function(*args, **kwargs)
        if has_gradient(value):
            raise refusal(
                NotDifferentiableError,
                "a function that SciPy calls closes over what a gradient is asked for",
                "hand it on through `args=`",
            )
        return plain(value)

    return call


def has_gradient(value: Any) -> bool:
    """Say whether a value is a tensor that a gradient is asked for, or holds one."""
    if isinstance(value, (list, tuple)):
        return any(map(has_gradient, value))
    return isinstance(value, Core) and bool(value.requires_grad)


def _args_of(bound: dict[str, Any]) -> Any:
    args = bound.get("args", ())
    return () if args is None else args


def _handed_on(bound: dict[str, Any]) -> tuple[Any, ...]:
    """Return what SciPy hands on: a tuple, or the one thing that was given instead."""
    args = _args_of(bound)
    return args if isinstance(args, tuple) else (args,)
