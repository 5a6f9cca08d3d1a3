"""Shows how far long work is: with tqdm if it is installed, else with a plain count."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, TypeVar

_Item = TypeVar("_Item")
_PAUSE: Final = 0.1  # seconds between two counts


def progress(items: Sequence[_Item], label: str) -> Iterator[_Item]:
    """Yield items, with a bar on the error output if that is a terminal.

    >>> list(progress([1, 2], "counting"))
    [1, 2]
    """
    if not sys.stderr.isatty() or not items:
        yield from items
    elif find_spec("tqdm") is not None:
        bar: Any = import_module("tqdm").tqdm
        yield from bar(items, desc=label, leave=False)
    else:
        yield from _counted(items, label)


def _counted(items: Sequence[_Item], label: str) -> Iterator[_Item]:
    shown = 0.0
    for number, item in enumerate(items):
        if time.monotonic() - shown > _PAUSE:
            shown = time.monotonic()
            print(f"\r{label}: {number} of {len(items)}", end="", file=sys.stderr, flush=True)
        yield item
    print("\r\033[K", end="", file=sys.stderr, flush=True)
