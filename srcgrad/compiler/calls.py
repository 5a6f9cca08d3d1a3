"""Binds the operands of a call to the parameters of the function that is called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from srcgrad.compiler.normal_form import parameter_names
from srcgrad.errors import Diagnostic, UnsupportedError, UnsupportedSyntaxError
from srcgrad.frontend.long_loops import loop_of
from srcgrad.frontend.source import FunctionSource
from srcgrad.frontend.surgery import edits_a_parameter
from srcgrad.ir import gast
from srcgrad.ir.build import load, may_be_literal
from srcgrad.ir.operations import Operation
from srcgrad.transforms.externals import Externals


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a user's function from another."""

    caller: FunctionSource
    statement: Any
    callee: FunctionSource
    operation: Operation

    def operands(self, externals: Externals, cause: UnsupportedError | None = None) -> list[Any]:
        """Return what each parameter gets, defaults included.

        `cause` is what stood against writing out what the caller hands on by stars.

        Raises:
            UnsupportedSyntaxError: The call does not name what each parameter gets.
        """
        args = self.callee.tree.args
        names = parameter_names(self.callee.tree)
        if args.vararg is not None or args.kwarg is not None:
            if cause is not None:
                raise cause.with_traceback(None)
            raise self._refusal("has starred parameters", "name its parameters")
        if loop_of(self.operation.primal) is None and edits_a_parameter(self.callee.tree):
            hint = "use `grad_of` where the function is called"
            raise self._refusal("uses `grad_of` on its parameter", hint)
        given = {
            **dict(zip(names, self.operation.args, strict=False)),
            **self.operation.keywords,
        }
        defaults = self._defaults()
        passed: list[Any] = []
        for name in names:
            if name in given:
                passed.append(given[name])
            elif name in defaults:
                passed.append(self._default(name, defaults[name], externals))
            else:
                raise self._refusal(f"misses `{name}`", "pass it")
        return passed

    def _defaults(self) -> dict[str, Any]:
        args, function = self.callee.tree.args, self.callee.function
        plain = [item.id for item in [*args.posonlyargs, *args.args]]
        defaults = dict(zip(reversed(plain), reversed(function.__defaults__ or ()), strict=False))
        return {**defaults, **(function.__kwdefaults__ or {})}

    def _default(self, name: str, value: Any, externals: Externals) -> Any:
        if may_be_literal(value):
            return gast.Constant(value, None)
        return load(externals.name_of(value, f"{self.callee.name}_{name}", lambda: None))

    def _refusal(self, what: str, hint: str) -> UnsupportedSyntaxError:
        message = f"the call of a function that {what}"
        span = self.caller.span(self.statement)
        found = Diagnostic(UnsupportedSyntaxError.code, message, span, hint)
        return UnsupportedSyntaxError(diagnostics=[found])
