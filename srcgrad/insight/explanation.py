"""Defines what `explain()` returns: what was found out about a derivative, as text or as a dict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from srcgrad.compiler.findings import Checkpoint, Findings, FunctionFound, Record
from srcgrad.errors import Diagnostic
from srcgrad.insight.meter import Key, Measured
from srcgrad.insight.styles import Style, is_terminal
from srcgrad.insight.wording import Words
from srcgrad.runtime.long_loops import LoopReport


@dataclass(frozen=True, slots=True)
class Subject:
    """What is explained.

    Attributes:
        function, file, line: The user's function.
        mode: How it is differentiated, such as "grad" or "jvp".
        inputs: The arguments that it is differentiated by.
    """

    function: str
    file: str
    line: int
    mode: str
    inputs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """What was found out about one derivative: print it, or read it as a dict.

    Attributes:
        subject: What is explained.
        engine: "source" or "tape"; "loop" for a function that is called for each example.
        refusals: Why it is on the tape, or why calls in it are; empty otherwise.
        conditions: What the text takes for granted of its arguments.
        lines: How many lines the generated text has.
        findings: What was found out about each function.
        measured: What was kept in a call with given arguments; empty if none was made.
        total: The bytes of that, each piece of memory counted once.
        loops: What each run of a checkpointed loop took in that call.
        not_proven: Why the checker of derivatives does not prove the text; empty if it does.
        own_code_unread: Why it compared the text with what the compiler reads of the function, and
            not with the function's own code; empty if it did that, too.
        left_out: Why parts of functions are refused, in whose place the text raises.
    """

    subject: Subject
    engine: str
    refusals: tuple[Diagnostic, ...] = ()
    conditions: tuple[str, ...] = ()
    lines: int = 0
    findings: Findings = field(default_factory=lambda: Findings(()))
    measured: Mapping[Key, Measured] = field(default_factory=dict)
    total: int | None = None
    loops: tuple[LoopReport, ...] = ()
    not_proven: str = ""
    own_code_unread: str = ""
    left_out: tuple[Diagnostic, ...] = ()

    def __str__(self) -> str:
        return self.text(colour=is_terminal())

    def text(self, *, colour: bool = False) -> str:
        """Return the explanation as text, with ANSI colours if asked for."""
        return Words(self, Style(colour=colour)).text()

    def _repr_html_(self) -> str:
        """Return the text for a notebook."""
        plain = self.text().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return f"<pre>{plain}</pre>"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as dicts, lists, strings and numbers, the same at every call."""
        return {
            **asdict(self.subject),
            "inputs": list(self.subject.inputs),
            "engine": self.engine,
            "refusals": [_diagnostic(item) for item in self.refusals],
            "left_out": [_diagnostic(item) for item in self.left_out],
            "taken_for_granted": list(self.conditions),
            "generated_lines": self.lines,
            "not_proven": self.not_proven,
            "own_code_unread": self.own_code_unread,
            "functions": [self._function(item) for item in self.findings.functions],
            "bytes": self.total,
        }

    def _function(self, found: FunctionFound) -> dict[str, Any]:
        return {
            "name": found.name,
            "file": found.file,
            "line": found.line,
            "generated": list(found.generated),
            "inputs": list(found.inputs),
            "chains": {name: list(lines) for name, lines in found.chains.items()},
            "variables": [_listed(asdict(item)) for item in found.variables],
            "calls": [_listed(asdict(item)) for item in found.calls],
            "kinks": [_listed(asdict(item)) for item in found.kinks],
            "records": [self._record(item, found) for item in found.records],
            "checkpoints": [self._checkpoint(item) for item in found.checkpoints],
            "texts": {str(number): text for number, text in found.texts.items()},
        }

    def _record(self, record: Record, found: FunctionFound) -> dict[str, Any]:
        measured = self.measure(record, found)
        return {
            **_listed(asdict(record)),
            "bytes": None if measured is None else measured.bytes,
            "count": None if measured is None else measured.count,
        }

    def _checkpoint(self, checkpoint: Checkpoint) -> dict[str, Any]:
        report = self.report(checkpoint)
        return {**asdict(checkpoint), "measured": None if report is None else asdict(report)}

    def report(self, checkpoint: Checkpoint) -> LoopReport | None:
        """Return what a checkpointed loop took in the call, at the run that took most."""
        found = [item for item in self.loops if checkpoint.step and item.name == checkpoint.step]
        return max(found, key=lambda item: item.trips, default=None)

    def measure(self, record: Record, found: FunctionFound) -> Measured | None:
        """Return what a record took in the call that was measured, if one was."""
        for name in found.generated:
            if (name, record.list_name) in self.measured:
                return self.measured[name, record.list_name]
        return None


def _listed(items: dict[str, Any]) -> dict[str, Any]:
    """Return a dict with lists for tuples, as JSON has them."""
    return {key: list(item) if isinstance(item, tuple) else item for key, item in items.items()}


def _diagnostic(item: Diagnostic) -> dict[str, Any]:
    span = item.span
    return {
        "code": item.code,
        "message": item.message,
        "file": None if span is None else span.file,
        "line": None if span is None else span.line,
        "text": "" if span is None else span.text.strip(),
        "hint": item.hint,
    }
