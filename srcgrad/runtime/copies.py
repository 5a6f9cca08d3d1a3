"""Copies and gathers values that may be arrays, plain numbers or sequences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from srcgrad.errors import LeftOutError

_NUMBERS: Final = frozenset({float, int, np.float64, complex, np.complex128})


def copied(x: Any) -> Any:
    """Return a copy of an array, or of a list, tuple or dict with its entries; a number itself.

    The elements of an array lie as they did, which decides whether ``ravel`` copies.

    Raises:
        LeftOutError: A list or dict holds itself.
    """
    if type(x) is np.ndarray:
        return x.copy("K")
    if isinstance(x, (dict, list, tuple)):
        try:
            return _with_copies(x)
        except RecursionError:
            hint = "let its parts be found by their places"
            raise LeftOutError("a list or dict that is copied holds itself", hint=hint) from None
    return x.copy() if hasattr(x, "copy") else x


def _with_copies(x: Any) -> Any:
    """Return a list, tuple or dict with copies of the entries of another one."""
    if isinstance(x, dict):
        return {key: copied(value) for key, value in x.items()}
    parts = [value if type(value) in _NUMBERS else copied(value) for value in x]
    return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)


def refuse_twins(x: Any) -> None:
    """Refuse to copy what holds one list, dict or array at two places: the copies would be two.

    Raises:
        LeftOutError: There is one, of which `copy.deepcopy` makes one copy. The tape follows that.

    >>> row = [1.0]
    >>> refuse_twins([row, [1.0]])
    >>> refuse_twins([row, row])
    Traceback (most recent call last):
    srcgrad.errors.LeftOutError: [SG103] a list or dict that is copied holds one thing twice
    hint: copy each of its entries: `[copy.deepcopy(row) for row in rows]`
    """
    if not isinstance(x, (list, tuple, dict)):
        return
    found: set[int] = set()
    waiting = [x]
    while waiting:
        held = waiting.pop()
        for item in held.values() if isinstance(held, dict) else held:
            if isinstance(item, (list, dict, np.ndarray)):
                if id(item) in found:
                    raise LeftOutError(
                        "a list or dict that is copied holds one thing twice",
                        hint="copy each of its entries: `[copy.deepcopy(row) for row in rows]`",
                    )
                found.add(id(item))
            if isinstance(item, (list, tuple, dict)):
                waiting.append(item)


def copied_like(tangent: Any, x: Any) -> Any:
    """Return a copy of a tangent with the memory layout of the value that it belongs to.

    That of a number is a number: an update of one binds it anew, and so must that of its tangent.
    """
    if isinstance(x, (int, float, complex, np.generic)):
        number = tangent[()] if isinstance(tangent, np.ndarray) else tangent
        if isinstance(x, np.generic) and isinstance(number, np.generic):
            return number.astype(x.dtype)
        return number
    if isinstance(x, dict):
        return {key: copied_like(tangent[key], item) for key, item in x.items()}
    if isinstance(x, (list, tuple)):
        parts = [copied_like(part, item) for part, item in zip(tangent, x, strict=True)]
        return parts if isinstance(x, list) else tuple(parts)
    if not hasattr(x, "copy") or not hasattr(tangent, "copy"):
        return tangent
    copy = np.empty_like(x)
    copy[...] = tangent
    return copy


def same_layout(value: Any) -> Any:
    """Return a copy whose elements lie in memory as those of `value`, gaps included.

    Whether ``reshape`` copies depends on it, and so does what a later write reaches. Elements that
    share memory, as those of `broadcast_to`, get their own, with gaps: reshapes copy there, too.
    """
    dense = np.array(value)
    if dense.strides == value.strides or value.ndim < 1 or value.size == 0:
        return dense
    steps = [abs(step) for step in value.strides]
    if overlaps(value.shape, steps):
        return copied_with_gaps(value)
    if any(step % value.itemsize for step in steps):
        return dense
    span = sum((n - 1) * step for n, step in zip(value.shape, steps, strict=True))
    memory = np.zeros(span // value.itemsize + 1, value.dtype)
    forward = np.lib.stride_tricks.as_strided(memory, value.shape, steps)
    made = forward[tuple(slice(None, None, -1 if s < 0 else 1) for s in value.strides)]
    made[...] = value
    return made


def copied_with_gaps(value: Any) -> Any:
    """Return a copy with gaps after each axis and between elements, of which reshapes are copies.

    >>> copied_with_gaps(np.broadcast_to(1.0, (2, 3))).strides
    (64, 16)
    """
    memory: Any = np.zeros((*(n + 1 for n in value.shape), 2), value.dtype)
    made = memory[(*map(slice, value.shape), 0)]
    made[...] = value
    return made


def overlaps(shape: Sequence[int], steps: Iterable[int]) -> bool:
    """Say whether elements of an array may lie in one place, given how far apart they are.

    >>> overlaps((2, 3), (24, 8)), overlaps((2, 3), (0, 8)), overlaps((2, 3), (8, 8))
    (False, True, True)
    """
    span = 0
    for step, count in sorted(zip(map(abs, steps), shape, strict=True)):
        if count > 1 and step <= span:
            return True
        span += step * max(count - 1, 0)
    return False


def gathered(parts: Any, like: Any) -> Any:
    """Return the adjoints of the items of a sequence as one adjoint: an array for an array."""
    if parts is None:
        return None
    if isinstance(like, (list, tuple)):
        return [gathered(part, item) for part, item in zip(parts, like, strict=True)]
    if not isinstance(parts, (list, tuple)):
        return parts
    return np.reshape(np.stack(parts), np.shape(like)) if len(parts) else np.zeros_like(like)


def regathered(grad: Any, parts: Any, like: Any) -> Any:
    """Return the adjoint of ``gathered(parts, like)`` in the structure of `parts`."""
    if parts is None or grad is None:
        return None
    if isinstance(like, (list, tuple)):
        items = [regathered(*item) for item in zip(grad, parts, like, strict=True)]
        return np.stack(items) if hasattr(parts, "shape") and items else items
    if not isinstance(parts, (list, tuple)) or not len(parts):
        return grad if not isinstance(parts, (list, tuple)) else []
    return list(np.reshape(grad, (len(parts), *np.shape(parts[0]))))


def several(grad: Any, *used: int) -> Any:
    """Return the adjoints of the results of a function that returns one value or a list of them.

    If places are given, those of other places are None: these results are not used.
    """
    if not isinstance(grad, (list, tuple)):
        return [grad]
    return [part if i in used else None for i, part in enumerate(grad)] if used else grad


def several_back(parts: Any, like: Any) -> Any:
    """Return the adjoint of ``several(like)``, which may have had one value or a list of them."""
    return list(parts) if isinstance(like, (list, tuple)) else parts[0]
