"""Writes constants as Python text: numbers, strings with double quotes, docstrings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from srcgrad.errors import InternalError

QUOTES: Final = ('"', "'", '"""', "'''")
_INFINITY: Final = "1e309"  # overflows to infinity on every machine, and parses back as a constant


def constant(value: Any, kind: str | None = None, quotes: Sequence[str] = QUOTES) -> str:
    """Return the text of a constant, without parentheses around a negative number.

    >>> print(constant("it's"), constant(-1.5), constant(float("inf")))
    "it's" -1.5 1e309
    """
    if isinstance(value, str):
        return (kind or "") + quoted(value, quotes)
    if isinstance(value, bytes):
        return _bytes(value, quotes)
    if value is Ellipsis:
        return "..."
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, complex):
        return _complex(value)
    return _other(value, quotes)


def quoted(text: str, quotes: Sequence[str] = QUOTES) -> str:
    """Return `text` as a string literal with the first of `quotes` unless it needs more escapes."""
    body = repr(text + "'" + '"')[1:-1]  # both kinds inside: repr escapes the single ones only
    body = body.replace("\\'", "'")[:-2]
    return _enclose(body, quotes)


def docstring(text: str) -> str:
    r"""Return `text` between triple quotes, line ends kept as they are.

    >>> docstring('Sum of "x".') == '""' + '"Sum of "x"."' + '""'
    True
    """
    lines = [repr(line + "'" + '"')[1:-1].replace("\\'", "'")[:-2] for line in text.split("\n")]
    body = "\n".join(line.replace("\\t", "\t") if "\\\\" not in line else line for line in lines)
    inner = body.rstrip('"')  # a quote at the end would close the string too early
    at_end = '\\"' * (len(body) - len(inner))
    inner = inner.replace('"""', '\\"\\"\\"')
    return f'"""{inner}{at_end}"""'


def _enclose(body: str, quotes: Sequence[str]) -> str:
    """Put quotes around an escaped body in which no quote is escaped yet."""
    short = [quote for quote in quotes if len(quote) == 1] or quotes or QUOTES
    best = min(short, key=body.count)  # ties go to the first
    if best[0] not in body:
        return best + body + best
    escaped = body.replace(best[0], "\\" + best[0])
    return best + escaped + best


def _bytes(value: bytes, quotes: Sequence[str]) -> str:
    body = repr(value + b"'" + b'"')[2:-1].replace("\\'", "'")[:-2]
    return "b" + _enclose(body, quotes)


def _integer(value: int) -> str:
    try:
        return int.__repr__(value)
    except ValueError:  # longer than sys.get_int_max_str_digits()
        return hex(value)


def _float(value: float) -> str:
    if math.isnan(value):
        return 'float("nan")'
    return float.__repr__(value).replace("inf", _INFINITY).replace("e+", "e")


def _complex(value: complex) -> str:
    imaginary = _float(value.imag).removesuffix(".0") + "j"
    if str(value.real) == "0.0" and not imaginary.startswith("-"):
        return imaginary
    sign = "-" if imaginary.startswith("-") else "+"
    return f"{_float(value.real)} {sign} {imaginary.removeprefix('-')}"


def _other(value: Any, quotes: Sequence[str]) -> str:
    if hasattr(value, "item"):  # a NumPy scalar: its own repr names a module
        return constant(value.item(), None, quotes)
    if isinstance(value, tuple):
        items = [constant(item, None, quotes) for item in value]
        return "(" + ", ".join(items) + (",)" if len(items) == 1 else ")")
    raise InternalError(f"a constant of type {type(value).__name__} has no text")
