"""Lets a checkpoint keep the results of chosen calls: they are not run again in backward."""

from __future__ import annotations

import enum
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from typing import Any

from srcgrad.tape.apply import call_op, tensors_in
from srcgrad.tape.core import Core, leaf_edge, make, requires_grad
from srcgrad.tape.modes import STATE
from srcgrad.tape.ops import Op


class CheckpointPolicy(enum.Enum):
    """What to do with a call of a checkpointed function; the two kinds of each do the same."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3


class SelectiveCheckpointContext:
    """What a policy is told besides the call.

    Attributes:
        is_recompute: Whether the function is run again, in backward.
    """

    def __init__(self, *, is_recompute: bool) -> None:
        self.is_recompute = is_recompute


Policy = Callable[..., "CheckpointPolicy | bool"]


class _Kept:
    """The results of one kept call: their arrays, and whether they have been written into."""

    def __init__(self, result: Any) -> None:
        self.is_single = isinstance(result, Core)
        parts = [result] if self.is_single else list(result)
        self.parts = [
            (part._data, requires_grad(part), part._counter, part._counter[0])
            if isinstance(part, Core)
            else part
            for part in parts
        ]

    def again(self, may_change: bool) -> Any:
        """Return the results once more.

        Raises:
            RuntimeError: They have been written into since.
        """
        made = [self._tensor(part, may_change) for part in self.parts]
        return made[0] if self.is_single else tuple(made)

    def _tensor(self, part: Any, may_change: bool) -> Any:
        if not isinstance(part, tuple):
            return part
        data, active, counter, version = part
        if counter[0] != version and not may_change:
            raise RuntimeError(
                "Tensor cached during selective activation checkpoint has been mutated"
            )
        if not active:
            return make(data)
        leaf = make(data, flag=True)
        return make(data, leaf_edge(leaf))  # what follows is recorded as it was


class _Selecting:
    """A context that decides about each call inside it."""

    def __init__(self, policy: Policy, kept: dict[Any, deque[_Kept]]) -> None:
        self.policy = policy
        self.kept = kept
        self._before: list[Any] = []

    def __enter__(self) -> None:
        self._before.append(STATE.selective)
        STATE.set(selective=self)

    def __exit__(self, *exc: object) -> None:
        STATE.set(selective=self._before.pop())

    def saves(self, op: Op, args: Any, kwargs: Any, again: bool) -> bool:
        """Return whether the policy keeps a call."""
        context = SelectiveCheckpointContext(is_recompute=again)
        chosen = self.policy(context, op.primal, *args, **kwargs)
        if isinstance(chosen, bool):
            return chosen
        return chosen in (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)


class _Keeping(_Selecting):
    """The context of the forward run."""

    def call(self, op: Op, args: Any, kwargs: Any) -> Any:
        """Run a call; of those to keep, the node keeps what it saves, too."""
        if not self.saves(op, args, kwargs, again=False):
            return call_op(op, args, kwargs)
        hooks = STATE.saved_hooks
        STATE.set(saved_hooks=hooks[:-1])
        try:
            result = call_op(op, args, kwargs)
        finally:
            STATE.set(saved_hooks=hooks)
        if tensors_in((result,)):
            self.kept[op.primal].append(_Kept(result))
        return result


class _Reusing(_Selecting):
    """The context of the run in backward."""

    may_change = False

    def call(self, op: Op, args: Any, kwargs: Any) -> Any:
        """Return what was kept, or run the call.

        Raises:
            RuntimeError: There is no kept result: the function does something else this time.
        """
        if not self.saves(op, args, kwargs, again=True):
            return call_op(op, args, kwargs)
        if not self.kept[op.primal]:
            raise RuntimeError(
                f"{op.label} encountered during backward, but not found in storage: the function "
                "or the policy does something else when it is run again"
            )
        return self.kept[op.primal].popleft().again(self.may_change)


def _policy_of(chosen: frozenset[Any]) -> Policy:
    def policy(context: Any, function: Any, *args: Any, **kwargs: Any) -> CheckpointPolicy:
        keeps = function in chosen
        return CheckpointPolicy.MUST_SAVE if keeps else CheckpointPolicy.PREFER_RECOMPUTE

    return policy


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Policy | Sequence[Any], allow_cache_entry_mutation: bool = False
) -> tuple[Any, Any]:
    """Return the two contexts of a checkpoint that keeps the results of chosen calls.

    Use it as ``checkpoint(f, x, use_reentrant=False, context_fn=lambda:
    create_selective_checkpoint_contexts([np.matmul]))``.

    Args:
        policy_fn_or_list: NumPy functions whose results are kept, or a function of a context, a
            NumPy function and its arguments that returns a `CheckpointPolicy`.
        allow_cache_entry_mutation: Let kept results be written into.

    Raises:
        TypeError: Neither a function nor a list.
    """
    policy: Policy
    if isinstance(policy_fn_or_list, (list, tuple)):
        policy = _policy_of(frozenset(policy_fn_or_list))
    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    kept: dict[Any, deque[_Kept]] = defaultdict(deque)
    again = _Reusing(policy, kept)
    again.may_change = allow_cache_entry_mutation
    return _Keeping(policy, kept), again
