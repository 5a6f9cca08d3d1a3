"""Sums of products that are computed as products of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from srcgrad.runtime import contractions

CASES = (
    ("ij", "jk", "ik"),
    ("ij", "kj", "ki"),
    ("ik", "jk", "ji"),
    ("hte", "hde", "td"),
    ("td", "hte", "hde"),
    ("hte", "hts", "hse"),
    ("bij", "bjk", "kbi"),
    ("ij", "ij", ""),
    ("i", "ij", "j"),
    ("abij", "ij", "ba"),
    ("ij", "jk", "i"),
    ("ij", "jk", "ijk"),
    ("iij", "jk", "ik"),
)


def _arrays(left: str, right: str, kind: Any) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    lengths = dict(zip("abdehijkst", (2, 3, 4, 5, 2, 3, 4, 6, 3, 2), strict=True))
    made = [rng.normal(size=[lengths.get(c, 3) for c in word]) for word in (left, right)]
    if left == "iij":
        made[0] = rng.normal(size=(3, 3, 4))
    return made[0].astype(kind), made[1].astype(kind)


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.complex128])
@pytest.mark.parametrize(("left", "right", "target"), CASES)
def test_a_sum_of_products_is_that_of_einsum(
    monkeypatch: pytest.MonkeyPatch, left: str, right: str, target: str, kind: Any
) -> None:
    monkeypatch.setattr(contractions, "_MANY", 0)
    a, b = _arrays(left, right, kind)
    for x, y in ((a, b), (np.asfortranarray(a), b[..., ::-1]), (a[..., :1], b)):
        expected = np.einsum(f"{left},{right}->{target}", x, y)  # an axis of one is broadcast
        found = contractions._summed_products([(left, x), (right, y)], target)
        assert found.shape == expected.shape
        assert found.dtype == expected.dtype
        close = 1e-5 if kind is np.float32 else 1e-12
        np.testing.assert_allclose(found, expected, rtol=close, atol=close)


def test_matrices_are_made_of_large_arrays_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    whole = contractions._as_matrices
    monkeypatch.setattr(contractions, "_as_matrices", lambda *a: made.append(a) or whole(*a))
    small, large = np.ones((4, 4)), np.ones((40, 40))
    for x in (small, large, np.ones((0, 0)), np.ones((40, 40), int)):
        contractions._summed_products([("ij", x), ("jk", x)], "ik")
    assert len(made) == 1


def test_gradients_of_large_sums_agree_with_those_of_small_parts() -> None:
    rng = np.random.default_rng(0)
    grad, x, w = rng.normal(size=(4, 40, 8)), rng.normal(size=(40, 32)), rng.normal(size=(4, 32, 8))
    _, by_x, by_w = contractions.einsum_back(grad, ("td,hde->hte", x, w), (False, True, True))
    np.testing.assert_allclose(by_x, np.einsum("hte,hde->td", grad, w), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(by_w, np.einsum("hte,td->hde", grad, x), rtol=1e-12, atol=1e-12)
