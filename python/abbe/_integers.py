"""Results in integers for the drop-ins.

SciPy computes in doubles and truncates. Where the arithmetic of floats is enough to know the same integers, they are
computed in floats, which is several times faster:

- Taps that are integers, or fractions with one denominator q as those of a mean, make results that are multiples of
  1/q. A float whose error is below half of that tells which one it is.
- Of other results, all but those within their error of a whole number are truncated to the right integer. The few
  that are left are computed again, in doubles.
"""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np

from ._abbe import truncate

_ROUNDING = 2.0**-24  # of one operation of floats, relative
_OPERATIONS = 8  # of one sample, besides its products and sums: conversions, and the rounding of taps
_TAPS_MOST = 600  # larger kernels are faster by transforms in double precision
_LARGEST = 2.0**22  # results in floats
_UNDECIDED_MOST = 64  # one of as many results may be left
_ERROR_MOST = 1 / 256  # with larger errors, too many are left


class Stencil(NamedTuple):
    """What one result is computed from: out[p] = Σ taps[k] · in[p ± (k − centre)]; + where it correlates."""

    taps: np.ndarray  # rows, columns
    centre: tuple[int, int]
    axes: tuple[int, ...]  # one axis: that of the columns
    border: str
    border_value: float
    correlate: bool

    @property
    def gain(self) -> float:
        return float(np.abs(self.taps).sum())

    def find_grain(self) -> float:
        """Returns 1/q where all taps are multiples of it and q is an integer, and 0 for other taps."""
        magnitudes = np.abs(self.taps[self.taps != 0])
        if magnitudes.size == 0 or (magnitudes == np.rint(magnitudes)).all():
            return 1.0
        q = np.rint(1 / magnitudes.min())
        multiples = magnitudes * q
        near = np.abs(multiples - np.rint(multiples)) <= 1e-12 * multiples
        return float(1 / q) if q and near.all() else 0.0

    def compute(self, array: np.ndarray, positions: np.ndarray) -> np.ndarray:
        """Returns the results at some positions, in doubles."""
        rows, columns = np.nonzero(self.taps)
        taps = self.taps[rows, columns]
        sign = 1 if self.correlate else -1
        steps = [sign * (rows - self.centre[0]), sign * (columns - self.centre[1])][2 - len(self.axes):]
        results = np.empty(len(positions))
        part = max(1, (1 << 20) // max(1, taps.size))
        for start in range(0, len(positions), part):
            found: Any = np.unravel_index(positions[start:start + part], array.shape)
            place = [index[:, None] for index in found]
            outside = np.False_
            for axis, step in zip(self.axes, steps):
                place[axis], beyond = _fold(place[axis] + step, array.shape[axis], self.border)
                outside = outside | beyond
            samples = array[tuple(place)].astype("f8")
            results[start:start + part] = np.where(outside, self.border_value, samples) @ taps
        return results


def _fold(index: np.ndarray, size: int, border: str) -> tuple[np.ndarray, Any]:
    """Returns positions inside the array for positions anywhere, and which of them have the border's value."""
    if border == "reflect":
        index = index % (2 * size)
        return np.minimum(index, 2 * size - 1 - index), np.False_
    if border == "mirror":
        period = max(1, 2 * size - 2)
        index = index % period
        return np.minimum(index, period - index) if size > 1 else index, np.False_
    if border == "wrap":
        return index % size, np.False_
    inside = np.clip(index, 0, size - 1)
    return inside, np.False_ if border == "clamp" else inside != index


def find_largest(array: np.ndarray) -> float:
    """Returns a bound of the magnitudes in an array."""
    if array.dtype == np.uint8:
        return 255.0
    return max(abs(float(array.min())), abs(float(array.max())))


def narrow(array: np.ndarray, largest: float) -> np.ndarray:
    """Returns integers of 32 bits in 16, if these hold them: the library reads them faster."""
    return array.astype("i2") if array.dtype.itemsize == 4 and largest < 2**15 else array


class Exactness(NamedTuple):
    """How floats tell the integers."""

    margin: float  # results this close to a whole number are that number, or undecided
    decided: bool  # whether no result is undecided


def find_exactness(stencil: Stencil, array: np.ndarray, largest: float, same_shape: bool) -> Optional[Exactness]:
    """Tells how results in floats become SciPy's integers, or None where they do not."""
    taps = stencil.taps
    if array.dtype.kind not in "iu" or array.dtype.itemsize > 2 or taps.size > _TAPS_MOST:
        return None
    if stencil.border == "constant":
        largest = max(largest, abs(stencil.border_value))
    bound = stencil.gain * largest
    error = (taps.size + _OPERATIONS) * _ROUNDING * bound
    if bound >= _LARGEST:
        return None
    whole_border = stencil.border != "constant" or stencil.border_value == int(stencil.border_value)
    grain = stencil.find_grain() if whole_border else 0.0
    if error < 0.49 * grain:
        return Exactness(0.5 * grain, True)
    return Exactness(error, False) if same_shape and error <= _ERROR_MOST else None


def settle(floats: np.ndarray, dtype: np.dtype, exactness: Exactness, stencil: Stencil,
           array: np.ndarray) -> Optional[np.ndarray]:
    """Converts results in floats to integers; computes those again that floats do not decide.

    None where that are too many.
    """
    result = np.empty(floats.shape, dtype)
    if exactness.decided:
        truncate(floats, result, exactness.margin, -1)
        return result
    found = truncate(floats, result, exactness.margin, 256 + floats.size // _UNDECIDED_MOST)
    if found is None:
        return None
    positions = np.frombuffer(found, "i8")
    if positions.size:
        numbers = stencil.compute(array, positions)
        result.flat[positions] = truncate_doubles(numbers, dtype, find_largest(array) * stencil.gain)
    return result


def truncate_doubles(numbers: np.ndarray, dtype: np.dtype, scale: float) -> np.ndarray:
    """Converts doubles to integers as SciPy's C code does: towards 0, wrapping around.

    scale   of the numbers and their rounding errors. What lies within these of a whole number is that number:
            2.9999999999999996 is 3. Raises OverflowError where a number exceeds the integers.
    """
    result = np.empty(numbers.shape, dtype)
    truncate(np.ascontiguousarray(numbers), result, 1e-13 * scale, -1)
    return result
