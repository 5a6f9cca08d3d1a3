"""A stack of numbers: what is pushed and popped depends on how many there are."""

import srcgrad as sg


def reduce_pairs(x):
    stack = []
    for i in range(len(x)):
        stack.append(x[i])
        if len(stack) > 1:
            b = stack.pop()
            a = stack.pop()
            stack.append(a * b + 1.0)
    return stack[0]


gradient = sg.grad(reduce_pairs)


def example(rng):
    return (rng.normal(size=4),)


# ---------------------------------------- the derivative ----------------------------------------

from srcgrad.runtime import zeros_like


def reduce_pairs_grad(x):
    """Gradient of `reduce_pairs` (stack.py:6) with respect to `x`.

    Taken for granted: x.ndim == 1.
    """
    stack = []
    steps = []
    test_saved = []
    for i in range(len(x)):
        stack.append(x[i])
        test = len(stack) > 1
        test_saved.append(test)
        if test:
            b = stack.pop()
            a = stack.pop()
            stack.append(a * b + 1.0)
            steps.append((b, a))

    # backward
    # L14: return stack[0]
    grad_stack = zeros_like(stack)
    grad_stack[0] += 1.0
    # L8: for i in range(len(x)):
    grad_x = zeros_like(x)
    for i in reversed(range(len(x))):
        # L10: if len(stack) > 1:
        if test_saved.pop():
            b, a = steps.pop()
            # L13: stack.append(a * b + 1.0)
            grad_total = grad_stack.pop()
            grad_b = grad_total * a
            # L12: a = stack.pop()
            grad_stack.append(grad_total * b)
            # L11: b = stack.pop()
            grad_stack.append(grad_b)
        # L9: stack.append(x[i])
        grad_x[i] += grad_stack.pop()
    return grad_x
