"""Are the checks of exported modules: each is copied into the modules that need it."""

from __future__ import annotations

from typing import Any

import numpy as np


def check_input(value: Any, name: str) -> None:
    """Raise TypeError unless `value` is a number, a float array, or holds some of those."""
    if isinstance(value, bool) or not has_float(value):
        raise TypeError(f"`{name}` must be a float, a float array, or a container of those")


def check_float(value: Any, name: str) -> None:
    """Raise TypeError unless `value` is a real number or an array of those."""
    dtype = getattr(value, "dtype", None)
    is_real = type(value) in (float, int) if dtype is None else dtype.kind == "f"
    if not is_real or hasattr(value, "tocsr"):
        raise TypeError(f"`{name}` must be a float or an array of floats, not {value!r:.40}")


def has_float(value: Any) -> bool:
    """Say whether a value is a number or a float array, or a container with one inside."""
    if hasattr(value, "dtype"):
        return value.dtype.kind in "fc" and not hasattr(value, "tocsr")
    if isinstance(value, (int, float, complex)):
        return True
    return any(has_float(item) for item in entries(value) if not isinstance(item, int))


def entries(value: Any) -> list[Any]:
    """Return the entries of a container or the fields of an object."""
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, (list, tuple)):
        return list(value)
    return list(fields_of(value).values())


def fields_of(value: Any) -> dict[str, Any]:
    """Return the fields of an object; none of a number, an array or what a library makes."""
    library = type(value).__module__.partition(".")[0]
    if library in ("builtins", "numpy", "scipy", "functools") or hasattr(value, "dtype"):
        return {}
    named: Any = value
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return dict(named._asdict())
    names = [*getattr(value, "__dict__", {})]
    for base in reversed(type(value).__mro__):
        slots = vars(base).get("__slots__", ())
        names += [slots] if isinstance(slots, str) else slots
    return {name: getattr(value, name) for name in names if hasattr(value, name)}


def refuse_complex(**values: Any) -> None:
    """Raise TypeError if a value is complex: the derivative is one of real numbers."""
    for name, value in values.items():
        if has_complex(value):
            raise TypeError(f"`{name}` is complex; export with a complex example")


def has_complex(value: Any) -> bool:
    """Say whether a value is complex, or a container with something complex inside."""
    if isinstance(value, complex) or hasattr(value, "dtype"):
        return bool(np.iscomplexobj(value))
    return any(has_complex(item) for item in entries(value))


def refuse_arrays(**values: Any) -> None:
    """Raise TypeError if a value is an array, which the function would update in place."""
    for name, value in values.items():
        if not isinstance(value, (int, float, complex)):
            raise TypeError(f"`{name}` must be a number; export with an array as example")


def refuse_lists(value: Any, name: str, depth: int, other: Any = None) -> None:
    """Raise TypeError if there are lists so deep in a value, which `+` and `*` would join."""
    if isinstance(other, np.ndarray):
        return
    if isinstance(value, dict) and depth:
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        if depth == 0:
            raise TypeError(f"`{name}` is joined or repeated as a list: pass arrays")
        for item in value:
            refuse_lists(item, name, depth - 1)


def refuse_shared(written: Any, name: str, **others: Any) -> None:
    """Raise ValueError if an argument that is written into shares memory with another one."""
    arrays = arrays_in(written)
    for place, array in enumerate(arrays):
        if any(np.may_share_memory(array, other) for other in arrays[:place]):
            raise ValueError(f"`{name}` is written into and holds the same memory twice")
    for other, value in others.items():
        for array in arrays_in(value):
            if any(np.may_share_memory(array, mine) for mine in arrays_in(written)):
                raise ValueError(f"`{name}` is written into and shares memory with `{other}`")


def arrays_in(value: Any) -> list[Any]:
    """Return the arrays in nested dicts, lists and tuples."""
    if isinstance(value, np.ndarray):
        return [value]
    if not isinstance(value, (dict, list, tuple)):
        return []
    return [array for item in entries(value) for array in arrays_in(item)]


def check_flag(value: Any, name: str, expected: Any) -> None:
    """Raise TypeError unless None, a bool or a text is the one that the text was made for."""
    if type(value) is not type(expected) or value != expected:
        raise TypeError(f"`{name}` must be {expected!r}, for which this was exported")


def check_kind(value: Any, name: str, expected: str) -> None:
    """Raise TypeError unless a function or an object is the one that the text was made for."""
    if kind_of(value) != expected:
        raise TypeError(f"`{name}` must be {expected}, for which this was exported")


def kind_of(value: Any) -> str:
    """Return what the text of a derivative depends on: functions by name, objects by class."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {kind_of(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return "[" + ", ".join(kind_of(item) for item in value) + "]"
    if callable(value) and hasattr(value, "__qualname__"):
        return str(value.__qualname__)
    if value is None or isinstance(value, (bool, int, float, complex, str, np.ndarray, np.generic)):
        return "data"
    kinds = {name: kind_of(item) for name, item in fields_of(value).items()}
    shown = [f"{name}={kind}" for name, kind in kinds.items() if kind not in ("data", "[]", "{}")]
    return f"{type(value).__qualname__}({', '.join(shown)})"


def conform(grad: Any, value: Any) -> Any:
    """Return a gradient with the structure, shape and type of the value it belongs to.

    Missing entries become zeros; entries of the value that are no floats get None.
    """
    if isinstance(value, dict):
        found = {key: conform(entry(grad, key), item) for key, item in value.items()}
        return found if type(value) is dict else rebuilt(value, found)
    by_field = isinstance(grad, dict) and hasattr(value, "_fields")
    if isinstance(value, (list, tuple)) and not (by_field and grad):
        items = [conform(entry(grad, i), item) for i, item in enumerate(value)]
        if hasattr(value, "_fields"):
            return type(value)(*items)
        return tuple(items) if type(value) is tuple else items
    fields = fields_of(value)
    if fields:
        parts = {name: conform(entry(grad, name), item) for name, item in fields.items()}
        return rebuilt(value, parts)
    return conform_number(grad, value)


def conform_real(grad: Any, value: Any) -> Any:
    """Return a gradient in the shape and type of the real number or array that it belongs to."""
    if not hasattr(value, "dtype"):
        return 0.0 if grad is None else float(np.real(grad))
    if grad is None:
        return np.zeros_like(value)
    if not isinstance(value, np.ndarray):
        return value.dtype.type(np.real(grad))
    array = np.asarray(np.real(grad)).astype(value.dtype, copy=False)
    return array if array.shape == value.shape else np.array(np.broadcast_to(array, value.shape))


def conform_number(grad: Any, value: Any) -> Any:
    """Return the gradient of a number or an array in the shape and type of that."""
    dtype = getattr(value, "dtype", None)
    if dtype is None:
        if isinstance(value, bool) or not isinstance(value, (int, float, complex)):
            return None
        kind = complex if isinstance(value, complex) else float
        return kind(0 if grad is None else grad if kind is complex else np.real(grad))
    if dtype.kind not in "fc":
        return None
    if grad is None:
        return np.zeros_like(value)
    array = np.asarray(grad if dtype.kind == "c" else np.real(grad)).astype(dtype, copy=False)
    if not isinstance(value, np.ndarray):
        return dtype.type(array)
    return array if array.shape == value.shape else np.array(np.broadcast_to(array, value.shape))


def entry(grad: Any, key: Any) -> Any:
    """Return the entry of a gradient that may lack it."""
    if isinstance(grad, dict):
        return grad.get(key)
    return None if grad is None or not hasattr(grad, "__getitem__") else grad[key]


def rebuilt(value: Any, items: Any) -> Any:
    """Return an object like `value` with other entries or fields."""
    if isinstance(value, dict):
        new = value.copy()
        new.update(items)
        return new
    if isinstance(value, tuple):
        return type(value)(**items)
    made = object.__new__(type(value))
    for name, item in items.items():
        object.__setattr__(made, name, item)
    return made
