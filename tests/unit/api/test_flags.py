"""Checks texts that are made for arguments which are None, a bool or a text, call after call."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.programs import method_tables

X, Z = np.array([0.3, 0.4]), np.array([1.0, 2.0])
CALLS: tuple[tuple[Any, ...], ...] = (
    (X, Z),
    (X, Z, None, "squared"),
    (X, Z),
    (X, Z, 2.0 * np.eye(2), "squared"),
    (X, Z, 2.0 * np.eye(2)),
    (X, Z, None, "plain", True),
)


def residual(x, z, h=None, kind="plain", each=False, out=None):
    if h is None:
        h = np.eye(len(x))
    if out is None:
        out = z - h @ x
    if kind == "squared":
        out *= out
    return np.sum(out) * out[0] if each else np.sum(out)


def parts(x, full=False):
    if full:
        return x * x, np.sum(x)
    return x * x


def applied(x, act):
    return np.sum(np.real(act(x)))


def by_tape(args: tuple[Any, ...]) -> Any:
    return sg.grad(residual, backend="tape")(*args)


def test_other_flags_get_another_text() -> None:
    derivative = sg.grad(residual, fallback="error")
    for args in CALLS:
        np.testing.assert_allclose(derivative(*args), by_tape(args))


def test_flags_by_name_and_arrays_in_their_place() -> None:
    derivative = sg.grad(residual, fallback="tape")
    for _ in range(3):
        given = {"kind": "squared", "out": Z * 3.0}
        other = sg.grad(residual, backend="tape")
        expected = other(X, Z, **{**given, "out": Z * 3.0})
        np.testing.assert_allclose(derivative(X, Z, **given), expected)
        np.testing.assert_allclose(
            derivative(X, Z, kind="squared"), by_tape((X, Z, None, "squared"))
        )


def test_the_text_says_what_it_takes_for_granted() -> None:
    derivative = sg.grad(residual, fallback="error")
    derivative(X, Z, None, "squared")
    assert "kind == 'squared'" in derivative.source
    assert "out is None" in derivative.source


def test_every_mode() -> None:
    for args in CALLS:
        slope = by_tape(args)
        _, pull = sg.vjp(residual, *args, fallback="error")
        np.testing.assert_allclose(pull(1.0)[0], slope)
        held = (Z, *[None] * (len(args) - 1))
        _, tangent = sg.jvp(residual, args, held, fallback="error")
        np.testing.assert_allclose(tangent, slope @ Z)
        rows = sg.jacobian(residual)(*args)
        np.testing.assert_allclose(rows, slope)


def test_results_that_a_flag_decides() -> None:
    value, pull = sg.vjp(parts, X, fallback="error")
    np.testing.assert_allclose(pull(np.ones_like(value))[0], 2.0 * X)
    _, pull = sg.vjp(parts, X, kwargs={"full": True}, fallback="error")
    np.testing.assert_allclose(pull((np.ones(2), 1.0))[0], 2.0 * X + 1.0)


def test_an_exported_text_refuses_other_flags(tmp_path: Path) -> None:
    path = tmp_path / "residual_grad.py"
    sg.grad(residual).export(path)
    spec = importlib.util.spec_from_file_location("residual_grad", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    np.testing.assert_allclose(module.residual_grad(X, Z), by_tape((X, Z)))
    with pytest.raises(TypeError, match="must be None"):
        module.residual_grad(X, Z, out=Z * 1.0)
    with pytest.raises(TypeError, match="must be 'plain'"):
        module.residual_grad(X, Z, kind="squared")


def test_a_text_for_complex_numbers_is_of_the_function_that_is_given() -> None:
    derivative = sg.grad(applied)
    for act in (np.tanh, np.sin, np.tanh):
        derivative(X, act)
        expected = sg.grad(applied)(X + 0.5j, act)
        np.testing.assert_allclose(derivative(X + 0.5j, act), expected)


def test_a_table_that_holds_another_function_gets_another_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    f = method_tables.function_of_a_checked_name_with_its_keywords
    derivative = sg.grad(f, fallback="error")

    def agrees(*args: Any) -> None:
        wanted = sg.grad(f, backend="tape")(X, 1.5, *args)
        np.testing.assert_allclose(derivative(X, 1.5, *args), wanted)

    agrees()
    agrees("power")
    agrees("cube root")
    agrees()
    monkeypatch.setitem(method_tables.TABLE._entries, "Exponent", method_tables._cube_root)
    agrees()
    monkeypatch.undo()
    agrees()


def test_keywords_that_a_text_without_any_would_drop_are_not_dropped() -> None:
    f = method_tables.function_with_the_keywords_that_it_takes
    derivative = sg.grad(f)
    for keywords in ({}, {"exponent": 3.0}, {"offset": 2.0}, {}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sg.FallbackWarning)
            found = derivative(X, "Power", **keywords)
        wanted = sg.grad(f, backend="tape")(X, "Power", **keywords)
        np.testing.assert_allclose(found, wanted)


def _unit_set_unseen(x, method="root"):
    setattr(method_tables, "UNI" + "TS", "two")
    try:
        return method_tables.ROOTS[method](x * 1.0)
    finally:
        setattr(method_tables, "UNI" + "TS", "one")


@pytest.mark.parametrize("f", [method_tables.functions_that_a_setting_lets_write, _unit_set_unseen])
def test_a_setting_of_the_module_is_taken_as_it_is(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    derivative = sg.grad(f)
    along = np.array([0.5, -1.0])
    for units in ("one", "two", "one"):
        monkeypatch.setattr(method_tables, "UNITS", units)
        for method in ("root", "square"):
            ends = [f(X + step * along, method) for step in (1e-6, -1e-6)]
            monkeypatch.setattr(method_tables, "UNITS", units)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", sg.FallbackWarning)
                found = np.dot(derivative(X.copy(), method), along)
            monkeypatch.setattr(method_tables, "UNITS", units)
            assert found == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6)
