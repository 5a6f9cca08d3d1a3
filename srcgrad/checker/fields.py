"""Hands lanes to a text that reads them as the fields of arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from srcgrad.ir import gast


class Holder:
    """An argument of which some fields or entries are known, at the end of long paths.

    The others are those of the `rest`.
    """

    def __init__(self, rest: Any) -> None:
        self._rest = rest
        self._attributes: dict[str, Any] = {}
        self._entries: dict[Any, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return self._attributes[name] if name in self._attributes else getattr(self._rest, name)

    def __getitem__(self, key: Any) -> Any:
        return self._entries[key] if key in self._entries else self._rest[key]

    def put(self, path: list[tuple[bool, Any]], value: Any) -> None:
        """Let a value be at the end of a path of steps: whether each is an attribute, and which."""
        (is_attribute, step), *further = path
        steps = self._attributes if is_attribute else self._entries
        if not further:
            steps[step] = value
            return
        if step not in steps:
            rest = None if self._rest is None else _stepped(self._rest, step, is_attribute)
            steps[step] = Holder(rest)
        steps[step].put(further, value)


def _stepped(value: Any, step: Any, is_attribute: bool) -> Any:
    return getattr(value, step) if is_attribute else value[step]


class Fields:
    """Which names stand for which fields of arguments, by the statements that read them.

    >>> fields = Fields(gast.parse("w = p.layers[0].w").body)
    >>> fields.given(["p", "x"], {"w": 1.0, "x": 2.0})[0].layers[0].w
    1.0
    """

    def __init__(self, statements: Iterable[Any]) -> None:
        self._paths: dict[str, dict[str, list[tuple[bool, Any]]]] = {}
        for statement in statements:
            root, path = _path(statement.value)
            self._paths.setdefault(root, {})[statement.targets[0].id] = path

    @property
    def names(self) -> set[str]:
        """The names that stand for fields."""
        return {name for paths in self._paths.values() for name in paths}

    def given(self, parameters: Iterable[str], values: Mapping[str, Any]) -> list[Any]:
        """Return what a text takes for parameters, where `values` are those of all names."""
        return [self._held(name, values) for name in parameters if name not in self.names]

    def _held(self, parameter: str, values: Mapping[str, Any]) -> Any:
        if parameter not in self._paths:
            return values[parameter]
        holder = Holder(values.get(parameter))
        for name, path in self._paths[parameter].items():
            holder.put(path, values[name])
        return holder


def _path(node: Any) -> tuple[str, list[tuple[bool, Any]]]:
    """Return the name at the root of ``p.layers[0].w``, and the way from there."""
    path: list[tuple[bool, Any]] = []
    while not isinstance(node, gast.Name):
        is_attribute = isinstance(node, gast.Attribute)
        path.append((is_attribute, node.attr if is_attribute else node.slice.value))
        node = node.value
    return node.id, path[::-1]
