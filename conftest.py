"""Keeps the tests away from the user's own cache, and says how hard properties are tried."""

from __future__ import annotations

import gc
import itertools
import os
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# arrays here are small and every core runs tests: threads of BLAS would wait for each other (read
# by the processes that this one starts, the workers and the examples)
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

if find_spec("numba") is None:  # the bodies for it cannot be imported then
    collect_ignore = ["srcgrad/targets/loops/library"]

gc.disable()  # what is collected stays, so that there is no garbage until it runs
_MANY = 20_000  # a run of the whole suite: who asks for a file gets all of it
os.environ["SRCGRAD_REMEMBER"] = "0"  # what a test compiles, it compiles itself
CACHE = tempfile.mkdtemp(prefix="srcgrad-tests-")
os.environ["SRCGRAD_CACHE_DIR"] = CACHE  # before any test module imports srcgrad

from srcgrad.api.gradient import Gradient  # noqa: E402 - after the cache is set

SLOW_IS_FINE = [HealthCheck.too_slow]
settings.register_profile(  # whether a change passes depends on the change alone
    "dev",
    deadline=None,
    derandomize=True,
    max_examples=40,
    suppress_health_check=SLOW_IS_FINE,
)
settings.register_profile(
    "deep", deadline=None, max_examples=2000, suppress_health_check=SLOW_IS_FINE
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


_LEDGER = "tests/text/test_ledger.py"
_OF_CASES = ("tests/unit/rules/", "tests/programs/", "tests/peers/")
_SHARED_OUT = {
    f"tests/{name}.py"
    for name in (
        *("checklist/test_checklist", "examples/test_examples", "public/test_pure"),
        *("programs/test_agreement", "programs/test_engines", "programs/test_forward"),
        *("programs/test_names_outside", "programs/test_renamed", "programs/test_second_orders"),
        *("programs/test_stacks", "programs/test_verified"),
        *("targets/test_corpus", "targets/test_narrow", "text/test_ledger", "traps/test_state"),
        "unit/analyses/test_facts_hold",
        *("unit/rules/test_batched_calls", "unit/rules/test_engines", "unit/rules/test_laws"),
        *("unit/rules/test_equivalents", "unit/rules/test_jacobians", "unit/rules/test_layouts"),
        *("unit/rules/test_second_by_source", "unit/rules/test_tangents"),
    )
}
"""Of these a sixth of all cases is run, the same each time: a program, or a call, in all of them or
in none, since it is compiled once for them. All run with ``SRCGRAD_ALL_CASES=1``."""


def pytest_collection_finish() -> None:
    """Let garbage be looked for among what the tests make: they are many themselves."""
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(3_000, 20, 50)  # more seldom than else: trees make much of it


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Let five of six tests of rules and programs do with the text for all shapes, unchecked.

    A text for the shapes at hand doubles what compiling costs, the checker adds to that, and these
    tests are many thousands.
    """
    many = item.nodeid.startswith(_OF_CASES)
    with pytest.MonkeyPatch.context() as patch:
        case = item.nodeid.rpartition("[")[2]  # one program has one text in all its tests
        if many and zlib.crc32(case.encode()) % 6:
            patch.setattr(Gradient, "_closest", _as_it_is)
            patch.setenv("SRCGRAD_PROVE", "0")
        return (yield)


def _shared(item: pytest.Item) -> str:
    """Return the same text for tests of one program, or of one call, which is compiled once."""
    folder = next((name for name in _OF_CASES if item.nodeid.startswith(name)), "")
    if item.nodeid.startswith(_LEDGER):
        folder = "tests/programs/"
    case = _program_of(item.nodeid)
    return f"{folder}[{case}" if folder and case else item.nodeid


def _program_of(nodeid: str) -> str:
    """Return the program or call of a test, as it shows behind the name; that may be nothing."""
    case = nodeid.partition("[")[2]
    return f"{case.rpartition('-')[0]}]" if nodeid.startswith(_LEDGER) else case  # program-mode


def _as_it_is(gradient: Any, plan: Any, _args: Any, _kwargs: Any) -> Any:
    return plan or gradient._make_plan()  # noqa: SLF001 - what it is put in the place of does so


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that rewrites the golden files."""
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite the texts of derivatives in tests/golden",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Tell tests without a request for it that tables are to be written anew."""
    if config.getoption("--update-golden"):
        os.environ["SRCGRAD_UPDATE_GOLDEN"] = "1"


def pytest_unconfigure() -> None:
    """Remove the generated modules of this run."""
    shutil.rmtree(CACHE, ignore_errors=True)


@pytest.hookimpl(trylast=True)  # after they are shuffled
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the slow ones, leave what shares a program together, and skip what cannot run."""
    if os.environ.get("SRCGRAD_ALL_CASES", "0") == "0" and len(items) > _MANY:
        items[:] = [item for item in items if not _is_left_out(item)]
    first: dict[str, int] = {}
    places = {id(item): first.setdefault(_shared(item), n) for n, item in enumerate(items)}
    slow = {id(item) for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: (id(item) not in slow, places[id(item)]))
    marked = [item for item in items if item.get_closest_marker("gpu")]
    if marked and not _has_device():
        for item in marked:
            item.add_marker(pytest.mark.skip(reason="needs CuPy and a device"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run what no other process has taken, where several share one run (`tools/check.py`).

    All collect the same tests in the same order, and take them by the handful: no process hands
    out tests or gathers what became of each, which is a third of the time of the small ones.
    """
    folder = os.environ.get("SRCGRAD_TESTS_SHARED_IN")
    if not folder or session.config.option.collectonly or session.testsfailed:
        return None  # as pytest does
    taken = itertools.chain(_taken(session.items, Path(folder)), [None])
    for item, following in itertools.pairwise(taken):
        assert item is not None
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.shouldfail or session.shouldstop:
            raise session.Interrupted(session.shouldfail or session.shouldstop)
    return True


def _taken(items: list[pytest.Item], folder: Path) -> Iterator[pytest.Item]:
    """Take handfuls of neighbours, each by a file in a folder that all processes see."""
    for number, (_, handful) in enumerate(itertools.groupby(items, _Handfuls())):
        try:
            (folder / str(number)).touch(exist_ok=False)
        except FileExistsError:
            continue
        yield from handful


class _Handfuls:
    """Counts handfuls of neighbours: one that is large ends where what is shared ends."""

    def __init__(self) -> None:
        self._number = self._size = 0
        self._last = ""

    def __call__(self, item: pytest.Item) -> int:
        if self._size >= _LARGE and _shared(item) != self._last:
            self._number, self._size = self._number + 1, 0
        self._last, self._size = _shared(item), self._size + 1
        return self._number


_LARGE = 20
"""So many tests are taken at once; those of one program stay together all the same."""


def _is_left_out(item: pytest.Item) -> bool:
    case = _program_of(item.nodeid)
    shared_out = item.nodeid.partition("::")[0] in _SHARED_OUT
    return bool(case and shared_out and zlib.crc32(case.encode()) % 6)


def _has_device() -> bool:
    """Ask CuPy, where it is installed, for a device."""
    try:
        import cupy
    except ImportError:
        return False
    try:
        return bool(cupy.cuda.runtime.getDeviceCount())
    except cupy.cuda.runtime.CUDARuntimeError:
        return False
