"""Knows the tuples and dicts that a function passes on with stars, entry by entry."""

from __future__ import annotations

import copy
from typing import Any

from srcgrad.frontend.expand.frame import NeedsInlineError
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.told_names import looked_at
from srcgrad.frontend.expand.values import Items, Known, Object, Static, Value
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, clone
from srcgrad.ir.walk import found_in, walk


class Options(Part):
    """The part of the expansion that deals with options, ``f(x, **options)``.

    Each entry is a variable. Of ``options = DEFAULTS.copy(); options["rate"] = r`` comes
    ``order = DEFAULTS["order"]``, then ``rate = r``.
    """

    def opened_display(self, name: str, value: Value, node: Any) -> Value:
        """Keep the parts of a tuple or dict that is passed on with stars as variables."""
        if name not in self.frame.starred or self.frame.depth:
            return value
        opened = self.frame.registers.opened(name, value, node)
        if opened is not None or isinstance(value, Static):
            return value if opened is None else opened
        if isinstance(value, gast.Tuple):
            if any(isinstance(item, gast.Starred) for item in value.elts):
                return value
            return Items("tuple", [self._kept(name, item, node) for item in value.elts])
        literal = isinstance(value, gast.Dict) and all(
            isinstance(key, gast.Constant) and isinstance(key.value, str) for key in value.keys
        )
        apart = name not in self.frame.rewritten or is_written_by_keys(self.frame.tree, name)
        if not literal or not apart:
            return value
        held = dict(zip([key.value for key in value.keys], value.values, strict=True))
        return self._own_options(held, node)

    def copied_options(self, target: Any, node: Any) -> Items | None:
        """Return the dict that an assignment makes of known options, if that is passed on."""
        if (
            getattr(target, "id", None) not in self.frame.starred
            or self.frame.depth
            or len(node.targets) > 1
        ):
            return None
        held = self._copied(node.value, node)
        alias = isinstance(node.value, gast.Subscript) and target.id not in self.frame.rewritten
        held = self._known_options(node.value) if alias else held
        if held is None:
            return None
        self.frame.changed = True
        return self._own_options(held, node)

    def _copied(self, value: Any, node: Any) -> dict[str, Value] | None:
        """Return the entries of ``D.copy()``, ``dict(D, a=b)``, ``copy.copy(D)`` or ``D | E``."""
        if isinstance(value, gast.BinOp) and isinstance(value.op, gast.BitOr):
            sides = self._known_options(value.left), self._known_options(value.right)
            return None if sides[0] is None or sides[1] is None else {**sides[0], **sides[1]}
        if not isinstance(value, gast.Call):
            return None
        func = value.func
        if isinstance(func, gast.Attribute) and func.attr == "copy" and not _given(value):
            return self._known_options(func.value)
        if len(value.args) != 1 or not isinstance(func, (gast.Name, gast.Attribute)):
            return None
        maker = self.frame.looked_at(func)
        called = maker.value if isinstance(maker, Known) else None
        if called is not dict and (called is not copy.copy or value.keywords):
            return None
        held = self._known_options(value.args[0])
        return None if held is None else self._with_keywords(held, value.keywords)

    def _with_keywords(
        self, held: dict[str, Value], keywords: list[Any]
    ) -> dict[str, Value] | None:
        found = dict(held)
        for item in keywords:
            if item.arg is not None:
                found[item.arg] = self.frame.value(clone(item.value))
                continue
            more = self._known_options(item.value)
            if more is None:
                return None
            found.update(more)
        return found

    def _known_options(self, node: Any) -> dict[str, Value] | None:
        """Return the entries of a dict of options, by their names; None of anything else."""
        held = self.frame.tables.opened(node, self.frame.value(clone(node)))
        if isinstance(held, gast.Dict) and all(isinstance(k, gast.Constant) for k in held.keys):
            held = Items("dict", held.values, [key.value for key in held.keys])
        if not isinstance(held, Items) or held.keys is None or held.is_own:
            return None
        return dict(zip(held.keys, held.values, strict=True))

    def _own_options(self, held: dict[str, Value], node: Any) -> Items:
        parts = [
            item if isinstance(item, Static) else self._kept(key, item, node)
            for key, item in held.items()
        ]
        return Items("dict", parts, list(held))

    def _kept(self, name: str, value: Any, node: Any) -> Any:
        return value if isinstance(value, gast.Constant) else self.frame.keep(name, value, node)

    def puts(self, target: Any, value: Value, node: Any) -> bool:
        """Put a value into an object or a dict of options, if the target is of one."""
        if isinstance(target, gast.Attribute):
            return self.frame.objects.write_attribute(target, value, node)
        if not isinstance(target, gast.Subscript):
            return False
        puts = (self._puts_field, self.frame.held_entries.write_entry, self._puts_option)
        return any(put(target, value, node) for put in puts)

    def _puts_field(self, target: Any, value: Value, node: Any) -> bool:
        """Put a value into a field by its name in the dict of an object, ``vars(obj)["name"]``."""
        owner = self.frame.whole_objects.owner_of_dict(target.value)
        key = None if owner is None else self.frame.looked_at(target.slice)
        name = getattr(key, "value", None)
        if not isinstance(name, str):
            return False
        field = at(gast.Attribute(clone(owner), name, gast.Store()), node)
        return self.frame.objects.write_attribute(field, value, node)

    def _puts_option(self, target: Any, value: Value, node: Any) -> bool:
        """Put a value into the dict of ``**options``, which is the function's own."""
        owner = self.frame.env.get(getattr(target.value, "id", ""))
        if isinstance(target.value, gast.Attribute):
            owner = self._field_written(target.value, value)
        key = getattr(self.frame.looked_at(target.slice), "value", None)
        if not isinstance(owner, Items) or owner.keys is None or not isinstance(key, str):
            return False
        if self.frame.depth or owner.expression is not None:  # on some paths, or others see it
            return self.frame.registers.puts_option(owner.get(key), value, node)
        if owner.lent:
            raise NeedsInlineError
        held = value if isinstance(value, Static) else self._kept(key, value, node)
        if key in owner.keys:
            owner.values[owner.keys.index(key)] = held
        else:
            owner.keys.append(key)
            owner.values.append(held)
        return True

    def _field_written(self, place: Any, value: Value) -> Value | None:
        """Return the dict that the field of an object holds, into which something is put."""
        owner = self.frame.looked_at(place.value)
        if not isinstance(owner, Object):
            return None
        if isinstance(value, Static):
            self.frame.static_items.note_growing(owner, place.attr, self.frame.named(value))
        held = owner.fields.get(place.attr)
        return held if isinstance(held, Items) else None

    def puts_options(self, call: Any, node: Any) -> bool:
        """Do ``options.update(...)`` of the dict of ``**options``, or of that of an object."""
        func = call.func if isinstance(call, gast.Call) else None
        if not isinstance(func, gast.Attribute) or func.attr != "update" or len(call.args) > 1:
            return False
        of_object = self.frame.whole_objects.owner_of_dict(func.value) is not None
        if not of_object and self.updates_entries(func.value, call, node):
            return True
        owner = self.frame.env.get(getattr(func.value, "id", ""))
        if not of_object and (not isinstance(owner, Items) or owner.keys is None):
            return False
        put = self._puts_field if of_object else self._puts_option
        held = self._known_options(call.args[0]) if call.args else {}
        for key, value in self.given_to_update(held, call).items():
            target = gast.Subscript(clone(func.value), gast.Constant(key, None), gast.Store())
            if not put(target, value, node):
                self.frame.refuse(call, "an update of options on some paths", "update them before")
        return True

    def updates_entries(self, place: Any, call: Any, node: Any) -> bool:
        """Do ``S.update(...)`` of a dict that is there before as assignments to its entries."""
        owner = self.frame.held_entries.written_container(place)
        if owner is None or type(owner.value) is not dict:
            return False
        held = self._known_options(call.args[0]) if call.args else {}
        if held is None and not self.frame.held_entries.is_held_by_entries(
            self.frame.value(clone(place))
        ):
            return False
        for key, value in self.given_to_update(held, call).items():
            target = gast.Subscript(clone(place), gast.Constant(key, None), gast.Store())
            if not self.frame.held_entries.write_entry(target, value, node):
                self.frame.out.append(assign(target, self.frame.plain(value, node), node))
        return True

    def given_to_update(self, held: dict[str, Value] | None, call: Any) -> dict[str, Value]:
        new = None if held is None else self._with_keywords(held, call.keywords)
        if new is None:
            self.frame.refuse(call, "an update of known options by others", "write a display")
        return new


def _given(call: Any) -> list[Any]:
    return [*call.args, *call.keywords]


def is_written_by_keys(tree: Any, name: str) -> bool:
    r"""Say whether a dict is bound once, looked at, and written by texts on every path alike.

    >>> def written(text):
    ...     return is_written_by_keys(gast.parse(f"def f(x):\n  d = {{}}\n  {text}").body[0], "d")
    >>> written("d['a'] = x\n  return g(**d)"), written("if x > 0: d['a'] = x\n  return g(**d)")
    (True, False)
    >>> written("d['a'] = x\n  return h(d)"), written("d[x] = 1.0\n  return g(**d)")
    (False, False)
    """
    every = [item for item in walk(tree) if isinstance(item, gast.Name) and item.id == name]
    bound = [item for item in every if not isinstance(item.ctx, gast.Load)]
    nested = [part for item in walk(tree) if item is not tree for part in _inner_reads(item, name)]
    fitting = {id(item) for item in looked_at(tree)}
    for statement in tree.body:
        target = statement.targets[0] if isinstance(statement, gast.Assign) else None
        if isinstance(target, gast.Subscript) and isinstance(target.slice, gast.Constant):
            fitting |= {id(target.value)} if isinstance(target.slice.value, str) else set()
    read = [item for item in every if isinstance(item.ctx, gast.Load)]
    return len(bound) == 1 and not nested and all(id(item) in fitting for item in read)


def _inner_reads(node: Any, name: str) -> list[Any]:
    """Return the places of a name in a definition."""
    inner = node if isinstance(node, (gast.FunctionDef, gast.Lambda)) else None
    return [item for item in found_in(inner, gast.Name) if item.id == name] if inner else []
