"""Programs that make sparse matrices of values that vary, and calculate with them."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csc_matrix, csr_array, diags, diags_array
from scipy.sparse.linalg import (
    bicgstab,
    cg,
    factorized,
    gmres,
    minres,
    splu,
    spsolve,
    spsolve_triangular,
)

from tests.programs.corpus import program

ROWS, COLS = np.array([0, 1, 2, 0]), np.array([0, 1, 2, 2])
STARTS, INDICES = np.array([0, 2, 3, 4]), np.array([0, 2, 1, 2])
FIXED = csr_array(np.array([[2.0, 0, 0.5], [0, 3.0, 0], [0, 0.1, 1.0]]))
LOAD = np.array([1.0, 2.0, 3.0])
LOADS = np.arange(1.0, 7.0).reshape(3, 2)


@program(("v", 4), ("v", 3))
def product_by_coordinates(entries, b):
    """A matrix of entries and their rows and columns."""
    A = sp.coo_array((entries * entries, (ROWS, COLS)), shape=(3, 3))
    return np.sum((A @ b) ** 2)


@program(("v", 4))
def entries_at_the_same_place(entries):
    """Entries at the same place add up; the transposed matrix."""
    A = sp.coo_matrix((entries, (ROWS * 0, COLS)), shape=(3, 3))
    return np.sum((A.T @ LOAD) ** 2)


@program(("v", 4))
def product_by_rows(entries):
    """Compressed rows, with a matrix of right-hand sides, and a product from the left."""
    A = csr_array((entries, INDICES, STARTS), shape=(3, 3))
    return np.sum((A @ LOADS) ** 2) + (LOAD @ A) @ LOAD


@program(("v", 4))
def product_by_columns(entries):
    """Compressed columns, without a shape."""
    A = csc_matrix((entries, INDICES, STARTS))
    return np.sum(A.dot(LOAD) ** 2)


@program(("v", 4), ("v", 3))
def steps_of_a_network(entries, state):
    """The same matrix in every trip of a loop."""
    A = csr_array((entries, INDICES, STARTS), shape=(3, 3))
    for _ in range(3):
        state = np.sin(A @ state)
    return np.sum(state)


@program(("v", 4))
def sums_of_matrices(entries):
    """Multiples, sums and differences, also with a matrix of constants."""
    A = csr_array((entries, INDICES, STARTS), shape=(3, 3))
    S = 2.0 * A + FIXED - A.T / 3.0
    T = FIXED - (-A)
    return np.sum((S @ LOAD) ** 2) + np.sum((T.T @ LOAD) ** 3)


@program(("v", 4))
def rows_and_columns_scaled(entries):
    """Products element by element with a row, a column, a number and an array."""
    A = csr_array((entries, INDICES, STARTS), shape=(3, 3))
    by_column = A.multiply(entries[:3]) @ LOAD
    by_row = (A * entries[:3, None]).toarray()
    return np.sum(by_column**2) + np.sum(by_row**2) + (A * entries[0]).multiply(by_row).sum()


@program(("v", 4))
def parts_of_a_matrix(entries):
    """The sum, the diagonal, the trace, the sums of columns and rows, and the array."""
    A = csr_array((entries, INDICES, STARTS), shape=(3, 3))
    lines = np.sum(A.sum(axis=0) ** 2 * A.sum(axis=1))
    return np.sum(A.toarray() ** 2) + A.sum() + np.sum(A.diagonal() ** 2) + A.trace() ** 2 + lines


@program(("v", 4))
def one_diagonal(d):
    """A matrix with one diagonal."""
    return np.sum((diags(d) @ np.arange(4.0)) ** 2) + np.sum(diags(d, 1).toarray() ** 3)


@program(("v", 4), "s")
def several_diagonals(d, s):
    """Diagonals, one of a number and one of a constant."""
    A = diags_array([-1.0, 3 + d, s], offsets=[-1, 0, 1], shape=(4, 4))
    return np.sum((A @ np.arange(4.0)) ** 2)


@program(("v", 4))
def rod_of_varying_stiffness(k):
    """A sparse system whose matrix and right-hand side both vary."""
    A = diags_array([-k[1:], k + 3.0, -k[1:]], offsets=[-1, 0, 1]).tocsc()
    moved = spsolve(A, k * np.arange(4.0))
    return np.sum(moved**2)


@program(("v", 4))
def factors_used_twice(entries):
    """A factorisation with which systems are solved twice."""
    A = sp.csc_array((2 + entries, (ROWS, COLS)), shape=(3, 3))
    lu = splu(A)
    solve = factorized(A)
    return np.sum(lu.solve(LOAD * entries[0]) ** 2) + np.sum(lu.solve(LOADS) * solve(LOADS))


@program(("v", 3))
def matrix_of_an_array(v):
    """A sparse matrix of an array, of which entries that are 0 may change too."""
    A = csr_array(np.outer(v, v) - v[0] * v[0])
    return np.sum((A @ LOAD) ** 2)


def _applied(matrix, u):
    return matrix @ u


@program(("v", 4))
def matrix_given_to_a_helper(entries):
    """A helper that is given a sparse matrix."""
    A = csr_array((entries, INDICES, STARTS), shape=(3, 3))
    return np.sum(_applied(A, LOAD) ** 2)


@program(("v", 4))
def matrix_made_in_a_loop(entries):
    """A matrix that is made anew in every trip."""
    u = LOAD
    for _ in range(2):
        A = csr_array((entries * u[0], INDICES, STARTS), shape=(3, 3))
        u = A @ u
    return np.sum(u)


@program(("v", 3))
def products_with_a_matrix_of_constants(v):
    """A matrix of constants, from both sides, transposed and scaled."""
    both = np.sum((FIXED.T @ v) ** 2) + np.sum((v @ FIXED) ** 2)
    return both + np.sum(FIXED.dot(v)) + np.sum((2 * FIXED) @ v)


@program(("v", 4))
def products_of_matrices(entries):
    """A product of two, of which one is the other turned, and products with constants."""
    A = csr_array((entries * entries, (ROWS, COLS)), shape=(3, 3))
    B = A @ A.T
    return np.sum((B @ LOAD) ** 2) + np.sum((FIXED @ A @ FIXED).toarray() ** 2)


@program(("v", 4))
def powers_of_a_matrix(entries):
    """A product in every trip of a loop, elements to a power, and elements times elements."""
    A = csr_array((entries, (ROWS * 0, COLS)), shape=(3, 3))
    P = A @ FIXED
    for _ in range(2):
        P = P @ FIXED
    return np.sum((P @ LOAD) ** 2) + A.power(2).sum() + A.multiply(A.T).sum() + A.multiply(P).sum()


@program(("v", 4))
def elements_and_parts(entries):
    """Elements, slices of rows and columns, and lists of them."""
    A = csr_array((entries * entries, (ROWS, COLS)), shape=(3, 3))
    parts = np.sum((A[1:] @ LOAD) ** 2) + np.sum((A[:, 1:] @ LOAD[1:]) ** 3)
    return A[0, -1] * A[1, 1] + A[2, 0] + parts + np.sum((A[[2, 0, 0]] @ LOAD) ** 2)


@program(("v", 4))
def rows_of_a_matrix(entries):
    """Rows and columns of a matrix stay matrices."""
    A = csc_matrix((entries, INDICES, STARTS), shape=(3, 3))
    return np.sum(A[0].toarray() ** 2) + np.sum(A[:2, 1].toarray()) * (A[:, ROWS].T @ LOAD)[3]


@program(("v", 4))
def blocks(entries):
    """Matrices below and beside each other, along the diagonal, and a Kronecker product."""
    A = csr_array((entries, INDICES, STARTS), shape=(3, 3))
    both = np.concatenate([LOAD, LOAD])
    high, wide = sp.vstack([A, FIXED, A.T]), sp.hstack([A, 2 * A], format="csr")
    far = sp.block_diag((A, FIXED))
    K = sp.kron(A, FIXED) + sp.kron(FIXED, A)
    total = np.sum((high @ LOAD) ** 2) + np.sum((wide @ both) ** 2) + np.sum((far @ both) ** 2)
    return total + np.sum((K @ np.arange(9.0)) ** 2)


@program(("v", 4))
def bands(d):
    """The rows of an array along diagonals."""
    A = sp.dia_array((np.stack([d, d * d]), [0, 1]), shape=(4, 4))
    return np.sum((A @ np.arange(4.0)) ** 2)


@program(("v", 4))
def iterations(entries):
    """Systems solved step by step, whose matrix and right-hand side both vary."""
    A = csr_array((3 + entries * entries, (ROWS, COLS)), shape=(3, 3))
    x, info = gmres(A, entries[1:], rtol=1e-13)
    y = bicgstab(A, LOAD * entries[0], x0=LOAD, rtol=1e-13, atol=0.0, M=np.eye(3) / 4)[0]
    z = cg(A @ A.T, entries[:3], rtol=1e-13)[0]
    return np.sum(x**2) + np.sum(y * z) + info + np.sum(spsolve_triangular(A.T, entries[1:]) ** 2)


@program(("v", 4))
def iterations_with_a_matrix_of_constants(b):
    """A matrix of constants, and an array that varies."""
    A = np.outer(b[:3], b[1:]) + 4 * np.eye(3)
    x = minres(FIXED @ FIXED.T, b[1:], rtol=1e-13)[0]
    return np.sum(x**2) + np.sum(gmres(A, b[:3], rtol=1e-13)[0] ** 2)


@program("v")
def dense_unless_it_is_sparse(x):
    """Whether a value is a sparse matrix is no number that varies."""
    if sp.issparse(x) or sp.isspmatrix(x):
        x = x.toarray()
    return np.sum(x * x)
