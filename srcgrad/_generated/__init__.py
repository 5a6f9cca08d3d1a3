"""Is the parent of generated modules, which are found in the cache folder by their hash."""

from __future__ import annotations

import sys

from srcgrad.codegen.loader import CacheFinder

if CacheFinder not in sys.meta_path:
    sys.meta_path.append(CacheFinder)
