"""The short ways to a Jacobian, for arguments of kinds that there was a call for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.api.halves import Adjoints
from srcgrad.api.pushforward import Tangents
from srcgrad.api.stacking import count_of, rows_in, seeds_at_once, stack_of
from srcgrad.runtime.stacks import CannotStackError, Stack, Units


@dataclass(frozen=True, slots=True)
class Columns:
    """A Jacobian of an array by an array, in forward mode.

    Attributes:
        names: The parameters, in order.
        name: That of the array.
        push: The tangent function.
        seeds: A stack of those of all columns, which nobody writes into.
    """

    names: tuple[str, ...]
    name: str
    push: Tangents
    seeds: Stack

    def again(self, args: Sequence[Any]) -> Any:
        """Return the Jacobian, or None where it must be made as if it were new."""
        arguments = dict(zip(self.names, args, strict=True))
        try:
            found = self.push.rows_again(arguments, [self.seeds])
        except CannotStackError:
            return None
        if found is None or type(found[0]) is not np.ndarray:
            return None
        value, tangent = found
        if not isinstance(tangent, Stack):  # the same for each seed
            (rows,) = rows_in(value, tangent, len(self.seeds.rows))
            tangent = Stack(rows, is_array=True)
        return tangent.columns().reshape(value.shape + arguments[self.name].shape)


@dataclass(frozen=True, slots=True)
class Rows:
    """A Jacobian of an array by an array, in reverse mode.

    Attributes:
        names: The parameters, in order.
        name: That of the array.
        pull: The halves.
        seeds: A stack of those of all rows, which nobody writes into.
    """

    names: tuple[str, ...]
    name: str
    pull: Adjoints
    seeds: Stack

    def again(self, args: Sequence[Any]) -> Any:
        """Return the Jacobian, or None where it must be made as if it were new."""
        arguments = dict(zip(self.names, args, strict=True))
        try:
            found = self.pull.rows_again(arguments)
            if found is None or not _is_real_array(found[0]):
                return None
            value, pull = found
            (adjoint,) = pull(self._seeds_for(value))
        except CannotStackError:
            return None
        argument = arguments[self.name]
        if not isinstance(adjoint, Stack):  # the same for each seed
            (rows,) = rows_in(argument, adjoint, value.size)
            adjoint = Stack(rows, is_array=True)
        return adjoint.own_rows().reshape(value.shape + argument.shape)

    def _seeds_for(self, value: Any) -> Stack:
        seeds = self.seeds
        if (value.shape, value.dtype) == (seeds.shape, seeds.dtype):
            return seeds
        made: Stack = stack_of(value, np.eye(value.size), units=True)
        return made


def _is_real_array(value: Any) -> bool:
    return type(value) is np.ndarray and value.dtype.kind == "f" and value.size > 0


def short_way(
    maker: Any,
    arguments: Mapping[str, Any],
    found: Any,
    *,
    reverse: bool,
) -> Columns | Rows | None:
    """Return the short way to a Jacobian that was found, or None if there is none.

    `maker` is what made the text for its columns or rows.
    """
    names: Sequence[str] = maker.names
    argument = arguments[names[0]]
    if len(names) > 1 or type(argument) is not np.ndarray or type(found) is not np.ndarray:
        return None
    if found.ndim <= argument.ndim or not found.size:
        return None
    shape = found.shape[: found.ndim - argument.ndim] if reverse else argument.shape
    count = int(np.prod(shape))
    numbers = sum(map(count_of, arguments.values()))
    if maker.writes_rows() or seeds_at_once(count, numbers) < count:
        return None
    seeds = np.eye(count, dtype=found.dtype if reverse else argument.dtype)
    seeds.flags.writeable = False
    stack = Units(seeds) if len(shape) == 1 else Stack(seeds.reshape(count, *shape), is_array=True)
    return (Rows if reverse else Columns)(tuple(arguments), names[0], maker, stack)
