"""Drop-ins for scipy.signal: fftconvolve, oaconvolve, convolve2d and correlate2d, computed by Abbe.

    import abbe.signal as signal

Every other name of scipy.signal is SciPy's own. Arrays of one and two axes with real numbers run on Abbe;
supports() tells why SciPy is called for others. Results in float32 are computed in floats, results in float64
and integers in doubles.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, Union

import numpy as np
import scipy.signal as _scipy

from ._drop_in import Fallback, Support, answer, drop_in, read_array, run_filter
from ._filters import Filter
from ._integers import Stencil, find_largest

__all__ = ["convolve2d", "correlate2d", "fftconvolve", "oaconvolve", "supports"]

# SciPy's functions as they are now, also if somebody puts ours in their place.
_original = {name: getattr(_scipy, name) for name in __all__ if name != "supports"}

_BORDERS = {"fill": "constant", "pad": "constant", "wrap": "wrap", "circular": "wrap", "symm": "reflect",
            "symmetric": "reflect"}


def __getattr__(name: str) -> Any:
    return getattr(_scipy, name)


def __dir__() -> list[str]:
    return sorted({*__all__, *dir(_scipy)})


def supports(function: Union[str, Callable[..., Any]], *args: Any, **keywords: Any) -> Support:
    """Tells whether Abbe computes a call itself: supports("fftconvolve", a, b).

    The answer is true or false, and has the reason why SciPy is called instead. Nothing is computed.
    """
    return answer({name: globals()[name] for name in _original}, function, args, keywords)


def _read(in1: Any, in2: Any) -> tuple[np.ndarray, np.ndarray]:
    """Both arrays, as the library reads them."""
    first, second = read_array(in1), read_array(in2)
    if first.ndim != second.ndim or first.ndim > 2:
        raise Fallback("not two arrays of one axis, or of two")
    return first, second


def _must_swap(mode: Any, first: np.ndarray, second: np.ndarray) -> bool:
    """Whether "valid" exchanges the arrays, because the second is the larger one."""
    if mode != "valid" or all(a >= b for a, b in zip(first.shape, second.shape)):
        return False
    if all(b >= a for a, b in zip(first.shape, second.shape)):
        return True
    raise Fallback("neither array is as large as the other along every axis")


def _run(picture: np.ndarray, taps: np.ndarray, dtype: np.dtype, window: Any, border: str = "zero",
         border_value: float = 0.0, correlate: bool = False) -> np.ndarray:
    """Filters a picture by taps whose centre is where SciPy has it."""
    axes = (0,) if picture.ndim == 1 else (0, 1)
    taps = np.atleast_2d(taps.astype("f8", copy=False))
    centre = (taps.shape[0] - 1) // 2, (taps.shape[1] - 1) // 2
    try:
        filter = Filter.from_kernel(taps, centre)
    except ValueError as error:
        raise Fallback(str(error)) from None
    return run_filter(picture, filter, dtype, Stencil(taps, centre, axes, border, border_value, correlate),
                      window=window)


# ---- Convolution of arrays with zeros around them ----


def _result_type(in1: Any, in2: Any) -> np.dtype:
    """float32 for two arrays of floats, float64 for others, as SciPy's transforms have it."""
    floats = all(np.asarray(array).dtype.newbyteorder("=") == np.float32 for array in (in1, in2))
    return np.dtype("f4" if floats else "f8")


def _are_all(axes: Any, count: int) -> bool:
    """Whether the argument `axes` names every axis, once."""
    if axes is None:
        return True
    listed = [axes] if isinstance(axes, (int, np.integer)) else list(axes)
    return all(isinstance(axis, (int, np.integer)) and -count <= axis < count for axis in listed) \
        and sorted(axis % count for axis in listed) == list(range(count))


def _convolve(in1: Any, in2: Any, mode: Any, axes: Any) -> np.ndarray:
    first, second = _read(in1, in2)
    if not _are_all(axes, first.ndim):
        raise Fallback("not all axes are convolved")
    if mode not in ("full", "same", "valid"):
        raise Fallback(f"the mode {mode!r}")
    # SciPy multiplies along axes of one element, which changes the type or the shape of results.
    single = [a == 1 or b == 1 for a, b in zip(first.shape, second.shape)]
    if all(single) or (mode == "valid" and any(single)):
        raise Fallback("axes of one element, which SciPy does not convolve")
    dtype = _result_type(in1, in2)
    if _must_swap(mode, first, second) or (mode == "full" and second.size > first.size):
        first, second = second, first
    if mode == "same" and second.size > first.size:
        return _same_of_larger(first, second, dtype)
    return _run(first, second, dtype, mode)


def _same_of_larger(first: np.ndarray, second: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The middle, of the size of the first array, of a convolution with a larger one."""
    begin = [(b - 1) // 2 - (a - 1) // 2 for a, b in zip(first.shape, second.shape)]
    size = list(first.shape)
    if len(begin) == 1:
        begin, size = [0, *begin], [1, *size]
    return _run(second, first, dtype, (*begin, *size))


@drop_in(_original["fftconvolve"])
def fftconvolve(in1, in2, mode="full", axes=None):
    return _convolve(in1, in2, mode, axes)


@drop_in(_original["oaconvolve"])
def oaconvolve(in1, in2, mode="full", axes=None):
    return _convolve(in1, in2, mode, axes)


# ---- Convolution of pictures with a border ----


def _check_exact(dtype: np.dtype, picture: np.ndarray, taps: np.ndarray) -> None:
    """Integers are computed in doubles, which must have room for every sum and for the rounding errors."""
    if dtype.kind in "iu" and find_largest(picture) * float(np.abs(taps.astype("f8")).sum()) >= 1e11:
        raise Fallback("integers that are too large for double precision")


def _filter_picture(in1: Any, in2: Any, mode: Any, boundary: Any, fillvalue: Any, correlate: bool) -> np.ndarray:
    first, second = _read(in1, in2)
    if first.ndim != 2:
        raise Fallback("arrays of one axis")
    dtype = np.result_type(np.asarray(in1).dtype, np.asarray(in2).dtype)
    fill = np.asarray(fillvalue)
    if mode not in ("full", "same", "valid") or boundary not in _BORDERS:
        raise Fallback("the mode, or the boundary")
    if dtype.kind == "b" or fill.size != 1 or fill.dtype.kind not in "buif" or not np.isfinite(fill).all():
        raise Fallback("the type of the arrays, or of the fill value")
    swapped = _must_swap(mode, first, second)
    if swapped:
        first, second = second, first
    _check_exact(dtype, first, second)
    result = _run(first, second, dtype, mode, _BORDERS[boundary], float(fill.astype(dtype).reshape(())), correlate)
    return result[::-1, ::-1] if swapped and correlate else result


@drop_in(_original["convolve2d"])
def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    return _filter_picture(in1, in2, mode, boundary, fillvalue, False)


@drop_in(_original["correlate2d"])
def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    return _filter_picture(in1, in2, mode, boundary, fillvalue, True)
