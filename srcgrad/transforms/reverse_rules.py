"""Reverses calls of primitives and of users' Functions by their derivative rules."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from srcgrad.errors import MissingRuleError
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, clone, load, store, subscript
from srcgrad.ir.changes import change_of
from srcgrad.ir.one_result import has_one_result
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program, direct_names
from srcgrad.ir.walk import found_in, names_bound, statements
from srcgrad.rules.base import Context
from srcgrad.rules.reasons import refusal_of
from srcgrad.transforms.contributions import Contributions
from srcgrad.transforms.masking import Masking
from srcgrad.transforms.parts_read import parts_read
from srcgrad.transforms.rule_sources import NotInlinableError, bind, rule_source, whole_parameters
from srcgrad.transforms.runtime_calls import is_sequence_call
from srcgrad.transforms.sweep import Sweep, renamed
from srcgrad.transforms.templates import Inlined
from srcgrad.transforms.unbroadcasting import note_whole, of_update, representative, shortened


class RuleSteps:
    """The steps of statements that have a rule."""

    def __init__(self, sweep: Sweep) -> None:
        self._sweep = sweep
        self._kept: dict[str, str] = {}  # the copies that the statement in hand has read
        self._masking = Masking(sweep)

    def prepare_rule(
        self,
        statement: Any,
        operation: Operation,
        targets: list[str],
        rule: Any,
        *,
        own_forward: bool,
    ) -> list[Any]:
        original = {kept: name for name, kept in self._sweep.renamed.items()}
        longer = self._sweep.facts.storage.reshaped  # lists, which may have other shapes by then
        self._sweep.originals.update((k, n) for k, n in original.items() if n not in longer)
        args = [self._sweep.kept(item) for item in operation.args]
        keywords = {key: self._sweep.kept(item) for key, item in operation.keywords.items()}
        copies, results = self._results_kept(statement, targets)
        try:
            placed = self._sweep.inliner.place(
                rule,
                args,
                keywords,
                lambda item: self._sweep.is_active(renamed(item, original)),
                results,
                own_forward=own_forward,
            )
        except NotInlinableError:
            placed = self.called_rule(
                rule, args, keywords, targets, original, own_forward=own_forward
            )
        placed.parameters = [renamed(item, original) for item in placed.parameters]
        kept = dict(self._sweep.renamed)

        def step() -> list[Any]:
            self._kept = kept
            return self.reverse_rule(statement, placed, targets)

        self._sweep.steps[id(statement)] = step
        if placed.value is not None:
            statement.value = placed.value
            self._sweep.witness.run_as(statement, placed.before)
        for extra in placed.before:
            at(extra, statement)
        self._sweep.witness.before[id(statement)] = placed.before
        return [*placed.before, statement, *copies]

    def _results_kept(self, statement: Any, targets: list[str]) -> tuple[list[Any], list[Any]]:
        """Return the results as the rule may read them backwards: copies of what is overwritten.

        The copies that no adjoint reads go with the other dead stores.
        """
        copies: list[Any] = []
        results: list[Any] = []
        for target in targets:
            name = target
            if self._sweep.is_written_after(target, statement):
                name = self._sweep.namer.fresh(f"{self._sweep.namer.base(target)}_then")
                copied = call(self._sweep.externals.use_runtime("copied"), load(target))
                copies.append(assign(name, copied, statement))
                self._sweep.originals[name] = target
            results.append(load(name))
        return copies, results

    def called_rule(
        self,
        rule: Any,
        args: list[Any],
        keywords: dict[str, Any],
        targets: list[str],
        original: dict[str, str],
        *,
        own_forward: bool,
    ) -> Inlined:
        """Call a rule's own `forward` and `backward` where its body cannot be put in place."""
        try:
            operands, _ = bind(rule_source(rule).forward, args, keywords)
        except NotInlinableError:
            operands = args
        active = [self._sweep.is_active(renamed(item, original)) for item in operands]
        gathers = not own_forward  # a rule of ours may return one gradient an item
        context = self._sweep.namer.fresh("ctx")
        name = self._sweep.externals.name_of(rule, rule.__name__, lambda: rule.__module__)
        maker = self._sweep.externals.name_of(Context, "Context", lambda: Context.__module__)
        needs = gast.Tuple([gast.Constant(flag, None) for flag in active], gast.Load())
        value = call(f"{name}.forward", load(context), *args)
        value.keywords = [gast.keyword(key, item) for key, item in keywords.items()]

        def adjoint(grads: list[Any]) -> tuple[list[Any], list[Any]]:
            whole = self._sweep.namer.fresh("grad_inputs")
            emitted = [assign(whole, call(f"{name}.backward", load(context), *grads))]
            parts: list[Any] = []
            for position, is_active in enumerate(active):
                part: Any = subscript(load(whole), gast.Constant(position, None))
                if position == 0:  # a rule may return the first gradient alone, without a tuple
                    several = call("isinstance", load(whole), load("tuple"))
                    part = gast.IfExp(several, part, load(whole))
                if is_active and isinstance(operands[position], gast.Name) and gathers:
                    function = self._sweep.externals.use_runtime("gathered")
                    part = call(function, part, clone(operands[position]))
                parts.append(part if is_active else None)
            return emitted, parts

        return Inlined(operands, [assign(context, call(maker, needs))], value, adjoint)

    def reverse_rule(  # noqa: C901 - one rule, in its order
        self, statement: Any, placed: Inlined, targets: list[str]
    ) -> list[Any]:
        count = self.results(statement, len(targets))
        result = load(targets[0]) if len(targets) == 1 else None

        def rule(grads: list[Any]) -> tuple[list[Any], Contributions]:
            adjoints = grads
            if len(targets) > 1:
                grads = self._filled(statement, grads, targets)
            elif count is None:
                used = [gast.Constant(i, None) for i in self._parts_used(statement, targets[0])]
                results = call(self._sweep.externals.use_runtime("several"), grads[0], *used)
                grads = [gast.Starred(results, gast.Load())]
            elif count > 1:
                places = self._parts_used(statement, targets[0]) or range(count)
                parts = [subscript(clone(grads[0]), gast.Constant(i, None)) for i in range(count)]
                grads = [part if i in places else _none() for i, part in enumerate(parts)]
            try:
                emitted, values = placed.adjoint(grads)
            except NotInlinableError:  # found out late: forward has been put in place
                primal = self._sweep.program.operation(statement).primal
                name = self._sweep.program.reader.vocabulary.canonical_name(primal)
                for item in filter(self._sweep.is_active, placed.parameters):
                    operand = self._sweep.namer.base(direct_names(item)[0])
                    self._sweep.missing.append((statement, name, operand))
                return [], []
            for value in [*values, *emitted]:
                self.simplify_sizes(value)
            note_whole(emitted, self._sweep)
            contributions: Contributions = []
            plain: dict[str, Any] = {}
            given = values[: len(placed.parameters)]
            for place, (item, value) in enumerate(zip_longest(placed.parameters, given)):
                if value is None and self._sweep.is_active(item):
                    if not self._is_inert(statement, place):
                        self.note_missing(statement, item, self._parameter(statement, place))
                elif self._sweep.is_active(item):
                    before = self._masking.unmasked(value)
                    part = self._masking.within(statement, targets, item, value)
                    if before is not None and isinstance(item, gast.Name):
                        plain[item.id] = before
                    part = of_update(part, place, statement, self._sweep)
                    part = shortened(part, result, self._sweep)
                    emitted.extend(self.spread(item, part, contributions))
            self._tell(statement, adjoints, emitted, contributions, plain)
            return emitted, contributions

        return self._sweep.pass_on(statement, targets, rule)

    def _tell(
        self,
        statement: Any,
        grads: list[Any],
        emitted: list[Any],
        contributions: Contributions,
        plain: dict[str, Any],
    ) -> None:
        """Tell the checker of the contributions of a statement, without masks."""
        said = [(name, plain.get(name, value)) for name, value in contributions]
        silent = self._sweep.silent_operands(statement)
        self._sweep.witness.note(statement, grads, emitted, said, silent=silent)

    def _filled(self, statement: Any, grads: list[Any], targets: list[str]) -> list[Any]:
        """Return the gradients of several results: None or zeros for one that is not used."""
        operation = self._sweep.program.operation(statement)
        rule = self._sweep.program.reader.vocabulary.rule_for(operation.primal)
        if operation.kind != "primitive" or not rule.tells_unused:
            return self._sweep.filled(grads, targets)
        return [_none() if item is None else item for item in grads]

    def _parts_used(self, statement: Any, target: str) -> list[int]:
        """Return which results are read of several in one name; nothing for all of them."""
        operation = self._sweep.program.operation(statement)
        rule = self._sweep.program.reader.vocabulary.rule_for(operation.primal)
        if operation.kind != "primitive" or not rule.tells_unused:
            return []
        return sorted(parts_read(self._sweep.program.body, target, self._sweep.is_active))

    def _is_inert(self, statement: Any, place: int) -> bool:
        """Say whether of a parameter of a rule, by its place, only the shape counts."""
        operation = self._sweep.program.operation(statement)
        rule = self._sweep.program.reader.vocabulary.rule_for(operation.primal)
        if operation.kind != "primitive" or rule is None:
            return False
        return self._parameter(statement, place) in (*rule.inert, *whole_parameters(rule))

    def _parameter(self, statement: Any, place: int) -> str:
        """Return the name of a parameter of the rule of a primitive; nothing if it has none."""
        operation = self._sweep.program.operation(statement)
        rule = self._sweep.program.reader.vocabulary.rule_for(operation.primal)
        if operation.kind != "primitive" or rule is None:
            return ""
        source = rule_source(rule)
        signature = source.forward.args
        every = [*signature.posonlyargs, *signature.args, *signature.kwonlyargs]
        names = [item.id for item in every]
        names = names if source.is_partials or source.is_slope else names[1:]
        return names[place] if place < len(names) else ""

    def simplify_sizes(self, node: Any) -> None:
        """Ask a variable for its shape or size, rather than an intermediate value of that shape."""
        for item in found_in(node, gast.Call):
            func = item.func
            asks = isinstance(func, gast.Attribute) and func.attr in ("shape", "size")
            if asks and len(item.args) == 1:
                item.args[0] = renamed(item.args[0], self._sweep.originals)
                item.args[0] = representative(item.args[0], self._sweep)

    def note_missing(self, statement: Any, item: Any, parameter: str = "") -> None:
        """Note a gradient that a built-in rule does not know; None from a user's means zero."""
        operation = self._sweep.program.operation(statement)
        if operation.kind == "primitive":
            name = self._sweep.program.reader.vocabulary.canonical_name(operation.primal)
            operand = self._sweep.namer.base(direct_names(item)[0])
            if parameter:
                said = refusal_of(name, parameter, operand)
                self._sweep.refused.append((statement, *said, MissingRuleError))
            else:
                self._sweep.missing.append((statement, name, operand))

    def results(self, statement: Any, wanted: int) -> int | None:
        operation = self._sweep.program.operation(statement)
        vocabulary = self._sweep.program.reader.vocabulary
        if wanted == 1 and operation.kind == "primitive":
            rule = vocabulary.rule_for(operation.primal)
            if has_one_result(rule, operation):
                return 1
        return vocabulary.results(operation.primal, wanted)

    def spread(self, item: Any, value: Any, into: Contributions) -> list[Any]:
        """Give the gradient of one operand to the names in it; displays get one part each."""
        if isinstance(item, gast.Name):
            gathers = is_sequence_call(value) or item.id in self._sweep.containers
            into.append((item.id, self._gathered(value, item) if gathers else value))
            return []
        if isinstance(value, (gast.Tuple, gast.List)):
            for part, inner in zip(item.elts, value.elts, strict=True):
                if self._sweep.is_active(part):
                    self.spread(part, inner, into)
            return []
        parts = [self._sweep.namer.fresh(f"grad_{_word(part)}_part") for part in item.elts]
        grown = self._sweep.program.once(_not_displayed) & self._sweep.containers
        for part, name in zip(item.elts, parts, strict=True):
            if self._sweep.is_active(part):
                gathers = part.id in grown  # a list, whose entries are taken from the end
                into.append((part.id, self._gathered(load(name), part) if gathers else load(name)))
        if isinstance(value, gast.Name):  # of arrays, NumPy gives single entries sooner than all
            named = zip(item.elts, parts, strict=True)
            return [
                assign(name, subscript(load(value.id), gast.Constant(place, None)))
                for place, (part, name) in enumerate(named)
                if self._sweep.is_active(part)
            ]
        return [assign(gast.Tuple([store(name) for name in parts], gast.Store()), value)]

    def _gathered(self, value: Any, item: Any) -> Any:
        """Return the gradient of a list as a list of those of its entries."""
        like = load(self._kept.get(item.id, item.id))
        return call(self._sweep.externals.use_runtime("gathered"), value, like)


def _none() -> Any:
    return gast.Constant(None, None)


def _word(node: Any) -> str:
    return str(node.id) if isinstance(node, gast.Name) else "item"


def _not_displayed(program: Program) -> frozenset[str]:
    """Return the names that are bound to anything but displays, or that grow."""
    found: set[str] = set()
    for statement in statements(program.body):
        change = change_of(statement)
        if change is not None:
            found.add(change.name)
        elif isinstance(statement, gast.Assign):
            if program.operation(statement).kind not in ("list", "tuple"):
                found.update(name for item in statement.targets for name in names_bound(item))
        elif isinstance(statement, gast.For):
            found.update(names_bound(statement.target))
    return frozenset(found)
