"""Names the functions of SciPy that call functions, and what is in the objects they return.

SciPy is not imported for it.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from srcgrad.runtime.objects import held_attribute
from srcgrad.runtime.wrappers import module_of


@dataclass(frozen=True, slots=True)
class Solver:
    """A function that returns an object of results.

    Attributes:
        function: Its parameter for the function that it solves or minimises.
        solution: The attribute of what it finds, and the rule of that.
        others: Further attributes with their rules: they depend on the solution too.
        constant: Attributes that depend on nothing smoothly.
        refused: Parameters that must be left out, with the way out.
        unknowns: How many arguments the function takes before those that are handed on.
        operands: Further parameters that the solution depends on, or that its rule reads.
        beside: Attributes that its rule reads.
        held: Parameters that must be constant.
        file: The file of the rules.
    """

    function: str
    solution: tuple[str, str]
    others: tuple[tuple[str, str], ...] = ()
    constant: tuple[str, ...] = ("success", "status", "message", "nfev")
    refused: tuple[tuple[str, str], ...] = ()
    unknowns: int = 1
    operands: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    held: tuple[str, ...] = ("bounds", "loss", "f_scale")
    file: str = "solutions"

    @property
    def wish(self) -> str:
        """What the function is called if it has no name."""
        return {"Root": "residual", "Trajectory": "slope"}.get(self.solution[1], "objective")


_SOLVERS: Final = MappingProxyType(
    {
        "minimize": Solver(
            "fun",
            ("x", "Minimiser"),
            (("fun", "Minimum"),),
            ("success", "status", "message", "nit", "nfev"),
            (("constraints", "put them into the function, as a penalty or by fewer unknowns"),),
        ),
        "minimize_scalar": Solver(
            "fun", ("x", "Minimiser"), (("fun", "Minimum"),), ("success", "message", "nit", "nfev")
        ),
        "root": Solver("fun", ("x", "Root"), (), ("success", "message", "nfev")),
        "root_scalar": Solver(
            "f", ("root", "Root"), (), ("converged", "flag", "iterations", "function_calls")
        ),
        "least_squares": Solver(
            "fun",
            ("x", "Fit"),
            (("cost", "Cost"), ("fun", "Residuals")),
            refused=(("kwargs", "hand numbers on through `args=` instead"),),
        ),
        "solve_ivp": Solver(
            "fun",
            ("y", "Trajectory"),
            constant=("t", "success", "status", "message", "nfev", "njev", "nlu"),
            refused=(
                ("events", "integrate to a time that is known"),
                ("dense_output", "give the times as `t_eval`"),
                ("vectorized", "leave it out"),
            ),
            unknowns=2,
            operands=("y0", "t_span"),
            beside=("t",),
            held=("t_span", "t_eval", "rtol", "atol", "max_step", "first_step"),
            file="equations",
        ),
    }
)


def solver_of(function: Any) -> Solver | None:
    """Return what is known of a solver of SciPy; None if it returns no object of results."""
    if not module_of(function).startswith(("scipy.optimize", "scipy.integrate")):
        return None
    return _SOLVERS.get(held_attribute(function, "__name__"))


OPTIONS: Final = frozenset(
    {"args", "bounds", "loss", "f_scale"}
    | {name for each in _SOLVERS.values() for name in each.operands}
    | {name for each in _SOLVERS.values() for name, _ in each.refused}
)
"""What the rules read: it must be told by its name."""


def bound_by_name(function: Any, args: Any, keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call by name, in the order of the parameters."""
    signature = inspect.signature(function)
    bound = dict(signature.bind(*args, **keywords).arguments)
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            bound.update(bound.pop(name, {}))
    return bound


def rule_and_options(rule: str, given: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the rule of a number of a result, and which of the options given it takes."""
    names = {
        "Minimiser": ("bounds",),
        "Fit": ("bounds", "loss", "f_scale"),
        "Cost": ("loss", "f_scale"),
    }.get(rule, ())
    options = {name: given[name] for name in names if given.get(name) is not None}
    return rule + "Within" * ("bounds" in options), options


_CALLERS: Final = MappingProxyType(
    {
        "scipy.integrate": {"quad": 3, "odeint": 3},
        "scipy.optimize": {
            "brentq": 3, "brenth": 3, "bisect": 3, "ridder": 3, "newton": 3, "fsolve": 2,
            "fixed_point": 2, "toms748": 3,
        },
    }
)  # fmt: skip


def place_of_args(function: Any) -> int | None:
    """Return where a function takes what it hands on to the function that it calls.

    None if it is no such function, or returns an object of results.
    """
    package = ".".join(module_of(function).split(".")[:2])
    return _CALLERS.get(package, {}).get(held_attribute(function, "__name__"))
