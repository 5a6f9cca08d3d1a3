"""Describes a call of a function with a rule, and checks the rule against differences."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcgrad.rules.base import Context
from srcgrad.rules.library import canonical_name, rule_for


@dataclass(frozen=True)
class Draw:
    """An argument that carries a derivative: random numbers of a shape, or one Python number."""

    shape: tuple[int, ...] | None
    low: float = 0.2
    high: float = 0.9
    complex: bool = False
    symmetric: bool = False
    spd: bool = False

    def make(self, rng: np.random.Generator) -> Any:
        shape = self.shape or ()
        value = rng.uniform(self.low, self.high, shape)
        if self.complex:
            value = value + 1j * rng.uniform(self.low, self.high, shape)
        if self.spd:
            value = value @ np.swapaxes(value, -1, -2).conj() + np.eye(shape[-1])
        if self.symmetric:
            value = value + np.swapaxes(value, -1, -2).conj()
        if self.shape is None:
            return complex(value) if self.complex else float(value)
        return value


def A(*shape: int, low: float = 0.2, high: float = 0.9, **options: Any) -> Draw:
    """An array of real numbers."""
    return Draw(shape, low, high, **options)


def C(*shape: int) -> Draw:
    """An array of complex numbers."""
    return Draw(shape, complex=True)


def S(low: float = 0.2, high: float = 0.9) -> Draw:
    """A Python float."""
    return Draw(None, low, high)


@dataclass(frozen=True)
class OpSpec:
    """One call of `fn` that its rule must differentiate.

    Attributes:
        fn: The function that has the rule.
        args: Its arguments; a `Draw`, also within a list, stands for numbers that are varied.
        kwargs: Its keyword arguments, likewise.
        squared: Outputs that are determined up to a phase: their squared sizes are compared.
        single: Whether float32 must stay float32.
        out_index: Only these outputs carry derivatives; None for all.
        tolerance: How far the gradient may be from the differences.
    """

    fn: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    squared: tuple[int, ...] = ()
    single: bool = True
    out_index: tuple[int, ...] | None = None
    tolerance: float = 1e-6

    @functools.cached_property  # it is asked for by each of a hundred thousand tests
    def label(self) -> str:
        options = ",".join(f"{key}={value}" for key, value in self.kwargs.items())
        shapes = ",".join(_describe(arg) for arg in self.args)
        return f"{canonical_name(self.fn)}({shapes}{',' if options else ''}{options})"[:110]

    @property
    def reads_memory(self) -> bool:
        """Whether the layout of the arguments in memory is part of what the call means."""
        by_strides = self.fn is np.lib.stride_tricks.as_strided
        return by_strides or bool(self.kwargs.get("order") == "K")

    def make_args(self, rng: np.random.Generator) -> tuple[list[Any], dict[str, Any], list[Any]]:
        """Return arguments, keyword arguments, and the places (numbers, names) of active ones."""
        args = [_make(arg, rng) for arg in self.args]
        kwargs = {key: _make(value, rng) for key, value in self.kwargs.items()}
        return args, kwargs, self.active

    @property
    def active(self) -> list[Any]:
        """The places (numbers, names) of the arguments that carry derivatives."""
        active: list[Any] = [place for place, arg in enumerate(self.args) if _draws(arg)]
        return active + [key for key, value in self.kwargs.items() if _draws(value)]


def op(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> OpSpec:
    """One line of the table of specs; options of the spec begin with an underscore."""
    options = {key[1:]: kwargs.pop(key) for key in list(kwargs) if key.startswith("_")}
    return OpSpec(fn, args, kwargs, **options)


def _describe(arg: Any) -> str:
    if isinstance(arg, Draw):
        kind = "c" if arg.complex else ""
        return "float" if arg.shape is None else kind + "x".join(map(str, arg.shape)) or "0d"
    if isinstance(arg, (list, tuple)) and _draws(arg):
        return "[" + ",".join(_describe(item) for item in arg) + "]"
    if callable(arg):
        return str(getattr(arg, "__name__", type(arg).__name__))
    return str(arg).replace("\n", "")[:30]


def _draws(arg: Any) -> bool:
    if isinstance(arg, (list, tuple)):
        return any(_draws(item) for item in arg)
    return isinstance(arg, Draw)


def _make(arg: Any, rng: np.random.Generator) -> Any:
    if isinstance(arg, Draw):
        return arg.make(rng)
    if isinstance(arg, (list, tuple)) and _draws(arg):
        return type(arg)(_make(item, rng) for item in arg)
    return arg


# --- running a rule by hand -----------------------------------------------------------------------


@dataclass
class Call:
    """One call of a rule, with its context."""

    rule: Any
    args: list[Any]
    kwargs: dict[str, Any]
    active: list[Any]
    context: Context
    output: Any
    names: list[str]

    @classmethod
    def of(cls, spec: OpSpec, args: list[Any], kwargs: dict[str, Any], active: list[Any]) -> Call:
        rule = rule_for(spec.fn)
        assert rule is not None, f"{spec.fn} has no rule"
        signature = inspect.signature(rule.forward)
        bound = signature.bind(None, *args, **kwargs)
        bound.apply_defaults()
        names, flags = [], []
        wanted = {id(kwargs[key] if isinstance(key, str) else args[key]) for key in active}
        for name, value in list(bound.arguments.items())[1:]:
            kind = signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_POSITIONAL:
                names += [f"{name}[{i}]" for i in range(len(value))]
                flags += [id(item) in wanted for item in value]
            elif kind is not inspect.Parameter.VAR_KEYWORD:
                names.append(name)
                flags.append(id(value) in wanted)
        context = Context(tuple(flags))
        bound.arguments["ctx"] = context
        output = rule.forward(*bound.args, **bound.kwargs)
        return cls(rule, args, kwargs, active, context, output, names)

    @classmethod
    def drawn(cls, spec: OpSpec) -> Call:
        """Return a call with the numbers of a spec."""
        return cls.of(spec, *spec.make_args(np.random.default_rng(0)))

    def places(self) -> list[Any]:
        """Return the places of active arguments in the order of the parameters."""
        wanted = {
            id(self.kwargs[k] if isinstance(k, str) else self.args[k]): k for k in self.active
        }
        return [wanted[id(value)] for value in self.inputs()]

    def backward(self, grads: tuple[Any, ...]) -> list[Any]:
        """Return the gradient of each active argument."""
        result = self.rule.backward(self.context, *grads)
        parts = result if isinstance(result, tuple) else (result,)
        assert len(parts) <= len(self.names), "more gradients than arguments"
        padded = [*parts, *[None] * (len(self.names) - len(parts))]
        flags = self.context.needs_input_grad
        return [part for part, flag in zip(padded, flags, strict=True) if flag]

    def inputs(self) -> list[Any]:
        """Return the active arguments, in the order of the parameters."""
        by_id = {id(v): v for v in [*self.args, *self.kwargs.values()]}
        bound = inspect.signature(self.rule.forward).bind(None, *self.args, **self.kwargs)
        bound.apply_defaults()
        values: list[Any] = []
        for name, value in list(bound.arguments.items())[1:]:
            kind = inspect.signature(self.rule.forward).parameters[name].kind
            if kind is inspect.Parameter.VAR_POSITIONAL:
                values += value
            elif kind is not inspect.Parameter.VAR_KEYWORD:
                values.append(value)
        assert by_id is not None
        return [v for v, flag in zip(values, self.context.needs_input_grad, strict=True) if flag]


def as_outputs(output: Any) -> tuple[Any, ...]:
    """Return the outputs of a function as a tuple."""
    return tuple(output) if isinstance(output, (tuple, list)) else (output,)


def leaves(value: Any) -> Iterator[Any]:
    """Yield the numbers and arrays in nested lists, in order."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from leaves(item)
    else:
        yield value


def gradient_leaves(grad: Any, value: Any) -> Iterator[Any]:
    """Yield the gradient of each leaf of `value`; that of a list may be an array of rows."""
    if isinstance(value, (list, tuple)):
        for part, item in zip(grad, value, strict=True):
            yield from gradient_leaves(part, item)
    else:
        yield grad


def rebuild(value: Any, replacement: Iterator[Any]) -> Any:
    """Return nested lists like `value` with other leaves."""
    if isinstance(value, (list, tuple)):
        return type(value)(rebuild(item, replacement) for item in value)
    return next(replacement)


class Loss:
    """A random real number made of the outputs of a function."""

    def __init__(self, spec: OpSpec, output: Any, rng: np.random.Generator) -> None:
        self.spec = spec
        self.weights = [self._weight(out, rng) for out in as_outputs(output)]

    def _weight(self, out: Any, rng: np.random.Generator) -> Any:
        if isinstance(out, (list, tuple)):
            return [self._weight(item, rng) for item in out]
        weight = rng.uniform(0.5, 1.5, np.shape(out))
        if np.iscomplexobj(out):
            weight = weight + 1j * rng.uniform(0.5, 1.5, np.shape(out))
        return weight

    def _used(self, place: int) -> bool:
        return self.spec.out_index is None or place in self.spec.out_index

    def __call__(self, output: Any) -> float:
        total = 0.0
        for place, (out, weight) in enumerate(zip(as_outputs(output), self.weights, strict=True)):
            if self._used(place):
                for leaf, part in zip(leaves(out), leaves(weight), strict=True):
                    value = np.abs(leaf) ** 2 if place in self.spec.squared else leaf
                    total += float(np.sum(np.real(np.conj(part) * value)))
        return total

    def grads(self, output: Any) -> tuple[Any, ...]:
        """Return the gradient of the loss in each output, as an engine would pass it."""
        pairs = enumerate(zip(as_outputs(output), self.weights, strict=True))
        return tuple(
            self._grad(out, weight, squared=place in self.spec.squared)
            if self._used(place)
            else None
            for place, (out, weight) in pairs
        )

    def _grad(self, out: Any, weight: Any, *, squared: bool) -> Any:
        if isinstance(out, (list, tuple)):
            pairs = zip(out, weight, strict=True)
            return type(out)(self._grad(item, part, squared=squared) for item, part in pairs)
        part = 2 * np.real(weight) * out if squared else weight
        if isinstance(out, (np.ndarray, np.generic)):
            part = np.asarray(part).astype(out.dtype if out.dtype.kind in "fc" else float)
            return part[()] if isinstance(out, np.generic) else part
        return complex(part) if isinstance(out, complex) else float(part)


def numeric_gradient(call: Callable[[Any], float], leaf: Any, step: float = 2e-4) -> Any:
    """Return the gradient of `call` at `leaf` by central differences of fourth order."""
    base = np.array(leaf, dtype=complex if np.iscomplexobj(leaf) else float)
    grad = np.zeros_like(base)
    for index in np.ndindex(base.shape):
        for unit in (1, 1j) if np.iscomplexobj(base) else (1,):

            def at(move: float, index: Any = index, unit: Any = unit) -> float:
                moved = base.copy()
                moved[index] += move * unit
                return call(_like(moved, leaf))

            near, far = at(step) - at(-step), at(2 * step) - at(-2 * step)
            grad[index] += unit * (8 * near - far) / (12 * step)
    return grad


def numeric_slope(call: Callable[[Any], float], leaf: Any, way: Any, step: float = 2e-4) -> float:
    """Return the derivative of `call` at `leaf` along `way` by central differences."""
    base = np.asarray(leaf)

    def at(move: float) -> float:
        return call(_like(base + move * way, leaf))

    return (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step)


def random_way(leaf: Any, rng: np.random.Generator) -> Any:
    """Return a direction in which no number stands still."""
    signs = rng.choice((-1.0, 1.0), np.shape(leaf))
    way = signs * rng.uniform(0.5, 1.5, np.shape(leaf))
    turn = rng.uniform(0.5, 1.0, np.shape(leaf))
    return way * np.exp(1j * turn) if np.iscomplexobj(leaf) else way


def along_way(grad: Any, way: Any) -> float:
    """Return the change that a gradient tells along a direction."""
    return float(np.sum(np.real(np.conj(grad) * way)))


def _like(moved: Any, leaf: Any) -> Any:
    if isinstance(leaf, np.ndarray):
        return np.asarray(moved)
    return complex(moved) if isinstance(leaf, complex) else float(moved)


def replaced(leaf: Any, move: Any) -> Any:
    """Return a leaf that is moved, as a number or an array as it is."""
    return _like(np.asarray(leaf) + move, leaf)


def check_rule(spec: OpSpec, seed: int = 0, transform: Callable[[Any], Any] | None = None) -> None:
    """Compare the gradients that the rule of a spec gives with differences of its function."""
    rng = np.random.default_rng(seed)
    args, kwargs, active = spec.make_args(rng)
    if transform is not None:
        args = [_apply(arg, transform) if i in active else arg for i, arg in enumerate(args)]
    check_call(spec, Call.of(spec, args, kwargs, active), rng)


def check_call(spec: OpSpec, call: Call, rng: np.random.Generator) -> None:
    """Compare the gradients that one call of a rule gives with differences of its function."""
    args, kwargs = call.args, call.kwargs
    loss = Loss(spec, call.output, rng)
    parts = call.backward(loss.grads(call.output))
    for key, value, part in zip(call.places(), call.inputs(), parts, strict=True):
        assert part is not None, f"no gradient for argument {key!r}"
        for place, (leaf, grad) in enumerate(
            zip(leaves(value), gradient_leaves(part, value), strict=True)
        ):
            if np.asarray(leaf).dtype.kind in "fc":
                compare(spec, args, kwargs, loss, (key, value, place), leaf, grad)


def _apply(arg: Any, transform: Callable[[Any], Any]) -> Any:
    if isinstance(arg, (list, tuple)):
        return type(arg)(_apply(item, transform) for item in arg)
    return transform(arg)


def compare(
    spec: OpSpec,
    args: list[Any],
    kwargs: dict[str, Any],
    loss: Loss,
    where: tuple[Any, Any, int],
    leaf: Any,
    grad: Any,
) -> None:
    """Compare one gradient with the difference of the function itself along one direction."""
    key, value, place = where

    def at(moved: Any) -> float:
        items = list(leaves(value))
        items[place] = moved
        changed = rebuild(value, iter(items))
        if isinstance(key, str):
            return loss(spec.fn(*args, **{**kwargs, key: changed}))
        return loss(spec.fn(*args[:key], changed, *args[key + 1 :], **kwargs))

    assert np.shape(grad) == np.shape(leaf), f"{key}: {np.shape(grad)} for {np.shape(leaf)}"
    way = random_way(leaf, np.random.default_rng(5))
    expected, found = numeric_slope(at, leaf, way), along_way(grad, way)
    size = min(1.0, max(1e-4, float(np.sum(np.abs(grad)))))
    np.testing.assert_allclose(found, expected, rtol=spec.tolerance, atol=spec.tolerance * size)
