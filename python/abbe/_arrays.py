"""Arrays: which ones can be filtered, and where rows, columns and channels lie in them."""
from __future__ import annotations

import functools
from typing import Any, NamedTuple, Optional, Union

import numpy as np

# The library's name of each type of sample.
TYPES = {np.dtype(code): name for code, name in [
    ("u1", "u8"), ("u2", "u16"), ("u4", "u32"), ("i2", "i16"), ("i4", "i32"), ("f2", "f16"), ("f4", "f32"),
    ("f8", "f64")]}
# As many channels as the library takes; more are pictures of their own.
CHANNELS_MAX = 64
_CPU = 1  # kDLCPU


def _refuse_foreign(array: Any) -> None:
    """Refuses what numpy.asarray would turn into something else than its pixels, or would fail at obscurely."""
    kind = f"{type(array).__module__}.{type(array).__name__}"
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError("masked arrays cannot be filtered: a filter reads across the masked samples; "
                        "fill them first, array.filled(value)")
    if hasattr(array, "__cuda_array_interface__") or _is_elsewhere(array):
        raise TypeError(f"{kind}: the array is in the memory of a GPU, which this version cannot read there; "
                        "copy it to the host first, as with array.get() or tensor.cpu()")
    if type(array).__module__.startswith("dask."):
        raise TypeError("dask arrays are filtered by abbe.dask.filter, chunk by chunk")


def _is_elsewhere(array: Any) -> bool:
    """Whether an array that speaks DLPack is not in the memory of the host."""
    place = getattr(array, "__dlpack_device__", None)
    return place is not None and int(place()[0]) != _CPU


def check_array(array: Any) -> np.ndarray:
    """Returns an array whose samples the library can read, without a copy where it is one already."""
    if type(array) is not np.ndarray:
        _refuse_foreign(array)
        array = np.asarray(array)
    check_type(array.dtype)
    return array


def check_type(dtype: np.dtype) -> None:
    """Raises TypeError for a type that the library has no name for."""
    if dtype in TYPES:
        return
    if dtype.newbyteorder("=") in TYPES:
        raise TypeError(f"{dtype.newbyteorder('=')} in the byte order of other machines cannot be filtered; "
                        "convert it first, array.astype(array.dtype.newbyteorder('='))")
    names = ", ".join(str(known) for known in TYPES)
    raise TypeError(f"arrays of the type {dtype} cannot be filtered; convert to one of {names}")


def _overlaps_itself(array: np.ndarray) -> bool:
    """Whether two positions may share memory: broadcasts and sliding windows."""
    extent = array.itemsize
    for stride, size in sorted((abs(stride), size) for stride, size in zip(array.strides, array.shape) if size > 1):
        if stride < extent:
            return True
        extent = stride * (size - 1) + extent
    return False


class Layout(NamedTuple):
    """Which axes of an array are what. All numbers count from 0."""

    order: tuple[int, ...]  # for transpose: pictures, rows, columns, channels
    rows: Optional[int]  # None: every picture is one row
    columns: int
    channel: Optional[int]

    def arrange(self, array: np.ndarray) -> np.ndarray:
        """Returns a view with the axes pictures, rows, columns and, where there are some, channels."""
        array = array.transpose(self.order)
        if self.rows is None:
            array = array[..., None, :] if self.channel is None else array[..., None, :, :]
        return array

    def size(self, shape: tuple[int, ...]) -> tuple[int, int, int]:
        """Returns width, height and channels."""
        return (shape[self.columns], 1 if self.rows is None else shape[self.rows],
                1 if self.channel is None else shape[self.channel])

    def resize(self, shape: tuple[int, ...], width: int, height: int) -> tuple[int, ...]:
        """Returns the shape of an array whose pictures have this size."""
        sizes = list(shape)
        sizes[self.columns] = width
        if self.rows is not None:
            sizes[self.rows] = height
        return tuple(sizes)

    def source(self, array: np.ndarray) -> np.ndarray:
        """Arranges an array that is only read; copies it where positions share memory."""
        return self.arrange(array.copy() if _overlaps_itself(array) else array)


@functools.lru_cache(256)
def find_layout(shape: tuple[int, ...], axes: Union[None, int, tuple[int, ...]],
                channel_axis: Optional[int]) -> Layout:
    """Finds the layout of an array from the arguments of the same names."""
    count = len(shape)
    channel = None if channel_axis is None else _position(channel_axis, count, "channel_axis")
    if axes is None:
        spatial = [axis for axis in range(count) if axis != channel]
        if count > 2 and channel is None:
            raise ValueError(f"the array has {count} axes; name the axes of rows and columns, as in axes=(-2, -1), "
                             "or that of the channels, as in channel_axis=-1")
        spatial = spatial[-2:]
    else:
        spatial = [_position(axis, count, "axes") for axis in ((axes,) if isinstance(axes, int) else axes)]
    if not 1 <= len(spatial) <= 2 or len({*spatial, channel}) != len(spatial) + 1:
        raise ValueError("one or two different axes are filtered, and that of the channels is another one")
    if channel is not None and shape[channel] > CHANNELS_MAX:
        channel = None
    pictures = [axis for axis in range(count) if axis not in spatial and axis != channel]
    order = (*pictures, *spatial) + (() if channel is None else (channel,))
    return Layout(order, spatial[0] if len(spatial) == 2 else None, spatial[-1], channel)


def _position(axis: int, count: int, name: str) -> int:
    if not isinstance(axis, (int, np.integer)):
        raise TypeError(f"{name}: an axis is an int, not {type(axis).__name__}")
    if not -count <= axis < count:
        raise ValueError(f"{name}: the array has no axis {axis}; it has {count}")
    return int(axis) % count
