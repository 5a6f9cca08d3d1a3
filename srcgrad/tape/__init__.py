"""Is the dynamic engine: tensors that remember how they were made, and gradients of them."""

from __future__ import annotations

from srcgrad.tape import functions
from srcgrad.tape.backward import GradientEdge, backward, exact_grad, grad, held_grad
from srcgrad.tape.creation import (
    arange,
    as_tensor,
    empty,
    empty_like,
    eye,
    from_numpy,
    full,
    full_like,
    is_tensor,
    linspace,
    manual_seed,
    ones,
    ones_like,
    rand,
    randn,
    tensor,
    zeros,
    zeros_like,
)
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
from srcgrad.tape.plainly import (
    PlainRun,
    call_strictly,
    gradients_like,
    in_another_call,
    paired,
    run_plainly,
    unwrapped,
)
from srcgrad.tape.tensor import Tensor

__all__ = [
    "Function",
    "GradientEdge",
    "PlainRun",
    "Tensor",
    "arange",
    "as_tensor",
    "backward",
    "call_strictly",
    "empty",
    "empty_like",
    "enable_grad",
    "exact_grad",
    "eye",
    "from_numpy",
    "full",
    "full_like",
    "functions",
    "grad",
    "gradients_like",
    "held_grad",
    "in_another_call",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_tensor",
    "linspace",
    "manual_seed",
    "no_grad",
    "ones",
    "ones_like",
    "paired",
    "rand",
    "randn",
    "run_plainly",
    "set_grad_enabled",
    "strict_fallback",
    "tensor",
    "unwrapped",
    "zeros",
    "zeros_like",
]
