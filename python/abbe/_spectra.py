"""Spectra of pictures, and the periodic components that they show."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np

from . import _abbe
from ._arrays import check_array, find_layout
from ._filters import Filter


def spectrum(array: Any, *, axes: Optional[tuple[int, int]] = None, packed: bool = False) -> np.ndarray:
    """Returns the Fourier transform of real pictures, complex64, in the order of numpy.fft.fft2.

    axes     the axes of rows and columns; None: the last two.
    packed   returns the packed spectrum (Moreland & Angel 2003) instead: as many float32 as there are samples.

    The transform carries 1/(width·height): spectrum(a) is numpy.fft.fft2(a) / (width·height), computed in
    floats. Integers stand for themselves.
    """
    array = check_array(array)
    if array.dtype.kind != "f":
        array = array.astype("f4")
    layout = find_layout(array.shape, (-2, -1) if axes is None else tuple(axes), None)
    if layout.rows is None:
        raise ValueError("a spectrum has two axes")
    source = layout.source(array)
    result = np.empty(source.shape, "f4")
    _abbe.spectrum_forward(source, result)
    if not packed:
        numbers, result = result, np.empty(source.shape, "c8")
        height, width = source.shape[-2:]
        _abbe.spectrum_unpack(width, height, numbers.size // (width * height), numbers, result)
    return result.transpose(np.argsort(layout.order))


def ispectrum(spectrum: Any, *, axes: Optional[tuple[int, int]] = None) -> np.ndarray:
    """Returns the real pictures, float32, of spectra: complex, or real where they are packed."""
    array = np.asarray(spectrum)
    packed = array.dtype.kind != "c"
    layout = find_layout(array.shape, (-2, -1) if axes is None else tuple(axes), None)
    if layout.rows is None:
        raise ValueError("a spectrum has two axes")
    numbers = np.ascontiguousarray(array.transpose(layout.order), "f4" if packed else "c8")
    if not packed:
        height, width = numbers.shape[-2:]
        spectra, numbers = numbers, np.empty(numbers.shape, "f4")
        _abbe.spectrum_pack(width, height, numbers.size // (width * height), spectra, numbers)
    result = np.empty(numbers.shape, "f4")
    _abbe.spectrum_inverse(numbers, result)
    return result.transpose(np.argsort(layout.order))


class Peak(NamedTuple):
    """A periodic component of a picture: amplitude · cos(π(x·column + y·row) + phase)."""

    x: float  # fractions of Nyquist, as the filter "notch" takes them; y points down
    y: float
    amplitude: float
    prominence: float  # how many times stronger than the frequencies around it
    radius: float  # of the notch that removes it
    harmonic: int
    fundamental: int  # index of the fundamental in the list

    @property
    def text(self) -> str:
        """The filter that removes the component."""
        return f"notch:x={self.x:.6g}:y={self.y:.6g}:radius={self.radius:.6g}"


def find_peaks(picture: Any, *, channel_axis: Optional[int] = None, most: int = 0,
               prominence: float = 0.0) -> list[Peak]:
    """Finds the strongest periodic components of a picture: the screen of a print, moiré, hum, weaves.

    channel_axis   the axis of the channels, without alpha; all of them count.
    most           the longest list; 0: 64.
    prominence     the least; 0: 7, which random noise does not reach.
    """
    array = check_array(picture)
    layout = find_layout(array.shape, None, channel_axis)
    found = _abbe.find_peaks(layout.source(array), layout.channel is not None, most, prominence)
    return [Peak(*peak) for peak in found]


def remove_peaks(peaks: list[Peak]) -> Filter:
    """Returns the filter that removes periodic components; the identity for an empty list."""
    return Filter(",".join(peak.text for peak in peaks) or "identity")
