"""Prints what gradients cost beside their functions, and beside gradients by hand."""

from __future__ import annotations

import math
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import srcgrad as sg
from bench import peers
from bench.kernels import arrays, dense, networks, recurrences, stencils
from bench.kernels.kernel import Kernel
from bench.timing import in_words, measure

KERNELS: tuple[Kernel, ...] = (
    *dense.KERNELS,
    *stencils.KERNELS,
    *arrays.KERNELS,
    *networks.KERNELS,
    *recurrences.KERNELS,
)
TURNS = 9


def gradient_of(kernel: Kernel) -> Callable[..., Any]:
    """Return srcgrad's gradient of a kernel, by source or on the tape as it goes."""
    return sg.grad(kernel.function, argnums=kernel.argnums, fallback="tape")


def peak(function: Callable[..., Any], args: tuple[Any, ...]) -> float:
    """Return the most memory that a call takes, as a multiple of its arguments' numbers."""
    for _ in range(3):  # the first calls compile, and look at what they are given
        function(*copied(args))
    given = copied(args)
    tracemalloc.start()
    function(*given)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / sum(_bytes(item) for item in args)


def copied(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return copies of arguments, which kernels may write into."""
    return tuple(item.copy() if hasattr(item, "copy") else item for item in args)


def _bytes(value: Any) -> int:
    if isinstance(value, list):
        return sum(map(_bytes, value))
    return value.nbytes if isinstance(value, np.ndarray) else 8


def of_peers(kernel: Kernel, args: tuple[Any, ...]) -> dict[str, Callable[[], Any]]:
    """Return calls of the gradients of those peers that run a kernel as it stands."""
    found: dict[str, Callable[[], Any]] = {}
    jax, autograd = peers.load_jax(), peers.load("autograd")
    if kernel.is_plain and jax is not None:
        twin = peers.twin(kernel.function, np=jax.numpy)
        fixed = tuple(i for i, item in enumerate(args) if isinstance(item, int))
        compiled = jax.jit(jax.grad(twin, kernel.argnums), static_argnums=fixed)
        found["JAX"] = lambda: jax.block_until_ready(compiled(*args))
    if kernel.is_plain and autograd is not None:
        import autograd.numpy as their_numpy

        twin = peers.twin(kernel.function, np=their_numpy)
        found["autograd"] = lambda: autograd.grad(twin, kernel.argnums)(*args)
    return found


def settle_allocator() -> None:
    """Let glibc keep the memory of arrays as large as those of the kernels.

    It asks the system for each one, and gives it back, until one as large has been freed. So what
    ran before would decide what a kernel costs, by hand as well.
    """
    np.ones(3_500_000)  # 28 MB, freed at once; above 32 MB it never learns


def line(kernel: Kernel) -> dict[str, float]:
    """Measure one kernel: seconds of each way, the first call, and peaks of memory."""
    settle_allocator()
    args = kernel.arguments(kernel.sizes[1])
    gradient = gradient_of(kernel)
    start = time.process_time()
    gradient(*copied(args))
    found = {"first": time.process_time() - start}
    calls = {
        "function": lambda: kernel.function(*args),
        "gradient": lambda: gradient(*args),
        "by hand": lambda: kernel.by_hand(*args),
        **of_peers(kernel, args),
    }
    timings = measure(calls, TURNS, time.process_time)
    found.update({name: timing.best for name, timing in timings.items()})
    for place, size in enumerate(kernel.sizes):
        found[f"peak {place}"] = peak(gradient, kernel.arguments(size))
    return found


def mean(values: Iterable[float]) -> float:
    """Return the geometric mean."""
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs))


def main() -> None:
    """Print the table."""
    print("gradients beside their functions, by the clock of the process,")
    print("and the most memory at three sizes, as multiples of the arguments")
    head = f"{'kernel':22}{'function':>10}{'gradient':>10}{'by hand':>9}{'ratio':>8}"
    print(f"{head}{'JAX':>8}{'autograd':>10}{'first call':>12}{'memory at three sizes':>26}")
    over_function, over_hand = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kernel in KERNELS:
            found = line(kernel)
            base = found["function"]
            gradient, hand = found["gradient"] / base, found["by hand"] / base
            over_function.append(gradient)
            over_hand.append(gradient / hand)
            theirs = "".join(
                f"{found[name] / base:{width}.2f}" if name in found else f"{'-':>{width}}"
                for name, width in (("JAX", 8), ("autograd", 10))
            )
            peaks = "".join(f"{found[f'peak {place}']:9.1f}" for place in range(3))
            times = f"{in_words(base):>10}{gradient:10.2f}{hand:9.2f}{gradient / hand:8.2f}"
            first = f"{in_words(found['first']):>12}"
            print(f"{kernel.name:22}{times}{theirs}{first}{peaks}", flush=True)
    print(f"{'geometric mean':22}{'':10}{mean(over_function):10.2f}{'':9}{mean(over_hand):8.2f}\n")
