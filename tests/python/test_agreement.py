#!/usr/bin/env python3
"""abbe.ndimage and abbe.signal against SciPy, over random shapes, types, modes and origins.

Every case calls a drop-in and SciPy's function with the same arguments. Shapes, types and values of the results
must agree: floats within their rounding errors; integers exactly, except where SciPy's result before truncation
is a whole number but for rounding, which SciPy may truncate to the number below.
"""
import collections
import unittest

import support

support.skip_without("numpy", "scipy")

import numpy as np  # noqa: E402
import scipy.ndimage  # noqa: E402
import scipy.signal  # noqa: E402

import abbe.ndimage  # noqa: E402
import abbe.signal  # noqa: E402
from abbe import _drop_in  # noqa: E402

MODES = ["reflect", "mirror", "nearest", "constant", "wrap", "grid-mirror", "grid-wrap", "grid-constant"]
TYPES = ["u1", "i1", "u2", "i2", "u4", "i4", "i8", "f4", "f8"]
ROUNDS = {"full": 420, "brief": 60, "slight": 10}[support.EFFORT]


class Cases:
    """Random arguments."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def choose(self, values):
        return values[int(self.random.integers(len(values)))]

    def size(self, most):
        return int(self.random.integers(1, most))

    def array(self, axes, most=24, types=TYPES):
        dtype = np.dtype(self.choose(types))
        shape = tuple(self.size(most) for _ in range(axes))
        if dtype.kind in "iu":
            array = self.random.integers(0, 100, shape).astype(dtype)
        else:
            array = (self.random.random(shape) * 10 - 3).astype(dtype)
        return self.layout(array)

    def layout(self, array):
        """The same numbers with other strides, or in the other byte order, now and then."""
        kind = self.random.integers(6)
        if kind == 0:
            return np.asfortranarray(array)
        if kind == 1:
            return array[::-1][..., ::-1].copy()[::-1][..., ::-1]
        if kind == 2:
            return array.astype(array.dtype.newbyteorder())
        if kind == 3:
            array.flags.writeable = False
        return array

    def weights(self, shape):
        return np.round(self.random.random(shape) * 8 - 3, int(self.choose([0, 2])))

    def origin(self, size):
        return int(self.random.integers(-(size // 2), (size - 1) // 2 + 1))

    def border(self):
        return {"mode": self.choose(MODES), "cval": self.choose([0.0, 1.5])}


class Derivative:
    """A second derivative for generic_laplace, by the functions of one module."""

    def __init__(self, module):
        self.module = module

    def __repr__(self):
        return self.module.__name__

    def __call__(self, input, axis, output, mode, cval):
        return self.module.correlate1d(input, [1, -2, 1], axis, output, mode, cval)


class Agreement(unittest.TestCase):
    def setUp(self):
        self.cases = Cases(20260917)
        self.count = 0
        self.near = 0
        _drop_in.calls.clear()

    def compare(self, ours, name, *args, gain=1.0, **keywords):
        theirs = getattr(scipy.ndimage if ours is abbe.ndimage else scipy.signal, name)
        try:
            with np.errstate(invalid="ignore"):
                expected = theirs(*args, **keywords)
        except ValueError:  # such as "valid" of two arrays of which neither is the larger
            with self.assertRaises(ValueError):
                getattr(ours, name)(*args, **keywords)
            return
        with np.errstate(invalid="ignore"):  # roots of integers that wrapped around
            result = getattr(ours, name)(*args, **keywords)
        shapes = [array.shape for array in args if isinstance(array, np.ndarray)]
        case = f"{name} {shapes} {[a.dtype.str for a in args if isinstance(a, np.ndarray)]} {keywords}"
        self.assertEqual(expected.shape, result.shape, case)
        self.assertEqual(expected.dtype, result.dtype, case)
        self.count += 1
        if expected.dtype.kind in "fc":
            floats = any(np.asarray(array).dtype.str[1:] in ("f4", "c8") for array in (*args, expected))
            scale = gain * max(100.0, float(np.abs(expected).max(initial=0)))
            error = float(np.abs(expected - result).max(initial=0))
            self.assertLessEqual(error, scale * (3e-6 if floats else 1e-13), case)
        elif (expected != result).any():
            self.assertIs(ours, abbe.ndimage, case)
            doubles = theirs(*args, **dict(keywords, output="float64"))
            self.compare_integers(expected, result, np.abs(doubles - np.rint(doubles)), case)

    def compare_integers(self, expected, result, rest, case):
        """`rest` is how far SciPy's results are from whole numbers before they are truncated."""
        self.assertLess(float(rest[expected != result].max()), 1e-9, case)
        difference = result.astype("i8") - expected.astype("i8")
        span = 1 << (8 * expected.dtype.itemsize) if expected.dtype.itemsize < 8 else 0
        if span:  # results wrap around
            difference = (difference + span // 2) % span - span // 2
        self.near += np.count_nonzero(difference)
        self.assertLessEqual(int(np.abs(difference).max(initial=0)), 1, case)

    def test_ndimage(self):
        for _ in range(ROUNDS):
            self.compare_kernels()
            self.compare_lines()
            self.compare_separable()
            self.compare_spectra()
        self.report(abbe.ndimage, 6000)

    def compare_kernels(self):
        cases = self.cases
        array = cases.array(cases.size(3))
        weights = cases.weights(tuple(cases.size(7) for _ in array.shape))
        keywords = dict(cases.border(), origin=[cases.origin(size) for size in weights.shape])
        gain = float(np.abs(weights).sum())
        for name in ("convolve", "correlate"):
            self.compare(abbe.ndimage, name, array, weights, gain=gain, **keywords)

    def compare_lines(self):
        cases = self.cases
        array = cases.array(cases.size(4), 14)
        size = cases.size(9)
        keywords = dict(cases.border(), axis=int(cases.random.integers(-array.ndim, array.ndim)))
        origin = cases.origin(size)
        weights = cases.weights(size)
        for name in ("convolve1d", "correlate1d"):
            self.compare(abbe.ndimage, name, array, weights, gain=float(np.abs(weights).sum()), origin=origin,
                         **keywords)
        self.compare(abbe.ndimage, "uniform_filter1d", array, size, origin=origin, **keywords)
        self.compare(abbe.ndimage, "gaussian_filter1d", array, cases.choose([0.6, 1, 2.3]), gain=8.0,
                     order=int(cases.random.integers(4)), **keywords)

    def compare_separable(self):
        cases = self.cases
        array = cases.array(cases.size(4), 14)
        border = cases.border()
        if cases.random.random() < 0.3:
            border["mode"] = [cases.choose(MODES) for _ in array.shape]
        axis = int(cases.random.integers(-array.ndim, array.ndim))
        output = cases.choose([None, "float32", "float64", "int32"] if array.dtype.kind in "iu" else
                              [None, "float32", "float64"])
        border["output"] = output
        self.compare(abbe.ndimage, "sobel", array, axis, gain=8.0, **border)
        self.compare(abbe.ndimage, "prewitt", array, axis, gain=6.0, **border)
        self.compare(abbe.ndimage, "laplace", array, gain=8.0, **border)
        integers = array.dtype.kind in "iu" and output in (None, "int32")
        if integers and array.ndim > 1:  # one level of the first axis may become several of the second
            border["output"] = "float64"
        self.compare(abbe.ndimage, "uniform_filter", array, [cases.size(6) for _ in array.shape],
                     **border)
        sigma = [cases.choose([0.0, 0.5, 1.0, 2.5]) for _ in array.shape]
        order = [int(cases.random.integers(4)) for _ in array.shape] if cases.random.random() < 0.5 else 0
        self.compare(abbe.ndimage, "gaussian_filter", array, sigma, order, gain=60.0, **border)
        derivatives = [Derivative(module) for module in (abbe.ndimage, scipy.ndimage)]
        for name in ("generic_laplace", "generic_gradient_magnitude"):
            self.compare(abbe.ndimage, name, array, cases.choose([*derivatives, scipy.ndimage.sobel]), gain=8.0,
                         **border)
        if not integers:
            self.compare(abbe.ndimage, "gaussian_laplace", array, 1.3, gain=8.0, **border)
            self.compare(abbe.ndimage, "gaussian_gradient_magnitude", array, 1.3, gain=8.0, **border)

    def compare_spectra(self):
        cases = self.cases
        array = cases.array(cases.size(4), 14, [*TYPES, "c8", "c16"])
        if array.dtype.kind == "c":
            array = array + array.dtype.type(1j) * array[::-1]
        parameter = cases.choose([2.5, [float(cases.size(5)) for _ in array.shape]])
        axis = int(cases.random.integers(-array.ndim, array.ndim))
        n = int(cases.choose([-1, 2 * array.shape[axis] - 1]))
        output = cases.choose([None, None, np.complex128])
        for name in ("fourier_gaussian", "fourier_uniform", "fourier_ellipsoid", "fourier_shift"):
            self.compare(abbe.ndimage, name, array, parameter, n, axis, output)

    def test_signal(self):
        cases = self.cases
        for _ in range(ROUNDS):
            axes = cases.size(3)
            first, second = cases.array(axes), cases.array(axes)
            gain = float(np.abs(second.astype("f8")).sum())
            for name in ("fftconvolve", "oaconvolve"):
                self.compare(abbe.signal, name, first, second, mode=cases.choose(["full", "same", "valid"]),
                             gain=gain)
            first, second = cases.array(2), cases.array(2)
            gain = float(np.abs(second.astype("f8")).sum())
            for name in ("convolve2d", "correlate2d"):
                self.compare(abbe.signal, name, first, second, mode=cases.choose(["full", "same", "valid"]),
                             boundary=cases.choose(["fill", "wrap", "symm"]), fillvalue=cases.choose([0, 2]),
                             gain=gain)
        self.report(abbe.signal, 1200)

    def report(self, module, least):
        """Fails where SciPy computed the cases itself: SciPy agrees with SciPy."""
        names = [*module._original]
        totals = collections.Counter()
        for (name, who), count in _drop_in.calls.items():
            totals[who] += count if name in names else 0
        print(f"{module.__name__}: {self.count} cases agree, {self.near} integers are one off; Abbe computed "
              f"{totals['abbe']} calls, SciPy {totals['scipy']}")
        self.assertGreater(totals["abbe"], 4 * totals["scipy"])
        self.assertGreaterEqual(self.count, least * ROUNDS // 420)
        self.assertEqual(set(names), {name for name, who in _drop_in.calls if who == "abbe"} & set(names))


if __name__ == "__main__":
    support.main()
