"""Checks, for the strict mode of `functional`, that outputs depend on inputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.tape.core import make

NOT_ALLOWED = "This is not allowed in strict mode."


def check_requires_grad(values: tuple[Any, ...], kind: str, strict: bool) -> None:
    """Check that each of `values` requires grad.

    Raises:
        RuntimeError: In strict mode, one does not.
    """
    if not strict:
        return
    for i, value in enumerate(values):
        if value is None:
            raise RuntimeError(
                f"The output of the user-provided function is independent of input {i}. "
                f"{NOT_ALLOWED}"
            )
        if value.requires_grad:
            continue
        if kind == "hessian":
            raise RuntimeError(
                f"The hessian of the user-provided function with respect to input {i} is "
                f"independent of the input. {NOT_ALLOWED} You should ensure that your function is "
                "thrice differentiable and that the hessian depends on the inputs."
            )
        if kind == "jacobian":
            raise RuntimeError(
                "While computing the hessian, found that the jacobian of the user-provided "
                "function "
                f"with respect to input {i} is independent of the input. {NOT_ALLOWED} You should "
                "ensure that your function is twice differentiable and that the jacobian depends "
                "on "
                "the inputs (this would be violated by a linear function for example)."
            )
        if kind == "grad_inputs":
            raise RuntimeError(
                f"The gradient with respect to input {i} is independent of the inputs of the "
                f"user-provided function. {NOT_ALLOWED}"
            )
        raise RuntimeError(
            f"Output {i} of the user-provided function does not require gradients. The outputs "
            "must "
            "be computed in a differentiable manner from the input when running in strict mode."
        )


_MISSING = {
    "back": "The output of the user-provided function is independent of input {i}.",
    "back_trick": "The gradient with respect to the input is independent of entry {i} in the "
    "grad_outputs when using the double backward trick to compute forward mode gradients.",
    "double_back": "The jacobian of the user-provided function is independent of input {i}.",
    "double_back_trick": "The hessian of the user-provided function is independent of entry {i} in "
    "the grad_jacobian.",
}


def fill_in_zeros(
    grads: tuple[Any, ...], refs: tuple[Any, ...], strict: bool, create_graph: bool, stage: str
) -> tuple[Any, ...]:
    """Return `grads` with zeros in the place of None.

    Raises:
        RuntimeError: In strict mode, one is None or does not require grad though it should.
    """
    filled = []
    for i, value in enumerate(grads):
        if value is None:
            if strict:
                raise RuntimeError(f"{_MISSING[stage].format(i=i)} {NOT_ALLOWED}")
            filled.append(make(np.zeros_like(refs[i]._array)))
            continue
        if strict and create_graph and not value.requires_grad:
            what = "hessian" if "double" in stage else "jacobian"
            raise RuntimeError(
                f"The {what} of the user-provided function is independent of input {i}. This is "
                "not "
                "allowed in strict mode when create_graph=True."
            )
        filled.append(value)
    return tuple(filled)
