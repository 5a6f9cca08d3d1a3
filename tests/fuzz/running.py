"""Judges a program: each way to differentiate it against the plain function and its differences."""

from __future__ import annotations

import functools
import inspect
import random
import signal
import traceback
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import srcgrad as sg
from srcgrad.api.fallback import run_on_tape
from srcgrad.api.tape_push import push_on_tape
from srcgrad.api.values import conform
from srcgrad.errors import InternalError
from tests.fuzz.loading import Copy, Source
from tests.fuzz.modules import Program
from tests.fuzz.reference import CALLS, Reference, Slopes, UnusableError
from tests.fuzz.trees import (
    copied,
    difference,
    direction,
    flat,
    inner,
    is_active,
    leaves,
    mapped,
    shared,
)
from tests.fuzz.unused import is_after_unused, is_of_unused

SECONDS = 20  # of the processor; what takes longer hangs
SECONDS_OF_NUMBA = 120
MODES = ("grad", "vjp", "jvp", "hvp", "tape", "tape_jvp", "later", "numba", "numba_vjp")


@dataclass
class Verdict:
    """What became of a program in one mode.

    `kind` is source (right, by source; where Numba is asked, compiled), numpy (right, by NumPy where
    Numba is asked), tape (right, on the tape), refused (a typed error), own (the
    program's own exception came out), left out (a computation that nothing uses, with its
    exception), wrong or crash.
    """

    mode: str
    kind: str
    message: str = ""
    call: int = 0
    signature: str = ""  # what failures of one cause have in common
    raises: bool = False  # whether the function itself raises

    @property
    def failed(self) -> bool:
        """Say whether this must not be."""
        return self.kind in ("wrong", "crash")


class HangError(BaseException):
    """A program took too long."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise HangError in a block that takes too long."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise HangError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@dataclass
class Answer:
    """What a mode says about one call: the value, and how it changes along a direction."""

    value: Any
    slope: Any
    weights: Any = None  # of the parts of the result, where what is told is their sum
    results: Any = None  # what was returned beside the value, to look at its memory
    by_tape: bool = False


@dataclass
class Trial:
    """One program that is judged."""

    source: Source
    reference: Reference
    seed: int
    slopes_of: dict[int, Slopes] = field(default_factory=dict)

    def slopes(self, k: int) -> Slopes:
        """Return the slopes at a call, found once."""
        if k not in self.slopes_of:
            rng = np.random.default_rng(self.seed + 77 * k)
            self.slopes_of[k] = self.reference.slopes(k, rng)
        return self.slopes_of[k]

    def argnums(self, args: tuple[Any, ...]) -> tuple[int, ...]:
        """Return the arguments that are differentiated."""
        return tuple(i for i, a in enumerate(args) if any(is_active(v) for _, v in leaves(a)))


# -- the modes -------------------------------------------------------------------------------------

Mode = Callable[[Trial, Copy, str], Callable[[int, tuple[Any, ...]], Answer]]


def _by_grad(
    trial: Trial, copy: Copy, fallback: str, backend: str = "auto"
) -> Callable[[int, tuple[Any, ...]], Answer]:
    how: dict[str, Any] = {"fallback": fallback, "backend": backend}
    made: list[Any] = []

    def run(k: int, args: tuple[Any, ...]) -> Answer:
        argnums = trial.argnums(args)
        if not made:
            made.append(sg.value_and_grad(copy.main.program, argnums, **how))
        slopes = trial.slopes(k)
        value, grads = made[0](*args)
        along = tuple(slopes.along[i] for i in argnums)
        return Answer(value, inner(grads, along), results=grads)

    return run


def _by_tape(trial: Trial, copy: Copy, fallback: str) -> Callable[[int, tuple[Any, ...]], Answer]:
    function = copy.main.program
    signature = inspect.signature(function)
    names = list(signature.parameters)

    def run(k: int, args: tuple[Any, ...]) -> Answer:
        chosen = trial.argnums(args)
        before = copied(args)
        slopes = trial.slopes(k)
        wrt = [names[i] for i in chosen]
        value, found = run_on_tape(function, signature, wrt, args, {}, aux=False)
        grads = tuple(conform(g, before[i]) for g, i in zip(found, chosen, strict=True))
        along = tuple(slopes.along[i] for i in chosen)
        return Answer(value, inner(grads, along), results=grads, by_tape=True)

    return run


def _by_vjp(
    trial: Trial, copy: Copy, fallback: str, backend: str = "auto"
) -> Callable[[int, tuple[Any, ...]], Answer]:
    how: dict[str, Any] = {"backend": backend}

    def run(k: int, args: tuple[Any, ...]) -> Answer:
        slopes = trial.slopes(k)
        value, pull = sg.vjp(copy.main.program, *args, **how)
        before = copied(value)
        weights = _weights(before, k)
        if fallback == "later":
            copy.outside()
        grads = pull(weights)
        chosen = [i for i, g in enumerate(grads) if g is not None]
        said = inner(tuple(grads[i] for i in chosen), tuple(slopes.along[i] for i in chosen))
        return Answer(before, said, flat(weights), grads)

    return run


def _weights(value: Any, k: int) -> Any:
    return direction(value, np.random.default_rng(k + 5))


def _by_jvp(trial: Trial, copy: Copy, fallback: str) -> Callable[[int, tuple[Any, ...]], Answer]:
    def run(k: int, args: tuple[Any, ...]) -> Answer:
        slopes = trial.slopes(k)
        value, tangent = sg.jvp(copy.main.program, args, _tangents(args, slopes))
        return Answer(value, _tangent_numbers(tangent, value))

    return run


def _by_tape_jvp(
    trial: Trial, copy: Copy, fallback: str
) -> Callable[[int, tuple[Any, ...]], Answer]:
    function = copy.main.program
    signature = inspect.signature(function)
    names = list(signature.parameters)

    def run(k: int, args: tuple[Any, ...]) -> Answer:
        slopes = trial.slopes(k)
        chosen = trial.argnums(args)
        tangents = _tangents(args, slopes)
        given = dict(zip(names, args, strict=True))
        wrt = [names[i] for i in chosen]
        value, tangent = push_on_tape(
            function, signature, wrt, given, [tangents[i] for i in chosen]
        )
        return Answer(value, _tangent_numbers(tangent, value), by_tape=True)

    return run


def _tangents(args: tuple[Any, ...], slopes: Slopes) -> tuple[Any, ...]:
    """Return the directions as tangents, in objects of the copy's own classes."""
    made = []
    for arg, along in zip(args, slopes.along, strict=True):
        if not any(is_active(leaf) for _, leaf in leaves(arg)):
            made.append(None)
            continue
        steps = iter([item for _, item in leaves(along)])
        made.append(mapped(arg, lambda leaf, steps=steps: next(steps)))
    return tuple(made)


def _tangent_numbers(tangent: Any, value: Any) -> np.ndarray:
    """Return the numbers of a tangent; those of what is no float have to be zeros, and are left out."""
    places = dict(leaves(value))
    parts = [(is_active(places.get(path, 0.0)), leaf) for path, leaf in leaves(tangent)]
    still = all(active or leaf is None or not np.any(leaf) for active, leaf in parts)
    found = flat([leaf for active, leaf in parts if active] if still else tangent)
    return np.zeros(flat(value).shape) if found.size == 0 else found


def _by_hvp(trial: Trial, copy: Copy, fallback: str) -> Callable[[int, tuple[Any, ...]], Answer]:
    def run(k: int, args: tuple[Any, ...]) -> Answer:
        slopes = trial.slopes(k)
        chosen = trial.argnums(args)
        found = sg.hvp(copy.main.program, args, _tangents(args, slopes))
        parts = found if len(chosen) > 1 else (found,)
        said = inner(parts, tuple(slopes.along[i] for i in chosen))
        return Answer(None, said, results=parts)

    return run


WAYS: dict[str, Mode] = {
    "grad": _by_grad,
    "vjp": _by_vjp,
    "later": _by_vjp,
    "jvp": _by_jvp,
    "hvp": _by_hvp,
    "tape": _by_tape,
    "tape_jvp": _by_tape_jvp,
    "numba": functools.partial(_by_grad, backend="numba"),
    "numba_vjp": functools.partial(_by_vjp, backend="numba"),
}


# -- judging ---------------------------------------------------------------------------------------


def judge(
    program: Program, modes: list[str], folder: Path, seconds: float = SECONDS
) -> list[Verdict]:
    """Return a verdict for each mode.

    Raises:
        UnusableError: The program says nothing: it has a kink here, or is not finite.
    """
    source = Source(program, folder)
    try:
        reference = _reference(source, seconds)
        try:
            with limited(seconds):
                return _judged(modes, Trial(source, reference, program.seed))
        finally:
            reference.close()
    except HangError:
        return [Verdict(modes[0], "crash", f"no end after {seconds} seconds", 0, "hang")]
    finally:
        source.remove()


def _reference(source: Source, seconds: float) -> Reference:
    try:
        with limited(seconds / 4):
            made = Reference(source)
    except HangError:
        raise UnusableError("the function itself has no end") from None
    if any(isinstance(call.error, MemoryError) for call in made.calls):
        made.close()
        raise UnusableError("the function itself ends for want of memory")
    return made


def _judged(modes: list[str], trial: Trial) -> list[Verdict]:
    value = trial.reference.calls[0].value
    raises = trial.reference.calls[0].error is not None
    plain = isinstance(value, (float, np.ndarray)) and np.ndim(value) == 0 and np.isrealobj(value)
    found: list[Verdict] = []
    unusable: UnusableError | None = None
    if not plain and not raises:  # only pullbacks and tangents have results of all kinds
        modes = [
            mode
            for mode in dict.fromkeys((*modes, "numba_vjp" if "numba" in modes else "vjp"))
            if mode not in ("grad", "hvp", "tape", "numba")
        ]
    for mode in modes:
        try:
            verdict = _in_mode(trial, mode, "error" if mode == "grad" else "warn")
            if mode == "grad" and verdict.kind == "refused":
                reason = verdict.message
                verdict = _in_mode(trial, mode, "tape")
                if verdict.kind == "source":
                    verdict = Verdict(mode, "tape", reason)
            verdict.raises = raises
            found.append(verdict)
        except UnusableError as error:
            unusable = error
    if not found:
        raise unusable or UnusableError("no mode suits")
    return found


def _in_mode(trial: Trial, mode: str, fallback: str) -> Verdict:
    copy = trial.source.load()
    try:
        run = WAYS[mode](trial, copy, "later" if mode == "later" else fallback)
        kind, said = "source", ""
        for k in range(1 if mode == "later" else len(CALLS)):
            if k == 2:
                copy.outside()
            verdict = _one_call(trial, copy, run, mode, k)
            said = said or verdict.message
            if verdict.kind not in ("source", "numpy", "tape"):
                return verdict
            kind = kind if verdict.kind == "source" else verdict.kind
        return Verdict(mode, kind, said if kind == "numpy" else "")
    finally:
        copy.unload()


def _one_call(
    trial: Trial, copy: Copy, run: Callable[[int, tuple[Any, ...]], Answer], mode: str, k: int
) -> Verdict:
    wanted = trial.reference.calls[k]
    args = copy.arguments(k, CALLS[k])
    if wanted.error is None:
        trial.slopes(k)
    else:
        trial.slopes_of[k] = Slopes(direction(args, np.random.default_rng(0)), np.zeros(1), 1.0)
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            answer = run(k, args)
        except (UnusableError, HangError):
            raise
        except Exception as error:
            return _raised(trial, error, mode, k)
    by_tape = answer.by_tape or any(issubclass(w.category, sg.FallbackWarning) for w in caught)
    if wanted.error is not None:
        found = (answer.value, args)
        if is_of_unused(trial.source.program, trial.source, wanted.error, k, found):
            return Verdict(mode, "left out", f"{wanted.error!r} of what nothing uses", k)
        message = f"it returned where the function raises {wanted.error!r}"
        return Verdict(mode, "wrong", message, k, f"no {type(wanted.error).__name__}")
    complaint = _complaint(trial, copy, answer, mode, k, args)
    if complaint:
        what, message = complaint
        return Verdict(mode, "wrong", f"{what}: {message}", k, f"{what}{' on the tape' * by_tape}")
    named = [str(w.message) for w in caught if issubclass(w.category, sg.CompileWarning)]
    return Verdict(mode, "tape" if by_tape else "numpy" if named else "source", "".join(named), k)


def _raised(trial: Trial, error: Exception, mode: str, k: int) -> Verdict:
    own = trial.reference.calls[k].error
    text = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    if own is not None and type(error) is type(own):
        return Verdict(mode, "own", text, k)
    if isinstance(error, sg.SrcgradError) and not isinstance(error, InternalError):
        return Verdict(mode, "refused", text, k)
    if isinstance(error, RuntimeError) and "modified by an inplace operation" in str(error):
        return Verdict(mode, "refused", "RuntimeError: overwritten on the tape", k)
    if own is not None and is_after_unused(trial.source.program, trial.source, own, k, error):
        return Verdict(mode, "left out", f"{own!r} of what nothing uses", k)
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if "/srcgrad/" in f.filename and "_generated" not in f.filename]
    ours = [f for f in ours if "/tests/" not in f.filename] or frames
    last = frames[-1]
    generated = (
        "generated text" if "/srcgrad/" not in last.filename or ".cache" in last.filename else ""
    )
    place = f"{Path(ours[-1].filename).name}:{ours[-1].name}"
    shown = "".join(traceback.format_exception(error)[-14:])
    signature = f"{type(error).__name__} in {place} {generated}".strip()
    return Verdict(mode, "crash", f"{text}\n{shown}", k, signature)


def _complaint(
    trial: Trial, copy: Copy, answer: Answer, mode: str, k: int, args: tuple[Any, ...]
) -> tuple[str, str] | None:
    """Return what is wrong about an answer, or None."""
    wanted, slopes = trial.reference.calls[k], trial.slopes(k)
    single = slopes.bound > 1e-3
    by_tape = mode.startswith("tape")
    if answer.value is not None:
        found = difference(
            answer.value, wanted.value, 1e-4 if single else 1e-10 if by_tape else 1e-13
        )
        if found:
            return "value", found
    found = _slope_difference(trial, answer, mode, k)
    if found:
        return "derivative", found
    # what is added twice at a place is added in another order, and NumPy rounds a power otherwise
    # where elements lie apart: the last bits may differ
    texts = trial.source.program.modules.values()
    rounded = any(sign in text for text in texts for sign in ("add.at", "**="))
    exact = 1e-13 if mode.startswith("numba") else 1e-14 if rounded else 0
    found = difference(args, wanted.used, exact)
    if found:
        return "arguments afterwards", found
    if mode != "later":
        found = difference(copy.state(), wanted.state, 1e-12)
        if found:
            return "what is outside afterwards", found
    found = shared(answer.results, args) or shared_within(answer.results)
    return ("shared memory", found) if found else None


def _slope_difference(trial: Trial, answer: Answer, mode: str, k: int) -> str | None:
    slopes = trial.slopes(k)
    expected: Any = slopes.slope
    bound = slopes.bound
    if mode == "hvp":
        expected, bound = trial.reference.curvature(k, slopes.along), max(bound, 1e-5)
    elif mode in ("grad", "tape", "numba"):
        expected = expected[0]
    elif answer.weights is not None:
        expected = float(answer.weights @ expected)
    size = 1 + np.max(np.abs(expected), initial=0.0)
    if np.shape(answer.slope) != np.shape(expected):
        return f"shape {np.shape(answer.slope)} is not {np.shape(expected)}"
    if np.all(np.abs(np.subtract(answer.slope, expected)) <= bound * size):
        return None
    return f"{answer.slope} along a direction, by differences {expected}"


def shared_within(results: Any) -> str | None:
    """Return where two parts of results share memory, or None."""
    parts = [(path, leaf) for path, leaf in leaves(results) if isinstance(leaf, np.ndarray)]
    for place, (path, a) in enumerate(parts):
        for other, b in parts[place + 1 :]:
            if a.size and b.size and (a is b or np.shares_memory(a, b)):
                return f"{path} and {other}"
    return None


def modes_of(program: Program, weights: dict[str, float]) -> list[str]:
    """Return the modes that a program runs in, drawn by its seed."""
    rng = random.Random(zlib.crc32(str(program.seed).encode()))
    return [mode for mode, share in weights.items() if rng.random() < share]
