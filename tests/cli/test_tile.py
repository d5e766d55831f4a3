"""abbe tile: the periodic component of a picture, compared with numpy.fft."""

import support
from spectra import SIZES, Case, random, write_tiff
from support import load, np, save, tifffile, u8


def periodic(plane):
    """Moisan 2011, equations 9 to 11: the plane less its smooth component."""
    height, width = plane.shape
    seams = np.zeros((height, width))
    for first, last in ((np.s_[0, :], np.s_[-1, :]), (np.s_[:, 0], np.s_[:, -1])):
        jump = plane[last] - plane[first]
        seams[first] += jump
        seams[last] -= jump
    divisor = (2 * np.cos(2 * np.pi * np.fft.fftfreq(width))[None, :] +
               2 * np.cos(2 * np.pi * np.fft.fftfreq(height))[:, None] - 4)
    divisor[0, 0] = 1
    smooth = np.fft.fft2(seams) / divisor
    smooth[0, 0] = 0
    return plane - np.fft.ifft2(smooth).real


def sloping(height, width):
    """Detail on a slope, so that opposite edges differ."""
    row, column = np.mgrid[:height, :width]
    return 0.25 + 0.3 * column / width + 0.1 * row / height + 0.1 * np.sin(row * column / 40)


class Tile(Case):
    def tile_of(self, pixels, *more, alpha=False):
        write_tiff(self.path("in.tif"), pixels.astype(np.float32), alpha=alpha)
        self.done("tile", "in.tif", "-o", "out.tif[compression=none]", *more)
        return tifffile.imread(self.path("out.tif")).reshape(pixels.shape)

    def test_formula(self):
        for width, height in SIZES:
            plane = random((height, width))
            with self.subTest(width=width, height=height):
                np.testing.assert_allclose(self.tile_of(plane), periodic(plane), atol=3e-6)
        colours = random((19, 24, 3))
        wanted = np.dstack([periodic(colours[..., c]) for c in range(3)])
        np.testing.assert_allclose(self.tile_of(colours), wanted, atol=3e-6)

    def test_alpha(self):
        """Colours are weighted by alpha; opaque pictures are as without."""
        pixels = random((20, 31, 4)) * [1, 1, 1, 0.5] + [0, 0, 0, 0.4]
        alpha = periodic(pixels[..., 3])
        colours = np.dstack([periodic(pixels[..., c] * pixels[..., 3]) / alpha for c in range(3)])
        got = self.tile_of(pixels, alpha=True)
        np.testing.assert_allclose(got[..., :3], colours, atol=2e-5)
        np.testing.assert_allclose(got[..., 3], np.clip(alpha, 0, 1), atol=1e-5)
        pixels[..., 3] = 1
        got = self.tile_of(pixels, alpha=True)
        np.testing.assert_allclose(got[..., 3], 1, atol=1e-6)
        np.testing.assert_allclose(got[..., :3], self.tile_of(pixels[..., :3]), atol=1e-6)

    def test_equal_edges_stay_and_others_lose_their_jump(self):
        plane = random((30, 40))
        plane[-1], plane[:, -1] = plane[0], plane[:, 0]
        np.testing.assert_array_equal(self.tile_of(plane), plane.astype(np.float32))
        plane = sloping(60, 80)
        tile = self.tile_of(plane)
        for axis in (0, 1):
            inside = np.abs(np.diff(tile, axis=axis)).mean()
            self.assertLess(np.abs(tile.take(0, axis) - tile.take(-1, axis)).mean(), 1.5 * inside)
        self.assertGreater(np.abs(plane[:, 0] - plane[:, -1]).mean(), 0.25)
        self.assertAlmostEqual(tile.mean(), plane.mean(), places=5)

    def test_integers(self):
        """Types stay, results are rounded, and clipping is reported."""
        plane = sloping(50, 70)
        save(self.path("in.png"), u8(plane))
        self.done("tile", "in.png", "-o", "out.png")
        self.assert_levels(load(self.path("out.png")), periodic(u8(plane) / 255), 1, 255)
        self.done("tile", "in.png", "-o", "out16.png", "--depth", "16")
        self.assert_levels(load(self.path("out16.png")), periodic(u8(plane) / 255), 1, 65535)
        bright = np.where(np.arange(64) < 40, 0, 255).astype(np.uint8)[None, :].repeat(32, 0)
        save(self.path("bright.png"), bright)
        wanted = periodic(bright / 255)
        share = 100 * np.mean((wanted < -0.5 / 255) | (wanted > 1 + 0.5 / 255))
        result = self.succeed("tile", "bright.png", "-o", "out.png")
        self.assertIn(f"out.png: {share:.2g} % of the samples are clipped; --depth float keeps them\n", result.err)
        self.done("tile", "bright.png", "-o", "out.tif[compression=none]", "--depth", "float")
        np.testing.assert_allclose(tifffile.imread(self.path("out.tif")), wanted, atol=3e-6)

    def test_wrong_usage(self):
        save(self.path("in.png"), u8(sloping(8, 8)))
        self.refused(2, "no input given", "tile", "-o", "out.png")
        self.refused(2, "no output given", "tile", "in.png")
        self.refused(1, "--depth 16", "tile", "none.png", "-o", "out.jpg", "--depth", "16", output="out.jpg")
        self.refused(2, "8, 16 or float", "tile", "in.png", "-o", "out.png", "--depth", "12", output="out.png")
        self.refused(1, "none.png", "tile", "none.png", "-o", "out.png", output="out.png")


if __name__ == "__main__":
    support.main()
