"""Gives nodes copies of what they have saved, before that is overwritten."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from srcgrad.tape.apply import UNCHANGING
from srcgrad.tape.node import Node


def replace_saved(node: Node, copies: dict[int, Any]) -> None:
    """Let a node keep copies in the place of saved arrays, which are given by identity.

    What it has not saved may be gone, and a copy may lie where it was: it is known no more.
    """
    held = {id(value) for value in _leaves(node.saved_tensors)}
    versions = list(node._versions)
    ids: list[int] = []
    for position, known in enumerate(node._ids):
        if known in copies:
            versions[2 * position : 2 * position + 2] = UNCHANGING, 0
            ids.append(id(copies[known]))
        else:
            ids.append(known if known in held else 0)
    node.saved_tensors = tuple(copies.get(id(value), value) for value in node.saved_tensors)
    node._versions = tuple(versions)
    node._ids = tuple(ids)


def _leaves(values: Any) -> Iterator[Any]:
    for value in values:
        if type(value) in (tuple, list):
            yield from _leaves(value)
        else:
            yield value
