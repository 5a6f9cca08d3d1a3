"""Is `srcgrad check`: compares a gradient with central differences."""

from __future__ import annotations

import argparse
import inspect
import math
import warnings
from typing import Any, Final

import numpy as np

import srcgrad
from srcgrad.api.underlying import owner, plain
from srcgrad.api.values import check_input
from srcgrad.cli import arguments
from srcgrad.cli.choice import add_choice, chosen
from srcgrad.cli.progress import progress
from srcgrad.cli.target import TargetError
from srcgrad.errors import FallbackWarning, SrcgradError
from srcgrad.exporting.differences import moved, numbers_of, part_of

EXAMPLES: Final = """\
examples:
  srcgrad check model:loss                                 at arguments that are drawn
  srcgrad check model:loss --at 'np.ones((3, 2)), rng.normal(size=3)'
  srcgrad check model:loss --wrt weights --tolerance 1e-6
"""


class MismatchError(Exception):
    """A gradient does not agree with differences."""


def add_parser(commands: Any) -> None:
    """Add the parser of this command to the command line's."""
    parser = commands.add_parser(
        "check",
        help="compare a gradient with differences",
        description="Compare a gradient, by default with respect to every argument of floats, with "
        "central differences.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_choice(parser, any_mode=False)
    arguments.add_options(parser, drawn=True)
    parser.add_argument(
        "--tolerance", type=float, default=1e-4, help="largest relative error (default: 1e-4)"
    )
    parser.add_argument(
        "--numbers", type=int, default=200, metavar="N", help="at most so many of each argument"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Compare, and print a line for each argument; errors are left to the caller.

    Raises:
        MismatchError: They do not agree.
    """
    asked = chosen(options, fallback="warn")
    primal = asked.primal
    if options.at is not None:
        call = arguments.given(options.at, primal, options.seed)
    else:
        call, kinds = arguments.drawn(primal, options.seed)
        print("drawn:", ", ".join(f"{name} a {kind}" for name, kind in kinds.items()) or "nothing")
    call.apply_defaults()
    names = asked.names if options.wrt or options.argnums else _with_floats(call, primal)
    _print_errors(options, primal, call, names, asked.has_aux)


def _with_floats(call: inspect.BoundArguments, primal: Any) -> tuple[str, ...]:
    """Return the parameters that gradients can be taken by."""
    found = []
    for name in [*call.arguments][len(owner(primal)) :]:
        value = call.arguments[name]
        try:
            check_input(value, name)
        except SrcgradError:
            continue
        if call.signature.parameters[name].kind not in (2, 4) and type(value) is not int:
            found.append(name)
    if not found:
        raise TargetError("no argument holds floats\nhint: give some with --at")
    return tuple(found)


def _print_errors(
    options: argparse.Namespace,
    primal: Any,
    call: inspect.BoundArguments,
    names: tuple[str, ...],
    aux: bool,
) -> None:
    gradient = srcgrad.grad(primal, argnames=names, has_aux=aux)
    skip = len(owner(primal))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        copied = arguments.copied(call)
        grads = gradient(*copied.args[skip:], **copied.kwargs)
    for warning in caught:
        if issubclass(warning.category, FallbackWarning):
            print(f"by the tape: {warning.message}")
    grads = grads[0] if aux else grads
    worst = 0.0
    for name, grad in zip(names, grads, strict=True):
        error = _error(options, primal, call, (name, grad), aux)
        worst = float("inf") if math.isnan(error) else max(worst, error)
    if not worst <= options.tolerance:
        raise MismatchError(f"the gradient of `{plain(primal).__name__}` does not agree")
    print("the gradient agrees with central differences")


def _error(
    options: argparse.Namespace,
    primal: Any,
    call: inspect.BoundArguments,
    asked: tuple[str, Any],
    aux: bool,
) -> float:
    """Return the largest relative error with respect to one argument, and print it."""
    name, grad = asked
    numbers = list(numbers_of(call.arguments[name]))
    many = len(numbers)
    if many > options.numbers:
        chosen = np.random.default_rng(options.seed).choice(many, options.numbers, replace=False)
        numbers = [numbers[i] for i in sorted(chosen)]
    errors = []
    for path, value in progress(numbers, name):
        expected = _slope(primal, call, (name, path, value), aux)
        found = float(np.real(part_of(grad, path)))
        errors.append((abs(found - expected) / max(1.0, abs(expected)), path, found, expected))
    shown = f"{many} number{'s' * (many != 1)}"
    shown = f"{len(numbers)} of {shown}" if many > len(numbers) else shown
    bad = [item for item in errors if not item[0] <= options.tolerance]
    worst = max((item[0] for item in errors), default=0.0)
    print(f"{name}: {shown}, largest relative error {worst:.1e}{'  WRONG' if bad else ''}")
    for _, path, found, expected in bad[:3]:
        place = "".join(f"[{_index(key)}]" for key in path)
        print(f"  {name}{place}: gradient {found:.10g}, differences {expected:.10g}")
    return float("inf") if bad else worst


def _index(key: Any) -> str:
    return ", ".join(map(str, key)) if isinstance(key, tuple) else repr(key)


def _slope(
    primal: Any, call: inspect.BoundArguments, place: tuple[str, Any, Any], aux: bool
) -> float:
    name, path, value = place
    step = np.finfo(getattr(value, "dtype", np.float64)).eps ** (1 / 3) * max(1.0, abs(value))
    found = []
    for sign in (1, -1):
        copied = arguments.copied(call)
        copied.arguments[name] = moved([call.arguments[name]], 0, path, sign * step)[0]
        with arguments.silence():
            result = plain(primal)(*copied.args, **copied.kwargs)
        found.append(float(result[0] if aux else result))
    return (found[0] - found[1]) / (2 * float(step))
