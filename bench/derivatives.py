"""Times products with Hessians, Hessians and Jacobians against JAX (compiled) and torch.func."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import srcgrad as sg
from bench.peers import NOT_INSTALLED, load_jax, load_torch
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


def jax_calls(data: tuple[Any, ...], net: tuple[Any, ...], v: Any) -> dict[str, Any]:
    """Return JAX's derivatives, compiled, by the name of the benchmark."""
    jax = load_jax()
    if jax is None:
        return {}
    theirs, network = _twins(jax.numpy, jax.nn.softplus)
    data, net = ([jax.numpy.asarray(item) for item in items] for items in (data, net))
    w, x, y = data
    gradient = jax.jit(jax.grad(theirs))
    product = jax.jit(lambda w, v: jax.jvp(lambda u: jax.grad(theirs)(u, x, y), (w,), (v,))[1])
    hessian = jax.jit(jax.hessian(theirs))
    jacobian = jax.jit(jax.jacfwd(network))
    return {
        "gradient": lambda: gradient(*data).block_until_ready(),
        "hvp": lambda: product(w, v).block_until_ready(),
        "hessian": lambda: hessian(*data).block_until_ready(),
        "jacobian": lambda: jacobian(*net).block_until_ready(),
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
    makers = {"srcgrad": our_calls, "jax.jit": jax_calls, "torch.func": torch_calls}
    calls = {name: make(data, net, v) for name, make in makers.items()}
    skipped = {name: NOT_INSTALLED for name, found in calls.items() if not found}
    titles = {
        "hvp": f"Hessian-vector product of a logistic regression, {PARAMETERS} parameters",
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
