"""Offers `vmap`: a program over a batch of examples, from the program for one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from os import PathLike
from types import FunctionType, MethodType
from typing import Any, Final

import numpy as np

from srcgrad.api.compiled import Compiled
from srcgrad.api.elsewhere import refuse_elsewhere
from srcgrad.api.examples import (
    axes_by_name,
    conditions_on,
    count_of_examples,
    count_text,
    examples,
    put_in_place,
    stacked,
)
from srcgrad.api.exporting import Example, batch_exported
from srcgrad.api.gradient import Gradient
from srcgrad.api.insights import explained, refused, subject_of
from srcgrad.api.looks import look_like
from srcgrad.api.on_tensors import tensors_of
from srcgrad.api.plan import Plan, load_plan
from srcgrad.api.policy import Fallback, policy_of
from srcgrad.api.refusal import describe, warn_unbatched
from srcgrad.api.selection import innermost, signature_of
from srcgrad.api.underlying import to_differentiate
from srcgrad.compiler.batching import BatchRequest, compile_batched
from srcgrad.compiler.stages import Stages
from srcgrad.errors import ArgumentError, NotBatchedError, UnsupportedError
from srcgrad.insight.explanation import Explanation
from srcgrad.insight.once import Once
from srcgrad.locks import Lock
from srcgrad.runtime.batches import of_all
from srcgrad.runtime.objects import may_be_static
from srcgrad.tape import unwrapped
from srcgrad.transforms.batching.facts import Fact, fact_of, is_batched

_MOST_TEXTS: Final = 64
_BY_EXAMPLE: Final = "call the function, or its derivative, for each example"
Axes = int | None | tuple[Any, ...] | dict[str, Any]


class Batched:
    """A function over a batch: call it like the function for one example, with arrays of them.

    Attributes:
        primal: The function for one example.
    """

    def __init__(
        self, primal: Callable[..., Any], in_axes: Axes, out_axes: Any, fallback: Fallback
    ) -> None:
        if not callable(primal):
            raise ArgumentError(
                f"srcgrad.vmap needs a function, not {type(primal).__name__}",
                hint="write srcgrad.vmap(f)",
            )
        look_like(self, _innermost(primal))
        self.primal = primal
        self._options = (in_axes, out_axes, fallback)
        self._in_axes, self._out_axes = in_axes, out_axes
        self._policy = policy_of(fallback, "auto", False)
        self._texts: dict[Any, Plan] = {}
        self._refused: dict[Any, NotBatchedError] = {}
        self._last: Plan | NotBatchedError | None = None
        self._loop = Once()
        self._lock = Lock()
        self.signature = _signature_of(primal)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the results of all examples, stacked.

        Raises:
            ArgumentError: The arguments have no such axes, or other numbers of examples in them.
            NotBatchedError: The function is not written for a batch, and `fallback` is "error".
        """
        refuse_elsewhere("a program over a batch runs", (*args, *kwargs.values()), _BY_EXAMPLE)
        bound, axes = self._bound(args, kwargs)
        count = count_of_examples(bound.arguments, axes)
        try:
            plan = self._plan(unwrapped_all(bound.arguments), axes)
        except NotBatchedError as refusal:
            self._last = refusal
            return self._in_a_loop(refusal, bound, axes, count)
        self._last = plan
        values = [*bound.args, *bound.kwargs.values()]
        if tensors_of(values):
            return Compiled(plan.function)(*bound.args, **bound.kwargs)
        result = plan.function(*bound.args, **plan.named(bound.kwargs))
        return self._in_form(result, bound.arguments, axes, count)

    def _in_form(
        self, result: Any, arguments: Mapping[str, Any], axes: Mapping[str, Any], count: int
    ) -> Any:
        """Return gradients with the types and structures of what they belong to."""
        primal = self.primal
        if not isinstance(primal, Gradient) or self._out_axes != 0:
            return result
        try:
            values = [of_all(arguments[name], axes[name], count) for name in primal.names]
        except TypeError:  # an object, whose gradient stays as the text has it
            return result
        return primal.in_form(result, values)

    # -- texts

    def _bound(self, args: Any, kwargs: Any) -> tuple[inspect.BoundArguments, dict[str, Any]]:
        """Return the arguments of a call with the axes of the examples in them."""
        bound = self.signature.bind(*args, **kwargs)
        given = set(bound.arguments)
        bound.apply_defaults()
        return bound, axes_by_name(self._in_axes, self.signature, bound.arguments, given)

    def _plan_for(self, *args: Any, **kwargs: Any) -> tuple[Plan, dict[str, Any], dict[str, Any]]:
        bound, axes = self._bound(args, kwargs)
        count_of_examples(bound.arguments, axes)
        arguments = unwrapped_all(bound.arguments)
        return self._plan(arguments, axes), axes, arguments

    @property
    def user_function(self) -> Any:
        """The function of the user's that all is about."""
        return _innermost(self.primal)

    def _plan(self, arguments: Mapping[str, Any], axes: Mapping[str, Any]) -> Plan:
        """Return the text for arguments of some kinds, made at the first call with such."""
        facts = {
            name: put_in_place(fact_of(value), value, axes[name], name)
            for name, value in arguments.items()
        }
        key = self._key(facts, arguments, axes)
        with self._lock:
            plan = self._texts.get(key)
            if plan is not None and self._holds(plan, arguments, axes):
                return plan
            refusal = self._refused.get(key)
            if refusal is not None:
                raise refusal
            try:
                plan = self._made(facts, arguments, axes)
            except NotBatchedError as problem:
                self._refused[key] = problem
                raise
            except UnsupportedError as problem:
                raise NotBatchedError(diagnostics=problem.diagnostics) from problem
            if len(self._texts) >= _MOST_TEXTS:
                self._texts.clear()
            self._texts[key] = plan
            return plan

    def _key(
        self, facts: Mapping[str, Fact], arguments: Mapping[str, Any], axes: Mapping[str, Any]
    ) -> Any:
        """Return what tells calls apart for which there are different texts."""
        shapes: Any = None
        if isinstance(self.primal, Gradient):  # its own text is made for the shapes of a call
            one = examples(arguments, axes, 0)
            shapes = tuple(map(repr, (_shapes(value) for value in one.values())))
        return tuple(facts.items()), repr(sorted(axes.items(), key=str)), shapes

    def _holds(self, plan: Plan, arguments: Mapping[str, Any], axes: Mapping[str, Any]) -> bool:
        static = {k: v for k, v in arguments.items() if axes[k] is None}
        return self.is_still(plan) and plan.suits(static)

    def is_still(self, plan: Plan) -> bool:
        """Say whether a text is still that of the function, and of the data that it reads."""
        current, facts = plan.options["current"], plan.options["data"]
        if not current():
            return False
        for name, binding in plan.generated.data.items():
            if fact_of(binding.current()) != facts[name]:
                return False
        return plan.is_current(plan.function.__dict__["__srcgrad_primal__"])

    def _made(
        self, facts: Mapping[str, Fact], arguments: Mapping[str, Any], axes: Mapping[str, Any]
    ) -> Plan:
        function, name, current = self._function(arguments, axes)
        given = {k: v for k, v in arguments.items() if axes[k] is None and may_be_static(v)}
        facts = {k: _settled(fact, k) for k, fact in facts.items()}
        own = [*inspect.signature(function).parameters]
        if own != [*facts]:
            raise NotBatchedError(
                f"`{describe(self.primal)}` has a text with other parameters",
                hint="give it plain parameters",
            )
        exactly = isinstance(self.primal, Gradient)  # its own text may be made for these shapes
        conditions = [
            condition
            for key, value in arguments.items()
            for condition in conditions_on(value, axes[key], key, exactly=exactly)
        ]
        request = BatchRequest(
            function, facts, axes, self._out_axes, given, name, conditions=conditions
        )
        generated = compile_batched(request)
        plan = load_plan(generated, function, frozenset(given))
        plan.options["data"] = {
            key: fact_of(binding.current()) for key, binding in generated.data.items()
        }
        plan.options["current"], plan.options["request"] = current, request
        return plan

    def _function(
        self, arguments: Mapping[str, Any], axes: Mapping[str, Any]
    ) -> tuple[FunctionType, str, Callable[[], bool]]:
        """Return the function for one example as one with source."""
        primal = self.primal
        if isinstance(primal, Batched):
            inner = primal.text_for(examples(arguments, axes, 0))
            return _function_of(inner), "", lambda: primal.is_still(inner)
        if isinstance(primal, Gradient):
            one = examples(arguments, axes, 0)
            inner = primal.plan_of_example(one)
            user = inner.function.__dict__["__srcgrad_primal__"]
            return _function_of(inner), "", lambda: inner.is_current(user)
        if isinstance(primal, MethodType):
            raise NotBatchedError(
                f"the method `{describe(primal)}` is not written for a batch",
                hint="wrap it in a function: srcgrad.vmap(lambda x: model.method(x))",
            )
        return to_differentiate(primal), "", lambda: True

    def text_for(self, arguments: Mapping[str, Any]) -> Plan:
        """Return the text for arguments of one call, by name.

        Raises:
            NotBatchedError: The function is not written for a batch.
        """
        axes = axes_by_name(self._in_axes, self.signature, arguments, set(arguments))
        return self._plan(arguments, axes)

    @property
    def source(self) -> str:
        """The text that the last call ran.

        Raises:
            UnsupportedError: There was no call yet, or the last one ran as a loop.
        """
        if isinstance(self._last, Plan):
            return self._last.generated.source
        raise self._none() if self._last is None else self._last

    def _none(self) -> UnsupportedError:
        return UnsupportedError(
            f"the text of `{describe(self)}` over a batch depends on the axes of its arguments",
            hint="call it first",
        )

    def show(self) -> None:
        """Print the text that the last call ran."""
        print(self.source)  # noqa: T201 - it is what was asked for

    def stages(self) -> dict[str, str]:
        """Return the text of the last call after each pass, by the name of the pass.

        Raises:
            UnsupportedError: There was no call yet, or the last one ran as a loop.
        """
        stages, source = Stages(wanted=True), self.source
        assert isinstance(self._last, Plan)
        compile_batched(replace(self._last.options["request"], stages=stages))
        return {**stages.texts, "source": source}

    def explain(self, *args: Any, **kwargs: Any) -> Explanation:
        """Say how a call like the one given runs, or the last one: by source or as a loop, and why.

        Raises:
            UnsupportedError: No arguments are given, and there was no call yet.
        """
        last: Any = self._last
        if args or kwargs:
            try:
                last = self._plan_for(*args, **kwargs)[0]
            except NotBatchedError as refusal:
                last = refusal
        inputs = [] if last is None else self._batched_names(last)
        subject = subject_of(self.user_function, "vmap", inputs)
        if isinstance(last, NotBatchedError):
            return refused(subject, last, "loop")
        return (
            explained(subject, last, None) if last is not None else refused(subject, self._none())
        )

    def _batched_names(self, last: Any) -> list[str]:
        """Return the arguments that have examples in them."""
        if not isinstance(last, Plan):
            return []
        return [name for name, fact in last.options["request"].facts.items() if is_batched(fact)]

    def export(
        self, path: str | PathLike[str] | None = None, *, example: Example | None = None
    ) -> str:
        """Return the program over a batch as a module without srcgrad, and write it to `path`.

        Args:
            path: The file to write; None to write none.
            example: Arguments of a call (a dict for keywords), whole batches: the text is the one
                for arguments like these.

        Raises:
            ArgumentError: There is no example.
            ExportError: It cannot stand alone.
            NotBatchedError: It is not written for a batch.
        """
        if example is None or self._out_axes != 0:
            raise ArgumentError(
                "a program over a batch is exported for arguments like those of an example, with "
                "the examples along the first axis of the result",
                hint="give the arguments of a call: export(path, example=(...))",
            )
        given = ((), example) if isinstance(example, Mapping) else (example, {})
        plan, axes, arguments = self._plan_for(*given[0], **given[1])
        return batch_exported(self, plan, axes, count_text(arguments, axes), path)

    # -- a loop instead

    def _in_a_loop(
        self,
        refusal: NotBatchedError,
        bound: inspect.BoundArguments,
        axes: Mapping[str, Any],
        count: int,
    ) -> Any:
        """Call the function for each example, as the policy says."""
        if self._policy.fallback == "error":
            raise refusal
        if self._policy.fallback == "warn" and self._loop.is_due():
            warn_unbatched(refusal, self.primal)
        if not count:
            raise ArgumentError(
                f"`{describe(self.primal)}` cannot be called for no examples, as a loop",
                hint="give it one example at least",
            )
        results = []
        for i in range(count):
            one = examples(bound.arguments, axes, i)
            call = inspect.BoundArguments(self.signature, dict(one))
            results.append(self.primal(*call.args, **call.kwargs))
        return stacked(results, self._out_axes)

    def __repr__(self) -> str:
        return f"<srcgrad.vmap of {describe(self.primal)}>"

    def __reduce__(self) -> Any:
        return type(self), (self.primal, *self._options)


def _innermost(primal: Callable[..., Any]) -> Any:
    """Return the user's function of a derivative or of what is over a batch already."""
    while isinstance(primal, Batched):
        primal = primal.primal
    return innermost(primal)


def _signature_of(primal: Callable[..., Any]) -> inspect.Signature:
    return primal.signature if isinstance(primal, Batched) else signature_of(innermost(primal))


def unwrapped_all(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments with the arrays of tensors."""
    return {name: unwrapped(value) for name, value in arguments.items()}


def _function_of(plan: Plan) -> FunctionType:
    """Return the function of a plan that may be written once more."""
    generated = plan.generated
    if generated.scalars or generated.taped or generated.written or plan.records:
        raise NotBatchedError(
            f"the text of `{describe(plan.function)}` is not written for a batch: part of it runs "
            "on the tape, or it writes into its arguments",
            hint="work on copies of the arguments",
        )
    function: Any = plan.function
    found: FunctionType = function
    return found


def _shapes(value: Any) -> Any:
    """Return the shapes in a value, which the text of a gradient may be made for."""
    if isinstance(value, dict):
        return {key: _shapes(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_shapes(item) for item in value]
    return np.shape(value) if isinstance(value, (np.ndarray, np.generic)) else type(value)


def _settled(fact: Fact, name: str) -> Fact:
    """Return a fact with the memory of everything in it that of an argument."""
    items = None if fact.items is None else tuple(_settled(item, name) for item in fact.items)
    sites = frozenset() if fact.kind == "number" else frozenset((("given", name),))
    return replace(fact, sites=sites, items=items)


def vmap(
    f: Callable[..., Any], in_axes: Axes = 0, out_axes: Any = 0, *, fallback: Fallback = "warn"
) -> Batched:
    """Return a program over a batch of examples, written from the program for one.

    Args:
        f: A function for one example, or a derivative such as ``srcgrad.grad(loss)``.
        in_axes: Along which axis of the arguments the examples lie; None for what all share. One
            number is for all arguments of a call, a tuple has one for each parameter, a dict says
            them by name. Where an argument is a container, it may be a container of such.
        out_axes: Along which axis of the result they are to lie.
        fallback: What to do with a function that is not written for a batch: call it for each
            example and "warn" once, do so without a word ("tape"), or raise ("error").

    Returns:
        A function of arguments with one axis more. Its `source` is the text that the last call ran.

    Raises:
        ArgumentError: `f` is no function.

    >>> import numpy as np
    >>> distances = vmap(lambda x, centre: np.sqrt(np.sum((x - centre) ** 2)), in_axes=(0, None))
    >>> distances(np.array([[3.0, 4.0], [0.0, 1.0]]), np.zeros(2)).tolist()
    [5.0, 1.0]
    """
    return Batched(f, in_axes, out_axes, fallback)
