"""Programs with a `try` whose handlers wait for what some of its statements never raise."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v", "n")
def scaled_in_a_loop(x, n):
    a, b = x * 1.0, x * 2.0
    try:
        for _ in range(n):
            a *= 0.9
    except KeyError:
        a *= 0.5
    else:
        b *= 0.9
    return np.sum(a * b)


@program("v")
def scaled_while_counting(x):
    a, b, k = x * 1.0, x * 2.0, 0
    try:
        while k < 3:
            k += 1
            a *= 0.9
    except KeyError:
        b *= 0.5
    return np.sum(a * b) * k


@program("v")
def scaled_before_shapes_that_do_not_fit(x):
    a, total = x * 1.0, 0.0
    for k in range(1, 4):
        try:
            for _ in range(2):
                a *= 0.9
            total = total + np.sum(a * x[:k])
        except ValueError:
            total = total + np.sum(a)
            a = a * x
    return total


@program("v")
def scaled_before_a_division(x):
    a, total = x * 1.0, 0.0
    for k in range(3):
        try:
            a *= 2.0
            a += 1.0
            total = total + np.sum(a) * (6 // (k - 1))
            a *= 1.5
        except ZeroDivisionError:
            total = total * np.sum(a * x)
    return total + np.sum(a)


@program("v")
def caught_further_out(x):
    a, total = x * 1.0, 0.0
    for k in range(1, 4):
        b = x * 1.0
        try:
            try:
                b *= 0.9
                b = b * 2.0
                total = total + np.sum(b * x[:k])
            except KeyError:
                b *= 0.5
            total = total * 2.0
        except ValueError:
            total = total + np.sum(a)
        a = a * x
    return total + np.sum(a)


@program("v")
def run_at_last_whatever_is_raised(x):
    a, total = x * 1.0, 0.0
    for k in range(1, 4):
        try:
            try:
                b = x * 2.0
                c = b * x[:k]
            finally:
                total = total + np.sum(a)
            total = total + np.sum(c * b)
        except ValueError:
            a = a * x
    return total + np.sum(a)


@program("v")
def asked_for_truth_after_a_write(x):
    a, total = x * 1.0, 0.0
    for k in range(1, 3):
        try:
            a *= 0.9
            if a[:k] > -100.0:
                total = total + a[0]
        except ValueError:
            total = total * np.sum(a)
    return total + np.sum(a)


@program("v")
def labelled(x):
    """Labels that arrays of another library take, and those of NumPy do not."""
    y = np.sin(x)
    y = np.clip(y, -0.9, 0.9)
    try:
        y.name = "waves"
    except AttributeError:
        pass
    return np.sum(y * x)


def _labelled_waves(x):
    y = np.sin(x)
    try:
        y.name = "waves"
    except AttributeError:
        pass
    return y


@program("v")
def labelled_in_a_helper(x):
    """Twice, once of what a loop carries."""
    y = _labelled_waves(x) * x
    for k in range(3):
        y = y * x + k
        try:
            y.long_name = "waves again"
        except (AttributeError, TypeError):
            continue
    return np.sum(y * _labelled_waves(2.0 * x))


def _of_small_numbers(x):
    if x[0] < 0.6:
        raise ValueError("too small")
    return x * x


@program("v")
def function_bound_in_a_try(x):
    """The handler may begin before or after the name was bound anew."""
    try:
        f = np.cos
        y = _of_small_numbers(x)
    except ValueError:
        f = np.cos
        y = f(2 * x)
    return np.sum(y * f(x))


@program("v")
def function_that_a_handler_still_calls(x):
    f = np.sin
    try:
        y = _of_small_numbers(x - 5.0)
        f = np.cos
    except ValueError:
        return np.sum(np.tanh(x))
    return np.sum(y * f(x))


@program("v", by="tape")
def function_of_before_in_a_handler(x):
    f = np.sin
    try:
        y = _of_small_numbers(x - 5.0)
        f = np.cos
    except ValueError:
        y = f(x)
    return np.sum(y * f(x))


@program("v", by="tape")
def function_that_may_be_of_before_in_a_handler(x):
    f = np.sin
    try:
        y = _of_small_numbers(x - 5.0)
        f = np.cos
    except ValueError:
        y = f(x)
    return np.sum(y)


@program("v")
def value_that_is_bound_only_where_nothing_is_raised(x):
    try:
        y = _of_small_numbers(x - 5.0)
    except ValueError:
        return np.sum(np.cos(x))
    return np.sum(y * np.sin(x))


@program("v")
def two_handlers_that_end(x):
    try:
        y = _of_small_numbers(x - 5.0)
    except ValueError:
        if x[1] > 0:
            return np.sum(x**3)
        return np.sum(np.cos(x))
    except ZeroDivisionError as error:
        raise RuntimeError("no number") from error
    z = y * np.sin(x)
    if z[0] > 1.0:
        return np.sum(z)
    return np.sum(z * y)
