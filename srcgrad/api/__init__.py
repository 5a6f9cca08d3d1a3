"""Offers derivatives of plain functions, each fetched when it is first asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from srcgrad.frontend.expand.operators import made_by, name_operators
from srcgrad.later import imported, later

if TYPE_CHECKING:
    from srcgrad.api import implicit, nesting
    from srcgrad.api.batching import Batched, vmap
    from srcgrad.api.checkpointing import Checkpointed, checkpoint
    from srcgrad.api.compiled import Compiled, compile  # noqa: A004 - the name that users know
    from srcgrad.api.decorators import grad, value_and_grad
    from srcgrad.api.gradient import Gradient
    from srcgrad.api.jacobians import Jacobian, hessian, hvp, jacfwd, jacobian, jacrev
    from srcgrad.api.numeric import numeric_vjp
    from srcgrad.api.objectives import Objective, scipy_objective
    from srcgrad.api.products import HessianProduct, Pullback, Pushforward, hessian_product
    from srcgrad.api.pullback import vjp
    from srcgrad.api.pushforward import jvp
else:
    nesting = later("srcgrad.api.nesting")

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
    "scipy_objective",
    "value_and_grad",
    "vjp",
    "vmap",
]

_HOMES: Final = {
    "batching": "Batched vmap",
    "checkpointing": "Checkpointed checkpoint",
    "compiled": "Compiled compile",
    "decorators": "grad value_and_grad",
    "gradient": "Gradient",
    "jacobians": "Jacobian hessian hvp jacfwd jacobian jacrev",
    "numeric": "numeric_vjp",
    "objectives": "Objective scipy_objective",
    "products": "HessianProduct Pullback Pushforward hessian_product",
    "pullback": "vjp",
    "pushforward": "jvp",
}
"""In which modules the public names are; `pullback` and `pushforward` are modules here."""
_HOME_OF: Final = {name: home for home, names in _HOMES.items() for name in names.split()}

# derivatives that a program takes itself
made_by(lambda wish: nesting.make(wish))  # noqa: PLW0108 - it is imported then
name_operators("srcgrad.api.decorators", "grad value_and_grad")
name_operators("srcgrad.api.jacobians", "hvp jacobian jacfwd jacrev hessian")
name_operators("srcgrad.api.pullback", "vjp")
name_operators("srcgrad.api.pushforward", "jvp")


def __getattr__(name: str) -> object:
    """Fetch a public name."""
    if name == "implicit":
        return imported("srcgrad.api.implicit")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'srcgrad.api' has no attribute {name!r}")
    found: object = getattr(imported(f"srcgrad.api.{_HOME_OF[name]}"), name)
    globals()[name] = found
    return found
