"""Knows which functions share memory with their operands, make new arrays, or write."""

from __future__ import annotations

import operator
from typing import Any, Final

import numpy as np

from srcgrad.checker.arithmetic import Shape, canonical, is_number, is_varied, pair_of, whole_of
from srcgrad.checker.field import ONE, ZERO, code_of, hashed
from srcgrad.checker.lanes import Lane, noted
from srcgrad.checker.library import HANDLERS, Function, handler, named
from srcgrad.checker.runs import Now

# -- functions that share memory or keep their operand


_SHAPED: Final = frozenset(
    """reshape ravel transpose swapaxes moveaxis squeeze expand_dims flatten atleast_1d atleast_2d
    atleast_3d rollaxis""".split()
)


@handler("srcgrad.runtime.any_selected")
def any_selected(_: Any, __: Any) -> bool:
    """Return which elements are used at all: what is not used has no adjoint in any case."""
    return True


@handler("srcgrad.runtime.written_over")
def written_over(_: Any, new: Any) -> Any:
    """Return a result as an update in place has it: types and shapes are not seen here."""
    return new


@handler("srcgrad.runtime.greater_part")
def greater_part(grad: Any, a: Any, b: Any) -> Any:
    """Return the part of an adjoint that the greater of two values gets."""
    return HANDLERS["numpy.where"](a > b, grad, HANDLERS["numpy.where"](a == b, grad * 0.5, 0))


@handler("srcgrad.runtime.order_of")
def order_of(a: Any, b: Any) -> Any:
    """Return the order of two values: 0 if the first is less, 1 if it is greater, 2 if neither."""
    return HANDLERS["numpy.where"](a > b, 1, HANDLERS["numpy.where"](a == b, 2, 0))


@handler("srcgrad.runtime.part_if_greater")
def part_if_greater(grad: Any, order: Any) -> Any:
    """Return the part of an adjoint that the first of two values in order gets."""
    return _part(grad, order, 1)


@handler("srcgrad.runtime.part_if_less")
def part_if_less(grad: Any, order: Any) -> Any:
    """Return the part of an adjoint that the second of two values in order gets."""
    return _part(grad, order, 0)


def _part(grad: Any, order: Any, whole: int) -> Any:
    half = HANDLERS["numpy.where"](order == 2, grad * 0.5, 0)
    return HANDLERS["numpy.where"](order == whole, grad, half)


@handler("srcgrad.runtime.dot_along")
def dot_along(a: Any, b: Any, **options: Any) -> Any:
    """Return the sum of a product along an axis."""
    return Function(np.sum, "numpy.sum")(a * b, **options)


@handler("srcgrad.runtime.kept_if")
def kept_if(grad: Any, test: Any) -> Any:
    """Return an adjoint where a test holds, and 0 elsewhere."""
    return HANDLERS["numpy.where"](test, grad, 0.0)


@handler("srcgrad.runtime.kept_unless")
def kept_unless(grad: Any, test: Any) -> Any:
    """Return 0 where a test holds, and an adjoint elsewhere."""
    return HANDLERS["numpy.where"](test, 0.0, grad)


@handler("srcgrad.runtime.divide_or_zero")
def divide_or_zero(a: Any, b: Any) -> Any:
    """Return a quotient."""
    return a / b


@handler("srcgrad.runtime.above_noise")
def above_noise(y: Any, *given: Any) -> Any:
    """Return a spread as it is: rounding is not seen here."""
    del given
    return y


@handler("numpy.broadcast_to")
def spread(value: Any, *like: Any, **options: Any) -> Any:
    """Return a value as it is, spread over a shape; that must not be written."""
    del options
    Now.run.step()
    shape = like[0] if like else None
    token = shape.token if isinstance(shape, (Shape, Lane)) else hashed(canonical(shape))
    dims = shape.dims if isinstance(shape, (Shape, Lane)) else None
    number = isinstance(shape, Lane) and shape.number
    made = Lane(pair_of(value), token, dims=dims, varied=is_varied(value), number=number)
    made.fixed = "what is broadcast is written into"
    return noted(made)


@handler("srcgrad.runtime.unbroadcast", "srcgrad.runtime.cast_back", "srcgrad.runtime.of_reals",
         "srcgrad.runtime.real_as")  # fmt: skip
def unspread(value: Any, *like: Any, **_: Any) -> Any:
    """Return a value itself: of its own shape, it is the same memory."""
    Now.run.step()
    model = like[0] if like else value
    if (
        isinstance(model, (int, float))
        or _is_empty(model)
        or (isinstance(model, Lane) and model.number)
    ):
        return Lane(pair_of(value), number=True, varied=is_varied(value))
    if not isinstance(value, Lane) or value.number:
        token, dims = getattr(model, "token", 0), getattr(model, "dims", None)
        return Lane(pair_of(value), token, dims=dims, varied=is_varied(value))
    made = value.again()
    if isinstance(model, (Lane, Shape)):
        made.token, made.dims = model.token, model.dims
    return made


@handler("numpy.asarray", "numpy.asanyarray", "numpy.ascontiguousarray", "numpy.asfortranarray",
         "srcgrad.runtime.as_complex", "srcgrad.runtime.checkpointed",
         "srcgrad.runtime.dense_array",
         "srcgrad.runtime.real_part", "numpy.real", "srcgrad.runtime.conj", "numpy.conj",
         "numpy.conjugate",
         "builtins.float", "numpy.float64", "method.view")  # fmt: skip
def same(value: Any, *_: Any, **__: Any) -> Any:
    """Return a value itself."""
    if isinstance(value, Lane) and not value.number:
        return value.again()
    return HANDLERS["numpy.array"](value) if isinstance(value, (list, tuple)) else value


def _shape_kept(name: str) -> None:
    @handler(f"numpy.{name}")
    def shaped(value: Any, *args: Any, **keywords: Any) -> Any:
        Now.run.step()
        if not isinstance(value, Lane):
            value = HANDLERS["numpy.array"](value)
        if value.number:
            return Lane(value.pair, hashed(code_of(name)), varied=value.varied)
        made = value.copied() if name == "flatten" else value.again()
        made.dims = None
        target = args[0] if len(args) == 1 else keywords.get("shape")
        if isinstance(target, Shape):
            made.token, made.dims = target.token, target.dims
        else:
            made.token = hashed(code_of(name), value.token, *map(canonical, args), *named(keywords))
            if name == "reshape":
                made.dims = _lengths(args or (keywords.get("shape"),))
        if name in ("ravel", "flatten"):
            made.dims = (None,)
        if name == "flatten":
            return noted(made)
        return made


def _lengths(args: Any) -> tuple[Any, ...] | None:
    """Return the axes that a reshape asks for."""
    items = args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args
    if not all(isinstance(item, int) or is_number(item) for item in items):
        return None
    return tuple(None if whole_of(item) == -1 else item for item in items)


for _name in _SHAPED:
    _shape_kept(_name)
HANDLERS["method.flatten"] = HANDLERS["numpy.flatten"]


@handler("srcgrad.runtime.copied", "numpy.copy", "copy.copy", "copy.deepcopy", "numpy.array",
         "method.copy",
         "method.astype", "srcgrad.runtime.kept_copy")  # fmt: skip
def copied(value: Any, *_: Any, **__: Any) -> Any:
    """Return a copy."""
    Now.run.step()
    if isinstance(value, Lane):
        return noted(value.copied()) if not value.number else value
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(copied(item) for item in value)
    return value


@handler("numpy.array")
def array(value: Any, *_: Any, **__: Any) -> Any:
    """Return a new array."""
    Now.run.step()
    if isinstance(value, Lane):
        made = value.copied()
        if value.number:
            made = Lane(value.pair, 0, dims=(), varied=value.varied)
        return noted(made)
    dims: Any = (len(value),) if isinstance(value, (list, tuple)) else ()
    if dims and any(not is_number(item) for item in value):
        dims = (len(value), None)
        if any(isinstance(item, Lane) for item in value):
            dims = None
    token = hashed(code_of("array"), canonical(dims))
    return noted(Lane(pair_of(value), token, dims=dims, varied=is_varied(value)))


def _made(name: str, pair: Any, fill: int | None = None) -> None:
    @handler(f"numpy.{name}")
    def make(shape: Any = None, *args: Any, **keywords: Any) -> Any:
        Now.run.step()
        value = args[fill] if fill is not None and len(args) > fill else keywords.get("fill_value")
        if isinstance(shape, Shape):
            token, dims = shape.token, shape.dims
        else:
            items = shape if isinstance(shape, tuple) else (shape,)
            dims = tuple(items)
            token = hashed(code_of("shape"), canonical(dims))
            if isinstance(shape, Lane) and not shape.number:
                dims = None
        found = pair_of(value) if fill is not None else pair
        if found is None:
            entry = hashed(code_of("empty"), token)
            found = (entry, hashed(entry))
        return noted(Lane(found, token, dims=dims, varied=is_varied(value)))

    @handler(f"numpy.{name}_like")
    def make_like(like: Any, *args: Any, **keywords: Any) -> Any:
        Now.run.step()
        if keywords.get("shape") is not None:
            return make(keywords["shape"], *args)
        value = args[fill] if fill is not None and len(args) > fill else keywords.get("fill_value")
        found = pair_of(value) if fill is not None else pair
        token = like.token if isinstance(like, Lane) else hashed(canonical(like))
        if found is None:
            entry = hashed(code_of("empty"), token)
            found = (entry, hashed(entry))
        dims = like.dims if isinstance(like, Lane) else None
        return noted(Lane(found, token, dims=dims, varied=is_varied(value)))


_made("zeros", ZERO)
_made("ones", ONE)
_made("empty", None)
_made("full", None, 0)


@handler("srcgrad.runtime.zeros_like", "srcgrad.runtime.complex_zeros_like")
def zeros_like(value: Any) -> Any:
    """Return an adjoint of zeros."""
    if isinstance(value, dict):
        return {key: zeros_like(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [zeros_like(item) for item in value]
    if isinstance(value, Lane) and not value.number:
        return Lane(ZERO, value.token, dims=value.dims)
    if isinstance(value, Lane) or value is None or isinstance(value, (int, float, complex)):
        return 0.0
    return None


@handler("srcgrad.runtime.shadow_of")
def shadow_of(value: Any) -> Any:
    """Return zeros to be written in place."""
    if isinstance(value, dict):
        return {key: shadow_of(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [shadow_of(item) for item in value]
    if value is None:
        return None
    token = value.token if isinstance(value, Lane) else 0
    return Lane(ZERO, token, dims=value.dims if isinstance(value, Lane) else ())


@handler("srcgrad.runtime.shadow_of_view")
def shadow_of_view(shadow: Any, part: Any, whole: Any) -> Any:
    """Return the view of a shadow, or a shadow of a copy."""
    if isinstance(whole, (list, tuple)):
        return shadow
    return shadow if share_memory(part, whole) else shadow_of(part)


@handler("numpy.may_share_memory", "numpy.shares_memory")
def share_memory(first: Any, second: Any) -> bool:
    """Say whether two values share memory."""
    if not isinstance(first, Lane) or not isinstance(second, Lane):
        return False
    return first.root is second.root and not first.number


@handler("srcgrad.runtime.add_to_shadows")
def add_to_shadows(shadows: Any, parts: Any) -> None:
    """Add to shadows in place."""
    if parts is None:
        return
    if not isinstance(shadows, (dict, list, tuple)):
        shadows.increase(pair_of(parts))
        return
    entries: Any = shadows
    for key in parts if isinstance(parts, dict) else range(len(shadows)):
        if is_number(entries[key]):
            entries[key] = entries[key] + parts[key]
        else:
            add_to_shadows(entries[key], parts[key])


@handler("srcgrad.runtime.add_at", "numpy.add.at", "ufunc.at.add")
def add_at(buffer: Any, index: Any, grad: Any) -> None:
    """Add to a part of an array, or an entry of a container."""
    if isinstance(buffer, (list, dict)):
        if isinstance(index, Lane) and isinstance(buffer, list):
            index = operator.index(index)
        buffer[index] = accumulate(buffer[index], grad)
        return
    part = buffer[index]
    if isinstance(part, Lane) and part.root is buffer.root:
        part += grad
    else:
        buffer[index] = part + grad


@handler("srcgrad.runtime.accumulate")
def accumulate(total: Any, grad: Any) -> Any:
    """Return a sum, entry by entry of containers."""
    if isinstance(total, dict):
        return {key: accumulate(item, grad[key]) for key, item in total.items()}
    if isinstance(total, (list, tuple)):
        return [accumulate(item, grad[place]) for place, item in enumerate(total)]
    return total if grad is None else total + grad


@handler("srcgrad.runtime.add_entries")
def add_entries(total: Any, part: Any) -> None:
    """Add to the entries of a container in place."""
    if part is None:
        return
    if isinstance(total, Lane):
        total.increase(pair_of(part))
        return
    for key in part if isinstance(part, dict) else range(len(total)):
        if isinstance(total[key], (dict, list)):
            add_entries(total[key], part[key])
        elif part[key] is not None:
            total[key] = total[key] + part[key]


@handler("srcgrad.runtime.gathered")
def gathered(parts: Any, like: Any) -> Any:
    """Return the adjoints of the items of a sequence as one."""
    if parts is None:
        return None
    if isinstance(like, (list, tuple)):
        return [gathered(parts[place], item) for place, item in enumerate(like)]
    if not isinstance(parts, (list, tuple)):
        return parts
    return Lane(pair_of(parts), getattr(like, "token", 0), dims=getattr(like, "dims", None))


@handler("srcgrad.runtime.last_written")
def last_written(grad: Any, index: Any) -> Any:
    """Return the adjoint of what was written at an index."""
    return copied(grad[index])


@handler("srcgrad.runtime.several")
def several(grad: Any, *_: Any) -> Any:
    """Return adjoints of several results."""
    return grad if isinstance(grad, (list, tuple)) else [grad]


@handler("srcgrad.runtime.scalar_seed")
def scalar_seed(_: Any) -> Any:
    """Return what a gradient starts from."""
    return Lane(ONE, number=True)


@handler("srcgrad.runtime.stop_gradient")
def stop_gradient(value: Any) -> Any:
    """Return a value that is taken for a constant."""
    if isinstance(value, Lane):
        made = Lane(value.pair, value.token, number=value.number, dims=value.dims)
        made.whole = value.whole
        return made
    return value


@handler("srcgrad.runtime.item_shapes")
def item_shapes(items: Any) -> Any:
    """Return the shapes of items."""
    return ("shapes", items)


@handler("srcgrad.runtime.repeated")
def repeated(grad: Any, shapes: Any) -> Any:
    """Return an adjoint for each item."""
    items = shapes[1]
    if isinstance(items, (list, tuple)):
        return [spread(grad, item) for item in items]
    return spread(grad, items)


def _is_empty(value: Any) -> bool:
    return type(value) is tuple and not value
