"""abbe transform: packed spectra and pictures restored from them, compared with numpy.fft."""

import io

import support
from spectra import SIZES, Case, plain, random, write_tiff
from support import Image, np, tifffile

from PIL import ImageCms


def pack(F):
    """Equations 9 and 10 of Moreland & Angel 2003, written out for rows v and columns u of F."""
    N, M = F.shape
    A = np.full((N, M), np.nan)
    for u in range(M):
        for v in range(N):
            if u == 0 or 2 * u == M:
                A[v, u] = F[v, u].real if 2 * v <= N else F[v, u].imag
            elif 2 * u > M:
                A[v, M - u] = F[v, u].real
                A[v, u] = F[v, u].imag
    return A


class Transform(Case):
    def spectrum_of(self, pixels, alpha=False):
        write_tiff(self.path("in.tif"), pixels, alpha=alpha)
        self.done("transform", "in.tif", "-o", "packed.tif")
        return tifffile.imread(self.path("packed.tif"))

    def test_layout_is_equations_9_and_10(self):
        for width, height in SIZES:
            with self.subTest(width=width, height=height):
                plane = random((height, width)).astype(np.float32)
                packed = self.spectrum_of(plane).reshape(height, width)
                self.assertEqual(packed.dtype, np.float32)
                expected = pack(np.fft.fft2(plane.astype(float)) / plane.size)
                self.assertFalse(np.isnan(expected).any())
                np.testing.assert_allclose(packed, expected, atol=3e-7)

    def test_channels_are_transformed_each_by_itself(self):
        pixels = random((21, 30, 4)).astype(np.float32)
        packed = self.spectrum_of(pixels, alpha=True)
        for channel in range(4):
            expected = pack(np.fft.fft2(pixels[..., channel].astype(float)) / (21 * 30))
            np.testing.assert_allclose(packed[..., channel], expected, atol=3e-7)

    def round_trip(self, pixels, alpha):
        self.spectrum_of(pixels, alpha)
        self.done("transform", "--inverse", "packed.tif", "-o", plain("again.tif"))
        again = tifffile.imread(self.path("again.tif"))
        self.assertEqual(again.dtype, pixels.dtype)
        return again.reshape(pixels.shape)

    def test_round_trip(self):
        for width, height in SIZES + [(251, 127)]:
            for channels in (1, 2, 3, 4):
                for kind in (np.uint8, np.uint16, np.float32):
                    with self.subTest(width=width, height=height, channels=channels, kind=kind.__name__):
                        top = 1 if kind == np.float32 else np.iinfo(kind).max
                        shape = (height, width, channels) if channels > 1 else (height, width)
                        pixels = (random(shape, channels) * top).astype(kind)
                        if channels > 1 and width * height < 9:
                            continue  # tifffile misreads such small files
                        again = self.round_trip(pixels, alpha=channels in (2, 4))
                        if kind == np.float32:
                            # The bound of docs/maths.md, for both transforms together.
                            error = np.linalg.norm(again.astype(float) - pixels) / np.linalg.norm(pixels)
                            self.assertLess(error, 3e-7 * np.sqrt(np.log2(max(2, width * height))))
                            self.assertLess(np.abs(again - pixels).max() / np.abs(pixels).max(), 2e-6)
                        else:
                            np.testing.assert_array_equal(again, pixels)

    def test_round_trip_of_floats_of_any_magnitude(self):
        for scale in (1e-20, 1e-3, 1e6, 1e20):
            pixels = ((random((33, 20, 3)) - 0.5) * scale).astype(np.float32)
            again = self.round_trip(pixels, alpha=False)
            self.assertLess(np.linalg.norm(again - pixels) / np.linalg.norm(pixels), 1e-6)

    def test_alpha_profile_and_type_come_back_in_png(self):
        profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
        pixels = (random((20, 30, 4)) * 255).astype(np.uint8)
        Image.fromarray(pixels).save(self.path("in.png"), icc_profile=profile)
        self.done("transform", "in.png", "-o", "packed.tif")
        self.done("transform", "--inverse", "packed.tif", "-o", "out.png")
        again = Image.open(self.path("out.png"))
        self.assertEqual(again.mode, "RGBA")
        self.assertEqual(again.info.get("icc_profile"), profile)
        np.testing.assert_array_equal(np.asarray(again), pixels)

    def test_description_names_the_file_and_goes_with_the_inverse(self):
        pixels = (random((10, 12)) * 255).astype(np.uint8)
        for own in (None, "a cat", "two\nlines"):
            write_tiff(self.path("in.tif"), pixels, own)
            self.done("transform", "in.tif", "-o", "packed.tif")
            with tifffile.TiffFile(self.path("packed.tif")) as file:
                description = file.pages[0].description
            first, _, rest = description.partition("\n")
            self.assertEqual(
                first, "abbe packed spectrum 1; source u8; 12 x 10; channels 1; alpha no; orientation 1")
            self.assertEqual(rest, own or "")
            self.done("transform", "--inverse", "packed.tif", "-o", "out.tif")
            with tifffile.TiffFile(self.path("out.tif")) as file:
                self.assertEqual(file.pages[0].description, own or "")

    def test_orientation(self):
        pixels = (random((10, 17)) * 255).astype(np.uint8)
        Image.fromarray(pixels).save(self.path("in.tif"), tiffinfo={274: 6})
        self.done("transform", "in.tif", "-o", "packed.tif")
        upright = np.rot90(pixels, -1)
        packed = tifffile.imread(self.path("packed.tif"))
        np.testing.assert_allclose(packed, pack(np.fft.fft2(upright / 255) / upright.size), atol=3e-7)
        self.done("transform", "--inverse", "packed.tif", "-o", "out.tif")
        with tifffile.TiffFile(self.path("out.tif")) as file:
            tag = file.pages[0].tags.get(274)
            stored = file.pages[0].asarray()
        self.assertEqual(tag.value, 6)
        np.testing.assert_array_equal(stored, pixels)

    def test_edited_spectrum(self):
        pixels = random((24, 36, 3)).astype(np.float32)
        packed = self.spectrum_of(pixels)
        with tifffile.TiffFile(self.path("packed.tif")) as file:
            description = file.pages[0].description
        mean = packed[0, 0].copy()
        np.testing.assert_allclose(mean, pixels.mean((0, 1)), rtol=1e-6)
        packed = packed * np.float32(0.5)
        packed[0, 0] = mean
        for name, more in (("plain.tif", {}), ("zip.tif", {"compression": "zlib"}),
                           ("tiled.tif", {"tile": (16, 16)}), ("big.tif", {"bigtiff": True})):
            tifffile.imwrite(self.path(name), packed, photometric="rgb", description=description,
                             metadata=None, **more)
            self.done("transform", "--inverse", name, "-o", plain("out.tif"))
            np.testing.assert_allclose(self.values("out.tif"), mean + 0.5 * (pixels - mean), atol=1e-6)

    def test_inverse_into_narrower_formats(self):
        pixels = random((16, 16, 3)).astype(np.float32)
        self.spectrum_of(pixels)
        self.done("transform", "--inverse", "packed.tif", "-o", "out.png")
        np.testing.assert_allclose(self.values("out.png"), pixels, atol=0.6 / 65535)
        self.done("transform", "--inverse", "packed.tif", "-o", "out.jpg")
        self.assertEqual(np.asarray(Image.open(self.path("out.jpg"))).shape, (16, 16, 3))

    def test_pipes(self):
        pixels = (random((16, 20, 3)) * 255).astype(np.uint8)
        file = io.BytesIO()
        Image.fromarray(pixels).save(file, "png")
        packed = self.done("transform", "-", "-o", "-", given=file.getvalue()).out
        again = self.done("transform", "-", "--inverse", "-o", "-", given=packed).out
        np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(again))), pixels)

    def test_compressed(self):
        pixels = (random((40, 40)) * 255).astype(np.uint8)
        write_tiff(self.path("in.tif"), pixels)
        self.done("transform", "in.tif", "-o", "packed.tif" + "[compression=deflate]")
        self.done("transform", "--inverse", "packed.tif", "-o", "out.tif")
        np.testing.assert_array_equal(tifffile.imread(self.path("out.tif")), pixels)

    def test_inverse_refuses_a_picture(self):
        out = self.path("out.png")
        write_tiff(self.path("a.tif"), random((8, 8)).astype(np.float32), "holiday")
        self.refused(1, "not a packed spectrum", "transform", "--inverse", "a.tif", "-o", out, output=out)
        Image.new("RGB", (8, 8)).save(self.path("a.png"))
        self.refused(1, "not a packed spectrum", "transform", "--inverse", "a.png", "-o", out, output=out)

    def test_inverse_refuses_what_is_not_quite_a_spectrum(self):
        out = self.path("out.tif")
        packed = self.spectrum_of(random((8, 12)).astype(np.float32))
        with tifffile.TiffFile(self.path("packed.tif")) as file:
            note = file.pages[0].description
        for other in (note.replace("spectrum 1", "spectrum 2"), note.replace("12 x 8", "12 x 08"),
                      note.replace("float", "f64"), note.replace("alpha no", "alpha maybe"), "x" + note,
                      note + "!", note.replace("orientation 1", "orientation 9"), note[:-1]):
            write_tiff(self.path("bad.tif"), packed, other)
            self.refused(1, "not a packed spectrum", "transform", "--inverse", "bad.tif", "-o", out,
                         output=out)
        write_tiff(self.path("bad.tif"), packed[:, :-1].copy(), note)
        self.refused(1, "12 x 8", "transform", "--inverse", "bad.tif", "-o", out, output=out)
        write_tiff(self.path("bad.tif"), (packed * 65535).clip(0, 65535).astype(np.uint16), note)
        self.refused(1, "float TIFF", "transform", "--inverse", "bad.tif", "-o", out, output=out)
        packed[3, 3] = np.nan
        write_tiff(self.path("bad.tif"), packed, note)
        self.refused(1, "NaN", "transform", "--inverse", "bad.tif", "-o", out, output=out)

    def test_other_refusals(self):
        write_tiff(self.path("in.tif"), random((8, 8)).astype(np.float32))
        for name in ("out.png", "out.jpg", "out", "out.tif.png"):
            self.refused(1, ".tif", "transform", "in.tif", "-o", name, output=name)
        self.refused(2, "no output", "transform", "in.tif")
        self.refused(2, "no input", "transform", "-o", "out.tif")
        self.refused(2, "two", "transform", "in.tif", "in.tif", "-o", "out.tif")
        self.refused(2, "two", "transform", "in.tif", "-o", "out.tif", "-o", "b.tif")
        self.refused(1, "missing.png", "transform", "missing.png", "-o", "out.tif")
        self.refused(1, "", "transform", "in.tif", "-o", "no/folder.tif")
        self.refused(1, "abacus", "transform", "in.tif", "-o", "out.tif", "--device", "abacus")
        self.refused(1, "max-pixels", "transform", "in.tif", "-o", "out.tif", "--max-pixels", "63")
        self.refused(2, "--inverse", "transform", "in.tif", "-o", "out.tif", "--invers")
        write_tiff(self.path("nan.tif"), np.full((4, 4), np.nan, np.float32))
        self.refused(1, "NaN", "transform", "nan.tif", "-o", "out.tif", output="out.tif")

    def test_devices_other_than_the_cpu(self):
        """A GPU that can be opened is refused, not one that is absent."""
        write_tiff(self.path("in.tif"), random((8, 8)).astype(np.float32))
        opened = [name for name in ("vulkan:lavapipe", "gl:llvmpipe")
                  if not self.run_abbe("filter", "in.tif", "-f", "box", "-o", "filtered.tif", "--device", name).status]
        if not opened:
            self.skipTest("no software driver")
        for name in opened:
            for command in ("transform", "spectrum", "tile"):
                self.refused(1, f"--device {name}: spectra are computed by the CPU", command, "in.tif", "-o", "out.tif",
                             "--device", name, output="out.tif")

    def test_threads_do_not_matter(self):
        write_tiff(self.path("in.tif"), random((65, 70, 3)).astype(np.float32))
        for threads in (1, 3):
            self.done("transform", "in.tif", "-o", f"{threads}.tif", "--threads", threads, "-q")
        np.testing.assert_array_equal(self.values("1.tif"), self.values("3.tif"))

    def test_help_has_examples(self):
        self.check_help("transform")


if __name__ == "__main__":
    support.main()
