"""Finds what a text reads from outside: names of data, and attributes of modules and objects.

Numba would take what they hold when it compiles for what they hold for ever, also in what it keeps
in files. So they become arguments, read anew at each call.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Final

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.build import load
from srcgrad.ir.parsing import gast_parsed
from srcgrad.ir.walk import found_in, walk

_NUMBERS: Final = (float, int, np.ndarray, np.generic)
_DATA: Final = (*_NUMBERS, complex, list, tuple, dict, str)
_CONSTANT: Final = frozenset("numpy math cmath scipy srcgrad builtins".split())
Path = tuple[str, ...]


def data_in(source: str, space: Mapping[str, Any]) -> dict[str, Path]:
    """Return what a text reads from outside and what may change, by the names that it will have.

    A path is the name of data, or of a module, a class or an object with those of attributes.
    """
    words = set(re.findall(r"\w+", source))
    read = {name: space[name] for name in sorted(words & space.keys()) if name[:2] != "__"}
    found: dict[str, Path] = {
        name: (name,) for name, value in read.items() if isinstance(value, _DATA)
    }
    holders = {name for name, value in read.items() if name not in found and _may_hold(value)}
    if not holders:
        return found
    for node in found_in(gast_parsed(source), gast.Attribute):
        path = _path_of(node)
        if path is not None and path[0] in holders and _is_kept(space[path[0]], path[1:]):
            found.setdefault(_flat(path, words), path)
    return dict(sorted(found.items()))


def put_names(tree: Any, data: Mapping[str, Path]) -> None:
    """Let a tree read attributes under the names that they have as data."""
    names = {path: name for name, path in data.items() if len(path) > 1}
    if not names:
        return
    for node in list(walk(tree)):
        for field in getattr(node, "_fields", ()):
            part = getattr(node, field, None)
            if isinstance(part, list):
                part[:] = [_named(item, names) for item in part]
            elif isinstance(part, gast.Attribute):
                setattr(node, field, _named(part, names))


def _named(node: Any, names: Mapping[Path, str]) -> Any:
    is_read = isinstance(node, gast.Attribute) and isinstance(node.ctx, gast.Load)
    path = _path_of(node) if is_read else None
    return load(names[path]) if path is not None and path in names else node


def _may_hold(value: Any) -> bool:
    if isinstance(value, ModuleType):
        return value.__name__.partition(".")[0] not in _CONSTANT
    return isinstance(value, type) or not callable(value)


def _path_of(node: Any) -> Path | None:
    names: list[str] = []
    while isinstance(node, gast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    return (node.id, *names) if isinstance(node, gast.Name) else None


def _is_kept(holder: Any, attributes: Path) -> bool:
    """Say whether attributes lead to data that are kept there, and not computed when asked for."""
    for attribute in attributes:
        try:
            kept = inspect.getattr_static(holder, attribute)
            holder = getattr(holder, attribute)
        except AttributeError:
            return False
        if kept is not holder:
            return False
    return isinstance(holder, _NUMBERS)


def _flat(path: Path, words: set[str]) -> str:
    name = "_".join(path)
    while name in words:
        name += "_"
    return name
