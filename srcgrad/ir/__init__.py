"""Describes programs: nodes, names, and how to build and walk them."""
