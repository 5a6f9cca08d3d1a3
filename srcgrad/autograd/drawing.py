"""Draws the graph that a tape has recorded, in the language of Graphviz."""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from srcgrad.errors import ArgumentError, ToolNotFoundError
from srcgrad.tape.core import Core, edge_of

_HEAD: Final = """\
digraph tape {
  graph [rankdir=TB, bgcolor="transparent"];
  node [shape=box, style="rounded,filled", fillcolor="#eef1f5", color="#8d97a3", fontname="sans-serif", fontsize=11];
  edge [color="#6a737d", arrowsize=0.7, fontname="sans-serif", fontsize=9];
"""  # noqa: E501 - lines of another language
_LEAF: Final = 'fillcolor="#cfe3cf", style=filled'
_OUTPUT: Final = 'fillcolor="#ffe9a8", shape=ellipse'


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture of a graph; notebooks show it.

    Attributes:
        dot: The graph in the language of Graphviz.
    """

    dot: str

    def svg(self) -> str:
        """Return the picture as SVG.

        Raises:
            ToolNotFoundError: Graphviz is not installed.
        """
        return self._rendered("svg").decode("utf-8")

    def save(self, path: str | Path) -> Path:
        """Write a file, in the format that its ending names: ``.dot``, ``.svg``, ``.png``, ...

        Raises:
            ToolNotFoundError: Graphviz, which every format but ``.dot`` needs, is not installed.
            ArgumentError: Graphviz does not know the format.
        """
        path = Path(path)
        if path.suffix in (".dot", ".gv"):
            path.write_text(self.dot, encoding="utf-8")
        else:
            path.write_bytes(self._rendered(path.suffix.removeprefix(".") or "svg"))
        return path

    def _repr_svg_(self) -> str | None:
        """Return the picture for a notebook, if it can be drawn."""
        return self.svg() if shutil.which("dot") else None

    def __str__(self) -> str:
        return self.dot

    def _rendered(self, kind: str) -> bytes:
        program = shutil.which("dot")
        if program is None:
            raise ToolNotFoundError(
                "the program `dot` of Graphviz, which draws graphs, is not installed",
                hint="install Graphviz, or take the text: `drawing.save('graph.dot')`",
            )
        subprocess = importlib.import_module("subprocess")  # which few have use for
        done = subprocess.run(
            [program, f"-T{kind}"], input=self.dot.encode(), capture_output=True, check=False
        )
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            raise ArgumentError(
                f"Graphviz cannot draw as `{kind}`: {said[0] if said else 'no reason given'}",
                hint="end the name of the file in .svg, .png, .pdf or .dot",
            )
        drawn: bytes = done.stdout
        return drawn


def draw(
    tensors: Any,
    path: str | Path | None = None,
    *,
    names: Mapping[str, Any] | None = None,
    most: int = 2000,
) -> Drawing:
    """Draw the graph behind a tensor, or behind several.

    Leaves, with shape and type, are at the top, and arrows lead from operands to results. In
    anomaly mode, a node has the line of its call as its tooltip.

    Args:
        tensors: A tensor or a sequence of tensors.
        path: Where to write the picture, if anywhere; see `Drawing.save`.
        names: Names for leaves, such as ``{"w": w}``.
        most: The most nodes to draw.

    Raises:
        ArgumentError: No tensor has a graph, or there are more nodes than `most`.
        ToolNotFoundError: Graphviz is not installed, and the file at `path` needs it.
    """
    outputs = [tensors] if isinstance(tensors, Core) else list(tensors)
    roots = [(item, edge_of(item)) for item in outputs if isinstance(item, Core)]
    starts = [(item, edge) for item, edge in roots if edge is not None]
    if not starts:
        raise ArgumentError(
            "none of the tensors has a graph", hint="make leaves with requires_grad=True"
        )
    known = {id(item): name for name, item in (names or {}).items()}
    found = _nodes([edge[0] for _, edge in starts], most)
    order = {id(node): number for number, node in enumerate(found)}
    lines = [f"  n{order[id(node)]} [{_label(node, known)}];" for node in found]
    for node in found:
        for source, output in node.next_functions:
            if source is not None:
                lines.append(f"  n{order[id(source)]} -> n{order[id(node)]}{_edge_label(output)};")
    for number, (item, edge) in enumerate(starts):
        text = _quoted(f"{known.get(id(item), 'result')}\n{_kind_of(item)}")
        lines.append(f"  out{number} [label={text}, {_OUTPUT}];")
        lines.append(f"  n{order[id(edge[0])]} -> out{number}{_edge_label(edge[1])};")
    drawing = Drawing(_HEAD + "\n".join(lines) + "\n}\n")
    if path is not None:
        drawing.save(path)
    return drawing


def _nodes(starts: Iterable[Any], most: int) -> list[Any]:
    """Return all nodes behind some, each once; without recursion, since chains are long."""
    found: dict[int, Any] = {}
    stack = list(starts)
    while stack:
        node = stack.pop()
        if id(node) in found:
            continue
        found[id(node)] = node
        if len(found) > most:
            raise ArgumentError(
                f"the graph has more than {most} nodes, too many to look at",
                hint="draw a smaller case, or pass a larger `most`",
            )
        stack.extend(source for source, _ in node.next_functions if source is not None)
    return list(found.values())


def _label(node: Any, known: Mapping[int, str]) -> str:
    variable = getattr(node, "variable", None)
    if variable is not None:
        text = f"{known.get(id(variable), 'leaf')}\n{_kind_of(variable)}"
        return f"label={_quoted(text)}, {_LEAF}"
    place: Sequence[str] = node.metadata.get("traceback_") or ()
    tooltip = f", tooltip={_quoted(place[-1].strip())}" if place else ""
    return f"label={_quoted(node.name())}{tooltip}"


def _kind_of(tensor: Any) -> str:
    return f"{tensor.dtype} {tuple(tensor.shape)}"


def _edge_label(output: int) -> str:
    return f' [label="{output}"]' if output else ""


def _quoted(text: str) -> str:
    r"""Return a text as a string of Graphviz.

    >>> print(_quoted('say "x"' + chr(10) + "twice"))
    "say \"x\"\ntwice"
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
