"""Makes the body of a derivative short: the passes that come last for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from srcgrad.analyses.sharing import Sharing
from srcgrad.analyses.touched_elements import TouchedElements
from srcgrad.compiler.name_kinds import NameKinds
from srcgrad.compiler.stages import Stages
from srcgrad.frontend.normalize.wording import wording
from srcgrad.ir.marks import ADJOINT
from srcgrad.ir.program import Program
from srcgrad.ir.walk import found_with
from srcgrad.optimizations.ask_next import asked_next
from srcgrad.optimizations.assign_first import assign_first
from srcgrad.optimizations.coalesce import coalesce
from srcgrad.optimizations.collect_terms import TermCollection
from srcgrad.optimizations.delay_clears import ClearDelay
from srcgrad.optimizations.drop_last_clears import drop_idle_clears, drop_last_clears
from srcgrad.optimizations.fill_cleared import fill_cleared
from srcgrad.optimizations.float_literals import FloatLiterals
from srcgrad.optimizations.fold_constants import ConstantFolding
from srcgrad.optimizations.forward_substitute import ForwardSubstitution
from srcgrad.optimizations.gather_additions import AdditionGathering
from srcgrad.optimizations.idle_guards import drop_number_guards
from srcgrad.optimizations.join_outers import join_outers
from srcgrad.optimizations.leave_in_place import LeavingInPlace
from srcgrad.optimizations.merge_additions import merge_additions
from srcgrad.optimizations.merge_handlers import merge_handlers
from srcgrad.optimizations.propagate_constants import propagate_constants
from srcgrad.optimizations.propagate_copies import propagate_copies
from srcgrad.optimizations.purity import Purity
from srcgrad.optimizations.read_originals import read_originals, without_ones
from srcgrad.optimizations.repeat_lookups import LookupRepetition
from srcgrad.optimizations.repeat_signs import SignRepetition
from srcgrad.optimizations.repeat_tests import RepeatedTests
from srcgrad.optimizations.return_directly import return_directly
from srcgrad.optimizations.return_early import return_early
from srcgrad.optimizations.share_results import Fixed, ResultSharing
from srcgrad.optimizations.sign_literals import sign_literals
from srcgrad.optimizations.skip_copies import skip_copies, skip_own_copies, store_directly
from srcgrad.optimizations.skip_shelters import ShelterSkipping
from srcgrad.optimizations.spell_products import spell_products
from srcgrad.optimizations.spell_selections import calls_for_adjoints, spell_selections
from srcgrad.optimizations.sum_outers import OuterVectors, sum_outers
from srcgrad.optimizations.swap import write_swaps
from srcgrad.optimizations.tidy import tidy
from srcgrad.optimizations.unused_parts import name_unused_parts
from srcgrad.optimizations.width import width
from srcgrad.optimizations.write_over import guarded_names, write_over
from srcgrad.transforms.externals import Externals

_Names: TypeAlias = Mapping[str, str] | None


@dataclass(frozen=True, slots=True)
class Polishing:
    """The clean-up of one derivative.

    Attributes:
        program: The function in normal form.
        purity: Says which expressions may be moved.
        kinds: What the names of the program surely hold.
        is_temporary: Says which names the compiler made.
        is_float: Says which names surely hold floating-point numbers.
        keep: The names that ``+=`` must not change in place.
        parameters: The parameters of the derivative.
        externals: What the text imports.
        stages: Notes what the body is like on the way.
    """

    program: Program
    purity: Purity
    kinds: NameKinds
    is_temporary: Callable[[str], bool]
    is_float: Callable[[str], bool]
    keep: set[str]
    parameters: tuple[str, ...]
    externals: Externals
    stages: Stages

    def without_idle_clears(self, body: list[Any]) -> list[Any]:
        """Return the body without what sets to zero that nothing reads any more."""
        return drop_idle_clears(body, self._is_array(), self._touched)

    def run(self, body: list[Any]) -> list[Any]:
        """Return the body, made short."""
        body = propagate_copies(body, self.is_temporary, self.parameters)
        body = propagate_constants(body, self._is_ours, self.parameters)
        body = drop_last_clears(body, self.purity, self.parameters)
        body = self._with_results_shared(body)
        body = skip_copies(drop_number_guards(self._substituted(body), self._is_number()))
        self.stages.note("substitute", body)
        body = self._coalesced(body)
        if write_over(body):
            self.externals.use_runtime("written_over")
        asked_next(body, self.is_temporary)
        body = self._folded(body)
        body = write_swaps(body)
        name_unused_parts(body, self.is_temporary, self.purity.is_adjoint)
        body = return_early(body)
        self._name_adjoints(body)
        calls = list(calls_for_adjoints(body, self.purity.is_adjoint))
        if spell_products(calls):
            self.externals.use_runtime("dot_along")
        for name in spell_selections(calls):
            self.externals.use_runtime(name)
        return merge_handlers(body)

    def _with_results_shared(self, body: list[Any]) -> list[Any]:
        """Compute once what a block computes several times."""
        now, fresh = self.kinds.names_now(self.program), self.program.namer.fresh
        sharing = ResultSharing(
            self.purity,
            self._is_ours,
            self._is_number(now),
            self._holds_array(now),
            lambda node: fresh(wording(node)),
        )
        return sharing.run(body)

    def _substituted(self, body: list[Any]) -> list[Any]:
        """Put what is read once, or what is no more than a lookup, where it is read."""
        tests = RepeatedTests(self.is_temporary, self.program.parameters, self.kinds.numbers)
        body = tests.run(body, self.purity.of)
        updated = guarded_names(body)

        def is_temporary(name: str) -> bool:
            return name not in updated and self.is_temporary(name)

        body = ForwardSubstitution(self.purity, is_temporary, width).run(body)
        return LookupRepetition(self.purity, is_temporary, width).run(body)

    def _coalesced(self, body: list[Any]) -> list[Any]:
        program, parameters, namer = self.program, self.parameters, self.program.namer

        @cache  # few bodies have updates of which it is asked
        def sharing() -> Sharing:
            return Sharing(body, self.purity.of)

        def may_share(first: str, second: str) -> bool:
            return sharing().may_share(first, second)

        return coalesce(body, parameters, namer, self.keep, program.results, may_share)

    def _folded(self, body: list[Any]) -> list[Any]:
        """Do the arithmetic of literals and of adjoints, and return what is computed last."""
        is_adjoint, kinds = self.purity.is_adjoint, self.kinds
        now = kinds.names_now(self.program)
        is_matrix = kinds.in_text(self.program, kinds.matrices, now=now)
        is_number, holds_array = self._is_number(now), self._holds_array(now)
        folding = ConstantFolding(self.is_float, is_number, is_adjoint, is_matrix)
        for turn in range(3):  # what is folded may be a number that can be put elsewhere
            before = body
            body = propagate_constants(body, self._is_ours, self.parameters)
            body = folding.settle(body) if turn and body is before else folding.run(body)
            if body is before and not folding.unsettled:
                break
        collection = TermCollection(self.purity, self.is_float, holds_array)
        gathering = AdditionGathering(self.purity, width, collection.of)
        may_share = Sharing(body, self.purity.of, is_number, holds_array).may_share
        merged = merge_additions(collection.run(body), width, is_adjoint, may_share)
        body = self._coalesced(gathering.run(collection.run(merged)))
        body = self._without_ones(tidy(folding.run(body)))
        body = read_originals(body, self._is_ours)
        now = kinds.names_now(self.program)
        is_array = self._is_array(now)
        leaving, substitution = LeavingInPlace(body, self.purity), ForwardSubstitution
        if leaving.has_taken:
            body = substitution(self.purity, self.is_temporary, width).run(body)
            body = leaving.run(body)
        body = ClearDelay(self.purity, width).run(body)
        body = fill_cleared(body, self.purity, self._is_number(now), is_array)
        body = skip_copies(body)  # of what is one sum only now
        body = substitution(self.purity, self.is_temporary, width).run(body)
        body = SignRepetition(self.purity, self.is_float, width).run(body)
        body = assign_first(body, self.purity, is_array, self._touched)
        body = store_directly(body, is_array)
        body = skip_own_copies(body, self.parameters)
        body = ShelterSkipping(self.purity, is_array).run(body)
        body = folding.run(return_directly(body, self.purity, width))
        is_vector = kinds.in_text(self.program, kinds.vectors, now=now)
        is_integer = kinds.in_text(self.program, kinds.integers, of_adjoints=False, now=now)
        known = OuterVectors(
            *(is_vector, is_matrix, is_integer, self._is_number(now)),
            *(self.purity, self.program.namer.fresh),
        )
        body = join_outers(sum_outers(body, known), collection.is_ours, is_vector)
        literals = FloatLiterals(
            collection.is_ours, is_adjoint, collection.holds_floats, is_number, is_matrix
        )
        return sign_literals(literals.run(body), collection.is_ours)

    def _without_ones(self, body: list[Any]) -> list[Any]:
        def fixed() -> Fixed:
            return Fixed(body, self.purity, self._is_number(), self._holds_array())

        return without_ones(body, fixed, self._is_ours, self.is_float)

    def _is_ours(self, name: str) -> bool:
        return self.is_temporary(name) or self.purity.is_adjoint(name)

    def _name_adjoints(self, body: list[Any]) -> None:
        """Give adjoints that stand where they are read the names that the user knows them by."""
        for statement in body:
            for node in found_with(statement, ADJOINT.name):
                ADJOINT.put(node, self.program.namer.base(ADJOINT.of(node)))

    def _is_number(self, now: _Names = None) -> Callable[[str], bool]:
        """Say which variables never hold anything but a number, and so which adjoints."""
        return self.kinds.in_text(self.program, self.kinds.numbers, now=now)

    def _is_array(self, now: _Names = None) -> Callable[[str], bool]:
        """Say which adjoints are surely those of arrays with axes."""
        arrays = self._holds_array(now)
        return lambda name: self.purity.is_adjoint(name) and arrays(name)

    def _holds_array(self, now: _Names = None) -> Callable[[str], bool]:
        return self.kinds.in_text(self.program, self.kinds.arrays, now=now)

    def _touched(self, body: list[Any]) -> TouchedElements:
        """Return what touches the elements of the arrays of a body."""
        integers = self.kinds.in_text(self.program, self.kinds.integers, of_adjoints=False)
        sharing = Sharing(body, self.purity.of, self._is_number(), self._holds_array())
        return TouchedElements(body, self.parameters, integers, sharing)
