"""Helpers for the tests of the command: running it, making and reading pictures, references."""

import ctypes
import io
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

try:
    import numpy as np
    import scipy.ndimage
    import tifffile
    from PIL import Image
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ABBE = os.path.abspath(os.environ.get("ABBE", os.path.join(ROOT, "build/release/tools/abbe/abbe")))
BRIEF = os.environ.get("ABBE_TEST_EFFORT") == "brief"

# A sanitized program is slower and larger, so its times and memory are not tested.
SANITIZED = os.path.exists(ABBE) and b"__asan_init" in open(ABBE, "rb").read()


def has_egl():
    try:
        ctypes.CDLL("libEGL.so.1")
        return True
    except OSError:
        return False


HAS_EGL = has_egl()


def has_unnamed_files(folder):
    """Whether the file system has files without a name (O_TMPFILE)."""
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_RDWR))
        return True
    except OSError:
        return False


# ---- Running the command -------------------------------------------------------------------------------

class Result:
    """The result of a run: exit status (negative for a signal), standard output, standard error."""

    def __init__(self, status, out, err):
        self.status, self.out, self.raw_err = status, out, err
        self.err = err.decode("utf-8", "replace")

    def __repr__(self):
        return f"status {self.status}, stderr {self.err!r}"


def environment(**changes):
    """The environment without variables that colour or translate messages."""
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "LC_ALL", "LANG", "TERM")}
    return {**kept, "LC_ALL": "C.UTF-8", **changes}


def abbe(*arguments, stdin=b"", cwd=None, env=None, timeout=120, **more):
    done = subprocess.run([ABBE, *map(os.fspath, arguments)], input=stdin, cwd=cwd, env=env or environment(),
                          timeout=timeout, stderr=subprocess.PIPE, **{"stdout": subprocess.PIPE, **more})
    return Result(done.returncode, done.stdout, done.stderr)


class Case(unittest.TestCase):
    """A test with a temporary folder in which the command runs."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="abbe-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, content):
        """Writes a file of bytes or text and returns its path."""
        data = content if isinstance(content, bytes) else content.encode()
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run_abbe(self, *arguments, **more):
        return abbe(*arguments, **{"cwd": self.folder, **more})

    def succeed(self, *arguments, **more):
        result = self.run_abbe(*arguments, **more)
        self.assertEqual(result.status, 0, result)
        return result

    def refuse(self, status, *arguments, says=(), **more):
        """Expects a failure with one clean line on standard error that contains every text of `says`."""
        result = self.run_abbe(*arguments, **more)
        self.assertEqual(result.status, status, result)
        self.assert_one_line(result)
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, result.err)
        return result

    def assert_one_line(self, result):
        self.assertTrue(result.err.startswith("abbe: "), result)
        self.assertTrue(result.err.endswith("\n") and result.err.count("\n") == 1, result)
        self.assertFalse([b for b in result.raw_err[:-1] if b < 32 or b == 127], result)

    def assert_only(self, *names):
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(names))

    def assert_levels(self, got, wanted, levels, top):
        """Compares stored integers with a reference in 0 … 1, saturated and rounded like the command."""
        wanted = np.rint(np.clip(wanted, 0, 1) * top)
        self.assertEqual(got.shape, wanted.shape)
        self.assertLessEqual(np.abs(got.astype(float) - wanted).max(), levels)

    def assert_float(self, got, wanted, source, kernels, fourier):
        """Checks ‖out − ref‖ ≤ ε ‖in‖ max|H|; ε depends on the family of the method (docs/maths.md)."""
        self.assertEqual(got.dtype, np.float32)
        self.assertEqual(got.shape, wanted.shape)
        height, width = source.shape[:2]
        taps = sum(k.size for k in kernels)
        grid = (height + max(k.shape[0] for k in kernels)) * (width + max(k.shape[1] for k in kernels))
        epsilon = 3e-7 * np.sqrt(np.log2(grid)) if fourier else 2e-7 * np.sqrt(taps)
        gain = np.sqrt(sum(largest_gain(k) ** 2 for k in kernels))
        error = np.linalg.norm(got - wanted) / (np.linalg.norm(source) * gain)
        self.assertLessEqual(error, epsilon)


def main():
    if not os.access(ABBE, os.X_OK):
        sys.exit(f"{ABBE}: no such program; build it, or name it in ABBE")
    unittest.main()


# ---- Making pictures -----------------------------------------------------------------------------------

def scene(height, width, channels=None, seed=1):
    """Soft shapes, an edge and noise in 0.05 … 0.95, so that borders and directions differ."""
    generator = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width].astype(float)
    planes = []
    for c in range(channels or 1):
        waves = 0.5 + 0.2 * np.sin(0.31 * x + 0.9 * c) * np.cos(0.17 * y - 0.4 * c) + 0.1 * (x > 0.6 * width)
        planes.append(np.clip(waves + 0.15 * generator.standard_normal((height, width)), 0.05, 0.95))
    return np.stack(planes, -1) if channels else planes[0]


def u8(values):
    return np.rint(np.clip(values, 0, 1) * 255).astype(np.uint8)


def u16(values):
    return np.rint(np.clip(values, 0, 1) * 65535).astype(np.uint16)


def png_chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_header(width, height, depth, colour, interlace=0):
    return b"\x89PNG\r\n\x1a\n" + png_chunk(
        b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace))


def png_bytes(samples, chunks=b""):
    """A PNG of 8- or 16-bit samples; Pillow has no 16-bit colour. `chunks` are inserted before the pixels."""
    height, width = samples.shape[:2]
    channels = samples.shape[2] if samples.ndim == 3 else 1
    rows = samples.astype(samples.dtype.newbyteorder(">")).reshape(height, -1)
    raw = b"".join(b"\0" + row.tobytes() for row in rows)
    return (png_header(width, height, 8 * samples.itemsize, {1: 0, 2: 4, 3: 2, 4: 6}[channels]) + chunks +
            png_chunk(b"IDAT", zlib.compress(raw, 1)) + png_chunk(b"IEND", b""))


def save(path, samples, **more):
    """Stores samples in the format of the extension."""
    if path.endswith(".png"):
        with open(path, "wb") as file:
            file.write(png_bytes(samples))
    elif path.endswith((".tif", ".tiff")):
        colours = samples.ndim == 3 and samples.shape[2] in (3, 4)
        extra = ["unassalpha"] if samples.ndim == 3 and samples.shape[2] in (2, 4) else None
        tifffile.imwrite(path, samples, photometric="rgb" if colours else "minisblack", extrasamples=extra,
                         planarconfig="contig" if colours or extra else None, metadata=None, **more)
    else:
        Image.fromarray(samples).save(path, **more)
    return path


# ---- Reading pictures ----------------------------------------------------------------------------------

def unfilter_png(raw, height, stride, step):
    """Reverses the five predictors of PNG, row by row."""
    rows = np.zeros((height + 1, stride), np.uint8)
    for y in range(height):
        kind, line = raw[y * (stride + 1)], raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)]
        above, row = rows[y].tolist(), [0] * stride
        for i, value in enumerate(line):
            left, up = row[i - step] if i >= step else 0, above[i]
            corner = above[i - step] if i >= step else 0
            guess = left + up - corner
            nearest = min((left, up, corner), key=lambda neighbour: abs(guess - neighbour))
            row[i] = (value + (0, left, up, (left + up) // 2, nearest)[kind]) & 255
        rows[y + 1] = row
    return rows[1:]


def load_png(data):
    """Samples of a PNG in their depth; Pillow would reduce 16-bit colour to 8 bits."""
    width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", data[16:29])
    if depth != 16 or colour == 0:
        samples = np.asarray(Image.open(io.BytesIO(data)))
        return samples.astype(np.uint16) if depth == 16 else samples
    assert not interlace
    at, compressed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        compressed += data[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += length + 12
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[colour]
    rows = unfilter_png(zlib.decompress(compressed), height, width * channels * 2, channels * 2)
    return rows.reshape(-1).view(">u2").astype(np.uint16).reshape(height, width, channels)


def load_float_tiff(page):
    """Reverses the predictor of floats, for which tifffile needs another package: the bytes of a row are
    sorted by significance, and each is the difference to the previous pixel."""
    rows = []
    for offset, count in zip(page.dataoffsets, page.databytecounts):
        page.parent.filehandle.seek(offset)
        strip = np.frombuffer(zlib.decompress(page.parent.filehandle.read(count)), np.uint8)
        deltas = strip.reshape(-1, 4 * page.imagewidth, page.samplesperpixel)
        planes = np.cumsum(deltas, 1, np.uint8).reshape(len(deltas), 4, -1)
        rows.append(planes.transpose(0, 2, 1).copy().view(">f4")[..., 0])
    return np.concatenate(rows).astype(np.float32).reshape(page.imagelength, page.imagewidth, -1)


def load_tiff(path):
    with tifffile.TiffFile(path) as file:
        page = file.pages[0]
        return load_float_tiff(page) if page.predictor == 3 else page.asarray()


def opened(path):
    """The file, read to memory and opened with Pillow."""
    with open(path, "rb") as file:
        return Image.open(io.BytesIO(file.read()))


def load(path):
    """Samples of a picture file as stored, grey as two dimensions."""
    if path.endswith(".png"):
        with open(path, "rb") as file:
            samples = load_png(file.read())
    elif path.endswith((".tif", ".tiff")):
        samples = load_tiff(path)
    else:
        samples = np.asarray(opened(path))
    return samples[..., 0] if samples.ndim == 3 and samples.shape[2] == 1 else samples


def is_whole(path):
    """Whether every pixel of a file can be decoded."""
    try:
        opened(path).load()
        return True
    except Exception:
        return False


# ---- References ----------------------------------------------------------------------------------------

SCIPY_BORDERS = {"reflect": "reflect", "mirror": "mirror", "clamp": "nearest", "wrap": "wrap",
                 "zero": "constant", "constant:0.7": "constant"}


def per_plane(function, samples):
    """Applies a function of one plane to each channel."""
    if samples.ndim == 2:
        return function(samples)
    return np.stack([function(samples[..., c]) for c in range(samples.shape[2])], -1)


def convolved(samples, kernel, border="reflect", correlate=False):
    """SciPy's direct convolution in double precision."""
    operation = scipy.ndimage.correlate if correlate else scipy.ndimage.convolve
    value = float(border.split(":")[1]) if ":" in border else 0.0
    return per_plane(lambda plane: operation(plane, kernel, mode=SCIPY_BORDERS[border], cval=value),
                     samples.astype(float))


def frequencies(height, width):
    """|f|, fx and fy in cycles per pixel over the plane of numpy.fft."""
    fy, fx = np.meshgrid(np.fft.fftfreq(height), np.fft.fftfreq(width), indexing="ij")
    return np.hypot(fx, fy), fx, fy


def transferred(samples, gains):
    """The periodic picture with each frequency multiplied by its gain."""
    return per_plane(lambda plane: np.fft.ifft2(np.fft.fft2(plane) * gains).real, samples.astype(float))


def largest_gain(kernel):
    height, width = (max(64, 2 * side) for side in kernel.shape)
    return np.abs(np.fft.fft2(kernel, (height, width))).max()


def decode_light(codes):
    """The curve of IEC 61966-2-1."""
    return np.where(codes <= 0.04045, codes / 12.92, ((codes + 0.055) / 1.055) ** 2.4)


def encode_light(light):
    light = np.clip(light, 0, 1)
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
