#!/usr/bin/env python3
"""abbe.dask: chunks against the whole array, on the threads of one process and on the workers of a cluster."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import support

support.skip_without("numpy", "dask", "distributed", "zarr")

import dask.array as da  # noqa: E402
import numpy as np  # noqa: E402

import abbe  # noqa: E402
import abbe.dask  # noqa: E402


def shift(fx, fy):
    return np.exp(-30 * (fx**2 + fy**2))


class Chunks(unittest.TestCase):
    def setUp(self):
        self.array = np.random.default_rng(3).random((300, 410), dtype="f4")

    def check(self, array, filter, tolerance, chunks=(97, 128), **options):
        result = abbe.dask.filter(da.from_array(array, chunks=chunks), filter, **options).compute(
            scheduler="threads", num_workers=2)
        expected = abbe.filter(array, filter, **options)
        self.assertEqual((result.shape, result.dtype), (expected.shape, expected.dtype))
        self.assertLessEqual(float(np.abs(result.astype("f8") - expected).max()), tolerance)

    def test_kernels_and_borders(self):
        for border in ("reflect", "mirror", "clamp", "zero", "wrap", "constant"):
            for filter in ("disk:radius=9", abbe.Filter.from_kernel(np.ones((3, 6)), (0, 5))):
                self.check(self.array, filter, 2e-5, border=border, border_value=0.5)
        self.check((self.array * 255).astype("u1"), "gaussian:sigma=4", 1)
        self.check(self.array.astype("f8"), "gaussian:sigma=4", 1e-13, dtype="f8")
        self.check(self.array, "gaussian:sigma=20", 1e-6)  # reads farther than the smallest chunk

    def test_axes(self):
        stack = np.stack([self.array, self.array[::-1]])
        self.check(stack, "gaussian", 1e-6, (1, 100, 100), axes=(1, 2))
        pixels = np.ascontiguousarray(stack.transpose(1, 2, 0))
        self.check(pixels, "gaussian", 1e-6, (100, 100, 2), channel_axis=-1)

    def test_transfer_functions(self):
        array = da.from_array(self.array, chunks=(150, 205))
        for filter in ("lowpass:cutoff=0.25", abbe.Filter.from_transfer(shift)):
            tolerance = 1e-3
            result = abbe.dask.filter(array, filter, tolerance=tolerance).compute(scheduler="synchronous")
            bound = 2 * tolerance * 2  # Σ|h| of these low passes is below 2, and both results have the error
            self.assertLessEqual(float(np.abs(result - abbe.filter(self.array, filter)).max()), bound)

    def test_refusals(self):
        array = da.from_array(self.array, chunks=100)
        for endless in ("streak", "lowpass:shape=ideal", "power:exponent=-1"):
            with self.assertRaisesRegex(abbe.Unsupported, "does not decay"):
                abbe.dask.filter(array, endless)
        with self.assertRaisesRegex(ValueError, "as a whole"):
            abbe.dask.filter(array, "gaussian:sigma=100")
        with self.assertRaisesRegex(ValueError, "unknown border 'nearest'"):
            abbe.dask.filter(array, "box", "nearest")
        with self.assertRaises(ValueError):
            abbe.dask.filter(array, "box", window="full")
        with self.assertRaisesRegex(TypeError, "one filter"):
            abbe.dask.filter(array, ["box", "disk"])
        with self.assertRaisesRegex(TypeError, "'sigma'"):
            abbe.dask.filter(array, "gaussian", sigma=3)
        with self.assertRaises(TypeError):
            abbe.dask.filter(self.array, "box")
        with self.assertRaisesRegex(TypeError, "complex64"):
            abbe.dask.filter(array.astype("c8"), "box")
        with self.assertRaisesRegex(TypeError, "abbe.dask.filter"):
            abbe.filter(array, "box")

    def test_names_of_tasks(self):
        """The same work has the same name, so that dask does it once."""
        array = da.from_array(self.array, chunks=100)
        names = {abbe.dask.filter(array, filter).name
                 for filter in ("box", "box", abbe.Filter("box"), "box:radius=3")}
        self.assertEqual(len(names), 2)


class Page(unittest.TestCase):
    def test_zarr_and_ome_tiff(self):
        """The program of docs/python.md does what the page says, with an OME-TIFF that has a pyramid."""
        if importlib.util.find_spec("tifffile") is None:
            self.skipTest("there is no module tifffile")
        import tifffile

        page = pathlib.Path(os.environ["ABBE_SOURCE"], "docs/python.md").read_text()
        program, = [block.split("```")[0] for block in page.split("```python\n")[1:] if "aszarr" in block.split("```")[0]]
        picture = np.random.default_rng(4).integers(0, 256, (500, 700)).astype("u1")
        with tempfile.TemporaryDirectory() as folder:
            with tifffile.TiffWriter(f"{folder}/scan.ome.tif", ome=True) as file:
                file.write(picture, tile=(128, 128), subifds=1)
                file.write(picture[::2, ::2], tile=(128, 128), subfiletype=1)
            subprocess.run([sys.executable, "-c", program], cwd=folder, check=True)
            levels = [da.from_zarr(f"{folder}/soft.ome.zarr", component=str(i)).compute() for i in range(4)]
        expected = abbe.filter(picture, "gaussian:sigma=5")
        for i, level in enumerate(levels):
            self.assertEqual(level.shape, (500 >> i, 700 >> i))
            self.assertLessEqual(int(np.abs(level.astype(int) - expected).max()), 1)
            rows, columns = level.shape[0] // 2 * 2, level.shape[1] // 2 * 2
            halves = level[:rows, :columns].reshape(rows // 2, 2, columns // 2, 2).mean((1, 3))
            expected = np.round(halves).astype("u1")


class Cluster(unittest.TestCase):
    def test_workers(self):
        """The proof of docs/python.md, with 17 MB: two worker processes filter a zarr array, and one is killed meanwhile."""
        proof = pathlib.Path(os.environ["ABBE_SOURCE"], "examples/python/dask_proof.py")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, proof, "2048", folder], capture_output=True, text=True, timeout=240)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"0\.02 GB in 64 chunks: .* killed half-way")


if __name__ == "__main__":
    support.main()
