"""Is `srcgrad explain`: says what is differentiated, kept and called, and why."""

from __future__ import annotations

import argparse
import json
from typing import Any, Final

from srcgrad.cli import arguments
from srcgrad.cli.choice import add_choice, chosen
from srcgrad.cli.show import wants_color

EXAMPLES: Final = """\
examples:
  srcgrad explain model:loss
  srcgrad explain model:loss --at 'np.ones(3), 0.1'     measures what is kept, in bytes
  srcgrad explain model:loss --json
"""


def add_parser(commands: Any) -> None:
    """Add the parser of this command to the command line's."""
    parser = commands.add_parser(
        "explain",
        help="say what is differentiated, kept and called, and why",
        description="Say what is differentiated, kept and called, and why.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_choice(parser)
    arguments.add_options(parser)
    parser.add_argument("--json", action="store_true", help="print it for programs")
    parser.add_argument("--no-color", action="store_true", help="never use colors")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print the explanation; errors are left to the caller."""
    gradient = chosen(options, fallback="warn")
    args, kwargs = arguments.placed(options, gradient.primal)
    found = gradient.explain(*args, **kwargs)
    if options.json:
        print(json.dumps(found.to_dict(), indent=2, default=str))
    else:
        print(found.text(colour=wants_color(options.no_color)))
