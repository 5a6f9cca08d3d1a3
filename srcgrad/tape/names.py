"""Names the nodes of the graph as PyTorch names them."""

from __future__ import annotations

TORCH_NAMES = {
    "subtract": "Sub",
    "multiply": "Mul",
    "divide": "Div",
    "true_divide": "Div",
    "negative": "Neg",
    "power": "Pow",
    "absolute": "Abs",
    "matmul": "Mm",
    "getitem": "Index",
    "transpose": "Permute",
    "matrix_transpose": "Transpose",
    "swapaxes": "Transpose",
    "reshape": "View",
    "concatenate": "Cat",
    "broadcast_to": "Expand",
    "arcsin": "Asin",
    "arccos": "Acos",
    "arctan": "Atan",
    "arctan2": "Atan2",
    "arcsinh": "Asinh",
    "arccosh": "Acosh",
    "arctanh": "Atanh",
    "conjugate": "Conj",
    "clip": "Clamp",
    "copy": "Clone",
    "astype": "ToCopy",
    "max": "Max",
    "amax": "Max",
    "min": "Min",
    "amin": "Min",
}


def node_name(label: str) -> str:
    """Return the name of nodes of the function with the canonical name `label`.

    >>> node_name("numpy.multiply"), node_name("numpy.linalg.inv"), node_name("numpy.log1p")
    ('MulBackward0', 'LinalgInvBackward0', 'Log1PBackward0')
    """
    module, _, name = label.rpartition(".")
    if name in TORCH_NAMES:
        return f"{TORCH_NAMES[name]}Backward0"
    words = [module.rpartition(".")[2]] if module in {"numpy.linalg", "numpy.fft"} else []
    words += name.split("_")
    return "".join(word.title() for word in words if word) + "Backward0"
