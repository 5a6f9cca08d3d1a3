"""Kernels as NumPy's users write them, each with its adjoint by hand: `python -m bench kernels`."""

from bench.kernels.table import main

__all__ = ["main"]
