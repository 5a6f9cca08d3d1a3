"""Gradients of each example of a batch: by one program, by a loop, and by jax.vmap."""

from __future__ import annotations

import itertools

import numpy as np

import srcgrad as sg
from bench.peers import NOT_INSTALLED, load_jax
from bench.timing import measure

BATCH = 256
SIZES = (64, 64, 64, 10)
BAR = 1.5  # times JAX, at most


def loss(params, x, y):
    """Return the error of a network of two hidden layers at one example."""
    h = np.tanh(params["w1"] @ x + params["b1"])
    h = np.tanh(params["w2"] @ h + params["b2"])
    return np.sum((params["w3"] @ h + params["b3"] - y) ** 2)


def arguments():
    """Return parameters that all examples share, and a batch."""
    rng = np.random.default_rng(0)
    params = {}
    for i, (before, after) in enumerate(itertools.pairwise(SIZES), 1):
        params[f"w{i}"] = rng.normal(size=(after, before)) / np.sqrt(before)
        params[f"b{i}"] = rng.normal(size=after)
    return params, rng.normal(size=(BATCH, SIZES[0])), rng.normal(size=(BATCH, SIZES[-1]))


def by_jax(jax, params, xs, ys):
    """Return the call of JAX, compiled, on arrays of its own."""
    jnp = jax.numpy

    def its_loss(params, x, y):
        h = jnp.tanh(params["w1"] @ x + params["b1"])
        h = jnp.tanh(params["w2"] @ h + params["b2"])
        return jnp.sum((params["w3"] @ h + params["b3"] - y) ** 2)

    run = jax.jit(jax.vmap(jax.grad(its_loss), in_axes=(None, 0, 0)))
    given = jax.tree.map(jnp.asarray, (params, xs, ys))
    return lambda: jax.block_until_ready(run(*given))


def main() -> None:
    """Print how long each takes, as ratios to the program over the batch."""
    params, xs, ys = arguments()
    gradient = sg.grad(loss)
    batched = sg.vmap(gradient, in_axes=(None, 0, 0), fallback="error")
    calls = {
        "srcgrad.vmap": lambda: batched(params, xs, ys),
        "a loop": lambda: [gradient(params, x, y) for x, y in zip(xs, ys, strict=True)],
    }
    jax = load_jax()
    if jax is not None:
        calls["jax.vmap, jit"] = by_jax(jax, params, xs, ys)
    results = {name: call() for name, call in calls.items()}
    found = results["srcgrad.vmap"]
    for key, rows in found.items():
        np.testing.assert_allclose(rows, [one[key] for one in results["a loop"]])
        if jax is not None:
            np.testing.assert_allclose(rows, results["jax.vmap, jit"][key])
    timings = measure(calls, turns=25)
    ours = timings["srcgrad.vmap"].best
    print(f"gradients of each of {BATCH} examples, a network of {'-'.join(map(str, SIZES))}")
    for name, timing in timings.items():
        print(f"  {name:<14} {timing.best * 1e3:8.2f} ms   {timing.best / ours:7.2f}")
    if jax is None:
        print(f"  jax.vmap, jit  {NOT_INSTALLED}")
    else:
        ratio = ours / timings["jax.vmap, jit"].best
        print(f"  {ratio:.2f} times JAX; the bar is {BAR}")
    print()
