"""Kinds of what functions of NumPy, operators and indices give."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from functools import reduce
from typing import Any, Final

import numpy as np

from srcgrad.ir import gast
from srcgrad.targets.loops.kind import (
    UNKNOWN,
    Array,
    Items,
    Kind,
    Many,
    beside,
    is_number,
    joined,
    spread,
    word_in,
)
from srcgrad.targets.loops.words import COMPLEX, FLOATS, INTEGERS, PYTHON, calculated, held, real_of


def is_elementwise(name: str) -> bool:
    """Say whether a function of NumPy has one result, entry by entry.

    >>> is_elementwise("tanh"), is_elementwise("where"), is_elementwise("matmul")
    (True, True, False)
    """
    found = getattr(np, name, None)
    if name == "where":
        return True
    return isinstance(found, np.ufunc) and found.signature is None and found.nout == 1


def parts_of(index: Any) -> list[Any]:
    """Return the parts of an index, one for each axis that it names."""
    return list(index.elts) if isinstance(index, gast.Tuple) else [index]


def axes_of(axis: Any, ndim: int) -> frozenset[int] | None:
    """Return the axes that an expression names; None if those are not known."""
    items = axis.elts if isinstance(axis, gast.Tuple) else [axis]
    found = []
    for item in items:
        sign, node = (-1, item.operand) if isinstance(item, gast.UnaryOp) else (1, item)
        value = getattr(node, "value", UNKNOWN)
        if value is None:
            return frozenset(range(ndim))
        if type(value) is not int:
            return None
        found.append(sign * value)
    return frozenset(value % ndim for value in found)


def item_of(kind: Kind) -> Kind:
    """Return what a loop over a value of some kind goes through."""
    if isinstance(kind, Many):
        return kind.item
    if isinstance(kind, Array):
        return Array(kind.dtype, kind.ndim - 1) if kind.ndim > 1 else kind.dtype
    if isinstance(kind, Items):
        return reduce(joined, kind.items, None)
    return None if kind is None else UNKNOWN


def of_operator(operator: Any, left: Kind, right: Kind) -> Kind:
    """Return the kind of what an operator of Python gives."""
    if isinstance(operator, gast.MatMult):
        return product(left, right)
    if isinstance(operator, (gast.Add, gast.Mult)) and isinstance(left, (Many, Items)):
        return _of_lists(left, right)
    if isinstance(operator, gast.Mult) and isinstance(right, Many):
        return right if left in INTEGERS else UNKNOWN
    if left is None or right is None:
        return None
    if left in PYTHON and right in PYTHON:
        return _of_python(operator, left, right)
    function = UFUNCS.get(type(operator))
    return UNKNOWN if function is None else beside(function, left, right)


def _of_lists(left: Kind, right: Kind) -> Kind:
    """Return the kind of two lists in a row, or of one several times."""
    if isinstance(left, Many) and isinstance(right, Many):
        return joined(left, right)
    return left if isinstance(left, Many) and right in INTEGERS else UNKNOWN


def _of_python(operator: Any, left: str, right: str) -> Kind:
    """Return the word for what Python calculates of two of its numbers."""
    if isinstance(operator, (gast.BitAnd, gast.BitOr, gast.BitXor)):
        return joined(left, right)
    least = "float" if isinstance(operator, gast.Div) else "int"
    return joined(joined(left, right), least)


UFUNCS: Final = {
    gast.Add: np.add,
    gast.Sub: np.subtract,
    gast.Mult: np.multiply,
    gast.Div: np.divide,
    gast.FloorDiv: np.floor_divide,
    gast.Mod: np.remainder,
    gast.Pow: np.power,
    gast.BitAnd: np.bitwise_and,
    gast.BitOr: np.bitwise_or,
    gast.BitXor: np.bitwise_xor,
    gast.LShift: np.left_shift,
    gast.RShift: np.right_shift,
}


def product(left: Kind, right: Kind) -> Kind:
    """Return the kind of a product of matrices and vectors."""
    if left is None or right is None:
        return None
    if not (isinstance(left, Array) and isinstance(right, Array)):
        return UNKNOWN
    if left.ndim > 2 or right.ndim > 2:
        return UNKNOWN
    ndim = left.ndim + right.ndim - 2
    word = calculated(np.add, (left.dtype, right.dtype))
    if word is None or "bool" in (left.dtype, right.dtype):
        return UNKNOWN
    return Array(word, ndim) if ndim else word


def stacked(kind: Kind) -> Kind:
    """Return the kind of the array that is made of the items of a value."""
    if isinstance(kind, Array):
        return kind
    items = (kind.item,) if isinstance(kind, Many) else getattr(kind, "items", (None,))
    whole = reduce(joined, items, None)
    if isinstance(whole, Array):
        return Array(whole.dtype, whole.ndim + 1)
    if is_number(whole):
        return Array(held(whole), 1)
    return None if kind is None else UNKNOWN


def displayed(items: Sequence[Kind]) -> Kind:
    """Return the kind of the array that is made of a display, whose numbers it holds all.

    >>> displayed(["float32", "float"])
    Array(dtype='float64', ndim=1, ones=frozenset())
    """
    if not items or not all(map(is_number, items)):
        return stacked(Items(tuple(items)))
    words = [held(item) for item in items]
    return spread_over(reduce(lambda one, other: beside(_MEETING, one, other), words), 1)


_MEETING: Final = np.maximum  # of any numbers, also of truth values


def spread_over(word: Kind, ndim: int) -> Kind:
    """Return the kind of an array of some numbers."""
    return Array(held(word), ndim) if is_number(word) else word


def of_slope(name: str, kinds: Sequence[Kind]) -> Kind:
    """Return the kind of a slope, or of the part of an adjoint that goes to an operand."""
    if None in kinds:
        return None
    words = [word_in(kind) for kind in kinds]
    if not all(words):
        return UNKNOWN
    chosen = words if name.startswith(("power", "divide")) else words[:1]
    whole: Kind = "float"
    for word in chosen:
        whole = joined(whole, word) if word in PYTHON else beside(np.true_divide, word, whole)
    return spread(whole, kinds) if is_number(whole) else whole


OF_RUNTIME: Final = frozenset(
    "power_slope power_log_slope greater_part chosen_part sign divide_or_zero part_if_greater "
    "part_if_less".split()
)


def reduced(name: str, kind: Kind) -> Kind:
    """Return the kind of a reduction of all entries."""
    dtype = word_in(kind)
    if dtype is None:
        return None if kind is None else UNKNOWN
    dtype = held(dtype)
    if name == "mean":
        return dtype if dtype in FLOATS | COMPLEX else "float64"
    return "int64" if dtype == "bool" and name in ("sum", "prod") else dtype


def shaped(shape: Kind, dtype: Kind) -> Kind:
    """Return the kind of an array of a shape, of some numbers."""
    if not is_number(dtype):
        return None if dtype is None else UNKNOWN
    dtype = held(dtype)
    if shape in INTEGERS:
        return Array(dtype, 1)
    return Array(dtype, len(shape.items)) if isinstance(shape, Items) else UNKNOWN


def zeros_of(kind: Kind) -> Kind:
    """Return the kind of the adjoint of zeros for a value."""
    if is_number(kind):
        return "complex" if kind in COMPLEX else "float"
    if isinstance(kind, Array):
        dtype = kind.dtype if kind.dtype in FLOATS | COMPLEX else "float64"
        return Array(dtype, kind.ndim, kind.ones)
    return None if kind is None else UNKNOWN


def of_index(kind: Array, parts: Sequence[tuple[Any, Kind]]) -> Kind:
    """Return the kind of what a basic index, or one array of integers among it, selects."""
    named = [part for part, _ in parts if not _is_new(part) and not _is_rest(part)]
    rest = kind.ndim - len(named)
    if rest < 0:
        return UNKNOWN
    axes: list[bool] = []  # whether each axis of the result is surely of length one
    place, arrays = 0, 0
    for part, part_kind in parts:
        if _is_new(part):
            axes.append(True)
        elif _is_rest(part):
            axes += [place + k in kind.ones for k in range(rest)]
            place, rest = place + rest, 0
        elif part_kind == "slice":
            axes.append(False)
            place += 1
        elif part_kind in INTEGERS:
            place += 1
        elif isinstance(part_kind, Array) and part_kind.dtype == "int64" and not arrays:
            axes += [False] * part_kind.ndim
            place, arrays = place + 1, 1
        else:
            return None if part_kind is None else UNKNOWN
    axes += [place + k in kind.ones for k in range(rest)]
    if not axes:
        return kind.dtype
    return Array(kind.dtype, len(axes), frozenset(k for k, one in enumerate(axes) if one))


def _is_new(part: Any) -> bool:
    return isinstance(part, gast.Constant) and part.value is None


def _is_rest(part: Any) -> bool:
    return isinstance(part, gast.Constant) and part.value is Ellipsis


# -- functions by name: what they give for the kinds of their arguments


def of_runtime(name: str, kinds: Sequence[Kind]) -> Kind:
    """Return the kind of what a function of Python's, or one of ours, gives."""
    if name in _WORDS:
        return _WORDS[name]
    known = _OF_RUNTIME.get(name)
    return UNKNOWN if known is None or not kinds else known(kinds)


def of_maker(name: str, kinds: Sequence[Kind]) -> Kind:
    """Return the kind of an array that a function of NumPy makes, or of a number of its shape."""
    known, counts = _OF_MAKERS.get(name, (None, ()))
    return UNKNOWN if known is None or len(kinds) not in counts else known(kinds)


def _first(kinds: Sequence[Kind]) -> Kind:
    return kinds[0]


def _real(kinds: Sequence[Kind]) -> Kind:
    word = word_in(kinds[0])
    return UNKNOWN if word is None else spread(real_of(word), kinds[:1])


def _expanded(kinds: Sequence[Kind]) -> Kind:
    return shaped(kinds[1], kinds[0].dtype if isinstance(kinds[0], Array) else kinds[0])


def _summed(kinds: Sequence[Kind]) -> Kind:
    grad, like = kinds
    if None in kinds:
        return None
    if not isinstance(grad, Array):
        return UNKNOWN
    if isinstance(like, Array):
        return Array(grad.dtype, like.ndim, like.ones)
    if isinstance(like, Items) and set(like.items) <= {"int"}:  # a shape
        return Array(grad.dtype, len(like.items)) if like.items else grad.dtype
    return grad.dtype if is_number(like) else UNKNOWN


def _chosen(kinds: Sequence[Kind]) -> Kind:
    return reduce(joined, kinds, None) if all(map(is_number, kinds)) else UNKNOWN


def _written_over(kinds: Sequence[Kind]) -> Kind:
    """Return the kind of an updated value: that of an array stays."""
    old, new = kinds
    return old if isinstance(old, Array) or old is None else new


def _turned(kinds: Sequence[Kind]) -> Kind:
    """Return the kind of a matrix that is turned round."""
    (kind,) = kinds
    return Array(kind.dtype, kind.ndim) if isinstance(kind, Array) else kind


def _masked(whole: Kind, mask: Kind) -> Kind:
    if not isinstance(whole, Array) or not isinstance(mask, Array):
        return None if None in (whole, mask) else UNKNOWN
    return Array(whole.dtype, whole.ndim - mask.ndim + 1)


def _shares(kinds: Sequence[Kind]) -> Kind:
    """Return the kinds of the parts of an adjoint that go to each of several numbers."""
    if None in kinds:
        return None
    grad = beside(np.true_divide, kinds[0], "float") if kinds[0] not in PYTHON else "float"
    return Items((grad,) * len(kinds[1].items)) if isinstance(kinds[1], Items) else UNKNOWN


def _by(operator: Any) -> Callable[[Sequence[Kind]], Kind]:
    return lambda kinds: of_operator(operator, *kinds)


_WORDS: Final = {"len": "int", "int": "int", "float": "float", "bool": "bool"}
_OF_RUNTIME: Final[Mapping[str, Callable[[Sequence[Kind]], Kind]]] = {
    **dict.fromkeys(("copied", "cast_back", "conj", "list_of"), _first),
    **dict.fromkeys(("abs", "real_part"), _real),
    "adjoint": _turned,
    "written_over": _written_over,
    **dict.fromkeys(("expand_sum", "expand_mean"), _expanded),
    **dict.fromkeys(("min", "max"), _chosen),
    "zeros_like": lambda kinds: zeros_of(kinds[0]),
    "complex_zeros_like": lambda kinds: beside(np.add, zeros_of(kinds[0]), "complex"),
    "as_complex": lambda kinds: beside(np.add, kinds[0], "complex"),
    "diag_back": lambda kinds: shaped(kinds[1], word_in(kinds[0]) or UNKNOWN),
    "imag_back": lambda kinds: beside(np.multiply, kinds[0], "complex"),
    "unbroadcast": _summed,
    "within": lambda kinds: spread("bool", kinds) if all(map(word_in, kinds[:1])) else UNKNOWN,
    "order_of": lambda kinds: spread("int", kinds) if all(map(word_in, kinds)) else UNKNOWN,
    "shared_each": _shares,
    **dict.fromkeys(("cross_left", "det_back"), lambda kinds: kinds[1]),
    "masked": lambda kinds: _masked(*kinds),
    "cross_right": lambda kinds: kinds[2],
    "roll_along": _first,
    **dict.fromkeys(("negated", "within_integers"), _first),
    "int_floor_divided": _by(gast.FloorDiv()),
    "int_remainder": _by(gast.Mod()),
    "int_plus": _by(gast.Add()),
    "int_minus": _by(gast.Sub()),
    "int_shifted": lambda _: "int",
    "int_times": _by(gast.Mult()),
    "int_scaled": _by(gast.Mult()),
    "power": _by(gast.Pow()),
    "int_power": _by(gast.Pow()),
}


def _counted(kinds: Sequence[Kind]) -> Kind:
    whole = reduce(joined, kinds, None)
    return spread_over(whole, 1) if is_number(whole) else UNKNOWN


def _shape(kinds: Sequence[Kind]) -> Kind:
    return Items(("int",) * kinds[0].ndim) if isinstance(kinds[0], Array) else UNKNOWN


def _diagonal(kinds: Sequence[Kind]) -> Kind:
    kind = kinds[0]
    if not isinstance(kind, Array):
        return None if kind is None else UNKNOWN
    return Array(kind.dtype, 3 - kind.ndim) if kind.ndim in (1, 2) else UNKNOWN


def _concatenated(kinds: Sequence[Kind]) -> Kind:
    """Return the kind of arrays one behind the other, in a tuple or a list."""
    parts = [kinds[0].item] if isinstance(kinds[0], Many) else getattr(kinds[0], "items", ())
    if not parts or not all(part is None or isinstance(part, Array) for part in parts):
        return None if kinds[0] is None else UNKNOWN
    known = [Array(part.dtype, part.ndim) for part in parts if part is not None]
    if not known or len({part.ndim for part in known}) > 1:
        return UNKNOWN if known else None
    return beside(np.add, *known)


_ANY: Final = range(1, 5)
_OF_MAKERS: Final[Mapping[str, tuple[Callable[[Sequence[Kind]], Kind], Container[int]]]] = {
    **dict.fromkeys(("array", "stack", "asarray"), (lambda kinds: stacked(kinds[0]), (1,))),
    **dict.fromkeys(("zeros", "ones", "empty"), (lambda kinds: shaped(kinds[0], "float"), (1,))),
    **dict.fromkeys(("zeros_like", "ones_like", "empty_like", "full_like", "copy"), (_first, _ANY)),
    **dict.fromkeys(("size", "ndim"), (lambda _: "int", _ANY)),
    **dict.fromkeys(("argmax", "argmin"), (lambda _: "int64", (1,))),
    **dict.fromkeys(("eye", "identity"), (lambda _: Array("float64", 2), _ANY)),
    "full": (lambda kinds: shaped(kinds[0], word_in(kinds[1]) or UNKNOWN), (2,)),
    "concatenate": (_concatenated, (1,)),
    "arange": (_counted, _ANY),
    "linspace": (lambda _: Array("float64", 1), _ANY),
    "broadcast_to": (lambda kinds: _expanded([kinds[0], kinds[1]]), (2,)),
    "dot": (lambda kinds: product(*kinds), (2,)),
    "outer": (lambda kinds: spread_over(beside(np.multiply, *map(word_in, kinds)), 2), (2,)),
    "diag": (_diagonal, (1, 2)),
    "shape": (_shape, (1,)),
}
