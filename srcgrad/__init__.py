"""Differentiate the NumPy you already have, and read the result."""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from srcgrad import autograd, distributed, utils
    from srcgrad.api import (
        Batched,
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
        scipy_objective,
        value_and_grad,
        vjp,
        vmap,
    )
    from srcgrad.api.policy import numba
    from srcgrad.api.products import pullback, pushforward
    from srcgrad.errors import (
        ArgumentError,
        CompileWarning,
        FallbackWarning,
        IntegerInputError,
        LeftOutError,
        LibraryGapError,
        MissingRuleError,
        MixedLibrariesError,
        MutationError,
        NonFiniteError,
        NonScalarOutputError,
        NotBatchedError,
        NotCompiledError,
        NotDifferentiableError,
        NotProvenError,
        NumericWarning,
        SourceNotFoundError,
        SrcgradError,
        TieWarning,
        ToolNotFoundError,
        UnsupportedError,
        UnsupportedSyntaxError,
        VerificationError,
        VerificationWarning,
        WorkerError,
    )
    from srcgrad.insight.switch import debug_nans, verifying
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
    "Batched",
    "Checkpointed",
    "CompileWarning",
    "Compiled",
    "FallbackWarning",
    "Gradient",
    "HessianProduct",
    "IntegerInputError",
    "Jacobian",
    "LeftOutError",
    "LibraryGapError",
    "MissingRuleError",
    "MixedLibrariesError",
    "MutationError",
    "NonFiniteError",
    "NonScalarOutputError",
    "NotBatchedError",
    "NotCompiledError",
    "NotDifferentiableError",
    "NotProvenError",
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
    "VerificationError",
    "VerificationWarning",
    "WorkerError",
    "arange",
    "as_tensor",
    "autograd",
    "checkpoint",
    "checkpointed",
    "compile",
    "debug_nans",
    "distributed",
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
    "numba",
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
    "verifying",
    "vjp",
    "vmap",
    "zeros",
    "zeros_like",
]

_HOMES: Final = {
    "srcgrad.api": (
        "Batched Checkpointed Compiled Gradient HessianProduct Jacobian Objective Pullback "
        "Pushforward checkpoint compile grad hessian hessian_product hvp implicit jacfwd "
        "jacobian jacrev jvp numeric_vjp scipy_objective value_and_grad vjp vmap"
    ),
    "srcgrad.api.policy": "numba",
    "srcgrad.api.products": "pullback pushforward",
    "srcgrad.errors": (
        "ArgumentError CompileWarning FallbackWarning IntegerInputError LeftOutError "
        "LibraryGapError MissingRuleError MixedLibrariesError MutationError NonFiniteError "
        "NonScalarOutputError NotBatchedError NotCompiledError NotDifferentiableError "
        "NotProvenError NumericWarning SourceNotFoundError SrcgradError TieWarning "
        "ToolNotFoundError UnsupportedError UnsupportedSyntaxError VerificationError "
        "VerificationWarning WorkerError"
    ),
    "srcgrad.insight.switch": "debug_nans verifying",
    "srcgrad.runtime": "stop_gradient",
    "srcgrad.runtime.containers": "register_container",
    "srcgrad.runtime.long_loops": "checkpointed",
    "srcgrad.runtime.surgery": "grad_of",
    "srcgrad.tape": (
        "Tensor arange as_tensor empty empty_like enable_grad eye from_numpy full full_like "
        "functions inference_mode is_grad_enabled is_inference_mode_enabled is_tensor linspace "
        "no_grad ones ones_like rand randn set_grad_enabled tensor zeros zeros_like"
    ),
}
"""Where the public names are, which are fetched when they are first asked for."""
_HOME_OF: Final = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    """Fetch a public name, a part of the package, or PyTorch's function of that name over tensors.

    So `import srcgrad` takes no time, and only what is used is loaded.
    """
    if name in _HOME_OF:
        later = importlib.import_module("srcgrad.later")
        found: object = getattr(later.imported(_HOME_OF[name]), name)
        globals()[name] = found  # the next time it is just there
        return found
    if not name.startswith("_"):
        if find_spec(f"{__name__}.{name}") is not None:
            return importlib.import_module(f"{__name__}.{name}")
        functions = importlib.import_module("srcgrad.tape.functions")
        if name in getattr(functions, "NAMES", ()):
            return getattr(functions, name)
    raise AttributeError(f"module 'srcgrad' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return all public names, those of the functions over tensors included."""
    functions = importlib.import_module("srcgrad.tape.functions")
    return sorted({*globals(), *__all__, *functions.NAMES})
