"""abbe spectrum: drawings of spectra, compared with numpy.fft."""

import support
from spectra import SIZES, Case, plain, random, write_tiff
from support import Image, load, np, tifffile


def shifted_spectrum(plane):
    return np.fft.fftshift(np.fft.fft2(plane)) / plane.size


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
        """As the help describes: black on white where the drawing shows a wave removes it."""
        self.assertIn(b"on a white picture of the same size, paint black",
                      self.run_abbe("help", "spectrum").out)
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

    def test_help_has_examples(self):
        self.check_help("spectrum")


if __name__ == "__main__":
    support.main()
