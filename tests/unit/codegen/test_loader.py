"""Generated modules behave like files that somebody wrote: in tracebacks, pdb, inspect, pickle."""

from __future__ import annotations

import bdb
import importlib
import inspect
import linecache
import os
import pickle
import stat
import subprocess
import sys
import threading
import traceback
from pathlib import Path

import pytest

from srcgrad.codegen import cache
from srcgrad.codegen.loader import CacheFinder, load, unload
from srcgrad.codegen.tracebacks import LineMap, UserLine

SOURCE = '''"""Made by a test."""


def twice(x):
    """Return twice x."""
    y = x * FACTOR
    return y / (x - 3)


FACTOR = 2
'''


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Give each test a cache folder of its own, and forget what it loaded."""
    before = set(sys.modules)
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path / "cache"))
    yield tmp_path / "cache"
    for name in set(sys.modules) - before:
        if name.startswith("srcgrad._generated."):
            del sys.modules[name]


@pytest.fixture(params=["file", "memory"])
def module(request, monkeypatch):
    """Load the module in both ways."""
    if request.param == "memory":
        monkeypatch.setattr(cache, "store", lambda stem, text: None)
    return load(SOURCE, "twice")


def test_a_module_is_a_file_named_by_its_hash(folder):
    module = load(SOURCE, "twice")
    stem = cache.stem_of("twice", SOURCE)
    assert module.__name__ == f"srcgrad._generated.{stem}"
    assert sys.modules[module.__name__] is module
    assert Path(module.__file__) == folder / f"{stem}.py"
    assert Path(module.__file__).read_text() == SOURCE
    assert module.twice(1) == -1
    assert module.twice.__module__ == module.__name__


def test_the_folder_is_private(folder):
    load(SOURCE, "twice")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [path.suffix for path in folder.iterdir()] == [".py"]  # no .pyc, nothing temporary


def test_nothing_is_written_before_the_first_load(folder):
    script = "import srcgrad, srcgrad.codegen.loader, srcgrad._generated"
    subprocess.run([sys.executable, "-c", script], check=True)
    assert not folder.exists()


def test_inspect_finds_the_source(module):
    expected = "".join(SOURCE.splitlines(keepends=True)[3:7])
    assert inspect.getsource(module.twice) == expected
    assert inspect.getsource(module) == SOURCE
    linecache.clearcache()
    assert inspect.getsource(module.twice) == expected


def test_a_traceback_shows_the_generated_line(module):
    linecache.clearcache()
    try:
        module.twice(3)
    except ZeroDivisionError as error:
        text = "".join(traceback.format_exception(error))
    assert "return y / (x - 3)" in text
    assert f'"{module.__file__}", line 7, in twice' in text


def test_a_debugger_stops_at_a_generated_line(module):
    seen = []

    class Recorder(bdb.Bdb):
        def user_line(self, frame):
            if frame.f_code.co_name == "twice":
                line = linecache.getline(frame.f_code.co_filename, frame.f_lineno, frame.f_globals)
                seen.append((frame.f_lineno, line.strip()))

    recorder = Recorder()
    assert recorder.runcall(module.twice, 1) == -1
    assert seen[0] == (6, "y = x * FACTOR")
    if Path(module.__file__).is_absolute():
        assert recorder.set_break(module.__file__, 7) is None


def test_a_function_is_pickled_by_reference_for_another_process():
    function = load(SOURCE, "twice").twice
    data = pickle.dumps(function)
    assert len(data) < 200
    assert pickle.loads(data) is function
    script = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read())(1))"
    done = subprocess.run(
        [sys.executable, "-c", script], input=data, capture_output=True, check=False
    )
    assert done.stdout.split() == [b"-1.0"], done.stderr.decode()


def test_another_process_finds_copies_too():
    first = load(SOURCE, "twice", {"other": 1})
    function = load(SOURCE, "twice", {"other": 2}).twice
    assert function.__module__ != first.__name__
    script = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read())(1))"
    data = pickle.dumps(function)
    done = subprocess.run(
        [sys.executable, "-c", script], input=data, capture_output=True, check=False
    )
    assert done.stdout.split() == [b"-1.0"], done.stderr.decode()


def test_a_file_that_was_tampered_with_is_never_run(folder):
    module = load(SOURCE, "twice")
    path = Path(module.__file__)
    path.write_text(SOURCE.replace("FACTOR = 2", "FACTOR = 1000"))
    unload(module)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(module.__name__)  # as unpickling would
    again = load(SOURCE, "twice")
    assert again.FACTOR == 2
    assert path.read_text() == SOURCE


def test_a_file_that_is_no_text_is_replaced(folder):
    folder.mkdir(mode=0o700)
    path = folder / f"{cache.stem_of('twice', SOURCE)}.py"
    path.write_bytes(b"\xff\xfe")
    assert cache.find(path.stem) is None
    assert load(SOURCE, "twice").twice(1) == -1
    assert path.read_text() == SOURCE


@pytest.mark.parametrize("name", ["twice", "twice_0123456789ab", "x" * 20, "../x_0123456789ab"])
def test_other_names_are_not_found(name):
    assert CacheFinder.find_spec(f"srcgrad._generated.{name}") is None
    assert CacheFinder.find_spec(f"other.{cache.stem_of('twice', SOURCE)}") is None


def a_file_in_the_way(path):
    path.write_text("not a folder")


def a_folder_others_write_to(path):
    path.mkdir()
    path.chmod(0o777)


@pytest.mark.parametrize("block", [a_file_in_the_way, a_folder_others_write_to])
def test_an_unusable_folder_leaves_the_module_in_memory(folder, block):
    block(folder)
    module = load(SOURCE, "twice")
    assert module.__file__ == f"srcgrad-generated/{cache.stem_of('twice', SOURCE)}.py"
    assert module.twice(1) == -1
    assert "y = x * FACTOR" in inspect.getsource(module.twice)
    assert folder.is_file() or not list(folder.iterdir())


def test_a_folder_of_another_user_is_not_used(folder, monkeypatch):
    folder.mkdir(mode=0o700)
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    assert not Path(load(SOURCE, "twice").__file__).is_absolute()
    assert not list(folder.iterdir())


def test_a_failing_write_leaves_nothing_behind(folder, monkeypatch):
    def refuse(self, target):
        raise PermissionError(target)

    monkeypatch.setattr(Path, "replace", refuse)
    assert load(SOURCE, "twice").twice(1) == -1
    assert not list(folder.iterdir())


def test_names_of_the_namespace_are_bound_before_the_text_runs():
    module = load("y = shift + 1\n\n\ndef f(x):\n    return x + shift\n", "f", {"shift": 10})
    assert (module.y, module.f(1)) == (11, 11)


def test_equal_texts_with_other_namespaces_are_modules_apart(folder):
    text = "def f(x):\n    return x + shift\n"
    first = load(text, "f", {"shift": 1})
    second = load(text, "f", {"shift": 2})
    third = load(text, "f", {"shift": 3, "other": 0})
    assert [module.f(0) for module in (first, second, third)] == [1, 2, 3]
    assert second.__name__ == first.__name__ + "_2"
    assert third.__name__ == first.__name__ + "_3"
    assert len(list(folder.iterdir())) == 1
    assert pickle.loads(pickle.dumps(second.f)) is second.f


def test_equal_loads_are_one_module():
    shift = [1.0]
    lines = LineMap({2: UserLine("model.py", 7)})
    first = load(SOURCE, "twice", {"shift": shift}, lines)
    assert load(SOURCE, "twice", {"shift": shift}, LineMap({2: UserLine("model.py", 7)})) is first
    assert load(SOURCE, "twice", {"shift": [1.0]}, lines) is not first
    assert load(SOURCE, "twice", {"shift": shift}) is not first


def test_an_unloaded_module_still_works_and_its_name_is_free():
    first = load(SOURCE, "twice")
    unload(first)
    unload(first)
    assert first.twice(1) == -1
    assert first.__name__ not in sys.modules
    second = load(SOURCE, "twice")
    assert second is not first
    assert second.__name__ == first.__name__
    unload(first)
    assert sys.modules[second.__name__] is second


def test_a_text_that_fails_is_not_left_in_sys_modules():
    before = set(sys.modules)
    with pytest.raises(ZeroDivisionError):
        load("1 / 0\n", "broken")
    with pytest.raises(SyntaxError):
        load("def\n", "broken")
    assert not [name for name in set(sys.modules) - before if "broken" in name]


def test_a_lambda_gets_a_name_that_can_be_imported():
    assert load("x = 1\n", "<lambda>_grad").__name__.split(".")[-1].isidentifier()


def test_threads_may_load_at_once(folder):
    texts = [f"def f():\n    return {i % 5}\n" for i in range(40)]
    results: dict[int, object] = {}
    before = set(sys.modules)
    start = threading.Barrier(8)

    def work(worker):
        start.wait()
        for index in range(worker, 40, 8):
            results[index] = load(texts[index], "f", {"key": index % 3}).f()

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {index: index % 5 for index in range(40)}
    assert len(list(folder.iterdir())) == 5
    loaded = [name for name in sys.modules if name.startswith("srcgrad._generated.f_")]
    loaded = [name for name in loaded if name not in before]
    assert len(loaded) == 15


def test_processes_may_write_the_same_file_at_once(folder):
    script = f"from srcgrad.codegen.loader import load\nprint(load({SOURCE!r}, 'twice').twice(1))"
    command = [sys.executable, "-c", script]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(3)]
    assert [process.communicate()[0].split() for process in running] == [[b"-1.0"]] * 3
    assert len(list(folder.iterdir())) == 1
