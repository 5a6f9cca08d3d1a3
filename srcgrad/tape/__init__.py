"""Is the dynamic engine: tensors that remember how they were made, and gradients of them."""

from __future__ import annotations

from srcgrad.tape.backward import GradientEdge, backward, grad
from srcgrad.tape.creation import from_numpy, tensor
from srcgrad.tape.function import Function
from srcgrad.tape.modes import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from srcgrad.tape.mutation import strict_fallback
from srcgrad.tape.tensor import Tensor

__all__ = [
    "Function",
    "GradientEdge",
    "Tensor",
    "backward",
    "enable_grad",
    "from_numpy",
    "grad",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "set_grad_enabled",
    "strict_fallback",
    "tensor",
]
