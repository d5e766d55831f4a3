"""Pictures in parts: the results are those of the whole picture, in bounded memory, and a failure leaves the old file."""

import os
import random
import resource
import signal
import subprocess
import sys
import time
import unittest

import numpy as np
import tifffile
from PIL import Image

import support
from support import (ABBE, BRIEF, SANITIZED, convolved, environment, frequencies, load, png_chunk, png_header, save, scene,
                     transferred, u16, u8)

BORDERS = ("reflect", "mirror", "wrap", "clamp", "zero", "constant:0.3")
PARTS, WHOLE = "in parts within", "method"


class Streaming(support.Case):

    def filter(self, *arguments, says=PARTS, **more):
        """Runs a filter with --stats, which tells how it was done."""
        result = self.succeed("filter", *arguments, "--stats", **more)
        self.assertIn(says, result.err)
        return result

    def both_ways(self, name, *arguments, memory=None, out="out.tif"):
        """The results as a whole and in parts, for which there is little more than half of the memory of the pictures."""
        self.filter(name, *arguments, "-o", "whole-" + out, says=WHOLE)
        whole = load(self.path("whole-" + out))
        self.filter(name, *arguments, "-o", "parts-" + out, "--memory", memory or str(int(1.2 * whole.nbytes)))
        return whole, load(self.path("parts-" + out))

    def assert_close(self, whole, parts, levels=0, floats=0.0):
        self.assertEqual((whole.shape, whole.dtype), (parts.shape, parts.dtype))
        bound = floats if whole.dtype == np.float32 else levels
        self.assertLessEqual(np.abs(whole.astype(float) - parts.astype(float)).max(), bound)


class Results(Streaming):

    def test_borders_and_methods(self):
        """Convolution gives the same bytes; the oracle is a direct sum."""
        picture = scene(701, 503)
        save(self.path("in.tif"), u8(picture))
        box = np.ones((13, 13)) / 169
        for border in BORDERS:
            for method in ("direct", "separable", "tiles"):
                with self.subTest(border=border, method=method):
                    whole, parts = self.both_ways("in.tif", "-f", "box:radius=6", "-b", border, "-m", method)
                    self.assert_close(whole, parts, levels=method == "tiles" or border.startswith("constant"))
                    if border == "reflect":
                        self.assert_levels(parts, convolved(u8(picture) / 255, box), 1, 255)

    def test_depths_and_layouts(self):
        layouts = ({}, {"tile": (32, 48)}, {"bigtiff": True, "rowsperstrip": 5}, {"rowsperstrip": 801},
                   {"compression": "zlib", "tile": (64, 16)})
        for convert, floats in ((u8, 0), (u16, 0), (lambda v: v.astype(np.float32) * 5 - 2, 0)):
            for channels in (None, 3, 4):
                for layout in layouts[:2 if BRIEF else 5]:
                    with self.subTest(channels=channels, layout=layout):
                        save(self.path("in.tif"), convert(scene(801, 311, channels)), **layout)
                        whole, parts = self.both_ways("in.tif", "-f", "gaussian:sigma=2", "-m", "separable", "-b", "mirror")
                        self.assert_close(whole, parts, floats=floats)
                        with tifffile.TiffFile(self.path("parts-out.tif")) as file:
                            self.assertEqual(file.pages[0].is_tiled, "tile" in layout)

    def test_formats(self):
        colour, grey = u8(scene(800, 311, 3)), u8(scene(800, 311))
        inputs = {name: colour for name in ("in.png", "in.jpg", "in.tif", "in.ppm", "in.bmp")}
        inputs.update({name: grey for name in ("grey.png", "grey.jpg", "grey.pgm")})
        inputs["deep.png"] = u16(scene(800, 311, 4))
        trust = ("--allow-untrusted-formats",)
        for name, pixels in inputs.items():
            save(self.path(name), pixels)
            for form in ("png", "tif") if BRIEF else ("png", "jpg", "tif", "ppm"):
                stored = pixels.size * (1 if form == "jpg" else pixels.itemsize)
                memory = str(int(0.6 * (pixels.nbytes + stored)))
                with self.subTest(name=name, form=form):
                    whole, parts = self.both_ways(name, "-f", "gaussian:sigma=1.5", "-m", "separable", *trust,
                                                  memory=memory, out="out." + form)
                    self.assert_close(whole, parts)

    def test_several_results(self):
        """Each result has its gain, offset and depth; those that are skipped stay."""
        save(self.path("in.png"), u8(scene(900, 311, 4)))
        options = ["-m", "separable", "-f", "gaussian:sigma=2", "-o", "{}soft.png", "-f", "sobel:axis=x", "-o", "{}edge.tif",
                   "--gain", "3", "--offset", "0.5", "--depth", "16", "-f", "box", "-o", "{}box.tif", "--depth", "float"]
        for more in ((), ("--linear",), ("--straight-alpha",), ("--correlate",)):
            for way, memory in (("whole-", "1G"), ("parts-", "3M")):
                self.filter("in.png", *[text.format(way) for text in options], *more, "--memory", memory,
                            says=WHOLE if way == "whole-" else PARTS)
            for name in ("soft.png", "edge.tif", "box.tif"):
                with self.subTest(name=name, more=more):
                    self.assert_close(load(self.path("whole-" + name)), load(self.path("parts-" + name)))
        self.write("parts-edge.tif", b"mine")
        self.filter("in.png", *[text.format("parts-") for text in options], "--memory", "3M", "--existing", "skip", says="")
        os.remove(self.path("parts-box.tif"))
        self.filter("in.png", *[text.format("parts-") for text in options], "--memory", "3M", "--existing", "skip")
        self.assertEqual(self.read("parts-edge.tif"), b"mine")
        self.filter("in.png", *options[:2], *[text.format("whole-") for text in options[2:]], says=WHOLE)
        self.assert_close(load(self.path("whole-box.tif")), load(self.path("parts-box.tif")))

    def test_pages(self):
        stack = [u8(scene(601, 211, 3, seed=i)) for i in range(3)]
        tifffile.imwrite(self.path("in.tif"), np.stack(stack), photometric="rgb", metadata=None)
        for border in ("reflect", "wrap"):
            whole, parts = self.both_ways("in.tif", "-f", "gaussian:sigma=3", "-m", "separable", "-b", border, memory="700k")
            self.assertEqual(len(tifffile.TiffFile(self.path("parts-out.tif")).pages), 3)
            self.assert_close(np.stack(tifffile.imread(self.path("whole-out.tif"))),
                              np.stack(tifffile.imread(self.path("parts-out.tif"))))

    def test_any_memory(self):
        """Strips, tiles where strips do not fit, and one line where nothing does. Kernels larger than the picture."""
        save(self.path("wide.tif"), u8(scene(211, 2003)))
        save(self.path("deep.tif"), u16(scene(97, 1501, 3)), tile=(16, 32))
        for name, text in (("wide.tif", "gaussian:sigma=12"), ("deep.tif", "box:radius=60")):
            self.filter(name, "-f", text, "-m", "separable", "-o", "whole.tif", says=WHOLE)
            whole, fits = load(self.path("whole.tif")), 0
            for kilobytes in range(200, 4000, 400 if BRIEF else 200):
                result = self.run_abbe("filter", name, "-f", text, "-m", "separable", "-o", "parts.tif", "--memory",
                                       f"{kilobytes}k")
                if result.status:
                    self.assert_one_line(result)
                    self.assertIn("--memory", result.err)
                    self.assertEqual(fits, 0, "more memory does not do what less did")
                    continue
                fits += 1
                self.assert_close(whole, load(self.path("parts.tif")))
            self.assertGreater(fits, 2)

    def test_narrow_parts_and_tiles(self):
        """Parts and the tiles of the result both take some columns only; once their rows waited for each other."""
        save(self.path("in.tif"), u8(scene(900, 700, 3)), tile=(64, 64))
        for memory in ("2M", "2200k", "3M"):
            whole, parts = self.both_ways("in.tif", "-f", "gaussian:sigma=2", "-m", "separable", memory=memory)
            self.assert_close(whole, parts)

    def test_pyramids(self):
        """A result has smaller copies of itself where its source has; in parts a line says that it has none."""
        picture = u8(scene(800, 600, 3))
        with tifffile.TiffWriter(self.path("in.tif")) as file:
            file.write(picture, tile=(64, 64), photometric="rgb", subifds=1, metadata=None)
            file.write(picture[::2, ::2], tile=(64, 64), photometric="rgb", subfiletype=1, metadata=None)
        names = ("out.tif", "none.tif[pyramid=false]", "deep.tif")
        self.filter("in.tif", *sum((["-f", "box", "-o", name] for name in names[:2]), []), says=WHOLE)
        self.filter("in.tif", "-f", "box", "-o", "deep.tif", "--depth", "16", says=WHOLE)
        for name, levels in (("out.tif", 4), ("none.tif", 1), ("deep.tif", 4)):
            with tifffile.TiffFile(self.path(name)) as file:
                pages = file.pages[0].pages or []
                shapes = [picture.shape] + [page.shape for page in pages]
                self.assertEqual(shapes[1:levels], [(800 >> i, 600 >> i, 3) for i in range(1, levels)], name)
                if pages:  # the oracle: means of two by two pixels
                    full = file.pages[0].asarray().astype(float).reshape(400, 2, 300, 2, 3).mean((1, 3))
                    self.assertLessEqual(np.abs(full - pages[0].asarray()).max(), 1)
        result = self.filter("in.tif", "-f", "box", "-o", "parts.tif", "--memory", "2M")
        self.assertIn("without the smaller copies", result.err)
        self.assert_close(load(self.path("out.tif")), load(self.path("parts.tif")))
        result = self.filter("in.tif", "-f", "box", "-o", "asked.tif[pyramid,subifd]", "--memory", "2M")
        self.assertNotIn("smaller copies", result.err)
        with tifffile.TiffFile(self.path("asked.tif")) as file:
            self.assertGreater(len(file.pages[0].pages), 1)

    def test_transfer_functions(self):
        """Those that decay act within their reach; the oracle is a DFT."""
        picture = scene(600, 701)
        save(self.path("in.tif"), u8(picture))
        save(self.path("deep.tif"), u16(picture))
        text = "lowpass:cutoff=0.2:shape=gaussian"
        gains = 2.0 ** -((frequencies(*picture.shape)[0] / 0.1) ** 2)
        for border in BORDERS:
            for name, levels, memory in (("in.tif", 1, "2M"), ("deep.tif", 7, "3M")):
                with self.subTest(border=border, name=name):
                    whole, parts = self.both_ways(name, "-f", text, "-b", border, memory=memory)
                    self.assert_close(whole, parts, levels=levels)
                    if border == "wrap" and name == "in.tif":
                        self.assert_levels(parts, transferred(u8(picture) / 255, gains), 1, 255)


class Choice(Streaming):

    def test_small_pictures_are_filtered_as_a_whole(self):
        save(self.path("in.png"), u8(scene(99, 99)))
        self.filter("in.png", "-f", "gaussian", "-o", "out.png", says=WHOLE)

    def test_what_needs_the_whole(self):
        """Filtered as a whole by default; where --memory is too little for that, one line says why."""
        save(self.path("in.png"), u8(scene(500, 600, 3)))
        save(self.path("in.webp"), u8(scene(500, 600, 3)))
        save(self.path("turned.jpg"), u8(scene(500, 600, 3)), exif=b"Exif\0\0" + b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0"
             b"\x01\0\x06\0\0\0\0\0\0")
        save(self.path("steps.jpg"), u8(scene(500, 600, 3)), progressive=True)
        save(self.path("mask.png"), u8(scene(500, 600)))
        plain = ("-f", "gaussian", "-o", "out.png")
        cases = (("in.png", (*plain, "--rest", "rest.png"), "--rest"), ("in.png", (*plain, "--threshold", "0.1"), "--threshold"),
                 ("in.png", (*plain, "--where", "mask.png"), "--where"),
                 ("in.png", (*plain, "--channels", "luminance"), "--channels"),
                 ("in.png", ("-f", "lowpass:shape=ideal", "-o", "out.png"), "decay"),
                 ("in.png", ("-f", "gaussian", "-o", "out.webp"), "WebP is written as a whole"),
                 ("in.png", ("-f", "gaussian", "-o", "out.png[interlace]"), "interlaced"),
                 ("in.png", ("-f", "gaussian", "-o", "-"), "standard output"), ("in.webp", plain, "WebP is decoded as a whole"),
                 ("turned.jpg", plain, "orientation 6"), ("steps.jpg", plain, "progressive"))
        for name, arguments, reason in cases:
            with self.subTest(reason=reason):
                self.refuse(1, "filter", name, *arguments, "--memory", "900k",
                            says=(name, "MB of memory", "--memory", "in parts", reason))
                self.filter(name, *arguments, says=WHOLE)
        self.assertNotIn("in parts", self.filter("in.png", *plain, says=WHOLE).err)

    def test_max_pixels(self):
        """The default bounds pictures in memory and bombs only; one that is given holds for all. These files declare 1.6e9
        pixels; the larger one has 1 % of them."""
        for rows, name in ((3, "bomb.png"), (401, "in.png")):
            data = np.random.default_rng(1).integers(0, 256, (rows, 40001), np.uint8)
            data[:, 0] = 0
            self.write(name, png_header(40000, 40000, 8, 0) + png_chunk(b"IDAT", support.zlib.compress(data.tobytes(), 0)) +
                       png_chunk(b"IEND", b""))
        self.refuse(1, "filter", "bomb.png", "-f", "box", "-o", "out.png", says="--max-pixels")
        self.refuse(1, "filter", "in.png", "-f", "box", "-o", "out.png", says="damaged or truncated")
        self.refuse(1, "filter", "in.png", "-f", "box", "-o", "out.png", "--max-pixels", "1000000000", says="--max-pixels")
        self.refuse(1, "filter", "in.png", "-f", "box", "-o", "out.webp", says=("--max-pixels", "in parts", "WebP"))

    def test_wrong_memory(self):
        for text in ("", "0", "-1", "1X", "G", "nan", "1e99", "12 M", "M5"):
            self.refuse(2, "filter", "in.png", "-f", "box", "-o", "out.png", "--memory", text, says="--memory")


class Failures(Streaming):

    def setUp(self):
        super().setUp()
        self.picture = u8(np.random.default_rng(7).random((900, 611)))
        save(self.path("in.tif"), self.picture, rowsperstrip=16)
        self.memory = ("--memory", "900k")

    def test_truncated_inputs(self):
        """The damage lies behind rows that were already written."""
        Image.fromarray(self.picture).save(self.path("in.jpg"))
        save(self.path("in.png"), self.picture)
        save(self.path("in.pgm"), self.picture)
        save(self.path("tiles.tif"), self.picture, tile=(32, 32))
        for name in ("in.tif", "in.png", "in.jpg", "in.pgm", "tiles.tif"):
            data = self.read(name)
            form = name.split(".")[1]
            for part in (0.5, 0.9):
                with self.subTest(name=name, part=part):
                    self.write("cut." + form, data[:int(part * len(data))])
                    self.write("out.tif", b"what was there")
                    before = set(os.listdir(self.folder))
                    self.refuse(1, "filter", "cut." + form, "-f", "box", "-o", "out.tif", *self.memory,
                                "--allow-untrusted-formats", says="cut." + form)
                    self.assertEqual(self.read("out.tif"), b"what was there")
                    self.assertEqual(set(os.listdir(self.folder)), before)

    def test_damaged_pixels(self):
        save(self.path("in.tif"), self.picture, compression="zlib", rowsperstrip=16)
        data = bytearray(self.read("in.tif"))
        with tifffile.TiffFile(self.path("in.tif")) as file:
            at = file.pages[0].dataoffsets[40]
        data[at:at + 40] = bytes(40)
        self.write("in.tif", bytes(data))
        self.refuse(1, "filter", "in.tif", "-f", "box", "-o", "out.png", *self.memory, says="in.tif: damaged or truncated")
        self.assert_only("in.tif")

    def test_nonfinite_samples(self):
        values = self.picture.astype(np.float32) / 255
        values[700, 300] = np.nan
        save(self.path("in.tif"), values)
        self.refuse(1, "filter", "in.tif", "-f", "box", "-o", "out.tif", *self.memory, says=("in.tif", "700"))
        self.assert_only("in.tif")

    def test_full_disk(self):
        """Whichever result does not fit, none appears."""
        for small, large in (("a.jpg[Q=5]", "b.tif"), ("b.tif", "a.jpg[Q=5]"), ("a.tif", "b.png")):
            self.write("b.tif", b"what was there")
            result = self.refuse(1, "filter", "in.tif", "-f", "identity", "-o", small, "-f", "box", "-o", large, *self.memory,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000)))
            self.assertIn("cannot be written", result.err)
            self.assertEqual(self.read("b.tif"), b"what was there")
            self.assert_only("in.tif", "b.tif")

    def test_unwritable(self):
        self.refuse(1, "filter", "in.tif", "-f", "box", "-o", "nowhere/out.tif", *self.memory, says="nowhere")
        save(self.path("wide.tif"), np.zeros((400, 70000), np.uint8), rowsperstrip=16)
        self.refuse(1, "filter", "wide.tif", "-f", "box", "-o", "out.jpg", "--memory", "40M", says="out.jpg: cannot be written")
        self.assert_only("in.tif", "wide.tif")

    def test_in_place(self):
        """The input may be its own result."""
        wanted = load(self.path("in.tif"))
        self.succeed("filter", "in.tif", "-f", "identity", "-o", "in.tif", *self.memory)
        self.assert_close(load(self.path("in.tif")), wanted)

    def test_signals(self):
        """At any moment the target is the old file or the new one."""
        arguments = [ABBE, "filter", self.path("in.tif"), "-f", "box", "-b", "wrap", *self.memory, "-o"]
        start = time.monotonic()
        self.succeed(*arguments[1:], "new.png")
        seconds, new = time.monotonic() - start, self.read("new.png")
        ended = 0
        for trial in range(20 if BRIEF else 60):
            chance = random.Random(trial)
            number = chance.choice((signal.SIGINT, signal.SIGTERM, signal.SIGKILL))
            self.write("out.png", b"old")
            process = subprocess.Popen(arguments + [self.path("out.png")], stderr=subprocess.PIPE, env=environment())
            time.sleep(chance.uniform(0, 1.3 * seconds))
            process.send_signal(number)
            said = process.communicate(timeout=60)[1]
            with self.subTest(trial=trial, signal=number):
                self.assertIn(process.returncode, (0, -number))
                self.assertEqual(said, b"")
                self.assertIn(self.read("out.png"), (b"old", new))
                ended += process.returncode != 0
                if number != signal.SIGKILL:
                    self.assert_only("in.tif", "new.png", "out.png")
        self.assertGreater(ended, 5)


@unittest.skipIf(SANITIZED, "a sanitized program is larger")
class Memory(Streaming):

    def peak(self, *arguments):
        """The largest resident set of a run, in MB. A small process starts it, because its own would count."""
        script = "import resource, subprocess, sys\nstatus = subprocess.run(sys.argv[1:]).returncode\n" \
                 "print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        done = subprocess.run([sys.executable, "-S", "-c", script, ABBE, *arguments], cwd=self.folder, env=environment(),
                              stdout=subprocess.PIPE, timeout=300, check=True)
        status, kilobytes = map(int, done.stdout.split())
        self.assertEqual(status, 0)
        return kilobytes / 1000

    def test_peak(self):
        """100 megapixels in 100 MB, which the whole would take twice."""
        side = 10000
        for layout in ({"tile": (256, 256)}, {}):
            picture = tifffile.memmap(self.path("in.tif"), shape=(side, side), dtype=np.uint8, metadata=None, **layout) \
                if not layout else None
            if layout:
                row = np.random.default_rng(1).integers(0, 256, (256, 256), np.uint8)
                tifffile.imwrite(self.path("in.tif"), (row for _ in range((-(-side // 256)) ** 2)), shape=(side, side),
                                 dtype=np.uint8, metadata=None, **layout)
            else:
                picture[:] = 77
                picture.flush()
                del picture
            arguments = ("filter", "in.tif", "-f", "gaussian:sigma=5", "-d", "cpu", "-t", "2", "-o", "out.tif")
            parts = self.peak(*arguments, "--memory", "50M")
            self.assertLess(parts, 110)
            if layout:
                self.assertGreater(self.peak(*arguments, "--memory", "2G"), 200)


if __name__ == "__main__":
    support.main()
