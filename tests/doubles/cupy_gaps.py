"""What CuPy 14.2 lacks of NumPy, as measured by importing it and reading its signatures."""

from __future__ import annotations

UFUNCS = frozenset("isnat matvec spacing vecdot vecmat".split())
"""Ufuncs that are no names of CuPy."""

FUNCTIONS = frozenset(
    (
        "block einsum_path geomspace insert nanpercentile nanquantile unstack polyder polydiv "
        "polyint histogram_bin_edges busday_count busday_offset is_busday datetime_as_string"
    ).split()
)
"""Functions that dispatch to the array's own library, where CuPy has none."""

LINALG = frozenset(
    ("diagonal matrix_norm multi_dot outer svdvals tensordot trace vecdot vector_norm").split()
)
"""The same of `np.linalg`."""

HOST = frozenset(
    (
        "zeros ones full empty eye identity arange array asarray ascontiguousarray asanyarray tri "
        "tril_indices triu_indices diag_indices indices fromfunction hanning hamming blackman "
        "bartlett kaiser"
    ).split()
)
"""Functions that do not dispatch: they make arrays of NumPy, whatever they are given."""

KEYWORDS = {
    "where": frozenset("sum prod max min mean std var any all amax amin".split()),
    "initial": frozenset("sum prod max min amax amin".split()),
    "keepdims": frozenset({"count_nonzero"}),
    "mode": frozenset({"take"}),
    "order": frozenset({"sort"}),
    "stable": frozenset({"sort", "argsort"}),
    "correction": frozenset({"std", "var"}),
}
"""Keywords, with the functions that lack them (nan-functions likewise)."""


def lacks(function: str, keyword: str = "") -> bool:
    """Say whether CuPy lacks a function, or a keyword of it."""
    if not keyword:
        return function in FUNCTIONS | UFUNCS
    return function.removeprefix("nan") in KEYWORDS.get(keyword, frozenset())
