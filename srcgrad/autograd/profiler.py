"""Mirrors torch.autograd.profiler: times calls and their pullbacks."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from srcgrad.autograd.profiler_util import (
    EventList,
    FunctionEvent,
    FunctionEventAvg,
    Interval,
    Kernel,
    MemRecordsAcc,
    StringTable,
)
from srcgrad.tape.modes import STATE
from srcgrad.tape.recorder import Recorder, Span


class profile:
    """Time everything that tensors do inside the block.

    Args:
        enabled: False makes the block do nothing.
        use_cuda: There is no CUDA here: True raises.
        use_device: None or "cpu".
        record_shapes: Keep the shapes of arguments.
        with_flops: Count the operations of matrix products and of elementwise arithmetic.
        profile_memory: Count the bytes of the arrays that calls make.
        with_stack: Keep where calls were made.
        with_modules: There are no modules: True raises.
        use_cpu: Must be True.

    Raises:
        RuntimeError: On entering, a profiler is on already; or results are asked for too early.
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
        **options: Any,
    ) -> None:
        if use_cuda or use_device not in (None, "cpu"):
            raise RuntimeError("this profiler sees the CPU only: leave out use_cuda and use_device")
        if use_kineto:
            raise RuntimeError("Kineto is not used here: leave out use_kineto")
        if with_modules:
            raise RuntimeError("there are no modules here: leave out with_modules")
        if options:
            raise TypeError(f"profile() got unexpected key words: {', '.join(sorted(options))}")
        if enabled and not use_cpu:
            raise AssertionError("Device-only events are not supported: use_cpu must be True")
        self.enabled = enabled
        self.entered = False
        self.record_shapes = record_shapes
        self.with_stack = with_stack
        self.profile_memory = profile_memory
        self.with_flops = with_flops
        self.with_modules = with_modules
        self.options = options
        self._recorder: Recorder | None = None
        self._events: EventList | None = None

    def __enter__(self) -> profile | None:
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        if STATE.profiler is not None:
            raise RuntimeError("Can't enable profiler: it is already enabled in this thread")
        self.entered = True
        self._recorder = Recorder(
            self.record_shapes, self.with_stack, self.profile_memory, self.with_flops
        )
        STATE.set(profiler=self._recorder)
        return self

    def __exit__(self, *exc: object) -> None:
        if not self.enabled or self._recorder is None:
            return
        STATE.set(profiler=None)
        self._events = EventList.from_recorder(self._recorder)

    def _finished(self) -> EventList:
        if self._events is None:
            raise RuntimeError("Profiler didn't finish running")
        return self._events

    @property
    def function_events(self) -> EventList:
        """Every timed call, in order of its start."""
        return self._finished()

    def key_averages(self, group_by_input_shape: bool = False, group_by_stack_n: int = 0) -> Any:
        """Return the sums over calls of one name."""
        return self._finished().key_averages(group_by_input_shape, group_by_stack_n)

    def table(self, sort_by: str | None = None, row_limit: int = 100, **options: Any) -> str:
        """Return the events as text."""
        return self._finished().table(sort_by=sort_by, row_limit=row_limit, **options)

    def total_average(self) -> FunctionEventAvg:
        """Return the sum over all events."""
        return self._finished().total_average()

    def export_chrome_trace(self, path: str) -> None:
        """Write the events as JSON, for ``chrome://tracing`` or Perfetto."""
        self._finished().export_chrome_trace(path)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write stacks with their times, for flame graphs; needs `with_stack`."""
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        self._finished().export_stacks(path, metric)

    @property
    def self_cpu_time_total(self) -> float:
        """The time of all calls without that of the calls inside them, in microseconds."""
        return self._finished().self_cpu_time_total

    def __repr__(self) -> str:
        return (
            "<unfinished srcgrad.autograd.profile>" if self._events is None else repr(self._events)
        )

    def __str__(self) -> str:
        return "<unfinished srcgrad.autograd.profile>" if self._events is None else self.table()


class record_function:
    """A labelled span in the profile; a context and a decorator."""

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name = name
        self.args = args
        self._spans: list[Span | None] = []

    def __enter__(self) -> record_function:
        recorder = STATE.profiler
        span = None if recorder is None else recorder.span(self.name, (), user=True)
        self._spans.append(span)
        if span is not None:
            span.__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        span = self._spans.pop()
        if span is not None:
            span.__exit__()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return `function` with this span around each call."""

        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with record_function(self.name, self.args):
                return function(*args, **kwargs)

        return wrapped


class emit_nvtx:
    """Mark calls for NVIDIA's tools, which needs CUDA; ``enabled=False`` does nothing.

    Raises:
        RuntimeError: On entering while enabled: there is no CUDA.
    """

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled = enabled
        self.record_shapes = record_shapes

    def __enter__(self) -> emit_nvtx | None:
        if self.enabled:
            raise RuntimeError("emit_nvtx needs CUDA, which NumPy's arrays do not use")
        return None

    def __exit__(self, *exc: object) -> None:
        """Do nothing."""


class emit_itt:
    """Mark calls for Intel's VTune, which is not supported; ``enabled=False`` does nothing.

    Raises:
        RuntimeError: On entering while enabled.
    """

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled = enabled
        self.record_shapes = record_shapes

    def __enter__(self) -> emit_itt | None:
        if self.enabled:
            raise RuntimeError("emit_itt needs Intel's ITT library, which srcgrad does not use")
        return None

    def __exit__(self, *exc: object) -> None:
        """Do nothing."""


def load_nvprof(path: str) -> EventList:
    """Read a trace of nvprof.

    Raises:
        RuntimeError: Always: only CUDA programs have such traces.
    """
    return parse_nvprof_trace(path)


def parse_nvprof_trace(path: str) -> EventList:
    """Read a trace of nvprof.

    Raises:
        RuntimeError: Always: only CUDA programs have such traces.
    """
    raise RuntimeError(f"{path}: traces of nvprof come from CUDA programs; srcgrad makes none")


class EnforceUnique:
    """Raises an error if a key is seen twice."""

    def __init__(self) -> None:
        self.seen: set[Any] = set()

    def see(self, *key: Any) -> None:
        """Note a key.

        Raises:
            RuntimeError: It was seen before.
        """
        if key in self.seen:
            raise RuntimeError("duplicate key: " + str(key))
        self.seen.add(key)


class KinetoStepTracker:
    """Counts steps by the name of who counts; the overall step is the largest."""

    _current_step: int = 0
    _step_dict: dict[str, int] = {}  # noqa: RUF012 - shared on purpose

    @classmethod
    def init_step_count(cls, requester: str) -> None:
        """Start to count for `requester`."""
        cls._step_dict[requester] = cls._current_step

    @classmethod
    def erase_step_count(cls, requester: str) -> bool:
        """Stop to count for `requester`; return whether it was counting."""
        return cls._step_dict.pop(requester, None) is not None

    @classmethod
    def increment_step(cls, requester: str) -> int:
        """Count one step of `requester` and return the overall step."""
        if requester not in cls._step_dict:
            cls.init_step_count(requester)
        cls._step_dict[requester] += 1
        cls._current_step = max(cls._current_step, *cls._step_dict.values())
        return cls._current_step

    @classmethod
    def current_step(cls) -> int:
        """Return the overall step."""
        return cls._current_step


__all__ = [
    "EnforceUnique",
    "EventList",
    "FunctionEvent",
    "FunctionEventAvg",
    "Interval",
    "Kernel",
    "KinetoStepTracker",
    "MemRecordsAcc",
    "StringTable",
    "emit_itt",
    "emit_nvtx",
    "load_nvprof",
    "parse_nvprof_trace",
    "profile",
    "record_function",
]
