"""Calls made from the specs: empty, of one element, without axes, broadcast, complex, aliased."""

from __future__ import annotations

import functools
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import pytest
from scipy import stats

import srcgrad as sg
from srcgrad.rules.base import Elementwise, Pointwise
from srcgrad.rules.library import canonical_name, rule_for
from tests.unit.rules.opspec import OpSpec, check_rule, numeric_gradient
from tests.unit.rules.specs import SPECS
from tests.unit.rules.variants import chosen, draws, is_call, variants

UNDETERMINED = "vectors that only fill a space up are determined up to a rotation"
NO_EMPTY = "the adjoint is a filter, which takes no empty array"
SAMPLES = "a number is no sample and no point"
SQUARE = "a number is no matrix"
ONE_MATRIX = "the rules are those of one matrix, and raise for several"
REAL = "SciPy's distributions are of real numbers: their formulas are not differentiated elsewhere"
GAPS = {
    ("*", "srcgrad.*"): "what generated text calls knows the shapes that it is called with",
    ("single", "*.svd(*"): UNDETERMINED,
    ("single", "scipy.linalg.qr(*"): UNDETERMINED,
    ("empty", "scipy.linalg.qr(*"): UNDETERMINED,
    ("complex", "numpy.unique_values(*"): "the order of the result is that of hashes",
    ("mixed", "numpy.std(*"): "the mean of real numbers is no complex one",
    ("empty", "numpy.histogram(*"): "nothing has no smallest value",
    ("empty", "numpy.polymul(*"): "a polynomial has a coefficient",
    ("empty", "numpy.resize(*"): "nothing cannot be repeated",
    ("empty", "numpy.nan*"): "nothing has no middle",
    ("0-d", "numpy.trim_zeros(*"): "NumPy finds no zeros in an array without axes",
    ("floats", "numpy.trim_zeros(*"): "NumPy finds no zeros in a number",
    ("*", "*.lu_solve(*"): "the permutation is of three rows",
    ("0-d", "scipy.linalg.*"): SQUARE,
    ("floats", "scipy.linalg.*"): SQUARE,
    ("empty", "scipy.linalg.*"): SQUARE,
    ("stack", "scipy.linalg.*"): ONE_MATRIX,
    ("complex stack", "scipy.linalg.*"): ONE_MATRIX,
    ("mixed", "*_lyapunov(3x3,c3x3,bilinear*"): "SciPy returns what is no solution",
    ("single", "scipy.linalg.solve(*"): "the triangle that is read has a real diagonal",
    ("empty", "scipy.signal.*"): NO_EMPTY,
    ("empty", "scipy.ndimage.*"): NO_EMPTY,
    ("0-d", "scipy.ndimage.*"): NO_EMPTY,
    ("floats", "scipy.ndimage.*"): NO_EMPTY,
    ("empty", "scipy.stats.*"): SAMPLES,
    ("0-d", "scipy.stats.*"): SAMPLES,
    ("floats", "scipy.stats.*"): SAMPLES,
    ("0-d", "scipy.spatial.*"): SAMPLES,
    ("floats", "scipy.spatial.*"): SAMPLES,
    ("complex", "scipy.special.ive(*"): "the sign of a complex number is none",
    ("complex", "scipy.special.[jy]ve(*"): REAL,
    ("complex", "scipy.special.airye(*"): REAL,
    ("complex", "scipy.special.psi(*"): "SciPy has no trigamma function of complex numbers",
    ("complex", "scipy.stats.*"): REAL,
    ("mixed", "scipy.stats.*"): REAL,
    ("complex stack", "scipy.stats.*"): REAL,
}
"""Variants that are not checked, by their word and a pattern of their labels, with the reason."""


def gap(word: str, spec: OpSpec) -> str | None:
    """Return why a variant is not checked."""
    return next(
        (why for (w, p), why in GAPS.items() if w in (word, "*") and fnmatchcase(spec.label, p)),
        None,
    )


def is_elementwise(spec: OpSpec) -> bool:
    rule: Any = rule_for(spec.fn)
    return rule.elementwise or issubclass(rule, (Elementwise, Pointwise))


CHOSEN = [spec for spec in chosen(SPECS) if not canonical_name(spec.fn).startswith("srcgrad.")]


@pytest.mark.parametrize("spec", CHOSEN, ids=lambda spec: spec.label)
def test_a_rule_is_right_for_other_shapes_and_kinds(spec: OpSpec) -> None:
    for word, other in variants(spec, elementwise=is_elementwise(spec)):
        if gap(word, other) is None and is_call(other):
            try:
                check_rule(other)
            except (sg.MissingRuleError, sg.NotDifferentiableError):
                continue  # refused by name
            except Exception as error:
                error.add_note(f"{word}: {other.label}")
                raise


def likelihood_of(z: Any) -> Any:
    return np.sum(stats.norm.logpdf(z))


def likelihood_of_sizes(z: Any) -> Any:
    return np.sum(stats.norm.logpdf(np.abs(z)))


def test_a_rule_for_real_numbers_refuses_complex_ones() -> None:
    z = np.array([0.3 + 0.4j, 0.1 - 0.2j])
    with pytest.raises(sg.NotDifferentiableError, match="real arguments only"):
        sg.grad(lambda z: np.real(likelihood_of(z)), fallback="error")(z)
    found = sg.grad(likelihood_of_sizes, fallback="error")(z)
    expected = numeric_gradient(likelihood_of_sizes, z)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


# --- the checks themselves ------------------------------------------------------------------------

REAL_SPECS = [spec for spec in CHOSEN if not any(draw.complex for draw in draws(spec))]
COMPLEX_SPECS = [spec for spec in SPECS if draws(spec) and all(d.complex for d in draws(spec))]


def fails(spec: OpSpec, change: Any, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Say whether the check fails once the gradients of a rule are changed."""
    rule: Any = rule_for(spec.fn)
    right = rule.backward

    def wrong(ctx: Any, *grads: Any) -> Any:
        found = right(ctx, *grads)
        return tuple(map(change, found)) if isinstance(found, tuple) else change(found)

    with monkeypatch.context() as patch:
        patch.setattr(rule, "backward", staticmethod(wrong))
        try:
            check_rule(spec)
        except AssertionError:
            return True
    return False


def each(change: Any, grad: Any) -> Any:
    """Change the gradients of all items of nested lists."""
    if isinstance(grad, (list, tuple)):
        return type(grad)(each(change, item) for item in grad)
    return None if grad is None else change(grad)


def test_every_spec_fails_on_a_rule_that_is_wrong_by_a_thousandth(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrong = functools.partial(each, lambda grad: np.where(grad == 0, 1e-3, 1.001 * grad))
    assert [spec.label for spec in REAL_SPECS if not fails(spec, wrong, monkeypatch)] == []


def test_every_spec_fails_on_a_gradient_with_another_axis(monkeypatch: pytest.MonkeyPatch) -> None:
    wider = functools.partial(each, lambda grad: np.asarray(grad)[None])
    assert not [spec.label for spec in REAL_SPECS if not fails(spec, wider, monkeypatch)]


def test_every_complex_spec_fails_on_a_gradient_that_is_conjugated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turned = functools.partial(each, np.conj)
    missed = [spec.label for spec in COMPLEX_SPECS if not fails(spec, turned, monkeypatch)]
    assert [label for label in missed if "real" not in label] == []
