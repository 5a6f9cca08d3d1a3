"""Makes adjoints that mirror the storage of what they are adjoints of."""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np

from srcgrad.errors import LeftOutError
from srcgrad.runtime.adjoints import zeros_like
from srcgrad.runtime.complex_parts import real_as
from srcgrad.runtime.copies import copied


def shadow_of(x: Any) -> Any:
    """Return an array of zeros like `x`, to be written in place: without axes for a number.

    A dict or list has one of those for each entry.

    >>> shadow_of(2.5)
    array(0.)
    """
    if x is None:
        return None
    if isinstance(x, dict):
        return {key: shadow_of(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return [shadow_of(value) for value in x]
    zeros = zeros_like(x)
    return zeros if hasattr(zeros, "shape") and zeros.shape else np.asarray(zeros)


def complex_shadow_of(x: Any) -> Any:
    """Return what `shadow_of` does, but of complex numbers, since such may be added to them.

    >>> complex_shadow_of([2.5])
    [array(0.+0.j)]
    """
    return _widened(shadow_of(x))


def _widened(shadow: Any) -> Any:
    """Return a shadow, or those in a dict or list, as complex numbers."""
    if isinstance(shadow, dict):
        return {key: _widened(value) for key, value in shadow.items()}
    if isinstance(shadow, list):
        return [_widened(value) for value in shadow]
    return None if shadow is None else shadow.astype(np.result_type(shadow.dtype, np.complex64))


def shadow_of_view(shadow: Any, part: Any, whole: Any) -> Any:
    """Return `shadow`, if `part` is a view of `whole` as it is of the shadow; else a new one.

    Whether a reshape copies, and whether ``y[i]`` is a number, is known at run time only.

    >>> y, grad_y = np.ones(3), np.zeros(3)
    >>> shadow_of_view(grad_y[0], y[0], y)
    array(0.)
    """
    if isinstance(whole, (list, tuple)):
        return shadow  # as many, and in the same order, as the arrays that they are shadows of
    if np.may_share_memory(part, whole):
        return shadow
    return complex_shadow_of(part) if np.iscomplexobj(shadow) else shadow_of(part)


def tangent_of_view(tangent: Any, of_whole: Any, part: Any, whole: Any) -> Any:
    """Return the tangent of a part: a view of that of the whole where the part is one, else a copy.

    Whether a reshape copies, the run alone tells. `tangent` is what it makes of the tangent.

    >>> x, x_dot = np.ones((2, 2)), np.zeros((2, 2))
    >>> tangent_of_view(x_dot.ravel(), x_dot, x.ravel(), x).base is x_dot
    True
    >>> tangent_of_view(x_dot.ravel(), x_dot, x.T.ravel(), x.T).base is x_dot
    False

    Raises:
        LeftOutError: The tangent is laid out otherwise than its value, so that it is no view of it.
    """
    is_view = np.may_share_memory(tangent, of_whole)
    if isinstance(whole, (list, tuple)) or not np.may_share_memory(part, whole):
        return copied(tangent) if is_view else tangent
    if not is_view:
        raise LeftOutError(
            "a tangent lies otherwise in memory than its value, of which a part is written",
            hint="give it the layout of the value: `np.ascontiguousarray`",
        )
    return tangent


def add_to_shadows(shadows: Any, parts: Any) -> None:
    """Add adjoints of the entries of a tuple, list or dict, or of an array, to their shadows.

    They are added in place, but for numbers in lists and dicts. A number is that of each entry, as
    it is where one is added to an array.

    >>> first, second = np.zeros(2), np.zeros(1)
    >>> add_to_shadows([first, second], [np.ones(2), None])
    >>> first
    array([1., 1.])
    """
    if parts is None:
        return
    if not isinstance(shadows, (dict, list, tuple)):
        np.add(shadows, real_as(parts, shadows), out=shadows)
        return
    entries: Any = shadows
    if isinstance(parts, Number):
        parts = dict.fromkeys(shadows if isinstance(shadows, dict) else range(len(shadows)), parts)
    for key in parts if isinstance(parts, dict) else range(len(parts)):
        if isinstance(entries[key], Number) and parts[key] is not None:
            entries[key] = entries[key] + parts[key]
        else:
            add_to_shadows(entries[key], parts[key])
