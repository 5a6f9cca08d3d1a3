"""Writes docs/coverage-rules.md from the specs: ``make pages``."""

from __future__ import annotations

import inspect
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from srcgrad.rules.equivalents.table import EQUIVALENTS
from srcgrad.rules.library import CONSTANT, canonical_name, rule_for
from srcgrad.rules.scipy import FILES, every_written_function
from srcgrad.rules.scipy.interpolation import interpolated, interpolation
from tests.unit.rules.opspec import OpSpec
from tests.unit.rules.public_names import ANSWERS, NUMPY, SCIPY, answers
from tests.unit.rules.specs import SPECS

PAGE = Path(__file__).parents[3] / "docs" / "coverage-rules.md"
MODULES = (
    *("numpy", "numpy.linalg", "numpy.fft", "math", "cmath", "operator", "builtins"),
    *sorted(FILES),
)
HEAD = """\
# Which functions have a derivative

Written by `make pages` from the specs of the rules, which are checked against differences: change
those, not this page. Any function made of these is differentiated too, and [the
language](language.md) says which methods and operators stand for them.

A call with a derivative in another argument, or with an option that a rule does not know, is
refused by name.
"""
WRITTEN_OUT = """\
## Written out with others

These are differentiated as functions of the ones above, in every mode and order, in all their
arguments: {names}.

So are the methods `reduce`, `accumulate` and `outer` of every ufunc of two operands. Functions
that are given to `np.vectorize`, `np.frompyfunc`, `np.fromfunction` and `np.piecewise` are
differentiated from their source, as are the elements of `np.fromiter`; `np.poly1d(c)` and
`np.polynomial.Polynomial(c)` are read as objects with their coefficients, derivatives, integrals,
sums and products.
"""

NAMES = """\
## All public names

The functions and classes of NumPy {numpy} and SciPy {scipy}. Constant: the result does not depend
smoothly on the arguments, so that its derivative is 0. Does not exist: nothing is calculated with
real numbers. Not yet: a call of one that matters to the derivative is refused, by name. The last
column is the share of the differentiable among those that have a derivative.
"""


def differentiated() -> dict[str, dict[str, list[str]]]:
    """Return the parameters that each function is differentiated in, by module and name."""
    found: dict[str, dict[str, list[str]]] = {module: {} for module in MODULES}
    for spec in SPECS:
        module, name = place(spec.fn)
        if spec.fn in (interpolated, interpolation):
            module, name = "scipy.interpolate", maker(spec.args[0])
        if module not in found:
            continue  # what generated text calls
        known = found[module].setdefault(name, [])
        known += [item for item in active_parameters(spec) if item not in known]
    interpolators = found["scipy.interpolate"]
    for name, known in interpolators.items():  # as SciPy calls them
        read = {"values": "y", "x": "the points it is called with"}
        interpolators[name] = [words for item, words in read.items() if item in known]
    return found


def maker(made: Any) -> str:
    """Return the name of what makes an interpolating object."""
    make = getattr(made, "func", made)
    name = getattr(make, "__name__", type(make).__name__)
    return str(name).removeprefix("LSQ")  # SciPy changes the class of what it has smoothed


def place(fn: Any) -> tuple[str, str]:
    """Return the module of a function and its name in there, such as ``add.reduce``."""
    name = canonical_name(fn).removeprefix("_")
    owners = [module for module in MODULES if name.startswith(f"{module}.")]
    module = max(owners, key=len, default="")
    return module, name.removeprefix(f"{module}.")


def active_parameters(spec: OpSpec) -> list[str]:
    """Return the parameters of the rule that the drawn arguments of a spec are bound to."""
    rule = rule_for(spec.fn)
    assert rule is not None
    parameters = list(inspect.signature(rule.forward).parameters.values())[1:]
    _, _, active = spec.make_args(np.random.default_rng(0))
    names: list[str] = []
    for where in active:
        rest = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "")
        fits = isinstance(where, int) and where < len(parameters)
        name = where if isinstance(where, str) else parameters[where].name if fits else rest
        star = "*" if name == rest and rest else ""
        names.append(star + name)
    return names


def summary(found: dict[str, dict[str, list[str]]]) -> str:
    """Return how many names of each module have each answer, as a table."""
    rows = []
    for module, names in found.items():
        counts = [len(names[word]) for word in ANSWERS]
        wanted = counts[0] + counts[3]
        share = f"{100 * counts[0] / wanted:.0f} %" if wanted else ""
        rows.append(f"| `{module}` | {' | '.join(map(str, counts))} | {share} |")
    head = f"| module | {' | '.join(ANSWERS)} | done |\n|---|--:|--:|--:|--:|--:|"
    return "\n".join([head, *rows])


def public_names() -> dict[str, dict[str, list[str]]]:
    """Return all public names by module and answer."""
    specs = differentiated()
    return {module: answers(module, specs.get(module, {})) for module in (*NUMPY, *SCIPY)}


def written_out() -> str:
    """Return the names of the functions that are written out with others."""
    functions = [
        fn
        for fn in (*EQUIVALENTS, *every_written_function())
        if not isinstance(fn, type) and rule_for(fn) is None
    ]
    names = sorted(canonical_name(fn) for fn in functions)
    return WRITTEN_OUT.format(names=", ".join(f"`{name}`" for name in names))


def constants() -> dict[str, list[str]]:
    """Return the functions without a derivative, by the reason."""
    found: dict[str, list[str]] = {}
    for fn, reason in CONSTANT.items():
        name = canonical_name(fn).removeprefix("_").removeprefix("builtins.")
        if not name.startswith("srcgrad."):
            found.setdefault(reason, []).append(name)
    return found


def wrapped(names: list[str]) -> str:
    """Return names as code, in lines of a hundred characters."""
    return textwrap.fill(", ".join(f"`{name}`" for name in names), 100, break_on_hyphens=False)


def page() -> str:
    """Return the text of the page."""
    parts = [HEAD]
    for module, functions in differentiated().items():
        if not functions:  # it only has some that are constant
            continue
        rows = [f"| `{name}` | {', '.join(functions[name])} |" for name in sorted(functions)]
        table = "\n".join(["| function | differentiated in |", "| --- | --- |", *rows])
        parts.append(f"## {module}\n\n{table}\n")
    parts.append(filled(written_out()))
    parts.append("## Without a derivative\n\nTheir results are constants to both engines.\n")
    for reason, names in constants().items():
        parts.append(f"- {reason}:\n\n{indented(wrapped(sorted(names)))}\n")
    found = public_names()
    parts.append(NAMES.format(numpy=np.__version__, scipy=scipy.__version__))
    parts.append(summary(found) + "\n")
    for word in ("does not exist", "not yet"):
        parts.append(f"## {word.capitalize()}\n")
        for module, names in found.items():
            if names[word]:
                parts.append(f"### {module}: {word}\n\n{wrapped(names[word])}\n")
    return "\n".join(parts)


def filled(text: str) -> str:
    """Return the paragraphs of a text in lines of a hundred characters."""
    paragraphs = text.strip().split("\n\n")
    done = [textwrap.fill(" ".join(p.split()), 100, break_on_hyphens=False) for p in paragraphs]
    return "\n\n".join(done) + "\n"


def indented(text: str) -> str:
    """Return a paragraph as part of the item of a list."""
    return textwrap.indent(text, "  ")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
