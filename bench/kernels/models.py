"""Prints what gradients of whole models cost: by NumPy, compiled, and by JAX.

`python -m bench kernels.models` prints all of them; `python -m bench.kernels.models NAME ...` some.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import srcgrad as sg
from bench import peers
from bench.kernels import (
    fitting,
    in_jax,
    models_in_jax,
    networks,
    recurrences,
    simulations,
)
from bench.kernels.kernel import Kernel
from bench.kernels.loops import agree
from bench.kernels.model import Model
from bench.kernels.table import copied
from bench.timing import in_words, measure

TURNS = 9


def _of_kernel(kernel: Kernel) -> Model:
    return Model(kernel.function, kernel.arguments, kernel.sizes[1], kernel.argnums)


_KNOWN = {kernel.name: kernel for kernel in (*networks.KERNELS, *recurrences.KERNELS)}
_NAMES = ("mixture", "lstm", "runge_kutta", "soft_warping", "option", "bodies")
MODELS: tuple[Model, ...] = (
    *(_of_kernel(_KNOWN[name]) for name in _NAMES),
    *fitting.MODELS,
    *simulations.MODELS,
)


def main(chosen: list[str] | None = None) -> None:
    """Print one line for each model."""
    print(
        "Gradients of models: CPU time, the best of some turns, and of the first call of a process"
    )
    if find_spec("numba") is None:
        print("  skipped: Numba is not installed\n")
        return
    head = f"  {'model':15}{'function':>10}{'NumPy':>9}{'compiled':>10}{'JAX':>9}"
    print(f"{head}{'first call':>12}{'cached':>9}{'MB':>8}")
    for model in MODELS:
        if not chosen or model.name in chosen:
            found, how = line(model)
            words = {name: in_words(item) for name, item in found.items() if name != "MB"}
            shown = f"  {model.name:15}{words['function']:>10}{words['NumPy']:>9}"
            shown += f"{words['compiled']:>10}{words.get('JAX', '-'):>9}{words['first']:>12}"
            shown += f"{words['cached']:>9}{found['MB']:8.2f}"
            print(f"{shown}  {how}".rstrip(), flush=True)
    print()


def line(model: Model) -> tuple[dict[str, float], str]:
    """Measure one model, after its gradients are seen to agree; say what is not compiled."""
    args = model.arguments(model.size)
    plain = sg.grad(model.function, model.argnums, fallback="error")
    compiled = sg.grad(model.function, model.argnums, backend="numba")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compiled(*copied(args))
    calls = {
        "function": lambda: model.function(*args),
        "NumPy": lambda: plain(*args),
        "compiled": lambda: compiled(*args),
        **_of_jax(model, args),
    }
    expected = plain(*copied(args))
    for name, call in calls.items():
        if name != "function":
            agree(call(), expected)
    best = {name: timing.best for name, timing in measure(calls, TURNS, time.process_time).items()}
    best["MB"] = _peak(plain, args)
    best["first"], best["cached"] = _first_calls(model)
    return best, _how(compiled, caught)


def _how(compiled: Any, caught: list[Any]) -> str:
    """Say what runs a gradient, if not all of it is compiled."""
    if any(issubclass(item.category, sg.CompileWarning) for item in caught):
        return "NumPy"
    if "@jitted" not in compiled.source:
        return "NumPy"
    return "in parts" if "_in_parts" in compiled.source else ""


def _peak(gradient: Callable[..., Any], args: tuple[Any, ...]) -> float:
    """Return the most memory that a call takes, in millions of bytes: of NumPy, not of Numba."""
    given = copied(args)
    tracemalloc.start()
    gradient(*given)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1e6


def _of_jax(model: Model, args: tuple[Any, ...]) -> dict[str, Any]:
    jax = peers.load_jax()
    if jax is None:
        return {}
    function = models_in_jax.of(model.name, jax.numpy) or in_jax.of(model.name, jax.numpy)
    function = function or peers.twin(model.function, np=jax.numpy)
    fixed = tuple(i for i, item in enumerate(args) if isinstance(item, int))
    made = jax.jit(jax.grad(function, model.argnums), static_argnums=fixed)
    return {"JAX": lambda: jax.block_until_ready(made(*args))}


def _first_calls(model: Model) -> Iterator[float]:
    """Yield the CPU time of the first call in a process, and in one that finds all of it cached."""
    with tempfile.TemporaryDirectory() as cache:
        names = {**os.environ, "SRCGRAD_CACHE_DIR": cache}
        text = f"from bench.kernels.models import first_call; first_call({model.name!r})"
        for _ in range(2):
            done = subprocess.run(  # noqa: S603 - our own program
                [sys.executable, "-W", "ignore", "-c", text],
                cwd=Path(__file__).parents[2],
                env=names,
                capture_output=True,
                text=True,
                check=True,
            )
            yield float(done.stdout)


def first_call(name: str) -> None:
    """Print the CPU time of the first call of a compiled gradient in this process."""
    (model,) = (item for item in MODELS if item.name == name)
    args = model.arguments(model.size)
    start = time.process_time()
    sg.grad(model.function, model.argnums, backend="numba")(*args)
    print(time.process_time() - start)


if __name__ == "__main__":
    peers.limit_threads()
    main(sys.argv[1:])
