"""Gives a new closure of a known text that text, with what it captures itself put in.

In a training loop `sg.grad(lambda w: loss(w, batch))(w)` makes a new function of the same code at
each step. What the compiler finds depends on the code, on what its names mean and on the kinds of
the data that it captures, not on the data: if all that is the same, so is the text.
"""

from __future__ import annotations

import builtins
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import (
    CellType,
    CodeType,
    FunctionType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any, Final

import numpy as np

from srcgrad.api import fingerprints, stored_texts
from srcgrad.api.fingerprints import UnknownError
from srcgrad.api.making import has_attributes
from srcgrad.api.places import (
    Kept,
    Place,
    given,
    is_as_good,
    is_atom,
    place_of_holder,
    place_of_value,
)
from srcgrad.checker.witness import OBSERVERS
from srcgrad.compiler import Generated, Request
from srcgrad.compiler.generated import FunctionState, without_data
from srcgrad.compiler.proof import Proof
from srcgrad.frontend.expand.assumptions import Assumption, InClasses
from srcgrad.frontend.source import is_made
from srcgrad.ir.scopes import MISSING, Binding
from srcgrad.locks import Lock
from srcgrad.runtime.objects import held_attribute

_MOST_TEXTS: Final = 256
_MOST_OF_ONE: Final = 4
_MOST_PARTS: Final = 64


@dataclass(frozen=True, slots=True)
class _State:
    """A function that was compiled in, as it was then.

    Attributes:
        place: Where it is found.
        code: Its code, if that is of this process.
        defaults: Its defaults, all constants.
    """

    place: Place
    code: CodeType | None
    defaults: tuple[Any, ...]

    @classmethod
    def of(cls, state: FunctionState) -> _State:
        """Return what there is to know of a function."""
        defaults = tuple(_defaults_of(state.function))
        if not all(map(is_atom, defaults)):
            raise UnknownError
        return cls(place_of_value(state.function, ()), state.code, defaults)

    def current(self) -> FunctionState:
        """Return the state of the function, if it is still the same."""
        function = self.place.find(())
        if self.code is not None and function.__code__ is not self.code:
            raise UnknownError
        if [*map(repr, _defaults_of(function))] != [*map(repr, self.defaults)]:
            raise UnknownError
        return FunctionState.of(function)

    def stored(self) -> _State:
        """Return the same for other processes."""
        return _State(self.place.stored(), None, self.defaults)


@dataclass(frozen=True, slots=True)
class _Assumed:
    """What the text relies on: what a name means in classes.

    Attributes:
        bases: The classes, of which the first one that has the name counts.
        name: The name.
        what: What it means, if the classes do not tell by what they are themselves.
    """

    bases: tuple[Place, ...]
    name: str
    what: Place | None

    @classmethod
    def of(cls, assumption: Assumption) -> _Assumed:
        """Return what there is to know of an assumption."""
        read, what = assumption.read, assumption.expected
        if not isinstance(read, InClasses):
            raise UnknownError
        plain = held_attribute(what, "__func__", what)
        if plain is what and not isinstance(what, (FunctionType, WrapperDescriptorType)):
            raise UnknownError
        if getattr(plain, "__closure__", None):
            raise UnknownError
        bases = tuple(place_of_value(base, ()) for base in read.bases)
        return cls(bases, read.name, Kept(lambda: what))

    def current(self) -> Assumption:
        """Return the assumption, if it is still so."""
        read = InClasses(tuple(place.find(()) for place in self.bases), self.name)
        value = given(read({}))
        if self.what is not None and value is not self.what.find(()):
            raise UnknownError
        return Assumption(read, value)

    def stored(self) -> _Assumed:
        """Return the same for other processes."""
        return _Assumed(tuple(place.stored() for place in self.bases), self.name, None)


@dataclass(frozen=True, slots=True)
class Template:
    """A text and what it needs of a function that is to have it; it keeps no data alive.

    Attributes:
        code: The function's code, or what tells it apart in all processes.
        inner: For each function that it captures: which function's cell holds it, and its code.
        defaults: The kinds of the defaults of all of them.
        generated: The text, without names that are put in.
        fixed: The names that were compiled in: where they are found, and what they are.
        data: The names of data: where they are found, and their kinds.
        bound: The other names that are put in: what each of them is.
        functions: The functions that were compiled in and are not captured.
        assumed: What names of classes mean that were compiled in.
    """

    code: CodeType | str
    inner: tuple[tuple[int, int, CodeType | str], ...]
    defaults: Any
    generated: Generated
    fixed: tuple[tuple[str, Place, Place], ...]
    data: Mapping[str, tuple[str, Place, Any]]
    bound: Mapping[str, Place]
    functions: tuple[_State, ...]
    assumed: tuple[_Assumed, ...]

    def fitted(self, function: FunctionType) -> Generated | None:
        """Return the text for another function of the same code, if it is right for that."""
        try:
            found = self._captured(function)
            if not _is_kind(tuple(_kinds_of_defaults(found)), self.defaults):
                return None
            states = [item.current() for item in self.functions]
            spaces = [item.__globals__ for item in (*found, *(s.function for s in states))]
            fixed = [self._compiled_in(found, spaces, *item) for item in self.fixed]
            data = {name: self._datum(found, *item) for name, item in self.data.items()}
            bound = {name: place.find(found) for name, place in self.bound.items()}
            assumptions = tuple(item.current() for item in self.assumed)
        except (UnknownError, AttributeError, IndexError):
            return None
        return replace(
            self.generated,
            bound=bound | {name: binding.value for name, binding in data.items()},
            data=data,
            fixed=fixed,
            functions=(*map(FunctionState.of, found), *states),
            assumptions=assumptions,
        )

    def stored(self) -> Template:
        """Return the same for other processes.

        Raises:
            UnknownError: They cannot tell whether the text is right.
        """
        if self.generated.left_out:
            raise UnknownError
        proof = self.generated.proof
        return Template(
            _fingerprint(self.code),
            tuple((parent, number, _fingerprint(code)) for parent, number, code in self.inner),
            spelled(self.defaults),
            replace(self.generated, proof=None if proof is None else proof.for_others()),
            tuple((name, holder.stored(), value.stored()) for name, holder, value in self.fixed),
            {
                name: (own, holder.stored(), spelled(kind))
                for name, (own, holder, kind) in self.data.items()
            },
            {name: place.stored() for name, place in self.bound.items()},
            tuple(state.stored() for state in self.functions),
            tuple(item.stored() for item in self.assumed),
        )

    def _captured(self, function: FunctionType) -> list[FunctionType]:
        found = [_plain(function)]
        for parent, number, code in self.inner:
            value = _contents((found[parent].__closure__ or ())[number])
            if not isinstance(value, FunctionType) or not is_code(value.__code__, code):
                raise UnknownError
            found.append(_plain(value))
        return found

    def _compiled_in(
        self,
        found: list[FunctionType],
        spaces: list[dict[str, Any]],
        name: str,
        place: Place,
        what: Place,
    ) -> Binding:
        binding = Binding(name, None, place.find(found))
        if binding.holder is vars(builtins) and any(name in space for space in spaces):
            raise UnknownError  # something else hides it by now
        value = binding.current()
        if not is_as_good(value, what.find(found)):
            raise UnknownError
        return replace(binding, value=value)

    def _datum(self, found: list[FunctionType], name: str, place: Place, kind: Any) -> Binding:
        binding = Binding(name, None, place.find(found))
        value = binding.current()
        if not _is_kind(kind_of(value), kind):
            raise UnknownError
        return replace(binding, value=value)


_KNOWN: Final[OrderedDict[Any, list[Template]]] = OrderedDict()
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
    record = stored_texts.Record.of(make, code, _options(request))
    generated = None if record is None else _from_another_process(record, make, request)
    is_new = generated is None
    if generated is None:
        generated = make(request, None)
    made = _template(request.function, generated)
    if made is not None:
        _remember(key, made, code)
        if is_new and record is not None:
            _store(made, record)
    return generated


def _remember(key: Any, made: Template, code: CodeType) -> None:
    with _LOCK:
        others = [item for item in _KNOWN.get(key, ()) if item.code is code]
        _KNOWN[key] = [made, *others][:_MOST_OF_ONE]
        while len(_KNOWN) > _MOST_TEXTS:
            _KNOWN.popitem(last=False)


def _from_another_process(
    record: stored_texts.Record, make: Callable[[Request, None], Generated], request: Request
) -> Generated | None:
    """Return the text that another process has made for the same, if there is one."""
    stored: Template | None = record.read(Template)
    found = None if stored is None else stored.fitted(request.function)
    if found is not None and found.proof is not None:
        text = found.source

        def made_anew() -> Proof | None:
            again = make(request, None)
            return again.proof if again.source == text else None

        proof = found.proof.for_others()
        proof.ask_again(made_anew)
        return replace(found, proof=proof)
    return found


def _store(made: Template, record: stored_texts.Record) -> None:
    """Let other processes know a text, and that it may run as soon as that is known."""

    def stored() -> Template | None:
        try:
            return made.stored()
        except UnknownError:
            return None

    record.write_later(stored)
    if made.generated.proof is not None:
        made.generated.proof.when_settled(lambda: record.write(stored))


def forget() -> None:
    """Forget all texts, as if the process had just begun."""
    with _LOCK:
        _KNOWN.clear()


def _fingerprint(code: CodeType | str) -> str:
    return code if isinstance(code, str) else fingerprints.of_code(code)


def is_code(code: CodeType, expected: CodeType | str) -> bool:
    """Say whether some code is what is expected: the very same, or one of the same fingerprint."""
    return code is expected or fingerprints.of_code(code) == expected


def _is_kind(kind: Any, expected: Any) -> bool:
    return spelled(kind) == expected if isinstance(expected, str) else bool(kind == expected)


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
        raise UnknownError
    if isinstance(value, (list, tuple)):
        if len(value) > most:
            raise UnknownError
        return type(value), *(kind_of(item, most // 4) for item in value)
    if isinstance(value, dict):
        if len(value) > most:
            raise UnknownError
        return type(value), *((key, kind_of(item, most // 4)) for key, item in value.items())
    return type(value)


def spelled(kind: Any) -> str:
    """Return a kind in words that are the same in all processes.

    Raises:
        UnknownError: Classes of the user's are in it, which may be others elsewhere.

    >>> spelled(kind_of([1.0, np.ones(3)]))
    "(builtins.list, builtins.float, (numpy.ndarray, dtype('float64'), 1))"
    """
    if isinstance(kind, tuple):
        return f"({', '.join(map(spelled, kind))})"
    if isinstance(kind, type):
        if kind.__module__ not in ("builtins", "numpy"):
            raise UnknownError
        return f"{kind.__module__}.{kind.__qualname__}"
    if isinstance(kind, np.dtype) or is_atom(kind):
        return repr(kind)
    raise UnknownError


def _template(function: FunctionType, generated: Generated) -> Template | None:
    """Return what is needed to give the text to other functions; None if that is not to be told."""
    if generated.nested or generated.findings is not None:
        return None
    others = [item.function for item in generated.functions if not is_made(item.function)]
    try:
        inner, found = _reached(function)
        captured = set(map(id, found))
        fixed = tuple(
            (b.name, place_of_holder(b.holder, found, others), place_of_value(b.value, found))
            for b in generated.fixed
            if not _is_ours(b, (*found, *others))
        )
        data = {
            name: (b.name, place_of_holder(b.holder, found, others), kind_of(b.value))
            for name, b in generated.data.items()
        }
        bound = {
            name: place_of_value(value, found)
            for name, value in generated.bound.items()
            if name not in generated.data
        }
        states = tuple(
            _State.of(item)
            for item in generated.functions
            if id(item.function) not in captured and not is_made(item.function)
        )
        defaults = tuple(_kinds_of_defaults(found))
        assumed = tuple(map(_Assumed.of, generated.assumptions))
    except UnknownError:
        return None
    proof = None if generated.proof is None else generated.proof.of_another()
    kept = without_data(generated)
    bare = replace(kept, bound={}, data={}, fixed=(), functions=(), assumptions=(), proof=proof)
    code = function.__code__
    return Template(code, inner, defaults, bare, fixed, data, bound, states, assumed)


def _is_ours(binding: Binding, users: Sequence[FunctionType]) -> bool:
    """Say whether a name means a function that the compiler has made, and always will."""
    value = binding.value
    if not (isinstance(binding.holder, CellType) and isinstance(value, FunctionType)):
        return False
    cells = (cell for function in users for cell in function.__closure__ or ())
    return is_made(value) and all(cell is not binding.holder for cell in cells)


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


def _kinds_of_defaults(found: list[FunctionType]) -> Iterator[Any]:
    """Yield the names of functions, and what may be told of the defaults.

    Of those of the first one the kinds, of those that it captures all there is.
    """
    for number, function in enumerate(found):
        for item in _defaults_of(function):
            if number == 0:
                yield kind_of(item)
            elif is_atom(item):
                yield type(item), repr(item)
            else:
                raise UnknownError
        yield tuple(function.__kwdefaults__ or ()), len(function.__defaults__ or ())
        yield function.__name__, function.__qualname__, function.__module__


def _defaults_of(function: FunctionType) -> list[Any]:
    return [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]


def _plain(function: FunctionType) -> FunctionType:
    """Return a function, if it has no attributes that the compiler may look at."""
    if has_attributes(function) or is_made(function):
        raise UnknownError
    return function


def _contents(cell: CellType) -> Any:
    try:
        value = cell.cell_contents
    except ValueError:
        raise UnknownError from None
    if isinstance(value, MethodType):
        raise UnknownError
    return value
