"""Times the gradient of a network of 784, 128, 64 and 10 units on a batch of 32 images."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

import srcgrad as sg
from bench import peers
from bench.timing import measure, print_table

SIZES = [784, 128, 64, 10]
BATCH = 32
HAND = "hand-written NumPy"


def loss(params, images, labels):
    """Return the mean cross-entropy: the function that srcgrad differentiates."""
    first = np.tanh(images @ params["w1"] + params["b1"])
    second = np.tanh(first @ params["w2"] + params["b2"])
    logits = second @ params["w3"] + params["b3"]
    logits = logits - logits.max(axis=1, keepdims=True)
    log_p = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(len(labels)), labels])


def by_hand(params, images, labels):
    """Return the gradient as one writes it with care: softmax in closed form, arrays reused."""
    count = len(labels)
    first = images @ params["w1"]
    first += params["b1"]
    np.tanh(first, out=first)
    second = first @ params["w2"]
    second += params["b2"]
    np.tanh(second, out=second)
    grad = second @ params["w3"]
    grad += params["b3"]
    grad -= grad.max(axis=1, keepdims=True)
    np.exp(grad, out=grad)
    grad /= grad.sum(axis=1, keepdims=True)
    grad[np.arange(count), labels] -= 1
    grad /= count
    grad_w3, grad_b3 = second.T @ grad, grad.sum(axis=0)
    grad = grad @ params["w3"].T
    grad *= 1 - second * second
    grad_w2, grad_b2 = first.T @ grad, grad.sum(axis=0)
    grad = grad @ params["w2"].T
    grad *= 1 - first * first
    grad_w1, grad_b1 = images.T @ grad, grad.sum(axis=0)
    return {
        "w1": grad_w1, "b1": grad_b1, "w2": grad_w2, "b2": grad_b2, "w3": grad_w3, "b3": grad_b3,
    }  # fmt: skip


def data() -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Return random parameters, images and labels."""
    rng = np.random.default_rng(0)
    params = {}
    for layer, (inputs, outputs) in enumerate(itertools.pairwise(SIZES), 1):
        params[f"w{layer}"] = rng.normal(size=(inputs, outputs)) / np.sqrt(inputs)
        params[f"b{layer}"] = np.zeros(outputs)
    return params, rng.random((BATCH, SIZES[0])), rng.integers(10, size=BATCH)


def with_autograd(autograd: Any) -> Callable[[], Any]:
    """Return a call of HIPS autograd's gradient."""
    gradient = autograd.grad(peers.twin(loss, np=autograd.numpy))
    at = data()
    return lambda: gradient(*at)


def with_torch(torch: Any) -> Callable[[], Any]:
    """Return a call of torch's gradient, with its own fused cross-entropy."""
    params, images, labels = data()
    leaves = [torch.tensor(value, requires_grad=True) for value in params.values()]
    x, y = torch.tensor(images), torch.tensor(labels)

    def gradient():
        w1, b1, w2, b2, w3, b3 = leaves
        first = torch.tanh(x @ w1 + b1)
        second = torch.tanh(first @ w2 + b2)
        value = torch.nn.functional.cross_entropy(second @ w3 + b3, y)
        return dict(zip(params, torch.autograd.grad(value, leaves), strict=True))

    return gradient


def with_jax(jax: Any) -> Callable[[], Any]:
    """Return a call of JAX's compiled gradient."""
    gradient = jax.jit(jax.grad(peers.twin(loss, np=jax.numpy)))
    at = jax.device_put(data())
    return lambda: jax.block_until_ready(gradient(*at))


def main() -> None:
    """Check that all agree, and print the table."""
    print(f"Gradient of a network {'-'.join(map(str, SIZES))}, batch {BATCH} (target: 1.15)")
    at = data()
    gradient = sg.grad(loss)
    others, skipped = peers.contestants(
        {"HIPS autograd": with_autograd, "torch": with_torch, "jax.jit": with_jax}
    )
    calls = {HAND: lambda: by_hand(*at), "srcgrad": lambda: gradient(*at), **others}
    expected = by_hand(*at)
    for name, call in calls.items():
        found = call()
        for key, value in expected.items():
            np.testing.assert_allclose(np.asarray(found[key]), value, atol=1e-10, err_msg=name)
    print_table(measure(calls), HAND, skipped)


if __name__ == "__main__":
    main()
