"""Expands the functions of one compilation: the entry, and what it calls."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from inspect import getattr_static
from types import CellType, FunctionType
from typing import Any, Final

from srcgrad.errors import UnsupportedError
from srcgrad.frontend.expand.assumptions import Given, Of
from srcgrad.frontend.expand.changing_fields import ChangingFieldError
from srcgrad.frontend.expand.flags import PRESENT, SETTINGS, is_flag, is_present
from srcgrad.frontend.expand.frame import NeedsInlineError, at_key
from srcgrad.frontend.expand.holding import (
    FieldWrittenError,
    HeldObject,
    is_bound_at_last,
    is_bound_in,
    is_named_otherwise,
    is_reached_otherwise,
    leaves_of,
    leaves_of_space,
    module_of,
    put_back,
    reads_by_another_way,
)
from srcgrad.frontend.expand.interpreter import Interpreter
from srcgrad.frontend.expand.making import make_function
from srcgrad.frontend.expand.order import OutOfOrderError
from srcgrad.frontend.expand.plain_values import NotPlainError
from srcgrad.frontend.expand.presence import followed
from srcgrad.frontend.expand.record_kinds import KindFoundError
from srcgrad.frontend.expand.scoping import parameters
from srcgrad.frontend.expand.session import Session
from srcgrad.frontend.expand.values import (
    Code,
    Instance,
    Items,
    Known,
    Root,
    Static,
    Value,
    is_literal,
)
from srcgrad.frontend.kept_answers import ASKED, HINT, asks_what_is_kept
from srcgrad.frontend.long_loops import mark_repeated
from srcgrad.frontend.normalize.threaded import keep_states
from srcgrad.frontend.rebinding import is_unseen
from srcgrad.frontend.source import Entry, Leaves, Path, attach, find_source
from srcgrad.garbage import weakly
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, clone, dotted, load
from srcgrad.ir.walk import is_same, root_name
from srcgrad.runtime import keep_apart
from srcgrad.runtime.objects import holds_objects, is_plain_object

_COMPARED: Final = (str, dict, tuple)


def taken(given: Mapping[str, Any], tree: Any) -> list[str]:
    """Return what a text takes for granted of flags, in words.

    >>> tree = gast.parse("def f(x, kind, **options): pass").body[0]
    >>> taken({"kind": None, "options": {"a": 1.0}}, tree)
    ['kind is None', "tuple(options) == ('a',)"]
    """
    named = getattr(tree.args.kwarg, "id", "")
    said = []
    for name, value in given.items():
        if name == SETTINGS:
            said.append("settings of modules are what they are")
        elif name == named and value and is_flag(value):
            said.append(f"tuple({name}) == {tuple(value)!r}")
        elif value is PRESENT:
            said.append(f"{name} is not None")
        elif is_flag(value) and not (isinstance(value, dict) and value):
            said.append(f"{name} {'==' if isinstance(value, _COMPARED) else 'is'} {value!r}")
    return said


class Expander:
    """Expands the functions of one compilation.

    Attributes:
        refused: Why functions stay as they are.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        session.expand = weakly(self.expand)
        self.refused: dict[FunctionType, UnsupportedError] = {}
        self._done: dict[FunctionType, FunctionType] = {}
        self._asked: set[FunctionType] = set()
        self._entries: dict[Any, FunctionType | UnsupportedError] = {}

    def expand(self, function: FunctionType) -> FunctionType:
        """Return a function without function values and objects; itself if it has none."""
        if self._done.get(function) is function:
            self._asked.add(function)
        if function in self._done or hasattr(function, "__srcgrad_source__"):
            return self._done.get(function, function)
        before = dict(self._done)
        self._done[function] = function
        self._asked.discard(function)
        try:
            made = self._for_any(function)
            if made is not function and function in self._asked:
                made = self._again(function, before)
        except UnsupportedError as refusal:  # later passes say what stands against it, too
            self.refused[function] = refusal
            return function
        self._done[function] = made
        return made

    def _again(self, function: FunctionType, before: dict[FunctionType, FunctionType]) -> Any:
        """Expand a recursive function once more, so that it calls its new self."""
        cell = CellType()
        self._done = {**before, function: function}
        self.session.promised[function] = cell
        cell.cell_contents = self._for_any(function)
        return cell.cell_contents

    def _for_any(self, function: FunctionType) -> FunctionType:
        """Expand a function that is called, whatever its arguments are."""
        before, done = self.session.lengths(), dict(self._done)
        made, records = len(self.session.made), self.session.records
        stale, records.stale = records.stale, False
        turns = records.turns

        def expanded() -> FunctionType:
            while True:
                try:
                    return self._expanded(self.session.code(function), {}, {}, None)
                except ChangingFieldError as found:
                    found.note(self.session)
                except KindFoundError:
                    self._turn(made)
                except UnsupportedError:
                    if not records.stale:
                        raise
                    self._turn(made)
                self.session.cut(before)
                self._done = dict(done)

        try:
            return self._in_dicts_too(expanded, before, done)
        finally:  # what was found out may matter to the function that calls this one, too
            records.stale = stale or records.turns > turns

    def _in_dicts_too(
        self, expanded: Callable[[], FunctionType], before: Any, done: dict[Any, Any]
    ) -> FunctionType:
        """Expand; where that is refused, once more with objects that the run keeps as dicts."""
        first: UnsupportedError | None = None
        made = len(self.session.made)
        while True:
            try:
                return expanded()
            except UnsupportedError as refusal:
                first = first or refusal
            self.session.cut(before)
            self._done = dict(done)
            self.session.forget_made(made)
            if not self.session.records.begin():
                self.session.records.end()
                raise first

    def _begins_anew(self, made: int) -> bool:
        """Prepare for another expansion after a refusal; False if nothing is left to be tried."""
        holding = self.session.holding
        if self.session.records.stale:
            self._turn(made)
        elif holding.is_open and holding.objects:
            holding.close()
        else:
            return False
        return True

    def _turn(self, made: int) -> None:
        """Begin anew with what is known of objects by now."""
        self.session.records.turn()
        self.session.forget_made(made)

    def entry(
        self, function: FunctionType, given: Mapping[str, Any], inputs: tuple[str, ...]
    ) -> FunctionType:
        """Expand the function that the user differentiates, for arguments such as `given`.

        It is expanded once, for arguments that are the same at each call.
        """
        key = function, inputs
        if key not in self._entries:
            try:
                self._entries[key] = self._in_dicts_too(
                    lambda: self._held_or_not(function, given, inputs),
                    self.session.lengths(),
                    dict(self._done),
                )
            except UnsupportedError as refusal:
                self._entries[key] = refusal
        found = self._entries[key]
        if isinstance(found, UnsupportedError):
            raise found.with_traceback(None)
        return found

    def _held_or_not(
        self, function: FunctionType, given: Mapping[str, Any], inputs: tuple[str, ...]
    ) -> FunctionType:
        """Expand with variables for the fields that are written, if there are such.

        Where that leads to a refusal, they stay what they are.
        """
        holding, factories = self.session.holding, set(self.session.factories)
        before, made = self.session.lengths(), len(self.session.made)
        while True:
            try:
                return self._entry(function, given, inputs)
            except NotPlainError as found:
                self.session.unplain.add(found.name)
            except ChangingFieldError as found:
                found.note(self.session)
            except KindFoundError:
                self._turn(made)
            except OutOfOrderError as found:
                self.session.movers.add(found.place)
            except FieldWrittenError as found:
                if not holding.is_open:
                    raise
                if not holding.note(found):
                    holding.close()
            except UnsupportedError:
                if not self._begins_anew(made):
                    raise
            self.session.cut(before)
            if not holding.is_open:
                self.session.factories.intersection_update(factories)

    def _entry(
        self, function: FunctionType, given: Mapping[str, Any], inputs: tuple[str, ...]
    ) -> FunctionType:
        code = self.session.code(function)
        self._done[function] = function
        self.session.arguments = {n: v for n, v in given.items() if v is not PRESENT}
        self.session.starts = function
        flagged = any(map(is_flag, given.values()))
        self.session.settled = flagged and not is_unseen(self.session.rebound)
        env: dict[str, Value] = {}
        found: dict[str, Leaves] = {}
        frame = Interpreter(self.session, code, {}, inputs) if given else None
        for name, value in given.items():
            root = Given(name)
            assert frame is not None
            if value is PRESENT:
                self.session.assume(Of(is_present, root), True)
                continue
            if name in (*inputs, SETTINGS):
                inner = holds_objects(value) or self.session.holding.has_entries(value)
                if name and (is_plain_object(value) or inner):
                    leaves = found[name] = Leaves(name)
                    env[name] = frame.fields.held(value, load(name), root, leaves, (), code.tree)
                continue
            meaning = frame.lookup.outside(value, load(name), root)
            if name == getattr(code.tree.args.kwarg, "id", "") and is_flag(value):
                env[name] = self._named(value, name, root, frame)
                continue
            if name == getattr(code.tree.args.vararg, "id", "") and type(value) is tuple:
                self.session.assume(Of(len, root), len(value))
                held = self._held_in(dict(enumerate(value)), name, root, frame)
                env[name] = Items("tuple", held)
                continue
            if is_literal(literal := gast.Constant(value, None)):
                self.session.assume(root, value)
                env[name] = literal
            if not isinstance(meaning, Static):
                continue
            entries = isinstance(meaning, Items) and meaning.held is not None
            if not isinstance(meaning, Instance) and not entries:
                self.session.assume(root, value)
            env[name] = Known(value) if isinstance(meaning, Known) else meaning
        present = {name for name, value in given.items() if value is PRESENT}
        return self._expanded(code, env, found, inputs, present)

    def _named(self, given: Mapping[str, Any], name: str, root: Root, frame: Interpreter) -> Items:
        """Return the dict of ``**kwargs`` for calls that give these keywords."""
        self.session.assume(Of(tuple, root), tuple(given))
        return Items("dict", self._held_in(given, name, root, frame), list(given))

    def _held_in(
        self, given: Mapping[Any, Any], name: str, root: Root, frame: Interpreter
    ) -> list[Value]:
        """Return what is in ``*args`` or ``**kwargs``."""
        held: list[Value] = []
        for key, value in given.items():
            part, place = at_key(root, key), gast.Constant(key, None)
            literal = gast.Constant(value, None)
            if is_literal(literal):
                self.session.assume(part, value)
                held.append(literal)
            else:
                expression = gast.Subscript(load(name), place, gast.Load())
                found = frame.lookup.outside(value, expression, part)
                if isinstance(found, Known):
                    self.session.assume(part, value)
                held.append(Known(value) if isinstance(found, Known) else found)
        return held

    def _expanded(
        self,
        code: Code,
        env: dict[str, Value],
        found: dict[str, Leaves],
        inputs: tuple[str, ...] | None,
        present: Collection[str] = (),
    ) -> FunctionType:
        tree = clone(code.tree)
        is_for_any = not env  # else some arguments are taken for known
        given = frozenset(env)
        objects = {name for name, value in env.items() if isinstance(value, Instance)}
        frame = Interpreter(self.session, code, env, inputs)
        frame.present = followed(tree, {*present, *(inputs or ())})
        first = next(iter(item.id for item in [*tree.args.posonlyargs, *tree.args.args]), "")
        frame.receivers = [(code.owner, env.get(first))]
        body = self._body_of(frame, tree)
        self._refuse_in_the_end(frame, tree, body, given)
        held = [] if inputs is None else self.session.holding.met()
        spaces = [] if inputs is None else self.session.holding.spaces()
        named = [item for space in spaces for item in leaves_of_space(space)]
        leaves = [*found.values(), *map(leaves_of, held), *named]
        same = is_same(body, code.source.tree.body)
        if same and not any(item.names for item in leaves):
            return code.source.function
        lead = [
            assign(name, _attribute(item.parameter, path), tree)
            for item in leaves
            for path, name in item.names.items()
        ]
        self._refuse_what_is_kept(frame, [*held, *spaces], body)
        self._put_back(frame, held, spaces, body)
        apart = [] if inputs is None else self._kept_apart(frame, tree, objects)
        tree.body = [*lead, *apart, *body]
        tree.decorator_list = []
        tree.name = code.source.name
        temporaries, results = frozenset(frame.temporaries), frozenset(frame.result_variables)
        made = make_function(tree, frame.home, code.source, temporaries, tuple(leaves), results)
        for item in held:
            if is_reached_otherwise(item, made, self.session.arguments):
                name = root_name(item.expression)
                what = f"a write into a field of `{name}`, which is reached otherwise, too"
                frame.refuse(frame.code.tree, what, "work on a copy")
        for space in spaces:
            by_others = is_named_otherwise(space, made, self.session.arguments)
            if by_others or reads_by_another_way(body, space.expressions, frame.meaning):
                what = f"a write into `{min(space.expressions)}`, which is reached otherwise, too"
                frame.refuse(frame.code.tree, what, "pass it as an argument")
        if is_for_any:
            attach(made, replace(find_source(made), stands_for=code.source.users))
        made.__defaults__ = code.source.function.__defaults__  # a call may rely on them
        made.__kwdefaults__ = code.source.function.__kwdefaults__
        keep_states(made, code.source.function)
        if code.repeated:
            mark_repeated(made)
        return made

    def _refuse_in_the_end(
        self, frame: Interpreter, tree: Any, body: list[Any], given: Collection[str]
    ) -> None:
        """Refuse what is known not to hold once all of a function has been expanded.

        Raises:
            KindFoundError: More is known by now than it was expanded with.
        """
        frame.refuse_lost_names(body, given)
        frame.record_names.refuse_mistaken(tree)
        frame.record_calls.refuse_doubted(tree)
        if self.session.records.stale:
            raise KindFoundError

    def _refuse_what_is_kept(
        self, frame: Interpreter, held: list[HeldObject], body: list[Any]
    ) -> None:
        """Refuse a program that may find what an earlier call has kept for the same argument."""
        kept = {name for item in held for name in item.bound_variables().values()}

        def meaning(node: Any) -> Any:
            found = frame.looked_at(node)
            if isinstance(found, gast.Attribute):  # ``self.eps``
                return getattr_static(meaning(found.value), found.attr, None)
            return getattr(found, "value", None) if isinstance(found, Static) else None

        found = asks_what_is_kept(body, kept, frame.varies, meaning) if kept else None
        if found is not None:
            frame.refuse(frame.code.tree, ASKED, HINT)

    def _put_back(
        self, frame: Interpreter, held: list[HeldObject], spaces: list[HeldObject], body: list[Any]
    ) -> None:
        """Let the objects whose fields are variables have them in the end, as the program does."""
        for item in held:
            name = root_name(item.expression) or ""
            what = ""
            if is_bound_in(body, item.expression):
                what = f"a write into a field of `{name}`, which, or a part of which, is bound anew"
            elif is_bound_at_last(body, item.bound_variables().values()):
                what = f"a field of `{name}` that is bound in a `finally`"
            if what:
                frame.refuse(frame.code.tree, what, "work on a copy")
        for item in spaces:
            lost = is_bound_at_last(body, item.bound_variables().values())
            if item.bound and (lost or module_of(item) is None):
                what = f"`{min(item.bound)}` of the module that is bound here"
                frame.refuse(frame.code.tree, what, "return it")
        put_back(body, [*held, *spaces], frame.constant)

    def _kept_apart(self, frame: Interpreter, tree: Any, objects: set[str]) -> list[Any]:
        """Return the statements that check that no argument is what the program keeps values in.

        Of objects that is known: they are what the text is made for.
        """
        given = [name for name in parameters(tree.args) if name not in objects]
        places: dict[str, Any] = {}
        for owner, name in self.session.places:
            held = owner if isinstance(owner, gast.AST) else frame.constant(owner, "kept_by")
            if isinstance(owner, FunctionType):
                held = frame.constant(owner, owner.__name__)
            kept = gast.Attribute(held, name, gast.Load()) if name else held
            places.setdefault(gast.dump(kept), kept)
        if not places or not given:
            return []
        kept = list(places.values())
        whole = kept[0] if len(kept) == 1 else gast.Tuple(kept, gast.Load())
        check = frame.constant(keep_apart, "keep_apart")
        deep = [gast.keyword("deep", gast.Constant(True, None))] if self.session.deep else []
        return [at(gast.Expr(gast.Call(check, [whole, *map(load, given)], deep)), tree)]

    def _body_of(self, frame: Interpreter, tree: Any) -> list[Any]:
        try:
            return frame.statements.function_body(tree.body)
        except NeedsInlineError:
            self.session.factories.add(frame.code.source.function)
            frame.refuse(
                tree,
                "a function that returns a function or changes its caller's variables",
                "return numbers and arrays",
            )


def _attribute(name: str, path: Path) -> Any:
    node = dotted(name)
    for step in path:
        if isinstance(step, Entry):
            node = gast.Subscript(node, gast.Constant(step.key, None), gast.Load())
        else:
            node = gast.Attribute(node, step, gast.Load())
    return node
