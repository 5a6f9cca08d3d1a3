"""Differentiate the NumPy you already have, and read the result."""
