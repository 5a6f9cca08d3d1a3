"""Refuses masked arrays, and ``*`` and ``**`` of sparse matrices, which multiply matrices."""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from srcgrad.errors import MissingRuleError
from srcgrad.frontend.refusals import Refusals
from srcgrad.ir.scopes import MISSING, Scope
from srcgrad.ir.walk import walk
from srcgrad.runtime.products import is_sparse_matrix


def check_sparse(tree: Any, scope: Scope, refusals: Refusals) -> None:
    """Note every ``*`` and ``**`` of what is known to be a sparse matrix, and masked arrays."""
    local = {
        target.id
        for node in walk(tree)
        if isinstance(node, gast.Assign) and _makes_sparse(node.value, scope)
        for target in node.targets
        if isinstance(target, gast.Name)
    }
    for node in walk(tree):
        if isinstance(node, gast.Name) and isinstance(scope.lookup(node.id), np.ma.MaskedArray):
            refusals.add(
                node,
                "a MaskedArray, whose masked elements have no derivative rule",
                "use np.where with the mask",
                MissingRuleError,
            )
        operator = getattr(node, "op", None)
        if not isinstance(operator, (gast.Mult, gast.Pow)):
            continue
        sides = (getattr(node, name, None) for name in ("left", "right", "target", "value"))
        if any(_is_sparse(side, scope, local) for side in sides):
            refusals.add(
                node,
                "this product of a sparse matrix is one of matrices",
                "write it with `@`, or make it a sparse array: csr_array instead of csr_matrix",
            )


def _is_sparse(node: Any, scope: Scope, local: set[str]) -> bool:
    while isinstance(node, gast.Attribute) and node.attr in ("T", "H", "real", "imag"):
        node = node.value
    if isinstance(node, gast.Name):
        return node.id in local or is_sparse_matrix(scope.lookup(node.id))
    return _makes_sparse(node, scope)


def _makes_sparse(node: Any, scope: Scope) -> bool:
    """Say whether a call is one of a function of ``scipy.sparse`` that makes a sparse matrix."""
    if not isinstance(node, gast.Call):
        return False
    callee = scope.resolve(node.func)
    module = getattr(callee, "__module__", None) or ""
    if callee is MISSING or not module.startswith("scipy.sparse._"):
        return False
    return not callee.__name__.endswith("_array")
