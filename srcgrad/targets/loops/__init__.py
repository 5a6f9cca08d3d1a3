"""Compiles the text of a derivative with Numba."""

from srcgrad.targets.loops.running import Derivative, Loops

__all__ = ["Derivative", "Loops"]
