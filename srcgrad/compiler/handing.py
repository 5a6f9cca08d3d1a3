"""Hands out the gradients at the end of a backward pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from srcgrad.analyses.ownership import OTHERS, Origins
from srcgrad.frontend.source import Entry, Path
from srcgrad.ir.build import call, load
from srcgrad.transforms.externals import Externals
from srcgrad.transforms.runtime_calls import EXPORTED


def nested(fields: Mapping[Path, str]) -> dict[Any, Any]:
    """Return the fields by name, those of inner objects and containers in dicts of their own."""
    found: dict[Any, Any] = {}
    for path, name in fields.items():
        *outer, last = [step.key if isinstance(step, Entry) else step for step in path]
        place = found
        for part in outer:
            place = place.setdefault(part, {})
        place[last] = name
    return found


class Handed:
    """Hands out gradients, each in memory that no one else can reach."""

    def __init__(
        self,
        backward: list[Any],
        externals: Externals,
        taken: Sequence[str],
        roots: frozenset[str],
        owned: Sequence[str] = (),
    ) -> None:
        self._roots = roots
        self._origins = Origins(
            backward,
            lambda name: name.startswith("grad_") and name not in taken,
            lambda name: name in EXPORTED or name in externals.derived,
            {"reverse_steps", *externals.derived},
            owned,
            taken,
        )
        self._externals = externals
        self._given: set[str] = set()

    def take(self, name: str) -> Any:
        """Return the gradient, or a copy of it."""
        memory = {name} if name in self._roots else self._origins.of(load(name)) or {name}
        if OTHERS in memory or memory & self._given:
            return call(self._externals.use_runtime("copied"), load(name))
        self._given |= memory
        return load(name)
