"""What the compiler knows of each primitive, as one record, by its canonical name.

A fact is said here and nowhere else: the layers above ask the record. `rules.records` completes
what is said here by what the rule of a function, or its being a ufunc, tells: an elementwise rule
broadcasts its operands and returns fresh memory without a word.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from srcgrad.errors import InternalError
from srcgrad.primitives import constants, numpy_arrays, numpy_functions, own, python, scipy
from srcgrad.primitives.record import UNKNOWN, Primitive

__all__ = ["PACKAGES", "RECORDS", "UNKNOWN", "Primitive", "named"]


def _merge() -> dict[str, Primitive]:
    """Put the records together; a function with two of them is a mistake, but for the reason."""
    merged: dict[str, Primitive] = {}
    for module in (numpy_arrays, numpy_functions, own, python, scipy):
        for record in module.RECORDS:
            if record.name in merged:
                raise InternalError(f"`{record.name}` has two records")
            merged[record.name] = record
    for record in constants.RECORDS:
        known = merged.get(record.name, record)
        kind, outlines = known.kind or record.kind, known.outlines or record.outlines
        merged[record.name] = replace(
            known, reason=record.reason, kind=kind, outlines=outlines, compares=record.compares
        )
    return merged


RECORDS: Final[Mapping[str, Primitive]] = MappingProxyType(_merge())


PACKAGES: Final[Mapping[str, Primitive]] = MappingProxyType(
    {
        **dict.fromkeys(
            ("numpy.linalg", "numpy.fft", "scipy.linalg", "scipy.fft", "scipy.sparse.linalg"),
            Primitive(kind="float"),
        ),
        "scipy.ndimage": Primitive(kind="first"),
        "cmath": Primitive(scalar=True),
        **dict.fromkeys(constants.OF_TEXT, Primitive(reason=constants.TEXT)),
    }
)
"""What is known of the functions of a package that have no records of their own."""


def _by_last_name() -> dict[str, tuple[Primitive, ...]]:
    found: dict[str, tuple[Primitive, ...]] = {}
    for record in RECORDS.values():
        last = record.name.rpartition(".")[2]
        found[last] = (*found.get(last, ()), record)
    return found


_BY_LAST_NAME: Final = _by_last_name()


def named(last: str) -> tuple[Primitive, ...]:
    """Return the records of all functions with a name, or method of it, in whatever module.

    >>> [record.name for record in named("trace")]
    ['numpy.trace', 'numpy.linalg.trace']
    """
    return _BY_LAST_NAME.get(last, ())
