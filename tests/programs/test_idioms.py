"""Checks that idioms of numerical code get finite gradients where what they do not use is steep."""

from __future__ import annotations

import hashlib
import linecache
import math
import sys
import types
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

NAN_IN_THE_TEXT = frozenset("diag store_idx_loop imul_store list_pick".split())
"""Those of which the text gives NaN: it does not follow what is used of a value. Then the tape is
asked."""

NAN_ON_TAPE = frozenset(["bool_mul"])
NAN_ON_BOTH = NAN_IN_THE_TEXT & NAN_ON_TAPE


def idioms() -> dict[str, Any]:
    """Return bodies and points by name."""
    text = Path(__file__).with_name("idioms.txt").read_text(encoding="utf-8")
    found = {}
    for part in ("\n" + text).split("\n== ")[1:]:
        head, _, rest = part.partition("\n")
        name, _, numbers = head.partition(": ")
        idiom, careful = (side.strip().splitlines() for side in rest.split("\n--\n"))
        found[name] = idiom, careful, [float(number) for number in numbers.split(",")]
    return found


IDIOMS = idioms()
HELPERS = """
def safe_log(t):
    return np.where(t > 0, np.log(t), 0)
"""


def functions_of(name: str) -> Any:
    """Return a module with the idiom, the idiom as the compiler leaves it to the tape, its twin."""
    idiom, careful, _ = IDIOMS[name]
    bodies = {"idiom": idiom, "taped": ["class _:", "    read = x", *idiom], "careful": careful}
    text = HELPERS + "".join(
        f"\n\ndef {title}(x):\n" + "".join(f"    {line}\n" for line in body)
        for title, body in bodies.items()
    )
    module = types.ModuleType(f"idiom_{hashlib.sha256(text.encode()).hexdigest()[:12]}")
    file = f"<{module.__name__}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    vars(module).update(np=np, math=math)
    sys.modules[module.__name__] = module
    exec(compile(text, file, "exec"), vars(module))
    return module


@pytest.mark.parametrize("name", IDIOMS)
def test_what_an_idiom_does_not_use_contributes_nothing(name: str) -> None:
    module, x = functions_of(name), np.array(IDIOMS[name][2])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_allclose(module.idiom(x), module.careful(x), rtol=1e-12, atol=1e-15)
        leaf = sg.tensor(x, requires_grad=True)
        module.careful(leaf).backward()
        expected = leaf.grad.numpy()
        assert np.isfinite(expected).all()
        gradient = sg.grad(module.idiom, fallback="error")
        found = {
            "source": gradient(x),
            "text": gradient.generated(x),
            "tape": sg.grad(module.taped)(x),
        }
        direction = np.linspace(1.0, 2.0, x.size)
        slope = sg.jvp(module.idiom, (x,), (direction,))[1]
    left = {"source": NAN_ON_BOTH, "text": NAN_IN_THE_TEXT, "tape": NAN_ON_TAPE}
    for engine, grad in found.items():
        if name in left[engine]:
            assert np.isnan(grad).any(), f"{name} is right now: take it off the list"
        else:
            np.testing.assert_allclose(grad, expected, rtol=1e-9, atol=1e-12, err_msg=engine)
    assert np.isnan(slope) or slope == pytest.approx(np.sum(expected * direction), rel=1e-9)
