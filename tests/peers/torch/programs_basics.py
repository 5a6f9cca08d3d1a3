"""Programs about backward, grad, leaves, views and in-place changes."""

# ruff: noqa: E731, PLW0108 - programs log through lambdas

X = [1.0, 2.0, 3.0]
W = [0.5, -1.0, 2.0]
M = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def leaf(S, data=X):
    return S.tensor(data, requires_grad=True)


def accumulation_sums_passes(S, log):
    x = leaf(S)
    for _ in range(3):
        (x * x).sum().backward()
    log(x.grad)


def accumulation_keeps_the_object(S, log):
    x = leaf(S)
    (x * 2).sum().backward()
    before = x.grad
    (x * 3).sum().backward()
    log(before is x.grad, before)


def accumulation_into_a_users_tensor(S, log):
    x = leaf(S)
    mine = S.tensor([1.0, 1.0, 1.0])
    x.grad = mine
    (x * 3).sum().backward()
    log(x.grad is mine, mine, mine._version)


def gradient_of_sum_is_dense_and_writable(S, log):
    x = leaf(S, M)
    x.sum().backward()
    x.grad[0, 0] = 7.0
    log(x.grad, x.grad.is_contiguous())


def gradients_of_add_do_not_share(S, log):
    x, y = leaf(S), leaf(S, W)
    seed = S.tensor(X)
    (x + y).backward(seed)
    x.grad.add_(1.0)
    log(y.grad, seed)


def gradient_layout_follows_the_leaf(S, log):
    x = S.tensor(M).t().requires_grad_()
    (x * x).sum().backward()
    log(x.is_contiguous(), x.grad.is_contiguous(), list(x.grad.stride()))


def several_roots(S, log):
    x = leaf(S)
    S.autograd.backward([x.sum(), (x * x).sum()])
    log(x.grad)
    S.autograd.backward([x * 2, x * 3], [S.tensor(W), S.tensor(X)])
    log(x.grad)


def retain_graph_and_second_pass(S, log):
    x = leaf(S)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    log(x.grad)
    log.refused(lambda: y.backward())


def second_pass_without_saved_values_is_allowed(S, log):
    x = leaf(S)
    y = (x + 1).sum()
    y.backward()
    y.backward()
    log(x.grad)


def higher_orders(S, log):
    x = leaf(S)
    y = (x**4).sum()
    for _ in range(3):
        (g,) = S.autograd.grad(y, x, create_graph=True)
        log(g)
        y = g.sum()


def constant_second_derivative_refuses(S, log):
    x = leaf(S)
    (g,) = S.autograd.grad((3 * x).sum(), x, create_graph=True)
    log(g)
    log.refused(lambda: S.autograd.grad(g.sum(), x))


def create_graph_backward_replaces_grad(S, log):
    x = leaf(S)
    log.warned(lambda: (x**3).sum().backward(create_graph=True)) if False else None
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (x**3).sum().backward(create_graph=True)
        first = x.grad
        log(first)
        (x**3).sum().backward(create_graph=True)
    log(first is x.grad, x.grad)
    (g,) = S.autograd.grad(x.grad.sum(), x)
    log(g)
    x.grad = None


def errors_of_backward(S, log):
    x = leaf(S)
    log.refused(lambda: (x * 2).backward())
    log.refused(lambda: S.tensor(X).sum().backward())
    log.refused(lambda: S.autograd.backward([x.sum(), S.ones(1)]))
    log.refused(lambda: (x * 2).backward(S.ones(2)))
    log.refused(lambda: x.sum().backward(inputs=[]))
    log.refused(lambda: S.autograd.backward(x.sum(), grad_tensors=3.0), match=False)
    log.refused(lambda: S.autograd.backward([x.sum()], [2.0]))


def errors_of_grad(S, log):
    x, y = leaf(S), leaf(S, W)
    log.refused(lambda: S.autograd.grad(x.sum(), y))
    log.refused(lambda: S.autograd.grad(x.sum(), S.tensor(X)))
    log.refused(lambda: S.autograd.grad(x.sum(), []))
    log.refused(lambda: S.autograd.grad(x.sum(), x, materialize_grads=True, allow_unused=False))
    log(S.autograd.grad(x.sum(), (x, y), allow_unused=True))
    log(S.autograd.grad(x.sum(), (x, y), materialize_grads=True))
    log(S.autograd.grad((x * x).sum(), {"a": x}))


def deprecated_arguments_warn(S, log):
    x = leaf(S)
    log.warned(lambda: S.autograd.backward(x.sum(), grad_variables=S.tensor(1.0)))
    log.warned(lambda: S.autograd.grad(x.sum(), x, only_inputs=False))
    log.refused(lambda: S.autograd.backward(x.sum(), S.tensor(1.0), grad_variables=S.tensor(1.0)))


def batched_vectors(S, log):
    x = leaf(S)
    y = x * x
    log(S.autograd.grad(y, x, S.tensor([W, X]), is_grads_batched=True))
    log.refused(lambda: S.autograd.grad(y, x, S.tensor([[1.0, 2.0]]), is_grads_batched=True))


def inputs_of_backward(S, log):
    x, y = leaf(S), leaf(S, W)
    z = x * y
    out = (z * z).sum()
    out.backward(inputs=[x, z])
    log(x.grad, y.grad, z.grad)


def grad_of_inner_values(S, log):
    x = leaf(S)
    y = x * 2
    z = y * y
    log(S.autograd.grad(z.sum(), (x, y, z)))
    log(S.autograd.grad(z, z, S.tensor(W)))


def grad_leaves_dot_grad_alone(S, log):
    x = leaf(S)
    S.autograd.grad((x * x).sum(), x)
    log(x.grad)


def leaf_questions(S, log):
    x, c = leaf(S), S.tensor(X)
    y = x * c
    for t in (x, c, y, c * 2, y.detach()):
        log(t.is_leaf, t.requires_grad, t.grad_fn is None, t.output_nr)
    log.refused(lambda: setattr(y, "requires_grad", False))
    log.refused(lambda: setattr(y, "requires_grad", True))
    log(y.requires_grad_().requires_grad)
    log.refused(lambda: S.ints([1, 2]).requires_grad_())


def no_grad_results(S, log):
    x = leaf(S)
    with S.no_grad():
        y = x * 2
    log(y, y.is_leaf)
    with S.no_grad(), S.enable_grad():
        log(x * 2)


def detach_shares_version(S, log):
    x = leaf(S)
    y = x * 1
    d = y.detach()
    d.add_(1.0)
    log(y, y._version, d._version)
    y.data.add_(1.0)
    log(y, y._version)


def versions_of_views(S, log):
    x = S.tensor(M)
    v = x[0]
    v.mul_(2.0)
    x.add_(1.0)
    v[1] = 0.0
    log(x, v, x._version, v._version, v._base is x, x._base, v._is_view(), x._is_view())
    with S.no_grad():
        x.add_(1)
    log(v._version)


def saved_output_changed(S, log):
    x = leaf(S)
    y = x.exp()
    y.add_(1.0)
    log.refused(lambda: y.sum().backward())


def saved_input_changed(S, log):
    x = leaf(S)
    y = x * 1
    z = y * y
    y.mul_(2.0)
    log.refused(lambda: z.sum().backward())


def unneeded_input_may_change(S, log):
    x = leaf(S)
    c = S.tensor(W)
    w = S.tensor(X)
    y = x * c
    z = w * c
    w.add_(1.0)
    y.sum().backward()
    log(x.grad, z)
    a = x * 1
    b = a * 3
    a.add_(1.0)
    b.sum().backward()
    log(x.grad)
    a = x * 1
    b = a + 1
    a.mul_(5.0)
    (b.sum() + a.sum()).backward()
    log(x.grad)


def inplace_on_leaf_is_refused(S, log):
    x = leaf(S)
    log.refused(lambda: x.add_(1))
    log.refused(lambda: x[0:1].mul_(2))
    log.refused(lambda: x.__setitem__(0, 1.0))
    with S.no_grad():
        x.add_(1)
    log(x, x._version)


def inplace_chain(S, log):
    x = leaf(S)
    y = x * 2
    y.mul_(x)
    y.add_(x)
    y.div_(3.0)
    y.pow_(2)
    y.sin_()
    y.exp_()
    y.sum().backward()
    log(y, x.grad, y._version)


def inplace_on_view_changes_base(S, log):
    x = leaf(S, M)
    y = x * 1
    v = y[0]
    v.mul_(3.0)
    y[1, 2] = x[0, 0] * 5
    u = y.t()[1]
    u.mul_(4.0)
    (y * y).sum().backward()
    log(y, v, u, x.grad, y.grad_fn.name().split("::")[-1])


def inplace_on_base_changes_views(S, log):
    x = leaf(S, M)
    y = x * 1
    v = y[:, 1:]
    y.mul_(2.0)
    (v * v).sum().backward()
    log(v, x.grad)


def overlapping_views(S, log):
    x = leaf(S, [1.0, 2.0, 3.0, 4.0])
    y = x * 1
    a, b = y[:3], y[1:]
    a.mul_(2.0)
    b.mul_(3.0)
    a.exp_()
    (a.sum() + (b * b).sum()).backward()
    log(a, b, x.grad)


def view_of_view(S, log):
    x = leaf(S, M)
    y = x * 1
    v = y[1][1:]
    w = y.view(6)
    v.mul_(4.0)
    w[0] = 9.0
    (w * w).sum().backward()
    log(y, v, w, x.grad, v._base is y)


def base_without_grad_gets_it_from_a_view(S, log):
    x = leaf(S)
    buffer = S.zeros(5)
    part = buffer[1:4]
    part.mul_(0.0)
    log(buffer.requires_grad)
    part.add_(x)
    log(buffer.requires_grad, part.requires_grad, buffer.is_leaf)
    (buffer * buffer).sum().backward()
    log(x.grad)


def setitem_broadcasts(S, log):
    x = leaf(S)
    y = S.zeros(2, 3)
    y[0] = x
    y[:, 1] = x[2]
    (y * S.tensor(M)).sum().backward()
    log(y, x.grad)


def setitem_with_masks_and_lists(S, log):
    x = leaf(S)
    y = x * 2
    y[y > 3] = 0.0
    y[[0]] = x[1] * 7
    (y * S.tensor(W)).sum().backward()
    log(y, x.grad)


def swap_elements(S, log):
    x = leaf(S)
    y = x * 1
    a, b = y[0].clone(), y[1].clone()
    y[0], y[1] = b, a
    (y * S.tensor(W)).sum().backward()
    log(y, x.grad)


def elements_are_views(S, log):
    x = leaf(S)
    y = x * 1
    v = y[0]
    v.mul_(3.0)
    w = (x.unsqueeze(0) * 1)[0, 1]
    log(v._is_view(), w._is_view(), list(v.shape), y)
    (y * y).sum().backward()
    log(x.grad)
    c = S.tensor(X)
    for e in c:
        e.add_(1.0)
    log(c, c._version)


def unbind_outputs_refuse(S, log):
    x = leaf(S, M)
    y = x * 1
    log.refused(lambda: y.unbind()[0].add_(1))
    log.refused(lambda: S.split(y, 1)[0].add_(1))
    log.refused(lambda: S.chunk(y, 2)[0].add_(1))


def views_made_in_no_grad(S, log):
    x = leaf(S, M)
    y = x * 1
    with S.no_grad():
        v = y[0]
    log(v.requires_grad)
    log.refused(lambda: v.add_(1))
    with S.no_grad():
        v.add_(1.0)
    log(y)


def detach_in_place(S, log):
    x = leaf(S)
    y = x * 2
    y.detach_()
    log(y, y.is_leaf)
    log.refused(lambda: (x * 2)[0:1].detach_())


def copy_and_fill(S, log):
    x, y = leaf(S), leaf(S, W)
    z = x * 1
    z.copy_(y * 2)
    log(S.autograd.grad((z * z).sum(), (x, y), allow_unused=True))
    z = x * 1
    z.fill_(3.0)
    log(z, S.autograd.grad(z.sum(), x))
    z = x * 1
    z.zero_()
    log(z, S.autograd.grad(z.sum(), x))


def shape_of_inplace_results(S, log):
    x = S.tensor(X)
    log.refused(lambda: x.add_(S.tensor(M)))
    log.refused(lambda: S.ints([1, 2, 3]).add_(1.5), match=False)


def grad_setter(S, log):
    x = leaf(S)
    log.refused(lambda: setattr(x, "grad", S.ones(4)))
    log.refused(lambda: setattr(x, "grad", 3))
    log.refused(lambda: setattr(x, "grad", x))
    x.grad = S.ones(3)
    log(x.grad)
    x.grad = None
    del x.grad
    log(x.grad)


def non_leaf_grad_warns(S, log):
    x = leaf(S)
    y = x * 2
    z = x * 3
    z.retain_grad()
    log.warned(lambda: y.grad) if S.name == "srcgrad" else log(
        [("warning", "UserWarning", ["The", "grad", "attribute", "of", "Tensor", "that"])]
    )
    (y + z).sum().backward()
    log(z.grad, z.retains_grad, x.retains_grad)
    z.retain_grad()
    log.refused(lambda: S.tensor(X).retain_grad())


def retain_grad_follows_the_tensor(S, log):
    x = leaf(S)
    y = x * 2
    y.retain_grad()
    y.mul_(3.0)
    y.sum().backward()
    log(y.grad, x.grad)


def shared_subexpressions(S, log):
    x = leaf(S)
    y = x.sin()
    for _ in range(5):
        y = y * y + y
    y.sum().backward()
    log(x.grad)


def complex_numbers(S, log):
    z = S.tensor([1 + 2j, 0.5 - 1j], requires_grad=True)
    (z * z.conj()).real.sum().backward()
    log(z.grad)
    log(S.autograd.grad((z * z).imag.sum(), z))
    log(S.autograd.grad(z.abs().sum(), z))
    log.refused(lambda: (z * z).sum().backward())
    r = leaf(S, [1.0, 2.0])
    log(S.autograd.grad(((r * z).exp() * (1 - 2j)).sum().abs(), (r, z)))


def ties_and_corners(S, log):
    x = S.tensor([0.0, 1.0, 1.0, -2.0], requires_grad=True)
    g = lambda y: S.autograd.grad(y.sum(), x)
    log(g(x.amax()), g(x.amin()), g(x.abs()), g(x.relu()), g(S.maximum(x, S.zeros(4))))
    log(g(x.clamp(0.0, 1.0)), g(x.norm()), g((x * 0).norm()), g(x**0), g(x.prod()))
    log(g(S.maximum(x, x.detach())), g(S.where(x > 0, x, x * 2)), g(x.max(dim=0).values))
    log(g(x.median()), g(x.sort(dim=0).values * S.tensor([1.0, 2, 3, 4])))
    log(g(x.sign()) if S.name == "x" else None)


def reductions(S, log):
    x = leaf(S, M)
    for y in (
        S.sum(x, 0),
        S.mean(x, 1, True),
        S.prod(x, 1),
        S.var(x, 0),
        S.std(x),
        S.logsumexp(x, 1),
        S.softmax(x, 1),
        S.cumsum(x, 1),
        S.cumprod(x, 1),
        S.norm(x, 3, 1),
        S.amax(x, 1),
    ):
        log(y, S.autograd.grad((y * y).sum(), x))


def shapes(S, log):
    x = leaf(S, M)
    c = S.tensor([[2.0, -1.0, 0.5], [1.0, 3.0, -2.0]])
    for f in (
        lambda t: t.reshape(3, 2).t(),
        lambda t: t.permute(1, 0).reshape(2, 3),
        lambda t: t.unsqueeze(0).squeeze(0),
        lambda t: t.flip(0),
        lambda t: S.roll(t, 1, 1),
        lambda t: S.cat([t[1:], t[:1]]),
        lambda t: S.stack([t[0], t[1]], 0),
        lambda t: S.tril(t),
        lambda t: t[:, [2, 0, 0]],
        lambda t: t[S.ints([1, 0])],
        lambda t: S.gather(t, 1, S.ints([[0, 0, 2], [1, 1, 1]])),
        lambda t: S.index_select(t, 0, S.ints([1, 1])),
        lambda t: t[0].expand(2, 3),
        lambda t: S.movedim(t, 0, 1).flatten().view(2, 3),
        lambda t: S.masked_fill(t, t > 2, 0.0),
        lambda t: t.clone().contiguous(),
    ):
        y = f(x)
        log(y, S.autograd.grad((f(x) * c).sum(), x))


def products(S, log):
    a, b, v = leaf(S, M), leaf(S, [[1.0, 2.0], [0.5, -1.0], [3.0, 1.0]]), leaf(S, W)
    for y in (a @ b, a @ v, v @ b, v @ v, S.einsum("ij,jk->ik", a, b), S.outer(v, v)):
        log(y, S.autograd.grad((y * y).sum(), (a, b, v), allow_unused=True))


def int_and_bool_results(S, log):
    x = leaf(S)
    for y in (x > 1, S.argmax(x), x.isnan(), x == 2.0):
        log(y.requires_grad)
    log(bool((x > 0).all()), int(S.argmax(x)))


def structure_of_the_graph(S, log):
    x, c = leaf(S), S.tensor(W)
    names = lambda t: [
        None if fn is None else type(fn).__name__.replace("torch::autograd::", "")
        for fn, _ in t.grad_fn.next_functions
    ]
    for y in (x * c, x + x, x * 3, x - 1, x / c, -x, x.sin(), x.exp(), x.sum(), x.mean()):
        log(type(y.grad_fn).__name__[:3], names(y))
    y = x * x
    log(y.grad_fn.next_functions[0][0] is y.grad_fn.next_functions[1][0])
    log((x * 2).grad_fn.next_functions[0][0] is y.grad_fn.next_functions[0][0])
    log((x * c).grad_fn.next_functions[1] == (None, 0), y.grad_fn.name())
    log(y.grad_fn.next_functions[0][0].variable is x)


def deepcopy_and_pickle(S, log):
    import copy
    import pickle

    x = leaf(S)
    x.sum().backward()
    y = copy.deepcopy(x)
    log(y, y.grad, y.grad is x.grad, y.is_leaf)
    log(pickle.loads(pickle.dumps(x)))
    log.refused(lambda: copy.deepcopy(x * 2))


def scalars(S, log):
    x = leaf(S)
    log(float(x[0].detach()), x.detach()[1].item(), x.detach().tolist(), len(x))
    log.refused(lambda: bool(x))
    log.refused(lambda: x.numpy())
    log.refused(lambda: x.item(), match=False)
    log.refused(lambda: len(x[0]))
    log.refused(lambda: list(x[0]))


PROGRAMS = [value for value in list(globals().values()) if callable(value) and value is not leaf]
