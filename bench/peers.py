"""Imports the other libraries where they are installed, each held to some threads and float64."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from types import FunctionType
from typing import Any

_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
NOT_INSTALLED = "not installed (make peers installs it)"


def limit_threads(count: int = 1) -> None:
    """Keep every library to so many threads; call it before NumPy is imported."""
    for name in _LIMITS:
        os.environ[name] = str(count)
    own_pool = "false" if count == 1 else "true"  # as many as there are cores
    os.environ["XLA_FLAGS"] = f"--xla_cpu_multi_thread_eigen={own_pool}"
    os.environ["NPROC"] = str(count)  # the size of XLA's pool
    os.environ["JAX_PLATFORMS"] = "cpu"


def threads() -> int:
    """Return how many threads each library may use."""
    return int(os.environ.get(_LIMITS[0], os.cpu_count() or 1))


def load(name: str) -> Any:
    """Return the module, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return None


def load_torch() -> Any:
    """Return torch with as many threads as the others, or None."""
    torch = load("torch")
    if torch is not None:
        torch.set_num_threads(threads())
    return torch


def load_jax() -> Any:
    """Return jax in double precision, or None."""
    jax = load("jax")
    if jax is not None:
        jax.config.update("jax_enable_x64", True)
    return jax


LOADERS = {"HIPS autograd": lambda: load("autograd"), "torch": load_torch, "jax.jit": load_jax}


def contestants(makers: dict[str, Callable[[Any], Callable[[], Any]]]) -> tuple[Any, Any]:
    """Return a call for each peer that is here, and a reason for each that is not."""
    calls, skipped = {}, {}
    for name, make in makers.items():
        module = LOADERS[name]()
        if module is None:
            skipped[name] = NOT_INSTALLED
        else:
            calls[name] = make(module)
    return calls, skipped


def twin(function: Any, **names: Any) -> Any:
    """Return a function of the same text in which some global names mean something else."""
    return FunctionType(function.__code__, {**function.__globals__, **names})
