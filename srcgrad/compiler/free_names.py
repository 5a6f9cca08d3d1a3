"""Gives the user's free names the names that the generated module knows them under."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from types import CodeType
from typing import Any

from srcgrad import runtime
from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.refusals import Refusals
from srcgrad.frontend.source import FunctionSource
from srcgrad.ir import gast
from srcgrad.ir.marks import OF_RULE
from srcgrad.ir.scopes import Scope
from srcgrad.ir.walk import found_in
from srcgrad.transforms.externals import Externals


@dataclass(frozen=True, slots=True)
class FreeNames:
    """The free names of one function."""

    source: FunctionSource
    scope: Scope
    externals: Externals
    refusals: Refusals

    def replace(self, body: list[Any], parameters: Iterable[str]) -> None:
        """Replace them in a body, whose nodes may stand in two places.

        None of them gets the name of a variable of the body, or of a parameter.
        """
        scope = self.scope
        names = [node for item in body for node in found_in(item, gast.Name)]
        stored = (node.id for node in names if node.ctx.__class__ is not gast.Load)
        local = {*parameters, *stored}
        module = self.source.function.__module__
        seen: set[int] = set()
        free = _free_names(scope.function.__code__)
        for node in names:
            reads = node.id not in local and isinstance(node.ctx, gast.Load)
            if reads and id(node) not in seen and not OF_RULE.is_on(node):
                seen.add(id(node))
                binding = scope.used.get(node.id) or self._late(node.id, free)
                if binding is not None and not self._is_our_own(node.id):
                    node.id = self.externals.name_of_binding(binding, module, local)

    def _is_our_own(self, name: str) -> bool:
        """Say whether a name means a helper of the generated text, not a global of the user's."""
        code = self.scope.function.__code__
        if name not in self.externals.runtime | self.externals.functions:
            return False
        if name not in code.co_names + code.co_freevars:
            return True
        if self.scope.lookup(name) is getattr(runtime, name, None):
            return True  # a generated text is differentiated once more
        self.refusals.add(
            self.source.tree,
            f"a global called `{name}`, which generated text needs for itself",
            "import it under another name",
            UnsupportedSyntaxError,
        )
        self.refusals.raise_if_any()
        return False

    def _late(self, name: str, free: set[str]) -> Any:
        """Find a free name of the user's that no pass has had to look up."""
        if name in self.externals.imports or name in self.externals.bound:
            return None
        if name in self.externals.runtime or name not in free:
            return None
        self.scope.lookup(name)
        return self.scope.used.get(name)


def _free_names(code: CodeType) -> set[str]:
    """Return the names from outside that a function uses, also in functions that it defines."""
    inner = (item for item in code.co_consts if isinstance(item, CodeType))
    return {*code.co_names, *code.co_freevars}.union(*map(_free_names, inner))
