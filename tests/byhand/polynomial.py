"""The gradient of `polynomial` as one would write it by hand."""


def gradient(x):
    return 12 * x**3 - 4 * x + 1 / 5
