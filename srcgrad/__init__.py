"""Differentiate the NumPy you already have, and read the result."""

from __future__ import annotations

from srcgrad import autograd, utils
from srcgrad.api import (
    Checkpointed,
    Compiled,
    Gradient,
    HessianProduct,
    Jacobian,
    Objective,
    Pullback,
    Pushforward,
    checkpoint,
    compile,  # noqa: A004 - the name that users know
    grad,
    hessian,
    hessian_product,
    hvp,
    implicit,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    numeric_vjp,
    pullback,
    pushforward,
    scipy_objective,
    value_and_grad,
    vjp,
)
from srcgrad.errors import (
    ArgumentError,
    FallbackWarning,
    IntegerInputError,
    MissingRuleError,
    MutationError,
    NonFiniteError,
    NonScalarOutputError,
    NotDifferentiableError,
    NumericWarning,
    SourceNotFoundError,
    SrcgradError,
    TieWarning,
    ToolNotFoundError,
    UnsupportedError,
    UnsupportedSyntaxError,
)
from srcgrad.insight.switch import debug_nans
from srcgrad.runtime import stop_gradient
from srcgrad.runtime.containers import register_container
from srcgrad.runtime.long_loops import checkpointed
from srcgrad.runtime.surgery import grad_of
from srcgrad.tape import (
    Tensor,
    arange,
    as_tensor,
    empty,
    empty_like,
    enable_grad,
    eye,
    from_numpy,
    full,
    full_like,
    functions,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    is_tensor,
    linspace,
    no_grad,
    ones,
    ones_like,
    rand,
    randn,
    set_grad_enabled,
    tensor,
    zeros,
    zeros_like,
)

__version__ = "0.1.0"

__all__ = [  # PyTorch's functions over tensors, `srcgrad.exp` and so on, are added below
    "ArgumentError",
    "Checkpointed",
    "Compiled",
    "FallbackWarning",
    "Gradient",
    "HessianProduct",
    "IntegerInputError",
    "Jacobian",
    "MissingRuleError",
    "MutationError",
    "NonFiniteError",
    "NonScalarOutputError",
    "NotDifferentiableError",
    "NumericWarning",
    "Objective",
    "Pullback",
    "Pushforward",
    "SourceNotFoundError",
    "SrcgradError",
    "Tensor",
    "TieWarning",
    "ToolNotFoundError",
    "UnsupportedError",
    "UnsupportedSyntaxError",
    "arange",
    "as_tensor",
    "autograd",
    "checkpoint",
    "checkpointed",
    "compile",
    "debug_nans",
    "empty",
    "empty_like",
    "enable_grad",
    "eye",
    "from_numpy",
    "full",
    "full_like",
    "grad",
    "grad_of",
    "hessian",
    "hessian_product",
    "hvp",
    "implicit",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_tensor",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "linspace",
    "no_grad",
    "numeric_vjp",
    "ones",
    "ones_like",
    "pullback",
    "pushforward",
    "rand",
    "randn",
    "register_container",
    "scipy_objective",
    "set_grad_enabled",
    "stop_gradient",
    "tensor",
    "utils",
    "value_and_grad",
    "vjp",
    "zeros",
    "zeros_like",
]


def __getattr__(name: str) -> object:
    """Return PyTorch's function of that name over tensors, such as `srcgrad.exp`."""
    if name in functions.NAMES:
        return getattr(functions, name)
    raise AttributeError(f"module 'srcgrad' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return all public names, those of the functions over tensors included."""
    return sorted({*globals(), *functions.NAMES})
