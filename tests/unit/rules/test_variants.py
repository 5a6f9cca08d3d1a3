"""Calls made from the specs: empty, of one element, without axes, broadcast, complex, aliased."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

import pytest

import srcgrad as sg
from srcgrad.rules.base import Elementwise, Pointwise
from srcgrad.rules.library import canonical_name, rule_for
from tests.unit.rules.opspec import OpSpec, check_rule
from tests.unit.rules.specs import SPECS
from tests.unit.rules.variants import chosen, is_call, variants

UNDETERMINED = "vectors that only fill a space up are determined up to a rotation"
NO_EMPTY = "the adjoint is a filter, which takes no empty array"
SAMPLES = "a number is no sample and no point"
SQUARE = "a number is no matrix"
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
    ("complex", "scipy.special.psi(*"): "SciPy has no trigamma function of complex numbers",
    ("complex", "scipy.stats.*"): REAL,
    ("mixed", "scipy.stats.*"): REAL,
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
            except sg.MissingRuleError:
                continue  # refused by name
            except Exception as error:
                error.add_note(f"{word}: {other.label}")
                raise
