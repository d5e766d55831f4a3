"""What the drop-ins for SciPy share: falling through to SciPy, and running filters with SciPy's types."""
from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ._abbe import DeviceError
from ._filters import Filter
from ._plans import Plan, keep_plan


class Fallback(Exception):
    """Raised where a drop-in cannot do what SciPy does; its text is the reason. SciPy is called instead."""


class Support(NamedTuple):
    """Whether Abbe computes a call, and if not, why. It is true or false."""

    supported: bool
    reason: str

    def __bool__(self) -> bool:
        return self.supported


class _Reached(Exception):
    """Raised by run_filter where supports() only asks."""


class _State(threading.local):
    asking = False


_state = _State()
# How many calls each function computed itself, and how many SciPy did.
calls: dict[tuple[str, str], int] = {}


def count(name: str, who: str) -> None:
    calls[name, who] = calls.get((name, who), 0) + 1


def drop_in(original: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Makes a function the drop-in of SciPy's `original`, which is called where it raises Fallback."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        known = inspect.signature(function).parameters
        name = function.__name__

        @functools.wraps(original)
        def call(*args: Any, **keywords: Any) -> Any:
            try:
                if not keywords.keys() <= known.keys() or len(args) > len(known):
                    raise Fallback("an argument is unknown")
                result = function(*args, **keywords)
            except Fallback:
                if _state.asking:
                    raise
                count(name, "scipy")
                return original(*args, **keywords)
            count(name, "abbe")
            return result

        call.__module__ = function.__module__
        call.__signature__ = inspect.signature(original)  # type: ignore[attr-defined]
        return call

    return decorate


def ask(function: Callable[..., Any], *args: Any, **keywords: Any) -> Support:
    """Tells whether a drop-in computes a call itself, without computing it."""
    _state.asking = True
    try:
        function(*args, **keywords)
    except _Reached:
        return Support(True, "")
    except Fallback as reason:
        return Support(False, str(reason))
    finally:
        _state.asking = False
    return Support(True, "")


def read_array(input: Any) -> np.ndarray:
    """Returns an array of a type that the library has, or raises Fallback."""
    array = np.asarray(input)
    kind, size = array.dtype.kind, array.dtype.itemsize
    if array.ndim == 0 or array.size == 0:
        raise Fallback("the array has no axes or no elements")
    if kind not in "buif" or array.dtype == np.float16 or size > 8:
        raise Fallback(f"arrays of the type {array.dtype}")
    if kind == "b":
        return array.view("u1")
    if kind in "iu" and size == 8:
        return array.astype("f8")
    if array.dtype == np.int8:
        return array.astype("i2")
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def run_filter(array: np.ndarray, filter: Filter, dtype: np.dtype, gain: float, **options: Any) -> np.ndarray:
    """Filters an array and returns the result in a float type, or truncated in an integer type.

    dtype   the type of the result. float32 from floats and small integers is computed in floats, everything
            else in doubles, because SciPy computes in doubles.
    gain    Σ|taps|, for the rounding errors of integers.
    """
    floats = dtype == np.float32 and array.dtype.kind in "fiu" and array.dtype.itemsize <= (
        4 if array.dtype.kind == "f" else 2)
    if dtype.kind not in "fiu" or dtype == np.float16 or dtype.itemsize > 8 or dtype == np.uint64:
        raise Fallback(f"results of the type {dtype}")
    if _state.asking:
        check_finite(array)
        raise _Reached
    options.update(result_dtype=np.dtype("f4" if floats else "f8"), precision="full" if floats else "double")
    try:
        if filter.nbytes > 1 << 20:  # large kernels seldom come twice
            plan = Plan(array.shape, array.dtype, filter, **options)
        else:
            plan = keep_plan(array.shape, array.dtype, filter, options)
        result = plan(array)
    except (ValueError, DeviceError) as error:
        raise Fallback(str(error)) from None
    return result.astype(dtype, copy=False) if dtype.kind == "f" else truncate(result, dtype, largest(array) * gain)


def check_finite(array: np.ndarray) -> None:
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise Fallback("samples are not finite")


def largest(array: np.ndarray) -> float:
    """Returns a bound of the magnitudes in an array."""
    if array.dtype.kind in "iu" and array.dtype.itemsize <= 2:
        return float(np.iinfo(array.dtype).max)
    return max(abs(float(array.min())), abs(float(array.max())))


def truncate(result: np.ndarray, dtype: np.dtype, scale: float) -> np.ndarray:
    """Converts doubles to integers as SciPy's C code does: towards 0, wrapping around.

    What lies within the rounding error of a whole number is that number: 2.9999999999999996 is 3.
    """
    whole = np.rint(result)
    near = np.abs(result - whole) <= 1e-13 * scale
    np.trunc(result, out=result)
    np.copyto(result, whole, where=near)
    if not np.abs(result).max(initial=0) < 2.0**62:
        raise Fallback("results exceed the integers")
    return result.astype("i8").astype(dtype, copy=False)
