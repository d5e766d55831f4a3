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

abbe.ndimage and abbe.signal are drop-ins for functions of scipy.ndimage and scipy.signal; abbe.dask filters
arrays that are larger than memory.
"""
from ._abbe import DeviceError, Unsupported
from ._abbe import version as __version__
from ._catalogue import Adapter, FilterEntry, FilterKey, list_devices, list_filters
from ._devices import Device
from ._explain import Candidate, Explanation
from ._filters import Filter, Reach, load_matrix
from ._plans import Plan, clear_cache, explain, filter
from ._spectra import Peak, find_peaks, ispectrum, remove_peaks, spectrum

__all__ = [
    "Adapter", "Candidate", "Device", "DeviceError", "Explanation", "Filter", "FilterEntry", "FilterKey",
    "Peak", "Plan", "Reach", "Unsupported", "clear_cache", "explain", "filter", "find_peaks", "ispectrum",
    "list_devices", "list_filters", "load_matrix", "remove_peaks", "spectrum",
]

for _name in __all__:  # users see abbe.Plan, whichever file has it
    if hasattr(globals()[_name], "__module__"):
        globals()[_name].__module__ = "abbe"
del _name
