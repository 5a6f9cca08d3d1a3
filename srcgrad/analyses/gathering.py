"""Says of a value that loops read here and there which elements of it are used, trip by trip.

No expression tells that afterwards. So the backward pass notes it beside the adjoint: where that is
added to, ``used_r[i] = True``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from srcgrad.analyses.selectors import EVERYWHERE, STEEP, Mask
from srcgrad.ir import gast
from srcgrad.ir.build import assign, call, clone, constant, load, store, subscript
from srcgrad.ir.names import Namer
from srcgrad.ir.walk import names_read


@dataclass(frozen=True, slots=True)
class Use:
    """A statement that reads a value.

    Attributes:
        index: The index of the elements that it reads; None if it reads all of it.
        mask: Which of these it uses.
        perhaps: Whether it may not be run.
        short: Whether the index is the variable of loops that do not begin at 0.
        block: The block that the statement stands in.
    """

    statement: Any
    index: Any
    mask: Mask | None
    perhaps: bool
    short: bool
    block: int

    @property
    def is_whole(self) -> bool:
        """Whether it reads what there is, as far as one sees."""
        moves = self.index is None or bool(names_read(self.index))
        return self.mask is EVERYWHERE and moves and not self.perhaps and not self.short

    @property
    def key(self) -> tuple[str, str, int]:
        """What makes two uses the same."""
        masks = "" if self.mask is EVERYWHERE else gast.dump(self.mask.truth())
        return "" if self.index is None else gast.dump(self.index), masks, self.block

    def note(self, used: str) -> Any:
        """Return the statement that notes what is used."""
        index = gast.Constant(Ellipsis, None) if self.index is None else clone(self.index)
        place = subscript(load(used), index, storing=True)
        if self.mask is EVERYWHERE:
            return assign(place, constant(True))
        whole = store(used) if self.index is None else place
        return gast.AugAssign(whole, gast.BitOr(), self.mask.truth())


@dataclass(slots=True)
class Gathering:
    """The uses of values that are read in loops.

    Attributes:
        binds: The statements that the backward step of a statement needs.
        begins: The names of truth values and of the values that they are about, by the statement
            of the outermost block that reads these last.
    """

    namer: Namer
    binds: dict[int, list[Any]]
    begins: dict[int, list[tuple[str, str]]] = field(default_factory=dict)
    uses: dict[str, list[Use]] = field(default_factory=dict)
    _outermost: dict[str, int] = field(default_factory=dict)

    def add(self, name: str, use: Use, outermost: Any) -> None:
        """Note one more use of a value; those that come last in the program come first."""
        self.uses.setdefault(name, []).append(use)
        self._outermost.setdefault(name, id(outermost))

    def settle(self, name: str) -> Mask | None:
        """Return which elements of a value are used, now that all uses are known."""
        uses = self.uses[name]
        if any(use.is_whole for use in uses):
            return EVERYWHERE
        masks = [use.mask for use in uses if use.mask is not EVERYWHERE]
        used = self.namer.fresh(f"used_{self.namer.base(name)}")
        for use in {use.key: use for use in uses}.values():
            self.binds.setdefault(id(use.statement), []).append(use.note(used))
        self.begins.setdefault(self._outermost[name], []).append((used, name))
        return Mask(load(used), True, min((m.least for m in masks), default=STEEP))


def begun(used: str, name: str) -> Any:
    """Return the statement that makes the truth values: nothing is used yet."""
    empty = call("np.zeros_like", load(name))
    empty.keywords = [gast.keyword("dtype", load("bool"))]
    return assign(used, empty)
