"""The gradient of `recursion` as one would write it by hand."""


def gradient(x, n):
    return n * x ** (n - 1)
