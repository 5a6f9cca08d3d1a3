"""The gradient of `newton` as one would write it by hand."""


def gradient(a):
    x = a
    xs = []
    while abs(x**3 - a) > 1e-13:
        xs.append(x)
        x = x - (x**3 - a) / (3 * x**2)

    grad_a = 0.0
    grad_x = 1.0
    for x in reversed(xs):
        grad_a += grad_x / (3 * x**2)
        grad_x = grad_x * 2 / 3 * (1 - a / x**3)
    return grad_a + grad_x
