"""Runs the parts of a sum: here, in the workers of an executor, or on a Dask cluster."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import dataclass
from typing import Any

from srcgrad.backends import cluster
from srcgrad.distributed.parts import length_of
from srcgrad.distributed.sums import Outcome, Tree, added
from srcgrad.distributed.work import Packed, run_part, run_weighted, unpacked
from srcgrad.errors import ArgumentError, WorkerError


@dataclass(frozen=True, slots=True)
class Job:
    """The call of a derivative for one part.

    Attributes:
        args, kwargs: Its arguments.
        weight: The share of the part in a mean; None in a sum.
    """

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    weight: float | None = None


class Engine(ABC):
    """Runs jobs and adds what they give."""

    @abstractmethod
    def workers(self) -> int:
        """Return how many parts run at a time."""

    @abstractmethod
    def total(self, work: Packed, jobs: Sequence[Job]) -> Outcome:
        """Return the sum of what all jobs give, in the order of the jobs.

        Raises:
            WorkerError: A worker was lost, and the engine did not make up for it.
        """

    def lengths(self, parts: Sequence[Any]) -> list[int] | None:
        """Return the lengths of parts that lie at workers; None if they are here."""
        del parts
        return None


class Here(Engine):
    """This process, one part after another."""

    def workers(self) -> int:
        return 1

    def total(self, work: Packed, jobs: Sequence[Job]) -> Outcome:
        ready: Any = unpacked(work.key, work.content)
        tree = Tree()
        for number, job in enumerate(jobs):
            with _Named(number, len(jobs)):
                tree.add(run_weighted(ready, job.weight, job.args, job.kwargs))
        return tree.total()


class Pool(Engine):
    """The workers of an executor of `concurrent.futures`, or of one like it."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._sent: set[str] = set()

    def workers(self) -> int:
        found = getattr(self._executor, "_max_workers", None)
        return found if isinstance(found, int) else os.cpu_count() or 1

    def total(self, work: Packed, jobs: Sequence[Job]) -> Outcome:
        first = 0 if work.key in self._sent else self.workers()
        futures: list[Any] = []
        number = 0
        try:
            for place, job in enumerate(jobs):
                futures.append(self._submit(work, job, whole=place < first))
            tree = Tree()
            for number, job in enumerate(jobs):
                with _Named(number, len(jobs)):
                    outcome = futures[number].result()
                    if outcome is None:  # this worker has not seen the work yet
                        outcome = self._submit(work, job, whole=True).result()
                futures[number] = None  # what it gave is in the tree now
                tree.add(outcome)
        except BrokenExecutor as error:
            raise _lost(
                number, len(jobs), "make a new executor, and a derivative for it"
            ) from error
        finally:
            for future in filter(None, futures):
                future.cancel()
        self._sent.add(work.key)
        return tree.total()

    def _submit(self, work: Packed, job: Job, *, whole: bool) -> Any:
        content = work.content if whole else None
        return self._executor.submit(
            run_part, work.key, content, job.weight, job.args, dict(job.kwargs)
        )


class Cluster(Engine):
    """A Dask cluster, which runs the parts of a worker that is lost at another, and adds there."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._sent: dict[str, Any] = {}

    def workers(self) -> int:
        return cluster.count_of_threads(self._client)

    def lengths(self, parts: Sequence[Any]) -> list[int] | None:
        if not cluster.are_futures(parts):
            return None
        futures = self._client.map(length_of, parts, pure=False)
        return list(self._client.gather(futures))

    def total(self, work: Packed, jobs: Sequence[Job]) -> Outcome:
        ready = self._at_workers(work)
        futures = [
            self._client.submit(
                run_weighted, ready, job.weight, job.args, dict(job.kwargs), pure=False
            )
            for job in jobs
        ]
        layer = futures
        while len(layer) > 1:
            pairs = [layer[place : place + 2] for place in range(0, len(layer), 2)]
            layer = [
                self._client.submit(added, *pair, pure=False) if len(pair) > 1 else pair[0]
                for pair in pairs
            ]
        try:
            result: Outcome = layer[0].result()
        except cluster.errors_of_loss() as error:
            hint = "look into the workers' logs: a part may need more memory than a worker has"
            raise _lost(None, len(jobs), hint) from error
        finally:
            self._client.cancel(futures)
        return result

    def _at_workers(self, work: Packed) -> Any:
        """Return a future of the work: workers hand it to each other, and make it anew if lost."""
        found = self._sent.get(work.key)
        if found is None or found.status in ("cancelled", "lost", "error"):
            found = self._client.submit(
                unpacked, work.key, work.content, key=f"srcgrad-{work.key[:32]}"
            )
            self._sent = {work.key: found}
        return found


class _Named:
    """Says of an error in a block of which part it is."""

    def __init__(self, number: int, count: int) -> None:
        self._number, self._count = number, count

    def __enter__(self) -> None:
        """Nothing is to be done before."""

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, Exception) and not isinstance(error, BrokenExecutor):
            error.add_note(f"in part {self._number} of {self._count}, counted from 0")


def _lost(number: int | None, count: int, hint: str) -> WorkerError:
    where = f"part {number} of" if number is not None else "one of"
    return WorkerError(f"a worker was lost before {where} {count} parts was done", hint=hint)


def engine_of(engine: Any) -> Engine:
    """Return what runs parts by an executor or a client; for None, this process.

    Raises:
        ArgumentError: It is none of those.
    """
    if engine is None:
        return Here()
    if isinstance(engine, Executor):
        return Pool(engine)
    if cluster.is_client(engine):
        return Cluster(engine)
    raise ArgumentError(
        f"engine={engine!r} runs no parts",
        hint="give an executor of concurrent.futures, a client of dask.distributed, "
        "a communicator of mpi4py, or None",
    )
