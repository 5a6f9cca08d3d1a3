"""Reads which derivative a command is about: of what function, by which arguments."""

from __future__ import annotations

import argparse
from typing import Any

import srcgrad
from srcgrad.cli.target import TargetError, find_target


def add_choice(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose a derivative."""
    parser.add_argument("target", help="module:function or path/to/file.py:function")
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--argnums", type=_numbers, metavar="N,...", help="positions of the arguments (default: 0)"
    )
    which.add_argument("--wrt", type=_names, metavar="NAME,...", help="names of the arguments")
    parser.add_argument("--value", action="store_true", help="return the value beside the gradient")


def chosen(options: argparse.Namespace) -> Any:
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


def _numbers(text: str) -> tuple[int, ...]:
    """Read `0,1`."""
    return tuple(int(part) for part in text.split(","))


def _names(text: str) -> tuple[str, ...]:
    """Read `weights,bias`."""
    return tuple(part.strip() for part in text.split(","))
