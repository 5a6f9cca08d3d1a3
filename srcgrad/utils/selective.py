"""Lets a checkpoint keep the results of chosen calls: they are not run again in backward."""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from srcgrad.tape.apply import call_op, tensors_in
from srcgrad.tape.core import Core, leaf_edge, make, requires_grad
from srcgrad.tape.modes import STATE
from srcgrad.tape.ops import Op
from srcgrad.tape.rulenode import RuleNode


class CheckpointPolicy(enum.Enum):
    """What to do with a call of a checkpointed function; the two kinds of each do the same."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3


class SelectiveCheckpointContext:
    """What a policy is told besides the call.

    Attributes:
        is_recompute: Always False: the policy is asked in the forward run alone.
        op_output: What the call returned.
    """

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute = is_recompute
        self.op_output = op_output


Policy = Callable[..., "CheckpointPolicy | bool"]


class _Kept:
    """The results of one kept call: their arrays, and whether they have been written into."""

    def __init__(self, result: Any) -> None:
        parts = list(result) if isinstance(result, (list, tuple)) else [result]
        self.is_single = not isinstance(result, (list, tuple))
        self.parts = [
            (part._array, requires_grad(part), part._counter, part._counter[0])
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


class _Mark(enum.Enum):
    """What stands for a call whose result is not there."""

    RECOMPUTE = 0
    CONSUMED = 1


Storage = dict[Any, list[Any]]  # for each function, in the order of its calls: kept, or a mark


class _Selecting:
    """A context that sees each call inside it."""

    def __init__(self, kept: Storage) -> None:
        self.kept = kept
        self._before: list[Any] = []

    def __enter__(self) -> None:
        self._before.append(STATE.selective)
        STATE.set(selective=self)

    def __exit__(self, *exc: object) -> None:
        STATE.set(selective=self._before.pop())


class _Keeping(_Selecting):
    """The context of the forward run."""

    def __init__(self, kept: Storage, policy: Policy) -> None:
        super().__init__(kept)
        self.policy = policy

    def call(self, op: Op, args: Any, kwargs: Any) -> Any:
        """Run a call and ask the policy; of those to keep, the node keeps what it saves, too."""
        hooks = STATE.saved_hooks
        STATE.set(saved_hooks=(), selective=None)
        try:
            result = call_op(op, args, kwargs)
            keeps = self._keeps(op, args, kwargs, result)
        finally:
            STATE.set(saved_hooks=hooks, selective=self)
        self.kept[op.primal].append(_Kept(result) if keeps else _Mark.RECOMPUTE)
        _pack(result, hooks[:-1] if keeps else hooks)
        return result

    def _keeps(self, op: Op, args: Any, kwargs: Any, result: Any) -> bool:
        context = SelectiveCheckpointContext(is_recompute=False, op_output=result)
        chosen = self.policy(context, op.primal, *args, **kwargs)
        if isinstance(chosen, bool):
            return chosen
        return chosen in (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)


def _pack(result: Any, hooks: Any) -> None:
    """Let hooks have what the node of a call has saved, as they have it of other calls."""
    outputs = tensors_in((result,))
    node = outputs[0]._edge[0] if outputs and outputs[0]._edge is not None else None
    if hooks and isinstance(node, RuleNode) and node.saved_tensors and node._packed is None:
        node._packed = hooks[-1].pack_rule(node, outputs)


class _Reusing(_Selecting):
    """The context of the run in backward."""

    def __init__(self, kept: Storage, may_change: bool) -> None:
        super().__init__(kept)
        self.may_change = may_change
        self._count: dict[Any, int] = defaultdict(int)

    def __enter__(self) -> None:
        self._count.clear()
        super().__enter__()

    def call(self, op: Op, args: Any, kwargs: Any) -> Any:
        """Return what was kept, or run the call.

        Raises:
            RuntimeError: There was no such call, or its result has been used up.
        """
        number = self._count[op.primal]
        self._count[op.primal] += 1
        entries = self.kept[op.primal]
        if number >= len(entries):
            raise RuntimeError(
                f"{op.label} invocation index {number} encountered during backward but not found "
                "in storage: the function does something else when it is run again"
            )
        entry = entries[number]
        if entry is _Mark.RECOMPUTE:
            return call_op(op, args, kwargs)
        if entry is _Mark.CONSUMED:
            raise RuntimeError(
                "Trying to backward an extra time. You are only allowed to backward once on any "
                "region computed under selective activation checkpoint."
            )
        entries[number] = _Mark.CONSUMED
        return entry.again(self.may_change)


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
    kept: Storage = defaultdict(list)
    return _Keeping(kept, policy), _Reusing(kept, allow_cache_entry_mutation)
