"""Filters: what is done to a picture."""
from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Optional, Union

import numpy as np

from . import _abbe


class Reach(NamedTuple):
    """Pixels that a filter reads beyond each side."""

    left: int
    right: int
    up: int
    down: int


def load_matrix(filter: str, name: str) -> Any:
    """Loads the numbers of a file for Filter.parse: .npy files, or rows of numbers as text."""
    if name.endswith(".npy"):
        return _doubles(np.load(name, allow_pickle=False), 2)
    with open(name, "rb") as file:
        return file.read()


def _doubles(numbers: Any, axes: int, dtype: str = "f8") -> np.ndarray:
    array = np.asarray(numbers)
    if array.dtype.kind not in ("biufc" if dtype == "c16" else "biuf"):
        raise TypeError(f"numbers of the type {array.dtype} are no {'complex' if dtype == 'c16' else 'real'} numbers")
    if array.ndim != axes:
        raise ValueError(f"an array with {axes} axes is needed, not {array.ndim}")
    return np.ascontiguousarray(array, dtype)


class _Transfer:
    """Calls a function of frequency for the extension: buffers in, gains out. It pickles with its function."""

    __slots__ = ("function",)

    def __init__(self, function: Callable[[np.ndarray, np.ndarray], Any]) -> None:
        self.function = function

    def __call__(self, fx: bytes, fy: bytes) -> np.ndarray:
        x, y = np.frombuffer(fx), np.frombuffer(fy)
        gains = np.asarray(self.function(x, y))
        try:
            return np.ascontiguousarray(np.broadcast_to(gains, x.shape), dtype="c16")
        except ValueError:
            raise ValueError(f"the transfer function returned the shape {gains.shape} "
                             f"for frequencies of the shape {x.shape}") from None


class Filter:
    """A filter. Filters never change, belong to no device, and pickle.

    Filter("gaussian:sigma=3")             as Filter.parse
    Filter.from_kernel(taps)               convolves with taps
    Filter.from_separable(column, row)     convolves with the outer product of two lines of taps
    Filter.from_mask(gains)                real gains, frequency 0 in the middle
    Filter.from_gains(gains)               complex gains in the order of numpy.fft.fft2
    Filter.from_transfer(function)         gains computed by a function of arrays of frequencies
    first >> second                        one filter after the other
    """

    __slots__ = ("_handle", "_make", "_arguments", "_key", "__weakref__")
    _handle: _abbe.Filter
    _key: Any

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"the text of a filter is a str, not {type(text).__name__}; see Filter.from_kernel")
        self._handle = _abbe.parse(text)
        self._make: Callable[..., Filter] = Filter
        self._arguments: tuple[Any, ...] = (text,)

    @classmethod
    def _of(cls, handle: _abbe.Filter, make: Callable[..., Filter], *arguments: Any) -> Filter:
        self = cls.__new__(cls)
        self._handle, self._make, self._arguments = handle, make, arguments
        return self

    @classmethod
    def parse(cls, text: str, load: Optional[Callable[[str, str], Any]] = None) -> Filter:
        """Makes a filter from text: "name:key=value,name". list_filters() has the names and keys.

        load   Needed where the text names a file ("kernel:file=psf.txt"): a function of the filter's name
               ("kernel" or "mask") and the file's name. It returns numbers with two axes, or a text of rows as
               bytes. abbe.load_matrix reads .npy files and texts.
        """
        if load is None:
            return cls(text)
        return cls._of(_abbe.parse(text, load), cls.parse, text, load)

    @classmethod
    def from_kernel(cls, taps: Any, centre: Optional[tuple[int, int]] = None, normalize: bool = False) -> Filter:
        """Makes a filter that convolves with taps, rows first.

        centre      row and column of the centre; None: half of each side, rounded down.
        normalize   divides by |sum of the taps|.
        """
        taps = _doubles(taps, 2)
        handle = _abbe.from_kernel(taps, _column_first(centre), normalize)
        return cls._of(handle, cls.from_kernel, taps, centre, normalize)

    @classmethod
    def from_separable(cls, column: Any, row: Any, centre: Optional[tuple[int, int]] = None,
                       normalize: bool = False) -> Filter:
        """Makes a filter that convolves with numpy.outer(column, row), by its two factors."""
        column, row = _doubles(column, 1), _doubles(row, 1)
        handle = _abbe.from_separable(row, column, _column_first(centre), normalize)
        return cls._of(handle, cls.from_separable, column, row, centre, normalize)

    @classmethod
    def from_mask(cls, mask: Any) -> Filter:
        """Makes a filter of real gains over the frequency plane, frequency 0 in the middle, up at the top."""
        mask = _doubles(mask, 2)
        return cls._of(_abbe.from_mask(mask), cls.from_mask, mask)

    @classmethod
    def from_gains(cls, gains: Any) -> Filter:
        """Makes a filter of complex gains in the order of numpy.fft.fft2.

        They act as they are where a plan transforms pictures of this size, as with the border "wrap"; at other
        sizes they are interpolated. Only their Hermitian part acts, so that results are real.
        """
        gains = _doubles(gains, 2, "c16")
        return cls._of(_abbe.from_gains(gains), cls.from_gains, gains)

    @classmethod
    def from_transfer(cls, function: Callable[[np.ndarray, np.ndarray], Any]) -> Filter:
        """Makes a filter from a function of frequency.

        function   takes two arrays of frequencies along x and y, in cycles per pixel (−0.5…0.5, y down), and
                   returns as many gains, real or complex. It is called while plans are made, with all
                   frequencies at once, and must return the same gains for the same frequencies.

        >>> Filter.from_transfer(lambda fx, fy: numpy.exp(-20 * (fx ** 2 + fy ** 2)))
        """
        if not callable(function):
            raise TypeError("a transfer function must be callable")
        return cls._of(_abbe.from_transfer(_Transfer(function)), cls.from_transfer, function)

    @classmethod
    def chain(cls, *filters: Union[str, Filter]) -> Filter:
        """Makes one filter that applies several, one after the other. The border acts once, on the source."""
        parts = tuple(make_filter(part) for part in filters)
        return cls._of(_abbe.chain(tuple(part._handle for part in parts)), cls.chain, *parts)

    def __rshift__(self, other: Union[str, Filter]) -> Filter:
        return Filter.chain(self, other)

    def __rrshift__(self, other: str) -> Filter:
        return Filter.chain(other, self)

    def _identity(self) -> Any:
        """What equal filters have in common: numbers by their digest, functions by themselves."""
        try:
            return self._key
        except AttributeError:
            self._key = (self._make.__name__, *(
                (argument.shape, hashlib.blake2b(argument.data).digest()) if isinstance(argument, np.ndarray) else argument
                for argument in self._arguments))
            return self._key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Filter) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __dask_tokenize__(self) -> Any:
        return self._identity()

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays that the filter was made from."""
        return sum(argument.nbytes for argument in self._arguments if isinstance(argument, (np.ndarray, Filter)))

    @property
    def text(self) -> Optional[str]:
        """The text of the filter; None where it was made from numbers."""
        first = self._arguments[0]
        return first if isinstance(first, str) and self._make != Filter.chain else None

    @property
    def in_frequency(self) -> bool:
        """Whether the filter has a transfer function, and so no finite kernel."""
        return self._handle.describe()[1]

    @property
    def components(self) -> int:
        """Linear filters inside: 1, or 2 where the result is their magnitude."""
        return self._handle.describe()[0]

    @property
    def centre(self) -> tuple[int, int]:
        """Row and column of the kernel's centre."""
        _, _, _, _, x, y = self._handle.describe()
        return y, x

    def taps(self, component: int = 0) -> np.ndarray:
        """Returns the kernel, rows first."""
        width, height, numbers = self._handle.taps(component)
        return np.frombuffer(numbers).reshape(height, width).copy()

    def gain(self, fx: Any, fy: Any, component: int = 0) -> Any:
        """Returns the complex gains at frequencies in cycles per pixel, in the shape of the arguments."""
        x, y = np.broadcast_arrays(np.asarray(fx, "f8"), np.asarray(fy, "f8"))
        gains = np.frombuffer(self._handle.gain(component, x.tobytes(), y.tobytes()), "c16")
        return gains.reshape(x.shape).copy() if x.ndim else complex(gains[0])

    def reach(self, tolerance: float = 1e-4) -> Reach:
        """Tells how many pixels beyond each side the filter reads.

        tolerance   for transfer functions: the part of Σ|h| that may lie farther away. Raises Unsupported
                    where the impulse response does not decay to it.
        """
        return Reach(*self._handle.reach(tolerance))

    def __reduce__(self) -> tuple:
        return self._make, self._arguments

    def __repr__(self) -> str:
        if self.text is not None:
            return f"Filter({self.text!r})"
        if self._make == Filter.chain:
            return " >> ".join(map(repr, self._arguments))
        sizes = "×".join(str(n) for n in getattr(self._arguments[0], "shape", ()))
        return f"<abbe.Filter {self._make.__name__}{' ' + sizes if sizes else ''}>"


def _column_first(centre: Optional[tuple[int, int]]) -> Optional[tuple[int, int]]:
    return None if centre is None else (int(centre[1]), int(centre[0]))


def make_filter(filter: Union[str, Filter]) -> Filter:
    """Returns `filter` itself, or the filter of a text."""
    return filter if isinstance(filter, Filter) else Filter(filter)


def make_bank(filters: Union[str, Filter, Iterable[Union[str, Filter]]]) -> tuple[Filter, ...]:
    """Returns the filters of one filter or several."""
    if isinstance(filters, (str, Filter)):
        return (make_filter(filters),)
    if not isinstance(filters, Iterable) or isinstance(filters, (bytes, np.ndarray)):
        raise TypeError(f"a filter is a text, an abbe.Filter, or a list of them, not {type(filters).__name__}; "
                        "see Filter.from_kernel")
    return tuple(make_filter(filter) for filter in filters)
