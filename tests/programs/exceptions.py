"""Programs with `try`: the path that was taken is the path that is differentiated."""

from __future__ import annotations

import math

import numpy as np

from tests.programs.corpus import program


def _checked(x, k):
    if k == 1:
        raise ValueError(f"not {k}")
    return x * x * k


def _failing_for_nothing(x, k):
    unused = 6 // (k - 1)
    del unused
    return x * x


@program("v")
def failure_of_what_a_helper_does_not_use(x):
    total = 0.0
    for k in range(3):
        try:
            total = total + _failing_for_nothing(x[k], k)
        except ZeroDivisionError:
            total = total * x[3]
    return total * _failing_for_nothing(x[0], 4)


@program("v", "n")
def division_that_fails(x, n):
    try:
        y = 1.0 / (n - 3)
        z = y * x[0]
    except ZeroDivisionError:
        z = x[1] * x[1]
    return z * x[2]


@program("v", "n")
def division_that_succeeds(x, n):
    try:
        y = x[0] / n
    except ZeroDivisionError:
        y = x[1]
    else:
        y = y * y
    return y * x[2]


@program("v")
def default_kept_where_the_body_fails(x):
    y = x[0] * 2.0
    try:
        y = x[9] * y
    except IndexError:
        pass
    z = x[1]
    try:
        z = z * x[2] * y
    except IndexError:
        pass
    return y * z


@program("s")
def try_in_a_loop(a):
    total = 0.0
    for k in range(4):
        try:
            y = a / (k - 2)
            if y > 0:
                z = y * a
            else:
                z = y * 3
            total = total + z * y
        except ZeroDivisionError:
            total = total * 2.0 + a
        else:
            total = total + a * a
    return total


@program("v")
def retry_with_a_changed_value(x):
    for attempt in range(4):
        try:
            if attempt < 2:
                raise ValueError("again")  # noqa: TRY301
            y = x[attempt] * x[0]
            break
        except ValueError as error:
            x = x * len(str(error))
            continue
        finally:
            x = x + 0.5
    else:
        y = x[0]
    return y * np.sum(x)


@program("v", "n")
def retry_until_it_goes(x, n):
    tries = 0
    shift = n - 3
    while True:
        try:
            tries += 1
            y = np.sum(x * x) / float(1 if shift > 1 else 1 // shift)
            break
        except ZeroDivisionError:
            shift += 1
            x = x * 1.1
    return y * tries


@program("v")
def counter_seen_after_a_failure(x):
    done = 0
    total = 0.0
    for i in range(6):
        step = 0
        try:
            step = 1
            y = x[i]
            step = 2
            done += 1
            z = y * (6 // (i - 1))
            step = 3
            total = total + z
        except (IndexError, ZeroDivisionError):
            total = total + step * x[0]
    return total * done


@program("v")
def exceptions_told_apart(x):
    total = x[3]
    table = {"a": 0, "c": 2}
    for key in ["a", "b", 7, "c", None]:
        try:
            i = table[key]
            y = x[i] * (6 // i)
        except KeyError:
            total = total * x[1]
        except ZeroDivisionError as error:
            total = total + x[2] * len(error.args)
        else:
            total = total + y
    return total


@program("v")
def return_from_try_and_handlers(x):
    try:
        return x[7] * 2
    except IndexError:
        return x[3] * x[0]
    except (KeyError, ValueError):
        pass
    return x[1]


@program("v")
def finally_that_runs_either_way(x):
    log = []
    try:
        y = x[0] * x[1]
        log.append("body")
    finally:
        log.append("finally")
    return y * len(log)


@program("v")
def finally_after_a_return_in_a_loop(x):
    left = []
    for i in range(4):
        try:
            y = x[i] * x[i]
            if y > 0.3:
                return y * x[0]
            if i == 3:
                break
        finally:
            left.append(i)
    return np.sum(x) * len(left)


@program("v")
def finally_with_values(x):
    scale = x[0]
    try:
        y = scale * x[1]
    finally:
        scale = scale * x[2]
    return y * scale


@program("v")
def nested_tries(x):
    total = 1.0
    for i in range(5):
        try:
            y = total * 0.5
            try:
                y = y + x[i]
            except IndexError:
                y = y * x[0]
                if i == 4:
                    raise ValueError("outer") from None
            total = y * y
        except ValueError:
            total = total - x[1]
    return total


@program("v")
def exception_of_a_helper_in_a_loop(x):
    total = 0.0
    for k in range(3):
        try:
            y = _checked(x[k], k)
        except ValueError:
            y = x[3]
        total = total + y * x[0]
    return total


@program("v")
def handlers_that_only_raise(x):
    try:
        y = x[0] * x[1]
        k = int("3")
    except ValueError as error:
        raise RuntimeError(f"cannot parse after {len(x)}") from error
    else:
        y = y * k
    return y


@program("v")
def handler_that_may_raise_again(x):
    total = x[0]
    for i in range(5):
        try:
            total = total * x[i]
        except IndexError as error:
            if i != 4:
                raise
            total = total + len(error.args) * x[1]
    return total


@program("s")
def domain_error_of_math(s):
    try:
        y = math.sqrt(-s)
    except ValueError:
        y = math.sqrt(s)
    return y * s


@program("v")
def loop_inside_a_try_in_a_loop(x):
    total = 0.0
    for j in range(3):
        part = 1.0
        try:
            inner = 1.0
            for i in range(2 + 2 * j):
                inner = inner * x[i] + 0.5
                if inner > 3.0:
                    break
            part = inner * inner
        except IndexError:
            part = part * x[j]
        total = total + part * x[0]
    return total


@program("v")
def try_with_a_while_and_matches(x):
    total = x[0]
    i = 0
    while i < 6:
        i += 1
        try:
            match i % 3:
                case 0:
                    v = x[i]
                case 1:
                    v = total * x[1]
                case _:
                    v = x[0] * (6 // (i - 5))
        except IndexError:
            continue
        except ArithmeticError:
            break
        total = total + v
    return total


@program("v")
def linear_system_that_may_be_singular(x):
    a = np.array([[1.0, 2.0], [2.0, 4.0]])
    try:
        y = np.linalg.solve(a, x[:2])
    except np.linalg.LinAlgError:
        y = np.linalg.solve(a + np.eye(2), x[:2])
    return np.sum(y * y)


@program(("m", 3, 3))
def cholesky_with_growing_jitter(m):
    a = m @ m.T - 0.3 * np.eye(3)
    jitter = 0.0
    for _ in range(8):
        try:
            factor = np.linalg.cholesky(a + jitter * np.eye(3))
            break
        except np.linalg.LinAlgError:
            jitter = 0.3 if jitter == 0.0 else 2.0 * jitter
    else:
        raise RuntimeError("not positive definite")
    return np.sum(np.log(np.diag(factor)))


@program("s", "s")
def safe_newton(a, b):
    x = a
    for _ in range(30):
        try:
            step = (x * x * x - b) / (3.0 * x * x)
        except ZeroDivisionError:
            x = x + 1.0
            continue
        x = x - step
        if abs(step) < 1e-12:
            return x
    return x * 0.0


@program("v")
def roots_or_lines(x):
    total = 0.0
    for i in range(len(x)):
        try:
            root = math.sqrt(x[i] - 0.5)
            term = x[0] / root
        except ValueError:
            term = x[i] * x[1]
        total = total + term
    return total


@program("v")
def root_kept_where_there_is_none(x):
    total = 0.0
    root = 1.0
    for i in range(len(x)):
        try:
            root = math.sqrt(x[i] - 0.5)
        except ValueError:
            total = total + x[i]
        else:
            total = total * root
        total = total + root * x[i]
    return total


@program("v")
def scaled_by_roots_or_moved(x):
    total = 0.0
    last = 1.0
    for i in range(len(x)):
        try:
            last = last * math.sqrt(x[i])
        except ValueError:
            last = last + x[i]
        total = total + last
    return total


@program("v")
def flag_says_whether_it_failed(x):
    total = 0.0
    seen = []
    for i in range(len(x)):
        bad = False
        try:
            root = math.sqrt(x[i])
            scaled = root * x[0]
        except ValueError:
            bad = True
        seen.append(bad)
        if bad:
            total = total * x[i]
        else:
            total = total + scaled * root
    return total * len(seen)


@program("s", "s")
def entries_by_literal_keys_that_may_be_missing(a, b):
    held = {"a": a, "b": b}
    total = 0.0
    for key in ["a", "b", "c", "a"]:
        try:
            total = total + held[key] ** 2
        except KeyError:
            total = total * held["a"]
    return total


@program("v", "n")
def values_of_half_a_try(x, k):
    y = 2.0 * x
    z = 0.0
    try:
        z = y[0] ** 2
        y = y * y
        z = z + y[k]
        y = y + z
    except IndexError:
        pass
    return np.sum(y**2) * z


@program("v")
def values_of_half_a_try_in_a_loop(x):
    y, z = 2.0 * x, 0.0
    for i in range(len(x)):
        try:
            z = z + y[i] ** 2
            y = y * z
            z = z + y[i + 1]
        except IndexError:
            z = z * 3.0
        else:
            z = z + 1.0
        finally:
            y = y * 0.3
    return np.sum(y**2) * z


@program("v")
def a_table_corrected_where_it_can_be(x):
    payment = x[0] * x
    try:
        payment = np.where(x == 1.0, payment / (1.0 + x[1]), payment)
        payment = np.where(x < 0.1, 0.0, payment)
    except IndexError:
        pass
    return np.sum(payment**2)


@program("v", "n")
def writes_of_half_a_try(x, k):
    y = np.zeros(4)
    try:
        y[0] = x[0] ** 2
        y *= 2.0 + x[1]
        y[1] = x[2 * k]
        y[2] = x[3] * y[0]
    except IndexError:
        y[3] = x[1]
    return np.sum(y**2)


@program("v")
def small_entries_set_to_zero_where_there_are_entries(x):
    east, north = x[0], 2.0 * x
    try:
        north[abs(north) < 1e-3] = 0.0
        east[abs(east) < 1e-3] = 0.0
    except TypeError:
        east = 0.0 if abs(east) < 1e-3 else east
    return np.sum(np.hypot(east, north))


@program("v")
def updates_in_handlers_of_half_a_try(x):
    y = 2.0 * x
    same = y
    try:
        same[1] = 0.5
        y[0] = x[len(x)]
    except IndexError:
        y *= 0.9
        y[2:] *= x[0]
    return np.sum(same**2)


@program("v")
def parts_written_before_a_failure(x):
    held = (2.0, 1.0 * x)
    try:
        held[1][:] /= 2.0
        held[2][:] /= 2.0
    except IndexError:
        pass
    return np.sum(held[1] ** 2)


@program("v")
def number_made_an_array_in_a_try(x):
    radius, other = x[0] * x[1], np.sum(x)
    try:
        radius = np.atleast_1d(radius)
        other = np.atleast_2d(other * np.ones(2)) * x[2]
    except NameError:
        pass
    return np.sum(radius**2) + np.sum(other**2)


@program("v")
def array_made_a_number_in_a_try(x):
    total = 2.0 * x
    for k in range(3):
        try:
            part = total * x
            part = np.sum(_checked(part, k))
            total = part * x
        except ValueError:
            pass
    return np.sum(total)


@program("v")
def chosen_elements_in_two_tries(x):
    rate = 2.0 + x * x
    when = np.floor(rate)
    paid = rate * x
    try:
        paid = np.where(when == 2.0, paid / rate, paid)
        paid = np.where(np.logical_and(when == 2.0, x < 0.0), 0.0, paid)
    except IndexError:
        pass
    return np.sum(paid**2)


@program("v")
def updated_in_a_finally_of_each_trip(x):
    known = {"a": x[0]}
    total = 0.0
    for key in ("a", "b"):
        try:
            total += known[key]
        except KeyError:
            total += x[1] ** 2
        finally:
            total *= x[2]
    return total


@program("v")
def updated_in_finallys_within_another(x):
    known = {"a": x[0]}
    total = 0.0
    for key in ("a", "b", 3):
        try:
            try:
                total += known[key]
            except KeyError:
                if key == 3:
                    raise TypeError from None
                total += x[1] ** 2
            else:
                total *= 2
        except TypeError:
            total += x[2]
        finally:
            total *= x[3 % x.size]
    return total
