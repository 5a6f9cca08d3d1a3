"""Writes the values that a function reads from outside as Python text."""

from __future__ import annotations

import dataclasses
import math
import textwrap
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from srcgrad.codegen.literals import constant
from srcgrad.runtime.objects import is_named_tuple, is_plain_object

LARGEST: Final = 256  # numbers: a screen full of them
_WIDEST: Final = 88
_KNOWN: Final = ("float64", "int64", "bool", "complex128")


class TooLargeError(ValueError):
    """An array of more numbers than anyone would read."""


def written(value: Any, name_of: Callable[[Any], str]) -> str | None:
    """Return an expression that makes a value; None if there is none that reads well.

    Args:
        value: A number, text, array or container of those, or an object made of such fields.
        name_of: Returns the name of a function, class or module.

    Raises:
        TooLargeError: There are more than 256 numbers in an array.

    >>> print(written({"rate": 0.5, "at": np.array([1.0, np.inf])}, str))
    {"rate": 0.5, "at": np.array([1.0, np.inf])}
    """
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, (np.generic, np.dtype)):
        return _numpy_scalar(value)
    if isinstance(value, (list, tuple, dict, set, frozenset)) and not hasattr(value, "_fields"):
        return _container(value, name_of)
    if isinstance(value, (slice, range)):
        parts = [written(part, name_of) for part in (value.start, value.stop, value.step)]
        return f"{type(value).__name__}({', '.join(map(str, parts))})"
    if isinstance(value, float):
        return _number(value)
    if value is None or value is Ellipsis or type(value) in (bool, int, complex, str, bytes):
        return constant(value)
    if is_plain_object(value):
        return _object(value, name_of)
    return name_of(value) if callable(value) else None


def _number(value: float) -> str:
    if math.isnan(value):
        return "np.nan"
    if math.isinf(value):
        return "np.inf" if value > 0 else "-np.inf"
    return repr(float(value))


def _numpy_scalar(value: Any) -> str | None:
    if isinstance(value, np.dtype):
        return f"np.dtype({constant(value.name)})" if value.kind in "biufc" else None
    if value.dtype.kind not in "biufc":
        return None
    return f"np.{value.dtype.name}({_entry(value.item())})"


def _entry(value: Any) -> str:
    return _number(value) if isinstance(value, float) else repr(value)


def _array(value: Any) -> str | None:
    if type(value) is not np.ndarray or value.dtype.kind not in "biufc":
        return None
    if value.size > LARGEST:
        raise TooLargeError(f"an array of {value.size} numbers")
    kind = "" if value.dtype.name in _KNOWN else f", dtype=np.{value.dtype.name}"
    if value.size == 0:
        dtype = "" if value.dtype.name == "float64" else f", dtype=np.{value.dtype.name}"
        return f"np.zeros({value.shape}{dtype})"
    fortran = value.ndim > 1 and value.flags.f_contiguous and not value.flags.c_contiguous
    order = ', order="F"' if fortran else ""
    return f"np.array({_rows(value.tolist())}{kind}{order})"


def _rows(items: Any, depth: int = 1) -> str:
    """Return nested lists: on one line if they are short, else wrapped like a paragraph."""
    if not isinstance(items, list):
        return _entry(items)
    parts = [_rows(item, depth + 1) for item in items]
    line = f"[{', '.join(parts)}]"
    if len(line) <= _WIDEST - 4 * depth:
        return line
    indent = "    " * depth
    if isinstance(items[0], list):
        body = "".join(f"{indent}{part},\n" for part in parts)
    else:
        body = (
            textwrap.fill(
                ", ".join(parts), _WIDEST, initial_indent=indent, subsequent_indent=indent
            )
            + ",\n"
        )
    return f"[\n{body}{'    ' * (depth - 1)}]"


def _container(value: Any, name_of: Callable[[Any], str]) -> str | None:
    kind = type(value)
    if kind is dict:
        pairs = [(written(k, name_of), written(v, name_of)) for k, v in value.items()]
        if any(None in pair for pair in pairs):
            return None
        return _joined("{", [f"{key}: {item}" for key, item in pairs], "}")
    items = [written(item, name_of) for item in value]
    if None in items or kind not in (list, tuple, set, frozenset):
        return None
    texts = [str(item) for item in items]
    if kind in (set, frozenset):
        inner = _joined("{", sorted(texts), "}") if texts else ""
        return f"{kind.__name__}({inner})" if kind is frozenset or not texts else inner
    if kind is list:
        return _joined("[", texts, "]")
    return f"({texts[0]},)" if len(texts) == 1 else _joined("(", texts, ")")


def _joined(opening: str, items: list[str], closing: str) -> str:
    line = f"{opening}{', '.join(items)}{closing}"
    if len(line) <= _WIDEST and "\n" not in line:
        return line
    body = "".join(textwrap.indent(item, "    ") + ",\n" for item in items)
    return f"{opening}\n{body}{closing}"


def _object(value: Any, name_of: Callable[[Any], str]) -> str | None:
    """Return a call that makes a named tuple or a dataclass of the user's anew."""
    if is_named_tuple(type(value)):
        fields = {name: getattr(value, name) for name in value._fields}
    elif dataclasses.is_dataclass(value) and all(f.init for f in dataclasses.fields(value)):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        if vars(value).keys() - fields.keys() if hasattr(value, "__dict__") else False:
            return None
    else:
        return None
    parts = {name: written(item, name_of) for name, item in fields.items()}
    if None in parts.values():
        return None
    made = [f"{name}={text}" for name, text in parts.items()]
    return _joined(f"{name_of(type(value))}(", made, ")")
