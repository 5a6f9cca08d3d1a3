"""Keeps what is found out about one function while it is written for a batch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn, Protocol

from srcgrad.errors import NotBatchedError
from srcgrad.frontend.source import FunctionSource
from srcgrad.ir import gast
from srcgrad.ir.build import at, call, constant, load
from srcgrad.ir.names import Namer
from srcgrad.ir.scopes import MISSING, Scope
from srcgrad.ir.walk import found_in
from srcgrad.transforms.batching.facts import (
    NOWHERE,
    Fact,
    Site,
    Sites,
    all_joined,
    is_batched,
    joined,
    promoted,
)
from srcgrad.transforms.batching.terms import Term, copy_of, widened


class AgainError(Exception):
    """Something was found out that earlier statements have to know: start the function again."""


class PartsError(Exception):
    """Some examples leave a block earlier than others: write it with one exit of each block."""


class WantsError(Exception):
    """A function needs arguments, told by their positions, to be of one example each."""

    def __init__(self, positions: set[Any]) -> None:
        super().__init__()
        self.positions = positions


@dataclass(frozen=True, slots=True)
class Helper:
    """A function of the user's, written for a call.

    Attributes:
        name: What the call has to name; None if it is the function itself.
        result: What is known of its result; memory is that of parameters by their positions.
        written: The positions of the parameters that it writes into.
        chosen: Those of which its result may be one, chosen for each example.
        wants: Those that it writes values of the batch into, though they are of none.
        takes_batch: Whether the number of examples is its last argument.
        risks: What it may raise for some of the examples.
    """

    name: str | None
    result: Fact
    written: frozenset[int] = frozenset()
    chosen: frozenset[int] = frozenset()
    wants: frozenset[int] = frozenset()
    takes_batch: bool = False
    risks: tuple[type[BaseException], ...] = ()


class Helpers(Protocol):
    """Writes the functions of the user's that a function calls."""

    def use_runtime(self, name: str) -> str:
        """Return the name of a function of `srcgrad.runtime`."""

    def helper(self, function: Any, facts: tuple[Fact, ...], batch: Any) -> Helper | None:
        """Return a function for arguments of some kinds; None if it has no source."""

    def use_numpy(self) -> None:
        """Note that the text says ``np.``."""


@dataclass(slots=True)
class Held:
    """What a list or dict that the program makes holds: item by item while that is known."""

    items: dict[Any, Fact] | None
    element: Fact | None


@dataclass(slots=True)
class Known:
    """What was found out in earlier rounds; it only grows.

    Attributes:
        forced: Where values are made that have to be of one example each, though they look shared.
        written: Where memory is made that is written into later.
        chosen: Where arrays are chosen for each example, with where those lie that they are chosen
            from: what is one of these for one example is new memory for a batch.
        by_calls: Where memory is made that a call writes into, in the middle of an expression.
        held: What the lists and dicts hold that the program makes, by where.
        parted: The loops that some examples leave earlier than others, as they are written then.
        names: The names that these need.
    """

    forced: set[Site] = field(default_factory=set)
    written: set[Site] = field(default_factory=set)
    chosen: dict[Site, Sites] = field(default_factory=dict)
    by_calls: set[Site] = field(default_factory=set)
    held: dict[Site, Held] = field(default_factory=dict)
    parted: dict[Site, Any] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)


class State:
    """What is known of one function, and the statements that it becomes."""

    def __init__(  # noqa: PLR0913, PLR0917 - all that a function is written with
        self,
        source: FunctionSource,
        scope: Scope,
        namer: Namer,
        helpers: Helpers,
        known: Known,
        given: Mapping[str, Fact],
        batch: str,
        *,
        is_helper: bool = False,
    ) -> None:
        self.source = source
        self.scope = scope
        self.namer = namer
        self.helpers = helpers
        self.known = known
        self.env: dict[str, Fact] = dict(given)
        self.parameters = dict(given)
        self.alias: dict[str, str] = {}
        self.masks: list[Term] = []
        self.out: list[Any] = []
        self.open_loops: list[tuple[Any, int]] = []
        self.jumped: list[list[dict[str, Fact]]] = []  # what names are where trips are left early
        self.watched: list[list[dict[str, Fact]]] = []  # and behind each statement of a `try`
        self.risks: list[tuple[Any, tuple[type[BaseException], ...]]] = []
        self.has_one_exit = False
        self.returned: Fact | None = None
        self.picks: dict[str, Any] = {}  # the masks of elements that are picked
        self.taken: set[int] = set()  # the expressions that may be of such elements
        self.added_up: set[int] = set()  # the generators that are given to `sum`
        self.uses_batch = False
        self.hidden = set(scope.local)
        self.branch_names: set[str] = set()
        self.side = "then"
        self.batch_name = batch
        self.is_helper = is_helper

    # -- refusals

    def refuse(self, node: Any, what: str, hint: str) -> NoReturn:
        """Raise what cannot be written for a batch.

        Raises:
            NotBatchedError: Always.
        """
        message = f"{what} is not written for a batch"
        raise NotBatchedError(message, span=self.source.span(node), hint=hint)

    def note_risk(self, node: Any, errors: tuple[type[BaseException], ...]) -> None:
        """Note what may be raised for some of the examples, or for one of them but not for all."""
        if errors:
            self.risks.append((node, errors))

    def rank_of(self, term: Term, node: Any) -> int:
        """Return the number of axes of a term; refuse if it is not known."""
        if term.fact.kind == "mixed" or not (term.fact.is_numeric or term.fact.kind == "unknown"):
            self.refuse(node, f"a {term.fact.kind} in an operation over a batch", "use arrays")
        if term.fact.rank is None:
            self.refuse(
                node,
                "an operation between a batch and a value whose number of axes is not known",
                "give it as an argument of the function, or make its axes the same on every path",
            )
        return term.fact.rank

    # -- names

    def batch(self) -> Any:
        """Return the expression of the number of examples."""
        self.uses_batch = True
        return load(self.batch_name)

    def numpy(self, path: str) -> str:
        """Return the dotted name of a function of NumPy."""
        self.helpers.use_numpy()
        return f"np.{path}"

    def resolved(self, node: Any) -> Any:
        """Return the object that a dotted name means; MISSING if it is a value of the program."""
        root = node
        while isinstance(root, gast.Attribute):
            root = root.value
        if not isinstance(root, gast.Name) or root.id in self.env or root.id in self.hidden:
            return MISSING
        return self.scope.resolve(node)

    # -- memory

    def force(self, fact: Fact, node: Any) -> NoReturn:
        """Let a value that all examples share be of one each, from where it is made.

        Raises:
            AgainError: The function has to be written again, with that known.
        """
        wanted = {site[1] for site in fact.sites if isinstance(site, tuple) and site[0] == "given"}
        if wanted and self.is_helper:
            raise WantsError(wanted)
        sites = {s for s in fact.sites - self.known.forced if not isinstance(s, tuple)}
        if not sites:
            self.refuse(
                node,
                "a value that is shared by all examples on one path and of one example on another",
                "make it from the batched argument on both paths",
            )
        self.known.forced |= sites
        raise AgainError

    def note_written(self, sites: Sites, node: Any, *, batched: bool) -> None:
        """Note that memory is written into; refuse what all examples share."""
        outside = [site for site in sites if isinstance(site, tuple)]
        for kind, name in outside:
            if kind == "outside" or (not batched and not self.is_helper):
                what = "argument" if kind == "given" else "name from outside"
                self.refuse(
                    node,
                    f"a write into the {what} `{name}`, which all examples share,",
                    "work on a copy",
                )
        if not sites <= self.known.written:
            self.known.written |= sites
            raise AgainError

    def note_chosen(self, sites: Sites, node: Any) -> None:
        """Note that a new array stands for one of several; refuse if one of them is written."""
        site = id(node)
        if ({site} | sites) & self.known.written:
            self.refuse(
                node,
                "a choice between arrays that are written into, before or after,",
                "write z = np.where(test, a, b), which is a new array",
            )
        self.known.chosen[site] = self.known.chosen.get(site, frozenset()) | sites

    def note_written_by_call(self, term: Term, node: Any) -> None:
        """Note that a call writes into an argument: numbers read before it are to be copies."""
        new = term.fact.sites - self.known.by_calls
        self.known.by_calls |= new
        self.note_written(term.fact.sites, node, batched=term.batched)
        if new:
            raise AgainError

    def refuse_twice(self, nodes: Iterable[Any], origin: Any) -> None:
        """Refuse calls that would be run twice, and of which one may write into an array."""
        calls = [node for node in nodes if found_in(node, gast.Call)]
        if self.known.by_calls and calls:
            self.refuse(origin, "a comparison of what a call gives that writes", "name it before")

    # -- terms

    def made(self, node: Any, fact: Fact, origin: Any) -> Term:
        """Return a term whose value is made here, of one for each example if that is needed."""
        site = id(origin)
        fact = fact.at(site)
        if site in self.known.forced and not fact.batched:
            if not fact.is_numeric or fact.rank is None:
                self.refuse(origin, "a value of which each example needs its own", "use arrays")
            node, fact = self.spread(node, fact), replace(fact, batched=True, constant=())
        return Term(at(node, origin), fact)

    def spread(self, node: Any, fact: Fact) -> Any:
        """Return the expression of as many copies of a value as there are examples."""
        if isinstance(node, gast.Constant) or (fact.kind == "number" and fact.dtype):
            if isinstance(node, gast.Constant) and type(node.value) is float and node.value == 0:
                return call(self.numpy("zeros"), self.batch())
            return call(self.numpy("full"), self.batch(), node)
        return call(self.helpers.use_runtime("one_for_each"), node, self.batch())

    def as_batched(self, term: Term) -> Term:
        """Return a term with a value for each example, copies if they share it."""
        if term.batched:
            return term
        if term.fact.kind == "array" and term.fact.sites & self.known.written:
            self.force(term.fact, term.node)  # a copy would not be written with it
        return Term(self.spread(term.node, term.fact), replace(term.fact, batched=True))

    def kept(self, term: Term) -> Term:
        """Return a term whose numbers do not change when the array is written they were read from.

        A number that is read from an array is a copy; the numbers of a batch are a view.
        """
        return self._copied_if(term, self.known.written)

    def kept_from_calls(self, term: Term) -> Term:
        """Return a term whose numbers do not change with what a call beside it writes."""
        return self._copied_if(term, self.known.by_calls)

    def new_of_number(self, term: Term, number: Term) -> Term:
        """Return the array that is made of a number: a copy, if either's memory is written."""
        read = number.fact.read_from
        named = isinstance(number.node, gast.Name)  # what has no name nobody else reads
        sites = read | term.fact.sites if named or read else read
        return Term(copy_of(term.node), term.fact) if sites & self.known.written else term

    def _copied_if(self, term: Term, written: set[Site]) -> Term:
        fact = term.fact
        if fact.kind == "array" and (fact.read_from - fact.sites) & written:
            self.refuse(
                term.node,
                "a name for a part at an index of each example, of an array that is written,",
                "copy it: x[i].copy()",
            )
        if not fact.batched or fact.kind != "number" or not fact.read_from & written:
            return term
        return Term(copy_of(term.node), replace(fact, read_from=NOWHERE))

    def elementwise(
        self, terms: Sequence[Term], origin: Any, *, dtype: str = "", array: bool = False
    ) -> tuple[list[Any], Fact]:
        """Return the operands of what acts on each element, with axes that agree, and its fact."""
        facts = [term.fact for term in terms]
        batched = any(map(self.holds_batch, facts))
        if not batched:
            ranks = [fact.rank for fact in facts]
            rank = None if None in ranks else max((r for r in ranks if r is not None), default=0)
        else:
            rank = max(self.rank_of(term, origin) for term in terms)
        kind = "array" if rank or array or rank is None else "number"
        dtype = dtype or promoted(facts)
        fact = Fact("array" if kind == "array" else "number", batched, rank, dtype)
        if batched:
            assert rank is not None
            return [widened(term, rank) for term in terms], fact
        return [term.node for term in terms], fact

    # -- what lists and dicts hold

    def element_of(self, fact: Fact) -> Fact | None:
        """Return what all items of a container have in common, None if nothing is in it."""
        facts = [] if fact.items is None else list(fact.items)
        for site in fact.sites:
            held = self.known.held.get(site)
            if held is not None:
                inner = [item for item in (held.items or {}).values() if item.is_numeric]
                if len({item.batched for item in inner}) > 1:
                    held.items = None  # all of them have to be of the batch, to be told by no key
                    raise AgainError
                facts += [] if held.element is None else [held.element]
        numeric = [item for item in fact.items or () if item.is_numeric]
        if len({item.batched for item in numeric}) > 1:
            return Fact("mixed", batched=True)
        return all_joined(facts)

    def item_of(self, fact: Fact, key: Any) -> Fact | None:
        """Return what lies under a known key of a container, or what all items are."""
        found = fact.held(key)
        if found is not None and not fact.sites & self.known.held.keys():
            return found
        for site in fact.sites:
            held = self.known.held.get(site)
            if held is not None and held.items is not None and len(fact.sites) == 1:
                return held.items.get(_from_the_start(key, fact, held.items), held.element)
        return self.element_of(fact)

    def put_in(self, fact: Fact, term: Term, node: Any, key: tuple[Any, ...] = ()) -> Term:
        """Note that a value is put into a container, and return it as it has to be put there."""
        for site in fact.sites:
            held = self.known.held.get(site)
            if held is None:
                self.refuse(
                    node,
                    "a change of a list or dict that all examples share",
                    "work on a list that the function makes itself",
                )
            element = term.fact if held.element is None else joined(held.element, term.fact)
            items = held.items
            if items is not None and key:
                place = _from_the_start(key[0], fact, items)
                old = items.get(place)
                items = {**items, place: term.fact if old is None else joined(old, term.fact)}
            else:
                items = None
            new = Held(items, element)
            if new != held:
                self.known.held[site] = new
                raise AgainError
            wanted = element if items is None else items[_from_the_start(key[0], fact, items)]
            if wanted.batched and not term.batched:
                term = self.as_batched(term)
        return self.kept(term)

    def container(self, kind: Any, items: dict[Any, Fact] | None, origin: Any) -> Fact:
        """Return the fact of a list or dict that is made here."""
        site = id(origin)
        if site not in self.known.held:
            element = None if items is None else all_joined(items.values())
            self.known.held[site] = Held(items, element)
        else:
            held = self.known.held[site]
            if held.items is not None and items is not None and items.keys() <= held.items.keys():
                new = {
                    k: joined(held.items[k], items[k]) if k in items else held.items[k]
                    for k in held.items
                }
                held.items = new
            joined_element = all_joined(
                [*([held.element] if held.element else []), *(items or {}).values()]
            )
            if joined_element != held.element:
                held.element = joined_element
                raise AgainError
        return Fact(kind, sites=frozenset((site,)))

    def closed(self, fact: Fact, seen: Sites = NOWHERE) -> Fact:
        """Return the same fact for elsewhere, with what lists and dicts hold said in itself."""
        known = [self.known.held[site] for site in fact.sites if site in self.known.held]
        if known and fact.sites & seen:
            return Fact("mixed", batched=True)  # a list that holds itself
        seen = seen | fact.sites if known else seen
        items, keys = fact.items, fact.keys
        if known:
            (held, *others) = known
            if held.items is not None and not others and "*" not in held.items:
                items = tuple(held.items.values())
                keys = None if fact.kind == "list" else tuple(held.items)
            else:
                element = self.element_of(fact)
                items, keys = (None, None) if element is None else ((element,), ("*",))
        if items is not None:
            items = tuple(self.closed(item, seen) for item in items)
        return replace(fact, items=items, keys=keys)

    def holds_batch(self, fact: Fact, seen: Sites = NOWHERE) -> bool:
        """Say whether anything in a value is of one example each."""
        if is_batched(fact):
            return True
        inner = list(fact.items or ())
        for site in fact.sites - seen:
            held = self.known.held.get(site)
            if held is not None:
                inner += [*([held.element] if held.element else []), *(held.items or {}).values()]
        return any(self.holds_batch(item, seen | fact.sites) for item in inner)

    def bind(self, name: str, fact: Fact) -> None:
        """Note what a name means from here on."""
        self.env[name] = fact

    def number(self, value: Any) -> Term:
        """Return the term of a literal number."""
        dtype = "i" if isinstance(value, int) else "f"
        return Term(constant(value), Fact("number", rank=0, dtype=dtype, constant=(value,)))


def _from_the_start(key: Any, fact: Fact, items: dict[Any, Fact]) -> Any:
    """Return the key of an item of a list of known length, counted from its start.

    >>> number = Fact("number")
    >>> _from_the_start(-1, Fact("list"), {0: number, 1: number})
    1
    """
    is_index = fact.kind == "list" and isinstance(key, int)
    return key + len(items) if is_index and key < 0 else key
