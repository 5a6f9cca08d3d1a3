"""Says where in the graph a pass starts, and where gradients are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from srcgrad.tape.core import edge_of
from srcgrad.tape.node import Edge, Node


class GradientEdge(NamedTuple):
    """A place in the graph, output `output_nr` of `node`; stands for a tensor in backward, grad."""

    node: Node
    output_nr: int
    ownership_token: Any = None  # shape and dtype of the tensor it was made from


def roots_of(outputs: Sequence[Any]) -> list[Edge]:
    """Return the edges at which a pass starts.

    Raises:
        RuntimeError: An output that does not require grad.
    """
    edges: list[Edge] = []
    for number, out in enumerate(outputs):
        edge = (out.node, out.output_nr) if isinstance(out, GradientEdge) else edge_of(out)
        if edge is None:
            raise RuntimeError(
                f"element {number} of tensors does not require grad and does not have a grad_fn"
            )
        edges.append(edge)
    return edges


def wanted_edges(inputs: Sequence[Any]) -> list[Edge]:
    """Return the edges at which gradients are asked for.

    Raises:
        RuntimeError: An input that does not require grad.
    """
    edges: list[Edge] = []
    for item in inputs:
        edge = (item.node, item.output_nr) if isinstance(item, GradientEdge) else edge_of(item)
        if edge is None:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
        edges.append(edge)
    return edges


def unused(slot: int) -> RuntimeError:
    """Return the error for a tensor that the outputs do not depend on."""
    return RuntimeError(
        f"The differentiated Tensor at index {slot} appears to not have been used in "
        "the graph. Set allow_unused=True if this is the desired behavior."
    )
