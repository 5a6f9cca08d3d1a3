"""Is `srcgrad check`: compares a derivative with central differences."""

from __future__ import annotations

import argparse
import contextlib
import inspect
import math
import warnings
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

import srcgrad
from srcgrad.api.gradient import Gradient
from srcgrad.api.structures import float_leaves
from srcgrad.api.underlying import owner, plain
from srcgrad.api.values import check_input
from srcgrad.cli import arguments
from srcgrad.cli.choice import MODES, add_choice, chosen
from srcgrad.cli.directions import Comparison
from srcgrad.cli.progress import progress
from srcgrad.cli.target import FailedError, TargetError
from srcgrad.errors import FallbackWarning, SrcgradError
from srcgrad.exporting.differences import moved, numbers_of, part_of

_OF_ANY: Final = ("jvp", "vjp", "jacobian", "jacfwd", "jacrev")  # of results that are no number
EXAMPLES: Final = """\
examples:
  srcgrad check model:loss                                 at arguments that are drawn
  srcgrad check model:loss --at 'np.ones((3, 2)), rng.normal(size=3)'
  srcgrad check model:loss --wrt weights --tolerance 1e-6
  srcgrad check model:residual --mode jacobian             along directions
  srcgrad check model:loss --mode hessian
"""


class MismatchError(FailedError):
    """A derivative does not agree with differences."""


def add_parser(commands: Any) -> None:
    """Add the parser of this command to the command line's."""
    parser = commands.add_parser(
        "check",
        help="compare a derivative with differences",
        description="Compare a derivative, by default with respect to every argument of floats, "
        "with central differences: a gradient number by number, others along directions.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_choice(parser)
    arguments.add_options(parser, drawn=True)
    parser.add_argument(
        "--tolerance", type=float, default=1e-4, help="largest relative error (default: 1e-4)"
    )
    parser.add_argument(
        "--numbers",
        type=int,
        default=200,
        metavar="N",
        help="at most so many of each argument, for gradients (default: 200)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Compare, and print a line for each argument; errors are left to the caller.

    Raises:
        MismatchError: They do not agree.
    """
    asked = chosen(options, fallback="warn")
    primal, mode = _compared(asked)
    if options.at is not None:
        call = arguments.given(options.at, primal, options.seed)
    else:
        call, kinds = arguments.drawn(primal, options.seed, whole=mode in _OF_ANY)
        print("drawn:", ", ".join(f"{name} a {kind}" for name, kind in kinds.items()) or "nothing")
    call.apply_defaults()
    names = asked.names if options.wrt or options.argnums else _with_floats(call, primal)
    if mode == "grad":
        _print_errors(options, primal, call, names, asked.has_aux)
    else:
        comparison = Comparison(mode, MODES[mode], primal, call, names, asked.has_aux)
        _print_pairs(options, comparison)


def _print_pairs(options: argparse.Namespace, comparison: Comparison) -> None:
    with _fallbacks_told():
        pairs = comparison.pairs()
    worst: dict[str, float] = {}
    for what, found, expected in pairs:
        error = abs(found - expected) / max(1.0, abs(expected))
        error = error if error <= options.tolerance else max(error, float("inf"))
        worst[what] = max(worst.get(what, 0.0), error)
    for what, error in worst.items():
        bad = not error <= options.tolerance
        many = sum(name == what for name, _, _ in pairs)
        shown = "WRONG" if bad else f"largest relative error {error:.1e}"
        print(f"{what}: {many} directions, {shown}")
        for name, found, expected in pairs if bad else ():
            if name == what:
                print(f"  {what} {found:.10g}, differences {expected:.10g}")
    function = plain(comparison.primal).__name__
    if not all(error <= options.tolerance for error in worst.values()):
        raise MismatchError(f"the {comparison.mode} of `{function}` does not agree")
    print(f"the {comparison.mode} agrees with central differences")


@contextlib.contextmanager
def _fallbacks_told() -> Iterator[None]:
    """Print what was handed to the tape meanwhile."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        if issubclass(warning.category, FallbackWarning):
            print(f"by the tape: {warning.message}")


def _compared(asked: Any) -> tuple[Any, str]:
    """Return the function that a derivative is of, and which derivative that is."""
    mode = getattr(asked, "kind", "grad")
    if mode != "hessian":
        return asked.primal, mode
    if isinstance(asked.primal, Gradient):
        return asked.primal.primal, mode
    return asked.primal, "jacobian"


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
    with _fallbacks_told():
        copied = arguments.copied(call)
        grads = gradient(*copied.args[skip:], **copied.kwargs)
    grads = grads[0] if aux else grads
    if not any(map(np.size, float_leaves([call.arguments[name] for name in names]))):
        raise MismatchError(f"there are no numbers in {', '.join(names)} to compare")
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
    numbers = [
        item for item in numbers_of(call.arguments[name]) if part_of(grad, item[0]) is not None
    ]
    many = len(numbers)
    unseen = sum(map(np.size, float_leaves(call.arguments[name]))) - many
    if unseen:
        raise MismatchError(
            f"{unseen} numbers of `{name}` cannot be compared\n"
            "hint: they are complex, or in a container of a class that is registered; `--mode vjp` "
            "compares along directions"
        )
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
