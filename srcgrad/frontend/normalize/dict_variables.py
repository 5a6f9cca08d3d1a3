"""Writes dicts whose keys are written out as variables, one for each entry.

That is for dicts whose entries are updated in place or taken out, and of which nothing else is ever
done than to read and bind entries: which keys there are is known everywhere then (the scalar
replacement of aggregates, as compilers do it with records).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, clone, load, store
from srcgrad.ir.names import Namer, identifier
from srcgrad.ir.scopes import Scope
from srcgrad.ir.walk import blocks_of, names_bound, nodes_in, statements, walk

Keys = dict[str, frozenset[str]]
"""The keys that each dict surely has, and no others; of those left out nothing is known."""

_LOOPS: Final = (gast.For, gast.While)
_ENDS: Final = (gast.Return, gast.Raise)
_JUMPS: Final = (gast.Break, gast.Continue)
_INNER: Final = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.Lambda)
_CLOSED: Final = (*_INNER, gast.Try, gast.Delete, gast.Import, gast.ImportFrom)


class DictVariables:
    """Rewrites one function body.

    Attributes:
        made: The variables of entries.

    >>> from srcgrad.compiler.doctesting import parse, program_of, text
    >>> scope = program_of("def f(x): d = e = x; return x").reader.scope
    >>> body = parse('''
    ... d = {"w": x * 1.0, "b": 0.5}
    ... e = {**d, "b": d["b"] * 0.7}
    ... e["w"] *= x
    ... v = e.pop("b")
    ... y = d["w"] + e.get("b", 2.0) * v
    ... ''')
    >>> print(text(DictVariables(scope, Namer(["x", "d", "e"]), ["x"]).function(body)))
    d_w = x * 1.0
    d_b = 0.5
    e_w = d_w
    e_b = d_b * 0.7
    e_w *= x
    v = e_b
    y = d_w + 2.0 * v
    """

    def __init__(self, scope: Scope, namer: Namer, parameters: Collection[str]) -> None:
        self.made: set[str] = set()
        self._scope = scope
        self._namer = namer
        self._parameters = parameters
        self._names: dict[tuple[str, str], str] = {}

    def function(self, body: list[Any]) -> list[Any]:
        """Return the body of the function with variables in the place of dicts."""
        updated = {
            statement.target.value.id
            for statement in statements(body)
            if isinstance(statement, gast.AugAssign) and _entry(statement.target) is not None
        } | {_taken(statement)[0] for statement in statements(body) if _taken(statement)}
        local = self._scope.local.difference(self._parameters)
        if not local.intersection(updated):
            return body
        flow = _Flow(self._scope, local)
        flow.block(body, {})
        dicts = flow.plain(updated)
        return self._block(body, dicts, flow) if dicts else body

    def _block(self, block: list[Any], dicts: set[str], flow: _Flow) -> list[Any]:
        done: list[Any] = []
        for statement in block:
            for part in blocks_of(statement):
                part[:] = self._block(part, dicts, flow)
            made = flow.made.get(id(statement))
            if made is not None and made[0] in dicts:
                done += self._bound(statement, *made, dicts, flow)
                continue
            done.append(self._rewritten(statement, dicts, flow))
        return done

    def _bound(
        self, statement: Any, name: str, entries: dict[str, Any], dicts: set[str], flow: _Flow
    ) -> list[Any]:
        """Return the statements that bind the variables of a new dict."""
        values = [self._rewritten(value, dicts, flow) for value in entries.values()]
        names = [self._variable(name, key) for key in entries]
        reads = [{n.id for n in walk(v) if isinstance(n, gast.Name)} for v in values]
        if any(not read.isdisjoint(names[:place]) for place, read in enumerate(reads)):
            targets = gast.Tuple([store(item) for item in names], gast.Store())
            return [assign(targets, gast.Tuple(values, gast.Load()), statement)]
        pairs = zip(names, values, strict=True)
        return [assign(item, value, statement) for item, value in pairs]

    def _rewritten(self, node: Any, dicts: set[str], flow: _Flow) -> Any:
        """Return a node with variables in the place of entries."""
        read = flow.read.get(id(node))
        if read is not None and read[0] in dicts:
            name, key = read
            if not isinstance(key, str):
                return key  # what stands for an entry that is not there
            stores = isinstance(getattr(node, "ctx", None), gast.Store)
            variable = self._variable(name, key)
            return at(store(variable) if stores else load(variable), node)
        for field in node._fields:
            part = getattr(node, field, None)
            if isinstance(part, gast.AST):
                setattr(node, field, self._rewritten(part, dicts, flow))
            elif isinstance(part, list) and not any(isinstance(p, gast.stmt) for p in part):
                part[:] = [
                    self._rewritten(item, dicts, flow) if isinstance(item, gast.AST) else item
                    for item in part
                ]
        return node

    def _variable(self, name: str, key: str) -> str:
        known = self._names.get((name, key))
        if known is None:
            known = self._names[name, key] = self._namer.fresh(f"{name}_{identifier(key)}")
            self.made.add(known)
        return known


class _Flow:
    """Goes through a body with the keys of its dicts.

    Attributes:
        made: The dict that a statement makes, with its entries, by the identity of the statement.
        read: The dict and the key of what stands for an entry, by the identity of the node; or the
            expression in its place, if there is no such entry.
    """

    def __init__(self, scope: Scope, local: Collection[str]) -> None:
        self.made: dict[int, tuple[str, dict[str, Any]]] = {}
        self.read: dict[int, tuple[str, Any]] = {}
        self._scope = scope
        self._local = local
        self._spoilt: set[str] = set()
        self._links: list[tuple[str, str]] = []

    def plain(self, updated: set[str]) -> set[str]:
        """Return the dicts that can be variables, of those that are updated or copied to such."""
        groups: dict[str, set[str]] = {}
        for name, _ in self.made.values():
            groups.setdefault(name, {name})
        for one, other in self._links:
            joined = groups.get(one, {one}) | groups.get(other, {other})
            groups.update(dict.fromkeys(joined, joined))
        return {
            name
            for name, group in groups.items()
            if group.isdisjoint(self._spoilt) and not group.isdisjoint(updated)
        }

    def block(self, block: list[Any], keys: Keys) -> Keys | None:
        """Return the keys after a block; None if it does not come to its end."""
        for statement in block:
            now = self._statement(statement, keys)
            if now is None:
                return None
            keys = now
        return keys

    def _statement(self, statement: Any, keys: Keys) -> Keys | None:
        if isinstance(statement, gast.If):
            self._look(statement.test, keys)
            return _joined(self.block(statement.body, keys), self.block(statement.orelse, keys))
        if isinstance(statement, _LOOPS):
            return self._loop(statement, keys)
        if isinstance(statement, _CLOSED):
            self._spoil(statement)
            return keys
        if isinstance(statement, gast.With):
            for item in statement.items:
                self._look(item, keys)
            after = self.block(statement.body, keys)
            changed = {name for inner in statements(statement.body) for name in _changed(inner)}
            left = changed if after else ()  # it may be left half-way, and go on after it
            return after and {name: found for name, found in after.items() if name not in left}
        if isinstance(statement, gast.Assign) and len(statement.targets) == 1:
            return self._assign(statement, statement.targets[0], keys)
        taken = _taken(statement)
        if taken is not None:
            return self._take_out(statement, taken, keys)
        self._look(statement, keys)
        return None if isinstance(statement, (*_ENDS, *_JUMPS)) else keys

    def _loop(self, loop: Any, keys: Keys) -> Keys:
        changed = {name for inner in statements(loop.body) for name in _changed(inner)}
        left = any(isinstance(item, _JUMPS) for item in statements(loop.body))
        for name in changed if left else ():
            keys = {item: found for item, found in keys.items() if item != name}
        head = (loop.test,) if isinstance(loop, gast.While) else (loop.target, loop.iter)
        while True:
            for part in head:
                self._look(part, keys)
            after = self.block(loop.body, dict(keys))
            both = keys if after is None else _joined(keys, after) or {}
            if both == keys:
                break
            keys = both  # less is known of the second trip; what was read before is read again
        return self.block(loop.orelse, keys) or keys

    def _assign(self, statement: Any, target: Any, keys: Keys) -> Keys:
        entry = _entry(target)
        if entry is not None and entry[0] in keys:
            self._look(statement.value, keys)
            name, key = entry
            self.read[id(target)] = entry
            return {**keys, name: keys[name] | {key}}
        taken = _taken(statement)
        if taken is not None and isinstance(target, gast.Name):
            return self._take_out(statement, taken, keys)
        if not isinstance(target, gast.Name) or target.id not in self._local:
            self._look(statement, keys)
            return keys
        entries = self._entries(target.id, statement.value, keys)
        if entries is None:
            self._look(statement, keys)
            return keys
        self.made[id(statement)] = target.id, entries
        for value in entries.values():
            if id(value) not in self.read:
                self._look(value, keys)
        return {**keys, target.id: frozenset(entries)}

    def _entries(self, name: str, value: Any, keys: Keys) -> dict[str, Any] | None:
        """Return the entries of a dict that is written out, or copied of such; else None."""
        copied = self._copied(value)
        if copied is not None:
            return self._copy(name, copied, keys)
        if not isinstance(value, gast.Dict) or not value.keys:
            return None
        found: dict[str, Any] = {}
        for key, item in zip(value.keys, value.values, strict=True):
            if key is None:
                part = self._copy(name, item.id, keys) if isinstance(item, gast.Name) else None
                if part is None:
                    return None
                found.update(part)
                continue
            if not isinstance(getattr(key, "value", None), str) or _acts(found, key.value):
                return None
            found.pop(key.value, None)
            found[key.value] = item
        return found

    def _copied(self, value: Any) -> str | None:
        """Return the name of what ``dict(d)`` or ``d.copy()`` copies, or None."""
        if not isinstance(value, gast.Call) or value.keywords:
            return None
        if isinstance(value.func, gast.Attribute) and value.func.attr == "copy":
            copied = value.func.value if not value.args else None
        else:
            of_dict = len(value.args) == 1 and self._scope.resolve(value.func) is dict
            copied = value.args[0] if of_dict else None
        return getattr(copied, "id", None)

    def _copy(self, name: str, source: str, keys: Keys) -> dict[str, Any] | None:
        if source not in keys:
            return None
        self._links.append((name, source))
        found: dict[str, Any] = {}
        for key in sorted(keys[source]):
            found[key] = entry = load(source)
            self.read[id(entry)] = source, key
        return found

    def _take_out(self, statement: Any, taken: tuple[str, str], keys: Keys) -> Keys:
        name, key = taken
        if key not in keys.get(name, ()):
            self._look(statement, keys)
            return keys
        for target in getattr(statement, "targets", ()):
            self._look(target, keys)
        self.read[id(statement.value)] = taken
        return {**keys, name: keys[name] - {key}}

    def _look(self, node: Any, keys: Keys) -> None:
        """Note what stands for entries in a node; a dict that is used otherwise is spoilt."""
        if isinstance(node, gast.Name):
            self._spoilt.add(node.id)
            return
        if isinstance(node, _CLOSED):
            self._spoil(node)
            return
        entry = _entry(node)
        if entry is not None and entry[1] in keys.get(entry[0], ()):
            self.read[id(node)] = entry
            return
        instead = _instead(node, keys)
        if instead is not None:
            self.read[id(node)] = instead
            return
        for part in nodes_in(node):
            self._look(part, keys)

    def _spoil(self, node: Any) -> None:
        for item in walk(node):
            if isinstance(item, gast.Name):
                self._spoilt.add(item.id)
            elif isinstance(item, gast.alias):
                self._spoilt.add(item.asname or item.name)


def _entry(node: Any) -> tuple[str, str] | None:
    """Return the dict and the key of ``d["k"]``, or None."""
    return _keyed(node.value, node.slice) if isinstance(node, gast.Subscript) else None


def _keyed(name: Any, key: Any) -> tuple[str, str] | None:
    """Return a name and a key that is written out, or None."""
    told = isinstance(name, gast.Name) and isinstance(key, gast.Constant)
    return (name.id, key.value) if told and isinstance(key.value, str) else None


def _taken(statement: Any) -> Any:
    """Return the dict and the key of ``v = d.pop("k")``, or None."""
    value = getattr(statement, "value", None)
    if not isinstance(statement, (gast.Assign, gast.Expr)) or not isinstance(value, gast.Call):
        return None
    return _called(value, "pop") if len(value.args) == 1 else None


def _called(node: Any, method: str) -> tuple[str, str] | None:
    """Return the dict and the key of a method that is called with a key, or None."""
    func = node.func
    if not isinstance(func, gast.Attribute) or func.attr != method or node.keywords:
        return None
    key = node.args[0] if node.args else None
    return _keyed(func.value, key)


def _instead(node: Any, keys: Keys) -> tuple[str, Any] | None:
    """Return what stands for ``d.get("k", v)``: the dict and the key, or an expression."""
    called = _called(node, "get") if isinstance(node, gast.Call) else None
    if called is None or called[0] not in keys or len(node.args) > 2:
        return None
    other = node.args[1] if len(node.args) == 2 else gast.Constant(None, None)
    if not isinstance(other, gast.Constant):
        return None
    return called if called[1] in keys[called[0]] else (called[0], clone(other))


def _acts(found: dict[str, Any], key: str) -> bool:
    """Say whether an entry that another one replaces may do more than to have a value."""
    return key in found and not isinstance(found[key], (gast.Name, gast.Constant))


def _changed(statement: Any) -> set[str]:
    """Return the names that a statement may bind, or whose keys it may change."""
    names = {item for target in getattr(statement, "targets", ()) for item in names_bound(target)}
    entries = [_entry(target) for target in getattr(statement, "targets", ())]
    taken = _taken(statement)
    return names | {entry[0] for entry in [*entries, taken] if entry is not None}


def _joined(one: Keys | None, other: Keys | None) -> Keys | None:
    """Return what is known after either of two blocks."""
    if one is None or other is None:
        return other if one is None else one
    return {name: keys for name, keys in one.items() if other.get(name) == keys}
