"""Differentiates the functions of packages by others, called as their docstrings call them.

Each call of a documented function in its own docstring is repeated with its float arguments, and
its gradient is compared with differences. Nothing of the packages stands here: `make wild` installs
them into an environment of their own.
"""

from __future__ import annotations

import argparse
import ast
import collections
import contextlib
import copy
import doctest
import importlib
import inspect
import io
import json
import pkgutil
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType, FunctionType
from typing import Any

import numpy as np

import srcgrad as sg

ROOT = Path(__file__).resolve().parent.parent
SKIPPED = ("tests", "test", "testing", "plotting", "examples", "benchmarks", "gui")
_WITHIN_A_ROUNDING = (4e-13, 2e-13)  # steps that stay on the stair of `round(x, 10)`
SLOW = 20.0  # seconds of processor time for one call: more is a verdict of its own


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a function, as its docstring makes it."""

    name: str
    function: FunctionType
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one call went: by source, on the tape, refused, wrong, crash, slow, or nothing to do."""

    name: str
    kind: str
    why: str = ""
    seconds: float = 0.0


class TooSlowError(BaseException):
    """A call took longer than it may; not an Exception, so that nothing catches it."""


# -- finding calls


def modules_of(package: str) -> Iterator[Any]:
    """Yield the modules of a package that can be imported, without its tests."""
    root = importlib.import_module(package)
    yield root
    paths = getattr(root, "__path__", ())  # a package of one file has none
    for found in pkgutil.walk_packages(paths, f"{package}.", onerror=lambda _: None):
        parts = found.name.split(".")
        if any(part in SKIPPED or part.startswith("_") for part in parts):
            continue
        with contextlib.suppress(Exception), quiet():
            yield importlib.import_module(found.name)


def functions_of(package: str) -> list[FunctionType]:
    """Return the documented functions of a package, each once."""
    found: dict[int, FunctionType] = {}
    for module in modules_of(package):
        for item in vars(module).values():
            own = isinstance(item, FunctionType) and item.__module__.split(".")[0] == package
            if own and ">>>" in (item.__doc__ or "") and "<" not in item.__qualname__:
                found[id(item)] = item
    return list(found.values())


def calls_of(function: FunctionType) -> list[Call]:
    """Return the calls of a function in its own docstring, with their arguments evaluated."""
    module = inspect.getmodule(function)
    scope = {"np": np, "numpy": np, **vars(module or object)}
    calls: list[Call] = []
    with contextlib.suppress(ValueError):
        for example in doctest.DocTestParser().get_examples(function.__doc__ or ""):
            try:
                tree = ast.parse(example.source)
            except SyntaxError:
                continue
            calls += _evaluated(tree, function, scope)
            with contextlib.suppress(Exception, TooSlowError), quiet(), limited(SLOW):
                exec(compile(tree, "<docstring>", "exec"), scope)  # noqa: S102 - the package's own
    return calls


def _evaluated(tree: Any, function: FunctionType, scope: dict[str, Any]) -> list[Call]:
    calls = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        starred = any(isinstance(item, ast.Starred) for item in node.args)
        if called != function.__name__ or starred or any(k.arg is None for k in node.keywords):
            continue
        with contextlib.suppress(Exception), quiet():
            args = tuple(_value(item, scope) for item in node.args)
            kwargs = {item.arg or "": _value(item.value, scope) for item in node.keywords}
            calls.append(Call(f"{function.__module__}.{called}", function, args, kwargs))
    return calls


def _value(node: ast.expr, scope: dict[str, Any]) -> Any:
    return eval(compile(ast.Expression(node), "<docstring>", "eval"), scope)  # noqa: S307 - see above


# -- judging one call


def judged(call: Call) -> Verdict:
    """Return how the derivative of one call goes."""
    start = time.process_time()
    try:
        with quiet(), limited(SLOW):
            kind, why = _judged(call, 0.0)
            if kind == "wrong" and _judged(call, 1e-3)[0] != "wrong":
                kind, why = "tie", f"right beside, so a test of equality is hit exactly: {why}"
    except TooSlowError:
        kind, why = "slow", f"over {SLOW:g} s"
    return Verdict(call.name, kind, why, time.process_time() - start)


def _judged(call: Call, beside: float) -> tuple[str, str]:
    """Return how one call goes, `beside` of its arguments by that share of them."""
    args, names = _arguments(call)
    if not any(map(_is_active, args)):
        args = _with_floats(_by_position(call.function, names), args)
    chosen = [i for i, item in enumerate(args) if _is_active(item)]
    for i in chosen:
        args[i] = _moved(args[i], _direction(args[i], 11 + i), beside)
    if not chosen:
        return "nothing", "no float argument"
    function = _by_position(call.function, names)
    weights, why = _weighed(function, args)
    if weights is None:
        return "nothing", why
    moved = [_direction(args[i], place) for place, i in enumerate(chosen)]
    engine, why = "source", ""
    try:
        try:
            slope = _slope(call.function, args, names, chosen, moved, weights, "error")
        except sg.SrcgradError as error:  # a warning tells it, too, but once for each function
            engine, why = "tape", _reason(str(error))
            slope = _slope(call.function, args, names, chosen, moved, weights, "tape")
    except sg.SrcgradError as error:
        return "refused", why or _reason(str(error))
    except Exception as error:
        return "crash", f"{type(error).__name__}: {error}"[:300]
    steps = _differences(function, args, chosen, moved, weights)
    kind, told = _compared(slope, steps, engine, why)
    if kind != "wrong":
        return kind, told
    steps = _differences(function, args, chosen, moved, weights, _WITHIN_A_ROUNDING)
    on_a_stair = steps is not None and np.allclose(steps, slope, rtol=1e-2)
    return (engine, "the function rounds its arguments; " + why) if on_a_stair else (kind, told)


def _weighed(function: Callable[..., Any], args: list[Any]) -> tuple[Any, str]:
    """Return a weight for each number that a function returns, or None and why there is none."""
    try:
        out = function(*copy.deepcopy(args))
    except Exception as error:
        return None, f"the function itself raises {type(error).__name__}"
    return _weights(out), "no float result"


def _compared(
    slope: float, steps: tuple[float, float] | None, engine: str, why: str
) -> tuple[str, str]:
    if steps is None:
        return engine, "no differences to compare with; " + why
    first, second = steps
    if abs(first - second) > 1e-3 * (1e-9 + abs(second)):
        return engine, "differences do not settle; " + why
    if not np.isclose(slope, second, rtol=1e-3, atol=1e-7):
        return "wrong", f"{slope:.10g}, and {second:.10g} by differences ({engine})"
    return engine, why


def _with_floats(function: Callable[..., Any], args: list[Any]) -> list[Any]:
    """Return arguments with floats for the ints of lists and arrays, if that changes no result."""
    floats = [_as_floats(item) for item in args]
    try:
        same = _alike(function(*copy.deepcopy(args)), function(*copy.deepcopy(floats)))
    except Exception:
        return args
    return floats if same else args


def _alike(first: Any, second: Any) -> bool:
    if isinstance(first, (tuple, list)):
        return len(first) == len(second) and all(map(_alike, first, second))
    return bool(np.allclose(first, second, equal_nan=True))


def _as_floats(value: Any) -> Any:
    if type(value) is np.ndarray:
        return value.astype(float) if value.dtype.kind == "i" else value
    if isinstance(value, (list, tuple)):
        inner = [float(v) if type(v) is int else _as_floats(v) for v in value]
        return type(value)(inner) if type(value) in (list, tuple) else value
    return value


def _arguments(call: Call) -> tuple[list[Any], list[str]]:
    """Return all arguments of a call, by position and then by name, and those names."""
    return [*call.args, *call.kwargs.values()], list(call.kwargs)


def _by_position(function: Callable[..., Any], names: list[str]) -> Callable[..., Any]:
    count = len(names)

    def called(*args: Any) -> Any:
        cut = len(args) - count
        return function(*args[:cut], **dict(zip(names, args[cut:], strict=True)))

    return called


def _slope(
    function: FunctionType,
    args: list[Any],
    names: list[str],
    chosen: list[int],
    moved: list[Any],
    weights: Any,
    fallback: Any,
) -> float:
    """Return the derivative along a direction."""
    cut = len(args) - len(names)
    given = copy.deepcopy(args)
    kwargs = dict(zip(names, given[cut:], strict=True))
    argnums = tuple(i for i in chosen if i < cut)
    argnames = tuple(names[i - cut] for i in chosen if i >= cut)
    pull = sg.pullback(function, argnums=argnums, argnames=argnames, fallback=fallback)
    _, back = pull(*given[:cut], **kwargs)
    grads = back(weights)
    return sum(_product(g, d) for g, d in zip(grads, moved, strict=True))


def _differences(
    function: Callable[..., Any],
    args: list[Any],
    chosen: list[int],
    moved: list[Any],
    weights: Any,
    near: tuple[float, float] = (3e-5, 1e-6),
) -> tuple[float, float] | None:
    def at(step: float) -> float:
        given = copy.deepcopy(args)
        for place, i in enumerate(chosen):
            given[i] = _moved(given[i], moved[place], step)
        out = function(*given)
        if _is_coarse(out):
            raise ValueError("too few digits for differences")
        return _product(out, weights)

    try:
        slopes = [(at(h) - at(-h)) / (2 * h) for h in near]
    except Exception:
        return None
    return (slopes[0], slopes[1]) if all(map(np.isfinite, slopes)) else None


# -- structures of floats


def _is_active(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return bool(value) and all(map(_is_active, value))
    plain = type(value) is np.ndarray  # arrays with units cannot be moved by numbers
    return isinstance(value, float) or (plain and value.dtype.kind == "f")


def _direction(value: Any, seed: int) -> Any:
    """Return a direction to move in, in proportion to the value."""
    if isinstance(value, (list, tuple)):
        return type(value)(_direction(item, seed + 7 * k + 1) for k, item in enumerate(value))
    rng = np.random.default_rng(seed)
    finite = np.where(np.isfinite(value), value, 0.0)  # what is infinite, or none, stays so
    spread = rng.uniform(0.5, 1.5, np.shape(value)) * finite
    return spread if isinstance(value, np.ndarray) else float(spread)


def _moved(value: Any, direction: Any, step: float) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(_moved(v, d, step) for v, d in zip(value, direction, strict=True))
    return value + step * direction


def _weights(out: Any) -> Any:
    if isinstance(out, (float, np.floating)):
        return 1.0 if np.isfinite(out) else None
    if isinstance(out, np.ndarray) and out.dtype.kind == "f" and np.all(np.isfinite(out)):
        return np.random.default_rng(5).uniform(0.5, 1.5, out.shape)
    if isinstance(out, (tuple, list)) and out:
        weights = [_weights(item) for item in out]
        if any(item is None for item in weights):
            return None
        kind: Any = type(out)
        named = isinstance(out, tuple) and kind is not tuple  # made of fields, not of a list
        return tuple.__new__(kind, weights) if named else kind(weights)
    return None


def _is_coarse(out: Any) -> bool:
    """Say whether a result is in less than double precision."""
    if isinstance(out, (tuple, list)):
        return any(map(_is_coarse, out))
    return np.asarray(out).dtype.itemsize < np.dtype(float).itemsize


def _product(values: Any, directions: Any) -> float:
    if isinstance(directions, (list, tuple)):
        return sum(_product(v, d) for v, d in zip(values, directions, strict=True))
    terms = np.asarray(values) * directions  # a number that stands still, says nothing, nor NaN
    return float(np.sum(np.where(np.asarray(directions) == 0, 0.0, terms)))


# -- the run


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep what packages print, and what they warn of, to themselves."""
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
    ):
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise `TooSlowError` in what takes the processor longer, whatever else the machine does."""

    def ring(_number: int, _frame: FrameType | None) -> None:
        raise TooSlowError

    signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)


def _reason(message: str) -> str:
    lines = [line.strip() for line in message.splitlines()]
    codes = [line for line in lines if line.startswith("[SG")]
    place = next((line[4:] for line in lines if line.startswith("-->")), "")
    return f"{codes[0] if codes else lines[0]} ({'/'.join(place.rsplit('/', 2)[-2:])})"


def run(package: str, limit: int, only: str, kept: Path) -> list[Verdict]:
    """Judge the calls of one package, with a line of progress; `kept` has them as they come."""
    functions = [f for f in functions_of(package) if only in f"{f.__module__}.{f.__name__}"]
    verdicts: list[Verdict] = []
    for number, function in enumerate(functions[:limit], 1):
        new = list(map(judged, calls_of(function)))
        verdicts += new
        with kept.open("a") as lines:
            lines.writelines(json.dumps(asdict(item)) + "\n" for item in new)
        if number % 10 == 0 or number == min(limit, len(functions)):
            counts = collections.Counter(item.kind for item in verdicts)
            shares = ", ".join(f"{kind} {count}" for kind, count in sorted(counts.items()))
            print(
                f"\r\033[K{package}: {number}/{min(limit, len(functions))} functions; {shares}",
                end="",
            )
            sys.stdout.flush()
    print()
    return verdicts


def report(package: str, verdicts: list[Verdict]) -> None:
    """Print what went otherwise than by source, the commonest reasons first."""
    judged_ = [item for item in verdicts if item.kind != "nothing"]
    for kind in ("wrong", "crash", "slow", "tie"):
        for item in judged_:
            if item.kind == kind:
                print(f"  {kind}: {item.name}: {item.why}")
    reasons = collections.Counter((v.kind, v.why) for v in judged_ if v.kind in ("tape", "refused"))
    for (kind, why), count in reasons.most_common(25):
        print(f"  {count:4d} {kind}: {why}")
    share = sum(item.kind == "source" for item in judged_) / max(1, len(judged_))
    print(f"  {package}: {len(judged_)} calls, {share:.1%} by source")


def main() -> int:
    """Judge the packages named on the command line; return 1 if anything was wrong or crashed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="+")
    parser.add_argument("--limit", type=int, default=10**6, help="functions of each package")
    parser.add_argument("--only", default="", help="part of the names of the functions")
    options = parser.parse_args()
    failed = False
    for package in options.packages:
        target = ROOT / "build" / "wild" / f"{package}.jsonl"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # some write files
            verdicts = run(package, options.limit, options.only, target)
        report(package, verdicts)
        failed |= any(item.kind in ("wrong", "crash") for item in verdicts)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
