"""Pictures of what a run leaves behind, which are compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.api.aftermath import alike, picture


class Node:
    """An object that holds others."""

    def __init__(self, value: float) -> None:
        self.value = np.full(3, value)
        self.others: list[Any] = []


def _all_to_all(last: float) -> list[Node]:
    nodes = [Node(1.0) for _ in range(29)] + [Node(last)]
    for node in nodes:
        node.others = nodes
    return nodes


def test_objects_that_all_hold_each_other_have_one_picture_each() -> None:
    before = picture(_all_to_all(1.0))
    assert alike(before, picture(_all_to_all(1.0)), 0.0)
    assert not alike(before, picture(_all_to_all(2.0)), 0.0)


def test_what_is_held_twice_is_gone_into_once() -> None:
    chain: Any = [1.0]
    for _ in range(40):
        chain = [chain, chain]
    other: Any = [2.0]
    for _ in range(40):
        other = [other, other]
    assert alike(picture(chain), picture(chain), 0.0)
    assert not alike(picture(chain), picture(other), 0.0)


def test_pictures_do_not_change_with_what_they_are_of() -> None:
    node = Node(1.0)
    node.others = [node.value, node.value]
    before = picture(node)
    node.value[0] = 5.0
    assert not alike(before, picture(node), 0.0)
