"""Functions that are no programs of the corpus: very long ones, such as raise, such without source."""

from __future__ import annotations

import importlib.util
import os
import pickle
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

_SPACE: dict[str, Any] = {"np": np}
exec("def opaque(a, b):\n    return np.sin(a) * b", _SPACE)
OPAQUE = _SPACE["opaque"]


def partly_opaque(x: Any) -> Any:
    """Call what has no source."""
    y = OPAQUE(x, x * 2)
    return np.sum(y * OPAQUE(x, 2.0))


def raises_in_numpy(x: Any) -> Any:
    """Solve what has no solution."""
    return np.sum(np.linalg.solve(np.zeros((4, 4)), x * 2))


def raises_in_a_helper(x: Any) -> Any:
    """Call a function that raises."""
    return _raises(x * 2)


def _raises(y: Any) -> Any:
    s = y * 2
    if len(s) > 2:
        raise RuntimeError("no")
    return np.sum(s)


def raises_by_shapes(x: Any) -> Any:
    """Multiply what cannot be."""
    return np.sum(x * 2 @ np.ones((3, 3)))


def odd_functions() -> Iterator[Callable[..., Any]]:
    """Yield the functions of this module, and two very long ones."""
    yield from (partly_opaque, raises_in_numpy, raises_in_a_helper, raises_by_shapes)
    total = " + ".join(f"x[{i % 4}] * {i}.5" for i in range(900))
    nested = "np.sin(" * 85 + "x[0]" + ")" * 85
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "very_long.py"
        path.write_text(
            f"import numpy as np\n\n\ndef total(x):\n    return ({total}) * x[0]\n\n\n"
            f"def nested(x):\n    return {nested} * x[1]\n"
        )
        spec = importlib.util.spec_from_file_location("very_long", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield from (module.total, module.nested)


def cubes(x: Any) -> Any:
    """Return what is differentiated with texts in several folders."""
    return np.sum(x**3)


def run_in_folders() -> None:
    """Keep texts in folders that are new, full, somebody else's, no folders, or reached by links."""
    import srcgrad as sg

    x = np.array([0.3, 0.7])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "file").write_text("")
        (folder / "open").mkdir()
        (folder / "open").chmod(0o777)
        (folder / "here").mkdir(mode=0o700)
        (folder / "linked").symlink_to("here")
        (folder / "loop").symlink_to("loop")
        for path in ("file/no", "open", "linked", "linked/../here", "loop", "new/inner", "here"):
            with _texts_in(folder / path), suppress(Exception):
                gradient = sg.grad(cubes)
                gradient(x)
                packed = pickle.dumps(gradient)
                for text in folder.rglob("*.py"):  # somebody writes to a text that we have loaded
                    text.write_text(text.read_text())
                sg.grad(cubes)(x)
                pickle.loads(packed)(x)
        with _texts_in(folder / "here", size="0"):
            for power in range(2, 70):
                sg.grad(eval(f"lambda x: np.sum(x**{power})", {"np": np}))
                sg.jvp(cubes, (x,), (x,))


@contextmanager
def _texts_in(folder: Path, size: str | None = None) -> Iterator[None]:
    """Let generated texts be kept in a folder, in a block."""
    from srcgrad.codegen import cache

    given = {"SRCGRAD_CACHE_DIR": str(folder), "SRCGRAD_CACHE_SIZE": size}
    before = {key: os.environ.get(key) for key in given}
    os.environ.update({key: value for key, value in given.items() if value is not None})
    try:
        yield
    finally:
        cache.sweep()
        for key, value in before.items():
            if value is None:
                os.environ.pop(key, None)
            else:
                os.environ[key] = value
