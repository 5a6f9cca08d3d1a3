"""Says of calls without a rule why they have none, and what to write instead."""

from __future__ import annotations

from typing import Final

_KINDS: Final[dict[str, tuple[str, str]]] = {
    "numpy.ma.": (
        "arrays with a mask are not differentiated",
        "select with `np.where(mask, 0.0, x)`, or `np.mean(x, where=~mask)` and the like",
    ),
    "numpy.matrixlib.": (
        "`*` of `np.matrix` is a product of matrices, and it is not differentiated",
        "keep an array, and multiply with `@`",
    ),
    "numpy.rec.": (
        "arrays of records are not differentiated",
        "keep an array for each field",
    ),
}
_NAMES: Final[dict[str, tuple[str, str]]] = {
    **dict.fromkeys(
        ("numpy.asmatrix", "numpy.matrix", "numpy.bmat", "numpy.mat"), _KINDS["numpy.matrixlib."]
    ),
    "tolist": (
        "`tolist` makes lists in lists, how deep only the run tells",
        "read the array itself, or `list(x)` of a vector",
    ),
    "view": (
        "the bytes of numbers, read as another type, have no derivative by source",
        "convert with `astype`, or take the `real` and `imag` of complex numbers",
    ),
    "setfield": ("`setfield` writes bytes, which have no derivative", "write into `x[...]`"),
    "getfield": ("`getfield` reads bytes, which have no derivative", "convert with `astype`"),
    "permutation": (
        "the rows of this permutation are not told by source",
        "permute the places: `x[rng.permutation(len(x))]`",
    ),
    "choice": (
        "what this choice takes is not told by source",
        "choose the places: `x[rng.choice(len(x), size)]`",
    ),
    "shuffle": (
        "what this shuffle writes is not told by source",
        "permute the places: `x = x[rng.permutation(len(x))]`",
    ),
}


def why_not(name: str) -> tuple[str, str] | None:
    """Return what to say of a function or method without a rule, and the way out, if it is known.

    >>> why_not("numpy.ma.core.masked_array")[0]
    'arrays with a mask are not differentiated'
    >>> why_not("numpy.sin") is None
    True
    """
    found = _NAMES.get(name)
    if found is not None:
        return found
    return next((known for start, known in _KINDS.items() if name.startswith(start)), None)
