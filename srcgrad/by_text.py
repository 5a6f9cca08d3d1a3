"""Names what reads and binds names that stand in no code, but in texts."""

from __future__ import annotations

from typing import Final

BY_TEXT: Final = frozenset(
    "getattr setattr delattr globals vars __dict__ exec eval modules import_module".split()
)
OF_OWN_MODULE: Final = frozenset(["globals", "exec", "eval"])
"""Those of them that find the names of the module that they stand in."""
