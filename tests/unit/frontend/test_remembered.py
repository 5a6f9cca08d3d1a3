"""Tests of what is remembered of functions that call each other."""

from __future__ import annotations

import numpy as np

from srcgrad.compiler.vocabulary import VOCABULARY
from srcgrad.frontend import effects
from srcgrad.frontend.effects import returned_parameters, written_parameters
from srcgrad.frontend.remembered import nothing_changes


def _turned(a, b, n):
    if n == 0:
        a[0] = 2.0
    else:
        _turned(b, a, n - 1)


def _first(a, b, c, n):
    return a if n == 0 else _second(b, c, a, n - 1)


def _second(a, b, c, n):
    return _third(c, b, a, n) if n % 2 else _first(a, b, c, n)


def _third(a, b, c, n):
    c[0] = 1.0
    return _first(b, a, c, n - 1)


def test_arguments_that_a_recursion_turns_round_are_all_written() -> None:
    """The second call writes into what the first one was given second."""
    assert written_parameters(_turned, VOCABULARY) == {"a", "b"}
    y, z = np.ones(2), np.ones(2)
    _turned(y, z, 1)
    assert z[0] == 2.0


def test_all_that_three_functions_hand_on_is_found_whichever_is_asked_first() -> None:
    """The answers do not depend on which of them was asked about first."""
    for order in ((_first, _second, _third), (_third, _first, _second), (_second, _third, _first)):
        with nothing_changes():
            for function in order:
                assert {"a", "b", "c"} == returned_parameters(function, VOCABULARY), function
                assert {"a", "b", "c"} == written_parameters(function, VOCABULARY), function


def test_each_of_many_that_call_each_other_is_read_a_few_times(monkeypatch) -> None:
    """Not once for each way through their calls."""
    names = [f"f{k}" for k in range(8)]
    read: dict[str, int] = {}
    plain = effects._found_written

    def counted(function, *given):
        read[function.__name__] = read.get(function.__name__, 0) + 1
        return plain(function, *given)

    monkeypatch.setattr(effects, "_found_written", counted)
    space = {name: _calling(name, names) for name in names}
    for function in space.values():
        function.__globals__.update(space)
    assert written_parameters(space["f0"], VOCABULARY) >= {"a"}
    assert max(read.values()) <= 4, read


def _calling(name, names):
    import linecache

    calls = "".join(f"    {other}(a, n - 1)\n" for other in names)
    text = f"def {name}(a, n):\n    if n == 0:\n        a[0] = 1.0\n        return\n{calls}"
    file = f"<{name}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    space: dict[str, object] = {}
    exec(compile(text, file, "exec"), space)
    return space[name]
