#!/usr/bin/env python3
"""The drop-ins' results in integers: those of SciPy, also where they are computed in floats.

The oracle is SciPy with its result in doubles, truncated here; what is within 10⁻⁹ of a whole number may be the integer
below it or above it, because SciPy's own rounding errors decide that.
"""
import unittest
from unittest import mock

import support

support.skip_without("numpy", "scipy")

import numpy as np  # noqa: E402
import scipy.ndimage  # noqa: E402
import scipy.signal  # noqa: E402

import abbe.ndimage  # noqa: E402
import abbe.signal  # noqa: E402
from abbe import _abbe, _drop_in, _integers  # noqa: E402


def truncated(numbers, dtype):
    """C's conversion: towards 0, then the low bits."""
    return np.trunc(numbers).astype("i8").astype(dtype)


class Truncate(unittest.TestCase):
    def test_against_numpy(self):
        random = np.random.default_rng(5)
        for dtype in ("f4", "f8"):
            for size in (1, 3, 127, 128, 129, 1000):
                numbers = (random.random(size) * 3000 - 1500).astype(dtype)
                numbers[::7] = np.rint(numbers[::7])
                for to in ("u1", "i1", "u2", "i2", "u4", "i4", "i8", "u8"):
                    result = np.empty(size, to)
                    self.assertIsNone(_abbe.truncate(numbers, result, 0.0, -1))
                    self.assertEqual(result.tolist(), truncated(numbers, to).tolist())
                    _abbe.truncate(numbers, result, 0.5, -1)
                    self.assertEqual(result.tolist(), truncated(np.rint(numbers), to).tolist())

    def test_positions(self):
        numbers = np.array([1.5, 2.001, -3.0, 2.9995, -0.4] * 60)
        result = np.empty(300, "i2")
        near = np.flatnonzero(np.abs(numbers - np.rint(numbers)) <= 0.002)
        self.assertEqual(np.frombuffer(_abbe.truncate(numbers, result, 0.002, 180), "i8").tolist(), near.tolist())
        self.assertEqual(result[:5].tolist(), [1, 2, -3, 3, 0])
        self.assertIsNone(_abbe.truncate(numbers, result, 0.002, 179))
        self.assertEqual(_abbe.truncate(numbers + 0.25, result, 1e-6, 0), b"")

    def test_refusals(self):
        for wrong in (np.nan, np.inf, -np.inf, 2.0**60):
            for dtype in ("f4", "f8"):
                with self.assertRaises(OverflowError):
                    _abbe.truncate(np.array([1, wrong], dtype), np.empty(2, "u1"), 0.1, -1)
        unaligned = np.frombuffer(bytearray(17), "u1")[1:].view("f8")
        for numbers, integers in ((np.ones(3), np.empty(2, "u1")), (np.ones(3, "i4"), np.empty(3, "u1")),
                                  (np.ones(3), np.empty(3, "c16")), (unaligned, np.empty(2, "u1")),
                                  (np.empty(0, "S0"), np.empty(0, "u1"))):
            with self.assertRaises(ValueError):
                _abbe.truncate(numbers, integers, 0.1, -1)


class Stencils(unittest.TestCase):
    def test_compute(self):
        """A stencil computes single results as SciPy does, beyond every border."""
        random = np.random.default_rng(6)
        array = random.integers(0, 256, (9, 11)).astype("u1")
        for shape in ((3, 5), (1, 7), (30, 25)):
            taps = random.random(shape)
            centre = shape[0] // 2, shape[1] // 2
            for border, mode in (("reflect", "reflect"), ("mirror", "mirror"), ("clamp", "nearest"), ("wrap", "wrap"),
                                 ("constant", "constant")):
                for correlate in (False, True):
                    stencil = _integers.Stencil(taps, centre, (0, 1), border, 7.0, correlate)
                    expected = (scipy.ndimage.correlate if correlate else scipy.ndimage.convolve)(
                        array, taps, "f8", mode, 7.0)
                    result = stencil.compute(array, np.arange(array.size)).reshape(array.shape)
                    self.assertLess(np.abs(result - expected).max(), 1e-9, (shape, border, correlate))
        one = _integers.Stencil(np.ones((1, 3)), (0, 1), (0,), "mirror", 0.0, True)
        self.assertEqual(one.compute(np.array([5], "u1"), np.array([0])).tolist(), [15])

    def test_grain(self):
        for taps, grain in (([1, -2, 1], 1), ([0.25, 0.5, 0.25], 0.25), ([1 / 7] * 7, 1 / 7), ([0.3, 0.7], 0),
                            ([0.3, 0.6], 0), ([0, 0], 1), ([2, 4], 1), ([0.1, 0.2], 0.1), ([1.5, 3], 0)):
            stencil = _integers.Stencil(np.array([taps]), (0, 0), (0, 1), "wrap", 0.0, True)
            self.assertAlmostEqual(stencil.find_grain(), grain, 15, taps)


class Pictures(unittest.TestCase):
    def setUp(self):
        random = np.random.default_rng(7)
        noise = random.integers(0, 256, (150, 210))
        soft = np.rint(scipy.ndimage.gaussian_filter(noise.astype("f8"), 3)).astype(noise.dtype)
        flat = noise.copy()
        flat[20:120, 10:180] = 255
        self.pictures = {"noise": noise, "soft": soft, "flat": flat}
        self.weights = random.integers(-9, 10, (5, 6))
        self.fractions = random.random((4, 3)) - 0.3

    def compare(self, module, name, array, *args, **keywords):
        """Returns how many results were computed in floats."""
        ours, theirs = (getattr(where, name) for where in (module, scipy.ndimage))
        settled = []

        def settle(*arguments):
            result = _integers.settle(*arguments)
            settled.append(result is not None)
            return result

        with mock.patch.object(_drop_in, "settle", settle):
            result = ours(array, *args, **keywords)
        expected = theirs(array, *args, **keywords)
        case = f"{name} {array.dtype} {args} {keywords}"
        self.assertEqual(expected.dtype, result.dtype, case)
        different = expected != result
        if different.any():
            doubles = theirs(array, *args, **dict(keywords, output="f8"))[different]
            self.assertLess(np.abs(doubles - np.rint(doubles)).max(), 1e-9, case)
            steps = (expected.astype("i8") - result)[different]
            self.assertTrue(((steps + 1) % (1 << 8 * expected.itemsize) <= 2).all(), case)
        return sum(settled)

    def test_lines_and_kernels(self):
        gaussian = scipy.ndimage._filters._gaussian_kernel1d(2.5, 0, 10)
        floats = 0
        for name, picture in self.pictures.items():
            for dtype in ("u1", "i2", "u2", "i4"):
                array = picture.astype(dtype)
                for mode in ("reflect", "mirror", "nearest", "constant", "wrap"):
                    for taps in (gaussian, [1, 2, 1], [0.25, 0.5, 0.25], [-0.7, 0.1, 1.3]):
                        for axis in (0, 1):
                            for cval in (0, 3, 2.5) if mode == "constant" else (0,):
                                floats += self.compare(abbe.ndimage, "correlate1d", array, taps, axis, mode=mode,
                                                       cval=cval)
                    for weights in (self.weights, self.fractions):
                        floats += self.compare(abbe.ndimage, "convolve", array, weights, mode=mode, origin=(1, -1))
                    floats += self.compare(abbe.ndimage, "uniform_filter1d", array, 7, mode=mode)
        self.assertGreater(floats, 400)

    def test_bytes_are_computed_in_floats(self):
        array = self.pictures["noise"].astype("u1")
        for name, *args in (("correlate1d", [1, 2, 1]), ("sobel",), ("prewitt", 0), ("laplace",),
                            ("gaussian_filter1d", 3), ("uniform_filter1d", 9), ("convolve", self.weights),
                            ("gaussian_laplace", 0.5), ("uniform_filter1d", 200)):
            self.assertGreater(self.compare(abbe.ndimage, name, array, *args), 0, name)
        stack = self.pictures["noise"].astype("u1").reshape(5, 30, 210)
        for axis in range(3):
            self.assertEqual(self.compare(abbe.ndimage, "gaussian_filter1d", stack, 2, axis), 1)

    def test_what_floats_cannot_decide(self):
        """Results that are whole numbers throughout, by taps that are not: doubles compute them."""
        array = np.full((150, 210), 255, "u1")
        self.assertEqual(self.compare(abbe.ndimage, "gaussian_filter1d", array, 3), 0)
        self.assertEqual(self.compare(abbe.ndimage, "correlate1d", np.full((99, 99), 65535, "u2"), [0.3, 0.5]), 0)

    def test_integers_of_signal(self):
        """Arithmetic of the integers' own type, modulo 2 to their bits."""
        for dtype in ("u1", "i1", "i2", "u2", "i4"):
            first = self.pictures["noise"].astype(dtype)
            second = np.abs(self.weights).astype(dtype)
            for mode in ("full", "same", "valid"):
                for function in ("convolve2d", "correlate2d"):
                    result = getattr(abbe.signal, function)(first, second, mode, "symm")
                    expected = getattr(scipy.signal, function)(first, second, mode, "symm")
                    self.assertEqual(expected.dtype, result.dtype)
                    self.assertTrue((expected == result).all(), (dtype, mode, function))


if __name__ == "__main__":
    support.main()
