"""Rewrites calls: of NumPy's functions by what is known of them, of the user's by their sources."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from srcgrad.errors import NotBatchedError
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, load
from srcgrad.ir.handlers import expression
from srcgrad.ir.scopes import MISSING, uncached
from srcgrad.primitives import Primitive
from srcgrad.primitives.methods import WRITING
from srcgrad.rules import draws, library
from srcgrad.rules.records import primitive_of
from srcgrad.transforms.batching.arguments import (
    as_seen,
    bound_to,
    of_parameter,
    place_operands,
    put_in_order,
)
from srcgrad.transforms.batching.asking import asked
from srcgrad.transforms.batching.attempts import risks_of_call
from srcgrad.transforms.batching.facts import UNKNOWN, WHOLE, Fact, Site
from srcgrad.transforms.batching.part import Part
from srcgrad.transforms.batching.picking import is_picked, picked_call
from srcgrad.transforms.batching.terms import Term, literal, parts_site

if TYPE_CHECKING:
    from srcgrad.transforms.batching.writer import Writer

Handler = Callable[["Writer", "Called"], "Term"]
_HANDLERS: Final[dict[Any, Handler]] = {}
_ARRAYS: Final[dict[Handler, int]] = {}
_BY_NAME: Final[dict[str, Handler]] = {}


@dataclass(slots=True)
class Called:
    """A call on its way.

    Attributes:
        node: The call in the program for one example.
        function: What is called.
        primitive: What is known of that.
        args: The arguments, an array first of which a method is called.
        named: The keyword arguments.
        is_method: Whether the call is one of a method of the first argument.
    """

    node: Any
    function: Any
    primitive: Primitive
    args: list[Term]
    named: dict[str, Term]
    is_method: bool = False
    func: Any = None
    parameters: tuple[str, ...] = field(default=())

    @property
    def batched(self) -> bool:
        """Whether an argument has something of each example."""
        return any(term.batched for term in (*self.args, *self.named.values()))

    @property
    def name(self) -> str:
        """What the function is called, in words for the user."""
        name = getattr(self.function, "__name__", None)
        return str(name or self.primitive.name)

    def argument(self, name: str, position: int) -> Term | None:
        """Return an argument, which may be given by its position or by its name."""
        if name in self.named:
            return self.named[name]
        return self.args[position] if 0 <= position < len(self.args) else None

    def text(self, args: list[Any] | None = None, **named: Any) -> Any:
        """Return the call, with other arguments where some are given; None leaves one out."""
        nodes = [term.node for term in self.args] if args is None else args
        keywords = {key: term.node for key, term in self.named.items()} | named
        if self.is_method:
            func = gast.Attribute(nodes[0], self.func.attr, gast.Load())
            nodes = nodes[1:]
        else:
            func = clone(self.func)
        kept = [gast.keyword(k, v) for k, v in keywords.items() if v is not None]
        return at(gast.Call(func, list(nodes), kept), self.node)


def writes(*functions: Any, arrays: int = 0) -> Callable[[Handler], Handler]:
    """Register how calls of some functions are written, of which the first arguments are arrays."""

    def add(handler: Handler) -> Handler:
        _ARRAYS[handler] = arrays
        for function in functions:
            if isinstance(function, str):
                _BY_NAME[function] = handler
            else:
                _HANDLERS[function] = handler
        return handler

    return add


class Calls(Part):
    """Rewrites calls."""

    @expression(gast.Call)
    def _call(self, node: Any) -> Term:
        function = uncached(self.writer.resolved(node.func))
        receiver = None
        if function is MISSING:
            if not isinstance(node.func, gast.Attribute):
                return self._unknown_call(node, "a value of the program")
            self.writer.taken.add(id(node.func.value))
            receiver = self.writer.term(node.func.value)
            if receiver.fact.kind not in ("array", "number", "picked"):
                return self._method_of_container(node, receiver)
            if node.func.attr in WRITING:
                self.writer.refuse(
                    node,
                    f"the method `{node.func.attr}`, which writes into an array,",
                    "write `x[...] = value`",
                )
            function = getattr(np, node.func.attr, None)
            if function is None and node.func.attr not in _BY_NAME:
                return self._unknown_method(node, receiver)
        if any(isinstance(item, gast.Starred) for item in node.args) or any(
            item.arg is None for item in node.keywords
        ):
            return self._starred(node, function)
        if function is sum and len(node.args) == 1:
            self.writer.added_up.add(id(node.args[0]))
        self.writer.taken |= {id(item) for item in node.args}
        args = [self.writer.term(item) for item in node.args]
        named = {item.arg: self.writer.term(item.value) for item in node.keywords}
        args = args if receiver is None else [receiver, *args]
        if _is_known(function):
            place_operands(function, args, named)
        primitive = primitive_of(function)
        made = Called(node, function, primitive, args, named, receiver is not None, node.func)
        return self.written_call(made)

    def written_call(self, made: Called) -> Term:
        """Return a call of a function that is known, its arguments having been rewritten."""
        put_in_order(made)
        if any(is_picked(term.fact) for term in made.args):
            return picked_call(self.writer, made)
        handler = self._handler(made)
        users = isinstance(made.function, FunctionType) and not _is_ours(made.function)
        given = [*made.args, *made.named.values()]
        if any(self.writer.holds_batch(t.fact) for t in given) and not users:
            module = "" if handler is None else handler.__module__
            facts = [t.fact for t in given]
            self.writer.note_risk(made.node, risks_of_call(made.function, facts, module))
        if handler is not None:
            if made.batched or any(self.writer.holds_batch(t.fact) for t in made.args):
                self._stack_items(made, _ARRAYS[handler])
                found = handler(self.writer, made)
                lost = found.fact.kind == "array" and not found.batched
                if lost and not made.batched:  # a list holds what is of the batch
                    self.writer.refuse(
                        made.node, f"`{made.name}` of a list", "make it an array first"
                    )
                return found
            return self._shared_call(made, handler)
        ruled = made.primitive.rule is not None
        if users and not ruled and library.constant_reason(made.function) is None:
            return self._helper_call(made)
        return self._unhandled(made)

    def _stack_items(self, made: Called, count: int) -> None:
        """Put arrays for lists of values of examples among the first arguments."""
        for place, (term, node) in enumerate(zip(made.args[:count], made.node.args, strict=False)):
            made.args[place] = term if made.is_method else self.as_array(term, node)

    def as_array(self, term: Term, node: Any) -> Term:
        """Return a list of values of examples as the array that NumPy makes of it."""
        if term.fact.kind not in ("list", "tuple") or not self.writer.holds_batch(term.fact):
            return term
        named = gast.Call(load("array"), [node], [])
        made = Called(at(named, node), np.array, primitive_of(np.array), [term], {})
        found = _HANDLERS[np.array](self.writer, made)
        return replace(found, fact=replace(found.fact, sites=frozenset((("array", id(node)),))))

    def _handler(self, made: Called) -> Handler | None:
        if made.is_method and made.node.func.attr in _BY_NAME:
            return _BY_NAME[made.node.func.attr]
        try:
            found = _HANDLERS.get(made.function)
        except TypeError:  # it is no key
            return None
        if found is None and _is_ours(made.function):
            found = _BY_NAME.get(f"{made.function.__module__}.{made.function.__name__}")
        primitive = made.primitive
        if found is None and primitive.acts_on_each_element and _is_known(made.function):
            return _BY_NAME["each element"]
        if found is None and primitive.scalar and primitive.shape == "broadcast":
            return _BY_NAME["numbers alone"]
        if found is None and primitive.shape == "reduced":
            return _HANDLERS[np.sum]
        if found is None and (primitive.signature or getattr(made.function, "signature", None)):
            return _HANDLERS[np.linalg.inv]
        return found

    def _shared_call(self, made: Called, handler: Handler) -> Term:
        """Return a call in which nothing is of the batch: as it is, with what is known of it."""
        if {id(made.node), parts_site(made.node)} & self.writer.known.forced:
            term = handler(self.writer, made)
            if self.writer.holds_batch(term.fact):
                return term
        try:
            fact = handler(self.writer, made).fact
        except NotBatchedError:
            fact = self.asked(made)
        if fact.kind in ("list", "dict", "iterator", "tuple"):
            return Term(made.text(), fact)
        if fact.sites and fact.sites <= _sites(made.args):
            return Term(made.text(), fact)
        return self.writer.made(made.text(), replace(fact, batched=False), made.node)

    def by_name(self, name: str, made: Called) -> Term:
        """Write a call as those are that are registered by a name."""
        return _BY_NAME[name](self.writer, made)

    # -- calls of which nothing is known

    def _unhandled(self, made: Called) -> Term:
        node = made.node
        touched = any(self.writer.holds_batch(t.fact) for t in (*made.args, *made.named.values()))
        if touched or made.primitive.writes:
            return self.by_name("one by one", made)
        self.check_effects(made.function, node)
        found = self.writer.made(made.text(), self.result_of_shared(made), node)
        return found if made.primitive.memory == "fresh" else self.perhaps_viewing(found, made)

    def perhaps_viewing(self, found: Term, made: Called) -> Term:
        """Return a result that may lie in the memory of an argument."""
        sites = found.fact.sites | _sites(made.args)
        read = frozenset().union(*(term.fact.read_from for term in made.args))
        kind = found.fact.kind
        if kind == "number" and any(term.fact.kind == "array" for term in made.args):
            kind = "array"  # one without axes, which `+=` writes into
        return Term(found.node, replace(found.fact, kind=kind, sites=sites, read_from=read))

    def result_of_shared(self, made: Called) -> Fact:
        """Return what is known of the result of a call in which nothing is of the batch."""
        primitive = made.primitive
        if primitive.shape == "number":
            return replace(WHOLE, dtype="i" if primitive.kind == "int" else "f")
        if primitive.shape == "first" and made.args and made.args[0].fact.is_numeric:
            return made.args[0].fact
        return self.asked(made)

    def asked(self, made: Called, *, alike: bool = False) -> Fact:
        """Return what a function returns for an example, as it says itself (see `asking`)."""
        terms: dict[Any, Term] = dict(enumerate(made.args)) | made.named
        objects = {
            key: self.writer.resolved(term.node)
            for key, term in terms.items()
            if term.fact.kind == "unknown"
        }
        objects = {key: item for key, item in objects.items() if isinstance(item, type)}
        function = made.function
        if made.is_method and not callable(function):
            return UNKNOWN
        args = [self.writer.closed(term.fact) for term in made.args]
        named = {key: self.writer.closed(term.fact) for key, term in made.named.items()}
        return asked(function, args, named, objects, alike=alike)

    def check_effects(self, function: Any, node: Any) -> None:
        """Refuse a call that may do something else for each example, or is to be done for each."""
        rule = library.rule_for(function)
        if rule is not None and rule.__module__ == draws.__name__:
            self.writer.refuse(
                node,
                "a draw of random numbers, which each example would have for itself,",
                "draw before, and give the numbers as an argument",
            )
        known = rule is not None or library.constant_reason(function) is not None
        module = getattr(function, "__module__", None) or ""
        built_in = any(function is item for item in vars(builtins).values())  # `_` may be an array
        plain = isinstance(function, type) or built_in
        if function in (print, input, open, setattr, delattr, exec, eval, next):
            known = plain = False
        package = module.partition(".")[0]
        if not known and not plain and package not in ("numpy", "math", "operator", "srcgrad"):
            name = getattr(function, "__name__", str(function))
            self.writer.refuse(
                node,
                f"a call of `{name}`, of which only each run tells what it does,",
                "compute it before, and give the result as an argument",
            )

    def _unknown_call(self, node: Any, what: str) -> Term:
        self.writer.refuse(node, f"a call of {what}", "name the function")

    def _unknown_method(self, node: Any, receiver: Term) -> Term:
        if receiver.batched:
            self.writer.refuse(
                node, f"the method `{node.func.attr}` of an array", "use a function of NumPy"
            )
        return self._other_call(node, receiver)

    def _other_call(self, node: Any, receiver: Term) -> Term:
        args = [self.writer.term(item) for item in node.args]
        named = {item.arg: self.writer.term(item.value) for item in node.keywords}
        if any(self.writer.holds_batch(t.fact) for t in (*args, *named.values())):
            self.writer.refuse(node, f"the method `{node.func.attr}`", "use a function of NumPy")
        func = gast.Attribute(receiver.node, node.func.attr, gast.Load())
        keywords = [gast.keyword(k, t.node) for k, t in named.items()]
        return self.writer.made(gast.Call(func, [t.node for t in args], keywords), UNKNOWN, node)

    def _starred(self, node: Any, function: Any) -> Term:
        inner = [self.writer.term(i.value if isinstance(i, gast.Starred) else i) for i in node.args]
        inner += [self.writer.term(item.value) for item in node.keywords]
        if any(self.writer.holds_batch(term.fact) for term in inner):
            self.writer.refuse(
                node, "a call with stars before values of examples", "write them down"
            )
        self.check_effects(function, node)
        new = clone(node)
        terms = iter(inner)
        new.args = [
            gast.Starred(next(terms).node, gast.Load())
            if isinstance(i, gast.Starred)
            else next(terms).node
            for i in node.args
        ]
        new.keywords = [gast.keyword(i.arg, next(terms).node) for i in node.keywords]
        return self.writer.made(new, UNKNOWN, node)

    # -- methods of lists, tuples, dicts and texts

    def _method_of_container(self, node: Any, receiver: Term) -> Term:
        name, fact = node.func.attr, receiver.fact
        if fact.kind == "list" and name in ("append", "extend", "insert"):
            return self._grown(node, receiver)
        if fact.kind == "dict" and name in ("items", "values", "keys", "get"):
            return self._view_of_dict(node, receiver)
        holds = self.writer.holds_batch(fact)
        if fact.kind == "list" and name == "pop" and not self.writer.masks and fact.sites:
            args = [self.writer.term(item) for item in node.args]
            if not any(term.batched for term in args) and self._is_own(fact):
                new = gast.Call(
                    gast.Attribute(receiver.node, name, gast.Load()), [t.node for t in args], []
                )
                for site in fact.sites:
                    if self.writer.known.held[site].items is not None:
                        self.writer.known.held[site].items = None
                return Term(at(new, node), self.writer.element_of(fact) or UNKNOWN)
        if holds or fact.kind in ("list", "dict", "unknown", "object", "mixed", "iterator"):
            self.writer.refuse(
                node,
                f"the method `{name}` of {_of_what(fact)}",
                "call a function, or compute it before and give it as an argument",
            )
        return self._other_call(node, receiver)

    def _is_own(self, fact: Fact) -> bool:
        return all(site in self.writer.known.held for site in fact.sites)

    def _grown(self, node: Any, receiver: Term) -> Term:
        name = node.func.attr
        if self.writer.masks:
            self.writer.refuse(
                node, f"`{name}` in a branch that not all examples take", "use np.where"
            )
        args = [self.writer.term(item) for item in node.args]
        last = args[-1]
        if name == "extend":
            _, element = self.writer.expressions.iterated(last, node)
            last = Term(last.node, element)
            put = self.writer.put_in(receiver.fact, last, node)
            if put.node is not last.node:
                self.writer.refuse(
                    node, "`extend` by values that all examples share", "append them"
                )
            put = args[-1]
        else:
            put = self.writer.put_in(receiver.fact, last, node)
        nodes = [*[t.node for t in args[:-1]], put.node]
        func = gast.Attribute(receiver.node, name, gast.Load())
        return Term(at(gast.Call(func, nodes, []), node), Fact("none"))

    def _view_of_dict(self, node: Any, receiver: Term) -> Term:
        name = node.func.attr
        args = [self.writer.term(item) for item in node.args]
        func = gast.Attribute(receiver.node, name, gast.Load())
        new = at(gast.Call(func, [t.node for t in args], []), node)
        element = self.writer.element_of(receiver.fact) or UNKNOWN
        if name == "get":
            key = literal(node.args[0])
            found = self.writer.item_of(receiver.fact, key[0]) if key else element
            batched = found is not None and self.writer.holds_batch(found)
            if batched and len(args) > 1:
                self.writer.refuse(node, "`get` with a value for what is not there", "use d[key]")
            return Term(new, found or UNKNOWN)
        if element.kind == "mixed" and element.batched:
            self.writer.refuse(node, "a loop over a dict of different things", "name the entries")
        text = Fact("unknown")
        pair = Fact("tuple", items=(text, element))
        item = {"items": pair, "values": element, "keys": text}[name]
        return Term(new, Fact("iterator", items=(item,)))

    # -- functions of the user's

    def _helper_call(self, made: Called) -> Term:
        node = made.node
        bound = bound_to(made)
        if bound is None:
            self.writer.refuse(
                node, f"a call of `{made.name}` with these arguments", "give all of them"
            )
        facts = tuple(of_parameter(self.writer.closed(t.fact), i) for i, t in enumerate(bound))
        found = self.writer.helpers.helper(made.function, facts, self.writer.batch_name)
        if found is None:
            return self._unhandled(made)
        self.writer.note_risk(node, found.risks)
        for i in found.wants:
            if not bound[i].batched:
                self.writer.force(bound[i].fact, node)
        for i in found.written:
            if self.writer.masks:
                self.writer.refuse(
                    node,
                    f"a call of `{made.name}`, which writes into its argument,",
                    "write outside of the branch",
                )
            self.writer.note_written_by_call(bound[i], node)
        if found.chosen:
            self.writer.note_chosen(_sites([bound[i] for i in found.chosen]), node)
        fact = as_seen(found.result, bound, id(node))
        if found.name is None:
            return self.made_as(made.text(), fact, node)
        nodes = [self.writer.kept(term).node for term in bound]
        if found.takes_batch:
            nodes.append(self.writer.batch())
        return self.made_as(gast.Call(load(found.name), nodes, []), fact, node)

    def made_as(self, node: Any, fact: Fact, origin: Any) -> Term:
        """Return a term for the result of a function, whose memory may be that of arguments."""
        site = id(origin)
        if site in self.writer.known.forced and not fact.batched and fact.is_numeric:
            return self.writer.made(node, fact, origin)
        return Term(at(node, origin), fact)


def _sites(terms: list[Term]) -> frozenset[Site]:
    return frozenset().union(*(term.fact.sites for term in terms))


def _is_ours(function: Any) -> bool:
    return str(getattr(function, "__module__", "")).startswith("srcgrad.runtime")


def _of_what(fact: Fact) -> str:
    return {"list": "a list", "dict": "a dict", "text": "a text"}.get(fact.kind, "an object")


def _is_known(function: Any) -> bool:
    """Say whether a function is a library's, and no ufunc that was made of a Python function."""
    if not isinstance(function, np.ufunc) or library.rule_for(function) is not None:
        return True
    constant = library.constant_reason(function) is not None
    return constant or getattr(np, function.__name__, None) is function
