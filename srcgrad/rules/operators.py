"""Maps syntax (operators, method names, attributes) to the functions that have rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from srcgrad.runtime import astype, compress, flatten, item, join_columns, join_rows

Table = Mapping[str, Callable[..., Any]]

BINARY: Final[Table] = MappingProxyType(
    {
        "Add": np.add,
        "Sub": np.subtract,
        "Mult": np.multiply,
        "Div": np.divide,
        "FloorDiv": np.floor_divide,
        "Mod": np.remainder,
        "Pow": np.power,
        "MatMult": np.matmul,
        "BitAnd": np.bitwise_and,
        "BitOr": np.bitwise_or,
        "BitXor": np.bitwise_xor,
        "LShift": np.left_shift,
        "RShift": np.right_shift,
    }
)

UNARY: Final[Table] = MappingProxyType(
    {
        "USub": np.negative,
        "UAdd": np.positive,
        "Not": np.logical_not,
        "Invert": np.invert,
    }
)

COMPARE: Final[Table] = MappingProxyType(
    {
        "Eq": np.equal,
        "NotEq": np.not_equal,
        "Lt": np.less,
        "LtE": np.less_equal,
        "Gt": np.greater,
        "GtE": np.greater_equal,
    }
)

METHODS: Final[Table] = MappingProxyType(
    {
        "__abs__": np.abs,
        "__neg__": np.negative,
        "__pos__": np.positive,
        "__sub__": np.subtract,
        "__truediv__": np.divide,
        "__matmul__": np.matmul,
        "all": np.all,
        "any": np.any,
        "argmax": np.argmax,
        "argmin": np.argmin,
        "argpartition": np.argpartition,
        "argsort": np.argsort,
        "astype": astype,
        "choose": np.choose,
        "clip": np.clip,
        "compress": compress,
        "conj": np.conj,
        "conjugate": np.conjugate,
        "copy": np.copy,
        "cumprod": np.cumprod,
        "cumsum": np.cumsum,
        "diagonal": np.diagonal,
        "dot": np.dot,
        "flatten": flatten,
        "item": item,
        "max": np.max,
        "mean": np.mean,
        "min": np.min,
        "nonzero": np.nonzero,
        "prod": np.prod,
        "ravel": np.ravel,
        "repeat": np.repeat,
        "reshape": np.reshape,
        "round": np.round,
        "searchsorted": np.searchsorted,
        "squeeze": np.squeeze,
        "std": np.std,
        "sum": np.sum,
        "swapaxes": np.swapaxes,
        "take": np.take,
        "trace": np.trace,
        "transpose": np.transpose,
        "var": np.var,
    }
)

JOINERS: Final = ((np.r_, join_rows), (np.c_, join_columns))

PLAIN_CONTAINERS: Final = (np.ndarray, np.generic, Sequence, Mapping, type)

VARIADIC_METHODS: Final = frozenset({"reshape", "transpose"})

CONSTANT_METHODS: Final = frozenset(
    {
        "all",
        "any",
        "argmax",
        "argmin",
        "argpartition",
        "argsort",
        "as_integer_ratio",
        "hex",
        "index",
        "is_integer",
        "nonzero",
        "searchsorted",
        "tobytes",
        "tofile",
        "dump",
        "dumps",
    }
)

ATTRIBUTES: Final[Table] = MappingProxyType(
    {
        "T": np.transpose,
        "mT": np.matrix_transpose,
        "real": np.real,
        "imag": np.imag,
    }
)

CONSTANT_ATTRIBUTES: Final = frozenset(
    {"shape", "ndim", "size", "dtype", "itemsize", "nbytes", "strides", "flags", "device"}
)
