"""Defines what is known of an array library: where its arrays come from, and how they differ."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

import numpy as np


@dataclass(frozen=True, slots=True)
class Library:
    """An array library with the functions of NumPy.

    Attributes:
        name: What ``backend=`` calls it.
        title: What messages call it.
        module: The module that has NumPy's functions, which texts import as ``np``.
        kind: The name of the class of its arrays there.
        has_numbers: Whether an element of an array is a number of its own, as in NumPy; else it is
            an array without axes, which may lie in the memory of the array.
        to_host: The method of its arrays that returns an array of NumPy.
        example: How a user makes an array of it from one of NumPy.
        how_to_install: What to do where it is not there.
        strict: The module with an ``errstate`` under which its linear algebra raises what NumPy's
            does; empty if it does so anyhow.
        fuses: Whether it makes kernels of code that says what is done with an element.
        names: The module that texts import ``np`` and their helpers from, where the functions of
            the library want arrays alone; else they import the library itself.
    """

    name: str
    title: str
    module: str
    kind: str
    has_numbers: bool
    to_host: str
    example: str
    how_to_install: str = ""
    names: str = ""
    strict: str = ""
    fuses: bool = False

    def loaded(self) -> ModuleType | None:
        """Return the library if the program has imported it: an array of it exists only then."""
        return sys.modules.get(self.module)

    def load(self) -> ModuleType | None:
        """Return the library, which the user has asked for; None if it is not installed."""
        try:
            return self.loaded() or importlib.import_module(self.module)
        except ImportError:
            return None

    def owns(self, value: Any) -> bool:
        """Say whether a value is an array of this library."""
        return self.makes(type(value))

    def makes(self, kind: type) -> bool:
        """Say whether a type is that of the arrays of this library."""
        module = self.loaded()
        return module is not None and issubclass(kind, getattr(module, self.kind, ()))

    def has(self, kind: type) -> bool:
        """Say whether a type is the very one of the arrays of this library."""
        module = self.loaded()
        return module is not None and kind is getattr(module, self.kind, None)

    def on_host(self, array: Any) -> Any:
        """Return a copy of an array of this library as one of NumPy."""
        return getattr(array, self.to_host)()


class _NumPy(Library):
    """NumPy itself, which is always there."""

    __slots__ = ()

    def owns(self, value: Any) -> bool:
        return isinstance(value, np.ndarray)


NUMPY: Final = _NumPy("numpy", "NumPy", "numpy", "ndarray", True, "copy", "np.asarray(x)")
DASK: Final = Library(
    name="dask",
    title="Dask",
    module="dask.array",
    kind="Array",
    has_numbers=True,
    to_host="compute",
    example="dask.array.from_array(x)",
    how_to_install='pip install "dask[array]"',
    names="srcgrad.runtime.dask",
)
CUPY: Final = Library(
    name="cupy",
    title="CuPy",
    module="cupy",
    kind="ndarray",
    has_numbers=False,
    to_host="get",
    example="cupy.asarray(x)",
    how_to_install="pip install cupy-cuda12x (or the wheel of your CUDA)",
    names="srcgrad.runtime.cupy",
    strict="cupyx",
    fuses=True,
)
