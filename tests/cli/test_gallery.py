"""docs/gallery.md: its commands run, and its pictures agree with the formulas of the filters."""

import functools
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import formulas
import support
from support import ABBE, HAS_EGL, ROOT, np

DOCS = os.path.join(ROOT, "docs")
FOLDER = tempfile.mkdtemp(prefix="abbe-test-")
unittest.addModuleCleanup(shutil.rmtree, FOLDER, ignore_errors=True)

with open(os.path.join(DOCS, "gallery.md"), encoding="utf-8") as page:
    PAGE = page.read()
COMMANDS = "".join(re.findall(r"^```sh\n(.*?)^```$", PAGE, re.S | re.M))
SHOWN = re.findall(r"\]\(gallery/(\w+)\.webp\)", PAGE)


@functools.lru_cache(maxsize=None)
def run_page():
    """Runs the commands of the page in a shell; returns exit status and output."""
    shell = f'set -eu\nabbe() {{ "{ABBE}" "$@"; }}\n{COMMANDS}'
    done = subprocess.run(["sh", "-c", shell], cwd=FOLDER, env=support.environment(), timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def picture(name, folder=FOLDER):
    """A picture as 0 … 1 from its upper eight bits, which Pillow reads fast."""
    return np.asarray(support.opened(os.path.join(folder, name)).convert("RGB")) / 255


@functools.lru_cache(maxsize=None)
def original(name):
    """A picture in its full depth, for filters that amplify."""
    return support.load(os.path.join(FOLDER, name + ".png")) / 65535


# ---- What the filters should have made ------------------------------------------------------------------

def reflected(samples, gains):
    """Applies gains to the even extension of the picture, as the border `reflect` does."""
    height, width = samples.shape[:2]
    even = np.concatenate([samples, samples[::-1]])
    even = np.concatenate([even, even[:, ::-1]], 1)
    return support.transferred(even, gains(*support.frequencies(2 * height, 2 * width)))[:height, :width]


def response(kernel, shape):
    """The gains of a kernel whose centre is in the middle."""
    taps = np.pad(kernel, [(0, n - side) for n, side in zip(shape, kernel.shape)])
    return np.fft.fft2(np.roll(taps, [-(side // 2) for side in kernel.shape], (0, 1)))


def sketched(samples):
    def gains(f, fx, fy):
        return (response(formulas.motion(31, 20), f.shape) * response(formulas.unsharp(6, 3), f.shape) *
                formulas.streak(fx, fy, 20, 60))
    return reflected(samples, gains)


def edges(samples):
    return np.hypot(*(support.convolved(samples, kernel) for kernel in formulas.gradient(1, 2, "both")))


WANTED = {
    "low": ("original", lambda samples: reflected(samples, lambda f, fx, fy: formulas.fall(f, 0.04))),
    "high": ("original", lambda samples:
             reflected(samples, lambda f, fx, fy: 1 - formulas.fall(f, 0.06)) + 0.5),
    "laplacian": ("original", lambda samples: support.convolved(samples, formulas.laplacian(8)) + 0.5),
    "sketch": ("original", sketched),
    "blur": ("copper", lambda samples: support.convolved(samples, formulas.box(6))),
    "sharp": ("copper", lambda samples: support.convolved(samples, formulas.unsharp(2, 2))),
    "edges": ("copper", edges),
}


def low_share(samples):
    """The fraction of the variance with periods of 33 pixels and more."""
    plane = samples.mean(2)
    power = np.abs(np.fft.fft2(plane - plane.mean())) ** 2
    return power[support.frequencies(*plane.shape)[0] < 0.03].sum() / power.sum()


def direction(samples):
    """The angle of strokes in degrees, and its strength, 0 to 1; the mean gradient is across the strokes."""
    down, right = np.gradient(samples.mean(2))
    mean = ((right - 1j * down) ** 2).mean()
    return (np.degrees(np.angle(mean)) / 2 + 90) % 180, abs(mean) / (right ** 2 + down ** 2).mean()


@unittest.skipUnless(HAS_EGL, "no libEGL.so.1")
class Gallery(unittest.TestCase):
    def setUp(self):
        status, said = run_page()
        self.assertEqual((status, said), (0, b""))

    def test_page_shows_what_it_makes(self):
        made = sorted(name for name in os.listdir(FOLDER) if name.endswith(".webp"))
        self.assertEqual(sorted(name + ".webp" for name in SHOWN), made)
        self.assertEqual(sorted(os.listdir(os.path.join(DOCS, "gallery"))), made)

    def test_kept_pictures_are_those(self):
        """Another driver or encoder may change edges."""
        for name in SHOWN:
            with self.subTest(name=name):
                folders = (os.path.join(DOCS, "gallery"), FOLDER)
                kept, made = (picture(name + ".webp", folder) for folder in folders)
                self.assertLess(np.abs(kept - made).mean(), 0.02)
                self.assertGreater(kept.std(), 0.05)

    def test_filters(self):
        for name, (source, function) in WANTED.items():
            with self.subTest(name=name):
                wanted = np.clip(function(original(source)), 0, 1)
                # The formula samples the taps of slanted motion; Pillow truncates, by one level at most.
                levels = 3 if name == "sketch" else 1
                self.assertLessEqual(np.abs(picture(name + ".png") * 255 - wanted * 65535 / 257).max(),
                                     levels)

    def test_sketch_is_of_motion(self):
        """Strokes around the pot follow the motion; the cloth has other lines."""
        before, after = (direction(picture(name + ".png")[:320]) for name in ("original", "sketch"))
        self.assertLess(abs(after[0] - 20), 5)
        self.assertLess(before[1], 0.6)
        self.assertGreater(after[1], 0.85)

    def test_spectrum(self):
        """The spectrum is brightest in the middle, and symmetric."""
        shown = picture("magnitudes.png")
        middle = shown[236:245, 236:245]
        self.assertGreater(middle.mean(), 3 * shown.mean())
        np.testing.assert_allclose(shown[1:, 1:], shown[:0:-1, :0:-1], atol=1.5 / 255)

    def test_textures(self):
        """Clouds have low frequencies. Veins roughly follow the filter; the silver has directions too."""
        silver, clouds, marble = (picture(name + ".png") for name in ("silver", "clouds", "marble"))
        self.assertLess(low_share(silver), 0.9)
        self.assertGreater(low_share(clouds), 0.95)
        self.assertLess(abs(direction(marble)[0] - 55), 15)
        self.assertLess(direction(silver)[1], 0.5)
        self.assertGreater(direction(marble)[1], 0.8)
        for texture in (clouds, marble):
            self.assertLess(np.abs(texture.mean((0, 1)) - silver.mean((0, 1))).max(), 0.1)
            # It tiles: differences across the seam are like those inside.
            for axis in (0, 1):
                steps = np.abs(texture - np.roll(texture, 1, axis)).mean(tuple({0, 1, 2} - {axis}))
                self.assertLess(steps[0], 2 * steps[1:].mean())


if __name__ == "__main__":
    support.main()
