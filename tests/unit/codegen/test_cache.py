"""The cache folder: whose it is, what it may hold, and what is thrown away."""

from __future__ import annotations

import importlib
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from srcgrad import settings
from srcgrad.cli.main import main
from srcgrad.codegen import cache
from srcgrad.codegen.loader import load, unload

TEXT = "def f(x):\n    return x + 1\n"
posix = pytest.mark.skipif(os.name != "posix", reason="folders have no modes here")
as_root = pytest.mark.skipif(getattr(os, "geteuid", int)() != 0, reason="needs another user")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Give each test a cache folder of its own, and forget what it loaded."""
    before = set(sys.modules)
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path / "above" / "cache"))
    yield tmp_path / "above" / "cache"
    for name in set(sys.modules) - before:
        if name.startswith("srcgrad._generated."):
            del sys.modules[name]


def is_in_memory():
    """Load a new text, and say whether it has no file."""
    module = load(TEXT, "f")
    unload(module)
    return not Path(module.__file__).is_absolute()


def stored(name, text=TEXT):
    """Store a text, and return its file."""
    path = cache.store(cache.stem_of(name, text), text)
    assert path is not None
    return path


def test_names_have_128_bits_and_are_ascii():
    stem = cache.stem_of("größe\n../\N{GREEK SMALL LETTER ALPHA}", TEXT)
    assert stem.isascii()
    assert stem.isidentifier()
    assert len(stem.rpartition("_")[2]) == 32
    assert cache.stem_of("9lives", TEXT).isidentifier()
    assert len(cache.stem_of("x" * 5000, TEXT)) < 150


def test_folders_that_are_made_are_the_users_alone(folder):
    stored("f")
    assert [stat.S_IMODE(item.stat().st_mode) for item in (folder, folder.parent)] == [0o700] * 2


@posix
@pytest.mark.parametrize("mode", [0o777, 0o707])
def test_a_folder_above_that_others_write_to_is_not_used(folder, mode):
    module = load(TEXT, "f")
    unload(module)
    folder.parent.chmod(mode)
    assert is_in_memory()
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(module.__name__)


@posix
@as_root
def test_a_folder_above_that_a_group_writes_to_is_used_if_the_group_is_the_users(folder):
    stored("f")
    folder.parent.chmod(0o770)
    assert not is_in_memory()
    os.chown(folder.parent, -1, 12345)
    assert is_in_memory()


@posix
def test_a_folder_above_where_none_removes_what_is_anothers_is_used(folder):
    folder.parent.mkdir()
    folder.parent.chmod(0o1777)  # as /tmp is
    assert not is_in_memory()


@posix
def test_a_private_folder_by_a_link_of_the_user_is_used(folder, tmp_path):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    folder.parent.mkdir(mode=0o700)
    folder.symlink_to(Path("..") / "elsewhere")
    assert not is_in_memory()
    assert list((tmp_path / "elsewhere").glob("*.py"))


@posix
@pytest.mark.parametrize("link", ["folder", "above"])
def test_a_link_to_a_place_that_others_write_to_is_not_followed(folder, tmp_path, link):
    target = tmp_path / "open"
    (target / "inner" / "cache").mkdir(parents=True, mode=0o700)
    target.chmod(0o777)
    if link == "folder":
        folder.parent.mkdir(mode=0o700)
        folder.symlink_to(target / "inner" / "cache")
    else:
        folder.parent.symlink_to(target / "inner")
    assert is_in_memory()


@posix
def test_links_that_go_in_circles_are_not_followed(folder):
    folder.parent.mkdir(mode=0o700)
    folder.symlink_to(folder)
    assert is_in_memory()


@posix
@as_root
def test_a_link_of_another_user_is_not_followed(folder, tmp_path):
    (tmp_path / "mine").mkdir(mode=0o700)
    folder.parent.mkdir()
    folder.parent.chmod(0o1777)
    folder.symlink_to(tmp_path / "mine")
    os.chown(folder, 12345, 12345, follow_symlinks=False)
    assert is_in_memory()


@posix
def test_a_file_that_is_a_link_or_that_others_write_to_is_never_run(folder, tmp_path):
    path = stored("f")
    (tmp_path / "same.py").write_text(TEXT)
    path.unlink()
    path.symlink_to(tmp_path / "same.py")
    assert cache.find(path.stem) is None
    assert stored("f") == path
    assert not path.is_symlink()
    path.chmod(0o666)
    assert cache.find(path.stem) is None
    stored("f")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@posix
def test_a_pipe_in_the_place_of_a_file_does_not_stop_anything():
    path = stored("f")
    path.unlink()
    os.mkfifo(path)
    assert cache.find(path.stem) is None


def used(path, seconds_ago):
    """Let a file look as if it was last used so long ago."""
    then = time.time() - seconds_ago
    os.utime(path, (then, then))


def test_what_was_not_used_for_longest_goes_first(folder, monkeypatch):
    text = "#" * 999 + "\n"
    paths = [stored(f"f{i}", text) for i in range(10)]
    for age, path in enumerate(paths):
        used(path, 100_000 - 5_000 * age)
    stored("f0", text)  # a use
    monkeypatch.setenv("SRCGRAD_CACHE_SIZE", "0.008")
    cache.sweep()
    left = set(folder.iterdir())
    assert left == {paths[0], *paths[5:]}
    assert sum(path.stat().st_size for path in left) <= 6000
    assert cache.find(paths[1].stem) is None


def test_a_folder_within_its_size_is_left_alone(folder):
    paths = {stored(f"f{i}") for i in range(5)}
    cache.sweep()
    assert set(folder.iterdir()) == paths


def test_writing_many_texts_keeps_the_folder_within_its_size(folder, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CACHE_SIZE", "0.02")
    for i in range(300):
        stored(f"f{i}", "#" * 999 + "\n")
    assert sum(path.stat().st_size for path in folder.iterdir()) < 20_000 + 65 * 1000


@pytest.mark.parametrize("size", ["nan", "-1", "much", "", "inf"])
def test_a_size_that_is_none_is_no_error(monkeypatch, size):
    monkeypatch.setenv("SRCGRAD_CACHE_SIZE", size)
    assert settings.cache_size() >= 0
    cache.sweep()


def test_temporary_files_that_were_left_go_and_fresh_ones_stay(folder):
    stored("f")
    left, fresh, foreign = folder / ".left.tmp", folder / ".fresh.tmp", folder / "notes.txt"
    for path in (left, fresh, foreign):
        path.write_text("half of a text")
    used(left, 10_000)
    used(foreign, 10_000)
    cache.sweep()
    assert (left.exists(), fresh.exists(), foreign.exists()) == (False, True, True)


def test_an_interrupted_write_leaves_nothing(folder, monkeypatch):
    def interrupt(self, target):
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        stored("f")
    assert not list(folder.iterdir())


def test_a_full_disk_leaves_the_text_in_memory(folder, monkeypatch):
    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.mkstemp", full)
    module = load(TEXT, "f")
    assert module.f(1) == 2
    assert not Path(module.__file__).is_absolute()


def test_the_command_line_says_what_is_there_and_empties_it(folder, capsys):
    assert main(["cache"]) == 0
    assert "texts:   0\n" in capsys.readouterr().out
    stored("f")
    stored("g")
    (folder / ".left.tmp").touch()
    (folder / "notes.txt").touch()
    assert main(["cache", "--info"]) == 0
    shown = capsys.readouterr().out
    assert f"folder:  {folder}\n" in shown
    assert "texts:   2\n" in shown
    assert main(["cache", "--clear"]) == 0
    assert capsys.readouterr().out == "removed 3 files\n"
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]


@posix
def test_the_command_line_says_why_a_folder_is_not_used(folder, capsys):
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    assert main(["cache"]) == 0
    assert f"used:    no: others may replace what is in {folder}" in capsys.readouterr().out


def test_a_relative_folder_of_caches_is_ignored(monkeypatch, tmp_path):
    monkeypatch.delenv("SRCGRAD_CACHE_DIR")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert settings.cache_directory() == Path.home() / ".cache" / "srcgrad"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert settings.cache_directory() == tmp_path / "xdg" / "srcgrad"


NO_HOME = """
import pathlib, sys
def no_home():
    raise RuntimeError("Could not determine home directory.")
pathlib.Path.home = no_home
import numpy as np, srcgrad as sg
print(sg.grad(lambda_(np))(np.ones(2)))
"""


def test_a_user_without_a_home_has_derivatives(tmp_path):
    program = tmp_path / "program.py"
    text = "def lambda_(np):\n    def f(x):\n        return np.sum(x * x)\n    return f\n"
    program.write_text(text + NO_HOME)
    hidden = ("HOME", "XDG_CACHE_HOME", "SRCGRAD_CACHE_DIR")
    environment = {k: v for k, v in os.environ.items() if k not in hidden}
    for arguments in ([str(program)], ["-m", "srcgrad", "cache"]):
        done = subprocess.run(
            [sys.executable, *arguments],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert not (tmp_path / ".cache").exists()
