"""Mirrors torch.autograd.anomaly_mode: finds the forward call behind a failing backward."""

from __future__ import annotations

from srcgrad.tape.anomaly import detect_anomaly, set_detect_anomaly

__all__ = ["detect_anomaly", "set_detect_anomaly"]
