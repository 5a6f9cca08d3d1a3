"""Finds out what the free names of a primal mean."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from srcgrad import runtime
from srcgrad.checker.runs import Now
from srcgrad.ir.scopes import MISSING, Scope


class Names(dict[str, Any]):
    """What the free names of a primal mean, found out when they are first read."""

    def __init__(
        self,
        scope: Scope,
        imports: Sequence[str],
        space: Mapping[str, Any],
        outside: Callable[[Any], Any],
    ) -> None:
        """Look into the function's `scope` first, and then into the text's `space`.

        `outside` gives values of outside as the checker has them.
        """
        super().__init__()
        self._scope, self._space, self._outside = scope, space, outside
        self._builtins: Mapping[str, Any] = space["__builtins__"]
        self._imported: dict[str, Any] = {"__builtins__": self._builtins}
        for line in imports:
            exec(_code_of(line), self._imported)  # noqa: S102 - imports, made by the compiler
        self._ours: dict[str, Any] = {}

    def __missing__(self, name: str) -> Any:
        found = self[name] = self._found(name)
        return found

    def _found(self, name: str) -> Any:
        found = self._scope.lookup(name)
        if found is not MISSING and getattr(builtins, name, MISSING) is not found:
            return self._outside(found)
        for space in (self._imported, self._space):
            if name in space:
                found = space[name]
                return _untaped(found) if isinstance(found, FunctionType) else found
        if name in runtime.__all__:
            return self._outside(getattr(runtime, name))
        if name in self._builtins:
            return self._builtins[name]
        raise NameError(f"name `{name}` is not defined")

    def ours(self, name: str) -> Any:
        """Return what a name means in a rule, whatever the user's own like it means."""
        if name not in self._ours:
            for space in (self._imported, self._space, self._builtins):
                if name in space:
                    self._ours[name] = space[name]
                    break
            else:
                self._ours[name] = self._outside(getattr(runtime, name))
        return self._ours[name]


@lru_cache(maxsize=256)
def _code_of(line: str) -> CodeType:
    return compile(line, "<import>", "exec")


def _untaped(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a generated function as the primal calls it: of its statements it keeps no tape."""

    def call(*args: Any, **keywords: Any) -> Any:
        run = Now.run
        tape, run.tape = run.tape, None
        try:
            return function(*args, **keywords)
        finally:
            run.tape = tape

    return call
