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


def gif_boundaries(data):
    """Offsets of the blocks of a GIF."""
    def colours(flags):
        return 3 << (flags & 7) + 1 if flags & 128 else 0
    at, found = 13 + colours(data[10]), []
    while data[at] in b"!,":
        found.append(at)
        at += 2 if data[at] == ord("!") else 11 + colours(data[at + 9])
        while data[at]:
            at += 1 + data[at]
        at += 1
    return found


def flat(count, height=20, width=24):
    """Frames of one colour each, which palettes hold exactly."""
    return [np.full((height, width, 3), (40 * i + 15, 200 - 30 * i, 90), np.uint8) for i in range(count)]


class Pages(support.Case):
    def assert_cuts_are_refused(self, data, name, boundaries=()):
        """A file that ends anywhere before its last byte loses pages; it stays as it is, also where it would be replaced.
        Between two blocks of a GIF there may be a warning instead."""
        for cut in sorted({*range(len(data) // 8, len(data), max(1, len(data) // 12)), *range(len(data) - 5, len(data) - 1)}):
            self.write(name, data[:cut])
            result = self.run_abbe("filter", name, "-f", "identity", "-o", name)
            if cut in boundaries and result.status == 0:
                self.assertIn("may be damaged", result.err)
                continue
            self.assertEqual((result.status, self.read(name)), (1, data[:cut]), (name, cut, result))
            self.assert_one_line(result)


class Tiff(Pages):
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

    def test_cut(self):
        """Files of other programs, which begin with their directories, and of libtiff, whose directories come last."""
        stack = np.stack([u8(scene(21, 33, 3, seed=i)) for i in range(3)])
        tifffile.imwrite(self.path("in.tif"), stack, photometric="rgb", metadata=None)
        self.succeed("filter", "in.tif", "-f", "identity", "-o", "again.tif", "-f", "identity", "-o", "big.tif[bigtiff]")
        with tifffile.TiffFile(self.path("in.tif")) as file:
            end = file.pages[2].dataoffsets[-1] + file.pages[2].databytecounts[-1]
        self.write("in.tif", self.read("in.tif")[:end])
        for name in ("in.tif", "again.tif", "big.tif"):
            self.assert_cuts_are_refused(self.read(name), name)
        self.write("cut.tif", self.read("again.tif")[:-1])
        for more in ((), ("--page", "1"), ("--page", "3")):
            self.refuse(1, "filter", "cut.tif", "-f", "identity", "-o", "out.png", *more, says="what follows page 1 cannot be read")
        tifffile.imwrite(self.path("in.tif"), stack, photometric="rgb", metadata=None)
        self.write("cut.tif", self.read("in.tif")[:end - 2300])
        self.refuse(1, "filter", "cut.tif", "-f", "identity", "-o", "out.png", says="cut.tif: damaged or truncated")

    def test_commands_with_one_picture(self):
        tifffile.imwrite(self.path("in.tif"), np.stack([u8(scene(20, 30))] * 3), photometric="minisblack")
        for command in ("spectrum", "transform"):
            result = self.succeed(command, "in.tif", "-o", "out.tif")
            self.assert_one_line(result)
            self.assertIn("3 pages", result.err)

    def test_commands_with_one_picture_in_place(self):
        """They replace a file with one page only."""
        tifffile.imwrite(self.path("in.tif"), np.stack([u8(scene(20, 30))] * 3), photometric="minisblack", metadata=None)
        before = self.read("in.tif")
        for command in (("tile", "in.tif"), ("transform", "in.tif"), ("spectrum", "in.tif"), ("texture", "--like", "in.tif"),
                        ("spectrum", "--peaks", "in.tif")):
            result = self.run_abbe(*command, "-o", "in.tif", "-q")
            self.assertEqual((result.status, self.read("in.tif")), (1, before), command)
            self.assertIn("would replace 3 pages", result.err)
        self.succeed("spectrum", "in.tif", "--peaks")
        for command in ("tile", "transform", "spectrum"):
            save(self.path("one.tif"), u8(scene(20, 30)))
            self.succeed(command, "one.tif", "-o", "one.tif")


class Animations(Pages):
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
            self.assert_cuts_are_refused(data, "cut" + name[2:], gif_boundaries(data) if name == "in.gif" else ())
        whole = self.read("in.gif")
        for data in (whole[:-1], whole[:-1] + b"\0;"):
            self.write("cut.gif", data)
            result = self.succeed("filter", "cut.gif", "-f", "identity", "-o", "out.gif")
            self.assert_one_line(result)
            self.assertIn("may be damaged", result.err)
            self.assertEqual(len(frames_of(self.path("out.gif"))[0]), 4)
        self.write("more.gif", whole + b"behind it")
        self.assertEqual(self.succeed("filter", "more.gif", "-f", "identity", "-o", "out.gif").err, "")


if __name__ == "__main__":
    support.main()
