"""Compiles the text of a derivative with Numba."""

from srcgrad.targets.loops.derivative import Derivative
from srcgrad.targets.loops.running import Loops
from srcgrad.targets.loops.ways import both_ways

__all__ = ["Derivative", "Loops", "both_ways"]
