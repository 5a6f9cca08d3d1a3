"""Lets modes that are rarely on look at calls: anomaly mode, saved-tensor hooks, the profiler."""

from __future__ import annotations

import traceback
from contextlib import AbstractContextManager
from typing import Any

from srcgrad.tape.modes import STATE, current_modes


def observe_call(label: str, args: tuple[Any, ...]) -> AbstractContextManager[Any]:
    """Return a span of the profiler around one call."""
    span: AbstractContextManager[Any] = STATE.profiler.span(label, args)
    return span


def observe_node(node: Any, outputs: list[Any]) -> None:
    """Let the modes of this thread see a node that has just been recorded."""
    modes = current_modes()
    if modes.anomaly:
        remember_place(node)
    if modes.profiler is not None:
        node.metadata["profiler"] = modes.profiler
    if modes.saved_hooks and node.saved_tensors:
        node._packed = modes.saved_hooks[-1].pack_rule(node, outputs)
    if modes.mutation is not None:
        modes.mutation.watch(node)


def remember_place(node: Any) -> None:
    """Keep where the call was made: the engine shows it if this node fails."""
    frames = traceback.extract_stack()
    own = "/srcgrad/tape/"
    node.metadata["traceback_"] = traceback.format_list(
        [frame for frame in frames if own not in frame.filename.replace("\\", "/")]
    )
    running = STATE.anomaly_parent
    if running is not None:
        node.metadata["parent_"] = running


def observe_function(node: Any) -> None:
    """Let the modes of this thread see the node of a user's Function."""
    if STATE.mutation is not None:
        STATE.mutation.watch(node)
    if STATE.anomaly:
        remember_place(node)
    if STATE.profiler is not None:
        node.metadata["profiler"] = STATE.profiler
