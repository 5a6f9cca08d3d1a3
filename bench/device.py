"""Gradients on a device: bandwidth of an elementwise one, and a step of a network, beside the host.

It needs CuPy and a device, and says so where there is none: `python -m bench device`.
"""

from __future__ import annotations

import importlib
import time

import numpy as np

import srcgrad as sg

SIZE = 10_000_000
REPEATS = 20


def chain(x, w):
    return np.sum(np.tanh(x * w) * np.exp(-x * x))


def network(w1, w2, x, y):
    h = np.tanh(x @ w1)
    return np.mean((h @ w2 - y) ** 2)


def on_device(cupy, run):
    """Return the seconds of one run, of the fastest of several."""
    run()
    found = []
    for _ in range(REPEATS):
        cupy.cuda.Device().synchronize()
        start = time.perf_counter()
        run()
        cupy.cuda.Device().synchronize()
        found.append(time.perf_counter() - start)
    return min(found)


def on_host(run):
    run()
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def main() -> None:
    """Print both, with the largest difference from the host."""
    try:
        cupy = importlib.import_module("cupy")
        cupy.cuda.runtime.getDeviceCount()
    except Exception as error:  # noqa: BLE001 - CuPy raises errors of its own
        print(f"device: left out, there is none ({error})\n")
        return
    rng = np.random.default_rng(0)
    shapes = {
        "elementwise, 10M": (sg.grad(chain, (0, 1)), [(SIZE,), (SIZE,)]),
        "network, 4096 x 1024": (
            sg.grad(network, (0, 1)),
            [(1024, 1024), (1024, 10), (4096, 1024), (4096, 10)],
        ),
    }
    for name, (gradient, sizes) in shapes.items():
        host = [rng.normal(size=size) / 32 for size in sizes]
        there = [cupy.asarray(item) for item in host]
        pairs = zip(gradient(*host), gradient(*there), strict=True)
        apart = max(float(np.max(np.abs(one - other.get()))) for one, other in pairs)
        fast = on_device(cupy, lambda g=gradient, given=there: g(*given))
        slow = on_host(lambda g=gradient, given=host: g(*given))
        moved = 2 * sum(item.nbytes for item in host)  # each argument read, each gradient written
        print(
            f"{name}: {1e3 * fast:.2f} ms on the device ({moved / fast / 1e9:.0f} GB/s at least), "
            f"{1e3 * slow:.0f} ms on the host, {apart:.0e} apart"
        )
    print()


if __name__ == "__main__":
    main()
