"""Says why a rule has no derivative in an argument: it jumps, is none, or is not written yet."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import NamedTuple

WAY_OUT = (
    "keep that argument constant (srcgrad.stop_gradient), take srcgrad.numeric_vjp of the call, or "
    "write a `Function` with its forward and backward and call `apply`"
)


class Reason(NamedTuple):
    """What is so of a derivative, and why."""

    what: str
    why: str


WHOLE = Reason("does not exist", "the function is defined at whole numbers of it only")
STEPS = Reason(
    "is 0 between jumps and does not exist at them", "only the whole part of the argument counts"
)
PIXELS = Reason(
    "is 0 between jumps and does not exist at them", "it sets the number of pixels, a whole number"
)
ORDER = Reason(
    "is not written yet", "in the order it is an integral or a series of its own, no closed form"
)
DEGREE = Reason("is not written yet", "in the degree or a parameter it has no closed form")
SERIES = Reason("is not written yet", "it is a hypergeometric series with more parameters")
EXPONENT = Reason("is not written yet", "it is a Dirichlet series of its own, no closed form")
SECOND = Reason("is not written yet", "it is a second derivative in a parameter")
THIRD = Reason("is not written yet", "it is a third derivative in parameters")
TRIALS = Reason("does not exist", "it counts trials or successes, which are whole numbers")

REASONS: dict[str, dict[str, Reason]] = {
    **{name: {"n": WHOLE} for name in ("jn", "yn", "kn", "expn", "spherical_*n", "polygamma")},
    **{name: {"v": ORDER, "n": WHOLE} for name in ("hankel*", "*vp", "*struve")},
    "?v*_slope": {"v": SECOND},
    "eval_*": dict.fromkeys(("n", "alpha", "beta", "p", "q"), DEGREE),
    "lpmv": {"m": WHOLE, "v": DEGREE},
    "hyp*": dict.fromkeys(("a", "b", "c", "v"), SERIES),
    "zeta": {"x": EXPONENT},
    "lambertw": {"k": WHOLE},
    "multigammaln": {"d": WHOLE},
    "pdtr*": {"k": STEPS},
    "*bdtr*": {"k": STEPS, "n": TRIALS},
    "chndtr*": {"df": DEGREE},
    "*wright_bessel": {"a": DEGREE, "b": DEGREE},
    "pb?v": {"v": ORDER},
    "uniform_filter*": {"size": PIXELS},
    "zoom": {"zoom": PIXELS},
    "rotate": {"reshape": PIXELS},
    "*.logpmf": {"k": TRIALS, "n": TRIALS, "loc": TRIALS},
    "*.pmf": {"k": TRIALS, "n": TRIALS, "loc": TRIALS},
    **{
        name: {"k": STEPS, "n": TRIALS, "loc": STEPS}
        for name in ("poisson.*", "binom.*", "geom.*", "nbinom.*")
    },
    "gammainc_curve": {"a": THIRD},
    "vonmises_curve": {"kappa": THIRD},
    "betainc_*": {"a": THIRD, "b": THIRD},
}
"""The reasons by patterns of the names of functions, and by parameters."""


class Whole(NamedTuple):
    """Why a function has no derivative at all, and what to write instead."""

    why: str
    way_out: str


_DESIGN = Whole(
    "is not written yet: a filter is designed by poles and zeros",
    "design the filter before, and differentiate what it is applied to",
)
_SEARCH = Whole(
    "is not written yet: a search without a derivative",
    "start `minimize` at what it finds, with the same `args=`: its result has derivatives",
)
_BASIS = Whole(
    "does not exist: only the space that the vectors span is unique",
    "calculate with a projector, such as `np.eye(n) - linalg.pinv(A) @ A`",
)
_FACTORS = Whole(
    "is not written yet: this factorisation has no rule",
    "take `qr`, `eigh`, `eig`, `svd`, `lu` or `cholesky`, or keep the matrix constant",
)
_VERTEX = Whole(
    "is not written yet: its solution is a corner that jumps",
    "solve for the constraints that are active with np.linalg.solve",
)
_SCATTERED = Whole(
    "is not written yet: it triangulates the points",
    "take RegularGridInterpolator on a grid, or solve for weights of a kernel",
)
_LOOKUP = Whole(
    "does not exist as it stands: it sorts points into a tree",
    "ask for the places on constant copies, and calculate with `points[places]`",
)
_ADVANCED = Whole(
    "is not known: only the run tells how far an iterator has come",
    "loop over a list, or index it",
)
FUNCTIONS: dict[str, Whole] = {
    **dict.fromkeys(("builtins.iter", "builtins.next"), _ADVANCED),
    **dict.fromkeys(("scipy.spatial.KDTree", "scipy.spatial.cKDTree"), _LOOKUP),
    **dict.fromkeys(("scipy.spatial.ConvexHull", "scipy.spatial.Delaunay"), _LOOKUP),
    "scipy.linalg.null_space": _BASIS,
    "scipy.interpolate.splrep": Whole(
        "is not written yet in the values", "take `make_interp_spline(x, y)(points)`"
    ),
    **dict.fromkeys(("scipy.optimize.linprog", "scipy.optimize.milp"), _VERTEX),
    **{
        f"scipy.interpolate.{name}": _SCATTERED
        for name in (
            "griddata LinearNDInterpolator NearestNDInterpolator CloughTocher2DInterpolator"
        ).split()
    },
    **{
        f"scipy.linalg.{name}": _FACTORS
        for name in "schur hessenberg qz ordqz ldl rq cossin cholesky_banded qr_multiply".split()
    },
    **{
        f"scipy.signal.{name}": _DESIGN
        for name in "butter cheby1 cheby2 ellip bessel iirfilter iirdesign remez firls".split()
    },
    **{
        f"scipy.optimize.{name}": _SEARCH
        for name in (
            "brute differential_evolution dual_annealing basinhopping shgo direct fmin brent "
            "golden fmin_powell fmin_bfgs fmin_cg fmin_ncg fmin_l_bfgs_b fmin_tnc fmin_slsqp "
            "fmin_cobyla fminbound"
        ).split()
    },
}
"""Functions without a rule of which more is known."""


def refusal_of_function(name: str) -> tuple[str, str] | None:
    """Return what to say of a function without a rule, and the way out, if it is known.

    >>> refusal_of_function("scipy.optimize.brute")[0]
    'the derivative of `scipy.optimize.brute` is not written yet: a search without a derivative'
    """
    found = FUNCTIONS.get(name)
    last = "; or write a `Function` with its forward and backward"
    return found and (f"the derivative of `{name}` {found.why}", found.way_out + last)


def reason_for(function: str, parameter: str) -> Reason | None:
    """Return why a function has no derivative in a parameter, if more is known than that.

    >>> reason_for("scipy.special.yn", "n").what
    'does not exist'
    >>> reason_for("scipy.stats.poisson.cdf", "k").what
    'is 0 between jumps and does not exist at them'
    >>> reason_for("numpy.sin", "x") is None
    True
    """
    parts = function.split(".")
    for name in (".".join(parts[-2:]), parts[-1]):
        for pattern, found in REASONS.items():
            if fnmatchcase(name, pattern) and parameter in found:
                return found[parameter]
    return None


def refusal_of(function: str, parameter: str, operand: str = "") -> tuple[str, str]:
    """Return what to say of a derivative in a parameter that no rule has, and the way out.

    >>> refusal_of("scipy.special.kvp", "v", "nu")[0][:70]
    'the derivative of `scipy.special.kvp` in its argument `v`, here `nu`, '
    """
    reason = reason_for(function, parameter)
    here = f", here `{operand}`," if operand and operand != parameter else ""
    which = f"its argument `{parameter}`" if parameter else "one of its arguments"
    named = f"the derivative of `{function}` in {which}{here}"
    if reason is None:
        return f"{named} has no rule", WAY_OUT
    return f"{named} {reason.what}: {reason.why}", WAY_OUT
