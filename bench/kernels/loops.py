"""Prints what compiled gradients of kernels cost beside loops by hand under Numba, and JAX."""

from __future__ import annotations

import time
import warnings
from importlib.util import find_spec
from typing import Any

import numpy as np

import srcgrad as sg
from bench import peers
from bench.kernels import in_jax, loops_by_hand
from bench.kernels.kernel import Kernel
from bench.kernels.table import KERNELS, copied, mean
from bench.timing import in_words, measure

TURNS = 9


def main() -> None:
    """Print one line for each kernel that has loops by hand, and the geometric means."""
    print("Gradients of kernels, compiled: CPU time, the best of some turns")
    if find_spec("numba") is None:
        print("  skipped: Numba is not installed\n")
        return
    head = f"  {'kernel':20}{'NumPy':>10}{'compiled':>10}{'by hand':>10}{'times':>7}"
    print(f"{head}{'JAX':>10}{'times':>7}{'first call':>12}")
    times, of_jax = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kernel in KERNELS:
            hand = loops_by_hand.of(kernel.name)
            if hand is None:
                continue
            found = line(kernel, hand)
            times.append(found["compiled"] / found["by hand"])
            shown = f"  {kernel.name:20}{in_words(found['numpy']):>10}"
            shown += f"{in_words(found['compiled']):>10}{in_words(found['by hand']):>10}"
            shown += f"{times[-1]:7.2f}"
            if "JAX" in found:
                of_jax.append(found["JAX"] / found["compiled"])
                shown += f"{in_words(found['JAX']):>10}{of_jax[-1]:7.2f}"
            else:
                shown += f"{'-':>10}{'-':>7}"
            print(f"{shown}{in_words(found['first']):>12}", flush=True)
    jax = f"{mean(of_jax):17.2f}" if of_jax else ""
    print(f"  {'geometric mean':50}{mean(times):7.2f}{jax}\n", flush=True)


def line(kernel: Kernel, hand: Any) -> dict[str, float]:
    """Measure one kernel, after its gradients are seen to agree."""
    args = kernel.arguments(kernel.sizes[1])
    plain = sg.grad(kernel.function, kernel.argnums, fallback="error")
    compiled = sg.grad(kernel.function, kernel.argnums, backend="numba", fallback="error")
    start = time.process_time()
    compiled(*copied(args))
    first = time.process_time() - start
    calls = {
        "numpy": lambda: plain(*args),
        "compiled": lambda: compiled(*args),
        "by hand": lambda: hand(*args),
        **_of_jax(kernel, args),
    }
    expected = plain(*copied(args))
    for call in calls.values():
        agree(call(), expected)
    best = {name: timing.best for name, timing in measure(calls, TURNS, time.process_time).items()}
    return {"first": first, **best}


def _of_jax(kernel: Kernel, args: tuple[Any, ...]) -> dict[str, Any]:
    jax = peers.load_jax()
    if jax is None:
        return {}
    function = in_jax.of(kernel.name, jax.numpy) or peers.twin(kernel.function, np=jax.numpy)
    fixed = tuple(i for i, item in enumerate(args) if isinstance(item, int))
    made = jax.jit(jax.grad(function, kernel.argnums), static_argnums=fixed)
    return {"JAX": lambda: jax.block_until_ready(made(*args))}


def agree(found: Any, expected: Any) -> None:
    pairs = zip(
        found if isinstance(found, (tuple, list)) else (found,),
        expected if isinstance(expected, tuple) else (expected,),
        strict=True,
    )
    for one, other in pairs:
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9 * np.abs(other).max())
