"""What backward, grad and hooks do with rare arguments: edges, stacks of vectors, old names."""

import copy

import numpy as np
import pytest

from srcgrad import autograd, tape
from srcgrad.autograd import Function, graph
from srcgrad.tape.edges import GradientEdge
from srcgrad.tape.node import LEAF_HOOKS
from tests.differences import assert_same

VECTORS = np.array([[1.0, 0.0, 2.0], [0.5, -1.0, 1.0], [0.0, 3.0, 0.25]])


def leaf(*data, dtype=float):
    return tape.tensor(np.array(data, dtype=dtype), requires_grad=True)


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x, None)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        x, nothing = ctx.saved_tensors
        assert nothing is None
        return 3 * grad * x * x


# -- where a pass starts and ends ------------------------------------------------------------------


def test_an_edge_among_inputs_of_backward_gets_what_arrives_there():
    x = leaf(2.0, 3.0)
    y = x * x
    edges = [graph.get_gradient_edge(y), graph.get_gradient_edge(x)]
    y.sum().backward(inputs=edges)
    assert x.grad.tolist() == [4.0, 6.0]


def test_an_edge_made_by_hand_knows_the_shape_of_a_leaf_alone():
    x = leaf(2.0)
    y = x * 3.0
    accumulator = y.grad_fn.next_functions[0][0]
    (found,) = autograd.grad(GradientEdge(accumulator, 0), x)
    assert found.tolist() == [1.0]
    with pytest.raises(RuntimeError, match="does not know the shape"):
        autograd.grad(GradientEdge(y.grad_fn, 0), x)


def test_what_is_no_tensor_is_refused_where_a_pass_starts():
    x = leaf(2.0)
    with pytest.raises(TypeError, match="GradientEdge"):
        autograd.grad([3.0], x)
    with pytest.raises(RuntimeError, match="got 1 tensors and 2 gradients"):
        autograd.backward(x * 2.0, [np.ones(1), np.ones(1)])


def test_seeds_may_be_arrays_but_not_of_complex_numbers():
    x = leaf(2.0, 3.0)
    (found,) = autograd.grad(x * x, x, np.array([1.0, 10.0]))
    assert found.tolist() == [4.0, 60.0]
    with pytest.raises(RuntimeError, match="same dtype"):
        autograd.grad(x * x, x, np.array([1.0, 1j]))


def test_gradients_to_materialize_need_a_tensor():
    x, unused = leaf(2.0), leaf(1.0, 1.0)
    y = unused * 2.0
    found = autograd.grad(x * x, (x, unused), materialize_grads=True)
    assert [part.tolist() for part in found] == [[4.0], [0.0, 0.0]]
    with pytest.raises(RuntimeError, match="GradientEdge"):
        autograd.grad(x * x, (x, graph.get_gradient_edge(y)), materialize_grads=True)


@pytest.mark.parametrize("create", [False, True])
def test_a_leaf_without_its_hooks_alone_gets_nothing_through_none(create):
    x = leaf(2.0)

    class Nothing(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1.0

        @staticmethod
        def backward(ctx, grad):
            return None

    (found,) = autograd.grad(Nothing.apply(x) + 0.0, x, create_graph=create, allow_unused=True)
    assert found is None
    Nothing.apply(x).backward()
    assert x.grad is None


# -- vectors at once, and one after the other ------------------------------------------------------


@pytest.mark.parametrize("create", [False, True])
@pytest.mark.parametrize("hooked", [False, True])
@pytest.mark.parametrize("given", [np.asarray, tape.tensor, lambda v: (np.asarray(v),)])
def test_a_batch_of_vectors_gives_the_rows_of_the_product(create, hooked, given):
    x, unused = leaf(0.5, 1.5, 2.5), leaf(1.0)
    y = np.exp(x) * x
    if hooked:  # hooks see one gradient at a time
        x.register_hook(lambda grad: 2.0 * grad)
    found, nothing = autograd.grad(
        y,
        (x, unused),
        given(VECTORS),
        is_grads_batched=True,
        create_graph=create,
        allow_unused=True,
    )
    slope = np.exp(x.detach().numpy()) * (1.0 + x.detach().numpy())
    assert_same(found.detach().numpy(), VECTORS * slope * (1.0 + hooked))
    assert nothing is None
    assert found.requires_grad is create
    if not create:  # the last vector has freed what was saved
        with pytest.raises(RuntimeError, match="second time"):
            autograd.grad(y, x, np.ones(3))


def test_a_batch_may_leave_an_output_without_vectors():
    x = leaf(0.5, 1.5, 2.5)
    pair = x * x, x.sum()
    for create in (False, True):
        (found,) = autograd.grad(
            pair, x, (VECTORS, None), is_grads_batched=True, create_graph=create, retain_graph=True
        )
        assert_same(found.detach().numpy(), 2.0 * VECTORS * x.detach().numpy())
    with pytest.raises(RuntimeError, match="got 2 tensors and 1 gradients"):
        autograd.grad(pair, x, VECTORS, is_grads_batched=True)
    with pytest.raises(RuntimeError, match="not have been used"):
        autograd.grad(pair[0], (x, leaf(1.0)), VECTORS, is_grads_batched=True)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.modf(x)[1],
        lambda x: np.divmod(x, 2.0)[0],
        lambda x: np.atleast_1d(x, x * x)[1],
        lambda x: np.linalg.matrix_power(np.outer(x, x), 0)[0],
        lambda x: np.broadcast_arrays(x, x * (1.0 + 2.0j))[1].real,
    ],
)
def test_a_batch_of_vectors_meets_gradients_that_are_zero(call):
    x, w = leaf(0.5, 1.5, 2.5), leaf(1.0, 1.0, 1.0)
    (found,) = autograd.grad(call(x * w), x, VECTORS, is_grads_batched=True, retain_graph=True)
    rows = [autograd.grad(call(x * w), x, row)[0].numpy() for row in VECTORS]
    assert found.dtype == float
    assert_same(found.numpy(), np.stack(rows))


# -- hooks -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("create", [False, True])
@pytest.mark.filterwarnings("ignore:Using backward:UserWarning")
def test_hooks_of_a_leafs_node_run_before_and_after_it_accumulates(create):
    x = leaf(2.0, 3.0)
    node = (x * 1.0).grad_fn.next_functions[0][0]
    seen = []
    node.register_prehook(lambda grads: (10.0 * grads[0],))
    node.register_hook(lambda parts, grads: seen.append((parts, grads[0].tolist(), x.grad)))
    (x * x).sum().backward(create_graph=create)
    assert x.grad.tolist() == [40.0, 60.0]
    ((parts, grads, held),) = seen
    assert parts == ()
    assert grads == [40.0, 60.0]
    assert held is x.grad


def test_a_leaf_with_hooks_runs_as_soon_as_all_of_its_gradient_is_there(monkeypatch):
    monkeypatch.setattr(LEAF_HOOKS, "used", False)
    x, w = leaf(2.0), leaf(3.0)
    inner = np.exp(w)
    y = inner * x
    seen = []
    y.grad_fn.next_functions[1][0].register_hook(lambda *given: seen.append("leaf"))
    inner.grad_fn.register_hook(lambda *given: seen.append("inner"))
    y.backward()
    assert seen == ["leaf", "inner"]


@pytest.mark.parametrize("create", [False, True])
def test_hooks_of_a_node_may_return_one_value_and_none(create):
    x, w = leaf(2.0, 3.0), leaf(5.0, 7.0)
    y = x * w
    y.grad_fn.register_prehook(lambda grads: 2.0 * grads[0])
    y.grad_fn.register_hook(lambda parts, grads: (None, parts[1] + 1.0))
    found = autograd.grad(y.sum(), (x, w), allow_unused=True, create_graph=create)
    assert found[0] is None
    assert found[1].tolist() == [5.0, 7.0]
    z = np.exp(x)
    z.grad_fn.register_hook(lambda parts, grads: tape.tensor([1.0, 4.0]))
    assert autograd.grad(z.sum(), x)[0].tolist() == [1.0, 4.0]


def test_hooks_that_return_too_much_are_refused():
    x = leaf(2.0, 3.0)
    for register in ("register_prehook", "register_hook"):
        y = np.exp(x)
        getattr(y.grad_fn, register)(lambda *given: (None, None))
        with pytest.raises(RuntimeError, match="incorrect number of values"):
            y.sum().backward()


def test_a_hook_may_return_an_array_of_the_same_shape():
    x = leaf(2.0, 3.0)
    y = x * 1.0
    y.register_hook(lambda grad: np.array([5.0, 6.0]))
    assert autograd.grad(y.sum(), x)[0].tolist() == [5.0, 6.0]
    y = x * 1.0
    y.register_hook(lambda grad: 5.0)
    with pytest.raises(TypeError, match="expected a Tensor"):
        autograd.grad(y.sum(), x)
    y = x * 1.0
    y.register_hook(lambda grad: tape.tensor([5.0]))
    with pytest.raises(RuntimeError, match="changed the size"):
        autograd.grad(y.sum(), x)


def test_handles_of_several_hooks_remove_them_at_the_end_of_a_block():
    x = leaf(2.0)
    y, z = x * 2.0, x * 3.0
    with graph.register_multi_grad_hook((y, z), seen := [].append) as handle:
        assert handle is not None
    del seen
    assert not any(t.grad_fn._hooks and t.grad_fn._hooks.tensor.get(0) for t in (y, z))


def test_hooks_on_one_of_several_outputs_wait_for_its_gradient():
    x = leaf(1.0, 2.0, 3.0, 4.0)
    one, other = np.split(x * x, 2)
    seen = []
    one.register_hook(lambda grad: seen.append("one"))
    other.register_hook(lambda grad: seen.append("other"))
    third, _ = np.split(x * 2.0, 2)
    for part in (one, other, third):
        part.retain_grad()
    gone = third.grad_fn
    del third  # its node has nobody to keep a gradient for
    (found,) = autograd.grad(other.sum(), x, retain_graph=True)
    assert found.tolist() == [0.0, 0.0, 6.0, 8.0]
    assert seen == ["other"]
    assert one.grad is None
    assert other.grad.tolist() == [1.0, 1.0]
    again = autograd.grad(graph.GradientEdge(gone, 0, ((2,), np.dtype(float))), x, np.ones(2))
    assert again[0].tolist() == [2.0, 2.0, 0.0, 0.0]


# -- nodes and leaves ------------------------------------------------------------------------------


def test_nodes_are_numbered_in_the_order_of_calls_and_say_their_names():
    x = leaf(2.0)
    y = x * 2.0
    z = y + 1.0
    assert 0 < y.grad_fn._sequence_nr() < z.grad_fn._sequence_nr()
    assert repr(z.grad_fn).startswith(f"<{z.grad_fn.name()} object at 0x")


def test_gradients_of_leaves_with_gaps_are_dense_and_right():
    base = np.arange(12.0).reshape(3, 4)
    for data in (base[:, ::2], base.T, base[::-1].T, base.transpose()[1:]):
        x = tape.from_numpy(data).requires_grad_()
        (x * x).sum().backward()
        assert_same(x.grad.numpy(), 2.0 * data)
        assert x.grad.numpy().size * 8 == x.grad.numpy().nbytes
        keeps = data.flags.f_contiguous and not data.flags.c_contiguous
        assert x.grad.numpy().flags.f_contiguous is keeps


def test_a_gradient_of_another_shape_or_with_a_history_is_not_added_to_in_place():
    x = leaf(2.0, 3.0)
    x.grad = held = tape.tensor([1.0, 1.0]).requires_grad_() * 2.0
    (x * x).sum().backward()
    assert x.grad.tolist() == [6.0, 8.0]
    assert held.tolist() == [2.0, 2.0]
    assert not x.grad.requires_grad  # it is no function of what `held` was made of
    x.grad = None
    x.data = tape.tensor([2.0])
    x.grad = tape.tensor([1.0])
    x.data = tape.tensor([2.0, 3.0])
    (x * x).sum().backward()
    assert x.grad.tolist() == [5.0, 7.0]
    assert not x.grad.requires_grad


def test_leaves_are_copied_once():
    x = leaf(2.0, 3.0)
    x.grad = tape.tensor([1.0, 4.0])
    one, other = copy.deepcopy([x, x])
    assert one is other
    assert one is not x
    assert one.requires_grad
    assert one.grad.tolist() == [1.0, 4.0]
    assert one.grad is not x.grad


# -- a user's function -----------------------------------------------------------------------------


def test_a_users_function_may_save_nothing_in_the_place_of_a_tensor():
    x = leaf(2.0, 3.0)
    assert autograd.grad(Cube.apply(x).sum(), x)[0].tolist() == [12.0, 27.0]


def test_saved_tensors_may_be_let_go_of_at_once():
    class Once(Cube):
        clear_saved_tensors_on_access = True

    x = leaf(2.0)
    y = Once.apply(x)
    assert autograd.grad(y, x, retain_graph=True)[0].tolist() == [12.0]
    with pytest.raises(RuntimeError, match="second time"):
        autograd.grad(y, x)


def test_arguments_by_name_come_in_the_order_of_forward():
    class Scaled(Function):
        @staticmethod
        def forward(ctx, x, factor=2.0, power=1):
            ctx.factor, ctx.power = factor, power
            ctx.save_for_backward(x)
            return factor * x**power

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * ctx.factor * ctx.power * x ** (ctx.power - 1), None, None

    x = leaf(2.0, 3.0)
    y = Scaled.apply(x, power=3, factor=5.0)
    assert y.tolist() == [40.0, 135.0]
    assert autograd.grad(y.sum(), x)[0].tolist() == [60.0, 135.0]


def test_what_is_saved_for_forward_has_to_be_tensors():
    class Kept(Function):
        @staticmethod
        def forward(ctx, x, what):
            ctx.save_for_forward(x, what)
            return x * 1.0

    assert Kept.apply(leaf(1.0), None).tolist() == [1.0]
    with pytest.raises(TypeError, match="save non-tensors"):
        Kept.apply(leaf(1.0), "text")


def test_a_profile_names_a_users_function_once():
    class Plain(Function):  # which calls nothing that is counted
        @staticmethod
        def forward(ctx, x):
            return tape.tensor(x.detach().numpy() * 2.0)

    x = leaf(2.0, 3.0)
    for function, counted in ((Cube, 0), (Plain, 16)):
        with autograd.profiler.profile(profile_memory=True) as made:
            function.apply(x)
        (event,) = [e for e in made.function_events if e.name == function.__name__]
        assert event.self_cpu_memory_usage == counted


def test_a_gradient_of_more_axes_than_its_input_sums_and_of_fewer_is_refused():
    class Returns(Function):
        @staticmethod
        def forward(ctx, x, grad):
            ctx.grad = grad
            return x * 1.0

        @staticmethod
        def backward(ctx, grad):
            return ctx.grad, None

    x = leaf(2.0, 3.0)
    assert autograd.grad(Returns.apply(x, np.ones((4, 2))).sum(), x)[0].tolist() == [4.0, 4.0]
    for wrong in (np.array(1.0), np.ones(3)):
        with pytest.raises(RuntimeError, match="invalid gradient at index 0"):
            autograd.grad(Returns.apply(x, wrong).sum(), x)
    table = tape.tensor(np.ones((2, 3)), requires_grad=True)
    for wrong in (np.ones((2, 4)), np.ones((4, 3))):  # of which one axis alone fits
        with pytest.raises(RuntimeError, match="invalid gradient at index 0"):
            autograd.grad(Returns.apply(table, wrong).sum(), table)


# -- old names -------------------------------------------------------------------------------------


def test_deprecated_names_warn_of_the_line_that_uses_them():
    class Old(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_shared_storage((x, x))
            ctx.save_for_backward(x)
            return x * 2.0

        @staticmethod
        def backward(ctx, grad):
            assert len(ctx.saved_variables) == 1
            return 2.0 * grad

    with pytest.warns(FutureWarning, match="mark_shared_storage") as shared:
        y = Old.apply(leaf(1.0))
    with pytest.warns(DeprecationWarning, match="saved_variables") as saved:
        y.backward()
    with pytest.warns(UserWarning, match="volatile") as volatile:
        made = autograd.Variable(y.detach(), requires_grad=True, volatile=True)
    with pytest.warns(FutureWarning, match="Decorating classes") as decorated:
        autograd.no_grad()(Old)
    for warned in (shared, saved, volatile, decorated):
        assert warned[0].filename == __file__
    assert made.requires_grad
    assert not autograd.Variable(y).requires_grad
    assert isinstance(made, autograd.Variable)
    for nothing in ((), (3.0,)):
        with pytest.raises(TypeError, match="Variable"):
            autograd.Variable(*nothing)


def test_old_classes_of_functions_keep_what_they_are_told():
    made = autograd.function.traceable(Cube)
    assert made is Cube
    assert made.is_traceable is True
    with pytest.warns(DeprecationWarning, match="instantiated"):
        one = autograd.function.InplaceFunction(True)
    with pytest.warns(DeprecationWarning, match="instantiated"):
        other = autograd.function.InplaceFunction()
    assert (one.inplace, other.inplace) == (True, False)
    old = autograd.NestedIOFunction.__new__(autograd.NestedIOFunction)
    old.mark_dirty(1, a=2)
    old.mark_non_differentiable(3)
    assert old.dirty_tensors == ((1,), {"a": 2})
    assert old.non_differentiable == ((3,), {})
    for call in (old.forward, old.backward):
        with pytest.raises(NotImplementedError, match="NestedIOFunction"):
            call(1.0)
    with pytest.raises(RuntimeError, match="saved nothing"):
        _ = old.saved_tensors
    for call in (Function.setup_context, Function.vjp, Function.vmap):
        with pytest.raises(NotImplementedError):
            call(None, (), None)
