"""Does for complex numbers what the convention asks and leaves real ones as they are.

The compiler may drop these calls from a program in which no complex number can appear.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.errors import NotDifferentiableError


def is_complex(x: Any) -> bool:
    """Return whether `x` is a complex number or array."""
    if type(x) is float:
        return False
    dtype = getattr(x, "dtype", None)
    return isinstance(x, complex) if dtype is None else getattr(dtype, "kind", "f") == "c"


def conj(x: Any) -> Any:
    """Return the complex conjugate of `x`; a real `x` itself."""
    return np.conj(x) if is_complex(x) else x


def real_part(x: Any) -> Any:
    """Return the real part of `x`; a real `x` itself."""
    return np.real(x) if is_complex(x) else x


def real_as(x: Any, like: Any) -> Any:
    """Return the real part of `x` if `like` is real, which became complex numbers; else `x`."""
    return x if is_complex(like) else real_part(x)


def of_reals(grad: Any, *operands: Any) -> Any:
    """Return `grad`, the gradient of a function of real numbers.

    Raises:
        NotDifferentiableError: An operand is complex.
    """
    if any(is_complex(item) for item in operands):
        raise NotDifferentiableError(
            "the derivative of this function is known for real arguments only, not complex ones",
            hint="hand on the real and the imaginary part, or write a srcgrad.autograd.Function",
        )
    return grad


def as_complex(x: Any) -> Any:
    """Return an array as one of complex numbers, which may be added to it; anything else itself.

    Of lists, tuples and dicts that is done with the entries.
    """
    if isinstance(x, dict):
        return {key: as_complex(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return type(x)(map(as_complex, x))
    if getattr(getattr(x, "dtype", None), "kind", "c") == "c":
        return x
    return x.astype(np.result_type(x.dtype, np.complex64))


def imag_back(grad: Any, is_complex: bool) -> Any:
    """Return the adjoint of taking an imaginary part, which a real number does not have."""
    return 1j * real_part(grad) if is_complex else 0 * real_part(grad)


def rightly_solved(y: Any, *matrices: Any) -> Any:
    """Return the solution of a matrix equation; refuse one that SciPy calculates wrongly.

    Raises:
        NotDifferentiableError: The matrices are real and the right side is not, which SciPy's
            solvers of Sylvester's and Lyapunov's equations (as of 1.17) get wrong.
    """
    if is_complex(y) and not any(map(is_complex, matrices)):
        raise NotDifferentiableError(
            "SciPy solves matrix equations with real matrices and a complex right side wrongly, "
            "so that there is nothing to differentiate",
            hint="make the matrix complex: a + 0j",
        )
    return y


def rightly_stepped(y: Any, a: Any, method: Any) -> Any:
    """Do the same for a discrete equation, which the method "direct" solves rightly."""
    is_direct = method == "direct" or (method is None and len(a) < 10)  # as SciPy chooses
    return y if is_direct else rightly_solved(y, a)


COMPLEX_ONLY = frozenset({"conj", "real_part", "rightly_solved", "rightly_stepped"})
