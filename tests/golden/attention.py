"""One head of attention."""

import numpy as np

import srcgrad as sg


def loss(q, k, v):
    scores = q @ k.T / np.sqrt(q.shape[1])
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    p = scores / scores.sum(axis=-1, keepdims=True)
    return np.sum((p @ v) ** 2)


gradient = sg.grad(loss, argnums=(0, 1, 2))


def example(rng):
    return rng.normal(size=(3, 4)), rng.normal(size=(5, 4)), rng.normal(size=(5, 2))


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np

from srcgrad.runtime import dot_along


def loss_grad(q, k, v):
    """Gradient of `loss` (attention.py:8) with respect to `q`, `k`, `v`.

    Taken for granted: q.ndim == 2; k.ndim == 2; v.ndim == 2.
    """
    sqrt = np.sqrt(q.shape[1])
    scores = q @ k.T / sqrt
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    sum_scores = scores.sum(axis=-1, keepdims=True)
    p = scores / sum_scores

    # backward
    # L12: return np.sum((p @ v) ** 2)
    grad_p_at_v = 2.0 * (p @ v)
    # L11: p = scores / scores.sum(axis=-1, keepdims=True)
    grad_numerator = grad_p_at_v @ v.T / sum_scores
    grad_scores = grad_numerator - dot_along(grad_numerator, p, axis=1, keepdims=True)
    # L10: scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    # L9: scores = q @ k.T / np.sqrt(q.shape[1])
    grad_product = grad_scores * scores / sqrt
    return grad_product @ k, grad_product.T @ q, p.T @ grad_p_at_v
