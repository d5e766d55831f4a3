"""Hostile files: truncated, bombs, absurd headers. Each is refused in seconds, within 256 MB, in one line."""

import contextlib
import gzip
import io
import os
import resource
import struct
import subprocess
import time
import unittest
import zlib

import numpy as np
import tifffile
from PIL import Image

import support
from support import ABBE, SANITIZED, environment, png_bytes, png_chunk, png_header, save, scene, u8

SECONDS, BYTES = (60, 1 << 40) if SANITIZED else (8, 256 << 20)
END = png_chunk(b"IEND", b"")


def pixels(*shape):
    return u8(scene(*shape))


# ---- PNG -----------------------------------------------------------------------------------------------

def png_cut():
    data = png_bytes(pixels(200, 200, 3))
    return {"png-cut-in-half": data[:len(data) // 2], "png-cut-in-header": data[:20],
            "png-signature-only": data[:8]}


def png_sizes():
    """Large declared sizes with hardly any data."""
    drop = png_chunk(b"IDAT", zlib.compress(bytes(1000)))
    sides = {"png-billion-square": 1_000_000_000, "png-largest": 0x7FFFFFFF, "png-beyond-largest": 0xFFFFFFFF,
             "png-empty": 0}
    files = {name: png_header(side, side, 16, 6) + drop + END for name, side in sides.items()}
    files["png-million-wide"] = png_header(1_000_000, 20_000, 8, 6) + drop + END
    return files


def deflated_zeros(megabytes):
    """The zlib stream of many zeros, made fast: one megabyte ends on a byte boundary and is repeated."""
    block = bytes(1 << 20)
    squeezer = zlib.compressobj(9, zlib.DEFLATED, -15)
    once = squeezer.compress(block) + squeezer.flush(zlib.Z_FULL_FLUSH)
    check = 1
    for _ in range(megabytes):
        check = zlib.adler32(block, check)
    return b"\x78\xda" + once * megabytes + b"\x03\0" + struct.pack(">I", check)


def png_bomb():
    """Two gigabytes of zeros in two megabytes, correctly declared, with too many pixels."""
    data = png_chunk(b"IDAT", deflated_zeros(2000))
    return {"png-bomb": png_header(40_000, 50_000, 8, 0) + data + END}


def png_wrong():
    row = zlib.compress(bytes(9) * 8)
    palette = png_chunk(b"PLTE", bytes(3))
    good = bytearray(png_bytes(pixels(8, 8)))
    good[60] ^= 0xFF
    return {"png-bad-checksum": bytes(good),
            "png-no-pixels": png_header(8, 8, 8, 0) + END,
            "png-impossible-depth": png_header(8, 8, 3, 7) + png_chunk(b"IDAT", row) + END,
            "png-no-palette": png_header(8, 8, 8, 3) + png_chunk(b"IDAT", row) + END,
            "png-bad-palette": png_header(8, 8, 8, 3) + png_chunk(b"PLTE", bytes(5)) + png_chunk(b"IDAT",
                                                                                                 row) + END,
            "png-beyond-palette": png_header(8, 8, 8, 3) + palette + png_chunk(
                b"IDAT", zlib.compress(b"\0\xff\xff\xff\xff\xff\xff\xff\xff" * 8)) + END,
            "png-profile-bomb": png_header(8, 8, 8, 0) + png_chunk(
                b"iCCP", b"x\0\0" + deflated_zeros(300)) + png_chunk(b"IDAT", row) + END}


def png_huge_chunks():
    """A text chunk that declares two gigabytes and has a few bytes, before or after the pixels."""
    row = png_chunk(b"IDAT", zlib.compress(bytes(9) * 8))
    files = {}
    for kind in (b"tEXt", b"zTXt", b"iTXt", b"iCCP"):
        part = struct.pack(">I", 0x7FFFFFFF) + kind + b"Comment\0\0" + bytes(40)
        files["png-huge-" + kind.decode()] = png_header(8, 8, 8, 0) + part + row + END
        files["png-huge-late-" + kind.decode()] = png_header(8, 8, 8, 0) + row + part + END
    far = png_chunk(b"tEXt", b"Comment\0" + b"x" * 9000)
    files["png-huge-far"] = png_header(8, 8, 8, 0) + far + part + row + END
    return files


def png_metadata_bombs():
    """Texts and a profile of small chunks that inflate to more than 16 MB, each or all together."""
    row = png_chunk(b"IDAT", zlib.compress(bytes(9) * 8))
    whole, part = deflated_zeros(49), deflated_zeros(3)
    return {"png-text-bomb": png_header(8, 8, 8, 0) + png_chunk(b"zTXt", b"k\0\0" + whole) * 40 + row + END,
            "png-many-texts": png_header(8, 8, 8, 0) + png_chunk(b"zTXt", b"k\0\0" + part) * 6 + row + END,
            "png-unicode-bomb": png_header(8, 8, 8, 0) + png_chunk(
                b"iTXt", b"XML:com.adobe.xmp\0\1\0\0\0" + whole) * 3 + row + END}


# ---- TIFF ----------------------------------------------------------------------------------------------

def tiff(entries, count=None, following=0, tail=b""):
    """A little-endian TIFF with one directory of (tag, type, count, value)."""
    body = b"".join(struct.pack("<HHII", *entry) for entry in entries)
    return (b"II*\0" + struct.pack("<IH", 8, len(entries) if count is None else count) + body +
            struct.pack("<I", following) + tail)


def tiff_entries(width, height, **changes):
    entries = {256: (4, 1, width), 257: (4, 1, height), 258: (3, 1, 8), 259: (3, 1, 1), 262: (3, 1, 1),
               273: (4, 1, 134), 277: (3, 1, 1), 278: (4, 1, height), 279: (4, 1, width)}
    entries.update({int(tag[1:]): value for tag, value in changes.items()})
    return [(tag, *value) for tag, value in sorted(entries.items()) if value]


def tiff_wrong():
    whole = tiff(tiff_entries(16, 16), tail=bytes(400))
    return {"tiff-cut": whole[:150], "tiff-header-only": whole[:8],
            "tiff-directory-outside": b"II*\0\xff\xff\xff\x7f",
            "tiff-directory-in-header": b"II*\0\0\0\0\0" + whole,
            "tiff-absurd-count": tiff(tiff_entries(16, 16), count=65535),
            "tiff-billion-square": tiff(tiff_entries(1_000_000_000, 1_000_000_000), tail=bytes(99)),
            "tiff-four-billion-channels": tiff(tiff_entries(16, 16, t277=(4, 1, 0xFFFFFFFF)),
                                               tail=bytes(400)),
            "tiff-absurd-bits": tiff(tiff_entries(16, 16, t258=(3, 1, 65535)), tail=bytes(400)),
            "tiff-huge-tag": tiff(tiff_entries(16, 16, t270=(2, 0xFFFFFFF0, 8)), count=None, tail=b""),
            "tiff-strips-outside": tiff(tiff_entries(16, 16, t273=(4, 1, 0x7FFFFFFF)), tail=bytes(400)),
            "tiff-huge-tiles": tiff(tiff_entries(900, 900, t273=None, t278=None, t279=None, t322=(4, 1,
                                                                                                  0x7FFFFFF0),
                                                 t323=(4, 1, 0x7FFFFFF0), t324=(4, 1, 8), t325=(4, 1, 99)))}


def tiff_overlap():
    """Two thousand tags whose values are the same megabyte."""
    count, length = 2000, 1 << 20
    end = 8 + 2 + 12 * (count + 9) + 4
    entries = tiff_entries(16, 16, t273=(4, 1, end), t279=(4, 1, 256))
    shared = [(40000 + i, 1, length, end) for i in range(count)]
    later = b"II*\0" + struct.pack("<I", 8) + tiff(tiff_entries(16, 16), following=138, tail=b"")[8:]
    later += bytes(138 - len(later)) + tiff(shared, tail=bytes(length))[8:]
    return {"tiff-overlap": tiff(entries + shared, tail=bytes(length)), "tiff-overlap-later": later}


def tiff_loop():
    """A directory that links to itself, and one without pixels."""
    return {"tiff-loop-without-size": tiff([(270, 2, 4, 0x41414141)], following=8)}


def bigtiff_wrong():
    return {"bigtiff-absurd-offset": b"II+\0" + struct.pack("<HHQ", 8, 0, 0x7FFFFFFFFFFFFFF0),
            "bigtiff-absurd-count": b"II+\0" + struct.pack("<HHQQ", 8, 0, 16, 0xFFFFFFFFFFFFFFFF)}


# ---- Others --------------------------------------------------------------------------------------------

def cut_by_pillow():
    files = {}
    for kind in ("jpeg", "webp", "gif"):
        file = io.BytesIO()
        Image.fromarray(pixels(200, 200, 3)).save(file, kind)
        data = file.getvalue()
        files[f"{kind}-cut-in-header"] = data[:30]
        files[f"{kind}-cut-in-half"] = data[:len(data) // 2]
    return files


def others():
    jpeg_frame = b"\xff\xd8\xff\xc0" + struct.pack(">HBHHB", 17, 8, 65535, 65535, 3) + bytes(9)
    return {"empty": b"", "text": b"This is a letter, not a picture.\n", "zeros": bytes(5000),
            "one-byte": b"\x89", "jpeg-frame-only": jpeg_frame, "script": b"#!/bin/sh\nexit 0\n",
            "webp-absurd": b"RIFF\xff\xff\xff\xffWEBPVP8L\xff\xff\xff\xff\x2f\xff\xff\xff\x0f",
            "gif-absurd": b"GIF89a\xff\xff\xff\xff\0\0\0\x2c" + bytes(4) + b"\xff\xff\xff\xff\0\2",
            "svg": b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="4"/></svg>',
            "pdf": b"%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n",
            "portable-pixmap": b"P5 4 4 255\n" + bytes(16)}


def gzip_with_tail():
    """A short gzip file and bytes after it: libvips's search for a loader of such a file never ended."""
    return {"gzip-with-tail": gzip.compress(b"<sv") + bytes(range(100))}


def endless_jpeg(side=8000):
    """A grey progressive JPEG with 882 scans that change nothing; each visits every block of the picture."""
    def segment(marker, data):
        return b"\xff" + bytes([marker]) + struct.pack(">H", len(data) + 2) + data

    blocks = (side // 8) ** 2
    runs = "011111111111111" * -(-blocks // 32767)  # end-of-band runs of 32767 blocks: code 0, 14 bits
    runs += "1" * (-len(runs) % 8)
    scan = int(runs, 2).to_bytes(len(runs) // 8, "big").replace(b"\xff", b"\xff\0")
    only_code = bytes([1] + [0] * 15)
    data = b"\xff\xd8" + segment(0xdb, b"\0" + b"\1" * 64)
    data += segment(0xc2, struct.pack(">BHHB", 8, side, side, 1) + b"\1\x11\0")
    data += segment(0xc4, b"\0" + only_code + b"\0") + segment(0xc4, b"\x10" + only_code + b"\xe0")
    data += segment(0xda, b"\1\1\0\0\0\0") + bytes(blocks // 8 + 1)
    for k in range(1, 64):
        for low in range(13, -1, -1):
            high = 0 if low == 13 else low + 1
            data += segment(0xda, b"\1\1\0" + bytes([k, k, high << 4 | low])) + scan
    return data + b"\xff\xd9"


def boxes_of(data):
    """The boxes of a HEIF file or of a box, as pairs of name and content."""
    at, found = 0, []
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        found.append((kind, data[at + 8:at + size]))
        at += size
    return found


def box(kind, content):
    return struct.pack(">I4s", len(content) + 8, kind) + content


def with_item(avif, encoding):
    """An AVIF file whose list of items has one more, of text with that encoding. It has no data."""
    entry = box(b"infe", b"\2\0\0\0" + struct.pack(">HH4s", 77, 0, b"mime") + b"\0text/plain\0" + encoding)
    whole = b""
    for kind, content in boxes_of(avif):
        if kind == b"meta":
            parts = b""
            for name, part in boxes_of(content[4:]):
                if name == b"iinf":
                    part = part[:4] + struct.pack(">H", struct.unpack(">H", part[4:6])[0] + 1) + part[6:] + entry
                parts += box(name, part)
            content = content[:4] + parts
        whole += box(kind, content)
    return whole


FILES = {**gzip_with_tail(), **png_cut(), **png_sizes(), **png_bomb(), **png_wrong(), **png_huge_chunks(), **png_metadata_bombs(), **tiff_wrong(), **tiff_overlap(),
         **tiff_loop(), **bigtiff_wrong(), **cut_by_pillow(), **others()}


class Hostile(support.Case):

    def measured(self, *arguments, stdin=None):
        """Runs the command; returns its result, its seconds and its largest resident size in bytes."""
        error = open(self.path("error"), "wb+")
        start = time.monotonic()
        process = subprocess.Popen([ABBE, *arguments], cwd=self.folder, env=environment(), stderr=error,
                                   stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
                                   stdout=subprocess.DEVNULL)
        if stdin is not None:
            with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
                pipe.write(stdin)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        error.seek(0)
        with error:
            said = error.read()
        return support.Result(process.returncode, b"", said), time.monotonic() - start, usage.ru_maxrss * 1024

    # Files that a decoder may read, because all pixels are there. The result must then be complete.
    MENDABLE = ("png-beyond-palette",)

    def test_refused(self):
        self.assertGreater(len(FILES), 20)
        for name, data in FILES.items():
            with self.subTest(file=name):
                self.write(name + ".png", data)
                result, seconds, size = self.measured("filter", name + ".png", "-f", "box", "-o",
                                                      "{name}-out.png")
                self.assertLess(seconds, SECONDS)
                self.assertLess(size, BYTES)
                if result.status == 0 and name in self.MENDABLE:
                    self.assertTrue(support.is_whole(self.path(name + "-out.png")))
                    continue
                self.assertEqual(result.status, 1, result)
                self.assert_one_line(result)
                self.assertIn(name, result.err)
                self.assertFalse(os.path.exists(self.path(name + "-out.png")))

    def test_refused_every_time(self):
        """Decoders use several threads; the result does not depend on which of them finds the damage."""
        names = [f"{kind}{i}" for kind in ("tiff-cut", "png-cut-in-half") for i in range(400)]
        for name in names:
            self.write(name, FILES[name.rstrip("0123456789")])
        result = self.run_abbe("filter", *names, "-f", "box", "-o", "{name}-out.png")
        self.assertEqual(result.status, 1)
        self.assertEqual(len(result.err.splitlines()), len(names))
        self.assert_only(*names)

    def test_untrusted_files_do_not_reach_unsafe_decoders(self):
        """A PDF is refused as an untrusted format before its reader looks for damage."""
        self.write("in.pdf", FILES["pdf"])
        self.refuse(1, "filter", "in.pdf", "-f", "box", "-o", "out.png", says="--allow-untrusted-formats")

    def test_blocked_loaders_do_not_look(self):
        """A file on which libvips's search for a loader hung, under a harmless name, wherever pictures are
        read; with the option, its own loader reads it and fails."""
        save(self.path("in.png"), pixels(20, 20))
        data = FILES["gzip-with-tail"]
        self.write("evil.jpg", data)
        for arguments in (("filter", "evil.jpg", "-f", "box"), ("filter", "in.png", "-f", "mask:file=evil.jpg"),
                          ("filter", "in.png", "-f", "kernel:file=evil.jpg"), ("spectrum", "evil.jpg"),
                          ("transform", "--inverse", "evil.jpg"), ("texture", "--like", "evil.jpg")):
            self.refuse(1, *arguments, "-o", "out.tif", says="--allow-untrusted-formats", timeout=SECONDS)
        self.refuse(1, "view", "evil.jpg", says="--allow-untrusted-formats", timeout=SECONDS)
        self.refuse(1, "filter", "-", "-f", "box", "-o", "out.png", stdin=data, timeout=SECONDS,
                    says=("standard input", "--allow-untrusted-formats"))
        self.refuse(1, "filter", "evil.jpg", "-f", "box", "-o", "out.png", "--allow-untrusted-formats",
                    timeout=SECONDS, says="evil.jpg")

    def test_decoder_without_end(self):
        """A decoder that computes without progress is ended; one that waits for its pipe is not."""
        self.write("slow.jpg", endless_jpeg())
        save(self.path("in.jpg"), pixels(200, 200, 3))
        soon = environment(ABBE_DECODER_SECONDS="0.2")
        self.refuse(1, "filter", "slow.jpg", "-f", "box", "-o", "out.png", env=soon,
                    says=("slow.jpg", "ABBE_DECODER_SECONDS"))
        self.assert_only("slow.jpg", "in.jpg")
        if not SANITIZED:
            self.succeed("filter", "in.jpg", "-f", "box", "-o", "out.png", env=soon)
            process = subprocess.Popen([ABBE, "filter", "-", "-f", "box", "-o", "out.png"], cwd=self.folder,
                                       env=soon, stdin=subprocess.PIPE)
            with process.stdin as pipe:
                data = self.read("in.jpg")
                pipe.write(data[:100])
                pipe.flush()
                time.sleep(0.5)
                pipe.write(data[100:])
            self.assertEqual(process.wait(), 0)

    @unittest.skipIf(SANITIZED, "a gigabyte")
    def test_endless_pipes(self):
        """Whatever the format, a pipe without end is refused after one gigabyte."""
        zeros = bytes(1 << 20)
        for kind in ("jpeg", "png"):
            file = io.BytesIO()
            Image.fromarray(pixels(50, 50, 3)).save(file, kind)
            process = subprocess.Popen([ABBE, "filter", "-", "-f", "box", "-o", "out.png"], cwd=self.folder,
                                       env=environment(), stdin=subprocess.PIPE, stderr=subprocess.PIPE)
            with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
                pipe.write(file.getvalue()[:40])
                for _ in range(1200):
                    pipe.write(zeros)
            said = process.stderr.read()
            process.stderr.close()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 1)
            self.assertIn(b"1 GB", said)
            self.assertLess(usage.ru_maxrss, 1300 << 10)

    def test_few_descriptors(self):
        """Too few descriptors are not an empty file."""
        save(self.path("in.png"), pixels(20, 20))
        for most in range(4, 12):
            result = self.run_abbe("filter", "in.png", "-f", "box", "-o", "out.png", preexec_fn=lambda:
                                   resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))
            if result.status:
                self.assert_one_line(result)
                self.assertEqual(result.status, 1)
                self.assertNotIn("empty", result.err)
                self.assertFalse(os.path.exists(self.path("out.png")))

    def test_directory_loop_of_a_sound_picture(self):
        """A valid first picture before a loop of directories. It is read or refused, and does not hang."""
        data = tiff(tiff_entries(16, 16, t279=(4, 1, 256)), following=8)
        self.write("loop.tif", data + bytes(134 - len(data)) + bytes(range(256)))
        result, seconds, _ = self.measured("filter", "loop.tif", "-f", "box", "-o", "out.png")
        self.assertIn(result.status, (0, 1))
        self.assertLess(seconds, SECONDS)

    def test_as_kernel_and_mask(self):
        save(self.path("in.png"), pixels(20, 20))
        for name in ("png-cut-in-half", "png-billion-square", "empty", "text", "tiff-loop-without-size"):
            self.write(name, FILES[name])
            for kind in ("kernel", "mask"):
                text = f"{kind}:file={name}"
                result, seconds, size = self.measured("filter", "in.png", "-f", text, "-o", "out.png")
                self.assertEqual(result.status, 1, (name, kind, result))
                self.assert_one_line(result)
                self.assertTrue(seconds < SECONDS and size < BYTES)

    def test_through_a_pipe(self):
        for name, data in FILES.items():
            if name not in self.MENDABLE:
                with self.subTest(file=name):
                    result, seconds, size = self.measured("filter", "-", "-f", "box", "-o", "out.png",
                                                          stdin=data)
                    self.assertLess(seconds, SECONDS)
                    self.assertLess(size, BYTES)
                    self.assertEqual(result.status, 1, result)
                    self.assert_one_line(result)
                    self.assertFalse(os.path.exists(self.path("out.png")))

    def test_limit_on_pixels(self):
        save(self.path("in.png"), pixels(30, 40))
        self.succeed("filter", "in.png", "-f", "box", "-o", "out.png", "--max-pixels", "1200")
        for arguments in (("filter", "in.png", "-f", "box"), ("spectrum", "in.png"), ("transform", "in.png")):
            self.refuse(1, *arguments, "-o", "out.tif", "--max-pixels=1199",
                        says=("in.png", "1199", "--max-pixels"))

    def test_formats_for_trusted_files(self):
        """Loaders that libvips marks as unsafe for untrusted files need an option."""
        self.write("grey.pgm", b"P5 3 2 255\n\x01\x02\x03\x04\x05\x06")
        self.refuse(1, "filter", "grey.pgm", "-f", "identity", "-o", "out.png",
                    says=("PGM", "--allow-untrusted-formats"))
        self.succeed("filter", "grey.pgm", "-f", "identity", "-o", "out.png", "--allow-untrusted-formats")
        np.testing.assert_array_equal(support.load(self.path("out.png")), [[1, 2, 3], [4, 5, 6]])

    def test_compressed_metadata_within_bounds(self):
        """Texts of 15 MB in all are no reason to refuse a picture."""
        text = png_chunk(b"zTXt", b"k\0\0" + deflated_zeros(7)) + png_chunk(
            b"iTXt", b"l\0\1\0\0\0" + deflated_zeros(8)) + png_chunk(b"iTXt", b"l\0\0\0\0\0" + b"\x78\xda" * 9)
        self.write("in.png", png_bytes(pixels(20, 30), text))
        self.succeed("filter", "in.png", "-f", "identity", "-o", "out.tif")
        np.testing.assert_array_equal(support.load(self.path("out.tif")), pixels(20, 30))

    def test_flaws_that_a_decoder_mends(self):
        """A damaged JPEG whose decoder goes on is read with one warning; a sound one without."""
        file = io.BytesIO()
        Image.fromarray(pixels(200, 200, 3)).save(file, "jpeg", progressive=True)
        data = bytearray(file.getvalue())
        self.write("sound.jpg", bytes(data))
        scan = data.index(b"\xff\xda") + 40
        data[scan:scan + 20] = b"\xfe\x7f" * 10
        self.write("flawed.jpg", bytes(data))
        result = self.succeed("filter", "flawed.jpg", "-f", "identity", "-o", "out.png", "--quiet")
        self.assert_one_line(result)
        self.assertIn("flawed.jpg: may be damaged: Corrupt JPEG data", result.err)
        self.assertEqual(self.succeed("filter", "sound.jpg", "-f", "identity", "-o", "out.png").err, "")

    def test_compressed_metadata_of_heif(self):
        """libheif inflates compressed items without a bound, so a file with one is refused."""
        save(self.path("in.png"), pixels(40, 50, 3))
        if self.run_abbe("filter", "in.png", "-f", "identity", "-o", "in.avif").status:
            self.skipTest("no AVIF")
        self.assertEqual(self.succeed("filter", "in.avif", "-f", "identity", "-o", "out.png").err, "")
        for encoding in (b"deflate\0", b"compress_zlib\0"):
            self.write("bomb.avif", with_item(self.read("in.avif"), encoding))
            self.refuse(1, "filter", "bomb.avif", "-f", "identity", "-o", "out.png", says="compressed metadata")
        for encoding in (b"\0", b""):
            self.write("plain.avif", with_item(self.read("in.avif"), encoding))
            self.assertNotIn("compressed metadata",
                             self.run_abbe("filter", "plain.avif", "-f", "box", "-o", "o.png").err)

    def test_damaged_jpegs(self):
        """Of JPEG files with a few wrong bytes, nearly all are reported; of sound ones, whatever their layout,
        none."""
        chance = np.random.default_rng(7)
        names, sound = [], []
        for i, more in enumerate(({}, {"subsampling": 0}, {"subsampling": 1}, {"optimize": True},
                                  {"restart_marker_blocks": 5}, {"quality": 100}, {"progressive": True})):
            for shape in ((163, 205), (163, 205, 3)):
                file = io.BytesIO()
                Image.fromarray(pixels(*shape)).save(file, "jpeg", **more)
                sound.append(f"sound{i}{len(shape)}.jpg")
                self.write(sound[-1], file.getvalue())
                for trial in range(5):
                    data = bytearray(file.getvalue())
                    at = int(chance.integers(len(data) // 2, len(data) - 50))
                    data[at:at + 20] = bytes(chance.integers(0, 255, 20, np.uint8))
                    names.append(f"{i}{len(shape)}{trial}.jpg")
                    self.write(names[-1], bytes(data))
        result = self.run_abbe("filter", *sound, "-f", "identity", "-o", "{name}.png")
        self.assertEqual((result.status, result.err), (0, ""))
        lines = self.run_abbe("filter", *names, "-f", "identity", "-o", "{name}.png").err.splitlines()
        self.assertEqual(len({line.split(":")[1] for line in lines}), len(lines))
        self.assertGreater(len(lines), 0.85 * len(names))

    def test_pages_beyond_the_first(self):
        tifffile.imwrite(self.path("in.tif"), np.stack([pixels(20, 30)] * 3), photometric="minisblack")
        result = self.succeed("filter", "in.tif", "-f", "identity", "-o", "out.png", "--quiet")
        self.assert_one_line(result)
        self.assertIn("3 pages", result.err)
        np.testing.assert_array_equal(support.load(self.path("out.png")), pixels(20, 30))

    def test_thumbnails_of_raw_files(self):
        """Files of cameras: a thumbnail, then the picture in a subdirectory. Pyramids are the opposite."""
        for order in "<>":
            for big in (False, True):
                for name, first, second in (("raw.tif", 1, 0), ("pyramid.tif", 0, 1)):
                    with tifffile.TiffWriter(self.path(name), bigtiff=big, byteorder=order) as file:
                        file.write(pixels(20, 30), subifds=1, subfiletype=first, photometric="minisblack")
                        file.write(pixels(40, 60), subfiletype=second, photometric="minisblack")
                self.refuse(1, "filter", "raw.tif", "-f", "box", "-o", "out.png", says="raw file")
                self.refuse(1, "filter", "-", "-f", "box", "-o", "out.png", stdin=self.read("raw.tif"),
                            says="raw file")
                self.succeed("filter", "pyramid.tif", "-f", "box", "-o", "out.png")

    def test_damaged_tiff_is_called_so(self):
        for name in ("tiff-header-only", "tiff-directory-outside"):
            self.write(name, FILES[name])
            self.refuse(1, "filter", name, "-f", "box", "-o", "out.png", says="cannot be read as TIFF")

    def test_options_that_a_format_does_not_have(self):
        """Options out of range, and options that would change what is written or where, are refused."""
        save(self.path("in.png"), pixels(20, 30))
        wrong = {"jpg": ("Q=900", "Q=-5", "Q=5x", "Q=", "Q", "in=in.png", "target=x", "filename=x",
                         "buffer=x", "strip=maybe", "nickname=x", "x.png"),
                 "png": ("compression=99", "compression=2.5")}
        for extension, options in wrong.items():
            for option in options:
                with self.subTest(option=option):
                    self.refuse(1, "filter", "in.png", "-f", "box", "-o", f"out.{extension}[{option}]",
                                says=option.split("=")[0])
        self.assert_only("in.png")
        self.succeed("filter", "in.png", "-f", "box", "-o", "out.jpg[Q=50, strip,subsample-mode=off]")


if __name__ == "__main__":
    support.main()
