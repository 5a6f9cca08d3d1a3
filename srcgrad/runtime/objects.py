"""Says which objects are plain: made by a `class` statement of the user's, with fields."""

from __future__ import annotations

import functools
import sys
from collections import deque
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from types import (
    BuiltinMethodType,
    FunctionType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    SimpleNamespace,
)
from typing import Any, Final

import numpy as np

from srcgrad.backends import is_kind_of_array

_OTHERS: Final = frozenset(
    "srcgrad numpy scipy cupy dask pandas torch tensorflow jax jaxlib autograd numba".split()
    + "builtins functools typing".split()
)
_MAGIC: Final = ("__getattribute__", "__setattr__", "__getattr__", "__delattr__")
_NO_OBJECTS: Final = frozenset(
    (float, int, np.ndarray, list, tuple, dict, str, ModuleType, FunctionType, np.ufunc)
)
_DATA: Final = frozenset((float, int, bool, str, type(None), np.ndarray, np.float64, np.float32))
_MADE_BY_STATEMENT: Final = 1 << 9  # the type flag of heap types


def is_plain_object(value: Any) -> bool:
    """Say whether an object is of a plain class (see there) and no number, array or container.

    >>> is_plain_object(3.0), is_plain_object([]), is_plain_object(is_plain_object)
    (False, False, False)
    """
    kind = type(value)
    if kind in _NO_OBJECTS:
        return False
    if isinstance(value, (type, FunctionType, ModuleType, BaseException, np.generic, np.ndarray)):
        return False
    if isinstance(value, (int, float, complex, str, bytes, list, dict, set, frozenset)):
        return False
    if isinstance(value, tuple) and not hasattr(kind, "_fields"):
        return False
    return is_plain_class(kind) and not is_kind_of_array(kind)


def is_member(value: Any) -> bool:
    """Say whether a value is a member of an enumeration, which equals itself alone and is true.

    >>> from enum import IntEnum
    >>> class Way(Enum):
    ...     UP = 1
    >>> is_member(Way.UP), is_member(IntEnum("Turn", "LEFT RIGHT").LEFT), is_member(1)
    (True, False, False)
    """
    return isinstance(value, Enum) and _is_plain_enumeration(type(value))


@functools.cache
def _is_plain_enumeration(kind: Any) -> bool:
    """Say whether members of a class are compared, and tested, as any object is."""
    own = (vars(base) for base in kind.__mro__ if base not in (Enum, object))
    magic = {*_MAGIC, "__eq__", "__ne__", "__bool__", "__len__", "__getattr__"}
    return kind._member_type_ is object and magic.isdisjoint(
        name for names in own for name in names
    )


def hides_class(value: Any) -> bool:
    """Say whether an object raises where it is asked for its class, so that nothing tells its kind.

    As a weak reference to what is no longer, and what stands for an object that is not there yet.

    >>> import weakref
    >>> hides_class(weakref.proxy(set())), hides_class(3.0)
    (True, False)
    """
    try:
        return value.__class__ is None
    except Exception:  # noqa: BLE001 - whatever it raises
        return True


def is_named_tuple(kind: type) -> bool:
    """Say whether a class is one of tuples with names; others may keep names under `_fields`, too.

    >>> import collections
    >>> Row = type("Row", (), {"_fields": ("a", "b")})
    >>> is_named_tuple(collections.namedtuple("Pair", "a, b")), is_named_tuple(Row)
    (True, False)
    """
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


def is_plain_class(kind: type) -> bool:
    """Say whether a class is made by a `class` statement outside the libraries, without magic.

    `SimpleNamespace` is as plain as those.

    >>> is_plain_class(int), is_plain_class(np.ndarray), is_plain_class(SimpleNamespace)
    (False, False, True)
    """
    if kind is SimpleNamespace:
        return True
    if "__srcgrad_written_out__" in vars(kind):
        return True  # one of ours that stands for a class of SciPy
    return _is_made_without(kind, _MAGIC)


def answers_names(value: Any) -> bool:
    """Say whether an object is as a plain one, but that its class answers names by a function.

    >>> Shim = type("Shim", (), {"__module__": "own", "__getattr__": lambda shim, name: name})
    >>> answers_names(Shim()), is_plain_object(Shim()), answers_names(SimpleNamespace())
    (True, False, False)
    """
    kind = type(value)
    own = hasattr(kind, "__getattr__") and not isinstance(value, (type, ModuleType))
    return own and _is_made_without(kind, set(_MAGIC) - {"__getattr__"})


def held_attribute(value: Any, name: str, otherwise: Any = None) -> Any:
    """Return what `getattr` does, but ask no ``__getattr__``: it may import, raise, or note things.

    >>> Shim = type("Shim", (), {"kept": 3, "__getattr__": lambda shim, name: name})
    >>> held_attribute(Shim(), "kept"), held_attribute(Shim(), "__self__")
    (3, None)
    """
    kind: Any = type(value)
    try:
        return kind.__getattribute__(value, name)
    except AttributeError:
        return otherwise


def _is_made_without(kind: type, magic: Iterable[str]) -> bool:
    """Say whether a class is made by a `class` statement outside the libraries, without methods."""
    module = kind.__module__.partition(".")[0]
    if module in _OTHERS or (module in sys.stdlib_module_names and module != "__main__"):
        return False
    for base in kind.__mro__:
        if base is object or base is tuple:
            continue
        if not base.__flags__ & _MADE_BY_STATEMENT:
            return False
        if any(name in vars(base) and not _is_frozen(base, name) for name in magic):
            return False
    return type(kind).__module__ in ("builtins", "abc")


def runs_own_code(kind: type) -> bool:
    """Say whether objects of a class may run methods that stand outside the libraries.

    >>> own = type("Own", (), {"__module__": "own"})
    >>> runs_own_code(int), runs_own_code(np.ndarray), runs_own_code(own)
    (False, False, True)
    """
    if issubclass(kind, BaseException):
        return False  # it is raised, and asked nothing
    modules = (base.__module__.partition(".")[0] for base in kind.__mro__)
    return any(
        name == "__main__" or not (name in _OTHERS or name in sys.stdlib_module_names)
        for name in modules
    )


def _is_frozen(kind: type, name: str) -> bool:
    if name not in ("__setattr__", "__delattr__"):
        return False
    options = getattr(kind, "__dataclass_params__", None)
    fields = getattr(kind, "__attrs_attrs__", None)
    if fields is not None:  # what checks a field that is set leaves it as it is
        code = getattr(vars(kind)[name], "__code__", None)
        made = code is not None and "attr" in Path(code.co_filename).parts
        return made and not any(item.converter for item in fields)
    return options is not None and options.frozen


def may_be_static(value: Any) -> bool:
    """Say whether an argument is a function or an object, or holds some: text is made for those.

    >>> may_be_static(2.0), may_be_static(len), may_be_static([2.0]), may_be_static({"f": len})
    (False, True, False, True)
    """
    kind = type(value)
    if kind in _DATA:
        return False
    if kind in (list, tuple, dict):
        items = list(value.values()) if kind is dict else value
        return any(type(item) not in _DATA and may_be_static(item) for item in items[:32])
    named = callable(value) or isinstance(value, ModuleType) or is_member(value)
    return named or is_plain_object(value)


def outline(value: Any, depth: int = 4) -> Any:
    """Return what of an object the text of a derivative may depend on: classes and functions.

    Objects of equal outlines have the same text; their numbers and arrays may differ.
    """
    if not may_be_static(value):
        return None
    if isinstance(value, (list, tuple)) and not is_plain_object(value):
        return (type(value), *[outline(item, depth - 1) for item in value])
    if isinstance(value, dict):
        return (dict, *[(key, outline(item, depth - 1)) for key, item in value.items()])
    if not is_plain_object(value) or depth <= 0:
        return ("object", id(value))
    fields = [(name, outline(getattr(value, name), depth - 1)) for name in field_names(value)]
    return (type(value), *fields)


def field_names(value: Any) -> list[str]:
    """Return the names of the fields of a plain object that are set, in order."""
    kind: Any = type(value)
    if isinstance(value, tuple):
        return list(kind._fields)
    names = list(getattr(value, "__dict__", {}))
    for base in reversed(kind.__mro__):
        slots = vars(base).get("__slots__", ())
        names += [slots] if isinstance(slots, str) else list(slots)
    own = (name for name in dict.fromkeys(names) if name not in ("__weakref__", "__dict__"))
    return [name for name in own if hasattr(value, name)]


def holds_objects(value: Any) -> bool:
    """Say whether a value is a list, tuple or dict with an object or a function at any depth.

    >>> holds_objects([1.0, [len]]), holds_objects({"a": [2.0]}), holds_objects(len)
    (True, False, False)
    """
    if not isinstance(value, (list, tuple, dict)):
        return False
    return any(
        callable(item)
        or isinstance(item, ModuleType)
        or is_plain_object(item)
        or holds_objects(item)
        for item in (value.values() if isinstance(value, dict) else value)
    )


def is_differentiable(value: Any) -> bool:
    """Say whether a field holds floats: a number, an array, or a container of those."""
    if isinstance(value, (list, tuple)):
        return any(map(is_differentiable, value))
    if isinstance(value, dict):
        return any(map(is_differentiable, value.values()))
    if isinstance(value, (float, complex)):
        return True
    return getattr(getattr(value, "dtype", None), "kind", "") in ("f", "c")


def rebuilt(value: Any, parts: dict[str, Any]) -> Any:
    """Return an object of the class of `value` with other fields, made without its constructor."""
    kind: Any = type(value)
    if isinstance(value, tuple):
        return kind._make(parts[name] for name in kind._fields)
    return with_fields(without_fields(kind), parts)


def without_fields(kind: Any) -> Any:
    """Return an object of a class with no fields yet, made without its constructor."""
    return kind.__new__(kind) if kind is SimpleNamespace else object.__new__(kind)


def with_fields(made: Any, parts: dict[str, Any]) -> Any:
    """Return an object after its fields have been set, whatever its class does upon that."""
    for name, part in parts.items():
        object.__setattr__(made, name, part)
    return made


def held_by(value: Any) -> Iterable[Any]:
    """Return what is in a container, an object, its class, or in what a bound method is bound to.

    Of modules, functions and what belongs to libraries that is nothing.

    >>> list(held_by({"a": 1.0})), list(held_by([2.0].append)), list(held_by(len))
    ([1.0], [[2.0]], [])
    """
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, (list, tuple, set, frozenset, deque)):
        return value
    if isinstance(value, (MethodType, BuiltinMethodType, MethodWrapperType)):
        owner = value.__self__
        return () if isinstance(owner, ModuleType) else (owner,)
    if isinstance(value, functools.partial):
        return (value.func, *value.args, *value.keywords.values())
    if isinstance(value, np.ndarray):
        return value.flat if value.dtype.hasobject else ()
    if isinstance(value, type):
        return vars(value).values()
    if is_plain_object(value):
        return (*(getattr(value, name) for name in field_names(value)), type(value))
    return ()
