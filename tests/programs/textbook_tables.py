"""Algorithms that textbooks write over lists of lists of numbers, and lists of arrays."""

from __future__ import annotations

import math

import numpy as np

from tests.programs.corpus import program


@program(("v", 4))
def romberg_integration(x):
    def f(t):
        return math.exp(-x[0] * t) * math.sin(x[1] * t + x[2])

    R = [[0.5 * (f(0.0) + f(1.0))]]
    h = 1.0
    for i in range(1, 5):
        h *= 0.5
        s = 0.0
        for k in range(1, 2**i, 2):
            s += f(k * h)
        row = [0.5 * R[i - 1][0] + h * s]
        for j in range(1, i + 1):
            row.append(row[j - 1] + (row[j - 1] - R[i - 1][j - 1]) / (4**j - 1))
        R.append(row)
    return R[-1][-1] * x[3]


@program(("v", 4))
def neville_interpolation(x):
    t = [0.0, 1.0, 2.0, 3.0]
    p = [[v] for v in x]
    for k in range(1, 4):
        for i in range(4 - k):
            p[i].append(
                ((1.5 - t[i + k]) * p[i][k - 1] + (t[i] - 1.5) * p[i + 1][k - 1])
                / (t[i] - t[i + k])
            )
    return p[0][3]


@program(("v", 4))
def gauss_with_row_swaps(x):
    n = 3
    A = [[x[0], 1.0, 2.0, x[1]], [1.0, x[2] + 3.0, 0.5, 2.0], [0.3, 0.1, 4.0, x[3]]]
    for k in range(n):
        p = max(range(k, n), key=lambda r: abs(A[r][k]))
        A[k], A[p] = A[p], A[k]
        for i in range(k + 1, n):
            m = A[i][k] / A[k][k]
            for j in range(k, n + 1):
                A[i][j] -= m * A[k][j]
    s = [0.0] * n
    for i in range(n - 1, -1, -1):
        s[i] = (A[i][n] - sum(A[i][j] * s[j] for j in range(i + 1, n))) / A[i][i]
    return s[0] * s[1] + s[2]


@program(("v", 4))
def de_casteljau(x):
    pts = [[x[0], x[1]], [x[1], x[2]], [x[2], x[3]], [0.5, x[0]]]
    t = 0.3
    n = len(pts)
    for r in range(1, n):
        for i in range(n - r):
            for d in range(2):
                pts[i][d] = (1 - t) * pts[i][d] + t * pts[i + 1][d]
    return pts[0][0] * pts[0][1]


@program(("v", 4))
def soft_best_path(x):
    e = [[x[0], x[1]], [x[2], x[3]], [x[1], x[2]]]
    V = [[0.0, 0.0]]
    for t in range(3):
        V.append([max(V[t][j] + 0.3 * (i == j) for j in range(2)) + e[t][i] for i in range(2)])
    return math.log(math.exp(V[-1][0]) + math.exp(V[-1][1]))


@program(("v", 4))
def divided_differences(x):
    n = 4
    t = [[0.0] * n for _ in range(n)]
    for i in range(n):
        t[i][0] = math.sin(x[i])
    for j in range(1, n):
        for i in range(n - j):
            t[i][j] = (t[i + 1][j - 1] - t[i][j - 1]) / (x[i + j] - x[i])
    return t[0][1] + t[0][2] * x[0] + t[0][3]


@program(("v", 4))
def two_layers_of_cells(x):
    h = [np.zeros(4), np.zeros(4)]
    c = [np.zeros(4), np.zeros(4)]
    inp = x
    for t in range(3):
        inp = x * (t + 1)
        for k in range(2):
            f = 1 / (1 + np.exp(-(inp + h[k])))
            c[k] *= f
            c[k] += (1 - f) * np.tanh(inp)
            h[k] = np.tanh(c[k]) * f
            inp = h[k]
    return np.sum(inp * h[0])


@program(("v", 4))
def adams_bashforth_with_a_history(x):
    y = x * 1.0
    fs = [-y * x[0], -y * x[0] * 0.9, -y]
    for t in range(4):
        y += 0.1 * (23 * fs[2] - 16 * fs[1] + 5 * fs[0]) / 12
        fs = [fs[1], fs[2], -y * x[0]]
        fs[2][0] *= 0.5
    return np.sum(y)
