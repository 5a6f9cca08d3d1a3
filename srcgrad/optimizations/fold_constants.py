"""Does the arithmetic of literals, and leaves out products with one."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

from srcgrad.analyses.text_calls import called, makes_new
from srcgrad.ir import gast
from srcgrad.ir.build import constant, name_adjoint
from srcgrad.ir.marks import ADJOINT
from srcgrad.ir.walk import blocks_of, names_read, root_name
from srcgrad.optimizations.factors import factors_of, into_quotients, is_same_product, product_of
from srcgrad.optimizations.kept_axes import without_kept_axes
from srcgrad.optimizations.literals import arithmetic, exact, number_of
from srcgrad.optimizations.selected_once import selected_inside, selected_once

_EXACT: Final = 2**20
_SHORT: Final = 6
_UNWRITTEN: Final = frozenset({gast.Name, gast.BinOp})  # which are no numbers that are written
_SCALING: Final = (gast.Mult, gast.Div, gast.MatMult)
_LEAVES: Final = frozenset({gast.Name, gast.Constant})
_NAMES: Final = {gast.Name}
_FIELDS: Final = ("operand", "args", "values", "elts")
_ARITHMETIC: Final = (gast.BinOp, gast.UnaryOp)


class ConstantFolding:
    """Folds the statements of one body.

    `is_float(name)` says which names surely hold floating-point numbers: a product with 1.0 turns
    integers into those, and is left out only where that is no matter. It makes a new array of an
    array, which a number can do without: `is_number(name)` says which names surely hold one, and
    `is_matrix(name)` which hold arrays of two axes.
    What is not computed for a name that `is_adjoint` keeps more of the user's way of writing it.

    >>> from srcgrad.codegen.printer import to_source
    >>> def fold(text):
    ...     return to_source(ConstantFolding(lambda name: name != "k").run(gast.parse(text).body))
    >>> fold("a = 4 * x ** (4 - 1) * (g * 3)")
    'a = 12 * x**3 * g'
    >>> fold("a = 2 * y * 1.0"), fold("a += -b"), fold("a = a + -(b * c)")
    ('a = 2 * y', 'a -= b', 'a = a - b * c')
    >>> fold("a += -b @ c"), fold("a = -(-b * c)")
    ('a -= b @ c', 'a = b * c')
    >>> fold("a = 2 * k * 1.0"), fold("a = 0.5 * 1.0 / k")
    ('a = 2.0 * k', 'a = 0.5 / k')
    >>> fold("a += 1.0 * k"), fold("a = 1.0 * k"), fold("a -= 1.0 * k * 1.0")
    ('a += k', 'a = 1.0 * k', 'a -= k')
    >>> fold("a = 1.0 * x / y"), fold("a = 1.0 * k / y")
    ('a = x / y', 'a = k / y')
    >>> fold("a = 2 * x * (y * 2.5)"), fold("a = 2 * x * 0.5 * y"), fold("a = 3 * x * 0.1")
    ('a = 5.0 * x * y', 'a = x * y', 'a = 3 * x * 0.1')
    >>> fold("a = 2 * y * (1.0 / np.size(y))"), fold("a = g * (1.0 / np.size(y))")
    ('a = 2 / np.size(y) * y', 'a = 1.0 / np.size(y) * g')
    >>> fold("a = copied(x) * y"), fold("a = np.roll(x, negated(-1))")
    ('a = x * y', 'a = np.roll(x, 1)')
    >>> fold("a = np.cos(copied(x))"), fold("a = copied(copied(x))"), fold("a = f(copied(x))")
    ('a = np.cos(x)', 'a = copied(x)', 'a = f(copied(x))')
    >>> fold("a = b @ c.T.T")
    'a = b @ c'
    >>> fold("a = 1.0 * x"), fold("a += 1.0 * x"), fold("a = -1.0 * x / y"), fold("a = 2.0 * 0.5")
    ('a = 1.0 * x', 'a += x', 'a = -x / y', 'a = 1.0')
    >>> floats, numbers = {"x"}.__contains__, {"x"}.__contains__
    >>> to_source(ConstantFolding(floats, numbers).run(gast.parse("a = 1.0 * x").body))
    'a = x'
    >>> fold("a = 2 * x * 0.5"), fold("a = 0.5 * x + x * 0.5"), fold("a = 1.0 * (1 - k) / y")
    ('a = 1.0 * x', 'a = 1.0 * x', 'a = (1 - k) / y')
    >>> fold("a = g[i] * x[i] + x[i] * g[i]"), fold("a = g[i] * x[0] + x[i] * g[i]")
    ('a = 2 * g[i] * x[i]', 'a = g[i] * x[0] + x[i] * g[i]')
    >>> fold("a = x**1"), fold("a = -(-x)"), fold("a = -(-x) * y**1")
    ('a = x**1', 'a = --x', 'a = x * y')
    >>> fold("a = np.where(t, 0.0, x) + np.where(t, y, 0.0)"), fold("a = np.outer(x, y) * 0.5")
    ('a = np.where(t, y, x)', 'a = np.outer(x * 0.5, y)')
    """

    def __init__(
        self,
        is_float: Callable[[str], bool],
        is_number: Callable[[str], bool] = lambda _: False,
        is_adjoint: Callable[[str], bool] = lambda _: True,
        is_matrix: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._is_float = is_float
        self._is_adjoint = is_adjoint
        self._is_number = is_number
        self._is_matrix = is_matrix
        self._of_adjoint = False
        self.changed = False  # if it has found something to do
        self.unsettled: set[int] = set()  # the statements in which it has, by identity

    def run(self, body: list[Any]) -> list[Any]:
        """Return `body` with its arithmetic made short."""
        self.unsettled = set()
        self._block(body, None)
        return body

    def settle(self, body: list[Any]) -> list[Any]:
        """Return `body`, which nobody has touched since, with what changed last made shorter."""
        last, self.unsettled = self.unsettled, set()
        if last:
            self._block(body, last)
        return body

    def _block(self, body: list[Any], wanted: set[int] | None) -> None:
        """Go through the statements that are wanted, or all of them."""
        for statement in body:
            for part in blocks_of(statement):
                self._block(part, wanted)
            if wanted is not None and id(statement) not in wanted:
                continue
            self.changed = False
            computes = isinstance(statement, (gast.Assign, gast.AugAssign, gast.Return, gast.Expr))
            if computes and statement.value is not None:
                self._of_adjoint = self._computes_adjoint(statement)
                added = isinstance(statement, gast.AugAssign)
                statement.value = self._fold(statement.value, inner=added)
                if self._of_adjoint and _adds_one_times(statement):
                    statement.value = statement.value.right  # a sum with floats is one of floats
            if isinstance(statement, gast.AugAssign) and _subtract(statement):
                self.changed = True
            if self.changed:
                self.unsettled.add(id(statement))

    def _computes_adjoint(self, statement: Any) -> bool:
        """Say whether it is ours: what the user computes stays as it is written."""
        if isinstance(statement, gast.Return):
            return True
        targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
        return self._is_adjoint(root_name(targets[0]) or "")

    def _fold(self, node: Any, *, inner: bool = False) -> Any:
        if node.__class__ in _LEAVES:
            return node
        folded = self._folded(node, inner=inner)
        if folded is not node:
            self.changed = True
            name_adjoint(folded, ADJOINT.of(node))
        return folded

    def _folded(self, node: Any, *, inner: bool = False) -> Any:
        """Return an expression folded; what is `inner` to another is read, and need not be new."""
        if node.__class__ is gast.BinOp:
            if node.left.__class__ not in _LEAVES:  # as many are
                node.left = self._uncopied(self._fold(node.left, inner=True))
            if node.right.__class__ not in _LEAVES:
                node.right = self._uncopied(self._fold(node.right, inner=True))
            return self._binary(node, inner=inner)
        for field in ("args",) if node.__class__ is gast.Call else _FIELDS:
            part = getattr(node, field, None)
            if isinstance(part, list):
                if not _LEAVES.issuperset(map(type, part)):
                    setattr(node, field, [self._fold(item) for item in part])
            elif part is not None and isinstance(node, gast.UnaryOp):
                node.operand = self._fold(part, inner=True)
                if isinstance(node.op, gast.USub) and _leads_negative(node.operand):
                    turned = _turned(node.operand)
                    return turned if inner or self._is_own(turned) else node
        if self._of_adjoint and isinstance(node, gast.Call):
            return self._of_call(node)
        if self._of_adjoint and isinstance(node, gast.Subscript):
            node.value = self._fold(node.value)
            short = without_kept_axes(node.value, node.slice)
            return node if short is None else short
        if _is_transpose(node) and _is_transpose(node.value):
            return node.value.value
        return _negative(node)

    def _of_call(self, node: Any) -> Any:
        """Return a call whose arguments are folded as it is written for an adjoint."""
        if (turned := self._turned_product(node)) is not None:
            return turned
        if makes_new(node) or getattr(node.func, "id", "") == "copied":
            node.args = list(map(self._uncopied, node.args))
        self._ask_for_less(node)
        if getattr(node.func, "attr", "") == "sum":  # a method, whose operand is read alone
            node.func.value = self._fold(node.func.value, inner=True)
        made = _as_made(selected_inside(node))
        return _of_operand(node) if made is node else made

    def _binary(self, node: Any, *, inner: bool) -> Any:
        left = None if node.left.__class__ in _UNWRITTEN else number_of(node.left)
        right = None if node.right.__class__ in _UNWRITTEN else number_of(node.right)
        if left is not None and right is not None and (made := self._literal(node, left, right)):
            return made
        kind = node.op.__class__
        if kind is gast.Add:
            return self._sum(node, inner=inner)
        if kind is gast.Div and _is_one_times(node.left):
            return gast.BinOp(node.left.right, gast.Div(), node.right)
        if self._of_adjoint and self._is_outer_scaled(node):  # the smaller one is scaled
            node.left.args[0] = gast.BinOp(node.left.args[0], node.op, node.right)
            return node.left
        if kind is gast.Mult:
            if self._of_adjoint and left is not None and _leads_negative(node.right):
                turned = gast.BinOp(constant(-left), node.op, _turned(node.right))
                return self._binary(turned, inner=inner)
            return self._product(node, inner=inner)
        if kind is gast.Pow and right == 1:
            return node.left if inner or self._is_own(node.left) else node
        return node

    def _sum(self, node: Any, *, inner: bool) -> Any:
        if _leads_negative(node.right):
            return gast.BinOp(node.left, gast.Sub(), _turned(node.right))
        if self._of_adjoint and _leads_negative(node.left):
            return gast.BinOp(node.right, gast.Sub(), _turned(node.left))
        if self._of_adjoint and (both := selected_once(node.left, node.right)) is not None:
            return both
        if is_same_product(node.left, node.right, with_lookups=self._of_adjoint):
            once = factors_of(node.left) if self._of_adjoint else [node.left]
            return self._product(product_of([constant(2), *once]), inner=inner)
        return node

    def _is_outer_scaled(self, node: Any) -> bool:
        """Say whether an expression is an outer product times a number, or over one."""
        if not isinstance(node.op, (gast.Mult, gast.Div)) or not _is_outer(node.left):
            return False
        return number_of(node.right) is not None or self._is_number(getattr(node.right, "id", ""))

    def _turned_product(self, node: Any) -> Any:
        """Return the transpose of a product of matrices as the product of theirs, or None.

        >>> from srcgrad.codegen.printer import to_source
        >>> folding = ConstantFolding(lambda _: True, is_matrix={"a", "b"}.__contains__)
        >>> texts = ["np.transpose(a.T @ b)", "np.transpose(a @ c)", "np.transpose(a @ b.T)"]
        >>> texts += ["np.transpose(np.outer(u, v))"]
        >>> found = [folding._turned_product(gast.parse(t, mode="eval").body) for t in texts]
        >>> [item and to_source(item) for item in found]
        ['b.T @ a', None, 'b @ a.T', 'np.outer(v, u)']
        """
        plain = getattr(node.func, "attr", "") == "transpose" and len(node.args) == 1
        product: Any = node.args[0] if plain and not node.keywords else None
        if _is_outer(product):
            product.args.reverse()
            return product
        if not isinstance(product, gast.BinOp) or not isinstance(product.op, gast.MatMult):
            return None
        sides = [
            item.value if _is_transpose(item) else item for item in (product.left, product.right)
        ]
        if getattr(node.func.value, "id", "") != "np":
            return None
        if not all(isinstance(item, gast.Name) and self._is_matrix(item.id) for item in sides):
            return None
        if not any(map(_is_transpose, (product.left, product.right))):
            return None  # it would be no shorter
        return gast.BinOp(_transposed(product.right), product.op, _transposed(product.left))

    def _literal(self, node: Any, left: float, right: float) -> Any:
        """Return the literal that an operation on two is, or None."""
        if isinstance(left, int) and isinstance(right, int):
            return arithmetic(node, left, right)
        adds = isinstance(node.op, (gast.Add, gast.Sub))
        return exact(node, left, right) if self._of_adjoint and adds else None

    def _uncopied(self, node: Any) -> Any:
        """Return an operand of what makes a new array itself, without a copy of it."""
        if node.__class__ is not gast.Call or getattr(node.func, "id", "") != "copied":
            return node
        self.changed = True
        return node.args[0]

    def _ask_for_less(self, node: Any) -> None:
        """Let a call that asks for the size of something ask for that of its operand.

        >>> from srcgrad.codegen.printer import to_source
        >>> size = gast.parse("np.size(y**2)").body[0].value
        >>> ConstantFolding(lambda name: True)._ask_for_less(size)
        >>> to_source(size)
        'np.size(y)'
        """
        func = node.func
        asks = isinstance(func, gast.Attribute) and func.attr in ("size", "shape")
        if asks and len(node.args) == 1 and getattr(func.value, "id", "") == "np":
            while _keeps_size(node.args[0]):
                self.changed = True
                node.args[0] = node.args[0].left

    def _product(self, node: Any, *, inner: bool) -> Any:
        """Gather the small whole factors of a product in front; one is left out."""
        whole: list[float] = []
        others: list[Any] = []
        shares: list[Any] = []
        found = factors_of(node)
        if not _has_numbers(found):
            return node  # as of most
        joins = self._of_adjoint and not any(map(_is_share, found))
        factors = into_quotients(found) if joins else found
        if len(factors) < len(found):
            return product_of([self._fold(factors[0], inner=True), *factors[1:]])
        numbers = list(map(number_of, found))
        if len(numbers) - numbers.count(None) > 1:
            factors = _joined(found)
            numbers = list(map(number_of, factors))
        for factor, number in zip(factors, numbers, strict=True):
            if _is_share(factor):
                shares.append(factor)
            elif number is not None and abs(number) < _EXACT and number == int(number):
                whole.append(number)
            else:
                others.append(factor)
        if shares:
            return _shared_out(whole, shares, others)
        if len(whole) < 2 and not {1, -1}.intersection(whole):
            return node if len(factors) == len(found) else product_of(factors)
        if not others:
            return constant(math.prod(whole))
        if self._are_floats(others):
            return self._scaled(node, whole, others, inner=inner)
        if len(whole) < 2 or not self._of_adjoint or set(map(type, whole)) == {int}:
            return node
        return product_of([constant(float(math.prod(whole))), *others])

    def _are_floats(self, factors: list[Any]) -> bool:
        """Say whether any of some factors surely is a floating-point number."""
        names = [name for item in factors for name in names_read(item)]
        literal = any(isinstance(number_of(item), float) for item in factors)
        return literal or any(map(self._is_float, names))

    def _scaled(self, node: Any, whole: list[float], others: list[Any], *, inner: bool) -> Any:
        """Return a product of floats with the product of whole factors in front."""
        total = int(math.prod(whole))
        alone = len(others) == 1 and not self._is_own(others[0])
        if total == 1 and alone and not inner:
            is_short = len(factors_of(node)) == 2
            return node if is_short else product_of([constant(1.0), *others])
        chain = others if abs(total) == 1 else [constant(total), *others]
        if total == -1:
            chain[0] = gast.UnaryOp(gast.USub(), chain[0])
        return product_of(chain)

    def _is_own(self, node: Any) -> bool:
        """Say whether an expression surely is a number, or an array that nobody else has.

        What the user computes is no other object, be it a number: ``z is x`` asks for that. Nor is
        it an array without axes in the place of a number, since ``y += 1`` writes into that.
        """
        if not self._of_adjoint:
            return is_fresh(node) and called(node).gives in ("", "number")
        return is_fresh(node) or (isinstance(node, gast.Name) and self._is_number(node.id))


def _as_made(node: Any) -> Any:
    """Return what arithmetic has just made as it is, without a copy of it.

    >>> from srcgrad.codegen.printer import to_source
    >>> texts = ["copied(-a)", "copied(a)", "copied(a * b)"]
    >>> [to_source(_as_made(gast.parse(text, mode="eval").body)) for text in texts]
    ['-a', 'copied(a)', 'a * b']
    """
    copies = getattr(node.func, "id", "") == "copied"
    return node.args[0] if copies and isinstance(node.args[0], _ARITHMETIC) else node


def _of_operand(node: Any) -> Any:
    """Take the sign of a sum of entries out of it.

    >>> from srcgrad.codegen.printer import to_source
    >>> texts = ["(-a * b).sum(axis=0)", "np.sum(-a)", "np.sin(-a)"]
    >>> [to_source(_of_operand(gast.parse(text, mode="eval").body)) for text in texts]
    ['-(a * b).sum(axis=0)', '-np.sum(a)', 'np.sin(-a)']
    """
    func = node.func
    if not isinstance(func, gast.Attribute):
        return _negative(node)
    ours = getattr(func.value, "id", "") == "np"
    if func.attr == "sum":
        operand = (node.args or [None])[0] if ours else func.value
        if not _leads_negative(operand):
            return node
        turned = _turned(operand)
        if ours:
            node.args[0] = turned
        else:
            func.value = turned
        return gast.UnaryOp(gast.USub(), node)
    return node


def _keeps_size(node: Any) -> bool:
    """Say whether an expression is as large as its left side, which a number may be taken from."""
    if not isinstance(node, gast.BinOp):
        return False
    number = number_of(node.right)
    repeats = isinstance(node.op, gast.Mult) and not isinstance(number, float)  # a list, perhaps
    return number is not None and not repeats


def _adds_one_times(statement: Any) -> bool:
    """Say whether a statement adds ``1.0 * k`` to something."""
    adds = isinstance(statement, gast.AugAssign) and isinstance(statement.op, (gast.Add, gast.Sub))
    return adds and _is_one_times(statement.value)


def _is_one_times(node: Any) -> bool:
    """Say whether a dividend is ``1.0 * k``: a quotient is no integer anyway."""
    product = isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mult)
    return bool(product and getattr(node.left, "value", None) == 1.0)


def _joined(factors: list[Any]) -> list[Any]:
    """Return the factors of a product with its literals in one, if that is exact and short."""
    values = [number for item in factors if (number := number_of(item)) is not None]
    product = math.prod(values)
    finite = _finite([*values, product])
    exact = math.prod(map(Fraction, values)) == Fraction(product) if finite else False
    parts = any(value != int(value) for value in values) if exact else False
    if not parts or not exact or len(repr(abs(product))) > _SHORT:
        return factors
    others = [item for item in factors if number_of(item) is None]
    literal = constant(abs(product))
    return [gast.UnaryOp(gast.USub(), literal) if product < 0 else literal, *others]


def _finite(values: list[int | float]) -> bool:
    return all(map(math.isfinite, values))


def _has_numbers(factors: list[Any]) -> bool:
    """Say whether there are literals among some factors, or shares of means."""
    if set(map(type, factors)) == _NAMES:
        return False
    return any(_is_share(item) or number_of(item) is not None for item in factors)


def _is_share(node: Any) -> bool:
    """Say whether an expression is ``1.0 / np.size(x)``, the share of one entry in a mean."""
    quotient = node.__class__ is gast.BinOp and node.op.__class__ is gast.Div
    if not quotient or getattr(node.left, "value", None) != 1.0:
        return False
    func: Any = getattr(node.right, "func", None)
    is_size = isinstance(func, gast.Attribute) and func.attr == "size"
    return is_size and getattr(func.value, "id", "") == "np"


def _shared_out(whole: list[float], shares: list[Any], others: list[Any]) -> Any:
    """Return a product with its numbers in front: ``2 / np.size(x) * y``."""
    first = shares[0]
    lead = constant(int(math.prod(whole))) if whole else first.left
    return product_of([gast.BinOp(lead, gast.Div(), first.right), *shares[1:], *others])


def _is_outer(node: Any) -> bool:
    """Say whether an expression is an outer product of two."""
    plain = isinstance(node, gast.Call) and len(node.args) == 2 and not node.keywords
    return plain and called(node).name == "numpy.outer"


def _is_transpose(node: Any) -> bool:
    return isinstance(node, gast.Attribute) and node.attr == "T"


def _transposed(node: Any) -> Any:
    return node.value if _is_transpose(node) else gast.Attribute(node, "T", gast.Load())


def _negative(node: Any) -> Any:
    """Return ``negated(-1)`` as the literal that it is."""
    literal = getattr(getattr(node, "func", None), "id", "") == "negated"
    number = number_of(node.args[0]) if literal else None
    if number is None:
        return node
    return constant(-number) if number < 0 else gast.UnaryOp(gast.USub(), node.args[0])


def _subtract(statement: Any) -> bool:
    """Write ``a -= b`` for ``a += -b``; say whether there was something to write."""
    value = statement.value
    other = {gast.Add: gast.Sub, gast.Sub: gast.Add}.get(type(statement.op))
    if other is not None and _leads_negative(value):
        statement.op, statement.value = other(), _turned(value)
        return True
    return False


def is_fresh(node: Any) -> bool:
    """Say whether an expression surely is a number or an array of its own, not another's."""
    return isinstance(node, (gast.BinOp, gast.UnaryOp, gast.Constant)) or makes_new(node)


def _leads_negative(node: Any) -> bool:
    """Say whether a product or quotient begins with a minus, as ``-a * b / c`` does."""
    while node.__class__ is gast.BinOp and isinstance(node.op, _SCALING):
        node = node.left
    return _is_negative(node)


def _turned(node: Any) -> Any:
    """Return a product or quotient without the minus that it begins with."""
    if _is_negative(node):
        return node.operand
    return gast.BinOp(_turned(node.left), node.op, node.right)


def _is_negative(node: Any) -> bool:
    return node.__class__ is gast.UnaryOp and node.op.__class__ is gast.USub
