"""`backward` of tensors where eigenvalues or singular values are equal: right, or NaN."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.tape.turning import choosing

FUNCTIONS = [
    np.exp,
    np.sin,
    np.square,
    lambda w: w - 2.0,
    lambda w: w * (w - 2.0),
    lambda w: 1 / (3.0 + w),
]


def gradient(loss: Any, a: Any) -> Any:
    leaf = sg.tensor(a, requires_grad=True)
    loss(leaf).backward()
    return leaf.grad.numpy()


def assert_slopes(loss: Any, a: Any, rtol: float = 1e-6, step: float = 1e-5) -> None:
    drawn = np.random.default_rng(0)
    found = gradient(loss, a)
    for _ in range(2):
        along = drawn.normal(size=a.shape).astype(a.real.dtype)
        if np.iscomplexobj(a):
            along = along + 1j * drawn.normal(size=a.shape)
        expected = (loss(a + step * along) - loss(a - step * along)) / (2 * step)
        slope = np.sum(np.real(np.conj(found) * along))
        np.testing.assert_allclose(slope, expected, rtol=rtol, atol=rtol)


def weights(drawn: Any, kind: str, shape: tuple[int, ...], is_complex: bool) -> Any:
    found = drawn.normal(size=shape) + (1j * drawn.normal(size=shape) if is_complex else 0)
    if kind == "zeros on the diagonal":
        np.fill_diagonal(found, 0.0)
    elif kind == "ones on the diagonal":
        np.fill_diagonal(found, 1.0)
    elif kind == "none":
        found = 0 * found
    return found


def matrix_loss(drawn: Any, is_complex: bool, shape: tuple[int, int]) -> Any:
    """Return a sum of terms of one factorisation, of which any two may look like one."""
    kinds = ["any", "zeros on the diagonal", "ones on the diagonal", "none"]
    terms = [
        (FUNCTIONS[drawn.integers(len(FUNCTIONS))], weights(drawn, kind, shape, is_complex))
        for kind in drawn.choice(kinds, 2)
    ]
    x = drawn.normal(size=shape[0])

    def of_eigh(a: Any) -> Any:
        w, v = np.linalg.eigh((a + np.conj(a.T)) / 2)
        total = np.sum(np.abs(x @ v) ** 2 * terms[0][0](w)) * np.sum(w)
        for h, g in terms:
            total = total + np.sum(np.real(g * ((v * h(w)) @ np.conj(v.T))))
        return total

    def of_svd(a: Any) -> Any:
        u, s, vh = np.linalg.svd(a, full_matrices=False)
        total = np.sum(terms[0][0](s**2)) * 1.0
        for h, g in terms:
            total = total + np.sum(np.real(g * ((u * (s * h(s**2))) @ vh)))
        return total + np.sum(np.abs(x @ u) ** 2 * terms[1][0](s**2))

    return of_eigh if shape[0] == shape[1] and drawn.random() < 0.6 else of_svd


@pytest.mark.parametrize("seed", range(24))
def test_losses_that_look_like_others_are_told_apart(seed: int) -> None:
    drawn = np.random.default_rng(seed)
    is_complex = seed % 3 == 0
    shape = [(2, 2), (3, 3), (3, 2), (3, 3)][seed % 4]
    values = [[2.0, 2.0, 2.0], [2.0, 2.0, 1.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]][seed // 2 % 4]
    bases = [np.eye(n) for n in shape]
    if seed % 2:
        bases = [
            np.linalg.qr(drawn.normal(size=(n, n)) + 1j * is_complex * drawn.normal(size=(n, n)))[0]
            for n in shape
        ]
    loss = matrix_loss(drawn, is_complex, shape)
    right = bases[0][:, : shape[1]] if loss.__name__ == "of_eigh" else bases[1]
    a = (bases[0][:, : shape[1]] * values[: shape[1]]) @ np.conj(right.T)
    assert_slopes(loss, a if is_complex else np.real(a))


def of_stack(a: Any) -> Any:
    w, v = np.linalg.eigh(np.stack([a + a.T, a @ a.T, a.T @ np.diag([1.0, 2.0, 3.0]) @ a]))
    whole = (v * np.exp(w)[:, None]) @ np.swapaxes(v, -1, -2)
    return np.sum(whole * np.arange(27.0).reshape(3, 3, 3)) + np.sum(w**3)


def rayleigh(a: Any) -> Any:
    w, v = np.linalg.eigh(a + a.T)
    return np.sum(np.diag(v.T @ a @ v) * np.sin(w)) + np.sum((v * w) @ v.T @ a)


def top(a: Any) -> Any:
    _, v = np.linalg.eigh(a + a.T)
    return (v[:, -1] @ np.array([1.0, 2.0, 3.0])) ** 2


def test_several_matrices_other_inputs_and_vectors_of_other_values() -> None:
    assert_slopes(of_stack, 0.5 * np.eye(3))
    assert_slopes(rayleigh, 2.0 * np.eye(3))
    assert_slopes(top, np.diag([1.0, 1.0, 2.0]))


def test_single_precision() -> None:
    loss = matrix_loss(np.random.default_rng(5), False, (3, 3))
    a = (2.0 * np.eye(3)).astype(np.float32)
    found = gradient(loss, a)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, gradient(loss, a.astype(float)), rtol=1e-3, atol=1e-3)


def chosen(a: Any) -> Any:
    w, v = np.linalg.eigh(a)
    return v[0, 0] ** 2 + np.sum(w)  # at its largest for this choice, so that it does not move


def crossed(a: Any) -> Any:
    """Return zero, of which the gradient by `a` itself depends on the choice."""
    _, v = np.linalg.eigh((a + a.T) / 2)
    return (v[:, 0] @ a @ v[:, 1]) * (v[:, 0] @ np.ones((2, 2)) @ v[:, 1] + 1.0)


def twice(a: Any) -> Any:
    w, v = np.linalg.eigh(a)
    x, y = np.linalg.eigh((v * np.exp(w)) @ v.T)
    return np.sum((y * x**2) @ y.T * np.arange(4.0).reshape(2, 2))


@pytest.mark.parametrize("loss", [chosen, crossed, twice])
def test_what_the_graph_does_not_tell_is_nan_and_warns(loss: Any) -> None:
    with pytest.warns(sg.TieWarning, match="equal"):
        assert np.isnan(gradient(loss, 2.0 * np.eye(2))).any()


def loss_of(a: Any, hook: Any = None) -> Any:
    w, v = np.linalg.eigh(a)
    if hook is not None:
        v.register_hook(hook)
    return np.sum((v * np.exp(w)) @ v.T * np.arange(4.0).reshape(2, 2)) + np.sum(w**2)


def test_hooks_run_once_and_may_not_change_what_the_limit_rests_on() -> None:
    a, seen = 2.0 * np.eye(2), list[Any]()
    leaf = sg.tensor(a, requires_grad=True)
    leaf.register_hook(lambda _: seen.append("leaf"))
    loss_of(leaf, lambda _: seen.append("vectors")).backward()
    assert seen == ["vectors", "leaf"]
    np.testing.assert_allclose(leaf.grad.numpy(), gradient(loss_of, a))
    leaf = sg.tensor(a, requires_grad=True)
    with pytest.warns(sg.TieWarning, match="hooks"):
        loss_of(leaf, lambda grad: 2 * grad).backward()
    assert np.isnan(leaf.grad.numpy()).any()


def test_every_way_to_ask_gives_the_same() -> None:
    a = 2.0 * np.eye(2)
    expected = gradient(loss_of, a)
    leaf = sg.tensor(a, requires_grad=True)
    (recorded,) = sg.autograd.grad(loss_of(leaf), leaf, create_graph=True)
    np.testing.assert_allclose(recorded.detach().numpy(), expected)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.TieWarning)
        (second,) = sg.autograd.grad(recorded[0, 0], leaf)
    assert np.isnan(second.numpy()).any()
    out = loss_of(leaf)
    for _ in range(2):
        leaf.grad = None
        out.backward(retain_graph=True)
        np.testing.assert_allclose(leaf.grad.numpy(), expected)
    leaf.grad = None
    sg.compile(plain_loss)(leaf).backward()
    np.testing.assert_allclose(leaf.grad.numpy(), expected)


def plain_loss(a: Any) -> Any:
    w, v = np.linalg.eigh(a)
    return np.sum((v * np.exp(w)) @ v.T * np.arange(4.0).reshape(2, 2)) + np.sum(w**2)


def test_vectors_that_are_not_told_apart_have_no_gradient() -> None:
    weights = np.array([[1.0, 2.0], [3.0, 4.0]])

    def loss(a: Any) -> Any:  # linear in the vectors, of which any would do
        return np.sum(np.linalg.eigh(a)[1] * weights)

    with pytest.warns(sg.errors.TieWarning, match="depends on which"):
        found = gradient(loss, 2.0 * np.eye(2))
    assert np.isnan(found).any()
    assert_slopes(lambda a: loss((a + a.T) / 2), np.array([[2.0, 0.5], [0.5, 3.0]]))


@pytest.mark.filterwarnings("ignore::srcgrad.TieWarning")
@pytest.mark.parametrize("scale", [1e-9, 1e9])
@pytest.mark.parametrize(
    "loss",
    [
        lambda a: np.sum(np.linalg.eigh((a + a.T) / 2)[1] * np.arange(9.0).reshape(3, 3)),
        lambda a: np.sum(np.linalg.svd(a)[0][:, 0] * np.arange(3.0)),
        lambda a: np.sum(np.linalg.svd(a)[2][:1] * np.arange(3.0)),
        top,
        loss_of,
        rayleigh,
    ],
)
def test_what_is_told_of_a_loss_is_told_of_a_multiple(loss: Any, scale: float) -> None:
    a = 2.0 * np.eye(3 if loss is not loss_of else 2)
    found = gradient(lambda a: scale * loss(a), a)
    np.testing.assert_allclose(found, scale * gradient(loss, a), rtol=1e-6, atol=1e-9 * scale)


@pytest.mark.parametrize("how", ["plain", "turned", "mixed"])
def test_values_alone_are_not_turned(how: str) -> None:
    a = np.array([[2.0, 0.5], [0.3, 1.0], [0.1, 0.2]])
    along = np.array([[0.3, -1.0], [0.5, 0.2], [-0.4, 0.9]])
    with choosing(how), sg.autograd.forward_ad.dual_level():
        dual = sg.autograd.forward_ad.make_dual(sg.tensor(a), sg.tensor(along))
        for call in (
            lambda m: np.linalg.svd(m, compute_uv=False),
            lambda m: np.linalg.eigvalsh(m.T @ m),
            lambda m: np.linalg.qr(m, mode="r") ** 2,
        ):
            found = sg.autograd.forward_ad.unpack_dual(call(dual)).tangent.numpy()
            slope = (call(a + 1e-6 * along) - call(a - 1e-6 * along)) / 2e-6
            np.testing.assert_allclose(found, slope, rtol=1e-6, atol=1e-8)
