"""abbe filter: every filter, border and method compared with SciPy and NumPy in double precision."""

import numpy as np

import formulas
import support
from support import BRIEF, SCIPY_BORDERS, convolved, frequencies, load, save, scene, transferred, u16, u8

LAPLACE = np.array([[0, 1, 0], [1, -4, 1], [0, 1, 0]], float)


def text_matrix(taps):
    return "\n".join(" ".join(repr(float(v)) for v in row) for row in taps) + "\n"


def filtered(samples, kernels, border="reflect", correlate=False):
    """The result of one kernel, or the magnitude of two."""
    planes = [convolved(samples, kernel, border, correlate) for kernel in kernels]
    return planes[0] if len(planes) == 1 else np.sqrt(sum(plane ** 2 for plane in planes))


class Bank(support.Case):
    """Runs many filters in one call, so that they share one forward transform."""

    def run_bank(self, source, texts, *options, extension="tif"):
        outputs = [f"out{i}.{extension}" for i in range(len(texts))]
        pairs = [part for text, output in zip(texts, outputs) for part in ("-f", text, "-o", output)]
        self.succeed("filter", source, *options, *pairs)
        return [load(self.path(output)) for output in outputs]


class Kernels(Bank):
    """Taps from text files; they have no symmetry that could hide a mistake."""

    def setUp(self):
        super().setUp()
        generator = np.random.default_rng(3)
        self.kernels = {"lopsided": np.array([[1, 2, 4], [0, 3, -1], [5, 0, -2]], float),
                        "even": generator.random((4, 2)), "wide": generator.random((1, 8)),
                        "mixed": generator.standard_normal((5, 4)), "large": generator.random((37, 51))}
        for name, taps in self.kernels.items():
            self.write(f"{name}.txt", text_matrix(taps))
        self.texts = [f"kernel:file={name}.txt:normalize=0" for name in self.kernels]

    def test_borders_and_methods(self):
        picture = scene(23, 31).astype(np.float32)
        save(self.path("in.tif"), picture)
        for border in SCIPY_BORDERS:
            for method in ("auto", "direct", "fft", "tiles"):
                results = self.run_bank("in.tif", self.texts, "--border", border, "--method", method)
                for (name, kernel), result in zip(self.kernels.items(), results):
                    with self.subTest(border=border, method=method, kernel=name):
                        self.assert_float(result, convolved(picture, kernel, border), picture, [kernel],
                                          method != "direct")

    def test_correlate(self):
        picture = scene(19, 26, 3).astype(np.float32)
        save(self.path("in.tif"), picture)
        for method in ("direct", "fft", "tiles"):
            results = self.run_bank("in.tif", self.texts, "--correlate", "-m", method, "-b", "clamp")
            for (name, kernel), result in zip(self.kernels.items(), results):
                with self.subTest(method=method, kernel=name):
                    self.assert_float(result, convolved(picture, kernel, "clamp", True), picture, [kernel],
                                      method != "direct")

    def test_normalize_is_the_default_and_spares_sums_of_zero(self):
        picture = scene(20, 20).astype(np.float32)
        save(self.path("in.tif"), picture)
        self.write("laplace.csv", "# second differences\n0, 1, 0\n1,-4, 1\n0, 1, 0\n")
        large, laplace = self.run_bank("in.tif", ["kernel:file=large.txt", "kernel:file=laplace.csv"])
        kernel = self.kernels["large"] / self.kernels["large"].sum()
        self.assert_float(large, convolved(picture, kernel), picture, [kernel], True)
        self.assert_float(laplace, convolved(picture, LAPLACE), picture, [LAPLACE], True)

    def test_double_precision_of_large_floats(self):
        """Detail of a few units on a level of 10⁷: every result is the nearest 32-bit float."""
        picture = (1e7 + np.random.default_rng(8).integers(0, 64, (40, 30))).astype(np.float32)
        save(self.path("in.tif"), picture)
        for method in ("direct", "separable", "fft", "tiles"):
            result, = self.run_bank("in.tif", ["box:radius=2"], "--precision", "double", "--method", method)
            exact = convolved(picture, np.full((5, 5), 1 / 25)).astype(np.float32)
            self.assertLessEqual(np.abs(result - exact).max(), 1, method)

    def test_vips_matrix(self):
        picture = scene(20, 30).astype(np.float32)
        save(self.path("in.tif"), picture)
        self.write("blur.mat", "3 2 8 0\n1 2 1\n1 2 1\n")
        blur, = self.run_bank("in.tif", ["kernel:file=blur.mat:normalize=0"])
        kernel = np.array([[1, 2, 1], [1, 2, 1]]) / 8
        self.assert_float(blur, convolved(picture, kernel), picture, [kernel], True)

    def test_scale_and_sign_are_kept(self):
        """The scale of a vips matrix takes the place of the sum; a negative sum keeps its sign."""
        picture = scene(20, 30).astype(np.float32)
        save(self.path("in.tif"), picture)
        self.write("double.mat", "3 1 2\n1 2 1\n")
        self.write("negative.txt", "-1 -2 -1\n")
        double, negative = self.run_bank("in.tif", ["kernel:file=double.mat", "kernel:file=negative.txt"])
        for result, kernel in ((double, np.array([[1, 2, 1]]) / 2), (negative, np.array([[-1, -2, -1]]) / 4)):
            self.assert_float(result, convolved(picture, kernel), picture, [kernel], True)

    def test_numbers_beyond_a_float_are_named(self):
        save(self.path("in.tif"), scene(8, 8).astype(np.float32))
        self.write("huge.txt", "1 2\n3 1e39\n")
        self.refuse(1, "filter", "in.tif", "-f", "kernel:file=huge.txt", "-o", "out.tif",
                    says="huge.txt: line 2, column 3: '1e39'")

    def test_faults_behind_a_kernel_are_reported(self):
        """What is wrong after a kernel file was read is reported, too."""
        save(self.path("in.tif"), scene(8, 8).astype(np.float32))
        self.write("good.txt", "1 2 1\n")
        self.refuse(2, "filter", "in.tif", "-f", "kernel:file=good.txt,gaussien", "-o", "out.tif",
                    says="gaussien")

    def test_kernel_from_a_picture(self):
        picture = scene(20, 30).astype(np.float32)
        save(self.path("in.tif"), picture)
        taps = u8(np.random.default_rng(5).random((5, 4)))
        save(self.path("grey.png"), taps)
        save(self.path("colour.png"), np.stack([taps, taps // 2, taps, np.full_like(taps, 9)], -1))
        grey, colour = self.run_bank("in.tif", ["kernel:file=grey.png", "kernel:file=colour.png"])
        kernel = taps / taps.sum()
        self.assert_float(grey, convolved(picture, kernel), picture, [kernel], True)
        mean = taps + (taps // 2).astype(float) + taps  # alpha is ignored
        kernel = mean / mean.sum()
        self.assert_float(colour, convolved(picture, kernel), picture, [kernel], True)


class Catalogue(Bank):
    """Named filters compared with their formulas."""

    def check(self, picture, table, options, tolerance, border="reflect"):
        source = save(self.path("in.tif"), picture)
        results = self.run_bank(source, list(table), "--border", border, *options)
        for (text, kernels), result in zip(table.items(), results):
            with self.subTest(filter=text, options=options, border=border):
                tolerance(result, filtered(picture, kernels, border), kernels)

    def test_float(self):
        picture = scene(40, 57, 3).astype(np.float32)
        for method in ("auto", "fft", "tiles", "direct"):
            self.check(picture, formulas.IN_SPACE, ("-m", method), lambda result, wanted, kernels:
                       self.assert_float(result, wanted, picture, kernels, method != "direct"))

    def test_separable(self):
        picture = scene(33, 50).astype(np.float32)
        names = [text for text in formulas.IN_SPACE if not text.startswith(("disk", "emboss"))]
        table = {text: formulas.IN_SPACE[text] for text in names}
        for border in SCIPY_BORDERS:
            self.check(picture, table, ("-m", "separable"), lambda result, wanted, kernels:
                       self.assert_float(result, wanted, picture, kernels, False), border)

    def test_slanted_motion(self):
        picture = u8(scene(40, 57, 3))
        save(self.path("in.png"), picture)
        results = self.run_bank("in.png", list(formulas.SAMPLED), extension="png")
        for (text, kernels), result in zip(formulas.SAMPLED.items(), results):
            with self.subTest(filter=text):
                self.assert_levels(result, filtered(picture / 255, kernels), 1, 255)

    def test_integers(self):
        offset = 0.25
        for convert, top, levels in ((u8, 255, 1), (u16, 65535, 2)):
            picture = convert(scene(37, 45, 3))
            for method in ("auto", "direct", "fft", "tiles"):
                save(self.path("in.png"), picture)
                results = self.run_bank("in.png", list(formulas.IN_SPACE), "-m", method, "--offset",
                                        str(offset))
                for (text, kernels), result in zip(formulas.IN_SPACE.items(), results):
                    with self.subTest(filter=text, method=method, top=top):
                        self.assertEqual(result.dtype, picture.dtype)
                        self.assert_levels(result, filtered(picture / top, kernels) + offset, levels, top)
                if BRIEF:
                    break


class Frequency(Bank):
    """Transfer functions compared with numpy.fft."""

    def test_wrap(self):
        for height, width in ((40, 64), (45, 33)):
            picture = scene(height, width, 3).astype(np.float32)
            save(self.path("in.tif"), picture)
            results = self.run_bank("in.tif", list(formulas.IN_FREQUENCY), "--border", "wrap")
            for (text, formula), result in zip(formulas.IN_FREQUENCY.items(), results):
                with self.subTest(filter=text, size=(width, height)):
                    gains = formula(*frequencies(height, width))
                    self.assert_transfer(result, transferred(picture, gains), picture, gains)

    def assert_transfer(self, result, wanted, picture, gains):
        error = np.linalg.norm(result - wanted) / (np.linalg.norm(picture) * np.abs(gains).max())
        self.assertLessEqual(error, 3e-7 * np.sqrt(np.log2(gains.size)))

    def test_reflect_is_the_even_extension(self):
        picture = scene(30, 41).astype(np.float32)
        save(self.path("in.tif"), picture)
        even = np.block([[picture, picture[:, ::-1]], [picture[::-1], picture[::-1, ::-1]]])
        texts = [text for text in formulas.IN_FREQUENCY if not text.startswith("power:exponent=0.5")]
        for text, result in zip(texts, self.run_bank("in.tif", texts)):
            with self.subTest(filter=text):
                gains = formulas.IN_FREQUENCY[text](*frequencies(60, 82))
                self.assert_transfer(result, transferred(even, gains)[:30, :41], even, gains)

    def test_half_at_the_cutoff(self):
        """A wave at the cut-off keeps half of its amplitude, also in 8 bits."""
        x = np.arange(64)
        wave = 0.4 * np.cos(2 * np.pi * x / 16)
        save(self.path("in.png"), u8(0.5 + np.tile(wave, (32, 1))))
        for shape in ("butterworth", "gaussian"):
            self.succeed("filter", "in.png", "-b", "wrap", "-f", f"lowpass:cutoff=16px:shape={shape}", "-o",
                         "low.png", "-f", f"highpass:cutoff=16px:shape={shape}", "-o", "high.tif")
            self.assert_levels(load(self.path("low.png")), 0.5 + np.tile(wave / 2, (32, 1)), 1, 255)

    def test_kernel_and_transfer_in_one_chain(self):
        picture = scene(32, 48).astype(np.float32)
        save(self.path("in.tif"), picture)
        result, = self.run_bank("in.tif", ["lowpass,unsharp"], "-b", "wrap")
        gains = formulas.fall(frequencies(32, 48)[0], 0.125)
        wanted = convolved(transferred(picture, gains), formulas.unsharp(), "wrap")
        self.assert_float(result, wanted, picture, [formulas.unsharp()], True)

    def test_mask(self):
        picture = scene(24, 36, 3).astype(np.float32)
        save(self.path("in.tif"), picture)
        painted = u8(np.random.default_rng(8).random((24, 36)))
        save(self.path("mask.png"), painted)
        self.write("mask.txt", text_matrix(painted / 255))
        gains = formulas.mask(*frequencies(24, 36)[1:], painted / 255)
        for result in self.run_bank("in.tif", ["mask:file=mask.png", "mask:file=mask.txt"], "-b", "wrap"):
            self.assert_transfer(result, transferred(picture, gains), picture, gains)


    def test_transparent_paint(self):
        """Black paint on a transparent layer, as editors export it: transparent is 1 in a mask, 0 in a kernel."""
        picture = scene(24, 36, 3).astype(np.float32)
        save(self.path("in.tif"), picture)
        generator = np.random.default_rng(9)
        for channels, name in ((2, "paint.png"), (4, "my, paint.png")):
            paint = u8(generator.random((24, 36, channels)))
            paint[2:5, 3:, -1], paint[6, :, -1] = 0, 255
            save(self.path(name), paint)
            grey, alpha = paint[..., :-1].mean(2) / 255, paint[..., -1] / 255
            taps = grey * alpha
            flat = {"mask": taps + 1 - alpha, "kernel": taps / taps.sum()}
            both = f'kernel:file="{name}",identity,mask:file="{name}"'
            texts = [f'mask:file="{name}"', f'kernel:file="{name}"', both, f'mask file "{name}"',
                     f'kernel file "{name}" then mask file "{name}"']
            gains = formulas.mask(*frequencies(24, 36)[1:], flat["mask"])
            masked, blurred = transferred(picture, gains), convolved(picture, flat["kernel"], "wrap")
            wanted = [masked, blurred, transferred(blurred, gains), masked, transferred(blurred, gains)]
            for text, result, right in zip(texts, self.run_bank("in.tif", texts, "-b", "wrap"), wanted):
                with self.subTest(text=text):
                    np.testing.assert_allclose(result, right, atol=2e-6)


class Light(Bank):
    def test_linear(self):
        for convert, top, levels in ((u8, 255, 1), (u16, 65535, 4)):
            picture = convert(scene(30, 40, 3))
            save(self.path("in.png"), picture)
            for method in ("direct", "fft"):
                result, = self.run_bank("in.png", ["box"], "--linear", "-m", method, extension="png")
                light = convolved(support.decode_light(picture / top), formulas.box())
                self.assert_levels(result, support.encode_light(light), levels, top)

    def test_linear_leaves_alpha_alone(self):
        picture = u8(scene(30, 40, 4))
        save(self.path("in.png"), picture)
        result, = self.run_bank("in.png", ["box"], "--linear", "--straight-alpha", extension="png")
        self.assert_levels(result[..., 3], convolved(picture[..., 3] / 255, formulas.box()), 1, 255)
        light = convolved(support.decode_light(picture[..., :3] / 255), formulas.box())
        self.assert_levels(result[..., :3], support.encode_light(light), 1, 255)


class Alpha(Bank):
    def premultiplied(self, picture, kernel):
        alpha = picture[..., 3:]
        colour = convolved(picture[..., :3] * alpha, kernel)
        return np.concatenate([colour / convolved(alpha, kernel), convolved(alpha, kernel)], -1)

    def test_premultiplied_by_default(self):
        for convert, top in ((u8, 255), (u16, 65535)):
            picture = convert(scene(30, 40, 4))
            save(self.path("in.png"), picture)
            for method in ("direct", "fft", "tiles"):
                result, = self.run_bank("in.png", ["disk"], "-m", method, extension="png")
                wanted = self.premultiplied(picture / top, formulas.disk())
                self.assert_levels(result, wanted, top // 255, top)

    def test_straight(self):
        picture = u8(scene(30, 40, 4))
        save(self.path("in.png"), picture)
        result, = self.run_bank("in.png", ["disk"], "--straight-alpha", extension="png")
        self.assert_levels(result, convolved(picture / 255, formulas.disk()), 1, 255)

    def test_grey_with_alpha(self):
        picture = u8(scene(30, 40, 2))
        save(self.path("in.png"), picture)
        result, = self.run_bank("in.png", ["box"], extension="png")
        grey, alpha = picture[..., 0] / 255, picture[..., 1] / 255
        wanted = convolved(grey * alpha, formulas.box()) / convolved(alpha, formulas.box())
        self.assert_levels(result[..., 0], wanted, 1, 255)

    def test_sprite_has_no_fringe(self):
        """A red disc on transparent green: after a blur no visible pixel is green."""
        y, x = np.mgrid[0:48, 0:48]
        inside = np.hypot(x - 24, y - 24) < 14
        sprite = np.where(inside[..., None], (200, 30, 40, 255), (0, 255, 0, 0)).astype(np.uint8)
        save(self.path("sprite.png"), sprite)
        for method in ("direct", "separable", "fft", "tiles"):
            result, = self.run_bank("sprite.png", ["gaussian:sigma=3"], "-m", method, extension="png")
            seen = result[..., 3] > 0
            self.assertGreater(seen.sum(), 1.5 * inside.sum())
            worst = np.abs(result[seen][:, :3].astype(int) - (200, 30, 40)).max()
            self.assertLessEqual(worst, 1, method)
            self.assert_levels(result[..., 3], convolved(inside.astype(float), formulas.gaussian(3)), 1, 255)

    def test_offset_spares_alpha(self):
        picture = u8(scene(30, 40, 4))
        save(self.path("in.png"), picture)
        result, = self.run_bank("in.png", ["laplacian"], "--straight-alpha", "--offset=0.5", extension="png")
        self.assert_levels(result[..., :3], convolved(picture[..., :3] / 255, LAPLACE) + 0.5, 1, 255)
        self.assert_levels(result[..., 3], convolved(picture[..., 3] / 255, LAPLACE), 1, 255)


if __name__ == "__main__":
    support.main()
