"""Builds the page of a report: self-contained HTML, with all styles and scripts inside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path

from srcgrad.compiler.findings import FunctionFound, Record
from srcgrad.compiler.module_text import spoken
from srcgrad.insight.costs import Costs
from srcgrad.insight.explanation import Explanation
from srcgrad.insight.styles import size
from srcgrad.reporting.listing import Listing, duration, plain_listing, table
from srcgrad.reporting.sides import Sides


@dataclass(frozen=True, slots=True)
class Report:
    """All that a page shows.

    Attributes:
        explanation: What was found out about the derivative.
        sides: The user's lines and the generated ones.
        stages: The text after each pass of the compiler.
        costs: What the lines cost in a call, if one was made.
        call: The arguments of that call, as text.
    """

    explanation: Explanation
    sides: Sides
    stages: Mapping[str, str] = field(default_factory=dict)
    costs: Costs | None = None
    call: str = ""

    def page(self) -> str:
        """Return the whole page."""
        listing = self._listing()
        tabs = [("Derivative", listing.html()), ("Explanation", self._explanation())]
        tabs += [(name, plain_listing(text)) for name, text in self.stages.items()]
        title = escape(self._title())
        style = "\n".join([_asset("page.css"), listing.style(".srcgrad"), _tab_rules(len(tabs))])
        return "\n".join(
            [
                "<!doctype html>",
                '<html lang="en"><head><meta charset="utf-8">',
                '<meta name="viewport" content="width=device-width, initial-scale=1">',
                f"<title>{title}</title><style>{style}</style></head>",
                '<body class="srcgrad">',
                f'<header><h1>{title}</h1><button id="theme">light / dark</button></header>',
                f'<p class="about">{escape(self._about())}</p>{self._measured()}{self._figures()}',
                *_tabs(tabs),
                f"<script>{_asset('page.js')}</script></body></html>",
                "",
            ]
        )

    def fragment(self) -> str:
        """Return the two sides alone, for a notebook: no script, and styles for itself only."""
        listing = self._listing()
        name = "sg" + sha256("\n".join(self.sides.generated).encode()).hexdigest()[:10]
        style = "\n".join([_asset("page.css"), listing.style(f"#{name}")])
        return (
            f'<div class="srcgrad" id="{name}"><style>{style}</style>'
            f'<div class="small">{listing.html()}</div></div>'
        )

    def _listing(self) -> Listing:
        kept = {
            (found.file, line)
            for found in self.explanation.findings.functions
            for record in found.records
            for line in record.lines
        }
        return Listing(self.sides, self.costs, frozenset(kept))

    def _title(self) -> str:
        subject = self.explanation.subject
        return f"{subject.mode} of {subject.function}"

    def _about(self) -> str:
        subject = self.explanation.subject
        place = f"{Path(subject.file).name}:{subject.line}, " if subject.file else ""
        about = f"{place}with respect to {', '.join(subject.inputs)}"
        if self.explanation.conditions:
            about += "; taken for granted: " + ", ".join(map(spoken, self.explanation.conditions))
        return about

    def _measured(self) -> str:
        return f'<p class="about">measured at {escape(self.call)}</p>' if self.call else ""

    def _figures(self) -> str:
        figures = []
        if self.costs is not None:
            figures.append((duration(self.costs.total), "time of the derivative, line by line"))
            if self.costs.primal:
                ratio = self.costs.total / self.costs.primal
                figures.append(
                    (f"{ratio:.1f} times", f"the {duration(self.costs.primal)} of the function")
                )
        if self.explanation.total is not None:
            figures.append((size(self.explanation.total), "kept for the backward pass"))
        figures.append((f"{len(self.sides.generated)} lines", "of generated text"))
        items = (
            f"<li><strong>{escape(a)}</strong><span>{escape(b)}</span></li>" for a, b in figures
        )
        return f'<ul class="figures">{"".join(items)}</ul>'

    # -- the explanation as tables

    def _explanation(self) -> str:
        return "".join(
            f"<h2>{escape(found.name)}</h2>{''.join(self._sections(found))}"
            for found in self.explanation.findings.functions
        )

    def _sections(self, found: FunctionFound) -> Iterator[str]:
        variables = [
            (item.name, _lines(item.lines), item.reason or f"through {_lines(item.chain)}")
            for item in found.variables
        ]
        heads = ("variable", "bound in", "derivative")
        yield _titled("Variables, and why they have a derivative or none", table(heads, variables))
        records = [self._record(item, found) for item in found.records]
        yield _titled("Kept for the backward pass", table(("when", "what", "bytes"), records))
        calls = [
            (call.callee, f"L{call.line}", call.how, ", ".join(call.names), call.reason)
            for call in found.calls
        ]
        yield _titled("Calls", table(("function", "line", "how", "generated", "why"), calls))
        kinks = [(k.function, f"L{k.line}", k.where, k.gradient) for k in found.kinks]
        yield _titled("Conventions at kinks", table(("function", "line", "at", "gradient"), kinks))
        loops = [(f"L{item.line}", item.what) for item in found.checkpoints]
        yield _titled("Computed again in the backward pass", table(("line", "what"), loops))

    def _record(self, record: Record, found: FunctionFound) -> tuple[str, str, str]:
        pairs = zip(record.names, record.lines, strict=True)
        names = ", ".join(f"{name} (L{line})" if line else name for name, line in pairs)
        when = "each call" if record.per == "call" else f"each trip of L{record.loop}"
        measured = self.explanation.measure(record, found)
        if measured is None:
            return when, names, ""
        times = f" in {measured.count:,} times" if measured.count > 1 else ""
        return when, names, size(measured.bytes) + times


def _titled(title: str, body: str) -> str:
    return f"<h3>{escape(title)}</h3>{body}" if body else ""


def _lines(lines: tuple[int, ...]) -> str:
    return ", ".join(f"L{line}" for line in lines)


def _tabs(tabs: list[tuple[str, str]]) -> Iterator[str]:
    """Yield the tabs: a radio button each, so that they need no script."""
    for number in range(len(tabs)):
        checked = " checked" if number == 0 else ""
        yield f'<input class="tab" type="radio" name="tab" id="tab{number}"{checked}>'
    labels = (f'<label for="tab{n}">{escape(name)}</label>' for n, (name, _) in enumerate(tabs))
    yield f"<nav>{''.join(labels)}</nav>"
    for number, (_, body) in enumerate(tabs):
        yield f'<section id="part{number}">{body}</section>'


def _tab_rules(count: int) -> str:
    shown = ",".join(f"#tab{n}:checked~#part{n}" for n in range(count))
    chosen = ",".join(f'#tab{n}:checked~nav label[for="tab{n}"]' for n in range(count))
    focused = ",".join(f'#tab{n}:focus-visible~nav label[for="tab{n}"]' for n in range(count))
    return (
        f"{shown}{{display:block}}\n"
        f"{chosen}{{color:var(--ink);background:var(--pane);border-color:var(--rule)}}\n"
        f"{focused}{{outline:2px solid var(--edge)}}"
    )


def _asset(name: str) -> str:
    return files("srcgrad.reporting").joinpath(name).read_text(encoding="utf-8")
