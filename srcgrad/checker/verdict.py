"""Holds what the checker finds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the checker found of one derivative.

    Attributes:
        kind: "proven", "unproven" if it does not know enough, or "wrong".
        reason: What does not agree, or what it does not know.
        runs: How many runs ended without an exception.
        missed: The lines of the text that no run took.
        unread: Why the user's own function was not run beside the text; empty if it was.
    """

    kind: str
    reason: str = ""
    runs: int = 0
    missed: tuple[int, ...] = ()
    unread: str = ""
