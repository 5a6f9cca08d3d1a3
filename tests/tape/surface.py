"""Calls everything that tensors answer to, in many ways, and says what came of it.

Most ways are wrong for most names, which is as good: what is refused, and by which error, is told
as well.
"""

from __future__ import annotations

import copy
import linecache
import operator
import pickle
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from srcgrad import autograd, tape
from srcgrad.tape import Tensor, creation, functions
from tests.tape.graphs import Graph
from tests.text.ledger import IN_ERRORS, hashed

OURS: Final = str(Path(tape.__file__).parent.parent)
RNG: Final = np.random.default_rng(23)
VECTOR, OTHER, PART = RNG.uniform(0.1, 0.9, (3, 3))
TABLE, SQUARE = RNG.uniform(0.1, 0.9, (2, 3)), RNG.uniform(0.1, 0.9, (3, 3)) + np.eye(3)
STACK: Final = RNG.normal(size=(2, 1, 3))
TURNED: Final = VECTOR + 1j * OTHER
WHOLE, FLAGS = np.array([2, 0, 1]), np.array([True, False, True])
Way = tuple[str, tuple[Any, ...], dict[str, Any]]
WAYS: Final[list[Way]] = [
    ("s", (np.array(0.4),), {}),
    ("v", (VECTOR,), {}),
    ("m", (TABLE,), {}),
    ("q", (SQUARE,), {}),
    ("k", (STACK,), {}),
    ("z", (TURNED,), {}),
    ("i", (WHOLE,), {}),
    ("b", (FLAGS,), {}),
    ("e", (VECTOR[:0],), {}),
    ("v32", (VECTOR.astype(np.float32),), {}),
    ("v v", (VECTOR, OTHER), {}),
    ("m v", (TABLE, OTHER), {}),
    ("m m.T", (TABLE, TABLE.T.copy()), {}),
    ("q v", (SQUARE, OTHER), {}),
    ("v z", (VECTOR, TURNED), {}),
    ("v i", (VECTOR, WHOLE), {}),
    ("b b", (FLAGS, ~FLAGS), {}),
    ("i i", (WHOLE, WHOLE + 1), {}),
    ("v s", (VECTOR, np.array(0.4)), {}),
    ("v 2.5", (VECTOR, 2.5), {}),
    ("v -1", (VECTOR, -1), {}),
    ("q 0", (SQUARE, 0), {}),
    ("m 1", (TABLE, 1), {}),
    ("m (3, 2)", (TABLE, (3, 2)), {}),
    ("m 3 2", (TABLE, 3, 2), {}),
    ("k 0 -1", (STACK, 0, -1), {}),
    ("k (2, 0, 1)", (STACK, (2, 0, 1)), {}),
    ("q 1 i", (SQUARE, 1, WHOLE), {}),
    ("q b 0.7", (SQUARE, SQUARE > 0.5, 0.7), {}),
    ("v b", (VECTOR, FLAGS), {}),
    ("q 1 q", (SQUARE, 1, np.argsort(SQUARE)), {}),
    ("m 1 0 2", (TABLE, 1, 0, 2), {}),
    ("q 1 v", (SQUARE, 1, VECTOR), {}),
    ("z 1 0.5", (TURNED, 1, 0.5), {}),
    ("z i z", (TURNED, WHOLE, TURNED[::-1].copy()), {}),
    ("z v", (TURNED, VECTOR), {}),
    ("b v v", (FLAGS, VECTOR, OTHER), {}),
    ("v v v", (VECTOR, OTHER, PART), {}),
    ("q q q", (SQUARE, 1.5 * SQUARE.T - 0.3, SQUARE @ SQUARE), {}),
    ("[v v]", ([VECTOR, OTHER],), {}),
    ("[m m] 1", ([TABLE, 2 * TABLE], 1), {}),
    ("m dim=1", (TABLE,), {"dim": 1}),
    ("m dim=-1 keepdim", (TABLE,), {"dim": -1, "keepdim": True}),
    ("m axis=0", (TABLE,), {"axis": 0}),
    ("k dim=(0, 2)", (STACK,), {"dim": (0, 2)}),
    ("m dtype", (TABLE,), {"dtype": np.float32}),
    ("v v alpha", (VECTOR, OTHER), {"alpha": 2.0}),
    ("v v out", (VECTOR, OTHER), {"out": np.zeros(3)}),
    ("v min max", (VECTOR,), {"min": 0.3, "max": 0.6}),
    ("v 2 descending", (VECTOR, 2), {"descending": True}),
    ("m unbiased", (TABLE,), {"unbiased": False}),
    ("m wrong=1", (TABLE,), {"wrong": 1}),
    ("m 7", (TABLE, 7), {}),
    ("v text", (VECTOR, "floor"), {}),
    ("2 3", (2, 3), {}),
    ("(2, 3)", ((2, 3),), {}),
    ("(2, 3) 1.5", ((2, 3), 1.5), {}),
    ("0.5 2.0 5", (0.5, 2.0, 5), {}),
    ("2 3 requires_grad", (2, 3), {"requires_grad": True}),
]
"""Arguments by a name: numbers, vectors, tables, squares and stacks, complex ones, whole ones."""
_OPERATORS: Final = (
    "add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift lt le eq ne gt ge iadd "
    "isub imul itruediv ifloordiv imod ipow imatmul neg pos abs invert getitem setitem contains "
    "index"
).split()
_BUILTINS: Final = (len, bool, float, int, complex, round, list, divmod, sum, max, min, sorted)
_MADE: Final = "arange as_tensor empty_like eye from_numpy full full_like linspace ones ones_like"
CUT_OFF: Final = frozenset(
    (
        ".data",
        ".detach",
        ".float",
        ".half",
        ".stopped",
        "tape.as_tensor",
        "tape.tensor",
        "tape.empty_like",
    )
)
"""What has no gradient, or fewer digits than differences need."""
_UNTOLD: Final = frozenset(("data_ptr", "backward"))  # another one each time; needs a graph


def calls() -> dict[str, Callable[..., Any]]:
    """Return everything that is called, by name."""
    names = [n for n in dir(Tensor) if n[0] != "_" and n not in {*functions.NAMES, *_UNTOLD}]
    made = [*_MADE.split(), "rand", "randn", "tensor", "zeros", "zeros_like"]
    return {
        **{f"tape.{name}": getattr(functions, name) for name in functions.NAMES},
        **{f"tape.{name}": getattr(creation, name) for name in made},
        **{f".{name}": _attribute(name) for name in names},
        **{f"operator.{name}": getattr(operator, name) for name in _OPERATORS},
        **{function.__name__: function for function in _BUILTINS},
        "copy": copy.copy,
        "deepcopy": copy.deepcopy,
        "pickle": lambda x: pickle.loads(pickle.dumps(x.detach())),
        "reversed": lambda x, y: (y.detach().numpy() - x, 2.0 / x, 3**y, np.array(y)),
    }


def _attribute(name: str) -> Callable[..., Any]:
    def get(x: Any, *args: Any, **options: Any) -> Any:
        found = getattr(x, name)
        return found(*args, **options) if callable(found) or args or options else found

    return get


def told(name: str) -> str:
    """Return what comes of a call in each way: a text to compare."""
    return "\n".join(f"{way}: {_outcome(calls()[name], *given)}" for way, *given in WAYS)


class Called:
    """One call with leaves, and the gradient of what it gave."""

    def __init__(self, call: Callable[..., Any], args: Any, options: Any, *, flag: bool) -> None:
        self.leaves: list[Tensor] = []
        creation.manual_seed(3)
        given = [self._given(arg, flag) for arg in args]
        options = {k: tape.tensor(v.copy()) if k == "out" else v for k, v in options.items()}
        self.result = call(*given, **options)
        self.parts = [t for t in _parts([self.result, given[0]]) if t.dtype.kind in "fc"]
        turned = any(leaf.dtype.kind == "c" for leaf in self.leaves)
        self.total: Any = sum(_weighed(part, 1.0 - 0.5j if turned else 1.0) for part in self.parts)

    def _given(self, value: Any, flag: bool) -> Any:
        if isinstance(value, list):
            return [self._given(item, flag) for item in value]
        if not isinstance(value, np.ndarray):
            return value
        leaf = tape.tensor(value.copy(), requires_grad=flag and value.dtype.kind in "fc")
        self.leaves.append(leaf)
        return leaf.clone() if leaf.requires_grad else leaf

    def grads(self) -> list[Any]:
        """Return the gradients by the leaves that have one."""
        if not isinstance(self.total, Tensor) or not self.total.requires_grad:
            return []
        leaves = [leaf for leaf in self.leaves if leaf.requires_grad]
        found = autograd.grad(self.total, leaves, allow_unused=True)
        return [None if grad is None else grad.numpy() for grad in found]


def _weighed(part: Tensor, turn: complex) -> Any:
    """Return a real number that every element of a part changes in its own way."""
    weights = turn * np.linspace(0.4, 1.6, part.size).reshape(part.shape)
    product = (part * weights).sum()
    return product.real if product.dtype.kind == "c" else product


def _outcome(call: Callable[..., Any], args: Any, options: Any) -> str:
    with warnings.catch_warnings(record=True) as warned, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            made = Called(call, args, options, flag=True)
            said = [_shown(made.result), *Graph().of(made.parts), *map(_shown, made.grads())]
        except Exception as error:  # noqa: BLE001 - which one it is, is what is told
            said = [_error(error)]
    return " | ".join([*said, *sorted({w.category.__name__ for w in warned})])


def _error(error: Exception) -> str:
    """Return what an error is, and its message where it is one of ours."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    file = "" if place is None else place.tb_frame.f_code.co_filename
    line = "" if place is None else linecache.getline(file, place.tb_lineno).lstrip()
    ours = file.startswith(OURS) and line.startswith("raise")
    message = hashed(IN_ERRORS.sub("", str(error))) if ours else ""
    return f"{type(error).__name__} {message}"


def _shown(value: Any) -> str:
    """Return a value with its numbers, of which digits that may be another computer's are left."""
    if isinstance(value, Tensor):
        return f"Tensor {_shown(value.detach().numpy())}"
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__}({', '.join(map(_shown, value))})"
    if isinstance(value, (np.ndarray, np.generic)):
        numbers = " ".join(_digits(item) for item in np.ravel(value).tolist())
        return f"{type(value).__name__} {value.dtype} {np.shape(value)} {numbers}"
    if isinstance(value, (bool, int, float, complex, str, type(None))):
        return f"{type(value).__name__} {_digits(value)}"
    return type(value).__name__


def _digits(number: Any) -> str:
    if isinstance(number, complex):
        return f"{_digits(number.real)}{_digits(number.imag)}j"
    if isinstance(number, float):
        return "0" if abs(number) < 1e-6 else f"{number:.4g}"
    return repr(number)


def _parts(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _parts(item)


def wrong_slopes(name: str) -> list[str]:
    """Return the ways in which a call has another gradient than differences have."""
    if name in CUT_OFF:
        return []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return [way for way, *given in WAYS if not _agrees(calls()[name], *given)]


def _agrees(call: Callable[..., Any], args: Any, options: Any) -> bool:
    try:
        found = Called(call, args, options, flag=True).grads()
        Called(call, args, options, flag=False)
    except Exception:  # noqa: BLE001 - what is refused has no slope
        return True
    if options.get("dtype") is np.float32:  # whose digits are too few
        return True
    arrays = [arg for arg in args if isinstance(arg, np.ndarray) and arg.dtype == float]
    if (
        not found
        or len(arrays) != len(args)
        or not all(g is not None and np.isfinite(g).all() for g in found)
    ):
        return True
    step = 1e-4
    for place, grad in enumerate(found):
        for index in np.ndindex(args[place].shape):
            at = [_moved(call, args, options, place, index, k * step) for k in (1, -1, 2, -2)]
            near, far = (at[0] - at[1]) / (2 * step), (at[2] - at[3]) / (4 * step)
            doubt = 1e-6 * max(1.0, abs(near)) + 1.5 * abs(near - far)
            if abs(grad[index] - (4 * near - far) / 3) > doubt:
                return False
    return True


def _moved(call: Any, args: Any, options: Any, place: int, index: Any, step: float) -> float:
    moved = [np.array(arg) for arg in args]
    moved[place][index] += step
    total = Called(call, moved, options, flag=False).total
    return float(total.detach().numpy() if isinstance(total, Tensor) else total)
