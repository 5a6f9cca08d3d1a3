"""Says into which of its parameters a Python function may write, before it is differentiated."""

from __future__ import annotations

import copy
import inspect
from collections import defaultdict
from types import FunctionType, ModuleType
from typing import Any, Final, NamedTuple

import numpy as np

from srcgrad.backends.compat import tells_namespace
from srcgrad.frontend.apart import named_apart, names_captured, targets_of
from srcgrad.frontend.callees import (
    ELSEWHERE,
    OUTPUTS,
    all_parameters,
    calls_back,
    functions_held,
    given_to,
    is_library,
    is_type_of_numbers,
    makers_of,
    makes_exception,
)
from srcgrad.frontend.element_reads import (
    counts_in,
    element_of,
    is_place,
    parts_of,
    plain_origins,
)
from srcgrad.frontend.fixed import may_hand_out_defaults, never_changes
from srcgrad.frontend.given_functions import (
    LOCAL,
    Given,
    bound_by,
    given_names,
    local_functions,
    parameters_given,
    told_by_call,
)
from srcgrad.frontend.made_arrays import TARGETING, arrays_made
from srcgrad.frontend.parameter_parts import number_parameters, text_parameters
from srcgrad.frontend.remembered import nothing_changes, tree_to_read
from srcgrad.ir import gast
from srcgrad.ir.operations import Operation, Reader, may_return_operand, operands_viewed
from srcgrad.ir.packages import is_of_python
from srcgrad.ir.pairs import pairs_up
from srcgrad.ir.scopes import MISSING, is_library_method, scope_of, uncached
from srcgrad.ir.targets import target_of
from srcgrad.ir.vocabulary import Vocabulary
from srcgrad.ir.walk import names_bound, names_read, places_in, root_name, walk
from srcgrad.locks import kept_property
from srcgrad.primitives.methods import WRITING
from srcgrad.runtime.tables import depth_of_table

_READERS: Final = (
    *(zip, enumerate, reversed, map, filter, sorted, list, tuple, set, dict),
    *(getattr, hasattr, next, iter, inspect.signature, copy.copy),
)
"""They hand on what they are given, and write into none of it."""
_TAKING: Final = WRITING | {"save_for_backward", "save_for_forward", "set_materialize_grads"}
_HOLDERS: Final = (
    *(gast.List, gast.Tuple, gast.Dict, gast.Set),
    *(gast.ListComp, gast.DictComp, gast.SetComp),
)
_COPIERS: Final = (list, dict, set, tuple, sorted, copy.copy)
_READ_ONLY: Final = (gast.Constant, gast.JoinedStr, gast.Dict)  # no method takes and writes
_PLAIN: Final = (dict, list, tuple, str, type(None))  # None: a library that is not installed
_NEW_MEMORY: Final = (gast.BinOp, gast.UnaryOp, gast.Compare, gast.Constant, gast.JoinedStr)
_BINDING: Final = (TARGETING - {gast.Delete}) | {gast.Call, gast.Match}
"""What may bind a name, or hand memory to one."""
_CHANGING: Final = {gast.Assign, gast.Delete, gast.For, gast.withitem, gast.AugAssign, gast.Call}
"""What may write into memory."""

Active = frozenset[Any]


class Written(NamedTuple):
    """What a call may change.

    Attributes:
        parameters: The parameters whose memory that is, and ELSEWHERE for any other.
        deeply: Those of which it may be what they hold, as with ``rows[0][1] = v``.
    """

    parameters: frozenset[str]
    deeply: frozenset[str]


_NOTHING: Final = Written(frozenset(), frozenset())


def written_parameters(
    function: FunctionType, vocabulary: Vocabulary, active: Active = frozenset()
) -> frozenset[str]:
    """Return the parameters whose memory a call may change, and ELSEWHERE for any other.

    It errs on the safe side: a function without source may write into everything it is given.
    """
    return written_by(function, vocabulary, active).parameters


def written_by(
    function: FunctionType,
    vocabulary: Vocabulary,
    active: Active = frozenset(),
    given: Given = frozenset(),
) -> Written:
    """Return what a call of a function may change, of which some functions that it is `given`."""
    with nothing_changes() as memory:
        question = "written", id(vocabulary), given
        if (question, function) in active:  # found by the outer call of the same function
            return memory.assumed(question, function, _NOTHING)

        def find() -> Written:
            return _found_written(function, vocabulary, active | {(question, function)}, given)

        return memory.found(question, function, find)


def _found_written(
    function: FunctionType, vocabulary: Vocabulary, active: Active, given: Given
) -> Written:
    if is_library(function):  # these write only where they are told to
        return Written(all_parameters(function) & OUTPUTS, frozenset())
    tree = tree_to_read(function)
    if tree is None:
        every = all_parameters(function) | {ELSEWHERE}
        return Written(every, every)
    written = Effects(function, tree, vocabulary, active, given).run()
    if is_of_python(function):  # the memory of its own modules, as filters, is nobody's data
        return Written(written.parameters - {ELSEWHERE}, written.deeply)
    return written


def returned_parameters(
    function: FunctionType, vocabulary: Vocabulary, active: Active = frozenset()
) -> frozenset[str]:
    """Return the parameters whose memory the result of a call may lie in; all if in doubt."""
    return plain_origins(_returned_by(function, vocabulary, active))


def returned_elements(function: FunctionType, vocabulary: Vocabulary) -> frozenset[str]:
    """Return those of them of which the result is, or holds, at most elements: ``return x[i]``."""
    found = _returned_by(function, vocabulary, frozenset())
    return frozenset(origin for origin in plain_origins(found) if origin not in found)


def _returned_by(function: FunctionType, vocabulary: Vocabulary, active: Active) -> frozenset[str]:
    with nothing_changes() as memory:
        question = "returned", id(vocabulary)
        if (question, function) in active:  # found by the outer call of the same function
            return memory.assumed(question, function, frozenset[str]())

        def find() -> frozenset[str]:
            return _found_returned(function, vocabulary, active | {(question, function)})

        return memory.found(question, function, find)


def _found_returned(
    function: FunctionType, vocabulary: Vocabulary, active: Active
) -> frozenset[str]:
    tree = None if is_library(function) else tree_to_read(function)
    if tree is None:
        return all_parameters(function)
    return Effects(function, tree, vocabulary, active).returned()


class Effects:
    """Follows the parameters of one function through its names to the writes."""

    def __init__(
        self,
        function: FunctionType,
        tree: Any,
        vocabulary: Vocabulary,
        active: Active,
        told: Given = frozenset(),
    ) -> None:
        self._told = told
        self._reader = Reader(scope_of(function, tree, with_imports=True, shims=True), vocabulary)
        self._active = active
        self._operations: dict[int, Operation] = {}
        args = tree.args
        named = [*args.posonlyargs, *args.args, *args.kwonlyargs]
        starred = [item for item in (args.vararg, args.kwarg) if item is not None]
        self._from: dict[str, set[str]] = defaultdict(set)
        self._holds: dict[str, set[str]] = defaultdict(set)
        for item in named:
            self._from[item.id].add(item.id)
        for item in starred:  # the call itself makes the tuple and the dict of the others
            self._holds[item.id].add(item.id)
        self._given = [item.id for item in (*named, *starred)]
        self._texts = text_parameters(tree)
        self._numbers = number_parameters(tree)
        self._counts = counts_in(tree)
        self._body = named_apart(tree, [item.id for item in named], self._makes_new)

    def run(self) -> Written:
        """Return what is written."""
        binding = [node for node in self._nodes if node.__class__ in _BINDING]
        size = -1
        while size != (size := self._size()):
            for node in binding:
                self._bind(node)
        shallow, deep = set[str](), set[str]()
        for node in (node for node in self._nodes if node.__class__ in _CHANGING):
            found, inside = self._written(node)
            shallow |= found
            deep |= inside
        deeply = plain_origins(deep)
        return Written((plain_origins(shallow) | deeply) - self._texts, deeply)

    def first_write(self, wanted: frozenset[str]) -> tuple[Any, FunctionType | None]:
        """Return the first node that writes into one of the `wanted`, and whom it calls for it."""
        self.run()
        for node in self._nodes:
            if wanted.isdisjoint(plain_origins(set[str]().union(*self._written(node)))):
                continue
            callees = self._meant(node.func) if isinstance(node, gast.Call) else []
            functions = [item for item in callees if isinstance(item, FunctionType)]
            written = [f for f in functions if any(self._written_by(f, node))]
            return node, written[0] if written else None
        return None, None

    def returned(self) -> frozenset[str]:
        """Return the parameters that a returned value may be, hold or be a view of."""
        self.run()
        values = [node.value for node in self._nodes if isinstance(node, (gast.Return, gast.Yield))]
        return frozenset(origin for value in values for origin in self._origins(value))

    @kept_property
    def _nodes(self) -> list[Any]:
        """All nodes of the body, which stays as it is."""
        return [node for item in self._body for node in walk(item)]

    @kept_property
    def _held(self) -> dict[str, list[Any]]:
        """The functions that variables hold which hold nothing else, and parameters in this call.

        What is defined inside is looked through with the rest, and so is what it writes into.
        """
        held = functions_held(self._nodes, self._given, self._reader.scope)
        held.update(given_names(self._told, self._nodes))
        held.update({key: [LOCAL] for key in self._local})
        return held | parameters_given(self._local, self._nodes, held, self._reader.scope)

    @kept_property
    def _local(self) -> dict[str, Any]:
        """The functions that are defined inside, and called by their names alone."""
        return local_functions(self._nodes, self._given)

    @kept_property
    def _arrays(self) -> set[str]:
        """The names that are bound to new arrays of numbers alone, or to parts of such."""
        return arrays_made(self._nodes, self._given, self._reader)

    def _size(self) -> int:
        return sum(map(len, [*self._from.values(), *self._holds.values()]))

    def _bind(self, node: Any) -> None:
        if isinstance(node, gast.Assign):
            self._share(node.targets, node.value)
        elif isinstance(node, (gast.AnnAssign, gast.NamedExpr)):
            self._share([node.target], node.value)
        elif isinstance(node, (gast.For, gast.comprehension)):
            self._share([node.target], gast.Subscript(node.iter, node.iter, gast.Load()))
        elif isinstance(node, gast.withitem) and node.optional_vars is not None:
            self._share([node.optional_vars], node.context_expr)
        elif isinstance(node, gast.Match):
            for name in names_captured(node):  # what is asked for, or a part of it
                self._from[name] |= self._origins(node.subject)
        elif isinstance(node, gast.Call):
            self._bind_call(node)

    def _bind_call(self, call: Any) -> None:
        operands = [*call.args, *[item.value for item in call.keywords]]
        name = root_name(call.func.value) if self._is_method(call.func) else None
        if name is not None and call.func.attr in _TAKING:
            for item in call.args:
                self._holds[name] |= self._origins(item)
        local = self._local.get(getattr(call.func, "id", ""))
        for taken, item in [] if local is None else bound_by(call, local):
            self._from[taken] |= self._origins(item)
        inner = [item for item in operands if isinstance(item, gast.Lambda)]
        for taken in [arg.id for item in inner for arg in item.args.args]:  # from all the others
            for other in [item for item in (*operands, call.func) if item not in inner]:
                self._from[taken] |= self._origins(other)

    def _share(self, targets: list[Any], value: Any) -> None:
        if len(targets) == 1 and pairs_up(targets[0], value):
            for target, part in zip(targets[0].elts, value.elts, strict=True):
                self._share([target], part)
            return
        if isinstance(value, gast.Name) and all(isinstance(item, gast.Name) for item in targets):
            for target in targets:  # the same under another name
                self._from[target.id] |= self._of(value.id, deep=False)
                self._holds[target.id] |= self._holds[value.id]
            return
        sources = self._origins(value)
        made = isinstance(value, gast.Call) and self._reader.scope.resolve(value.func)
        holds = isinstance(value, _HOLDERS) or any(made is kind for kind in _COPIERS)
        for target in targets:
            for name in names_bound(target):
                plain = holds and isinstance(target, gast.Name)  # a new list of what there is
                (self._holds if plain else self._from)[name] |= sources
            holder = root_name(target)
            if holder is None or isinstance(target, gast.Name) or holder in self._arrays:
                continue  # an array copies what is stored
            self._holds[holder] |= sources

    def _origins(self, value: Any) -> set[str]:
        """Return the parameters whose memory the value of an expression may lie in."""
        if value is None or isinstance(value, _NEW_MEMORY):
            return set()
        if isinstance(value, gast.IfExp):
            return self._origins(value.body) | self._origins(value.orelse)
        if isinstance(value, gast.Call) and self._makes_new(value):
            return set()
        parts = self._viewed(value) if isinstance(value, gast.Call) else parts_of(value)
        if parts is not None:
            return {origin for item in parts for origin in self._origins(item)}
        if isinstance(value, gast.Call) and (callees := self._followed(value)):
            return set().union(*(self._handed_back(callee, value) for callee in callees))
        if isinstance(value, gast.Subscript):  # nothing of what it is asked for by
            return self._in_part(value)
        return {origin for name in names_read(value) for origin in self._of(name)}

    def _in_part(self, part: Any) -> set[str]:
        if isinstance(part.value, gast.Name):
            outside = self._reader.scope.lookup(part.value.id)  # MISSING for local names
            if depth_of_table(outside) == 1:
                return set()
        if not isinstance(part.value, gast.Name) or not is_place(part.slice, self._counts):
            return self._origins(part.value)
        whole = self._of(part.value.id, deep=False)
        return {*map(element_of, whole), *self._holds[part.value.id]}

    def _of(self, name: str, *, deep: bool = True) -> set[str]:
        """Return the parameters that a name may be, and those that it may hold."""
        found = self._from[name] | (self._holds[name] if deep else set())
        value = self._reader.scope.lookup(name)  # MISSING for local names
        data = value is not MISSING and not callable(value) and not isinstance(value, ModuleType)
        return found | {ELSEWHERE} if data and not never_changes(value) else found

    def _operation(self, call: Any) -> Operation:
        """Return what a call computes; read once, however often is asked where it leads to."""
        key = id(call)
        if key not in self._operations:
            self._operations[key] = self._reader.read(call)
        return self._operations[key]

    def _viewed(self, call: Any) -> list[Any] | None:
        """Return the operands that the result of a primitive may be, or lie in; else None."""
        operation = self._operation(call)
        if operation.kind != "primitive":
            return None
        known = self._reader.vocabulary.primitive(operation.primal)
        viewed = operands_viewed(known, operation)
        if len(viewed) < len(operation.args):
            return viewed
        return [*operation.args, *operation.keywords.values()]

    def _followed(self, call: Any) -> list[FunctionType]:
        """Return the functions of the user's that may be called, if what they return is seen."""
        callees = self._meant(call.func)
        known = self._reader.vocabulary.rule_for
        own = [c for c in callees if isinstance(c, FunctionType) and not is_library(c)]
        own = [c for c in own if c not in _READERS]
        return [] if len(own) < len(callees) or any(map(known, own)) else own

    def _handed_back(self, callee: FunctionType, call: Any) -> set[str]:
        """Return the parameters whose memory the result of a call may lie in."""
        found = _returned_by(callee, self._reader.vocabulary, self._active)
        out = may_hand_out_defaults(callee, plain_origins(found))
        made = {ELSEWHERE} if out else {ELSEWHERE} & found
        whole = made.union(*map(self._origins, given_to(callee, call, found)))
        given = given_to(callee, call, plain_origins(found) - found)
        return whole.union(element_of(origin) for item in given for origin in self._origins(item))

    def _makes_new(self, call: Any) -> bool:
        operation = self._operation(call)
        vocabulary = self._reader.vocabulary
        if operation.kind == "constant":
            return True
        if operation.kind != "primitive":
            return False
        known = vocabulary.primitive(operation.primal)
        return not known.may_view and not may_return_operand(known, operation)

    def _written(self, node: Any) -> tuple[set[str], set[str]]:
        """Return the parameters that a node writes into, and those where it may be what they hold.

        The memory of the latter itself may be written into, too.
        """
        if isinstance(node, (gast.Assign, gast.Delete, gast.For, gast.withitem)):
            bound = [item for target in targets_of(node) for item in places_in(target)]
            places = [item for item in bound if not isinstance(item, gast.Name)]
        elif isinstance(node, gast.AugAssign):
            places = [node.target]
        elif isinstance(node, gast.Call):
            return self._written_by_call(node)
        else:
            return set(), set()
        written, inside = set[str](), set[str]()
        for place in places:
            root = root_name(place)
            plain = isinstance(getattr(place, "value", place), gast.Name)
            updates = isinstance(node, gast.AugAssign) and not isinstance(place, gast.Name)
            deep = not plain or updates  # ``xs[0] += v`` writes into what the list holds
            if root is not None:
                (inside if deep else written).update(self._of(root, deep=deep))
        if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name):
            written -= self._numbers  # of a number it is no write
        return written, inside

    def _written_by_call(self, call: Any) -> tuple[set[str], set[str]]:
        func = call.func
        reader = self._reader
        target = target_of(call, reader)
        out = [] if target is None else [target]
        shallow: set[str] = set()
        if self._is_method(func) and func.attr in WRITING:
            if isinstance(func.value, gast.Name):
                shallow = self._of(func.value.id, deep=False)
            else:
                out.append(func.value)
        for callee in self._meant(func):
            elsewhere, flat, given = self._written_by(callee, call)
            shallow |= elsewhere
            for item in flat:
                named = isinstance(item, gast.Name)
                shallow |= self._of(item.id, deep=False) if named else self._origins(item)
            out += given
        deep = {origin for item in out for origin in self._origins(item) if item is not None}
        return shallow, deep

    def _is_method(self, func: Any) -> bool:
        """Say whether a call is of a method, and of no function of a module, as `np.add` is."""
        if not isinstance(func, gast.Attribute):
            return False
        return not isinstance(self._reader.scope.resolve(func.value), ModuleType)

    def _meant(self, func: Any) -> list[Any]:
        """Return what a call may be of; MISSING where only the run tells."""
        if is_type_of_numbers(func, {}, self._reader.scope):
            return [np.float64]
        held = self._held.get(func.id) if isinstance(func, gast.Name) else None
        return held or [uncached(self._reader.scope.resolve(func))]

    def _written_by(self, callee: Any, call: Any) -> tuple[set[str], list[Any], list[Any]]:
        """Return ELSEWHERE if a callee writes there, and the operands that it writes into.

        Of the latter, first those of which nothing that they hold is written into.
        """
        func, reader = call.func, self._reader
        if callee is LOCAL:
            return set(), [], []
        if callee is MISSING:
            return set(), [], [] if self._is_known_method(func) else list(call.args)
        if is_library_method(callee) or tells_namespace(callee):
            return set(), [], []
        if any(callee is item for item in _READERS) and not calls_back(callee, call):
            return set(), [], []
        if isinstance(callee, type) and issubclass(callee, BaseException):
            shifted = gast.Call(func, [gast.Constant(None, None), *call.args], call.keywords)
            makers, call = makers_of(callee), shifted
        elif reader.vocabulary.rule_for(callee) or reader.vocabulary.constant_reason(callee):
            own = isinstance(callee, FunctionType) and all_parameters(callee) & OUTPUTS
            return set(), [], given_to(callee, call, own) if own else []
        elif isinstance(callee, FunctionType):
            makers = [callee]
        else:
            return set(), [], list(call.args)
        elsewhere = set[str]()
        shallow, deep = list[Any](), list[Any]()
        for maker in makers:
            told = told_by_call(maker, call, self._meant)
            written, deeply = written_by(maker, reader.vocabulary, self._active, told)
            shallow += given_to(maker, call, written - deeply)
            deep += given_to(maker, call, deeply)
            elsewhere |= written & {ELSEWHERE}
        return elsewhere, shallow, deep

    def _is_known_method(self, func: Any) -> bool:
        """Say whether a call is of a method that writes at most into what it is called on."""
        return isinstance(func, gast.Attribute) and (
            isinstance(func.value, _READ_ONLY)
            or getattr(func.value, "id", "") in self._texts
            or func.attr in _TAKING
            or makes_exception(func, self._reader.scope)
            or func.attr in self._reader.vocabulary.methods
            or func.attr in self._reader.vocabulary.constant_methods
            or type(self._reader.scope.resolve(func.value)) in _PLAIN
        )
