"""Times the tape: forward and backward of a chain of products and sines, at several sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.peers import contestants
from bench.timing import measure, print_table
from srcgrad import tape
from srcgrad.tape import functions

STEPS = 100
SIZES = (1, 100, 1_000, 10_000)


def numpy_floor(size: int) -> Callable[[], Any]:
    """Return forward and backward written by hand, with the same products and nothing else."""
    start, factor, seed = np.ones(size), np.full(size, 1.01), np.ones(size)

    def run() -> Any:
        value, inner = start, []
        for _ in range(STEPS):
            product = value * factor
            inner.append(product)
            value = np.sin(product)
        grad = seed
        for product in reversed(inner):
            grad = grad * np.cos(product)
            grad = grad * factor
        return grad

    return run


def srcgrad_tape(size: int, sin: Callable[[Any], Any]) -> Callable[[], Any]:
    """Return forward and backward on the tape."""
    leaf = tape.tensor(np.ones(size), requires_grad=True)
    factor, seed = np.full(size, 1.01), tape.tensor(np.ones(size))

    def run() -> Any:
        value = leaf
        for _ in range(STEPS):
            value = sin(value * factor)
        leaf.grad = None
        value.backward(seed)
        return leaf.grad

    return run


def torch_eager(size: int) -> Callable[[Any], Callable[[], Any]]:
    """Return a maker of the same with PyTorch."""

    def make(torch: Any) -> Callable[[], Any]:
        leaf = torch.ones(size, dtype=torch.float64, requires_grad=True)
        factor = torch.full((size,), 1.01, dtype=torch.float64)
        seed = torch.ones(size, dtype=torch.float64)

        def run() -> Any:
            value = leaf
            for _ in range(STEPS):
                value = torch.sin(value * factor)
            leaf.grad = None
            value.backward(seed)
            return leaf.grad

        return run

    return make


def hips_autograd(size: int) -> Callable[[Any], Callable[[], Any]]:
    """Return a maker of the same with HIPS autograd."""

    def make(autograd: Any) -> Callable[[], Any]:
        import autograd.numpy as anp

        factor, seed, start = np.full(size, 1.01), np.ones(size), np.ones(size)

        def chain(value: Any) -> Any:
            for _ in range(STEPS):
                value = anp.sin(value * factor)
            return value

        def run() -> Any:
            pull, _ = autograd.make_vjp(chain)(start)
            return pull(seed)

        return run

    return make


def main() -> None:
    """Print one table for each size; an operation is one of the 200 recorded calls."""
    operations = 2 * STEPS
    print(f"The tape: {operations} recorded calls, forward and backward, against NumPy by hand")
    print("(targets: at most 4 µs a call at size 1, 1.3 times NumPy at 1000, below torch eager)\n")
    for size in SIZES:
        peers, skipped = contestants(
            {"torch": torch_eager(size), "HIPS autograd": hips_autograd(size)}
        )
        calls = {
            "NumPy by hand": numpy_floor(size),
            "srcgrad, t.sin()": srcgrad_tape(size, functions.sin),
            "srcgrad, np.sin(t)": srcgrad_tape(size, np.sin),
            **peers,
        }
        for name, call in calls.items():
            np.testing.assert_allclose(
                np.asarray(call()), np.asarray(numpy_floor(size)()), err_msg=name
            )
        timings = measure(calls, turns=20)
        own = timings["srcgrad, t.sin()"].median / operations
        print(f"size {size}: {own * 1e6:.2f} µs a call")
        print_table(timings, "NumPy by hand", skipped)


if __name__ == "__main__":
    main()
