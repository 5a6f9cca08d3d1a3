"""Words an explanation: short sections, in the order of what a reader asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from srcgrad.compiler.findings import CallFound, Checkpoint, FunctionFound, Record
from srcgrad.compiler.module_text import spoken
from srcgrad.insight.styles import Style, columns, size

if TYPE_CHECKING:
    from srcgrad.insight.explanation import Explanation

_HOW: Final = {
    "in place": "put in place",
    "as a function": "differentiated as a function",
    "rule in place": "its rule is put in place",
    "rule called": "its rule is called",
    "on the tape": "runs on the tape",
    "forward": "runs forward only",
}
_ENGINES: Final = {"source": "by source", "tape": "on the tape", "loop": "as a loop over examples"}
_MOST_LINES: Final = 12


class Words:
    """The text of one explanation."""

    def __init__(self, explanation: Explanation, style: Style) -> None:
        self._it = explanation
        self._style = style

    def text(self) -> str:
        """Return the whole text."""
        parts = [self._title()]
        if self._it.engine != "source":
            parts.append(self._why())
        if self._it.left_out:
            parts.append(
                self._section("Left out: a call that comes by runs on the tape", self._parts())
            )
        subject, functions = self._it.subject, self._it.findings.functions
        for place, function in enumerate(functions):
            sections = list(self._sections(function))
            if place or (function.file, function.name) != (subject.file, _last(subject.function)):
                where = f"`{function.name}` ({_place(function.file, function.line)})"
                made = ", ".join(f"`{name}`" for name in function.generated)
                parts.append(self._style.of("title", f"{where}, as {made}"))
            parts.extend(sections)
        if self._it.total is not None:
            parts.append(
                f"In this call {size(self._it.total)} are kept for the backward pass, each piece "
                "of memory counted once and the arguments not at all."
            )
        return "\n\n".join(part for part in parts if part)

    def _title(self) -> str:
        subject = self._it.subject
        shown = ", ".join(f"`{name}`" for name in subject.inputs)
        by = f" with respect to {shown}" if shown else ""
        place = f" ({_place(subject.file, subject.line)})" if subject.file else ""
        title = f"{subject.mode} of `{subject.function}`{place}{by}: {_ENGINES[self._it.engine]}"
        lines = [self._style.of("title", title)]
        if self._it.lines:
            lines.append(f"The generated text has {self._it.lines} lines.")
        if self._it.not_proven:
            lines.append(f"Not proven: {self._it.not_proven}.")
        if self._it.own_code_unread:
            lines.append(
                "The checker read the function as the compiler does, and did not run its own code: "
                f"{self._it.own_code_unread}."
            )
        if self._it.conditions:
            lines.append(
                "It takes for granted: " + "; ".join(map(spoken, self._it.conditions)) + "."
            )
        return "\n".join(lines)

    def _why(self) -> str:
        lines = [self._style.of("heading", f"Why {_ENGINES[self._it.engine]}")]
        for item in self._it.refusals:
            lines += [f"  {line}" for line in item.render().splitlines()]
        return "\n".join(lines)

    def _parts(self) -> list[str]:
        """Return why parts are left out, each on a line of its own."""
        spans = [(item, item.span) for item in self._it.left_out]
        return [
            f"{_place(span.file, span.line) if span else ''}: {item.message}"
            for item, span in spans
        ]

    # -- one function

    def _sections(self, found: FunctionFound) -> Iterator[str]:
        chains = self._chains(found)
        yield self._section("How the result depends on what is differentiated", chains)
        yield self._section("Without a derivative", self._inactive(found))
        yield self._section("Kept for the backward pass", self._records(found))
        loops = [row for item in found.checkpoints for row in self._checkpoint(item)]
        yield self._section(
            "Computed again in the backward pass", columns(loops, ("line", ""), self._style)
        )
        yield self._section("Calls", self._calls(found))
        yield self._section("Conventions at kinks", self._kinks(found))

    def _checkpoint(self, checkpoint: Checkpoint) -> Iterator[tuple[str, str]]:
        yield f"L{checkpoint.line}", checkpoint.what
        report = self._it.report(checkpoint)
        if report is not None:
            again = "once" if report.repeats == 1 else f"{report.repeats} times"
            states = f"{report.kept:,} states of {size(report.state_bytes)}"
            whole = size(report.kept * report.state_bytes)
            told = f"in this call {report.trips:,} trips, {states}: {whole}"
            yield "", f"{told}; no trip runs again more than {again}"

    def _section(self, heading: str, lines: Sequence[str]) -> str:
        if not lines:
            return ""
        return "\n".join([self._style.of("heading", heading), *[f"  {line}" for line in lines]])

    def _chains(self, found: FunctionFound) -> list[str]:
        lines: list[str] = []
        told: dict[tuple[int, ...], str] = {}
        for name in found.inputs:
            chain = found.chains.get(name, ())
            if not chain:
                lines.append(f"{self._style.of('name', name)}  does not reach the result")
            elif chain in told:
                shown = self._style.of("name", name)
                lines.append(f"{shown}  through the same lines as {told[chain]}")
            elif any(set(chain) < set(other) for other in told) and len(chain) > 1:
                shown = ", ".join(f"L{line}" for line in chain)
                lines.append(f"{self._style.of('name', name)}  {shown}")
            else:
                told[chain] = name
                lines += self._chain(name, chain, found)
        return lines

    def _chain(self, name: str, chain: tuple[int, ...], found: FunctionFound) -> list[str]:
        shown = chain
        if len(chain) > _MOST_LINES:
            shown = (*chain[: _MOST_LINES // 2], 0, *chain[-_MOST_LINES // 2 :])
        rows = []
        for place, line in enumerate(shown):
            text = found.texts.get(line, "") if line else f"({len(chain) - _MOST_LINES} more)"
            rows.append((name if place == 0 else "", f"L{line}" if line else "...", text))
        return columns(rows, ("name", "line", ""), self._style)

    def _inactive(self, found: FunctionFound) -> list[str]:
        rows = [
            (item.name, _lines(item.lines), item.reason)
            for item in found.variables
            if not item.active
        ]
        return columns(rows, ("name", "line", ""), self._style)

    def _records(self, found: FunctionFound) -> list[str]:
        rows = []
        for item in found.records:
            per, names = self._record(item)
            rows.append((per, self._measured(item, found), names))
        return columns(rows, ("", "", "name"), self._style)

    def _record(self, record: Record) -> tuple[str, str]:
        pairs = zip(record.names, record.lines, strict=True)
        names = ", ".join(f"{name} (L{line})" if line else name for name, line in pairs)
        if record.per == "call":
            return "each call", names
        return f"each trip of L{record.loop}", names

    def _measured(self, record: Record, found: FunctionFound) -> str:
        into = f"in `{record.list_name}`" if record.list_name else ""
        measured = self._it.measure(record, found)
        if measured is None:
            return into
        if not measured.bytes:
            return into
        each = f"{size(measured.bytes // max(measured.count, 1))}"
        if measured.count > 1:
            each = f"{size(measured.bytes)} in {measured.count:,}, on average {each}"
        return f"{into}: {each}" if into else each

    def _calls(self, found: FunctionFound) -> list[str]:
        rows = [(call.callee, f"L{call.line}", _how(call)) for call in found.calls]
        return columns(rows, ("name", "line", ""), self._style)

    def _kinks(self, found: FunctionFound) -> list[str]:
        rows = [
            (item.function, f"L{item.line}", f"{item.where}: {item.gradient}")
            for item in found.kinks
        ]
        return columns(rows, ("name", "line", ""), self._style)


def _how(call: CallFound) -> str:
    text = _HOW[call.how]
    if call.names:
        text += ": " + ", ".join(f"`{name}`" for name in call.names)
    return f"{text}: {call.reason}" if call.reason else text


def _last(name: str) -> str:
    return "function" if name.endswith("<lambda>") else name.rpartition(".")[2]


def _lines(lines: Sequence[int]) -> str:
    return ", ".join(f"L{line}" for line in lines)


def _place(file: str, line: int) -> str:
    return f"{Path(file).name}:{line}"
