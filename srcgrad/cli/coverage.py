"""Is `srcgrad coverage`: says which functions of a module are differentiated by source."""

from __future__ import annotations

import argparse
import inspect
import json
from types import FunctionType, ModuleType
from typing import Any, Final

import srcgrad
from srcgrad.cli.arguments import silence
from srcgrad.cli.progress import progress
from srcgrad.cli.target import FailedError, TargetError, find_module
from srcgrad.errors import SrcgradError

EXAMPLES: Final = """\
examples:
  srcgrad coverage model
  srcgrad coverage path/to/model.py
  srcgrad coverage model --fail-under 90     exits with 1 if fewer percent go by source
"""


class TooFewError(FailedError):
    """Fewer functions than wanted are differentiated by source."""


def add_parser(commands: Any) -> None:
    """Add the parser of this command to the command line's."""
    parser = commands.add_parser(
        "coverage",
        help="say which functions of a module are differentiated by source",
        description="Say which functions of a module are differentiated by source, with respect to "
        "their first argument, and why the others are not.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("module", nargs="+", help="module or path/to/file.py")
    parser.add_argument("--fail-under", type=float, default=0.0, metavar="PERCENT")
    parser.add_argument("--json", action="store_true", help="print it for programs")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print a line for each function.

    Raises:
        TargetError: There is none.
        TooFewError: Fewer are differentiated by source than wanted.
    """
    found: dict[str, str] = {}
    for place in options.module:
        module = find_module(place)
        functions = _functions_of(module)
        for name, function in progress(list(functions.items()), place):
            found[f"{place}:{name}"] = _why_not(function)
    if not found:
        raise TargetError("no function with arguments is defined there in Python")
    if options.json:
        print(json.dumps({k: why or "source" for k, why in found.items()}, indent=2))
    else:
        _print_table(found)
    share = 100.0 * sum(not why for why in found.values()) / max(1, len(found))
    if share < options.fail_under:
        raise TooFewError(f"{share:.0f} percent go by source, less than {options.fail_under:g}")


def _functions_of(module: ModuleType) -> dict[str, Any]:
    """Return the functions that a module defines and that take arguments, in order."""
    found = {}
    for name, value in vars(module).items():
        function = value
        while hasattr(function, "primal"):
            function = function.primal
        is_own = isinstance(function, FunctionType) and function.__module__ == module.__name__
        if is_own and inspect.signature(function).parameters:
            found[name] = function
    return found


def _why_not(function: Any) -> str:
    """Return why a function is not differentiated by source; nothing if it is."""
    try:
        with silence():
            text = srcgrad.grad(function, fallback="error").explain()
    except SrcgradError as error:
        return _said(error.diagnostics[0])
    problems = text.refusals
    return "" if text.engine == "source" and not problems else _said(problems[0])


def _said(problem: Any) -> str:
    line = f" (line {problem.span.line})" if problem.span is not None else ""
    return f"{problem.message.splitlines()[0]}{line}"


def _print_table(found: dict[str, str]) -> None:
    width = max(map(len, found), default=0)
    for name, why in found.items():
        print(f"{name:<{width}}  {'no: ' + why if why else 'by source'}")
    count = sum(not why for why in found.values())
    print(f"{count} of {len(found)} functions are differentiated by source")
