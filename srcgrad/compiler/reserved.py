"""Says which names generated text uses for itself."""

from __future__ import annotations

from srcgrad import runtime

_OWN_BUILTINS = ("isinstance", "len", "min", "range", "reversed", "slice", "tuple", "zip")


def own_names() -> tuple[str, ...]:
    """Return the names that generated text uses for itself; locals called so get another."""
    return ("np", *runtime.__all__, *_OWN_BUILTINS)
