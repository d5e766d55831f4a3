#!/usr/bin/env python3
"""Runs SciPy's own tests of the functions that abbe.ndimage and abbe.signal replace, with these in their place.

The tests come with the installed SciPy. EXCEPTIONS lists those that fail for a reason; everything else must pass,
and most calls must have been computed by Abbe, not by SciPy.
"""
import collections
import sys

import support

support.skip_without("pytest", "numpy", "scipy")

import pytest  # noqa: E402
import scipy.ndimage  # noqa: E402
import scipy.signal  # noqa: E402

import abbe.ndimage  # noqa: E402
import abbe.signal  # noqa: E402
from abbe import _drop_in  # noqa: E402

# The end of a test's name: why it does not hold.
EXCEPTIONS = {
    "TestNdimageFilters::test_gauss03":
        "float32 is computed in floats, as the page says: the sum of 10,000 samples is off by 4·10⁻⁸ of itself, "
        "and the test asks for 10⁻⁸",
}

# Which tests of SciPy use our functions.
NDIMAGE = ["scipy.ndimage.tests.test_filters", "scipy.ndimage.tests.test_fourier", "scipy.ndimage.tests.test_c_api"]
SIGNAL = ["scipy.signal.tests.test_signaltools"]
SIGNAL_TESTS = "(onvolve or orrelate) and not test_large_array"  # that one takes 2 GB and a minute, to overflow 2³¹


# Tests with more parameters than this are thinned out: oaconvolve alone has 8000.
MANY = 100
STEP = 20


class Exceptions:
    """Expects the tests of EXCEPTIONS to fail; one that passes is a failure. Thins out tests with MANY parameters."""

    def pytest_collection_modifyitems(self, items):
        family = collections.Counter(item.nodeid.split("[")[0] for item in items)
        seen = collections.Counter()
        kept = []
        for item in items:
            name = item.nodeid.split("[")[0]
            seen[name] += 1
            if family[name] <= MANY or seen[name] % STEP == 1:
                kept.append(item)
        items[:] = kept
        for item in items:
            for name, reason in EXCEPTIONS.items():
                if item.nodeid.endswith(name):
                    item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


def main() -> int:
    for ours, theirs in ((abbe.ndimage, scipy.ndimage), (abbe.signal, scipy.signal)):
        for name in ours._original:
            setattr(theirs, name, getattr(ours, name))
    options = ["-q", "-p", "no:cacheprovider", "-W", "ignore", "--tb=short", "-rx"]
    for modules, selection in ((NDIMAGE, None), (SIGNAL, SIGNAL_TESTS)):
        status = pytest.main(options + (["-k", selection] if selection else []) + ["--pyargs", *modules],
                             plugins=[Exceptions()])
        if status:
            return int(status)
    print("function                       Abbe    SciPy")
    for name in [*abbe.ndimage._original, *abbe.signal._original]:
        ours, theirs = (_drop_in.calls.get((name, who), 0) for who in ("abbe", "scipy"))
        print(f"{name:28} {ours:6}   {theirs:6}")
        if not ours:
            print(f"{name}: no test reached Abbe")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
