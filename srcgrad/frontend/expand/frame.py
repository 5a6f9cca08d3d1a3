"""Holds what the expansion of one function shares: its names, what they mean, the text so far."""

from __future__ import annotations

import builtins
import keyword
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from types import CellType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

from srcgrad.errors import Diagnostic, UnsupportedSyntaxError
from srcgrad.frontend.effects import written_parameters
from srcgrad.frontend.expand.assumptions import Entry
from srcgrad.frontend.expand.order import Order, OutOfOrderError, evaluated_first, place
from srcgrad.frontend.expand.plain_values import NotPlainError, PlainValues
from srcgrad.frontend.expand.presence import is_something
from srcgrad.frontend.expand.record_kinds import KindFoundError
from srcgrad.frontend.expand.scoping import own_names, parameters, reached
from srcgrad.frontend.expand.session import Session
from srcgrad.frontend.expand.values import (
    Code,
    Home,
    Instance,
    Known,
    Method,
    Recorded,
    Root,
    Static,
    Value,
)
from srcgrad.ir import gast
from srcgrad.ir.build import assign, load, may_be_literal
from srcgrad.ir.scopes import MISSING, Binding
from srcgrad.ir.walk import found_in, names_read, walk
from srcgrad.primitives.methods import WRITING

if TYPE_CHECKING:
    from srcgrad.frontend.expand.record_names import RecordNames

_SHORT = {"numpy": "np"}
_UNNAMED = frozenset(["chosen", "key", "value", "bound", "part"])
_WORDS = frozenset(keyword.kwlist) | (frozenset(dir(builtins)) - {"_"})  # a console binds `_`


class NeedsInlineError(Exception):
    """A function cannot be one of its own: put its statements in place."""


class Frame:
    """The state of the expansion of one function.

    Attributes:
        env: What names mean that are no variables of the text.
        own: The variables; those in `varying` may carry derivatives.
        locals: The names that are variables of the function, or of one that is put in place,
            whatever becomes of them.
        out: The statements so far.
        hoistable: Whether statements may be put before the one that is being rewritten.
        inlined: The definitions whose text is being put in place, outermost first.
        temporaries: The variables that the user did not name.
        result_variables: Those that keep what functions in their places have returned.
        depth: How many branches and loops are around; `depths` says it of objects when made.
        wished: What the value being made will be called.
        bound_field: The attribute that it is bound to, if that is a field.
        ordered: How many calls of the statement must stay in their order.
        rebound: The variables that nested functions bind anew.
        plain_values: The variables that hold no objects.
        begins: Whether it is the function that the program begins with.
        of_fields: The variables that are fields of objects, which methods may bind anew.
        present: The arguments that are not None, and not bound anew so far.
        inlined: The definitions that are put in place, outermost first.
        running: Those with the names that they have here.
        comprehensions: The places of those that are being rewritten, outermost first.
        named_fields: Variables that are names of arrays in fields of objects outside.
        assigned: The name that the value of an expression is given, and the expression.
        dropped: The expression of the last statement that is one.
        receivers: The class and the object of each method being expanded, for `super()`.
    """

    order: Order
    plain_values: PlainValues
    record_names: RecordNames

    def __init__(
        self,
        session: Session,
        code: Code,
        env: dict[str, Value],
        inputs: Collection[str] | None = None,
    ) -> None:
        self.session = session
        self.code = code
        self.home = Home(code.home.globals, dict(code.home.cells))
        self.env = env
        names = code.names
        self.own = set(names.own - set(env))
        self.locals = set(names.assigned - set(env))
        self.taken = {*names.every, *self.own, *env}
        self.free: set[str] = set()  # of functions in place: those that mean what lies outside
        declared = found_in(code.tree, gast.Nonlocal, gast.Global)
        kinds = gast.Nonlocal, gast.Global
        self.rebound, self.globals = (
            {name for item in declared if isinstance(item, kind) for name in item.names}
            for kind in kinds
        )
        self.begins = inputs is not None
        self.present: set[str] = set()
        self.imports: dict[str, Binding] = {}
        self.lent: set[str] = set()
        given = {*parameters(code.tree.args), *env} if inputs is None else inputs
        self.varying = reached(names.links, given, names.inner)
        self.out: list[Any] = []
        self.hoistable = True
        self.at_once = False
        self.inlined: list[Any] = []
        self.running: list[Any] = []
        self.receivers: list[tuple[type | None, Value]] = []
        self.temporaries: set[str] = set()
        self.result_variables: set[str] = set()
        self.changed = False
        self.first: set[Any] = set()
        self.depth = 0
        self.starred, self.rewritten = names.starred, names.rewritten
        self.bound_once = names.once
        self.depths: dict[int, int] = {}
        self.of_fields: set[str] = set()
        self.named_fields: dict[str, tuple[Instance, Any]] = {}
        self.comprehensions: list[Any] = []
        self.wished = self.bound_field = ""
        self.assigned: tuple[str, Any] = ("", None)
        self.ordered = 0
        self.dropped: Any = None

    # -- names

    def fresh(self, wish: str) -> str:
        """Return a new name of the function."""
        name, number = wish, 2
        while name in self.taken or name in _WORDS:
            name, number = f"{wish}_{number}", number + 1
        self.taken.add(name)
        return name

    @property
    def tree(self) -> Any:
        """The definition whose statements are run, with the names that they have here."""
        return self.running[-1] if self.running else self.code.tree

    def variable(self, wish: str) -> str:
        """Return a new variable."""
        name = self.fresh(wish)
        self.own.add(name)
        self.varying.add(name)
        return name

    def varies(self, value: Value) -> bool:
        """Say whether a value may carry a derivative."""
        if isinstance(value, Known):
            return False
        return isinstance(value, Static) or not self.varying.isdisjoint(names_read(value))

    def keep(self, wish: str, expression: Any, node: Any) -> Any:
        """Bind an expression to a new variable before the statement; return the variable."""
        if not self.hoistable:
            self.open_next_time()
            self.take_apart_once(node)
            self.refuse(
                node,
                "a call that must be taken apart, where it may not be evaluated",
                "assign its result in a statement of its own",
            )
        if not self.is_first(node) and self.may_write(expression):
            self.refuse_order(node)
        name = self.variable(wish)
        if wish in _UNNAMED:
            self.temporaries.add(name)
        self.bind(name, expression, node)
        if not self.depth and self.code.asked.followed and self.is_something(expression):
            self.present.add(name)
        return load(name)

    def open_next_time(self, *, always: bool = False) -> None:
        """Write the comprehension that is being rewritten as a loop, if objects are dicts.

        Raises:
            KindFoundError: It was not done before.
        """
        if (always or self.session.records.on) and self.comprehensions:
            self.session.records.opened.add(self.comprehensions[0])
            raise KindFoundError

    def bind(self, name: str, value: Any, node: Any) -> None:
        """Let the text bind a variable."""
        self.note_bound(name, value, node)
        self.note_present(name, value)
        self.out.append(assign(name, value, node))

    def is_something(self, value: Value) -> bool:
        """Say whether a value is surely not None."""
        return is_something(value, self.present)

    def note_present(self, name: str, value: Value) -> None:
        """Note whether a variable is None after it was bound, in a branch only if it may be."""
        follows = not self.depth and name in self.code.asked.followed
        if not follows and name not in self.present:
            return
        if not self.is_something(value):
            self.present.discard(name)
        elif follows:
            self.present.add(name)

    def note_bound(self, name: str, value: Any, node: Any) -> None:
        """Note that the text binds a variable, to what nobody knows if there is no value."""
        if self.plain_values.bind(name, value):
            return
        if self.begins and name not in self.session.unplain:
            raise NotPlainError(name)
        self.refuse(node, f"`{name}`, which may be an object or none", "use two names")

    def bound_now(self, value: Value, wish: str, node: Any) -> Value:
        """Return a value that stays what it is, whatever is bound before it is read.

        A literal does, a variable that is bound once, and what is outside; another is kept.
        """
        if isinstance(value, (Recorded, Method)):
            return self.record_names.settled(value, node)
        plain = isinstance(value, (Static, gast.Constant, gast.Starred))
        if isinstance(value, gast.Name) and value.id not in self.of_fields:
            plain = value.id not in self.own or value.id in self.bound_once
        if plain or self.at_once or not self.hoistable:
            return value
        if not isinstance(value, gast.Name) and self.disturbs(node):
            self.refuse_order(node)
        return self.keep(getattr(value, "id", wish), value, node)

    def begin(self, value: Any, whole: Any) -> None:
        """Note what a statement evaluates first: that alone may have effects if put before it."""
        self.at_once = False
        self.first = {place(item) for item in evaluated_first(value, self.may_wait)}
        self.ordered = self.order.count(whole)

    def may_wait(self, node: Any) -> bool:
        """Say whether it does not matter when a part of a statement is read: nothing binds it."""
        named = isinstance(node, gast.Name) and node.id in self.own
        return isinstance(node, gast.Constant) or (named and node.id not in self.rebound)

    def disturbs(self, node: Any) -> bool:
        """Say whether what is put before a statement for a call may overtake another call."""
        return not self.is_first(node) and self.ordered > self.order.count(node)

    def is_first(self, node: Any) -> bool:
        """Say whether nothing of the statement is evaluated before a node."""
        return place(node) in self.first

    def meaning(self, name: str) -> Any:
        """Return the argument of a name, or what that means outside; None of others."""
        binding = self.found_outside(name)
        return self.session.arguments.get(name, None if binding is None else binding.value)

    def may_write(self, expression: Any) -> bool:
        """Say whether an expression may write into what other parts of its statement read."""
        for node in walk(expression):
            if not isinstance(node, gast.Call):
                continue
            if isinstance(node.func, gast.Attribute) and node.func.attr in WRITING:
                return True
            binding = self.found_outside(getattr(node.func, "id", ""))
            function = binding.value if binding is not None else None
            if not isinstance(function, FunctionType) or not self.session.is_user(function):
                continue
            if written_parameters(function, self.session.vocabulary):
                return True
        return False

    def take_apart_once(self, node: Any) -> None:
        """Expand the function again, with names for what its statement evaluates before a call.

        Raises:
            OutOfOrderError: That was not done before.
        """
        if self.begins and isinstance(node, gast.Call) and place(node) not in self.session.movers:
            raise OutOfOrderError(place(node))

    def refuse_order(self, node: Any) -> NoReturn:
        """Refuse a call with effects after other parts of its statement."""
        self.take_apart_once(node)
        self.refuse(
            node,
            "a call that changes something, after other parts of the statement",
            "call it in a statement of its own",
        )

    def found_outside(self, name: str) -> Binding | None:
        holders: list[Mapping[str, Any] | CellType] = []
        if name in self.home.cells:
            holders.append(self.home.cells[name])
        holders += [self.home.globals, vars(builtins)]
        for holder in holders:
            value = Binding(name, None, holder).current()
            if value is not MISSING:
                return Binding(name, value, holder)
        return None

    def cell_name(self, wish: str, cell: CellType) -> str:
        """Return the name under which the text reaches a cell."""
        for name, known in self.home.cells.items():
            if known is cell and name not in self.own and name not in self.env:
                return name
        name = self.fresh(wish)
        self.home.cells[name] = cell
        self.changed = True
        return name

    def constant(self, value: Any, wish: str) -> Any:
        """Return the expression of an object that the text has no name for."""
        if may_be_literal(value):
            return gast.Constant(value, None)
        name = getattr(value, "__name__", "")
        hidden = name in self.own or name in self.env or name in self.home.globals
        if not hidden and name not in self.home.cells and vars(builtins).get(name) is value:
            return load(name)
        module, _, name = self._library_name(value).rpartition(".")
        if module:
            holder = sys.modules[module]
            owner = self.constant(holder, _SHORT.get(module, module))
            return gast.Attribute(owner, name, gast.Load())
        return load(self.cell_name(wish, self.session.cell_of(value)))

    def _library_name(self, value: Any) -> str:
        """Return the dotted name of a function of NumPy or `math`, else an empty text."""
        if isinstance(value, ModuleType) or not callable(value):
            return ""
        name = self.session.vocabulary.canonical_name(value)
        module, _, last = name.rpartition(".")
        known = module in ("numpy", "math") and module in sys.modules
        return name if known and getattr(sys.modules[module], last, None) is value else ""

    # -- refusals

    def refuse(self, node: Any, message: str, hint: str) -> NoReturn:
        """Refuse the function at a node."""
        span = self.code.source.span(node)
        found = Diagnostic(UnsupportedSyntaxError.code, message, span, hint)
        raise UnsupportedSyntaxError(diagnostics=[found])

    def refuse_lost_names(self, body: list[Any], given: Collection[str]) -> None:
        """Refuse to read a variable that nothing binds any more: it would be one of outside.

        It was bound to an object or a function, but behind the place where it is read. The names
        that are `given` have always had a meaning.
        """
        names = [node for statement in body for node in found_in(statement, gast.Name)]
        bound = {node.id for node in names if node.ctx.__class__ is not gast.Load}
        args = self.code.tree.args
        if self.locals <= bound.union(parameters(args), given, self.home.cells):
            return
        now = own_names(gast.FunctionDef("now", args, body, [], None, None))
        lost = self.locals.difference(bound, now, given, self.home.cells)
        for node in names:
            if node.id in lost:
                what = f"reading `{node.id}` before it is bound"
                self.refuse(node, what, "bind it before it is read")

    @contextmanager
    def used_at_once(self, call: Any) -> Iterator[None]:
        """Say that what is called is made for that alone, with nothing evaluated in between."""
        before, parts = self.at_once, [*call.args, *call.keywords]
        made = isinstance(call.func, gast.Call)
        self.at_once = made and not any(found_in(part, gast.Call) for part in parts)
        try:
            yield
        finally:
            self.at_once = before

    @contextmanager
    def conditional(self) -> Iterator[None]:
        """Say that what is rewritten may not be evaluated, so nothing may be put before it."""
        before, self.hoistable = self.hoistable, False
        try:
            yield
        finally:
            self.hoistable = before


def at_key(root: Root, key: Any) -> Root:
    """Return how to find an element of what `root` finds."""
    return Entry(root, key)
