"""Plans, and the function that keeps them."""
from __future__ import annotations

import collections
import inspect
import os
import threading
from collections.abc import Iterable
from typing import Any, Optional, Union

import numpy as np

from . import _abbe
from ._arrays import TYPES, check_array, check_type, find_layout
from ._devices import Device, open_device
from ._explain import Explanation, explain_plan
from ._filters import Filter, make_bank

Filters = Union[str, Filter, Iterable[Union[str, Filter]]]
Axes = Union[None, int, tuple[int, ...]]
Window = Union[str, tuple[int, int, int, int]]

# Results of these types keep more digits than the arithmetic of floats has.
_DOUBLE = {np.dtype("f8"), np.dtype("u4"), np.dtype("i4")}
# What other packages call the borders.
_BORDERS = {"nearest": "clamp", "edge": "clamp", "replicate": "clamp", "symmetric": "reflect", "symm": "reflect",
            "circular": "wrap", "periodic": "wrap", "fill": "constant"}


class Plan:
    """How a filter, or a bank of several, is applied to arrays of one shape and type.

    shape, dtype    of the arrays.
    filters         a text, a Filter, or a list of them: a bank, which shares one transform of the picture.
    border          what filters read outside: "reflect" (dcba|abcd|dcba), "mirror" (dcb|abcd|cba), "clamp"
                    (aaa|abcd|ddd), "zero", "constant" (border_value), "wrap".
    axes            the axes of rows and columns. One axis: every row is a picture of its own. Needed for arrays
                    with more than two axes; the axes before count pictures.
    channel_axis    the axis of the channels, which are filtered alike.
    result_dtype    the type of results; None: dtype. Integers are rounded and saturated.
    method          "auto", "direct", "separable", "fft" or "tiles".
    alpha           "none", "premultiply" or "independent": what the last channel is.
    linear_light    samples are sRGB-coded: decode them before and encode them after.
    correlate       correlate instead of convolve.
    precision       "full" (float), "half" or "double"; None: "double" for results of the types float64, int32
                    and uint32, "full" for others.
    scale           "value": integers stand for themselves. "unit": for fractions of their largest value.
    nonfinite       "error", "zero" or "trust": what happens to NaN and infinity.
    offset          is added to results.
    runs            how often the plan will run: with a GPU, whether it is worth starting.
    window          "same"; "full": everything that depends on the picture; "valid": what depends on nothing
                    else; or a rectangle (row, column, height, width), also outside the picture.
    device          an abbe.Device or the name of one; None: "auto".
    threads         processors of a run; None: all.

    Any number of threads may run a plan at once; a run does not hold the GIL.
    """

    __slots__ = ("_handle", "_layout", "_same", "shape", "dtype", "result_shape", "result_dtype", "filters",
                 "_bank", "_title")

    def __init__(self, shape: tuple[int, ...], dtype: Any, filters: Filters, *, border: str = "reflect",
                 border_value: float = 0.0, axes: Axes = None, channel_axis: Optional[int] = None,
                 result_dtype: Any = None, method: str = "auto", tile: tuple[int, int] = (0, 0),
                 alpha: str = "none", linear_light: bool = False, correlate: bool = False,
                 precision: Optional[str] = None, scale: str = "value", nonfinite: str = "error",
                 offset: float = 0.0, runs: int = 1, window: Window = "same",
                 device: Union[None, str, Device] = None, threads: Optional[int] = None) -> None:
        self.shape = tuple(int(size) for size in shape)
        self.dtype = np.dtype(dtype)
        self.result_dtype = self.dtype if result_dtype is None else np.dtype(result_dtype)
        check_type(self.dtype)
        check_type(self.result_dtype)
        if border in _BORDERS:
            raise ValueError(f"unknown border '{border}'; here it is called '{_BORDERS[border]}'")
        if not self.shape:
            raise ValueError("an array without axes is no picture")
        self._layout = find_layout(self.shape, _hashable(axes), channel_axis)
        self._bank = not isinstance(filters, (str, Filter))
        self.filters = make_bank(filters)
        if precision is None:
            precision = "double" if self.result_dtype in _DOUBLE else "full"
        width, height, channels = self._layout.size(self.shape)
        rectangle = (0, 0, 0, 0)
        if not isinstance(window, str):
            row, column, rows, columns = window
            window, rectangle = "rectangle", (column, row, columns, rows)
        self._handle = _abbe.Plan(
            open_device(device, threads)._handle, tuple(filter._handle for filter in self.filters), width, height,
            channels, TYPES[self.dtype], TYPES[self.result_dtype], border=border, border_value=border_value,
            method=method, tile=tile, alpha=alpha, nonfinite=nonfinite, offset=offset, linear_light=linear_light,
            correlate=correlate, precision=precision, scale=scale, runs=runs, window=window, rectangle=rectangle)
        result_width, result_height, _, _ = self._handle.result_size()
        self.result_shape = self._layout.resize(self.shape, result_width, result_height)
        self._same = window == "same" and self.dtype == self.result_dtype
        size = "×".join(map(str, self.shape))
        self._title = f"{size} {self.dtype}, {', '.join(map(_name, self.filters))}, border {border}"

    def __call__(self, array: Any, out: Any = None) -> Any:
        """Filters an array. Returns the result, or a tuple of them for a bank.

        out   None, or where results go: an array of result_shape and result_dtype, or one per filter of a bank.
              It may be the source itself.
        """
        array = check_array(array)
        if array.shape != self.shape or array.dtype != self.dtype:
            raise ValueError(f"the plan is for {self.shape} of {self.dtype}, and the array has {array.shape} of "
                             f"{array.dtype}")
        results = self._results(out)
        if out is not None and any(self._conflicts(array, result) for result in results):
            array = array.copy()
        layout = self._layout
        self._handle.run(layout.source(array), tuple(layout.arrange(result) for result in results),
                         layout.channel is not None)
        return results if self._bank else results[0]

    def _results(self, out: Any) -> tuple[np.ndarray, ...]:
        """Makes arrays for results, or checks those of the caller."""
        if out is None:
            return tuple(np.empty(self.result_shape, self.result_dtype) for _ in self.filters)
        results = tuple(out) if self._bank else (out,)
        if len(results) != len(self.filters):
            raise ValueError(f"out has {len(results)} arrays for {len(self.filters)} filters")
        for i, result in enumerate(results):
            if not isinstance(result, np.ndarray) or isinstance(result, np.ma.MaskedArray):
                raise TypeError(f"out must be a NumPy array, not {type(result).__name__}")
            if result.shape != self.result_shape or result.dtype != self.result_dtype:
                raise ValueError(f"out has {result.shape} of {result.dtype}, and results have {self.result_shape} "
                                 f"of {self.result_dtype}")
            if not result.flags.writeable:
                raise ValueError("out is read-only")
            if any(np.may_share_memory(result, other) for other in results[:i]):
                raise ValueError("the arrays of out share memory")
        return results

    def _conflicts(self, array: np.ndarray, result: np.ndarray) -> bool:
        """Whether writing the result would change samples that are still to be read."""
        if not np.may_share_memory(array, result):
            return False
        itself = array.__array_interface__["data"][0] == result.__array_interface__["data"][0] \
            and array.strides == result.strides
        return not (itself and self._same)

    @property
    def memory(self) -> int:
        """Bytes that the plan takes at most: tables, spectra and the scratch of one run."""
        return self._handle.memory()

    def explain(self) -> Explanation:
        """Tells what each method would cost and which one the plan takes; print() it for a table."""
        return explain_plan(self._title, self._handle)

    def __repr__(self) -> str:
        return f"<abbe.Plan {self._title}: {self.explain().choice.method}>"


def _name(filter: Filter) -> str:
    return filter.text or repr(filter)


def _hashable(axes: Any) -> Axes:
    return axes if axes is None or isinstance(axes, int) else tuple(axes)


class _Cache:
    """Plans that were used last: at most COUNT, which take at most BYTES together."""

    COUNT = 64
    BYTES = 1 << 29

    def __init__(self) -> None:
        self.clear()
        os.register_at_fork(after_in_child=self.unlock)

    def unlock(self) -> None:
        """The thread that held the lock may not exist in the child. A plan may be lost then, which is harmless."""
        self._lock = threading.Lock()

    def clear(self) -> None:
        self._plans: collections.OrderedDict[Any, tuple[Plan, int]] = collections.OrderedDict()
        self._bytes = 0
        self.unlock()

    def get(self, key: Any) -> Optional[Plan]:
        found = self._plans.get(key)
        if found is None:
            return None
        with self._lock:
            if key in self._plans:
                self._plans.move_to_end(key)
        return found[0]

    def put(self, key: Any, plan: Plan) -> None:
        memory = plan.memory
        if memory > self.BYTES:
            return
        dropped = []  # destroyed after the lock is released
        with self._lock:
            if key in self._plans:
                return
            self._plans[key] = plan, memory
            self._bytes += memory
            while len(self._plans) > self.COUNT or self._bytes > self.BYTES:
                _, old = self._plans.popitem(last=False)
                self._bytes -= old[1]
                dropped.append(old)


_cache = _Cache()


def clear_cache() -> None:
    """Releases the plans that abbe.filter and the drop-ins keep."""
    _cache.clear()


def keep_plan(shape: tuple[int, ...], dtype: np.dtype, filters: Filters, options: dict[str, Any]) -> Plan:
    """Returns the kept plan of these arguments, or makes and keeps one."""
    bank = filters if isinstance(filters, (str, Filter)) else make_bank(filters)
    key = (shape, dtype, bank, *sorted(options.items()))
    try:
        plan = _cache.get(key)
    except TypeError as error:
        raise TypeError(f"an argument has a wrong type: {error}") from None
    if plan is None:
        plan = Plan(shape, dtype, bank, **options)
        _cache.put(key, plan)
    return plan


_OPTIONS = frozenset(inspect.signature(Plan).parameters) - {"shape", "dtype", "filters"}


def check_options(function: str, options: dict[str, Any]) -> None:
    """Raises TypeError for arguments that a plan does not have, with advice for keys of filters."""
    for name in options.keys() - _OPTIONS:
        advice = "what is outside the array is chosen by border=" if name in ("mode", "boundary", "padding") else \
            'keys of a filter belong into its text, as in "gaussian:sigma=3"'
        raise TypeError(f"{function} has no argument '{name}'; {advice}")


def filter(array: Any, filters: Filters, *, border: str = "reflect", border_value: float = 0.0, out: Any = None,
           dtype: Any = None, axes: Axes = None, channel_axis: Optional[int] = None, **options: Any) -> Any:
    """Filters an array and returns the result.

    array           numbers of 8, 16 or 32 bits, halves, floats or doubles, with any strides; it is not changed.
    filters         a text such as "gaussian:sigma=3", an abbe.Filter, or a list of them for a tuple of results.
    border          what the filter reads outside: "reflect", "mirror", "clamp", "zero", "constant", "wrap".
    out             where the result goes; it may be the array itself.
    dtype           the type of the result; None: that of the array.
    axes            the axes of rows and columns; needed for arrays with more than two axes.
    channel_axis    the axis of the channels, -1 for (height, width, 3).
    options         further arguments of abbe.Plan: method, alpha, linear_light, correlate, precision, device, …

    The plan is kept for the next call with the same filter, shape and options; see clear_cache.

    >>> abbe.filter(picture, "disk:radius=9")
    >>> low, edges = abbe.filter(rgb, ["gaussian:sigma=9", "sobel"], channel_axis=-1)
    >>> abbe.filter(stack, "unsharp", axes=(1, 2), out=stack)
    """
    array = check_array(array)
    check_options("abbe.filter", options)
    options.update(border=border, border_value=border_value, result_dtype=None if dtype is None else np.dtype(dtype),
                   axes=_hashable(axes), channel_axis=channel_axis)
    try:
        return keep_plan(array.shape, array.dtype, filters, options)(array, out)
    except MemoryError:
        clear_cache()
        return keep_plan(array.shape, array.dtype, filters, options)(array, out)


def explain(shape: tuple[int, ...], filters: Filters, dtype: Any = "f4", **options: Any) -> Explanation:
    """Tells what filtering arrays of this shape would cost, by each method; print() it for a table."""
    return Plan(shape, dtype, filters, **options).explain()
