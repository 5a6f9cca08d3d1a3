"""Runs a derivative compiled, and its text for NumPy where that is not possible."""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any, Final, cast

import numpy as np

from srcgrad import settings
from srcgrad.backends import jit
from srcgrad.codegen import cache
from srcgrad.codegen.loader import in_scope, load
from srcgrad.codegen.tracebacks import UserLine
from srcgrad.errors import NotCompiledError
from srcgrad.locks import Lock
from srcgrad.spans import Span
from srcgrad.targets.loops.border import (
    Records,
    RefusedArgumentError,
    as_returned,
    brought_back,
    converted,
    described,
    differs,
    is_alike,
    kind_in_part,
    kind_of,
    kind_of_fixed,
    prototype,
    put_back,
    without_lists,
)
from srcgrad.targets.loops.bounds import LOOK
from srcgrad.targets.loops.calling import Ways, runner
from srcgrad.targets.loops.copies import copied
from srcgrad.targets.loops.data import data_in
from srcgrad.targets.loops.derivative import Derivative, Made
from srcgrad.targets.loops.front import front_text
from srcgrad.targets.loops.keeping import PutBackError, can_be_kept, keeping, written_places
from srcgrad.targets.loops.kind import Items
from srcgrad.targets.loops.names import LengthsDifferError
from srcgrad.targets.loops.narrow import is_narrow
from srcgrad.targets.loops.nest import DIFFER
from srcgrad.targets.loops.parts import Parts, cut_at
from srcgrad.targets.loops.smaller import smaller
from srcgrad.targets.loops.text import LoopsText, Wish, loops_text, reached_text

_LONGEST: Final = 0.05  # seconds of a compiled call, above which NumPy's would take long


class Loops:
    """A derivative that is compiled for each kind of arguments at its first call.

    Attributes:
        text: The text that the last call ran; None if that was the text for NumPy.
        compiled: How many kinds of arguments there is a compiled function for.
        run: The function that runs it, with the parameters of the text for NumPy.
    """

    def __init__(
        self,
        subject: Derivative,
        refuse: Callable[[NotCompiledError], None],
        options: Mapping[str, Any] = MappingProxyType({}),
        *,
        kind: Callable[[Any], Any] = kind_of,
    ) -> None:
        self._subject = subject
        self._refuse = refuse
        self._options = {
            "error_model": "numpy",
            "boundscheck": True,
            "cache": _has_files(),
            **options,
        }
        self._known: dict[Any, Callable[..., Any]] = {}
        self._given_options, self._kind = options, kind
        self._is_part = kind is kind_in_part
        self._is_left = False
        self._line = 0
        self._parts: dict[tuple[int, frozenset[str]], Parts | None] = {}
        self._texts: dict[Any, tuple[LoopsText, ModuleType]] = {}
        self._signature = inspect.signature(subject.function)
        self._data = data_in(reached_text(subject.source, subject.entry), vars(subject.module))
        self._names = tuple(self._data)
        self._places = written_places(subject, self._names)
        self._lock = Lock()
        self.text: LoopsText | None = None
        self.compiled = 0
        self.run = self._front()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run with the arguments of the text for NumPy."""
        return self.run(*args, **kwargs)

    def _front(self) -> Callable[..., Any]:
        """Return the function that looks up what runs its arguments."""
        text = front_text(self._signature, self._data.values(), self._subject.fixed)
        self._text_of_front = compile(text, "<front>", "exec")
        return self._front_on(vars(self._subject.module))

    def on(self, space: dict[str, Any]) -> Callable[..., Any]:
        """Return what runs with the user's data that a namespace, a twin of the module's, holds."""
        if space is vars(self._subject.module):
            return self.run
        front = self._front_on(space)

        def run(*args: Any) -> Any:
            token = _SPACE.set(space)
            try:
                return front(*args)
            finally:
                _SPACE.reset(token)

        return run

    def run_of(self, key: Sequence[type]) -> Callable[..., Any]:
        """Return what runs numbers of some types: the compiled function, if there is one already.

        It looks neither at their types nor at data of outside.
        """
        known = None if self._data else self._known.get(tuple(key))
        return self.run if known is None else known

    def _front_on(self, space: dict[str, Any]) -> Callable[..., Any]:
        scope: dict[str, Any] = {
            "__name__": __name__,  # whose warnings are of the line that called
            "_sg_space": space,
            "_sg_array": np.ndarray,
            "_sg_kind": self._kind,
            "_sg_fixed": kind_of_fixed,
            "_sg_refused": (RefusedArgumentError, AttributeError),
            "_sg_known": self._known,
            "_sg_first": self._first,
            "_sg_otherwise": self._otherwise,
        }
        exec(self._text_of_front, scope)  # noqa: S102 - text of our own making
        run: Any = scope["run"]
        function: Any = self._subject.function
        run.__defaults__, run.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
        found: Callable[..., Any] = run
        return found

    def _otherwise(self, problem: Exception, args: tuple[Any, ...]) -> Any:
        """Run arguments of which some are not taken to compiled functions."""
        given = zip(self._signature.parameters, args, strict=False)
        names = frozenset(name for name, value in given if self._is_not_taken(value))
        parts = self._in_parts(0, names) if names else None
        if parts is None or parts.left:
            self._say(f"an argument is {problem}", None)
        if parts is None or _SPACE.get() is not None:
            self.text = None
            return self._by_numpy(args)
        result = self._by_numpy(args, parts.run)
        self.text = self.text or parts.text()
        return result

    def _is_not_taken(self, value: Any) -> bool:
        try:
            self._kind(value)
        except RefusedArgumentError:
            return True
        return False

    def _by_numpy(self, args: Sequence[Any], front: Callable[..., Any] | None = None) -> Any:
        """Run the text for NumPy, or in parts, with the data of the namespace that is in use."""
        given = dict(zip(self._signature.parameters, args, strict=False))
        bound = inspect.BoundArguments(self._signature, given)
        function, space = front or self._subject.function, _SPACE.get()
        if space is not None:
            function = in_scope(cast(FunctionType, function), space)
        return function(*bound.args, **bound.kwargs)

    # -- the first call of a kind

    def _first(self, args: tuple[Any, ...], given: tuple[Any, ...]) -> Any:
        """Run what there is no compiled function for: `given`, and data of outside behind it."""
        names = [*self._signature.parameters, *[""] * (len(args) - len(given))]
        fixed = self._subject.fixed
        try:
            key = tuple(
                (kind_of_fixed if name in fixed else self._kind)(value)
                for name, value in zip(names, args, strict=True)
            )
        except (RefusedArgumentError, AttributeError) as problem:
            return self._otherwise(problem, given)
        with self._lock:
            run = self._known.get(key)
            return self._run_first(key, args) if run is None else run(*args)

    def _run_first(self, key: Any, args: tuple[Any, ...]) -> Any:
        try:
            made = self._fused(key, args)
        except NotCompiledError as refusal:
            parts = self._in_parts(self._line)
            if parts is None or parts.left:
                self._known[key] = lambda *args: self._by_numpy(args)
                self._refuse(refusal)
            return self._by_numpy(args) if parts is None else self._first_of_parts(key, args, parts)
        return self._compared(key, args, made)

    def _in_parts(self, line: int, names: frozenset[str] = frozenset()) -> Parts | None:
        """Return what runs the text in parts around a line; None if it has no part with a loop."""
        with self._lock:
            if (line, names) not in self._parts:
                found = None if line < 0 else cut_at(self._subject, line, names)
                parts = None if found is None else Parts(self._subject, found, self._part)
                self._parts[line, names] = parts
            return self._parts[line, names]

    def _part(self, subject: Derivative) -> Loops:
        return Loops(subject, self._refuse, self._given_options, kind=kind_in_part)

    def _first_of_parts(self, key: Any, args: tuple[Any, ...], parts: Parts) -> Any:
        """Run in parts for the first time, and compare where that has no effects."""

        def run(*args: Any) -> Any:
            if _SPACE.get() is not None:
                return self._by_numpy(args)
            return self._by_numpy(args, parts.run)

        copies = copied(args)
        result = run(*args)
        self._known[key] = run
        self.text = parts.text()
        if parts.has_effects or self._subject.written or not parts.were_compared():
            return result
        expected = self._by_numpy(copies)
        if differs(result, expected, narrow=is_narrow(map(described, key))):
            self._known[key] = lambda *args: self._by_numpy(args)
            self.text = None
            self._say("what it returns is not what the text for NumPy returns", None)
            return expected
        self.compiled += 1
        return result

    def _fused(self, key: Any, args: tuple[Any, ...]) -> Made:
        """Return what runs a kind of arguments, with nests of loops for arrays if that can be.

        Raises:
            NotCompiledError: It is not compiled.
        """
        places = self._places  # a nest that does not fit raises, and all is run again
        if places is not None and can_be_kept(args, places):
            with contextlib.suppress(NotCompiledError):
                return self._made(key, args, fuses=True)
        return self._made(key, args, fuses=False)

    def _made(self, key: Any, args: tuple[Any, ...], *, fuses: bool) -> Made:
        """Return what runs a kind of arguments.

        Raises:
            NotCompiledError: It is not compiled.
        """
        records = Records(key)
        text, module = self._module_for(key, records, fuses=fuses)
        dispatcher = vars(module)[self._subject.entry]
        converts = [records.into(kind, vars(module)) for kind in key]
        given = converted(converts, args)
        try:
            jit.compiled(dispatcher, given)
        except Exception as error:  # Numba raises what it likes, also by its own faults
            raise self._not_compiled(error, text, module) from error
        back = (
            jit.returned_by(dispatcher, given, bool(self._subject.lists)) if self._is_part else None
        )
        if back and (back.nested or (back.lists > 1 and not self._subject.alone)):
            self._line = -1
            raise self._at(
                "lists in lists, one list under two names, or a dict would go from part to part",
                None,
            )
        looks = fuses and any(name in text.source for name in (DIFFER, LOOK))
        run = keeping(dispatcher, self._places or ()) if looks else dispatcher
        arrays = jit.arrays_returned_by(dispatcher, given)
        return Made(key, text, run, converts, bool(back and back.tuples), arrays)

    def _compared(self, key: Any, args: tuple[Any, ...], made: Made) -> Any:
        """Run for the first time, and keep what runs if it gives what the text for NumPy gives."""
        copies = copied(args)
        outside, before = args[len(self._signature.parameters) :], copied(args)
        kind = made.text.returned
        kind = kind.items[0] if self._subject.lists and isinstance(kind, Items) else kind
        run = self._known[key] = self._runner(made, prototype(kind))
        self.text = made.text
        start = time.perf_counter()
        result = run(*args)
        took_long = time.perf_counter() - start > _LONGEST
        if self._known[key] is not run:
            return result
        if took_long and made.is_told and self._agrees_on_less(copies, made):
            return result
        if differs(outside, before[len(args) - len(outside) :]):
            self._known[key] = lambda *args: self._by_numpy(args)
            self._say("it writes into what is outside", None)
            return result  # NumPy would write there once more
        expected = self._by_numpy(copies)
        result = as_returned(result, expected)
        differ = functools.partial(differs, narrow=made.text.is_narrow)
        left, wanted = without_lists(key, args), without_lists(key, copies)
        is_wrong = differ(result, expected) or (made.asks and not is_alike(result, expected))
        if not is_wrong and not (self._subject.written and differ(left, wanted)):
            self._known[key] = self._runner(made, expected)
            self.compiled += 1
            return result
        self._known[key] = lambda *args: self._by_numpy(args)
        self.text = None
        self._say("what it returns is not what the text for NumPy returns", None)
        put_back(left, wanted)
        return expected

    def _agrees_on_less(self, args: tuple[Any, ...], made: Made) -> bool:
        """Say whether a compiled function gives what NumPy gives for fewer numbers.

        So it is taken to where that cannot be said, since NumPy would take long for all of them.
        """
        given = args[: len(self._signature.parameters)]
        if self._subject.lists or any(isinstance(item, np.ndarray) for item in args[len(given) :]):
            return True
        for less in smaller(given):
            own, others = copied(less), copied(less)
            try:
                found = made.dispatcher(*converted(made.converts, [*own, *args[len(given) :]]))
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    expected = self._by_numpy(others)
            except Exception:  # noqa: BLE001, S112 - lengths do not fit the function
                continue
            found = brought_back(found) if made.text.has_records else found
            differ = functools.partial(differs, narrow=made.text.is_narrow)
            return not (differ(as_returned(found, expected), expected) or differ(own, others))
        return True

    def _without_nests(self, key: Any, args: tuple[Any, ...]) -> Any:
        """Run with a text that lets arrays of different shapes meet, now and from now on."""
        try:
            made = self._made(key, args, fuses=False)
        except NotCompiledError as refusal:
            self._known[key] = lambda *args: self._by_numpy(args)
            self.text = None
            self._refuse(refusal)
            return self._by_numpy(args)
        return self._compared(key, args, made)

    def _runner(self, made: Made, expected: Any) -> Callable[..., Any]:
        """Return what takes arguments to a compiled function, and its result back."""
        ways = Ways(self._subject, self._by_numpy, self._failed, self._with_lists)
        return runner(ways, made, expected)

    def _with_lists(self, result: Any, args: Sequence[Any]) -> Any:
        """Write lists that came back into those that were given, and return the result alone."""
        whole, lists = result
        names = list(self._signature.parameters)
        for name, found in zip(self._subject.lists, lists, strict=True):
            given = args[names.index(name)]
            if type(given) is list:
                given[:] = found
        return whole

    def _failed(self, error: Exception, key: Any, args: tuple[Any, ...]) -> Any:
        """Run what a compiled function has raised at, in another way if that can be.

        Raises:
            Exception: The function raises it, or it has written into its arguments before.
        """
        is_as_before = isinstance(error, PutBackError) or not self._subject.written
        cause = error.__cause__ if isinstance(error, PutBackError) else error
        if isinstance(cause, LengthsDifferError):
            return self._without_nests(key, args)
        if not is_as_before:
            raise error
        return self._by_numpy(args)  # which raises with the user's line, or knows better

    def _module_for(
        self, kinds: Any, records: Records, *, fuses: bool
    ) -> tuple[LoopsText, ModuleType]:
        """Return the text for some kinds of arguments, loaded."""
        given = tuple(map(described, kinds))
        key = given, fuses
        found = self._texts.get(key)
        if found is None:
            library = self._need_numba()
            subject = self._subject
            text = loops_text(
                Wish(
                    subject.source,
                    subject.entry,
                    self._data,
                    subject.lines,
                    self._options,
                    records.fields,
                    given,
                    fuses,
                    records.objects,
                    subject.lists,
                    library.vectors.available(),
                    looks=fuses,
                )
            )
            if text.refused:
                what, line = text.refused[0]
                self._line = line
                raise self._at(what, subject.lines.at(line))
            namespace = {n: vars(subject.module)[n] for n in subject.bound if n not in self._names}
            module = load(text.source, subject.entry, namespace, text.lines)
            found = self._texts[key] = text, module
        return found

    # -- refusals

    def _need_numba(self) -> Any:
        """Let Numba know the functions that texts call; return the library of their bodies.

        Raises:
            NotCompiledError: There is no Numba.
        """
        try:
            return importlib.import_module("srcgrad.targets.loops.library")
        except ModuleNotFoundError as error:
            self._line = -1
            raise NotCompiledError(
                "Numba is not installed",
                hint="pip install 'srcgrad[numba]'; until then the text for NumPy runs",
            ) from error

    def _not_compiled(
        self, error: BaseException, text: LoopsText, module: ModuleType
    ) -> NotCompiledError:
        line = jit.line_of(error, module.__file__ or "")
        self._line = text.origins[line - 1] if 0 < line <= len(text.origins) else 0
        return self._at(jit.in_short(error), text.lines.at(line))

    def _at(self, what: str, line: UserLine | None) -> NotCompiledError:
        span = None if line is None else Span(line.file, line.line, text=line.text)
        return NotCompiledError(
            f"Numba does not compile this: {what}",
            span=span,
            hint="the text for NumPy runs in its place; leave backend='numba' out to be silent",
        )

    def leave(self, what: str) -> None:
        """Say once why all of it is left to NumPy."""
        if not self._is_left:
            self._is_left = True
            self._say(what, None)

    def _say(self, what: str, line: UserLine | None) -> None:
        self._refuse(self._at(what, line))


_SPACE: Final[ContextVar[dict[str, Any] | None]] = ContextVar("srcgrad_space", default=None)


def _has_files() -> bool:
    """Say whether texts lie in files, where Numba keeps what it has compiled beside them."""
    return settings.cache_directory() is not None and not cache.why_unusable()
