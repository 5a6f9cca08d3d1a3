"""Functions that write into their arguments by functions of their own module; no programs."""

import math

import numpy as np
from numpy import cos

RATE = 2.0
TABLE = np.array([0.5, 0.7, 1.5])


def soft(x):
    """Return one of the ways to soften; the callers mean another by its name."""
    y = np.exp(-x)
    if np.sum(y) > 1e6:
        y = y * 2
    return 1.0 / (1.0 + y)


def put(out, x):
    """Write the squares of `x`."""
    for i in range(len(x)):
        out[i] = x[i] ** 2


def twice(out):
    """Double what is there."""
    out *= 2.0


def step(out, x, k):
    """Write by others of this module, and by what it imports."""
    put(out, soft(x))
    twice(out)
    out += np.tanh(x) * math.sqrt(k)


def rated(out, x):
    """Read a number of this module."""
    put(out, x)
    out *= RATE


def leveled(out):
    """Read arrays, a function of NumPy and one of Python by names of this module."""
    out *= TABLE[: len(out)].sum()
    out += cos(out)
    return abs(out[0])


def mixed(a, b):
    """Go through one argument for the other, with names that the callers have, too."""
    b *= np.array([a[0] * q for q in b])
    a += sum(q for q in b)
    return [b[0] * a for a in a][-1]


def few(n):
    """Raise if there are many."""
    if n > 2:
        raise ValueError("no")


def tried(a, n):
    """Catch what is raised here, and write whatever happens."""
    try:
        few(n)
        k = a * 2.0
    except ValueError:
        k = a * 3.0
    finally:
        a *= 0.5
    return k


def noted(a):
    """Bind in expressions, leave a `with` early, and have a loop with an `else`."""
    a *= (m := a.mean())
    with np.errstate(all="ignore"):
        a += m
        if m > 50.0:
            return a * 2.0
    for v in a:
        if v > 100.0:
            break
    else:
        a[0] *= m

    def scaled(t, a=2.0):
        return t * a + m

    return scaled(a)


def matched(a, n):
    """Go by the value of a number."""
    match n:
        case 0:
            a *= 2.0
        case 1 | 2:
            return a * 3.0
        case _:
            a[1] *= a[0]
    return a[1]


def bumped(a, v):
    """Add to an array, and say its first entry."""
    a += v
    return a[0]


def grown(a, v):
    """Add to an array, and hand it back."""
    a += v
    return a


def counted_down(out, x, n):
    """Call itself."""
    if n > 0:
        put(out, x * n)
        counted_down(out, x + out, n - 1)
