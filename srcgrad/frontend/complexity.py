"""Says whether complex numbers may come up in a function by itself, whatever its arguments."""

from __future__ import annotations

from types import CellType
from typing import Any, Final

import numpy as np

from srcgrad.frontend.source import FunctionSource
from srcgrad.ir import gast
from srcgrad.ir.walk import walk
from srcgrad.runtime.objects import hides_class

_MAKERS: Final = frozenset(
    (
        "fft ifft rfft irfft hfft ihfft fft2 ifft2 fftn ifftn rfft2 irfft2 rfftn irfftn "
        "eig eigvals roots emath scimath complex complex64 complex128 cdouble csingle "
        "clongdouble iscomplex hilbert cmath"
    ).split()
)


def may_make_complex(tree: Any) -> bool:
    """Say whether a function's text holds anything that makes complex numbers of real ones.

    >>> may_make_complex(gast.parse("y = np.fft.rfft(x)"))
    True
    """
    for node in walk(tree):
        if isinstance(node, gast.Constant):
            if isinstance(node.value, complex) or node.value in ("complex", "complex128", "c16"):
                return True
        elif (isinstance(node, gast.Attribute) and node.attr in _MAKERS) or (
            isinstance(node, gast.Name) and node.id in _MAKERS
        ):
            return True
    return False


def meets_complex(source: FunctionSource) -> bool:
    """Say whether a function may make complex numbers, or knows such from outside."""
    if may_make_complex(source.tree):
        return True
    names = source.function.__code__.co_names
    values = [source.function.__globals__.get(name) for name in names]
    values += [cell.cell_contents for cell in source.function.__closure__ or () if _is_set(cell)]
    told = (value for value in values if not hides_class(value))
    return any(np.iscomplexobj(v) for v in told if isinstance(v, (complex, np.ndarray)))


def _is_set(cell: CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False
