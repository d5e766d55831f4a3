"""abbe scene: the drawing compared with geometry computed here, how it is stored and filtered."""

import functools
import os
import re
import shutil
import tempfile
import unittest

import formulas
import support
from support import HAS_EGL, ROOT, abbe, environment, load, np

W, H = 192, 144
FOLDER = tempfile.mkdtemp(prefix="abbe-test-")
unittest.addModuleCleanup(shutil.rmtree, FOLDER, ignore_errors=True)


@functools.lru_cache(maxsize=None)
def light(*options, size=(W, H), samples=4):
    """The scene as floats: (height, width, 3), linear."""
    path = os.path.join(FOLDER, "scene.tif")
    result = abbe("scene", "-o", path, "--size", f"{size[0]}x{size[1]}",
                  *map(str, ("--samples", samples, *options)))
    assert result.status == 0 and not result.err, result
    picture = load(path).astype(float)
    assert np.isfinite(picture).all() and ("-f" in options or picture.min() >= 0), options
    return picture


def luminance(picture):
    return picture @ [0.2126, 0.7152, 0.0722]


def tone(x):
    shown = np.where(x <= 0.6, x, 0.6 + 0.4 * (1 - np.exp((0.6 - np.maximum(x, 0.6)) / 0.4)))
    return support.encode_light(np.maximum(shown, 0))


# ---- Where the teapot is, by Bézier's formula and the camera of the manual ------------------------------

def rows_of(name):
    """A table of numbers in scene/teapot.c, which test_teapot.c compares with the published ones."""
    with open(os.path.join(ROOT, "scene", "teapot.c"), encoding="utf-8") as file:
        table = re.search(rf" {name}\[\] = \{{(.*?)\n\}};", file.read(), re.S).group(1)
    return [[float(number) for number in row.split(",")] for row in re.findall(r"\{([^{}]*)\}", table)]


def control_points():
    patches = []
    for name in ("body", "lid"):
        rows = [[(r, 0, z), (r, -q, z), (q, -r, z), (0, -r, z)] for r, q, z in rows_of(name)]
        for first in range(0, len(rows) - 1, 3):
            patch = np.array(rows[first:first + 4], float)
            for _ in range(4):
                patches.append(patch)
                patch = np.stack([-patch[..., 1], patch[..., 0], patch[..., 2]], -1)
    for name in ("handle", "spout"):
        rows = [[(x0, 0, z0), (x0, -w, z0), (x1, -w, z1), (x1, 0, z1)] for x0, z0, x1, z1, w in rows_of(name)]
        for first in range(0, len(rows) - 1, 3):
            patch = np.array(rows[first:first + 4], float)
            patches += [patch, patch * [1, -1, 1]]
    return patches


@functools.lru_cache(maxsize=None)
def surface_points():
    t = np.linspace(0, 1, 161)
    basis = np.stack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t ** 2 * (1 - t), t ** 3], 1)
    return np.concatenate([np.einsum("ui,vj,ijk->uvk", basis, basis, patch).reshape(-1, 3)
                           for patch in control_points()])


def project(points, angle, elevation, zoom=1, size=(W, H)):
    """Pixel coordinates, from the left and from the top, of points in the space of the teapot."""
    a, e, (width, height) = np.radians(angle), np.radians(elevation), size
    x, y, z = points.T
    x, y = x * np.cos(a) - y * np.sin(a), x * np.sin(a) + y * np.cos(a)
    distance = 15 + y * np.cos(e) - (z - 1.3) * np.sin(e)
    up = y * np.sin(e) + (z - 1.3) * np.cos(e)
    half_height = max(3, 4 * np.sin(e), 4 * height / width) / zoom / 15
    scale = height / 2 / half_height
    return width / 2 + scale * x / distance, height / 2 - scale * up / distance


def expected_mask(angle, elevation, **more):
    """Pixels that contain a point of the surface; points are closer than pixels."""
    size = more.get("size", (W, H))
    x, y = project(surface_points(), angle, elevation, **more)
    mask = np.zeros((size[1], size[0]), bool)
    mask[np.floor(y).astype(int), np.floor(x).astype(int)] = True
    return mask


def mask_of(angle, elevation):
    """Pixels that the material changes (the ground does not mirror the pot), and dark ones inside it."""
    where = ("--angle", angle, "--elevation", elevation)
    clay, copper = light("--material", "clay", *where), light("--material", "copper", *where)
    return (np.abs(clay - copper).max(2) > 0) | (clay.max(2) < 1e-3)


def overlap(one, other):
    return (one & other).sum() / (one | other).sum()


@unittest.skipUnless(HAS_EGL, "no libEGL.so.1")
class Picture(support.Case):
    def test_silhouette(self):
        for angle, elevation in ((0, 0), (-30, 20), (-90, 20), (130, 75)):
            with self.subTest(angle=angle, elevation=elevation):
                got, wanted = mask_of(angle, elevation), expected_mask(angle, elevation)
                self.assertGreater(wanted.mean(), 0.1)
                # Samples are up to a pixel off the middle, and may miss what covers little of a pixel.
                square = np.ones((3, 3))
                inner = support.scipy.ndimage.binary_erosion(wanted, square)
                outer = support.scipy.ndimage.binary_dilation(wanted, square)
                self.assertEqual(((inner & ~got).sum(), (got & ~outer).sum()), (0, 0))
                self.assertGreater(overlap(got, wanted), 0.95)

    def test_extent(self):
        """The edge of the handle, the tip of the spout and the top of the knob, from the side."""
        mask = mask_of(0, 0)
        columns, rows = np.where(mask.any(0))[0], np.where(mask.any(1))[0]
        scale = W / 2 / 4
        self.assertLessEqual(abs(columns[0] - (W / 2 - 3 * scale)), 1.5)
        self.assertLessEqual(abs(columns[-1] + 1 - (W / 2 + 3.43408 * scale)), 1.5)
        self.assertLessEqual(abs(rows[0] - (H / 2 - (3.15 - 1.3) * scale)), 1.5)

    def test_symmetry(self):
        """Along its plane of symmetry the pot is its own mirror image; elsewhere that of another angle."""
        front = mask_of(-90, 20)
        self.assertGreater(overlap(front, front[:, ::-1]), 0.98)
        self.assertGreater(overlap(mask_of(-30, 20), mask_of(210, 20)[:, ::-1]), 0.98)
        self.assertLess(overlap(mask_of(-30, 20), mask_of(-30, 20)[:, ::-1]), 0.9)

    def test_turning_round(self):
        np.testing.assert_allclose(light("--angle", 270), light("--angle", -90), atol=2e-3)

    def test_lights_are_brighter_than_white(self):
        for material, least in (("ceramic", 1.5), ("porcelain", 1.5), ("copper", 10), ("silver", 20)):
            with self.subTest(material=material):
                picture = light("--material", material)
                self.assertGreater(picture.max(), least)
                self.assertLess((luminance(picture) > 1).mean(), 0.05)
        clay = light("--material", "clay")
        self.assertLess(clay[mask_of(-30, 20)].max(), 1.5)

    def test_materials_differ(self):
        materials = ("ceramic", "porcelain", "clay", "copper", "silver", "iron")
        pictures = [light("--material", name) for name in materials]
        for i, one in enumerate(pictures):
            for other in pictures[:i]:
                self.assertGreater(np.abs(one - other)[mask_of(-30, 20)].mean(), 0.02)
        red, green, blue = pictures[0][mask_of(-30, 20)].mean(0)
        self.assertGreater(red, 3 * max(green, blue))

    def test_shadow(self):
        """The window is on the left, so the place right of a symmetric pot is darker, with soft edges."""
        picture = luminance(light("--angle", -90, "--elevation", 60, samples=16))
        x, y = project(np.array([[0.0, 3.4, 0], [0.0, -3.4, 0]]), -90, 60)
        boxes = [picture[int(v) - 9:int(v) + 10, int(u) - 9:int(u) + 10] for u, v in zip(x, y)]
        self.assertLess(boxes[0].mean(), 0.75 * boxes[1].mean())

    def test_cloth(self):
        """The checks, seen from straight above: 0.62 long, on the ground 16.3 away."""
        size = (320, 320)
        picture = luminance(light("--elevation", 90, "--angle", 0, size=size))
        strip = picture[-40:]
        spectrum = np.abs(np.fft.rfft((strip - strip.mean()) * np.hanning(size[0]), axis=1)).mean(0)
        period = 0.62 * size[0] / 2 / (4 / 15 * 16.3)
        self.assertLessEqual(abs(4 + np.argmax(spectrum[4:]) - size[0] / period), 1)

    def test_fine_frequencies(self):
        """The weave of the cloth is finer than half of Nyquist; a low pass removes it."""
        def fine(picture):
            near = luminance(picture)[-80:]
            window = np.hanning(near.shape[0])[:, None] * np.hanning(near.shape[1])
            power = np.abs(np.fft.fft2((near - near.mean()) * window)) ** 2
            radius, _, _ = support.frequencies(*near.shape)
            return power[radius > 0.25].sum() / power.sum()
        size = (512, 512)
        before, after = light(size=size), light("-f", "lowpass:cutoff=0.2:order=4", size=size)
        self.assertGreater(fine(before), 0.004)
        self.assertLess(fine(after), 0.05 * fine(before))

    def test_samples_converge(self):
        best = tone(light(samples=48))
        errors = [np.sqrt(((tone(light(samples=n)) - best) ** 2).mean()) for n in (1, 4, 16)]
        self.assertLess(errors[1], 0.7 * errors[0])
        self.assertLess(errors[2], 0.7 * errors[1])

    def test_zoom(self):
        x, y = project(surface_points(), 0, 20, zoom=0.5)
        clay, copper = (light("--zoom", 0.5, "--angle", 0, "--material", name) for name in ("clay", "copper"))
        columns = np.where((np.abs(clay - copper).max(2) > 0).any(0))[0]
        self.assertLessEqual(abs(columns[0] - x.min()), 1.5)
        self.assertLessEqual(abs(columns[-1] + 1 - x.max()), 1.5)

    def test_shapes(self):
        for size in ((1, 1), (1, 40), (90, 1), (33, 17)):
            self.assertEqual(light(size=size, samples=1).shape, (size[1], size[0], 3))


@unittest.skipUnless(HAS_EGL, "no libEGL.so.1")
class Storing(support.Case):
    SMALL = ("--size", "96x64", "--samples", "4", "--material", "copper")

    def scene(self, name, *options):
        self.succeed("scene", "-o", name, *self.SMALL, *options)
        return load(self.path(name))

    def test_tone(self):
        wanted = tone(self.scene("light.tif").astype(float))
        self.assert_levels(self.scene("shown.png"), wanted, 1, 65535)
        jpeg = self.scene("shown.jpg").astype(float) / 255
        self.assertLess(np.abs(jpeg - wanted).mean(), 0.02)

    def test_floats(self):
        picture = self.scene("light.tif")
        self.assertEqual((picture.dtype, picture.shape), (np.float32, (64, 96, 3)))
        self.assertGreater(picture.max(), 10)
        self.succeed("scene", "-o", "light.hdr", *self.SMALL)
        self.assertTrue(self.read("light.hdr").startswith(b"#?RADIANCE"))

    def test_standard_output(self):
        self.scene("shown.png")
        result = self.succeed("scene", "-o", "-", *self.SMALL)
        self.assertEqual(result.out, self.read("shown.png"))

    def test_same_again(self):
        self.scene("a.tif")
        self.scene("b.tif")
        self.assertEqual(self.read("a.tif"), self.read("b.tif"))

    def test_filter(self):
        plain = self.scene("plain.tif")
        disk = formulas.disk(4)
        for border in ("reflect", "clamp", "wrap"):
            got = self.scene("soft.tif", "-f", "disk:radius=4", "--border", border, "--device", "cpu")
            self.assert_float(got, support.convolved(plain, disk, border), plain, [disk], True)

    def test_filter_on_the_card(self):
        """The device gl in the context of the scene; a software driver could not open it in another.
        A kernel without symmetry shows which way is up."""
        plain = self.scene("plain.tif")
        corner = np.zeros((7, 7))
        corner[0, 1], corner[1, 3], corner[3, 3] = 0.5, 0.25, 0.25
        self.write("corner.txt", "\n".join(" ".join(map(str, row)) for row in corner).encode())
        for device in ("gl", "gl:fialka", "gl:moreland"):
            with self.subTest(device=device):
                got = self.scene("moved.tif", "-f", "kernel:file=corner.txt", "--border", "wrap", "--device",
                                 device)
                self.assert_float(got, support.convolved(plain, corner, "wrap"), plain, [corner], True)
        self.assertEqual(self.scene("same.tif", "--device", "gl").tolist(), plain.tolist())

    def test_offset(self):
        plain = self.scene("plain.tif")
        np.testing.assert_allclose(self.scene("more.tif", "--offset", "0.25"), plain + np.float32(0.25),
                                   rtol=1e-6)
        high = self.scene("high.tif", "-f", "highpass", "--offset", "0.2")
        self.assertLess(abs(high.mean() - 0.2), 1e-3)


class Wrong(support.Case):
    def refused(self, status, options, *says, **more):
        self.refuse(status, "scene", *options.split(), says=says, **more)
        self.assert_only()

    def test_usage(self):
        for status, options, *says in (
                (2, "", "-o OUT"),
                (2, "in.png -o out.png", "'in.png'"),
                (2, "-o out.png --size 0x10", "0x10"),
                (2, "-o out.png --size 640", "640"),
                (2, "-o out.png --angle left", "left", "number"),
                (2, "-o out.png --angle 361", "361", "360"),
                (2, "-o out.png --elevation -1", "-1", "90"),
                (2, "-o out.png --elevation 91", "91"),
                (2, "-o out.png --zoom 0", "--zoom", "0.1"),
                (2, "-o out.png --samples 0", "--samples"),
                (2, "-o out.png --samples 1025", "1025"),
                (2, "-o out.png --samples 2.5", "2.5"),
                (2, "-o out.png --material cooper", "cooper", "copper"),
                (2, "-o out.png --material x", "ceramic, porcelain"),
                (2, "-o out.png -f gausian", "gausian", "gaussian"),
                (2, "-o out.png -f box -f box", "two"),
                (2, "-o out.png --offset some", "some"),
                (2, "-o out.png --border mirrored", "mirror"),
                (1, "-o out.png --size 4000x4000 --max-pixels 1000000", "--max-pixels"),
                (1, "-o out.xyz", "out.xyz"),
                (1, "-o none/out.png", "none"),
                (1, "-o out.png --device abacus", "abacus"),
                (1, "-o out.png -f kernel:file=none.txt", "none.txt")):
            with self.subTest(options=options):
                self.refused(status, options, *says)

    @unittest.skipUnless(HAS_EGL, "no libEGL.so.1")
    def test_too_large(self):
        self.refused(1, "-o out.png --size 200000x2", "200000 x 2", "draws")

    def test_without_egl(self):
        """A file that is not a library in the search path of the library."""
        folder = tempfile.mkdtemp(dir=FOLDER)
        open(os.path.join(folder, "libEGL.so.1"), "w").close()
        self.refused(1, "-o out.png", "libEGL.so.1", "libegl1", env=environment(LD_LIBRARY_PATH=folder))

    @unittest.skipUnless(HAS_EGL, "no libEGL.so.1")
    def test_without_driver(self):
        self.refused(1, "-o out.png", "no driver", "OpenGL ES 3.0",
                     env=environment(__EGL_VENDOR_LIBRARY_FILENAMES="/dev/null/none"))


if __name__ == "__main__":
    support.main()
