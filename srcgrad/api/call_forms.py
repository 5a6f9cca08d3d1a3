"""Gives names to the arguments of what has none to choose from: functions in C, ``*args``, objects.

For each form of a call, so many arguments by position and these by name, there is a small function
with a parameter for each, which calls the other. That one is differentiated.
"""

from __future__ import annotations

import functools
import inspect
import keyword
import types
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, MethodType
from typing import Any, Final, TypeVar, cast

import numpy as np

from srcgrad.errors import ArgumentError
from srcgrad.ir.packages import package_of

F = TypeVar("F", bound=Callable[..., Any])
Form = tuple[int, tuple[str, ...]]
"""How many arguments a call has by position, and the names of the others."""

_STARS: Final = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
_LIBRARIES: Final = ("numpy", "scipy")
_BY_POSITION: Final = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_OF_MODULES: Final = (np.ufunc, FunctionType, types.BuiltinFunctionType, type(np.sum))
_MADE: weakref.WeakValueDictionary[tuple[int, int, tuple[str, ...]], FunctionType] = (
    weakref.WeakValueDictionary()  # each holds what it calls, so that an id means the same
)
_FILES: Final[dict[str, str]] = {}
_LASTING: Final[deque[FunctionType]] = deque(maxlen=256)
_CHOICES: Final = ("argnums", "argnames")


class ByForm:
    """A derivative of what has no names for its arguments: one derivative for each form of a call.

    What is read of it (`source`, `explain` and the like) is that of the last call, or of a call
    with the arguments that must be given.
    """

    def __init__(self, function: Callable[..., Any], make: Callable[[Any], Any]) -> None:
        self.__wrapped__ = function
        self.__name__ = self.__qualname__ = _name_of(function)
        self.__doc__ = getattr(function, "__doc__", None)
        self._make = make
        self._made: dict[Form, Any] = {}
        self._last: Any = None

    def of(self, count: int, names: Sequence[str] = ()) -> Any:
        """Return the derivative for calls of one form."""
        form = count, tuple(names)
        if form not in self._made:
            self._made[form] = self._make(with_names(self.__wrapped__, *form))
        return self._made[form]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Take the derivative at these arguments."""
        self._last = self.of(len(args), tuple(kwargs))
        return self._last(*args, **kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Bind to an instance, as functions do."""
        return self if instance is None else MethodType(self, instance)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._last or self.of(_least(self.__wrapped__)), name)

    def __reduce__(self) -> tuple[Any, ...]:
        return ByForm, (self.__wrapped__, self._make)

    def __repr__(self) -> str:
        return f"<a derivative of {self.__name__}, by the form of the call>"


def has_no_names(f: Any, argnums: Any = None, argnames: Any = None) -> bool:
    """Say whether the arguments to differentiate by are no parameters of a Python function.

    >>> has_no_names(np.sum), has_no_names(lambda x: x), has_no_names(lambda *xs: xs[0])
    (True, False, True)
    """
    if isinstance(f, ByForm):
        return True
    inner = f.__func__ if isinstance(f, MethodType) else f
    if not isinstance(inner, FunctionType):
        return callable(inner) and not isinstance(inner, type) and not _is_ours(inner)
    if package_of(inner) in _LIBRARIES:
        return True
    if not inner.__code__.co_flags & _STARS or hasattr(inner, "__srcgrad_source__"):
        return False
    code = inner.__code__
    stars = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    named = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + stars]
    count = code.co_argcount - (inner is not f)
    numbers = argnums if isinstance(argnums, (tuple, list)) else [argnums]
    names = [argnames] if isinstance(argnames, str) else argnames or ()
    if argnums is None:
        numbers = [] if names else [0]
    return any(not isinstance(i, int) or not 0 <= i < count for i in numbers) or any(
        name not in named for name in names
    )


def _is_ours(value: Any) -> bool:
    return str(type(value).__module__).startswith("srcgrad.") or hasattr(value, "__srcgrad_taken__")


def by_form(derivative: F) -> F:
    """Return a maker of derivatives that takes what has no names for its arguments, too."""

    @functools.wraps(derivative)
    def call(f: Any = None, *args: Any, **kwargs: Any) -> Any:
        if f is None:
            made = derivative(None, *args, **kwargs)
            return lambda f: call(f, *args, **kwargs) if _asked(f, args, kwargs) else made(f)
        if not _asked(f, args, kwargs):
            return derivative(f, *args, **kwargs)
        options = {key: item for key, item in kwargs.items() if key not in _CHOICES}
        derivative(_checked, None, None, *args[len(_CHOICES) :], **options)  # or refuse them now
        return ByForm(f, functools.partial(_derived, call, args, kwargs))

    return cast("F", call)


def _derived(call: Any, args: Any, kwargs: Any, f: Any) -> Any:
    return call(f, *args, **kwargs)


def _checked(x: Any) -> Any:
    return x


def _asked(f: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    given = dict(zip(_CHOICES, args, strict=False)) | dict(kwargs)
    return has_no_names(f, given.get("argnums"), given.get("argnames"))


def named(f: Any, count: int, kwargs: Mapping[str, Any] | None, chosen: Sequence[int] = ()) -> Any:
    """Return a function with names for the arguments of a call: `f` itself if it has them.

    They are those in the places `chosen`, or all `count`.
    """
    if type(f) is FunctionType and not f.__code__.co_flags & _STARS and not _is_library(f):
        return f
    places = tuple(chosen) or count - 1
    return with_names(f, count, tuple(kwargs or ())) if has_no_names(f, places) else f


def _is_library(f: FunctionType) -> bool:
    return package_of(f) in _LIBRARIES


def with_names(f: Any, count: int, names: tuple[str, ...] = ()) -> Any:
    """Return the function that calls `f` with so many arguments by position, and these by name.

    Raises:
        ArgumentError: It takes none.
    """
    if isinstance(f, ByForm):
        return f.of(count, names)
    jitted = getattr(f, "py_func", None)
    if isinstance(jitted, FunctionType):  # of numba
        return jitted
    if not count and not names:
        raise ArgumentError(
            f"a derivative of `{_name_of(f)}` without an argument",
            hint="call it with what to differentiate by",
        )
    key = id(f), count, names
    made = _MADE.get(key)
    if made is None:
        made = _MADE[key] = _written(f, count, names)
        if getattr(f, "__module__", None) and not _may_hold_data(f):
            _LASTING.append(made)  # a function of a module: of others it is let go with its user
    return made


def _may_hold_data(f: Any) -> bool:
    return not isinstance(f, _OF_MODULES) or getattr(f, "__closure__", None) is not None


def _written(f: Any, count: int, names: tuple[str, ...]) -> FunctionType:
    """Write the function, and let its text be found where Python looks for lines."""
    name, (module, called) = _name_of(f), _called_as(f)
    params = _parameters(f, count, {*names, called.partition(".")[0]})
    heads = [*params, *(["*", *names] if names else [])]
    given = [*params, *(f"{item}={item}" for item in names)]
    text = f"def {name}({', '.join(heads)}):\n    return {called}({', '.join(given)})\n"
    file = _file_of(text, f"{name} of {', '.join(heads)}")
    scope: dict[str, Any] = {"__name__": "__main__", "__loader__": _Text(text), **module}
    exec(compile(text, file, "exec"), scope)  # noqa: S102 - text of our own making, names checked
    made: FunctionType = scope[name]
    made.__doc__ = getattr(f, "__doc__", None)
    return made


def _file_of(text: str, what: str) -> str:
    """Return a name of a file that stands for a text, and for no other."""
    if text not in _FILES:
        same = sum(file.startswith(f"srcgrad-calls/{what},") for file in _FILES.values())
        _FILES[text] = f"srcgrad-calls/{what}, {same + 1}"
    return _FILES[text]


class _Text:
    """Gives the lines of a function to whoever looks for them; linecache may be emptied."""

    def __init__(self, text: str) -> None:
        self._text = text

    def get_source(self, name: str = "") -> str:
        """Return the text itself."""
        return self._text


def _called_as(f: Any) -> tuple[dict[str, Any], str]:
    """Return what a text needs to call `f`, and by which words."""
    name = getattr(f, "__name__", "")
    for path, module in (("np", np), ("np.linalg", np.linalg), ("np.fft", np.fft)):
        if name and vars(module).get(name) is f:
            return {"np": np}, f"{path}.{name}"
    own = f"{_name_of(f)}_"
    return {own: f}, own


def _parameters(f: Any, count: int, taken: set[str]) -> list[str]:
    """Return names for the arguments by position: those of `f` as far as it has any."""
    known = [item.name for item in _signature(f).parameters.values() if item.kind in _BY_POSITION][
        :count
    ]
    usable = [item for item in known if item.isidentifier() and not keyword.iskeyword(item)]
    found = usable if len(usable) == len(known) and not taken & set(known) else []
    fresh = (f"x_{place}" for place in range(count + len(taken) + len(found)))
    more = [item for item in fresh if item not in {*found, *taken}]
    return [*found, *more[: count - len(found)]]


def _signature(f: Any) -> inspect.Signature:
    try:
        return inspect.signature(f)
    except (TypeError, ValueError):
        return inspect.Signature()


def _least(f: Any) -> int:
    """Return how many arguments must be given by position; one at least."""
    if isinstance(f, np.ufunc):
        return f.nin
    every = _signature(f).parameters.values()
    return max(1, sum(p.kind in _BY_POSITION and p.default is p.empty for p in every))


def _name_of(f: Any) -> str:
    """Return an identifier for what is called."""
    inner = f.func if isinstance(f, functools.partial) else f
    name = getattr(inner, "__name__", None) or type(inner).__name__
    plain = name if isinstance(name, str) and name.isidentifier() else "function"
    if isinstance(f, types.FunctionType) and plain == "<lambda>":
        plain = "function"
    return f"{plain}_" if keyword.iskeyword(plain) or plain == "np" else plain
