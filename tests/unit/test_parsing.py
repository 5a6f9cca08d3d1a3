"""Texts are parsed on many threads at once."""

from __future__ import annotations

import ast
import gc
import threading
import time

import pytest

from srcgrad.parsing import expression_of, parsed

TEXT = "".join(
    f"def f{i}(x):\n    return [x * {i} + (x - {i}) ** 2 for x in x]\n" for i in range(500)
)


def test_threads_that_take_turns_within_a_tree_all_get_it():
    whole = ast.dump(ast.parse(TEXT))
    found: list[bool] = []
    threads = [threading.Thread(target=_parse, args=(deep, whole, found)) for deep in (0, 50, 99)]
    before = gc.get_threshold()
    gc.callbacks.append(_give_way)
    gc.set_threshold(300)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(_give_way)
    assert found == [True] * len(threads)


def _give_way(_phase: str, _info: object) -> None:
    time.sleep(1e-4)


def _parse(deep: int, whole: str, found: list[bool]) -> None:
    if deep:
        _parse(deep - 1, whole, found)
    else:
        found.append(all(ast.dump(parsed(TEXT)) == whole for _ in range(3)))


def test_what_is_no_python_is_said():
    with pytest.raises(SyntaxError):
        parsed("x = ")
    with pytest.raises(SyntaxError):
        expression_of("x = 1")
