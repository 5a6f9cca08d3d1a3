"""Expands one function: into statements and expressions without functions and objects.

It is an interpreter of the definition, in part: what is known before the run (functions, classes,
objects, options) is carried out, and what is left becomes the text. Each matter has a part of its
own, which handles the kinds of statements, expressions and callees that it marks.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Collection
from typing import Any

from srcgrad.frontend.expand.asking import Asking
from srcgrad.frontend.expand.calls import Calls
from srcgrad.frontend.expand.comprehending import Comprehending
from srcgrad.frontend.expand.constructing import Constructing
from srcgrad.frontend.expand.control import Control
from srcgrad.frontend.expand.cursors import Cursor, Cursors
from srcgrad.frontend.expand.deciding import Deciding
from srcgrad.frontend.expand.derivatives import Derivatives
from srcgrad.frontend.expand.entering import Entering
from srcgrad.frontend.expand.expressions import Expressions
from srcgrad.frontend.expand.fields import Fields
from srcgrad.frontend.expand.folding import Folding
from srcgrad.frontend.expand.frame import Frame
from srcgrad.frontend.expand.generators import Generators
from srcgrad.frontend.expand.given import Given
from srcgrad.frontend.expand.held_entries import HeldEntries
from srcgrad.frontend.expand.held_fields import HeldFields
from srcgrad.frontend.expand.held_names import HeldNames
from srcgrad.frontend.expand.indexing import Indexing
from srcgrad.frontend.expand.interpolators import Interpolators
from srcgrad.frontend.expand.iterating import Iterating
from srcgrad.frontend.expand.laws import Laws
from srcgrad.frontend.expand.literals import Literals
from srcgrad.frontend.expand.lookup import Lookup
from srcgrad.frontend.expand.managing import Managing
from srcgrad.frontend.expand.mapping import Mapping
from srcgrad.frontend.expand.masked import Masked
from srcgrad.frontend.expand.members import Members
from srcgrad.frontend.expand.named_attributes import NamedAttributes
from srcgrad.frontend.expand.objects import Objects
from srcgrad.frontend.expand.options import Options
from srcgrad.frontend.expand.order import Order
from srcgrad.frontend.expand.placing import Placing
from srcgrad.frontend.expand.plain_values import PlainValues
from srcgrad.frontend.expand.record_calls import RecordCalls
from srcgrad.frontend.expand.record_holders import RecordHolders
from srcgrad.frontend.expand.record_loops import RecordLoops
from srcgrad.frontend.expand.record_names import RecordNames
from srcgrad.frontend.expand.records import Records
from srcgrad.frontend.expand.registers import Registers
from srcgrad.frontend.expand.results import Results
from srcgrad.frontend.expand.sequencing import Sequencing
from srcgrad.frontend.expand.session import Session
from srcgrad.frontend.expand.solvers import Solvers
from srcgrad.frontend.expand.special import Special
from srcgrad.frontend.expand.stars import Stars
from srcgrad.frontend.expand.statements import Statements
from srcgrad.frontend.expand.static_items import StaticItems
from srcgrad.frontend.expand.tables import Tables
from srcgrad.frontend.expand.telling import Telling
from srcgrad.frontend.expand.told_names import ToldNames
from srcgrad.frontend.expand.unpacking import Unpacking
from srcgrad.frontend.expand.updates import Updates
from srcgrad.frontend.expand.values import Code, Instance, Known, Object, Static, Value, class_of
from srcgrad.frontend.expand.whole_objects import WholeObjects
from srcgrad.ir import gast
from srcgrad.ir.build import clone, load
from srcgrad.ir.handlers import handlers_of
from srcgrad.ir.walk import found_in


class Interpreter(Frame):
    """The state of the expansion of one function, and the parts that work on it."""

    def __init__(
        self,
        session: Session,
        code: Code,
        env: dict[str, Value],
        inputs: Collection[str] | None = None,
    ) -> None:
        super().__init__(session, code, env, inputs)
        self.lookup = Lookup(self)
        self.tables = Tables(self)
        self.telling = Telling(self)
        self.expressions, self.deciding = Expressions(self), Deciding(self)
        self.laws, self.interpolators = Laws(self), Interpolators(self)
        self.solvers = Solvers(self)
        self.results = Results(self)
        self.mapping = Mapping(self)
        self.members, self.masked = Members(self), Masked(self)
        self.special, self.whole_objects = Special(self), WholeObjects(self)
        self.named_attributes, self.told_names = NamedAttributes(self), ToldNames(self)
        self.placing = Placing(self)
        self.derivatives = Derivatives(self)
        self.calls, self.given, self.literals = Calls(self), Given(self), Literals(self)
        self.stars, self.unpacking = Stars(self), Unpacking(self)
        self.fields = Fields(self)
        self.held_fields = HeldFields(self)
        self.held_names = HeldNames(self)
        self.held_entries = HeldEntries(self)
        self.constructing = Constructing(self)
        self.objects = Objects(self)
        self.record_names = RecordNames(self)
        self.records = Records(self)
        self.record_calls = RecordCalls(self)
        self.record_holders = RecordHolders(self)
        self.record_loops = RecordLoops(self)
        self.asking = Asking(self)
        self.control, self.comprehending = Control(self), Comprehending(self)
        self.iterating = Iterating(self)
        self.entering, self.managing = Entering(self), Managing(self)
        self.cursors, self.folding = Cursors(self), Folding(self)
        self.generators = Generators(self)
        self.sequencing = Sequencing(self)
        self.options, self.registers = Options(self), Registers(self)
        self.static_items = StaticItems(self)
        self.statements, self.updates = Statements(self), Updates(self)
        self.indexing = Indexing(self)
        self._handlers = handlers_of(vars(self).values())
        self._begin(inputs, env)

    def _begin(self, inputs: Collection[str] | None, env: dict[str, Value]) -> None:
        """Take in the definition: the order of its calls, and which of its variables are plain."""
        session, code = self.session, self.code
        self.order = Order(session.vocabulary, self.look)
        self.plain_values = PlainValues(
            set(inputs or ()).difference(env),
            lambda node: self.value(clone(node)),
            session.vocabulary,
        )
        self.plain_values.take(code.tree)
        if self.begins:
            self.plain_values.doubt(session.unplain)

    def another(self, code: Code, env: dict[str, Value]) -> Interpreter:
        """Return the interpreter of a function that this one calls."""
        return Interpreter(self.session, code, env)

    # -- by kind

    def value(self, node: Any) -> Value:
        """Return what an expression means, as a static value or an expression without any."""
        handler = self._handlers.get(("expression", type(node)))
        found: Value = self.expressions.rebuilt(node) if handler is None else handler(node)
        return found

    def is_something(self, value: Value) -> bool:
        """Say whether a value is surely not None, as what a function with a rule gives."""
        if not isinstance(value, gast.Call):
            return super().is_something(value)
        known = self.looked_at(value.func)
        if not isinstance(known, Known):
            return False
        found = self.session.vocabulary.primitive(known.value)
        return bool(found.name and found.rule) and not (found.writes or found.tells)

    def looked_at(self, node: Any) -> Value:
        """Return what an expression means where it is only looked at: it may be evaluated later.

        What calls something, also as a property, is not evaluated for that: it would be so twice.
        """
        if found_in(node, gast.Call, gast.NamedExpr):
            return node
        if any(map(self._runs_property, found_in(node, gast.Attribute))):
            return node
        before = len(self.out)
        found = self.value(clone(node))
        if len(self.out) > before:  # an entry that only the run chooses, which is asked for
            del self.out[before:]
            return node
        return found

    def _runs_property(self, node: Any) -> bool:
        owner = self.looked_at(node.value)
        if not isinstance(owner, (Object, Instance)):
            return False
        found = inspect.getattr_static(class_of(owner), node.attr, None)
        return isinstance(found, (property, functools.cached_property))

    def named(self, value: Static) -> Any:
        """Return a name that stands for a value which no text says."""
        name = self.variable("held")
        self.env[name] = value
        return load(name)

    def call(
        self, callee: Value, args: list[Value], keywords: dict[str, Value], node: Any
    ) -> Value:
        """Return the result of a call."""
        handler = self._handlers.get(("callee", type(callee)))
        if handler is None:
            return self.calls.as_text(self.plain(callee, node), args, keywords, node, callee)
        found: Value = handler(callee, args, keywords, node)
        return found

    def statement(self, node: Any) -> None:
        """Rewrite a statement into `out`."""
        self.statements.begin(node)
        handler = self._handlers.get(("statement", type(node)))
        (handler or self.statements.other)(node)

    # -- what the parts ask most

    def look(self, name: str) -> Value:
        """Return what a name means."""
        return self.lookup.look(name)

    def expression(self, node: Any) -> Any:
        """Rewrite an expression into one of the text."""
        return self.plain(self.value(node), node)

    def plain(self, value: Value, node: Any) -> Any:
        """Return a value as an expression of the text."""
        if isinstance(value, Cursor):
            return self.cursors.rest(value, node)
        return self.expressions.plain(value, node)

    def attribute(self, owner: Value, name: str, node: Any) -> Value:
        """Return an attribute of a value."""
        return self.objects.attribute(owner, name, node)

    def block(self, body: list[Any]) -> list[Any]:
        """Rewrite the statements of an inner block."""
        return self.statements.block(body)
