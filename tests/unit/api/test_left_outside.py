"""What functions keep outside of them: values without the tape, changed once a call."""

from __future__ import annotations

import dataclasses
import sys
import types
from collections import UserDict, UserList
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.tape.core import Core

X = np.array([0.3, 1.2, -0.4])


class Slots:
    __slots__ = ("count", "kept")

    def __init__(self) -> None:
        self.kept, self.count = 0.0, 0


@dataclasses.dataclass(slots=True)
class Record:
    kept: Any = 0.0
    count: int = 0


class Shared:
    kept: Any = 0.0
    count = 0


def on_itself(x: Any) -> Any:
    on_itself.kept = x[0] * 2.0
    on_itself.count += 1
    return on_itself.kept * x[1] * on_itself.count


def in_slots(x: Any) -> Any:
    SLOTS.kept = x[0] * 2.0
    SLOTS.count += 1
    return SLOTS.kept * x[1] * SLOTS.count


def in_a_record(x: Any) -> Any:
    RECORD.kept = [x[0] * 2.0]
    RECORD.count += 1
    return RECORD.kept[0] * x[1] * RECORD.count


def in_a_class(x: Any) -> Any:
    Shared.kept = x[0] * 2.0
    Shared.count += 1
    return Shared.kept * x[1] * Shared.count


def in_a_namespace(x: Any) -> Any:
    SPACE.kept = x[0] * 2.0
    SPACE.count += 1
    return SPACE.kept * x[1] * SPACE.count


def in_wrappers(x: Any) -> Any:
    WORDS["kept"] = x[0] * 2.0
    ROW.append(0)
    return WORDS["kept"] * x[1] * len(ROW)


def in_a_module(x: Any) -> Any:
    MODULE.kept = x[0] * 2.0
    MODULE.count += 1
    return MODULE.kept * x[1] * MODULE.count


def in_bytes(x: Any) -> Any:
    BYTES[0] += 1
    return x[0] * 2.0 * x[1] * BYTES[0]


def in_a_set(x: Any) -> Any:
    SEEN.add(len(SEEN))
    return x[0] * 2.0 * x[1] * len(SEEN)


def by_an_iterator(x: Any) -> Any:
    return x[0] * 2.0 * x[1] * next(COUNTED)


def _counting() -> Iterator[int]:
    count = 0
    while True:
        count += 1
        yield count


HOLDERS: dict[str, Callable[[], Any]] = {
    "SLOTS": Slots,
    "RECORD": Record,
    "SPACE": lambda: types.SimpleNamespace(kept=0.0, count=0),
    "WORDS": lambda: UserDict(kept=0.0),
    "ROW": UserList,
    "BYTES": lambda: bytearray(1),
    "SEEN": set,
    "COUNTED": _counting,
}
MODULE: Any = types.ModuleType("kept_by_no_import")
SLOTS, RECORD, SPACE, WORDS, ROW, BYTES, SEEN, COUNTED = (make() for make in HOLDERS.values())
FUNCTIONS = [
    on_itself, in_slots, in_a_record, in_a_class, in_a_namespace, in_wrappers, in_a_module,
    in_bytes, in_a_set, by_an_iterator,
]  # fmt: skip


def _pulled(function: Callable[[Any], Any]) -> tuple[Any, Any]:
    value, pull = sg.vjp(function, X)
    return value, pull(1.0)[0]


WAYS: dict[str, Callable[[Callable[[Any], Any]], tuple[Any, Any]]] = {
    "source": lambda f: sg.value_and_grad(f)(X),
    "tape": lambda f: sg.value_and_grad(f, backend="tape")(X),
    "vjp": _pulled,
    "jvp": lambda f: sg.jvp(f, (X,), (np.ones(3),)),
}


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, make in HOLDERS.items():
        monkeypatch.setitem(globals(), name, make())
    for holder in (on_itself, Shared, MODULE):
        monkeypatch.setattr(holder, "kept", 0.0, raising=False)
        monkeypatch.setattr(holder, "count", 0, raising=False)


def _kept() -> list[Any]:
    found = [vars(item) for item in (on_itself, Shared, MODULE, SPACE)]
    return [*(fields.get("kept") for fields in found), SLOTS.kept, RECORD.kept, WORDS["kept"]]


@pytest.mark.usefixtures("begun")
@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_is_kept_outside_is_changed_once_a_call_and_plain(function: Any, way: str) -> None:
    for count in (1, 2, 3):
        value, change = WAYS[way](function)
        assert type(value) in (float, np.float64)
        assert value == pytest.approx(count * 2.0 * X[0] * X[1], rel=1e-12)
        by_numbers = count * 2.0 * (X[0] + X[1])  # the sum of both parts of the gradient
        assert np.sum(change) == pytest.approx(by_numbers, rel=1e-12)
        kept = [item for part in _kept() for item in (part if isinstance(part, list) else [part])]
        assert not any(isinstance(item, Core) for item in kept)


def test_a_module_that_was_loaded_anew_is_the_one_that_is_read_and_written(tmp_path: Any) -> None:
    file = tmp_path / "anew_for_a_test.py"
    file.write_text("K = 0\n\n\ndef f(x):\n    global K\n    K += 1\n    return x * K\n")
    for _ in range(3):
        module: Any = types.ModuleType("anew_for_a_test")
        module.__file__ = str(file)
        sys.modules["anew_for_a_test"] = module
        exec(compile(file.read_text(), str(file), "exec"), vars(module))
        values = [sg.value_and_grad(module.f, fallback="tape")(2.0)[0] for _ in range(3)]
        assert (values, module.K) == ([2.0, 4.0, 6.0], 3)
    del sys.modules["anew_for_a_test"]
