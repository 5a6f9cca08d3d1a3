"""The gradient of `lstm` as one would write it by hand."""

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gradient(w, b, xs, target):
    size = len(b) // 4
    h = np.zeros(size)
    c = np.zeros(size)
    steps = []
    for x in xs:
        joint = np.concatenate([h, x])
        gates = w @ joint + b
        forget = sigmoid(gates[:size])
        write = sigmoid(gates[size : 2 * size])
        show = sigmoid(gates[2 * size : 3 * size])
        new = np.tanh(gates[3 * size :])
        old = c
        c = forget * c + write * new
        seen = np.tanh(c)
        h = show * seen
        steps.append((joint, forget, write, show, new, old, seen))

    grad_w = np.zeros_like(w)
    grad_b = np.zeros_like(b)
    grad_h = 2 * (h - target)
    grad_c = np.zeros(size)
    for joint, forget, write, show, new, old, seen in reversed(steps):
        grad_c = grad_c + grad_h * show * (1 - seen**2)
        grad_forget = grad_c * old * forget * (1 - forget)
        grad_write = grad_c * new * write * (1 - write)
        grad_show = grad_h * seen * show * (1 - show)
        grad_new = grad_c * write * (1 - new**2)
        grad_gates = np.concatenate([grad_forget, grad_write, grad_show, grad_new])
        grad_w += np.outer(grad_gates, joint)
        grad_b += grad_gates
        grad_h = (grad_gates @ w)[:size]
        grad_c = grad_c * forget
    return grad_w, grad_b
