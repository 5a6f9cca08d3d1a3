"""Says what calls in generated text do, where NumPy is `np` and nothing is resolved any more."""

from __future__ import annotations

from typing import Any, Final

from srcgrad import runtime
from srcgrad.ir import gast
from srcgrad.primitives import UNKNOWN, Primitive, named
from srcgrad.rules.records import numpy_primitive, primitive_of

_OURS: Final = frozenset(runtime.__all__)
_PLAIN: Final = ("builtins.", "srcgrad.runtime.")


def called(node: Any) -> Primitive:
    """Return what is known of the function of NumPy that an expression calls.

    >>> called(gast.parse("np.sinc(x)").body[0].value).shape
    'each'
    """
    func = getattr(node, "func", None)
    if not isinstance(func, gast.Attribute) or getattr(func.value, "id", "") != "np":
        return UNKNOWN
    return numpy_primitive(func.attr)


def called_by_text(node: Any) -> Primitive:
    """Return what is known of the function of NumPy, or of ours, that an expression calls.

    >>> called_by_text(gast.parse("divide_or_zero(x, y)").body[0].value).shape
    'broadcast'
    """
    name = getattr(getattr(node, "func", None), "id", "")
    return primitive_of(getattr(runtime, name)) if name in _OURS else called(node)


def makes_new(node: Any) -> bool:
    """Say whether a call surely returns a number, or an array that lies in memory of its own."""
    known = called(node)
    if known.memory != "fresh" or (known.shape in ("", "other") and not known.gives):
        return False
    return not any(item.arg in ("copy", "out") for item in node.keywords)


def compares_elements(node: Any) -> bool:
    """Say whether a call looks at the elements of its operands, for truths or whole numbers.

    >>> compares_elements(gast.parse("order_of(x, y)").body[0].value)
    True
    """
    known = called_by_text(node)
    return known.shape == "broadcast" and known.kind in ("truth", "int")


def outlined(node: Any) -> list[Any]:
    """Return the operands of a call of which it reads the shape and the type alone.

    >>> [[gast.unparse(item) for item in outlined(line.value)] for line in gast.parse(
    ...     "np.full_like(x, y); len(x); unbroadcast(g, x); np.sin(x); x + y").body]
    [['x'], ['x'], ['x'], [], []]
    """
    if not isinstance(node, gast.Call):
        return []
    known = [called(node)]
    if isinstance(node.func, gast.Name):
        known = [item for item in named(node.func.id) if item.name.startswith(_PLAIN)]
    return [node.args[i] for item in known for i in item.outlines if i < len(node.args)]
