"""Mirrors torch.autograd.forward_ad: dual numbers, which carry a tangent beside the value."""

from __future__ import annotations

from typing import Any, NamedTuple

from srcgrad.tape.core import Core, edge_of, make
from srcgrad.tape.forward import DualLevel
from srcgrad.tape.modes import STATE


class UnpackedDualTensor(NamedTuple):
    """A value and its tangent, which is None for a plain tensor."""

    primal: Any
    tangent: Any


def enter_dual_level() -> DualLevel:
    """Enter forward mode; `exit_dual_level` leaves it.

    Raises:
        RuntimeError: It is on already: there is one level only.
    """
    if STATE.dual_level is not None:
        raise RuntimeError(
            "Nested forward mode AD is not supported at the moment. Please exit the current dual "
            "level before entering another."
        )
    level = DualLevel()
    STATE.set(dual_level=level)
    return level


def exit_dual_level(*, level: DualLevel | None = None) -> None:
    """Leave forward mode; all tangents vanish.

    Raises:
        RuntimeError: It is not on, or `level` is not the one that is.
    """
    if STATE.dual_level is None or (level is not None and level is not STATE.dual_level):
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is "
            "not supported."
        )
    STATE.set(dual_level=None)


class dual_level:
    """A context of forward mode."""

    def __enter__(self) -> DualLevel:
        self._level = enter_dual_level()
        return self._level

    def __exit__(self, *exc: object) -> None:
        exit_dual_level(level=self._level)


def make_dual(tensor: Any, tangent: Any, *, level: DualLevel | None = None) -> Any:
    """Return a tensor on the memory of `tensor` that carries `tangent`.

    Raises:
        RuntimeError: Forward mode is not on, or the tangent has another shape.
        ValueError: One of the two is not of floating point or complex numbers.
    """
    if STATE.dual_level is None:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to "
            "enter_dual_level() first."
        )
    if not isinstance(tensor, Core) or not isinstance(tangent, Core):
        raise TypeError("make_dual expects two Tensors")
    for name, value in (("primal", tensor), ("tangent", tangent)):
        if value._array.dtype.kind not in "fc":
            raise ValueError(
                f"Expected {name} to be floating point or complex, but got: {value._array.dtype}"
            )
    if tensor._array.shape != tangent._array.shape:
        raise RuntimeError(
            f"Expected tangent to have the same shape as the primal, but got "
            f"{list(tangent._array.shape)} and {list(tensor._array.shape)}"
        )
    dual = make(tensor._array.view(), edge_of(tensor))
    dual._counter = tensor._counter
    STATE.dual_level.give(dual, tangent)
    return dual


def unpack_dual(tensor: Any, *, level: DualLevel | None = None) -> UnpackedDualTensor:
    """Return the value and the tangent of `tensor`; the tangent of a plain tensor is None."""
    if STATE.dual_level is None:
        return UnpackedDualTensor(tensor, None)
    tangent = STATE.dual_level.tangent_of(tensor)
    if tangent is None:
        return UnpackedDualTensor(tensor, None)
    primal = make(tensor._array.view(), edge_of(tensor))
    primal._counter = tensor._counter
    return UnpackedDualTensor(primal, tangent)


__all__ = [
    "UnpackedDualTensor",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]
