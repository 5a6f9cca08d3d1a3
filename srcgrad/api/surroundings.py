"""Keeps what a function may change besides its arguments, so that it can be run without effect.

What it prints is dropped; generators of random numbers, and the module-level names, closures,
lists, dicts, sets, arrays and objects that its text reaches, are put back to what they held. Files,
networks and other processes are beyond that.
"""

from __future__ import annotations

import contextlib
import functools
import io
import random
import types
import warnings
from array import array
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

import numpy as np

from srcgrad.api.aftermath import PLAIN, Seen, picture
from srcgrad.api.structures import copied
from srcgrad.api.underlying import called, plain
from srcgrad.compiler.vocabulary import VOCABULARY
from srcgrad.errors import UnsupportedError
from srcgrad.frontend.callees import ELSEWHERE
from srcgrad.frontend.effects import written_parameters
from srcgrad.frontend.expand.operators import taken_from
from srcgrad.frontend.rebinding import binds_names
from srcgrad.insight.switch import CHECKS, comparing, verifying
from srcgrad.ir.reach import reached_functions, values_of
from srcgrad.locks import Lock
from srcgrad.runtime.objects import is_plain_object
from srcgrad.tape.loans import is_lent
from srcgrad.tape.userspace import Reached, reached_by, slots_of

Undo = Callable[[], None]
Given = TypeVar("Given")

DRAWS: Final = frozenset(
    name
    for kind in (np.random.Generator, np.random.RandomState, random.Random)
    for name in dir(kind)
    if not name.startswith("_")
)
"""The names of methods that draw random numbers."""
_MISSING: Final = object()
_ONE_AT_A_TIME: Final = Lock()


class Surroundings:
    """What a function reaches, itself or in what it is given, as it is now."""

    def __init__(self, function: Callable[..., Any], *given: Any) -> None:
        self._undo: list[Undo] = [
            _setter(np.random.set_state, np.random.get_state()),  # noqa: NPY002 - the user's draws
            _setter(random.setstate, random.getstate()),
        ]
        self._reached: Reached | None = None
        self._of = function, given
        with _ONE_AT_A_TIME:  # no other check runs on the tape, and has stand-ins there
            self._look(function, given)

    def _look(self, function: Callable[..., Any], given: Sequence[Any]) -> None:
        try:
            reached = reached_by(function, *given)
        except UnsupportedError:  # it starts threads, say: what it changes there stays
            return
        self._reached = reached
        self._undo += _names_of(reached)
        for item in reached.everything():
            self._undo += _contents_of(item)
        self._undo += [_setter_of_fields(item) for item in reached.holders if _has_fields(item)]
        self._undo += [_setter_of_slots(item) for item in reached.holders if slots_of(item)]

    def picture(self) -> Any:
        """Return what is outside now, to be compared; within a block, before it is put back."""
        states = [repr(np.random.get_state()), repr(random.getstate())]  # noqa: NPY002 - as above
        reached = self._reached
        if reached is None:
            return states
        seen: Seen = {}
        found = [picture(item, seen) for item in reached.everything() if not callable(item)]
        found += [picture(_kept_on(item), seen) for item in reached.holders if callable(item)]
        for scope, names in reached.namespaces.values():
            found.append([picture(scope.get(name), seen) for name in sorted(names)])
        for cell in reached.cells:
            with contextlib.suppress(ValueError):  # not bound yet
                found.append(picture(cell.cell_contents, seen))
        for owner in reached.classes:
            data = vars(owner).items()
            found.append(
                [picture(item, seen) for name, item in data if not _is_machinery(name, item)]
            )
        return [states, found]

    def put_back(self) -> None:
        """Put back what was changed since."""
        for undo in self._undo:
            undo()

    @contextlib.contextmanager
    def again(self) -> Iterator[None]:
        """Run a block that runs the function once more, from this, without a trace of that run."""
        function, given = self._of
        now = Surroundings(function, *given)
        self.put_back()
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                yield
        finally:
            now.put_back()

    @contextlib.contextmanager
    def kept(self) -> Iterator[io.StringIO]:
        """Run a block in which the function is called, and put back what it changed.

        Yields:
            What is printed within it.
        """
        silent = contextlib.ExitStack()
        before, CHECKS.nans = CHECKS.nans, False
        with _ONE_AT_A_TIME, silent, np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            silent.enter_context(verifying(False))
            silent.enter_context(comparing())
            printed = io.StringIO()
            silent.enter_context(contextlib.redirect_stdout(printed))
            silent.enter_context(contextlib.redirect_stderr(io.StringIO()))
            try:
                yield printed
            finally:
                CHECKS.nans = before
                self.put_back()


def once_more(start: Surroundings | None) -> contextlib.AbstractContextManager[None]:
    """Return what a block runs a function once more in, from a start if that makes a difference."""
    return contextlib.nullcontext() if start is None else start.again()


def from_start(start: Surroundings | None, run: Callable[[], Given]) -> Given:
    """Run what runs a function once more, from a start."""
    with once_more(start):
        return run()


def own_copies(f: Callable[..., Any], arguments: Given) -> Given:
    """Return copies of arguments for a run that is not the user's own.

    What a function that writes reaches by another name, too, stays what it is: a copy of it would
    not be written by that name, and the run would be of another program.
    """
    own: Given = copied(arguments, _shared_with(f))
    return own


def _shared_with(f: Callable[..., Any]) -> list[Any]:
    """Return what a function that writes into its arguments reaches by other names."""
    function = plain(f)
    if isinstance(function, types.FunctionType) and written_parameters(function, VOCABULARY):
        with contextlib.suppress(UnsupportedError):  # where nobody knows what it reaches
            return list(reached_by(function).everything())
    return []


def innermost(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that a derivative, or one of that, is taken of: it reaches things."""
    while (taken := taken_from(f)) is not None:
        f = taken.function
    return f


def surroundings_of_a_writer(f: Callable[..., Any], *given: Any) -> Surroundings | None:
    """Return what a function reaches, if it may write there, so that a call more would show.

    What it is given counts, but for arrays and numbers, of which a call more gets copies.
    """
    f = innermost(_own(f))
    function = plain(f)
    if not isinstance(function, types.FunctionType):
        return None
    objects = any(map(is_plain_object, values_of(function).values()))  # with methods that write
    holders = [item for item in given if not isinstance(item, (np.ndarray, np.generic, *PLAIN))]
    holds = objects or holders or hasattr(f, "__self__")
    writes = holds or ELSEWHERE in written_parameters(function, VOCABULARY)
    if writes or binds_names(function) or _may_draw(function):
        return Surroundings(f, *holders)
    return None


def _own(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return the user's function around which one of ours runs: a derivative, say, on the tape."""
    while str(getattr(f, "__module__", "")).startswith("srcgrad.api.") and hasattr(
        f, "__wrapped__"
    ):
        f = f.__wrapped__
    return f


def _may_draw(function: types.FunctionType) -> bool:
    """Say whether what a function runs may draw random numbers, by the names in it."""
    reached = reached_functions(function)
    return any(not DRAWS.isdisjoint(item.__code__.co_names) for item in reached.functions)


def trying(f: Callable[..., Any], arguments: Mapping[str, Any]) -> Callable[..., Any]:
    """Return what gives what a function gives, in runs that its user does not ask for, nor see.

    What it may write outside is asked once, for all arguments like these.
    """
    before, shared = surroundings_of_a_writer(f, *arguments.values()), _shared_with(f)

    def run(given: Mapping[str, Any]) -> Any:
        with contextlib.nullcontext() if before is None else before.kept():
            return called(f, copied(dict(given), shared))

    return run


def tried(f: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    """Return what a function gives in a run that its user does not ask for, nor see."""
    return trying(f, arguments)(arguments)


def _setter(put: Callable[[Any], Any], value: Any) -> Undo:
    return lambda: put(value)


def _names_of(reached: Reached) -> Iterator[Undo]:
    for scope, names in reached.namespaces.values():
        own = [name for name in names if not is_lent(scope, name)]  # to a call of another thread
        yield _setter_of_names(scope, {name: scope.get(name, _MISSING) for name in own})
    for cell in reached.cells:
        with contextlib.suppress(ValueError):  # not bound yet
            if not is_lent(cell, ""):
                yield _setter_of_cell(cell, cell.cell_contents)
    for owner in reached.classes:
        data = {name: item for name, item in vars(owner).items() if not _is_machinery(name, item)}
        yield _setter_of_class(owner, data)


def _is_machinery(name: str, item: Any) -> bool:
    """Say whether a member of a class is none that a program counts or collects with."""
    return name.startswith("__") or callable(item) or hasattr(type(item), "__get__")


def _setter_of_names(scope: dict[str, Any], before: dict[str, Any]) -> Undo:
    def undo() -> None:
        for name, value in before.items():
            if scope.get(name, _MISSING) is value or is_lent(scope, name):
                continue
            if value is _MISSING:
                scope.pop(name, None)
            else:
                scope[name] = value

    return undo


def _setter_of_cell(cell: types.CellType, before: Any) -> Undo:
    def undo() -> None:
        if not is_lent(cell, ""):
            cell.cell_contents = before

    return undo


def _setter_of_class(owner: type, before: dict[str, Any]) -> Undo:
    def undo() -> None:
        for name, value in before.items():
            if vars(owner).get(name, _MISSING) is not value:
                setattr(owner, name, value)

    return undo


def _has_fields(item: Any) -> bool:
    return type(getattr(item, "__dict__", None)) is dict


def _kept_on(function: Any) -> dict[str, Any]:
    """Return what is kept in the attributes of a function, but for notes of ours."""
    return {k: v for k, v in vars(function).items() if not k.startswith("__srcgrad_")}


def _setter_of_fields(item: Any) -> Undo:
    fields = vars(item)
    return _refill(fields, dict(fields), fields.clear, fields.update)


def _setter_of_slots(item: Any) -> Undo:
    before = {name: getattr(item, name) for name in slots_of(item)}

    def undo() -> None:
        for name, value in before.items():
            if getattr(item, name, _MISSING) is not value:
                object.__setattr__(item, name, value)

    return undo


def _is_any_lent(item: Any) -> bool:
    keys = item if isinstance(item, dict) else range(len(item)) if isinstance(item, list) else ()
    return any(is_lent(item, key) for key in keys)


def _contents_of(item: Any) -> Iterator[Undo]:
    """Yield what puts back what a value holds itself; what is in it is gone into by itself."""
    if type(item) is np.ndarray:
        if item.flags.writeable:
            yield _setter_of_array(item, item.copy())
    elif isinstance(item, list):
        yield _refill(item, list(item), item.clear, item.extend)
    elif isinstance(item, (dict, set)):
        yield _refill(item, item.copy(), item.clear, item.update)
    elif isinstance(item, deque):
        yield _refill(item, item.copy(), item.clear, item.extend)
    elif isinstance(item, (bytearray, array)):
        yield _setter(functools.partial(item.__setitem__, slice(None)), item[:])
    elif isinstance(item, np.random.Generator):
        state = item.bit_generator.state
        yield lambda: setattr(item.bit_generator, "state", state)
    elif isinstance(item, np.random.RandomState):
        yield _setter(item.set_state, item.get_state())
    elif isinstance(item, random.Random):
        yield _setter(item.setstate, item.getstate())


def _setter_of_array(item: Any, before: Any) -> Undo:
    def undo() -> None:
        if item.shape == before.shape and item.tobytes() != before.tobytes():
            item[...] = before

    return undo


def _refill(item: Any, before: Any, clear: Callable[[], Any], fill: Callable[[Any], Any]) -> Undo:
    if _is_any_lent(item):  # to a call of another thread, which gives it back
        return lambda: None

    def undo() -> None:
        same = len(item) == len(before)
        pairs = zip(item.items(), before.items(), strict=True) if isinstance(item, dict) else None
        if same and pairs is not None:
            same = all(a is c and b is d for (a, b), (c, d) in pairs)
        elif same and not isinstance(item, set):
            same = all(a is b for a, b in zip(item, before, strict=True))
        elif same:
            same = item == before
        if not same and not _is_any_lent(item):
            clear()
            fill(before)

    return undo
