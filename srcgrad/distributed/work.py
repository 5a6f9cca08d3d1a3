"""Holds what is sent to workers: the text of a derivative, with the data that it reads."""

from __future__ import annotations

import hashlib
import inspect
import pickle
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from srcgrad.api.form import Form
from srcgrad.api.gradient import Gradient
from srcgrad.api.plan import Plan
from srcgrad.api.structures import copied, split
from srcgrad.backends import by_value
from srcgrad.codegen.loader import load
from srcgrad.distributed.sums import Outcome, outcome_of
from srcgrad.locks import Lock, kept_property

_MOST: Final = 32
_KNOWN: Final[OrderedDict[str, Text | Whole]] = OrderedDict()
_LOCK: Final = Lock()


@dataclass
class Text:
    """A derivative by its text, which is run as it is.

    Attributes:
        source: The text of its module.
        entry: The function in it.
        names: What the loader puts into the module: data of the user's, and functions.
        renamed: The parameters that have other names in the text.
        form: What is asked of the derivative.
        is_split: Of each parameter that it is taken by, whether that is split.
    """

    source: str
    entry: str
    names: Mapping[str, Any]
    renamed: Mapping[str, str]
    form: Form
    is_split: tuple[bool, ...]

    @kept_property
    def _function(self) -> Any:
        return vars(load(self.source, self.entry, self.names))[self.entry]

    @kept_property
    def _signature(self) -> inspect.Signature:
        return inspect.signature(self._function)

    def run(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Outcome:
        """Return the outcome of a call for one part."""
        named = {self.renamed.get(name, name): value for name, value in kwargs.items()}
        given = self._signature.bind(*args, **named).arguments
        values = [given[self.renamed.get(name, name)] for name in self.form.names]
        answer = self.form.whole(self._function(*args, **named), values)
        return taken(answer, self.form, self.is_split)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}


@dataclass
class Whole:
    """A derivative by its function, which looks at each call itself: one that is no text alone."""

    gradient: Gradient[..., Any]
    form: Form
    is_split: tuple[bool, ...]

    def run(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Outcome:
        """Return the outcome of a call for one part, which leaves the arguments as they are."""
        answer = self.gradient(*copied(args), **copied(dict(kwargs)))
        return taken(answer, self.form, self.is_split)


def taken(answer: Any, form: Form, is_split: tuple[bool, ...]) -> Outcome:
    """Return what a derivative gave for one part as an outcome."""
    value, grads = form.apart(answer)
    value, aux = split(value, has_aux=form.has_aux)
    grads = (grads,) if form.single else grads
    return outcome_of(value, (aux,) if form.has_aux else (), grads, is_split)


def text_of(plan: Plan, form: Form, is_split: tuple[bool, ...]) -> Text:
    """Return a plan as it is sent, with the user's data as they are now."""
    generated = plan.generated
    data = {name: vars(plan.module)[name] for name in generated.data}
    bound = {name: value for name, value in generated.bound.items() if name not in data}
    return Text(
        generated.source,
        generated.entry,
        {**bound, **data},
        dict(generated.renamed),
        form,
        is_split,
    )


@dataclass(frozen=True, slots=True)
class Packed:
    """Work as bytes, which are known by their hash.

    Attributes:
        key: The hash.
        content: The bytes.
    """

    key: str
    content: bytes


def packed(work: Text | Whole) -> Packed:
    """Return work as bytes.

    Raises:
        ArgumentError: It cannot be pickled.
    """
    if isinstance(work, Text):
        try:
            content = pickle.dumps(work, protocol=pickle.HIGHEST_PROTOCOL)
        except (TypeError, AttributeError, pickle.PicklingError):
            content = by_value.pickled(work, f"the derivative `{work.entry}`")
    else:
        content = by_value.pickled(work, f"{work.gradient!r}")
    return Packed(hashlib.sha256(content).hexdigest(), content)


def unpacked(key: str, content: bytes | None) -> Text | Whole | None:
    """Return the work of a key, which this process knows from before or from its bytes."""
    with _LOCK:
        found = _KNOWN.get(key)
        if found is None and content is not None:
            found = _KNOWN[key] = pickle.loads(content)  # noqa: S301 - from the caller's own process
            if len(_KNOWN) > _MOST:
                _KNOWN.popitem(last=False)
        elif found is not None:
            _KNOWN.move_to_end(key)
        return found


def run_part(
    key: str,
    content: bytes | None,
    weight: float | None,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
) -> Outcome | None:
    """Run one part at a worker; None if it does not know the work, and has to be sent it."""
    work = unpacked(key, content)
    return None if work is None else run_weighted(work, weight, args, kwargs)


def run_weighted(
    work: Text | Whole, weight: float | None, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Outcome:
    """Return the outcome of one part, or its share of a mean if there is a weight."""
    outcome = work.run(args, kwargs)
    return outcome if weight is None else outcome.weighted(weight)
