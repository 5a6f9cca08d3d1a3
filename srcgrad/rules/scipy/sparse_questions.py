"""Questions about sparse matrices, whose answers do not vary."""

from __future__ import annotations

from types import MappingProxyType

from scipy import sparse

from srcgrad.primitives.constants import TRUTH
from srcgrad.rules.registry import RuleTable

table = RuleTable("sparse_questions")
RULES = table.freeze()
CONSTANT = MappingProxyType(
    dict.fromkeys(
        (
            *(sparse.issparse, sparse.isspmatrix, sparse.isspmatrix_csr, sparse.isspmatrix_csc),
            *(sparse.isspmatrix_coo, sparse.isspmatrix_bsr, sparse.isspmatrix_dia),
            *(sparse.isspmatrix_dok, sparse.isspmatrix_lil),
        ),
        TRUTH,
    )
)
