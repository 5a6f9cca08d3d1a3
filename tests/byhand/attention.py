"""The gradient of `attention` as one would write it by hand."""

import numpy as np


def gradient(q, k, v):
    root = np.sqrt(q.shape[1])
    scores = q @ k.T / root
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    p = weights / weights.sum(axis=-1, keepdims=True)
    out = p @ v

    grad_out = 2 * out
    grad_v = p.T @ grad_out
    grad_p = grad_out @ v.T
    grad_scores = p * (grad_p - (grad_p * p).sum(axis=-1, keepdims=True)) / root
    grad_q = grad_scores @ k
    grad_k = grad_scores.T @ q
    return grad_q, grad_k, grad_v
