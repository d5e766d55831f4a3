#!/usr/bin/env python3
"""abbe.filter and abbe.Plan: results against SciPy and NumPy in double precision, arrays of every kind, refusals."""
import unittest
import warnings

import support

support.skip_without("numpy", "scipy")

import numpy as np  # noqa: E402
import scipy.ndimage  # noqa: E402
import scipy.signal  # noqa: E402

import abbe  # noqa: E402
from abbe import _arrays, _plans  # noqa: E402

BORDERS = {"reflect": "reflect", "mirror": "mirror", "clamp": "nearest", "zero": "constant", "wrap": "wrap"}


def blur(array, sigma, border="reflect"):
    """The oracle: scipy.ndimage in double precision over the last two axes."""
    sigmas = [0] * (array.ndim - 2) + [sigma, sigma]
    return scipy.ndimage.gaussian_filter(array.astype("f8"), sigmas, mode=BORDERS[border])


class Results(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(1)

    def array(self, shape, dtype="f4"):
        dtype = np.dtype(dtype)
        if dtype.kind in "iu":
            return self.random.integers(0, 200, shape).astype(dtype)
        return self.random.random(shape).astype(dtype)

    def close(self, result, expected, tolerance=2e-6):
        self.assertEqual(result.shape, expected.shape)
        self.assertLessEqual(float(np.abs(result - expected).max(initial=0)), tolerance)

    def test_borders_and_shapes(self):
        for shape in ((1, 1), (1, 9), (9, 1), (7, 5), (64, 50), (127, 131)):
            array = self.array(shape)
            for border in BORDERS:
                self.close(abbe.filter(array, "gaussian:sigma=1.5", border=border), blur(array, 1.5, border))

    def test_types(self):
        for dtype in _arrays.TYPES:
            array = self.array((40, 30), dtype)
            result = abbe.filter(array, "gaussian:sigma=1.5")
            self.assertEqual(result.dtype, dtype)
            expected = blur(array, 1.5)
            steps = {"f2": 1e-3, "f4": 1e-6, "f8": 1e-12}.get(dtype.str[1:], 1.0)
            self.close(result.astype("f8"), expected, steps)
            doubles = abbe.filter(array, "gaussian:sigma=1.5", dtype="f8")
            self.close(doubles, expected, 1e-10)

    def test_layouts(self):
        planes = self.array((3, 20, 30))
        pixels = np.ascontiguousarray(planes.transpose(1, 2, 0))
        expected = blur(planes, 2)
        self.close(abbe.filter(planes, "gaussian", channel_axis=0), expected)
        self.close(abbe.filter(pixels, "gaussian", channel_axis=-1), expected.transpose(1, 2, 0))
        self.close(abbe.filter(pixels, "gaussian", axes=(0, 1)), expected.transpose(1, 2, 0))
        self.close(abbe.filter(pixels[..., 1], "gaussian"), expected[1])
        self.close(abbe.filter(planes[:, ::-1, ::-2], "gaussian", axes=(1, 2)), blur(planes[:, ::-1, ::-2], 2))
        self.close(abbe.filter(planes.T, "gaussian", axes=(1, 0)), expected.T)
        stack = self.array((2, 3, 12, 11))
        self.close(abbe.filter(stack, "gaussian", axes=(2, 3)), blur(stack, 2))
        self.close(abbe.filter(stack, "gaussian", axes=(2, 3), channel_axis=1), blur(stack, 2))
        many = self.array((70, 8, 9))
        self.close(abbe.filter(many, "gaussian", channel_axis=0), blur(many, 2))
        row = self.array(50)
        self.close(abbe.filter(row, "gaussian"), scipy.ndimage.gaussian_filter1d(row.astype("f8"), 2))
        self.close(abbe.filter(planes, "gaussian", axes=2),
                   scipy.ndimage.gaussian_filter1d(planes.astype("f8"), 2))

    def test_arrays_that_share_positions(self):
        row = self.array(30)
        self.close(abbe.filter(np.broadcast_to(row, (20, 30)), "gaussian"),
                   blur(np.broadcast_to(row, (20, 30)).copy(), 2))
        windows = np.lib.stride_tricks.sliding_window_view(row, 7)
        self.close(abbe.filter(windows, "gaussian"), blur(windows.copy(), 2))

    def test_read_only_and_other_arrays(self):
        array = self.array((20, 30), "f8")
        expected = blur(array, 2)
        array.flags.writeable = False
        self.close(abbe.filter(array, "gaussian"), expected, 1e-12)
        self.close(abbe.filter(array.tolist(), "gaussian"), expected, 1e-12)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.close(abbe.filter(np.matrix(array), "gaussian"), expected, 1e-12)

    def test_empty(self):
        self.assertEqual(abbe.filter(np.zeros((0, 8, 9), "f4"), "box", axes=(1, 2)).shape, (0, 8, 9))
        for shape in ((0, 5), (5, 0), (0,), ()):
            with self.assertRaises(ValueError):
                abbe.filter(np.zeros(shape, "f4"), "box")

    def test_out(self):
        array = self.array((20, 30))
        expected = blur(array, 2)
        out = np.empty((20, 30), "f4")
        self.assertIs(abbe.filter(array, "gaussian", out=out), out)
        self.close(out, expected)
        wide = np.zeros((20, 60), "f4")
        abbe.filter(array, "gaussian", out=wide[:, ::2])
        self.close(wide[:, ::2], expected)
        self.assertFalse(wide[:, 1::2].any())
        itself = array.copy()
        abbe.filter(itself, "gaussian", out=itself)
        self.close(itself, expected)
        for target in (array[::-1], array[:, ::-1]):  # the same memory in another order
            array[...] = (source := array.copy())
            abbe.filter(array, "gaussian", out=target)
            self.close(target, blur(source, 2))
            array[...] = source
        stack = self.array((4, 6, 6))
        expected = blur(stack[:3], 2)
        abbe.filter(stack[:3], "gaussian", axes=(1, 2), out=stack[1:])
        self.close(stack[1:], expected)

    def test_wrong_out(self):
        array = self.array((20, 30))
        locked = np.empty((20, 30), "f4")
        locked.flags.writeable = False
        for out in (np.empty((20, 29), "f4"), np.empty((20, 30), "f8"), locked):
            with self.assertRaises(ValueError):
                abbe.filter(array, "gaussian", out=out)
        for out in ([[0]], "out", np.ma.zeros((20, 30), "f4")):
            with self.assertRaises(TypeError):
                abbe.filter(array, "gaussian", out=out)
        twice = np.empty((20, 30), "f4")
        with self.assertRaises(ValueError):
            abbe.filter(array, ["gaussian", "box"], out=[twice, twice])
        with self.assertRaises(ValueError):
            abbe.filter(array, ["gaussian", "box"], out=[twice])

    def test_bank(self):
        array = self.array((31, 40))
        plan = abbe.Plan(array.shape, "f4", ["gaussian:sigma=1", abbe.Filter("gaussian:sigma=4")])
        low, lower = plan(array)
        self.close(low, blur(array, 1))
        self.close(lower, blur(array, 4))
        stack = self.array((3, 31, 40))
        results = abbe.filter(stack, ["gaussian:sigma=1", "gaussian:sigma=4"], axes=(1, 2))
        self.close(results[0], blur(stack, 1))
        self.close(results[1], blur(stack, 4))
        self.assertIsInstance(abbe.filter(array, ["gaussian"]), tuple)

    def test_window(self):
        array = self.array((20, 30), "f8")
        taps = self.random.random((3, 5))
        full = scipy.signal.convolve2d(array, taps)
        kernel = abbe.Filter.from_kernel(taps)
        for window, expected in (("full", full), ("valid", full[2:-2, 4:-4]), ("same", full[1:-1, 2:-2]),
                                 ((2, 1, 4, 7), full[3:7, 3:10])):
            self.close(abbe.filter(array, kernel, border="zero", window=window), expected, 1e-13)
        self.close(abbe.filter(np.stack([array, array]), kernel, border="zero", window="full", axes=(1, 2)),
                   np.stack([full, full]), 1e-13)

    def test_options(self):
        array = self.array((20, 30), "u1")
        self.assertTrue((abbe.filter(array, "highpass", offset=128).astype(int) > 50).any())
        unit = abbe.filter(array, "identity", dtype="f4", scale="unit")
        self.close(unit, array / 255)
        self.close(abbe.filter(array, "identity", dtype="f4"), array.astype("f8"))
        kernel = abbe.Filter.from_kernel([[0, 0, 1]])
        self.close(abbe.filter(array, kernel, correlate=True, border="wrap"), np.roll(array, -1, 1), 0)
        self.close(abbe.filter(array, kernel, border="wrap"), np.roll(array, 1, 1), 0)
        for method in ("direct", "separable", "fft", "tiles"):
            self.close(abbe.filter(array.astype("f4"), "gaussian", method=method, threads=1), blur(array, 2), 1e-3)

    def test_kept_plans_are_bounded(self):
        abbe.clear_cache()
        array = self.array((16, 16))
        for i in range(1, 200):
            abbe.filter(array, f"gaussian:sigma={i / 50 + 0.5:.3f}")
        self.assertLessEqual(len(_plans._cache._plans), _plans._cache.COUNT)
        self.assertEqual(_plans._cache._bytes, sum(size for _, size in _plans._cache._plans.values()))
        abbe.clear_cache()
        self.assertEqual(len(_plans._cache._plans), 0)
        kernel = np.ones((3, 3))
        for _ in range(10):
            abbe.filter(array, abbe.Filter.from_kernel(kernel))  # equal filters share a plan
        self.assertEqual(len(_plans._cache._plans), 1)

    def test_explain(self):
        plan = abbe.Plan((600, 800, 3), "u1", "disk:radius=30", channel_axis=-1)
        explanation = plan.explain()
        text = str(explanation)
        self.assertIn("← chosen", text)
        self.assertEqual({candidate.method for candidate in explanation.candidates},
                         {"direct", "separable", "fft", "tiles"})
        self.assertIn(explanation.choice.method, ("fft", "tiles"))
        self.assertEqual(sum(candidate.chosen for candidate in explanation.candidates), 1)
        self.assertGreater(plan.memory, 0)
        self.assertEqual(str(abbe.explain((600, 800, 3), "disk:radius=30", "u1", channel_axis=-1)), text)


class Foreign:
    """An array elsewhere."""

    def __init__(self, **attributes):
        vars(self).update(attributes)


class Refusals(unittest.TestCase):
    def refuse(self, kind, text, *args, **keywords):
        with self.assertRaisesRegex(kind, text):
            abbe.filter(*args, **keywords)

    def test_arrays(self):
        plane = np.zeros((4, 5), "f4")
        self.refuse(TypeError, "byte order", plane.astype(">f4"), "box")
        self.refuse(TypeError, "masked", np.ma.array(plane), "box")
        for dtype in ("c8", "O", "U3", "?", "i1", "i8", "M8[s]", [("a", "f4")]):
            self.refuse(TypeError, "cannot be filtered", np.zeros((4, 5), dtype), "box")
        self.refuse(ValueError, "axes", np.zeros((4, 5, 3), "f4"), "box")
        self.refuse(ValueError, "no axis 7", plane, "box", axes=(0, 7))
        self.refuse(ValueError, "different", plane, "box", axes=(0, 0))
        self.refuse(ValueError, "different", plane, "box", axes=(0, 1), channel_axis=0)
        self.refuse(TypeError, "axis is an int", plane, "box", axes=("x", 1))
        self.refuse(ValueError, 'not finite; nonfinite="zero"', np.full((4, 5), np.nan, "f4"), "box")

    def test_arrays_on_gpus(self):
        self.refuse(TypeError, "memory of a GPU", Foreign(__cuda_array_interface__={}), "box")
        self.refuse(TypeError, "memory of a GPU", Foreign(__dlpack_device__=lambda: (2, 0)), "box")

        class Host:
            def __dlpack_device__(self):
                return 1, 0

            def __array__(self, dtype=None):
                return np.ones((4, 5), "f4")

        self.assertEqual(abbe.filter(Host(), "identity").sum(), 20)

    def test_arguments(self):
        plane = np.zeros((4, 5), "f4")
        self.refuse(ValueError, "did you mean 'gaussian'", plane, "gausian")
        self.refuse(ValueError, "sigma", plane, "gaussian:sigma=-1")
        self.refuse(ValueError, "unknown border", plane, "box", border="edge")
        self.refuse(ValueError, "unknown method", plane, "box", method="magic")
        self.refuse(TypeError, "'colour'; keys of a filter", plane, "box", colour=3)
        self.refuse(TypeError, "'mode'; .*border=", plane, "box", mode="wrap")
        self.refuse(ValueError, "called 'clamp'", plane, "box", border="nearest")
        self.refuse(TypeError, "text, an abbe.Filter", plane, 3)
        self.refuse(TypeError, "from_kernel", plane, np.ones((3, 3)))
        self.refuse(ValueError, "no filter", plane, [])
        self.refuse(TypeError, "wrong type", plane, "box", border=[])
        self.refuse(OSError, "file", plane, "kernel:file=/nowhere")
        self.refuse(abbe.Unsupported, "tpu", plane, "box", device="tpu")
        self.refuse(abbe.Unsupported, "", plane, "lowpass", method="direct")
        self.refuse(ValueError, "remains|larger|VALID|valid", plane, "box:radius=9", window="valid")
        plan = abbe.Plan((4, 5), "f4", "box")
        with self.assertRaisesRegex(ValueError, "the plan is for"):
            plan(np.zeros((4, 6), "f4"))
        with self.assertRaisesRegex(ValueError, "the plan is for"):
            plan(np.zeros((4, 5), "f8"))

    def test_memory(self):
        with self.assertRaises((MemoryError, ValueError)):
            abbe.Plan((1 << 30, 1 << 30), "f4", "lowpass")


if __name__ == "__main__":
    support.main()
