"""What results keep of the picture: --where, --channels and --threshold, against their formulas."""

import numpy as np

import formulas
import support
from support import convolved, decode_light, encode_light, load, save, scene, u16, u8

WEIGHTS = np.array([0.2126, 0.7152, 0.0722])
TOPS = {np.dtype(np.uint8): 255, np.dtype(np.uint16): 65535}


class Blends(support.Case):
    def assert_stored(self, got, values):
        """Integers are the values rounded and saturated; a value that lies between two may give either."""
        self.assertEqual(got.shape, values.shape)
        if got.dtype == np.float32:
            np.testing.assert_allclose(got, values, atol=3e-6)
        else:
            levels = np.clip(values, 0, 1) * TOPS[got.dtype]
            self.assertLessEqual(np.abs(got - levels).max(), 0.5 + 4e-6 * TOPS[got.dtype])

    def run_filter(self, picture, *arguments, output="out.tif"):
        save(self.path("in.tif"), picture)
        result = self.succeed("filter", "in.tif", *arguments, "-o", output)
        self.assertEqual(result.err, "")
        return load(self.path(output))

    def pictures(self, channels=3):
        picture = scene(26, 35, channels)
        return u8(picture), u16(picture), picture.astype(np.float32)


def values(samples):
    return samples / TOPS[samples.dtype] if samples.dtype in TOPS else samples.astype(float)


def blurred(samples):
    return convolved(samples, formulas.gaussian())


class Where(Blends):
    def test_mixture(self):
        generator = np.random.default_rng(2)
        mask = generator.integers(0, 256, (26, 35)).astype(np.uint8)
        mask[5:9], mask[12:15] = 0, 255
        painted = generator.integers(0, 256, (26, 35, 4)).astype(np.uint8)
        masks = {"grey.png": (mask, mask / 255), "deep.png": (u16(mask / 255), mask / 255),
                 "colour.png": (painted[..., :3], painted[..., :3].mean(2) / 255),
                 "paint.png": (painted, painted[..., :3].mean(2) / 255 * painted[..., 3] / 255),
                 "float.tif": ((mask / 100 - 0.5).astype(np.float32), np.clip(mask / 100 - 0.5, 0, 1))}
        for name, (samples, weights) in masks.items():
            save(self.path(name), samples)
            for picture in self.pictures():
                got = self.run_filter(picture, "--where", name, "-f", "gaussian")
                self.assertEqual(got.dtype, picture.dtype)
                weight, source = weights[..., None], values(picture)
                self.assert_stored(got, weight * blurred(source) + (1 - weight) * source)
                np.testing.assert_array_equal(got[weights == 0], picture[weights == 0])

    def test_several_results_and_pictures(self):
        mask = u8(np.tile(np.linspace(0, 1, 35), (26, 1)))
        save(self.path("mask.png"), mask)
        names = ["a.png", "b.png"]
        pictures = [u8(scene(26, 35, 3, seed=seed)) for seed in (3, 4)]
        for name, picture in zip(names, pictures):
            save(self.path(name), picture)
        self.succeed("filter", *names, "-f", "gaussian", "-o", "{name}-soft.png", "-f", "box", "-o", "{name}-box.tif",
                     "--depth", "float", "--gain", "0.5", "--offset", "0.1", "--where", "mask.png")
        for name, picture in zip("ab", pictures):
            source, weight = picture / 255, mask[..., None] / 255
            self.assert_stored(load(self.path(name + "-soft.png")), weight * blurred(source) + (1 - weight) * source)
            self.assert_stored(load(self.path(name + "-box.tif")),
                               weight * (convolved(source, formulas.box()) / 2 + 0.1) + (1 - weight) * source)

    def test_alpha(self):
        """Premultiplied, so that what is transparent in one of both does not colour the mixture."""
        picture = u8(scene(26, 35, 4))
        picture[:, :12, 3] = 0
        mask = u8(np.tile(np.linspace(0, 1, 35), (26, 1)))
        save(self.path("mask.png"), mask)
        source, weight = picture / 255, mask[..., None] / 255
        got = self.run_filter(picture, "--straight-alpha", "-f", "gaussian", "--where", "mask.png")
        self.assert_stored(got, weight * blurred(source) + (1 - weight) * source)
        got = self.run_filter(picture, "-f", "gaussian", "--where", "mask.png")
        light = np.concatenate([source[..., :3] * source[..., 3:], source[..., 3:]], 2)
        wanted = weight * blurred(light) + (1 - weight) * light
        with np.errstate(invalid="ignore", divide="ignore"):
            wanted[..., :3] /= wanted[..., 3:]
        seen = wanted[..., 3] > 0.02
        self.assert_stored(got[seen], wanted[seen])
        self.assert_stored(got[..., 3], wanted[..., 3])

    def test_mistakes(self):
        save(self.path("in.png"), u8(scene(26, 35, 3)))
        save(self.path("small.png"), u8(scene(26, 34)))
        save(self.path("black.png"), np.zeros((26, 35), np.uint8))
        run = ("filter", "in.png", "-f", "box", "-o", "out.png", "--where")
        self.refuse(1, *run, "small.png", says=["in.png", "35 x 26", "small.png", "34 x 26"])
        self.refuse(1, *run, "none.png", says="none.png")
        self.refuse(1, "filter", "in.png", "-f", "box", "-o", "small.png", "--where", "small.png", says=["in.png", "mask small.png"])
        self.assert_only("in.png", "small.png", "black.png")
        result = self.succeed(*run, "black.png")
        self.assert_one_line(result)
        self.assertIn("nothing is filtered", result.err)
        np.testing.assert_array_equal(load(self.path("out.png")), load(self.path("in.png")))


class Channels(Blends):
    def test_luminance(self):
        """Y is filtered, and its change is added to red, green and blue."""
        for picture in self.pictures():
            source = values(picture)
            got = self.run_filter(picture, "--channels", "luminance", "-f", "unsharp")
            change = convolved(source @ WEIGHTS, formulas.unsharp()) - source @ WEIGHTS
            self.assert_stored(got, source + change[..., None])
            got = self.run_filter(picture, "--channels", "luminance", "-f", "sobel", "--gain=0.2", "--offset", "0.5",
                                  "--depth", "float")
            slope = np.array([[1, 0, -1], [2, 0, -2], [1, 0, -1]], float)
            edges = np.hypot(convolved(source @ WEIGHTS, slope), convolved(source @ WEIGHTS, slope.T))
            self.assert_stored(got, source + (0.2 * edges + 0.5 - source @ WEIGHTS)[..., None])

    def test_luminance_of_linear_light(self):
        for picture in self.pictures()[:2]:
            light = decode_light(values(picture))
            got = self.run_filter(picture, "--linear", "--channels", "luminance", "-f", "gaussian")
            change = blurred(light @ WEIGHTS) - light @ WEIGHTS
            wanted = light + change[..., None]
            inside = (wanted > 0).all(2)
            self.assertGreater(inside.mean(), 0.5)
            self.assert_levels(got[inside], encode_light(wanted)[inside], TOPS[got.dtype] // 255 // 32 + 1, TOPS[got.dtype])

    def test_chroma(self):
        """Colours are blurred, and luminance stays."""
        for linear in (False, True):
            for picture in self.pictures()[:2]:
                source = decode_light(values(picture)) if linear else values(picture)
                got = self.run_filter(picture, "--channels", "chroma", "-f", "gaussian", *["--linear"][:linear])
                soft = blurred(source)
                wanted = soft + (source @ WEIGHTS - soft @ WEIGHTS)[..., None]
                inside = (wanted > 0).all(2)
                self.assertGreater(inside.mean(), 0.5)
                wanted = encode_light(wanted) if linear else wanted
                self.assert_levels(got[inside], wanted[inside], TOPS[got.dtype] // 255 // 32 + 1, TOPS[got.dtype])

    def test_lists(self):
        for picture in self.pictures(4):
            source, index = values(picture), {"red": 0, "green": 1, "blue": 2, "alpha": 3}
            alpha = source[..., 3:]
            for text in ("red", "green", "blue", "alpha", "red,blue", "blue,alpha", "alpha,green,red"):
                chosen = [index[name] for name in text.split(",")]
                others = [c for c in range(4) if c not in chosen]
                got = self.run_filter(picture, f"--channels={text}", "-f", "gaussian")
                wanted = np.concatenate([blurred(source[..., :3] * alpha) / blurred(alpha), blurred(alpha)], 2)
                self.assert_stored(got[..., chosen], wanted[..., chosen])
                np.testing.assert_array_equal(got[..., others], picture[..., others])

    def test_alpha_alone(self):
        """Alpha is no light, and has neither gain nor offset nor threshold, with colours beside it or not."""
        picture = u8(scene(26, 35, 4))
        for options in ((), ("--linear",), ("--gain", "0.5", "--offset", "0.2"), ("--threshold", "0.3")):
            for channels in ("alpha", "red,alpha"):
                got = self.run_filter(picture, "--channels", channels, *options, "-f", "gaussian")
                self.assert_stored(got[..., 3], blurred(picture[..., 3] / 255))
            grey = np.ascontiguousarray(picture[..., 2:])
            got = self.run_filter(grey, "--channels", "alpha", *options, "-f", "gaussian")
            self.assert_stored(got[..., 1], blurred(picture[..., 3] / 255))
            np.testing.assert_array_equal(got[..., 0], grey[..., 0])

    def test_alpha_stays(self):
        for name in ("luminance", "chroma"):
            picture = u8(scene(26, 35, 4))
            got = self.run_filter(picture, "--channels", name, "-f", "gaussian")
            np.testing.assert_array_equal(got[..., 3], picture[..., 3])
            source = picture / 255
            alpha = source[..., 3:]
            soft = blurred(source[..., :3] * alpha) / blurred(alpha)
            y = (source[..., :3] @ WEIGHTS)[..., None]
            soft_y = blurred(y * alpha) / blurred(alpha)
            wanted = source[..., :3] + soft_y - y if name == "luminance" else soft + y - (soft @ WEIGHTS)[..., None]
            self.assert_stored(got[..., :3], wanted)

    def test_mistakes(self):
        save(self.path("in.png"), u8(scene(26, 35, 3)))
        save(self.path("grey.png"), u8(scene(26, 35)))
        for name in ("", "luma", "red,", ",red", "red blue", "red,pink", "luminance,red", "alphaalpha"):
            self.refuse(2, "filter", "in.png", "-f", "box", "-o", "out.png", "--channels", name,
                        says=["--channels is", f"'{name}'"])
        self.refuse(1, "filter", "in.png", "-f", "box", "-o", "out.png", "--channels", "alpha", says="no alpha")
        for name in ("luminance", "chroma", "red", "alpha,red"):
            self.refuse(1, "filter", "grey.png", "-f", "box", "-o", "out.png", "--channels", name,
                        says=["grey.png", "1 channel ", name])
        self.assert_only("in.png", "grey.png")


class Threshold(Blends):
    def test_soft(self):
        for picture in self.pictures():
            source = values(picture)
            change = convolved(source, formulas.unsharp()) - source
            soft = np.sign(change) * np.maximum(np.abs(change) - 0.05, 0)
            self.assertTrue(0.1 < (soft == 0).mean() < 0.9)
            got = self.run_filter(picture, "-f", "unsharp", "--threshold", "0.05")
            self.assert_stored(got, source + soft)
            np.testing.assert_array_equal(got[np.abs(change) < 0.049], picture[np.abs(change) < 0.049])
            got = self.run_filter(picture, "-f", "unsharp", "--threshold=0.05", "--gain", "0.5", "--offset", "0.25",
                                  "--depth", "float")
            self.assert_stored(got, 0.5 * (source + soft) + 0.25)

    def test_with_channels_and_mask(self):
        """The threshold is that of luminance, and each result has its own."""
        picture = u8(scene(26, 35, 3))
        mask = u8(scene(26, 35, seed=9))
        save(self.path("mask.png"), mask)
        save(self.path("in.png"), picture)
        self.succeed("filter", "in.png", "--channels", "luminance", "--where", "mask.png", "-f", "unsharp", "-o", "a.png",
                     "--threshold", "0.03", "-f", "unsharp", "-o", "b.png")
        source = picture / 255
        change = convolved(source @ WEIGHTS, formulas.unsharp()) - source @ WEIGHTS
        for name, threshold in (("a.png", 0.03), ("b.png", 0)):
            soft = np.sign(change) * np.maximum(np.abs(change) - threshold, 0)
            self.assert_stored(load(self.path(name)), source + (mask / 255 * soft)[..., None])

    def test_alpha_has_none(self):
        picture = u8(scene(26, 35, 4))
        got = self.run_filter(picture, "--straight-alpha", "-f", "gaussian", "--threshold", "0.9")
        np.testing.assert_array_equal(got[..., :3], picture[..., :3])
        self.assert_stored(got[..., 3], blurred(picture[..., 3] / 255))

    def test_mistakes(self):
        save(self.path("in.png"), u8(scene(26, 35, 3)))
        for value in ("-1", "x", "1e99", ""):
            self.refuse(2, "filter", "in.png", "-f", "box", "-o", "out.png", "--threshold", value, says="--threshold needs")
        self.refuse(2, "filter", "in.png", "-f", "unsharp:threshold=0.02", "-o", "out.png",
                    says=["threshold", "not linear", "--threshold"])
        self.assert_only("in.png")


if __name__ == "__main__":
    support.main()
