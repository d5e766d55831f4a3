"""What the drop-ins for SciPy share: falling through to SciPy, and running filters with SciPy's types."""
from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable
from typing import Any, NamedTuple, Union

import numpy as np

from ._abbe import DeviceError
from ._filters import Filter
from ._integers import Stencil, find_exactness, find_largest, narrow, settle, truncate_doubles
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
    """Raised where Abbe would begin to compute, while supports() only asks."""


class _State(threading.local):
    asking = False
    filtered = 0  # how often Abbe filtered an array


_state = _State()
# How many calls each function computed itself, and how many SciPy did.
calls: dict[tuple[str, str], int] = {}


def count(name: str, who: str) -> None:
    calls[name, who] = calls.get((name, who), 0) + 1


def reach() -> None:
    """Called where Abbe begins to compute what a drop-in is asked for."""
    if _state.asking:
        raise _Reached
    _state.filtered += 1


def drop_in(original: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Makes a function the drop-in of SciPy's `original`, which is called where it raises Fallback."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        known = inspect.signature(function).parameters
        name = function.__name__

        @functools.wraps(original)
        def call(*args: Any, **keywords: Any) -> Any:
            before = _state.filtered
            try:
                if not keywords.keys() <= known.keys() or len(args) > len(known):
                    raise Fallback("an argument is unknown")
                result = function(*args, **keywords)
            except Fallback:
                if _state.asking:
                    raise
                count(name, "scipy")
                return original(*args, **keywords)
            count(name, "abbe" if _state.filtered > before else "scipy")
            return result

        call.__module__ = function.__module__
        call.__signature__ = inspect.signature(original)  # type: ignore[attr-defined]
        return call

    return decorate


def answer(drop_ins: dict[str, Callable[..., Any]], function: Union[str, Callable[..., Any]], args: tuple[Any, ...],
           keywords: dict[str, Any]) -> Support:
    """Tells whether one of the drop-ins of a module computes a call itself, without computing it."""
    name = function if isinstance(function, str) else getattr(function, "__name__", repr(function))
    if name not in drop_ins:
        return Support(False, f"{name} is SciPy's")
    _state.asking = True
    try:
        drop_ins[name](*args, **keywords)
    except _Reached:
        return Support(True, "")
    except Fallback as reason:
        return Support(False, str(reason))
    finally:
        _state.asking = False
    return Support(False, "the call filters nothing")


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


def run_filter(array: np.ndarray, filter: Filter, dtype: np.dtype, stencil: Stencil, method: str = "auto",
               window: Any = "same") -> np.ndarray:
    """Filters an array and returns the result in a float type, or truncated in an integer type.

    dtype     the type of the result. float32 from floats and small integers is computed in floats, and so are
              integers where floats tell them. Everything else is computed in doubles, as SciPy does.
    stencil   the same filter by its taps.
    method    of the library, for doubles.
    """
    if dtype.kind not in "fiu" or dtype == np.float16 or dtype.itemsize > 8 or dtype == np.uint64:
        raise Fallback(f"results of the type {dtype}")
    if _state.asking:
        check_finite(array)
    reach()
    if dtype.kind == "f":
        floats = dtype == np.float32 and (array.dtype.itemsize <= 2 or array.dtype == np.float32)
        return _run(array, filter, stencil, window, floats, method).astype(dtype, copy=False)
    largest = find_largest(array)
    array = narrow(array, largest)
    exactness = find_exactness(stencil, array, largest, window == "same")
    if exactness is not None:
        exact_method = "separable" if 1 in stencil.taps.shape else "direct"
        settled = settle(_run(array, filter, stencil, window, True, exact_method), dtype, exactness, stencil, array)
        if settled is not None:
            return settled
    try:
        return truncate_doubles(_run(array, filter, stencil, window, False, method), dtype, largest * stencil.gain)
    except OverflowError as error:
        raise Fallback(str(error)) from None


def _run(array: np.ndarray, filter: Filter, stencil: Stencil, window: Any, floats: bool, method: str) -> np.ndarray:
    """Filters an array in floats or in doubles."""
    options: dict[str, Any] = {
        "axes": stencil.axes, "border": stencil.border, "border_value": stencil.border_value,
        "correlate": stencil.correlate, "window": window, "method": method,
        "result_dtype": np.dtype("f4" if floats else "f8"), "precision": "full" if floats else "double"}
    try:
        if filter.nbytes > 1 << 20:  # large kernels seldom come twice
            return Plan(array.shape, array.dtype, filter, **options)(array)
        return keep_plan(array.shape, array.dtype, filter, options)(array)
    except (ValueError, DeviceError) as error:
        raise Fallback(str(error)) from None


def check_finite(array: np.ndarray) -> None:
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise Fallback("samples are not finite")
