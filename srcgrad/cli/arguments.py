"""Makes the arguments of a call on the command line: as they are given there, or drawn."""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
import itertools
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import numpy as np

from srcgrad.api import structures
from srcgrad.api.underlying import owner, plain, signature
from srcgrad.cli.target import TargetError
from srcgrad.exporting.matrices import floats_of

_SIZE: Final = 4
_TRIES: Final = 300
_OF_ANNOTATION: Final[Mapping[Any, tuple[str, ...]]] = {
    float: ("number",),
    "float": ("number",),
    int: ("whole number",),
    "int": ("whole number",),
    np.ndarray: ("matrix", "vector"),
    "np.ndarray": ("matrix", "vector"),
}


def add_options(parser: argparse.ArgumentParser, *, drawn: bool = False) -> None:
    """Add the options that give arguments."""
    otherwise = "; without it they are drawn" if drawn else ""
    parser.add_argument(
        "--at",
        metavar="ARGUMENTS",
        help="arguments as in a call, such as 'np.ones(3), rate=0.1'; they may use np, "
        f"rng (a generator) and the names of the function's module{otherwise}",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of rng (default: 0)")


def given(text: str, function: Callable[..., Any], seed: int) -> inspect.BoundArguments:
    """Return the arguments that a text gives.

    Raises:
        TargetError: The text cannot be evaluated, or is no call of the function.
    """
    module = sys.modules.get(plain(function).__module__)
    names = {"np": np, **(vars(module) if module else {}), "rng": np.random.default_rng(seed)}
    names["__call"] = lambda *args, **kwargs: (args, kwargs)
    try:
        args, kwargs = eval(f"__call({text}\n)", names)  # noqa: S307 - the user's own command
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        raise TargetError(f"`--at` cannot be evaluated: {what}\n  --at {text}") from error
    try:
        return signature(function).bind(*owner(function), *args, **kwargs)
    except TypeError as error:
        raise TargetError(f"`--at` is no call of the function: {error}\n  --at {text}") from error


def placed(
    options: argparse.Namespace, function: Callable[..., Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments that options give, without a bound `self`; none if there are none."""
    if options.at is None:
        return (), {}
    call = given(options.at, function, options.seed)
    return call.args[len(owner(function)) :], call.kwargs


def drawn(
    function: Callable[..., Any], seed: int, *, whole: bool = False
) -> tuple[inspect.BoundArguments, dict[str, str]]:
    """Return arguments at which a function gives a finite number, and what each is.

    With `whole` it may give anything that holds finite floats. Parameters with defaults
    keep those; the others are tried as matrices, vectors and numbers.

    Raises:
        TargetError: No combination works.
    """
    own = owner(function)
    parameters = list(signature(function).parameters.values())[len(own) :]
    needed = [item for item in parameters if _is_needed(item)]
    choices = [_OF_ANNOTATION.get(item.annotation, _any_of()) for item in needed]
    last: str | None = ""
    for kinds in itertools.islice(itertools.product(*choices), _TRIES):
        rng = np.random.default_rng(seed)
        values = [_drawn(kind, rng) for kind in kinds]
        named = {i.name: v for i, v in zip(needed, values, strict=True) if _by_name(i)}
        placed = [v for i, v in zip(needed, values, strict=True) if not _by_name(i)]
        call = signature(function).bind(*own, *placed, **named)
        last = _why_no_number(function, call, whole=whole)
        if last is None:
            return call, {i.name: kind for i, kind in zip(needed, kinds, strict=True)}
    raise TargetError(
        "no arguments were found for which the function returns "
        f"{'finite floats' if whole else 'a finite number'}"
        f"{f'; the last ones raised {last}' if last else ''}\n"
        "hint: give some, such as --at 'np.ones(3), 0.5'"
    )


def _any_of() -> tuple[str, ...]:
    return ("matrix", "vector", "number", "whole number")


def _is_needed(item: inspect.Parameter) -> bool:
    return item.default is item.empty and item.kind not in (item.VAR_POSITIONAL, item.VAR_KEYWORD)


def _by_name(item: inspect.Parameter) -> bool:
    return item.kind is item.KEYWORD_ONLY


def _drawn(kind: str, rng: np.random.Generator) -> Any:
    if kind == "whole number":
        return 3
    if kind == "number":
        return float(rng.uniform(0.5, 2.0))
    return rng.uniform(0.5, 2.0, size=(_SIZE,) * (1 if kind == "vector" else 2))


def _why_no_number(
    function: Callable[..., Any], call: inspect.BoundArguments, *, whole: bool
) -> str | None:
    """Return what a call raised, nothing if it gave something else; None if it gave a number."""
    run = plain(function)
    with silence():
        try:
            value = run(*call.args, **call.kwargs)
        except Exception as error:  # noqa: BLE001 - whatever such arguments make it raise
            return f"{type(error).__name__}: {error}"
    if whole:
        return None if _is_comparable(value) else ""
    value = value[0] if isinstance(value, tuple) and value else value
    is_real = isinstance(value, (float, np.floating, np.ndarray)) and np.ndim(value) == 0
    return None if is_real and np.isrealobj(value) and np.isfinite(value) else ""


def copied(call: inspect.BoundArguments) -> inspect.BoundArguments:
    """Return the arguments of a call, which the function may write into, as copies."""
    made = inspect.BoundArguments(call.signature, type(call.arguments)(call.arguments))
    for name, value in call.arguments.items():
        made.arguments[name] = structures.copied(value)
    return made


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Keep what a function prints and warns of from the terminal."""
    with (
        contextlib.redirect_stdout(io.StringIO()),
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
    ):
        warnings.simplefilter("ignore")
        yield


def _is_comparable(value: Any) -> bool:
    """Say whether a result holds floats, all of them finite.

    >>> _is_comparable({"a": np.ones(2), "b": "text"}), _is_comparable([np.inf]), _is_comparable(3)
    (True, False, False)
    """
    leaves = floats_of(value)
    return bool(leaves) and all(np.all(np.isfinite(leaf)) for leaf in leaves)
