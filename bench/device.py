"""Gradients on a device, beside the host, PyTorch and JAX, in double precision.

The bandwidth of an elementwise gradient counts what must move at least: each argument read, each
gradient written. It needs CuPy and a device, and says so where there is none:
`python -m bench device`.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import srcgrad as sg

SIZE = 10_000_000
REPEATS = 20


def chain(x, w):
    return np.sum(np.tanh(x * w) * np.exp(-x * x))


def diffusion(u, k):
    flux = k[1:-1, 1:-1] * (
        u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
    )
    return np.sum(flux * flux)


def network(w1, w2, x, y):
    h = np.tanh(x @ w1)
    return np.mean((h @ w2 - y) ** 2)


def digits(w1, b1, w2, b2, x, y):
    scores = np.maximum(x @ w1 + b1, 0.0) @ w2 + b2
    scores = scores - np.max(scores, axis=1, keepdims=True)
    return np.mean(np.log(np.sum(np.exp(scores), axis=1)) - np.sum(scores * y, axis=1))


CASES: dict[str, tuple[Callable[..., Any], tuple[int, ...], list[tuple[int, ...]]]] = {
    "elementwise, 10M": (chain, (0, 1), [(SIZE,), (SIZE,)]),
    "elementwise, 100": (chain, (0, 1), [(100,), (100,)]),
    "stencil, 4096 x 4096": (diffusion, (0, 1), [(4096, 4096), (4096, 4096)]),
    "network, 4096 x 1024": (network, (0, 1), [(1024, 1024), (1024, 10), (4096, 1024), (4096, 10)]),
    "digits, 1797 x 64": (
        digits,
        (0, 1, 2, 3),
        [(64, 128), (128,), (128, 10), (10,), (1797, 64), (1797, 10)],
    ),
}


def fastest(run: Callable[[], Any], wait: Callable[[], Any], repeats: int = REPEATS) -> float:
    """Return the seconds of the fastest of several runs."""
    run()
    wait()
    found = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        wait()
        found.append(time.perf_counter() - start)
    return min(found)


def by_torch(function: Any, wrt: tuple[int, ...], host: list[Any]) -> Callable[[], Any]:
    """Return a run of PyTorch's gradient of the function, with its own names."""
    torch = importlib.import_module("torch")
    there = [torch.tensor(item, device="cuda") for item in host]
    for k in wrt:
        there[k].requires_grad_(True)
    said = _spoken(function, torch)
    return lambda: torch.autograd.grad(said(*there), [there[k] for k in wrt])


def by_jax(function: Any, wrt: tuple[int, ...], host: list[Any]) -> Callable[[], Any]:
    """Return a run of JAX's compiled gradient of the function."""
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_platforms", "cuda,cpu")
    there = [jax.device_put(item) for item in host]
    gradient = jax.jit(jax.grad(_spoken(function, importlib.import_module("jax.numpy")), wrt))
    return lambda: jax.block_until_ready(gradient(*there))


def _spoken(function: Any, library: Any) -> Any:
    """Return a function with another library for ``np``."""
    names = {**function.__globals__, "np": _Spelled(library)}
    return type(function)(function.__code__, names)


class _Spelled:
    """NumPy's names for what PyTorch has under others."""

    def __init__(self, library: Any) -> None:
        self._library = library

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._library, name)
        if self._library.__name__ != "torch" or name not in ("max", "maximum"):
            return found
        return self._largest if name == "max" else self._at_least

    def _largest(self, x: Any, axis: int, keepdims: bool) -> Any:
        return self._library.amax(x, dim=axis, keepdim=keepdims)

    def _at_least(self, x: Any, least: float) -> Any:
        return self._library.clamp(x, min=least)


def peers(function: Any, wrt: tuple[int, ...], host: list[Any]) -> Iterator[tuple[str, Any]]:
    """Yield the peers that are installed, each with a run."""
    for name, make in (("torch", by_torch), ("jax", by_jax)):
        try:
            yield name, make(function, wrt, host)
        except ImportError:
            continue


def main() -> None:
    """Print the times, and the largest difference from the host."""
    try:
        cupy = importlib.import_module("cupy")
        cupy.cuda.runtime.getDeviceCount()
    except Exception as error:  # noqa: BLE001 - CuPy raises errors of its own
        print(f"device: left out, there is none ({error})\n")
        return
    rng = np.random.default_rng(0)
    wait = cupy.cuda.Device().synchronize
    for name, (function, wrt, sizes) in CASES.items():
        gradient = sg.grad(function, wrt)
        host = [rng.normal(size=size) / 32 for size in sizes]
        there = [cupy.asarray(item) for item in host]
        pairs = zip(gradient(*host), gradient(*there), strict=True)
        apart = max(float(np.max(np.abs(one - other.get()))) for one, other in pairs)
        fast = fastest(lambda g=gradient, given=there: g(*given), wait)
        slow = fastest(lambda g=gradient, given=host: g(*given), lambda: None, 2)
        moved = sum(host[k].nbytes * (2 if k in wrt else 1) for k in range(len(host)))
        said = [f"{1e3 * fast:.3f} ms ({moved / fast / 1e9:.0f} GB/s at least)"]
        said += [f"the host {slow / fast:.0f} times as long"]
        for peer, run in peers(function, wrt, host):
            said.append(f"{peer} {fastest(run, wait) / fast:.2f} times")
        print(f"{name}: {', '.join(said)}; {apart:.0e} apart")
    print()


if __name__ == "__main__":
    main()
