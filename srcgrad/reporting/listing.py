"""Writes the two sides of a report as HTML: lines that are linked, with what they cost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from srcgrad.insight.costs import Costs
from srcgrad.insight.styles import size
from srcgrad.reporting.colours import marked_up
from srcgrad.reporting.sides import Place, Sides


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a listing."""

    number: int
    html: str
    key: str = ""
    classes: tuple[str, ...] = ()
    time: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Listing:
    """The panes of one report.

    Attributes:
        sides: What stands in them.
        costs: What the lines cost, if that was measured.
        kept: The user's lines that make what is kept for the backward pass.
    """

    sides: Sides
    costs: Costs | None = None
    kept: frozenset[Place] = field(default_factory=frozenset)

    def html(self) -> str:
        """Return both panes."""
        return f'<div class="sides">{self._primal()}{self._generated()}</div>'

    def style(self, scope: str) -> str:
        """Return the rules that light up a line and its partners, below a selector."""
        light = "{background:var(--linked);border-left-color:var(--edge)}"
        rules = []
        for key in dict.fromkeys(self.sides.keys().values()):
            line = f'[data-u="{key}"]'
            rules.append(f"{scope}:has({line}:is(:hover,:focus)) {line}{light}")
        return "\n".join(rules)

    def _primal(self) -> str:
        keys = self.sides.keys()
        times, memory = self._by_place()
        most = max(times.values(), default=0)
        parts = []
        for block in self.sides.blocks:
            marked = marked_up(block.lines)
            lines = [
                Line(
                    place[1], html, keys.get(place, ""), self._classes(place, keys), times[place],
                    memory[place],
                )
                for (place, _), html in zip(block.places(), marked, strict=True)
            ]  # fmt: skip
            parts.append(f"<h3>{escape(block.title)}</h3>{self._lines(lines, most)}")
        return f'<div class="pane primal">{self._heads()}{"".join(parts)}</div>'

    def _generated(self) -> str:
        keys, costs = self.sides.keys(), self.costs or Costs()
        lines = []
        for number, html in enumerate(marked_up(self.sides.generated), 1):
            place = self.sides.links.get(number)
            classes = ("backward",) if number in self.sides.backward else ()
            key = "" if place is None else keys[place]
            time, made = costs.times.get(number, 0), costs.bytes.get(number, 0)
            lines.append(Line(number, html, key, classes, time, made))
        most = max(costs.times.values(), default=0)
        title = "<h3>generated</h3>"
        return f'<div class="pane generated">{self._heads()}{title}{self._lines(lines, most)}</div>'

    def _classes(self, place: Place, keys: Mapping[Place, str]) -> tuple[str, ...]:
        return ("kept",) if place in self.kept and place in keys else ()

    def _by_place(self) -> tuple[dict[Place, int], dict[Place, int]]:
        """Return the time and the bytes of all generated lines that come from one of the user's."""
        times: dict[Place, int] = defaultdict(int)
        memory: dict[Place, int] = defaultdict(int)
        costs = self.costs or Costs()
        for number, place in self.sides.links.items():
            times[place] += costs.times.get(number, 0)
            memory[place] += costs.bytes.get(number, 0)
        return times, memory

    def _heads(self) -> str:
        if self.costs is None:
            return ""
        return '<div class="heads"><span>time</span><span>memory</span></div>'

    def _lines(self, lines: Sequence[Line], most: int) -> str:
        return f'<div class="lines">{"".join(self._line(line, most) for line in lines)}</div>'

    def _line(self, line: Line, most: int) -> str:
        linked = f' data-u="{line.key}" tabindex="0"' if line.key else ""
        kept = [name for name in line.classes if name == "kept"]
        names = " ".join(["line", *[name for name in line.classes if name != "kept"]])
        cells = self._cells(line, most) if self.costs is not None else ""
        text = f'<code class="{" ".join(["text", *kept])}">{line.html or " "}</code>'
        number = f'<code class="number">{line.number}</code>'
        return f'<div class="{names}"{linked}>{cells}{number}{text}</div>\n'

    def _cells(self, line: Line, most: int) -> str:
        share = 100 * line.time / most if most else 0
        bar = f' style="--part:{share:.0f}%"' if share >= 1 else ""
        made = size(line.bytes).replace(" bytes", " B") if line.bytes else ""
        time = duration(line.time) if line.time else ""
        return f'<code class="cost"{bar}>{time}</code><code class="bytes">{made}</code>'


def plain_listing(text: str) -> str:
    """Return a text as one pane of lines that are linked to nothing."""
    lines = text.rstrip("\n").split("\n")
    rows = (
        f'<div class="line"><code class="number">{number}</code>'
        f'<code class="text">{html or " "}</code></div>'
        for number, html in enumerate(marked_up(lines), 1)
    )
    return f'<div class="pane"><div class="lines">{"".join(rows)}</div></div>'


def duration(time: int) -> str:
    """Return nanoseconds as people read them.

    >>> duration(740), duration(12_345), duration(3_200_000), duration(5_400_000_000)
    ('0.74 µs', '12.3 µs', '3.2 ms', '5.4 s')
    """
    if time < 1_000:
        return f"{time / 1000:.2f} µs"
    if time < 1_000_000:
        return f"{time / 1000:.1f} µs"
    return f"{time / 1e6:.1f} ms" if time < 1_000_000_000 else f"{time / 1e9:.1f} s"


def table(heads: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of texts as HTML; nothing if it has no rows."""
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    if not body:
        return ""
    return f"<table><tr>{''.join(f'<th>{escape(h)}</th>' for h in heads)}</tr>{body}</table>"
