"""What CuPy has, as its own source tells: `python -m tools.cupy_names` writes it down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Known:
    """A name of CuPy: what it is, its parameters, and whether it takes numbers and lists."""

    kind: str
    parameters: tuple[str, ...] | None
    takes: frozenset[str]


def _read() -> dict[str, Known]:
    found = {}
    for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()[1:]:
        head, _, takes = line.partition(" :")
        kind, name, *parameters = head.split()
        told = None if "?" in parameters else tuple(parameters)
        found[name] = Known(kind, told, frozenset(takes.split()))
    return found


NAMES = _read()
METHODS = {
    name.removeprefix("ndarray."): item.parameters
    for name, item in NAMES.items()
    if name.startswith("ndarray.") and not name.startswith("ndarray._")
}


def check_keywords(name: str, given: Mapping[str, Any], parameters: tuple[str, ...] | None) -> None:
    """Refuse a keyword that a function of CuPy does not have."""
    if parameters is None or any(item.startswith("**") for item in parameters):
        return
    for keyword in given:
        if keyword not in parameters:
            raise TypeError(f"{name}() got an unexpected keyword argument '{keyword}'")
