"""Records of NumPy's functions that make arrays, or put the elements of arrays elsewhere."""

from __future__ import annotations

from typing import Any, Final

from srcgrad.primitives.record import Primitive, records

Facts = dict[str, Any]

_MADE: Final[Facts] = {"shape": "told", "gives": "array", "kind": "float"}
_LIKE: Final[Facts] = {"shape": "first", "gives": "array", "kind": "first", "outlines": (0,)}
_MOVED: Final[Facts] = {"gives": "array", "kind": "promoted", "moves": True}
_JOINED: Final[Facts] = {**_MOVED, "joins": True}
_VIEWED: Final[Facts] = {**_MOVED, "memory": "view"}
_AT_LEAST: Final[Facts] = {
    **_MOVED,
    "kind": "either",
    "memory": "itself",
    "viewed": "any",
    "same": True,
}
_OPTIONAL: Final[Facts] = {"kind": "promoted", "memory": "optional"}
_CONVERTED: Final[Facts] = {
    **_MOVED,
    "shape": "ranked",
    "memory": "layout",
    "dtype": 1,
    "same": True,
}

CREATION: Final[tuple[Primitive, ...]] = (
    *records("numpy", "zeros ones empty", dtype=1, **_MADE),
    *records("numpy", "full", shape="told", gives="array", kind="promoted", dtype=2),
    *records("numpy", "zeros_like ones_like empty_like", dtype=1, **_LIKE),
    *records("numpy", "full_like", dtype=2, **_LIKE),
    *records("numpy", "eye", shape="square", gives="array", kind="float", dtype=3),
    *records("numpy", "identity", shape="square", gives="array", kind="float", dtype=1),
    *records("numpy", "linspace", shape="told", told=2, gives="array", kind="float", dtype=5),
    *records("numpy", "logspace geomspace", shape="told", told=2, gives="array"),
    *records("numpy", "tri", gives="array"),
    *records("numpy", "hamming hanning blackman bartlett", gives="array", kind="float"),
    *records("numpy", "arange", axes=",->k", gives="array", kind="promoted", dtype=3),
)

CONVERSION: Final[tuple[Primitive, ...]] = (
    *records("numpy", "asarray asanyarray", joins=True, **_CONVERTED),
    *records("numpy", "ascontiguousarray asfortranarray", **_CONVERTED),
    *records("numpy", "asarray_chkfinite require", **_CONVERTED),
    *records("numpy", "array", shape="ranked", dtype=1, **_JOINED),
    *records("numpy", "copy", shape="first", **_MOVED),
    *records("numpy", "astype", shape="first", gives="array", dtype=1),
)

VIEWS: Final[tuple[Primitive, ...]] = (
    *records("numpy", "transpose swapaxes moveaxis", shape="ranked", **_VIEWED),
    *records("numpy", "rollaxis matrix_transpose", shape="ranked", **_VIEWED),
    *records("numpy", "linalg.matrix_transpose rot90", shape="ranked", **_VIEWED),
    *records("numpy", "expand_dims", shape="ranked", **_VIEWED),
    *records("numpy", "squeeze", same=True, **_VIEWED),
    *records("numpy", "fliplr flipud", shape="first", **_VIEWED),
    # of an array without axes nothing can be turned over, and a number is returned
    *records(
        "numpy", "flip", shape="first", along="all", gives="number", memory="itself", moves=True
    ),
    *records("numpy", "split array_split hsplit vsplit dsplit", gives="list", memory="view"),
    *records("numpy", "broadcast_to", gives="array", kind="promoted", memory="frozen", moves=True),
    *records(
        "numpy", "diagonal", axes="mn->k", kind="promoted", memory="frozen", moves=True, picks=True
    ),
    *records("numpy", "linalg.diagonal", kind="promoted", memory="frozen"),
    *records("numpy", "lib.stride_tricks.sliding_window_view", kind="promoted", memory="frozen"),
    *records("numpy", "lib.stride_tricks.as_strided", kind="promoted", memory="layout"),
)

MAYBE_VIEWS: Final[tuple[Primitive, ...]] = (
    *records("numpy", "reshape", memory="layout", **_MOVED),
    *records("numpy", "ravel", axes="m->m; mn->k; lmn->k", memory="layout", **_MOVED),
    *records("numpy", "atleast_1d atleast_2d atleast_3d", **_AT_LEAST),
    *records("numpy", "diag", axes="m->mm; mn->k", memory="frozen", picks=True, **_MOVED),
    *records(
        "numpy",
        "broadcast_arrays",
        gives="tuple",
        kind="either",
        same=True,
        memory="itself",
        viewed="any",
        joins=True,
    ),
    *records("numpy", "unstack", memory="itself"),
    *records("numpy", "trim_zeros", kind="promoted", memory="layout", same=True),
    *records("numpy", "linalg.matrix_power", kind="promoted", memory="layout", same=True),
    *records(
        "numpy",
        "diff",
        shape="ranked",
        axes="m->m'; mn->mn'; lmn->lmn'",
        axis=2,
        along="last",
        gives="array",
        same=True,
        **_OPTIONAL,
    ),
    *records("numpy", "polyder polyint", same=True, memory="optional"),
)

ARRANGEMENT: Final[tuple[Primitive, ...]] = (
    *records("numpy", "concatenate", along="first", **_JOINED),
    *records("numpy", "stack", along="new", **_JOINED),
    *records("numpy", "hstack", along="second", **_JOINED),
    *records("numpy", "vstack", along="rows", **_JOINED),
    *records("numpy", "column_stack", along="columns", **_JOINED),
    *records("numpy", "dstack block", gives="array", kind="promoted", joins=True),
    *records("numpy", "meshgrid", kind="either", joins=True),
    *records("numpy", "roll", shape="first", axis=2, along="all", **_MOVED),
    *records("numpy", "append", axes="m,->k; m,n->k", **_MOVED),
    *records("numpy", "insert", axes="m,,->k; m,n,n->k", kind="first"),
    *records("numpy", "repeat tile", axes="m,->k", adds=True, **_MOVED),
    *records("numpy", "pad", axes="m->k; mn->kl", adds=True, **_MOVED),
    *records("numpy", "delete", axes="m,->k; m,n->k", picks=True, **_MOVED),
    *records("numpy", "take_along_axis", axes="m,n->n; mn,kl->kl", picks=True, **_MOVED),
    *records("numpy", "tril triu", picks=True, signature="(m,n)->(m,n)", **_MOVED),
    *records("numpy", "sort", shape="flat", along="last", **_MOVED),
    *records("numpy", "cumsum", shape="flat", along="flat", adds=True, **_MOVED),
    *records("numpy", "cumprod", shape="flat", along="flat", gives="array", kind="promoted"),
    *records("numpy", "trace", axes="mn->", kind="promoted", moves=True, picks=True, adds=True),
)

RECORDS: Final = (*CREATION, *CONVERSION, *VIEWS, *MAYBE_VIEWS, *ARRANGEMENT)
