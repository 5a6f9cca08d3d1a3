"""Cross-entropy of a linear model of three classes."""

import numpy as np

import srcgrad as sg


def loss(w, b, x, labels):
    logits = x @ w + b
    logits = logits - logits.max(axis=1, keepdims=True)
    log_p = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(len(labels)), labels])


gradient = sg.value_and_grad(loss, argnums=(0, 1))


def example(rng):
    labels = np.array([0, 2, 1, 1, 0])
    return rng.normal(size=(4, 3)), rng.normal(size=3), rng.normal(size=(5, 4)), labels


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np

from srcgrad.runtime import add_at, zeros_like


def loss_value_and_grad(w, b, x, labels):
    """Value and gradient of `loss` (softmax_regression.py:8) with respect to `w`, `b`.

    Taken for granted: w.ndim == 2; b.ndim == 1; x.ndim == 2; labels.ndim == 1;
    labels holds integers; len(b) == w.shape[1].
    """
    logits = x @ w + b
    logits = logits - logits.max(axis=1, keepdims=True)
    exp_logits = np.exp(logits)
    sum_2 = np.sum(exp_logits, axis=1, keepdims=True)
    log_p = logits - np.log(sum_2)
    arange = np.arange(len(labels))
    log_p_part = log_p[arange, labels]

    # backward
    # L12: return -np.mean(log_p[np.arange(len(labels)), labels])
    grad_log_p = zeros_like(log_p)
    add_at(grad_log_p, (arange, labels), -1.0 / np.size(log_p_part))
    # L11: log_p = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
    grad_logits = grad_log_p - grad_log_p.sum(axis=1, keepdims=True) / sum_2 * exp_logits
    # L9: logits = x @ w + b
    return -np.mean(log_p_part), (x.T @ grad_logits, grad_logits.sum(axis=0))
