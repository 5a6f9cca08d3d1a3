"""Knows the functions of NumPy that are arithmetic by other names, and those that ask."""

from __future__ import annotations

from typing import Any, Final

from srcgrad import runtime
from srcgrad.checker import field
from srcgrad.checker.arithmetic import Shape, arithmetic, compared, is_varied, pair_of
from srcgrad.checker.field import code_of, hashed
from srcgrad.checker.lanes import Lane, noted
from srcgrad.checker.library import HANDLERS, Function, canonical_name, handler, plain_sum, unknown
from srcgrad.checker.runs import NotCovered

# -- questions
from srcgrad.checker.sharing import array


@handler("numpy.shape")
def shape(value: Any) -> Any:
    """Return a shape."""
    if isinstance(value, Lane):
        return () if value.number else Shape(value)
    if isinstance(value, (list, tuple)):
        return Shape(array(value))
    return ()


@handler("numpy.ndim")
def ndim(value: Any) -> Any:
    """Return a number of axes."""
    if not isinstance(value, Lane):
        return 0 if not isinstance(value, (list, tuple)) else ndim(array(value))
    if value.dims is not None:
        return len(value.dims)
    return len(Shape(value))


@handler("numpy.size")
def size(value: Any, axis: Any = None) -> Any:
    """Return a number of elements."""
    if axis is not None:
        return shape(value)[axis]
    if not isinstance(value, Lane):
        return 1 if not isinstance(value, (list, tuple)) else size(array(value))
    if value.dims is not None and None not in value.dims:
        total: Any = 1
        for item in value.dims:
            total = total * item
        return total
    entry = hashed(code_of("size"), value.token)
    return Lane((entry, entry), number=True, whole=2 + entry % 2)


# -- arithmetic by other names

_SIGNS: Final = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "true_divide": "/", "power": "**",
    "matmul": "@", "floor_divide": "//", "remainder": "%", "mod": "%", "dot": "@",
    "logical_and": "&",
    "logical_or": "|", "logical_xor": "^", "bitwise_and": "&", "bitwise_or": "|",
}  # fmt: skip
_TESTS: Final = {
    "less": "<", "greater": ">", "less_equal": "<=", "greater_equal": ">=", "equal": "==",
    "not_equal": "!=",
}  # fmt: skip


def _operate(sign: str, a: Any, b: Any) -> Any:
    if not isinstance(a, Lane) and not isinstance(b, Lane):
        a = array(a)
    return arithmetic(sign, a, b)


def _signed(name: str, sign: str) -> None:
    @handler(f"numpy.{name}", f"_operator.{name}")
    def operate(a: Any, b: Any, out: Any = None, **options: Any) -> Any:
        if options:
            return unknown(Function(None, f"numpy.{name}"), (a, b), options)
        result = _operate(sign, a, b)
        if out is not None:
            out[...] = result
            return out
        return result


for _name, _sign in _SIGNS.items():
    _signed(_name, _sign)


def _tested(name: str, sign: str) -> None:
    @handler(f"numpy.{name}")
    def test(a: Any, b: Any) -> Any:
        return compared(sign, a, b)


for _name, _sign in _TESTS.items():
    _tested(_name, _sign)


@handler("numpy.negative")
def negative(value: Any) -> Any:
    """Return a value with the other sign."""
    return -value


@handler("srcgrad.runtime.negated")
def negated(shift: Any) -> Any:
    """Return the opposite of a shift, or of each of several."""
    return tuple(-part for part in shift) if isinstance(shift, (tuple, list)) else -shift


@handler("numpy.square")
def square(value: Any) -> Any:
    """Return a square."""
    return value * value


@handler("numpy.reciprocal")
def reciprocal(value: Any) -> Any:
    """Return one over a value."""
    return 1.0 / value


@handler("math.sqrt", "numpy.sqrt")
def sqrt(value: Any) -> Any:
    """Return a root."""
    return value**0.5 if isinstance(value, Lane) else float(value) ** 0.5


@handler("numpy.logical_not", "numpy.invert")
def logical_not(value: Any) -> Any:
    """Return the opposite of truth values."""
    return ~value if isinstance(value, Lane) else not value


@handler("numpy.where", "srcgrad.runtime.chosen")
def where(condition: Any, *choices: Any) -> Any:
    """Return a choice of entries."""
    if not choices:
        return unknown(Function(None, "numpy.where_only"), (condition,), {})
    first, second = choices
    c, a, b = pair_of(condition), pair_of(first), pair_of(second)
    pair = field.add(b, field.mul(c, field.sub(a, b)))
    varied = is_varied(first) or is_varied(second)
    like = (
        plain_sum(plain_sum(condition, first), second)
        if isinstance(condition, Lane) or isinstance(first, Lane) or isinstance(second, Lane)
        else 0.0
    )
    token = like.token if isinstance(like, Lane) else 0
    dims = like.dims if isinstance(like, Lane) else ()
    return noted(Lane(pair, token, dims=dims, varied=varied))


@handler("method.fill")
def fill(lane: Any, value: Any) -> None:
    """Fill an array."""
    lane[...] = value


@handler("method.item")
def item(lane: Any, *index: Any) -> Any:
    """Return one element."""
    return unknown(Function(None, "numpy.item"), (lane, *index), {})


@handler("numpy.copyto")
def copyto(target: Any, value: Any, *, where: Any = True) -> None:
    """Write into an array."""
    target[...] = value if where is True else HANDLERS["numpy.where"](where, value, target)


def _writes(name: str) -> None:
    @handler(f"numpy.{name}", f"method.{name}", f"numpy.random.{name}")
    def write(*_: Any, **__: Any) -> Any:
        raise NotCovered(f"`{name}` writes into its argument")


for _name in (
    "put",
    "place",
    "putmask",
    "fill_diagonal",
    "put_along_axis",
    "shuffle",
    "partition",
    "itemset",
):
    _writes(_name)


# -- selections


def _mask(name: str) -> None:
    @handler(f"numpy.{name}", f"srcgrad.runtime.{name}")
    def mask(*args: Any, **keywords: Any) -> Any:
        """Return truth values: each is one or zero, so that to select twice is to select once."""
        found = unknown(Function(None, f"numpy.{name}"), args, keywords)
        like = next((item for item in args if isinstance(item, Lane)), found)
        first = found.pair[0] >> 9 & 1
        pair = (first, first) if like.number else (first, 1 - first)
        return Lane(pair, like.token, number=like.number, dims=like.dims)


for _name in ("within", "picked", "isnan", "isfinite", "isinf", "isclose", "signbit", "isin"):
    _mask(_name)


def _expanded(name: str) -> None:
    @handler(f"srcgrad.runtime.{name}")
    def expand(grad: Any, shape: Any, axis: Any = None, keepdims: Any = False, *mask: Any) -> Any:
        """Return the adjoint of a sum for each entry that is part of it."""
        real = getattr(runtime, name)
        found = unknown(Function(real, canonical_name(real)), (grad, shape, axis, keepdims), {})
        if mask and mask[0] is not None and mask[0] is not True:
            found.put(field.mul(found.pair, pair_of(mask[0])), varied=found.varied)
        return found


for _name in ("expand_sum", "expand_mean"):
    _expanded(_name)
