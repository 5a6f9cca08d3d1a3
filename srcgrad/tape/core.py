"""Defines the slots of a tensor and how a graph edge to it is found."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from srcgrad.tape.modes import STATE, current_modes
from srcgrad.tape.node import AccumulateGrad, Edge

new = object.__new__
INFERENCE: list[int] = [0]  # the counter of all tensors of inference mode, which count nothing


class ViewInfo:
    """How a view came from its base: the chain of calls, and the version its edge belongs to."""

    __slots__ = ("base", "chain", "creation", "edge_version", "multiple")

    def __init__(
        self, base: Core, chain: tuple[Callable[[Any], Any], ...], creation: str, multiple: str
    ) -> None:
        self.base = base
        self.chain = chain
        self.creation = creation  # "" or the mode it was made in: "no_grad", "inference_mode"
        self.multiple = multiple  # the name of the function, if it returned several views at once
        self.edge_version = base._counter[0]


USUAL_OPERANDS = frozenset({np.ndarray, float, int})  # types that are no tensors, asked for first


class Core:
    """The state of a tensor, without behaviour.

    `_array` is what it holds: no `_data`, which ``numpy.ma`` would take out of it. `_edge` is the
    place in the graph that the value came from (None for leaves and constants), `_flag` is true of
    a leaf that requires grad, `_counter` holds the number of in-place changes and is shared by all
    tensors on the same memory.
    """

    __slots__ = (
        "__dict__",
        "__weakref__",
        "_array",
        "_counter",
        "_edge",
        "_flag",
        "_grad",
        "_leaf",
        "_view",
    )

    if TYPE_CHECKING:  # methods and attributes that the classes above Core add

        def __getattr__(self, name: str) -> Any: ...

    kind: ClassVar[type[Core]]  # the class of results, Tensor

    _array: np.ndarray[Any, Any]
    _edge: Edge | None
    _flag: bool
    _grad: Any
    _counter: list[int]
    _leaf: weakref.ref[AccumulateGrad] | None
    _view: ViewInfo | None

    # rare state: a value of the class until an instance sets its own
    _hooks: Any = None  # hooks of a leaf; those of other tensors lie on their node
    _post_hooks: Any = None
    _retains: bool = False
    _inference: bool = False
    _tangent: Any = None
    _grad_dtype: Any = "same"
    _weak: bool = False  # stands for a Python number, which yields to the types of arrays
    _is_array: bool = False  # stands for an array without axes, not for a number of NumPy's
    _shared: Any = None  # the tensor that a user Function returned this one for

    @staticmethod
    def wrap(data: Any) -> Any:
        """Return a new tensor around an array."""
        return make(data)

    def detach(self) -> Any:
        """Return a tensor on the same memory, with the same version counter and no history."""
        made = make(self._array.view())
        made._counter = self._counter
        if self._inference:
            made._inference = True
        if STATE.dual_level is not None:
            tangent = STATE.dual_level.tangent_of(self)
            if tangent is not None:
                made._tangent = (STATE.dual_level, tangent.detach())
        return made

    def stopped(self) -> Any:
        """Return a constant of the same value: without history, and without a tangent."""
        if self._weak:
            return getattr(self, "_python", float)(self._array.item())
        return make(self._array.copy())


def _slot(name: str) -> Callable[[Core], Any]:
    """Return what reads a slot past `__getattribute__`, which stand-ins for numbers write anew."""
    read: Callable[[Core], Any] = vars(Core)[name].__get__
    return read


array_in, counter_in = _slot("_array"), _slot("_counter")
_edge_in, _flag_in, _view_in = _slot("_edge"), _slot("_flag"), _slot("_view")


def raw_of(tensor: Core) -> Any:
    """Return what NumPy calculates with in the place of a tensor."""
    array = array_in(tensor)
    return array.item() if type(tensor)._weak else array


def make(data: Any, edge: Edge | None = None, flag: bool = False) -> Any:
    """Return a new tensor around `data`, which becomes an array if it is a scalar."""
    tensor = new(Core.kind)
    tensor._array = data if isinstance(data, np.ndarray) else np.asarray(data)
    tensor._edge = edge
    tensor._flag = flag
    tensor._grad = None
    tensor._counter = [0]
    tensor._leaf = None
    tensor._view = None
    if current_modes().inference:
        tensor._inference = True
        tensor._counter = INFERENCE
    return tensor


def leaf_edge(tensor: Core) -> Edge:
    """Return the edge to the node that accumulates into this leaf, making it if there is none."""
    ref = tensor._leaf
    node = ref() if ref is not None else None
    if node is None:
        node = AccumulateGrad(tensor)
        tensor._leaf = weakref.ref(node)
    return node, 0


def requires_grad(tensor: Core) -> bool:
    """Return whether a gradient can flow to `tensor`."""
    if _flag_in(tensor) or _edge_in(tensor) is not None:
        return True
    view = _view_in(tensor)
    return view is not None and requires_grad(view.base)


def edge_of(tensor: Core) -> Edge | None:
    """Return where the gradient of `tensor` goes now, or None if it requires none."""
    view = _view_in(tensor)
    if view is not None and not tensor._flag and view.edge_version != view.base._counter[0]:
        refresh_view(tensor, view)
    edge: Edge | None = _edge_in(tensor)
    if edge is not None:
        return edge
    return leaf_edge(tensor) if _flag_in(tensor) else None


def refresh_view(tensor: Core, view: ViewInfo) -> None:
    """Derive the edge of a view from the present history of its base, after an in-place change.

    Raises:
        RuntimeError: The view came out of a user's Function.
    """
    if view.creation == "function" and tensor._edge is not None:
        raise RuntimeError(
            f"Output {tensor._edge[1]} of {view.multiple} is a view and its base or another view "
            "of its base has been modified inplace. It was made inside a custom Function, whose "
            "own backward no longer fits. Clone the output of the custom Function."
        )
    view.edge_version = view.base._counter[0]
    if view.creation or not requires_grad(view.base):
        return
    before = STATE.grad, STATE.inference
    STATE.set(grad=True, inference=False)
    try:
        value: Any = view.base
        for step in view.chain:
            value = step(value)
    finally:
        STATE.set(grad=before[0], inference=before[1])
    tensor._edge = value._edge
