"""Statements of every kind in small programs."""

from __future__ import annotations

import math

import numpy as np

from tests.programs.corpus import program


@program("v")
def chained_targets(x):
    a = b = x * 2
    c = d = lambda v: v**2
    return np.sum(c(a) * d(b))


@program("v")
def annotated(x):
    f: object = np.sin
    y: float = x[0] * 2
    return np.sum(f(x)) * y


@program("v")
def aug_known(x):
    k = 2
    k += 1
    y = x[0]
    y **= k
    y -= x[1]
    y /= x[2]
    return y


@program("v")
def if_known(x):
    k = {"a": 1}
    if "a" in k and k is not None:
        return np.sum(x * x)
    return np.sum(x)


class Bag:
    def __init__(self, v):
        self.v = v
        self.n = 0

    def add(self, v):
        self.v += v
        self.n += 1
        return self


@program("v")
def object_updates(x):
    b = Bag(x[0])
    b.v += x[1]
    b.v *= x[2]
    b.add(x[3]).add(x[0])
    return b.v**2 * b.n


@program("v")
def assert_known(x):
    assert x.ndim == 1, "vector"
    assert len(x) > 2
    return np.sum(x * x)


@program("v")
def early(x):
    for i in range(4):
        if x[i] > 1.0:
            return x[i] ** 2
    return x[0]
    return x[1]


@program("v")
def match_star(x):
    match [x[0], x[1], x[2], x[3]]:
        case [a, *mid, b]:
            return a * b + sum(mid) ** 2
    return x[0]


@program("v")
def match_map(x):
    match {"k": "sq", "v": x[0]}:
        case {"k": "sq", "v": v}:
            return v * v
        case {"k": "lin"}:
            return x[1]
    return x[2]


@program("v")
def match_or(x):
    n = len(x)
    match n:
        case 1 | 2 | 3:
            return x[0]
        case 4 if x[0] > 0:
            return x[1] ** 2
        case _:
            return x[2]


@program("v")
def match_class(x):
    match x[0]:
        case float(v):
            return v * v * x[1]
        case v:
            return v * x[2]


@program("v")
def match_none(x, k=None):
    match k:
        case None:
            return x[0] ** 2
        case True:
            return x[1]
        case "a":
            return x[2]
    return x[3]


@program("v")
def match_tuple(x):
    match (x[0], len(x)):
        case (v, 4):
            return v * v
        case (v, _):
            return v
    return x[0]


@program("v")
def match_as(x):
    match [x[0], x[1]]:
        case [a, b] as both:
            return a * b * both[0]
    return x[0]


@program("v")
def gen_sum(x):
    return sum(v * w for v in x for w in x if w > v)


@program("v")
def nested_comp(x):
    return np.sum(np.array([[v * w for v in x] for w in x]))


@program("v")
def set_of_ints(x):
    return sum(x[i] * x[i] for i in (0, 2))


@program("v")
def fold_max(x):
    return max((v * v for v in x), default=0.0) * min(x[0], x[1], x[2])


@program("v")
def fold_key(x):
    return max(x, key=lambda v: -v * v) * x[1]


@program("v")
def fold_sorted(x):
    a, b, *_ = sorted(x, key=lambda v: -v)
    return a * b


@program("v")
def fold_sum_start(x):
    return sum([v * v for v in x], x[0])


@program("v")
def fold_any(x):
    return np.sum(x) if any(v > 1 for v in x) and all(v > 0 for v in x) else x[0]


@program("v")
def fold_prod(x):
    return math.prod([v + 1.0 for v in x]) * math.prod(x)


@program("v")
def fsum(x):
    return math.fsum(v * v for v in x)


@program("v")
def hypot(x):
    return math.hypot(x[0], x[1]) * math.dist((x[0], x[1]), (x[2], x[3]))


@program("v")
def star_mid(x):
    a, *m, b = x
    return a * b + sum(m)


@program("v")
def nested_unpack(x):
    (a, b), c = (x[0], x[1]), x[2]
    return a * b * c


@program("v")
def swap(x):
    a, b = x[0], x[1]
    a, b = b * 2, a
    return a * a * b


@program("v")
def unpack_ifexp(x):
    a, b = (x[0], x[1]) if x[2] > 0 else (x[1], x[0])
    return a * a * b


@program("v")
def and_or(x):
    a = x[0] or x[1]
    b = x[2] and x[3]
    return a * b


@program("v")
def try_all(x):
    try:
        y = np.log(np.abs(x[0]) + 0.5)
        if y > 10:
            raise ValueError("a")  # noqa: TRY301 - the handler below is meant
    except (ValueError, TypeError):
        y = x[1]
    else:
        y = y * x[2]
    finally:
        z = x[3] * 2
    return y * z


@program("v")
def while_else(x):
    t = x[0] ** 2 + 0.5
    n = 0
    while t < 3:
        t = t * 1.5
        n += 1
        if n > 20:
            break
    else:
        t = t * x[1]
    return t


@program("v")
def del_name(x):
    y = x * 2
    z = y * x
    del y
    return np.sum(z)


@program("v")
def long_names(x):
    an_extremely_long_name_of_a_variable_that_wraps = np.sin(x) * np.cos(x)
    another_extremely_long_name_of_a_variable = an_extremely_long_name_of_a_variable_that_wraps * 2
    return np.sum(
        an_extremely_long_name_of_a_variable_that_wraps * another_extremely_long_name_of_a_variable
        + an_extremely_long_name_of_a_variable_that_wraps / 3
    )


@program("v")
def scan(x):
    ys = [x[0]]
    for v in x[1:]:
        ys.append(ys[-1] * 0.5 + v)
    return np.sum(np.array(ys) ** 2)


@program("v")
def searching(x):
    for i in range(len(x)):
        if x[i] > 0.5:
            found = x[i] ** 2
            break
    else:
        found = x[0]
    return found * 2


@program("v")
def best(x):
    b = x[0]
    for v in x:
        b = max(b, v)
    return b * b


@program("v")
def index_of(x):
    i = int(np.argmax(x))
    return x[i] * x[i - 1]


@program("v")
def out_par(x):
    y = np.empty(4)
    np.multiply(x, x, out=y)
    np.add(y, x, out=y, where=x > 0.5)
    np.sin(y, y)
    return np.sum(y)


@program("v")
def copyto_where(x):
    y = np.zeros(4)
    np.copyto(y, x * x, where=x > 0.5)
    np.putmask(y, x < 0.35, x * 3)
    np.put(y, [0], x[1])
    np.place(y, np.array([True, False, False, False]), [5.0])
    return np.sum(y * x)


@program("v")
def fill_diag(x):
    m = np.outer(x, x)
    np.fill_diagonal(m, x[0])
    m.fill(2.0)
    m[0] = x
    return np.sum(m * m)


@program("v")
def sort_inplace(x):
    y = x * x
    y.sort()
    return y[0] * y[-1] * 2


@program("v")
def add_at_(x):
    y = np.zeros(3)
    np.add.at(y, [0, 1, 0, 2], x)
    np.subtract.at(y, [0, 1], x[:2])
    return np.sum(y**2)


@program("v")
def trapz(x):
    return np.trapezoid(x * x, dx=0.5)


@program("v")
def raise_own(x):
    if x[0] > 10:
        raise ValueError(f"too large: {x[0]}")
    return np.sum(x**2)


COUNT = 0
