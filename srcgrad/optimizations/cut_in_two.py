"""Cuts the adjoint of two arrays that were joined by slices, of which one may be left out."""

from __future__ import annotations

from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import assign, call, clone, load, subscript
from srcgrad.ir.walk import blocks_of, found_in

_PIECES = 2


def cut_in_two(body: list[Any]) -> None:
    """Write two pieces along the first axis as slices, where they are cut from a name.

    Each piece is a statement of its own then, which goes if nothing reads it.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... grad_x, grad_h = split_like(grad_xh, [np.shape(x), np.shape(h)], 0)
    ... grad_x, grad_h = split_like(grad_xh, [np.shape(x), np.shape(h)], 1)
    ... a, b, c = split_like(grad_xh, [np.shape(x), np.shape(h), np.shape(y)], 0)
    ... ''')
    >>> cut_in_two(body)
    >>> print(text(body))
    grad_x = grad_xh[: len(x)]
    grad_h = grad_xh[len(x) :]
    grad_x, grad_h = split_like(grad_xh, [np.shape(x), np.shape(h)], 1)
    a, b, c = split_like(grad_xh, [np.shape(x), np.shape(h), np.shape(y)], 0)
    """
    for place, statement in reversed(list(enumerate(body))):
        for part in blocks_of(statement):
            cut_in_two(part)
        if isinstance(statement, gast.Assign) and _cuts(statement):
            body[place : place + 1] = _pieces(statement)


def _cuts(statement: Any) -> bool:
    """Say whether an assignment cuts two pieces from a name, along the first axis."""
    (target, *_), value = statement.targets, statement.value
    if getattr(getattr(value, "func", None), "id", "") != "split_like":
        return False
    grad, shapes, axis = value.args
    named = isinstance(target, gast.Tuple) and isinstance(grad, gast.Name)
    if not named or not isinstance(shapes, gast.List) or len(shapes.elts) != _PIECES:
        return False
    names = [getattr(item, "id", grad.id) for item in target.elts]
    if len(names) != _PIECES or grad.id in names or not isinstance(axis, gast.Constant):
        return False
    first = _sized(shapes.elts[0])
    return axis.value == 0 and first is not None and not set(names) & set(_names(first))


def _pieces(statement: Any) -> list[Any]:
    grad, shapes, _ = statement.value.args
    end = call("len", clone(_sized(shapes.elts[0])))
    slices = (gast.Slice(None, end, None), gast.Slice(clone(end), None, None))
    return [
        assign(target.id, subscript(load(grad.id), piece), statement)
        for target, piece in zip(statement.targets[0].elts, slices, strict=True)
    ]


def _sized(shape: Any) -> Any:
    """Return what ``np.shape(x)`` is the shape of, which has a length; or None."""
    func = getattr(shape, "func", None)
    of_numpy = getattr(getattr(func, "value", None), "id", "") == "np"
    if not of_numpy or getattr(func, "attr", "") != "shape":
        return None
    return shape.args[0] if isinstance(shape.args[0], gast.Name) else None


def _names(node: Any) -> list[str]:
    return [item.id for item in found_in(node, gast.Name)]
