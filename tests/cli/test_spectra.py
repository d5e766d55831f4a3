"""abbe transform, spectrum and texture through the built command; numpy.fft is the oracle."""

import io
import os

import support
from support import Image, load, np, tifffile

from PIL import ImageCms

SIZES = [(1, 1), (1, 7), (8, 1), (2, 2), (8, 6), (7, 5), (9, 8), (6, 11), (31, 37), (64, 48)]


def plain(name):
    """Asks for a TIFF that tifffile reads without its optional codecs."""
    return name + "[compression=none]" if name.endswith(".tif") else name


def random(shape, seed=0):
    return np.random.default_rng(seed).random(shape)


def write_tiff(path, pixels, description=None, alpha=False):
    channels = pixels.shape[2] if pixels.ndim == 3 else 1
    extra = {"extrasamples": ["unassalpha"]} if alpha else {}
    tifffile.imwrite(path, pixels, photometric="rgb" if channels > 2 else "minisblack",
                     planarconfig="contig" if channels > 1 else None, description=description,
                     metadata=None, **extra)


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


def shifted_spectrum(plane):
    return np.fft.fftshift(np.fft.fft2(plane)) / plane.size


def periodic(plane):
    """Moisan's periodic component, by the interior Laplacian instead of the seams."""
    N, M = plane.shape
    laplacian = np.zeros_like(plane)
    for axis in (0, 1):
        step = np.diff(plane, axis=axis)
        low = [(0, 0), (0, 0)]
        high = [(0, 0), (0, 0)]
        low[axis], high[axis] = (0, 1), (1, 0)
        laplacian += np.pad(step, low) - np.pad(step, high)
    cosines = [2 * np.cos(2 * np.pi * np.fft.fftfreq(n)) for n in (N, M)]
    divisor = cosines[0][:, None] + cosines[1][None, :] - 4
    divisor[0, 0] = 1
    P = np.fft.fft2(laplacian) / divisor
    P[0, 0] = plane.sum()
    return np.fft.ifft2(P).real


def splitmix64(seed):
    mask = (1 << 64) - 1
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        bits = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) & mask
        bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & mask
        yield bits ^ (bits >> 31)


def random_phases(seed, width, height):
    """e^(jθ) with the signs of the packed layout: the documented texture of a seed."""
    bits = splitmix64(seed)
    F = np.zeros((height, width), complex)

    def pair(u, v):
        F[v, u] = np.exp(2j * np.pi * (next(bits) >> 11) / 2**53)
        F[-v % height, -u % width] = F[v, u].conj()

    for v in range(height):
        for u in range(1, (width + 1) // 2):
            pair(width - u, v)
    for u in [0] + [width // 2] * (width % 2 == 0):
        for v in range(height // 2 + 1 if height > 1 else 1):
            if v == 0 or 2 * v == height:
                F[v, u] = 1 if next(bits) >> 63 else -1
            else:
                pair(u, height - v)
    F[0, 0] = 0
    return F


class Case(support.Case):
    def done(self, *arguments, given=b""):
        result = self.succeed(*map(str, arguments), stdin=given)
        self.assertEqual(result.err, "")
        return result

    def refused(self, status, saying, *arguments, output=None):
        """One line that says `saying`, that exit status, and no output."""
        self.refuse(status, *map(str, arguments), says=saying)
        if output:
            self.assertFalse(os.path.exists(self.path(output)))

    def values(self, name):
        """A picture's samples as 0 … 1."""
        samples = load(self.path(name))
        return samples.astype(float) / {"uint8": 255, "uint16": 65535}.get(samples.dtype.name, 1)


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
                            continue  # tifffile takes so small a file for something else
                        again = self.round_trip(pixels, alpha=channels in (2, 4))
                        if kind == np.float32:
                            error = np.abs(again - pixels).max() / np.abs(pixels).max()
                            self.assertLess(error, 1e-6)
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
            tifffile.imwrite(self.path(name), packed, photometric="rgb", description=description, metadata=None,
                             **more)
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
            self.refused(1, "not a packed spectrum", "transform", "--inverse", "bad.tif", "-o", out, output=out)
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

    def test_threads_do_not_matter(self):
        write_tiff(self.path("in.tif"), random((65, 70, 3)).astype(np.float32))
        for threads in (1, 3):
            self.done("transform", "in.tif", "-o", f"{threads}.tif", "--threads", threads, "-q")
        np.testing.assert_array_equal(self.values("1.tif"), self.values("3.tif"))


def drawn(planes):
    """The documented formula of abbe spectrum over a list of colour planes."""
    magnitudes = np.stack([np.abs(shifted_spectrum(plane)) for plane in planes], -1)
    height, width = planes[0].shape
    zeroth = np.zeros(magnitudes.shape, bool)
    zeroth[height // 2, width // 2] = True
    others = magnitudes[~zeroth]
    white = max(others.max(initial=0), magnitudes[zeroth].max() / 16)
    grain = np.exp(np.log(others).mean()) if others.size else 0
    K = min(1e6, 4 * white / grain) if grain else 1e6
    return np.minimum(1, np.log1p(K * magnitudes / white) / np.log1p(K))


class Spectrum(Case):
    def spectrum_of(self, pixels, *more, name="out.png", alpha=False):
        write_tiff(self.path("in.tif"), pixels.astype(np.float32), alpha=alpha)
        self.done("spectrum", "in.tif", "-o", name, *more)
        return self.values(name)

    def test_formula(self):
        for width, height in SIZES:
            plane = random((height, width))
            with self.subTest(width=width, height=height):
                shown = self.spectrum_of(plane).reshape(height, width)
                np.testing.assert_allclose(shown, drawn([plane])[..., 0], atol=1e-3)

    def test_colours_share_one_scale_and_alpha_is_dropped(self):
        pixels = random((30, 41, 4)) * [1, 0.5, 0.01, 1]
        shown = self.spectrum_of(pixels, alpha=True)
        self.assertEqual(shown.shape, (30, 41, 3))
        np.testing.assert_allclose(shown, drawn([pixels[..., c] for c in range(3)]), atol=2e-3)
        shown = self.spectrum_of(pixels[..., :2], alpha=True)
        np.testing.assert_allclose(shown, drawn([pixels[..., 0]])[..., 0], atol=2e-3)

    def test_exposure_and_unit_do_not_matter(self):
        plane = random((32, 32))
        self.assertLess(np.abs(self.spectrum_of(plane) - self.spectrum_of(1000 * plane)).max(), 1e-3)

    def test_depth_follows_the_format(self):
        plane = random((16, 16))
        self.spectrum_of(plane)
        self.assertEqual(load(self.path("out.png")).dtype, np.uint16)
        self.spectrum_of(plane, name="out.tif")
        self.assertEqual(tifffile.imread(self.path("out.tif")).dtype, np.uint16)
        shown = self.spectrum_of(plane, name="out.jpg")
        np.testing.assert_allclose(shown, drawn([plane])[..., 0], atol=0.15)

    def test_flat_pictures_are_black_but_for_their_centre(self):
        for size in ((16, 16), (31, 37), (61, 53)):
            shown = self.spectrum_of(np.full(size, 0.7))
            self.assertEqual(shown[size[0] // 2, size[1] // 2], 1)
            shown[size[0] // 2, size[1] // 2] = 0
            self.assertLess(shown.max(), 0.05)
        self.assertEqual(self.spectrum_of(np.zeros((5, 5))).max(), 0)

    def test_a_wave_is_two_points(self):
        for width, height in ((64, 48), (63, 47)):
            y, x = np.mgrid[:height, :width]
            wave = 0.5 + 0.25 * np.cos(2 * np.pi * (5 * x / width + 9 * y / height))
            shown = self.spectrum_of(wave)
            bright = {tuple(place) for place in np.argwhere(shown > 0.99)}
            row, column = height // 2, width // 2
            self.assertEqual(bright, {(row, column), (row + 9, column + 5), (row - 9, column - 5)})
            self.assertLess(np.sort(shown.ravel())[-4], 0.2)

    def test_phase(self):
        for width, height in SIZES:
            plane = random((height, width))
            F = shifted_spectrum(plane)
            shown = self.spectrum_of(plane, "--phase").reshape(height, width)
            difference = np.abs(np.exp(2j * np.pi * (shown - 0.5)) - np.exp(1j * np.angle(F)))
            self.assertLess(difference[np.abs(F) > 1e-4].max(), 5e-3)

    def test_is_a_guide_for_painting_masks(self):
        """As the help says: black on white, of the drawing's size, where it shows a wave; the wave is gone."""
        self.assertIn(b"on a white picture of the same size, black", self.run_abbe("help", "spectrum").out)
        for width, height in ((64, 48), (63, 47), (61, 50)):
            y, x = np.mgrid[:height, :width]
            kept = 0.5 + 0.1 * np.cos(2 * np.pi * (3 * x / width - 2 * y / height))
            plane = kept + 0.2 * np.sin(2 * np.pi * (11 * x / width + 7 * y / height))
            shown = self.spectrum_of(plane)
            shown[height // 2, width // 2] = 0
            painted = np.full(shown.shape, 255, np.uint8)
            painted[shown > 0.98] = 0
            self.assertEqual((painted == 0).sum(), 2)
            Image.fromarray(painted).save(self.path("painted.png"))
            self.done("filter", "in.tif", "-f", "mask:file=" + "painted.png", "--border", "wrap",
                      "-o", plain("clean.tif"))
            np.testing.assert_allclose(self.values("clean.tif"), kept, atol=1e-6)

    def test_refusals(self):
        write_tiff(self.path("in.tif"), random((8, 8)).astype(np.float32))
        self.refused(2, "no output", "spectrum", "in.tif")
        self.refused(2, "no input", "spectrum", "-o", "out.png")
        self.refused(1, "missing.png", "spectrum", "missing.png", "-o", "out.png")
        self.refused(1, "out.xyz", "spectrum", "in.tif", "-o", "out.xyz")
        self.refused(2, "--phase", "spectrum", "in.tif", "-o", "out.png", "--phases")


def seam_ratio(field, axis):
    """How much stronger neighbours differ across the edge than inside, root mean square."""
    inside = np.diff(field, axis=axis)
    across = np.take(field, 0, axis) - np.take(field, -1, axis)
    return np.sqrt((across**2).mean() / (inside**2).mean())


def covariance(pixels):
    return np.cov(pixels.reshape(-1, pixels.shape[-1]).T, bias=True)


def radial_slope(plane):
    """The exponent of |F| against |f|, fitted over the middle of the range."""
    F = np.abs(np.fft.fft2(plane - plane.mean()))
    f = np.hypot(np.fft.fftfreq(plane.shape[0])[:, None], np.fft.fftfreq(plane.shape[1])[None, :])
    band = (f > 0.02) & (f < 0.4)
    return np.polyfit(np.log(f[band]), np.log(F[band]), 1)[0]


class Texture(Case):
    def texture(self, *arguments, size="128x96", name="out.png"):
        self.done("texture", "--size", size, "-o", name, *arguments)
        return self.values(name)

    def test_it_is_the_documented_field(self):
        for width, height in [(1, 1), (1, 16), (9, 1), (2, 2), (8, 6), (7, 5), (9, 8), (64, 48)]:
            for seed in (1, 12345678901234567):
                with self.subTest(width=width, height=height, seed=seed):
                    shown = self.texture("-f", "identity", "--seed", seed, size=f"{width}x{height}")
                    field = np.fft.ifft2(random_phases(seed, width, height)).real
                    deviation = field.std()
                    expected = 0.5 + (field / (6 * deviation) if deviation > 1e-12 else 0 * field)
                    np.testing.assert_allclose(shown.reshape(height, width), expected.clip(0, 1), atol=1e-4)

    def test_magnitudes_are_the_filter_gains(self):
        width, height = 64, 50
        shown = self.texture("-f", "lowpass:cutoff=0.2:shape=butterworth:order=2", size=f"{width}x{height}")
        fx, fy = np.fft.fftfreq(width)[None, :], np.fft.fftfreq(height)[:, None]
        gain = 1 / (1 + (np.hypot(fx, fy) / 0.1) ** 4)
        field = np.fft.ifft2(random_phases(1, width, height) * gain).real
        np.testing.assert_allclose(shown, (0.5 + field / (6 * field.std())).clip(0, 1), atol=1e-4)

    def test_seeds(self):
        first = self.texture("-f", "lowpass:cutoff=0.1", name="a.png")
        self.texture("-f", "lowpass:cutoff=0.1", "--seed", 1, "--threads", 1, name="b.png")
        other = self.texture("-f", "lowpass:cutoff=0.1", "--seed", 2, name="c.png")
        with open(self.path("a.png"), "rb") as a, open(self.path("b.png"), "rb") as b:
            self.assertEqual(a.read(), b.read())
        self.assertLess(abs(np.corrcoef(first.ravel(), other.ravel())[0, 1]), 0.3)

    def test_mean_contrast_and_seams(self):
        for text in ("lowpass:cutoff=0.1", "power:exponent=-1.5", "bandpass:low=0.1:high=0.2", "gaussian:sigma=3",
                     "streak:angle=20,lowpass:cutoff=0.3"):
            with self.subTest(filter=text):
                shown = self.texture("-f", text, size="256x192")
                self.assertAlmostEqual(shown.mean(), 0.5, delta=0.01)
                self.assertAlmostEqual(shown.std(), 1 / 6, delta=0.01)
                self.assertLess(((shown == 0) | (shown == 1)).mean(), 0.02)
                for axis in (0, 1):
                    self.assertAlmostEqual(seam_ratio(shown, axis), 1, delta=0.35)

    def test_power_law(self):
        for exponent in (-1.5, -1, 0.5):
            shown = self.texture("-f", f"power:exponent={exponent}", size="256x256")
            self.assertAlmostEqual(radial_slope(shown), exponent, delta=0.1)

    def test_depth_follows_the_format(self):
        self.texture("-f", "lowpass", name="out.png")
        self.assertEqual(load(self.path("out.png")).dtype, np.uint16)
        shown = self.texture("-f", "lowpass", name="out.jpg")
        self.assertEqual(shown.shape, (96, 128))

    def test_gradient_magnitude_and_any_size(self):
        shown = self.texture("-f", "gaussian:sigma=2,sobel", size="64x64")
        self.assertAlmostEqual(shown.mean(), 0.5, delta=0.03)
        for size in ("1x64", "64x1", "127x61", "2x3"):
            self.texture("-f", "power:exponent=-1", size=size)

    def test_refusals(self):
        out = self.path("out.png")
        for size in ("0x10", "10x0", "10", "10x", "x10", "-5x5", "5.5x5", "10x10x3", "big", "", "99999999999x2"):
            self.refused(2, "640x480", "texture", "-f", "lowpass", "-o", out, f"--size={size}", output=out)
        self.refused(1, "--max-pixels", "texture", "-f", "lowpass", "-o", out, "--size", "100000x100000", output=out)
        self.refused(1, "--max-pixels", "texture", "-f", "lowpass", "-o", out, "--size", "11x10", "--max-pixels", 109)
        self.refused(2, "--like", "texture", "-o", out, "--size", "8x8", output=out)
        self.refused(2, "--size", "texture", "-o", out, "-f", "lowpass", output=out)
        self.refused(2, "no output", "texture", "--size", "8x8", "-f", "lowpass")
        self.refused(2, "--like", "texture", "a.png", "--size", "8x8", "-f", "lowpass", "-o", out, output=out)
        self.refused(2, "comma", "texture", "--size", "8x8", "-f", "lowpass", "-f", "box", "-o", out, output=out)
        self.refused(2, "lowpass", "texture", "--size", "8x8", "-f", "lowpas", "-o", out, output=out)
        for seed in ("-1", "x", "1.5", "99999999999999999999"):
            self.refused(2, "whole number", "texture", "--size", "8x8", "-f", "box", "-o", out, f"--seed={seed}")
        self.refused(1, "leaves nothing", "texture", "--size", "64x64", "-f", "lowpass:cutoff=0.001:shape=ideal", "-o",
                     out, output=out)
        self.refused(1, "missing.png", "texture", "--like", "missing.png", "-o", out, output=out)
        self.refused(1, "out.xyz", "texture", "--size", "8x8", "-f", "box", "-o", "out.xyz")


def example_pixels(width, height):
    """Coloured grain with a strong slope of brightness, whose edges do not fit together."""
    noise = np.random.default_rng(5).standard_normal((height, width, 3))
    grain = support.scipy.ndimage.gaussian_filter(noise, (1.5, 2.5, 0))
    grain /= grain.std()
    mixed = grain @ np.array([[1, 0.8, 0.5], [0, 0.4, 0.1], [0.2, 0, 0.5]])
    slope = np.linspace(-0.15, 0.15, width)[None, :, None] + np.linspace(-0.1, 0.1, height)[:, None, None]
    return (np.array([0.6, 0.5, 0.35]) + 0.05 * mixed + slope).astype(np.float32)


class Like(Case):
    def like(self, pixels, *arguments, name="out.tif", alpha=False):
        write_tiff(self.path("in.tif"), pixels, alpha=alpha)
        self.done("texture", "--like", "in.tif", "-o", plain(name), *arguments)
        return self.values(name)

    def test_spectrum_is_that_of_the_periodic_component(self):
        for width, height in ((96, 80), (75, 61)):
            pixels = example_pixels(width, height)
            shown = self.like(pixels)
            self.assertEqual(shown.shape, pixels.shape)
            smooth_free = np.stack([periodic(pixels[..., c].astype(float)) for c in range(3)], -1)
            np.testing.assert_allclose(shown.mean((0, 1)), pixels.mean((0, 1)), atol=1e-5)
            F, G = (np.fft.fft2(p, axes=(0, 1)) / (width * height) for p in (shown, smooth_free))
            np.testing.assert_allclose(np.abs(F), np.abs(G), atol=1e-6)
            for a, b in ((0, 1), (0, 2), (1, 2)):
                np.testing.assert_allclose(F[..., a] * F[..., b].conj(), G[..., a] * G[..., b].conj(), atol=1e-6)
            np.testing.assert_allclose(covariance(shown), covariance(smooth_free), atol=1e-6)
            phases = random_phases(1, width, height)
            phases[0, 0] = 1
            np.testing.assert_allclose(F, G * phases[..., None], atol=1e-6)

    def test_no_cross(self):
        pixels = example_pixels(128, 128)
        shown = self.like(pixels)

        def cross(plane):
            """Energy on the axes against that beside them, at high frequencies."""
            F = np.abs(np.fft.fft2(plane)) ** 2
            return F[0, 24:104].mean() / F[3:9, 24:104].mean(), F[24:104, 0].mean() / F[24:104, 3:9].mean()

        for axis in (0, 1):
            self.assertGreater(cross(pixels[..., 0])[axis], 20)
            self.assertLess(cross(shown[..., 0])[axis], 4)
            self.assertAlmostEqual(seam_ratio(shown[..., 0], axis), 1, delta=0.25)

    def test_other_sizes_keep_colour_contrast_and_grain(self):
        pixels = example_pixels(128, 128)
        smooth_free = np.stack([periodic(pixels[..., c].astype(float)) for c in range(3)], -1)
        wanted = covariance(smooth_free)

        def correlation(p, axis, lag):
            p = p[..., 1] - p[..., 1].mean()
            return (p * np.roll(p, lag, axis)).mean() / (p * p).mean()

        for width, height in ((256, 192), (100, 90), (300, 64), (128, 256), (128, 97)):
            with self.subTest(width=width, height=height):
                shown = self.like(pixels, "--size", f"{width}x{height}")
                self.assertEqual(shown.shape, (height, width, 3))
                np.testing.assert_allclose(shown.mean((0, 1)), pixels.mean((0, 1)), atol=1e-5)
                np.testing.assert_allclose(covariance(shown), wanted, rtol=0.3, atol=2e-4)
                for axis in (0, 1):
                    self.assertAlmostEqual(seam_ratio(shown[..., 0], axis), 1, delta=0.3)
                    for lag in (1, 2, 4):
                        self.assertAlmostEqual(correlation(shown, axis, lag), correlation(smooth_free, axis, lag),
                                               delta=0.2)

    def test_enlarging_keeps_the_whole_contrast(self):
        pixels = example_pixels(90, 70)
        smooth_free = np.stack([periodic(pixels[..., c].astype(float)) for c in range(3)], -1)
        shown = self.like(pixels, "--size", "201x150")
        self.assertAlmostEqual(np.trace(covariance(shown)) / np.trace(covariance(smooth_free)), 1, delta=1e-3)

    def test_types_alpha_and_profile(self):
        profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
        pixels = (example_pixels(40, 30).clip(0, 1) * 255).astype(np.uint8)
        Image.fromarray(np.dstack([pixels, pixels[..., 0]])).save(self.path("in.png"), icc_profile=profile)
        self.done("texture", "--like", "in.png", "-o", "out.png")
        shown = Image.open(self.path("out.png"))
        self.assertEqual((shown.mode, shown.size, shown.info.get("icc_profile")), ("RGB", (40, 30), profile))
        np.testing.assert_allclose(np.asarray(shown).mean((0, 1)), pixels.mean((0, 1)), atol=0.5)
        for kind in (np.uint8, np.uint16, np.float32):
            top = 1 if kind == np.float32 else np.iinfo(kind).max
            self.like((example_pixels(40, 30).clip(0, 1)[..., 0] * top).astype(kind), "--size", "50x20")
            shown = tifffile.imread(self.path("out.tif"))
            self.assertEqual((shown.dtype, shown.shape), (kind, (20, 50)))

    def test_upright_example_of_a_turned_file(self):
        Image.fromarray((random((20, 33)) * 255).astype(np.uint8)).save(self.path("in.tif"), tiffinfo={274: 6})
        self.done("texture", "--like", "in.tif", "-o", "out.png")
        self.assertEqual(load(self.path("out.png")).shape, (33, 20))

    def test_filter_multiplies_the_magnitudes(self):
        pixels = example_pixels(64, 48)
        plain, filtered = self.like(pixels), self.like(pixels, "-f", "lowpass:cutoff=0.25:shape=gaussian")
        F, G = (np.fft.fft2(p[..., 0]) for p in (plain, filtered))
        self.assertAlmostEqual(abs(F[0, 0]), abs(G[0, 0]), delta=1e-2)
        f = np.hypot(np.fft.fftfreq(48)[:, None], np.fft.fftfreq(64)[None, :])
        ratio = (G / np.where(F == 0, 1, F))[(f > 0) & (np.abs(F) > 1e-2)]
        self.assertLess(np.abs(ratio.imag).max(), 1e-2)
        order = np.argsort(f[(f > 0) & (np.abs(F) > 1e-2)])
        self.assertLess(np.diff(ratio.real[order]).max(), 1e-2)

    def test_flat_and_tiny_examples(self):
        for width, height in ((1, 1), (1, 5), (2, 2), (16, 9)):
            shown = self.like(np.full((height, width), 0.25, np.float32), "--size", "12x7")
            np.testing.assert_allclose(shown, 0.25, atol=1e-6)
        self.like(random((3, 2)).astype(np.float32), "--size", "31x17")

    def test_seeds(self):
        pixels = example_pixels(64, 48)
        first, again, other = self.like(pixels), self.like(pixels, "--seed", 1), self.like(pixels, "--seed", 2)
        np.testing.assert_array_equal(first, again)
        self.assertLess(abs(np.corrcoef(first[..., 0].ravel(), other[..., 0].ravel())[0, 1]), 0.3)


class Help(Case):
    def test_each_has_examples(self):
        for command in ("transform", "spectrum", "texture"):
            for option in ("--help", "-h"):
                text = self.done(command, option).out.decode()
                self.assertIn(f"usage: abbe {command}", text)
                self.assertIn("--output", text)
                self.assertGreaterEqual(text.count(f"  abbe {command} "), 2)


if __name__ == "__main__":
    support.main()
