"""Binds the operands of a call to the parameters of the function that is called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import gast

from srcgrad.compiler.normal_form import parameter_names
from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.refusals import Refusals
from srcgrad.frontend.source import FunctionSource
from srcgrad.ir.build import load
from srcgrad.ir.operations import Operation
from srcgrad.transforms.externals import Externals


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a user's function from another."""

    caller: FunctionSource
    statement: Any
    callee: FunctionSource
    operation: Operation

    def operands(self, externals: Externals) -> list[Any]:
        """Return what each parameter gets, defaults included.

        Raises:
            UnsupportedSyntaxError: The call does not name what each parameter gets.
        """
        args = self.callee.tree.args
        names = parameter_names(self.callee.tree)
        if args.vararg is not None or args.kwarg is not None:
            self._refuse("has starred parameters", "name its parameters")
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
                self._refuse(f"misses `{name}`", "pass it")
        return passed

    def _defaults(self) -> dict[str, Any]:
        args, function = self.callee.tree.args, self.callee.function
        plain = [item.id for item in [*args.posonlyargs, *args.args]]
        defaults = dict(zip(reversed(plain), reversed(function.__defaults__ or ()), strict=False))
        return {**defaults, **(function.__kwdefaults__ or {})}

    def _default(self, name: str, value: Any, externals: Externals) -> Any:
        if value is None or isinstance(value, (bool, int, float, str)):
            return gast.Constant(value, None)
        return load(externals.name_of(value, f"{self.callee.name}_{name}", lambda: None))

    def _refuse(self, what: str, hint: str) -> NoReturn:
        refusals = Refusals(self.caller)
        refusals.add(
            self.statement, f"the call of a function that {what}", hint, UnsupportedSyntaxError
        )
        refusals.raise_if_any()
        raise AssertionError
