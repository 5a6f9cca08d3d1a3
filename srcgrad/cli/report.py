"""Is `srcgrad report`: writes a page that shows a function and its derivative side by side."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from srcgrad.cli.choice import add_choice, chosen
from srcgrad.cli.target import TargetError

EXAMPLES = """\
  srcgrad report model:loss
  srcgrad report model:loss --args "np.linspace(0, 1, 1000), 0.3" -o loss.html
"""


def add_parser(commands: Any) -> None:
    """Add the parser of this command to the command line's."""
    parser = commands.add_parser(
        "report",
        help="write a page with the function and its derivative side by side",
        description="Write a page of HTML that shows a function and its derivative side by side.",
        epilog=f"examples:\n{EXAMPLES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_choice(parser)
    parser.add_argument(
        "--args",
        default="",
        metavar="EXPRS",
        help="arguments of a call, as Python expressions that may use the names of the module and "
        "np: what each line costs is measured in it",
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="the page (default: FUNCTION_grad.html)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Write the page that `options` ask for, and print its name."""
    derivative = chosen(options)
    name = getattr(derivative.primal, "__name__", "function")
    path = options.output or Path(f"{name}_grad.html")
    args = arguments(options.args, derivative.primal)
    try:
        print(derivative.report(path, *args))
    except OSError as error:
        raise TargetError(f"`{path}` cannot be written: {error}") from error


def arguments(text: str, function: Any) -> tuple[Any, ...]:
    """Return the values of expressions between commas, as the module of a function knows names.

    Raises:
        TargetError: They cannot be evaluated.

    >>> arguments("np.ones(2), 3", arguments)
    (array([1., 1.]), 3)
    """
    if not text.strip():
        return ()
    names = {"np": np, **getattr(function, "__globals__", {})}
    try:
        values: tuple[Any, ...] = eval(f"({text},)", names)  # noqa: S307 - what the user typed
    except Exception as error:
        raise TargetError(
            f"`--args {text}` cannot be evaluated: {type(error).__name__}: {error}\n"
            "hint: write one Python expression for each argument, with commas between them"
        ) from error
    return values
