"""Checks a derivative entry by entry, where lanes do not tell.

Primal and derivative run over NumPy's own arrays, which hold a few elements of the field each. The
elements of the primal carry a tangent, and the gradient times the direction must be the tangent of
the result, exactly. What a program does to memory, NumPy does here. It takes lengths of axes, which
lanes leave open, and knows fewer functions than they do.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from srcgrad.checker import arrays, meanings
from srcgrad.checker.check import Checker, imported, outcome
from srcgrad.checker.elements import LongRun, element_of
from srcgrad.checker.examples import made_of, places_of
from srcgrad.checker.field import PRIME, code_of, hashed
from srcgrad.checker.names import Names
from srcgrad.checker.nesting import store
from srcgrad.checker.own_code import OwnCode, Reading
from srcgrad.checker.reached import MARK
from srcgrad.checker.runs import Disagreement, NotCovered, Now
from srcgrad.checker.trials import DIVIDED, GIVEN, LIKE_A_CALL, OTHERS, STRETCHED, trials
from srcgrad.checker.values import (
    entries_of,
    filled,
    is_known,
    leaves_of,
    product,
    same,
    same_outside,
)
from srcgrad.checker.verdict import Verdict
from srcgrad.checker.witness import writes
from srcgrad.checker.witnessed import Primal

NESTS: Final = "it stores an array in an entry of an array"
_HOLDERS: Final = {"list": list, "tuple": tuple}
_WHOLE: Final = (None, "number", 0)  # ranks of parameters that are given whole numbers
_FEW: Final = 5  # where lanes have told all
_MOST_PATHS: Final = 8  # of each two the second goes the opposite ways
_MANY: Final = 2_000  # operations, after which numbers have been compared in both ways

Ended = tuple[LongRun, dict[str, Any], dict[str, Any], tuple[str, Any]]
"""A run that came to its end: the arguments afterwards and before, and the outcome."""


class ExactChecker(Checker):
    """The check of one derivative, by lanes and then entry by entry."""

    _lengths: tuple[int, ...] = ()
    _last: LongRun | None = None
    _most_ways = _MOST_PATHS
    _exact: ExactPrimal | None = None
    _own: OwnCode | None = None
    _unread = ""  # why the function's own code is not run
    _is_told = False  # whether all but that has been told by lanes
    _agreed = 0  # how many runs have come to their end at the first lengths that fit

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self._readings: list[Reading] = []
        self._path: list[LongRun] = []
        self._hopeless: list[Mapping[str, Any]] = []

    def _verdict(self) -> Verdict:
        found = super()._verdict()
        self._find_own()
        sure = found.kind == "proven" and not (found.missed and self._hangs)
        self._is_told = sure and not writes(self._subject.witness)
        if self._subject.fields or (self._is_told and self._own is None):
            return replace(found, unread=self._unread)
        self._last, self._agreed = None, 0
        self._most_ways = 2 if found.kind == "proven" else _MOST_PATHS - 2
        try:
            with np.errstate(all="ignore"):
                runs = self._exactly()
        except Disagreement as other:
            if found.kind == "wrong" or (self._own is None and found.kind != "proven"):
                return found
            return Verdict("wrong", str(other))
        except (NotCovered, RecursionError) as reason:
            if found.kind == "wrong" and self._agreed:  # which lanes know nothing of
                return Verdict("unproven", str(reason), self._agreed, found.missed, self._unread)
            return replace(found, unread=self._unread and str(reason))
        except Exception:  # noqa: BLE001 - what NumPy does not do with objects
            return replace(found, unread=self._unread)
        finally:
            self._lengths = ()
        if not runs:
            return replace(found, unread=self._unread)
        missed = tuple(self._reached.missed)
        return Verdict("proven", runs=found.runs + runs, missed=missed, unread=self._unread)

    def _let_go(self) -> None:
        """Untie what hangs in circles, so that nothing is left to the garbage collector."""
        super()._let_go()
        if self._exact is not None:
            self._exact.untie()
        for reading in self._readings:
            reading.untie()
        self._readings.clear()
        self._path.clear()
        self._exact = self._last = None

    def _find_own(self) -> None:
        """Find the function's own code, if it can be run in the place of the normal form."""
        subject = self._subject
        self._own, self._unread = None, ""
        self._hopeless.clear()
        if subject.fields:
            self._unread = "its arguments are objects"
        elif subject.function is None:
            self._unread = "what it is given decides what its code does"
        else:
            self._own, self._unread = OwnCode(subject.function, _BUILTINS), "no run of it ends"
            if not self._own.takes(subject.parameters, subject.keyword_only):
                self._own, self._unread = None, "its parameters are others"

    def _exactly(self) -> int:
        """Return how many runs came to their end with arguments that the program takes."""
        for ranks, lengths in itertools.islice(self._trials(), _FEW if self._is_told else None):
            self._ranks, self._lengths = ranks, lengths
            runs = self._exact_runs()
            if runs:
                self._agreed = runs
                return runs if self._is_told else runs + self._at_others()
        if self._own is None or self._is_told:
            return 0
        self._own = None
        return self._exactly()

    def _at_others(self) -> int:
        """Return how many runs end with other lengths and, of vectors, with another axis.

        With other lengths loops make other numbers of trips. What is a number in a vector is an
        array in a matrix, and another name of memory that the program writes.
        """
        ranks, lengths = self._ranks, self._lengths
        runs = self._at_other_lengths()
        known = self._subject.ranks
        if 1 in [rank for name, rank in ranks.items() if name not in known]:
            more = {name: 2 for name, rank in ranks.items() if rank == 1 and name not in known}
            self._ranks, self._lengths = {**ranks, **more}, lengths
            with contextlib.suppress(NotCovered):
                runs += self._exact_run(0)
        return runs

    def _at_other_lengths(self) -> int:
        """Return how many runs end with other lengths, where loops make other numbers of trips.

        Where lanes have told already, one more is enough: it shows what broadcasts.
        """
        first, runs = self._lengths, 0
        if first == GIVEN:
            self._lengths = STRETCHED
            return self._exact_run(0) + self._in_general()
        for lengths in OTHERS[: 1 if self._most_ways == 2 else None]:
            if lengths != first and any(isinstance(rank, int) for rank in self._ranks.values()):
                self._lengths = lengths
                runs += self._exact_run(0)
        return runs

    def _in_general(self) -> int:
        """Return how many runs end with arguments of another structure than those of a call.

        The text may be for them, too, where it says nothing of axes.
        """
        if all(name in self._subject.ranks for name in self._subject.outer):
            return 0
        runs = 0
        most = 3 if self._most_ways == 2 else _FEW
        for ranks, lengths in itertools.islice(self._trials(), 1, most):
            self._ranks, self._lengths = ranks, lengths
            with contextlib.suppress(NotCovered):
                runs = self._exact_run(0)
            if runs:
                break
        return runs

    def _trials(self) -> Iterator[tuple[dict[str, Any], tuple[int, ...]]]:
        """Yield numbers of axes and lengths, until the program's own constants fit them."""
        if self.example is not None:
            yield {}, GIVEN
        if self.divided is not None:
            yield {}, DIVIDED
        known = self._subject.ranks
        unknown = [name for name in self._subject.outer if name not in known]
        yield from trials(unknown, known, short=self._most_ways == 2)

    def _exact_runs(self) -> int:
        """Return how many runs came to their end; what does not agree raises."""
        runs, ways = 0, 2 if self._has_branches() else 1
        fewest = len(self._reached.missed)
        for seed in range(_MOST_PATHS):
            self._path.clear()
            runs += self._exact_run(seed)
            hangs = any(run.asked for run in self._path)
            if runs and not (hangs or self._varies()):
                break  # another run is the same
            if hangs and not self._selects_much():
                ways = self._most_ways  # numbers were compared, which may go either way each time
            elif hangs:
                ways = 2
            if self._most_ways == 2 and runs > 1 and len(self._reached.missed) < fewest:
                fewest = len(self._reached.missed)
                continue
            if runs >= ways or (not runs and (seed == 2 or not hangs)):
                break
        return runs

    def _selects_much(self) -> bool:
        """Say whether what is compared decides of entries alone, in the last run of many.

        Each of them goes its own way there, so that the two opposite runs show what more would.
        """
        long = self._path[-1].steps - self._path[0].steps > _MANY
        return long and not (self._has_branches() or self._reached.has_rows)

    def _exact_run(self, seed: int) -> bool:
        """Compare both along one path; say whether it came to an end.

        It is the function's own code that the text is compared with, as long as that can be run.
        """
        self._reached.begin()
        if self._own is not None:
            try:
                ended = self._by_own_code(seed)
                if ended is None:
                    return False
                self._compare_with(ended, seed)
            except NotCovered as reason:
                self._own, self._unread = None, self._unread and str(reason)
            else:
                self._unread = ""
                self._reached.keep()
                return True
        ended = None if self._is_told else self._by_normal_form(seed)
        if ended is None:
            return False
        self._compare_with(ended, seed)
        self._reached.keep()
        return True

    def _varies(self) -> bool:
        """Say whether runs are given other whole numbers with another seed."""
        subject = self._subject
        kept = (name for name in subject.parameters if name not in subject.outer)
        return any(self._ranks.get(name) in _WHOLE for name in kept)

    def _compare_with(self, ended: Ended, seed: int) -> None:
        """Run the text along the same path, and compare all that it leaves."""
        subject = self._subject
        ours, given, ways, expected = ended
        if ours.nested:
            raise NotCovered(NESTS)
        theirs = Now.run = self._begin_long(seed)
        theirs.own = self._begun(self._own) if ours.own and self._own else None
        args = self._exact_arguments(seed, moving=False)
        space = self._exact_space()
        found = outcome(lambda: self._derivative(space, args))
        if found[0] == "raised":
            if isinstance(found[1], TypeError) or "an array element" in str(found[1]):
                raise NotCovered(f"NumPy does not do it with objects: {found[1]}")
            raise Disagreement(f"the derivative alone raises {found[1]!r}")
        result, outputs = found[1]
        by_text = sum(
            product(grad, ways[name], f"the gradient of `{name}`")
            for name, grad in zip(subject.outer, result, strict=True)
        )
        if (by_text - self._slope(expected[1])) % PRIME:
            raise Disagreement("the gradient is another")
        self._refuse_shared(result, args)
        if outputs is not None:
            values = list(expected[1]) if subject.returns_tuple else [expected[1]]
            for one, other in zip(values, outputs, strict=False):
                if other is not None and not same(one, other):
                    raise Disagreement("the value is another")
        self._compare_traces(ours, theirs, given, args)

    def _compare_traces(self, ours: Any, theirs: Any, given: Any, args: Any) -> None:
        """Compare what two runs leave: in their arguments, and in what lies outside."""
        if not same(given, args):
            raise Disagreement("an argument is left with other contents")
        if ours.trace != theirs.trace or not same_outside(ours.memo, theirs.memo):
            raise Disagreement("what can be seen from outside is not the same")

    def _begun(self, own: OwnCode) -> Reading:
        """Begin a run of the function's own code."""
        self._readings.append(own.begin())
        return self._readings[-1]

    def _by_own_code(self, seed: int) -> Ended | None:
        """Run the function's own code; None if it does not come to its end, which is noted.

        Raises:
            NotCovered: It calls what nobody can look into.
        """
        own: Any = self._own
        if self._ranks in self._hopeless:
            return None
        if own.may_nest and not self._keeps_apart(seed):
            raise NotCovered(NESTS)
        run = Now.run = self._begin_long(seed)
        reading = run.own = self._begun(own)
        given = self._exact_arguments(seed, moving=True)
        if not self._are_granted(given):
            return None
        lent = self._exact_arguments(seed, moving=True) if self._subject.copied else {}
        positional, named = self._as_called(
            {**given, **{name: lent[name] for name in self._subject.copied}}
        )
        expected = outcome(lambda: reading.run(positional, named))
        if expected[0] == "raised":
            self._unread = (
                self._unread and f"on exact numbers it raises {type(expected[1]).__name__}"
            )
            if not run.asked and isinstance(expected[1], (TypeError, AttributeError)):
                self._hopeless.append(self._ranks)  # which no other lengths would mend
            return None
        if not self._is_fit(expected[1]):
            return None
        return run, given, self._exact_arguments(seed, moving=True), expected

    def _keeps_apart(self, seed: int) -> bool:
        """Say whether the normal form stores no array in an entry of an array."""
        self._by_normal_form(seed, self._own)
        return not Now.run.nested

    def _by_normal_form(self, seed: int, own: OwnCode | None = None) -> Ended | None:
        """Run the normal form; None if it does not come to an end that a gradient is taken of.

        Functions that it calls are their `own` code then.
        """
        subject = self._subject
        run = Now.run = self._begin_long(seed)
        run.own = self._begun(own) if own else None
        names = Names(subject.scope, self._imports, self._exact_space(), arrays.outside)
        given = self._exact_arguments(seed, moving=True)
        if not self._are_granted(given):
            return None
        expected = outcome(lambda: self._exact_made().run(names, given))
        if expected[0] == "raised" or not self._is_fit(expected[1]):
            return None
        return run, given, self._exact_arguments(seed, moving=True), expected

    def _exact_made(self) -> ExactPrimal:
        """Return the primal as it is run over arrays."""
        if self._exact is None:
            subject = self._subject
            witness = subject.witness
            self._exact = ExactPrimal(witness, subject.parameters, [], witness.body)
        return self._exact

    def _begin_long(self, seed: int) -> LongRun:
        self._last = made = LongRun(seed, self._last, self._subject.witness.body)
        self._path.append(made)
        return made

    def _is_fit(self, result: Any) -> bool:
        """Say whether a result is one that a gradient can be taken of."""
        if not all(map(is_known, entries_of(result))):
            return False
        if self._subject.backward:
            return True
        return not np.shape(result[0] if self._subject.returns_tuple else result)

    def _are_granted(self, given: dict[str, Any]) -> bool:
        """Say whether arguments are such that the text is for them, as far as that can be told."""
        names = {"np": np, "__builtins__": meanings.BUILTINS}
        for condition in self._subject.conditions:
            try:
                if not eval(_asked(condition), names, given):  # noqa: S307 - a text of ours
                    return False
            except Exception:  # noqa: BLE001, S112 - it is in words
                continue
        return True

    def _slope(self, result: Any) -> int:
        """Return how the result changes along the direction, times what is given for it."""
        if not self._subject.backward:
            return element_of(result[0] if self._subject.returns_tuple else result).dot
        outputs = list(result) if self._subject.returns_tuple else [result]
        return sum(
            product(self._given(place, output), output, "what is given")
            for place, output in enumerate(outputs)
        )

    def _given(self, place: int, output: Any) -> Any:
        if not self._lengths:
            return super()._given(place, output)
        return filled(output, hashed(code_of("given"), place), moving=False)

    def _refuse_shared(self, result: Any, args: dict[str, Any]) -> None:
        roots = [("an argument", leaf) for leaf in leaves_of(list(args.values()))]
        for name, grad in zip(self._subject.outer, result, strict=True):
            own = f"the gradient of `{name}`"
            for leaf in leaves_of(grad):
                if not leaf.flags.writeable:
                    raise Disagreement(f"{own} is spread over memory that it has no more of")
                for other, array in roots:
                    if other != own and np.may_share_memory(leaf, array):
                        raise Disagreement(f"{own} shares memory with {other}")
                roots.append((own, leaf))

    # -- names

    def _exact_arguments(self, seed: int, *, moving: bool) -> dict[str, Any]:
        subject = self._subject
        given = self.divided if self._lengths == DIVIDED else self.example
        if given is not None and self._lengths in LIKE_A_CALL:
            return self._like_those_given(given, seed, moving=moving)
        made: dict[str, Any] = {}
        for name in subject.parameters:
            if name in subject.starred:
                made[name] = {} if name == subject.starred[-1] and len(subject.starred) == 2 else ()
                continue
            code = code_of(f"argument {name}")
            rank = self._ranks.get(name)
            varied = name in subject.outer
            if not varied and (rank in _WHOLE or rank in _HOLDERS):
                made[name] = 2 + (hashed(code, 0) + seed) % 2
                continue
            if isinstance(rank, tuple):
                made[name] = places_of(rank, self._lengths, hashed(code, seed))
                continue
            count = rank if isinstance(rank, int) else 0
            lengths = (self._lengths * 8)[:count]
            like: Any = np.empty(lengths, object) if count else 0.0
            if rank in _HOLDERS:
                like = _HOLDERS[rank](np.empty(self._lengths[:1], object) for _ in range(2))
            made[name] = filled(like, hashed(code, seed), moving=moving and varied)
        return made

    def _like_those_given(self, example: list[Any], seed: int, *, moving: bool) -> dict[str, Any]:
        subject, longer = self._subject, self._lengths == STRETCHED
        made: dict[str, Any] = {}
        for name, like in zip(subject.parameters, example, strict=True):
            code, moves = hashed(code_of(f"argument {name}"), seed), name in subject.outer
            made[name] = made_of(like, code, moving=moving and moves, stretched=longer)
        return made

    def _exact_space(self) -> dict[str, Any]:
        space: dict[str, Any] = {"__name__": "srcgrad.checker.run", "__builtins__": _BUILTINS}
        self._spaces.append(space)
        space[MARK] = self._reached.note
        for name, value in self._bound.items():
            space[name] = arrays.outside(value)
        exec(self._reached.code, space)  # noqa: S102 - the text that is checked, over elements
        return space


@functools.lru_cache(maxsize=1024)
def _asked(condition: str) -> Any:
    return compile(condition, "<condition>", "eval")


def _import(
    name: str, _globals: Any = None, _locals: Any = None, fromlist: Any = (), level: int = 0
) -> Any:
    del level
    return arrays.outside(imported(name, whole=bool(fromlist)))


_BUILTINS: Final[dict[str, Any]] = {**meanings.BUILTINS, "__import__": _import}


class ExactPrimal(Primal):
    """The primal, run over arrays: what it does to memory, NumPy does."""

    records = False

    def update(self, left: Any, sign: str, right: Any) -> Any:
        """Do ``left op= right``, and return the result."""
        return _IN_PLACE[sign](left, right)

    def augment(self, holder: Any, key: Any, sign: str, value: Any, *, repeats: bool) -> None:
        """Update an entry; with `repeats` as often as it is named."""
        if repeats and isinstance(holder, np.ndarray):
            (np.add if sign == "Add" else np.subtract).at(holder, key, value)
            return
        store(holder, key, _IN_PLACE[sign](holder[key], value))


_IN_PLACE: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "Add": operator.iadd, "Sub": operator.isub, "Mult": operator.imul, "Div": operator.itruediv,
    "Pow": operator.ipow, "FloorDiv": operator.ifloordiv, "Mod": operator.imod,
    "MatMult": operator.imatmul, "BitAnd": operator.iand, "BitOr": operator.ior,
    "BitXor": operator.ixor,
}  # fmt: skip
