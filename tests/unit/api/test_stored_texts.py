"""A second process compiles nothing, unless something that a text was made for is different."""

from __future__ import annotations

import hashlib
import importlib
import linecache
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.api import fingerprints, known_texts, stored_texts
from srcgrad.compiler import generating
from tests.differences import assert_same, numerical_gradient
from tests.programs.corpus import programs_by, sample, without_module_names

ROOT = Path(__file__).resolve().parents[3]
W = np.linspace(0.5, 1.5, 3)

PROGRAM = """\
import numpy as np

import helpers_of_a_program as helpers
import srcgrad as sg
from helpers_of_a_program import POWER, Scale, scaled

RATE = 2.0


def loss(w, b=1.5):
    total = 0.0
    for i in range(3):
        total = total + scaled(w[i]) ** POWER * RATE * b
    return total + helpers.OFFSET * np.sum(Scale().of(w))


gradient = sg.grad(loss)(np.linspace(0.5, 1.5, 3))
"""

HELPERS = """\
POWER = 2
OFFSET = 0.5


def scaled(x):
    return 3.0 * x


class Scale:
    def of(self, x):
        return x * x
"""

COUNTED = """\
import sys


def note(frame, event, _):
    if event == "call" and frame.f_code.co_name == "joint":
        compiled.append(frame.f_code)


compiled = []
sys.setprofile(note)
import program  # noqa: E402

sys.setprofile(None)
print(len(compiled), program.gradient.tolist())
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with a program, and let what is known be stored in another."""
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "helpers_of_a_program.py").write_text(HELPERS)
    (tmp_path / "counted.py").write_text(COUNTED)
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("SRCGRAD_REMEMBER", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    known_texts.forget()
    yield tmp_path
    known_texts.forget()


@pytest.fixture
def compiled(monkeypatch):
    """Count the texts that are made."""
    made = []
    make = generating._generated
    monkeypatch.setattr(generating, "_generated", lambda *args: made.append(args) or make(*args))
    return made


def run():
    """Run the program as a process would that knows of the others what they have stored."""
    for name in ("program", "helpers_of_a_program"):
        sys.modules.pop(name, None)
    importlib.invalidate_caches()
    linecache.checkcache()
    known_texts.forget()
    try:
        program = importlib.import_module("program")
        stored_texts._write_all()
    finally:
        known_texts.forget()
    assert_same(program.gradient, numerical_gradient(program.loss, (W,), 0))
    return program.gradient


def test_a_second_process_compiles_nothing(folder):
    names = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(folder)])}
    command = [sys.executable, str(folder / "counted.py")]
    said = []
    for _ in range(2):
        done = subprocess.run(command, env=names, capture_output=True, text=True, check=True)
        said.append(done.stdout.split(" ", 1))
    assert int(said[0][0]) > 0
    assert int(said[1][0]) == 0
    assert said[0][1] == said[1][1]


def test_what_has_not_changed_is_not_compiled_again(folder, compiled):
    first = run()
    assert compiled
    compiled.clear()
    assert run().tolist() == first.tolist()
    assert not compiled


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("program", "** POWER", "** POWER * 2.0"),
        ("program", "RATE = 2.0", "RATE = np.full((1,), 2.0)[0]"),
        ("program", "RATE = 2.0", "RATE = 2"),
        ("program", "b=1.5", "b=2"),
        ("program", "RATE = 2.0", "RATE = 2.0\nrange = lambda n: [0, 1]  # noqa: E731\n"),
        ("helpers_of_a_program", "3.0 * x", "3.0 * x * x"),
        ("helpers_of_a_program", "POWER = 2", "POWER = 3"),
        ("helpers_of_a_program", "OFFSET = 0.5", "OFFSET = 2"),
        ("helpers_of_a_program", "return x * x", "return x * x * x"),
        ("helpers_of_a_program", "class Scale:", "class Scale(Base):\n    rate = 1\n\n"),
    ],
)
def test_what_has_changed_is_seen(folder, file, old, new):
    before = run()
    path = folder / f"{file}.py"
    base = "class Base:\n    def __init__(self):\n        pass\n\n\n" if "Base" in new else ""
    path.write_text(base + path.read_text().replace(old, new))
    after = run()
    assert run().tolist() == after.tolist()
    is_same = new.startswith(("RATE = 2\n", "RATE = np", "class")) or new == "RATE = 2"
    assert (before.tolist() == after.tolist()) == is_same


@pytest.mark.parametrize("change", ["cut", "other", "empty", "code"])
def test_a_record_that_is_not_whole_is_not_read(folder, compiled, change):
    run()
    for path in (folder / "cache").glob("*.known"):
        data = path.read_bytes()
        if change == "code":  # a record that would run something when it is read
            body = pickle.dumps(_Runs(str(folder / "ran")))
            data = hashlib.sha256(body).hexdigest().encode() + b"\n" + body
        changed = {"cut": data[:-9], "other": data.replace(b"np", b"pn"), "empty": b""}
        path.write_bytes(changed.get(change, data))
    compiled.clear()
    run()
    assert compiled
    assert not (folder / "ran").exists()


class _Runs:
    """Writes a file when it is unpickled."""

    def __init__(self, file):
        self._file = file

    def __reduce__(self):
        return os.mkdir, (self._file,)


def test_it_can_be_switched_off(folder, compiled, monkeypatch):
    monkeypatch.setenv("SRCGRAD_REMEMBER", "0")
    run()
    compiled.clear()
    run()
    assert compiled
    assert not list((folder / "cache").glob("*.known"))


PROGRAMS = sample(programs_by("source").values(), 60)


@pytest.mark.parametrize("item", [pytest.param(p, id=p.name) for p in PROGRAMS])
def test_programs_have_the_same_text_and_gradient_from_a_record(item, folder):
    found = []
    for _ in range(2):
        gradient = sg.grad(item.function, argnums=item.argnums, fallback="error")
        value = gradient(*item.arguments())
        found.append((repr(value), without_module_names(gradient.source)))
        stored_texts._write_all()
        known_texts.forget()
    assert found[0] == found[1]


def test_most_programs_are_not_compiled_again(folder, compiled):
    again = 0
    for item in PROGRAMS:
        for turn in range(2):
            sg.grad(item.function, argnums=item.argnums)(*item.arguments())
            stored_texts._write_all()
            known_texts.forget()
            again += bool(turn and compiled)
            compiled.clear()
    assert again <= len(PROGRAMS) // 2


def test_a_text_that_is_not_settled_is_proven_again(folder):
    """A record of a text that never ran says nothing of it: the checker is asked once more."""

    def loss(w):
        return np.sum(np.sin(w) * w)

    sg.grad(loss).source  # noqa: B018 - asked for, it is made, and does not run
    stored_texts._write_all()
    known_texts.forget()
    gradient = sg.grad(loss)
    assert_same(gradient(W), numerical_gradient(loss, (W,), 0))
    proof = gradient._plan.generated.proof
    assert proof.is_settled
    assert proof.is_proven


CHOSEN = """\
import os

import numpy as np


def squares(x):
    return x * x


def cubes(x):
    return x * x * x


class One:
    rate = 2.0


class Two:
    rate = 3.0


CHOICES = {"sin": np.sin, "cos": np.cos, "squares": squares, "cubes": cubes}
wave = CHOICES[os.environ["WAVE"]]
Rates = {"One": One, "Two": Two}[os.environ["RATES"]]
COUNT = int(os.environ["COUNT"])
"""

CHOOSING = """\
import numpy as np

import srcgrad as sg
from helpers_of_a_program import COUNT, Rates, wave


def loss(w):
    total = 0.0
    for i in range(COUNT):
        total = total + wave(w[i]) ** COUNT * Rates.rate
    return total


gradient = sg.grad(loss)(np.linspace(0.5, 1.5, 3))
"""


def test_what_names_mean_is_seen_where_no_file_has_changed(folder, monkeypatch):
    (folder / "program.py").write_text(CHOOSING)
    (folder / "helpers_of_a_program.py").write_text(CHOSEN)
    found = []
    for _ in range(2):
        for wave in ("sin", "cos", "squares", "cubes"):
            for rates in ("One", "Two"):
                for count in ("2", "3"):
                    monkeypatch.setenv("WAVE", wave)
                    monkeypatch.setenv("RATES", rates)
                    monkeypatch.setenv("COUNT", count)
                    found.append(tuple(run().tolist()))
    assert len(set(found)) == len(found) // 2


def test_classes_are_told_apart_by_what_they_hold_now(monkeypatch):
    class Made:
        rate = 2.0

        @staticmethod
        def of(x):
            return x

    before = fingerprints.of_value(Made)
    assert fingerprints.of_value(Made) == before
    monkeypatch.setattr(Made, "rate", 3.0)
    other = fingerprints.of_value(Made)
    monkeypatch.setattr(Made, "of", staticmethod(lambda x: x * x))
    assert len({before, other, fingerprints.of_value(Made)}) == 3


REFUSED = """\
import numpy as np

import helpers_of_a_program as helpers
import srcgrad as sg


def loss(w):
    kept = []
    for i in range(3):
        kept = [kept, helpers.scaled(w[i])] if w[0] > 0 else kept
    return kept[1] * kept[0][1]


gradient = sg.grad(loss, fallback="tape")(np.linspace(0.5, 1.5, 3))
"""


def test_what_was_refused_is_not_compiled_again(folder, compiled):
    (folder / "program.py").write_text(REFUSED)
    first = run()
    assert compiled
    compiled.clear()
    assert run().tolist() == first.tolist()
    assert not compiled


def test_it_is_when_a_helper_has_changed(folder, compiled):
    (folder / "program.py").write_text(REFUSED)
    run()
    (folder / "helpers_of_a_program.py").write_text(HELPERS.replace("3.0 * x", "2.0 * x * x"))
    compiled.clear()
    run()
    assert compiled


def test_refusals_of_other_processes_say_the_same(folder):
    (folder / "program.py").write_text(REFUSED)
    said = []
    for _ in range(2):
        run()
        program = sys.modules["program"]
        known_texts.forget()
        with pytest.raises(sg.UnsupportedError) as refusal:
            sg.grad(program.loss, fallback="error")(W)
        said.append((type(refusal.value), str(refusal.value)))
    assert said[0] == said[1]
