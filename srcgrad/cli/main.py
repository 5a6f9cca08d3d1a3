"""Reads the command line, runs its command, and turns errors into text and exit codes."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version

from srcgrad.cli import report, show
from srcgrad.cli.target import TargetError
from srcgrad.errors import SrcgradError

REFUSED = 1
USAGE = 2
EPILOG = """\
exit codes: 0 all went well, 1 srcgrad refuses the function, 2 the command makes no sense
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that `argv` (by default the process's own arguments) asks for.

    Returns the exit code: 0, 1 for a function that srcgrad refuses, or 2 for a wrong command.
    """
    options = _parser().parse_args(argv)
    try:
        options.run(options)
        sys.stdout.flush()
    except TargetError as error:
        print(f"srcgrad: {error}", file=sys.stderr)
        return USAGE
    except SrcgradError as error:
        print(error, file=sys.stderr)
        return REFUSED
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _parser() -> argparse.ArgumentParser:
    """Build the parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="srcgrad",
        description="Differentiate NumPy functions by source transformation.",
        epilog=f"{show.EXAMPLES}{report.EXAMPLES}\n{EPILOG}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"srcgrad {version('srcgrad')}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    show.add_parser(commands)
    report.add_parser(commands)
    return parser
