"""Gives a new closure of a known text that text, with what it captures itself put in.

In a training loop `sg.grad(lambda w: loss(w, batch))(w)` makes a new function of the same code at
each step. What the compiler finds depends on the code, on what its names mean and on the kinds of
the data that it captures, not on the data: if all that is the same, so is the text.
"""

from __future__ import annotations

import builtins
import sys
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

import numpy as np

from srcgrad.api.making import has_attributes
from srcgrad.checker.witness import OBSERVERS
from srcgrad.compiler import Generated, Request
from srcgrad.compiler.generated import FunctionState, without_data
from srcgrad.frontend.source import is_made
from srcgrad.ir.scopes import MISSING, Binding
from srcgrad.locks import Lock

_MOST_TEXTS: Final = 256
_MOST_OF_ONE: Final = 4
_MOST_PARTS: Final = 64
_ATOMS: Final = (type(None), bool, int, float, complex, str, bytes, type(...))
_BUILT_IN: Final = (np.ufunc, type(len), type(np.sum))

#: Finds something in a function and the functions that it captures, in the order of `_reached`.
Place = Callable[[list[FunctionType]], Any]
#: Says whether a value found for one function is as good as that for another.
Same = Callable[[list[FunctionType], Any], bool]


class _UnknownError(Exception):
    """There is something that only the compiler can look at."""


@dataclass(frozen=True, slots=True)
class _Template:
    """A text and what it needs of a function that is to have it; it keeps no data alive.

    Attributes:
        code: The function's code.
        inner: For each function that it captures: which function's cell holds it, and its code.
        defaults: The kinds of the defaults of all of them.
        generated: The text, without names that are put in.
        fixed: The names that were compiled in: where they are found, and what is as good.
        data: The names of data: where they are found, and their kinds.
        bound: The other names that are put in: what each of them is.
        functions: The functions that were compiled in and are not captured.
    """

    code: CodeType
    inner: tuple[tuple[int, int, CodeType], ...]
    defaults: tuple[Any, ...]
    generated: Generated
    fixed: tuple[tuple[str, Place, Same], ...]
    data: Mapping[str, tuple[str, Place, Any]]
    bound: Mapping[str, Place]
    functions: tuple[Callable[[], FunctionState | None], ...]

    def fitted(self, function: FunctionType) -> Generated | None:
        """Return the text for another function of the same code, if it is right for that."""
        try:
            found = self._captured(function)
            if tuple(_kinds_of_defaults(found)) != self.defaults:
                return None
            states = [_given(make()) for make in self.functions]
            spaces = [item.__globals__ for item in (*found, *(s.function for s in states))]
            fixed = [self._compiled_in(found, spaces, *item) for item in self.fixed]
            data = {name: self._datum(found, *item) for name, item in self.data.items()}
            bound = {name: place(found) for name, place in self.bound.items()}
        except _UnknownError:
            return None
        return replace(
            self.generated,
            bound=bound | {name: binding.value for name, binding in data.items()},
            data=data,
            fixed=fixed,
            functions=(*map(FunctionState.of, found), *states),
        )

    def _captured(self, function: FunctionType) -> list[FunctionType]:
        found = [_plain(function)]
        for parent, number, code in self.inner:
            value = _contents((found[parent].__closure__ or ())[number])
            if not isinstance(value, FunctionType) or value.__code__ is not code:
                raise _UnknownError
            found.append(_plain(value))
        return found

    def _compiled_in(
        self,
        found: list[FunctionType],
        spaces: list[dict[str, Any]],
        name: str,
        place: Place,
        same: Same,
    ) -> Binding:
        binding = Binding(name, None, place(found))
        if binding.holder is vars(builtins) and any(name in space for space in spaces):
            raise _UnknownError  # something else hides it by now
        value = binding.current()
        if not same(found, value):
            raise _UnknownError
        return replace(binding, value=value)

    def _datum(self, found: list[FunctionType], name: str, place: Place, kind: Any) -> Binding:
        binding = Binding(name, None, place(found))
        value = binding.current()
        if kind_of(value) != kind:
            raise _UnknownError
        return replace(binding, value=value)


_KNOWN: Final[OrderedDict[Any, list[_Template]]] = OrderedDict()
_LOCK: Final = Lock()


def compiled(make: Callable[[Request, None], Generated], request: Request) -> Generated:
    """Return what `make` makes of a request, from the text for another function if that will do."""
    if request.given or OBSERVERS:  # whoever observes verdicts wants to see texts being made
        return make(request, None)
    code = request.function.__code__
    key = (make, id(code), *_options(request))
    with _LOCK:
        templates = list(_KNOWN.get(key, ()))
        if templates:
            _KNOWN.move_to_end(key)
    for template in templates:
        if template.code is code and (found := template.fitted(request.function)) is not None:
            return found
    generated = make(request, None)
    made = _template(request.function, generated)
    if made is not None:
        with _LOCK:
            others = [item for item in _KNOWN.get(key, ()) if item.code is code]
            _KNOWN[key] = [made, *others][:_MOST_OF_ONE]
            while len(_KNOWN) > _MOST_TEXTS:
                _KNOWN.popitem(last=False)
    return generated


def forget() -> None:
    """Forget all texts, as if the process had just begun."""
    with _LOCK:
        _KNOWN.clear()


def _options(request: Request) -> tuple[Any, ...]:
    seen = tuple(sorted(request.seen.items()))
    flags = (request.value, request.aux, request.keep_complex, request.assume, request.plain)
    return (request.wrt, *flags, request.pure, request.stacks, request.arrays, seen)


def kind_of(value: Any, most: int = _MOST_PARTS) -> Any:
    """Return what the compiler may look at in data: types, not values.

    >>> kind_of(np.ones(3)) == kind_of(np.zeros(5)), kind_of(1.0) == kind_of(1)
    (True, False)
    """
    if isinstance(value, np.ndarray):
        return type(value), value.dtype, value.ndim
    if value is MISSING or callable(value) or isinstance(value, ModuleType):
        raise _UnknownError
    if isinstance(value, (list, tuple)):
        if len(value) > most:
            raise _UnknownError
        return type(value), *(kind_of(item, most // 4) for item in value)
    if isinstance(value, dict):
        if len(value) > most:
            raise _UnknownError
        return type(value), *((key, kind_of(item, most // 4)) for key, item in value.items())
    return type(value)


def _template(function: FunctionType, generated: Generated) -> _Template | None:
    """Return what is needed to give the text to other functions; None if that is not to be told."""
    if generated.nested or generated.assumptions or generated.findings is not None:
        return None
    try:
        inner, found = _reached(function)
        places = _Places(found, generated)
        captured = set(map(id, found))
        fixed = tuple((b.name, places.of(b.holder), places.same(b.value)) for b in generated.fixed)
        data = {
            name: (b.name, places.of(b.holder), kind_of(b.value))
            for name, b in generated.data.items()
        }
        bound = {
            name: places.value(value)
            for name, value in generated.bound.items()
            if name not in generated.data
        }
        states = tuple(
            _state(item)
            for item in generated.functions
            if id(item.function) not in captured and not is_made(item.function)
        )
        defaults = tuple(_kinds_of_defaults(found))
    except _UnknownError:
        return None
    proof = None if generated.proof is None else generated.proof.of_another()
    kept = without_data(generated)
    bare = replace(kept, bound={}, data={}, fixed=(), functions=(), proof=proof)
    return _Template(function.__code__, inner, defaults, bare, fixed, data, bound, states)


def _reached(
    function: FunctionType,
) -> tuple[tuple[tuple[int, int, CodeType], ...], list[FunctionType]]:
    """Return a function and those that it captures, and where they capture each other."""
    found, inner = [_plain(function)], []
    for parent, caller in enumerate(found):  # which grows meanwhile
        for number, cell in enumerate(caller.__closure__ or ()):
            value = _contents(cell)
            if isinstance(value, FunctionType) and all(value is not item for item in found):
                found.append(_plain(value))
                inner.append((parent, number, value.__code__))
    return tuple(inner), found


class _Places:
    """Says how what one function uses is found for another of the same code."""

    def __init__(self, found: list[FunctionType], generated: Generated) -> None:
        self._found = found
        self._others = [item.function for item in generated.functions if not is_made(item.function)]

    def of(self, holder: Any) -> Place:
        """Return where the holder of a name is found: a cell, or a namespace."""
        if isinstance(holder, CellType):
            return self._of_cell(holder)
        if holder is vars(builtins):
            return lambda _: vars(builtins)
        for number, function in enumerate(self._found):
            if function.__globals__ is holder:
                return lambda found: found[number].__globals__
        if not isinstance(holder, dict):  # an attribute of a class is looked up on the class
            raise _UnknownError
        name = holder.get("__name__")
        if isinstance(name, str) and getattr(sys.modules.get(name), "__dict__", None) is holder:
            return lambda _: _names_of(name)
        for function in self._others:
            if function.__globals__ is holder:
                ref = weakref.ref(function)
                return lambda _: _given(ref()).__globals__
        raise _UnknownError

    def _of_cell(self, cell: CellType) -> Place:
        for number, function in enumerate(self._found):
            for index, item in enumerate(function.__closure__ or ()):
                if item is cell:
                    return lambda found: (found[number].__closure__ or ())[index]
        for function in self._others:
            for index, item in enumerate(function.__closure__ or ()):
                if item is cell:
                    ref = weakref.ref(function)
                    return lambda _: (_given(ref()).__closure__ or ())[index]
        raise _UnknownError

    def value(self, value: Any) -> Place:
        """Return how something that the text names is found: captured, or the very same."""
        for number, function in enumerate(self._found):
            if function is value:
                return lambda found: found[number]
        get = _kept(value)
        return lambda _: _given(get())

    def same(self, value: Any) -> Same:
        """Return what says whether something is as good as what was compiled in."""
        for number, function in enumerate(self._found):
            if function is value:
                return lambda found, other: other is found[number]
        if value is None:
            return lambda _, other: other is None
        get = _kept(value)
        return lambda _, other: other is not None and other is get()


def _kept(value: Any) -> Callable[[], Any]:
    """Return how to get an object again without keeping it alive."""
    if isinstance(value, (*_ATOMS, *_BUILT_IN)) or value is MISSING:
        return lambda: value
    if isinstance(value, (FunctionType, ModuleType, type)):
        return weakref.ref(value)
    raise _UnknownError


def _state(state: FunctionState) -> Callable[[], FunctionState | None]:
    """Return how to get the state of a function, if it is still the same."""
    ref, code = weakref.ref(state.function), state.code
    defaults = tuple(_defaults_of(state.function))
    if not all(isinstance(item, _ATOMS) for item in defaults):
        raise _UnknownError

    def current() -> FunctionState | None:
        function = ref()
        if function is None or function.__code__ is not code:
            return None
        same = [*map(repr, _defaults_of(function))] == [*map(repr, defaults)]
        return FunctionState.of(function) if same else None

    return current


def _kinds_of_defaults(found: list[FunctionType]) -> Iterator[Any]:
    """Yield the names of functions, and what may be told of the defaults.

    Of those of the first one the kinds, of those that it captures all there is.
    """
    for number, function in enumerate(found):
        for item in _defaults_of(function):
            if number == 0:
                yield kind_of(item)
            elif isinstance(item, _ATOMS):
                yield type(item), repr(item)
            else:
                raise _UnknownError
        yield tuple(function.__kwdefaults__ or ()), len(function.__defaults__ or ())
        yield function.__name__, function.__qualname__, function.__module__


def _defaults_of(function: FunctionType) -> list[Any]:
    return [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]


def _plain(function: FunctionType) -> FunctionType:
    """Return a function, if it has no attributes that the compiler may look at."""
    if has_attributes(function) or is_made(function):
        raise _UnknownError
    return function


def _contents(cell: CellType) -> Any:
    try:
        value = cell.cell_contents
    except ValueError:
        raise _UnknownError from None
    if isinstance(value, MethodType):
        raise _UnknownError
    return value


def _names_of(module: str) -> Any:
    return vars(_given(sys.modules.get(module)))


def _given(value: Any) -> Any:
    if value is None:
        raise _UnknownError
    return value
