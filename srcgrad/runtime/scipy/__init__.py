"""Holds what gradients of SciPy's functions call; imported with SciPy only."""
