"""Programs that write in a `try` which may fail later, with handlers that do much."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


def _fail(k, when=1):
    """Fail at one number."""
    return 6 // (k - when)


@program("v")
def written_between_two_failures(x):
    q = x * 1.0
    total = x[0]
    for k in range(4):
        try:
            q *= x[1]
            _fail(k)
            q[0] = 3.0 * x[2]
            _fail(k, 2)
            y = np.sum(q * q)
        except ZeroDivisionError:
            a = q * 2.0
            b = a * x
            c = b + a
            d = c * c
            e = d - b
            f = e * x[0]
            g = f + e
            h = g * a
            y = np.sum(h)
        total = total * y
    return total + np.sum(q)


@program("v")
def handler_with_a_try(x):
    q = x * 1.0
    t = 0.0
    for k in range(4):
        try:
            q *= x[k]
            z = q[0] * 2.0
            _fail(k)
            q[0] = 3.0 * x[2] * z
            _fail(k, 2)
            y = np.sum(q * q)
        except ZeroDivisionError:
            try:
                a = q * 2.0
                b = a[9] * _fail(k, 2)
            except (IndexError, ValueError):
                b = q[0] * x[1]
            y = b * x[2]
            t = t * y
        else:
            t = t + y * z
        finally:
            t = t * x[1]
        t = t + y
    return t + np.sum(q)


@program("v")
def one_handler_of_two_that_goes_on(x):
    t = x[1]
    for k in range(3):
        q = x * 1.0
        try:
            q *= x[1]
            p = q * x
            _fail(k)
            q[0] = 3.0 * x[2]
            u = q * p
        except KeyError:
            raise
        except (IndexError, ArithmeticError):
            for i in range(3):
                a = q * 2.0
                b = a * x[i]
                q = b
                t = t * np.sum(b)
                if t > 3:
                    t = t * 0.5
                else:
                    t = t * 0.25
                t = t * x[2]
        else:
            t = t * np.sum(u * p)
        t = t + np.sum(q)
    return t


@program("v")
def handler_that_goes_on_with_the_loop(x):
    q = x * 1.0
    t = x[1]
    out = []
    for k in range(4):
        try:
            q[k % 3] *= x[1]
            if k == 3:
                break
            _fail(k)
            q[0] = 3.0 * x[2] + q[0]
        except ZeroDivisionError:
            try:
                t = t * np.sum(q)
                _fail(k)
                t = t * 2.0
            except ArithmeticError:
                q[1] *= 2.0
            continue
        out.append(t * q[0])
    return sum(out) + np.sum(q)


@program("v")
def written_before_a_question(x):
    q = x * 1.0
    t = 0.0
    for k in range(3):
        try:
            q *= np.tanh(np.sum(q[:0]) + x[0])
            _fail(k)
        except ZeroDivisionError:
            a, best, steps = q * 1.0, 1.0, 0
            while best > 1e-3 and steps < 4:
                b = np.tanh(0.5 * a + x)
                best = np.max(np.abs(b - a))
                a = b
                steps += 1
            t = t + np.sum(a)
        finally:
            if k > 1:
                q *= 0.9
    return t + np.sum(q * q)


@program("v")
def long_handler_that_reads_the_exception(x):
    q = x * 1.0
    for k in range(3):
        try:
            q *= x[1]
            _fail(k)
            q[0] = 3.0 * x[2]
            y = np.sum(q * q)
        except ZeroDivisionError as error:
            a = q * 2.0
            b = a * x
            c = b + a
            d = c * c
            e = d - b
            f = e * x[0] * len(str(error))
            g = f + e
            h = g * a
            y = np.sum(h)
        q = q * y
    return np.sum(q)
