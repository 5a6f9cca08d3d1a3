"""Is `srcgrad export`: writes derivatives as modules that need no srcgrad, or checks those."""

from __future__ import annotations

import argparse
import ast
import difflib
import shlex
import sys
from pathlib import Path
from typing import Any, Final

from srcgrad.api.exporting import command_of, exported
from srcgrad.api.underlying import plain
from srcgrad.cli import arguments
from srcgrad.cli.choice import add_options, chosen
from srcgrad.cli.progress import progress
from srcgrad.cli.target import FailedError, TargetError
from srcgrad.parsing import parsed

EXAMPLES: Final = """\
examples:
  srcgrad export model:loss -o loss_grad.py
  srcgrad export model:loss --wrt weights,bias --value -o loss_grad.py
  srcgrad export model:loss --mode hessian -o loss_hessian.py
  srcgrad export model:loss --at 'np.ones((3, 2)), np.ones(3)' --with-check -o loss_grad.py
  srcgrad export --check gradients/*.py     fails if one is stale
  srcgrad export gradients/*.py             makes all of them again
"""
_MADE: Final = "made by:"
_SHOWN: Final = 12  # lines of a difference


class StaleError(FailedError):
    """Exported files are not what an export gives now."""


def add_parser(commands: Any) -> None:
    """Add the parser of this command to the command line's."""
    parser = commands.add_parser(
        "export",
        help="write a derivative as a module that needs no srcgrad",
        description="Write a derivative as a module that needs NumPy alone, or check such modules.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_options(parser)
    parser.set_defaults(run=run)


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "targets",
        nargs="+",
        metavar="TARGET",
        help="module:function or path/to/file.py:function; or files that were exported before",
    )
    add_options(parser)
    arguments.add_options(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="the file to write")
    parser.add_argument(
        "--with-check", action="store_true", help="compare with differences when run as a program"
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 if a file is stale"
    )


def run(options: argparse.Namespace) -> None:
    """Export, or compare with what was exported; errors are left to the caller."""
    old = [Path(item) for item in options.targets if item.endswith(".py")]
    if len(old) == len(options.targets):
        _settle([(path, _again(path)) for path in progress(old, "exporting")], options.check)
        return
    if len(options.targets) > 1:
        raise TargetError("one function is exported at a time\nhint: leave out the others")
    options.target = options.targets[0]
    text = text_of(options)
    if options.output is not None:
        _settle([(options.output, text)], options.check)
    elif options.check:
        raise TargetError("there is nothing to check\nhint: name the file with -o FILE")
    else:
        sys.stdout.write(text)


def text_of(options: argparse.Namespace) -> str:
    """Return the text of the module that options ask for."""
    gradient = chosen(options)
    example = None
    if options.at is not None:
        example = arguments.given(options.at, gradient.primal, options.seed)
    command = command_of(gradient, plain(gradient.primal))
    if command.startswith("srcgrad export "):
        rest = command.split(" ")[3:]
        command = " ".join(["srcgrad export", options.target, *rest, *_more(options)])
    return exported(gradient, None, example, options.with_check, command)


def _more(options: argparse.Namespace) -> list[str]:
    found = []
    if options.at is not None:
        found += ["--at", shlex.quote(" ".join(options.at.split()))]
    if options.seed:
        found += ["--seed", str(options.seed)]
    return [*found, "--with-check"] if options.with_check else found


def _again(path: Path) -> str:
    """Make what a file says that it was made by, once more."""
    if not path.is_file():
        raise TargetError(f"there is no file `{path}`")
    head = _docstring(path)
    _, made, command = head.partition(_MADE)
    words = shlex.split(command) if made else []
    if words[:2] != ["srcgrad", "export"]:
        raise TargetError(
            f"`{path}` does not say which command makes it\n"
            "hint: what was exported by a program is compared by it: "
            "assert g.export(...) == Path(...).read_text()"
        )
    parser = argparse.ArgumentParser()
    _add_options(parser)
    options = parser.parse_args(words[2:])
    options.target = options.targets[0]
    return text_of(options)


def _docstring(path: Path) -> str:
    try:
        return ast.get_docstring(parsed(path.read_text(encoding="utf-8"))) or ""
    except SyntaxError as error:
        raise TargetError(f"`{path}` is no Python file: {error}") from error


def _settle(found: list[tuple[Path, str]], check: bool) -> None:
    """Write the files, or compare them.

    Raises:
        StaleError: Files differ from what an export gives now.
    """
    if not check:
        for path, text in found:
            path.write_text(text, encoding="utf-8", newline="\n")
        return
    stale = []
    for path, text in found:
        before = path.read_text(encoding="utf-8") if path.is_file() else ""
        if before != text:
            stale.append(f"`{path}` is stale\n{_difference(before, text)}".rstrip("\n"))
    if stale:
        raise StaleError("\n".join(stale) + "\nhint: export again without --check")


def _difference(before: str, after: str) -> str:
    lines = list(
        difflib.unified_diff(
            before.splitlines(), after.splitlines(), "file", "now", lineterm="", n=0
        )
    )
    more = [f"  ... and {len(lines) - _SHOWN} lines more"] if len(lines) > _SHOWN else []
    return "\n".join([*[f"  {line}" for line in lines[:_SHOWN]], *more])
