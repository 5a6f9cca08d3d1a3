"""Is `srcgrad show`: prints the derivative of a function, or what every pass made of it."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from srcgrad.cli.choice import add_choice, chosen

EXAMPLES = """\
examples:
  srcgrad show model:loss
  srcgrad show examples/digits.py:loss
  srcgrad show model:loss --argnums 0,2 --value
  srcgrad show model:loss --wrt weights,bias
  srcgrad show model:loss --mode jvp
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
    add_choice(parser)
    parser.add_argument("--stages", action="store_true", help="print the source after every pass")
    parser.add_argument("--no-color", action="store_true", help="never use colors")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print what `options` ask for; errors are left to the caller."""
    derivative = chosen(options)
    if options.stages:
        _print_stages(derivative.stages())
    elif wants_color(options.no_color):
        derivative.show()
    else:
        print(derivative.source, end="" if derivative.source.endswith("\n") else "\n")


def _print_stages(stages: dict[str, str]) -> None:
    """Print each stage under its name; one that changed nothing is only named."""
    before = None
    for name, source in stages.items():
        same = source == before
        print(f"# ---- {name}{' (changed nothing)' if same else ''}")
        if not same:
            print(source.rstrip("\n") + "\n")
        before = source


def wants_color(refused: bool) -> bool:
    """Say whether a person reads: the usual conventions of terminals."""
    return sys.stdout.isatty() and not refused and not os.environ.get("NO_COLOR")
