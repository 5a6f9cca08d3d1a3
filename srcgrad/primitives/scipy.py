"""Records of SciPy's functions of which more is known than their rules tell."""

from __future__ import annotations

from typing import Final

from srcgrad.primitives.record import Primitive, records

# matrices made of the numbers that are given, and of whole ones if these are
_OF_NUMBERS: Final = "block_diag circulant companion fiedler hankel khatri_rao kron leslie toeplitz"

RECORDS: Final[tuple[Primitive, ...]] = (
    *records("scipy.linalg", _OF_NUMBERS, kind="promoted"),
    *records("scipy.linalg", "bandwidth hadamard invpascal pascal", kind="int"),
    *records("scipy.linalg", "lstsq lu_factor cho_factor", kind="mixed"),
    *records("scipy.fft", "fftshift ifftshift", kind="promoted"),
    *records("scipy.fft", "next_fast_len prev_fast_len", kind="int"),
    *records("scipy.special", "logsumexp", shape="reduced"),
)
