"""Offers derivatives of plain functions."""

from __future__ import annotations

from srcgrad.api import implicit, nesting
from srcgrad.api.batching import Batched, vmap
from srcgrad.api.checkpointing import Checkpointed, checkpoint
from srcgrad.api.compiled import Compiled, compile  # noqa: A004 - the name that users know
from srcgrad.api.decorators import grad, value_and_grad
from srcgrad.api.gradient import Gradient
from srcgrad.api.jacobians import Jacobian, hessian, hvp, jacfwd, jacobian, jacrev
from srcgrad.api.numeric import numeric_vjp
from srcgrad.api.objectives import Objective, scipy_objective
from srcgrad.api.products import (
    HessianProduct,
    Pullback,
    Pushforward,
    hessian_product,
    pullback,
    pushforward,
)
from srcgrad.api.pullback import vjp
from srcgrad.api.pushforward import jvp

assert nesting.__doc__  # it tells the compiler of the operators that a program may call itself

__all__ = [
    "Batched",
    "Checkpointed",
    "Compiled",
    "Gradient",
    "HessianProduct",
    "Jacobian",
    "Objective",
    "Pullback",
    "Pushforward",
    "checkpoint",
    "compile",
    "grad",
    "hessian",
    "hessian_product",
    "hvp",
    "implicit",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "numeric_vjp",
    "pullback",
    "pushforward",
    "scipy_objective",
    "value_and_grad",
    "vjp",
    "vmap",
]
