"""Evaluates what calls are given: each argument once, whatever is called in the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.values import Items, Static, Value
from srcgrad.ir import gast
from srcgrad.ir.build import clone


@dataclass(slots=True)
class Evaluated:
    """What the arguments of a call mean, as far as their number and their names are known.

    Attributes:
        values: Those of the positional ones, up to the first star of unknown length.
        star: What that star unpacks, and its place; None if all are known.
        named: Those of the named ones, by their names; those of opened dicts among them.
        unnamed: The dicts that stars unpack of which only the run tells the names.
        by_node: The value of each keyword that is evaluated, by the identity of its node.
    """

    values: list[Value] = field(default_factory=list)
    star: tuple[Value, int] | None = None
    named: dict[str, Value] = field(default_factory=dict)
    unnamed: list[Value] = field(default_factory=list)
    by_node: dict[int, Value] = field(default_factory=dict)

    @property
    def args(self) -> list[Value] | None:
        """The values of positional arguments; None if their number is not known."""
        return self.values if self.star is None else None

    @property
    def keywords(self) -> dict[str, Value] | None:
        """The values of named arguments; None if not all names are known."""
        return None if self.unnamed else self.named


class Given(Part):
    """The part of the expansion that evaluates the arguments of calls."""

    def evaluated(self, call: Any, callee: Value) -> Evaluated:
        """Return what the arguments of a call mean, which is written before it where it must."""
        found = Evaluated()
        for place, item in enumerate(call.args):
            if not isinstance(item, gast.Starred):
                found.values.append(self.frame.value(clone(item)))
                continue
            inner = self.frame.value(clone(item.value))
            elements = self._elements(inner, callee, call)
            if elements is None:
                found.star = inner, place
                break
            found.values.extend(elements)
        self._take_keywords(call.keywords, found)
        return found

    def _elements(self, inner: Value, callee: Value, call: Any) -> list[Value] | None:
        """Return what a star unpacks, if it is known."""
        elements = self.frame.expressions.elements(inner)
        if elements is None and isinstance(inner, (gast.Tuple, gast.List)):
            return list(inner.elts)
        return self.frame.stars.unpacked(inner, callee, call) if elements is None else elements

    def _take_keywords(self, nodes: list[Any], found: Evaluated) -> None:
        for item in nodes:
            if item.arg is not None:
                found.named[item.arg] = self.frame.value(clone(item.value))
                found.by_node[id(item)] = found.named[item.arg]
                continue
            before = len(self.frame.out)
            inner = self.frame.tables.given_by_stars(clone(item.value))
            if isinstance(inner, gast.Dict) and all(
                isinstance(key, gast.Constant) for key in inner.keys
            ):
                found.named.update(
                    {k.value: v for k, v in zip(inner.keys, inner.values, strict=True)}
                )
            elif isinstance(inner, Items) and inner.keys is not None:
                found.named.update(zip(inner.keys, inner.values, strict=True))
            else:
                found.unnamed.append(inner)
            if len(self.frame.out) > before and not isinstance(inner, Static):
                found.by_node[id(item)] = inner  # else it may be read again, as it is

    def spell(self, call: Any, found: Evaluated) -> None:
        """Let a call of the text be given those values: none is evaluated again."""
        rest = []
        if found.star is not None:
            unpacked, place = found.star
            star, *others = call.args[place:]
            star.value = self.frame.plain(unpacked, star)
            rest = [star, *map(self.plain_argument, others)]
        same = len(found.values) + len(rest) == len(call.args)
        nodes = call.args if same else [call] * len(found.values)
        values = zip(found.values, nodes, strict=False)
        call.args = [*(self.frame.plain(value, node) for value, node in values), *rest]
        for item in call.keywords:
            known = id(item) in found.by_node
            value = found.by_node[id(item)] if known else self.frame.value(item.value)
            item.value = self.frame.plain(value, item.value)

    def plain_argument(self, item: Any) -> Any:
        """Rewrite a positional argument, which may be starred, into one of the text."""
        if isinstance(item, gast.Starred):
            item.value = self.frame.expression(item.value)
            return item
        return self.frame.expression(item)
