"""What the rewriting of lists and dicts has in common: names for values on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.frontend.normalize.workspace import Workspace
from srcgrad.ir import gast
from srcgrad.ir.build import assign, load


class Rewriter:
    """Writes some expressions of the user's as statements; `atom` turns one into a name."""

    def __init__(self, work: Workspace, atom: Callable[[Any, Any], Any]) -> None:
        self.work = work
        self.namer = work.namer
        self.atom = atom

    def resolve(self, func: Any) -> Any:
        """Return the object that a dotted name means, or MISSING."""
        return self.work.reader.scope.resolve(func)

    def fresh(self, name: str, wish: str) -> str:
        """Return a new name for a value that `name` gets in the end."""
        own = name in self.work.reader.scope.local
        return self.namer.version(name) if own else self.namer.fresh(wish)

    def named(self, wish: str, value: Any, node: Any) -> Any:
        """Bind a value that varies to a name before."""
        name = self.namer.fresh(wish)
        self.work.varies.names.add(name)
        self.work.note_list(name, value)
        self.work.run([assign(name, value, node)])
        return load(name)

    def named_plain(self, wish: str, value: Any, node: Any) -> Any:
        """Bind a value without derivatives to a name before."""
        name = self.namer.fresh(wish)
        self.work.emit(assign(name, value, node))
        return load(name)

    def kept_key(self, key: Any, node: Any) -> Any:
        """Return a key as a name or a literal, since it is used twice."""
        simple = isinstance(key, (gast.Name, gast.Constant))
        return key if simple else self.named_plain("key", key, node)
