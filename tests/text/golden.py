"""Reads and writes the golden files: a function, and below a line the text of its derivative."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent.parent / "golden"
LINE = f"\n\n# {' the derivative '.center(96, '-')}\n\n"


@dataclass(frozen=True)
class Golden:
    """One golden file."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def head(self) -> str:
        """What a person wrote: the function and an example of its arguments."""
        return self.path.read_text(encoding="utf-8").split(LINE)[0].rstrip() + "\n"

    @property
    def text(self) -> str:
        """The text of the derivative, as it was when the file was last written."""
        parts = self.path.read_text(encoding="utf-8").split(LINE)
        return parts[1] if len(parts) == 2 else ""

    def module(self) -> ModuleType:
        """Run the function's part of the file, as the module that generated text imports from."""
        name = f"tests.golden.{self.name}"
        if name not in sys.modules:
            module = ModuleType(name)
            module.__file__ = str(self.path)
            sys.modules[name] = module
            exec(compile(self.head, str(self.path), "exec"), vars(module))
        return sys.modules[name]

    def gradient(self) -> Any:
        """The derivative, compiled for arguments like those of the example."""
        module = self.module()
        module.gradient(*module.example(np.random.default_rng(0)))
        return module.gradient

    def write(self, text: str) -> None:
        """Put a new text below the line."""
        self.path.write_text(self.head + LINE + text, encoding="utf-8")


FILES = [Golden(path) for path in sorted(FOLDER.glob("*.py"))]
