"""Mirrors torch.autograd: backward, grad, Function and the switches of recording."""

from __future__ import annotations

from srcgrad.tape.anomaly import detect_anomaly, set_detect_anomaly
from srcgrad.tape.backward import backward, grad
from srcgrad.tape.function import Function
from srcgrad.tape.modes import (
    enable_grad,
    enforce_grad_layout_policy,
    inference_mode,
    is_grad_enabled,
    is_multithreading_enabled,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from srcgrad.tape.tensor import Tensor

__all__ = [
    "Function",
    "Tensor",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "enforce_grad_layout_policy",
    "grad",
    "inference_mode",
    "is_grad_enabled",
    "is_multithreading_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
]
