"""Reads the command line, runs its command, and turns errors into text and exit codes."""

from __future__ import annotations

import argparse
import difflib
import importlib
import io
import os
import re
import sys
from collections.abc import Sequence
from typing import Final, NoReturn

import srcgrad
from srcgrad.cli.target import FailedError, TargetError
from srcgrad.errors import SrcgradError

FAILED = 1
USAGE = 2
COMMANDS: Final = {
    "show": "show",
    "explain": "explain",
    "export": "export",
    "check": "check",
    "report": "report",
    "coverage": "coverage",
    "cache": "cache_folder",
}
"""The commands, each with its module, of which only the one that is asked for is loaded."""
EPILOG = """\
exit codes: 0 all went well, 1 srcgrad refuses the function or a check failed, 2 the command makes
no sense, such as one with a function that does not exist; `srcgrad COMMAND --help` shows examples
"""

_CHOICE: Final = re.compile(r"invalid choice: '(.*)' \(choose from (.*)\)")
_WORD: Final = re.compile(r"\w+")
EXAMPLES = """\
examples:
  srcgrad show model:loss
  srcgrad explain path/to/model.py:loss
  srcgrad export model:loss -o loss_grad.py
  srcgrad export --check loss_grad.py
  srcgrad check model:loss --at 'np.ones(3), 0.5'
  srcgrad report model:loss -o loss.html
  srcgrad coverage model
  srcgrad cache --clear
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that `argv` (by default the process's own arguments) asks for.

    Returns the exit code: 0, 1 for a function that is refused or a check that fails, or 2 for a
    wrong command.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # names that its encoding lacks are no error
            stream.reconfigure(errors="backslashreplace")
    words = sys.argv[1:] if argv is None else list(argv)
    options = _parser(words).parse_args(words)
    try:
        options.run(options)
        sys.stdout.flush()
    except TargetError as error:
        print(f"srcgrad: {error}", file=sys.stderr)
        return USAGE
    except (SrcgradError, FailedError) as error:
        print(error, file=sys.stderr)
        return FAILED
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


class _Parser(argparse.ArgumentParser):
    """Reads arguments, and says what may have been meant by a word that is none of the choices."""

    def error(self, message: str) -> NoReturn:
        """Print the message with a hint, and exit with 2."""
        found = _CHOICE.search(message)
        meant = difflib.get_close_matches(found[1], _WORD.findall(found[2]), 1) if found else []
        super().error(f"{message}\nhint: did you mean `{meant[0]}`?" if meant else message)


def _parser(words: list[str]) -> argparse.ArgumentParser:
    """Build the parser of the command that is asked for, or of all commands."""
    parser = _Parser(
        prog="srcgrad",
        description="Differentiate NumPy functions by source transformation.",
        epilog=f"{EXAMPLES}\n{EPILOG}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"srcgrad {srcgrad.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    asked = [word for word in words[:1] if word in COMMANDS]
    for name in asked or COMMANDS:
        importlib.import_module(f"srcgrad.cli.{COMMANDS[name]}").add_parser(commands)
    return parser
