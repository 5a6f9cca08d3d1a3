"""Reads which derivative a command is about: of what function, by which arguments."""

from __future__ import annotations

import argparse
import inspect
from types import FunctionType
from typing import Any, Final

import srcgrad
from srcgrad.cli.target import TargetError, find_target

MODES: Final[dict[str, Any]] = {
    "grad": srcgrad.grad,
    "jvp": srcgrad.pushforward,
    "vjp": srcgrad.pullback,
    "jacobian": srcgrad.jacobian,
    "jacfwd": srcgrad.jacfwd,
    "jacrev": srcgrad.jacrev,
    "hessian": srcgrad.hessian,
    "hvp": srcgrad.hessian_product,
}


def add_choice(parser: argparse.ArgumentParser) -> None:
    """Add the target and the options that choose a derivative of it."""
    parser.add_argument("target", help="module:function or path/to/file.py:function")
    add_options(parser)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose the arguments and the kind of a derivative."""
    parser.add_argument(
        "--mode",
        choices=MODES,
        metavar="MODE",
        help=f"which derivative: {', '.join(MODES)} (default: grad)",
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--argnums", type=_numbers, metavar="N,...", help="positions of the arguments (default: 0)"
    )
    which.add_argument(
        "--wrt", type=_names, metavar="NAME,...", help="names of the arguments; `w,` for a tuple"
    )
    parser.add_argument("--value", action="store_true", help="return the value beside the gradient")
    parser.add_argument(
        "--aux", action="store_true", help="the function returns a pair of its value and more"
    )


def chosen(options: argparse.Namespace, *, fallback: str = "error") -> Any:
    """Return the derivative of the target, which may be a decorated function already."""
    target = find_target(options.target)
    decorated = hasattr(target, "primal") and hasattr(target, "source")
    mode = getattr(options, "mode", None)
    asked = options.value or options.aux or options.argnums or options.wrt or mode
    if decorated and not asked:
        return target
    function = target
    while hasattr(function, "primal") and hasattr(function, "source"):
        function = function.primal  # of a Hessian it is the gradient
    if not callable(function) or isinstance(function, type):
        raise TargetError(_no_function(options.target, function))
    wanted: dict[str, Any] = {"has_aux": options.aux} if options.aux else {}
    if options.argnums:
        wanted["argnums"] = options.argnums[0] if len(options.argnums) == 1 else options.argnums
    if options.wrt:
        wanted["argnames"] = options.wrt
    elif not options.argnums and (name := _after_self(options.target, function)):
        wanted["argnames"] = name
    if mode not in (None, "grad"):
        if options.value:
            raise TargetError(f"--value is for gradients, not for --mode {mode}")
        return MODES[mode](function, **wanted)
    make: Any = srcgrad.value_and_grad if options.value else srcgrad.grad
    return make(function, fallback=fallback, **wanted)


def _no_function(target: str, found: object) -> str:
    if not isinstance(found, type):
        return f"`{target}` is of the type {type(found).__name__}, and no function"
    methods = [name for name, item in vars(found).items() if isinstance(item, FunctionType)]
    named = [name for name in methods if not name.startswith("_")]
    hint = f"\nhint: name a method, such as `{target}.{named[0]}`" if named else ""
    return f"`{target}` is a class, and no function{hint}"


def _after_self(target: str, function: Any) -> str:
    """Return the first parameter of a method of a class after `self`; nothing for functions."""
    place = target.rpartition(":")[2].rpartition(".")[0]
    if not place or not isinstance(function, FunctionType):
        return ""
    names = list(inspect.signature(function).parameters)
    return names[1] if len(names) > 1 else ""


def _numbers(text: str) -> tuple[int, ...]:
    """Read `0,1`."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not made of positions, such as 0,2; names are given with --wrt"
        ) from None


def _names(text: str) -> str | tuple[str, ...]:
    """Read `weights,bias`; `weights,` is a tuple of one.

    >>> _names("w"), _names("w,"), _names("w, b")
    ('w', ('w',), ('w', 'b'))
    """
    parts = [part.strip() for part in text.split(",")]
    return parts[0] if len(parts) == 1 else tuple(part for part in parts if part)
