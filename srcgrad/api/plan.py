"""Holds one compiled derivative, and says whether it still holds for the user's program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

from srcgrad.api.values import is_complex
from srcgrad.codegen.loader import load
from srcgrad.compiler import Generated
from srcgrad.ir.scopes import MISSING


@dataclass(slots=True)
class Plan:
    """A loaded derivative.

    Attributes:
        generated: Its text and what is known of it.
        module: The module that the text became.
        function: The generated function.
        code, defaults: What the user's function was made of when it was compiled.
    """

    generated: Generated
    module: ModuleType
    function: Callable[..., Any]
    code: Any
    scalars: tuple[int, ...] = ()

    def is_current(self, user: FunctionType) -> bool:
        """Say whether all that was compiled in is still the same; bind changed data anew."""
        if user.__code__ is not self.code:
            return False
        for binding in self.generated.fixed:
            if binding.current() is not binding.value:
                return False
        if self.generated.data:
            return self._refresh()
        return True

    def _refresh(self) -> bool:
        names = vars(self.module)
        for name, binding in self.generated.data.items():
            value = binding.current()
            if names.get(name, MISSING) is not value:
                if value is MISSING or callable(value) or is_complex(value):
                    return False
                names[name] = value
        return True


def load_plan(generated: Generated, user: FunctionType) -> Plan:
    """Load generated text as a module and return it as a plan."""
    module = load(generated.source, generated.entry, generated.bound, generated.lines)
    function = vars(module)[generated.entry]
    function.__defaults__ = user.__defaults__
    function.__kwdefaults__ = user.__kwdefaults__
    function.__srcgrad_primal__ = user
    names = user.__code__.co_varnames
    scalars = tuple(i for i, name in enumerate(names) if name in generated.scalars)
    return Plan(generated, module, function, user.__code__, scalars)


