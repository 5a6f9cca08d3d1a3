"""Writes for every spec an ordinary function that calls the primitive as a user would."""

from __future__ import annotations

import atexit
import cmath
import functools
import importlib.util
import math
import operator
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import scipy

import srcgrad as sg
import srcgrad.runtime as rt
from srcgrad.rules.library import canonical_name
from srcgrad.rules.scipy import FILES
from tests.unit.rules.opspec import Draw, OpSpec, as_outputs, numeric_gradient
from tests.unit.rules.specs import SPECS

SPELLED = {"np": np, "rt": rt, "math": math, "operator": operator, "scipy": scipy}
SPELLED |= {"srcgrad": sg, "cmath": cmath}
SCIPY = "".join(f"import {package}\n" for package in FILES)
IMPORTS = (
    f"import cmath\nimport math\nimport operator\n\nimport numpy as np\n{SCIPY}\n"
    "import srcgrad.runtime as rt\nimport srcgrad.runtime.scipy.interpolation\n"
)


@dataclass
class Caller:
    """A function that calls the primitive of one spec, with arguments for it.

    Attributes:
        function: Takes the numbers that vary, then the weights, and returns one real number.
        leaves: The numbers that vary.
        weights: What each output is multiplied with.
    """

    spec: OpSpec
    text: str
    leaves: list[Any]
    weights: list[Any]
    constants: dict[str, Any] = field(default_factory=dict)
    function: Callable[..., Any] = lambda: None

    @property
    def argnums(self) -> tuple[int, ...]:
        """The places of the numbers that vary."""
        return tuple(range(len(self.leaves)))

    @functools.cached_property
    def gradient(self) -> Any:
        """The gradient of the function, compiled once."""
        return sg.grad(self.function, self.argnums, fallback="error")

    @functools.cached_property
    def differences(self) -> list[Any]:
        """The gradient of the function by central differences."""
        return [numeric_gradient(functools.partial(self._at, i), x) for i, x in self._numbered()]

    def _numbered(self) -> Iterator[tuple[int, Any]]:
        return iter(enumerate(self.leaves))

    def _at(self, place: int, moved: Any) -> float:
        leaves = [*self.leaves[:place], moved, *self.leaves[place + 1 :]]
        return float(self.function(*leaves, *self.weights))


class Writer:
    """Writes one function; constants that have no short literal become globals."""

    def __init__(self, number: int, spec: OpSpec) -> None:
        self.number = number
        self.spec = spec
        self.rng = np.random.default_rng(0)
        self.leaves: list[Any] = []
        self.constants: dict[str, Any] = {}

    def write(self) -> Caller:
        args, kwargs, _ = self.spec.make_args(np.random.default_rng(0))
        output = self.spec.fn(*args, **kwargs)
        call = self._call()
        used = [
            place
            for place in range(len(as_outputs(output)))
            if self.spec.out_index is None or place in self.spec.out_index
        ]
        if not isinstance(output, (tuple, list)):
            names = {0: "out"}
            target = "out"
        elif self.spec.out_index is None:
            names = {place: f"out{place}" for place in used}
            target = ", ".join(names.values()) + ("," if len(used) == 1 else "")
        else:
            names = {place: f"out[{place}]" for place in used}
            target = "out"
        weights = [self._weight(place, as_outputs(output)[place]) for place in used]
        terms = [
            self._term(f"w{i}", names[place], place, as_outputs(output)[place])
            for i, place in enumerate(used)
        ]
        parameters = [f"x{i}" for i in range(len(self.leaves))]
        parameters += [f"w{i}" for i in range(len(weights))]
        text = (
            f"def call_{self.number}({', '.join(parameters)}):\n"
            f"    {target} = {call}\n"
            f"    return {' + '.join(terms)}\n"
        )
        return Caller(self.spec, text, self.leaves, weights, self.constants)

    def _weight(self, place: int, out: Any) -> Any:
        weight: Any = self.rng.uniform(0.5, 1.5, np.shape(out))
        if self._mixes(out) and place not in self.spec.squared:
            weight = weight + 1j * self.rng.uniform(0.5, 1.5, np.shape(out))
        return weight if np.ndim(out) else weight.item() if np.ndim(weight) else weight

    def _mixes(self, out: Any) -> bool:
        """Say whether complex numbers come in; real outputs meet them too then."""
        return any(np.iscomplexobj(item) for item in [*self.leaves, out])

    def _term(self, weight: str, name: str, place: int, out: Any) -> str:
        if place in self.spec.squared:
            term = f"{weight} * np.abs({name}) ** 2"
        elif self._mixes(out):
            term = f"np.real(np.conj({weight}) * {name})"
        else:
            term = f"{weight} * {name}"
        return f"np.sum({term})" if np.ndim(out) else term

    def _call(self) -> str:
        args = [self._argument(value) for value in self.spec.args]
        args += [f"{key}={self._argument(value)}" for key, value in self.spec.kwargs.items()]
        if self.spec.fn is rt.getitem:  # the function that reading x[i] stands for
            return f"{args[0]}[{args[1]}]"
        return f"{self._spell()}({', '.join(args)})"

    def _spell(self) -> str:
        name = canonical_name(self.spec.fn)
        last = name.rsplit(".", 1)[-1]
        for long, short in (("numpy.", "np."), ("builtins.", ""), ("_operator.", "operator.")):
            if name.startswith(long):
                return short + name.removeprefix(long)
        if name.startswith("srcgrad.runtime.drawing."):
            return f"rt.drawing.{last}"
        return f"rt.{last}" if getattr(rt, last, None) is self.spec.fn else name

    def _argument(self, value: Any) -> str:
        if isinstance(value, Draw):
            self.leaves.append(value.make(self.rng))
            return f"x{len(self.leaves) - 1}"
        if isinstance(value, (list, tuple)) and not _is_literal(value):
            items = [self._argument(item) for item in value]
            return f"[{', '.join(items)}]" if isinstance(value, list) else f"({', '.join(items)},)"
        if _is_literal(value):
            return repr(value)
        name = f"CONSTANT_{self.number}_{len(self.constants)}"
        self.constants[name] = value
        return name


def _is_literal(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(_is_literal(item) for item in value)
    finite = not isinstance(value, float) or math.isfinite(value)
    return finite and isinstance(value, (int, float, str, bool, type(None)))


def module_of(name: str, texts: list[str], callers: list[Caller]) -> ModuleType:
    """Return a module of functions that call what callers call, with the constants of those."""
    folder = tempfile.mkdtemp(prefix="srcgrad-tests-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)  # their source is read until the end
    path = Path(folder, f"{name}.py")
    path.write_text(f"{IMPORTS}\n\n" + "\n\n".join(texts))
    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    found.loader.exec_module(module)
    for caller in callers:
        vars(module).update(caller.constants)
    return module


def callers(specs: list[OpSpec]) -> list[Caller]:
    """Return one caller for each spec; all functions stand in one module."""
    written = [Writer(number, spec).write() for number, spec in enumerate(specs)]
    module = module_of("spec_callers", [caller.text for caller in written], written)
    for number, caller in enumerate(written):
        caller.function = getattr(module, f"call_{number}")
    return written


@functools.cache
def callers_of_specs() -> list[Caller]:
    """Return the callers of all specs: what is compiled and measured for one test serves all."""
    return callers(SPECS)
