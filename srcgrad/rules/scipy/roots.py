"""Rules of roots of functions: in the numbers handed on to the function."""

from __future__ import annotations

from typing import Any

from scipy import optimize

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime.scipy.implicit import root_back, root_push
from srcgrad.runtime.scipy.residuals import moved_by

table = RuleTable("roots")


@table.rule(optimize.brentq)
class Brentq(Function):
    """The root of a function between a and b, by implicit differentiation."""

    @staticmethod
    def forward(
        ctx: Context,
        f: Any,
        a: Any,
        b: Any,
        args: Any = (),
        xtol: Any = 2e-12,
        rtol: Any = 8.881784197001252e-16,
        maxiter: int = 100,
    ) -> Any:
        y = optimize.brentq(f, a, b, args, xtol, rtol, maxiter)
        ctx.f = f
        ctx.save_for_backward(args, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        args, y = ctx.saved_tensors
        return None, 0.0, 0.0, root_back(grad, ctx.f, y, args)

    @staticmethod
    def jvp(
        ctx: Context, f: Any, a: Any, b: Any, args_dot: Any, xtol: Any, rtol: Any, maxiter: Any
    ) -> Any:
        args, y = ctx.saved_tensors
        return root_push(ctx.f, y, args, args_dot)


@table.rule(optimize.brenth)
class Brenth(Function):
    """The root of a function between a and b, by implicit differentiation."""

    @staticmethod
    def forward(
        ctx: Context,
        f: Any,
        a: Any,
        b: Any,
        args: Any = (),
        xtol: Any = 2e-12,
        rtol: Any = 8.881784197001252e-16,
        maxiter: int = 100,
    ) -> Any:
        y = optimize.brenth(f, a, b, args, xtol, rtol, maxiter)
        ctx.f = f
        ctx.save_for_backward(args, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        args, y = ctx.saved_tensors
        return None, 0.0, 0.0, root_back(grad, ctx.f, y, args)

    @staticmethod
    def jvp(
        ctx: Context, f: Any, a: Any, b: Any, args_dot: Any, xtol: Any, rtol: Any, maxiter: Any
    ) -> Any:
        args, y = ctx.saved_tensors
        return root_push(ctx.f, y, args, args_dot)


@table.rule(optimize.toms748)
class Toms748(Function):
    """The root of a function between a and b, by implicit differentiation."""

    @staticmethod
    def forward(
        ctx: Context,
        f: Any,
        a: Any,
        b: Any,
        args: Any = (),
        k: int = 1,
        xtol: Any = 2e-12,
        rtol: Any = 8.881784197001252e-16,
        maxiter: int = 100,
    ) -> Any:
        y = optimize.toms748(f, a, b, args, k, xtol, rtol, maxiter)
        ctx.f = f
        ctx.save_for_backward(args, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        args, y = ctx.saved_tensors
        return None, 0.0, 0.0, root_back(grad, ctx.f, y, args)

    @staticmethod
    def jvp(
        ctx: Context,
        f: Any,
        a: Any,
        b: Any,
        args_dot: Any,
        k: Any,
        xtol: Any,
        rtol: Any,
        maxiter: Any,
    ) -> Any:
        args, y = ctx.saved_tensors
        return root_push(ctx.f, y, args, args_dot)


@table.rule(optimize.bisect)
class Bisect(Function):
    """The root of a function between a and b, by implicit differentiation."""

    @staticmethod
    def forward(
        ctx: Context,
        f: Any,
        a: Any,
        b: Any,
        args: Any = (),
        xtol: Any = 2e-12,
        rtol: Any = 8.881784197001252e-16,
        maxiter: int = 100,
    ) -> Any:
        y = optimize.bisect(f, a, b, args, xtol, rtol, maxiter)
        ctx.f = f
        ctx.save_for_backward(args, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        args, y = ctx.saved_tensors
        return None, 0.0, 0.0, root_back(grad, ctx.f, y, args)

    @staticmethod
    def jvp(
        ctx: Context, f: Any, a: Any, b: Any, args_dot: Any, xtol: Any, rtol: Any, maxiter: Any
    ) -> Any:
        args, y = ctx.saved_tensors
        return root_push(ctx.f, y, args, args_dot)


@table.rule(optimize.ridder)
class Ridder(Function):
    """The root of a function between a and b, by implicit differentiation."""

    @staticmethod
    def forward(
        ctx: Context,
        f: Any,
        a: Any,
        b: Any,
        args: Any = (),
        xtol: Any = 2e-12,
        rtol: Any = 8.881784197001252e-16,
        maxiter: int = 100,
    ) -> Any:
        y = optimize.ridder(f, a, b, args, xtol, rtol, maxiter)
        ctx.f = f
        ctx.save_for_backward(args, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        args, y = ctx.saved_tensors
        return None, 0.0, 0.0, root_back(grad, ctx.f, y, args)

    @staticmethod
    def jvp(
        ctx: Context, f: Any, a: Any, b: Any, args_dot: Any, xtol: Any, rtol: Any, maxiter: Any
    ) -> Any:
        args, y = ctx.saved_tensors
        return root_push(ctx.f, y, args, args_dot)


@table.rule(optimize.newton)
class Newton(Function):
    """The root of a function near x0, by implicit differentiation; x0 plays no part."""

    @staticmethod
    def forward(
        ctx: Context,
        func: Any,
        x0: Any,
        fprime: Any = None,
        args: Any = (),
        tol: Any = 1.48e-8,
        maxiter: int = 50,
    ) -> Any:
        y = optimize.newton(func, x0, fprime, args, tol, maxiter)
        ctx.func = func
        ctx.save_for_backward(x0, args, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x0, args, y = ctx.saved_tensors
        return None, 0 * x0, None, root_back(grad, ctx.func, y, args)

    @staticmethod
    def jvp(
        ctx: Context, func: Any, x0: Any, fprime: Any, args_dot: Any, tol: Any, maxiter: Any
    ) -> Any:
        _, args, y = ctx.saved_tensors
        return root_push(ctx.func, y, args, args_dot)


@table.rule(optimize.fsolve)
class Fsolve(Function):
    """The root of a system near x0, by implicit differentiation; x0 plays no part."""

    @staticmethod
    def forward(ctx: Context, func: Any, x0: Any, args: Any = (), *, xtol: Any = 1.49012e-8) -> Any:
        y = optimize.fsolve(func, x0, args, xtol=xtol)
        ctx.func = func
        ctx.save_for_backward(x0, args, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x0, args, y = ctx.saved_tensors
        return None, 0 * x0, root_back(grad, ctx.func, y, args)

    @staticmethod
    def jvp(ctx: Context, func: Any, x0: Any, args_dot: Any, xtol: Any) -> Any:
        _, args, y = ctx.saved_tensors
        return root_push(ctx.func, y, args, args_dot)


@table.rule(optimize.fixed_point)
class FixedPoint(Function):
    """The x that a function leaves where it is, by implicit differentiation."""

    @staticmethod
    def forward(ctx: Context, func: Any, x0: Any, args: Any = (), xtol: Any = 1e-8) -> Any:
        y = optimize.fixed_point(func, x0, args, xtol)
        ctx.func = func
        ctx.save_for_backward(x0, args, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x0, args, y = ctx.saved_tensors
        return None, 0 * x0, root_back(grad, moved_by(ctx.func), y, args)

    @staticmethod
    def jvp(ctx: Context, func: Any, x0: Any, args_dot: Any, xtol: Any) -> Any:
        _, args, y = ctx.saved_tensors
        return root_push(moved_by(ctx.func), y, args, args_dot)


RULES = table.freeze()
