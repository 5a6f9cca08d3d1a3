"""Lets entries of dicts and lists that are there before be variables, where they are written.

A dict or list that is held so is known entry by entry, as an object is by its fields:
``S["t"] += dt`` is ``t += dt``, and ``S["t"] = t`` where the function ends. Keys are literals.
"""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any, NoReturn

from srcgrad.frontend.effects import written_parameters
from srcgrad.frontend.expand.assumptions import stored_in
from srcgrad.frontend.expand.frame import NeedsInlineError, at_key
from srcgrad.frontend.expand.holding import CONTAINERS, FieldWrittenError, HeldObject, is_container
from srcgrad.frontend.expand.keeping import known_elements
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.values import (
    Instance,
    Items,
    Known,
    Method,
    Root,
    Static,
    Value,
    has_plain_keys,
)
from srcgrad.frontend.source import Entry, Leaves, Path, find_source
from srcgrad.ir import gast
from srcgrad.ir.build import clone
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import found_in, is_same, names_bound, names_read, root_name, walk
from srcgrad.runtime.objects import may_be_static


class HeldEntries(Part):
    """The part of the expansion that deals with entries that are written."""

    # -- what is held

    def container(
        self,
        value: Any,
        expression: Any,
        root: Root,
        leaves: Leaves | None = None,
        path: Path = (),
    ) -> Items:
        """Return a dict, list or tuple that is there before, entry by entry."""
        if not has_plain_keys(value):
            self.frame.refuse(
                expression, "a dict that is written, by such keys", "use texts for the keys"
            )
        owner = Instance(value, clone(expression), root, leaves, path)
        self.frame.lookup.meet(value, expression, root)

        def entry(key: Any) -> Value:
            held = self.frame.held_fields.held_field(owner, key)
            if held is not None:
                return held
            place = gast.Subscript(clone(expression), gast.Constant(key, None), gast.Load())
            if leaves is None:
                return self.frame.lookup.outside(value[key], place, at_key(root, key))
            inner = (*path, Entry(key))
            made = self.frame.fields.held(
                value[key], place, at_key(root, key), leaves, inner, place
            )
            if isinstance(made, gast.Name):
                self.frame.named_fields[made.id] = (owner, key)
            return made

        found = self.frame.lookup.entries(value, root, entry)
        found.held, found.lent = owner, True
        held = self.session.holding.of(value)
        if held is not None and found.keys is not None:
            self._add_new_keys(found, owner, held)
        return found

    def _add_new_keys(self, found: Items, owner: Instance, held: HeldObject) -> None:
        """Add the entries that the program puts into a dict."""
        assert found.keys is not None
        for key in sorted(held.written - set(found.keys), key=str):
            found.keys.append(key)
            found.values.append(self.frame.held_fields.held_field(owner, key))

    def _container_at(self, node: Any) -> Instance | None:
        """Return the dict, list or tuple that is there before and that an expression means."""
        if not self.session.holding.by_entries or not _is_chain(node):
            return None
        value = self.frame.value(clone(node))
        if isinstance(value, Items):
            return value.held
        found = MISSING if isinstance(value, Static) else self._stored_at(value)
        if type(found) not in CONTAINERS or self.session.holding.of(found) is not None:
            return None
        return Instance(found, value, lambda _: found)

    def written_container(self, node: Any) -> Instance | None:
        """Return the dict or list that a write is into; where that is not asked for, note it."""
        holding = self.session.holding
        if not holding.by_entries and holding.is_open and not holding.meets_entries:
            holding.meets_entries = self._is_of_container(self.frame.held_fields.memory_of(node))
        return self._container_at(node)

    def _is_of_container(self, place: Any) -> bool:
        """Say whether a place is a dict or list that is there before, or in one."""
        while isinstance(place, gast.Subscript):
            place = place.value
        found = self._stored_at(self.frame.value(clone(place))) if _is_chain(place) else MISSING
        return type(found) in CONTAINERS

    def _stored_at(self, value: Any) -> Any:
        """Return what an expression means now, of what is there before; or `MISSING`."""
        if isinstance(value, gast.Name):
            return self._stored_under(value.id)
        if isinstance(value, gast.Subscript):
            within = self._container_at(value.value)
            return MISSING if within is None else _stored(within, _literal(value.slice))
        owner = self.frame.value(clone(value.value)) if isinstance(value, gast.Attribute) else None
        if isinstance(owner, Instance):
            return stored_in(owner.value, value.attr)
        module = owner.value if isinstance(owner, Known) else None
        return vars(module).get(value.attr, MISSING) if isinstance(module, ModuleType) else MISSING

    def _stored_under(self, name: str) -> Any:
        if name in self.frame.named_fields:
            owner, key = self.frame.named_fields[name]
            return owner.value if key is None else _stored(owner, key)
        if self.frame.begins and name in self.session.arguments and name in self.frame.own:
            return self.session.arguments[name]
        binding = self.frame.held_names.outside_name(name)
        return MISSING if binding is None else binding.value

    # -- names

    def word_for_entry(self, owner: Instance, name: Any) -> str:
        """Return what the variable of an entry is called."""
        if isinstance(name, str) and name.isidentifier():
            return name
        whole = getattr(owner.expression, "attr", root_name(owner.expression))
        word = f"{whole}_{name}"
        return word.lower() if word.isidentifier() else "entry"

    # -- writes

    def write_entry(self, target: Any, value: Value, node: Any) -> bool:
        """Bind an entry of a dict or list; False if the text may do so as it is."""
        owner = self.written_container(target.value)
        if owner is None:
            return False
        key = _key(owner, self.frame.value(clone(target.slice)))
        if not self._writes_entry(owner, key, value):
            return False
        self._refuse_unknown(owner, key, node)
        self.frame.held_fields.bind_field(owner, key, value, node)
        return True

    def update_entry(self, target: Any, node: Any) -> bool:
        """Write ``S[key] += v`` as an update of the variable; False if it is none."""
        owner = self.written_container(target.value)
        if owner is None:
            return False
        key, value = (
            _key(owner, self.frame.value(clone(target.slice))),
            self.frame.expression(node.value),
        )
        node.value = value
        if not self._writes_entry(owner, key, value):
            return False
        self._refuse_unknown(owner, key, node)
        self.frame.held_fields.update_held(owner, key, node)
        return True

    def _writes_entry(self, owner: Instance, key: Any, value: Value) -> bool:
        """Say whether an entry that is bound here is a variable, or has to be one."""
        old = _stored(owner, key)
        if self.session.holding.of(owner.value) is not None or type(old) in CONTAINERS:
            return True
        static = isinstance(value, Static) or may_be_static(old)
        return not static and (
            owner.leaves is not None or self.frame.held_fields.brings(owner, value)
        )

    def _refuse_unknown(self, owner: Instance, key: Any, node: Any) -> None:
        """Refuse a key that only the run tells, and one behind the end of a list.

        Raises:
            FieldWrittenError: It was not known so far that entries are written.
        """
        held = self.session.holding.of(owner.value)
        if not self.frame.begins:
            raise NeedsInlineError
        if key is None and held is None:
            raise FieldWrittenError(owner.value, None)
        grows = type(owner.value) is not dict and _stored(owner, key) is MISSING
        if key is None or grows or type(owner.value) is tuple:
            self._refuse_computed(node)

    def _refuse_computed(self, node: Any) -> NoReturn:
        self.frame.refuse(node, "a write into an entry that only the run tells", "use literal keys")

    def refuse_unknown_write(self, owner: Instance, key: Any, node: Any) -> None:
        """Refuse to write into the array of an entry that only the run tells.

        Raises:
            NeedsInlineError: This is not the function that the program begins with.
            FieldWrittenError: It was not known so far that entries are written.
        """
        if not self.frame.begins:
            raise NeedsInlineError
        if key is None and self.session.holding.of(owner.value) is None:
            raise FieldWrittenError(owner.value, None)
        if key is None:
            self._refuse_computed(node)

    def entries_in(self, place: Any) -> list[tuple[Instance, Any]] | None:
        """Return the entry that a place is in, or the whole with None; None if it is none."""
        if not self.session.holding.by_entries:
            return None
        if isinstance(place, gast.Name) and isinstance(
            self.frame.env.get(place.id), gast.Subscript
        ):
            place = self.frame.env[place.id]
        if not isinstance(place, gast.Subscript):
            owner = self._container_at(place)
            return None if owner is None else [(owner, None)]
        owner = self._container_at(place.value)
        return [] if owner is None else [(owner, _key(owner, self.frame.value(clone(place.slice))))]

    def is_entry(self, place: Any) -> bool:
        """Say whether a place is an entry of a dict or list that may be a variable."""
        return isinstance(place, gast.Subscript) and self._container_at(place.value) is not None

    def places_writer(self, function: Any) -> bool:
        """Say whether a function is put in place since it writes into what it is given.

        So it is where dicts and lists are known entry by entry, and what each entry is decides
        whether memory is written.
        """
        holding = self.session.holding
        if not holding.is_open or not written_parameters(function, self.session.vocabulary):
            return False
        holding.meets_entries = True
        tree = find_source(function).tree
        nested = any(tree is item for item in [*self.frame.inlined, self.frame.code.tree])
        return holding.by_entries and self.frame.begins and self.frame.hoistable and not nested

    # -- loops

    def entries_chosen(self, loop: Any, items: Any) -> list[Any] | None:
        """Return what a loop runs through, if these are dicts that may be held, or keys of one."""
        holding = self.session.holding
        shown = items.elts if isinstance(items, (gast.Tuple, gast.List)) else []
        if not holding.by_entries:
            holding.meets_entries |= any(map(self._is_of_container, shown))
            return None
        if not isinstance(loop.target, (gast.Name, gast.Tuple, gast.List)):
            return None
        if shown and all(self._container_at(item) is not None for item in shown):
            return list(shown)
        return known_elements(self.frame, items) if self._chooses_entries(loop) else None

    def _chooses_entries(self, loop: Any) -> bool:
        names = set(names_bound(loop.target))
        places = (node for item in loop.body for node in found_in(item, gast.Subscript))
        chosen = (node for node in places if not names.isdisjoint(names_read(node.slice)))
        return any(self._container_at(node.value) is not None for node in chosen)

    def names_entry(self, target: Any, value: Value) -> bool:
        """Let the variable of a loop mean a key, where keys are to be literals; note an entry."""
        if not self.session.holding.by_entries or not isinstance(target, gast.Name):
            return False
        if isinstance(value, gast.Constant):
            self.frame.env[target.id] = value
            return True
        if not isinstance(value, Static):
            self.frame.held_fields.name_field(target, value)
        return False

    # -- the whole

    def reads_held(self, node: Any, inner: set[str]) -> bool:
        if not self.session.holding.objects:
            return False
        outer = (item for item in walk(node) if _is_chain(item) and root_name(item) not in inner)
        return any(map(self._is_read_anew, outer))

    def _is_read_anew(self, node: Any) -> bool:
        value = self.frame.value(clone(node))
        owner = value.owner if isinstance(value, Method) else value
        if isinstance(owner, Instance):
            return self.session.holding.of(owner.value) is not None
        if isinstance(value, Static):
            return self.is_held_by_entries(value)
        return not is_same([value], [node])

    def is_held_by_entries(self, value: Any) -> bool:
        """Say whether a value is a dict or list with entries that are variables, however deep."""
        return isinstance(value, Items) and value.held is not None

    def passed_on(self, args: list[Value], callee: Value) -> list[Value]:
        """Return arguments; a dict or list whose entries are variables is not passed on itself."""
        if not self._reads(callee):
            return args
        return [replace(v, held=None) if isinstance(v, Items) else v for v in args]

    def _reads(self, callee: Value) -> bool:
        """Say whether a library's function reads the entries of dicts and lists, and keeps none."""
        function = callee.value if isinstance(callee, Known) else None
        known = function is not None and self.session.vocabulary.rule_for(function) is not None
        return known or function in CONTAINERS  # which make one anew of its entries


def _is_chain(node: Any) -> bool:
    """Say whether an expression is a name, or what is found in one by attributes and keys."""
    while isinstance(node, (gast.Attribute, gast.Subscript)):
        node = node.value
    return isinstance(node, gast.Name)


def _literal(node: Any) -> Any:
    """Return the key that an index is, or `MISSING`."""
    negative = isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub)
    if negative and isinstance(node.operand, gast.Constant) and type(node.operand.value) is int:
        return -node.operand.value
    return node.value if isinstance(node, gast.Constant) else MISSING


def _has_key(value: Any, key: Any) -> bool:
    if type(value) is dict:
        return key in value
    return type(key) is int and -len(value) <= key < len(value)


def _key(owner: Instance, index: Any) -> Any:
    """Return the key of an entry, of lists counted from the beginning; None if the run tells it."""
    key = _literal(index)
    if type(owner.value) is dict:
        return key if isinstance(key, (str, int)) else None
    if type(key) is not int:
        return None
    return key + len(owner.value) if key < 0 else key


def _stored(owner: Instance, key: Any) -> Any:
    fits = not is_container(owner) or _has_key(owner.value, key)
    return stored_in(owner.value, key) if fits else MISSING
