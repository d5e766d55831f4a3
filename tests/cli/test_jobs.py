"""abbe filter with many results, many inputs, mixed types and pipes, and its statistics."""

import os
import re
import resource
import unittest

import numpy as np
from PIL import Image

import formulas
import support
from support import convolved, environment, load, save, scene, u16, u8


class Results(support.Case):
    def test_pairs_equal_single_calls(self):
        save(self.path("in.png"), u8(scene(50, 70, 3)))
        texts = ["gaussian", "sobel", "lowpass", "kernel:file=taps.txt", "unsharp,box"]
        self.write("taps.txt", "1 2\n3 4\n")
        pairs = [part for i, text in enumerate(texts) for part in ("-f", text, "-o", f"bank{i}.png")]
        self.succeed("filter", "in.png", *pairs, "-m", "fft")
        for i, text in enumerate(texts):
            self.succeed("filter", "in.png", "-f", text, "-o", "single.png", "-m", "fft")
            difference = load(self.path(f"bank{i}.png")).astype(int) - load(self.path("single.png"))
            # A bank may share a larger transform, whose rounding differs.
            self.assertLessEqual(np.abs(difference).max(), 1, text)

    def test_mixed_types_from_float(self):
        picture = scene(40, 60, 3).astype(np.float32)
        save(self.path("in.tif"), picture)
        self.succeed("filter", "in.tif", "-f", "box", "-o", "out.jpg[Q=95]", "-f", "box", "-o", "out.tif",
                     "-f", "box", "-o", "out.png", "-f", "laplacian", "-o", "edges.tif")
        wanted = convolved(picture, formulas.box())
        self.assert_float(load(self.path("out.tif")), wanted, picture, [formulas.box()], True)
        self.assert_float(load(self.path("edges.tif")), convolved(picture, formulas.laplacian()), picture,
                          [formulas.laplacian()], True)
        self.assert_levels(load(self.path("out.png")), wanted, 2, 65535)
        difference = load(self.path("out.jpg")) - wanted * 255
        self.assertLess(np.sqrt(np.mean(difference ** 2)), 6)

    def test_mixed_types_from_16_bits(self):
        picture = u16(scene(40, 60, 3))
        save(self.path("in.png"), picture)
        self.succeed("filter", "in.png", "-f", "box", "-o", "out.webp[lossless]", "-f", "box", "-o",
                     "out.png")
        wanted = convolved(picture / 65535, formulas.box())
        self.assert_levels(load(self.path("out.webp")), wanted, 1, 255)
        self.assert_levels(load(self.path("out.png")), wanted, 2, 65535)

    def test_threads_do_not_matter(self):
        save(self.path("in.png"), u8(scene(150, 210, 4)))
        for method in ("direct", "separable", "fft", "tiles"):
            files = []
            for threads in ("1", "2"):
                self.succeed("filter", "in.png", "-f", "gaussian:sigma=3", "-o", "out.png", "-m", method,
                             "-t", threads)
                files.append(self.read("out.png"))
            self.assertEqual(files[0], files[1], method)

    def test_input_may_be_output(self):
        picture = u8(scene(40, 60, 3))
        for name in ("same.png", "same.tif"):
            save(self.path(name), picture)
            self.succeed("filter", name, "-f", "box", "-o", name)
            self.assert_levels(load(self.path(name)), convolved(picture / 255, formulas.box()), 1, 255)
        self.assert_only("same.png", "same.tif")

    def test_a_replaced_file_keeps_its_permissions(self):
        save(self.path("in.png"), u8(scene(8, 8)))
        save(self.path("out.png"), u8(scene(4, 4)))
        os.chmod(self.path("out.png"), 0o640)
        self.succeed("filter", "in.png", "-f", "box", "-o", "out.png")
        self.assertEqual(os.stat(self.path("out.png")).st_mode & 0o777, 0o640)

    def test_one_pixel(self):
        for border in support.SCIPY_BORDERS:
            save(self.path("in.png"), np.array([[200]], np.uint8))
            self.succeed("filter", "in.png", "-f", "box:radius=1", "-o", "out.png", "-b", border)
            outside = float(border.split(":")[1]) if ":" in border else 0 if border == "zero" else 200 / 255
            wanted = (200 / 255 + 8 * outside) / 9
            self.assert_levels(load(self.path("out.png")), np.array([[wanted]]), 1, 255)


class Pipes(support.Case):
    def setUp(self):
        super().setUp()
        self.picture = u8(scene(40, 60, 3))
        save(self.path("in.png"), self.picture)

    def test_png_through_a_pipe(self):
        result = self.succeed("filter", "-", "-f", "box", "-o", "-", stdin=self.read("in.png"))
        self.assertEqual(result.err, "")
        self.write("out.png", result.out)
        self.assert_levels(load(self.path("out.png")), convolved(self.picture / 255, formulas.box()), 1, 255)

    def test_float_becomes_tiff(self):
        picture = scene(20, 30).astype(np.float32)
        save(self.path("in.tif"), picture)
        result = self.succeed("filter", "-", "-f", "identity", "-o", "-", stdin=self.read("in.tif"))
        self.write("out.tif", result.out)
        np.testing.assert_array_equal(load(self.path("out.tif")), picture)

    def test_every_format_from_a_pipe(self):
        for extension in ("jpg", "webp", "tif", "gif"):
            Image.fromarray(self.picture).save(self.path(f"in.{extension}"))
            result = self.succeed("filter", "-", "-f", "identity", "-o", "-",
                                  stdin=self.read(f"in.{extension}"))
            self.write("out.png", result.out)
            self.assertEqual(load(self.path("out.png")).shape[:2], (40, 60))

    def test_tiff_with_its_directory_at_the_end(self):
        """Most programs, including abbe, write the directory after the pixels."""
        save(self.path("large.png"), u16(scene(120, 150, 3)))
        self.succeed("filter", "large.png", "-f", "identity", "-o", "large.tif")
        result = self.succeed("filter", "-", "-f", "identity", "-o", "-", stdin=self.read("large.tif"))
        self.write("out.png", result.out)
        np.testing.assert_array_equal(load(self.path("out.png")), load(self.path("large.png")))

    def test_one_result_to_the_pipe_another_to_a_file(self):
        result = self.succeed("filter", "in.png", "-f", "box", "-o", "-", "-f", "box", "-o", "file.png")
        self.write("out.png", result.out)
        np.testing.assert_array_equal(load(self.path("out.png")), load(self.path("file.png")))

    def test_stats_go_to_standard_error(self):
        result = self.succeed("filter", "in.png", "-f", "box", "-o", "-", "--stats")
        self.assertEqual(result.out[:8], b"\x89PNG\r\n\x1a\n")
        self.assertIn("method", result.err)


class Lists(support.Case):
    def test_places(self):
        os.mkdir(self.path("out"))
        os.mkdir(self.path("more"))
        pictures = {"a.png": (30, 40), "b.c.png": (30, 40), "more/d.tif": (21, 33)}
        for name, shape in pictures.items():
            save(self.path(name), u8(scene(*shape, 3, seed=len(name))))
        self.succeed("filter", *pictures, "-f", "box", "-o", "out/{name}-soft.{ext}", "-f", "unsharp", "-o",
                     "out/{name}.png")
        wanted = ["a-soft.png", "a.png", "b.c-soft.png", "b.c.png", "d-soft.tif", "d.png"]
        self.assertEqual(sorted(os.listdir(self.path("out"))), wanted)
        for name, shape in pictures.items():
            stem, extension = os.path.splitext(os.path.basename(name))
            source = u8(scene(*shape, 3, seed=len(name))) / 255
            result = load(self.path("out", f"{stem}-soft{extension}"))
            self.assert_levels(result, convolved(source, formulas.box()), 1, 255)

    def test_many_shapes(self):
        """More shapes than plans that are kept, each twice and out of order."""
        shapes = [(5 + i, 9 + 2 * i) for i in range(11)]
        for i, shape in enumerate(shapes + shapes[::-1]):
            save(self.path(f"in{i}.png"), u8(scene(*shape)))
        inputs = [f"in{i}.png" for i in range(22)]
        self.succeed("filter", *inputs, "-f", "gaussian", "-o", "{name}-out.png")
        for i, shape in enumerate(shapes + shapes[::-1]):
            wanted = convolved(u8(scene(*shape)) / 255, formulas.gaussian())
            self.assert_levels(load(self.path(f"in{i}-out.png")), wanted, 1, 255)

    @unittest.skipIf(support.SANITIZED, "sanitizers take the address space")
    def test_many_large_shapes(self):
        """Plans are kept within a bound of bytes: pictures that fit memory one by one fit it in a batch."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (650 << 20, 650 << 20))
        names = [f"in{i}.png" for i in range(8)]  # each plan takes about 70 MB
        for i, name in enumerate(names):
            save(self.path(name), u8(scene(1, 1100 + 16 * i, 3)).repeat(1000 + 16 * i, 0))
        arguments = ("-f", "lowpass:cutoff=0.1", "-m", "fft", "-d", "cpu", "-t", "1")
        more = {"preexec_fn": limit, "env": environment(MALLOC_ARENA_MAX="2")}
        self.succeed("filter", names[-1], *arguments, "-o", "alone.tif[compression=none]", **more)
        self.succeed("filter", *names, *arguments, "-o", "{name}.tif[compression=none]", **more)
        self.assertEqual(self.read("in7.tif"), self.read("alone.tif"))

    def test_a_failing_file_does_not_stop_the_others(self):
        save(self.path("good.png"), u8(scene(20, 20)))
        save(self.path("also.png"), u8(scene(20, 20)))
        self.write("bad.png", "no picture at all\n")
        result = self.run_abbe("filter", "bad.png", "good.png", "missing.png", "also.png", "-f", "box", "-o",
                               "{name}-out.png")
        self.assertEqual(result.status, 1)
        lines = result.err.splitlines()
        self.assertEqual(len(lines), 2, lines)
        self.assertIn("bad.png", lines[0])
        self.assertIn("missing.png", lines[1])
        self.assert_only("good.png", "also.png", "bad.png", "good-out.png", "also-out.png")

    def test_two_inputs_of_one_name(self):
        os.mkdir(self.path("x"))
        for name in ("a.png", "x/a.png"):
            save(self.path(name), u8(scene(20, 20, seed=len(name))))
        self.refuse(1, "filter", "a.png", "x/a.png", "-f", "identity", "-o", "{name}-out.png",
                    says=("x/a.png", "would replace"))
        np.testing.assert_array_equal(load(self.path("a-out.png")), load(self.path("a.png")))

    def test_no_input_is_replaced_by_another_result(self):
        """Conflicts are found by file, however the names are spelled."""
        save(self.path("a.tif"), u8(scene(20, 20, seed=1)))
        save(self.path("a.png"), u8(scene(20, 20, seed=2)))
        before = self.read("a.png")
        for spelling in ("a.png", "./a.png", self.path("a.png")):
            result = self.run_abbe("filter", "a.tif", spelling, "-f", "box", "-o", "{name}.png")
            self.assertEqual(result.status, 1)
            self.assertIn("would replace", result.err)
            self.assertEqual(self.read("a.png"), before)

    def test_results_do_not_replace_each_other(self):
        for name in ("p.png", "p_edges.png"):
            save(self.path(name), u8(scene(20, 20)))
        self.refuse(1, "filter", "p.png", "p_edges.png", "-f", "identity", "-o", "o_{name}.png", "-f",
                    "sobel", "-o", "o_{name}_edges.png", says="would replace")
        for second in ("c.jpg[Q=50]", "./c.jpg"):
            self.refuse(1, "filter", "p.png", "-f", "box", "-o", "c.jpg", "-f", "sobel", "-o", second,
                        says="two of its results")

    def test_kernels_through_pipes(self):
        save(self.path("in.png"), u8(scene(20, 20)))
        rows = "1 2 1 " + " " * 600 + "\n2 4 2\n1 2 1\n"
        self.write("taps.txt", rows)
        self.succeed("filter", "in.png", "-f", "kernel:file=taps.txt", "-o", "file.png")
        self.succeed("filter", "in.png", "-f", "kernel:file=/dev/stdin", "-o", "pipe.png",
                     stdin=rows.encode())
        self.assertEqual(self.read("file.png"), self.read("pipe.png"))

    def test_names_that_look_like_options(self):
        save(self.path("-f.png"), u8(scene(20, 20)))
        self.succeed("filter", "-f", "box", "-o", "out.png", "--", "-f.png")

    def test_names_beyond_ascii(self):
        save(self.path("ß 日本 'x'.png"), u8(scene(20, 20)))
        self.succeed("filter", "ß 日本 'x'.png", "-f", "box", "-o", "{name}→.png")
        self.assert_only("ß 日本 'x'.png", "ß 日本 'x'→.png")


class Said(support.Case):
    def setUp(self):
        super().setUp()
        save(self.path("in.png"), u8(scene(60, 90, 3)))

    def stats(self, *options):
        return self.succeed("filter", "in.png", "-f", "gaussian:sigma=6", "-o", "out.png", "--stats",
                            *options).err

    def test_stats(self):
        whole = ["rows", "columns", "rows back"]
        # The planner chooses the number of tiles; a single tile has the passes of a whole picture.
        passes = {"direct": [["direct"]], "separable": [["separable"]], "fft": [whole],
                  "tiles": [whole, ["tiles"]]}
        for method, ways in passes.items():
            text = self.stats("--method", method, "--device", "cpu")
            for part in ("in.png", "90 x 60 x 3", "u8", "cpu", method, "reading", "writing"):
                self.assertIn(part, text)
            times = re.findall(r"^ *(.+?) +[0-9.]+ ms$", text, re.M)
            self.assertTrue(any(set(names) <= set(times) for names in ways), text)

    def test_stats_name_the_transform(self):
        width, height = map(int, re.search(r"transform (\d+) x (\d+)", self.stats("-m", "fft")).groups())
        self.assertTrue(90 <= width <= 256 and 60 <= height <= 256)

    def test_silence(self):
        for options in ((), ("--quiet",), ("-q", "--stats"), ("-qs",)):
            result = self.succeed("filter", "in.png", "-f", "box", "-o", "out.png", *options)
            self.assertEqual((result.out, result.err), (b"", ""), options)

    def test_quiet_still_tells_errors(self):
        self.refuse(1, "filter", "missing.png", "-f", "box", "-o", "out.png", "-q", says="missing.png")


if __name__ == "__main__":
    support.main()
