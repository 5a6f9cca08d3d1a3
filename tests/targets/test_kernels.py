"""Calculations by element become kernels: which are put together, and what is left as it is."""

from __future__ import annotations

import ast
import importlib

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.codegen.tracebacks import LineMap, UserLine
from srcgrad.runtime.kernels import KernelCode, NoKernelError, _agree, one_kernel
from srcgrad.targets.arrays.kernels import with_kernels
from tests.doubles.cupy_module import CUPY, installed

HEAD = "from srcgrad.runtime.cupy import np\nfrom srcgrad.runtime.cupy import unbroadcast\n\n\n"


def written(*lines, parameters="x, w"):
    text = HEAD + f"def f({parameters}):\n" + "".join(f"    {line}\n" for line in lines)
    found, _ = with_kernels(text, LineMap(), CUPY)
    return found


def kernels_of(text):
    tree = ast.parse(text)
    return [node for node in tree.body if getattr(node, "name", "").startswith("kernel")]


def test_statements_in_a_row_and_what_is_returned_are_one_kernel():
    text = written("y = x * w", "z = np.tanh(y)", "return np.sum(z * z), (1 - z * z) * w")
    (kernel,) = kernels_of(text)
    assert "part, part_2 = kernel(x, w)" in text
    assert "return np.sum(part), part_2" in text
    assert ast.unparse(kernel.body[-1]) == "return (z * z, (1 - z * z) * w)"


@pytest.mark.parametrize(
    "lines",
    [
        ["y = x * w", "return y"],  # one operation is a kernel anyhow
        ["n = len(x)", "k = (n + 1) % 3 * 2", "return x[k]"],  # numbers
        ["y = x @ w", "return y"],
        ["y = f(x) * w", "return y"],  # nobody knows what is written
        ["y = x.copy()", "y += x", "return y"],
    ],
)
def test_what_is_no_group_stays(lines):
    text = HEAD + "def f(x, w):\n" + "".join(f"    {line}\n" for line in lines)
    assert with_kernels(text, LineMap(), CUPY)[0] == text


def test_what_a_loop_hands_on_is_bound_anew():
    text = written(
        "a = b = 0.0",
        "for u in x:",
        "    c = a * u + b",
        "    a = c + u",
        "    b = c - a",
        "return a * w",
    )
    assert "a, b = kernel(u, a, b)" in text.replace("kernel(a, u, b)", "kernel(u, a, b)")


def test_parts_are_read_before_and_not_of_what_is_bound():
    text = written("y = x[1:] - x[:-1] * w", "z = y[1:] * 2.0 - y[:-1]", "return z * z * w")
    first, second = kernels_of(text)
    assert [item.arg for item in first.args.args] == ["x_part", "x_part_2", "w"]
    assert "kernel_2(y[1:], y[:-1], w)" in text
    assert len(second.body) == 2


def test_parts_of_a_statement_that_may_write_stay():
    text = written("y = x * 2.0 * w", "put(y * y * w)", "return y")
    assert "put(y * y * w)" in text


def test_lines_lead_to_those_of_the_user():
    text = HEAD + "def f(x, w):\n    y = x * w\n    z = np.exp(y)\n    return z * y\n"
    lines = LineMap({6: UserLine("m.py", 2), 7: UserLine("m.py", 3), 8: UserLine("m.py", 4)})
    found, moved = with_kernels(text, lines, CUPY)
    rows = found.splitlines()
    for said, line in (("y = x * w", 2), ("z = np.exp(y)", 3), ("return kernel(x, w)", 4)):
        place = next(n for n, row in enumerate(rows, 1) if row.strip() == said)
        assert moved.at(place).line == line


def code_of(text, *args):
    (tree,) = ast.parse(text).body
    return KernelCode(tree, args, "pow({0}, {1})")


X, S, MASK, PLACES = np.ones(3), np.ones(3, np.float32), np.ones(3, bool), np.ones(3, int)


def test_code_has_the_type_of_the_arrays():
    code = code_of("def k(x, a):\n    return np.where(x > a, x * a, -x)", S, 2.0)
    assert (code.given, code.returned) == ("float32 a0, float32 a1", "float32 o0")
    code = code_of("def k(x, m):\n    y = x * 2\n    return m & (y < 1.0), y", X, MASK)
    assert (code.given, code.returned) == ("float64 a0, bool a1", "bool o0, float64 o1")


@pytest.mark.parametrize(
    ("text", "args"),
    [
        ("def k(x, n):\n    return x * (6 // n)", (X, 2)),  # n may be 0, which raises
        ("def k(x, n):\n    m = n + 1\n    return x / (1 / m)", (X, 2)),
        ("def k(x, p):\n    return x * p", (X, PLACES)),
        ("def k(x, p):\n    return x * p", (X, S)),
        ("def k(x, m):\n    return x + m", (X, MASK)),
        ("def k(x):\n    return x % 2.0", (X,)),
        ("def k(x, p):\n    return np.sin(x * p)", (X, X.astype("f4"))),
        ("def k(x, p):\n    return x * p", (X, MASK.astype(int))),
        ("def k(x):\n    return x * 1e999", (X,)),
        ("def k(x):\n    return x * 2j", (X,)),
        ("def k(x, m):\n    return np.where(x, x, m)", (X, X)),
        ("def k(x, m):\n    return m & x", (X, MASK)),
        ("def k(x, m):\n    return -m * x", (X, MASK)),
        ("def k(a, b):\n    return a * b", (1.0, 2.0)),
        ("def k(x, s):\n    return x * (1.0 - 0.3 * s)", (S, 2.0)),  # Python has more digits
    ],
)
def test_no_kernel_is_made_of_what_may_raise_or_is_of_other_types(text, args):
    with pytest.raises((NoKernelError, KeyError)):
        code_of(text, *args)


def test_signs_and_truths_have_their_forms():
    code = code_of("def k(x, m):\n    return +x, ~m | (x > -x), x**2, x**3.0", X, MASK)
    lines = code.body.splitlines()
    assert lines[0] == "o0 = (a0);"
    assert lines[1] == "o1 = ((!a1) || (a0 > (-a0)));"
    assert lines[2] == "o2 = pow(a0, (double)2.0);"
    assert lines[3] == "o3 = pow(a0, (double)3.0);"
    assert code.has_squares


def test_a_kernel_that_gives_other_numbers_is_not_taken(monkeypatch):
    squared = []

    def wrong(_given, _returned, body, _name, options):
        assert options == ("--fmad=false",)
        squared.append("pow" in body)
        return lambda x: changes[0](x * x + 1.0)

    def rise(x):
        return x**2 + 1.0

    monkeypatch.setattr(CUPY, "ElementwiseKernel", wrong, raising=False)
    with installed() as cupy:
        x = cupy.asarray(np.arange(6.0).reshape(2, 3))
        for change, taken in (
            (lambda y: y, True),
            (lambda y: y + 1e-12, False),
            (lambda y: y.astype(np.float32), False),
            (lambda y: y[:1], False),
            (lambda y: cupy.asarray(np.asfortranarray(y.get())), False),
            (lambda y: y.get(), False),
            (lambda y: (y, y), False),
        ):
            changes = [change]
            made = one_kernel(rise)
            np.testing.assert_array_equal(made(x).get(), x.get() ** 2 + 1.0)
            (way,) = made._chosen.values()
            assert (way is not rise) == taken
            assert squared == ([True] if taken else [True, False])
            squared.clear()


def test_results_of_a_kernel_are_arrays_apart():
    with installed() as cupy:
        x, nan = cupy.asarray(np.ones(2)), cupy.asarray(np.array([np.nan, 1.0]))
        assert _agree((x, nan), (x, nan))
        assert not _agree((x, x), (x, x))
        assert not _agree((x, nan), (x, x))
        assert not _agree((x, nan), (x, nan, x))


def chain(x, w):
    return np.sum(np.tanh(x * w) * np.exp(-x * x)) + np.sum(np.maximum(x, w) ** 2)


def test_the_text_with_kernels_gives_what_numpy_gives():
    x, w = np.array([0.5, -1.5, 2.0]), np.array([1.5, 0.25, -0.75])
    gradient = sg.grad(chain, (0, 1))
    with installed() as cupy:
        found = gradient(cupy.asarray(x), cupy.asarray(w))
        assert "@one_kernel" in gradient.source
    for one, other in zip(found, gradient(x, w), strict=True):
        np.testing.assert_allclose(one.get(), other, rtol=1e-12)


def doubled(x, w):
    y = x * 2.0
    return y, y * w


SHAPES = [((3, 4), (3, 4)), ((3, 1), (3, 4)), ((1, 4), (3, 4)), ((3, 4), (1, 1)), ((1, 1), (1, 1))]


def test_a_kernel_is_chosen_anew_where_the_shapes_are_broadcast_otherwise(monkeypatch):
    def kernel(*_code, options):
        del options

        def run(*args):  # a kernel has one shape for all its results
            shape = np.broadcast_shapes(*(item.shape for item in args))
            return tuple(CUPY.array(CUPY.broadcast_to(item, shape)) for item in doubled(*args))

        return run

    monkeypatch.setattr(CUPY, "ElementwiseKernel", kernel, raising=False)
    made = one_kernel(doubled)
    with installed() as cupy:
        for shapes in [*SHAPES, *SHAPES]:
            given = [cupy.asarray(np.arange(1.0, 1.0 + np.prod(s)).reshape(s)) for s in shapes]
            for one, other in zip(made(*given), doubled(*given), strict=True):
                np.testing.assert_array_equal(one.get(), other.get())
    assert any(way is not doubled for way in made._chosen.values())


def test_so_it_is_where_they_lie_otherwise_in_memory():
    made = one_kernel(doubled)
    x = np.arange(24.0).reshape(4, 6)
    for item in (x, x.T, x[::2, ::2], x[::2, ::2].T, x[1::2, 1::2]):
        made(item, item)
    assert len(made._chosen) == 4


@pytest.mark.gpu
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_kernels_give_the_very_numbers(kind):
    cupy = importlib.import_module("cupy")
    kernels = importlib.import_module("srcgrad.runtime.kernels")
    rng = np.random.default_rng(0)
    x, w = (cupy.asarray(rng.normal(size=1000).astype(kind)) for _ in range(2))

    def plain(x, w):
        y = x * w + 0.5
        return cupy.tanh(y) * y - x, cupy.where(x > w, y, -w) / (1 + cupy.exp(-x))

    made = kernels.one_kernel(plain)
    made(x, w)
    (way,) = made._chosen.values()
    assert way is not plain
    for one, other in zip(made(w, x), plain(w, x), strict=True):
        assert (one == other).all()


def test_calls_of_one_kind_take_the_short_way(monkeypatch):
    x, w = np.array([0.5, -1.5, 2.0]), np.array([1.5, 0.25, -0.75])
    gradient = sg.grad(chain, (0, 1))
    with installed() as cupy:
        there = cupy.asarray(x), cupy.asarray(w)
        for _ in range(3):
            gradient(*there)
        monkeypatch.setattr(type(gradient), "call_the_long_way", None)
        found = gradient(*there)
        monkeypatch.undo()
        with pytest.raises(sg.MixedLibrariesError):
            gradient(there[0], w)
        longer = [cupy.asarray(np.append(item.get(), 1.0)) for item in there]
        assert gradient(*longer)[0].shape == (4,)
    for one, other in zip(found, gradient(x, w), strict=True):
        np.testing.assert_allclose(one.get(), other, rtol=1e-12)


@pytest.mark.gpu
@pytest.mark.parametrize("shapes", SHAPES)
def test_shapes_are_broadcast_on_a_device(shapes):
    cupy = importlib.import_module("cupy")
    made = one_kernel(doubled)
    for given in (SHAPES[0], shapes, shapes):
        x, w = (cupy.asarray(np.random.default_rng(0).normal(size=item)) for item in given)
        for one, other in zip(made(x, w), doubled(x, w), strict=True):
            assert one.shape == other.shape
            assert (one == other).all()
