"""Filters dask arrays, which may be larger than memory, chunk by chunk.

    import abbe.dask
    result = abbe.dask.filter(array, "disk:radius=30")

Every chunk is filtered together with the pixels that the filter reads beyond it (Filter.reach). Filters travel to
the workers as text or numbers; every worker opens its device once and keeps its plans. A chunk is filtered by one
thread, so that a worker computes with as many threads as it was given.
"""
from __future__ import annotations

from typing import Any, Optional, Union

import dask.array as da
import numpy as np

from . import _plans
from ._arrays import check_type, find_layout
from ._filters import Filter, make_filter

__all__ = ["filter"]

_BOUNDARIES = {"reflect": "reflect", "clamp": "nearest", "zero": 0, "wrap": "periodic", "mirror": "none"}


def _filter_chunk(chunk: np.ndarray, filter: Filter, options: dict[str, Any]) -> np.ndarray:
    # What lies beyond the chunk and its surroundings changes nothing that is kept; wrap is the cheapest border.
    return _plans.filter(chunk, filter, border="wrap", **options)


def filter(array: da.Array, filter: Union[str, Filter], border: str = "reflect", *, border_value: float = 0.0,
           tolerance: float = 1e-4, axes: Optional[tuple[int, int]] = None, channel_axis: Optional[int] = None,
           dtype: Any = None, threads: int = 1, **options: Any) -> da.Array:
    """Returns the dask array of a filter's results, lazily.

    array          a dask array of a type that abbe.filter takes.
    filter         a text or an abbe.Filter; not a bank.
    border         what the filter reads outside the whole array, as for abbe.filter.
    tolerance      for transfer functions: the part of Σ|h| that may lie beyond the overlap. With samples of 0 to
                   1, results differ from those of the whole array by at most tolerance · Σ|h|. Kernels have no
                   such error.
    axes           the axes of rows and columns, as for abbe.filter; so is channel_axis.
    threads        processors of one chunk; 1 leaves the parallelism to dask.
    options        further arguments of abbe.Plan.

    Raises abbe.Unsupported for filters that read the whole picture: "streak", the shape "ideal", "power".
    """
    if not isinstance(array, da.Array):
        raise TypeError(f"abbe.dask.filter takes dask arrays, not {type(array).__name__}; see abbe.filter")
    check_type(array.dtype)
    _plans.check_options("abbe.dask.filter", options)
    if not isinstance(filter, (str, Filter)):
        raise TypeError("abbe.dask.filter takes one filter, a text or an abbe.Filter; call it for each filter of a bank")
    filter = make_filter(filter)
    layout = find_layout(array.shape, axes, channel_axis)
    boundary = border_value if border == "constant" else _BOUNDARIES.get(border)
    if boundary is None:
        raise ValueError(f"unknown border {border!r}; these are: constant, {', '.join(_BOUNDARIES)}")
    if "window" in options:
        raise ValueError("window: results of a dask array have its shape; slice them")
    left, right, up, down = filter.reach(tolerance)
    depth = dict.fromkeys(range(array.ndim), 0)
    depth[layout.columns] = max(left, right)
    if layout.rows is not None:
        depth[layout.rows] = max(up, down)
    for axis, pixels in depth.items():
        if pixels > array.shape[axis] - (border == "mirror"):
            raise ValueError(f"the filter reads {pixels} pixels along axis {axis}, which has {array.shape[axis]}; "
                             "filter the array as a whole, by abbe.filter")
    result = np.dtype(array.dtype if dtype is None else dtype)
    check_type(result)
    options.update(axes=axes, channel_axis=channel_axis, dtype=result, threads=threads)
    if border == "mirror":  # which dask has as a padding only
        array = da.pad(array, [(pixels, pixels) for pixels in depth.values()], mode="reflect")
    filtered = da.map_overlap(_filter_chunk, array, depth=depth, boundary=dict.fromkeys(depth, boundary), dtype=result,
                              meta=np.empty((0,) * array.ndim, result), filter=filter, options=options)
    if border != "mirror":
        return filtered
    return filtered[tuple(slice(pixels, size - pixels) for pixels, size in zip(depth.values(), array.shape))]
