"""Writes derivatives as modules that stand alone, without srcgrad."""

from __future__ import annotations

from srcgrad.exporting.request import Export as Export
from srcgrad.exporting.standalone import standalone as standalone
