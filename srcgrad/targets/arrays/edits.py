"""Changes pieces of a text in place, so that lines and comments stay where they are."""

from __future__ import annotations

import ast
from itertools import accumulate


class Edits:
    """Changes to be made of a text, told by the places of its syntax tree.

    >>> text = "s += x[0]"
    >>> edits = Edits(text)
    >>> edits.around(ast.parse(text).body[0].value, "element(", ")")
    >>> edits.done()
    's += element(x[0])'
    """

    def __init__(self, text: str) -> None:
        self._bytes = text.encode()
        lines = self._bytes.splitlines(keepends=True)
        self._starts = [0, *accumulate(map(len, lines))]
        self._cuts: list[tuple[int, int, bytes]] = []
        self._before: dict[int, list[bytes]] = {}
        self._behind: dict[int, list[bytes]] = {}

    def start(self, node: ast.expr | ast.stmt) -> int:
        """Return where a node begins, in bytes."""
        return self._starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt) -> int:
        """Return where a node ends, in bytes."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._starts[node.end_lineno - 1] + node.end_col_offset

    def text_of(self, node: ast.expr | ast.stmt) -> str:
        """Return the text of a node as it is now, before the changes."""
        return self._bytes[self.start(node) : self.end(node)].decode()

    def line_of(self, comment: str, function: ast.FunctionDef) -> int:
        """Return the line of a comment in a function; the one behind it if there is none."""
        end = (function.end_lineno or function.lineno) + 1
        lines = self._bytes.decode().splitlines()[function.lineno - 1 : end - 1]
        places = (n for n, line in enumerate(lines) if line.strip() == comment)
        return function.lineno + next(places, end - function.lineno)

    def around(self, node: ast.expr, before: str, behind: str) -> None:
        """Put something around a node; what is asked for first comes outermost."""
        self.before(node, before)
        self.behind(node, behind)

    def before(self, node: ast.expr | ast.stmt, text: str) -> None:
        """Put something before a node."""
        self._before.setdefault(self.start(node), []).append(text.encode())

    def behind(self, node: ast.expr | ast.stmt, text: str) -> None:
        """Put something behind a node."""
        self._behind.setdefault(self.end(node), []).insert(0, text.encode())

    def between(self, begin: int, old: str, new: str) -> None:
        """Replace the first `old` behind a place."""
        at = self._bytes.index(old.encode(), begin)
        self.instead(at, at + len(old.encode()), new)

    def instead(self, begin: int, end: int, new: str) -> None:
        """Replace the text between two places."""
        self._cuts.append((begin, end, new.encode()))

    def done(self) -> str:
        """Return the text with all changes."""
        changes = [(at, 0, at, b"".join(parts)) for at, parts in self._behind.items()]
        changes += [(at, 1, at, b"".join(parts)) for at, parts in self._before.items()]
        changes += [(begin, 2, end, new) for begin, end, new in self._cuts]
        made, reached = [], 0
        for begin, _, end, new in sorted(changes):
            made += [self._bytes[reached:begin], new]
            reached = end
        return b"".join([*made, self._bytes[reached:]]).decode()
