"""Adds over the ranks of a communicator of MPI, each of which has a part of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar, cast

from srcgrad.distributed.sums import Outcome, added
from srcgrad.errors import ArgumentError, WorkerError

Value = TypeVar("Value")


def is_communicator(engine: Any) -> bool:
    """Say whether a value is a communicator: something that reduces objects over ranks."""
    return callable(getattr(engine, "allreduce", None)) and callable(
        getattr(engine, "Get_rank", None)
    )


@dataclass(frozen=True, slots=True)
class _Failure:
    """Stands for what a rank should have given and could not."""

    rank: int
    message: str


@dataclass(frozen=True, slots=True)
class _Sum(Generic[Value]):
    add: Callable[[Value, Value], Value]

    def __call__(self, left: Any, right: Any) -> Any:
        for item in (left, right):
            if isinstance(item, _Failure):
                return item
        if left is None or right is None:  # a rank without examples
            return right if left is None else left
        return self.add(left, right)


def _plus(left: int, right: int) -> int:
    return left + right


class Ranks:
    """The ranks of a communicator, all of which call the same derivative at the same time."""

    def __init__(self, communicator: Any) -> None:
        self._communicator = communicator

    def total(self, length: Callable[[], int], run: Callable[[float], Outcome | None]) -> Outcome:
        """Return the sum over all ranks, on all of them, and what stays on this one.

        Args:
            length: Returns how many examples this rank has.
            run: Returns what they give, told of their share in all examples; None if nothing.

        Raises:
            WorkerError: Another rank has failed; a rank that fails raises its own error.
            ArgumentError: No rank has an example.
        """
        own: list[int] = []

        def counted() -> int:
            own.append(length())
            return own[0]

        kept: list[Outcome] = []

        def sent() -> Outcome | None:
            outcome = run(own[0] / every)
            if outcome is None:
                return None
            kept.append(outcome)
            return replace(outcome, listed=())  # gradients by the parts stay where those are

        every = self._agreed(counted, _plus)
        if not every:
            raise ArgumentError(
                "no rank has an example of the batch",
                hint="give each rank its part of the batch; some may be empty",
            )
        total = self._agreed(sent, added)
        return replace(total, listed=kept[0].listed) if kept else total

    def _agreed(self, compute: Callable[[], Value | None], add: Any) -> Value:
        """Return the sum of what the ranks compute; every rank takes part, also one that fails."""
        failed: Exception | None = None
        mine: Any
        try:
            mine = compute()
        except Exception as error:  # noqa: BLE001 - it is raised below, when the others know
            failed = error
            kind = f"{type(error).__name__}: " if str(error) else type(error).__name__
            mine = _Failure(self._communicator.Get_rank(), f"{kind}{error}")
        found = self._communicator.allreduce(mine, op=_Sum(add))
        if failed is not None:
            raise failed
        if isinstance(found, _Failure):
            raise WorkerError(
                f"rank {found.rank} has failed: {found.message}",
                hint="the error itself is raised on that rank",
            )
        return cast("Value", found)
