"""The gradient of `recursion` as one would write it by hand."""


def power_and_slope(x, n):
    if n == 0:
        return 1.0, 0.0
    if n % 2:
        rest, slope = power_and_slope(x, n - 1)
        return x * rest, rest + x * slope
    half, slope = power_and_slope(x, n // 2)
    return half * half, 2 * half * slope


def gradient(x, n):
    return power_and_slope(x, n)[1]
