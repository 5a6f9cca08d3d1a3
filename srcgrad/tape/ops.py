"""Compiles a derivative rule, once, into what the tape calls quickly."""

from __future__ import annotations

import inspect
import math
import types
from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np

from srcgrad.errors import MissingRuleError
from srcgrad.rules.base import Elementwise, Function, Pointwise
from srcgrad.rules.library import calculates_in_integers, canonical_name, is_default, rule_for
from srcgrad.rules.records import primitive_of
from srcgrad.runtime import conj, unbroadcast
from srcgrad.tape.core import Core
from srcgrad.tape.math_calls import recording_math
from srcgrad.tape.names import node_name
from srcgrad.tape.partials import PARTIALS, PartialsNode
from srcgrad.tape.refusing import refusal
from srcgrad.tape.rulenode import BinaryNode, ElementwiseNode, RuleNode
from srcgrad.tape.scipy_calls import is_scipy, recording
from srcgrad.tape.selection import SELECTORS


def _shape(value: Any) -> tuple[int, ...]:
    """Return what np.shape does, without its dispatch."""
    return value.shape if type(value) is np.ndarray else np.shape(value)


def _conj(x: Any) -> Any:
    """Return what the runtime's conj does; arrays of real numbers, the usual case, first."""
    return x if type(x) is np.ndarray and x.dtype.kind == "f" else conj(x)


def _unbroadcast(grad: Any, like: Any) -> Any:
    """Return what the runtime's unbroadcast does; arrays of that shape, the usual case, first."""
    if type(grad) is np.ndarray and grad.shape == like:
        return grad
    return unbroadcast(grad, like)


def _fast_numpy() -> types.ModuleType:
    """Return a copy of NumPy's namespace in which questions about arrays cost little."""
    module = types.ModuleType("numpy")
    module.__dict__.update(np.__dict__)
    module.__dict__["shape"] = _shape
    return module


_QUICK = {
    "np": (np, _fast_numpy()),
    "math": (math, recording_math()),
    "conj": (conj, _conj),
    "unbroadcast": (unbroadcast, _unbroadcast),
}


def helper_behind(value: Any) -> Any:
    """Return the helper of the runtime that one which asks for the usual case first stands for."""
    return next((known for known, quick in _QUICK.values() if quick is value), value)


def _rebound(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` with helpers that ask for the usual case first."""
    if not isinstance(function, types.FunctionType):
        return function
    if function in _COPIES:
        return cast("Callable[..., Any]", _COPIES[function])
    scope = dict(function.__globals__)
    for name, (known, quick) in _QUICK.items():
        if scope.get(name) is known:
            scope[name] = quick
    copy = _COPIES[function] = types.FunctionType(
        function.__code__.replace(),
        scope,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    let_scipy_record(scope)
    return copy


def recording_scipy(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of SciPy, or one that is written out with them, whose calls record."""
    if is_scipy(function):
        return recording(function)  # type: ignore[no-any-return]
    return _rebound(function) if _calls_scipy(function) else function


def let_scipy_record(scope: dict[str, Any]) -> None:
    """Put recording functions in the place of SciPy's, and of helpers that call them."""
    for name, value in list(scope.items()):
        if name.startswith("__"):
            continue
        if is_scipy(value):
            scope[name] = recording(value)
        elif _calls_scipy(value):
            scope[name] = _rebound(value)


def _calls_scipy(value: Any) -> bool:
    """Say whether a value is a helper that calls SciPy, and records no call of its own."""
    module = getattr(value, "__module__", None) or ""
    ours = module.startswith(("srcgrad.runtime.scipy.", "srcgrad.rules.scipy."))
    helper = isinstance(value, types.FunctionType) and ours
    return helper and not hasattr(value, "__srcgrad_rule__")


_COPIES: dict[Any, Any] = {}


def _backward(rule: type[Function]) -> Callable[..., Any]:
    """Return the backward of a rule; of those that are formulas, written out anew."""
    if issubclass(rule, Pointwise):
        return cast("Callable[..., Any]", rule.backward_by(_rebound(rule.partials)))
    if issubclass(rule, Elementwise):
        return cast("Callable[..., Any]", rule.backward_by(_rebound(rule.slope)))
    return _rebound(rule.backward)


_ROWS: Mapping[Callable[..., Any], tuple[int, ...]] = {
    **dict.fromkeys((np.concatenate, np.stack, np.hstack, np.vstack, np.dstack), (0,)),
    **dict.fromkeys((np.column_stack, np.linalg.multi_dot, math.fsum, math.prod), (0,)),
    **dict.fromkeys((np.select, np.choose), (1,)),
    math.dist: (0, 1),
}  # their rules know lists alone


class Op:
    """One primitive as the tape calls it.

    Attributes:
        primal: The function itself, for calls that need not be recorded.
        forward, backward: The rule's static methods.
        node_class: The class of nodes that calls make, named as PyTorch names it.
        partials, keep, partials_class: The rule written out, if it is, and the nodes that use it.
        single: It is a ufunc with one operand and one result.
        slope: For elementwise rules, the derivative of input or output (`reads_output`).
        rows: The places of parameters that stand for several values, each with a gradient.
    """

    __slots__ = (
        "backward",
        "defaults",
        "forward",
        "jvp",
        "keep",
        "label",
        "names",
        "node_class",
        "options",
        "partials",
        "partials_class",
        "positional",
        "primal",
        "reads_output",
        "rows",
        "rule",
        "single",
        "slope",
        "takes_dtype",
        "varargs",
    )

    def __init__(self, primal: Callable[..., Any], rule: type[Function], name: str = "") -> None:
        self.primal = primal
        self.rule = rule
        self.label = name or canonical_name(primal)
        self.forward = _rebound(rule.forward)
        self.backward = _backward(rule)
        pushes: Callable[..., Any] | None = getattr(rule, "jvp", None)
        self.jvp = None if pushes is None else _rebound(pushes)
        self.slope: Callable[[Any], Any] | None = None
        self.reads_output = False
        if issubclass(rule, Elementwise):
            self.slope = _rebound(rule.slope)
            self.reads_output = rule.slope.__code__.co_varnames[0] == "y"
        self._read_signature()
        self.rows = _ROWS.get(primal, ())
        self.single = self._is_ufunc(1)
        self.node_class = self._node_class(node_name(self.label))
        self.partials = PARTIALS.get(primal)
        self.keep = None if self.partials is None else self.partials.keep
        self.partials_class = self._partials_class()

    def _read_signature(self) -> None:
        kinds = inspect.Parameter
        parameters = list(inspect.signature(self.rule.forward).parameters.values())[1:]
        self.varargs = any(p.kind is kinds.VAR_POSITIONAL for p in parameters)
        self.options = any(p.kind is kinds.VAR_KEYWORD for p in parameters)
        named = [p for p in parameters if p.kind not in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD)]
        self.names = tuple(p.name for p in named)
        self.defaults = tuple(p.default for p in named)
        self.takes_dtype = "dtype" in self.names
        self.positional = sum(p.kind is not kinds.KEYWORD_ONLY for p in named)

    def _node_class(self, name: str) -> type[RuleNode]:
        base: type[RuleNode] = RuleNode
        if self.slope is not None:
            base = ElementwiseNode
        elif self._is_ufunc(2):
            base = BinaryNode
        members = {"__slots__": (), "op": self, "rule_backward": staticmethod(self.backward)}
        if self.primal in SELECTORS or primitive_of(self.primal).picks:
            members["_special"] = members["_selects"] = True
        if self.slope is not None:
            members["slope"] = staticmethod(self.slope)
        return cast("type[RuleNode]", type(name, (base,), members))

    def _is_ufunc(self, operands: int) -> bool:
        primal = self.primal
        return isinstance(primal, np.ufunc) and (primal.nin, primal.nout) == (operands, 1)

    def _partials_class(self) -> type[RuleNode]:
        if self.partials is None:
            return self.node_class
        _, left, right = self.partials
        members = {"__slots__": (), "left": staticmethod(left), "right": staticmethod(right)}
        bases = (PartialsNode, self.node_class)
        return cast("type[RuleNode]", type(self.node_class.__name__, bases, members))

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[Any]:
        """Return one value for each parameter of the rule's forward.

        Raises:
            MissingRuleError: An argument that the rule does not know.
        """
        values = list(args)
        count = self.positional
        if len(values) > count and not self.varargs:
            raise self.refuse(f"{len(values)} positional arguments")
        values.extend(self.defaults[len(values) : count])
        last = len(values)  # key-word-only parameters come after all positional ones
        values.extend(self.defaults[count:])
        extra: dict[str, Any] = {}
        for key, value in kwargs.items():
            if key in self.names:
                place = self.names.index(key)
                values[place if place < count else last + place - count] = value
            elif self.options:
                extra[key] = value
            elif not is_default(self.primal, key, value):
                raise self.refuse(f"the argument {key!r}")
        if extra:
            values.append(extra)
        if self.takes_dtype:
            self._check_dtype(values)
        for name, value in zip(self.names, values, strict=False):
            if value is inspect.Parameter.empty:
                raise TypeError(f"{self.label}() misses the argument {name!r}")
        for place in self.rows:
            value = values[place]
            if isinstance(value, (Core, tuple)) and type(value) is not tuple:  # also one with names
                values[place] = list(value)
        return values

    def _check_dtype(self, values: list[Any]) -> None:
        """Refuse a dtype that what is differentiated is cut short to."""
        dtype = values[self.names.index("dtype")]
        if calculates_in_integers(self.primal, dtype):
            raise self.refuse("a dtype of integers, which cuts off the derivative")
        if dtype is None or self.rule.linear or np.dtype(dtype).kind != "f":
            return
        if any(isinstance(item, Core) and item._array.dtype.kind == "c" for item in values):
            raise self.refuse("a dtype of real numbers for complex ones")

    def split(self, values: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        """Return what `bind` returned as positional and named arguments."""
        only = self.names[self.positional :]
        if not only and not self.options:
            return values, {}
        extra: dict[str, Any] = {}
        if self.options and values and isinstance(values[-1], dict):
            values, extra = values[:-1], values[-1]
        place = len(values) - len(only)
        return values[:place], {**dict(zip(only, values[place:], strict=True)), **extra}

    def call_forward(self, node: Any, values: list[Any]) -> Any:
        """Call the rule's forward with one value for each parameter."""
        args, named = self.split(values)
        return self.forward(node, *args, **named)

    def call_primal(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Call the function itself."""
        return self.primal(*args, **kwargs)

    def refuse(self, what: str) -> MissingRuleError:
        """Return the error that says what the rule does not differentiate."""
        return refusal(
            MissingRuleError,
            f"{self.label} has no derivative rule for a call with {what}",
            "write the call with the arguments that its rule knows: " + ", ".join(self.names),
        )


_OPS: dict[Any, Op] = {}


def op_for(function: Any) -> Op | None:
    """Return the compiled rule of `function`, or None if it has none."""
    found = _OPS.get(function)
    if found is None:
        rule = rule_for(function)
        if rule is None:
            return None
        found = _OPS[function] = Op(function, rule)
    return found


def require_op(function: Any) -> Op:
    """Return the compiled rule of `function`.

    Raises:
        MissingRuleError: There is none.
    """
    op = op_for(function)
    if op is None:
        raise refusal(
            MissingRuleError,
            f"{canonical_name(function)} has no derivative rule",
            "write a srcgrad.autograd.Function for it, or call it on `t.detach()` if its "
            "result is meant to be a constant",
        )
    return op


def define(name: str, rule: type[Function], primal: Callable[..., Any]) -> Op:
    """Return the op of a rule that belongs to the tape itself, and make it known by its primal."""
    op = _OPS[primal] = Op(primal, rule, name)
    return op
