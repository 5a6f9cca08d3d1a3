"""Lets generated text and its helpers run on a library whose functions want arrays alone.

Text says ``np.broadcast_to(1.0, np.shape(x))``. NumPy takes the number for an array; CuPy refuses
it. So the ``np`` of text that runs there is CuPy with its functions made to take numbers and lists
where NumPy's do (`Names`), and the helpers of `srcgrad.runtime` are run with the same ``np``
(`Helpers`). Which parameters those are NumPy is asked itself.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import numbers
from collections.abc import Callable, Mapping
from types import CellType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from srcgrad.backends import Library, is_array
from srcgrad.errors import LibraryGapError
from srcgrad.runtime.elements import is_element
from srcgrad.runtime.shadows import shadow_of

_MISSING: Final = object()
_ARRAY: Final = "array"
_ARRAYS: Final = "arrays"
_PACKAGE: Final = "srcgrad.runtime"
_OF_ALL: Final = frozenset((__name__, f"{_PACKAGE}.elements", f"{_PACKAGE}.dispatch"))
"""The modules that ask what an array is, and mean NumPy where they say so."""


class _ReachedError(Exception):
    """A probe was found among the arrays of a call."""


class _Probe:
    """An argument that says when NumPy takes it for an array."""

    def __array_function__(self, *_: Any) -> Any:
        raise _ReachedError


@functools.lru_cache(maxsize=1024)
def array_parameters(function: Callable[..., Any]) -> Mapping[str, str]:
    """Return which parameters of a function of NumPy's are arrays, and which sequences of arrays.

    >>> dict(array_parameters(np.sum)), array_parameters(np.stack)["arrays"]
    ({'a': 'array', 'out': 'array'}, 'arrays')
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # of those that are not written in Python the first is
        return {}
    found = {}
    for item in parameters:
        for kind, probe in ((_ARRAY, _Probe()), (_ARRAYS, [_Probe()])):
            if item.kind is not item.VAR_KEYWORD and _reaches(function, parameters, item, probe):
                found[item.name] = kind
                break
    return found


def _reaches(
    function: Callable[..., Any],
    parameters: list[inspect.Parameter],
    item: inspect.Parameter,
    probe: Any,
) -> bool:
    args: list[Any] = []
    options: dict[str, Any] = {}
    for other in parameters:
        value = probe if other is item else None
        if other.kind is other.VAR_POSITIONAL:
            args += [value] if other is item else []
        elif other.kind is other.KEYWORD_ONLY or (
            other is item and other.default is not item.empty
        ):
            options |= {other.name: value} if other is item else {}
        elif other.default is other.empty:
            args.append(value)
    try:
        function(*args, **options)
    except _ReachedError:
        return True
    except Exception:  # noqa: BLE001 - it was called with nothing that makes sense
        return False
    return False


class Names:
    """The functions of a module of an array library, made to take what NumPy's take.

    Names that the library does not have, and that are not about arrays (``np.errstate``,
    ``np.True_``), are those of NumPy.
    """

    def __init__(
        self, module: ModuleType, own: ModuleType, root: ModuleType, strict: Any = None
    ) -> None:
        self._module = module
        self._own = own
        self._root = root
        self._strict = strict

    def __getattr__(self, name: str) -> Any:
        found = self._found(name)
        self.__dict__[name] = found
        return found

    def _found(self, name: str) -> Any:
        own = getattr(self._own, name, None)
        if name in SIZES and self._module is self._root:
            return SIZES[name]
        there: Any = getattr(self._module, name, _MISSING)
        if there is _MISSING:
            if own is None or (callable(own) and not isinstance(own, type)):
                raise AttributeError(f"{self._module.__name__} has no {name!r}")
            return own
        if isinstance(there, ModuleType):
            if not isinstance(own, ModuleType):
                return there
            return Names(there, own, self._root, self._strict)
        if name in ("array", "asarray", "ascontiguousarray", "asanyarray"):
            return _making(there, self._root)
        if isinstance(there, type) or not hasattr(own, "_implementation"):
            return there
        taking = _taking_numbers(there, own, self._root)
        return self._raising(taking) if self._own is np.linalg else taking

    def _raising(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function of linear algebra that raises where NumPy's does."""
        if self._strict is None:
            return function
        errstate = self._strict.errstate

        @functools.wraps(function)
        def raising(*args: Any, **options: Any) -> Any:
            with errstate(linalg="raise"):
                return function(*args, **options)

        return raising


def _taking_numbers(there: Any, own: Any, root: ModuleType) -> Callable[..., Any]:
    """Return a function of a library that takes a number or a list for its first array."""
    kinds = array_parameters(own)
    names = list(kinds)
    try:
        order = list(inspect.signature(own).parameters)
    except (TypeError, ValueError):
        order = []
    first = order.index(names[0]) if names else 0
    called = names[0] if names else ""
    convert = _each_array if kinds.get(called) == _ARRAYS else _as_array

    @functools.wraps(there)
    def function(*args: Any, **options: Any) -> Any:
        if len(args) > first:
            item = convert(args[first], root)
            rest = [_listed(value, root) for value in args[first + 1 :]]
            args = (*args[:first], item, *rest)
        elif called in options:
            options[called] = convert(options[called], root)
        return there(*args, **options)

    return function


def _as_array(value: Any, root: ModuleType) -> Any:
    if isinstance(value, (list, tuple)):
        return _array_of(value, root)
    return root.asarray(value) if isinstance(value, (numbers.Number, np.generic)) else value


def _each_array(values: Any, root: ModuleType) -> Any:
    return (
        [_as_array(item, root) for item in values] if isinstance(values, (list, tuple)) else values
    )


def _listed(value: Any, root: ModuleType) -> Any:
    """Return a list with arrays in it as an array, and anything else as it is."""
    is_list = isinstance(value, list) and any(map(is_array, value))
    return _array_of(value, root) if is_list else value


def _array_of(value: Any, root: ModuleType) -> Any:
    return root.asarray(_whole(value, root) if _holds_arrays(value) else value)


def _making(there: Callable[..., Any], root: ModuleType) -> Callable[..., Any]:
    """Return what makes arrays, of lists too in which arrays and numbers stand together."""

    @functools.wraps(there)
    def function(obj: Any, *args: Any, **options: Any) -> Any:
        return there(_whole(obj, root) if _holds_arrays(obj) else obj, *args, **options)

    return function


def _holds_arrays(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and any(
        is_array(item) or _holds_arrays(item) for item in value
    )


def _whole(value: Any, root: ModuleType) -> Any:
    """Return nested lists whose numbers are arrays as well, as the arrays beside them are."""
    if isinstance(value, (list, tuple)):
        return [_whole(item, root) for item in value]
    return value if is_array(value) else root.asarray(value)


def _shape(a: Any) -> tuple[int, ...]:
    """Return the shape of an array, a number or nested lists of those."""
    if not isinstance(a, (list, tuple)):
        return np.shape(a)
    return (len(a), *(_shape(a[0]) if len(a) else ()))


def _size(a: Any, axis: int | None = None) -> int:
    lengths = _shape(a)
    return int(np.prod(lengths)) if axis is None else lengths[axis]


SIZES: Final[Mapping[str, Callable[..., Any]]] = {
    "shape": _shape,
    "ndim": lambda a: len(_shape(a)),
    "size": _size,
    "isscalar": lambda element: is_element(element) or np.isscalar(element),
}
"""What NumPy tells of numbers and lists of arrays, too, by making an array of them."""


class Helpers:
    """The functions of `srcgrad.runtime`, run with another library for ``np``."""

    def __init__(self, names: Any, title: str) -> None:
        self._np = names
        self._title = title
        self._spaces: dict[str, dict[str, Any]] = {}
        self._made: dict[FunctionType, Callable[..., Any]] = {}

    def of(self, value: Any) -> Any:
        """Return a helper as it runs there; what is no helper as it is."""
        if not isinstance(value, FunctionType) or not value.__module__.startswith(_PACKAGE):
            return value
        if value.__globals__["__name__"] in _OF_ALL and not value.__closure__:
            return value
        found = self._made.get(value)
        return self._twin(value) if found is None else found

    def _twin(self, function: FunctionType) -> Callable[..., Any]:
        space = self._space(function.__globals__)
        code, name = function.__code__, function.__name__
        cells = tuple(CellType() for _ in function.__closure__ or ())
        twin = FunctionType(code, space, name, function.__defaults__, cells or None)
        shown = _with_axes(twin, self._title) if function is shadow_of else twin
        self._made[function] = shown
        twin.__kwdefaults__ = function.__kwdefaults__
        twin.__doc__, twin.__module__ = function.__doc__, function.__module__
        for cell, own in zip(cells, function.__closure__ or (), strict=True):
            cell.cell_contents = self.of(own.cell_contents)
        return shown

    def _space(self, names: dict[str, Any]) -> dict[str, Any]:
        """Return the globals of a module of helpers, which are looked up when they are read."""
        module = names["__name__"]
        if module in _OF_ALL:
            return names
        found = self._spaces.get(module)
        if found is None:
            found = self._spaces[module] = dict(names)
            for name, value in names.items():
                found[name] = self._np if value is np else self.of(value)
        return found


def _with_axes(make: Callable[..., Any], title: str) -> Callable[..., Any]:
    """Return what makes shadows, but of no number: an element there is no storage to NumPy."""

    @functools.wraps(make)
    def shadow(x: Any) -> Any:
        made = make(x)
        if is_element(made):
            raise LibraryGapError(
                f"{title} has no number beside arrays without axes, and one here may have the "
                "memory of another value",
                hint="copy what is written into later, or pass arrays of NumPy",
            )
        return made

    return shadow


class Elsewhere:
    """What text imports that runs on a library: ``np``, and the helpers."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._module: ModuleType | None = None
        self._names: dict[str, Any] = {}
        self._helpers: Helpers | None = None

    def find(self, name: str, helpers: Mapping[str, Any]) -> Any:
        """Return ``np``, or a helper of some by its name.

        Raises:
            AttributeError: There is none, or the library is not imported.
        """
        module = self._library.loaded()
        if module is None:
            raise AttributeError(f"{self._library.title} is not imported")
        if module is not self._module:
            strict = importlib.import_module(self._library.strict) if self._library.strict else None
            names = Names(module, np, module, strict)
            self._module, self._names = module, {"np": names}
            self._helpers = Helpers(names, self._library.title)
        if name not in self._names:
            if name not in helpers or self._helpers is None:
                raise AttributeError(name)
            self._names[name] = self._helpers.of(helpers[name])
        return self._names[name]
