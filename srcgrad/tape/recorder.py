"""Records when calls and pullbacks start and end, while a profiler is on."""

from __future__ import annotations

import threading
import time
import traceback
from typing import Any

import numpy as np

from srcgrad.tape.core import Core
from srcgrad.tape.costs import bytes_made, flops_of

OWN = ("/srcgrad/tape/", "/srcgrad/autograd/")


class Span:
    """One timed call: when it ran, in which thread, inside which other call."""

    __slots__ = (
        "children", "end", "flops", "memory", "name", "number", "parent", "recorder", "shapes",
        "stack", "start", "thread", "user",
    )  # fmt: skip

    def __init__(self, recorder: Recorder, name: str, user: bool) -> None:
        self.recorder = recorder
        self.name = name
        self.user = user
        self.shapes: list[Any] = []
        self.stack: list[str] = []
        self.memory = 0
        self.flops = 0
        self.start = self.end = 0.0
        self.thread = threading.get_ident()
        self.children: list[Span] = []
        self.parent: Span | None = None
        self.number = 0

    def __enter__(self) -> Span:
        open_spans = self.recorder.open_spans()
        if open_spans:
            self.parent = open_spans[-1]
            self.parent.children.append(self)
        open_spans.append(self)
        self.recorder.add(self)
        self.start = time.perf_counter()
        return self

    def __exit__(self, *exc: object) -> None:
        self.end = time.perf_counter()
        self.recorder.open_spans().remove(self)

    def made(self, result: Any, args: Any) -> None:
        """Note the memory of the arrays that the call has made, here and in what it stands in."""
        if not self.recorder.memory:
            return
        size = bytes_made(result, args)
        span: Span | None = self
        while span is not None:
            span.memory += size
            span = span.parent


class Recorder:
    """Collects spans of all threads that run under one profiler."""

    def __init__(self, shapes: bool, stacks: bool, memory: bool, flops: bool = False) -> None:
        self.flops = flops
        self.shapes = shapes
        self.stacks = stacks
        self.memory = memory
        self.origin = time.perf_counter()
        self.spans: list[Span] = []
        self._lock = threading.Lock()
        self._local = threading.local()

    def open_spans(self) -> list[Span]:
        """Return the spans of this thread that have not ended."""
        if not hasattr(self._local, "spans"):
            self._local.spans = []
        spans: list[Span] = self._local.spans
        return spans

    def add(self, span: Span) -> None:
        """Keep a span that has just started."""
        with self._lock:
            self.spans.append(span)
            span.number = len(self.spans)

    def span(self, name: str, args: tuple[Any, ...], user: bool = False) -> Span:
        """Return a span for a call of `name` with `args`, to be entered."""
        span = Span(self, name, user)
        if self.shapes:
            span.shapes = [_shape(arg) for arg in args]
        if self.flops:
            span.flops = flops_of(name, args)
        if self.stacks:
            frames = traceback.extract_stack()
            span.stack = [
                f"{frame.filename}({frame.lineno}): {frame.name}"
                for frame in reversed(frames)
                if not any(own in frame.filename.replace("\\", "/") for own in OWN)
            ]
        return span


def _shape(arg: Any) -> list[Any]:
    if isinstance(arg, Core):
        return list(arg._array.shape)
    if isinstance(arg, np.ndarray):
        return list(arg.shape)
    return [_shape(item) for item in arg] if isinstance(arg, (list, tuple)) else []
