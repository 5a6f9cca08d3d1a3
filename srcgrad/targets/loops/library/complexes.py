"""Complex numbers: their zeros, and the adjoints of their parts."""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import overload

from srcgrad import runtime
from srcgrad.targets.loops.library.bodies import (
    made,
    narrow,
    of_array,
    of_number,
    of_real,
    unvalued,
)


def _of_complex(kind):
    held = kind.dtype if of_array(kind) else unvalued(kind)
    return isinstance(held, types.Complex)


@overload(runtime.complex_zeros_like)
def _complex_zeros_like(x):
    if of_number(unvalued(x)):
        return lambda x: 0j
    if of_array(x):
        dtype = np.result_type(narrow(x), np.complex64)
        return made(f"def body(x):\n    return np.zeros(x.shape, np.{dtype})")
    return None


@overload(runtime.as_complex)
def _as_complex(x):
    if _of_complex(x):
        return lambda x: x
    if of_array(x) and isinstance(x.dtype, types.Float):
        kind = np.result_type(narrow(x), np.complex64).type
        return lambda x: x.astype(kind)
    return None


@overload(runtime.is_complex)
def _is_complex(x):
    if not (of_array(x) or of_number(unvalued(x))):
        return None
    return (lambda x: True) if _of_complex(x) else (lambda x: False)


@overload(runtime.imag_back)
def _imag_back(grad, is_complex):
    if not (of_array(grad) or of_number(unvalued(grad))):
        return None
    unit = np.complex64(1j) if narrow(grad) in ("float32", "complex64") else 1j
    return lambda grad, is_complex: (unit if is_complex else 0 * unit) * runtime.real_part(grad)


@overload(runtime.conj)
def _conj(x):
    if _of_complex(x):
        return lambda x: np.conj(x)
    return (lambda x: x) if of_array(x) or of_real(unvalued(x)) else None


@overload(runtime.real_part)
def _real_part(x):
    if _of_complex(x):
        return lambda x: x.real
    return (lambda x: x) if of_array(x) or of_real(unvalued(x)) else None


@overload(runtime.of_reals)
def _of_reals(grad, *operands):
    known = all(of_array(item) or of_number(unvalued(item)) for item in operands)
    if not known or any(map(_of_complex, operands)):
        return None
    return lambda grad, *operands: grad
