"""Spectra times the transfer functions of scipy.ndimage's fourier_… functions.

A frequency index k of an axis with n samples is the frequency k / n, in cycles per sample. Gains are made for each axis,
and multiplied where a function is their product.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._drop_in import Fallback, reach

_TYPES = ("b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16")
_PART = 1 << 16  # gains that are made at once
# Functions of the frequencies of every axis, as arrays that broadcast, and of one parameter for each axis.
Gains = Callable[[list[np.ndarray], list[float]], np.ndarray]


def gaussian_gains(frequencies: list[np.ndarray], sigmas: list[float]) -> np.ndarray:
    """exp(−2 π² Σ σ² f²)"""
    return _product([np.asarray(np.exp(-2 * (np.pi * sigma * f) ** 2)) for f, sigma in zip(frequencies, sigmas)])


def uniform_gains(frequencies: list[np.ndarray], sizes: list[float]) -> np.ndarray:
    """Π sin(π size f) / (π size f)"""
    return _product([np.asarray(np.sinc(size * f)) for f, size in zip(frequencies, sizes)])


def ellipsoid_gains(frequencies: list[np.ndarray], sizes: list[float]) -> np.ndarray:
    """The transform of a line, a disk or a ball of volume 1 with these diameters."""
    from scipy.special import j1

    r = np.pi * np.sqrt(sum((size * f) ** 2 for f, size in zip(frequencies, sizes)))
    safe = np.where(r > 0, r, 1.0)
    if len(frequencies) == 1:
        gains = np.sin(safe) / safe
    elif len(frequencies) == 2:
        gains = 2 * j1(safe) / safe
    else:  # the series avoids the cancellation near 0
        series = 1 - safe**2 / 10 + safe**4 / 280
        gains = np.where(safe < 0.03, series, 3 * (np.sin(safe) - safe * np.cos(safe)) / safe**3)
    return np.where(r > 0, gains, 1.0)


def shift_gains(frequencies: list[np.ndarray], shifts: list[float]) -> np.ndarray:
    """exp(−2 π i Σ shift f)"""
    return _product([np.exp(-2j * np.pi * shift * f) for f, shift in zip(frequencies, shifts)])


def _product(factors: list[np.ndarray]) -> np.ndarray:
    result = factors[0]
    for factor in factors[1:]:
        result = result * factor
    return result


def _parameters(value: Any, gains: Gains, axes: int) -> list[float]:
    try:
        numbers = np.broadcast_to(np.asarray(value, "f8"), axes) if np.ndim(value) == 0 else np.asarray(value, "f8")
    except (TypeError, ValueError):
        raise Fallback("the parameter is no number") from None
    if numbers.shape != (axes,) or not np.isfinite(numbers).all():
        raise Fallback("the parameter is not one finite number, or one for each axis")
    if gains in (uniform_gains, ellipsoid_gains) and (numbers <= 0).any():
        raise Fallback("a size of 0 or below")
    return numbers.tolist()


def _frequencies(shape: tuple[int, ...], n: int, axis: int) -> list[np.ndarray]:
    """The frequencies of every axis, shaped to broadcast. `axis` is that of a real transform of n samples if n ≥ 0."""
    frequencies = []
    for i, size in enumerate(shape):
        if size == 1:  # SciPy leaves axes of one element as they are
            f = np.zeros(1)
        elif i == axis and n >= 0:
            f = np.arange(size) / n
        else:
            f = np.fft.fftfreq(size, 1.0)
        frequencies.append(f.reshape([-1 if i == other else 1 for other in range(len(shape))]))
    return frequencies


def _result(output: Any, input: np.ndarray, needs_complex: bool) -> np.ndarray:
    """The caller's array for the result, or a new one."""
    if output is None:
        kept = ("c8", "c16") if needs_complex else ("c8", "c16", "f4")
        dtype = input.dtype if input.dtype in kept else np.dtype("c16" if needs_complex else "f8")
        return np.empty(input.shape, dtype)
    if isinstance(output, type) and output in (np.complex64, np.complex128, np.float32, np.float64):
        output = np.empty(input.shape, output)
    if not isinstance(output, np.ndarray) or output.shape != input.shape or not output.flags.writeable or \
            output.dtype not in ("f4", "f8", "c8", "c16"):
        raise Fallback("the output is no array for the result, and no type of one")
    if output.dtype.kind == "f" and (needs_complex or input.dtype.kind == "c"):
        raise Fallback("complex results in a real output")
    return output


def _store_product(input: np.ndarray, gains: np.ndarray, output: np.ndarray) -> None:
    """Multiplies in doubles, as SciPy does. Real gains leave real and imaginary parts apart."""
    if gains.dtype.kind == "c" or input.dtype.kind != "c":
        np.multiply(input, gains, out=output, casting="unsafe")
        return
    np.multiply(input.real, gains, out=output.real, casting="unsafe")
    np.multiply(input.imag, gains, out=output.imag, casting="unsafe")


def multiply(gains: Gains, input: Any, parameter: Any, n: Any, axis: Any, output: Any) -> np.ndarray:
    """Multiplies a spectrum with gains. The arguments are those of SciPy's functions."""
    array = np.asarray(input)
    if array.ndim == 0 or array.size == 0 or array.dtype not in _TYPES:
        raise Fallback("the array has no axes or no elements, or another type")
    if gains is ellipsoid_gains and array.ndim > 3:
        raise Fallback("ellipsoids of more than three axes")
    if not isinstance(axis, (int, np.integer)) or not isinstance(n, (int, np.integer)) or n == 0 or \
            not -array.ndim <= axis < array.ndim:
        raise Fallback("the axis, or the number of its samples")
    parameters = _parameters(parameter, gains, array.ndim)
    result = _result(output, array, gains is shift_gains)
    if np.may_share_memory(array, result) and array is not result:
        array = array.copy()
    reach()
    frequencies = _frequencies(array.shape, int(n), int(axis) % array.ndim)
    first = frequencies[0]
    part = max(1, _PART * len(first) // array.size)
    for row in range(0, len(first), part):  # gains of some rows at a time stay in the caches
        rows = slice(row, row + part)
        _store_product(array[rows], gains([first[rows], *frequencies[1:]], parameters), result[rows])
    return result
