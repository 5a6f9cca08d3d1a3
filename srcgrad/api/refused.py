"""Remembers why functions were refused, so that they are not compiled in vain at every call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final

from srcgrad.api import known_texts, stored_refusals
from srcgrad.api.stored_texts import Record
from srcgrad.api.whole import is_whole
from srcgrad.compiler import Generated, Request
from srcgrad.compiler.stages import Stages
from srcgrad.errors import UnsupportedError
from srcgrad.frontend.expand.flags import is_flag
from srcgrad.later import later

if TYPE_CHECKING:
    from srcgrad.api import left_out
    from srcgrad.api.left_out import Search
else:
    left_out = later("srcgrad.api.left_out")

_FOREIGN: Final = ("numpy", "scipy", "srcgrad", "builtins", "cupy")
_TOLD_APART: Final = (ModuleType, str, int, float, tuple)
_MOST: Final = 500

Compile = Callable[[Request, Stages | None], Generated]


class Refusals:
    """The refusals of one derivative, each of which holds while nothing in its program changes."""

    def __init__(self) -> None:
        self._known: dict[Any, tuple[Sequence[Any], UnsupportedError | None]] = {}
        self._searches: dict[FunctionType, tuple[list[Any], Search]] = {}

    def compiled(self, compile_: Compile, request: Request, stages: Stages | None) -> Generated:
        """Compile, unless that was refused before for the same program.

        Raises:
            UnsupportedError: It is refused, or was.
        """
        key = _key(request) if stages is None else None
        if key is None:
            return self._compiled(compile_, request, stages)
        known = self._refusal(compile_, is_whole(), key)
        if known is not None:
            raise known.with_traceback(None)
        before = None if is_whole() else self._refusal(compile_, True, key)
        try:
            return _unrefuted(self._compiled(compile_, request, None, before))
        except UnsupportedError as refusal:
            program = program_of(request.function)
            self._known[is_whole(), *key] = program, refusal
            stored_refusals.write(_record(compile_, is_whole(), key), program, refusal)
            raise

    def _refusal(self, compile_: Compile, whole: bool, key: Any) -> UnsupportedError | None:
        """Return why a request was refused, if it was and nothing has changed since."""
        before, refusal = self._known.get((whole, *key), ((), None))
        if refusal is not None:
            return refusal if _is_same(before, program_of(key[0])) else None
        stored = stored_refusals.read(_record(compile_, whole, key))
        if stored is None or not stored.is_of(program := program_of(key[0])):
            return None
        refusal = stored.error()
        self._known[whole, *key] = program, refusal
        return refusal

    def _compiled(
        self,
        compile_: Compile,
        request: Request,
        stages: Stages | None,
        refused: UnsupportedError | None = None,
    ) -> Generated:
        """Compile a function, or the rest of it if some of its parts are refused.

        `refused` says why the whole of it was refused before.
        """

        def again() -> Generated:
            if stages is not None:
                stages.clear()
            return compile_(request, stages)

        try:
            if refused is not None:
                raise refused.with_traceback(None)
            if stages is not None:
                return compile_(request, stages)
            return known_texts.compiled(compile_, request)
        except UnsupportedError as refusal:
            search = None if is_whole() else self._search(request.function)
            found = None if search is None else search.compiled(again, refusal)
            if found is None:
                raise
            return found

    def _search(self, function: FunctionType) -> Search:
        """Return the search for parts of a function, one for as long as its program is the same."""
        program = program_of(function)
        before, search = self._searches.get(function, ([], left_out.Search()))
        if not _is_same(before, program):
            search = left_out.Search()
            self._searches[function] = program, search
        return search


def _record(compile_: Compile, whole: bool, key: Any) -> Record | None:
    """Return where the refusal of a request is kept for other processes."""
    function, *asked = key
    return Record.of(compile_, function.__code__, ("refused", whole, *asked))


def _unrefuted(generated: Generated) -> Generated:
    """Return a text, unless it was found wrong since it was made."""
    if generated.proof is not None and generated.proof.refutation is not None:
        raise generated.proof.refutation.with_traceback(None)
    return generated


def program_of(function: FunctionType) -> list[Any]:
    """Return all code that a function reaches by name, and of arrays and objects their types.

    >>> rate = 2.0
    >>> def scaled(x): return rate * x
    >>> 2.0 in program_of(scaled)
    True
    """
    found: list[Any] = []
    waiting, seen = [function], {function}
    while waiting and len(found) < _MOST:
        reached = waiting.pop()
        found += (reached.__code__, reached.__defaults__, reached.__kwdefaults__)
        for value in _values_in(reached):
            is_part = callable(value) or isinstance(value, _TOLD_APART)
            found.append(value if is_part else type(value))
            if isinstance(value, FunctionType) and value not in seen and not _is_foreign(value):
                seen.add(value)
                waiting.append(value)
    return found


def _values_in(function: FunctionType) -> Iterator[Any]:
    """Yield what the names that stand in a function mean, those of attributes of modules too."""
    names = dict.fromkeys(_names_of(function.__code__))
    for name in names:
        value = function.__globals__.get(name)
        yield value
        if isinstance(value, ModuleType) and not _is_foreign(value):
            yield from (vars(value).get(other) for other in names)
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # it is not bound yet
            yield None


def _names_of(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for item in code.co_consts:
        if isinstance(item, CodeType):
            yield from _names_of(item)


def _is_foreign(value: Any) -> bool:
    name = value.__name__ if isinstance(value, ModuleType) else value.__module__
    return (name or "").partition(".")[0] in _FOREIGN


def _is_same(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


def _key(request: Request) -> Any:
    """Return what tells requests for one function apart; None for those that hold objects."""
    if not all(map(is_flag, request.given.values())):
        return None
    options = (request.value, request.aux, request.keep_complex, request.assume)
    more = (request.plain, request.stacks, request.arrays, *sorted(request.seen.items()))
    flags = sorted((name, repr(value)) for name, value in request.given.items())
    return (request.function, request.wrt, *options, *flags, *more)
