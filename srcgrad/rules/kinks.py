"""Lists what gradients are at kinks, ties and singular points, as `docs/conventions.md` does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from srcgrad.rules.library import canonical_name


@dataclass(frozen=True, slots=True)
class Kink:
    """One row of the table of conventions.

    Attributes:
        functions: The canonical names of the functions that it holds for.
        shown: The functions as the table names them.
        where, gradient: What the gradient is where.
        torch: What PyTorch does, where it does something else, or has no such function.
    """

    functions: tuple[str, ...]
    shown: str
    where: str
    gradient: str
    torch: str = ""


def _numpy(names: str) -> tuple[str, ...]:
    return tuple(f"numpy.{name}" for name in names.split())


_NORM: Final = _numpy("linalg.norm")
_POWER: Final = (*_numpy("power float_power"), "builtins.pow", "math.pow")
_CHOICES: Final = _numpy("where select maximum minimum clip")
_EXTREMES: Final = (*_numpy("maximum minimum fmax fmin"), "builtins.max", "builtins.min")
_SELECTED: Final = (
    "exactly 0, whatever arrives, also through the elementwise steps before it: "
    "`np.where(x > 0, np.sqrt(x), 0)` has the gradient 0 at 0"
)

KINKS: Final = (
    Kink((*_numpy("absolute fabs"), "builtins.abs", "math.fabs"), "`abs`, `fabs`", "0", "0"),
    Kink(
        _EXTREMES,
        "`maximum`, `minimum`, `fmax`, `fmin`, Python's `max`, `min`",
        "equal arguments",
        "half each (1/n each of n)",
        torch="`fmax`, `fmin`, Python's: the first",
    ),
    Kink(_numpy("fmax fmin"), "`fmax`, `fmin`", "one argument is NaN", "all to the other"),
    Kink(
        _numpy("max min amax amin nanmax nanmin"),
        "`max`, `min` over axes, `nanmax`, `nanmin`",
        "ties",
        "split evenly",
    ),
    Kink(_numpy("clip"), "`clip`", "at a bound", "1 to the value, 0 to the bound"),
    Kink(_numpy("clip"), "`clip`", "outside of the bounds", "0 to the value, 1 to the bound"),
    Kink(
        (*_NORM, *_numpy("linalg.vector_norm")),
        "`linalg.norm` of vectors, every order",
        "0",
        "0",
    ),
    Kink((*_NORM, *_numpy("linalg.matrix_norm")), "`linalg.norm` of matrices", "0", "0"),
    Kink((*_numpy("hypot"), "math.hypot", "math.dist"), "`hypot`", "the origin", "0", "NaN"),
    Kink(
        (*_numpy("arctan2"), "math.atan2"),
        "`arctan2`, `math.atan2`",
        "the origin",
        "0",
    ),
    Kink(_numpy("std nanstd"), "`std`", "a constant array", "0"),
    Kink(_POWER, "`x**y` in x", "y = 0, also at x = 0", "0"),
    Kink(_POWER, "`x**y` in y", "x = 0, y >= 0", "0"),
    Kink(_POWER, "`x**2`, `x**1`", "0", "0, 1"),
    Kink(_numpy("prod"), "`prod`", "elements that are 0", "exact"),
    Kink(
        (*_numpy("cumprod"), "math.prod"),
        "`cumprod`, `math.prod`",
        "elements that are 0",
        "exact",
    ),
    Kink(
        _numpy("linalg.det"),
        "`linalg.det`",
        "a singular matrix",
        "exact: the cofactors",
        "0",
    ),
    Kink(_numpy("sinc"), "`sinc`", "0", "0, and precise near it"),
    Kink(
        _CHOICES,
        "`where`, `select`; `maximum`, `minimum`, `clip` of steep functions",
        "what is not selected",
        _SELECTED,
    ),
    Kink(
        (),
        "index arrays, masks, `take`, `compress`, `extract`, `choose`, `nan_to_num`, the versions "
        "for NaN, `max`, `min`, `where=` in reductions",
        "what is not taken",
        "likewise",
    ),
    Kink((), "`y[mask] = v`, `putmask`, `copyto`, `place`", "what is overwritten", "likewise"),
    Kink(
        _numpy("unique"),
        "`unique`",
        "equal elements",
        "all to the first",
        "no derivative",
    ),
    Kink(
        _numpy("sort"),
        "`sort`, Python's `sorted`",
        "equal elements",
        "each keeps its place, the first first",
    ),
    Kink(
        _numpy("partition median nanmedian percentile quantile"),
        "`partition`, `median`, `percentile`, `quantile`",
        "equal elements",
        "all to one of them, as `argpartition` has it",
        "the first of them; `torch.median` splits evenly",
    ),
    Kink(
        _numpy("maximum.accumulate minimum.accumulate"),
        "`maximum.accumulate`, `minimum.accumulate`",
        "equal elements",
        "the last one so far",
    ),
    Kink(
        (),
        "`argmax`, `argmin`, `argsort`, `searchsorted`, comparisons",
        "everywhere",
        "constant",
    ),
    Kink(
        (),
        "`sign`, `round`, `rint`, `floor`, `ceil`, `trunc`, `heaviside`, `//`",
        "everywhere",
        "0, at jumps as well",
        "`heaviside`, `//`: no derivative",
    ),
    Kink(
        (*_numpy("copysign"), "math.copysign"),
        "`copysign(x, y)`",
        "x = 0; in y everywhere",
        "0",
    ),
    Kink(
        (),
        "`sqrt`, `cbrt`, `log`, `x**p` with p < 1, `arccos` and the like",
        "the edge of the domain",
        "infinite",
    ),
    Kink(
        (),
        "`math.sqrt`, `math.cbrt`, `math.acos` and the like, of Python's numbers",
        "the edge of the domain",
        "`ZeroDivisionError` by source, infinite on the tape",
        "infinite",
    ),
    Kink(
        (),
        "`logaddexp`, `logaddexp.reduce`, `scipy.special.logsumexp`",
        "an argument is -inf",
        "0 to it; if all are, half each of two, else NaN",
        "NaN if all are",
    ),
    Kink(
        _numpy("interp"),
        "`interp` in x",
        "at a knot",
        "the slope on its right (of the last, on its left), 0 outside",
        "no such function",
    ),
    Kink(
        (*_numpy("remainder fmod divmod"), "builtins.divmod", "math.fmod"),
        "`remainder`, `mod`, `fmod`, `divmod`",
        "everywhere",
        "the quotient is held fixed",
    ),
)

_SMOOTH: Final = frozenset(["`x**2`, `x**1`"])  # rows that tell of no choice
_STEEP: Final = _CHOICES[2:]  # of these, the row of `where` says nothing that is not said


def kinks_of(primal: Any) -> tuple[Kink, ...]:
    """Return the conventions that a function may meet.

    >>> [(kink.where, kink.gradient) for kink in kinks_of(abs)]
    [('0', '0')]
    """
    name = canonical_name(primal)
    return tuple(
        kink
        for kink in KINKS
        if name in kink.functions
        and kink.shown not in _SMOOTH
        and not (kink.gradient == _SELECTED and name in _STEEP)
    )
