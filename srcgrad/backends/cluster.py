"""Speaks with clusters of dask.distributed, which exist only if the program has imported it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any


def _distributed() -> ModuleType | None:
    return sys.modules.get("distributed")


def is_client(value: Any) -> bool:
    """Say whether a value is a client of a cluster."""
    module = _distributed()
    return module is not None and isinstance(value, module.Client)


def count_of_threads(client: Any) -> int:
    """Return how many tasks a cluster runs at a time; 1 if its workers are not there yet."""
    return sum(client.nthreads().values()) or 1


def are_futures(parts: Sequence[Any]) -> bool:
    """Say whether parts are futures of a cluster."""
    module = _distributed()
    return module is not None and any(isinstance(part, module.Future) for part in parts)


def errors_of_loss() -> tuple[type[BaseException], ...]:
    """Return what a cluster raises when it has given up on a task, or lost what it needs."""
    module = _distributed()
    names = ("KilledWorker",) if module is not None else ()
    found = [getattr(module, name) for name in names]
    client = sys.modules.get("distributed.client")
    lost = getattr(client, "FutureCancelledError", None)
    return (*found, *([lost] if lost is not None else []))
