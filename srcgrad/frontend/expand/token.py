"""Has what stands for a value of the run, and notes whether more is done than to hand it on."""

from __future__ import annotations

from typing import Any, Final


class LookedAtError(Exception):
    """A function does more with a value than to hand it on."""


class Token:
    """Stands for a value that only the run tells: it may be handed on, and nothing else."""

    __slots__ = ("looked_at",)

    def __init__(self) -> None:
        object.__setattr__(self, "looked_at", False)


def look(token: Any, *_: Any) -> Any:
    """Note that a token is looked at, and raise."""
    object.__setattr__(token, "looked_at", True)
    raise LookedAtError("this value may only be handed on")


_KINDS: Final = (float, list, memoryview)
_MORE: Final = "__call__ __getattr__ __next__ __matmul__ __rmatmul__ __bytes__ __await__".split()
_OF_CLASSES: Final = "__new__ __init__ __class__ __doc__ __init_subclass__ __subclasshook__".split()
for _name in {name for kind in _KINDS for name in dir(kind)}.union(_MORE) - {*_OF_CLASSES}:
    if _name.startswith("__"):
        setattr(Token, _name, look)
