"""Files with several pages: TIFF, GIF and WebP keep all of them; others get the first, with a warning."""

import numpy as np
import tifffile
from PIL import Image

import formulas
import support
from support import convolved, load, opened, save, scene, u16, u8


def frames_of(path):
    """Frames as RGBA, delays in ms and the number of loops, by Pillow."""
    image = opened(path)
    frames, delays = [], []
    for i in range(getattr(image, "n_frames", 1)):
        image.seek(i)
        image.load()
        frames.append(np.asarray(image.convert("RGBA")))
        delays.append(image.info.get("duration"))
    return frames, delays, image.info.get("loop")


def flat(count, height=20, width=24):
    """Frames of one colour each, which palettes hold exactly."""
    return [np.full((height, width, 3), (40 * i + 15, 200 - 30 * i, 90), np.uint8) for i in range(count)]


class Tiff(support.Case):
    def test_all_pages(self):
        for convert, channels in ((u8, 3), (u16, None), (np.float32, None)):
            stack = [convert(scene(21, 33, channels, seed=i)) for i in range(3)]
            with tifffile.TiffWriter(self.path("in.tif")) as file:
                for page in stack:
                    file.write(page, photometric="rgb" if channels else "minisblack", metadata=None)
            result = self.succeed("filter", "in.tif", "-f", "box", "-o", "out.tif", "-f", "identity", "-o", "same.tif")
            self.assertEqual(result.err, "")
            with tifffile.TiffFile(self.path("out.tif")) as file:
                self.assertEqual(len(file.pages), 3)
                for page, source in zip(file.pages, stack):
                    top = {np.uint8: 255, np.uint16: 65535, np.float32: 1}[source.dtype.type]
                    wanted = convolved(source / top, formulas.box()) * top
                    self.assertLessEqual(np.abs(page.asarray() - wanted).max(), 1e-5 if top == 1 else 0.51)
            with tifffile.TiffFile(self.path("same.tif")) as file:
                for page, source in zip(file.pages, stack):
                    np.testing.assert_array_equal(page.asarray(), source)

    def test_results_of_several_kinds(self):
        """A bank with different depths, one of them in a format with one page."""
        stack = np.stack([u8(scene(21, 33, seed=i)) for i in range(3)])
        tifffile.imwrite(self.path("in.tif"), stack, photometric="minisblack", metadata=None)
        result = self.succeed("filter", "in.tif", "-f", "identity", "-o", "a.tif", "--depth", "float", "-f",
                              "identity", "-o", "b.png", "-f", "identity", "--gain", "0.5", "-o", "c.tif")
        self.assert_one_line(result)
        for text in ("b.png", "first of 3"):
            self.assertIn(text, result.err)
        np.testing.assert_allclose(tifffile.imread(self.path("a.tif")), stack / 255, atol=1e-6)
        np.testing.assert_array_equal(load(self.path("b.png")), stack[0])
        np.testing.assert_array_equal(tifffile.imread(self.path("c.tif")), np.floor(stack * 0.5 + 0.5))

    def test_page(self):
        stack = np.stack([u8(scene(21, 33, seed=i)) for i in range(3)])
        tifffile.imwrite(self.path("in.tif"), stack, photometric="minisblack", metadata=None)
        for page in (1, 2, 3):
            for name in ("out.tif", "out.png"):
                result = self.succeed("filter", "in.tif", "-f", "identity", "-o", name, "--page", str(page))
                self.assertEqual(result.err, "")
                np.testing.assert_array_equal(load(self.path(name)), stack[page - 1])
        result = self.succeed("filter", "-", "-f", "identity", "-o", "out.tif", "--page", "2", stdin=self.read("in.tif"))
        np.testing.assert_array_equal(load(self.path("out.tif")), stack[1])
        self.refuse(1, "filter", "in.tif", "-f", "identity", "-o", "new.tif", "--page", "4", says=("3 pages", "page 4"))
        for wrong in ("0", "-1", "x"):
            self.refuse(2, "filter", "in.tif", "-f", "identity", "-o", "new.tif", f"--page={wrong}", says="--page")
        save(self.path("one.png"), stack[0])
        self.succeed("filter", "one.png", "-f", "identity", "-o", "out.png", "--page", "1")
        self.refuse(1, "filter", "one.png", "-f", "identity", "-o", "new.png", "--page", "2", says="page 2")
        save(self.path("mask.png"), np.full((8, 8), 255, np.uint8))
        self.succeed("filter", "in.tif", "-f", "mask:file=mask.png", "-o", "out.png", "--page", "2")

    def test_turned(self):
        """The orientation holds for every page; rows of pages do not mix."""
        upright = [u8(scene(20, 31, 3, seed=i)) for i in range(3)]
        for orientation, held in ((3, lambda a: a[::-1, ::-1]), (6, np.rot90)):
            with tifffile.TiffWriter(self.path("in.tif")) as file:
                for page in upright:
                    file.write(np.ascontiguousarray(held(page)), photometric="rgb", metadata=None,
                               extratags=[(274, "H", 1, orientation, True)])
            self.succeed("filter", "in.tif", "-f", "motion:angle=0:length=5", "-o", "out.tif", "-f",
                         "motion:angle=0:length=5", "-o", "out.webp[lossless]")
            kernel = np.full((1, 5), 0.2)
            with tifffile.TiffFile(self.path("out.tif")) as file:
                self.assertEqual([page.tags[274].value for page in file.pages][:1], [orientation])
                for page, source in zip(file.pages, upright):
                    wanted = held(convolved(source / 255, kernel)) * 255
                    self.assertLessEqual(np.abs(page.asarray() - wanted).max(), 0.51)
            frames, _, _ = frames_of(self.path("out.webp"))
            self.assertEqual(len(frames), 3)

    def test_pages_of_different_kinds(self):
        with tifffile.TiffWriter(self.path("in.tif")) as file:
            file.write(u8(scene(20, 30)), photometric="minisblack", metadata=None)
            file.write(u8(scene(10, 15)), photometric="minisblack", metadata=None)
        result = self.succeed("filter", "in.tif", "-f", "identity", "-o", "out.tif")
        self.assert_one_line(result)
        self.assertIn("2 pages of different kinds", result.err)
        np.testing.assert_array_equal(load(self.path("out.tif")), u8(scene(20, 30)))
        self.succeed("filter", "in.tif", "-f", "identity", "-o", "out.tif", "--page", "2")
        np.testing.assert_array_equal(load(self.path("out.tif")), u8(scene(10, 15)))
        result = self.run_abbe("filter", "in.tif", "-f", "box", "-o", "in.tif")
        self.assertIn("would replace 2 pages", result.err)
        self.assertEqual((result.status, len(tifffile.TiffFile(self.path("in.tif")).pages)), (1, 2))

    def test_in_place(self):
        """A result may replace its input where it has all pages."""
        stack = np.stack([u8(scene(21, 33, seed=i)) for i in range(3)])
        tifffile.imwrite(self.path("in.tif"), stack, photometric="minisblack", metadata=None)
        self.refuse(1, "filter", "in.tif", "-f", "box", "-o", "in.tif", "--page", "2", says="3 pages")
        self.succeed("filter", "in.tif", "-f", "identity", "-o", "in.tif")
        np.testing.assert_array_equal(tifffile.imread(self.path("in.tif")), stack)

    def test_limit(self):
        """--max-pixels counts all pages, before they are decoded."""
        stack = np.stack([u8(scene(20, 30))] * 5)
        tifffile.imwrite(self.path("in.tif"), stack, photometric="minisblack", metadata=None)
        self.refuse(1, "filter", "in.tif", "-f", "box", "-o", "out.tif", "--max-pixels", "2999", says="--max-pixels")
        self.succeed("filter", "in.tif", "-f", "box", "-o", "out.tif", "--max-pixels", "3000")
        self.succeed("filter", "in.tif", "-f", "box", "-o", "out.tif", "--max-pixels", "600", "--page", "5")

    def test_commands_with_one_picture(self):
        tifffile.imwrite(self.path("in.tif"), np.stack([u8(scene(20, 30))] * 3), photometric="minisblack")
        for command in ("spectrum", "transform"):
            result = self.succeed(command, "in.tif", "-o", "out.tif")
            self.assert_one_line(result)
            self.assertIn("3 pages", result.err)


class Animations(support.Case):
    def setUp(self):
        super().setUp()
        self.frames = flat(4)
        images = [Image.fromarray(frame) for frame in self.frames]
        more = {"save_all": True, "append_images": images[1:], "duration": [100, 200, 50, 400], "loop": 3}
        images[0].save(self.path("in.gif"), **more)
        images[0].save(self.path("in.webp"), lossless=True, **more)

    def test_kept(self):
        for source in ("in.gif", "in.webp"):
            for result in ("out.gif", "out.webp"):
                with self.subTest(source=source, result=result):
                    options = "[lossless]" if result == "out.webp" else ""
                    done = self.succeed("filter", source, "-f", "box", "-o", result + options)
                    self.assertEqual(done.err, "")
                    frames, delays, loop = frames_of(self.path(result))
                    self.assertEqual((len(frames), delays), (4, [100, 200, 50, 400]))
                    # A GIF counts repetitions, a WebP how often it is shown.
                    self.assertEqual(loop, 3 + result.endswith("webp") - source.endswith("webp"))
                    for got, wanted in zip(frames, self.frames):
                        self.assertLessEqual(np.abs(got[..., :3].astype(int) - wanted).max(), 3)

    def test_filtered(self):
        """Each frame is filtered alone."""
        stack = [u8(scene(20, 24, 3, seed=i)) for i in range(3)]
        images = [Image.fromarray(frame) for frame in stack]
        images[0].save(self.path("waves.webp"), lossless=True, save_all=True, append_images=images[1:], duration=80)
        self.succeed("filter", "waves.webp", "-f", "gaussian", "-o", "out.webp[lossless]")
        for got, source in zip(frames_of(self.path("out.webp"))[0], stack):
            wanted = convolved(source / 255, formulas.gaussian(2))
            self.assertLessEqual(np.abs(got[..., :3] - 255 * wanted).max(), 1)

    def test_to_pages_and_to_one(self):
        result = self.succeed("filter", "in.gif", "-f", "identity", "-o", "out.tif")
        self.assert_one_line(result)
        self.assertIn("delays", result.err)
        with tifffile.TiffFile(self.path("out.tif")) as file:
            for page, wanted in zip(file.pages, self.frames):
                np.testing.assert_array_equal(page.asarray()[..., :3], wanted)
            self.assertEqual(len(file.pages), 4)
        result = self.succeed("filter", "in.gif", "-f", "identity", "-o", "out.png")
        self.assert_one_line(result)
        self.assertIn("4 pages", result.err)
        np.testing.assert_array_equal(load(self.path("out.png"))[..., :3], self.frames[0])
        result = self.succeed("filter", "in.gif", "-f", "identity", "-o", "out.gif", "--page", "3")
        self.assertEqual(len(frames_of(self.path("out.gif"))[0]), 1)
        np.testing.assert_array_equal(frames_of(self.path("out.gif"))[0][0][..., :3], self.frames[2])

    def test_cut(self):
        for name in ("in.gif", "in.webp"):
            data = self.read(name)
            self.write("cut", data[:len(data) * 2 // 3])
            result = self.run_abbe("filter", "cut", "-f", "box", "-o", "out.gif")
            self.assertIn(result.status, (0, 1))
            if result.status:
                self.assert_one_line(result)


if __name__ == "__main__":
    support.main()
