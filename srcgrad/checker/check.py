"""Checks a finished derivative against its primal: runs both over lanes, along several paths."""

from __future__ import annotations

import builtins
import importlib
import math
import re
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from types import CodeType
from typing import Any, Final

from srcgrad.checker import built_in, field, numeric, primal, sharing
from srcgrad.checker.arithmetic import key_of, pair_of
from srcgrad.checker.field import ZERO, code_of, hashed
from srcgrad.checker.lanes import Lane
from srcgrad.checker.library import BUILTINS, outside
from srcgrad.checker.memory import scattered_to
from srcgrad.checker.names import Names
from srcgrad.checker.primal import sweep
from srcgrad.checker.reached import MARK, Reached
from srcgrad.checker.runs import Disagreement, NotCovered, Now, Run
from srcgrad.checker.verdict import Verdict
from srcgrad.checker.witness import Witness
from srcgrad.checker.witnessed import Primal
from srcgrad.errors import reached
from srcgrad.garbage import uncollected
from srcgrad.ir import gast
from srcgrad.ir.scopes import Scope
from srcgrad.ir.walk import found_in
from srcgrad.locks import Lock
from srcgrad.runtime.long_loops import unobserved

_SEEDS: Final = (0, 3)  # of opposite ways: see `decided`
_MORE_SEEDS: Final = (1, 2, 4, 7, 5, 6)  # where those all raise, or do not take all lines
_LOCK: Final = Lock()
_LIBRARIES: Final = (built_in, numeric, sharing)  # they fill the table of what is known


@dataclass(slots=True)
class Subject:
    """One derivative to be checked.

    Attributes:
        name: The generated function; for halves, the forward half.
        backward: The backward half, if there is one.
        parameters: The parameters of the function, without the fields of arguments.
        inputs: The names that it is differentiated with respect to.
        outer: The parameters that gradients are returned for.
        fields: The statements that read fields of arguments.
        ranks: What is known of parameters: "number", how many axes they have, or that they are a
            "list" or a "tuple" of arrays.
        conditions: What the text takes for granted, as it says so.
        function: The function as the user has written it, if its parameters are these.
        copied: The arguments that the text leaves as they are, though that function does not.
    """

    name: str
    witness: Witness
    scope: Scope
    parameters: list[str]
    keyword_only: list[str]
    starred: list[str]
    inputs: Sequence[str]
    outer: Sequence[str]
    outputs: int
    returns_tuple: bool
    fields: list[Any] = dataclass_field(default_factory=list)
    backward: str = ""
    value: bool = False
    aux: bool = False
    ranks: Mapping[str, Any] = dataclass_field(default_factory=dict)
    conditions: Sequence[str] = ()
    function: Any = None
    copied: frozenset[str] = frozenset()


_RANKS: Final[Mapping[str, Any]] = {
    "number": "number",
    "int": "number",
    "vector": 1,
    "matrix": 2,
    "list": "list",
    "tuple": "tuple",
}


def ranks_of(given: Mapping[str, str], conditions: Sequence[str]) -> dict[str, Any]:
    """Return what is taken for granted of parameters: "number" or a number of axes.

    Of an array of places, it is what that holds, and how many axes it has.

    >>> ranks_of({"s": "number", "p": "list"}, ["x.ndim == 1"])
    {'s': 'number', 'p': 'list', 'x': 1}
    >>> ranks_of({}, ["m.ndim == 2", "m.dtype.kind == 'b'"])
    {'m': ('truths', 2)}
    """
    known: dict[str, Any] = {}
    for name, fact in given.items():
        found = _RANKS.get(fact)
        if found is not None:
            known[name] = found
    for condition in conditions:
        match = re.fullmatch(r"(?:np\.ndim\((\w+)\)|(\w+)\.ndim) == (\d)", condition)
        if match:
            known[match[1] or match[2]] = int(match[3])
        match = re.fullmatch(r"(\w+)\.dtype\.kind (?:in|==) '(iu|b)'", condition)
        if match and isinstance(known.get(match[1]), int):
            known[match[1]] = "truths" if match[2] == "b" else "integers", known[match[1]]
        match = re.fullmatch(r"(\w+) is a number", condition)
        if match:
            known[match[1]] = "number"
    return known


class Checker:
    """The check of one derivative; further texts of it may be checked, too."""

    def __init__(self, bound: Mapping[str, Any], imports: Sequence[str], subject: Subject) -> None:
        self._subject = subject
        self._bound = bound
        self._imports = imports
        self._made: Any = None
        self._reached: Any = None
        self._hangs = True  # whether runs may take different paths
        self._runs: list[Run] = []
        self._ranks: Mapping[str, Any] = {}
        self._branches: bool | None = None
        self._spaces: list[dict[str, Any]] = []
        self.example: list[Any] | None = None  # the structure of the arguments of a call
        self.divided: list[Any] | None = None  # the same with lengths that add up

    def verdict(self, text: str, code: CodeType | None = None) -> Verdict:
        """Run primal and derivative; where no axes are known of, for vectors at the least.

        `code` is the text as Python has compiled it, if that was done.
        """
        with _LOCK, uncollected(), unobserved(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of elements, or lengths, that no user has given
            former = Now.run
            try:
                self._reached = Reached(text, code)
                return self._verdict()
            except Exception as error:  # noqa: BLE001 - a limit of ours is no user's matter
                return Verdict("unproven", f"the checker fails: {type(error).__name__}: {error}")
            finally:
                Now.run = former
                self._let_go()

    def _let_go(self) -> None:
        """Untie what hangs in circles, so that nothing is left to the garbage collector."""
        for space in self._spaces:
            space.clear()
        self._spaces.clear()
        self._runs.clear()
        if self._made is not None:
            self._made.untie()
        self._made = None

    def _verdict(self) -> Verdict:
        subject = self._subject
        try:
            if self._made is None:
                self._made = self._instrumented()
        except NotCovered as reason:
            return Verdict("unproven", str(reason))
        self._ranks = subject.ranks
        found = self._along_paths()
        unknown = [name for name in subject.outer if name not in subject.ranks]
        if found.kind == "proven" or not unknown:
            return found
        self._ranks = {**dict.fromkeys(unknown, 1), **subject.ranks}
        again = self._along_paths()
        return again if again.kind == "proven" else found

    def _instrumented(self) -> Any:
        """Return the primal as it is run."""
        subject = self._subject
        witness = subject.witness
        return Primal(witness, subject.parameters, subject.fields, witness.body)

    def _has_branches(self) -> bool:
        if self._branches is None:
            self._branches = has_branches(self._subject.witness.body)
        return self._branches

    def _along_paths(self) -> Verdict:
        runs, vain, fewest = 0, 0, math.inf
        try:
            for seed in (*_SEEDS, *_MORE_SEEDS):
                if runs and seed in _MORE_SEEDS and (not fewest or vain > 1):
                    break
                self._runs.clear()
                self._reached.begin()
                ended = self._run(seed)
                self._reached.keep(alone=not ended)
                runs += ended
                missed = len(self._reached.missed)
                vain, fewest = (0, missed) if missed < fewest else (vain + 1, fewest)
                self._hangs = any(run.asked for run in self._runs)
                if not self._hangs:
                    break
                if runs and not fewest and not self._has_branches():
                    break
        except Disagreement as found:
            return Verdict("wrong", str(found))
        except NotCovered as found:
            return Verdict("unproven", str(found))
        except RecursionError:
            return Verdict("unproven", "the run is too deep")
        except (IndexError, KeyError, TypeError, ValueError, AttributeError) as error:
            return Verdict("unproven", f"the reverse sweep fails: {type(error).__name__}: {error}")
        if not runs:
            return Verdict("unproven", "no run comes to its end")
        return Verdict("proven", runs=runs, missed=tuple(self._reached.missed))

    # -- one path

    def _begin(self, seed: int, former: Run | None = None) -> Run:
        """Begin a run, in which the operations of a former one are counted, too."""
        run = Now.run = Run(seed, former, self._subject.witness.body)
        self._runs.append(run)
        return run

    def _run(self, seed: int) -> bool:
        """Run along one path; say whether it came to an end."""
        run = self._begin(seed)
        run.tape = []
        names = self._names()
        given = self._arguments()
        expected = outcome(lambda: self._made.run(names, given))
        tape, cut, trace = run.tape, run.cut, run.trace
        states = {name: state_of(value) for name, value in given.items()}
        other = self._begin(seed, run)
        args = self._arguments()
        space = self._namespace()
        found = outcome(lambda: self._derivative(space, args))
        if expected[0] == "raised" or found[0] == "raised":
            return self._both_raise(expected, found)
        result, outputs = found[1]
        Now.run = run
        run.tape = None
        self._seed(expected[1], seed)
        sweep(tape or [])
        for lane in cut:
            if lane.cut and lane.own_adjoint is not None and lane.own_adjoint.pair != ZERO:
                raise Disagreement(
                    f"an operation on a value with a derivative has no adjoint: {lane.pair}"
                )
        self._compare(given, result, args)
        self._compare_values(expected[1], outputs)
        for name, state in states.items():
            if state_of(args[name]) != state:
                raise Disagreement(f"the argument `{name}` is left with other contents")
        if trace != other.trace:
            raise Disagreement("what can be seen from outside is not the same")
        return True

    def _both_raise(self, expected: Any, found: Any) -> bool:
        if found[0] != "raised":
            raise NotCovered(f"the primal cannot be run: {expected[1]!r}")
        if expected[0] != "raised":
            raise Disagreement(f"the derivative alone raises {found[1]!r}")
        if type(expected[1]) is not type(found[1]):
            if isinstance(expected[1], LookupError) and isinstance(found[1], LookupError):
                raise NotCovered("entries are asked for that are not there, which one first")
            raise Disagreement(f"the primal raises {expected[1]!r}, the derivative {found[1]!r}")
        return False

    def _derivative(self, space: dict[str, Any], args: dict[str, Any]) -> tuple[Any, Any]:
        subject = self._subject
        positional, named = self._as_called(args)
        if subject.backward:
            out, saved = space[subject.name](*[args[n] for n in subject.parameters])
            outputs: Any = list(out) if subject.returns_tuple else [out]
            given = [self._given(i, output) for i, output in enumerate(outputs)]
            grads = space[subject.backward](saved, *given)
            return (grads if len(subject.inputs) != 1 else (grads,)), outputs
        result = space[subject.name](*positional, **named)
        outputs = None
        if subject.value and subject.aux:
            (value, aux), grads = result
            outputs = [value, aux]
        elif subject.value:
            value, grads = result
            outputs = [value]
        elif subject.aux:
            grads, aux = result
            outputs = [None, aux]
        else:
            grads = result
        return (grads if len(subject.outer) != 1 else (grads,)), outputs

    def _as_called(self, args: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Return the arguments by position and by name; there are none beyond the parameters."""
        subject = self._subject
        positional = [args[name] for name in subject.parameters if name not in subject.starred]
        count = len(positional) - len(subject.keyword_only)
        return positional[:count], dict(zip(subject.keyword_only, positional[count:], strict=True))

    def _given(self, place: int, output: Any) -> Lane:
        entry = hashed(code_of("given"), place)
        number = isinstance(output, Lane) and output.number
        dims = output.dims if isinstance(output, Lane) else None
        pair = (entry, entry if number else hashed(entry, 1))
        return Lane(pair, hashed(code_of("given token"), place), number=number, dims=dims)

    def _seed(self, result: Any, seed: int) -> None:
        subject = self._subject
        outputs = list(result) if subject.returns_tuple else [result]
        if not subject.backward:
            primal.contribute(outputs[0], 1.0)
            return
        for place, output in enumerate(outputs):
            primal.contribute(output, self._given(place, output))

    # -- comparing

    def _compare(self, given: dict[str, Any], result: Any, args: dict[str, Any]) -> None:
        roots: dict[int, str] = {id(args[n].root): n for n in args if isinstance(args[n], Lane)}
        for name, grad in zip(self._subject.outer, result, strict=True):
            value = given[name]
            want = value.adjoint.pair if isinstance(value, Lane) else ZERO
            if field.sub(whole(grad), want) != ZERO:
                raise Disagreement(f"the gradient of `{name}` is another")
            for lane in lanes_of(grad):
                if lane.number:
                    continue
                other = roots.setdefault(id(lane.root), f"the gradient of {name}")
                if other != f"the gradient of {name}" or lane.fixed:
                    raise Disagreement(f"the gradient of `{name}` shares memory with `{other}`")

    def _compare_values(self, result: Any, outputs: Any) -> None:
        if outputs is None:
            return
        ours = list(result) if self._subject.returns_tuple else [result]
        for one, other in zip(ours, outputs, strict=False):
            if other is not None and whole(one) != whole(other):
                raise Disagreement("the value is another")

    # -- names

    def _arguments(self) -> dict[str, Any]:
        subject = self._subject
        made: dict[str, Any] = {}
        for name in subject.parameters:
            if name in subject.starred:
                made[name] = {} if name == subject.starred[-1] and len(subject.starred) == 2 else ()
                continue
            code = code_of(f"argument {name}")
            first = hashed(code, 0)
            rank = self._ranks.get(name)
            if isinstance(rank, tuple):
                raise NotCovered("an array of places is given")
            number = rank in ("number", 0)
            varied = name in subject.outer
            dims = (None,) * rank if isinstance(rank, int) else None
            pair = (first, first if number else hashed(code, 0, 1))
            lane = Lane(pair, hashed(code), number=number, dims=dims, varied=varied)
            if not varied and rank in (None, "number", 0):
                lane.whole = 2 + (first + Now.run.seed) % 2
            made[name] = lane
        return made

    def _namespace(self) -> dict[str, Any]:
        space: dict[str, Any] = {"__name__": "srcgrad.checker.run"}
        self._spaces.append(space)
        space["__builtins__"] = _BUILTINS
        space[MARK] = self._reached.note
        for name, value in self._bound.items():
            space[name] = outside(value)
        exec(self._reached.code, space)  # noqa: S102 - the text that is checked, over lanes
        return space

    def _names(self) -> Names:
        """Return what the free names of the primal mean."""
        return Names(self._subject.scope, self._imports, self._namespace(), outside)


def _import(
    name: str, _globals: Any = None, _locals: Any = None, fromlist: Any = (), level: int = 0
) -> Any:
    del level
    return outside(imported(name, whole=bool(fromlist)))


def imported(name: str, *, whole: bool) -> Any:
    """Return a module, or what it lies in if it is not imported from."""
    name = name if whole else name.partition(".")[0]
    return sys.modules.get(name) or importlib.import_module(name)


_BUILTINS: Final[dict[str, Any]] = {**vars(builtins), **BUILTINS, "__import__": _import}


def outcome(call: Callable[[], Any]) -> tuple[str, Any]:
    """Return what a call returns or raises, and which of the two."""
    try:
        return "returned", call()
    except (Disagreement, NotCovered, RecursionError):
        raise
    except Exception as error:  # noqa: BLE001 - whatever the program raises
        if reached(error) is not None:
            raise NotCovered("a part is reached that the derivative leaves out") from None
        return "raised", error.with_traceback(None)


def state_of(value: Any) -> Any:
    """Return what an argument holds."""
    if isinstance(value, Lane):
        return value.pair
    return None


def whole(value: Any) -> Any:
    """Return the lane of a result; parts of containers are as parts of an array."""
    if isinstance(value, dict):
        total = ZERO
        for key, item in value.items():
            total = field.add(total, scattered_to(_path(key), whole(item)))
        return total
    if isinstance(value, (list, tuple)):
        total = ZERO
        for place, item in enumerate(value):
            total = field.add(total, scattered_to(_path(place), whole(item)))
        return total
    return pair_of(value)


def _path(key: Any) -> Any:
    return key_of(key, None)[0]


def lanes_of(value: Any) -> list[Lane]:
    """Return the lanes in a value."""
    if isinstance(value, Lane):
        return [value]
    if isinstance(value, dict):
        return [lane for item in value.values() for lane in lanes_of(item)]
    if isinstance(value, (list, tuple)):
        return [lane for item in value for lane in lanes_of(item)]
    return []


def has_branches(body: list[Any]) -> bool:
    """Say whether tests or loops make several paths."""
    kinds = (gast.If, gast.For, gast.While, gast.Try, gast.IfExp, gast.BoolOp, gast.comprehension)
    return any(found_in(item, *kinds) for item in body)
