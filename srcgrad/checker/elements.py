"""Holds numbers of a prime field that carry a tangent, for real arrays of NumPy to hold.

Of lanes one stands for a whole array, so that of its entries little is known. Here every entry is
an element of its own: memory, views, masks and sums are NumPy's. The tangent of a result follows
from calculus for what is algebra, and from the rule of a function for all else.
"""

from __future__ import annotations

import functools
import math
import numbers
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, Final

import numpy as np

from srcgrad.checker.field import PRIME, code_of, hashed, of_number
from srcgrad.checker.runs import NotCovered, Now, Run
from srcgrad.rules.base import Context
from srcgrad.rules.library import rule_for

_OBJECTS: Final = np.dtype(object)
_NUMBERS: Final = (int, float, np.integer, np.floating, np.bool_)
_ONE_OVER_ZERO: Final = hashed(code_of("one over zero"))
_ORDER: Final = code_of("order")
_WHOLE: Final = code_of("int")
_LARGE: Final = (
    1 << 20
)  # elements that somebody has written down are smaller, nearly all others not
_TOO_LONG: Final = "the run is too long"
_new: Final = object.__new__


class LongRun(Run):
    """A run that may take more steps, since each is one of a single number.

    All runs of one derivative share them.

    Attributes:
        asked: Whether numbers were compared, so that another run may go another way.
        own: What functions of outside mean, if it is a function's own code that is run.
    """

    _least = 60_000
    _of_each = 100

    def __init__(self, seed: int, former: LongRun | None = None, body: Sequence[Any] = ()) -> None:
        super().__init__(seed, former, body)
        self.own: Any = None
        self.asked = False


class Element:
    """One number: an element of the field, and how it changes along the direction that is tried.

    Attributes:
        value: The element.
        dot: Its tangent.
    """

    __slots__ = ("dot", "value")
    shape = ()
    ndim = 0
    size = 1
    dtype = _OBJECTS

    def __init__(self, value: int, dot: int = 0) -> None:
        self.value = value
        self.dot = dot

    # -- algebra

    def __add__(self, other: Any) -> Any:
        found = other if other.__class__ is Element else _element(other)
        if found is None:
            return NotImplemented
        run = Now.run  # as in `_made`: a call more for each of so many is felt
        run.steps = steps = run.steps + 1
        if steps > run.most:
            raise NotCovered(_TOO_LONG)
        made = _new(Element)
        made.value = (self.value + found.value) % PRIME
        made.dot = (self.dot + found.dot) % PRIME
        return made

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        found = other if other.__class__ is Element else _element(other)
        if found is None:
            return NotImplemented
        return _made(self.value - found.value, self.dot - found.dot)

    def __rsub__(self, other: Any) -> Any:
        found = _element(other)
        return NotImplemented if found is None else found - self

    def __mul__(self, other: Any) -> Any:
        found = other if other.__class__ is Element else _element(other)
        if found is None:
            return NotImplemented
        run = Now.run  # as in `_made`
        run.steps = steps = run.steps + 1
        if steps > run.most:
            raise NotCovered(_TOO_LONG)
        made = _new(Element)
        ours, theirs, dot, other_dot = self.value, found.value, self.dot, found.dot
        made.value = ours * theirs % PRIME
        # in a derivative, and of constants, nothing moves
        made.dot = (dot * theirs + ours * other_dot) % PRIME if dot or other_dot else 0
        return made

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        found = _element(other)
        if found is None:
            return NotImplemented
        over = pow(found.value, -1, PRIME) if found.value else _ONE_OVER_ZERO
        ratio = self.value * over % PRIME
        return _made(ratio, (self.dot - ratio * found.dot) * over)

    def __rtruediv__(self, other: Any) -> Any:
        found = _element(other)
        return NotImplemented if found is None else found / self

    def __floordiv__(self, other: Any) -> Any:
        ratio = self / other
        return ratio if ratio is NotImplemented else _step("__floor__")(element_of(ratio))

    def __rfloordiv__(self, other: Any) -> Any:
        found = _element(other)
        return NotImplemented if found is None else found // self

    def __mod__(self, other: Any) -> Any:
        quotient = self // other
        return quotient if quotient is NotImplemented else self - other * quotient

    def __rmod__(self, other: Any) -> Any:
        found = _element(other)
        return NotImplemented if found is None else found % self

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __pow__(self, other: Any) -> Any:
        whole = _whole(other)
        if whole is not None:
            return self._power(whole)
        if isinstance(other, (float, np.floating)) and other == 0.5:
            return applied(np.sqrt, self)
        found = _element(other)
        return NotImplemented if found is None else applied(np.power, self, found)

    def __rpow__(self, other: Any) -> Any:
        found = _element(other)
        return NotImplemented if found is None else applied(np.power, found, self)

    def _power(self, exponent: int) -> Element:
        if abs(exponent) > 1000:
            raise NotCovered("a power is too high")
        if exponent < 0:
            return element_of(Element(1) / self._power(-exponent))
        if exponent == 0:
            return Element(1)
        slope = pow(self.value, exponent - 1, PRIME)
        return _made(slope * self.value, exponent * slope * self.dot)

    def __neg__(self) -> Element:
        return _made(-self.value, -self.dot)

    def __pos__(self) -> Element:
        return self

    def __abs__(self) -> Element:
        return -self if self < 0 else self

    # -- order, of which nothing is known but that it is one

    def __lt__(self, other: Any) -> bool:
        if isinstance(other, float) and math.isinf(other):
            return other > 0
        found = _element(other)
        if found is None:
            return NotImplemented
        return self.value != found.value and _place(self) < _place(found)

    def __gt__(self, other: Any) -> bool:
        if isinstance(other, float) and math.isinf(other):
            return other < 0
        found = _element(other)
        return NotImplemented if found is None else found < self

    def __le__(self, other: Any) -> bool:
        found = _element(other)
        return NotImplemented if found is None else not found < self

    def __ge__(self, other: Any) -> bool:
        found = _element(other)
        return NotImplemented if found is None else not self < found

    def __eq__(self, other: object) -> Any:
        found = _element(other)
        return found is not None and self.value == found.value

    def __ne__(self, other: object) -> Any:
        return not self == other

    def __hash__(self) -> int:
        return self.value

    def __bool__(self) -> bool:
        Now.run.go_through()
        return self.value != 0

    # -- what an array or a number of NumPy has, too

    def __getitem__(self, key: Any) -> Any:
        return np.array(self, object)[key]

    def conjugate(self) -> Element:
        """Return a real number itself."""
        return self

    def item(self, *_: Any, **__: Any) -> Element:
        """Return a number itself."""
        return self

    sum = mean = astype = copy = item

    @property
    def real(self) -> Element:
        """A real number itself."""
        return self

    T = real

    def __float__(self) -> float:
        raise NotCovered("a number that nobody knows is made a float")

    def __int__(self) -> int:
        """Return a small number, as lanes take one: it may be a place in an array."""
        known = self.value < _LARGE and not self.dot
        return self.value if known else hashed(_WHOLE, self.value, Now.run.seed) % 3

    def __repr__(self) -> str:
        return f"<{self.value}>"


numbers.Real.register(Element)


def _made(value: int, dot: int) -> Element:
    run = Now.run
    run.steps = steps = run.steps + 1
    if steps > run.most:
        raise NotCovered(_TOO_LONG)
    made = _new(Element)  # by tens of thousands: without a call of `__init__`
    made.value, made.dot = value % PRIME, dot % PRIME
    return made


def element_of(value: Any) -> Element:
    """Return a number as an element.

    Raises:
        NotCovered: It is complex, or no number.
    """
    found = _element(value)
    if found is None:
        raise NotCovered(f"a number is wanted, and there is a {type(value).__name__}")
    return found


def _element(value: Any) -> Element | None:
    if type(value) is Element:
        return value
    if isinstance(value, _NUMBERS):
        return Element(of_number(value.item() if isinstance(value, np.generic) else value)[0])
    if type(value) is np.ndarray and value.ndim == 0 and value.dtype.kind in "Ofiub":
        return _element(value.item())
    return None


def _whole(value: Any) -> int | None:
    """Return the integer that an exponent is."""
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)) and math.isfinite(value) and value == int(value):
        return int(value)
    return None


def _place(item: Element) -> int:
    """Return where in the order a number stands: in each second run the other way round."""
    Now.run.asked = True
    Now.run.go_through(4)  # a loop that goes round the same few numbers has no end
    found = hashed(_ORDER, item.value, Now.run.seed // 2)
    return found if Now.run.seed % 2 else -found


# -- functions that are no algebra


def applied(function: Any, *args: Any) -> Element:
    """Return what a function of numbers makes of elements: a hash of them.

    Its slopes are those that its rule says.
    """
    operands = [item if item.__class__ is Element else element_of(item) for item in args]
    if function is np.power and not operands[1].dot and operands[1].value in _EXPONENTS:
        return element_of(operands[0] ** _EXPONENTS[operands[1].value])
    values = [item.value for item in operands]
    made = _made(hashed(code_of(_name(function)), *values), 0)
    if any(item.dot for item in operands):
        made.dot = _tangent(function, operands)
    return made


_EXPONENTS: Final[dict[int, Any]] = {
    of_number(exponent)[0]: exponent for exponent in (0.5, *range(-4, 9))
}
"""What powers are known of, by the elements that the exponents are."""


def _name(function: Any) -> str:
    return str(function.__name__)


def _tangent(function: Any, operands: list[Element]) -> int:
    rule = rule_for(function)
    if rule is None:
        raise NotCovered(f"`{_name(function)}` has no rule")
    still = [Element(item.value) for item in operands]
    moving = tuple(item.dot != 0 for item in operands)
    context = Context(moving)
    _over_elements(rule.forward)(context, *still)
    slopes: Any = _over_elements(rule.backward)(context, Element(1))
    slopes = slopes if isinstance(slopes, tuple) else (slopes,)
    total = 0
    for operand, slope in zip(operands, slopes, strict=False):
        if operand.dot:
            total += operand.dot * element_of(slope).value
    return total % PRIME


class _Numpy:
    """NumPy, with functions for elements where its own have none."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name)
        return functools.partial(applied, found) if name in BY_ENTRY else found


@functools.cache
def _over_elements(function: Any) -> Any:
    """Return one half of a rule, to be run on numbers that are elements."""
    if not isinstance(function, FunctionType):
        return function
    space = {**function.__globals__, "np": _Numpy()}
    cells = function.__closure__
    made = FunctionType(function.__code__, space, function.__name__, function.__defaults__, cells)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _step(name: str) -> Callable[[Element], Element]:
    """Return what gives a number that does not change: which one, is a hash."""

    def method(self: Element, *_: Any) -> Element:
        return Element(hashed(code_of(name), self.value))

    return method


def _method(function: Any) -> Callable[..., Element]:
    def method(*operands: Any) -> Element:
        return applied(function, *operands)

    return method


BY_ENTRY: Final = (
    "sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh "
    "arcsinh arccosh arctanh deg2rad rad2deg degrees radians arctan2 hypot logaddexp logaddexp2 "
    "float_power copysign fmod"
).split()
"""The functions of NumPy that are neither algebra nor order, entry by entry."""

for _function in BY_ENTRY:  # where NumPy meets objects, it asks them for a method of this name
    setattr(Element, _function, _method(getattr(np, _function)))
for _name_of_step in ("rint", "__floor__", "__ceil__", "__trunc__"):
    setattr(Element, _name_of_step, _step(_name_of_step))
