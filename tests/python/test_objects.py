#!/usr/bin/env python3
"""Filters, devices, spectra and the catalogue."""
import pickle
import unittest

import support

support.skip_without("numpy")

import numpy as np  # noqa: E402

import abbe  # noqa: E402


def bell(fx, fy):
    return np.exp(-20 * (fx**2 + fy**2))


def frequencies(height, width):
    return np.fft.fftfreq(width)[None], np.fft.fftfreq(height)[:, None]


class Filters(unittest.TestCase):
    def setUp(self):
        self.array = np.random.default_rng(2).random((30, 44))

    def circular(self, gains):
        """The oracle: a circular convolution by NumPy's transforms."""
        return np.fft.ifft2(np.fft.fft2(self.array) * gains).real

    def close(self, result, expected, tolerance=1e-13):
        self.assertLessEqual(float(np.abs(result - expected).max()), tolerance)

    def test_kernel(self):
        taps = np.arange(12.0).reshape(3, 4) - 3
        placed = np.zeros_like(self.array)
        placed[:3, :4] = taps
        for centre in (None, (0, 0), (2, 3)):
            row, column = centre or (1, 2)
            filter = abbe.Filter.from_kernel(taps, centre)
            expected = self.circular(np.fft.fft2(np.roll(placed, (-row, -column), (0, 1))))
            self.close(abbe.filter(self.array, filter, border="wrap"), expected, 1e-11)
            self.assertEqual(filter.centre, (row, column))
            self.close(filter.taps(), taps)
            self.assertEqual(filter.reach(), (3 - column, column, 2 - row, row))
        self.close(abbe.Filter.from_kernel(taps, normalize=True).taps().sum(), 1)
        self.assertEqual(abbe.Filter.from_kernel([[True, False]]).taps().tolist(), [[1, 0]])

    def test_separable(self):
        column, row = [1, 2, 1.5], [1, 0, -1, 3]
        filter = abbe.Filter.from_separable(column, row)
        self.close(filter.taps(), np.outer(column, row))
        self.close(abbe.filter(self.array, filter),
                   abbe.filter(self.array, abbe.Filter.from_kernel(np.outer(column, row))), 1e-12)

    def test_gains(self):
        fx, fy = frequencies(30, 44)
        gains = bell(fx, fy) * np.exp(-2j * np.pi * (2 * fx + 3 * fy))
        filter = abbe.Filter.from_gains(gains)
        self.close(abbe.filter(self.array, filter, border="wrap"), self.circular(gains), 1e-6)
        self.close(filter.gain(3 / 44, 2 / 30), gains[2, 3], 1e-6)

    def test_mask(self):
        gains = bell(*frequencies(30, 44))
        filter = abbe.Filter.from_mask(np.fft.fftshift(gains))
        self.close(abbe.filter(self.array, filter, border="wrap"), self.circular(gains), 0.01)

    def test_transfer(self):
        calls = []

        def transfer(fx, fy):
            calls.append(fx.size)
            return bell(fx, fy) * np.exp(-2j * np.pi * fx)

        filter = abbe.Filter.from_transfer(transfer)
        gains = transfer(*np.broadcast_arrays(*frequencies(30, 44)))
        gains[:, 22] = gains[:, 22].real  # the Hermitian part
        self.close(abbe.filter(self.array, filter, border="wrap"), self.circular(gains), 1e-6)
        self.assertLess(len(calls), 20, "the function is called for many frequencies at once")
        for border in ("reflect", "clamp", "zero"):
            self.assertEqual(abbe.filter(self.array, filter, border=border).shape, (30, 44))
        fx, fy = np.random.default_rng(3).random((2, 4, 5)) - 0.5
        self.close(filter.gain(fx, fy), transfer(fx, fy), 1e-12)
        self.assertIsInstance(filter.gain(0.1, 0.2), complex)
        self.close(abbe.filter(self.array, filter >> "identity", border="wrap"), self.circular(gains), 1e-6)
        bank = abbe.filter(self.array, [filter, abbe.Filter.from_transfer(bell)], border="wrap")
        self.close(bank[0], self.circular(gains), 1e-6)
        self.close(bank[1], self.circular(bell(*frequencies(30, 44))), 1e-6)
        constant = abbe.Filter.from_transfer(lambda fx, fy: 0.5)
        self.close(abbe.filter(self.array, constant), self.array / 2, 1e-12)

    def test_transfer_that_fails(self):
        def fail(fx, fy):
            raise KeyError("from inside")

        with self.assertRaisesRegex(KeyError, "from inside"):
            abbe.filter(self.array, abbe.Filter.from_transfer(fail))
        for result in ([1, 2, 3], "text", None, np.nan):
            with self.assertRaises((ValueError, TypeError)):
                abbe.filter(self.array, abbe.Filter.from_transfer(lambda fx, fy: result))
        with self.assertRaises(TypeError):
            abbe.Filter.from_transfer(3)

    def test_transfer_that_filters(self):
        """A function may use the library itself, also with another function."""
        inner = abbe.Filter.from_transfer(bell)
        outer = abbe.Filter.from_transfer(lambda fx, fy: inner.gain(fx, fy))
        self.close(abbe.filter(self.array, outer, border="wrap"), self.circular(bell(*frequencies(30, 44))), 1e-6)

    def test_wrong_numbers(self):
        for make in (abbe.Filter.from_kernel, abbe.Filter.from_mask, abbe.Filter.from_gains):
            for numbers, kind in (([1, 2], ValueError), ([[[1]]], ValueError), ([["a"]], TypeError),
                                  (np.zeros((0, 3)), ValueError), ([[np.nan]], ValueError)):
                with self.assertRaises(kind, msg=f"{make.__name__} {numbers}"):
                    make(numbers)
        with self.assertRaises(TypeError):
            abbe.Filter.from_kernel([[1j]])
        with self.assertRaises(TypeError):
            abbe.Filter(3)
        with self.assertRaises(ValueError):
            abbe.Filter.from_kernel([[1, 2]], centre=(5, 5))
        with self.assertRaises(ValueError):
            abbe.Filter.from_kernel([[1, -1]], normalize=True)

    def test_files(self):
        seen = []

        def load(filter, name):
            seen.append((filter, name))
            return b"1 2 1" if name == "text" else np.ones((3, 3))

        self.close(abbe.Filter.parse("kernel:file=text", load).taps(), [[0.25, 0.5, 0.25]])
        self.close(abbe.Filter.parse("kernel:file=array", load).taps(), np.ones((3, 3)) / 9)
        self.assertEqual(seen, [("kernel", "text"), ("kernel", "array")])
        with self.assertRaises(ZeroDivisionError):
            abbe.Filter.parse("kernel:file=x", lambda *_: 1 / 0)
        with self.assertRaises(FileNotFoundError):
            abbe.Filter.parse("kernel:file=/nowhere", abbe.load_matrix)
        for value in (b"1 x", 3, None, np.ones(3, "f4")):
            with self.assertRaises((ValueError, TypeError, OSError)):
                abbe.Filter.parse("kernel:file=x", lambda *_: value)

    def test_chains_and_magnitudes(self):
        chain = abbe.Filter("gaussian") >> "laplacian"
        self.close(abbe.filter(self.array, chain), abbe.filter(self.array, "gaussian,laplacian"), 1e-12)
        self.close(abbe.filter(self.array, "gaussian" >> abbe.Filter("laplacian")),
                   abbe.filter(self.array, chain), 1e-12)
        sobel = abbe.Filter("sobel")
        self.assertEqual(sobel.components, 2)
        self.assertEqual(sobel.taps(1).shape, (3, 3))
        with self.assertRaises(abbe.Unsupported):
            sobel >> "gaussian"

    def test_identity(self):
        taps = np.ones((3, 3))
        self.assertEqual(abbe.Filter("gaussian"), abbe.Filter("gaussian"))
        self.assertEqual(abbe.Filter.from_kernel(taps), abbe.Filter.from_kernel(taps.copy()))
        self.assertNotEqual(abbe.Filter.from_kernel(taps), abbe.Filter.from_kernel(2 * taps))
        self.assertNotEqual(abbe.Filter.from_kernel(taps), abbe.Filter.from_kernel(taps, (0, 0)))
        self.assertNotEqual(abbe.Filter.from_kernel(taps), abbe.Filter.from_mask(taps))
        self.assertEqual(len({abbe.Filter("box"), abbe.Filter("box"), abbe.Filter("disk")}), 2)

    def test_pickle(self):
        filters = [abbe.Filter("gaussian:sigma=3"), abbe.Filter.from_kernel(np.eye(3), (0, 1)),
                   abbe.Filter.from_separable([1, 2], [3]), abbe.Filter.from_mask(np.ones((5, 5))),
                   abbe.Filter.from_gains(np.ones((4, 4)) * 1j), abbe.Filter.from_transfer(bell),
                   abbe.Filter("box") >> abbe.Filter.from_transfer(bell)]
        for filter in filters:
            again = pickle.loads(pickle.dumps(filter))
            self.assertEqual(again, filter)
            self.close(again.gain(0.1, 0.2), filter.gain(0.1, 0.2), 0)
        self.assertIn(b"gaussian:sigma=3", pickle.dumps(filters[0]))

    def test_reach(self):
        self.assertEqual(abbe.Filter("disk:radius=30").reach(), (30, 30, 30, 30))
        self.assertGreater(abbe.Filter("lowpass").reach(1e-4).left, abbe.Filter("lowpass").reach(1e-2).left)
        for endless in ("streak", "lowpass:shape=ideal"):
            with self.assertRaises(abbe.Unsupported):
                abbe.Filter(endless).reach()
        with self.assertRaises(ValueError):
            abbe.Filter("box").reach(-1)


class Rest(unittest.TestCase):
    def test_devices(self):
        device = abbe.Device("cpu", threads=1)
        self.assertEqual(device.kind, "cpu")
        self.assertIn("1 thread", device.detail)
        array = np.ones((8, 8), "f4")
        self.assertEqual(abbe.filter(array, "box", device=device).sum(), 64)
        plan = abbe.Plan((8, 8), "f4", "box", device=device)
        again = pickle.loads(pickle.dumps(device))
        del device  # the plan keeps it
        self.assertEqual(plan(array).sum(), 64)
        self.assertEqual((again.name, again.threads), ("cpu", 1))
        for threads in (-1, 10**6):
            with self.assertRaises(ValueError):
                abbe.Device("cpu", threads)
        with self.assertRaises(ValueError):
            abbe.filter(array, "box", device=again, threads=2)
        self.assertEqual(abbe.list_devices()[0].name, "cpu")

    def test_catalogue(self):
        filters = {entry.name: entry for entry in abbe.list_filters()}
        self.assertIn("gaussian", filters)
        self.assertTrue(filters["lowpass"].in_frequency)
        shape = next(key for key in filters["lowpass"].keys if key.name == "shape")
        self.assertEqual(shape.type, "choice")
        self.assertIn("butterworth", shape.choices)
        for entry in filters.values():  # defaults make a filter
            if all(key.default or key.follows for key in entry.keys):
                abbe.Filter(entry.name)
            self.assertIn(entry.summary, str(entry))

    def test_spectra(self):
        random = np.random.default_rng(5)
        for shape in ((1, 1), (1, 8), (7, 5), (3, 12, 10)):
            array = random.random(shape)
            expected = np.fft.fft2(array) / (shape[-1] * shape[-2])
            found = abbe.spectrum(array)
            self.assertEqual(found.dtype, np.complex64)
            self.assertLess(np.abs(found - expected).max(), 1e-6)
            self.assertLess(np.abs(abbe.ispectrum(found) - array).max(), 1e-5)
            packed = abbe.spectrum(array, packed=True)
            self.assertEqual((packed.shape, packed.dtype), (array.shape, np.float32))
            self.assertLess(np.abs(abbe.ispectrum(packed) - array).max(), 1e-5)
        swapped = abbe.spectrum(random.random((6, 7, 2)), axes=(0, 1))
        self.assertEqual(swapped.shape, (6, 7, 2))
        bytes_ = random.integers(0, 255, (6, 7)).astype("u1")
        self.assertLess(abs(abbe.spectrum(bytes_)[0, 0] - bytes_.mean()), 1e-4)
        with self.assertRaises(ValueError):
            abbe.spectrum(np.ones(5))

    def test_peaks(self):
        x = np.arange(256)
        array = (0.5 + 0.2 * np.cos(np.pi * 0.25 * x)[None] + np.zeros((256, 1))).astype("f4")
        array += np.random.default_rng(1).random(array.shape).astype("f4") * 0.01
        peaks = abbe.find_peaks(array)
        self.assertAlmostEqual(peaks[0].x, 0.25, 3)
        self.assertAlmostEqual(peaks[0].y, 0, 3)
        clean = abbe.filter(array, abbe.remove_peaks(peaks[:1]))
        self.assertLess(clean[64:-64, 64:-64].std(), 0.1 * array.std())
        self.assertEqual(abbe.remove_peaks([]).text, "identity")
        with self.assertRaises(ValueError):
            abbe.find_peaks(np.ones((2, 8, 8), "f4"))

    def test_documentation(self):
        import pydoc

        text = pydoc.render_doc(abbe, renderer=pydoc.plaintext)
        for name in abbe.__all__:
            self.assertTrue(getattr(abbe, name).__doc__, name)
            self.assertIn(name, text)


if __name__ == "__main__":
    support.main()
