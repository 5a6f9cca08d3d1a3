"""Mirrors torch.autograd.function: what users need to give a derivative of their own."""

from __future__ import annotations

from srcgrad.tape.function import (
    BackwardCFunction,
    Function,
    FunctionCtx,
    FunctionMeta,
    once_differentiable,
)
from srcgrad.tape.legacy import InplaceFunction, NestedIOFunction, traceable

__all__ = [
    "BackwardCFunction",
    "Function",
    "FunctionCtx",
    "FunctionMeta",
    "InplaceFunction",
    "NestedIOFunction",
    "once_differentiable",
    "traceable",
]
