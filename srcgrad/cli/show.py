"""Is `srcgrad show`: prints the derivative of a function, or what every pass made of it."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

import srcgrad
from srcgrad.cli.target import TargetError, find_target

EXAMPLES = """\
examples:
  srcgrad show model:loss
  srcgrad show examples/digits.py:loss
  srcgrad show model:loss --argnums 0,2 --value
  srcgrad show model:loss --wrt weights,bias
  srcgrad show model:loss --stages
"""


def add_parser(commands: Any) -> None:
    """Add the parser of this command to the command line's."""
    parser = commands.add_parser(
        "show",
        help="print the generated derivative of a function",
        description="Print the derivative of a function, as Python source.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("target", help="module:function or path/to/file.py:function")
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--argnums", type=_numbers, metavar="N,...", help="positions of the arguments (default: 0)"
    )
    which.add_argument("--wrt", type=_names, metavar="NAME,...", help="names of the arguments")
    parser.add_argument("--value", action="store_true", help="return the value beside the gradient")
    parser.add_argument("--stages", action="store_true", help="print the source after every pass")
    parser.add_argument("--no-color", action="store_true", help="never use colors")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print what `options` ask for; errors are left to the caller."""
    derivative = _derivative(options)
    if options.stages:
        _print_stages(derivative.stages())
    elif _wants_color(options.no_color):
        derivative.show()
    else:
        print(derivative.source, end="" if derivative.source.endswith("\n") else "\n")


def _derivative(options: argparse.Namespace) -> Any:
    """Return the gradient of the target, which may be a decorated function already."""
    target = find_target(options.target)
    decorated = hasattr(target, "primal") and hasattr(target, "source")
    if decorated and not (options.value or options.argnums or options.wrt):
        return target
    function = target.primal if decorated else target
    if not callable(function):
        raise TargetError(f"`{options.target}` is no function but a {type(function).__name__}")
    make = srcgrad.value_and_grad if options.value else srcgrad.grad
    wanted: dict[str, Any] = {}
    if options.argnums:
        wanted["argnums"] = options.argnums[0] if len(options.argnums) == 1 else options.argnums
    if options.wrt:
        wanted["argnames"] = options.wrt[0] if len(options.wrt) == 1 else options.wrt
    return make(function, fallback="error", **wanted)


def _print_stages(stages: dict[str, str]) -> None:
    """Print each stage under its name; one that changed nothing is only named."""
    before = None
    for name, source in stages.items():
        same = source == before
        print(f"# ---- {name}{' (changed nothing)' if same else ''}")
        if not same:
            print(source.rstrip("\n") + "\n")
        before = source


def _wants_color(refused: bool) -> bool:
    """Say whether a person reads: the usual conventions of terminals."""
    return sys.stdout.isatty() and not refused and not os.environ.get("NO_COLOR")


def _numbers(text: str) -> tuple[int, ...]:
    """Read `0,1`."""
    return tuple(int(part) for part in text.split(","))


def _names(text: str) -> tuple[str, ...]:
    """Read `weights,bias`."""
    return tuple(part.strip() for part in text.split(","))
