"""Several pictures on standard input: abbe filter takes them one after the other."""

import io
import os
import shutil
import struct
import subprocess

import numpy as np
from PIL import Image
from scipy import ndimage

import support
from support import load, png_bytes, save, scene, u8

RUN = ("filter", "-", "-f", "gaussian:sigma=2", "--border", "clamp", "--allow-untrusted-formats")


def blurred(data):
    """The oracle of RUN in 8 bits: SciPy's filter of what Pillow reads."""
    pixels = np.asarray(Image.open(io.BytesIO(data)), float)
    sigma = (2, 2) + (0,) * (pixels.ndim - 2)
    return ndimage.gaussian_filter(pixels, sigma, mode="nearest", truncate=6)


def encoded(form, width=33, height=20, channels=3, **more):
    file = io.BytesIO()
    Image.fromarray(u8(scene(height, width, channels))).save(file, form, **more)
    return file.getvalue()


class Sequences(support.Case):
    def setUp(self):
        super().setUp()
        self.pictures = [encoded("JPEG", 30), png_bytes(u8(scene(20, 31))), encoded("WEBP", 32, lossless=True),
                         encoded("BMP"), encoded("PPM", 34), encoded("JPEG", 30, progressive=True),
                         encoded("PPM", 1, 1), png_bytes(u8(scene(21, 30, 3)))]

    def names(self, count):
        return [f"out-{i:04}.png" for i in range(1, count + 1)]

    def check(self, out, data):
        result = load(out)
        expected = blurred(data)
        self.assertEqual(result.shape, expected.shape)
        self.assertLess(np.abs(result - expected).max(), 1.01)

    def run_from_file(self, data, *arguments):
        with open(self.write("input", data), "rb") as file:
            result = subprocess.run([support.ABBE, *arguments], cwd=self.folder, stdin=file, env=support.environment(), capture_output=True,
                                    check=False)
        return result.returncode, result.stdout, result.stderr.decode()

    def test_numbers(self):
        """From a pipe and from a file, each with its own shape; zeros behind the last one are no picture."""
        data = b"".join(self.pictures) + bytes(2000)
        self.succeed(*RUN, "-o", "out-{n}.png", "--rest", "rest-{n}.png", stdin=data)
        rests = [name.replace("out", "rest") for name in self.names(8)]
        self.assert_only(*self.names(8), *rests)
        for name, picture in zip(self.names(8), self.pictures):
            self.check(self.path(name), picture)
        before = [self.read(name) for name in self.names(8)]
        self.assertEqual(self.run_from_file(data, *RUN, "-o", "out-{n}.png"), (0, b"", ""))
        self.assertEqual([self.read(name) for name in self.names(8)], before)

    def test_standard_output(self):
        """Results follow each other as inputs do, and can be filtered again."""
        for form in ("png:-", "ppm:-", "bmp:-"):
            out = self.succeed(*RUN, "-o", form, stdin=b"".join(self.pictures)).out
            self.succeed("filter", "-", "-f", "identity", "-o", "out-{n}.png", "--allow-untrusted-formats",
                         stdin=out)
            for name, picture in zip(self.names(8), self.pictures):
                result = load(self.path(name))
                expected = blurred(picture)
                if expected.ndim == 2 and result.ndim == 3:
                    expected = expected[:, :, None]
                self.assertLess(np.abs(result - expected).max(), 1.01)

    def test_more_than_a_pipe_holds(self):
        """Pictures that are longer and shorter than what is read at once."""
        noise = np.random.default_rng(1).integers(0, 256, (300, 400, 3), dtype=np.uint8)
        large = io.BytesIO()
        Image.fromarray(noise).save(large, "PPM")
        pictures = [large.getvalue(), self.pictures[1], large.getvalue()] + [self.pictures[7]] * 20
        self.succeed("filter", "-", "-f", "identity", "-o", "out-{n}.png", "--allow-untrusted-formats",
                     stdin=b"".join(pictures))
        self.assert_only(*self.names(23))
        for index in (0, 1, 2, 22):
            expected = np.asarray(Image.open(io.BytesIO(pictures[index])))
            self.assertTrue((load(self.path(self.names(23)[index])) == expected).all())

    def test_a_damaged_picture(self):
        """Those before and behind it are filtered."""
        good = png_bytes(u8(scene(20, 31)))
        at = good.index(b"IDAT") + 20
        bad = good[:at] + b"\x55" * 20 + good[at + 20:]
        result = self.run_abbe(*RUN, "-o", "out-{n}.png", stdin=good + bad + good)
        self.assertEqual(result.status, 1)
        self.assertIn("standard input, picture 2", result.err)
        self.assertEqual(result.err.count("\n"), 1)
        self.assert_only("out-0001.png", "out-0003.png")
        for name in ("out-0001.png", "out-0003.png"):
            self.check(self.path(name), good)

    def test_a_picture_that_ends_early(self):
        good = png_bytes(u8(scene(20, 31)))
        for cut in (40, len(good) - 14):
            result = self.run_abbe(*RUN, "-o", "out-{n}.png", stdin=good + good[:cut])
            self.assertEqual(result.status, 1)
            self.assertIn("standard input, picture 2", result.err)
            self.assert_only("out-0001.png")

    def test_bytes_that_are_no_picture(self):
        """Behind a single picture they are ignored, as in files; in a sequence they may have been a picture."""
        good = png_bytes(u8(scene(20, 31)))
        for arguments, count in ((("-o", "out-{n}.png"), 1), (("-o", "png:-"), 2)):
            result = self.run_abbe(*RUN, *arguments, stdin=good * count + b"no picture at all")
            self.assertEqual(result.status, 1)
            self.assertIn(f"17 bytes behind picture {count}", result.err)
        self.check(self.path("out-0001.png"), good)
        self.succeed(*RUN, "-o", "png:-", stdin=good + b"no picture at all")

    def test_an_end_that_is_not_told(self):
        """TIFF has no length; a picture behind it cannot be found, which is said."""
        result = self.run_abbe(*RUN, "-o", "out-{n}.png", stdin=self.pictures[1] + encoded("TIFF"))
        self.assertEqual(result.status, 0)
        self.assertIn("picture 2: its end cannot be found", result.err)
        self.assert_only(*self.names(2))
        for output in ("-", "out-{n}.png"):
            result = self.succeed(*RUN, "-o", output, stdin=encoded("TIFF") + self.pictures[1])
            self.assert_one_line(result)
            self.assertIn("picture 1: its end cannot be found", result.err)
        self.assertEqual(self.succeed(*RUN, "-o", "out.png", stdin=encoded("TIFF")).err, "")

    def test_formats_whose_headers_tell_the_end(self):
        """GIF by its blocks; PFM, and BMP with and without its size, by the size of their pixels."""
        def sizeless(data):
            return data[:2] + bytes(4) + data[6:]
        frames = [Image.fromarray(u8(scene(20, 30, seed=i))) for i in range(3)]
        animation = io.BytesIO()
        frames[0].save(animation, "GIF", save_all=True, append_images=frames[1:])
        save(self.path("in.tif"), scene(20, 33, 3).astype(np.float32))
        self.succeed("filter", "in.tif", "-f", "identity", "-o", "in.pfm")
        odd = encoded("BMP", 31)
        flipped = sizeless(odd)[:22] + struct.pack("<i", -20) + sizeless(odd)[26:]
        core = b"BM" + struct.pack("<IIIIHHHH", 0, 0, 26, 12, 3, 2, 1, 24) + bytes(range(24))
        first = (encoded("GIF"), animation.getvalue(), self.read("in.pfm"), sizeless(odd), sizeless(encoded("BMP", channels=None)),
                 flipped, core)
        last = self.pictures[1]
        for data in first:
            os.makedirs(self.path("out"), exist_ok=True)
            result = self.succeed("filter", "-", "-f", "identity", "-o", "out/{n}.png", "--page", "1", stdin=data + data + last)
            self.assertEqual(result.err, "", data[:30])
            self.assertEqual(sorted(os.listdir(self.path("out"))), ["0001.png", "0002.png", "0003.png"])
            self.assertEqual(self.read("out/0001.png"), self.read("out/0002.png"))
            np.testing.assert_array_equal(load(self.path("out/0003.png")), u8(scene(20, 31)))
            shutil.rmtree(self.path("out"))
            self.refuse(1, "filter", "-", "-f", "identity", "-o", "out.png", "--page", "1", stdin=data + last, says="another picture")

    def test_too_large(self):
        """The limit holds for each picture, and does not end the sequence."""
        data = png_bytes(u8(scene(20, 20))) + png_bytes(u8(scene(40, 40))) + png_bytes(u8(scene(20, 20)))
        result = self.run_abbe(*RUN, "-o", "out-{n}.png", "--max-pixels", "500", stdin=data)
        self.assertEqual(result.status, 1)
        self.assertIn("standard input, picture 2: declares 40 x 40", result.err)
        self.assert_only("out-0001.png", "out-0003.png")

    def test_outputs_that_exist(self):
        data = b"".join(self.pictures[:3])
        self.write("out-0002.png", "mine")
        self.succeed(*RUN, "-o", "out-{n}.png", "--existing", "skip", stdin=data)
        self.assertEqual(self.read("out-0002.png"), b"mine")
        self.check(self.path("out-0003.png"), self.pictures[2])
        result = self.run_abbe(*RUN, "-o", "new/{name}-{n}.png", "--parents", stdin=data)
        self.assertEqual(result.status, 0)
        self.check(self.path("new/stdin-0003.png"), self.pictures[2])

    def test_where_numbers_do_not_help(self):
        data = png_bytes(u8(scene(20, 31)))
        self.write("in.png", data)
        self.refuse(2, "filter", "in.png", "-f", "box", "-o", "out-{n}.png", says="standard input")
        self.refuse(2, *RUN, "-o", "out-{n}.png", "--rest", "rest.png", says="rest.png")
        self.refuse(1, *RUN, "-o", "out.png", stdin=data + data, says="{n}")
        self.refuse(1, *RUN, "-o", "out-{n}.png", stdin=b"", says="empty")
        self.assert_only("in.png")


if __name__ == "__main__":
    support.main()
