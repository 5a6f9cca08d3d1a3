# ruff: noqa: PLW2901 - to bind the name anew is what a block is for
"""Blocks on adjoints, against the same edit as the backward half of a Function, in both engines."""

from __future__ import annotations

import ast
import sys
import warnings

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.runtime import surgery

X, W = np.array([0.5, -1.0, 2.0]), np.array([1.0, 2.0, -0.5])
LIMIT = 0.5
SEEN: list = []


def edited_by(edit):
    """Return a function that hands its argument on, and its adjoint through `edit`."""

    class Edited(sg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1.0

        @staticmethod
        def backward(ctx, grad):
            return edit(grad)

    return Edited.apply


def scaled(x, w):
    h = np.tanh(x * w)
    with sg.grad_of(h) as gh:
        gh *= 0.5
    return np.sum(h * h)


def scaled_as_function(x, w):
    return np.sum(edited_by(lambda g: g * 0.5)(np.tanh(x * w)) ** 2)


def clipped(x, w):
    h = np.tanh(x * w) * 3.0
    with sg.grad_of(h) as gh:
        gh = np.clip(gh, -LIMIT, LIMIT)
    return np.sum(h * h) + x[0]


def clipped_as_function(x, w):
    h = edited_by(lambda g: np.clip(g, -LIMIT, LIMIT))(np.tanh(x * w) * 3.0)
    return np.sum(h * h) + x[0]


def masked(x, w):
    h = x * w
    mask = h > 0.0
    with sg.grad_of(h) as gh:
        gh[~mask] = 0.0
        gh[...] = gh * 2.0
    mask = None
    return np.sum(np.sin(h))


def masked_as_function(x, w):
    mask = x * w > 0.0
    return np.sum(np.sin(edited_by(lambda g: np.where(mask, 2.0 * g, 0.0))(x * w)))


def in_a_loop(x, w):
    h = x * 1.0
    for i in range(3):
        h = np.tanh(h * w)
        with sg.grad_of(h) as gh:
            size = np.sqrt(np.sum(gh * gh))
            if size > 0.1:
                gh *= (i + 1) * 0.1 / size
    return np.sum(h)


def in_a_loop_as_function(x, w):
    def edit_of(i):
        def edit(grad):
            size = np.sqrt(np.sum(grad * grad))
            return grad * ((i + 1) * 0.1 / size) if size > 0.1 else grad

        return edit

    h = x * 1.0
    for i in range(3):
        h = edited_by(edit_of(i))(np.tanh(h * w))
    return np.sum(h)


def twice(x, w):
    h = x * w
    with sg.grad_of(h) as gh:
        gh = gh * 3.0
    with sg.grad_of(h) as gh:
        gh = gh + 1.0
    return np.sum(h * h) + np.sum(h)


def twice_as_function(x, w):
    h = edited_by(lambda g: g + 1.0)(edited_by(lambda g: g * 3.0)(x * w))
    return np.sum(h * h) + np.sum(h)


def some_uses(x, w):
    h = x * w
    before = np.sum(h * h)
    with sg.grad_of(h) as gh:
        gh *= h
    w = w + 1.0
    return before + np.sum(np.sin(h) * w)


def some_uses_as_function(x, w):
    h = x * w
    kept = h * 1.0
    later = edited_by(lambda g: g * kept)(h)
    return np.sum(h * h) + np.sum(np.sin(later) * (w + 1.0))


def of_the_argument(x, w):
    if x[0] > 0.0:
        with sg.grad_of(x) as gx:
            gx[...] = 1.0
    return np.sum(x * w)


def of_the_argument_as_function(x, w):
    return np.sum(edited_by(lambda g: g * 0.0 + 1.0)(x) * w)


PROGRAMS = [scaled, clipped, masked, in_a_loop, twice, some_uses, of_the_argument]


def by_tensors(f):
    x = sg.tensor(X, requires_grad=True)
    f(x * 1.0, W).backward()
    return x.grad.numpy()


@pytest.mark.parametrize("f", PROGRAMS)
def test_both_engines_do_what_a_function_does(f):
    plain = globals()[f"{f.__name__}_as_function"]
    expected = by_tensors(plain)
    np.testing.assert_allclose(sg.grad(f, fallback="error")(X, W), expected, rtol=1e-12)
    np.testing.assert_allclose(by_tensors(f), expected, rtol=1e-12)
    np.testing.assert_allclose(sg.vjp(f, X, W)[1](1.0)[0], expected, rtol=1e-12)
    assert f(X, W) == pytest.approx(plain(X, W), rel=1e-14)


@pytest.mark.parametrize("f", PROGRAMS)
def test_forward_mode_ignores_it(f):
    v, h = np.array([0.3, -0.7, 0.2]), 1e-5
    expected = (f(X + h * v, W) - f(X - h * v, W)) / (2 * h)
    np.testing.assert_allclose(sg.jvp(f, (X, W), (v, None))[1], expected, rtol=1e-8)


@pytest.mark.parametrize("f", [scaled, clipped, in_a_loop, twice, some_uses])
def test_the_second_derivative_is_that_of_the_edited_gradient(f):
    gradient = sg.grad(f, fallback="error")
    v, h = np.array([0.3, -0.7, 0.2]), 1e-5
    expected = (gradient(X + h * v, W) - gradient(X - h * v, W)) / (2 * h)
    np.testing.assert_allclose(sg.jacobian(gradient)(X, W) @ v, expected, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(sg.hessian(f)(X, W) @ v, expected, rtol=1e-6, atol=1e-9)
    total = sg.grad(lambda x: np.sum(sg.grad(f)(x, W) * v))(X)
    from_rows = sg.hessian(f)(X, W).T @ v
    np.testing.assert_allclose(total, from_rows, rtol=1e-9, atol=1e-12)


def test_the_text_has_the_block_in_its_place():
    source = sg.grad(clipped).source
    assert "    # L42: with sg.grad_of(h) as gh:\n" in source.replace(
        f"L{clipped.__code__.co_firstlineno + 2}:", "L42:"
    )
    assert "    grad_h = np.clip(grad_h, -LIMIT, LIMIT)\n" in source
    assert "grad_of" not in sg.grad(scaled).source.replace("with sg.grad_of(h)", "")
    assert "gh" not in source.replace("as gh", "")


def watched(x):
    y = x * 3.0
    with sg.grad_of(y) as gy:
        SEEN.append(gy)
    z = y * y
    return z + y


@pytest.mark.parametrize("engine", ["source", "tape"])
def test_what_a_block_keeps_stays_as_it_was(engine):
    SEEN.clear()
    assert watched(2.0) == 42.0
    assert not SEEN
    if engine == "source":
        assert sg.grad(watched, fallback="error")(2.0) == 39.0
    else:
        x = sg.tensor(2.0, requires_grad=True)
        watched(x).backward()
        assert x.grad.item() == 39.0
    assert [float(item) for item in SEEN] == [13.0]


def on_one_line(x):
    y = x * 3.0
    with sg.grad_of(y) as gy: gy = gy * 2.0  # fmt: skip  # noqa: E701
    return y * x


def test_a_block_on_the_line_of_its_with_is_skipped():
    assert on_one_line(2.0) == 12.0
    assert sg.grad(on_one_line, fallback="error")(2.0) == 18.0


def test_a_trace_function_is_kept():
    events = []

    def trace(frame, event, argument):
        events.append(event)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        assert on_one_line(2.0) == 12.0
        assert sys.gettrace() is trace
    finally:
        sys.settrace(before)
    assert events


def raising(x):
    y = x * 3.0
    with sg.grad_of(y) as gy:
        if not np.all(np.isfinite(gy)):
            raise FloatingPointError("an adjoint that is not finite")
    return np.sum(np.log(y))


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_a_block_may_raise():
    np.testing.assert_array_equal(sg.grad(raising, fallback="error")(np.ones(2)), np.ones(2))
    with pytest.raises(FloatingPointError, match="not finite"):
        sg.grad(raising, fallback="error")(np.array([1.0, 0.0]))


def other_name(x):
    y = x * 3.0
    z = y
    with sg.grad_of(y) as gy:
        gy = gy * 2.0
    return np.sum(y * z)


def put_into_a_list(x):
    y = x * 3.0
    parts = []
    parts.append(y)
    with sg.grad_of(y) as gy:
        gy = gy * 2.0
    return np.sum(parts[0] * y)


def put_under_a_key(x):
    y = x * 3.0
    parts = {}
    parts["y"] = y
    with sg.grad_of(y) as gy:
        gy = gy * 2.0
    return np.sum(parts["y"] * y)


def in_a_list_alone(x):
    y = x * 3.0
    parts = [y, x]
    with sg.grad_of(y) as gy:
        gy = gy * 2.0
    return np.sum(parts[0] * parts[1])


class Kept:
    def __init__(self, value):
        self.value = value


def in_an_object_alone(x):
    y = x * 3.0
    kept = Kept(y)
    with sg.grad_of(y) as gy:
        gy = gy * 2.0
    return np.sum(kept.value * x)


def taken_out(x):
    parts = [x * 2.0, x * 3.0]
    y = parts[0]
    with sg.grad_of(y) as gy:
        gy = gy * 2.0
    return np.sum(parts[0] * parts[1])


def kept_for_the_next_trip(x):
    kept, total, h = [x], 0.0, x
    for _ in range(3):
        total = total + np.sum(kept[-1] * x)
        h = np.tanh(h * x)
        kept.append(h)
        with sg.grad_of(h) as gh:
            gh = gh * 2.0
    return total + np.sum(h)


def with_its_holder(x):
    y = x * 2.0
    return y, {"y": y}


def returned_with_its_holder(x):
    y, kept = with_its_holder(x)
    with sg.grad_of(y) as gy:
        gy = gy * 2.0
    return np.sum(kept["y"] * x)


SHARED = [
    *(in_a_list_alone, in_an_object_alone, taken_out, kept_for_the_next_trip),
    returned_with_its_holder,
]


@pytest.mark.parametrize("f", SHARED, ids=lambda f: f.__name__)
def test_an_edit_counts_for_every_name_of_the_value(f):
    with pytest.raises(sg.UnsupportedError, match="also reached as"):
        sg.grad(f, fallback="error")(X)
    x = sg.tensor(X, requires_grad=True)
    f(x * 1.0).backward()
    with pytest.warns(sg.FallbackWarning):
        found = sg.grad(f)(X)
    np.testing.assert_allclose(found, x.grad.numpy(), rtol=1e-14)


def written(x):
    y = x * 3.0
    part = y[1:]
    with sg.grad_of(y) as gy:
        gy *= 2.0
    part *= 2.0
    return np.sum(y * y)


def container(x):
    ys = [x, x * 2.0]
    with sg.grad_of(ys):
        SEEN.append("never")
    return np.sum(ys[0] * ys[1])


def inner(y):
    with sg.grad_of(y) as gy:
        gy *= 2.0
    return np.sin(y)


def by_call(x):
    return np.sum(inner(x) * x)


def of_an_expression(x):
    with sg.grad_of(x * 2.0) as g:
        g *= 2.0
    return np.sum(x)


def assigns(x):
    total = 0.0
    with sg.grad_of(x) as gx:
        total = total + gx
    return np.sum(x) + total


def jumps(x):
    with sg.grad_of(x):
        return 0.0
    return np.sum(x)


def breaks(x):
    for _ in range(2):
        x = x * 2.0
        with sg.grad_of(x):
            break
    return np.sum(x)


def several(x):
    with sg.grad_of(x) as gx, np.errstate(all="ignore"):
        gx *= 2.0
    return np.sum(x)


def halved(value, times):
    if times <= 0:
        return value, value
    first, _ = halved(value, times - 1)
    return first * 0.5, first * 0.5


def returned_twice(x):
    first, second = halved(x, 2)
    with sg.grad_of(first) as g:
        g *= 2.0
    return np.sum(first * second)


def handed_on(value, times):
    return value if times <= 0 else handed_on(value, times - 1)


def returned_as_it_is(x):
    y = np.tanh(x)
    same = handed_on(y, 2)
    with sg.grad_of(same) as g:
        g *= 2.0
    return np.sum(same * y)


def held(value, times):
    if times <= 0:
        return {"a": value}, value * 1.0
    kept, other = held(value, times - 1)
    return kept, other * 2.0


def returned_under_a_key(x):
    kept, other = held(np.tanh(x), 2)
    with sg.grad_of(other) as g:
        g *= 2.0
    return np.sum(kept["a"] * other)


def by_methods(x, w):
    y = np.tanh(x)
    with sg.grad_of(y) as g:
        g[...] = abs(g) * g.sum()
    return np.sum(y * w)


def without_adjoint(x, w):
    y = np.tanh(x)
    with sg.grad_of(y) as g:
        g *= 2.0
    return np.sum(x * w)


@pytest.mark.parametrize("f", [by_methods, without_adjoint], ids=lambda f: f.__name__)
def test_blocks_that_read_by_methods_or_have_no_adjoint_agree_with_the_tape(f):
    np.testing.assert_allclose(sg.grad(f, fallback="error")(X, W), by_tensors(f))


REFUSED = {
    returned_twice: "also reached as `second`",
    returned_as_it_is: "also reached as `y`",
    returned_under_a_key: "also reached as `kept`",
    other_name: "also reached as `z`",
    put_into_a_list: "also reached as `parts`",
    put_under_a_key: "also reached as",
    written: "whose memory is written into",
    container: "which is a container",
    by_call: "on its parameter|also reached as `x`",
    of_an_expression: "of an expression",
    assigns: "assigns `total`",
    jumps: "`return` in a block",
    breaks: "a jump out of a block",
    several: "together with other managers",
}


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_what_cannot_be_is_refused_by_name(f):
    with pytest.raises(sg.UnsupportedError, match=REFUSED[f]):
        sg.grad(f, fallback="error")(X)


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("f", [assigns, jumps, breaks, several], ids=lambda f: f.__name__)
def test_the_tape_refuses_those_that_no_engine_can_do(f):
    with pytest.raises(sg.UnsupportedError, match=REFUSED[f]):
        sg.grad(f)(X)


def test_a_leaf_has_hooks_of_its_own():
    with pytest.raises(RuntimeError, match="register_hook"):
        scaled_leaf(sg.tensor(X, requires_grad=True))


def scaled_leaf(x):
    with sg.grad_of(x) as gx:
        gx *= 2.0
    return x


def test_a_block_of_exec_is_skipped_but_not_differentiated():
    namespace = {"sg": sg}
    exec(
        "def f(x):\n    y = x * 2\n    with sg.grad_of(y) as g:\n        g = 0\n    return y",
        namespace,
    )
    assert namespace["f"](3.0) == 6.0
    with pytest.raises(sg.SourceNotFoundError, match="grad_of"):
        namespace["f"](sg.tensor(3.0, requires_grad=True))


def test_constants_have_no_tangent_on_the_tape_either():
    def held(x):
        start = eval("x[0]", {"x": x})
        return np.sum(sg.stop_gradient(x * x) * x) + sg.stop_gradient(float(start) ** 2) * x[1]

    x = np.array([0.9, -0.7, 1.3])
    with pytest.warns(sg.FallbackWarning):
        slope = sg.grad(held)(x)
    np.testing.assert_allclose(slope, x * x + [0.0, 0.81, 0.0])
    with pytest.warns(sg.FallbackWarning):
        np.testing.assert_allclose(sg.jvp(held, (x,), (np.ones(3),))[1], np.sum(slope))
    with pytest.warns(sg.FallbackWarning):
        np.testing.assert_array_equal(sg.hessian(held)(x), np.zeros((3, 3)))


def test_second_derivatives_on_the_tape_are_those_of_the_edited_gradient():
    def edited(x):
        h = eval("x * x", {"x": x})
        with sg.grad_of(h) as g:
            g = g * x * 2.0
        return np.sum(h * h)

    x = np.array([0.9, -0.7, 1.3])
    gradient = sg.grad(edited, fallback="tape")
    expected = [(gradient(x + e) - gradient(x - e)) / 2e-5 for e in np.eye(3) * 1e-5]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.FallbackWarning)
        for second in (sg.hessian(edited), sg.jacrev(gradient), sg.jacfwd(gradient)):
            np.testing.assert_allclose(second(x), np.transpose(expected), atol=1e-8)


def test_a_pullback_inside_is_edited_once_by_both_engines():
    def tripled(x):
        y = x**2
        with sg.grad_of(y) as grad_y:
            grad_y *= 3.0
        return np.sum(y * x)

    def curved(x):
        value, pull = sg.vjp(tripled, x)
        return np.sum(pull(1.0)[0] ** 2) + value

    def taped(x):
        class _:
            pass

        return curved(x)

    by_source = sg.grad(curved, fallback="error")(X)
    np.testing.assert_allclose(sg.grad(taped, fallback="tape")(X), by_source, rtol=1e-12)


def with_no_name(x):
    y = x * W
    with sg.grad_of(y):
        SEEN.append(x + W)
    return np.sum(y * y)


def test_a_block_reads_the_variables_as_they_were():
    def read_later(x, kept):
        y = x * 1.0
        with sg.grad_of(y) as gy:
            gy = gy * kept + x
        kept *= 0.0
        return np.sum(y * y)

    x, kept = sg.tensor(X, requires_grad=True), W.copy()
    read_later(x * 1.0, kept).backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * X * W + X)
    assert not kept.any()
    SEEN.clear()
    x = sg.tensor(X, requires_grad=True)
    with_no_name(x * 1.0).backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * X * W * W)
    np.testing.assert_array_equal(SEEN[0].detach().numpy(), X + W)


PROBLEMS = {
    "with sg.grad_of(y) as g, open('f'): pass": "together with other managers",
    "with sg.grad_of(y) as (g, h): pass": "bound to more than a name",
    "with sg.grad_of(y) as g: g = f(lambda: 1)": "this expression (Lambda)",
    "with sg.grad_of(y) as g: g = [i for i in g]": "this expression (ListComp)",
    "with sg.grad_of(y) as g: g = (k := 2.0)": "this expression (NamedExpr)",
    "with sg.grad_of(y) as g: import os": "`import` in a block",
    "while y:\n  with sg.grad_of(y) as g: break": "a jump out of a block",
    "with sg.grad_of(y) as g: y = g": "that assigns `y`",
    "with sg.grad_of(y) as x: x = 2 * x": "`x` is a variable of the function",
    "with sg.grad_of(y): z = 1": None,
    "with sg.grad_of(y) as g: g = g * x": None,
}


@pytest.mark.parametrize("text", PROBLEMS)
def test_what_cannot_run_backwards_is_named(text):
    (statement,) = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.With))
    found = surgery.problem_with(statement.items, statement.body, ["x", "y"])
    if PROBLEMS[text] is None:
        assert found is None
    else:
        assert PROBLEMS[text] in found[0]
        with pytest.raises(sg.UnsupportedSyntaxError) as caught:
            surgery.grad_of.refused(*found)
        assert caught.value.hint == found[1]


def test_a_block_is_left_at_its_first_line(monkeypatch):
    assert surgery._ignore(None, "call", None) is None
    assert surgery._skip(None, "return", None) is surgery._skip
    for event in ("line", "opcode"):
        with pytest.raises(surgery._SkippedError):
            surgery._skip(None, event, None)
    monkeypatch.setattr(surgery, "_engines", [])
    surgery.set_engine(len)
    assert surgery._engines == [len]


def through_a_transposed(y, z):
    with sg.grad_of(y) as gy:
        part = gy.T
        part[0] = 5.0
    return y + z


def through_one_of_two(y, z):
    with sg.grad_of(y) as gy:
        part, _ = gy, 1
        part *= 5.0
    return y + z


def through_a_loop(y, z):
    with sg.grad_of(y) as gy:
        for part in [gy]:
            part[0] = 5.0
    return y + z


@pytest.mark.parametrize("summed", [through_a_transposed, through_one_of_two, through_a_loop])
def test_a_block_that_writes_by_another_name_leaves_other_adjoints_alone(summed):
    def f(x):
        w = summed(x * 1.0, x * 2.0)
        return np.sum(w * w)

    x = sg.tensor(X, requires_grad=True)
    f(x).backward()
    np.testing.assert_allclose(sg.grad(f, fallback="error")(X), x.grad.numpy())
