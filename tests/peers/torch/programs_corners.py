"""Programs of the corners: changes in place with views and hooks, threads, Function's contract."""

# ruff: noqa: B023, E731, PLW0108, RUF059 - programs log through lambdas

import threading

X = [1.0, 2.0, 3.0]
W = [0.5, -1.0, 2.0]
M = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def leaf(S, data=X):
    return S.tensor(data, requires_grad=True)


def doubling(S):
    class Doubling(S.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    return Doubling


# -- in place, views -------------------------------------------------------------------------------


def write_through_two_levels(S, log):
    x = leaf(S, M)
    y = x * 1
    v = y[1]
    w = v[1:]
    w.mul_(x[0, 1:])
    log(S.autograd.grad((y * y).sum(), x), y, v, w)


def write_into_a_transposed_view(S, log):
    x = leaf(S, M)
    y = x * 2
    y.t()[0].add_(x[:, 1])
    log(S.autograd.grad((y * y).sum(), x), y)


def write_through_views_of_both_orders(S, log):
    x = leaf(S, M)
    y = x * 1
    a, b = y.t(), y.view(-1)
    a[1].mul_(3)
    b[0:2].exp_()
    a[0].add_(b[4:])
    log(y, a, b)
    log.refused(lambda: S.autograd.grad((y * x).sum(), x))


def write_a_view_into_its_own_base(S, log):
    x = leaf(S)
    y = x * 1
    y[1:].copy_(y[:-1].clone())
    y[0] = y[2] * x[1]
    log(y)
    log.refused(lambda: S.autograd.grad((y * y).sum(), x))


def chain_of_views_and_reads(S, log):
    x = leaf(S, M)
    y = x * 1
    total = 0
    for i in range(2):
        row = y[i]
        total = total + row.sum()
        row.mul_(row.detach() + 1)
        total = total + (row * row).sum()
    log(y, y._version)
    log.refused(lambda: S.autograd.grad(total, x))


def a_view_outlives_its_name(S, log):
    x = leaf(S)
    y = (x * 1)[1:]
    y.mul_(2)
    log(y._base is not None, y._base, S.autograd.grad((y * y).sum(), x))


def write_of_a_constant_view_makes_the_base_active(S, log):
    x = leaf(S)
    base = S.zeros(2, 3)
    other = base[0]
    base[1].copy_(x * x)
    log(base.requires_grad, base.is_leaf, other)
    log(S.autograd.grad((base * base).sum(), x))


def write_in_no_grad(S, log):
    x = leaf(S)
    y = x * 1
    z = y * y
    with S.no_grad():
        y.add_(1)
    log(y._version, y.requires_grad)
    log.refused(lambda: z.sum().backward())
    log(S.autograd.grad(y.sum(), x))


def write_through_detach_is_seen(S, log):
    x = leaf(S)
    y = x.exp()
    y.detach().mul_(2)
    log(y._version)
    log.refused(lambda: y.sum().backward())


def write_through_data_is_not_seen(S, log):
    x = leaf(S)
    y = x.exp()
    y.data.mul_(2)
    log(y._version, S.autograd.grad(y.sum(), x))


def leaf_written_in_no_grad(S, log):
    x = leaf(S)
    y = (x * x).sum()
    with S.no_grad():
        x.sub_(0.1)
    log.refused(lambda: y.backward())
    z = (x * 3).sum()
    z.backward()
    log(x.grad, x._version)


def product_needs_what_its_factors_need(S, log):
    x, c = leaf(S), S.tensor(W)
    y = x * 1
    z = y * c
    y.add_(1)
    log(S.autograd.grad(z.sum(), x))
    y = x * 1
    z = y * c
    c.add_(1)
    log.refused(lambda: z.sum().backward())


def output_saved_functions_after_writes(S, log):
    x = leaf(S)
    for f in (lambda t: t.exp(), lambda t: t.sqrt(), lambda t: t.tanh()):
        y = f(x * 1)
        y.mul_(2)
        log.refused(lambda: y.sum().backward())


def input_saved_functions_after_writes(S, log):
    x = leaf(S)
    for f in (lambda t: t.sin(), lambda t: t.log(), lambda t: t**3, lambda t: t.abs()):
        y = x * 1
        z = f(y)
        y.mul_(2)
        log.refused(lambda: z.sum().backward())


def functions_that_save_nothing_after_writes(S, log):
    x = leaf(S)
    for f in (lambda t: t + 1, lambda t: -t, lambda t: t * 3, lambda t: t.sum(), lambda t: t[1:]):
        y = x * 1
        z = f(y) * 1
        y.mul_(2)
        log(S.autograd.grad(z.sum(), x))


def names_of_nodes_after_writes(S, log):
    x = leaf(S)
    y = x * 1
    y.add_(1)
    log(y.grad_fn.name(), y.is_leaf)
    y.copy_(x)
    log(y.grad_fn.name().split("::")[-1])
    y.zero_()
    log(y.requires_grad)
    log(S.autograd.grad((y * x).sum(), x))


def masked_writes(S, log):
    x = leaf(S)
    y = x * 1
    mask = S.tensor(X) > 1.5
    y.masked_fill_(mask, 7.0)
    y[~mask] = x[2] * 2
    log(S.autograd.grad((y * y).sum(), x), y)


def writes_with_index_lists(S, log):
    x = leaf(S)
    y = x * 1
    y[[0, 2]] = x[[2, 0]] * x[1]
    y[S.ints([1])] += x[0]
    log(y)
    log.refused(lambda: S.autograd.grad((y * y).sum(), x))


def swap_of_rows(S, log):
    x = leaf(S, M)
    y = x * 1
    first = y[0].clone()
    y[0] = y[1]
    y[1] = first
    weights = S.tensor(M)
    log(S.autograd.grad((y * weights).sum(), x), y)


def second_derivative_through_writes(S, log):
    x = leaf(S)
    y = x * 1
    y[0] = x[1] * x[2]
    y[1:].mul_(x[:2])
    (g,) = S.autograd.grad((y * y).sum(), x, create_graph=True)
    log(g, S.autograd.grad(g.sum(), x))


def expanded_tensors_refuse_writes(S, log):
    x = leaf(S)
    y = (x * 1).clone()
    z = y.expand(2, 3)
    log(S.autograd.grad((z * z).sum(), x))


def requires_grad_set_on_views(S, log):
    base = S.zeros(3)
    view = base[1:]
    view.requires_grad_()
    log(base.requires_grad, view.is_leaf)
    log.refused(lambda: base.mul_(2), match=False)
    (view * 3).sum().backward()
    log(view.grad)


# -- hooks -----------------------------------------------------------------------------------------


def hooks_of_a_view_and_its_base(S, log):
    x = leaf(S, M)
    seen = []
    y = x * 1
    y.register_hook(lambda g: seen.append(("base", g.clone())))
    v = y[0]
    v.register_hook(lambda g: seen.append(("view", g.clone())))
    (v * v).sum().backward()
    log(seen, x.grad)


def hooks_before_and_after_a_write(S, log):
    x = leaf(S)
    seen = []
    y = x * 2
    y.register_hook(lambda g: seen.append(("before", g.clone())))
    y.mul_(x)
    y.register_hook(lambda g: seen.append(("after", g.clone())))
    y.sum().backward()
    log(seen, x.grad)


def hooks_after_a_view_was_written(S, log):
    x = leaf(S)
    seen = []
    y = x * 2
    y[1:].mul_(3)
    y.register_hook(lambda g: seen.append(g.clone()))
    y.retain_grad()
    (y * y).sum().backward()
    log(seen, y.grad, x.grad)


def hooks_that_replace_in_order(S, log):
    x = leaf(S)
    y = x * 2
    y.register_hook(lambda g: g + 1)
    y.register_hook(lambda g: g * 10)
    y.retain_grad()
    y.sum().backward()
    log(y.grad, x.grad)


def hooks_removed_while_running(S, log):
    x = leaf(S)
    y = x * 2
    count = []
    handle = y.register_hook(lambda g: count.append(1))
    y.sum().backward(retain_graph=True)
    handle.remove()
    handle.remove()
    y.sum().backward()
    log(len(count), x.grad)


def hooks_of_leaves_by_inputs(S, log):
    x, w = leaf(S), leaf(S, W)
    seen = []
    x.register_hook(lambda g: seen.append("x"))
    w.register_hook(lambda g: seen.append("w"))
    x.register_post_accumulate_grad_hook(lambda t: seen.append("post"))
    (x * w).sum().backward(inputs=[x])
    log(seen, x.grad, w.grad)
    S.autograd.grad((x * w).sum(), w)
    log(seen)


def post_hooks_may_clear(S, log):
    x = leaf(S)
    x.register_post_accumulate_grad_hook(lambda t: setattr(t, "grad", None))
    (x * x).sum().backward()
    log(x.grad)


def multi_grad_hooks_with_unused(S, log):
    x, w, u = leaf(S), leaf(S, W), leaf(S)
    seen = []
    a, b = x * 1, w * 2
    handle = S.graph.register_multi_grad_hook((a, b, u), lambda gs: seen.append(list(gs)))
    (a * b).sum().backward()
    log(seen)
    handle.remove()
    (x * w).sum().backward()
    log(len(seen))


def node_hooks_see_inputs_and_outputs(S, log):
    x, w = leaf(S), leaf(S, W)
    y = x * w
    seen = []
    y.grad_fn.register_hook(lambda gi, go: seen.append((list(gi), list(go))))
    y.grad_fn.register_prehook(lambda go: (go[0] * 3,))
    y.sum().backward()
    log(seen, x.grad, w.grad)


def retained_grads_of_views(S, log):
    x = leaf(S)
    y = x * 2
    v = y[1:]
    v.retain_grad()
    y.retain_grad()
    (v * v).sum().backward()
    log(v.grad, y.grad, v.retains_grad)


# -- threads ---------------------------------------------------------------------------------------


def in_threads(jobs):
    """Run jobs at once and return what they returned, in order."""
    results = [None] * len(jobs)

    def work(i):
        results[i] = jobs[i]()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def backward_from_several_threads(S, log):
    x = leaf(S)
    roots = [(x * k).sum() for k in range(1, 5)]
    in_threads([root.backward for root in roots])
    log(x.grad)


def one_graph_from_several_threads(S, log):
    x = leaf(S)
    y = (x * x).exp()
    z = y.sum()
    log(in_threads([lambda: S.autograd.grad(z, x, retain_graph=True)[0] for _ in range(4)]))


def modes_are_of_the_thread(S, log):
    with S.no_grad():
        log(in_threads([lambda: (leaf(S) * 2).requires_grad, S.is_grad_enabled]))
    log(S.is_grad_enabled())


# -- Function --------------------------------------------------------------------------------------


def function_of_a_view_and_its_base(S, log):
    Doubling = doubling(S)
    x = leaf(S, M)
    y = x * 1
    z = Doubling.apply(y[0]) + Doubling.apply(y)[1]
    log(S.autograd.grad((z * z).sum(), x))


def function_output_written(S, log):
    Doubling = doubling(S)
    x = leaf(S)
    y = Doubling.apply(x)
    y.mul_(x)
    log(S.autograd.grad(y.sum(), x), y.grad_fn.name())


def function_needs_only_some(S, log):
    needs = []

    class Product(S.Function):
        @staticmethod
        def forward(ctx, a, b, c):
            ctx.save_for_backward(a, b)
            needs.append(list(ctx.needs_input_grad))
            return a * b

        @staticmethod
        def backward(ctx, grad):
            a, b = ctx.saved_tensors
            needs.append(list(ctx.needs_input_grad))
            return grad * b, grad * a, None

    x, w = leaf(S), S.tensor(W)
    Product.apply(x, w, 3).sum().backward()
    Product.apply(w, x, None).sum().backward()
    log(needs, x.grad)


def function_saves_what_is_written_later(S, log):
    class Square(S.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 2 * x * grad

    x = leaf(S)
    y = x * 1
    z = Square.apply(y)
    y.add_(1)
    log.refused(lambda: z.sum().backward())


def function_dirty_view(S, log):
    class AddOne(S.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.add_(1)

        @staticmethod
        def backward(ctx, grad):
            return grad * 5

    x = leaf(S)
    y = x * 1
    v = y[1:]
    AddOne.apply(v)
    log(y, S.autograd.grad((y * y).sum(), x))


def function_dirty_leaf(S, log):
    class AddOne(S.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.add_(1)

        @staticmethod
        def backward(ctx, grad):
            return grad

    log.refused(lambda: AddOne.apply(leaf(S)))


def function_too_few_and_too_many(S, log):
    def with_result(result):
        class Two(S.Function):
            @staticmethod
            def forward(ctx, a, b):
                return a + b

            @staticmethod
            def backward(ctx, grad):
                return result(grad)

        return Two

    x, w = leaf(S), leaf(S, W)
    for result in (lambda g: g, lambda g: (g, g, None), lambda g: (g, g, g), lambda g: (g, None)):
        x.grad = w.grad = None
        log.refused(lambda: with_result(result).apply(x, w).sum().backward())
        log(x.grad, w.grad)


def function_error_keeps_the_graph(S, log):
    class Failing(S.Function):
        fails = True

        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            if Failing.fails:
                raise KeyError("no")
            return grad * 2

    x = leaf(S)
    y = Failing.apply(x).sum()
    log.refused(lambda: y.backward(retain_graph=True), match=False)
    Failing.fails = False
    y.backward()
    log(x.grad)


def function_double_backward_of_saved_inputs(S, log):
    class Cube(S.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 3 * x * x * grad

    x = leaf(S)
    (g,) = S.autograd.grad(Cube.apply(x).sum(), x, create_graph=True)
    (h,) = S.autograd.grad(g.sum(), x, create_graph=True)
    log(g, h, S.autograd.grad(h.sum(), x))


def function_in_no_grad(S, log):
    Doubling = doubling(S)
    x = leaf(S)
    with S.no_grad():
        y = Doubling.apply(x)
    log(y.requires_grad, y.grad_fn is None)


def function_of_nested_values(S, log):
    class Sum(S.Function):
        @staticmethod
        def forward(ctx, items, factor):
            return items[0] * factor + items[1]

        @staticmethod
        def backward(ctx, grad):
            return None, (grad * 1).sum()

    x, w = leaf(S), leaf(S, W)
    factor = S.tensor(2.0, requires_grad=True)
    y = Sum.apply([x, w], factor)
    y.sum().backward()
    log(x.grad, w.grad, factor.grad)


def function_with_one_output_unused(S, log):
    class Split(S.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, a, b):
            seen.append((a, b))
            return a + 2 * b

    seen = []
    x = leaf(S)
    first, second = Split.apply(x)
    second.sum().backward()
    log(seen, x.grad)


def zeros_for_unused_inputs(S, log):
    x, w = leaf(S), leaf(S, W)
    y = (x * 2).sum()
    log(S.autograd.grad(y, (x, w), materialize_grads=True, retain_graph=True))
    log(S.autograd.grad(y, (x, w), allow_unused=True, retain_graph=True))
    log.refused(lambda: S.autograd.grad(y, (x, w), retain_graph=True))
    log.refused(lambda: S.autograd.grad(y, w, materialize_grads=True, allow_unused=False))


def batched_second_order(S, log):
    x = leaf(S)
    y = x * x * x
    seeds = S.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 2.0]])
    (g,) = S.autograd.grad(y, x, seeds, is_grads_batched=True, create_graph=True)
    log(g, S.autograd.grad(g.sum(), x))


def vectorized_functional(S, log):
    f = lambda x: x * x.sum()
    x = S.tensor(X)
    log(S.functional.jacobian(f, x, vectorize=True))
    log(S.functional.jacobian(f, x, vectorize=True, strategy="forward-mode"))
    log(S.functional.hessian(lambda x: (x**3).sum(), x, vectorize=True))
    log.refused(lambda: S.functional.jacobian(f, x, strategy="forward-mode"))


def selective_checkpoints_keep_gradients(S, log):
    x = leaf(S)
    keep = lambda ctx, op, *args, **kwargs: S.checkpoint.CheckpointPolicy.MUST_SAVE
    drop = lambda ctx, op, *args, **kwargs: S.checkpoint.CheckpointPolicy.MUST_RECOMPUTE
    for policy in (keep, drop):
        contexts = lambda: S.checkpoint.create_selective_checkpoint_contexts(policy)
        y = S.checkpoint.checkpoint(
            lambda t: (t.sin() * t.exp()).tanh(), x, use_reentrant=False, context_fn=contexts
        )
        log(y, S.autograd.grad(y.sum(), x))
    log.refused(lambda: S.checkpoint.create_selective_checkpoint_contexts(3))


PROGRAMS = [
    v
    for v in list(globals().values())
    if callable(v) and v not in (leaf, doubling, in_threads) and hasattr(v, "__code__")
]
