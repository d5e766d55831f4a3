"""abbe spectrum --peaks and --chain: known components are found, and the printed filter removes a screen."""

import re

import scipy.ndimage

import support
from spectra import Case, write_tiff
from support import np, save, u8

LINE = re.compile(r"(notch:x=([\d.]+):y=(-?[\d.]+):radius=([\d.]+))  period ([\d.]+) px, angle (-?[\d.]+), "
                  r"amplitude ([\d.e-]+), [\d.e+]+ times its surroundings(, harmonic (\d) of line (\d+))?")


def wave(height, width, x, y, amplitude):
    row, column = np.mgrid[:height, :width]
    return amplitude * np.cos(np.pi * (x * column + y * row))


def photograph(height, width):
    """Soft shapes and noise without any period."""
    rng = np.random.default_rng(7)
    noise = sum(scipy.ndimage.gaussian_filter(rng.standard_normal((height, width)), s) * s for s in (2, 5, 12))
    row, column = np.mgrid[:height, :width]
    disk = np.hypot(column - 0.4 * width, row - 0.5 * height) < 0.3 * height
    return np.clip(0.45 + 0.06 * noise + 0.25 * disk, 0.1, 0.9)


def screened(picture, period, degrees, samples=4):
    """The picture in black dots, scanned: each pixel is the mean of samples² points of the print."""
    height, width = picture.shape
    row, column = (np.mgrid[:height * samples, :width * samples] + 0.5) / samples
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    step = 2 * np.pi / period
    spot = np.cos(step * (column * c - row * s)) + np.cos(step * (column * s + row * c))
    order = np.sort(spot.ravel())
    threshold = np.searchsorted(order, spot) / order.size
    fine = picture.repeat(samples, 0).repeat(samples, 1) > threshold
    return fine.reshape(height, samples, width, samples).mean((1, 3))


class Peaks(Case):
    def lines(self, name, *more):
        text = self.done("spectrum", name, "--peaks", *more).out.decode()
        found = [LINE.fullmatch(line) for line in text.splitlines()]
        self.assertTrue(all(found), text)
        return found

    def test_known_components(self):
        height, width = 243, 320
        places = [(0.31, 0.12, 0.2), (0.5, -0.7, 0.1), (0.62, 0.24, 0.05)]
        picture = 0.5 + sum(wave(height, width, *place) for place in places)
        save(self.path("in.png"), u8(picture))
        found = self.lines("in.png")
        self.assertEqual(len(found), 3)
        for line, (x, y, amplitude) in zip(found, places):
            self.assertLess(abs(float(line[2]) - x) * width / 2, 0.05)
            self.assertLess(abs(float(line[3]) - y) * height / 2, 0.05)
            self.assertAlmostEqual(float(line[5]), 2 / np.hypot(x, y), delta=0.02)
            self.assertAlmostEqual(float(line[6]), np.degrees(np.arctan2(-y, x)), delta=0.2)
            self.assertAlmostEqual(float(line[7]), amplitude, delta=0.002)
        self.assertEqual([line[8] for line in found], [None, None, ", harmonic 2 of line 1"])
        self.assertEqual(len(self.lines("in.png", "--most", "2")), 2)
        chain = self.done("spectrum", "in.png", "--chain").out.decode()
        self.assertEqual(chain, ",".join(line[1] for line in found) + "\n")

    def test_alpha_is_no_component(self):
        """The screen of one colour is found, a pattern in alpha is not; the spectrum is drawn as well."""
        pixels = np.full((200, 200, 4), 0.5, np.float32)
        pixels[..., 2] += wave(200, 200, 0.4, 0.3, 0.3)
        pixels[..., 3] += wave(200, 200, 0.6, -0.2, 0.3)
        write_tiff(self.path("in.tif"), pixels, alpha=True)
        found = self.lines("in.tif", "-o", "out.png")
        self.assertEqual(len(found), 1)
        np.testing.assert_allclose([float(found[0][2]), float(found[0][3])], [0.4, 0.3], atol=1e-4)
        drawn = self.values("out.png")
        self.done("spectrum", "in.tif", "-o", "alone.png")
        np.testing.assert_array_equal(drawn, self.values("alone.png"))

    def test_the_chain_removes_a_screen(self):
        for period, degrees in ((5.3, 45), (7.1, 20)):
            picture = photograph(240, 320)
            scan = screened(picture, period, degrees)
            save(self.path("scan.png"), u8(scan))
            x, y = 2 / period * np.cos(np.radians(degrees)), 2 / period * np.sin(np.radians(degrees))
            strongest = sorted((float(line[3]), float(line[2])) for line in self.lines("scan.png")[:2])
            np.testing.assert_allclose(strongest, [(-y, x), (x, y)], atol=0.003)
            chain = self.done("spectrum", "scan.png", "--chain").out.decode().strip()
            self.done("filter", "scan.png", "-f", chain, "-o", "clean.png")
            before, after = scan - picture, self.values("clean.png") - picture
            self.assertGreater(before.std(), 0.25)
            self.assertLess(after.std(), 0.2 * before.std(), (period, degrees))
            self.assertLess(abs(after.mean() - before.mean()), 0.003)

    def test_nothing_found(self):
        save(self.path("in.png"), u8(photograph(150, 200)))
        for option, printed in (("--peaks", b""), ("--chain", b"identity\n")):
            result = self.succeed("spectrum", "in.png", option)
            self.assertEqual(result.out, printed)
            self.assertIn("in.png: has no periodic component that stands out\n", result.err)
            self.assertEqual(self.done("spectrum", "in.png", option, "--quiet").out, printed)

    def test_wrong_usage(self):
        save(self.path("in.png"), u8(photograph(20, 20)))
        self.refused(2, "--peaks or --chain", "spectrum", "in.png", "--peaks", "--chain")
        self.refused(2, "'0'", "spectrum", "in.png", "--peaks", "--most", "0")
        self.refused(2, "--most is for", "spectrum", "in.png", "-o", "out.png", "--most", "3")
        for name in ("-", "png:-", "tif:-[compression=none]"):
            self.refused(2, "standard output", "spectrum", "in.png", "--peaks", "-o", name)
        self.refused(2, "-o OUT, --peaks or --chain", "spectrum", "in.png")
        self.refused(1, "none.png", "spectrum", "none.png", "--peaks")


if __name__ == "__main__":
    support.main()
