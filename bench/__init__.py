"""Measures srcgrad against hand-written NumPy and its peers; run all of it with `make bench`."""
