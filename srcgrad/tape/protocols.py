"""Answers NumPy's protocols: ufuncs (NEP 13), functions (NEP 18) and conversion to arrays."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from types import MethodType
from typing import Any

import numpy as np

from srcgrad.errors import MissingRuleError
from srcgrad.rules.equivalents import equivalent, why_not
from srcgrad.rules.library import canonical_name, constant_reason
from srcgrad.runtime import scatter, turns
from srcgrad.tape.apply import apply, as_given, binary, tensors_in, unary, unwrap
from srcgrad.tape.callers import set_caller
from srcgrad.tape.core import USUAL_OPERANDS, Core, requires_grad
from srcgrad.tape.inplace import check_writable, copy_in, replace, set_item
from srcgrad.tape.modes import STATE
from srcgrad.tape.nesting import Unrolled, to_array, with_row
from srcgrad.tape.operators import Operators, refuse_own_arithmetic
from srcgrad.tape.ops import Op, op_for, recording_scipy, require_op
from srcgrad.tape.plain import call_constant
from srcgrad.tape.refusing import detaching, refusal

Args = tuple[Any, ...]
Kwargs = Mapping[str, Any]


class _ForUfuncs:
    """What NumPy's ufuncs call, which masked arrays are told is not there.

    They would take the plain array out of a tensor; so they leave the operator to the tensor.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self._function
        if sys._getframe(1).f_globals.get("__name__", "").startswith("numpy.ma"):
            return None
        return MethodType(self._function, instance)


class Protocols(Operators):
    """What makes ``np.sin(tensor)`` record and ``np.asarray(tensor)`` refuse."""

    __slots__ = ()

    __array_priority__ = 1000.0

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Return the array itself, unless that would lose the derivative.

        Raises:
            RuntimeError: The tensor requires grad (NotDifferentiableError in strict mode).
        """
        if requires_grad(self):
            if STATE.strict:
                raise detaching(self, "a conversion to a plain array")
            raise RuntimeError(
                "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() "
                "instead."
            )
        array = self._array if dtype is None else self._array.astype(dtype, copy=False)
        return array.copy() if copy else array

    @property
    def _mask(self) -> Any:
        """Refuse masked arrays, which ask for it before they take the plain array of a tensor."""
        if STATE.strict or requires_grad(self):
            refuse_own_arithmetic(np.ma.MaskedArray)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute '_mask'")

    def numpy(self, *, force: bool = False) -> Any:
        """Return the array that the tensor holds.

        Raises:
            RuntimeError: The tensor requires grad and `force` is False.
        """
        return self._array if force else self.__array__()

    @_ForUfuncs
    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        for value in inputs:
            if type(value) not in USUAL_OPERANDS:
                refuse_own_arithmetic(type(value))
        if method != "at" and (type(inputs[0]) is list or type(inputs[-1]) is list):
            inputs = tuple(map(_as_array, inputs))
        if method == "__call__":
            if not kwargs and (op := op_for(ufunc)) is not None:
                if ufunc.nin == 2 and ufunc.nout == 1:
                    return binary(op, *inputs)
                return unary(op, inputs[0]) if ufunc.nin == 1 else apply(op, inputs)
            return _ufunc_call(ufunc, inputs, kwargs)
        return _ufunc_method(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Args, kwargs: Kwargs) -> Any:
        for kind in types:
            refuse_own_arithmetic(kind)
        handler = HANDLED.get(function)
        if handler is not None:
            return handler(*args, **kwargs)
        return call_function(function, args, kwargs)


def _as_array(value: Any) -> Any:
    """Return a list that NumPy would make an array of as that array."""
    return apply(require_op(np.array), (value,)) if isinstance(value, list) else value


def _of_arrays(value: Any) -> Any:
    """Return a sequence of arrays with arrays in the place of the lists of tensors in it."""
    if not isinstance(value, (list, tuple)):
        return with_row(value)
    rows = any(isinstance(item, Unrolled) for item in value)
    if not rows and not any(isinstance(i, (list, tuple)) and tensors_in(i) for i in value):
        return value
    items = [to_array(i) if isinstance(i, (list, tuple)) else with_row(i) for i in value]
    return type(value)(items) if type(value) in (list, tuple) else items


def call_function(function: Any, args: Args, kwargs: Kwargs) -> Any:
    """Call a NumPy function on tensors, by its rule if it has one.

    Raises:
        MissingRuleError: It has none, and a tensor among the arguments requires grad.
    """
    args, kwargs, target = _without_target(function, args, kwargs)
    if target is not None:
        return call_into(function, args, kwargs, target)
    written = equivalent(function, args, kwargs)
    if written is not None:
        function = recording_scipy(written.function)
        lead = map(recording_scipy, written.lead)
        return function(*lead, *written.args, **written.keywords)
    if any(hasattr(type(value), "__srcgrad_written_out__") for value in (*args, *kwargs.values())):
        raise _without_rule(function)  # it is made of tensors, which SciPy would not see
    op = op_for(function)
    if op is not None:
        if function is np.vdot:
            args = tuple(map(_as_array, args))
        elif function is not np.block:  # whose lists in lists are rows
            args = tuple(map(_of_arrays, args))
            kwargs = {key: _of_arrays(value) for key, value in kwargs.items()}
        return apply(op, args, kwargs)
    if constant_reason(function) is not None:
        if function is np.sign and _turns(args[0]):
            return direction(args[0])
        return call_constant(function, args, kwargs)
    if STATE.grad and any(map(requires_grad, tensors_in((*args, *kwargs.values())))):
        raise _without_rule(function)
    return call_constant(function, args, kwargs)


def _without_target(function: Any, args: Args, kwargs: Kwargs) -> tuple[Args, Kwargs, Any]:
    """Return the arguments of a call without its `out`, and that.

    How it may be `casting` is left out as well: that says which calls raise, not what they give.
    """
    kwargs = {key: value for key, value in kwargs.items() if key != "casting"}
    if kwargs.get("out") is not None:
        return args, {key: kwargs[key] for key in kwargs if key != "out"}, kwargs["out"]
    names = _names_of(function)
    if "out" not in names:
        return args, kwargs, None
    place = names.index("out")
    if place >= len(args) or args[place] is None:
        return args, kwargs, None
    return (*args[:place], None, *args[place + 1 :]), kwargs, args[place]


@functools.cache
def _names_of(function: Any) -> tuple[str, ...]:
    """Return the names of the arguments that a function may be given by position."""
    op = op_for(function)
    if op is not None:
        return () if op.varargs else tuple(op.names)
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ()
    starred = any(item.kind is item.VAR_POSITIONAL for item in parameters)
    return () if starred else tuple(item.name for item in parameters)


def _without_rule(function: Any) -> MissingRuleError:
    hint = (
        "write a srcgrad.autograd.Function for it, or call it on `t.detach()` if its "
        "result is meant to be a constant"
    )
    usual = f"{canonical_name(function)} has no derivative rule", hint
    return refusal(MissingRuleError, *(why_not(function) or usual))


def _turns(x: Any) -> bool:
    return isinstance(x, Core) and x._array.dtype.kind == "c" and STATE.grad and requires_grad(x)


def direction(x: Any) -> Any:
    """Return the sign of complex numbers, z / |z| or 0, which is no constant between jumps."""
    size = np.absolute(x)
    return x / (size + (size._array == 0))


def into(result: Any, out: Any) -> Any:
    """Write `result` into `out`, as ``out=`` does; return `out`.

    Raises:
        NotDifferentiableError: `out` is a plain array and the result requires grad.
    """
    target = out[0] if isinstance(out, tuple) else out
    if isinstance(target, Core):
        if isinstance(result, Core):
            check_writable(target, requires_grad(target) or requires_grad(result))
            copy_in(target, result)
        else:
            copy_in(target, result)
        return target
    if isinstance(result, Core) and requires_grad(result) and STATE.grad:
        raise detaching(result, "`out=` with a plain array: the copy there")
    target[...] = unwrap(result)
    return target


def call_into(function: Any, args: Args, kwargs: Kwargs, out: Any) -> Any:
    """Call a NumPy function on tensors, and write its result into `out`.

    Raises:
        TypeError: NumPy does not cast the result to what `out` holds.
    """
    result = call_function(function, args, kwargs)
    _cast_as_numpy(function, args, kwargs, result, out)
    return into(result, out)


def _cast_as_numpy(function: Any, args: Args, kwargs: Kwargs, result: Any, out: Any) -> None:
    """Let NumPy itself say whether a result of another kind may go to ``out=``.

    Raises:
        TypeError: It may not. Most functions refuse it; sums and means keep the whole part.
    """
    targets = out if isinstance(out, tuple) else (out,)
    results = result if isinstance(result, tuple) else (result,)
    places = [unwrap(target) for target in targets]
    pairs = zip((np.asarray(unwrap(value)).dtype for value in results), places, strict=True)
    if all(np.can_cast(kind, place.dtype, "same_kind") for kind, place in pairs):
        return
    copies = tuple(place.copy() for place in places)
    options = {**kwargs, "out": copies if isinstance(out, tuple) else copies[0]}
    call_constant(function, args, options)


def _ufunc_call(ufunc: Any, inputs: Args, kwargs: dict[str, Any]) -> Any:
    """Call a ufunc with options, or one without a rule."""
    out, where = kwargs.pop("out", None), kwargs.pop("where", True)
    dtype = kwargs.pop("dtype", None)
    kwargs.pop("subok", None)  # of tensors there are no subclasses
    order = kwargs.pop("order", "K") if kwargs.get("order") in ("C", "F", "K") else "K"
    if kwargs.get("casting") == "same_kind" or (out is None and _casts_nothing(inputs, dtype)):
        kwargs.pop("casting", None)
    if where is not True and out is not None:
        if dtype is not None:
            inputs = tuple(_cast(value, dtype) for value in inputs)
        return _where_chosen(ufunc, inputs, kwargs, unwrap(where), out)
    if isinstance(out, tuple) and len(out) > 1:
        results = call_function(ufunc, inputs, kwargs)
        _cast_as_numpy(ufunc, inputs, kwargs, results, out)
        return tuple(into(r, o) for r, o in zip(results, out, strict=True))
    if dtype is not None:
        inputs = tuple(_cast(value, dtype) for value in inputs)
    result = call_function(ufunc, inputs, kwargs)
    if where is not True:
        raise refusal(
            MissingRuleError,
            f"{canonical_name(ufunc)} with `where=` but without `out=` leaves elements undefined",
            "use np.where(condition, f(x), other)",
        )
    if out is not None:
        _cast_as_numpy(ufunc, inputs, kwargs, result, out)
        return into(result, out)
    if order == "K" or isinstance(result, tuple):
        return result
    return call_function(np.copy, (result,), {"order": order})


def _casts_nothing(inputs: Args, dtype: Any) -> bool:
    """Say whether operands may have any kind of casting, since none is needed."""
    return dtype is None and all(np.asarray(unwrap(value)).dtype.kind == "f" for value in inputs)


def _where_chosen(ufunc: Any, inputs: Args, kwargs: Kwargs, where: Any, out: Args) -> Any:
    """Call a ufunc on the chosen elements alone, and write the results there into `out`.

    Raises:
        NotDifferentiableError: An `out` is a plain array and the result requires grad.
    """
    shape = np.shape(unwrap(out[0]))
    chosen = np.broadcast_to(np.asarray(where, dtype=bool), shape)  # NumPy hands on its `_NoValue`
    parts = [
        value if isinstance(value, (int, float, complex)) else np.broadcast_to(value, shape)[chosen]
        for value in inputs
    ]
    results = call_function(ufunc, tuple(parts), kwargs)
    for target, result in zip(out, results if len(out) > 1 else (results,), strict=True):
        if isinstance(target, Core):
            set_item(target, chosen, result)
        elif isinstance(result, Core) and requires_grad(result) and STATE.grad:
            raise detaching(result, "`out=` with a plain array: the copy there")
        else:
            target[chosen] = unwrap(result)
    return out if len(out) > 1 else out[0]


def _cast(value: Any, dtype: Any) -> Any:
    if isinstance(value, Core) and value._array.dtype != dtype:
        return apply(require_op(np.astype), (value, np.dtype(dtype)))
    return value


def _ufunc_method(ufunc: Any, method: str, inputs: Args, kwargs: dict[str, Any]) -> Any:
    """Call a method of a ufunc: ``reduce``, ``accumulate``, ``outer``, ``at``."""
    if method == "at":
        return _at(ufunc, *inputs)
    if method == "outer":
        a, b = inputs
        index = (..., *[None] * np.ndim(unwrap(b)))
        return ufunc(a[index] if np.ndim(unwrap(a)) else a, b, **kwargs)
    return call_function(getattr(ufunc, method), inputs, kwargs)


def _at(ufunc: Any, target: Any, index: Any, value: Any = None) -> None:
    """Do ``ufunc.at(target, index, value)``; sums add up what a repeated index gets."""
    if not isinstance(target, Core):
        name = f"np.{ufunc.__name__}.at"
        raise detaching(value, f"{name} into a plain array: the result there")
    if ufunc not in (np.add, np.subtract):
        _at_in_turns(ufunc, target, index, value)
        return
    scattered: Any = require_op(scatter)
    shape = target._array[unwrap(index)].shape
    spread = value if np.shape(unwrap(value)) == shape else np.broadcast_to(value, shape)
    if not isinstance(spread, Core):
        spread = np.asarray(spread)
    part = apply(scattered, (spread, unwrap(index), target._array.shape))
    total = ufunc(target, part)
    check_writable(target, requires_grad(total) if isinstance(total, Core) else False)
    exact = target._array.copy()
    ufunc.at(exact, unwrap(index), unwrap(value))  # one after another, and rounded each time
    if isinstance(total, Core):
        total._array = exact
    replace(target, total)


def _at_in_turns(ufunc: Any, target: Any, index: Any, value: Any) -> None:
    """Update elements one after another where an index names one more than once."""
    shape = target._array[unwrap(index)].shape
    values = [] if value is None else [np.broadcast_to(value, shape)]
    for places, chosen in turns(target._array, unwrap(index)):
        set_item(target, places, ufunc(target[places], *[item[chosen] for item in values]))


def _copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    if not isinstance(dst, Core):
        if any(requires_grad(t) for t in tensors_in((src,))):
            raise detaching(src, "np.copyto into a plain array: the copy there")
        np.copyto(dst, unwrap(src), casting=casting, where=unwrap(where))  # type: ignore[arg-type]
    elif where is True:
        copy_in(dst, src)
    else:
        copy_in(dst, apply(require_op(np.where), (where, src, dst)))


def _fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    _need_tensor(a, val, "np.fill_diagonal")
    chosen = np.zeros(a._array.shape, dtype=bool)
    np.fill_diagonal(chosen, val=True, wrap=wrap)
    set_item(a, np.nonzero(chosen), _repeated(val, int(np.count_nonzero(chosen))))


def _put(a: Any, ind: Any, v: Any, mode: Any = "raise") -> None:
    _need_tensor(a, v, "np.put")
    places = np.take(np.arange(a._array.size), np.ravel(unwrap(ind)), mode=mode)
    set_item(a, np.unravel_index(places, a._array.shape), _repeated(v, places.size))


def _repeated(values: Any, count: int) -> Any:
    """Return values as often as they are needed, or one for all."""
    if not np.ndim(unwrap(values)):
        return values
    row = values if isinstance(values, Core) else apply(require_op(np.array), (values,))
    return np.resize(row, count)


def _put_along_axis(arr: Any, indices: Any, values: Any, axis: Any = -1) -> None:
    _need_tensor(arr, values, "np.put_along_axis")
    places = unwrap(indices)
    shape = arr._array.shape
    if axis is None:
        set_item(arr, np.unravel_index(places, shape), values)
        return
    grid = list(np.indices(shape, sparse=True))
    grid[axis] = places
    set_item(arr, tuple(grid), values)


def _place(arr: Any, mask: Any, vals: Any) -> None:
    _need_tensor(arr, vals, "np.place")
    chosen = np.asarray(unwrap(mask), bool).reshape(arr._array.shape)
    count = int(chosen.sum())
    if count and len(vals):
        places = np.arange(count) % len(vals)
        known = isinstance(vals, (Core, np.ndarray))
        row = vals if known else apply(require_op(np.stack), (list(vals),))
        set_item(arr, chosen, row[places])


def _putmask(a: Any, mask: Any, values: Any) -> None:
    _need_tensor(a, values, "np.putmask")
    if np.ndim(unwrap(values)) and np.shape(unwrap(values)) != a._array.shape:
        values = np.reshape(_repeated(values, a._array.size), a._array.shape)
    copy_in(a, apply(require_op(np.where), (mask, values, a)))


def _nan_to_num(x: Any, copy: Any = True, *limits: Any, **options: Any) -> Any:
    writes = not copy and isinstance(x, Core) and type(as_given(x)) is np.ndarray
    made = call_function(np.nan_to_num, (x, copy or writes, *limits), options)
    if not writes:
        return made
    written = into(made, x)
    return written if written._array.ndim else made  # NumPy returns a number, no view of it


def _need_tensor(target: Any, value: Any, name: str) -> None:
    if not isinstance(target, Core):
        raise detaching(value, f"{name} into a plain array: the copy there")


HANDLED: dict[Any, Callable[..., Any]] = {  # what writes in place, or calls functions back
    np.copyto: _copyto,
    np.fill_diagonal: _fill_diagonal,
    np.nan_to_num: _nan_to_num,
    np.place: _place,
    np.put: _put,
    np.put_along_axis: _put_along_axis,
    np.putmask: _putmask,
}

set_caller(call_function)

__all__ = ["Op", "Protocols", "call_function", "into"]
