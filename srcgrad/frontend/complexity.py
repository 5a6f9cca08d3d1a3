"""Says whether complex numbers may come up in a function by itself, whatever its arguments."""

from __future__ import annotations

from typing import Any, Final

import gast

from srcgrad.ir.walk import walk

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
