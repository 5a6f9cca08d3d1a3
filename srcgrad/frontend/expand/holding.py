"""Knows the objects outside whose fields a program writes: each such field is a variable.

Which fields those are is found out on the way: where a write is met of which nobody knew, the
function that is differentiated is expanded once more, from its beginning.
"""

from __future__ import annotations

import dis
import inspect
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import CodeType, FunctionType, MemberDescriptorType, ModuleType
from typing import Any, Final

import numpy as np

from srcgrad.by_text import OF_OWN_MODULE
from srcgrad.errors import SrcgradError
from srcgrad.frontend.expand.assumptions import is_space, stored_in
from srcgrad.frontend.expand.values import Instance, Root
from srcgrad.frontend.one_way import is_reached_twice
from srcgrad.frontend.source import Entry, Leaves, Path, find_source
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, dotted_path, load
from srcgrad.ir.program import bound_names
from srcgrad.ir.reach import knows_names, reached_functions, read_outside
from srcgrad.ir.scopes import MISSING, Binding
from srcgrad.ir.walk import blocks_of, root_name, statements, walk
from srcgrad.runtime import tell
from srcgrad.runtime.objects import is_named_tuple

_MOST: Final = 200
"""Fields that are written by one program."""
_DEEPEST: Final = 8
"""Containers in each other, of which the innermost has entries that are written."""
_RANKS: Final = {1: "vector", 2: "matrix"}
_SETTERS: Final = frozenset(("setattr", "vars", "__dict__", "__setattr__"))
_STORING: Final = _SETTERS | {"STORE_ATTR"}
CONTAINERS: Final = (list, tuple, dict)


def is_container(owner: Instance) -> bool:
    """Say whether what owns something is a dict, list or tuple, and what it owns are entries."""
    return type(owner.value) in CONTAINERS and not is_space(owner)


class FieldWrittenError(Exception):
    """A field of an object outside is written, of which nobody knew so far.

    So with a name outside, if it is `of_names`; without a name it is not known yet which entry.
    """

    def __init__(self, owner: Any, name: Any, *, of_names: bool = False) -> None:
        super().__init__(name)
        self.owner = owner
        self.name = name
        self.of_names = of_names


@dataclass(slots=True)
class HeldObject:
    """An object that is there before, with fields that the program writes.

    So with what holds names outside, into whose arrays the program writes, and with a dict, list or
    tuple of which it writes entries.

    Attributes:
        value: The object, or the namespace of a module, a class, or a cell.
        of_names: Whether it is such a namespace.
        written: The names of those fields.
        expression: How the function reaches it, where it begins.
        root: How to find it again, given the arguments of a call.
        expressions: How the function reaches each of the names outside.
        variables: The variables of the fields.
        differentiated: Those of fields that are differentiated, which are read with the others.
        bound: The fields that are bound anew, which are put back at the end.
        updated: Those whose arrays are written into, at any time: what was made stays.
    """

    value: Any
    of_names: bool = False
    written: set[Any] = field(default_factory=set)
    expression: Any = None
    root: Root | None = None
    expressions: dict[str, Any] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    differentiated: dict[str, str] = field(default_factory=dict)
    bound: dict[str, None] = field(default_factory=dict)
    updated: set[str] = field(default_factory=set)

    def stored(self) -> set[str]:
        """Return the fields whose arrays may be written into."""
        return self.written - self.bound.keys() | self.updated

    def bound_variables(self) -> dict[str, str]:
        """Return the variables of the fields that are bound anew."""
        return {name: self.differentiated.get(name) or self.variables[name] for name in self.bound}

    def step(self, name: Any) -> str | Entry:
        """Return the step of a path to a field, or to an entry."""
        return Entry(name) if type(self.value) in CONTAINERS else str(name)

    def is_there(self, name: str) -> bool:
        """Say whether a field is set before, or its class has a value for it."""
        return stored_in(self.value, name) is not MISSING


@dataclass(slots=True)
class Holding:
    """The objects of one compilation that are held so.

    Attributes:
        is_open: Whether writes may be understood so; it is given up if that leads to a refusal.
        by_entries: Whether dicts and lists are held as objects are, entry by entry, and functions
            that write into what they are given are put in place.
        meets_entries: Whether that may help, since there are such writes.
        objects: The objects, by their identities.
    """

    is_open: bool = True
    by_entries: bool = False
    meets_entries: bool = False
    objects: dict[int, HeldObject] = field(default_factory=dict)

    def of(self, value: Any) -> HeldObject | None:
        """Return an object as it is held, if it is."""
        return self.objects.get(id(value)) if self.objects else None

    def has_entries(self, value: Any) -> bool:
        """Say whether a dict, list or tuple is held entry by entry, or one that it holds is."""
        return self.by_entries and self._has_entries(value, _DEEPEST)

    def _has_entries(self, value: Any, depth: int) -> bool:
        if type(value) not in CONTAINERS or not depth:
            return False
        if id(value) in self.objects:
            return True
        items = value.values() if type(value) is dict else value
        return any(self._has_entries(item, depth - 1) for item in items)

    def note(self, found: FieldWrittenError) -> bool:
        """Note a field that is written, before the function is expanded once more.

        False if there are so many that they may be those of objects that are made anew each time.
        """
        made = HeldObject(found.owner, found.of_names)
        held = self.objects.setdefault(id(found.owner), made)
        if found.name is not None:
            held.written.add(found.name)
            self.meets_entries |= type(stored_in(found.owner, found.name)) in CONTAINERS
        for item in self.objects.values():
            item.expression = item.root = None
            item.variables, item.differentiated, item.bound = {}, {}, {}
            item.expressions = {}
        return sum(len(item.written) for item in self.objects.values()) <= _MOST

    def close(self) -> None:
        """Leave the fields what they are: what reads or writes them is refused, or told."""
        self.is_open = self.by_entries = False
        self.objects.clear()

    def met(self) -> list[HeldObject]:
        """Return the objects that the program has met."""
        return [item for item in self.objects.values() if item.expression is not None]

    def spaces(self) -> list[HeldObject]:
        """Return what holds the names outside that the program has met."""
        return [item for item in self.objects.values() if item.expressions]

    def is_known_to(self, function: FunctionType) -> bool:
        """Say whether a function may know names outside that the program writes."""
        spaces = [item for item in self.objects.values() if item.of_names]
        if not spaces:
            return False
        every = reached_functions(function)
        known = (knows_names(f, s.value, s.written) for f in every.functions for s in spaces)
        return not every.are_all or any(known)


def kind_of(value: Any) -> str:
    """Return what analyses of memory are told of a value; nothing of most.

    >>> kind_of(np.ones(3)), kind_of(2.0), kind_of([1.0]), kind_of(2), kind_of(np.array(1.0))
    ('vector', 'number', 'list', '', '')
    """
    if type(value) is np.ndarray:
        return _RANKS.get(value.ndim, "array") if value.ndim else ""
    if isinstance(value, float):
        return "number"
    return type(value).__name__ if type(value) in CONTAINERS else ""


def path_of(expression: Any) -> tuple[str, Path] | None:
    """Return the name and the steps by which an expression reaches an object; None for others.

    >>> path_of(gast.parse("model.parts[0].grid", mode="eval").body)
    ('model', ('parts', Entry(key=0), 'grid'))
    >>> path_of(gast.parse("run.__self__", mode="eval").body) is None
    True
    """
    steps: list[str | Entry] = []
    while not isinstance(expression, gast.Name):
        if isinstance(expression, gast.Attribute) and not expression.attr.startswith("__"):
            steps.append(expression.attr)
        elif isinstance(expression, gast.Subscript):
            if not isinstance(expression.slice, gast.Constant):
                return None
            steps.append(Entry(expression.slice.value))
        else:
            return None
        expression = expression.value
    return expression.id, tuple(reversed(steps))


def leaves_of_space(space: HeldObject) -> list[Leaves]:
    """Return the names outside as variables that are read before all else."""
    found = []
    for name, expression in space.expressions.items():
        if not space.is_there(name):
            continue
        variable = space.variables[name]
        outside = Binding(name, None, space.value)
        found.append(Leaves(dotted_path(expression), {(): variable}, is_held=True, binding=outside))
        note_kind(found[-1], variable, stored_in(space.value, name))
    return found


def leaves_of(held: HeldObject) -> Leaves:
    """Return the fields of an object as variables that are read before all else."""
    found = path_of(held.expression)
    assert found is not None
    name, path = found
    made = Leaves(name, is_held=True, path=path)
    for attribute, variable in held.variables.items():
        if held.is_there(attribute):
            made.names[*path, held.step(attribute)] = variable
            note_kind(made, variable, stored_in(held.value, attribute))
    return made


def note_kind(leaves: Leaves, variable: str, value: Any) -> None:
    """Note what a field that is written is before, as far as an analysis asks for that."""
    if kind := kind_of(value):
        leaves.kinds[variable] = kind
    if type(value) is np.ndarray and value.dtype.kind in "fc":
        leaves.floats.add(variable)


def put_back(body: list[Any], objects: Iterable[HeldObject], name_of: Callable[..., Any]) -> None:
    """Let fields that are bound anew be bound so in the objects, before each `return`, in place.

    `name_of(function, wish)` is the expression of a function or of a module.
    """
    triples = [
        (held, name, variable)
        for held in objects
        for name, variable in held.bound_variables().items()
    ]
    if not triples:
        return

    def stores(node: Any) -> list[Any]:
        calls = [
            gast.Call(name_of(tell, "tell"), stored(held, name, load(variable), name_of), [])
            for held, name, variable in triples
        ]
        return [at(gast.Expr(at(call, node)), node) for call in calls]

    def walk_block(block: list[Any]) -> None:
        for place in reversed(range(len(block))):
            statement = block[place]
            if isinstance(statement, gast.Return):
                block[place:place] = stores(statement)
            for inner in blocks_of(statement):
                walk_block(inner)

    walk_block(body)


def module_of(space: HeldObject) -> Any:
    """Return the module that holds names outside; None if it is not known."""
    name = space.value.get("__name__") if type(space.value) is dict else ""
    module = sys.modules.get(name or "")
    return module if module is not None and vars(module) is space.value else None


def stored(held: HeldObject, name: Any, value: Any, name_of: Callable[..., Any]) -> list[Any]:
    """Return what is told, and whom, to let a field of an object, or an entry, be a value.

    `name_of(function, wish)` is the expression of a function or of a module.
    """
    by_key = isinstance(held.step(name), Entry) and not held.of_names
    owner = held.expression or name_of(module_of(held), module_of(held).__name__)
    key = gast.Constant(name, None)
    if by_key:
        return [gast.Attribute(clone(owner), "__setitem__", gast.Load()), key, value]
    return [load("setattr"), clone(owner), key, value]


def is_bound_at_last(body: list[Any], names: Collection[str]) -> bool:
    """Say whether a `finally` binds some variables, after what a `return` has put back."""
    attempts = (item for item in statements(body) if isinstance(item, gast.Try))
    return any(not bound_names(item.finalbody).isdisjoint(names) for item in attempts)


def is_reached_otherwise(held: HeldObject, function: Any, arguments: Mapping[str, Any]) -> bool:
    """Say whether an object, or an array that it holds, is reached by another way, too.

    What is looked through are the arguments, and what the functions that may run read outside, of
    those that the expanded `function` calls.
    """
    path = path_of(held.expression)
    assert path is not None
    name = path[0]
    reached = reached_functions(function, arguments.values()).functions
    mine = list(read_outside([function]))
    outside = [*mine, *read_outside([item for item in reached if item is not function])]
    first = arguments.get(name, MISSING)
    others = [value for key, value in arguments.items() if key != name]
    if first is MISSING:
        named = {id(value): value for key, value in mine if key == name}
        by_others = any(key == name for key, _ in outside[len(mine) :])
        if len(named) != 1 or by_others:
            return True
        (first,) = named.values()
        others += [value for key, value in outside if key != name]
    else:
        others += [value for _, value in outside]
    return is_reached_twice(first, path[1], held.stored(), others)


def reads_by_another_way(body: Iterable[Any], names: Collection[str], known: Any) -> bool:
    """Say whether statements may read names outside other than by what they spell.

    So with ``sys.modules["model"].u``, and ``model.u`` of an object that hands on what it is asked
    for. `known(name)` is what a name means outside.
    """
    for node in (node for statement in body for node in walk(statement)):
        if isinstance(node, gast.Name) and node.id in OF_OWN_MODULE:
            return True
        if not isinstance(node, gast.Attribute):
            continue
        if node.attr in ("modules", "import_module", "__dict__"):
            return True
        if node.attr in names and _may_hand_on(node.value, known):
            return True
    return False


def _may_hand_on(expression: Any, known: Any) -> bool:
    """Say whether an expression is an object that answers for others what it is asked for."""
    first, *more = dotted_path(expression).split(".")
    owner = known(first)
    for name in more:
        if hasattr(type(owner), "__getattr__"):
            break
        owner = stored_in(owner, name)
    return hasattr(type(owner), "__getattr__") and not isinstance(owner, ModuleType)


def is_named_otherwise(space: HeldObject, function: Any, arguments: Mapping[str, Any]) -> bool:
    """Say whether memory of names outside is reached by another way, or by another function.

    `function` is the one in which they are variables, and what it calls is not put in its place.
    """
    reached = reached_functions(function, arguments.values())
    others = [item for item in reached.functions if item is not function]
    known = (knows_names(item, space.value, space.expressions) for item in others)
    if not reached.are_all or any(known):
        return True
    more = [value for item in others for _, value in read_outside([item])]
    more += arguments.values()
    mine = list(read_outside([function]))
    if isinstance(space.value, type):
        more += [value for _, value in mine if value is not space.value]
        return is_reached_twice(space.value, (), list(space.expressions), more)
    for name in space.expressions:
        value = stored_in(space.value, name)
        same = [item for key, item in mine if item is not value or key != name]
        if is_reached_twice(value, (), None, [*same, *more]):
            return True
    return False


def may_bind_fields(function: Any, arguments: Iterable[Any]) -> bool:
    """Say whether functions that may run bind attributes, but those of objects that they make."""
    reached = reached_functions(function, arguments)
    return not reached.are_all or any(map(_binds_of_others, reached.functions))


def _binds_of_others(function: FunctionType) -> bool:
    if not _STORING.intersection(_operations(function.__code__)):
        return False
    try:
        tree = find_source(function).tree
    except SrcgradError:
        return True
    mine = next((item.id for item in tree.args.args), "") if tree.name == "__init__" else ""
    return binds_attributes(tree, but=mine)


def binds_attributes(tree: Any, but: str = "") -> bool:
    r"""Say whether a definition binds attributes, `but` those of what one name means.

    >>> tree = gast.parse("def f(a, b):\n    a.x = 1.0\n    a.y[0] = b.x").body[0]
    >>> binds_attributes(tree), binds_attributes(tree, but="a")
    (True, False)
    """
    nodes = [node for statement in tree.body for node in walk(statement)]
    if any(isinstance(node, gast.Name) and node.id in _SETTERS for node in nodes):
        return True
    stored = (n for n in nodes if isinstance(n, gast.Attribute) and isinstance(n.ctx, gast.Store))
    return any(getattr(node.value, "id", None) != (but or None) for node in stored)


def _operations(code: CodeType) -> Iterator[str]:
    yield from (item.opname for item in dis.get_instructions(code))
    yield from (name for name in code.co_names if name in _SETTERS)
    for item in code.co_consts:
        if isinstance(item, CodeType):
            yield from _operations(item)


def is_bound_in(body: list[Any], expression: Any) -> bool:
    """Say whether statements may bind anew the name by which an expression begins, or a field.

    >>> model = gast.parse("model.parts[0]", mode="eval").body
    >>> texts = ["model = 1", "a.parts = 2", "model.size = parts", "tell(setattr, a, 'parts', 2)"]
    >>> [is_bound_in(gast.parse(text).body, model) for text in texts]
    [True, True, False, True]
    """
    steps = {node.attr for node in walk(expression) if isinstance(node, gast.Attribute)}
    steps.add(root_name(expression) or "")
    return any(_bound_by(node) in steps for statement in body for node in walk(statement))


def _bound_by(node: Any) -> str | None:
    """Return the name, or that of the field, that a node binds; None if it binds none."""
    if isinstance(node, (gast.Name, gast.Attribute)):
        bound: str = node.id if isinstance(node, gast.Name) else node.attr
        return None if isinstance(node.ctx, gast.Load) else bound
    told = isinstance(node, gast.Call) and any(
        getattr(item, "id", "") == "setattr" for item in (node.func, *node.args)
    )
    names = (getattr(item, "value", None) for item in node.args) if told else ()
    return next((name for name in names if isinstance(name, str)), None)


def is_set_plainly(kind: type, name: str) -> bool:
    """Say whether binding a field of objects of a class does just that, and may be done.

    >>> class Box:
    ...     half = property(lambda self: 1.0)
    >>> is_set_plainly(Box, "half"), is_set_plainly(Box, "size"), is_set_plainly(tuple, "size")
    (False, True, True)
    """
    options = getattr(kind, "__dataclass_params__", None)
    if is_named_tuple(kind) or (options is not None and options.frozen):
        return False
    found = inspect.getattr_static(kind, name, None)
    return isinstance(found, MemberDescriptorType) or not hasattr(type(found), "__set__")
