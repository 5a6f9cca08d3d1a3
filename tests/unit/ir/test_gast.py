"""Our nodes are those of the library gast, but for where they hold their fields."""

import ast
import copy
import pickle
from pathlib import Path

import gast as library
import pytest

from srcgrad.ir import gast
from srcgrad.ir.build import clone, rebuilt
from srcgrad.ir.marks import ADJOINT, IN_PLACE
from srcgrad.ir.walk import is_same, walk

TEXTS = {
    "arguments": "def f(a, /, b: int, *c, d=1, e, **g) -> int: return lambda x, *y, k=2: x",
    "branches": "if a: pass\nelif b:\n    del c\nelse: raise d from e",
    "classes": "class A(B, metaclass=C):\n    x: int = 1\n    y: int",
    "comprehensions": "[a async for a in b if c if d]; {a: b for a in c}; {a for a in b}; (*a,)",
    "handlers": "try: a()\nexcept (B, C) as e: d(e)\nexcept D: pass\nfinally: f()",
    "imports": "import a.b as c, d\nfrom ..e import f as g, h",
    "indices": "a[1:2, ..., ::3] = b[c, None]; a[d] @= e; f'{a!r:>{b}} c'",
    "loops": "for a, (b, *c) in d: continue\nelse: e\nwhile f: break",
    "match": "match a:\n  case [B(1, c=d), *_] | {'e': f, **g} if h: pass\n  case None | x.y: pass",
    "names": "def f():\n  global a\n  def g():\n    nonlocal b\n    yield (c := await d)",
    "of this file": Path(__file__).read_text(encoding="utf-8"),
    "signs": "a = -b + ~c ** (not d) // e < f <= g is not h in i and j or k",
    "with": "with a as b, c: d\nasync def f():\n    async with g: assert h, i",
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in TEXTS.items()])
def test_trees_are_those_of_the_library(text):
    ours, theirs = gast.parse(text), library.parse(text)
    assert gast.dump(ours, include_attributes=True) == library.dump(theirs, include_attributes=True)
    back = [ast.dump(gast.gast_to_ast(tree), include_attributes=True) for tree in (ours, theirs)]
    assert back[0] == back[1]
    assert gast.unparse(ours) == ast.unparse(ast.parse(text))


def test_every_kind_of_the_library_is_here():
    made = [kind for kind in vars(library).values() if "_fields" in getattr(kind, "__dict__", ())]
    kinds = [kind for kind in made if kind.__module__ == library.Name.__module__]
    assert len(kinds) > 100
    for kind in kinds:
        ours = getattr(gast, kind.__name__)
        assert ours is not kind
        assert (ours._fields, ours._attributes, ours.__bases__) == (
            kind._fields,
            kind._attributes,
            kind.__bases__,
        )


def test_nodes_take_fields_by_place_and_by_name_and_the_rest_is_none():
    name = gast.Name("x", ctx=gast.Load(), lineno=3)
    assert (name.id, name.annotation, name.type_comment, name.lineno) == ("x", None, None, 3)
    with pytest.raises(TypeError, match="Constant has 2 fields, not 3"):
        gast.Constant(1, None, 2)


def test_fields_are_not_in_the_dict_of_a_node():
    for node in walk(gast.parse("f(a)[b] = -c")):
        assert not set(node._fields) & set(vars(node))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda tree: pickle.loads(pickle.dumps(tree))])
def test_deep_copies_have_fields_places_and_marks(copied):
    tree = gast.parse("y = f(x)").body[0]
    IN_PLACE.put(tree, True)
    again = copied(tree)
    assert is_same(tree, again)
    assert again.value is not tree.value
    assert (again.lineno, IN_PLACE.of(again)) == (1, True)


def test_a_copy_shares_what_is_inside():
    tree = gast.parse("y = f(x)").body[0]
    again = copy.copy(tree)
    again.value = gast.Constant(1, None)
    assert gast.unparse(tree) == "y = f(x)"
    assert again.targets is tree.targets


@pytest.mark.parametrize("text", ["a.b(c, *d, e=f)[1:, g]", "{**a, 'b': lambda x, *y: x}", "a + b"])
def test_clones_are_the_same_and_keep_the_marks_that_are_copied(text):
    tree = gast.parse(text, mode="eval").body
    nodes = [node for node in walk(tree) if node._attributes]
    for node in nodes:
        ADJOINT.put(node, "grad_a")
        IN_PLACE.put(node, True)
    again, twin = clone(tree), rebuilt(tree, clone)
    assert is_same(again, tree)
    assert is_same(twin, tree)
    marks = [(ADJOINT.of(node), IN_PLACE.of(node)) for node in (again, twin)]
    assert marks == [("grad_a", False), ("grad_a", True)]
    assert not {*walk(again)} & {*nodes}


def test_nodes_of_pythons_own_are_cloned_too():
    tree = ast.parse("a.b(c, *d, e=-f)[1:, g] + h").body[0]
    assert ast.dump(clone(tree), include_attributes=True) == ast.dump(tree, include_attributes=True)
    assert ast.unparse(rebuilt(tree, clone)) == ast.unparse(tree)
