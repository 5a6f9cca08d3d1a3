"""Holds what a profile is made of: events, their sums, and the forms they are written in."""

from __future__ import annotations

import bisect
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from srcgrad.tape.recorder import Recorder, Span


class Kernel(NamedTuple):
    """A kernel of a device; the CPU has none."""

    name: str
    device: int
    duration: float


class Interval:
    """A stretch of time, in microseconds."""

    def __init__(self, start: float, end: float) -> None:
        self.start = start
        self.end = end

    def elapsed_us(self) -> float:
        """Return its length."""
        return self.end - self.start


def format_time(microseconds: float) -> str:
    """Return a time as text with a unit that fits.

    >>> format_time(12.5), format_time(2500.0), format_time(3e6)
    ('12.500us', '2.500ms', '3.000s')
    """
    if microseconds >= 1e6:
        return f"{microseconds / 1e6:.3f}s"
    if microseconds >= 1e3:
        return f"{microseconds / 1e3:.3f}ms"
    return f"{microseconds:.3f}us"


def format_bytes(count: int) -> str:
    """Return a number of bytes as text with a unit that fits.

    >>> format_bytes(12), format_bytes(2048), format_bytes(3 * 2**20)
    ('12 b', '2.00 Kb', '3.00 Mb')
    """
    for unit, size in (("Gb", 2**30), ("Mb", 2**20), ("Kb", 2**10)):
        if abs(count) >= size:
            return f"{count / size:.2f} {unit}"
    return f"{count} b"


class _Times:
    """Times as text and under their older names."""

    cpu_time_total: float
    self_cpu_time_total: float
    count: int

    @property
    def cpu_time(self) -> float:
        """The mean time of one call, in microseconds."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def cpu_time_str(self) -> str:
        """The mean time as text."""
        return format_time(self.cpu_time)

    @property
    def cpu_time_total_str(self) -> str:
        """The total time as text."""
        return format_time(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        """The time without that of calls inside, as text."""
        return format_time(self.self_cpu_time_total)

    device_time_total = cuda_time_total = device_time = cuda_time = 0.0
    self_device_time_total = self_cuda_time_total = 0.0
    device_memory_usage = cuda_memory_usage = 0


class FunctionEvent(_Times):
    """One timed call."""

    def __init__(self, span: Span, origin: float) -> None:
        self.id = span.number
        self.node_id = -1
        self.name = self.trace_name = span.name
        self.time_range = Interval((span.start - origin) * 1e6, (span.end - origin) * 1e6)
        self.thread = span.thread
        self.count = 1
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        self.input_shapes = span.shapes
        self.stack = span.stack
        self.kernels: list[Kernel] = []
        self.is_user_annotation = span.user
        self.cpu_memory_usage = span.memory
        self.flops = span.flops
        self.is_async = False
        self.sequence_nr = -1

    @property
    def key(self) -> str:
        """What events are summed by."""
        return self.name

    @property
    def cpu_time_total(self) -> float:  # type: ignore[override]
        """The time from start to end, in microseconds."""
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self) -> float:  # type: ignore[override]
        """That without the time of the calls inside."""
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def self_cpu_memory_usage(self) -> int:
        """The bytes of the arrays made, without those made by the calls inside."""
        inside: int = sum(child.cpu_memory_usage for child in self.cpu_children)
        return self.cpu_memory_usage - inside

    def append_cpu_child(self, child: FunctionEvent) -> None:
        """Add a call made inside this one."""
        self.cpu_children.append(child)

    def set_cpu_parent(self, parent: FunctionEvent) -> None:
        """Say inside which call this one was made."""
        self.cpu_parent = parent

    def __repr__(self) -> str:
        return (
            f"<FunctionEvent id={self.id} name={self.name} cpu_time={self.cpu_time_str} "
            f"start_us={self.time_range.start:.3f} end_us={self.time_range.end:.3f} "
            f"cpu_children={[child.id for child in self.cpu_children]} thread={self.thread} "
            f"input_shapes={self.input_shapes}>"
        )


class FunctionEventAvg(_Times):
    """The sum over several events."""

    def __init__(self) -> None:
        self.key: str | None = None
        self.count = 0
        self.cpu_time_total = 0.0
        self.self_cpu_time_total = 0.0
        self.input_shapes: list[Any] | None = None
        self.stack: list[str] | None = None
        self.cpu_memory_usage = 0
        self.self_cpu_memory_usage = 0
        self.flops = 0

    def add(self, other: Any) -> FunctionEventAvg:
        """Add an event or a sum, and return this sum."""
        if self.key is None:
            self.key = other.key
            self.input_shapes = other.input_shapes
            self.stack = other.stack
        self.count += other.count
        self.cpu_time_total += other.cpu_time_total
        self.self_cpu_time_total += other.self_cpu_time_total
        self.cpu_memory_usage += other.cpu_memory_usage
        self.self_cpu_memory_usage += other.self_cpu_memory_usage
        self.flops += other.flops
        return self

    __iadd__ = add

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str} count={self.count} input_shapes={self.input_shapes}>"
        )


class EventList(list[Any]):
    """Events, or sums of them."""

    @classmethod
    def from_recorder(cls, recorder: Recorder) -> EventList:
        """Return the events of a finished profile."""
        made = {span: FunctionEvent(span, recorder.origin) for span in recorder.spans if span.end}
        for span, event in made.items():
            if span.parent in made:
                event.set_cpu_parent(made[span.parent])
                made[span.parent].append_cpu_child(event)
        return cls(made.values())

    @property
    def self_cpu_time_total(self) -> float:
        """The time of all events without that of calls inside them."""
        return float(sum(event.self_cpu_time_total for event in self))

    def key_averages(
        self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0, **_: Any
    ) -> EventList:
        """Return sums by name, and by shapes or the innermost lines of the stack if asked for."""
        sums: dict[Any, FunctionEventAvg] = defaultdict(FunctionEventAvg)
        for event in self:
            shapes = str(event.input_shapes) if group_by_input_shapes else None
            stack = tuple(event.stack[:group_by_stack_n]) if group_by_stack_n else ()
            sums[event.key, shapes, stack].add(event)
        result = EventList(sums.values())
        for item in result:
            item.stack = (item.stack or [])[:group_by_stack_n]
            if not group_by_input_shapes:
                item.input_shapes = None
        return result

    def total_average(self) -> FunctionEventAvg:
        """Return the sum over all events."""
        total = FunctionEventAvg()
        for event in self:
            total.add(event)
        total.key = "Total"
        return total

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_name_column_width: int = 55,
        header: str | None = None,
        top_level_events_only: bool = False,
        **_: Any,
    ) -> str:
        """Return a table; `sort_by` names a time or ``count``.

        Raises:
            ValueError: An unknown `sort_by`.
        """
        rows: list[Any] = list(self)
        if top_level_events_only:
            rows = [row for row in rows if getattr(row, "cpu_parent", None) is None]
        if sort_by is not None:
            rows = _sorted(rows, sort_by)
        return render_table(rows[:row_limit], self, max_name_column_width, header)

    def export_chrome_trace(self, path: str) -> None:
        """Write the events in the trace event format that browsers' viewers read."""
        threads = {event.thread: n for n, event in enumerate(self)}
        trace = [
            {
                "name": event.trace_name,
                "ph": "X",
                "cat": "user" if event.is_user_annotation else "cpu_op",
                "ts": event.time_range.start,
                "dur": event.time_range.elapsed_us(),
                "pid": 0,
                "tid": threads[event.thread],
                "args": _details(event),
            }
            for event in self
        ]
        Path(path).write_text(json.dumps({"traceEvents": trace, "displayTimeUnit": "ms"}))

    def supported_export_stacks_metrics(self) -> list[str]:
        """Return the times that `export_stacks` can write."""
        return ["self_cpu_time_total"]

    def export_stacks(self, path: str, metric: str) -> None:
        """Write each stack with its time, outermost call first.

        Raises:
            ValueError: An unknown metric.
        """
        if metric not in self.supported_export_stacks_metrics():
            raise ValueError(
                "metric should be one of: " + str(self.supported_export_stacks_metrics())
            )
        lines = [
            ";".join(entry.replace(" ", "_") for entry in reversed(event.stack))
            + f" {int(getattr(event, metric))}"
            for event in self
            if event.stack
        ]
        Path(path).write_text("\n".join(lines) + ("\n" if lines else ""))

    def __str__(self) -> str:
        return self.table()


def _details(event: FunctionEvent) -> dict[str, Any]:
    details: dict[str, Any] = {"Input Dims": event.input_shapes}
    if event.cpu_memory_usage:
        details["Bytes"] = event.cpu_memory_usage
    if event.flops:
        details["Flops"] = event.flops
    return details


def _sorted(rows: list[Any], sort_by: str) -> list[Any]:
    if rows and not hasattr(rows[0], sort_by):
        raise ValueError(
            f"cannot sort by {sort_by!r}: use cpu_time_total, self_cpu_time_total, "
            "cpu_time, cpu_memory_usage, flops or count"
        )
    return sorted(rows, key=lambda row: getattr(row, sort_by), reverse=True)


def _cells(rows: Sequence[Any], total: float, widest: int) -> Iterator[list[str]]:
    for row in rows:
        name = str(row.key)
        cells = [
            name if len(name) <= widest else name[: widest - 3] + "...",
            f"{100 * row.self_cpu_time_total / total if total else 0:.2f}%",
            row.self_cpu_time_total_str,
            f"{100 * row.cpu_time_total / total if total else 0:.2f}%",
            row.cpu_time_total_str,
            row.cpu_time_str,
            str(row.count),
        ]
        if any(r.cpu_memory_usage for r in rows):
            cells += [format_bytes(row.cpu_memory_usage), format_bytes(row.self_cpu_memory_usage)]
        if any(r.flops for r in rows):
            cells.append(str(row.flops or "--"))
        if any(r.input_shapes for r in rows):
            cells.append(str(row.input_shapes or []))
        yield cells


def render_table(rows: Sequence[Any], every: EventList, widest: int, header: str | None) -> str:
    """Return the text of a table of `rows`, with the total time of `every` below it."""
    if not rows:
        return ""
    heads = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"]
    heads.append("# of Calls")
    if any(row.cpu_memory_usage for row in rows):
        heads += ["CPU Mem", "Self CPU Mem"]
    if any(row.flops for row in rows):
        heads.append("Total FLOPs")
    if any(row.input_shapes for row in rows):
        heads.append("Input Shapes")
    total = every.self_cpu_time_total
    cells = list(_cells(rows, total, widest))
    widths = [max(len(line[i]) for line in [heads, *cells]) for i in range(len(heads))]
    rule = "  ".join("-" * width for width in widths)
    text = [rule, *(["  " + header, rule] if header else [])]
    for line in [heads, *cells]:
        text.append("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))
        if line is heads:
            text.append(rule)
    return "\n".join([*text, rule, f"Self CPU time total: {format_time(total)}", ""])


class StringTable(defaultdict[str, str]):
    """Names by the names they are shown as."""

    def __missing__(self, key: str) -> str:
        self[key] = key
        return key


class MemRecordsAcc:
    """Finds the memory records of a stretch of time: pairs of a time and anything else."""

    def __init__(self, mem_records: Sequence[Any]) -> None:
        self._records = sorted(mem_records, key=lambda item: item[0])
        self._times = [item[0] for item in self._records]

    def in_interval(self, start_us: float, end_us: float) -> Iterator[Any]:
        """Yield the records from `start_us` to `end_us`."""
        first = bisect.bisect_left(self._times, start_us)
        last = bisect.bisect_right(self._times, end_us)
        yield from self._records[first:last]
