"""Devices: where filtering runs."""
from __future__ import annotations

from typing import Optional, Union

from . import _abbe


class Device:
    """A device of the library.

    name      "auto" (the CPU, with a GPU beside it that is used where a plan is worth it), "cpu", "cpu:avx2",
              "cuda", "vulkan", "vulkan:1", "gl", …; list_devices() has those of this machine.
    threads   processors of one run on the CPU; 0 takes all. Results do not depend on it.

    It stays open as long as a plan uses it. It pickles as its name.
    """

    __slots__ = ("_handle", "name", "threads")

    def __init__(self, name: str = "auto", threads: int = 0) -> None:
        self._handle = _abbe.Device(name, threads)
        self.name = name
        self.threads = threads

    @property
    def kind(self) -> str:
        """ "cpu", "cuda", "vulkan" or "gl"."""
        return self._handle.kind

    @property
    def detail(self) -> str:
        """A readable description, such as "avx512, 8 threads"."""
        return self._handle.detail

    def __repr__(self) -> str:
        return f"<abbe.Device {self.name!r}: {self.detail}>"

    def __reduce__(self) -> tuple:
        return open_device, ((self.name, self.threads),)


_shared: dict[tuple[str, int], Device] = {}


def open_device(device: Union[None, str, Device, tuple[str, int]], threads: Optional[int] = None) -> Device:
    """Returns `device` itself, or the device of that name, opened once for all callers."""
    if isinstance(device, Device):
        if threads is not None and threads != device.threads:
            raise ValueError("threads: the device was opened with another number of threads")
        return device
    name, count = device if isinstance(device, tuple) else (device or "auto", threads or 0)
    found = _shared.get((name, count))
    if found is None:
        found = _shared.setdefault((name, count), Device(name, count))
    return found
