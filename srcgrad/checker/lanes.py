"""Holds the values that a checked program computes with: lanes in memory that may be shared."""

from __future__ import annotations

import opcode
import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any

from srcgrad.checker import field
from srcgrad.checker.field import ONE, ZERO, Pair, by_entry, code_of, hashed
from srcgrad.checker.memory import Path, gathered_from, transfer
from srcgrad.checker.runs import Disagreement, NotCovered, Now


class Lane:
    """A number, an array, or a view of one; what it is a view of is `root`.

    Attributes:
        base: What it was when it was last written as a whole; of a view nothing.
        writes: What was added to parts of it since, by path.
        token: Stands for its shape.
        dims: The lengths of its axes as far as they are known, or None.
        whole: The integer that it is, if it is known to be one.
        varied: Whether it depends on the inputs that are differentiated.
        fixed: Why it must not be written, if it must not.
    """

    whole: int | None = None  # what most lanes never have otherwise, none of them stores
    fixed = ""
    cut = False
    own_adjoint: Lane | None = None
    depth = 0
    bundle = False
    __array_ufunc__ = None

    def __init__(
        self,
        base: Pair,
        token: int = 0,
        *,
        number: bool = False,
        whole: int | None = None,
        dims: tuple[Any, ...] | None = None,
        varied: bool = False,
    ) -> None:
        self.base = base
        self.writes: dict[Path, Pair] | None = None
        self.viewed: Lane | None = None  # a circle would wait for the garbage collector
        self.path: Path = ()
        self.token = token
        self.number = number
        self.dims = () if number else dims
        self.varied_ = varied
        if whole is not None:
            self.whole = whole

    @property
    def root(self) -> Lane:
        """What it is a view of, or itself."""
        whole = self.viewed
        return self if whole is None else whole

    @root.setter
    def root(self, whole: Lane) -> None:
        self.viewed = None if whole is self else whole

    @property
    def varied(self) -> bool:
        """Whether it depends on what is differentiated."""
        return self.root.varied_

    @property
    def pair(self) -> Pair:
        """What it is now."""
        whole = self.viewed
        if whole is None:
            return self.base if not self.writes else self.read(self.path)
        return whole.read(self.path)

    def read(self, path: Path) -> Pair:
        """Return a part of a root."""
        found = gathered_from(path, self.base)
        for where, written in (self.writes or {}).items():
            found = field.add(found, transfer(where, path, written))
        return found

    def add_at(self, path: Path, change: Pair) -> None:
        """Add to a part of a root."""
        if change == ZERO:
            return
        if self.fixed:
            raise Disagreement(self.fixed)
        if not path:
            self.base = field.add(self.base, change)
            return
        if self.writes is None:
            self.writes = {}
        self.writes[path] = field.add(self.writes.get(path, ZERO), change)

    def put(self, value: Pair, *, varied: bool = False) -> None:
        """Write the whole of it."""
        root = self.root
        if root.fixed:
            raise Disagreement(root.fixed)
        if not self.path:
            root.base, root.writes = value, None
            root.varied_ = varied
        else:
            root.add_at(self.path, field.sub(value, root.read(self.path)))
            root.varied_ = root.varied_ or varied

    def increase(
        self, change: Pair, *, varied: bool = False, writes: dict[Path, Pair] | None = None
    ) -> None:
        """Add to the whole of it; `writes` are parts of what is added."""
        root = self.root
        for path, part in (writes or {}).items():
            root.add_at(self.path + path, part)
        root.add_at(self.path, change)
        root.varied_ = root.varied_ or varied

    def view(self, path: Path, dims: tuple[Any, ...] | None = None) -> Lane:
        """Return a view of a part of it."""
        made = Lane(ZERO, hashed(self.token, path), dims=dims)
        made.root, made.path = self.root, self.path + path
        made._inherit(self)
        return made

    def _inherit(self, whole: Lane) -> None:
        if whole.root is not whole and whole.own_adjoint is not None:
            self.own_adjoint, self.depth = whole.own_adjoint, whole.depth

    def again(self) -> Lane:
        """Return another view of the same memory."""
        made = Lane(ZERO, self.token, dims=self.dims)
        made.root, made.path = self.root, self.path
        made._inherit(self)
        return made

    def copied(self) -> Lane:
        """Return a copy, which knows what was written where."""
        if self.number:
            return self
        made = Lane(self.base, self.token, dims=self.dims, varied=self.varied)
        if self.root is not self:
            made.base = self.pair
        elif self.writes:
            made.writes = dict(self.writes)
        return made

    @property
    def adjoint(self) -> Lane:
        """The memory of its adjoint: a view of that of what it is a view of."""
        root = self.root
        if root is not self and self.own_adjoint is not None:  # it is differentiated by its value
            rest = self.path[self.depth :]
            return self.own_adjoint.view(rest) if rest else self.own_adjoint
        if root.own_adjoint is None:
            root.own_adjoint = Lane(ZERO, root.token)
        if not self.path:
            return root.own_adjoint
        return root.own_adjoint.view(self.path)

    def apart(self) -> None:
        """Give a view an adjoint of its own: what it is a view of is not written any more."""
        self.own_adjoint, self.depth = Lane(ZERO, self.token), len(self.path)

    # -- reading and writing parts

    def __getitem__(self, key: Any) -> Any:
        if self.number and key not in ((), Ellipsis):
            raise TypeError("a number has no items")
        Now.run.step()
        parts, dims, fancy = Hooks.key_of(key, self.dims)
        if not parts and dims != ():
            return self.again()
        if not fancy and dims != ():
            return self.view(parts, dims)
        run = Now.run
        run.step()
        found = Lane(
            self.root.read(self.path + parts),
            hashed(self.token, parts),
            number=dims == (),
            dims=dims,
            varied=self.varied,
        )
        if run.tape is not None and self.varied:
            run.tape.append(("read", self, parts, found))
        return found

    def __setitem__(self, key: Any, value: Any) -> None:
        parts, _, _ = Hooks.key_of(key, self.dims)
        Now.run.step()
        whole = self.path + parts
        if isinstance(value, Lane) and value.root is self.root and value.path == whole:
            return
        root = self.root
        pair, varied = Hooks.pair_of(value), Hooks.is_varied(value)
        run = Now.run
        if run.tape is not None:
            run.tape.append(("store", self, parts, value))
        if whole:
            root.add_at(whole, field.sub(pair, root.read(whole)))
            root.varied_ = root.varied_ or varied
        else:
            self.put(pair, varied=varied)

    def __delitem__(self, key: Any) -> None:
        raise NotCovered("a part of an unknown container is deleted")

    def __contains__(self, item: Any) -> bool:
        return Hooks.contains(self, item)

    def __iter__(self) -> Iterator[Any]:
        frame = sys._getframe(1)  # noqa: SLF001 - the reader says how many it takes
        name, count = unpacked_by(frame)
        if name == "UNPACK_SEQUENCE":
            return iter(self.unpacked(count))
        return iter([self[i] for i in range(self.length())])

    def unpacked(self, count: int) -> list[Any]:
        """Return its items, of which there are so many."""
        return [self._result_of(i) if self.bundle else self[i] for i in range(count)]

    def _result_of(self, place: int) -> Lane:
        """Return one of several results of a function: they share no memory."""
        path, _, _ = Hooks.key_of(place, None)
        token = hashed(self.token, path)
        return noted(Lane(self.read(path), token, varied=self.varied))

    def length(self) -> int:
        """Return how many items it has."""
        found = Hooks.length_of(self)
        return found if isinstance(found, int) else operator.index(found)

    def __len__(self) -> int:
        return self.length()

    # -- arithmetic

    def __add__(self, other: Any) -> Any:
        return Hooks.arithmetic("+", self, other)

    def __radd__(self, other: Any) -> Any:
        return Hooks.arithmetic("+", other, self)

    def __sub__(self, other: Any) -> Any:
        return Hooks.arithmetic("-", self, other)

    def __rsub__(self, other: Any) -> Any:
        return Hooks.arithmetic("-", other, self)

    def __mul__(self, other: Any) -> Any:
        return Hooks.arithmetic("*", self, other)

    def __rmul__(self, other: Any) -> Any:
        return Hooks.arithmetic("*", other, self)

    def __truediv__(self, other: Any) -> Any:
        return Hooks.arithmetic("/", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return Hooks.arithmetic("/", other, self)

    def __pow__(self, other: Any) -> Any:
        return Hooks.arithmetic("**", self, other)

    def __rpow__(self, other: Any) -> Any:
        return Hooks.arithmetic("**", other, self)

    def __floordiv__(self, other: Any) -> Any:
        return Hooks.arithmetic("//", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return Hooks.arithmetic("//", other, self)

    def __mod__(self, other: Any) -> Any:
        return Hooks.arithmetic("%", self, other)

    def __rmod__(self, other: Any) -> Any:
        return Hooks.arithmetic("%", other, self)

    def __matmul__(self, other: Any) -> Any:
        return Hooks.arithmetic("@", self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return Hooks.arithmetic("@", other, self)

    def __and__(self, other: Any) -> Any:
        return Hooks.arithmetic("&", self, other)

    __rand__ = __and__

    def __or__(self, other: Any) -> Any:
        return Hooks.arithmetic("|", self, other)

    __ror__ = __or__

    def __xor__(self, other: Any) -> Any:
        return Hooks.arithmetic("^", self, other)

    __rxor__ = __xor__

    def __invert__(self) -> Any:
        return self._result(field.sub(ONE, self.pair), varied=False)

    def __neg__(self) -> Any:
        made = self._result(field.sub(ZERO, self.pair), varied=self.varied)
        if self.root is self and self.writes:
            made.base, made.writes = Hooks.taken_apart(self, negative=True)
        made.whole = None if self.whole is None else -self.whole
        return made

    def __pos__(self) -> Any:
        return self._result(self.pair, varied=self.varied)

    def __abs__(self) -> Any:
        return self._result(by_entry("absolute", self.pair), varied=self.varied)

    def _result(self, pair: Pair, *, varied: bool) -> Lane:
        Now.run.step()
        return noted(Lane(pair, self.token, number=self.number, dims=self.dims, varied=varied))

    def __iadd__(self, other: Any) -> Any:
        return self._update("+", other)

    def __isub__(self, other: Any) -> Any:
        return self._update("-", other)

    def __imul__(self, other: Any) -> Any:
        return self._update("*", other)

    def __itruediv__(self, other: Any) -> Any:
        return self._update("/", other)

    def __ipow__(self, other: Any) -> Any:
        return self._update("**", other)

    def _update(self, sign: str, other: Any) -> Any:
        if self.number:
            return Hooks.arithmetic(sign, self, other)
        run = Now.run
        run.step()
        if run.tape is not None:
            run.tape.append(("update", sign, self, other))
        varied = self.varied or Hooks.is_varied(other)
        if sign in "+-":
            pair, writes = Hooks.taken_apart(other, sign == "-")
            self.increase(pair, varied=varied, writes=writes)
        else:
            self.put(Hooks.pair_arithmetic(sign, self.pair, other), varied=varied)
        return self

    # -- tests

    def __lt__(self, other: Any) -> Any:
        return Hooks.compared("<", self, other)

    def __gt__(self, other: Any) -> Any:
        return Hooks.compared(">", self, other)

    def __le__(self, other: Any) -> Any:
        return Hooks.compared("<=", self, other)

    def __ge__(self, other: Any) -> Any:
        return Hooks.compared(">=", self, other)

    def __eq__(self, other: object) -> Any:
        return Hooks.compared("==", self, other)

    def __ne__(self, other: object) -> Any:
        return Hooks.compared("!=", self, other)

    def __hash__(self) -> int:
        return hash(self.pair) if self.whole is None else hash(self.whole)

    def __bool__(self) -> bool:
        Now.run.step()
        if self.whole is not None:
            return bool(self.whole)
        pair = self.pair
        if pair in ((0, 0), (1, 1)):
            return pair == ONE
        return Hooks.decided(hashed(code_of("true"), pair))

    def __index__(self) -> int:
        if self.whole is not None:
            return self.whole
        return hashed(code_of("index"), Now.run.seed, self.pair) % 3

    __int__ = __index__

    def __format__(self, spec: str) -> str:
        return f"<{self.pair}>"

    def __str__(self) -> str:
        return f"<{self.pair}>"

    __repr__ = __str__

    # -- attributes and calls

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Hooks.attribute(self, name)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return Hooks.call(self, args, keywords)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        return None


class Hooks:
    """What other modules put here, since they know of lanes and lanes need them."""

    attribute: Callable[[Lane, str], Any]
    call: Callable[[Lane, Any, Any], Any]
    arithmetic: Callable[[str, Any, Any], Any]
    compared: Callable[[str, Any, Any], Any]
    pair_of: Callable[[Any], Pair]
    is_varied: Callable[[Any], bool]
    taken_apart: Callable[..., tuple[Pair, dict[Path, Pair] | None]]
    pair_arithmetic: Callable[[str, Pair, Any], Pair]
    key_of: Callable[[Any, Any], tuple[Path, Any, bool]]
    contains: Callable[[Lane, Any], bool]
    length_of: Callable[[Any], Any]
    decided: Callable[[int], bool]


def noted(lane: Lane) -> Lane:
    """Note a result of varied values: a contribution to its operands must be known."""
    run = Now.run
    if run.tape is not None and lane.varied_:
        lane.cut = True
        run.cut.append(lane)
    return lane


def unpacked_by(frame: Any) -> tuple[str, int]:
    """Return how a frame takes what it iterates over, and how many items."""
    code, place = frame.f_code.co_code, frame.f_lasti
    name = opcode.opname[code[place]]
    if name == "UNPACK_EX":
        return "UNPACK_SEQUENCE", (code[place + 1] & 0xFF) + 1
    return name, code[place + 1]
