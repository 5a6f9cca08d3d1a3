"""What masks of the last axes of arrays select."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import overload

from srcgrad.targets.loops import names
from srcgrad.targets.loops.library.bodies import loops, made, of_array, of_number, subscript


def _behind(x: Any, mask: Any) -> int:
    """Return how many axes lie before those of a mask; none if it is no mask of the last ones."""
    if not of_array(x) or not of_array(mask) or not isinstance(mask.dtype, types.Boolean):
        return 0
    return max(int(x.ndim - mask.ndim), 0)


def _through(x: Any, mask: Any, step: str) -> str:
    """Return loops over what a mask leaves of the last axes, `k` in its order."""
    lead = _behind(x, mask)
    names = [f"i{k}" for k in range(x.ndim)]
    nest = loops(mask.ndim, "mask.shape", f"if mask{subscript(mask.ndim)}:\n@\n    k += 1")
    place = f"[{', '.join([*names[mask.ndim :], *names[: mask.ndim]])}]"
    first = names[mask.ndim :]
    lines = [f"{'    ' * k}for {name} in range(x.shape[{k}]):" for k, name in enumerate(first)]
    lines.append("    " * lead + step.replace("@", place).replace("#", ", ".join([*first, "k"])))
    indent = "    " * (mask.ndim + 2)
    whole = nest.replace(f"{indent[4:]}@", "\n".join(indent + line for line in lines))
    fits = (
        f"if mask.shape != x.shape[{lead}:]:\n        raise IndexError('a mask of another shape')"
    )
    return f"    {fits}\n    k = 0\n{whole}"


@overload(names.masked)
def _masked(x, mask):
    if not _behind(x, mask):
        return None
    nest = _through(x, mask, "out[#] = x@")
    lead = _behind(x, mask)
    return made(
        f"def body(x, mask):\n    out = np.empty(x.shape[:{lead}] + (np.sum(mask),), x.dtype)\n"
        f"{nest}\n    return out"
    )


@overload(names.put_masked)
def _put_masked(x, mask, value):
    return _with_masked(x, mask, value, "=")


@overload(names.add_masked)
def _add_masked(x, mask, value):
    return _with_masked(x, mask, value, "+=")


def _with_masked(x: Any, mask: Any, value: Any, sign: str) -> Any:
    lead = _behind(x, mask)
    if not lead:
        return None
    if of_number(value):
        return made(f"def body(x, mask, value):\n{_through(x, mask, f'x@ {sign} value')}")
    if not of_array(value) or value.ndim != lead + 1:
        return None
    checks = (
        f"    if value.shape != x.shape[:{lead}] + (np.sum(mask),):\n"
        "        raise ValueError('values of another shape than the mask has')\n"
    )
    return made(f"def body(x, mask, value):\n{checks}{_through(x, mask, f'x@ {sign} value[#]')}")
