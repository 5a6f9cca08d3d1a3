"""Says which are the last axes that a function works on, before which it carries others along.

It is said as NumPy says it of generalised ufuncs: ``(m,m),(m,n)->(m,n)``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

SIGNATURES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "numpy.linalg.det": "(m,m)->()",
        "numpy.linalg.inv": "(m,m)->(m,m)",
        "numpy.linalg.cholesky": "(m,m)->(m,m)",
        "numpy.linalg.pinv": "(m,n)->(n,m)",
        "numpy.linalg.solve": "(m,m),(m,n)->(m,n)",
        "numpy.linalg.eigvalsh": "(m,m)->(m)",
        "numpy.linalg.eigh": "(m,m)->(m),(m,m)",
        "numpy.linalg.slogdet": "(m,m)->(),()",
        "numpy.linalg.qr": "(m,n)->(m,k),(k,n)",
        "numpy.linalg.svd": "(m,n)->(m,m),(k),(n,n)",
    }
)
