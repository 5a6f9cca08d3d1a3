"""Distances in ``scipy.spatial`` that are written out with others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg, spatial, special
from scipy.spatial import distance

from srcgrad.rules.equivalents.registry import EquivalentTable, written_out

table = EquivalentTable()


@written_out
def between(distance_of: Callable[..., Any], XA: Any, XB: Any, **options: Any) -> Any:
    """Return the distances of each row from each row of another array."""
    return distance_of(XA[:, None, :], XB[None, :, :], **options)


@written_out
def among(distance_of: Callable[..., Any], X: Any, **options: Any) -> Any:
    """Return the distances of each row from each later one."""
    first, second = np.triu_indices(len(X), 1)
    return distance_of(X[first], X[second], **options)


def metric(name: str) -> Callable[[Any], Any]:
    """Register the decorated function as a distance of two arrays along their last axis."""

    def add(distance_of: Any) -> Any:
        table.of(getattr(distance, name))(distance_of)
        table.of(distance.cdist, distance_of, option=("metric", 2), values=(name,))(between)
        table.of(distance.pdist, distance_of, option=("metric", 1), values=(name,))(among)
        return distance_of

    return add


@written_out
def cosine(u: Any, v: Any) -> Any:
    """Return one minus the cosine of the angle between vectors."""
    sizes = np.sqrt(np.sum(u * u, axis=-1) * np.sum(v * v, axis=-1))
    return 1 - np.sum(u * v, axis=-1) / sizes


table.of(distance.cdist, cosine, option=("metric", 2), values=("cosine",))(between)
table.of(distance.pdist, cosine, option=("metric", 1), values=("cosine",))(among)


@metric("correlation")
def correlation(u: Any, v: Any) -> Any:
    """Return one minus the correlation of vectors."""
    u_off = u - np.mean(u, axis=-1, keepdims=True)
    v_off = v - np.mean(v, axis=-1, keepdims=True)
    sizes = np.sqrt(np.sum(u_off * u_off, axis=-1) * np.sum(v_off * v_off, axis=-1))
    return 1 - np.sum(u_off * v_off, axis=-1) / sizes


@metric("chebyshev")
def chebyshev(u: Any, v: Any) -> Any:
    """Return the greatest difference."""
    return np.max(np.abs(u - v), axis=-1)


@metric("minkowski")
def minkowski(u: Any, v: Any, p: Any = 2, w: Any = 1.0) -> Any:
    """Return the p-norm of the difference."""
    return np.linalg.norm(w ** (1 / p) * (u - v), p, axis=-1)


@metric("canberra")
def canberra(u: Any, v: Any) -> Any:
    """Return the sum of the differences, each in parts of the sizes."""
    sizes = np.abs(u) + np.abs(v)
    return np.sum(np.abs(u - v) / np.where(sizes == 0, 1, sizes), axis=-1)


@metric("braycurtis")
def braycurtis(u: Any, v: Any) -> Any:
    """Return the sum of the differences in parts of the sums."""
    return np.sum(np.abs(u - v), axis=-1) / np.sum(np.abs(u + v), axis=-1)


@metric("seuclidean")
def seuclidean(u: Any, v: Any, V: Any) -> Any:
    """Return the length of the difference, given the variance of each part."""
    return np.linalg.norm((u - v) / np.sqrt(V), axis=-1)


@written_out
def mahalanobis(u: Any, v: Any, VI: Any) -> Any:
    """Return the length of the difference, given the inverse of the covariance."""
    return np.sqrt(np.sum((u - v) @ VI * (u - v), axis=-1))


table.of(distance.cdist, mahalanobis, option=("metric", 2), values=("mahalanobis",))(between)
table.of(distance.pdist, mahalanobis, option=("metric", 1), values=("mahalanobis",))(among)


@table.of(distance.jensenshannon)
def jensenshannon(p: Any, q: Any, base: Any = None, *, axis: int = 0) -> Any:
    """Return the distance between shares, which are made to add up to 1."""
    p_share = p / np.sum(p, axis=axis, keepdims=True)
    q_share = q / np.sum(q, axis=axis, keepdims=True)
    middle = (p_share + q_share) / 2
    parts = special.rel_entr(p_share, middle) + special.rel_entr(q_share, middle)
    found = np.sqrt(np.sum(parts, axis=axis) / 2)
    return found if base is None else found / np.sqrt(np.log(base))


@table.of(spatial.distance_matrix)
def distance_matrix(x: Any, y: Any, p: Any = 2) -> Any:
    """Return the distances of each row from each row of another array."""
    return np.linalg.norm(x[:, None, :] - y[None, :, :], p, axis=-1)


@table.of(spatial.minkowski_distance)
def minkowski_distance(x: Any, y: Any, p: Any = 2) -> Any:
    """Return the p-norm of the difference."""
    return np.linalg.norm(x - y, p, axis=-1)


@table.of(spatial.minkowski_distance_p)
def minkowski_distance_p(x: Any, y: Any, p: Any = 2) -> Any:
    """Return the sum of the powers of the differences."""
    return np.sum(np.abs(x - y) ** p, axis=-1)


@table.of(spatial.procrustes)
def procrustes(data1: Any, data2: Any) -> Any:
    """Return two sets of points, the second turned to fit, and the squares that are left."""
    first, second = data1 - np.mean(data1, axis=0), data2 - np.mean(data2, axis=0)
    first, second = first / np.linalg.norm(first), second / np.linalg.norm(second)
    turn, scale = linalg.orthogonal_procrustes(first, second)
    second = second @ turn.T * scale
    return first, second, np.sum((first - second) ** 2)


EQUIVALENTS = table.freeze()
