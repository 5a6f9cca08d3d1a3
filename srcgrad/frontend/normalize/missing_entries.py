"""Writes dicts that make missing entries themselves as plain ones, which are asked for each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Final

from srcgrad.frontend.looking import is_harmless
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, clone, constant, load, method
from srcgrad.ir.jumps import inner_blocks
from srcgrad.ir.names import Namer
from srcgrad.ir.operations import Reader
from srcgrad.ir.rewriting import Rewriter
from srcgrad.ir.scopes import Scope
from srcgrad.ir.vocabulary import Vocabulary
from srcgrad.ir.walk import found_in, is_same, names_read, nodes_in, root_name, statements

_KINDS: Final = (defaultdict, Counter)
_EMPTY: Final = (float, int, complex, list, dict)
_READERS: Final = ("get", "items", "keys", "pop", "setdefault", "values")
_VIEWS: Final = ("items", "keys")
_ORDERED: Final = (list, sorted, tuple)
_BUILTINS: Final = (dict, enumerate, len, list, max, min, sorted, sum, tuple)
_SIMPLE: Final = (gast.Name, gast.Constant)
_COMPREHENSIONS: Final = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


def with_missing_entries(
    body: list[Any], reader: Reader, namer: Namer, parameters: Collection[str]
) -> list[Any]:
    """Return the body of a function with plain dicts, if it makes others."""
    calls = (call for statement in body for call in found_in(statement, gast.Call))
    if not any(makes_entries(call, reader.scope) for call in calls):
        return body
    return MissingEntries(reader.scope, namer, reader.vocabulary, parameters).function(body)


def makes_entries(node: Any, scope: Scope) -> bool:
    """Say whether a call makes a dict that makes missing entries itself."""
    callee = scope.resolve(node.func)
    return any(callee is kind for kind in _KINDS)


@dataclass(slots=True)
class _Filled:
    """What a dict gives for a missing key.

    Attributes:
        default: That, as an expression.
        counts: Whether it is of the class `Counter`.
        keeps: Whether a missing key is one of the dict's once it has been read.
    """

    default: Any
    counts: bool
    keeps: bool


class MissingEntries(Rewriter):
    """Rewrites one function body, of which it takes the dicts that stay in it.

    Such a dict is bound to names of its own, and only its entries are read, bound, updated, counted
    and gone through: then nothing shows of which class it is.

    >>> from srcgrad.compiler.doctesting import VOCABULARY, parse, program_of, text
    >>> from srcgrad.ir.scopes import Binding
    >>> scope = program_of("def f(v): s = c = v; return s").reader.scope
    >>> for kind in (defaultdict, Counter):
    ...     scope.used[kind.__name__] = Binding(kind.__name__, kind, {})
    >>> body = parse('''
    ... s = defaultdict(float)
    ... c = Counter()
    ... s[i % 2] += v
    ... c[i] += 1
    ... y = s[0] * c[1] + len(s)
    ... ''')
    >>> print(text(MissingEntries(scope, Namer(), VOCABULARY, ["v"]).function(body)))
    s = {}
    c = {}
    key = i % 2
    s.setdefault(key, 0.0)
    s[key] += v
    c.setdefault(i, 0)
    c[i] += 1
    y = s.setdefault(0, 0.0) * c.get(1, 0) + len(s)
    """

    def __init__(
        self, scope: Scope, namer: Namer, vocabulary: Vocabulary, parameters: Collection[str]
    ) -> None:
        self._scope = scope
        self._namer = namer
        self._vocabulary = vocabulary
        self._parameters = parameters
        self._dicts: dict[str, _Filled] = {}
        self._there: list[Any] = []
        self._keys: list[tuple[str, str]] = []

    def function(self, body: list[Any]) -> list[Any]:
        """Return the body of the function with plain dicts."""
        made: dict[str, list[_Filled | None]] = {}
        for statement in statements(body):
            if self._makes(statement):
                name = getattr(_targets(statement)[0], "id", "")
                made.setdefault(name, []).append(self._filled(statement))
        self._dicts = {
            name: found[0]
            for name, found in made.items()
            if found[0] is not None
            and name in self._scope.local
            and name not in self._parameters
            and all(_are_alike(found[0], other) for other in found)
        }
        self._leave_others(gast.Module(body, []))
        return self._block(body) if self._dicts else body

    def _leave_others(self, whole: Any) -> None:
        """Leave dicts of which something else is done, or whose defaults would mean another."""
        names = found_in(whole, gast.Name)
        mentioned = Counter(item.id for item in names)
        bound = {item.id for item in names if not isinstance(item.ctx, gast.Load)}
        for name, found in list(self._dicts.items()):
            used = [use for node in nodes_in(whole) for use in self._uses(node, name, found)]
            read = names_read(found.default)
            if isinstance(found.default, gast.Constant) and not _is_asked_for_keys(whole, name):
                found.keeps = False  # it would not show
            if (
                len(used) != mentioned[name]
                or not bound.isdisjoint(read)
                or (found.counts and _may_show_new_entries(whole, name))
            ):
                del self._dicts[name]

    def _makes(self, statement: Any) -> bool:
        """Say whether a statement binds such a dict."""
        binds = isinstance(statement, (gast.Assign, gast.AnnAssign))
        calls = binds and isinstance(statement.value, gast.Call)
        return calls and makes_entries(statement.value, self._scope)

    def _filled(self, statement: Any) -> _Filled | None:
        """Return what a new dict gives for a missing key; None if that is not clear."""
        value = statement.value
        if len(_targets(statement)) > 1 or value.keywords:
            return None
        if self._scope.resolve(value.func) is Counter:
            return None if value.args else _Filled(constant(0), counts=True, keeps=False)
        if len(value.args) != 1:
            return None
        (factory,) = value.args
        default = None
        if isinstance(factory, gast.Lambda):
            default = factory.body if self._may_be_made_anywhere(factory) else None
        kind = self._scope.resolve(factory)
        if any(kind is known for known in _EMPTY):
            default = at(_empty(kind), value)
        return None if default is None else _Filled(default, counts=False, keeps=True)

    def _may_be_made_anywhere(self, factory: Any) -> bool:
        """Say whether a lambda takes nothing and makes what costs little and asks no variables."""
        args = factory.args
        given = [*args.args, *args.posonlyargs, *args.kwonlyargs, args.vararg, args.kwarg]
        names = found_in(factory.body, gast.Name)
        calls = found_in(factory.body, gast.Call)
        return (
            all(item is None for item in given)
            and not any(item.id in self._scope.local for item in names)
            and not found_in(factory.body, gast.NamedExpr, gast.Lambda, *_COMPREHENSIONS)
            and all(is_harmless(item, self._scope, self._vocabulary) for item in calls)
        )

    # -- what is done with a dict

    def _uses(self, node: Any, name: str, found: _Filled) -> Iterator[Any]:
        """Yield the places of a dict that do not show of which class it is."""
        if isinstance(node, gast.Name):
            return
        for part in self._plain_parts(node, found):
            if isinstance(part, gast.Name) and part.id == name:
                yield part
        for part in nodes_in(node):
            yield from self._uses(part, name, found)

    def _plain_parts(self, node: Any, found: _Filled) -> list[Any]:
        """Return the parts of a node of which it reads or binds entries alone."""
        if isinstance(node, (gast.Assign, gast.AnnAssign)):
            return _targets(node) if self._makes(node) else []
        if isinstance(node, gast.Subscript):
            deletes = isinstance(node.ctx, gast.Del)
            return [] if deletes and found.counts else [node.value]
        if isinstance(node, gast.Attribute):
            updates = node.attr == "update" and not found.counts
            return [node.value] if updates or node.attr in _READERS else []
        if isinstance(node, (gast.For, gast.comprehension)):
            return [node.iter]
        if isinstance(node, gast.Compare) and len(node.ops) == 1:
            return node.comparators if isinstance(node.ops[0], (gast.In, gast.NotIn)) else []
        if isinstance(node, gast.Call):
            callee = self._scope.resolve(node.func)
            return node.args[:1] if any(callee is item for item in _BUILTINS) else []
        return []

    # -- which entries are there

    def _key_of(self, loop: Any) -> list[tuple[str, str]]:
        """Return the dict that a loop or comprehension goes through, and the name of its key."""
        through, key = loop.iter, loop.target
        if isinstance(through, gast.Call) and isinstance(through.func, gast.Attribute):
            if through.func.attr == "items" and isinstance(key, gast.Tuple):
                key = key.elts[0]
            elif through.func.attr != "keys":
                return []
            through = through.func.value
        elif isinstance(through, gast.Call) and through.args:
            callee = self._scope.resolve(through.func)
            through = through.args[0] if any(callee is item for item in _ORDERED) else None
        name, key = getattr(through, "id", ""), getattr(key, "id", "")
        return [(name, key)] if key and name in self._dicts else []

    def _is_known(self, node: Any) -> bool:
        """Say whether an entry is read whose key its dict has just given."""
        name, key = getattr(node.value, "id", ""), getattr(node.slice, "id", "")
        return (name, key) in self._keys

    def _comprehension(self, node: Any) -> Any:
        keys = [key for part in node.generators for key in self._key_of(part)]
        keys = [key for key in keys if _stays(key, node, bound=1)]
        self._keys += keys
        self.generic_visit(node)
        del self._keys[len(self._keys) - len(keys) :]
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    # -- and how it is written

    def _block(self, block: list[Any]) -> list[Any]:
        done: list[Any] = []
        for statement in block:
            keys = self._key_of(statement) if isinstance(statement, gast.For) else []
            keys = [key for key in keys if _stays(key, gast.Module(statement.body, []))]
            self._keys += keys
            for part in inner_blocks(statement):
                part[:] = self._block(part)
            del self._keys[len(self._keys) - len(keys) :]
            done += self._statement(statement)
        return done

    def _statement(self, statement: Any) -> list[Any]:
        if self._makes(statement) and getattr(_targets(statement)[0], "id", "") in self._dicts:
            statement.value = at(gast.Dict([], []), statement.value)
            return [statement]
        lead = self._with_entry(statement)
        for field in statement._fields:
            part = getattr(statement, field, None)
            if isinstance(part, gast.AST):
                setattr(statement, field, self.visit(part))
            elif isinstance(part, list) and not any(isinstance(p, gast.stmt) for p in part):
                part[:] = [self.visit(p) if isinstance(p, gast.AST) else p for p in part]
        return [*lead, statement]

    def _is_entry(self, node: Any) -> bool:
        named = isinstance(node, gast.Subscript) and isinstance(node.value, gast.Name)
        return named and node.value.id in self._dicts

    def _with_entry(self, statement: Any) -> list[Any]:
        """Return the statements that see to it that an entry is there to be updated."""
        updates = isinstance(statement, gast.AugAssign)
        stores = isinstance(statement, gast.Assign) and len(statement.targets) == 1
        target = statement.target if updates else statement.targets[0] if stores else None
        entry: Any = target
        while isinstance(entry, (gast.Subscript, gast.Attribute)) and not self._is_entry(entry):
            entry = entry.value
        if not self._is_entry(entry) or (entry is target and not updates):
            return []
        lead: list[Any] = []
        if stores and not isinstance(statement.value, _SIMPLE):  # which comes first
            lead.append(self._named("value", statement.value, statement))
            statement.value = load(lead[-1].targets[0].id)
        if not isinstance(entry.slice, _SIMPLE):
            lead.append(self._named("key", entry.slice, statement))
            entry.slice = load(lead[-1].targets[0].id)
        self._there.append(entry)
        found = self._dicts[entry.value.id]
        made = method(load(entry.value.id), "setdefault", clone(entry.slice), clone(found.default))
        return [*lead, at(gast.Expr(at(made, entry)), statement)]

    def _named(self, wish: str, value: Any, statement: Any) -> Any:
        return assign(self._namer.fresh(wish), self.visit(value), statement)

    def visit_Subscript(self, node: Any) -> Any:
        """Write what is read of an entry as a call that gives it, if it is there or not."""
        node.value, node.slice = self.visit(node.value), self.visit(node.slice)
        there = any(node is item for item in self._there) or self._is_known(node)
        if there or not self._is_entry(node) or not isinstance(node.ctx, gast.Load):
            return node
        found = self._dicts[node.value.id]
        name = "setdefault" if found.keeps else "get"
        return at(method(node.value, name, node.slice, clone(found.default)), node)


def _targets(statement: Any) -> list[Any]:
    """Return the targets of an assignment, with a type or without."""
    plain = isinstance(statement, gast.Assign)
    return list(statement.targets) if plain else [statement.target]


def _empty(kind: type) -> Any:
    """Return what a class makes of nothing, as it is written."""
    if kind is list:
        return gast.List([], gast.Load())
    return gast.Dict([], []) if kind is dict else constant(kind())


def _are_alike(one: _Filled, other: _Filled | None) -> bool:
    return other is not None and one.counts is other.counts and is_same(one.default, other.default)


def _is_asked_for_keys(whole: Any, name: str) -> bool:
    """Say whether more is done with a dict than to make it and to read and bind its entries."""
    entries = [getattr(item.value, "id", "") for item in found_in(whole, gast.Subscript)]
    bindings = found_in(whole, gast.Assign, gast.AnnAssign)
    made = [getattr(_targets(item)[0], "id", "") for item in bindings]
    named = [item.id for item in found_in(whole, gast.Name)]
    return named.count(name) > entries.count(name) + made.count(name)


def _stays(key: tuple[str, str], node: Any, bound: int = 0) -> bool:
    """Say whether a dict keeps a key, and a name means it, in all of a loop's body.

    `bound` says how often the name is bound there for this.
    """
    dict_, name = key
    names = [item.id for item in found_in(node, gast.Name) if not isinstance(item.ctx, gast.Load)]
    taken = [item for item in found_in(node, gast.Attribute) if item.attr == "pop"]
    taken += [item for item in found_in(node, gast.Subscript) if isinstance(item.ctx, gast.Del)]
    lost = any(getattr(item.value, "id", "") == dict_ for item in taken)
    return names.count(name) == bound and dict_ not in names and not lost


def _may_show_new_entries(whole: Any, name: str) -> bool:
    """Say whether an entry may be seen that is there while an update is computed, not before."""
    if found_in(whole, gast.Try):
        return True
    for update in found_in(whole, gast.AugAssign):
        if root_name(update.target) == name:
            read = [item.id for item in found_in(update.value, gast.Name)].count(name)
            entries = found_in(update.value, gast.Subscript)
            if read != [getattr(item.value, "id", "") for item in entries].count(name):
                return True
    return False
