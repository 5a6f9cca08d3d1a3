"""Programs about autograd.graph, functional, forward_ad, gradcheck and checkpoint."""

# ruff: noqa: B023, E731, PLW0108, RUF059 - programs log through lambdas

import warnings

X = [1.0, 2.0, 3.0]
W = [0.5, -1.0, 2.0]


def leaf(S, data=X):
    return S.tensor(data, requires_grad=True)


def saved_hooks(S, log):
    x, w = leaf(S), leaf(S, W)
    with S.graph.saved_tensors_hooks(lambda t: t * 1, lambda t: t):
        y = x * w
    log(S.autograd.grad(y.sum(), (x, w)))
    with S.graph.saved_tensors_hooks(lambda t: t.tolist(), lambda p: S.tensor(p) * 10):
        y = x * w
        z = x.exp()
    log(S.autograd.grad(y.sum(), (x, w)), S.autograd.grad(z.sum(), x))


def saved_hooks_count_calls(S, log):
    x = leaf(S)
    counts = [0, 0]

    def pack(t):
        counts[0] += 1
        return t

    def unpack(t):
        counts[1] += 1
        return t

    with S.graph.saved_tensors_hooks(pack, unpack):
        y = x.sin()
        with S.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            z = x.sin()
    log(list(counts))
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    z.sum().backward()
    log(counts, x.grad)


def saved_hooks_of_functions(S, log):
    class Cube(S.Function):
        @staticmethod
        def forward(ctx, a):
            y = a**3
            ctx.save_for_backward(a, y)
            return y

        @staticmethod
        def backward(ctx, g):
            a, y = ctx.saved_tensors
            return g * 3 * a * a

    x = leaf(S)
    with S.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t):
        y = Cube.apply(x)
    (g,) = S.autograd.grad(y.sum(), x, create_graph=True)
    log(g, S.autograd.grad(g.sum(), x))


def saved_hooks_wrong_unpack(S, log):
    x = leaf(S)
    with S.graph.saved_tensors_hooks(lambda t: t, lambda t: 3):
        y = x.exp()
    log.refused(lambda: y.sum().backward())


def saved_hooks_disabled(S, log):
    with S.graph.disable_saved_tensors_hooks("not here"):
        log.refused(lambda: S.graph.saved_tensors_hooks(lambda t: t, lambda t: t).__enter__())
    x = leaf(S)
    with S.graph.save_on_cpu():
        y = x.exp()
    y.sum().backward()
    log(x.grad)


def mutation_allowed(S, log):
    x = leaf(S)
    with S.graph.allow_mutation_on_saved_tensors():
        y = x.clone()
        out = (y**2).sum()
        e = y.exp()
        y.sin_()
        e.mul_(2.0)
        out = out + e.sum() + y.sum()
        out.backward()
    log(x.grad)
    with S.graph.allow_mutation_on_saved_tensors():
        y = x.clone()
        out = (y**2).sum()
        y.sin_()
    log.refused(lambda: out.backward(), match=False)

    def nested():
        with S.graph.allow_mutation_on_saved_tensors(), S.graph.allow_mutation_on_saved_tensors():
            pass

    log.refused(nested)


def gradient_edges(S, log):
    x = leaf(S)
    y = x * x
    z = (y * 3).sum()
    edge = S.graph.get_gradient_edge(y)
    log(S.autograd.grad(z, edge, retain_graph=True))
    log(edge.output_nr, edge.node is y.grad_fn)
    leaf_edge = S.graph.get_gradient_edge(x)
    log(S.autograd.grad(z, leaf_edge, retain_graph=True))
    log(S.autograd.grad(S.graph.get_gradient_edge(z), x))
    log.refused(lambda: S.graph.get_gradient_edge(S.tensor(X)))


def multi_grad_hooks(S, log):
    a, b = leaf(S), leaf(S, W)
    c = a * b
    d = a * b
    got = lambda grads: log([g is not None for g in grads])
    handle = S.graph.register_multi_grad_hook((a, b, c, d), got)
    c.sum().backward(retain_graph=True)
    c.sum().backward(inputs=(a,), retain_graph=True)
    (c.sum() + d.sum()).backward(retain_graph=True)
    handle.remove()
    S.graph.register_multi_grad_hook((a, b), lambda g: log(g), mode="any")
    (c * 2).sum().backward()
    log.refused(lambda: S.graph.register_multi_grad_hook((a,), got, mode="some"))


def version_increments(S, log):
    x = leaf(S)
    y = x * 1
    z = y.exp()
    S.graph.increment_version(z)
    S.graph.increment_version((y,))
    log(z._version, y._version)
    log.refused(lambda: z.sum().backward())


def node_is_an_abstract_class(S, log):
    x = leaf(S)
    y = x * 2
    log(isinstance(y.grad_fn, S.graph.Node), isinstance(3, S.graph.Node))
    y.grad_fn.metadata["k"] = 1
    log(y.grad_fn.metadata)


def products_of_functional(S, log):
    F = S.functional

    def f(a, b):
        return (a * a * b).sum() + (a.exp() * b * b).sum()

    def g(a, b):
        return a * b.sum(), (a.sin() * b)[1:]

    xs = (S.tensor(X), S.tensor(W))
    v = (S.tensor(W), S.tensor(X))
    log(F.vjp(g, xs, (S.tensor(W), S.tensor(W[1:]))), F.jvp(g, xs, v))
    log(F.vhp(f, xs, v), F.hvp(f, xs, v), F.jacobian(g, xs), F.hessian(f, xs))
    log(F.jacobian(g, xs, vectorize=True), F.hessian(f, xs, vectorize=True))
    log(F.jacobian(g, xs, vectorize=True, strategy="forward-mode"))
    log(F.hessian(f, xs, vectorize=True, outer_jacobian_strategy="forward-mode"))
    log(F.vjp(f, xs), F.jacobian(lambda a: a * 2, S.tensor(X)))
    log(F.hessian(lambda a: (a**3).sum(), S.tensor(X), create_graph=True))


def functional_with_graph(S, log):
    F = S.functional
    x = leaf(S)
    out, product = F.vjp(lambda a: (a**3).sum(), x, create_graph=True)
    log(out, product, S.autograd.grad(product.sum(), x))
    j = F.jacobian(lambda a: a**2, x, create_graph=True)
    log(j, S.autograd.grad(j.sum(), x))


def functional_strict_and_errors(S, log):
    F = S.functional
    x, w = S.tensor(X), S.tensor(W)
    log.refused(lambda: F.vjp(lambda a: w.sum(), x, strict=True))
    log.refused(lambda: F.vjp(lambda a, b: a.sum(), (x, w), strict=True))
    log.refused(lambda: F.jvp(lambda a: w * 1, x, w, strict=True))
    log.refused(lambda: F.hvp(lambda a: a.sum(), x, w, strict=True))
    log.refused(lambda: F.jacobian(lambda a, b: a * 2, (x, w), strict=True))
    log.refused(lambda: F.vjp(lambda a: a * 2, x))
    log.refused(lambda: F.vjp(lambda a: a * 2, x, S.ones(2)), match=False)
    log.refused(lambda: F.jvp(lambda a: a * 2, x))
    log.refused(lambda: F.vjp(lambda a: 3, x))
    log.refused(lambda: F.vjp(lambda a: a, [x]))
    log.refused(lambda: F.hessian(lambda a: a * 2, x))
    log.refused(lambda: F.jacobian(lambda a: a, x, strategy="sideways"))
    log.refused(lambda: F.jacobian(lambda a: a, x, strategy="forward-mode"))
    log(F.vjp(lambda a: w.sum() + 0 * a.sum(), x), F.hvp(lambda a: a.sum(), x, w))
    log(F.vhp(lambda a: a.sum(), x, w))


def closure_counts_as_constant(S, log):
    x = leaf(S)
    log(S.functional.jacobian(lambda a: a * x, x))


def duals(S, log):
    A = S.forward_ad
    x, t = S.tensor(X), S.tensor(W)
    with A.dual_level():
        d = A.make_dual(x, t)
        for y in (
            d * d,
            d.sin() / (d + 1),
            (d @ d),
            d[1:],
            d.reshape(3, 1) * d,
            S.softmax(d, 0),
            S.cat([d, x]),
            S.logsumexp(d, 0),
            d.norm(),
            S.where(x > 1.5, d, x),
        ):
            log(A.unpack_dual(y))
        with S.no_grad():
            log(A.unpack_dual(d * 2).tangent)
        log(A.unpack_dual(x).tangent is None, A.unpack_dual(x * 2).tangent is None)
        kept = d * 2
    log.refused(lambda: A.make_dual(x, t))
    with A.dual_level():
        log(A.unpack_dual(kept).tangent is None)
        log.refused(lambda: A.make_dual(x, S.ones(2)), match=False)
        log.refused(lambda: A.enter_dual_level())


def duals_in_place(S, log):
    A = S.forward_ad
    with A.dual_level():
        d = A.make_dual(S.tensor(X), S.tensor(W))
        y = d * 1
        y.mul_(d)
        y[0] = d[2] * 5
        y[1] = 7.0
        log(A.unpack_dual(y))
        v = y[1:]
        v.mul_(2.0)
        log(A.unpack_dual(y), A.unpack_dual(v).tangent)


def forward_over_reverse(S, log):
    A = S.forward_ad
    x, t = leaf(S), S.tensor(W)
    with A.dual_level():
        d = A.make_dual(x, t)
        (g,) = S.autograd.grad((d**3 * d.exp()).sum(), d, create_graph=True)
        log(A.unpack_dual(g))
        tangent = A.unpack_dual((d**3).sum()).tangent
    log(S.autograd.grad(tangent, x))


def checks_of_gradients(S, log):
    class Wrong(S.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2.1

    class NotLinear(Wrong):
        @staticmethod
        def backward(ctx, g):
            return g * 0 + 2

    x, w = leaf(S), leaf(S, W)
    check = S.autograd.gradcheck
    log(check(lambda a, b: (a * b, a.sum()), (x, w)), check(lambda a: a.sin(), x))
    log(check(Wrong.apply, (x,), raise_exception=False))
    log.refused(lambda: check(Wrong.apply, (x,)))
    log.refused(lambda: check(NotLinear.apply, (x,)))
    log.refused(lambda: check(lambda a: a, (S.tensor(X),)))
    log(S.autograd.gradgradcheck(lambda a, b: a * b * b, (x, w)))
    log(check(lambda a: a.exp(), x, check_forward_ad=True, check_batched_grad=True))
    z = S.tensor([1 + 1j, 2 - 0.5j], requires_grad=True)
    log(check(lambda a: a * a, z), S.autograd.gradgradcheck(lambda a: a * a * a, z))
    log.refused(lambda: check(lambda a: a, x, check_backward_ad=False))


def checkpoints(S, log):
    calls = []

    def f(a, b):
        calls.append(1)
        return (a.sin() * b).exp() * a

    x, w = leaf(S), leaf(S, W)
    C = S.checkpoint.checkpoint
    for reentrant in (True, False):
        x.grad = w.grad = None
        calls.clear()
        y = C(f, x, w, use_reentrant=reentrant)
        y.sum().backward()
        log(y, x.grad, w.grad, len(calls))
    log(S.autograd.grad(C(f, x, w, use_reentrant=False).sum(), (x, w)))
    log.refused(lambda: S.autograd.grad(C(f, x, w, use_reentrant=True).sum(), (x, w)))
    y = C(f, x, w, use_reentrant=False)
    log(S.autograd.grad(y.sum(), x, retain_graph=True), S.autograd.grad(y.sum(), x))


def checkpoints_that_differ(S, log):
    runs = []

    def f(a):
        runs.append(1)
        return a.sin().exp() if len(runs) > 1 else a.sin()

    def g(a):
        runs.append(1)
        return a.sin() if len(runs) > 1 else a.sin().exp()

    def h(a):
        runs.append(1)
        return (a[1:] if len(runs) > 1 else a).exp()

    x = leaf(S)
    for function in (g, h):
        runs.clear()
        y = S.checkpoint.checkpoint(function, x, use_reentrant=False)
        log.refused(lambda: y.sum().backward())
    runs.clear()
    y = S.checkpoint.checkpoint(f, x, use_reentrant=False)
    y.sum().backward()
    log(x.grad)


def checkpoints_nested_and_in_sequence(S, log):
    x = leaf(S)
    C = S.checkpoint.checkpoint

    def inner(a):
        return a.sin().exp()

    def outer(a):
        return C(inner, a * 2, use_reentrant=False) * a

    y = C(outer, x, use_reentrant=False)
    log(S.autograd.grad(y.sum(), x))
    steps = [lambda a: a.sin(), lambda a: a * 3, lambda a: a.exp()]
    y = S.checkpoint.checkpoint_sequential(steps, 2, x, use_reentrant=False)
    log(S.autograd.grad(y.sum(), x))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = C(inner, x)
    y.sum().backward()
    log(x.grad)
    log.refused(lambda: C(inner, x, use_reentrant=True, wrong=3))


def profiles(S, log):
    P = S.profiler
    x = leaf(S)
    with P.profile() as p:
        with P.record_function("zone"):
            y = (x * 2).sum()
        y.backward()
    names = [e.name for e in p.function_events]
    log("zone" in names, any("MulBackward0" in name for name in names))
    log(p.total_average().key, "zone" in p.key_averages().table(sort_by="cpu_time_total"))
    log.refused(lambda: p.__enter__())
    with P.profile(enabled=False) as nothing:
        log(nothing is None)


PROGRAMS = [v for v in list(globals().values()) if callable(v) and v is not leaf]
