"""Defines the two statements that Python's grammar lacks: a comment and an empty line."""

from __future__ import annotations

import ast
from typing import Any


class Comment(ast.stmt):
    r"""A comment on lines of its own; `text` holds no `#` and may have several lines.

    >>> Comment("first\nsecond").text
    'first\nsecond'
    """

    _fields = ("text",)
    text: str

    def __init__(self, text: str = "", **attributes: Any) -> None:
        super().__init__(**attributes)
        self.text = text


class Blank(ast.stmt):
    """An empty line; at most two in a row are printed at module level and one below."""

    _fields = ()


def is_backward(statement: Any) -> bool:
    """Say whether a statement is the comment with which the backward pass begins."""
    return isinstance(statement, Comment) and statement.text == "backward"
