"""BMP and PFM, which the command reads and writes itself; FITS, which libvips reads."""

import struct

import numpy as np
from PIL import Image

import support
from support import load, opened, save, scene, u16, u8

NETPBM_SCALE = {"<": "-1.0", ">": "1.0"}


# ---- Own writers and readers ------------------------------------------------------------------------------

def pfm(samples, order="<", comment=""):
    """The lowest row first."""
    height, width = samples.shape[:2]
    kind = "PF" if samples.ndim == 3 else "Pf"
    return (f"{kind}\n{comment}{width} {height}\n{NETPBM_SCALE[order]}\n".encode() +
            samples[::-1].astype(order + "f4").tobytes())


def read_pfm(data):
    kind, size, scale, pixels = data.split(b"\n", 3)
    width, height = map(int, size.split())
    channels = {b"PF": 3, b"Pf": 1}[kind]
    samples = np.frombuffer(pixels, ("<" if float(scale) < 0 else ">") + "f4").reshape(height, width, channels)
    return samples[::-1, :, 0] if channels == 1 else samples[::-1]


def bmp(rows, width, height, bits, header=40, compression=0, palette=b"", masks=(), used=0, first=None, planes=1):
    """A BMP of padded rows in the order of the file."""
    head = struct.pack("<IiiHHIIiiII", header, width, height, planes, bits, compression, 0, 2835, 2835, used, 0)
    if header == 12:
        head = struct.pack("<IHHHH", 12, width, height, planes, bits)
    body = struct.pack(f"<{len(masks)}I", *masks)
    head = (head + body).ljust(header, b"\0") if header > 40 else head + body
    start = 14 + len(head) + len(palette) if first is None else first
    pixels = b"".join(row + bytes(-len(row) % 4) for row in rows)
    return b"BM" + struct.pack("<IHHI", start + len(pixels), 0, 0, start) + head + palette + pixels


def packed(indices, bits):
    """Rows of indices, the first pixel in the highest bits."""
    rows = []
    for row in indices:
        text = "".join(format(index, f"0{bits}b") for index in row)
        text += "0" * (-len(text) % 8)
        rows.append(int(text, 2).to_bytes(len(text) // 8, "big"))
    return rows


class Bmp(support.Case):
    def check(self, data, wanted):
        self.write("in.bmp", data)
        result = self.succeed("filter", "in.bmp", "-f", "identity", "--straight-alpha", "-o", "out.png")
        self.assertEqual(result.err, "")
        np.testing.assert_array_equal(load(self.path("out.png")), wanted)

    def test_palettes(self):
        generator = np.random.default_rng(1)
        for bits in (1, 2, 4, 8):
            for entry, header in ((4, 40), (4, 108), (3, 12)):
                colours = generator.integers(0, 256, (1 << bits, 3), np.uint8)
                palette = b"".join(bytes(colour[::-1]) + bytes(entry - 3) for colour in colours)
                for width in (1, 7, 33) if header == 40 else (8,):
                    indices = generator.integers(0, 1 << bits, (5, width))
                    with self.subTest(bits=bits, header=header, width=width):
                        self.check(bmp(packed(indices[::-1], bits), width, 5, bits, header, palette=palette),
                                   colours[indices])

    def test_palette_of_greys(self):
        levels = np.arange(256, dtype=np.uint8)
        palette = b"".join(bytes([level] * 3 + [0]) for level in levels)
        grey = u8(scene(9, 11))
        self.check(bmp([row.tobytes() for row in grey[::-1]], 11, 9, 8, palette=palette), grey)
        # One of 17 entries is used beyond the palette: black.
        self.check(bmp([row.tobytes() for row in np.minimum(grey, 17)[::-1]], 11, 9, 8, palette=palette[:68], used=17),
                   np.where(np.minimum(grey, 17) < 17, np.minimum(grey, 17), 0))

    def test_colours(self):
        colour = u8(scene(9, 11, 3))
        rows = [row[:, ::-1].tobytes() for row in colour]
        for header in (40, 12, 124):
            self.check(bmp(rows[::-1], 11, 9, 24, header), colour)
        self.check(bmp(rows, 11, -9, 24), colour)
        spare = np.dstack([colour[..., ::-1], np.zeros((9, 11), np.uint8)])
        self.check(bmp([row.tobytes() for row in spare[::-1]], 11, 9, 32), colour)

    def test_masks(self):
        generator = np.random.default_rng(2)
        cases = [(16, 0, (), (5, 5, 5)), (16, 3, (0xF800, 0x7E0, 0x1F), (5, 6, 5)),
                 (32, 3, (0xFF, 0xFF00, 0xFF0000), (8, 8, 8)), (32, 3, (0x3FF00000, 0xFFC00, 0x3FF), (10, 10, 10))]
        for bits, compression, masks, sizes in cases:
            parts = np.stack([generator.integers(0, 1 << size, (5, 7)) for size in sizes], -1)
            used = masks or (0x7C00, 0x3E0, 0x1F)
            words = sum(parts[..., c] * (used[c] & -used[c]) for c in range(3)).astype(f"<u{bits // 8}")
            wanted = np.stack([np.floor(parts[..., c] * 255 / ((1 << sizes[c]) - 1) + 0.5) for c in range(3)], -1)
            with self.subTest(bits=bits, masks=masks):
                self.check(bmp([row.tobytes() for row in words[::-1]], 7, 5, bits, compression=compression,
                               masks=masks), wanted)
        alpha = u8(scene(5, 7, 4))
        rows = [row[:, [2, 1, 0, 3]].tobytes() for row in alpha[::-1]]
        masks = (0xFF0000, 0xFF00, 0xFF, 0xFF000000)
        for header, compression in ((40, 6), (56, 3), (108, 3), (124, 3)):
            self.check(bmp(rows, 7, 5, 32, header, compression, masks=masks), alpha)

    def test_written(self):
        for channels in (None, 2, 3, 4):
            picture = u8(scene(13, 18, channels))
            save(self.path("in.png"), picture)
            self.succeed("filter", "in.png", "-f", "identity", "--straight-alpha", "-o", "out.bmp")
            grey = channels == 2
            wanted = np.dstack([picture[..., :1]] * 3 + [picture[..., 1:]]) if grey else picture
            np.testing.assert_array_equal(np.asarray(opened(self.path("out.bmp"))), wanted)
            self.succeed("filter", "out.bmp", "-f", "identity", "--straight-alpha", "-o", "again.png")
            np.testing.assert_array_equal(load(self.path("again.png")), wanted)
        self.refuse(1, "filter", "in.png", "-f", "box", "-o", "o.bmp[Q=3]", says="Q=3")
        self.succeed("filter", "-", "-f", "identity", "-o", "pipe.png", stdin=self.read("out.bmp"))
        save(self.path("deep.png"), u16(scene(13, 18)))
        self.succeed("filter", "deep.png", "-f", "identity", "-o", "out.bmp")
        self.assert_levels(np.asarray(opened(self.path("out.bmp"))), scene(13, 18), 1, 255)

    def test_refused(self):
        colour = bmp([bytes(12)] * 4, 4, 4, 24)
        wrong = {"cut": colour[:-1], "header": colour[:30], "mark": b"BM", "wide": bmp([], 2**31 - 1, 4, 24),
                 "tall": bmp([], 4, -2**31, 24), "zero": bmp([], 0, 4, 24), "negative": bmp([], -4, 4, 24),
                 "bits": bmp([bytes(12)] * 4, 4, 4, 23), "rle": bmp([bytes(12)] * 4, 4, 4, 8, compression=1),
                 "version": bmp([bytes(12)] * 4, 4, 4, 24, header=52 + 100), "far": bmp([], 4, 4, 24, first=2**32 - 1),
                 "masks": bmp([bytes(16)] * 4, 4, 4, 32, compression=3, masks=(0xFF, 0xFF, 0xFF)),
                 "holes": bmp([bytes(16)] * 4, 4, 4, 32, compression=3, masks=(0xA0, 0xFF00, 0xFF0000)),
                 "huge": bmp([], 500000000, 500000000, 32), "many": bmp([], 2**29 - 1, 2**29 - 1, 65535)}
        for name, data in wrong.items():
            with self.subTest(name=name):
                self.write("in.bmp", data)
                self.refuse(1, "filter", "in.bmp", "-f", "box", "-o", "out.png", says="in.bmp")
        self.write("in.bmp", wrong["rle"])
        self.refuse(1, "filter", "in.bmp", "-f", "box", "-o", "out.png", says="compressed")
        self.write("in.bmp", bmp([bytes(12)] * 4, 4, 4, 24))
        self.refuse(1, "filter", "in.bmp", "-f", "box", "-o", "out.png", "--max-pixels", "15", says="--max-pixels")


class Pfm(support.Case):
    def test_read(self):
        for shape in ((6, 9), (6, 9, 3)):
            picture = (scene(6, 9, 3)[..., :shape[2]] if len(shape) == 3 else scene(6, 9)).astype(np.float32) * 5 - 2
            for order in "<>":
                for comment in ("", "# a note\n"):
                    self.write("in.pfm", pfm(picture, order, comment))
                    self.succeed("filter", "in.pfm", "-f", "identity", "-o", "out.tif")
                    np.testing.assert_array_equal(load(self.path("out.tif")), picture)

    def test_written(self):
        for channels in (None, 3):
            picture = scene(6, 9, channels).astype(np.float32) * 5 - 2
            save(self.path("in.tif"), picture)
            self.succeed("filter", "in.tif", "-f", "identity", "-o", "out.pfm")
            data = self.read("out.pfm")
            self.assertNotIn(b"#", data[:20])
            np.testing.assert_array_equal(read_pfm(data), picture)

    def test_alpha(self):
        """There is no alpha: transparent pixels are black."""
        picture = u8(scene(6, 9, 4))
        save(self.path("in.png"), picture)
        self.succeed("filter", "in.png", "-f", "identity", "-o", "out.pfm")
        np.testing.assert_allclose(read_pfm(self.read("out.pfm")), picture[..., :3] / 255 * picture[..., 3:] / 255,
                                   atol=1e-6)

    def test_refused(self):
        good = pfm(scene(6, 9).astype(np.float32))
        wrong = (b"PF\n", b"PF\n4 4\n", b"PF\n4 4\n0\n" + bytes(192), b"PF\n-4 4\n-1\n" + bytes(192),
                 b"PF\n4 4\nnan\n" + bytes(192), b"PF\n999999999 999999999\n-1\n", b"PF\n" + b"#" * 5000, good[:-1],
                 b"PF\n1e3 4\n-1\n" + bytes(192), b"PF\n99999999999999999999 1\n-1\n")
        for data in wrong:
            with self.subTest(data=data[:40]):
                self.write("in.pfm", data)
                self.refuse(1, "filter", "in.pfm", "-f", "box", "-o", "out.tif", says="in.pfm")


class Fits(support.Case):
    def test_read(self):
        """libvips reads FITS, upright, where it was built with cfitsio; otherwise the message says so."""
        picture = scene(6, 9).astype(np.float32)
        cards = ["SIMPLE  =                    T", "BITPIX  =                  -32", "NAXIS   =                    2",
                 "NAXIS1  =                    9", "NAXIS2  =                    6", "END"]
        data = "".join(card.ljust(80) for card in cards).ljust(2880).encode()
        self.write("in.fits", data + picture[::-1].astype(">f4").tobytes().ljust(2880, b"\0"))
        result = self.refuse(1, "filter", "in.fits", "-f", "identity", "-o", "out.tif", says="FITS")
        if "cannot read" not in result.err:
            self.assertIn("--allow-untrusted-formats", result.err)
            self.succeed("filter", "in.fits", "-f", "identity", "-o", "out.tif", "--allow-untrusted-formats")
            np.testing.assert_array_equal(load(self.path("out.tif")), picture)


if __name__ == "__main__":
    support.main()
