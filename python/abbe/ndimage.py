"""Drop-ins for scipy.ndimage: the same signatures, types and results, computed by Abbe.

    import abbe.ndimage as ndimage

convolve, correlate, convolve1d, correlate1d, gaussian_filter, gaussian_filter1d, gaussian_laplace,
gaussian_gradient_magnitude, uniform_filter, uniform_filter1d, sobel, prewitt, laplace and the fourier_… functions are
here, and generic_laplace and generic_gradient_magnitude, which filter by Abbe where the function that they are given
does. Every other name of scipy.ndimage is SciPy's own. Where Abbe cannot do what a call asks for (complex numbers,
kernels of three axes, NaN, …) SciPy is called; supports() tells.

Results in float64 are computed in double precision, and integers are those of double precision. float32 from float32
and small integers is computed in floats; its errors are relative to the whole picture (docs/python.md).
"""
from __future__ import annotations

import functools
import numbers
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Optional, Union

import numpy as np
import scipy.ndimage as _scipy

from . import _fourier
from ._drop_in import Fallback, Support, answer, drop_in, read_array, run_filter
from ._filters import Filter
from ._integers import Stencil

__all__ = [
    "convolve", "convolve1d", "correlate", "correlate1d", "fourier_ellipsoid", "fourier_gaussian", "fourier_shift",
    "fourier_uniform", "gaussian_filter", "gaussian_filter1d", "gaussian_gradient_magnitude", "gaussian_laplace",
    "generic_gradient_magnitude", "generic_laplace", "laplace", "prewitt", "sobel", "supports", "uniform_filter",
    "uniform_filter1d",
]

# SciPy's functions as they are now, also if somebody puts ours in their place.
_original = {name: getattr(_scipy, name) for name in __all__ if name != "supports"}

_BORDERS = {"reflect": "reflect", "grid-mirror": "reflect", "mirror": "mirror", "nearest": "clamp",
            "constant": "constant", "grid-constant": "constant", "wrap": "wrap", "grid-wrap": "wrap"}


def __getattr__(name: str) -> Any:
    return getattr(_scipy, name)


def __dir__() -> list[str]:
    return sorted({*__all__, *dir(_scipy)})


def supports(function: Union[str, Callable[..., Any]], *args: Any, **keywords: Any) -> Support:
    """Tells whether Abbe computes a call itself: supports("gaussian_filter", array, 3).

    The answer is true or false, and has the reason why SciPy is called instead. Nothing is computed.
    """
    return answer({name: globals()[name] for name in _original}, function, args, keywords)


# ---- Arguments ----


def _border(mode: Any) -> str:
    border = _BORDERS.get(mode) if isinstance(mode, str) else None
    if border is None:
        raise Fallback(f"the mode {mode!r}")
    return border


def _each(value: Any, count: int) -> list[Any]:
    """One value per axis."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        return [value] * count
    values = list(value)
    if len(values) != count:
        raise Fallback("a sequence whose length is not the number of axes")
    return values


def _number(value: Any) -> float:
    if not isinstance(value, (numbers.Real, np.bool_)) and not (isinstance(value, np.ndarray) and value.ndim == 0):
        raise Fallback("a number is no real number")
    number = float(value)
    if not np.isfinite(number):
        raise Fallback("a number is not finite")
    return number


def _whole(value: Any) -> int:
    if not isinstance(value, numbers.Integral):
        raise Fallback("an integer is no integer")
    return int(value)


def _axis(axis: Any, count: int) -> int:
    axis = _whole(axis)
    if not -count <= axis < count:
        raise Fallback("no such axis")
    return axis % count


def _centre(size: int, origin: Any) -> int:
    """The centre of a kernel of `size` taps, for convolution and correlation alike."""
    centre = size // 2 + _whole(origin)
    if not 0 <= centre < size:
        raise Fallback("the origin is outside the kernel")
    return centre


def _weights(weights: Any, axes: int) -> np.ndarray:
    array = np.asarray(weights)
    if array.dtype.kind not in "buif" or array.ndim != axes or array.size == 0:
        raise Fallback("the weights are no real numbers with as many axes as the array")
    return np.ascontiguousarray(array, "f8")


def _output(output: Any, input: np.ndarray) -> tuple[np.dtype, Optional[np.ndarray]]:
    """The type of the result, and the caller's array for it."""
    if output is None:
        return np.dtype(input.dtype.name), None
    if isinstance(output, np.ndarray):
        if output.shape != input.shape or not output.flags.writeable:
            raise Fallback("the output has another shape, or is read-only")
        return output.dtype, output
    if not isinstance(output, (type, np.dtype, str)):
        raise Fallback("the output is neither an array nor a type")
    try:
        return np.dtype(output), None
    except TypeError:
        raise Fallback("the output is no type") from None


def _store(result: np.ndarray, output: Optional[np.ndarray]) -> np.ndarray:
    if output is None:
        return result
    output[...] = result
    return output


# ---- Kernels ----


@functools.lru_cache(256)
def _kernel_of(taps: bytes, shape: tuple[int, ...], centre: tuple[int, int]) -> Filter:
    return Filter.from_kernel(np.frombuffer(taps).reshape(shape), centre)


def _kernel(taps: np.ndarray, centre: tuple[int, int]) -> Filter:
    """A filter from taps; small ones are kept, so that their plans are found again."""
    try:
        if taps.nbytes <= 1 << 16:
            return _kernel_of(taps.tobytes(), taps.shape, centre)
        return Filter.from_kernel(taps, centre)
    except ValueError as error:
        raise Fallback(str(error)) from None


class _Line(NamedTuple):
    """One axis of a separable filter: taps that are correlated along it."""

    axis: int
    taps: tuple[float, ...]
    centre: int
    border: str


@functools.lru_cache(256)
def _separable(column: tuple[float, ...], row: tuple[float, ...], centre: tuple[int, int]) -> Filter:
    return Filter.from_separable(column, row, centre)


def _run_lines(input: np.ndarray, lines: list[_Line], dtype: np.dtype, cval: float) -> np.ndarray:
    """Filters along one axis after the other.

    Two axes of a result in floats take one plan, if the second would read the first's results beyond the
    border, too: SciPy reads cval there. Integers are truncated after each axis, as SciPy does.
    """
    result = input
    while lines:
        line, lines = lines[0], lines[1:]
        pair = [line]
        if lines and dtype.kind == "f" and lines[0].border == line.border and \
                (line.border != "constant" or cval == 0 or abs(sum(line.taps) - 1) < 1e-12):
            pair.append(lines[0])
            lines = lines[1:]
        result = _run_pair(read_array(result), sorted(pair), dtype, cval)
    return result


def _run_pair(array: np.ndarray, pair: list[_Line], dtype: np.dtype, cval: float) -> np.ndarray:
    """Filters along one axis, or two, of arrays with any number of axes."""
    one, centre = (1.0,), 0
    last = array.ndim - 1
    if len(pair) == 2:
        columns, rows = pair
        axes: tuple[int, ...] = (columns.axis, rows.axis)
        taps = columns.taps, rows.taps
        middle = columns.centre, rows.centre
    elif array.ndim == 1:
        axes, taps, middle = (0,), (one, pair[0].taps), (centre, pair[0].centre)
    elif pair[0].axis == last:
        axes, taps, middle = (last - 1, last), (one, pair[0].taps), (centre, pair[0].centre)
    else:
        axes, taps, middle = (pair[0].axis, last), (pair[0].taps, one), (pair[0].centre, centre)
    try:
        filter = _separable(*taps, middle)
    except ValueError as error:
        raise Fallback(str(error)) from None
    stencil = Stencil(np.outer(*taps), middle, axes, pair[0].border, cval, True)
    # Transforms would leave noise of 10⁻¹⁶ where SciPy has zeros; in floats the result has such noise anyway.
    return run_filter(array, filter, dtype, stencil, "auto" if dtype == np.float32 else "separable")


# ---- One axis ----


def _filter_line(input: Any, taps: np.ndarray, axis: Any, output: Any, mode: Any, cval: Any, centre: int) -> Any:
    array = read_array(input)
    dtype, out = _output(output, np.asarray(input))
    line = _Line(_axis(axis, array.ndim), tuple(taps.tolist()), centre, _border(mode))
    return _store(_run_lines(array, [line], dtype, _number(cval)), out)


@drop_in(_original["correlate1d"])
def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    taps = _weights(weights, 1)
    return _filter_line(input, taps, axis, output, mode, cval, _centre(len(taps), origin))


@drop_in(_original["convolve1d"])
def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    taps = _weights(weights, 1)
    centre = _centre(len(taps), origin)
    return _filter_line(input, taps[::-1], axis, output, mode, cval, len(taps) - 1 - centre)


@drop_in(_original["gaussian_filter1d"])
def gaussian_filter1d(input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *,
                      radius=None):
    taps = np.array(_gaussian(*_gaussian_arguments(sigma, order, truncate, radius)))
    return _filter_line(input, taps, axis, output, mode, cval, len(taps) // 2)


@drop_in(_original["uniform_filter1d"])
def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    size = _size(size)
    return _filter_line(input, np.full(size, 1 / size), axis, output, mode, cval, _centre(size, origin))


# ---- Kernels of two axes ----


def _filter_kernel(input: Any, weights: Any, output: Any, mode: Any, cval: Any, origin: Any, correlate: bool) -> Any:
    array = read_array(input)
    if array.ndim > 2:
        raise Fallback("kernels of three axes")
    taps = _weights(weights, array.ndim)
    dtype, out = _output(output, np.asarray(input))
    centre = [_centre(size, shift) for size, shift in zip(taps.shape, _each(origin, array.ndim))]
    if array.ndim == 1:
        taps, centre = taps[None], [0, *centre]
    middle = centre[0], centre[1]
    axes = (0,) if array.ndim == 1 else (0, 1)
    stencil = Stencil(taps, middle, axes, _border(mode), _number(cval), correlate)
    return _store(run_filter(array, _kernel(taps, middle), dtype, stencil), out)


@drop_in(_original["correlate"])
def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0):
    return _filter_kernel(input, weights, output, mode, cval, origin, True)


@drop_in(_original["convolve"])
def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0):
    return _filter_kernel(input, weights, output, mode, cval, origin, False)


# ---- Separable filters ----


def _size(size: Any) -> int:
    size = _whole(size)
    if size < 1:
        raise Fallback("a size below 1")
    return size


def _gaussian_arguments(sigma: Any, order: Any, truncate: Any, radius: Any) -> tuple[float, int, int]:
    sigma, order = _number(sigma), _whole(order)
    if sigma <= 0 or order < 0:
        raise Fallback("a sigma of 0 or below, or an order below 0")
    radius = int(_number(truncate) * sigma + 0.5) if radius is None else _whole(radius)
    if not 0 <= radius < 1 << 16:
        raise Fallback("a kernel without taps, or with too many")
    return sigma, order, radius


@functools.lru_cache(256)
def _gaussian(sigma: float, order: int, radius: int) -> tuple[float, ...]:
    """Taps of a Gaussian's derivative, for correlation: the sampled Gaussian, normalised, times the Hermite
    polynomial He_order(x/σ)/σ^order."""
    x = np.arange(-radius, radius + 1) / sigma
    taps = np.exp(-0.5 * x * x)
    taps /= taps.sum()
    if order:
        taps *= np.polynomial.hermite_e.hermeval(x, [0] * order + [1]) / sigma**order
    return tuple(taps.tolist())


def _filter_lines(input: Any, lines: list[_Line], output: Any, cval: Any) -> Any:
    array = read_array(input)
    dtype, out = _output(output, np.asarray(input))
    if not lines:
        raise Fallback("nothing to filter")
    return _store(_run_lines(array, lines, dtype, _number(cval)), out)


@drop_in(_original["gaussian_filter"])
def gaussian_filter(input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None):
    axes = np.ndim(input)
    lines = []
    for axis, (width, degree, border, reach) in enumerate(zip(
            _each(sigma, axes), _each(order, axes), _each(mode, axes), _each(radius, axes))):
        if _number(width) > 1e-15:
            taps = _gaussian(*_gaussian_arguments(width, degree, truncate, reach))
            lines.append(_Line(axis, taps, len(taps) // 2, _border(border)))
    return _filter_lines(input, lines, output, cval)


@drop_in(_original["uniform_filter"])
def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0):
    axes = np.ndim(input)
    lines = []
    for axis, (length, shift, border) in enumerate(zip(
            _each(size, axes), _each(origin, axes), _each(mode, axes))):
        if length > 1:
            length = int(length)
            lines.append(_Line(axis, (1 / length,) * length, _centre(length, shift), _border(border)))
    return _filter_lines(input, lines, output, cval)


def _edges(input: Any, axis: Any, output: Any, mode: Any, cval: Any, smooth: tuple[float, ...]) -> Any:
    """A difference along one axis, smoothed along the others."""
    axes = np.ndim(input)
    if axes == 0:
        raise Fallback("the array has no axes")
    axis = _axis(axis, axes)
    borders = [_border(border) for border in _each(mode, axes)]
    lines = [_Line(axis, (-1.0, 0.0, 1.0), 1, borders[axis])]
    lines += [_Line(other, smooth, 1, borders[other]) for other in range(axes) if other != axis]
    return _filter_lines(input, lines, output, cval)


@drop_in(_original["prewitt"])
def prewitt(input, axis=-1, output=None, mode="reflect", cval=0.0):
    return _edges(input, axis, output, mode, cval, (1.0, 1.0, 1.0))


@drop_in(_original["sobel"])
def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0):
    return _edges(input, axis, output, mode, cval, (1.0, 2.0, 1.0))


# ---- Sums of them: SciPy's functions, which call ours for every axis ----


def _own(derivative: Callable[..., Any]) -> Callable[..., Any]:
    """The drop-in of one of SciPy's functions, such as sobel; every other function itself."""
    for name, original in _original.items():
        if derivative is original:
            return globals()[name]
    return derivative


@drop_in(_original["generic_laplace"])
def generic_laplace(input, derivative2, output=None, mode="reflect", cval=0.0, extra_arguments=(),
                    extra_keywords=None):
    read_array(input)
    return _original["generic_laplace"](input, _own(derivative2), output, mode, cval, extra_arguments, extra_keywords)


@drop_in(_original["generic_gradient_magnitude"])
def generic_gradient_magnitude(input, derivative, output=None, mode="reflect", cval=0.0, extra_arguments=(),
                               extra_keywords=None):
    read_array(input)
    return _original["generic_gradient_magnitude"](input, _own(derivative), output, mode, cval, extra_arguments,
                                                   extra_keywords)


@drop_in(_original["laplace"])
def laplace(input, output=None, mode="reflect", cval=0.0):
    read_array(input)

    def second(array: np.ndarray, axis: int, output: Any, mode: Any, cval: Any) -> np.ndarray:
        return correlate1d(array, [1, -2, 1], axis, output, mode, cval, 0)

    return _original["generic_laplace"](input, second, output, mode, cval)


def _gaussian_derivative(order: int) -> Callable[..., np.ndarray]:
    def derivative(array: np.ndarray, axis: int, output: Any, mode: Any, cval: Any, sigma: Any,
                   **keywords: Any) -> np.ndarray:
        orders = [0] * array.ndim
        orders[axis] = order
        return gaussian_filter(array, sigma, orders, output, mode, cval, **keywords)

    return derivative


@drop_in(_original["gaussian_laplace"])
def gaussian_laplace(input, sigma, output=None, mode="reflect", cval=0.0, *, truncate=4.0, radius=None):
    read_array(input)
    return _original["generic_laplace"](input, _gaussian_derivative(2), output, mode, cval, (sigma,),
                                        {"truncate": truncate, "radius": radius})


@drop_in(_original["gaussian_gradient_magnitude"])
def gaussian_gradient_magnitude(input, sigma, output=None, mode="reflect", cval=0.0, *, truncate=4.0, radius=None):
    read_array(input)
    return _original["generic_gradient_magnitude"](input, _gaussian_derivative(1), output, mode, cval, (sigma,),
                                                   {"truncate": truncate, "radius": radius})


# ---- Spectra, which are multiplied ----


@drop_in(_original["fourier_gaussian"])
def fourier_gaussian(input, sigma, n=-1, axis=-1, output=None):
    return _fourier.multiply(_fourier.gaussian_gains, input, sigma, n, axis, output)


@drop_in(_original["fourier_uniform"])
def fourier_uniform(input, size, n=-1, axis=-1, output=None):
    return _fourier.multiply(_fourier.uniform_gains, input, size, n, axis, output)


@drop_in(_original["fourier_ellipsoid"])
def fourier_ellipsoid(input, size, n=-1, axis=-1, output=None):
    return _fourier.multiply(_fourier.ellipsoid_gains, input, size, n, axis, output)


@drop_in(_original["fourier_shift"])
def fourier_shift(input, shift, n=-1, axis=-1, output=None):
    return _fourier.multiply(_fourier.shift_gains, input, shift, n, axis, output)
