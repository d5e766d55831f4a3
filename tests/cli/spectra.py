"""Helpers for the tests of abbe transform, spectrum and texture."""

import os

import support
from support import load, np, tifffile

SIZES = [(1, 1), (1, 7), (8, 1), (2, 2), (8, 6), (7, 5), (9, 8), (6, 11), (31, 37), (64, 48)]


def plain(name):
    """Asks for a TIFF that tifffile reads without its optional codecs."""
    return name + "[compression=none]" if name.endswith(".tif") else name


def random(shape, seed=0):
    return np.random.default_rng(seed).random(shape)


def write_tiff(path, pixels, description=None, alpha=False):
    channels = pixels.shape[2] if pixels.ndim == 3 else 1
    extra = {"extrasamples": ["unassalpha"]} if alpha else {}
    tifffile.imwrite(path, pixels, photometric="rgb" if channels > 2 else "minisblack",
                     planarconfig="contig" if channels > 1 else None, description=description,
                     metadata=None, **extra)


class Case(support.Case):
    def done(self, *arguments, given=b""):
        result = self.succeed(*map(str, arguments), stdin=given)
        self.assertEqual(result.err, "")
        return result

    def refused(self, status, saying, *arguments, output=None):
        """Expects one line that contains `saying`, that exit status, and no output."""
        self.refuse(status, *map(str, arguments), says=saying)
        if output:
            self.assertFalse(os.path.exists(self.path(output)))

    def values(self, name):
        """The samples of a picture as 0 … 1."""
        samples = load(self.path(name))
        return samples.astype(float) / {"uint8": 255, "uint16": 65535}.get(samples.dtype.name, 1)

    def check_help(self, command):
        for option in ("--help", "-h"):
            text = self.done(command, option).out.decode()
            self.assertIn(f"usage: abbe {command}", text)
            self.assertIn("--output", text)
            self.assertGreaterEqual(text.count(f"  abbe {command} "), 2)
