"""Mirrors torch.utils.checkpoint: forgets what a segment saved and runs it again in backward."""

from __future__ import annotations

import contextlib
import traceback
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from srcgrad.autograd.graph import saved_tensors_hooks
from srcgrad.tape.backward import backward
from srcgrad.tape.core import Core
from srcgrad.tape.engine import RUNNING, is_plain_backward
from srcgrad.tape.function import BackwardCFunction, Function
from srcgrad.tape.modes import enable_grad, no_grad
from srcgrad.tape.saved import SavedTensor
from srcgrad.utils.selective import (
    CheckpointPolicy,
    SelectiveCheckpointContext,
    create_selective_checkpoint_contexts,
)


class CheckpointError(RuntimeError):
    """A segment that did something else when it was run again."""


class _Settings:
    """What `set_checkpoint_early_stop` and `set_checkpoint_debug_enabled` have chosen."""

    early_stop: bool | None = None
    debug: bool | None = None


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Choose inside the block whether recomputation stops at the last value that is needed."""
    before, _Settings.early_stop = _Settings.early_stop, enable
    try:
        yield
    finally:
        _Settings.early_stop = before


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Choose inside the block whether errors of recomputation say more; overrides ``debug=``."""
    before, _Settings.debug = _Settings.debug, enabled
    try:
        yield
    finally:
        _Settings.debug = before


def noop_context_fn() -> tuple[Any, Any]:
    """Return two contexts that do nothing."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return `inputs` with every tensor detached, and requiring grad as it did.

    Raises:
        RuntimeError: No tuple.
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError(  # noqa: TRY004 - PyTorch's type
            "Only tuple of tensors is supported. Got Unsupported input type: "
            f"{type(inputs).__name__}"
        )
    return tuple(
        item.detach().requires_grad_(item.requires_grad) if isinstance(item, Core) else item
        for item in inputs
    )


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warn if no tensor among `inputs` requires grad."""
    if not any(item.requires_grad for item in inputs if isinstance(item, Core)):
        warnings.warn(
            "None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2
        )


@contextlib.contextmanager
def _random_state(state: Any) -> Iterator[None]:
    """Run with NumPy's global random state as it was, and put the present one back."""
    if state is None:
        yield
        return
    now = np.random.get_state()  # noqa: NPY002 - the state that users' code reads
    np.random.set_state(state)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(now)  # noqa: NPY002


def _state(preserve: bool) -> Any:
    return np.random.get_state() if preserve else None  # noqa: NPY002


class CheckpointFunction(Function):
    """The reentrant kind: forward without recording, then a backward pass inside backward."""

    @staticmethod
    def forward(ctx: Any, run_function: Any, preserve_rng_state: bool, *args: Any) -> Any:
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.state = _state(preserve_rng_state)
        ctx.others = [None if isinstance(arg, Core) else arg for arg in args]
        ctx.places = [i for i, arg in enumerate(args) if isinstance(arg, Core)]
        ctx.save_for_backward(*[args[i] for i in ctx.places])
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        if not is_plain_backward():
            raise RuntimeError(
                "When use_reentrant=True, srcgrad.utils.checkpoint is incompatible with .grad() or "
                "passing an `inputs` parameter to .backward(). To resolve this error, you can "
                "either "
                "set use_reentrant=False, or call .backward() without passing the `inputs` "
                "argument."
            )
        inputs = list(ctx.others)
        for place, tensor in zip(ctx.places, ctx.saved_tensors, strict=True):
            inputs[place] = tensor
        detached = detach_variable(tuple(inputs))
        with _random_state(ctx.state), enable_grad():
            outputs = ctx.run_function(*detached)
        outs = outputs if isinstance(outputs, tuple) else (outputs,)
        pairs = [
            (out, g)
            for out, g in zip(outs, grads, strict=True)
            if isinstance(out, Core) and out.requires_grad
        ]
        if not pairs:
            raise RuntimeError(
                "none of output has requires_grad=True, this checkpoint() is not necessary"
            )
        backward([out for out, _ in pairs], [g for _, g in pairs])
        return (None, None, *[i._grad if isinstance(i, Core) else None for i in detached])


class _Stop(Exception):
    """Raised when the last value that is needed has been computed again."""


class _Holder:
    """Stands in a node for one saved tensor of a segment."""

    __slots__ = ("__weakref__", "index")

    def __init__(self, index: int) -> None:
        self.index = index


class _Inputs(BackwardCFunction):
    """Owns the saved inputs of a segment."""

    __slots__ = ()


class _Frame:
    """One call of a checkpointed function: its inputs, and what it saved."""

    def __init__(self, run: Callable[..., Any], args: tuple[Any, ...], state: Any) -> None:
        self.run = run
        self.state = state
        self.owner = _Inputs()
        self.args = [SavedTensor(a, self.owner, None) if isinstance(a, Core) else a for a in args]
        self.holders: list[weakref.ref[_Holder]] = []
        self.described: list[Any] = []
        self.places: list[str] = []  # where each was saved, if errors are to say so
        self.values: dict[Any, dict[int, Any]] = {}
        self.done = False
        self.early_stop = True
        self.describe: Callable[[Any], Any] = _describe
        self.context: Callable[[], Any] = contextlib.nullcontext
        self.debug = False

    def pack(self, tensor: Any) -> _Holder:
        """Keep a stand-in instead of `tensor`."""
        holder = _Holder(len(self.holders))
        self.holders.append(weakref.ref(holder))
        self.described.append(self.describe(tensor))
        if self.debug:
            self.places.append(_place())
        return holder

    def unpack(self, holder: _Holder) -> Any:
        """Return the tensor again, running the segment once for this pass.

        Raises:
            CheckpointError: The segment did something else this time.
        """
        key = RUNNING.task if RUNNING.task is not None else object()
        if key not in self.values:
            self.values = {key: {}}
            self._recompute(self.values[key])
        values = self.values[key]
        if holder.index not in values:
            raise CheckpointError(
                "srcgrad.utils.checkpoint: Unpack is being triggered for a tensor that was already "
                "unpacked once. If you are calling ctx.saved_tensors in backward, make sure to do "
                "so only once."
            )
        return values.pop(holder.index)

    def _recompute(self, values: dict[int, Any]) -> None:
        count = 0

        def pack(tensor: Any) -> Any:
            nonlocal count
            index, count = count, count + 1
            if index >= len(self.holders):
                if not self.done:
                    return tensor.detach()
                raise CheckpointError(
                    "srcgrad.utils.checkpoint: trying to save more tensors during recomputation "
                    "than during the original forward pass."
                )
            if self.holders[index]() is not None:
                self._compare(index, tensor)
                values[index] = tensor.detach()
            if self.early_stop and count == len(self.holders):
                raise _Stop
            return tensor.detach()

        args = [a.unpack(self.owner) if isinstance(a, SavedTensor) else a for a in self.args]
        with (
            contextlib.suppress(_Stop),
            saved_tensors_hooks(pack, lambda tensor: tensor),
            enable_grad(),
            _random_state(self.state),
            self.context(),
        ):
            self.run(*args)
        if count < len(self.holders):
            raise CheckpointError(
                "srcgrad.utils.checkpoint: A different number of tensors was saved during the "
                "original forward and recomputation.\n"
                f"Number of tensors saved during forward: {len(self.holders)}\n"
                f"Number of tensors saved during recomputation: {count}."
            )

    def _compare(self, index: int, tensor: Any) -> None:
        found = self.describe(tensor)
        if found != self.described[index]:
            raise CheckpointError(
                "srcgrad.utils.checkpoint: Recomputed values for the following tensors have "
                "different metadata than during the forward pass.\n"
                f"tensor at position {index}:\nsaved metadata: {self.described[index]}\n"
                f"recomputed metadata: {found}\n" + self._where(index)
            )

    def _where(self, index: int) -> str:
        if not self.debug:
            return "To see where they were saved, pass debug=True.\n"
        return f"saved at:\n{self.places[index]}recomputed at:\n{_place()}"


def _place() -> str:
    """Return the innermost lines of the user's that are running."""
    own = ("/srcgrad/tape/", "/srcgrad/utils/", "/srcgrad/autograd/")
    frames = [
        frame
        for frame in traceback.extract_stack()
        if not any(part in frame.filename.replace("\\", "/") for part in own)
    ]
    return "".join(traceback.format_list(frames[-3:]))


def _describe(tensor: Any) -> dict[str, Any]:
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


_CHECKS: dict[str, Callable[[Any], Any]] = {"default": _describe, "none": lambda _: None}


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], tuple[Any, Any]] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """Return ``function(*args)`` without keeping what it saves: backward runs it again.

    Args:
        function: A function of tensors and other values, which must do the same when run again.
        args: Its arguments.
        use_reentrant: True runs a backward pass inside backward, which allows a plain `backward()`
            only; False, recommended, allows every way of running.
        context_fn: Returns a context for forward and one for recomputation.
        determinism_check: "default" compares shapes and dtypes of what is saved, "none" nothing.
        debug: Say more when recomputation differs.
        early_stop: Stop recomputing at the last value that is needed.
        kwargs: ``preserve_rng_state`` (True); others go to `function`, if not reentrant.

    Raises:
        ValueError: Arguments that do not go together.
    """
    if use_reentrant is None:
        warnings.warn(
            "srcgrad.utils.checkpoint: the use_reentrant parameter should be passed explicitly. "
            "use_reentrant=False is recommended, but if you need to preserve the current default "
            "behavior, you can pass use_reentrant=True.",
            stacklevel=2,
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if not use_reentrant:
        options = (preserve, context_fn, determinism_check, debug, early_stop)
        return _not_reentrant(function, args, kwargs, options)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if context_fn is not noop_context_fn or debug:
        raise ValueError(
            "Passing `context_fn` or `debug` is only supported when use_reentrant=False."
        )
    return CheckpointFunction.apply(function, preserve, *args)


def _not_reentrant(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    options: tuple[bool, Callable[[], tuple[Any, Any]], str, bool, bool],
) -> Any:
    preserve, context_fn, determinism_check, debug, early_stop = options
    if determinism_check not in _CHECKS:
        raise ValueError(
            f"determinism_check should be one of {list(_CHECKS)}, but got {determinism_check}"
        )

    def run(*values: Any) -> Any:
        return function(*values, **kwargs)

    forward, again = context_fn()
    frame = _Frame(run, args, _state(preserve))
    frame.describe = _CHECKS[determinism_check]
    frame.early_stop = early_stop if _Settings.early_stop is None else _Settings.early_stop
    frame.debug = debug if _Settings.debug is None else _Settings.debug
    frame.context = lambda: again
    with saved_tensors_hooks(frame.pack, frame.unpack), forward:
        result = function(*args, **kwargs)
    frame.done = True
    return result


def checkpoint_sequential(
    functions: Sequence[Callable[..., Any]],
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    **kwargs: Any,
) -> Any:
    """Return the composition of `functions` at `input`, checkpointed in `segments` pieces.

    Raises:
        ValueError: Unknown key words.
    """
    if use_reentrant is None:
        warnings.warn(
            "srcgrad.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be "
            "passed explicitly. use_reentrant=False is recommended, but if you need to preserve "
            "the "
            "current default behavior, you can pass use_reentrant=True.",
            stacklevel=2,
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))

    def piece(start: int, end: int) -> Callable[[Any], Any]:
        def run(value: Any) -> Any:
            for function in functions[start:end]:
                value = function(value)
            return value

        return run

    size = len(functions) // segments
    end = 0
    for start in range(0, size * (segments - 1), size):
        end = start + size
        input = checkpoint(
            piece(start, end), input, use_reentrant=use_reentrant, preserve_rng_state=preserve
        )
    return piece(end, len(functions))(input)


__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "CheckpointPolicy",
    "SelectiveCheckpointContext",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "detach_variable",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
]
