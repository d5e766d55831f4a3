"""abbe filter: how results are stored (--depth, --gain, --offset), each against the formula in double precision."""

import numpy as np

import formulas
import support
from support import convolved, load, save, scene, u16, u8

TOPS = {np.dtype(np.uint8): 255, np.dtype(np.uint16): 65535}


class Results(support.Case):
    def assert_stored(self, got, values):
        """Integers are the values rounded and saturated; a value that lies between two may give either."""
        self.assertEqual(got.shape, values.shape)
        if got.dtype == np.float32:
            np.testing.assert_allclose(got, values, atol=2e-6)
        else:
            levels = np.clip(values, 0, 1) * TOPS[got.dtype]
            self.assertLessEqual(np.abs(got - levels).max(), 0.5 + 2e-6 * TOPS[got.dtype])


def whole(offset, top):
    """An offset as integers get it: half a level more or less."""
    return np.floor(offset * top + 0.5) / top


class Finish(Results):
    """One bank whose results are stored differently."""

    def setUp(self):
        super().setUp()
        self.picture = u8(scene(30, 41, 3))
        save(self.path("in.png"), self.picture)
        self.values = self.picture / 255

    def test_each_result_has_its_own(self):
        self.succeed("filter", "in.png", "-f", "box", "-o", "soft.png",
                     "-f", "laplacian", "-o", "edges.png", "--offset", "0.5", "--gain", "0.25",
                     "-f", "laplacian", "--depth", "float", "-o", "edges.tif",
                     "-f", "laplacian", "-o", "deep.png", "--depth=16", "--offset", "0.25", "--gain=-0.125",
                     "-f", "sobel", "-o", "sketch.png", "--gain=-1", "--offset", "1")
        box = convolved(self.values, formulas.box())
        laplace = convolved(self.values, np.array([[0, 1, 0], [1, -4, 1], [0, 1, 0]], float))
        slope = np.array([[1, 0, -1], [2, 0, -2], [1, 0, -1]], float)
        sobel = np.hypot(convolved(self.values, slope), convolved(self.values, slope.T))
        for name, kind, wanted in (("soft.png", np.uint8, box),
                                   ("edges.png", np.uint8, 0.25 * laplace + whole(0.5, 255)),
                                   ("edges.tif", np.float32, laplace),
                                   ("deep.png", np.uint16, -0.125 * laplace + whole(0.25, 65535)),
                                   ("sketch.png", np.uint8, 1 - sobel)):
            with self.subTest(name):
                got = load(self.path(name))
                self.assertEqual(got.dtype, kind)
                self.assert_stored(got, wanted)

    def test_before_the_first_filter_they_hold_for_all(self):
        self.succeed("filter", "--depth", "16", "in.png", "--offset=0.25", "--gain", "0.5", "-f", "box", "-o", "a.png",
                     "-f", "box", "-o", "b.png", "--offset", "0", "-f", "box", "-o", "c.tif", "--depth", "float",
                     "-f", "box", "-o", "d.png")
        box = convolved(self.values, formulas.box()) / 2
        for name, kind, offset in (("a.png", np.uint16, whole(0.25, 65535)), ("b.png", np.uint16, 0),
                                   ("c.tif", np.float32, 0.25), ("d.png", np.uint16, whole(0.25, 65535))):
            got = load(self.path(name))
            self.assertEqual(got.dtype, kind)
            self.assert_stored(got, box + offset)

    def test_alpha_is_neither_scaled_nor_raised(self):
        picture = u8(scene(30, 41, 4))
        save(self.path("alpha.png"), picture)
        self.succeed("filter", "alpha.png", "--straight-alpha", "-f", "box", "-o", "a.png", "--gain", "0.5",
                     "--offset", "0.1", "-f", "box", "-o", "b.png")
        box = convolved(picture / 255, formulas.box())
        self.assert_stored(load(self.path("b.png")), box)
        box[..., :3] = 0.5 * box[..., :3] + whole(0.1, 255)
        self.assert_stored(load(self.path("a.png")), box)

    def test_linear_light(self):
        """Gain and offset act on samples as they are stored, after encoding."""
        self.succeed("filter", "in.png", "--linear", "-f", "box", "-o", "a.png", "--gain", "0.5", "--offset", "0.2")
        light = support.encode_light(convolved(support.decode_light(self.values), formulas.box()))
        self.assert_stored(load(self.path("a.png")), 0.5 * light + whole(0.2, 255))

    def test_several_pictures(self):
        """Each keeps its own depth where none is asked for."""
        deep = u16(scene(30, 41, 3, seed=2))
        save(self.path("deep.png"), deep)
        self.succeed("filter", "in.png", "deep.png", "-f", "box", "-o", "{name}-a.png", "-f", "box", "-o",
                     "{name}-b.png", "--offset", "0.5", "--depth", "8")
        for name, picture in (("in", self.picture), ("deep", deep)):
            box = convolved(picture / TOPS[picture.dtype], formulas.box())
            same, other = load(self.path(name + "-a.png")), load(self.path(name + "-b.png"))
            self.assertEqual((same.dtype, other.dtype), (picture.dtype, np.uint8))
            self.assert_stored(same, box)
            self.assert_stored(other, box + whole(0.5, 255))

    def test_flat_areas_stay_flat(self):
        """0.5 lies between 127 and 128; a flat sky under a high pass must not become a mixture of both."""
        for level, method in ((1, "auto"), (77, "fft"), (128, "direct"), (254, "tiles")):
            save(self.path("flat.png"), np.full((37, 53, 3), level, np.uint8))
            texts = ["laplacian", "dog:sigma=3"] + (["highpass:cutoff=0.1"] if method in ("auto", "fft") else [])
            for more in ([], ["--depth", "16"], ["--gain", "3"]):
                pairs = [part for text in texts for part in ("-f", text, "-o", text[:3] + ".png")]
                self.succeed("filter", "flat.png", "-m", method, "--offset", "0.5", *more, *pairs)
                for text in texts:
                    got = load(self.path(text[:3] + ".png"))
                    self.assertTrue((got == (32768 if "16" in more else 128)).all(), (level, method, text, more))

    def test_what_formats_cannot_hold(self):
        run = ("filter", "in.png", "-f", "box", "-o")
        for output, depth in (("a.jpg", "float"), ("a.jpg", "16"), ("a.png", "float"), ("a.webp", "16"),
                              ("a.pfm", "8"), ("a.hdr", "16")):
            for command in ([*run, output, "--depth", depth], ["filter", "--depth", depth, *run[1:], output]):
                self.refuse(1, *command, says=[output, f"--depth {depth}", "TIFF"])
        for options, says in ((["--depth", "12"], "8, 16 or float"), (["--depth", ""], "8, 16 or float"),
                              (["--gain", "0"], "--gain"), (["--gain", "much"], "much"), (["--gain", "inf"], "inf"),
                              (["--gain", "1e-99"], "1e-99"), (["--offset", "1e99"], "1e99")):
            self.refuse(2, *run, "a.png", *options, says=says)
            self.refuse(2, "filter", *options, *run[1:], "a.png", says=says)
        self.assert_only("in.png")


if __name__ == "__main__":
    support.main()
