"""Records of Python's own functions: built-in ones, and those of `math`."""

from __future__ import annotations

from typing import Any, Final

from srcgrad.primitives.record import Primitive, records

_UNARY: Final = (
    "sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log2 log10 "
    "log1p sqrt cbrt erf erfc gamma lgamma fabs degrees radians"
)
_OF_NUMBERS: Final = "atan2 copysign fmod hypot pow remainder ldexp fma nextafter"
_TRUTHS: Final = "isfinite isinf isnan isclose"
_WHOLE: Final = "ceil floor trunc comb factorial gcd isqrt lcm perm"

_ITSELF: Final[dict[str, Any]] = {"memory": "itself", "same": True}

RECORDS: Final[tuple[Primitive, ...]] = (
    *records("math", _UNARY, scalar=True, shape="broadcast", kind="float"),
    *records("math", _OF_NUMBERS, scalar=True, shape="broadcast", kind="float"),
    *records("math", _TRUTHS, scalar=True, shape="broadcast", kind="truth"),
    *records("math", _WHOLE, scalar=True, shape="broadcast", kind="int"),
    *records("math", "ulp", scalar=True, shape="broadcast", kind="float"),
    *records("math", "fsum dist", scalar=True, shape="number", kind="float"),
    *records("math", "prod sumprod", scalar=True, shape="number"),
    *records("math", "modf", scalar=True, shape="other"),
    *records("math", "frexp", scalar=True, shape="other", kind="mixed"),
    *records("builtins", "abs", shape="each", at_zero=True, kind="promoted"),
    *records("builtins", "float complex", shape="number", kind="float"),
    *records("builtins", "int len", shape="number", kind="int"),
    *records("builtins", "bool", shape="number", kind="truth"),
    *records(
        "builtins", "max min", shape="other", kind="either", viewed="any", ranks=True, **_ITSELF
    ),
    *records("builtins", "sorted", shape="other", kind="first", ranks=True),
)
