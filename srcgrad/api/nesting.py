"""Makes the derivatives that a program takes itself, for the compiler."""

from __future__ import annotations

from typing import Any

from srcgrad.api.plan import Plan, load_halves, load_plan
from srcgrad.api.refusal import describe
from srcgrad.compiler import Request, compile_gradient, compile_halves, compile_tangents
from srcgrad.errors import MutationError
from srcgrad.frontend.expand.operators import Derived, Wish


def make(wish: Wish) -> Derived:
    """Return a derivative as functions with source, in a text that takes nothing for granted.

    Raises:
        UnsupportedError: It cannot be taken by source, or is not one text for all arguments.
    """
    function = wish.function
    request = Request(
        function,
        wish.names,
        value=wish.kind == "value_and_grad",
        aux=wish.aux,
        keep_complex=wish.keep_complex,
        assume=False,
        plain=True,
    )
    if wish.kind == "vjp":
        halves = load_halves(compile_halves(request), function)
        return _checked(wish, halves, halves.forward, halves.backward)
    compiler = compile_tangents if wish.kind == "jvp" else compile_gradient
    plan = load_plan(compiler(request), function)
    return _checked(wish, plan, plan.function)


def _checked(wish: Wish, plan: Plan, *functions: Any) -> Derived:
    generated, code = plan.generated, wish.function.__code__
    alone = wish.kind == "jvp" and code.co_argcount == 1  # nothing else shares what is written
    if generated.scalars or generated.taped or (generated.written and not alone):
        raise MutationError(
            f"the derivative of `{describe(wish.function)}` is not one text for all arguments",
            hint="work on copies of the arguments that the function updates in place",
        )
    return Derived(functions, lambda: plan.is_current(wish.function))
