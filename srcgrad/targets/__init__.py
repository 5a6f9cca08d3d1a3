"""Turns finished derivatives into other things that run: compiled loops."""
