"""Programs about users' Functions, hooks, modes and anomaly mode."""

# ruff: noqa: B023, PLW0108, RUF059 - programs log through lambdas

X = [1.0, 2.0, 3.0]
W = [0.5, -1.0, 2.0]


def leaf(S, data=X):
    return S.tensor(data, requires_grad=True)


def make_exp(S):
    class MyExp(S.Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, grad):
            (y,) = ctx.saved_tensors
            return grad * y

    return MyExp


def function_and_higher_orders(S, log):
    x = leaf(S)
    y = make_exp(S).apply(x)
    log(y, y.grad_fn.name(), type(y.grad_fn).__name__)
    (g,) = S.autograd.grad(y.sum(), x, create_graph=True)
    (h,) = S.autograd.grad(g.sum(), x, create_graph=True)
    log(g, h, S.autograd.grad(h.sum(), x))


def function_saved_tensors_after_the_pass(S, log):
    x = leaf(S)
    y = make_exp(S).apply(x)
    log(y.grad_fn.saved_tensors[0])
    y.sum().backward()
    log.refused(lambda: y.sum().backward())
    log.refused(lambda: y.grad_fn.saved_tensors)


def function_saved_output_changed(S, log):
    x = leaf(S)
    y = make_exp(S).apply(x)
    y.add_(1.0)
    log.refused(lambda: y.sum().backward())


def function_without_saved_values_runs_twice(S, log):
    class Twice(S.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = leaf(S)
    y = Twice.apply(x).sum()
    y.backward()
    y.backward()
    log(x.grad)


def function_with_setup_context(S, log):
    class Scale(S.Function):
        @staticmethod
        def forward(x, factor=3.0):
            return x * factor

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.factor = inputs[1]
            log(len(inputs), ctx.needs_input_grad)

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.factor, None

    x = leaf(S)
    log(S.autograd.grad(Scale.apply(x).sum(), x), S.autograd.grad(Scale.apply(x, 2.0).sum(), x))


def function_several_inputs_and_outputs(S, log):
    class Both(S.Function):
        @staticmethod
        def forward(ctx, a, b, flag):
            log(ctx.needs_input_grad)
            ctx.save_for_backward(a, b)
            return a * b, a + b

        @staticmethod
        def backward(ctx, p, q):
            a, b = ctx.saved_tensors
            log(p, q)
            return p * b + q, p * a + q, None

    x, y = leaf(S), leaf(S, W)
    p, q = Both.apply(x, y, True)
    log(p.output_nr, q.output_nr, p.grad_fn is q.grad_fn)
    log(S.autograd.grad(p.sum(), (x, y), retain_graph=True))
    log(S.autograd.grad(q.sum(), (x, y), retain_graph=True))
    log(S.autograd.grad((p * q).sum(), (x, y)))
    p, q = Both.apply(x, S.tensor(W), False)
    log(S.autograd.grad(p.sum(), x))


def function_materialize_grads(S, log):
    class Two(S.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.set_materialize_grads(False)
            return a * 1, a * 2

        @staticmethod
        def backward(ctx, p, q):
            log(p is None, q is None)
            total = 0
            if p is not None:
                total = total + p
            if q is not None:
                total = total + 2 * q
            return total

    x = leaf(S)
    p, q = Two.apply(x)
    log(S.autograd.grad(q.sum(), x))


def function_non_differentiable(S, log):
    class SortLike(S.Function):
        @staticmethod
        def forward(ctx, a):
            index = S.argsort(a, 0)
            extra = a * 0 + 1
            ctx.mark_non_differentiable(index, extra)
            ctx.save_for_backward(index)
            return a * 2, index, extra

        @staticmethod
        def backward(ctx, g, g_index, g_extra):
            log(g_extra)
            return g * 2

    x = leaf(S)
    y, index, extra = SortLike.apply(x)
    log(y.requires_grad, index.requires_grad, extra.requires_grad)
    log(S.autograd.grad(y.sum(), x))


def function_mark_dirty(S, log):
    class AddOne(S.Function):
        @staticmethod
        def forward(ctx, a):
            a.add_(1.0)
            ctx.mark_dirty(a)
            return a

        @staticmethod
        def backward(ctx, g):
            return g * 5

    x = leaf(S)
    y = x * 2
    z = AddOne.apply(y)
    log(z is y, y, y._version, y.grad_fn.name())
    log(S.autograd.grad(y.sum(), x))
    log.refused(lambda: AddOne.apply(x))


def function_dirty_not_returned(S, log):
    class Bad(S.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.mark_dirty(a)
            return a * 2

        @staticmethod
        def backward(ctx, g):
            return g

    x = leaf(S)
    log.refused(lambda: Bad.apply(x * 1))


def function_returns_its_input(S, log):
    class Same(S.Function):
        @staticmethod
        def forward(ctx, a):
            return a

        @staticmethod
        def backward(ctx, g):
            return g * 7

    x = leaf(S)
    y = Same.apply(x)
    log(y is x, y, y.grad_fn is None, y.data_ptr() == x.data_ptr())
    log(S.autograd.grad(y.sum(), x))


def function_wrong_gradients(S, log):
    def build(result):
        class Wrong(S.Function):
            @staticmethod
            def forward(ctx, a, b):
                return a * 2

            @staticmethod
            def backward(ctx, g):
                return result(g)

        return Wrong

    x = leaf(S)
    for result in (
        lambda g: g,
        lambda g: (g, None, None),
        lambda g: (g, None, g),
        lambda g: (g, g),
        lambda g: (g[:2], None),
        lambda g: (S.stack([g, g]), None),
        lambda g: (None, None),
        lambda g: ("x", None),
    ):
        x.grad = None
        log.refused(lambda: build(result).apply(x, 3.0).sum().backward(), match=False)
        log(x.grad)


def function_constants_and_types(S, log):
    class F(S.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2, "text", 3, None

        @staticmethod
        def backward(ctx, g, *rest):
            log([r is None for r in rest])
            return g

    x = leaf(S)
    y, text, three, nothing = F.apply(x)
    log(text, three, nothing, S.autograd.grad(y.sum(), x))
    log(F.apply(S.tensor(X))[0].requires_grad)
    with S.no_grad():
        log(F.apply(x)[0].requires_grad)


def function_once_differentiable(S, log):
    class Square(S.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a * a

        @staticmethod
        @S.function.once_differentiable
        def backward(ctx, g):
            (a,) = ctx.saved_tensors
            log(S.is_grad_enabled())
            return 2 * a * g

    x = leaf(S)
    (g,) = S.autograd.grad(Square.apply(x).sum(), x, create_graph=True)
    log(g.requires_grad)
    w = leaf(S, W)
    (g,) = S.autograd.grad((Square.apply(x) * w).sum(), x, create_graph=True)
    log(g.requires_grad)
    log.refused(lambda: S.autograd.grad(g.sum(), x))


def function_legacy_forms(S, log):
    Exp = make_exp(S)
    log.refused(lambda: log.warned(lambda: Exp())(leaf(S)))

    class Nothing(S.Function):
        pass

    log.refused(lambda: Nothing.apply(leaf(S)))

    class NoBackward(S.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

    log.refused(lambda: NoBackward.apply(leaf(S)).sum().backward())

    class Clash(NoBackward):
        @staticmethod
        def backward(ctx, g):
            return g

        @staticmethod
        def vjp(ctx, g):
            return g

    log.refused(lambda: Clash.apply(leaf(S)).sum().backward())

    class SavesNumber(S.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(3)
            return a * 2

    log.refused(lambda: SavesNumber.apply(leaf(S)))


def function_vjp_name(S, log):
    class F(S.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def vjp(ctx, g):
            return g * 2

    x = leaf(S)
    log(S.autograd.grad(F.apply(x).sum(), x))


def function_grad_mode(S, log):
    class F(S.Function):
        @staticmethod
        def forward(ctx, a):
            log(S.is_grad_enabled(), (a * 2).requires_grad)
            return a * 2

        @staticmethod
        def backward(ctx, g):
            log(S.is_grad_enabled(), g.requires_grad)
            return g * 2

    x = leaf(S)
    S.autograd.grad(F.apply(x).sum(), x)
    S.autograd.grad(F.apply(x).sum(), x, create_graph=True)


def function_jvp(S, log):
    class F(S.Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a)
            ctx.save_for_forward(a, b)
            return a * b

        @staticmethod
        def backward(ctx, g):
            return g, g

        @staticmethod
        def jvp(ctx, ta, tb):
            a, b = ctx.saved_tensors
            log(ta, tb)
            return ta * b + a * tb

    with S.forward_ad.dual_level():
        a = S.forward_ad.make_dual(S.tensor(X), S.tensor(W))
        log(S.forward_ad.unpack_dual(F.apply(a, S.tensor(W))).tangent)


def tensor_hooks(S, log):
    x = leaf(S)
    y = x * 2
    handle = x.register_hook(lambda g: g * 10)
    y.register_hook(lambda g: log(g))
    y.register_hook(lambda g: g + 1)
    y.sum().backward()
    log(x.grad)
    handle.remove()
    handle.remove()
    x.grad = None
    with x.register_hook(lambda g: g * 100):
        (x * 2).sum().backward()
    log(x.grad)
    (x * 2).sum().backward()
    log(x.grad)
    log.refused(lambda: S.tensor(X).register_hook(print))


def order_of_hooks(S, log):
    x = leaf(S)
    a = x * 2
    b = a * 3
    for name, t in (("x", x), ("a", a), ("b", b)):
        t.register_hook(lambda g, name=name: log(f"tensor {name}"))
    for name, t in (("a", a), ("b", b)):
        t.grad_fn.register_prehook(lambda g, name=name: log(f"pre {name}"))
        t.grad_fn.register_hook(lambda i, o, name=name: log(f"post {name}"))
        t.retain_grad()
    a.register_hook(lambda g: log("late tensor a") or g * 2)
    x.register_post_accumulate_grad_hook(lambda t: log("accumulated", t.grad))
    b.sum().backward()
    log(x.grad, a.grad, b.grad)


def leaf_runs_as_soon_as_it_can(S, log):
    x, w = leaf(S), leaf(S, W)
    y = x * 2
    z = y * w
    w.register_hook(lambda g: log("w"))
    x.register_hook(lambda g: log("x"))
    y.grad_fn.register_hook(lambda i, o: log("y node"))
    z.grad_fn.register_hook(lambda i, o: log("z node"))
    z.sum().backward()


def hooks_and_changes_in_place(S, log):
    x = leaf(S)
    y = x * 2
    y.register_hook(lambda g: log("old", g))
    y.mul_(3.0)
    y.register_hook(lambda g: log("new", g))
    y.sum().backward()
    log(x.grad)


def leaf_hook_sees_the_total_once(S, log):
    x = leaf(S)
    x.register_hook(lambda g: log(g))
    (x * 2 + x * 3).sum().backward()
    S.autograd.grad((x * 5).sum(), x)
    y = leaf(S)
    y.register_hook(lambda g: log("y"))
    S.autograd.grad((x * y).sum(), x)


def post_accumulate_hooks(S, log):
    x = leaf(S)
    x.register_post_accumulate_grad_hook(lambda t: log(t is x, t.grad))
    (x * 2).sum().backward()
    S.autograd.grad((x * 2).sum(), x)
    (x * 2).sum().backward()
    log.refused(lambda: (x * 2).register_post_accumulate_grad_hook(print))
    log.refused(lambda: S.tensor(X).register_post_accumulate_grad_hook(print))


def node_hooks_replace(S, log):
    x, w = leaf(S), leaf(S, W)
    y = x * w
    y.grad_fn.register_hook(lambda i, o: (i[0] * 2, i[1] * 3))
    y.grad_fn.register_prehook(lambda o: (o[0] + 1,))
    log(S.autograd.grad(y.sum(), (x, w)))


def captured_and_hooked(S, log):
    x = leaf(S)
    y = x * 2
    z = y * 3
    y.register_hook(lambda g: g * 10)
    y.retain_grad()
    log(S.autograd.grad(z.sum(), (x, y)), y.grad)
    z = y * 3
    log(S.autograd.grad(z.sum(), (y,)), y.grad)


def wrong_hooks(S, log):
    x = leaf(S)
    y = x * 2
    y.register_hook(lambda g: "text")
    log.refused(lambda: y.sum().backward(), match=False)
    y = x * 2
    y.register_hook(lambda g: g[:2])
    log.refused(lambda: y.sum().backward(), match=False)


def modes(S, log):
    log(S.is_grad_enabled())
    S.set_grad_enabled(False)
    log(S.is_grad_enabled())
    S.set_grad_enabled(True)
    with S.set_grad_enabled(False):
        log(S.is_grad_enabled())
        with S.enable_grad():
            log(S.is_grad_enabled())
    log(S.is_grad_enabled())

    @S.no_grad()
    def f():
        return S.is_grad_enabled()

    @S.no_grad
    def g():
        return S.is_grad_enabled()

    @S.set_grad_enabled(False)
    def h():
        return S.is_grad_enabled()

    log(f(), g(), h(), S.is_grad_enabled())


def generators_in_no_grad(S, log):
    @S.no_grad()
    def steps():
        for _ in range(2):
            log(S.is_grad_enabled())
            got = yield S.is_grad_enabled()
            log(got)
        return "end"

    gen = steps()
    log(next(gen), S.is_grad_enabled())
    log(gen.send("a"), S.is_grad_enabled())
    try:
        gen.send("b")
    except StopIteration as stop:
        log(stop.value)
    with S.no_grad():

        @S.enable_grad()
        def inner():
            yield S.is_grad_enabled()

        log(list(inner()), S.is_grad_enabled())


def inference(S, log):
    x = leaf(S)
    with S.inference_mode():
        y = x * 2
        log(y.requires_grad, y.is_inference(), S.is_grad_enabled())
        y.add_(1)
        with S.inference_mode(False):
            log(S.is_grad_enabled(), (x * 2).requires_grad)
    log(y)
    log.refused(lambda: y.add_(1))
    log.refused(lambda: x * y)
    log.refused(lambda: y._version)
    log((x + y).requires_grad)
    log(y.clone().is_inference())


def anomaly(S, log):
    x = leaf(S, [0.0, 1.0])
    log.warned(lambda: S.autograd.detect_anomaly())
    with S.autograd.set_detect_anomaly(True):
        y = (x * 0).sqrt() * x.log() * 0
        log.refused(lambda: log.warned(lambda: y.sum().backward()), match=False)
    z = (x * 0).sqrt() * 0
    z.sum().backward()


def check_of_the_pass_kind(S, log):
    class F(S.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def backward(ctx, g):
            log(S.autograd._is_checkpoint_valid())
            return g

    x = leaf(S)
    F.apply(x).sum().backward()
    S.autograd.grad(F.apply(x).sum(), x)
    F.apply(x).sum().backward(inputs=[x])
    log(S.autograd._is_checkpoint_valid())


def variable(S, log):
    x = leaf(S)
    log(isinstance(x, S.autograd.Variable), S.autograd.Variable(S.tensor(X), requires_grad=True))
    log.refused(lambda: S.autograd.variable(X))


def reentrant_backward_in_a_function(S, log):
    class F(S.Function):
        @staticmethod
        def forward(ctx, a):
            with S.enable_grad():
                ctx.a = a.detach().requires_grad_()
                ctx.y = (ctx.a**2).sum()
            return ctx.y.detach()

        @staticmethod
        def backward(ctx, g):
            with S.enable_grad():
                ctx.y.backward()
            return ctx.a.grad * g

    x = leaf(S)
    F.apply(x).backward()
    log(x.grad)


def function_returns_a_view(S, log):
    class Tail(S.Function):
        @staticmethod
        def forward(ctx, a, whole):
            return a.view(-1) if whole else a

        @staticmethod
        def backward(ctx, g):
            return g * 3, None

    for whole in (True, False):
        x = leaf(S)
        y = x * 1
        z = Tail.apply(y, whole)
        log.refused(lambda: z.mul_(2))
        log(S.autograd.grad(z.sum(), x))
        y = x * 1
        z = Tail.apply(y, whole)
        y.mul_(2)
        log.refused(lambda: z.grad_fn)


PROGRAMS = [v for v in list(globals().values()) if callable(v) and v not in (leaf, make_exp)]
