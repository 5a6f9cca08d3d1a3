"""Times products with Hessians, Hessians and Jacobians.

The others are an expert's NumPy, JAX (compiled) and torch.func.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import srcgrad as sg
from bench.peers import NOT_INSTALLED, load_jax, load_torch, threads
from bench.timing import measure, print_table

SAMPLES, PARAMETERS, INPUTS, OUTPUTS = 500, 100, 30, 50


def logistic(w, x, y):
    """Return the mean loss of a logistic regression, with a penalty."""
    return np.mean(np.logaddexp(0.0, -y * (x @ w))) + 0.01 * np.sum(w * w)


def model(x, first, second):
    """Return the outputs of a network of two layers."""
    return np.tanh(second @ np.tanh(first @ x))


def _twins(xp: Any, plus: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Return both functions in the words of another library."""

    def theirs(w, x, y):
        return xp.mean(plus(-y * (x @ w))) + 0.01 * xp.sum(w * w)

    def network(x, first, second):
        return xp.tanh(second @ xp.tanh(first @ x))

    return theirs, network


def calls_by_hand(data: tuple[Any, ...], net: tuple[Any, ...], v: Any) -> dict[str, Any]:
    """Return what an expert writes in NumPy, by the name of the benchmark."""

    def gradient(w, x, y):
        chance = 1 / (1 + np.exp(y * (x @ w)))
        return x.T @ (chance * (-y / len(y))) + 0.02 * w

    def product(w, x, y):
        chance = 1 / (1 + np.exp(y * (x @ w)))
        return (chance * (1 - chance) * y * y / len(y) * (x @ v)) @ x + 0.02 * v

    def hessian(w, x, y):
        chance = 1 / (1 + np.exp(y * (x @ w)))
        found = (x.T * (chance * (1 - chance) * y * y / len(y))) @ x
        found.flat[:: len(w) + 1] += 0.02
        return found

    def jacobian(x, first, second):
        inner = np.tanh(first @ x)
        outer = np.tanh(second @ inner)
        return ((1 - outer * outer)[:, None] * second) @ ((1 - inner * inner)[:, None] * first)

    return {
        "gradient": lambda: gradient(*data),
        "hvp": lambda: product(*data),
        "hessian": lambda: hessian(*data),
        "jacobian": lambda: jacobian(*net),
    }


def jax_calls(
    data: tuple[Any, ...], net: tuple[Any, ...], v: Any, *, from_numpy: bool
) -> dict[str, Any]:
    """Return JAX's derivatives, compiled, by the name of the benchmark.

    They take and give NumPy's arrays, as the user of NumPy has and needs them, or JAX's own.
    """
    jax = load_jax()
    if jax is None:
        return {}
    theirs, network = _twins(jax.numpy, jax.nn.softplus)

    def along(w, x, y, v):
        return jax.jvp(lambda u: jax.grad(theirs)(u, x, y), (w,), (v,))[1]

    if not from_numpy:
        data, net = ([jax.numpy.asarray(item) for item in items] for items in (data, net))
        v = jax.numpy.asarray(v)

    def call(function: Any, args: Any) -> Callable[[], Any]:
        compiled = jax.jit(function)
        if from_numpy:
            return lambda: np.asarray(compiled(*args))
        return lambda: compiled(*args).block_until_ready()

    return {
        "gradient": call(jax.grad(theirs), data),
        "hvp": call(along, (*data, v)),
        "hessian": call(jax.hessian(theirs), data),
        "jacobian": call(jax.jacfwd(network), net),
    }


def torch_calls(data: tuple[Any, ...], net: tuple[Any, ...], v: Any) -> dict[str, Any]:
    """Return the derivatives of torch.func by the name of the benchmark."""
    torch = load_torch()
    if torch is None:
        return {}
    theirs, network = _twins(torch, torch.nn.functional.softplus)
    data, net = ([torch.as_tensor(item) for item in items] for items in (data, net))
    (w, x, y), along = data, torch.as_tensor(v)
    gradient = torch.func.grad(theirs)
    hessian = torch.func.hessian(theirs)
    jacobian = torch.func.jacfwd(network)
    return {
        "gradient": lambda: gradient(*data),
        "hvp": lambda: torch.func.jvp(lambda u: gradient(u, x, y), (w,), (along,))[1],
        "hessian": lambda: hessian(*data),
        "jacobian": lambda: jacobian(*net),
    }


def our_calls(data: tuple[Any, ...], net: tuple[Any, ...], v: Any) -> dict[str, Any]:
    """Return ours by the name of the benchmark."""
    gradient, hessian = sg.grad(logistic, fallback="error"), sg.hessian(logistic)
    jacobian = sg.jacobian(model)
    return {
        "gradient": lambda: gradient(*data),
        "hvp": lambda: sg.hvp(logistic, data, (v, None, None)),
        "hessian": lambda: hessian(*data),
        "jacobian": lambda: jacobian(*net),
    }


def main() -> None:
    """Print a table for each derivative, after a check that all agree."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(SAMPLES, PARAMETERS))
    data = rng.normal(size=PARAMETERS), x, np.sign(rng.normal(size=SAMPLES))
    net = (
        rng.normal(size=INPUTS),
        rng.normal(size=(64, INPUTS)) / 8,
        rng.normal(size=(OUTPUTS, 64)) / 8,
    )
    v = rng.normal(size=PARAMETERS)
    makers: dict[str, Callable[..., Any]] = {
        "srcgrad": our_calls,
        "NumPy by hand": calls_by_hand,
        "jax.jit, NumPy to NumPy": partial(jax_calls, from_numpy=True),
        "jax.jit, its own arrays": partial(jax_calls, from_numpy=False),
        "torch.func, its own arrays": torch_calls,
    }
    calls = {name: make(data, net, v) for name, make in makers.items()}
    skipped = {name: NOT_INSTALLED for name, found in calls.items() if not found}
    print(f"All in float64; each library may use {threads()} of {os.cpu_count()} cores.")
    print("srcgrad takes and gives NumPy's arrays; so does JAX where it says so.\n")
    titles = {
        "gradient": f"Gradient of a logistic regression, {PARAMETERS} parameters",
        "hvp": "Hessian-vector product of the same",
        "hessian": f"The whole Hessian of the same ({SAMPLES} samples)",
        "jacobian": f"Jacobian of a network, {OUTPUTS} outputs by {INPUTS} inputs",
    }
    for kind, title in titles.items():
        for found in calls.values():
            if found:
                np.testing.assert_allclose(found[kind](), calls["srcgrad"][kind](), 1e-7, 1e-9)
        print(title)
        functions = {name: found[kind] for name, found in calls.items() if found}
        timings = measure(functions, turns=25)
        print_table(timings, "srcgrad", skipped)
    ours = calls["srcgrad"]
    timings = measure({"gradient": ours["gradient"], "hvp": ours["hvp"]}, turns=25)
    print("Product with the Hessian against the gradient (target: at most 4 times)")
    print_table(timings, "gradient", {})


if __name__ == "__main__":
    main()
