"""Keeps what is known of texts in the cache folder, for the processes that come after this one.

A second process then compiles nothing: what it reads tells whether all that a text was made for is
the same there. A record is found by what the text was asked for: the function's code, the text of
its file, how it is to be differentiated, and the versions of all that has a part in it.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib
import io
import os
import pickle
from collections.abc import Callable
from dataclasses import dataclass, is_dataclass
from types import CodeType
from typing import Any, Final, TypeVar

from srcgrad import settings
from srcgrad.api import fingerprints
from srcgrad.checker.witness import VARIABLE
from srcgrad.codegen import cache
from srcgrad.compiler.proof import Proof
from srcgrad.spans import Placed

Kind = TypeVar("Kind")


_WAITING: Final[dict[Record, Callable[[], Any]]] = {}


@atexit.register
def _write_all() -> None:
    for record, find in list(_WAITING.items()):
        record.write(find)


@dataclass(frozen=True, slots=True)
class Record:
    """A place in the cache folder."""

    stem: str

    @classmethod
    def of(cls, make: Callable[..., Any], code: CodeType, options: Any) -> Record | None:
        """Return the place for what is made of some code; None if that is not kept."""
        maker = f"{make.__module__}.{make.__qualname__}"
        if "<locals>" in maker or not settings.remembers():
            return None
        try:
            asked = (maker, _spelled(options), code.co_filename, os.environ.get(VARIABLE, ""))
            found = (fingerprints.of_package(), fingerprints.of_code(code))
            parts = (*asked, *found, fingerprints.of_file(code.co_filename))
        except fingerprints.UnknownError:
            return None
        return cls(cache.stem_of(code.co_name, repr(parts)))

    def read(self, kind: type[Kind]) -> Kind | None:
        """Return what is kept there; None if there is nothing, or nothing whole."""
        data = cache.find_record(self.stem)
        if data is None:
            return None
        digest, _, body = data.partition(b"\n")
        if hashlib.sha256(body).hexdigest().encode() != digest:
            return None
        try:
            found = _Unpickler(io.BytesIO(body)).load()
        except Exception:  # noqa: BLE001 - of another version, or no record at all
            return None
        return found if isinstance(found, kind) else None

    def write_later(self, find: Callable[[], Any]) -> None:
        """Keep there what `find` returns, if that is not None: soon, or when the process ends."""
        _write_all()
        _WAITING[self] = find

    def write(self, find: Callable[[], Any]) -> None:
        """Keep there what `find` returns, if that is not None."""
        _WAITING.pop(self, None)
        found = find()
        if found is not None:
            self._write(found)

    def _write(self, found: Any) -> None:
        try:
            body = pickle.dumps(found, protocol=5)
        except (pickle.PicklingError, TypeError, AttributeError, RecursionError):
            return
        digest = hashlib.sha256(body).hexdigest().encode()
        cache.store_record(self.stem, digest + b"\n" + body)


class _Unpickler(pickle.Unpickler):
    """Reads records, which hold data of ours and nothing that could run."""

    def find_class(self, module: str, name: str) -> Any:
        """Return a class of this package that holds data."""
        if module.startswith("srcgrad."):
            found = getattr(importlib.import_module(module), name, None)
            is_data = is_dataclass(found) or found in (Proof, Placed)
            if isinstance(found, type) and is_data:
                return found
        if (module, name) == ("builtins", "frozenset"):
            return frozenset
        raise pickle.UnpicklingError(f"{module}.{name} is no part of a record")


def _spelled(options: Any) -> str:
    if isinstance(options, frozenset):
        return repr(sorted(map(_spelled, options)))
    if isinstance(options, tuple):
        return f"({', '.join(map(_spelled, options))})"
    return repr(options)
