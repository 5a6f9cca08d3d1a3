"""Holds what a text relies on beside names: classes of objects, methods, lists of functions.

What reads a thing again says so by its value: readers of the same are equal, and asked once.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType, MemberDescriptorType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from srcgrad.ir.scopes import MISSING, Binding
from srcgrad.runtime.objects import field_names

if TYPE_CHECKING:
    from srcgrad.frontend.expand.values import Root

Arguments = Mapping[str, Any]
_OF_THEIR_OWN: Final = (dict, list, tuple, CellType)
_PLAIN: Final = (str, bytes, int, float, complex, np.generic, type(None), FunctionType, type)


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something that was found when a function was compiled, and that the text relies on."""

    read: Root
    expected: Any

    def holds(self, arguments: Arguments) -> bool:
        """Say whether it is still so."""
        try:
            found = self.read(arguments)
        except (AttributeError, LookupError, NameError, TypeError, ValueError):
            return False
        if found is self.expected:
            return True
        plain = isinstance(self.expected, (int, str, tuple)) and not callable(self.expected)
        return plain and type(found) is type(self.expected) and bool(found == self.expected)


@dataclass(frozen=True, slots=True)
class Given:
    """Reads an argument."""

    name: str

    def __call__(self, arguments: Arguments) -> Any:
        """Return it."""
        return arguments[self.name]


class Outside:
    """Reads what a name means outside; equal to those of the same name in the same place."""

    __slots__ = ("_current", "_key")

    def __init__(self, binding: Binding) -> None:
        self._current = binding.current
        self._key = (id(binding.holder), binding.name)

    def __call__(self, arguments: Arguments) -> Any:
        """Return what it means now."""
        return self._current()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Outside) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


class Space:
    """Reads what holds names outside: those of a module, of a class, or the one of a cell."""

    __slots__ = ("_holder",)

    def __init__(self, holder: Any) -> None:
        self._holder = holder

    def __call__(self, arguments: Arguments) -> Any:
        """Return it."""
        return self._holder

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and self._holder is other._holder

    def __hash__(self) -> int:
        return id(self._holder)


@dataclass(frozen=True, slots=True)
class Entry:
    """Reads an entry of what another reader finds."""

    holder: Root
    key: Any

    def __call__(self, arguments: Arguments) -> Any:
        """Return it."""
        return self.holder(arguments)[self.key]


@dataclass(frozen=True, slots=True)
class Attribute:
    """Reads an attribute of what another reader finds."""

    holder: Root
    name: str

    def __call__(self, arguments: Arguments) -> Any:
        """Return it."""
        return getattr(self.holder(arguments), self.name)


@dataclass(frozen=True, slots=True)
class Of:
    """Reads what a function, such as `type`, says of what another reader finds."""

    function: Callable[..., Any]
    found: Root
    more: tuple[Any, ...] = ()

    def __call__(self, arguments: Arguments) -> Any:
        """Return what it says."""
        return self.function(self.found(arguments), *self.more)


@dataclass(frozen=True, slots=True)
class Said:
    """Reads whether a condition holds, an expression with arguments and what readers find."""

    condition: str
    names: tuple[tuple[str, Root], ...]

    def __call__(self, arguments: Arguments) -> Any:
        """Return whether it does."""
        known = {"np": np, **arguments, **{name: read(arguments) for name, read in self.names}}
        return bool(eval(_compiled(self.condition), known))  # noqa: S307 - text of our own making

    def holds(self, arguments: Arguments) -> bool:
        """Say whether it does, and can be asked."""
        return Assumption(self, True).holds(arguments)


@functools.lru_cache(maxsize=256)
def _compiled(condition: str) -> CodeType:
    return compile(condition, "<condition>", "eval")


@dataclass(frozen=True, slots=True)
class InClasses:
    """Reads what a name means in classes, the first one that has it."""

    bases: tuple[type, ...]
    name: str

    def __call__(self, arguments: Arguments) -> Any:
        """Return what it means now."""
        return next((vars(base)[self.name] for base in self.bases if self.name in vars(base)), None)


def is_space(owner: Any) -> bool:
    """Say whether what owns something are names: those of a module, of a class, or of a cell."""
    return isinstance(owner.root, Space)


def stored_in(value: Any, name: Any) -> Any:
    """Return what an object or its class keeps under a name, without running any code; or MISSING.

    So with what holds names, and with entries of a dict, list or tuple.

    >>> class Point:
    ...     size = 2.0
    ...     both = property(lambda self: self.x)
    >>> point = Point()
    >>> point.x = 1.0
    >>> [stored_in(point, name) for name in ("x", "size")], stored_in(point, "both") is MISSING
    ([1.0, 2.0], True)
    """
    if type(value) in (list, tuple):
        fits = type(name) is int and -len(value) <= name < len(value)
        return value[name] if fits else MISSING
    if type(value) is dict or type(value) is CellType:
        return Binding(name, None, value).current()
    own = getattr(value, "__dict__", None)
    if type(own) is dict and name in own and not hasattr(type(value), name):
        return own[name]
    found = inspect.getattr_static(value, name, MISSING)
    if isinstance(found, MemberDescriptorType):  # of `__slots__`
        return getattr(value, name, MISSING)
    runs = hasattr(type(found), "__get__") and not is_own(value, name)
    return MISSING if runs else found


def is_own(value: Any, name: Any) -> bool:
    """Say whether an object itself, and not its class, keeps something under a name.

    >>> is_own(np.float64(1.0), "ndim")
    False
    """
    if name in getattr(value, "__dict__", ()) or type(value) in _OF_THEIR_OWN:
        return True
    return isinstance(inspect.getattr_static(type(value), name, None), MemberDescriptorType)


def is_set(value: Any, name: str) -> bool:
    """Say whether an object has a field of a name in its `__dict__`.

    >>> is_set(Given("x"), "name")
    False
    """
    return name in getattr(value, "__dict__", ())


def has_twins(value: Any) -> bool:
    """Say whether two fields of an object hold one thing that may be changed.

    >>> from types import SimpleNamespace
    >>> a = np.ones(2)
    >>> has_twins(SimpleNamespace(x=a, y=a)), has_twins(SimpleNamespace(x=1.0, y=1.0, z=a))
    (True, False)
    """
    held = [getattr(value, name) for name in field_names(value)]
    several = [id(item) for item in held if not isinstance(item, _PLAIN)]
    return len(several) != len(set(several))


def told_of(value: Any, name: Any) -> tuple[Any, ...]:
    """Return what a text relies on in a field of an object, which it writes.

    >>> from types import SimpleNamespace
    >>> model = SimpleNamespace(h=np.ones(3), t=1.0)
    >>> told_of(model, "h")[1:], told_of(model, "t"), told_of(model, "size")
    ((1, 'f', True), (<class 'float'>, True), (None, False))
    """
    held = stored_in(value, name)
    if held is MISSING:
        return None, False
    if type(held) is np.ndarray:
        return np.ndarray, held.ndim, held.dtype.kind, is_own(value, name)
    return type(held), is_own(value, name)
