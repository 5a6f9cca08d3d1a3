"""Mirrors torch.autograd: backward, grad, Function and the switches of recording."""

from __future__ import annotations

from srcgrad.autograd import (
    anomaly_mode,
    forward_ad,
    function,
    functional,
    grad_mode,
    graph,
    profiler,
    profiler_util,
)
from srcgrad.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck
from srcgrad.tape.anomaly import detect_anomaly, set_detect_anomaly
from srcgrad.tape.backward import backward, grad
from srcgrad.tape.engine import is_plain_backward as _is_checkpoint_valid
from srcgrad.tape.function import Function
from srcgrad.tape.legacy import NestedIOFunction
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
from srcgrad.tape.variable import Variable, variable


def is_view_replay_enabled() -> bool:
    """Return False: views get their history back by repeating the calls that made them."""
    return False


def kineto_available() -> bool:
    """Return False: the profiler is srcgrad's own."""
    return False


__all__ = [
    "Function",
    "GradcheckError",
    "NestedIOFunction",
    "Variable",
    "_is_checkpoint_valid",
    "anomaly_mode",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "enforce_grad_layout_policy",
    "forward_ad",
    "function",
    "functional",
    "grad",
    "grad_mode",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "is_grad_enabled",
    "is_multithreading_enabled",
    "is_view_replay_enabled",
    "kineto_available",
    "no_grad",
    "profiler",
    "profiler_util",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
    "variable",
]
