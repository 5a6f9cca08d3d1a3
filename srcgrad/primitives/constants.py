"""Records of the functions without a derivative, each with the reason."""

from __future__ import annotations

from typing import Any, Final

from srcgrad.primitives.record import Primitive, records

STEPS: Final = "constant between jumps"
TRUTH: Final = "returns truth values"
INDEX: Final = "returns an index"
SIZES: Final = "returns sizes"
FRESH: Final = "creates an array of constants"
PYTHON: Final = "returns no real number that depends smoothly on its arguments"
TYPES: Final = "is about types"
RANDOM: Final = "draws random numbers that depend on no argument smoothly"
TEXT: Final = "returns text"
REPORT: Final = "tells somebody a value, and returns none"

_TOLD: Final[dict[str, Any]] = {"reason": TRUTH, "kind": "truth"}
_COUNTED: Final[dict[str, Any]] = {"reason": TRUTH, "kind": "int"}
_PLACES: Final[dict[str, Any]] = {"reason": INDEX, "kind": "int"}

_ORDER: Final = "greater greater_equal less less_equal"
_EQUAL: Final = "equal isclose allclose array_equal array_equiv"
_IS: Final = "isnan isinf isfinite isposinf isneginf isreal iscomplex isnat is_busday"
_WHOLE: Final = "isrealobj iscomplexobj shares_memory isfortran"
_BITS: Final = "invert bitwise_and bitwise_or bitwise_xor left_shift right_shift bitwise_count"
_EXTREMES: Final = "argmax argmin nanargmax nanargmin argsort argpartition lexsort"
_INDICES: Final = "diag_indices_from diag_indices tril_indices triu_indices indices"
_DTYPES: Final = "dtype result_type promote_types can_cast finfo iinfo issubdtype isdtype typename"
_SETTINGS: Final = "errstate seterr geterr set_printoptions get_printoptions printoptions"
_SHOWN: Final = "datetime_data show_config show_runtime get_include info einsum_path"
_METHODS: Final = "reduce accumulate reduceat"
_KINDS: Final = "isinstance type callable hasattr"
_ASKED: Final = "range issubclass id hash bool int any all"
_SPELLED: Final = "repr str format ord chr bin hex oct ascii slice bytes bytearray"
_COMPARISONS: Final = "eq ne lt le gt ge not_ truth is_ is_not contains index invert lshift rshift"

OF_TEXT: Final = (
    *("os", "posix", "nt", "posixpath", "ntpath", "genericpath", "pathlib", "shutil", "tempfile"),
    *("glob", "fnmatch", "textwrap", "pprint", "string", "uuid", "hashlib", "platform"),
    *("re", "difflib", "shlex", "locale", "codecs", "html", "urllib.parse", "base64"),
    *("importlib.metadata", "importlib.resources"),
)
"""The modules whose functions are about files and texts, and calculate nothing."""

RECORDS: Final[tuple[Primitive, ...]] = (
    *records("numpy", "sign signbit floor ceil rint trunc fix round around", reason=STEPS),
    *records("numpy", "floor_divide spacing", reason=STEPS),
    *records("math", "floor ceil trunc ulp", reason=STEPS),
    *records("builtins", "round", reason=STEPS),
    *records("_operator", "floordiv", reason=STEPS),
    *records("numpy", _EQUAL, compares="equal", **_TOLD),
    *records("numpy", "not_equal", compares="unequal", **_TOLD),
    *records("numpy", _ORDER, compares="order", **_TOLD),
    *records("numpy", f"{_IS} {_WHOLE} may_share_memory", **_TOLD),
    *records("numpy", "logical_and logical_or logical_not logical_xor", **_TOLD),
    *records("numpy", "any all", compares="count", **_TOLD),
    *records("numpy", "isin", **_TOLD),
    *records("numpy.logical_and", _METHODS, **_TOLD),
    *records("numpy.logical_or", _METHODS, **_TOLD),
    *records("numpy.logical_xor", _METHODS, **_TOLD),
    *records("numpy", f"{_BITS} packbits unpackbits gcd lcm", reason=TRUTH),
    *records("math", "isnan isinf isfinite", **_TOLD),
    *records("math", "isclose", compares="equal", **_TOLD),
    *records("math", "gcd factorial comb perm isqrt lcm", **_COUNTED),
    *records("cmath", "isnan isinf isfinite", **_TOLD),
    *records("cmath", "isclose", compares="equal", **_TOLD),
    *records("_operator", f"{_COMPARISONS} countOf indexOf length_hint", reason=TRUTH),
    *records("numpy", "searchsorted", axes="m,->; m,n->n; m,kn->kn", **_PLACES),
    *records("numpy", "digitize", axes=",m->; n,m->n; kn,m->kn", **_PLACES),
    *records("numpy", f"{_EXTREMES} flatnonzero argwhere", **_PLACES),
    *records("numpy", "count_nonzero", compares="count", **_PLACES),
    *records("numpy", f"{_INDICES} tril_indices_from triu_indices_from", **_PLACES),
    *records("numpy", "unravel_index ravel_multi_index nonzero", **_PLACES),
    *records("numpy.linalg", "matrix_rank", **_PLACES),
    *records("_bisect", "bisect_left bisect_right", **_PLACES),
    *records("numpy", "ix_ ndindex", reason=INDEX),
    *records("numpy", "isscalar", asks_kind=True, **_TOLD),
    *records("numpy", "shape size", reason=SIZES, outlines=(0,)),
    *records("numpy", "broadcast_shapes", reason=SIZES),
    *records("numpy.lib.array_utils", "normalize_axis_index", reason=SIZES),
    *records("numpy", "ndim", reason=SIZES, outlines=(0,), asks_kind=True),
    *records("numpy", "iterable", reason=SIZES, asks_kind=True),
    *records("builtins", "len", reason=SIZES, outlines=(0,)),
    *records("numpy", "zeros ones empty zeros_like ones_like empty_like", reason=FRESH),
    *records("numpy", "eye identity tri hamming hanning blackman bartlett", reason=FRESH),
    *records("numpy", "mask_indices", reason=FRESH, kind="int"),
    *records("numpy.random", "default_rng", reason=FRESH),
    *records("numpy", f"{_DTYPES} min_scalar_type common_type mintypecode", reason=TYPES),
    *records("numpy", f"{_SETTINGS} {_SHOWN} geterrcall getbufsize", reason=TYPES),
    *records("numpy.random", "seed", reason=RANDOM),
    *records("numpy.random.RandomState", "rand randn random random_sample", reason=RANDOM),
    *records("numpy.random.RandomState", "randint", reason=RANDOM, kind="int"),
    *records("numpy.random.mtrand", "RandomState", reason=RANDOM),
    *records("numpy", "array2string array_repr array_str datetime_as_string", reason=TEXT),
    *records("numpy", "format_float_positional format_float_scientific", reason=TEXT),
    *records("numpy", "base_repr binary_repr", reason=TEXT),
    *records("builtins", "print", reason=REPORT),
    *records("_warnings", "warn warn_explicit", reason=REPORT),
    *records("_pickle", "dump", reason=REPORT),
    *records("json", "dump", reason=REPORT),
    *records("json", "dumps", reason=TEXT),
    *records("numpy", "save savez savez_compressed savetxt", reason=REPORT),
    *records("builtins", f"{_ASKED} {_SPELLED} input dir vars globals locals", reason=PYTHON),
    *records("builtins", _KINDS, reason=PYTHON, asks_kind=True),
    *records("io", "open", reason=PYTHON),
    *records("inspect", "signature isfunction isclass ismethod isbuiltin", reason=PYTHON),
    *records("inspect", "getfullargspec unwrap getdoc getsource", reason=PYTHON),
)
