"""Sample calls of the functions that have records: an operand first, then what else they take."""

from __future__ import annotations

from typing import Any

import numpy as np

FLOATS = np.arange(1.0, 25.0)
ARRAYS: dict[str, np.ndarray[Any, Any]] = {
    "matrix": FLOATS[:12].reshape(3, 4),
    "in the order of Fortran": np.asfortranarray(FLOATS[:12].reshape(3, 4)),
    "every other column": FLOATS.reshape(3, 8)[:, ::2],
    "square": FLOATS[:9].reshape(3, 3),
    "of full rank": np.eye(3) + 0.25,
    "vector": FLOATS[:4],
    "every other number": FLOATS[:8:2],
    "of one element": np.ones(1),
    "without axes": np.array(2.0),
    "cube": FLOATS.reshape(2, 3, 4),
    "complex": FLOATS[:9].reshape(3, 3) + 0j,
    "turned in the plane": FLOATS[:9].reshape(3, 3) * (1 + 1j),
    "whole": np.arange(1, 10).reshape(3, 3),
    "whole vector": np.arange(1, 4),
}

EDGE = 0.25  # an argument at which functions of numbers are defined
OTHERS: dict[str, tuple[tuple[Any, ...], ...]] = {
    **dict.fromkeys(("zeros", "ones", "empty", "eye", "identity", "arange", "tri"), ((3,),)),
    **dict.fromkeys(("hamming", "hanning", "blackman", "bartlett"), ((3,),)),
    "full": ((3, 2.0), ((2, 3), 1)),
    "linspace": ((0, 1, 5),),
    "logspace": ((0, 1, 5),),
    "geomspace": ((1, 2, 5),),
    "fftfreq": ((3,),),
    "rfftfreq": ((3,),),
}
"""The calls of functions that take no array, by their last names."""

REST: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("swapaxes", "moveaxis"), (0, -1)),
    **dict.fromkeys(("rollaxis", "expand_dims", "sliding_window_view"), (0,)),
    **dict.fromkeys(
        ("roll", "repeat", "tile", "pad", "percentile", "matrix_power", "astype"), (1,)
    ),
    **dict.fromkeys(("split", "array_split", "hsplit", "vsplit", "dsplit"), (1,)),
    **dict.fromkeys(("quantile", "nanquantile", "full_like"), (0.5,)),
    **dict.fromkeys(("nanpercentile", "argpartition", "append"), (0,)),
    **dict.fromkeys(("add", "subtract", "multiply", "divide", "power", "float_power"), (2.0,)),
    **dict.fromkeys(("hypot", "arctan2", "logaddexp", "logaddexp2", "outer"), (2.0,)),
    **dict.fromkeys(("inner", "vdot", "dot"), (2.0,)),
    **dict.fromkeys(("convolve", "correlate", "polyval"), (np.ones(2),)),
    "interp": (np.arange(3.0), np.ones(3)),
    "reshape": (-1,),
    "broadcast_to": ((2, 1, 3, 4),),
    "sliding_window_view": (1,),
    "astype": (float,),
    "delete": ([0],),
    "insert": (0, 1.0),
    "tensordot": (np.ones((3, 4)),),
    "clip": (2.0, 5.0),
    "searchsorted": (2.0,),
    "digitize": ([0.0, 2.0],),
    "kron": (2.0,),
    **dict.fromkeys(("matmul", "vecdot", "solve", "lstsq"), (np.ones(3),)),
    "linalg.outer": ([2.0, 3.0],),
}
"""What functions take beside an array, by their last names."""

JOINING = ("concatenate", "stack", "hstack", "vstack", "column_stack", "dstack", "block")


def results(name: str, function: Any) -> list[tuple[Any, Any]]:
    """Return the operand and the result of each sample call that the function takes."""
    last = name.rpartition(".")[2]
    if last in OTHERS:
        return [(None, function(*call)) for call in OTHERS[last]]
    found = []
    for array in ARRAYS.values():
        operand = array / 30 if last in ("arccos", "arcsin", "arctanh") else array
        operand = operand + 1 if last == "arccosh" else operand
        first = [operand, operand] if last in JOINING else operand
        if last == "where":
            first, rest = operand > 2, (operand, 1.0)
        else:
            rest = REST.get(name.removeprefix("numpy."), REST.get(last, ()))
        try:
            found.append((operand, function(first, *rest)))
        except (IndexError, TypeError, ValueError, np.linalg.LinAlgError):
            continue
    return found
