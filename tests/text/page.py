"""Writes the page that shows texts of derivatives beside gradients written by hand.

``python -m tests.text.page`` writes ``docs/by-hand.md``.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

from tests.text.byhand import statements, text_by_hand
from tests.text.golden import FILES, Golden

PAGE = Path(__file__).parents[2] / "docs" / "by-hand.md"
HEAD = """# Beside gradients written by hand

One who knows the field has written the gradients of {count} programs by hand. Here they stand
beside the texts that srcgrad makes for the same arguments. A test runs both and compares the
results.

Over the set the texts have {ratio:.2f} times as many statements: {ours} to {theirs}. The
difference is mostly one of knowing mathematics: the residual of a logistic regression is `p - y`
to a person, and a chain of three lines to the chain rule; a person also sees that a branch or a
list can be done without.

This page is written by `make pages`.
"""
ENTRY = """
## {name}: {ours} statements, by hand {theirs}

{what}

```py
{program}
```

<table><tr><td>

The text of srcgrad:

```py
{text}
```

</td><td>

By hand:

```py
{by_hand}
```

</td></tr></table>
"""


def written() -> str:
    """Return the page."""
    ours = sum(statements(golden.text) for golden in FILES)
    theirs = sum(statements(text_by_hand(golden.name)) for golden in FILES)
    head = HEAD.format(count=len(FILES), ratio=ours / theirs, ours=ours, theirs=theirs)
    return head + "".join(map(_entry, FILES))


def _entry(golden: Golden) -> str:
    tree = ast.parse(golden.head)
    lines = golden.head.splitlines()
    definitions = [
        "\n".join(lines[_first(node) - 1 : node.end_lineno])
        for node in tree.body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name != "example"
    ]
    by_hand = text_by_hand(golden.name)
    return ENTRY.format(
        name=golden.name.replace("_", " ").capitalize(),
        ours=statements(golden.text),
        theirs=statements(by_hand),
        what=ast.get_docstring(tree),
        program="\n\n\n".join(definitions),
        text=golden.text.strip(),
        by_hand=by_hand.strip(),
    )


def _first(node: ast.FunctionDef | ast.ClassDef) -> int:
    """Return the first line of a definition, its decorators included."""
    return min([node.lineno, *(item.lineno for item in node.decorator_list)])


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
    sys.stdout.write(f"wrote {PAGE}\n")
