"""Says things once, to somebody who listens."""

from __future__ import annotations

from srcgrad.insight.switch import in_brief


class Once:
    """Whether a thing is still to be said.

    What runs in a comparison that nobody asked for is silent, so that nothing was said there.
    """

    __slots__ = ("_is_said",)

    def __init__(self) -> None:
        self._is_said = False

    def is_due(self) -> bool:
        """Say whether the thing is to be said now; the next time it is not.

        >>> thing = Once()
        >>> thing.is_due(), thing.is_due()
        (True, False)
        """
        if self._is_said or in_brief() is not None:
            return False
        self._is_said = True
        return True
