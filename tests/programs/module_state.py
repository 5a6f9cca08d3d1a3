"""Scripts whose functions keep their state in the module: arrays, lists, dicts and numbers."""

# ruff: noqa: PLW0602 - as scripts are written

import numpy as np

from tests.programs import writers
from tests.programs.corpus import program

N = 6
DX, DT = 0.5, 0.1
u = np.zeros(N)
v = np.linspace(0.5, 1.5, N)
flux = np.zeros(N + 1)
temperature = np.zeros((N, N))
w = np.zeros(N)
clock = 0.0
state = {"h": np.zeros(N), "q": np.zeros(N)}
levels = [np.zeros(N), np.zeros(N)]


class Settings:
    speed = 0.7
    profile = np.zeros(N)


def energy():
    return np.sum(u**2) * DX


def diffuse(rate):
    u[1:-1] = u[1:-1] + rate * (u[2:] - 2 * u[1:-1] + u[:-2])


def upwind():
    global u, v
    un = u.copy()
    u[1:] = un[1:] - DT * v[1:] * (un[1:] - un[:-1]) / DX


def fluxes():
    for i in range(1, N):
        flux[i] = -Settings.speed * (u[i] - u[i - 1]) / DX
    flux[0] = flux[1]
    flux[N] = flux[N - 1]


def balance():
    for i in range(N):
        u[i] -= DT * (flux[i + 1] - flux[i]) / DX


def relax():
    global w
    w = w + DT * np.sin(w)


def tick():
    global clock
    clock = clock + DT


def put(name, value):
    state[name][:] = value


def smooth(field):
    field[1:-1] = (field[2:] + field[:-2]) / 2


@program(("v", N))
def energy_of_a_state_that_a_helper_reads(x):
    u[:] = np.sin(x)
    return energy()


@program(("v", N), "s")
def steps_that_write_the_module(x, rate):
    u[:] = x
    for _ in range(3):
        diffuse(0.1 * rate)
    return np.sum(u**2)


@program(("v", N))
def steps_of_functions_with_global(x):
    u[:] = x
    for _ in range(2):
        upwind()
    return np.sum(u * v)


@program(("v", N))
def fluxes_between_cells(x):
    u[:] = x
    for _ in range(2):
        fluxes()
        balance()
    return energy() + np.sum(flux**2)


@program(("v", N))
def name_of_the_module_bound_anew(x):
    global w
    w = x * 2.0
    for _ in range(2):
        w = w + DT * np.cos(w)
    return np.sum(w * x)


@program(("v", N))
def name_bound_anew_by_helpers(x):
    global w, clock
    clock = 0.0
    w = x * x
    for _ in range(3):
        relax()
        tick()
    return np.sum(w) * (1.0 + clock)


@program(("v", N))
def update_of_a_global_array(x):
    global w
    w = np.zeros(N)
    w += x
    w *= w
    return np.sum(np.sin(w))


@program("s", "s")
def numbers_of_the_module(a, b):
    global clock
    clock = a * b
    for _ in range(3):
        clock = clock + DT * np.sin(clock)
    return clock * a


@program(("v", N))
def arrays_in_a_dict_of_the_module(x):
    state["h"][:] = x
    state["q"][:] = state["h"] ** 2
    state["q"][1:] += 0.5 * state["h"][:-1]
    return np.sum(state["q"] * state["h"])


@program(("v", N))
def arrays_in_a_list_of_the_module(x):
    levels[0][:] = x
    levels[1][:] = np.sin(levels[0])
    return np.sum(levels[0] * levels[1])


@program(("v", N))
def entry_of_a_dict_under_a_name(x):
    h = state["h"]
    h[:] = x
    h *= 2.0
    return np.sum(state["h"] ** 2)


@program(("v", N))
def array_of_a_class_filled(x):
    Settings.profile[:] = x**2
    return np.sum(Settings.profile * Settings.speed)


@program(("v", N))
def helper_that_writes_an_array_of_the_module(x):
    u[:] = x
    smooth(u)
    np.multiply(u, x, out=flux[1:])
    return energy() + np.sum(flux[1:] ** 2)


@program(("v", N))
def view_of_the_state_written(x):
    u[:] = 0.5
    inner = u[1:-1]
    inner[:] = x[1:-1] ** 2
    inner += x[:-2]
    return energy()


@program(("m", N, N))
def plate_of_the_module(x):
    temperature[...] = x
    for _ in range(2):
        temperature[1:-1, 1:-1] = 0.25 * (
            temperature[2:, 1:-1]
            + temperature[:-2, 1:-1]
            + temperature[1:-1, 2:]
            + temperature[1:-1, :-2]
        )
    return np.sum(temperature**2)


@program("v")
def table_of_another_module(x):
    writers.TABLE[:] = x[:3]
    writers.TABLE[0] = writers.TABLE[1] * x[2]
    return np.sum(writers.TABLE * x[1:4])


@program(("v", N))
def state_before_that_counts(x):
    v[0] = 0.5
    u[:] = x * v
    u[0] = v[0] * x[1]
    return np.sum(u * u)


_1_0 = 1.0
_0_0 = 0.0


class Register:
    """Deletes what it has by name, which may be anything."""

    def reset(self, name):
        delattr(self.__class__, name)


REGISTER = Register()


def checked(value):
    if value > 1e9:
        REGISTER.reset("value")


def positive(value):
    return value if value > 0 else _0_0


@program("v")
def numbers_by_names_that_begin_with_digits(x):
    checked(x[2])
    return positive(x[0]) * x[0] + x[1] * _1_0
