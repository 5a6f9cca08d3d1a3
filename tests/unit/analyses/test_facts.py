"""What analyses say of small programs: shapes, lengths of axes, variation, masks."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from srcgrad.analyses.activity import activity
from srcgrad.analyses.dimensions import Dimensions
from srcgrad.analyses.float_names import float_names
from srcgrad.analyses.index_arrays import index_arrays
from srcgrad.analyses.inner_lists import inner_lists
from srcgrad.analyses.integers import Integers
from srcgrad.analyses.selectors import _MOST_PARTS, EVERYWHERE, STEEP, STEEP_AT_THE_EDGE, Mask, both
from srcgrad.analyses.shapes import Shapes
from srcgrad.analyses.storage import storage
from srcgrad.analyses.unpacking import Part, of_parts
from srcgrad.analyses.variation import Variation
from srcgrad.analyses.zeros import tells_truth, zero_outside
from srcgrad.compiler.doctesting import parse, program_of, reader_of, text
from srcgrad.ir import gast
from srcgrad.ir.displays import is_plain_number, makes_list
from srcgrad.ir.program import is_store
from srcgrad.ir.walk import statements


def _node(source: str) -> Any:
    return gast.parse(source, mode="eval").body


def _program(line: str, *active: str) -> Any:
    return program_of(
        f"\ndef f(x, y, n):\n    a = {line}\n    return np.sum(a)\n", *active or ("x",)
    )


SHAPES = {
    "np.sin(x)": {"x"},
    "x * y": {"x", "y"},
    "np.add(x, y)": {"x", "y"},
    "x * 2.0": {"x"},
    "np.sum(x)": set(),
    "np.max(x)": set(),
    "np.sum(x, axis=0)": {"a"},
    "np.cumsum(x)": {"a"},
    "np.zeros_like(x)": {"x"},
    "np.zeros_like(x, shape=(3,))": {"a"},
    "np.zeros_like(x, float, 'C', True)": {"x"},
    "np.zeros_like(x, float, 'C', True, (3,))": {"a"},
    "np.roll(x, 1)": {"x"},
    "np.where(x > 0, x, y)": {"x", "y"},
    "np.modf(x)": {"a"},
    "np.matmul(x, y)": {"a"},
    "abs(x)": {"x"},
    "len(x) * 1.0": set(),
}


@pytest.mark.parametrize("line", SHAPES)
def test_the_shape_of_a_step_is_that_of_some_names(line: str) -> None:
    program = _program(line)
    shapes = Shapes(program, Integers(program))
    last = [s for s in program.body if isinstance(s, gast.Assign)][-2]
    assert set(shapes.of(last.targets[0])) == SHAPES[line]  # its own where nothing is known


@pytest.mark.parametrize(("m", "k", "n"), [(2, 3, 4), (5, 3, 2)])
def test_a_product_of_matrices_has_the_rows_of_one_and_the_columns_of_the_other(
    m: int, k: int, n: int
) -> None:
    source = f"""
def f(x):
    a = np.ones(({m}, {k}))
    b = np.ones(({k}, {n}))
    v = np.ones({k})
    w = np.ones({m})
    c = a @ b
    d = a @ v
    e = w @ a
    g = v @ v
    h = np.ones((6, {m}, {k})) @ b
    return np.sum(c * x) + np.sum(d) + np.sum(e) + g + np.sum(h)
"""
    program = program_of(source, "x")
    integers = Integers(program)
    dimensions = Dimensions(program, integers, Shapes(program, integers), assume=True)
    found = {
        s.targets[0].id: dimensions.of(s.targets[0])
        for s in program.body
        if isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name)
    }
    shapes_of = [(m, k), (k, n), (m, n), (m,), (k,), (), (6, m, n)]
    assert [found[name] for name in "abcdegh"] == shapes_of


@pytest.mark.parametrize(
    "line", ["x @ w + b", "x @ w - b", "b + x @ w", "x @ w * b", "b / (x @ w)"]
)
def test_one_row_is_what_is_added_to_a_product_and_nothing_else(line: str) -> None:
    program = program_of(f"def f(w, b, x):\n    return np.sum(np.sin({line}), axis=0)", "w", "b")
    integers = Integers(program)
    dimensions = Dimensions(program, integers, Shapes(program, integers), assume=True)
    added = "+" in line or "-" in line
    wanted = "b.shape == w.shape[1:]" if added else "np.ndim(b) <= 2"
    assert dimensions.conditions == ("x.ndim == 2", "w.ndim == 2", wanted)


SAME_OBJECTS = {
    "b = a\nc = b\nc.append(x)": {"a", "b", "c"},
    "c = b\nb = a\na.append(x)": {"a", "b", "c"},
    "b = a\nc = a\nc.append(x)": {"a", "b", "c"},
    "b = a\nc = d\nc.append(x)": {"c", "d"},
    "b = a\nc = d\nc.append(n)": set(),
}


@pytest.mark.parametrize("lines", SAME_OBJECTS)
def test_copies_of_a_list_that_is_changed_vary_all_or_none(lines: str) -> None:
    program = program_of("def f(x, n): return x")
    program.body = parse(f"\n{lines}\n")
    assert activity(program, tuple("abcd")).active - {"x"} == SAME_OBJECTS[lines]


LOOPS = {
    "a = x.copy()\n        a[0] = 2.0\n        b = a[1:]": False,
    "a = x.copy()\n        a[0] = 2.0\n        b = a[1:]\n        c = x * 2.0": False,
    "a = x[:2]\n        a[0] = 2.0\n        b = x[1:]": True,
    "b = d[1:]\n        d[0] = 2.0": True,
}


@pytest.mark.parametrize("lines", LOOPS)
def test_what_a_trip_makes_is_not_written_by_the_next(lines: str) -> None:
    program = program_of(
        f"def f(x):\n    d, out = x.copy(), np.zeros(2)\n    for i in range(2):\n        {lines}\n"
        "        out[:] = b\n    return np.sum(out)"
    )
    integers = Integers(program)
    shapes = Shapes(program, integers)
    dimensions = Dimensions(program, integers, shapes, assume=True)
    memory = storage(program, shapes, dimensions, integers)
    (read,) = [s for s in statements(program.body) if is_store(s) and text([s]) == "out[:] = b"]
    assert memory.written_after("b", read) is LOOPS[lines]


VARIATION = {
    "a = x": {"a"},
    "a = 2.0": set(),
    "a = n + 1": set(),
    "a = x.shape": set(),
    "a: float": set(),
    "a: float = x": {"a"},
    "a: float = n": set(),
    "a += x": {"a"},
    "a += n": set(),
    "a, b = x": {"a", "b"},
    "a = b = x": {"a", "b"},
    "a, b = np.zeros(3), np.zeros(3)\na[0] = x": {"a"},
    "a = b = np.zeros(3)\na[0] = x": {"a", "b"},
    "for a in x:\n    b = a": {"a", "b"},
    "for a in range(len(x)):\n    b = a": set(),
    "a.append(x)": {"a"},
    "a.append(n)": set(),
    "b = a\na[0] = x": {"a", "b"},
    "b = np.copy(a)\na[0] = x": {"a", "b"},
    "if n:\n    a = x": {"a"},
    "while n:\n    a = x": {"a"},
}


WRITTEN = {
    "a, d = b, c": {"a", "b", "c", "d"},
    "a, d = b[1:], np.zeros(3)": {"a", "b", "d"},
    "a = b[1:]": {"a", "b"},
    "for a in b:": {"a", "b"},
    "for a, d in zip(b, c):": {"a", "b", "c", "d"},
    "a = [b, np.zeros(3)]": {"a", "b"},
    "a = b if n else c": {"a", "b", "c"},
    "a = b + c": {"a"},
    "a = np.asarray(b)": {"a", "b"},
    "a = np.sin(b)": {"a"},
    "a = b.T": {"a", "b"},
    "a = d = b": {"a", "b", "d"},
    "d = b[1:]\na = d.T": {"a", "b", "d"},
    "a = np.zeros(3)": {"a"},
    "a = (b, c)[n]": {"a", "b", "c"},
    "a = {n: b}": {"a", "b"},
    "a = np.copy(b)": {"a"},
    "a = np.where(n, b, c)": {"a"},
}
"""What varies if `x` is written into `a`, which is made so of `b` and `c`."""


@pytest.mark.parametrize("lines", WRITTEN)
def test_what_is_written_into_varies_with_what_it_is_made_of(lines: str) -> None:
    variation = Variation(["x"], program_of("def f(x, n): return x").reader)
    last = lines.rpartition("\n")[2].startswith("for")
    write = "\n    a[0] = x" if last else "\na[0] = x"
    variation.spread(parse(f"b = np.zeros(3)\nc = np.zeros(3)\n{lines}{write}"))
    assert variation.names - {"x"} == WRITTEN[lines]


@pytest.mark.parametrize("lines", VARIATION)
def test_what_may_vary_is_followed(lines: str) -> None:
    variation = Variation(["x"], program_of("def f(x, n): return x").reader)
    variation.spread(parse(f"\n{lines}\n"))
    assert variation.names - {"x"} == VARIATION[lines]


def test_entries_that_may_be_lists_are_found_however_deep_they_lie() -> None:
    program = program_of("""
def f(x):
    row = [x, x]
    rows = [row, row]
    tables = [rows, rows]
    table = tables[0]
    line = table[1]
    entry = line[0]
    return entry + line[1] + table[0][0]
""")
    assert {"table", "line"} <= inner_lists(program)
    assert "entry" not in inner_lists(program)


A, B = Mask(_node("a"), least=STEEP), Mask(_node("b"), least=STEEP_AT_THE_EDGE)


def _shown(mask: Any) -> Any:
    return mask if mask is EVERYWHERE else text([gast.Expr(mask.truth())]).strip()


def test_elements_in_two_masks_are_in_both() -> None:
    assert both(EVERYWHERE, EVERYWHERE) is EVERYWHERE
    assert both(A, EVERYWHERE) is A
    assert both(EVERYWHERE, A) is A
    assert both(A, A) is A
    found = both(A, B)
    assert found is not None
    assert _shown(found) == "np.logical_and(a, b)"
    assert found.parts == A.parts + B.parts
    assert found.least == min(A.least, B.least)
    assert _shown(both(Mask(_node("a"), holds=False), B)) == "np.logical_and(np.logical_not(a), b)"


def test_of_very_many_masks_the_last_is_taken() -> None:
    last = Mask(_node("z"))
    fits, too_many = Mask(_node("a"), parts=_MOST_PARTS - 1), Mask(_node("a"), parts=_MOST_PARTS)
    assert _shown(both(fits, last)) == "np.logical_and(a, z)"
    assert both(too_many, last) is last


PARTS = {
    "all used": ([Part("a", True, EVERYWHERE), Part("b", True, EVERYWHERE)], EVERYWHERE),
    "the first": ([Part("a", True, EVERYWHERE), Part("b", False, EVERYWHERE)], "picked(0, s)"),
    "the last": ([Part("a", False, EVERYWHERE), Part("b", True, EVERYWHERE)], "picked(1, s)"),
    "two of three": (
        [Part(n, n != "b", EVERYWHERE) for n in "abc"],
        "picked([0, 2], s)",
    ),
    "none": ([Part("a", False, EVERYWHERE), Part("b", False, EVERYWHERE)], "picked([], s)"),
    "some of one": ([Part("a", True, B), Part("b", False, EVERYWHERE)], "picked(0, s, b)"),
    "not a masked one": ([Part("a", False, B), Part("b", True, EVERYWHERE)], "picked(1, s)"),
}


@pytest.mark.parametrize(("parts", "wanted"), PARTS.values(), ids=PARTS)
def test_what_is_unpacked_is_used_where_its_parts_are(parts: list[Part], wanted: Any) -> None:
    assert _shown(of_parts("s", parts)) == wanted


TRUTHS = {
    "x > 0": True,
    "x == y": True,
    "0 < x < 1": False,
    "x in y": False,
    "~(x > 0)": True,
    "-(x > 0)": False,
    "(x > 0) & (y > 0)": True,
    "(x > 0) | m": True,
    "(x > 0) * (y > 0)": False,
    "(x > 0) & y": False,
    "m": True,
    "y": False,
}


@pytest.mark.parametrize("source", TRUTHS)
def test_expressions_of_truth_values_are_told(source: str) -> None:
    assert tells_truth(_node(source), {"m"}) == TRUTHS[source]


def _step(primal: Any, *args: str, kind: str = "primitive") -> Any:
    return SimpleNamespace(kind=kind, primal=primal, args=tuple(map(_node, args)))


ZEROS = {
    "truth": (_step(np.asarray, "x > 0"), "x > 0", STEEP),
    "known": (_step(np.copy, "k"), "c", STEEP),
    "twice": (_step(np.multiply, "k", "2.0"), "c", STEEP),
    "twice, the other way": (_step(np.multiply, "2.0", "k"), "c", STEEP),
    "by what varies": (_step(np.multiply, "k", "x"), None, None),
    "heaviside": (_step(np.heaviside, "x", "0.0"), "x > 0", STEEP),
    "heaviside with a half": (_step(np.heaviside, "x", "0.5"), None, None),
    "where": (_step(np.where, "m", "x", "0.0"), "m", STEEP_AT_THE_EDGE),
    "where of a constant": (_step(np.where, "m", "2.0", "0"), "m", STEEP),
    "where of a negative": (_step(np.where, "m", "-2.0", "0"), "m", STEEP),
    "where, the other way": (
        _step(np.where, "m", "0.0", "x"),
        "np.logical_not(m)",
        STEEP_AT_THE_EDGE,
    ),
    "where without zero": (_step(np.where, "m", "x", "1.0"), None, None),
    "where of one": (_step(np.where, "m"), None, None),
    "another": (_step(np.sin, "k"), None, None),
    "no primitive": (_step(np.copy, "k", kind="call"), None, None),
    "nothing": (_step(np.copy), None, None),
}


@pytest.mark.parametrize(("step", "mask", "least"), ZEROS.values(), ids=ZEROS)
def test_where_a_step_is_surely_zero(step: Any, mask: str | None, least: Any) -> None:
    found = zero_outside(step, {"m"}, {"k": Mask(_node("c"), least=STEEP)})
    assert (None if found is None else _shown(found)) == mask
    assert found is None or found.least == least


FLOATS = {
    "a = x": "a",
    "a = 2.0": "a",
    "a = 2": "",
    "a = n": "",
    "a = n / 2": "a",
    "a = n // 2": "",
    "a = n * x": "a",
    "a = -n": "",
    "a = not x": "",
    "a = x > 0": "",
    "a = np.zeros(3)": "a",
    "a = np.zeros(3, int)": "",
    "a = np.zeros(3, dtype=float)": "a",
    "a = np.zeros_like(n)": "",
    "a = np.zeros_like(x)": "a",
    "a = np.full(3, n)": "",
    "a = np.full(3, 1.0)": "a",
    "a = np.array([1, 2])": "",
    "a = np.array([1, x])": "a",
    "a = np.argmax(x)": "",
    "a = x.astype(int)": "",
    "a = x.T": "a",
    "a = x.size": "",
    "a, b = x, n": "a",
    "a, (b, c) = x, (n, x)": "a c",
    "a = x[0]": "a",
    "a = (1, x)[0]": "",
    "d = [1, x]; a = d[0]": "d",
    "d = [1.0, x]; a = d[0]": "a d",
    "d = [x, x]; a, b = d": "a b d",
    "d = [1, x]; a, b = d": "d",
    "d = {'k': x}; a = d['k']": "a d",
    "d = [1] + [x]; a = d[0]": "d",
    "d = [x] * 2; a = d[0]": "a d",
    "d = []; d.append(n); a = d[0]": "",
    "d = []; d.append(x); a = d[0]": "a d",
    "for a in x: b = a": "a b",
    "for a in range(3): b = a": "",
    "for a in (1, 2): b = a": "",
    "for a in (1, 2.0): b = a": "",
    "for a in [0.5, 2.0]: b = a": "a b",
    "for a, b in ((1, 0.5), (2, 1.5)): c = b": "b c",
    "for a, b in enumerate(x): c = a": "b",
    "for a, b in zip(x, (1, 2)): c = a": "a c",
    "for a in reversed([1, 2]): b = a": "",
    "for a in reversed([x, x]): b = a": "a b",
    "for a in {'k': 1}.values(): b = a": "",
    "for a in {1: x}.values(): b = a": "a b",
    "for a, b in {1: x}.items(): c = b": "b c",
    "for a in {1: x}: b = a": "",
    "d = {1: x}\nfor a in d: b = d[a]": "b d",
    "d = dict(); d[1] = x\nfor a in d: b = a": "",
    "for a in itertools.chain([x], (1, 2)): b = a": "",
    "for a, b in itertools.product(range(2), x): c = b": "",
    "for a, b in itertools.combinations(x, 2): c = b": "a b c",
    "while n: a = x\na = 1": "",
    "a = x if n else 1": "",
    "a = x if n else 1.0": "a",
    "a = x or 2": "",
    "a = None": "a",
    "a = [n]": "",
    "a = [1, 2]": "",
    "a = [1, x]": "a",
    "a = [x, n]": "",
    "a = ()": "a",
    "a = {1: n}": "",
    "a = n or x": "",
    "a = n.real": "",
    "a = -x": "a",
    "a = n - x": "a",
    "a = n - 1": "",
    "a = np.pi": "a",
    "a = np.inf": "a",
    "a = np.newaxis": "",
    "a = np.zeros(3, x.dtype)": "a",
    "a = np.zeros(3, n.dtype)": "",
    "a = np.zeros(3, 'f8')": "a",
    "a = np.zeros(3, 'what')": "",
    "a = np.add(n, n)": "",
    "a = np.add(n, x)": "a",
    "a = np.sqrt(n)": "a",
    "a = np.maximum(n, 1)": "",
    "a = np.where(x, n, 1)": "",
    "a = np.where(n, x, n)": "a",
    "a = np.sum(n)": "",
    "a = np.mean(n)": "a",
    "a = np.cumsum(x)": "a",
    "a = np.floor_divide(n, 2)": "",
    "a = np.concatenate([n, x])": "a",
    "a = np.stack([n, n])": "",
    "a = np.where(x, 0, 1)": "",
    "d = [x]; e = d + [n]; a = e[0]": "d e",
    "d = (x, n); a, b = d": "",
    "d = [[n], [x]]; a = d[0]": "",
    "d = [x, x] if n else [1.0]; a = d[0]": "a d",
    "d = [x, x] if n else [1]; a = d[0]": "",
    "d = [x]; e = d + ([n] if n else x); a = e[0]": "d e",
    "d = [x]; e = d + (x if n else [n]); a = e[0]": "d e",
    "for a in ({n: x} if n else x): b = a": "",
    "a = helper(n, dtype=float)": "",
    "a = helper(x, x)": "",
    "a = n.tolist(); b = a[0]": "",
    "d = [0] * 3; d[1] = x; a = d[0]": "",
    "d = [0.0] * 3; d[1] = n; a = d[0]": "",
    "d = np.zeros(3); d[1] = n; a = d[0]": "a d",
    "for a in x.values(): b = a": "a b",
    "for a, b in zip(x, x, x): c = a": "a b c",
    "for a in [x, n]: b = a": "",
    "for a in (x, x): b = a": "a b",
    "for a in reversed((x, 1)): b = a": "",
}


@pytest.mark.parametrize("lines", FLOATS)
def test_floats_are_told_from_what_may_be_whole(lines: str) -> None:
    program = program_of("def f(x, n): return x")
    known = {f.__name__: f for f in (range, zip, enumerate, reversed, dict)}
    program.reader = reader_of(itertools=itertools, helper=_node, **known)
    program.body, program.inputs = parse(f"\n{lines}\n"), ("x",)
    assert " ".join(sorted(float_names(program) - {"x"})) == FLOATS[lines]


INDEX_ARRAYS = {
    "a = np.argsort(x)": "a",
    "a = np.argsort(x)\nb = a + 1": "a b",
    "a = np.argsort(x)\nb = 1 - a": "a b",
    "a = np.argsort(x)\nb = a - a": "a b",
    "a = np.argsort(x)\nb = a * 2": "a",
    "a = np.argsort(x)\nb = a + x": "a",
    "a = np.argsort(x)\nb = a + 1.5": "a",
    "a = np.argsort(x)\nb = a": "a b",
    "a = np.argsort(x)\nb = 1 + 2": "a",
    "a = np.argsort(x, 0)": "",
    "a = np.sort(x)": "",
    "a = n": "",
    "a = np.argsort(x)\na = x": "",
    "for a in x: b = a": "",
    "a = np.argsort(x)\nfor a in x: b = a": "",
    "a, b = x, np.argsort(x)": "",
}


@pytest.mark.parametrize("lines", INDEX_ARRAYS)
def test_arrays_of_positions_are_told(lines: str) -> None:
    program = program_of("def f(x, n): return x")
    program.body = parse(f"\n{lines}\n")
    assert " ".join(sorted(index_arrays(program))) == INDEX_ARRAYS[lines]


LISTS = {
    "[1, x]": True,
    "[x for x in y]": True,
    "[x] * n": True,
    "n * [x]": True,
    "xs + [x]": True,
    "[x] + xs": True,
    "xs + ys": False,
    "[x] - xs": False,
    "(1, x)": False,
    "list(x)": False,
    "{1: x}": False,
}


@pytest.mark.parametrize("source", LISTS)
def test_displays_of_lists_are_told(source: str) -> None:
    assert makes_list(_node(source)) is LISTS[source]


@pytest.mark.parametrize("line", ["-1.0", "-(-2)", "2", "float('inf')", "-float('inf')", "np.pi"])
def test_numbers_that_are_written_out_are_known_as_such(line: str) -> None:
    assert is_plain_number(_node(line), _program("x").reader.scope)
    number = eval(line, {"np": np})
    assert type(number) in (int, float)


@pytest.mark.parametrize(
    "line",
    [
        *("x", "-x", "not 1", "1j", "True", "'a'", "None", "n.real", "-n.real", "-True"),
        *("float(x)", "int('3')", "float(1.0, 2.0)", "float(x=1.0)", "-float(x)", "np.sin", "np"),
    ],
)
def test_other_expressions_are_not_taken_for_numbers_that_are_written_out(line: str) -> None:
    assert not is_plain_number(_node(line), _program("x").reader.scope)
