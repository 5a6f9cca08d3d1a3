"""Programs that read what a `try` did before it failed: in its loops, branches and inner `try`."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


def _fail(k):
    """Fail in the second trip of a loop."""
    if k == 1:
        raise ZeroDivisionError(k)


@program("v")
def product_of_as_many_as_there_are(x):
    total = 1.0
    try:
        i = 0
        while i < 10:
            total = total * x[i]
            i += 1
    except IndexError:
        total = total * i
    return total


@program("v")
def written_in_branches_of_a_loop(x):
    y = x * 1.0
    try:
        for i in range(3):
            if x[i] > 0:
                y[i] = y[i] * x[i]
                _fail(i)
                y[i + 1] = y[i] * 2.0
            else:
                _fail(i + 1)
                y[i] = 3.0 * x[i]
            y = y * 1.5
    except ZeroDivisionError:
        y[0] = y[1]
    return np.sum(y * y)


@program("v")
def loops_left_in_three_ways(x):
    y = x * 1.0
    n = 0
    for j in range(3):
        try:
            for i in range(3):
                y[i] = y[i] * x[i]
                if i == 2 and j == 1:
                    break
                _fail(i + j)
                n += 1
                y = y * 1.1
            else:
                y = y * x
        except ZeroDivisionError:
            y = y + n
        else:
            y = y * 2.0
    return np.sum(y * y)


@program("v")
def result_of_a_handler(x):
    y = x * 1.0
    try:
        for i in range(3):
            y = y * x
            for k in range(3):
                y[k] += x[i]
                _fail(k * i)
    except (ZeroDivisionError, ValueError):
        return np.sum(y)
    return np.sum(y * y)


@program("v")
def result_inside_of_a_loop(x):
    y = x * 1.0
    try:
        for i in range(3):
            y = y * x
            if i == 2:
                return np.sum(y)
            _fail(i + (x[0] > 0))
    except ZeroDivisionError:
        pass
    except ValueError:
        y = y * 2.0
    return np.sum(y * y)


@program("v")
def reads_what_was_raised_and_goes_on(x):
    y = x * 1.0
    for i in range(3):
        try:
            y *= x
            for k in range(2):
                if k == 1 and i == 0:
                    continue
                y = y + x[k]
                _fail(i)
        except ZeroDivisionError as e:
            if len(str(e)) > 5:
                raise
            y[1:] = 2.0
    return np.sum(y * y)


@program("v")
def under_a_manager(x):
    total = 0.0
    out = np.zeros(4)
    try:
        with np.errstate(all="ignore"):
            for i in range(6):
                out[i] = x[i] ** 2
                total = total + out[i]
    except IndexError:
        out[0] = total
    return np.sum(out * x)


@program("v")
def handler_that_may_raise_for_the_one_outside(x):
    y = x * 1.0
    for k in range(4):
        try:
            y = y * x
            try:
                y[k + 1] *= x[0]
                _fail(k)
                y = y * 0.5
            except IndexError:
                y = y * 3.0
                _fail(k - 2)
            y[0] = y[1]
        except ZeroDivisionError:
            y = y + x
    return np.sum(y * y)


@program("v")
def inner_handler_that_leaves_the_loop(x):
    y = x * 1.0
    t = 1.0
    for k in range(3):
        try:
            for i in range(3):
                try:
                    t = t * y[i + k]
                    _fail(k * i)
                    y = y * t
                except IndexError:
                    y = y + x[0]
                    break
                t = t + 1.0
        except ZeroDivisionError:
            t = t * x[1]
    return t * np.sum(y)


@program("v")
def entries_of_a_dict_that_grows(x):
    t = x[0]
    d = {"a": x[1]}
    for k in ("a", "b", "a"):
        try:
            t = t + d[k]
            d[k] = t * 2.0
            t = t * 3
        except KeyError:
            d[k] = x[2]
            t = t - d[k]
    return t * d["a"] * d["b"]


@program("v")
def newton_left_by_an_exception(x):
    y = x[0] + 2.0
    n = 0
    try:
        while n < 20:
            f = y * y - 2.0 - x[1]
            y = y - f / (2.0 * y)
            n += 1
            if abs(f) < 1e-8:
                raise StopIteration  # noqa: TRY301
    except StopIteration:
        y = y * n / n
    return y


@program("v")
def rows_of_different_lengths(x):
    rows = [[1.0, 2.0], [3.0], [1.0, 2.0, 3.0]]
    t = 0.0
    for i, r in enumerate(rows):
        try:
            for j in range(3):
                t = t + r[j] * x[j]
        except IndexError:
            t = t * x[i]
        else:
            t = t - 1.0
    return t


@program("v")
def kind_told_by_its_text(x):
    t = x * 0.0
    try:
        for i in range(4):
            for j in range(4):
                t[i] += x[j]
                if i * j == 2:
                    raise ValueError("two")  # noqa: TRY301
                t *= 1.1
    except (ValueError, IndexError) as err:
        if "two" in str(err):
            t[0] = x[3]
    return np.sum(t * t)


@program("v")
def last_steps_within_last_steps(x):
    y = x * 1.0
    for k in range(3):
        try:
            try:
                y = y * x
                _fail(k)
                y[0] = x[1]
            except IndexError:
                y = y + 1.0
            else:
                y = y * 2
            finally:
                y[1] *= x[2]
            y = y * y
        except ZeroDivisionError:
            y = y + x
        finally:
            y = y * 0.9
    return np.sum(y)


@program("v")
def last_steps_after_a_result(x):
    y = x * 1.0
    n = 0
    try:
        for k in range(3):
            try:
                y = y * x
                if k == 2:
                    return np.sum(y)
                _fail(k)
                y[0] = x[1]
            finally:
                n += 1
                y = y + n
    except ZeroDivisionError:
        y = y * x[0]
    return np.sum(y * y)


@program("v")
def raised_as_something_else(x):
    y = x * 1.0
    for k in range(3):
        try:
            try:
                y = y * x
                _fail(k)
            except ZeroDivisionError:
                raise ValueError("k") from None
        except ValueError:
            y = y * 2.0
    return np.sum(y)


@program("v")
def inner_handler_that_goes_on_to_raise(x):
    y = x * 1.0
    try:
        for k in range(3):
            try:
                y = y * x
                _fail(k)
            except ZeroDivisionError:
                y = y + 1.0
                raise ValueError("k") from None
    except ValueError:
        y = y * 2.0
    return np.sum(y)


@program("v")
def handlers_that_raise_and_last_steps(x):
    y = x * 1.0
    t = 1.0
    for k in range(4):
        try:
            try:
                y[k + 1] *= x[0]
                _fail(k)
                t = t * y[k]
            except ZeroDivisionError:
                t = t + 1.0
                raise
            except IndexError as error:
                t = t * 3.0
                raise ValueError(str(error)) from error
            else:
                t = t - x[1]
            finally:
                y[0] += t
        except ZeroDivisionError:
            t = t + x[1]
        except ValueError:
            y = y * t
    return t * np.sum(y)
