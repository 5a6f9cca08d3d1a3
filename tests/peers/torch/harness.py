"""Runs one program on PyTorch and on srcgrad and compares what it logs."""

from __future__ import annotations

import re
import warnings
from types import SimpleNamespace

import numpy as np


def ours():
    from srcgrad import autograd, tape
    from srcgrad.autograd import forward_ad, function, functional, graph, profiler
    from srcgrad.tape import creation, functions
    from srcgrad.utils import checkpoint

    space = SimpleNamespace(**{name: getattr(functions, name) for name in functions.NAMES})
    space.name = "srcgrad"
    space.tensor = lambda data, requires_grad=False: tape.tensor(
        np.asarray(data, dtype=kind(data)), requires_grad=requires_grad
    )
    space.ints = lambda data: tape.tensor(np.asarray(data))
    space.Tensor = tape.Tensor
    space.autograd, space.function, space.functional = autograd, function, functional
    space.forward_ad, space.graph, space.profiler = forward_ad, graph, profiler
    space.checkpoint = checkpoint
    space.Function = autograd.Function
    for name in ("zeros_like", "ones_like", "zeros", "ones", "empty_like", "from_numpy"):
        setattr(space, name, getattr(creation, name))
    for name in ("no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "is_grad_enabled"):
        setattr(space, name, getattr(tape, name))
    space.float32 = np.float32
    return space


def theirs():
    import torch

    space = SimpleNamespace()
    for name in dir(torch):
        if not name.startswith("_"):
            setattr(space, name, getattr(torch, name))
    from torch.autograd import forward_ad, function, functional, graph, profiler
    from torch.utils import checkpoint

    space.name = "torch"
    space.tensor = lambda data, requires_grad=False: torch.tensor(
        np.asarray(data, dtype=kind(data)), requires_grad=requires_grad
    )
    space.ints = lambda data: torch.tensor(np.asarray(data))
    space.zeros = lambda *n, **k: torch.zeros(*n, dtype=torch.float64, **k)
    space.ones = lambda *n, **k: torch.ones(*n, dtype=torch.float64, **k)
    space.autograd, space.function, space.functional = torch.autograd, function, functional
    space.forward_ad, space.graph, space.profiler = forward_ad, graph, profiler
    space.checkpoint = checkpoint
    space.Function = torch.autograd.Function
    return space


def kind(data):
    array = np.asarray(data)
    return np.complex128 if array.dtype.kind == "c" else np.float64


def plain(value):
    """Return a logged value in a form that both libraries share."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "detach"):
        array = np.array(
            value.detach().resolve_conj().numpy()
            if hasattr(value, "resolve_conj")
            else value.detach().numpy()
        )
        return ("tensor", array, bool(value.requires_grad))
    return ("object", type(value).__name__)


def words(message, count=6):
    """Return the first words of a message, without numbers and names of the library."""
    text = re.sub(r"torch(\.\w+)*|srcgrad(\.\w+)*", "LIB", message)
    return re.findall(r"[A-Za-z_]{2,}", text)[:count]


class Log(list):
    """What a program says; `refused` logs the error of a call, `warned` the warnings."""

    def __call__(self, *values):
        self.extend(plain(value) for value in values)

    def refused(self, call, match=True):
        try:
            result = call()
        except Exception as error:  # noqa: BLE001 - which one is the result
            self.append(("error", type(error).__name__, words(str(error)) if match else None))
        else:
            self.append(("no error", plain(result)))

    def warned(self, call):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = call()
        self.append([("warning", w.category.__name__, words(str(w.message))) for w in caught])
        return result


def run(program, space):
    log = Log()
    program(space, log)
    return list(log)


def same(a, b):
    """Return whether two logs agree, arrays up to rounding."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.shape == b.shape and np.allclose(a, b, equal_nan=True, rtol=1e-9, atol=1e-12)
    if isinstance(a, float) and isinstance(b, float):
        return bool(np.isclose(a, b, equal_nan=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    return type(a) is type(b) and a == b


def encoded(value):
    """Return a log in a form that JSON can hold."""
    if isinstance(value, np.ndarray):
        flat = value.astype(complex).reshape(-1)
        return {"shape": list(value.shape), "real": list(flat.real), "imag": list(flat.imag)}
    if isinstance(value, (list, tuple)):
        return [encoded(item) for item in value]
    if isinstance(value, dict):
        return {"dict": [[encoded(key), encoded(item)] for key, item in value.items()]}
    return value


def decoded(value):
    """Undo `encoded`; complex arrays of real numbers compare equal to real ones."""
    if isinstance(value, list):
        return [decoded(item) for item in value]
    if isinstance(value, dict) and "shape" in value:
        array = np.array(value["real"]) + 1j * np.array(value["imag"])
        return array.reshape(value["shape"])
    if isinstance(value, dict):
        return {decoded(key): decoded(item) for key, item in value["dict"]}
    return value
