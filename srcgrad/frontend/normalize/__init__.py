"""Turns a function into normal form: one rewriting per file."""
