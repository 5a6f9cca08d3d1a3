"""Programs as packages: written to files, so that their source can be found, and imported anew."""

from __future__ import annotations

import itertools
import linecache
import sys
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from tests.fuzz.modules import Program
from tests.fuzz.trees import copied, is_object

_NUMBERS = itertools.count()


class Source:
    """The files of a program, compiled once; each copy of it is a package of its own."""

    def __init__(self, program: Program, folder: Path) -> None:
        self.program = program
        self.package = f"drawn_{next(_NUMBERS)}"
        self.folder = folder / self.package
        self.folder.mkdir()
        self.codes: dict[str, CodeType] = {}
        for name, text in program.modules.items():
            path = self.folder / f"{name}.py"
            path.write_text(text)
            self.codes[name] = compile(text, str(path), "exec", dont_inherit=True)

    def load(self) -> Copy:
        """Import all modules anew, under names of their own."""
        return Copy(self)

    def remove(self) -> None:
        """Delete the files."""
        for name in self.codes:
            path = self.folder / f"{name}.py"
            path.unlink(missing_ok=True)
            linecache.cache.pop(str(path), None)
        self.folder.rmdir()


class Copy:
    """The modules of a program, with a state of their own."""

    def __init__(self, source: Source) -> None:
        self.package = f"{source.package}_{next(_NUMBERS)}"
        package = ModuleType(self.package)
        package.__path__ = [str(source.folder)]
        sys.modules[self.package] = package
        self.modules: dict[str, ModuleType] = {}
        for name, code in source.codes.items():
            qualified = f"{self.package}.{name}"
            module = ModuleType(qualified)
            module.__package__ = self.package
            module.__file__ = code.co_filename
            sys.modules[qualified] = module
            setattr(package, name, module)
            self.modules[name] = module
            exec(code, module.__dict__)
        self.main = self.modules["main"]

    def arguments(self, call: int, lengths: tuple[int, int]) -> tuple[Any, ...]:
        """Return the arguments of a call."""
        return self.main.arguments(np.random.default_rng(1000 + call), *lengths)

    def outside(self) -> None:
        """Change what is outside of the function."""
        self.main.outside()

    def state(self) -> dict[str, Any]:
        """Return a copy of what the modules hold beside functions and classes."""
        found = {}
        for name, module in self.modules.items():
            for key, value in vars(module).items():
                if key.startswith("__") or isinstance(value, ModuleType):
                    continue
                if not callable(value) or is_object(value):
                    found[f"{name}.{key}"] = copied(value)
        return found

    def unload(self) -> None:
        """Forget the modules."""
        for name in (*(f"{self.package}.{n}" for n in self.modules), self.package):
            sys.modules.pop(name, None)
