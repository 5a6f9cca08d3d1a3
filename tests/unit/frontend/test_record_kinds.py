"""What is known of objects that the run keeps as dicts."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.frontend.expand.record_classes import Several
from srcgrad.frontend.expand.record_kinds import (
    Holder,
    RecordKinds,
    merged_kinds,
)


class _Part:
    def __init__(self, v):
        self.v = v

    def scaled(self, k=1.0):
        return self.v * k


class _Other(_Part):
    def __len__(self):
        return 0


def _twin():
    return type("_Part", (), {})


def test_classes_of_one_name_are_no_several():
    assert merged_kinds(_Part, _Other) == Several((_Part, _Other))
    assert merged_kinds(_Part, _twin()) is None
    assert merged_kinds(Holder(_Part), _Part) is None


def test_what_comes_to_light_late_starts_the_expansion_anew():
    kinds, known = RecordKinds(), {}
    assert kinds.note(known, "a", _Part, late=False)
    assert not kinds.stale
    kinds.note(known, "b", _Part, late=True)
    assert kinds.stale
    kinds.turn()
    assert not kinds.stale
    kinds.note(known, "a", _Other, late=False)
    assert kinds.stale, "the objects must tell their classes"
    assert not kinds.note(known, "a", Holder(_Part), late=False)


def test_objects_are_kept_as_dicts_only_where_some_leak():
    kinds = RecordKinds(made={_Part, _Other})
    assert not kinds.begin()
    kinds.leaking.add(_Part)
    assert kinds.begin()
    assert kinds.keeps(_Part)
    assert not kinds.keeps(_Other)
    assert kinds.begin()
    assert kinds.keeps(_Other)
    assert not kinds.begin()


def test_an_expansion_without_end_gives_up():
    kinds = RecordKinds(made={_Part}, leaking={_Part})
    assert kinds.begin()
    for _ in range(1000):
        kinds.turn()
    assert not kinds.on
    assert not kinds.begin()


def _method_of_the_first(x):
    parts = [_Part(v) for v in x]
    part = parts[0]
    scaled = part.scaled
    part = parts[1]
    return scaled(2.0) * part.v


def _default_of_the_first(x):
    parts = [_Part(v) for v in x]
    part = parts[0]

    def squared(of=part):
        return of.v**2

    part = parts[1]
    return squared() * part.v


def _two_exchanged(x):
    parts = [_Part(v) for v in x]
    a, b = parts[0], parts[1]
    a, b = b, a
    a.v = a.v * b.v
    return parts[1].v * b.v + a.scaled(3.0)


def _one_of_two_names(x):
    parts = []
    for v in x:
        part = _Part(v)
        parts.append(part)
        parts.append(part)
    for part in parts:
        part.v = part.v * 1.5
    return sum(part.v for part in parts)


@pytest.mark.parametrize(
    "function",
    [_method_of_the_first, _default_of_the_first, _two_exchanged, _one_of_two_names],
)
def test_a_name_means_the_object_that_it_was_bound_to(function):
    x = np.array([0.7, 1.3, 0.4])
    found = sg.grad(function, fallback="error")(x)
    steps = 1e-6 * np.eye(3)
    expected = [(function(x + d) - function(x - d)) / 2e-6 for d in steps]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def _asked_of_their_truth(x):
    parts = [_Part(v) if v > 0.5 else _Other(v) for v in x]
    return sum(part.v for part in parts if part)


def test_truth_that_not_all_classes_tell_is_refused():
    with pytest.raises(sg.UnsupportedError):
        sg.grad(_asked_of_their_truth, fallback="error")(np.array([0.7, 1.3, 0.4]))


def _class_of_the_function(x):
    class Local:
        pass

    local = Local()
    for i in range(3):
        setattr(local, f"w{i}", x[i] ** 2)
    return local.w0


def test_a_class_that_is_made_anew_each_time_is_refused_in_the_end():
    with pytest.raises(sg.UnsupportedError):
        sg.grad(_class_of_the_function, fallback="error")(np.array([0.7, 1.3, 0.4]))
