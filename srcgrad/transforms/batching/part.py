"""What each part of the writing for a batch has in common: its writer, and what it handles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from srcgrad.ir.handlers import Handlers

if TYPE_CHECKING:
    from srcgrad.transforms.batching.writer import Writer


class Part(Handlers):
    """What is known of one matter of writing a function for a batch. A writer has one of each."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
