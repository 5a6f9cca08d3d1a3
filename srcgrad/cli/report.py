"""Is `srcgrad report`: writes a page that shows a function and its derivative side by side."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from srcgrad.cli import arguments
from srcgrad.cli.choice import add_choice, chosen
from srcgrad.cli.target import TargetError

EXAMPLES = """\
  srcgrad report model:loss
  srcgrad report model:loss --at "np.linspace(0, 1, 1000), 0.3" -o loss.html
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
    arguments.add_options(parser)
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="the page (default: FUNCTION_grad.html)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Write the page that `options` ask for, and print its name."""
    derivative = chosen(options)
    name = getattr(derivative.primal, "__name__", "function")
    path = options.output or Path(f"{name}_grad.html")
    args, kwargs = arguments.placed(options, derivative.primal)
    try:
        print(derivative.report(path, *args, **kwargs))
    except OSError as error:
        raise TargetError(f"`{path}` cannot be written: {error}") from error
