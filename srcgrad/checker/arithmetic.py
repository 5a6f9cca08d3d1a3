"""Knows the arithmetic of lanes, how they compare, and which parts of them keys select."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final

from srcgrad.checker import field
from srcgrad.checker.field import ZERO, Pair, by_entry, code_of, hashed
from srcgrad.checker.lanes import Hooks, Lane, noted, unpacked_by
from srcgrad.checker.memory import Key, Path, scattered_to
from srcgrad.checker.runs import Now


class Shape:
    """The shape of a lane."""

    def __init__(self, lane: Lane) -> None:
        self.token, self.dims = lane.token, lane.dims

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            if self.dims is not None and None not in self.dims:
                return self.dims[place]
            return Lane(
                by_entry("shape", (self.token, self.token)), hashed(self.token, canonical(place))
            )
        place = operator.index(place)
        if self.dims is not None and -len(self.dims) <= place < len(self.dims):
            if place < 0:
                place += len(self.dims)
            if self.dims[place] is not None:
                return self.dims[place]
        return length(self.token, place)

    def __iter__(self) -> Iterator[Any]:
        name, count = unpacked_by(sys._getframe(1))  # noqa: SLF001
        return iter(self.unpacked(count if name == "UNPACK_SEQUENCE" else 2))

    def unpacked(self, count: int) -> list[Any]:
        """Return the lengths of its axes, of which there are so many if nothing else is known."""
        return [self[i] for i in range(count if self.dims is None else len(self.dims))]

    def __len__(self) -> int:
        if self.dims is not None:
            return len(self.dims)
        return hashed(code_of("axes"), self.token, Now.run.seed) % 3

    def __eq__(self, other: object) -> Any:
        if isinstance(other, Shape):
            if self.token == other.token:
                return True
        elif self.dims is not None and None not in self.dims and other == ():
            return self.dims == ()
        first, second = sorted((hash(canonical(self)), hash(canonical(other))))
        return decided(hashed(code_of("same shape"), first, second))

    def __ne__(self, other: object) -> Any:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.token)

    def __add__(self, other: Any) -> Any:
        return Lane(ZERO, hashed(code_of("joined shape"), self.token, canonical(other)))

    def __radd__(self, other: Any) -> Any:
        return Lane(ZERO, hashed(code_of("shape joined"), self.token, canonical(other)))


def length(token: int, axis: int) -> Lane:
    """Return the length of an axis: the lane of a number that is a small integer."""
    entry = hashed(code_of("length"), token, axis)
    whole = 2 + hashed(code_of("long"), entry, Now.run.seed) % 2
    if Now.run.seed % 4 == 3:
        whole = hashed(code_of("short"), entry, Now.run.seed) % 3
    return Lane((entry, entry), number=True, whole=whole)


def length_of(value: Any) -> Any:
    """Return ``len(value)``."""
    if isinstance(value, Lane):
        if value.dims and value.dims[0] is not None:
            return value.dims[0]
        return length(value.token, 0)
    return len(value)


def decided(entry: int) -> bool:
    """Say which way a test goes: in the second run of a pair the other way than in the first."""
    draw, opposite = Now.run.way
    return bool(hashed(code_of("decided"), entry, *draw) & 4) is not opposite


def order(a: int, b: int) -> int:
    """Return how two entries are ordered: -1, 0 or 1; some that differ are taken for equal."""
    if a == b:
        return 0
    low, high = (a, b) if a < b else (b, a)
    draw, opposite = Now.run.way
    found = hashed(code_of("order"), low, high, *draw) >> 7
    if (found >> 4 if opposite else found >> 1) & 7 == 0:
        return 0
    return 1 if (found & 1) == ((a < b) is not opposite) else -1


def bits(sign: str, first: Any, second: Any) -> Pair:
    """Return which entries of a comparison are true."""
    a, b = pair_of(first), pair_of(second)
    x = int(_WHOLE[sign](order(a[0], b[0]), 0))
    if a[0] == a[1] and b[0] == b[1]:
        return x, x
    return x, int(_WHOLE[sign](order(a[1], b[1]), 0))


_WHOLE: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne, "+": operator.add, "-": operator.sub,
    "*": operator.mul, "//": operator.floordiv, "%": operator.mod, "**": operator.pow,
    "&": operator.and_, "|": operator.or_, "^": operator.xor,
}  # fmt: skip


def whole_of(value: Any) -> int | None:
    """Return the integer that a value is known to be."""
    if isinstance(value, Lane):
        return value.whole
    return value if isinstance(value, int) else None


def compared(sign: str, a: Any, b: Any) -> Any:
    """Return a comparison: a truth value, or those of entries."""
    Now.run.step()
    if a is None or b is None or isinstance(b, (str, tuple, list, dict)):
        if isinstance(b, (list, tuple)) or isinstance(a, (list, tuple)):
            return Lane(by_entry(sign, pair_of(a), pair_of(b)))
        return sign == "!="
    first = a.whole if isinstance(a, Lane) else a
    second = b.whole if isinstance(b, Lane) else b
    if first is not None and second is not None:
        return _WHOLE[sign](first, second)
    pair = bits(sign, a, b)
    number = is_number(a) and is_number(b)
    return Lane(pair, 0 if number else _token(a, b), number=number)


def is_number(value: Any) -> bool:
    """Say whether a value has no axes and cannot be written into."""
    return value.number if isinstance(value, Lane) else not isinstance(value, (list, tuple, dict))


def _token(a: Any, b: Any) -> int:
    first = 0 if is_number(a) else getattr(a, "token", 1)
    second = 0 if is_number(b) else getattr(b, "token", 1)
    return _joined_token(first, second)


def _joined_token(first: int, second: int) -> int:
    if first == second or not second:
        return first
    if not first:
        return second
    return hashed(code_of("broadcast"), *sorted((first, second)))


def _joined_dims(
    first: tuple[Any, ...] | None, second: tuple[Any, ...] | None
) -> tuple[Any, ...] | None:
    if first is None or second is None:
        return None
    if not second or first == second:
        return first
    if not first:
        return second
    rank = max(len(first), len(second))
    return (None,) * rank


_PAIRS: Final = {"+": field.add, "-": field.sub, "*": field.mul, "/": field.div, "&": field.mul}


def pair_arithmetic(sign: str, a: Pair, other: Any) -> Pair:
    """Return the lane of an operation."""
    if sign == "**":
        whole = whole_of(other)
        if whole is None and isinstance(other, float) and other.is_integer():
            whole = int(other)
        if whole is not None and abs(whole) < 1000:
            return field.power(a, whole)
        if isinstance(other, float) and other == 0.5:
            return by_entry("sqrt", a)
        return by_entry("power", a, pair_of(other))
    b = pair_of(other)
    if sign in _PAIRS:
        return _PAIRS[sign](a, b)
    if sign == "|":
        return field.sub(field.add(a, b), field.mul(a, b))
    if sign == "^":
        both = field.mul(a, b)
        return field.sub(field.add(a, b), field.add(both, both))
    if sign == "@":
        return product(a, b)
    return by_entry(sign, a, b)


_LEFT: Final = field.matrix(code_of("left"))
_RIGHT: Final = field.matrix(code_of("right"))


def product(a: Pair, b: Pair) -> Pair:
    """Return a product that sums: linear in each factor, and their order counts."""
    return field.mul(field.apply(_LEFT, a), field.apply(_RIGHT, b))


def arithmetic(sign: str, a: Any, b: Any) -> Any:
    """Return an operation on two values of which one is a lane."""
    if (a.__class__ not in _OPERANDS and _is_foreign(a)) or (
        b.__class__ not in _OPERANDS and _is_foreign(b)
    ):
        return NotImplemented
    Now.run.step()
    pair, token, number, dims, varied, whole, parts = _facts(a)
    other, its_token, its_number, its_dims, its_varied, its_whole, its_parts = _facts(b)
    operation = _PAIRS.get(sign)
    pair = operation(pair, other) if operation is not None else pair_arithmetic(sign, pair, b)
    varied = varied or its_varied
    if sign == "@":
        made = Lane(pair, hashed(code_of("@"), token, its_token), varied=varied)
        return noted(made)
    token, dims = _joined_token(token, its_token), _joined_dims(dims, its_dims)
    made = Lane(pair, token, number=number and its_number, dims=dims, varied=varied)
    if parts or its_parts:
        _linear(made, sign, a, b)
    if whole is not None and its_whole is not None and sign in _WHOLE:
        made.whole = _whole_result(sign, whole, its_whole)
    return noted(made)


_OPERANDS: Final = frozenset((Lane, int, float))


def _is_foreign(value: Any) -> bool:
    """Say whether a value is no operand of arithmetic on lanes."""
    return isinstance(value, (str, dict, Shape)) or value is None or callable(value)


def _facts(value: Any) -> tuple[Any, ...]:
    """Return what an operation asks of an operand, all at once.

    It is the lane, the token of its shape, whether it is a number, the lengths of its axes, whether
    it varies, the integer that it is, and whether parts of it were written.
    """
    kind = value.__class__
    if kind is Lane:
        whole, number = value.viewed, value.number
        parts = bool(value.writes)
        pair = value.base if whole is None and not parts else value.pair
        token = 0 if number else value.token
        varied = value.varied_ if whole is None else whole.varied_
        return pair, token, number, value.dims, varied, value.whole, parts
    if kind is float or kind is int:
        return field.of_number(value), 0, True, (), False, value if kind is int else None, False
    number = is_number(value)
    dims = None if isinstance(value, (list, tuple)) else ()
    token = 0 if number else 1
    return pair_of(value), token, number, dims, is_varied(value), whole_of(value), False


def _whole_result(sign: str, first: int, second: int) -> int | None:
    """Return the integer that an operation on two gives, if it is to be known."""
    if sign == "**" and abs(second) >= 64:
        return None
    try:
        found = _WHOLE[sign](first, second)
    except (ArithmeticError, ValueError):
        return 0
    return found if isinstance(found, int) and abs(found) <= 1 << 62 else None


def taken_apart(value: Any, negative: bool = False) -> tuple[Pair, dict[Path, Pair] | None]:
    """Return a value as what was written last as a whole, and what was added to parts since."""
    if isinstance(value, Lane) and value.root is value and value.writes:
        pair, writes = value.base, value.writes
    else:
        pair, writes = pair_of(value), None
    if not negative:
        return pair, writes
    minus = {path: field.sub(ZERO, part) for path, part in (writes or {}).items()}
    return field.sub(ZERO, pair), minus


def _has_parts(value: Any) -> bool:
    return isinstance(value, Lane) and bool(value.writes)


def _is_uniform(value: Any) -> bool:
    """Say whether all entries of a value are surely one number."""
    if _has_parts(value):
        return False
    pair = pair_of(value)
    return pair[0] == pair[1]


def _linear(made: Lane, sign: str, a: Any, b: Any) -> None:
    """Keep the parts of the operands of a linear operation apart in its result."""
    if sign in "+-":
        (base, ours), (more, theirs) = taken_apart(a), taken_apart(b, sign == "-")
        made.base = field.add(base, more)
        made.writes = dict(ours or {})
        for path, part in (theirs or {}).items():
            made.writes[path] = field.add(made.writes.get(path, ZERO), part)
    elif sign in "*/":
        uniform = _is_uniform(b)
        if not uniform and (sign == "/" or not _is_uniform(a)):
            return
        array, number = (a, b) if uniform else (b, a)
        scale = pair_of(number)
        base, writes = taken_apart(array)
        made.base = _PAIRS[sign](base, scale)
        made.writes = {path: _PAIRS[sign](part, scale) for path, part in (writes or {}).items()}


def pair_of(value: Any) -> Pair:
    """Return the lane of any value."""
    if isinstance(value, Lane):
        return value.pair
    if isinstance(value, bool):
        return (1, 1) if value else (0, 0)
    if isinstance(value, (int, float, complex)):
        return field.of_number(value)
    if isinstance(value, (list, tuple)):
        total = ZERO
        for place, item in enumerate(value):
            total = field.add(total, scattered_to(key_of(place, None)[0], pair_of(item)))
        return total
    if isinstance(value, dict):
        total = ZERO
        for key, item in value.items():
            total = field.add(total, scattered_to(key_of(key, None)[0], pair_of(item)))
        return total
    if value is None:
        return ZERO
    entry = hashed(code_of("value"), canonical(value))
    return entry, entry


def is_varied(value: Any) -> bool:
    """Say whether a value depends on what is differentiated."""
    if value.__class__ is Lane:
        return bool(value.root.varied_)
    if isinstance(value, (list, tuple, set)):
        return any(map(is_varied, value))
    if isinstance(value, dict):
        return any(is_varied(item) for item in value.values())
    return False


def canonical(value: Any) -> Any:  # noqa: C901, PLR0911, PLR0912 - one line a kind of value
    """Return what stands for a value in hashes: numbers and tuples of them."""
    if isinstance(value, Lane):
        return (7, value.pair)
    if isinstance(value, (bool, int, float, complex)):
        return (7, field.of_number(value))
    if isinstance(value, str):
        return code_of(value)
    if isinstance(value, (list, tuple)):
        return (1, *[canonical(item) for item in value])
    if isinstance(value, dict):
        return (2, *[(canonical(k), canonical(v)) for k, v in value.items()])
    if isinstance(value, slice):
        return (3, canonical(value.start), canonical(value.stop), canonical(value.step))
    if isinstance(value, Shape):
        return (4, value.token)
    if value is None:
        return 5
    if value is Ellipsis:
        return 6
    if isinstance(value, range):
        return (8, value.start, value.stop, value.step)
    if isinstance(value, (set, frozenset)):
        return (9, *sorted(hash(canonical(item)) for item in value))
    name = getattr(value, "canonical_name", None)
    if isinstance(name, str):
        return code_of(name)
    code = getattr(value, "__code__", None)
    if code is not None:
        return (10, code_of(code.co_name), canonical(value.__defaults__ or ()))
    return code_of(f"{type(value).__module__}.{type(value).__qualname__}")


def key_of(key: Any, dims: tuple[Any, ...] | None) -> tuple[Path, tuple[Any, ...] | None, bool]:
    """Return the path of an index, the axes of what it selects, and whether that is a copy."""
    if key.__class__ is int and (dims is None or dims):  # as most are
        return _of_place(key), None if dims is None else dims[1:], False
    parts = key if isinstance(key, tuple) else (key,)
    items = [_item(part) for part in parts]
    fancy = any(item[0] == "a" for item in items)
    left = None if dims is None else list(dims)
    found: list[Any] = []
    known = left is not None and not fancy
    if known:
        assert left is not None
        rest = sum(1 for item in items if item[0] in "isl")
        for item in items:
            if item[0] == "N":
                found.append(1)
            elif item[0] == "E":
                keep = max(len(left) - (rest), 0)
                found.extend(left[:keep])
                del left[:keep]
            elif item[0] == "k" or not left:
                known = False
                break
            elif item[0] == "s":
                found.append(left[0] if item == _ALL else None)
                left.pop(0)
                rest -= 1
            else:
                left.pop(0)
                rest -= 1
        if known:
            found.extend(left)
    while items and items[-1] in (_ALL, ("E",)):
        items.pop()
    path: list[Key] = []
    while items and items[0][0] in "ilk":
        path.append((items.pop(0),))
    if items:
        path.append(tuple(items))
    return tuple(path), (tuple(found) if known else None), fancy


@lru_cache(maxsize=1024)
def _of_place(place: int) -> Path:
    return ((("i", place),),)


_ALL: Final = ("s", 5, 5, 5)


def _item(part: Any) -> tuple[Any, ...]:  # noqa: PLR0911 - one line a kind of key
    if isinstance(part, bool):
        return ("a", canonical(part))
    if isinstance(part, int):
        return ("i", part)
    if isinstance(part, Lane):
        if part.whole is not None:
            return ("i", part.whole)
        return ("l" if part.number else "a", part.pair)
    if isinstance(part, slice):
        return ("s", _bound(part.start), _bound(part.stop), _bound(part.step))
    if part is None:
        return ("N",)
    if part is Ellipsis:
        return ("E",)
    if isinstance(part, str):
        return ("k", code_of(part))
    if isinstance(part, Shape):
        return ("a", part.token)
    return ("a", canonical(part))


def _bound(value: Any) -> Any:
    if value is None:
        return 5
    whole = whole_of(value)
    return (0, whole) if whole is not None else canonical(value)


def _contains(lane: Lane, item: Any) -> bool:
    return decided(hashed(code_of("in"), canonical(item), lane.pair))


Hooks.arithmetic = staticmethod(arithmetic)
Hooks.compared = staticmethod(compared)
Hooks.pair_of = staticmethod(pair_of)
Hooks.is_varied = staticmethod(is_varied)
Hooks.taken_apart = staticmethod(taken_apart)
Hooks.pair_arithmetic = staticmethod(pair_arithmetic)
Hooks.key_of = staticmethod(key_of)
Hooks.contains = staticmethod(_contains)
Hooks.length_of = staticmethod(length_of)
Hooks.decided = staticmethod(decided)
