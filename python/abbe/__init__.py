"""Abbe filters images in the Fourier plane, or directly where that is faster.

    >>> import abbe, numpy
    >>> picture = numpy.random.rand(480, 640).astype("f4")
    >>> soft = abbe.filter(picture, "gaussian:sigma=3", border="reflect")

filter          filters an array in one call and keeps the plan for the next
Plan            a filter, or a bank of them, for arrays of one shape; explain() tells how it works
Filter          what is done to a picture: from text, taps, masks, gains or a function
Device          where filtering runs: the CPU or a GPU
spectrum        the Fourier transform of a picture; ispectrum is its inverse
find_peaks      the periodic components of a picture, and the filter that removes them
list_filters    the filters that have names
list_devices    the devices of this machine

Adapter, Candidate, Explanation, FilterEntry, FilterKey, Peak and Reach are named tuples that these return.
abbe.ndimage and abbe.signal are drop-ins for functions of scipy.ndimage and scipy.signal; abbe.dask filters
arrays that are larger than memory.
"""
from ._abbe import DeviceError, Unsupported
from ._abbe import version as __version__
from ._catalogue import Adapter as Adapter, FilterEntry as FilterEntry, FilterKey as FilterKey
from ._catalogue import list_devices, list_filters
from ._devices import Device
from ._explain import Candidate as Candidate, Explanation as Explanation
from ._filters import Filter, Reach as Reach, load_matrix
from ._plans import Plan, clear_cache, explain, filter
from ._spectra import Peak as Peak, find_peaks, ispectrum, remove_peaks, spectrum

# Without the named tuples that functions return: help(abbe) would begin with the methods of tuples.
__all__ = [
    "Device", "DeviceError", "Filter", "Plan", "Unsupported", "clear_cache", "explain", "filter", "find_peaks",
    "ispectrum", "list_devices", "list_filters", "load_matrix", "remove_peaks", "spectrum",
]

for _item in [value for _name, value in globals().items() if not _name.startswith("_")]:
    if getattr(_item, "__module__", "").startswith("abbe."):  # users see abbe.Plan, whichever file has it
        _item.__module__ = "abbe"
del _item
