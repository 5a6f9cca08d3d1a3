"""Writes indices for a batch, in what is read and in what is written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from srcgrad.ir import gast
from srcgrad.ir.build import at, call, clone, constant
from srcgrad.ir.handlers import expression
from srcgrad.transforms.batching.facts import UNKNOWN, WHOLE, Fact
from srcgrad.transforms.batching.part import Part
from srcgrad.transforms.batching.picking import picked_by
from srcgrad.transforms.batching.terms import Term, indexed, literal, none, whole_slice, widened

if TYPE_CHECKING:
    from srcgrad.transforms.batching.writer import Writer

_PartKind = Literal["int", "slice", "new", "dots", "array", "mask"]


@dataclass(frozen=True, slots=True)
class IndexPart:
    """One entry of an index."""

    kind: _PartKind
    node: Any
    term: Term | None = None

    @property
    def is_advanced(self) -> bool:
        """Whether it is an array of indices or a mask, or of each example its own index."""
        return self.kind in ("array", "mask") or (self.term is not None and self.term.batched)

    @property
    def axes(self) -> int:
        """How many axes of the indexed array it is for."""
        if self.kind == "mask":
            assert self.term is not None
            return self.term.known_rank()
        return 0 if self.kind in ("new", "dots") else 1


@dataclass(frozen=True, slots=True)
class Place:
    """What an index leads to.

    Attributes:
        node: The subscript.
        rank: How many axes it has for one example.
        view: Whether it lies in the memory of the array.
        copied: Whether it does so for one example, and does not for a batch.
        front: The axis of the examples, where that is not the first.
    """

    node: Any
    rank: int | None
    view: bool
    batched: bool
    front: int = 0
    copied: bool = False


class Indexing(Part):
    """Rewrites subscripts."""

    @expression(gast.Subscript)
    def _subscript(self, node: Any) -> Term:
        short = self._length_of_axis(node)
        if short is not None:
            return short
        base = self.writer.term(node.value)
        if base.fact.kind in ("list", "tuple", "dict", "object", "iterator", "text"):
            return self._item(node, base)
        if base.fact.kind not in ("array", "number"):
            return self._item_of_unknown(node, base)
        mask = self.mask_of_each(node.slice, base)
        if mask is not None and mask.rank == base.rank:
            return picked_by(self.writer, base, mask, node)
        place = self.place(node, base)
        fact = base.fact
        entries = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
        dots = any(isinstance(item, gast.Constant) and item.value is Ellipsis for item in entries)
        kind = "number" if place.rank == 0 and not dots else "array"
        found = Fact(
            "number" if kind == "number" else "array", place.batched, place.rank, fact.dtype
        )
        if place.copied and kind == "array":
            return self._copied_part(place, found, base, node)
        if not place.view or kind == "number":
            term = self.writer.made(moved_to_front(self.writer, place), found, node)
            read = fact.sites | fact.read_from if place.view else frozenset()
            return self.writer.kept_from_calls(Term(term.node, replace(term.fact, read_from=read)))
        read = fact.sites | fact.read_from
        return Term(at(place.node, node), replace(found, sites=fact.sites, read_from=read))

    def _copied_part(self, place: Place, found: Fact, base: Term, node: Any) -> Term:
        """Return a part that is a view for one example: it may be used, but not written."""
        if id(node) in self.writer.known.written:
            self.writer.refuse(
                node,
                "a write into a part that each example has at an index of its own",
                "write into the array itself: x[i, ...] = value",
            )
        term = self.writer.made(moved_to_front(self.writer, place), found, node)
        return Term(term.node, replace(term.fact, read_from=base.fact.sites | base.fact.read_from))

    def mask_of_each(self, index: Any, base: Term) -> Term | None:
        """Return the mask of each example that is the index, if it is one."""
        if isinstance(index, (gast.Slice, gast.Tuple)) or base.fact.kind != "array":
            return None
        term = self.writer.term(index)
        is_mask = term.batched and term.fact.dtype == "b" and term.fact.is_numeric
        return term if is_mask else None

    def _length_of_axis(self, node: Any) -> Term | None:
        """Return ``x.shape[i]`` of one example."""
        value, index = node.value, literal(node.slice)
        if not isinstance(value, gast.Attribute) or value.attr != "shape" or not index:
            return None
        base = self.writer.term(value.value)
        number = index[0]
        if not base.batched or not isinstance(number, int) or base.rank is None:
            return None
        if not -base.rank <= number < base.rank:
            return None
        shape = gast.Attribute(base.node, "shape", gast.Load())
        new = gast.Subscript(shape, constant(number + 1 if number >= 0 else number), gast.Load())
        return Term(at(new, node), WHOLE)

    def _item(self, node: Any, base: Term) -> Term:
        """Return an item of a list, tuple or dict."""
        if isinstance(node.slice, gast.Slice):
            return self._slice_of_container(node, base)
        index = self.writer.term(node.slice)
        if index.batched:
            self.writer.refuse(
                node,
                "a list that is indexed by a number of each example",
                "make the list an array: np.stack(items)[i]",
            )
        new = at(gast.Subscript(base.node, index.node, gast.Load()), node)
        key = index.fact.constant or literal(node.slice)
        found = self.writer.item_of(base.fact, key[0]) if key else self.writer.element_of(base.fact)
        if found is not None and found.kind == "mixed" and found.batched:
            self.writer.refuse(
                node, "an item of a list of different things", "take it by a plain number"
            )
        if base.fact.kind == "text":
            return Term(new, Fact("text"))
        return Term(new, found or UNKNOWN)

    def _slice_of_container(self, node: Any, base: Term) -> Term:
        bounds = [getattr(node.slice, name) for name in ("lower", "upper", "step")]
        terms = [None if item is None else self.writer.term(item) for item in bounds]
        if any(term is not None and term.batched for term in terms):
            self.writer.refuse(
                node, "a slice with bounds of each example", "use a mask and np.where"
            )
        parts = [None if term is None else term.node for term in terms]
        new = at(gast.Subscript(base.node, gast.Slice(*parts), gast.Load()), node)
        known = [(None,) if item is None else literal(item) for item in bounds]
        fact = base.fact
        if fact.kind == "tuple" and fact.items is not None and all(known):
            low, high, step = (item[0] for item in known)
            return Term(new, replace(fact, items=fact.items[low:high:step]))
        if fact.kind == "list":
            element = self.writer.element_of(fact)
            made = self.writer.container("list", None if element is None else {"*": element}, node)
            self.writer.known.held[id(node)].items = None
            return Term(new, made)
        return Term(new, Fact(fact.kind if fact.kind == "text" else "unknown"))

    def _item_of_unknown(self, node: Any, base: Term) -> Term:
        if self.writer.holds_batch(base.fact) or self.reads_batch(node.slice):
            self.writer.refuse(
                node, "an index into what is not known to be an array", "pass it as one"
            )
        new = clone(node)
        new.value = base.node
        new.slice = self._index_of_shared(node.slice)
        return Term(at(new, node), Fact("unknown", sites=base.fact.sites))

    def _index_of_shared(self, index: Any) -> Any:
        if isinstance(index, gast.Slice):
            bounds = (index.lower, index.upper, index.step)
            return gast.Slice(*(None if b is None else self.writer.term(b).node for b in bounds))
        if isinstance(index, gast.Tuple):
            return gast.Tuple([self._index_of_shared(i) for i in index.elts], gast.Load())
        return self.writer.term(index).node

    def reads_batch(self, index: Any) -> bool:
        if isinstance(index, gast.Slice):
            bounds = (index.lower, index.upper, index.step)
            return any(b is not None and self.reads_batch(b) for b in bounds)
        if isinstance(index, gast.Tuple):
            return any(map(self.reads_batch, index.elts))
        return self.writer.term(index).batched

    # -- indices of arrays

    def place(self, node: Any, base: Term) -> Place:
        """Return the subscript of an array, for one that is read or written."""
        parts = self._parts(node.slice) or [IndexPart("dots", gast.Constant(Ellipsis, None))]
        batched = base.batched or any(p.term is not None and p.term.batched for p in parts)
        if not batched:
            return self._shared(node, base, parts)
        rank = self.writer.rank_of(base, node)
        if any(part.kind == "mask" and part.term and part.term.batched for part in parts):
            self.writer.refuse(
                node,
                "an index by a mask of each example, which leaves another number of elements,",
                "use np.where(mask, x, 0.0)",
            )
        if sum(part.axes for part in parts) > rank:
            self.writer.refuse(
                node, "an index with more entries than axes", "check the axes of the array"
            )
        own = any(part.term is not None and part.term.batched for part in parts)
        if not own:
            return self._shared_index(node, base, parts)
        return self._own_index(node, base, parts)

    def _parts(self, index: Any) -> list[IndexPart]:
        entries = index.elts if isinstance(index, gast.Tuple) else [index]
        return [part for entry in entries for part in self._entry(entry)]

    def _entry(self, entry: Any) -> list[IndexPart]:
        if isinstance(entry, gast.Slice):
            return [IndexPart("slice", self._slice(entry))]
        if isinstance(entry, gast.Starred):
            self.writer.refuse(entry, "a star in an index", "write the entries down")
        if isinstance(entry, gast.Constant) and entry.value is None:
            return [IndexPart("new", clone(entry))]
        if isinstance(entry, gast.Constant) and entry.value is Ellipsis:
            return [IndexPart("dots", clone(entry))]
        term = self.writer.term(entry)
        fact = term.fact
        if fact.kind == "none":
            return [IndexPart("new", term.node)]
        if fact.kind in ("tuple", "list"):
            return self._entry_of_items(term)
        if not fact.is_numeric or fact.rank is None or not fact.dtype:
            return [IndexPart("array", term.node, Term(term.node, replace(fact, rank=None)))]
        by_rank: _PartKind = "int" if fact.rank == 0 else "array"
        return [IndexPart("mask" if fact.dtype == "b" else by_rank, term.node, term)]

    def _entry_of_items(self, term: Term) -> list[IndexPart]:
        """Return what a tuple of indices, or a list of them, stands for."""
        fact = term.fact
        items = fact.items if fact.kind == "tuple" and fact.keys is None else None
        told = items is not None and all(i.is_numeric and i.dtype in ("b", "i") for i in items)
        if items is not None and told and all(i.rank is not None for i in items):
            return [self._item_as_part(term.node, i, item) for i, item in enumerate(items)]
        element = self.writer.element_of(fact)
        numbers = element is not None and element.kind == "number" and not element.batched
        if fact.kind == "list" and element is not None and numbers:
            whole = Fact("array", rank=1, dtype=element.dtype)
            is_mask = element.dtype == "b"
            return [IndexPart("mask" if is_mask else "array", term.node, Term(term.node, whole))]
        return [IndexPart("array", term.node, Term(term.node, replace(fact, rank=None)))]

    def _item_as_part(self, node: Any, place: int, item: Fact) -> IndexPart:
        part = gast.Subscript(clone(node), gast.Constant(place, None), gast.Load())
        part = clone(node.elts[place]) if isinstance(node, gast.Tuple) else part
        kind: _PartKind = "mask" if item.dtype == "b" else "array" if item.rank else "int"
        return IndexPart(kind, part, Term(part, item))

    def _slice(self, entry: Any) -> Any:
        bounds = []
        for bound in (entry.lower, entry.upper, entry.step):
            term = None if bound is None else self.writer.term(bound)
            if term is not None and term.batched:
                self.writer.refuse(
                    bound,
                    "a slice with a bound of each example",
                    "compare np.arange(n) with the bound and use np.where",
                )
            bounds.append(None if term is None else term.node)
        return gast.Slice(*bounds)

    def _shared(self, node: Any, base: Term, parts: list[IndexPart]) -> Place:
        """Return an index in which nothing is of the batch."""
        return Place(
            _subscript(base.node, parts, node), self._rank(base.rank, parts), _is_view(parts), False
        )

    def _rank(self, rank: int | None, parts: list[IndexPart]) -> int | None:
        """Return the number of axes of what an index leads to."""
        advanced = [part for part in parts if part.is_advanced]
        fixed = {"int": 0, "mask": 1}
        ranks = [fixed.get(p.kind, p.term.rank if p.term else None) for p in advanced]
        if rank is None or None in ranks:
            return None
        own = max((r for r in ranks if r is not None), default=0)
        taken = sum(part.axes for part in parts if part.kind != "slice")
        return rank - taken + sum(part.kind == "new" for part in parts) + own

    def _shared_index(self, node: Any, base: Term, parts: list[IndexPart]) -> Place:
        """Return an index of an array of the batch that is the same for all examples."""
        rank = self._rank(base.rank, parts)
        if rank is None:
            self.writer.refuse(
                node, "an index of which the axes are not known", "use numbers or slices"
            )
        if any(part.kind in ("array", "mask") for part in parts) and not _is_run(
            parts, with_numbers=True
        ):
            self.writer.refuse(
                node, "arrays of indices on both sides of a slice", "index in two steps"
            )
        if parts[0].kind == "dots" and not any(part.is_advanced for part in parts):
            return Place(_subscript(base.node, parts, node), rank, True, True)
        whole = [IndexPart("slice", whole_slice()), *parts]
        while len(whole) > 1 and _is_whole(whole[-1]) and not any(p.is_advanced for p in whole):
            whole.pop()
        return Place(_subscript(base.node, whole, node), rank, _is_view(parts), True)

    def _own_index(self, node: Any, base: Term, parts: list[IndexPart]) -> Place:
        """Return an index with numbers or arrays of each example."""
        self.writer.note_risk(node, (IndexError,))
        advanced = [p for p in parts if p.is_advanced or p.kind == "int"]
        if any(part.kind == "mask" for part in advanced):
            self.writer.refuse(node, "a mask beside indices of each example", "index in two steps")
        ranks = [self.writer.rank_of(p.term, node) for p in advanced if p.term is not None]
        wide = max(ranks)
        rank = self._rank(base.rank, parts)
        new = [
            replace(p, node=widened(p.term, wide)) if p.term is not None and p.is_advanced else p
            for p in parts
        ]
        run = _is_run(parts, with_numbers=True)
        lead = next(i for i, p in enumerate(parts) if p in advanced)
        if any(part.kind == "dots" for part in parts[:lead]):
            self.writer.refuse(
                node, "`...` before an index of each example", "write the slices down"
            )
        if not base.batched:
            moved = lead if run else 0
            index = _subscript(base.node, new, node)
            return Place(index, rank, False, True, moved, copied=not _holds_arrays(parts))
        if lead and run and wide:
            self.writer.refuse(
                node,
                "a slice before an array of indices of each example",
                "index in two steps, or move the axis to the front",
            )
        rows = call(self.writer.numpy("arange"), self.writer.batch())
        if wide:
            rows = indexed(rows, [whole_slice(), *[none() for _ in range(wide)]])
        index = _subscript(base.node, [IndexPart("array", rows), *new], node)
        return Place(index, rank, False, True, copied=not _holds_arrays(parts))


def moved_to_front(writer: Writer, place: Place) -> Any:
    """Return what an index leads to, with the axis of the examples first."""
    if not place.front:
        return place.node
    numbers = gast.Constant(place.front, None), gast.Constant(0, None)
    return call(writer.numpy("moveaxis"), place.node, *numbers)


def _subscript(base: Any, parts: list[IndexPart], node: Any) -> Any:
    return at(indexed(base, [part.node for part in parts]), node)


def _is_view(parts: list[IndexPart]) -> bool:
    return not any(part.is_advanced for part in parts)


def _holds_arrays(parts: list[IndexPart]) -> bool:
    """Say whether an index holds more than numbers and slices, so that NumPy copies."""
    return any(part.kind in ("array", "mask") for part in parts)


def _is_whole(part: IndexPart) -> bool:
    node = part.node
    return part.kind == "slice" and node.lower is None and node.upper is None and node.step is None


def _is_run(parts: list[IndexPart], *, with_numbers: bool) -> bool:
    """Say whether arrays of indices (and numbers) stand side by side."""
    places = [i for i, p in enumerate(parts) if p.is_advanced or (with_numbers and p.kind == "int")]
    return not places or places[-1] - places[0] + 1 == len(places)
