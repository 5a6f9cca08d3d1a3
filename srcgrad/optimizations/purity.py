"""Says which expressions may be dropped or moved, because evaluating them changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any, Final

from srcgrad import runtime
from srcgrad.ir import gast
from srcgrad.ir.build import dotted_path, load
from srcgrad.ir.operations import Reader
from srcgrad.ir.packages import package_of
from srcgrad.ir.scopes import MISSING, uncached
from srcgrad.ir.walk import found_in, names_read
from srcgrad.primitives import named
from srcgrad.primitives.methods import WRITING
from srcgrad.runtime.surgery import grad_of

_ADDERS: Final = frozenset({"add_at", "add_entries", "add_to_shadows"})
_JUDGED: Final = (gast.Call, gast.NamedExpr, gast.Yield, gast.Await)
_LEAVES: Final = frozenset({gast.Name, gast.Constant})
_PARTS: Final = frozenset({gast.Subscript, gast.Attribute})
_EFFECTS: Final = frozenset(
    f"builtins.{name}"
    for name in ["input", "open", "next", "setattr", "delattr", "exec", "eval", "iter"]
)


class Purity:
    """Judges the expressions of one generated function.

    Attributes:
        is_adjoint: Says which names are those of adjoints, which lie in memory of their own.

    >>> from srcgrad.compiler.doctesting import parse, program_of
    >>> purity = Purity(program_of("def f(x): return x").reader, frozenset())
    >>> [purity.of(line.value) for line in parse("np.sin(x)[0]; x.sum(); print(x); x.sort(); g(x)")]
    [True, True, False, False, False]
    """

    def __init__(
        self,
        reader: Reader,
        generated: frozenset[str],
        is_adjoint: Callable[[str], bool] = lambda name: name.startswith("grad_"),
    ) -> None:
        self._reader = reader
        self._generated = generated
        self.is_adjoint = is_adjoint
        self._callees: dict[str, bool] = {}
        self._modules: dict[str, bool] = {}
        self._writers: dict[str, FunctionType | None] = {"": None}  # by dotted names

    def of(self, node: Any) -> bool:
        """Say whether evaluating an expression has no effect but its value."""
        return node.__class__ in _LEAVES or all(map(self._call, found_in(node, *_JUDGED)))

    def of_noted(self, nodes: list[Any]) -> bool:
        """Say the same of expressions that have been looked at, of which these nodes are noted."""
        return all(self._call(node) for node in nodes if node.__class__ not in _PARTS)

    def is_copy(self, node: Any) -> bool:
        """Say whether an expression is a copy of a variable that we made, which cannot fail."""
        func = getattr(node, "func", None)
        ours = isinstance(func, gast.Name) and func.id == "copied" and func.id in self._generated
        return ours and isinstance(node.args[0], gast.Name)

    def adds_to_first(self, call: Any) -> bool:
        """Say whether a call is one of ours that adds to its first argument, and writes no other.

        A function of the user's may have the name of one of ours.
        """
        name = getattr(call.func, "id", "")
        callee = self._reader.scope.resolve(call.func)
        return name in self._generated & _ADDERS and callee in (MISSING, getattr(runtime, name))

    def is_module(self, name: str) -> bool:
        """Say whether a name is that of a module, of which nothing is a part of a value.

        >>> from srcgrad.compiler.doctesting import program_of
        >>> purity = Purity(program_of("def f(x): return np.sin(x)").reader, frozenset())
        >>> purity.is_module("np"), purity.is_module("x")
        (True, False)
        """
        if name not in self._modules:
            found = self._reader.scope.resolve(load(name))
            ours = found is MISSING and name == "np" and name not in self._reader.scope.local
            self._modules[name] = ours or isinstance(found, ModuleType)
        return self._modules[name]

    def written_by(self, call: Any) -> list[str]:
        """Return the names into which a call of a function of the user's may write."""
        path = dotted_path(call.func)
        if path not in self._writers:
            self._writers[path] = self._writer(call.func)
        callee = self._writers[path]
        if callee is None:
            return []
        operands, elsewhere = self._reader.vocabulary.written_operands(callee, call)
        return names_read(call) if elsewhere else [n for v in operands for n in names_read(v)]

    def _writer(self, func: Any) -> FunctionType | None:
        """Return the function of the user's that is called, if it may write."""
        callee = uncached(self._reader.scope.resolve(func))
        if not isinstance(callee, FunctionType) or package_of(callee) == "srcgrad":
            return None
        return None if self._reader.vocabulary.how_written(callee) is None else callee

    def _call(self, node: Any) -> bool:
        if node.__class__ is not gast.Call:
            return False
        if node.keywords and any(item.arg == "out" for item in node.keywords):
            return False
        path = dotted_path(node.func)
        if not path:
            return self._may_call(node.func)
        if path not in self._callees:
            self._callees[path] = self._may_call(node.func)
        return self._callees[path]

    def _may_call(self, func: Any) -> bool:
        if isinstance(func, gast.Name) and func.id in self._generated:
            return not any(known.writes for known in named(func.id))
        callee = self._reader.scope.resolve(func)
        vocabulary = self._reader.vocabulary
        changes = vocabulary.is_draw(callee) or vocabulary.is_report(callee)
        if changes or callee is grad_of.edited:
            return False  # an edit counts for every name of the value
        if callee is not MISSING:
            name = vocabulary.canonical_name(callee)
            if name in _EFFECTS or name.startswith("numpy.random."):
                return False
            known = vocabulary.rule_for(callee) is not None
            return known or vocabulary.constant_reason(callee) is not None
        if not isinstance(func, gast.Attribute):
            return False
        if isinstance(func.value, gast.Name) and func.value.id == "np":
            return True
        known_method = func.attr in vocabulary.methods or func.attr in vocabulary.constant_methods
        return known_method and func.attr not in WRITING | vocabulary.draws
