"""Records of what generated code calls, which is differentiated again for second derivatives."""

from __future__ import annotations

from typing import Final

from srcgrad.primitives.record import Primitive, records

_SHADOWS: Final = "srcgrad.runtime.shadows"
_NUMBERS: Final = "srcgrad.runtime.numbers"
_INDEXING: Final = "srcgrad.runtime.indexing"
_SLOPES: Final = "srcgrad.runtime.slopes"
_ORDERS: Final = "srcgrad.runtime.orders"

RECORDS: Final[tuple[Primitive, ...]] = (
    *records("srcgrad.runtime.creating", "astype", shape="first", dtype=1),
    *records("srcgrad.runtime.creating", "flatten", axes="m->m; mn->k; lmn->k"),
    *records("srcgrad.runtime.copies", "copied", shape="copy"),
    *records("srcgrad.runtime.adjoints", "zeros_like", kind="float", outlines=(0,)),
    *records(_SHADOWS, "shadow_of_view", memory="itself", viewed="any", slope="constant"),
    *records(_SHADOWS, "tangent_of_view", memory="itself", outlines=(1, 2, 3)),
    *records("srcgrad.runtime.broadcasting", "unbroadcast", memory="itself", outlines=(1,)),
    *records("srcgrad.runtime.complex_parts", "real_part", memory="itself"),
    *records(_NUMBERS, "digamma trigamma polygamma", scalar=True, shape="broadcast", kind="float"),
    *records("srcgrad.runtime.turns", "turns", gives="list", kind="int", outlines=(0,)),
    *records(_SLOPES, "greater_part chosen_part power_slope power_log_slope", shape="broadcast"),
    *records(_SLOPES, "divide_or_zero sign_flip sinc_slope kept_if kept_unless", shape="broadcast"),
    *records(_SLOPES, "within is_below is_above", shape="broadcast", kind="truth"),
    *records(_ORDERS, "order_of", shape="broadcast", kind="int"),
    *records(_ORDERS, "part_if_greater part_if_less", shape="broadcast"),
    *records(_INDEXING, "item", moves=True, shape="number", gives="number"),
    *records(_INDEXING, "getitem", moves=True, memory="itself"),
    *records(_INDEXING, "add_at add_entries", writes=(0,), stores=True),
    *records(_SHADOWS, "add_to_shadows", writes=(0,), stores=True),
    *records("srcgrad.runtime.telling", "tell", tells=True),
)
