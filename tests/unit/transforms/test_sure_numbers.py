"""Numbers in dicts and lists need no records of shapes, and no zeros of arrays."""

from __future__ import annotations

import numpy as np

import srcgrad as sg


def _bounced(x):
    balls = [{"x": v, "v": 0.5 * v} for v in x]
    for _ in range(2):
        for ball in balls:
            ball["x"] += ball["v"] * 0.2
            if ball["x"] > 1.5:
                ball["x"] = 3.0 - ball["x"]
                ball["v"] = -ball["v"]
    return sum(ball["x"] * ball["v"] for ball in balls)


def _arrays(x):
    balls = [{"x": x * k, "v": 0.5} for k in range(3)]
    for ball in balls:
        ball["v"] = ball["v"] + ball["x"]
    return sum(np.sum(ball["x"] * ball["v"]) for ball in balls)


def test_numbers_are_updated_without_records():
    x = np.array([0.7, 1.4, 0.4])
    gradient = sg.grad(_bounced, fallback="error")
    found = gradient(x)
    steps = 1e-6 * np.eye(3)
    expected = [(_bounced(x + d) - _bounced(x - d)) / 2e-6 for d in steps]
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert "_before" not in gradient.source
    assert "unbroadcast" not in gradient.source


def test_a_number_that_becomes_an_array_is_none():
    x = np.array([0.7, 1.4, 0.4])
    gradient = sg.grad(_arrays, fallback="error")
    steps = 1e-6 * np.eye(3)
    expected = [(_arrays(x + d) - _arrays(x - d)) / 2e-6 for d in steps]
    np.testing.assert_allclose(gradient(x), expected, rtol=1e-6)
    assert "_before" in gradient.source
