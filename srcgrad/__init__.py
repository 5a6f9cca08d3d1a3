"""Differentiate the NumPy you already have, and read the result."""

from __future__ import annotations

from srcgrad import autograd
from srcgrad.api import Gradient, grad, value_and_grad
from srcgrad.errors import (
    ArgumentError,
    FallbackWarning,
    IntegerInputError,
    MissingRuleError,
    MutationError,
    NonScalarOutputError,
    NotDifferentiableError,
    SourceNotFoundError,
    SrcgradError,
    UnsupportedError,
    UnsupportedSyntaxError,
)
from srcgrad.tape import (
    Tensor,
    enable_grad,
    inference_mode,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
    tensor,
)

__version__ = "0.1.0"

__all__ = [
    "ArgumentError",
    "FallbackWarning",
    "Gradient",
    "IntegerInputError",
    "MissingRuleError",
    "MutationError",
    "NonScalarOutputError",
    "NotDifferentiableError",
    "SourceNotFoundError",
    "SrcgradError",
    "Tensor",
    "UnsupportedError",
    "UnsupportedSyntaxError",
    "autograd",
    "enable_grad",
    "grad",
    "inference_mode",
    "is_grad_enabled",
    "no_grad",
    "set_grad_enabled",
    "tensor",
    "value_and_grad",
]
