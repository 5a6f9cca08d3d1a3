"""Gradients written by hand, one for each program of `tests/golden`, to compare the texts with."""
