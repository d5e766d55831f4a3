"""Frequency separation: --rest and complements of abbe filter, and abbe combine, which adds them up exactly."""

import os

import numpy as np
import tifffile

import formulas
import support
from support import frequencies, load, save, scene, transferred, u16, u8

TOPS = {np.dtype(np.uint8): 255, np.dtype(np.uint16): 65535}


def values(samples):
    return samples / TOPS[samples.dtype] if samples.dtype in TOPS else samples.astype(float)


def stored(wanted, kind):
    """Values as integers store them: rounded half up, saturated."""
    if kind == np.float32:
        return wanted.astype(kind)
    return np.floor(np.clip(wanted * TOPS[np.dtype(kind)] + 0.5, 0, TOPS[np.dtype(kind)])).astype(kind)


def portrait(height, width, channels=None):
    """Nearly every level, noise and an edge; differences to a blur stay far below 127 levels."""
    y, x = np.mgrid[0:height, 0:width].astype(float)
    base = (x + y) / (height + width) * 0.9 + 0.05 + 0.2 * (x > width * 0.7) * (y / height - 0.5)
    noise = 0.05 * (scene(height, width, channels) - 0.5)
    return (base[..., None] if channels else base) + noise


class Lossless(support.Case):
    def separate(self, picture, *arguments, extension="png"):
        save(self.path("in." + extension), picture)
        result = self.succeed("filter", "in." + extension, *arguments)
        self.assertEqual(result.err, "")

    def assert_restored(self, picture, *names):
        self.succeed("combine", *names, "-o", "sum.tif")
        sum_ = load(self.path("sum.tif"))
        self.assertEqual(sum_.dtype, picture.dtype)
        np.testing.assert_array_equal(sum_, picture)

    def test_rest_in_every_depth(self):
        # box:width=2:height=2 lies on ties for half of its results
        filters = ["gaussian:sigma=4", "box:width=2:height=2", "lowpass:cutoff=20px", "box:radius=3,gaussian:sigma=1"]
        for picture in (u8(portrait(37, 61, 3)), u16(portrait(40, 33)), portrait(30, 41, 3).astype(np.float32)):
            for text in filters:
                self.separate(picture, "-f", text, "-o", "low.tif", "--rest", "high.tif", extension="tif")
                low, high = load(self.path("low.tif")), load(self.path("high.tif"))
                self.assertEqual((low.dtype, high.dtype), (picture.dtype, picture.dtype))
                if picture.dtype == np.float32:
                    np.testing.assert_array_equal(high, (picture.astype(float) - low).astype(np.float32))
                    self.succeed("combine", "low.tif", "high.tif", "-o", "sum.tif")
                    np.testing.assert_allclose(load(self.path("sum.tif")), picture, rtol=1e-7, atol=1e-8)
                    continue
                np.testing.assert_array_equal(high, picture.astype(int) - low + (TOPS[picture.dtype] + 1) // 2)
                self.assert_restored(picture, "low.tif", "high.tif")

    def test_mixed_depths(self):
        for picture in (u8(portrait(37, 61, 3)), u16(portrait(37, 61, 3))):
            for low, high in (("8", "16"), ("16", "8"), ("8", "float"), ("16", "16"), ("float", "float")):
                if picture.dtype == np.uint16 and high == "8":
                    continue  # 8 bits cannot hold the detail of 16
                self.separate(picture, "-f", "gaussian:sigma=5", "-o", "low.tif", "--depth", low, "--rest",
                              "high.tif", "--depth", high)
                depth = "8" if picture.dtype == np.uint8 else "16"
                self.succeed("combine", "low.tif", "high.tif", "-o", "sum.png", "--depth", depth)
                np.testing.assert_array_equal(load(self.path("sum.png")), picture)

    def test_low_pass_and_high_pass_by_name(self):
        for picture in (u8(portrait(48, 64, 3)), u8(0.3 + 0.4 * portrait(45, 33))):
            for low, high in (("lowpass:cutoff=16px", "highpass:cutoff=16px"), ("lowpass", "highpass"),
                              ("bandreject:low=0.1:high=0.4", "bandpass:low=0.1:high=0.4"),
                              ("lowpass cutoff 16px shape gaussian", "highpass cutoff 16px shape gaussian")):
                for pairs in (("-f", low, "-o", "low.png", "-f", high, "-o", "high.png", "--offset", "0.5"),
                              ("-f", high, "-o", "high.png", "--offset", "0.5", "-f", low, "-o", "low.png")):
                    self.separate(picture, "-b", "wrap", *pairs)
                    self.assert_restored(picture, "low.png", "high.png")
                    # Both are still the filtered picture, within one level, where the low pass is not clipped.
                    if low == "lowpass" and picture.ndim == 2:
                        gain = formulas.fall(frequencies(45, 33)[0], 0.125)
                        for name, gains, offset in (("low.png", gain, 0), ("high.png", 1 - gain, 128 / 255)):
                            wanted = transferred(picture / 255, gains) + offset
                            self.assert_levels(load(self.path(name)), wanted, 1, 255)

    def test_several_bands(self):
        picture = u8(portrait(50, 40, 3))
        self.separate(picture, "-f", "gaussian:sigma=9", "-o", "low.png", "-f", "dog:sigma=3:ratio=3", "-o", "middle.png",
                      "--offset", "0.5", "--rest", "high.png")
        self.assert_restored(picture, "low.png", "middle.png", "high.png")
        # What follows a rest begins anew.
        self.separate(picture, "-f", "gaussian:sigma=9", "-o", "low.png", "--rest", "high.png", "-f", "box", "-o",
                      "soft.png", "--rest", "fine.png")
        self.assert_restored(picture, "soft.png", "fine.png")

    def test_gains(self):
        """Weak detail amplified in 16 bits, and the low pass stored with an offset of its own."""
        picture = u8(portrait(50, 40))
        self.separate(picture, "-f", "gaussian:sigma=2", "-o", "low.png", "--gain", "0.5", "--offset", "0.25", "--depth",
                      "16", "--rest", "high.png", "--gain", "-2", "--depth", "16", "--offset", "0.4")
        self.succeed("combine", "low.png", "--gain", "0.5", "--offset=0.25", "high.png", "--offset", "0.4", "--gain=-2",
                     "-o", "sum.png", "--depth", "8")
        np.testing.assert_array_equal(load(self.path("sum.png")), picture)

    def test_alpha(self):
        """Detail has the alpha of its picture, and so has the sum."""
        picture = u8(portrait(40, 50, 4))
        picture[..., 3] = u8(0.5 + 0.5 * scene(40, 50))
        self.separate(picture, "-f", "gaussian:sigma=3", "-o", "low.png", "--rest", "high.png")
        np.testing.assert_array_equal(load(self.path("high.png"))[..., 3], picture[..., 3])
        self.assertTrue((load(self.path("low.png"))[..., 3] != picture[..., 3]).any())
        self.assert_restored(picture, "low.png", "high.png")

    def test_what_does_not_fit_is_said(self):
        """Detail of more than 127 levels does not fit 8 bits around 128. Half of it fits 16."""
        picture = np.full((30, 40), 10, np.uint8)
        picture[10:13, 5:25] = 250
        save(self.path("in.png"), picture)
        result = self.succeed("filter", "in.png", "-f", "gaussian:sigma=6", "-o", "low.png", "--rest", "high.png")
        wanted = picture.astype(int) - load(self.path("low.png")) + 128
        np.testing.assert_array_equal(load(self.path("high.png")), wanted.clip(0, 255))
        self.assertGreater((wanted > 255).sum(), 20)
        self.assert_one_line(result)
        self.assertIn(f"high.png: {(wanted > 255).sum() + (wanted < 0).sum()} samples", result.err)
        self.assertIn("abbe combine needs --gain 0.5 after high.png", result.err)
        for picture in (picture, u8(np.random.default_rng(7).integers(0, 2, (40, 50)).astype(float))):
            self.separate(picture, "-f", "gaussian:sigma=6", "-o", "low.png", "--rest", "high.png", "--gain", "0.5",
                          "--depth", "16")
            self.assert_restored(picture, "low.png", "high.png", "--gain", "0.5")

    def test_no_advice_where_nothing_is_to_be_added_up(self):
        """A high pass without an offset is clipped as ever. Where there is one, the advice holds."""
        picture = np.full((30, 40), 10, np.uint8)
        picture[10:13, 5:25] = 250
        save(self.path("in.png"), picture)
        run = ("filter", "in.png", "-f", "lowpass:cutoff=0.1", "-o", "low.png")
        high = (*run, "-f", "highpass:cutoff=0.1", "-o", "high.png")
        self.assertEqual(self.succeed(*high).err, "")
        for more in (("--offset", "0"), ("--offset", "0.5")):
            self.assertIn("--gain 0.5 " + "--offset 0.5 " * (more[1] == "0") + "--depth 16 holds all", self.succeed(*high, *more).err)
        self.assertIn("--offset 0.5", self.succeed(*run, "--rest", "high.png", "--offset", "0").err)
        for last in (("-f", "highpass:cutoff=0.1", "-o", "high.png"), ("--rest", "high.png")):
            self.assertEqual(self.succeed(*run, *last, "--gain", "0.5", "--offset", "0.5", "--depth", "16").err, "")
            self.succeed("combine", "low.png", "high.png", "--gain", "0.5", "-o", "sum.png")
            np.testing.assert_array_equal(load(self.path("sum.png")), picture)

    def test_a_part_that_is_kept(self):
        """What is made beside it fits only if it comes from the same options, which is said; a kept rest says nothing else."""
        picture = np.full((30, 40), 10, np.uint8)
        picture[10:13, 5:25] = 250
        save(self.path("in.png"), picture)
        for low, last in (("gaussian:sigma=6", ("--rest", "high.png")),
                          ("lowpass", ("-f", "highpass", "-o", "high.png", "--offset", "0.5"))):
            run = ("filter", "in.png", "-f", low, "-o", "low.png", *last, "--gain", "0.5", "--depth", "16")
            self.succeed(*run)
            both = [self.read(name) for name in ("low.png", "high.png")]
            for gone, kept in (("low.png", "high.png"), ("high.png", "low.png")):
                os.unlink(self.path(gone))
                result = self.succeed(*run, "--existing", "skip")
                self.assert_one_line(result)
                for text in (f"{kept}: is kept", gone):
                    self.assertIn(text, result.err)
                self.assertEqual([self.read(name) for name in ("low.png", "high.png")], both)
        os.unlink(self.path("low.png"))
        result = self.succeed("filter", "in.png", "-f", "gaussian:sigma=6", "-o", "low.png", "--rest", "high.png", "--existing", "skip")
        self.assert_one_line(result)
        self.assertNotIn("clipped", result.err)

    def test_a_gain_of_the_low_pass_leaves_the_high_pass(self):
        """A small gain would amplify the rounding of the low pass, a large one clips it."""
        save(self.path("g.png"), u8(scene(48, 64)))
        high = ["-f", "highpass:cutoff=0.1", "-o"]
        self.succeed("filter", "g.png", *high, "alone.png", "--offset", "0.5")
        for gain in ("0.02", "4"):
            self.succeed("filter", "g.png", "-f", "lowpass:cutoff=0.1", "-o", "low.png", "--gain", gain, *high,
                         "high.png", "--offset", "0.5")
            difference = np.abs(load(self.path("high.png")).astype(int) - load(self.path("alone.png")))
            self.assertLessEqual(difference.max(), 1, gain)

    def test_only_where_results_add_up(self):
        """A high pass that is amplified, has alpha or is of linear light is filtered, not what a low pass leaves."""
        picture = u8(portrait(40, 48))
        low, high = ("-f", "lowpass", "-o", "low.png"), ("-f", "highpass", "-o", "high.png", "--offset", "0.5")
        self.separate(picture, "-b", "wrap", *low, *high, "--gain", "9")
        gains = 1 - formulas.fall(frequencies(40, 48)[0], 0.125)
        self.assert_levels(load(self.path("high.png")), 9 * transferred(picture / 255, gains) + 128 / 255, 1, 255)
        for kind, options in ((u8(scene(40, 48, 4)), ()), (picture, ("--linear",))):
            save(self.path("in.png"), kind)
            found = []
            for beside in ((), low):
                self.succeed("filter", "in.png", "-b", "wrap", *options, *beside, *high)
                found.append(load(self.path("high.png")).astype(int))
            self.assertLessEqual(np.abs(found[0] - found[1]).max(), 1)
        self.separate(picture, "-b", "wrap", *low, "-f", "highpass:cutoff=0.3", "-o", "high.png", "--offset", "0.5")
        gains = 1 - formulas.fall(frequencies(40, 48)[0], 0.15)
        self.assert_levels(load(self.path("high.png")), transferred(picture / 255, gains) + 128 / 255, 1, 255)


class Combine(support.Case):
    def test_against_the_sum(self):
        generator = np.random.default_rng(11)
        kinds = {"a.png": u8(generator.random((21, 32, 3))), "b.tif": generator.standard_normal((21, 32, 3)).astype(np.float32),
                 "c.png": u16(generator.random((21, 32, 3)))}
        for name, picture in kinds.items():
            save(self.path(name), picture)
        for order in (("a.png", "b.tif", "c.png"), ("b.tif", "c.png", "a.png"), ("c.png", "a.png")):
            for depth in (None, "8", "16", "float"):
                more = ["--depth", depth] if depth else []
                self.succeed("combine", *order, "-o", "sum.tif", *more)
                wanted = sum(values(kinds[name]) for name in order)
                for name in order[1:]:
                    top = TOPS.get(kinds[name].dtype)
                    wanted = wanted - ((top + 1) // 2 / top if top else 0)
                got = load(self.path("sum.tif"))
                kind = {"8": np.uint8, "16": np.uint16, "float": np.float32, None: kinds[order[0]].dtype}[depth]
                self.assertEqual(got.dtype, kind)
                if kind == np.float32:
                    np.testing.assert_allclose(got, wanted, atol=3e-7)
                else:
                    self.assertLessEqual(np.abs(got.astype(int) - stored(wanted, kind)).max(), 1 if "b.tif" in order else 0)

    def test_alpha_of_the_last(self):
        low, high = u8(scene(20, 30, 4, seed=3)), u8(scene(20, 30, 3, seed=4))
        save(self.path("low.png"), low)
        save(self.path("high.png"), high)
        wanted = (low[..., :3].astype(int) + high - 128).clip(0, 255)
        for names in (("low.png", "high.png"), ("high.png", "low.png")):
            self.succeed("combine", *names, "-o", "sum.png")
            got = load(self.path("sum.png"))
            np.testing.assert_array_equal(got[..., :3], wanted)
            np.testing.assert_array_equal(got[..., 3], low[..., 3])

    def test_over_an_input(self):
        """The sum may replace one of its pictures, unless that has several pages."""
        low, high = u8(scene(20, 30, seed=5)), u8(scene(20, 30, seed=6))
        save(self.path("low.png"), low)
        save(self.path("high.png"), high)
        self.succeed("combine", "low.png", "high.png", "-o", "high.png")
        np.testing.assert_array_equal(load(self.path("high.png")), (low.astype(int) + high - 128).clip(0, 255))
        tifffile.imwrite(self.path("pages.tif"), np.stack([low, high]), photometric="minisblack", metadata=None)
        before = self.read("pages.tif")
        result = self.run_abbe("combine", "low.png", "pages.tif", "-o", "pages.tif")
        self.assertEqual((result.status, self.read("pages.tif")), (1, before))
        self.assertIn("2 pages", result.err)

    def test_wrong_usage(self):
        save(self.path("a.png"), u8(scene(20, 30, 3)))
        save(self.path("grey.png"), u8(scene(20, 30)))
        save(self.path("small.png"), u8(scene(20, 29, 3)))
        for status, line, *says in (
                (2, "", "combine adds two"), (2, "a.png -o b.png", "two pictures"), (2, "a.png a.png", "-o OUT"),
                (2, "--offset 0.5 a.png a.png -o b.png", "--offset stands after"),
                (2, "--gain 2 a.png a.png -o b.png", "--gain stands after"),
                (2, "a.png a.png --gain 0 -o b.png", "--gain"), (2, "a.png a.png --offset x -o b.png", "--offset"),
                (2, "a.png a.png -o b.png --depth 12", "8, 16 or float"), (2, "a.png a.png -o b.png -o c.png", "c.png"),
                (2, "a.png a.png -o b.png --frobnicate", "--frobnicate"),
                (1, "a.png a.png -o b.jpg --depth float", "b.jpg", "--depth float"),
                (1, "a.png none.png -o b.png", "none.png"), (1, "a.png a.png -o b.xyz", ".xyz"),
                (1, "a.png small.png -o b.png", "small.png", "29 x 20", "30 x 20"),
                (1, "a.png grey.png -o b.png", "grey.png", "1 channels"),
                (1, "a.png a.png -o b.png --max-pixels 9", "--max-pixels")):
            self.refuse(status, "combine", *line.split(), says=says)
        self.refuse(2, "filter", "a.png", "--rest", "b.png", says="--rest b.png")
        self.refuse(2, "filter", "a.png", "-f", "box", "--rest", "b.png", says="no -o")
        self.refuse(2, "filter", "a.png", "-f", "box", "-o", "b.png", "--rest", "c.png", "--threshold", "0.1", says="--threshold 0.1")
        self.refuse(2, "filter", "a.png", "-f", "box", "-o", "b.png", "--rest", "b.png", says="two results")
        self.refuse(2, "filter", "a.png", "-f", "box", "-o", "b.png", "--rest", "c.png", "-o", "d.png", says="-o d.png")
        self.refuse(2, "filter", "a.png", "grey.png", "-f", "box", "-o", "{name}.tif", "--rest", "c.png", says="{name}")
        self.assert_only("a.png", "grey.png", "small.png")


if __name__ == "__main__":
    support.main()
