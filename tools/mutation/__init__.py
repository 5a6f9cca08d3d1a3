"""Breaks our own code, one token at a time, and asks whether a test near to it notices."""
