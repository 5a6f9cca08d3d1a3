"""Takes the derivatives of a line in every way there is: by source, on the tape, both modes."""

from __future__ import annotations

import hashlib
import linecache
import math
import sys
import types
import warnings
from typing import Any

import numpy as np

import srcgrad as sg


def functions_of(expression: str, *before: str) -> tuple[Any, Any]:
    """Return the sum of an expression in `x`, and the same in a form that is left to the tape.

    `before` are statements that run first.
    """
    body = "".join(f"    {line}\n" for line in [*before, f"return np.sum({expression})"])
    text = f"def loss(x):\n{body}\n\ndef taped(x):\n    class _:\n        pass\n\n{body}"
    module = types.ModuleType(f"lines_{hashlib.sha256(text.encode()).hexdigest()[:12]}")
    file = f"<{module.__name__}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    vars(module).update(np=np, math=math)
    sys.modules[module.__name__] = module  # the tape lends stand-ins to modules
    exec(compile(text, file, "exec"), vars(module))
    return module.loss, module.taped


def gradients(expression: str, x: Any) -> dict[str, Any]:
    """Return the gradients by source and on the tape."""
    loss, taped = functions_of(expression)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {"source": sg.grad(loss, fallback="error")(x), "tape": sg.grad(taped)(x)}


def slopes(expression: str, x: Any, direction: Any) -> dict[str, Any]:
    """Return the derivatives along a direction, forward."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_source, by_tape = (sg.jvp(f, (x,), (direction,))[1] for f in functions_of(expression))
    return {"source": by_source, "tape": by_tape}
