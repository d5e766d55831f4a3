"""abbe texture: textures of a filter and textures like an example, compared with numpy.fft."""

import support
from spectra import Case, plain, random, write_tiff
from support import Image, load, np, tifffile

from PIL import ImageCms


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


def seam_ratio(field, axis):
    """The ratio of differences between neighbours across the edge and inside, root mean square."""
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
        for text in ("lowpass:cutoff=0.1", "power:exponent=-1.5", "bandpass:low=0.1:high=0.2",
                     "gaussian:sigma=3", "streak:angle=20,lowpass:cutoff=0.3"):
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
        for size in ("0x10", "10x0", "10", "10x", "x10", "-5x5", "5.5x5", "10x10x3", "big", "",
                     "99999999999x2"):
            self.refused(2, "640x480", "texture", "-f", "lowpass", "-o", out, f"--size={size}", output=out)
        self.refused(1, "--max-pixels", "texture", "-f", "lowpass", "-o", out, "--size", "100000x100000",
                     output=out)
        self.refused(1, "--max-pixels", "texture", "-f", "lowpass", "-o", out, "--size", "11x10",
                     "--max-pixels", 109)
        self.refused(2, "--like", "texture", "-o", out, "--size", "8x8", output=out)
        self.refused(2, "--size", "texture", "-o", out, "-f", "lowpass", output=out)
        self.refused(2, "no output", "texture", "--size", "8x8", "-f", "lowpass")
        self.refused(2, "--like", "texture", "a.png", "--size", "8x8", "-f", "lowpass", "-o", out, output=out)
        self.refused(2, "comma", "texture", "--size", "8x8", "-f", "lowpass", "-f", "box", "-o", out,
                     output=out)
        self.refused(2, "lowpass", "texture", "--size", "8x8", "-f", "lowpas", "-o", out, output=out)
        for seed in ("-1", "x", "1.5", "99999999999999999999"):
            self.refused(2, "whole number", "texture", "--size", "8x8", "-f", "box", "-o", out,
                         f"--seed={seed}")
        self.refused(1, "leaves nothing", "texture", "--size", "64x64", "-f",
                     "lowpass:cutoff=0.001:shape=ideal", "-o", out, output=out)
        self.refused(1, "missing.png", "texture", "--like", "missing.png", "-o", out, output=out)
        self.refused(1, "out.xyz", "texture", "--size", "8x8", "-f", "box", "-o", "out.xyz")

    def test_help_has_examples(self):
        self.check_help("texture")


def example_pixels(width, height):
    """Coloured grain with a strong slope of brightness, so that opposite edges differ."""
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
                np.testing.assert_allclose(F[..., a] * F[..., b].conj(), G[..., a] * G[..., b].conj(),
                                           atol=1e-6)
            np.testing.assert_allclose(covariance(shown), covariance(smooth_free), atol=1e-6)
            phases = random_phases(1, width, height)
            phases[0, 0] = 1
            np.testing.assert_allclose(F, G * phases[..., None], atol=1e-6)

    def test_no_cross(self):
        pixels = example_pixels(128, 128)
        shown = self.like(pixels)

        def cross(plane):
            """The ratio of the energy on the axes to that beside them, at high frequencies."""
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
                        self.assertAlmostEqual(correlation(shown, axis, lag),
                                               correlation(smooth_free, axis, lag), delta=0.2)

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
        pixels = (random((20, 33)) * 255).astype(np.uint8)
        Image.fromarray(pixels).save(self.path("in.tif"), tiffinfo={274: 6})
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
        first, again = self.like(pixels), self.like(pixels, "--seed", 1)
        other = self.like(pixels, "--seed", 2)
        np.testing.assert_array_equal(first, again)
        self.assertLess(abs(np.corrcoef(first[..., 0].ravel(), other[..., 0].ravel())[0, 1]), 0.3)


if __name__ == "__main__":
    support.main()
