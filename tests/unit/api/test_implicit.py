"""Tests solvers that are differentiated by what they solve, and objectives for optimisers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq, least_squares, minimize, root
from scipy.sparse.linalg import LinearOperator, gmres

import srcgrad as sg

VECTOR = np.array([0.3, 0.7, 0.5])


def assert_close(ours, expected, tolerance=1e-6):
    np.testing.assert_allclose(ours, expected, rtol=tolerance, atol=tolerance)


def slope(f, x, direction=1.0, step=1e-4):
    near = f(x + step * direction) - f(x - step * direction)
    far = f(x + 2 * step * direction) - f(x - 2 * step * direction)
    return (8 * near - far) / (12 * step)


def cubic(x, a):
    return x**3 + a * x - 2.0


@sg.implicit.root(cubic)
def root_of_cubic(a):
    return brentq(cubic, 0.0, 3.0, args=(a,), xtol=1e-14)


def by_root(a):
    return root_of_cubic(a) ** 2 * a


def system(x, p):
    return p["A"] @ x + x**3 - p["b"]


def newton(p):
    x = np.zeros(3)
    for _ in range(50):
        x = x - np.linalg.solve(p["A"] + np.diag(3 * x**2), system(x, p))
    return x


def by_iteration(product, right):
    size = right.size
    found, _ = gmres(LinearOperator((size, size), product), right, rtol=1e-12, atol=1e-12)
    return found


@sg.implicit.fixed_point(lambda x, t: np.cos(x * t))
def balance(t):
    x = np.ones_like(t)
    for _ in range(400):
        x = np.cos(x * t)
    return x


def squeeze(x, a):
    return np.sum((x - a) ** 4) + np.sum(x**2)


@sg.implicit.argmin(squeeze)
def best(a):
    x = np.zeros_like(a)
    for _ in range(200):  # Newton's
        x = x - (4 * (x - a) ** 3 + 2 * x) / (12 * (x - a) ** 2 + 2)
    return x


def test_a_root_is_differentiated_by_source_forward_and_on_the_tape():
    expected = slope(by_root, 1.3)
    gradient = sg.grad(by_root, fallback="error")
    assert_close(gradient(1.3), expected)
    assert "root_of_cubic(a)" in gradient.source
    assert_close(sg.jvp(by_root, (1.3,), (1.0,))[1], expected)
    tensor = sg.tensor(1.3, requires_grad=True)
    by_root(tensor).backward()
    assert_close(tensor.grad.item(), expected)


@pytest.mark.parametrize("linear_solver", [None, by_iteration])
def test_a_system_with_structured_parameters(linear_solver):
    solve = sg.implicit.root(system, linear_solver=linear_solver)(newton)
    rng = np.random.default_rng(0)
    p = {"A": rng.normal(size=(3, 3)) + 4 * np.eye(3), "b": rng.normal(size=3)}
    moved = {"A": rng.normal(size=(3, 3)), "b": rng.normal(size=3)}

    def loss(p):
        return np.sum(solve(p) ** 2)

    def along(h):
        return loss({key: p[key] + h * moved[key] for key in p})

    grads = sg.grad(loss, fallback="error")(p)
    total = np.sum(grads["A"] * moved["A"]) + np.sum(grads["b"] * moved["b"])
    assert_close(total, slope(along, 0.0))
    assert_close(sg.jvp(loss, (p,), (moved,))[1], total)


@pytest.mark.parametrize("solver", [balance, best])
def test_fixed_points_and_minima(solver):
    def loss(t):
        return np.sum(solver(t) * t)

    direction = np.array([1.0, -2.0, 0.5])
    expected = slope(lambda h: loss(VECTOR + h * direction), 0.0)
    assert_close(sg.grad(loss, fallback="error")(VECTOR) @ direction, expected)


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_the_first_derivative_on_the_tape():
    scope = {"solve": root_of_cubic}
    exec("def f(a):\n    return solve(a) ** 2 * a", scope)
    expected = slope(by_root, 1.3)
    assert_close(sg.grad(scope["f"])(1.3), expected)
    assert_close(sg.jvp(scope["f"], (1.3,), (1.0,))[1], expected)


def test_a_linear_system_by_products():
    def equations(x, d, b):
        return d * x + 0.1 * np.sum(x) - b

    @sg.implicit.root(equations, linear_solver=by_iteration)
    def solve(d, b):
        product = LinearOperator((3, 3), lambda x: equations(x, d, 0.0))
        return gmres(product, b, rtol=1e-13, atol=1e-13)[0]

    def loss(d, b):
        return np.sum(solve(d, b) ** 3)

    d, b = np.array([1.0, 2.0, 3.0]), np.array([1.0, -1.0, 0.5])
    by_d, by_b = sg.grad(loss, argnums=(0, 1), fallback="error")(d, b)
    v = np.array([0.3, -0.2, 0.5])
    assert_close(by_d @ v, slope(lambda h: loss(d + h * v, b), 0.0))
    assert_close(by_b @ v, slope(lambda h: loss(d, b + h * v), 0.0))


def test_a_residual_of_another_size_is_refused():
    @sg.implicit.root(lambda x, a: x[:2] - a[:2])
    def solver(a):
        return a * 1.0

    with pytest.raises(sg.ArgumentError, match="2 numbers and the solution 3"):
        sg.grad(lambda a: np.sum(solver(a)))(VECTOR)


def network(p, x, y):
    h = np.tanh(x @ p["w"] + p["b"])
    return np.mean((h @ p["v"] - y) ** 2) + 1e-2 * (np.sum(p["w"] ** 2) + np.sum(p["v"] ** 2))


def start():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(30, 2))
    p = {"w": rng.normal(size=(2, 3)), "b": 0.1, "v": rng.normal(size=3), "depth": 1}
    return p, x, np.sin(x[:, 0])


def test_an_objective_gives_every_derivative_of_a_vector():
    p, x, y = start()
    objective = sg.scipy_objective(network, p, x, y)
    assert objective.x0.shape == (10,)
    again = objective.unravel(objective.x0)
    assert again["depth"] == 1
    assert isinstance(again["b"], float)
    assert_close(objective.fun(objective.x0), network(p, x, y))
    v = np.linspace(-1.0, 1.0, 10)
    assert_close(
        objective.jac(objective.x0) @ v, slope(lambda h: objective.fun(objective.x0 + h * v), 0.0)
    )
    value, grad = objective.fun_and_jac(objective.x0)
    assert_close(grad, objective.jac(objective.x0))
    assert value == objective.fun(objective.x0)
    product = slope(lambda h: objective.jac(objective.x0 + h * v), 0.0)
    assert_close(objective.hessp(objective.x0, v), product)
    assert_close(objective.hess(objective.x0) @ v, product)


@pytest.mark.parametrize("method", ["BFGS", "Newton-CG", "trust-ncg", "trust-exact"])
def test_the_optimisers_of_scipy_take_an_objective(method):
    p, x, y = start()
    o = sg.scipy_objective(network, p, x, y)
    second = {"hess": o.hess} if method == "trust-exact" else {"hessp": o.hessp}
    options = {} if method == "BFGS" else second
    result = minimize(o.fun, o.x0, jac=o.jac, method=method, **options)
    assert np.linalg.norm(o.jac(result.x)) < 1e-3
    assert result.fun < network(p, x, y)


def test_residuals_have_a_jacobian_matrix():
    t = np.linspace(0.0, 3.0, 20)
    data = 2.0 * np.exp(-1.3 * t)

    def residuals(p):
        return p["a"] * np.exp(-p["k"] * t) - data

    o = sg.scipy_objective(residuals, {"a": 1.0, "k": 0.5})
    result = least_squares(o.fun, o.x0, jac=o.jac)
    assert_close(list(o.unravel(result.x).values()), [2.0, 1.3])


def test_equations_have_a_matrix_for_root():
    def equations(z, c):
        return np.array([z[0] ** 2 + z[1] ** 2 - c, z[0] - z[1]])

    o = sg.scipy_objective(equations, np.array([1.0, 2.0]), 2.0)
    found = root(o.fun, o.x0, jac=o.jac)
    assert found.success
    assert_close(found.x, [1.0, 1.0])


def test_a_wide_matrix_goes_row_by_row():
    o = sg.scipy_objective(lambda p: p["a"][:1] * p["b"] * p["a"][2], {"a": np.ones(3), "b": 2.0})
    assert_close(o.jac(o.x0), [[2.0, 0.0, 2.0, 1.0]])


@pytest.mark.parametrize("reverse", [False, True])
def test_residuals_and_equations_may_be_containers(reverse):
    def equations(p):
        first = [p["w"][0] ** 2 - 2.0 + p["k"], p["w"][1] - p["k"]]
        return {"a": first} if reverse else [*first, {"b": p["k"] - 0.1 * np.sum(p["w"])}, "text"]

    o = sg.scipy_objective(equations, {"w": np.array([1.0, 1.0]), "k": 0.3})
    slopes = [(o.fun(o.x0 + e) - o.fun(o.x0 - e)) / 2e-6 for e in np.eye(3) * 1e-6]
    np.testing.assert_allclose(o.jac(o.x0), np.transpose(slopes), atol=1e-8)
    if not reverse:
        found = root(o.fun, o.x0, jac=o.jac)
        assert found.success
        assert o.unravel(found.x)["k"] == pytest.approx(o.unravel(found.x)["w"][1])
