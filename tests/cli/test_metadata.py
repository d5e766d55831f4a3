"""Metadata: EXIF, XMP, IPTC and profiles across formats, what is lost is named; bits of AVIF and HEIC."""

import io
import struct

import numpy as np
import tifffile
from PIL import Image, ImageCms

import support
from support import load, png_chunk, save, scene, u16, u8

PROFILE = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
XMP = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'><title>Jena</title></x:xmpmeta>"
EXIF_ID, XMP_ID = b"JpgTiffExif->JP2", bytes.fromhex("BE7ACFCB97A942E89C71999491E3AFAC")
SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 18: 8}


# ---- An own writer and reader of TIFF directories --------------------------------------------------------

def text(value):
    return 2, len(value) + 1, value.encode() + b"\0"


def numbers(kind, *values, order="<"):
    code = {3: "H", 4: "I", 5: "I", 10: "i", 1: "B", 7: "B"}[kind]
    count = len(values) // (2 if kind in (5, 10) else 1)
    return kind, count, struct.pack(f"{order}{len(values)}{code}", *values)


def directory(tags, at, order="<", following=0):
    """A directory for that offset, with its values behind it."""
    rest, entries = b"", b""
    end = at + 2 + 12 * len(tags) + 4
    for tag, (kind, count, value) in sorted(tags.items()):
        if len(value) > 4:
            field, rest = struct.pack(order + "I", end + len(rest)), rest + value + bytes(len(value) % 2)
        else:
            field = value.ljust(4, b"\0")
        entries += struct.pack(order + "HHI", tag, kind, count) + field
    return struct.pack(order + "H", len(tags)) + entries + struct.pack(order + "I", following) + rest


def exif_block(main, camera=None, place=None, order="<", thumbnail=b""):
    """EXIF data as a small TIFF file."""
    main = dict(main)
    parts = [(34665, camera), (34853, place)]
    for pointer, tags in parts:
        if tags:
            main[pointer] = numbers(4, 0, order=order)
    end = 8 + len(directory(main, 8, order))
    behind = b""
    for pointer, tags in parts:
        if tags:
            main[pointer] = numbers(4, end + len(behind), order=order)
            behind += directory(tags, end + len(behind), order)
    following = 0
    if thumbnail:
        following = end + len(behind)
        small = {259: numbers(3, 6, order=order), 513: numbers(4, 0, order=order),
                 514: numbers(4, len(thumbnail), order=order)}
        small[513] = numbers(4, following + len(directory(small, following, order)), order=order)
        behind += directory(small, following, order) + thumbnail
    head = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "I", 8)
    return head + directory(main, 8, order, following) + behind


def read_directory(data, at, order, wide):
    form, field = (order + "HHQ", 8) if wide else (order + "HHI", 4)
    count, = struct.unpack_from(order + ("Q" if wide else "H"), data, at)
    at += 8 if wide else 2
    tags = {}
    for _ in range(count):
        tag, kind, length = struct.unpack_from(form, data, at)
        value, size = at + struct.calcsize(form), length * SIZES[kind]
        if size > field:
            value, = struct.unpack_from(order + ("Q" if wide else "I"), data, value)
        assert tag not in tags and tag > max(tags, default=-1), "tags must be sorted"
        tags[tag] = (kind, length, data[value:value + size])
        at += struct.calcsize(form) + field
    return tags


def read_exif(data):
    """Directories of a TIFF file: {"main": …, "camera": …, "place": …}, values in little-endian order."""
    order = "<" if data[:2] == b"II" else ">"
    wide = struct.unpack_from(order + "H", data, 2)[0] == 43
    first, = struct.unpack_from(order + ("Q" if wide else "I"), data, 8 if wide else 4)
    found = {"main": read_directory(data, first, order, wide)}
    for name, pointer in (("camera", 34665), ("place", 34853)):
        if pointer in found["main"]:
            kind, _, value = found["main"].pop(pointer)
            at, = struct.unpack(order + ("Q" if kind in (16, 18) else "I"), value)
            found[name] = read_directory(data, at, order, wide)
    for tags in found.values():
        for tag, (kind, count, value) in tags.items():
            unit = {5: 4, 10: 4}.get(kind, SIZES[kind])
            if order == ">":
                value = b"".join(value[i:i + unit][::-1] for i in range(0, len(value), unit))
            tags[tag] = (kind, count, value)
    return found


CAMERA = {33434: numbers(5, 1, 60), 36867: text("2021:02:03 04:05:06"), 37500: (7, 300, bytes(range(150)) * 2),
          37386: numbers(5, 85, 1)}
PLACE = {1: text("N"), 2: numbers(5, 50, 1, 55, 1, 30, 1), 3: text("E")}
MAIN = {271: text("Zeiss"), 272: text("Ikon"), 306: text("2021:02:04 00:00:00"), 315: text("Ernst Abbe")}


def turned(tags):
    """The same in big-endian order."""
    return {tag: (kind, count, b"".join(value[i:i + unit][::-1] for i in range(0, len(value), unit)))
            for tag, (kind, count, value) in tags.items()
            for unit in [{5: 4, 10: 4}.get(kind, SIZES[kind])]}


# ---- Files ---------------------------------------------------------------------------------------------

def jpeg(samples, *segments):
    """A JPEG with segments (marker, bytes) behind its start."""
    file = io.BytesIO()
    Image.fromarray(samples).save(file, "JPEG", quality=95, icc_profile=PROFILE)
    blocks = b"".join(b"\xff" + bytes([marker]) + struct.pack(">H", len(data) + 2) + data
                      for marker, data in segments)
    return file.getvalue()[:2] + blocks + file.getvalue()[2:]


def exif_segment(order="<", **more):
    tags = [MAIN, CAMERA, PLACE] if order == "<" else [turned(t) for t in (MAIN, CAMERA, PLACE)]
    return 0xE1, b"Exif\0\0" + exif_block(*tags, order=order, **more)


def xmp_segment(xmp=XMP):
    return 0xE1, b"http://ns.adobe.com/xap/1.0/\0" + xmp


def segments(data):
    """(marker, bytes) of a JPEG up to its pixels."""
    at, found = 2, []
    while data[at + 1] != 0xDA:
        length, = struct.unpack_from(">H", data, at + 2)
        found.append((data[at + 1], data[at + 4:at + 2 + length]))
        at += 2 + length
    return found


def boxes(data):
    """(type, bytes) of a JPEG XL, JPEG 2000 or HEIF file."""
    at, found = 0, []
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        end = at + length if length else len(data)
        found.append((kind, data[at + 8:end]))
        at = end
    return found


def exif_of(path):
    with open(path, "rb") as file:
        data = file.read()
    if path.endswith((".tif", ".tiff")):
        return read_exif(data)
    if path.endswith(".jpg"):
        return read_exif(next(s for m, s in segments(data) if m == 0xE1 and s[:4] == b"Exif")[6:])
    if path.endswith(".jxl"):
        return read_exif(dict(boxes(data))[b"Exif"][4:])
    if path.endswith(".jp2"):
        return read_exif(next(b for k, b in boxes(data) if k == b"uuid" and b[:16] == EXIF_ID)[16:])
    return read_exif(Image.open(io.BytesIO(data)).info["exif"].removeprefix(b"Exif\0\0"))


class Exif(support.Case):
    def assert_kept(self, found, camera=CAMERA):
        for tag, value in MAIN.items():
            self.assertEqual(found["main"].get(tag), value, tag)
        for name, tags in (("camera", camera), ("place", PLACE)):
            for tag, value in tags.items():
                self.assertEqual(found[name].get(tag), value, (name, tag))

    def test_across_formats(self):
        """JPEG to TIFF, TIFF to TIFF, and from TIFF to formats that libvips writes, in both byte orders."""
        for order in "<>":
            self.write("in.jpg", jpeg(u8(scene(20, 30, 3)), exif_segment(order)))
            result = self.succeed("filter", "in.jpg", "-f", "box", "-o", "a.tif", "-f", "box", "-o",
                                  "big.tif[bigtiff]", "-f", "box", "-o", "page.tif[pyramid]")
            self.assertEqual(result.err, "")
            self.succeed("filter", "a.tif", "-f", "box", "-o", "b.tif")
            self.succeed("filter", "big.tif", "-f", "box", "-o", "c.tif", "-f", "box", "-o", "c.jpg", "-f", "box",
                         "-o", "c.png", "-f", "box", "-o", "c.webp")
            for name in ("a.tif", "big.tif", "page.tif", "b.tif", "c.tif", "c.jpg", "c.png", "c.webp"):
                with self.subTest(order=order, name=name):
                    self.assert_kept(exif_of(self.path(name)))
            for name in ("a.tif", "big.tif", "b.tif"):
                np.testing.assert_array_equal(load(self.path(name)).shape, (20, 30, 3))

    def test_from_avif(self):
        """The reader of AVIF owns the EXIF data, and is closed before the result is written."""
        self.write("in.jpg", jpeg(u8(scene(20, 30, 3)), exif_segment()))
        result = self.run_abbe("filter", "in.jpg", "-f", "box", "-o", "a.avif")
        if "unknown extension" in result.err:
            self.skipTest("libvips has no AVIF")
        # Freed memory is overwritten.
        self.succeed("filter", "a.avif", "-f", "box", "-o", "b.tif", env=support.environment(MALLOC_PERTURB_="85"))
        self.assert_kept(exif_of(self.path("b.tif")))

    def test_tiff_of_other_programs(self):
        """Little- and big-endian files of tifffile, whose main directory has the tags; GeoTIFF keys too."""
        picture = u16(scene(20, 30))
        keys = (1, 1, 0, 1, 1024, 0, 1, 2)
        for order in "<>":
            save(self.path("in.tif"), picture, byteorder=order, software="Jena 1",
                 extratags=[(315, "s", 0, "Ernst", True), (33550, "d", 3, (1.5, 2.5, 0.0), True),
                            (34735, "H", len(keys), keys, True)])
            self.succeed("filter", "in.tif", "-f", "identity", "-o", "out.tif", "-f", "identity", "-o", "out.png")
            with tifffile.TiffFile(self.path("out.tif")) as file:
                tags = file.pages[0].tags
                self.assertEqual((tags[315].value, tags[305].value), ("Ernst", "Jena 1"))
                self.assertEqual((tags[33550].value, tags[34735].value), ((1.5, 2.5, 0.0), keys))
                np.testing.assert_array_equal(file.pages[0].asarray(), picture)
            self.assertEqual(exif_of(self.path("out.png"))["main"][315], text("Ernst"))

    def test_orientation_and_thumbnail(self):
        """The orientation is that of the file; the thumbnail, which shows the unfiltered picture, is lost."""
        thumbnail = jpeg(u8(scene(16, 16, 3)))
        main = {**MAIN, 274: numbers(3, 6)}
        self.write("in.jpg", jpeg(u8(scene(20, 30, 3)),
                                  (0xE1, b"Exif\0\0" + exif_block(main, CAMERA, PLACE, thumbnail=thumbnail))))
        names = ("out.tif", "out.jxl", "out.jp2")
        self.succeed("filter", "in.jpg", *(word for name in names for word in ("-f", "box", "-o", name)))
        for name, tag in zip(names, (numbers(3, 6), None, None)):
            found = exif_of(self.path(name))
            self.assert_kept(found)
            self.assertEqual(found["main"].get(274), tag)
            self.assertNotIn(thumbnail[20:200], self.read(name))

    def test_transform_keeps_it(self):
        self.write("in.jpg", jpeg(u8(scene(20, 30, 3)), exif_segment()))
        self.succeed("transform", "in.jpg", "-o", "s.tif")
        self.succeed("transform", "--inverse", "s.tif", "-o", "out.jpg")
        self.assert_kept(exif_of(self.path("out.jpg")))
        self.assertNotIn(270, exif_of(self.path("out.jpg"))["main"])

    def test_standard_output(self):
        """Floats go to standard output as TIFF, with EXIF; the large block of a PNG is cut, with a warning."""
        self.write("in.jpg", jpeg(u8(scene(20, 30, 3)), exif_segment()))
        result = self.succeed("filter", "in.jpg", "-f", "box", "--depth", "float", "-o", "-")
        self.assert_kept(read_exif(result.out))
        save(self.path("plain.png"), u8(scene(20, 30)))
        data = self.read("plain.png")
        block = exif_block({**MAIN, 37510: (7, 70000, bytes(70000))}, {36867: text("x"), 37510: (7, 70000, bytes(70000))})
        self.write("in.png", data[:33] + png_chunk(b"eXIf", block) + data[33:])
        result = self.succeed("filter", "in.png", "-f", "box", "-o", "out.tif")
        self.assert_one_line(result)
        self.assertIn("EXIF", result.err)
        self.assertEqual(exif_of(self.path("out.tif"))["main"][315], MAIN[315])

    def test_strip(self):
        self.write("in.jpg", jpeg(u8(scene(20, 30, 3)), exif_segment(), xmp_segment()))
        result = self.succeed("filter", "in.jpg", "-f", "box", "-o", "a.tif[strip]", "-f", "box", "-o",
                              "a.gif[strip]", "-f", "box", "-o", "a.jxl[strip]")
        self.assertEqual(result.err, "")
        self.assertNotIn(315, exif_of(self.path("a.tif"))["main"])
        self.assertNotIn(b"Zeiss", self.read("a.jxl"))

    def test_hostile(self):
        """Loops, offsets outside the file and sizes beyond any file: the picture is read, what is whole is kept."""
        loop = {34665: numbers(4, 8), 34853: numbers(4, 8), 40965: numbers(4, 8)}
        wild = {315: text("Ernst"), 271: (2, 0xFFFFFFFF, b"\xff\xff\xff\xff"), 272: (2, 9, b"\xf0\xff\xff\xff"),
                33550: (12, 0x20000001, b"\x08\0\0\0"), 306: (99, 4, b"abcd"), 305: (2, 0, b"\0\0\0\0")}
        many = {tag: text("x" * 4) for tag in range(50000, 50900)}
        for name, tags in (("loop", loop), ("wild", wild), ("many", {34665: numbers(4, 8), **many})):
            with self.subTest(name=name):
                picture = u8(scene(16, 16))
                base = {256: numbers(3, 16), 257: numbers(3, 16), 258: numbers(3, 8), 259: numbers(3, 1),
                        262: numbers(3, 1), 273: numbers(4, 0), 278: numbers(3, 16), 279: numbers(4, 256), **tags}
                short = {tag: value for tag, value in base.items()}
                base[273] = numbers(4, 8 + len(directory(short, 8)))
                self.write("in.tif", b"II*\0" + struct.pack("<I", 8) + directory(base, 8) + picture.tobytes())
                self.succeed("filter", "in.tif", "-f", "identity", "-o", "out.tif", "-f", "identity", "-o", "out.jpg",
                             timeout=20)
                np.testing.assert_array_equal(load(self.path("out.tif")), picture)
                found = exif_of(self.path("out.tif"))
                if name == "wild":
                    self.assertEqual(found["main"].get(315), text("Ernst"))
                    self.assertNotIn(271, found["main"])

    def test_too_much(self):
        """A block of a JPEG holds 64 kB: the rest is left out, with a warning."""
        save(self.path("in.tif"), u8(scene(20, 30)),
             extratags=[(315, "s", 0, "Ernst", True), (33550, "d", 10000, tuple(range(10000)), True)])
        result = self.succeed("filter", "in.tif", "-f", "identity", "-o", "out.tif")
        self.assert_one_line(result)
        self.assertIn("EXIF", result.err)
        self.assertEqual(exif_of(self.path("out.tif"))["main"][315], text("Ernst"))

    def test_damaged_block(self):
        block = exif_block(MAIN, CAMERA, PLACE)
        for cut in range(6, len(block), 61):
            self.write("in.jpg", jpeg(u8(scene(8, 8, 3)), (0xE1, b"Exif\0\0" + block[:cut])))
            self.succeed("filter", "in.jpg", "-f", "box", "-o", "out.tif")
            self.assertEqual(load(self.path("out.tif")).shape, (8, 8, 3))


class Boxes(support.Case):
    """JPEG XL and JPEG 2000, whose savers write pixels only."""

    def test_kept(self):
        self.write("in.jpg", jpeg(u8(scene(20, 30, 3)), exif_segment(), xmp_segment()))
        result = self.succeed("filter", "in.jpg", "-f", "identity", "-o", "out.jxl[lossless]", "-f", "identity", "-o",
                              "out.jp2", "-f", "identity", "-o", "out.png")
        self.assertEqual(result.err, "")
        for name in ("out.jxl", "out.jp2"):
            Exif.assert_kept(self, exif_of(self.path(name)))
        self.assertEqual(dict(boxes(self.read("out.jxl")))[b"xml "], XMP)
        found = boxes(self.read("out.jp2"))
        self.assertIn((b"uuid", XMP_ID + XMP), found)
        header = dict(boxes(dict(found)[b"jp2h"]))
        self.assertEqual(header[b"colr"], b"\2\0\0" + PROFILE)
        np.testing.assert_array_equal(np.asarray(Image.open(self.path("out.jp2"))), load(self.path("out.png")))
        for name in ("out.jxl", "out.jp2"):
            result = self.succeed("filter", name, "-f", "identity", "-o", "again.png", "--allow-untrusted-formats")
            np.testing.assert_array_equal(load(self.path("again.png")), load(self.path("out.png")))
            if b"eXIf" not in self.read("again.png"):  # libvips 8.14
                self.assert_one_line(result)
                self.assertIn("read without their EXIF data and XMP", result.err)

    def test_a_profile_that_is_too_short(self):
        """Less than the header of a profile is none; what replaces the colour box would be shorter than it."""
        for size in (1, 3, 4, 127):
            save(self.path("in.tif"), u8(scene(8, 8, 3)), extratags=[(34675, 7, size, bytes(range(1, size + 1)), True)])
            result = self.succeed("filter", "in.tif", "-f", "identity", "-o", "out.jp2")
            self.assert_one_line(result)
            self.assertIn("colour profile could not be written", result.err)
            np.testing.assert_array_equal(np.asarray(Image.open(self.path("out.jp2"))), load(self.path("in.tif")))

    def test_alpha_and_grey(self):
        for channels in (None, 2, 4):
            picture = u16(scene(20, 30, channels))
            save(self.path("plain.png"), picture)
            data = self.read("plain.png")
            self.write("in.png", data[:33] + png_chunk(b"eXIf", exif_block(MAIN)) + data[33:])
            for name in ("out.jxl", "out.jp2"):
                options = "[lossless]" if name == "out.jxl" else ""
                self.succeed("filter", "in.png", "-f", "identity", "-o", name + options)
                self.assertEqual(exif_of(self.path(name))["main"][315], MAIN[315])
                self.succeed("filter", name, "-f", "identity", "-o", "again.png", "--allow-untrusted-formats")
                np.testing.assert_array_equal(load(self.path("again.png")), picture)

    def test_without_metadata(self):
        save(self.path("in.png"), u8(scene(20, 30, 3)))
        self.succeed("filter", "in.png", "-f", "box", "-o", "out.jxl", "-f", "box", "-o", "out.jp2")
        self.assertNotIn(b"uuid", [kind for kind, _ in boxes(self.read("out.jp2"))])
        self.assertTrue(self.read("out.jxl").startswith((b"\xff\n", b"\0\0\0\x0cJXL ")))
        for name in ("out.jxl", "out.jp2"):
            self.assertEqual(self.succeed("filter", name, "-f", "box", "-o", "out.png", "--allow-untrusted-formats").err, "")


class Lost(support.Case):
    def test_one_line(self):
        self.write("in.jpg", jpeg(u8(scene(20, 30, 3)), exif_segment(), xmp_segment()))
        for name in ("out.gif", "out.ppm", "out.hdr"):
            result = self.succeed("filter", "in.jpg", "-f", "box", "-o", name)
            self.assert_one_line(result)
            for word in (name, "EXIF", "XMP", "profile"):
                self.assertIn(word, result.err)

    def test_iptc(self):
        """IPTC lies among Photoshop's resources in a JPEG, and of a TIFF; thumbnails are lost."""
        records = b"\x1c\x02\x78\0\x04Jena"
        caption = struct.pack(">4sH2sI", b"8BIM", 0x0404, b"\0\0", len(records)) + records + b"\0"
        self.assertEqual(len(records) % 2, 1)
        secret = bytes(range(1, 200))
        thumbnail = struct.pack(">4sH2sI", b"8BIM", 0x040C, b"\0\0", len(secret)) + secret + b"\0"
        self.write("in.jpg", jpeg(u8(scene(20, 30, 3)), (0xED, b"Photoshop 3.0\0" + thumbnail + caption)))
        self.succeed("filter", "in.jpg", "-f", "box", "-o", "a.tif", "-f", "box", "-o", "a.jpg")
        self.succeed("filter", "a.tif", "-f", "box", "-o", "b.jpg")
        main = read_exif(self.read("a.tif"))["main"]
        self.assertEqual(main[34377][2], caption)
        for name in ("a.jpg", "b.jpg"):
            self.assertIn((0xED, b"Photoshop 3.0\0" + caption), segments(self.read(name)))
        for cut in range(len(b"Photoshop 3.0\0"), 40, 5):
            self.write("in.jpg", jpeg(u8(scene(8, 8, 3)), (0xED, (b"Photoshop 3.0\0" + caption)[:cut])))
            self.succeed("filter", "in.jpg", "-f", "box", "-o", "a.tif")

    def test_iptc_beside_large_resources(self):
        """A JPEG holds 65,000 bytes of resources: IPTC goes first, and is named where it is longer itself."""
        def resource(number, data):
            return struct.pack(">4sH2sI", b"8BIM", number, b"\0\0", len(data)) + data + bytes(len(data) % 2)
        def write(*resources):
            data = b"".join(resources)
            save(self.path("in.tif"), u8(scene(20, 30, 3)), extratags=[(34377, 7, len(data), data, True)])
        records = b"\x1c\x02\x05\0\x05Hello"
        caption = resource(0x0404, records)
        write(resource(0x03F3, bytes(70000)), caption)
        self.assertEqual(self.succeed("filter", "in.tif", "-f", "box", "-o", "a.jpg", "-f", "box", "-o", "a.tif").err, "")
        self.assertIn((0xED, b"Photoshop 3.0\0" + caption), segments(self.read("a.jpg")))
        self.assertEqual(len(read_exif(self.read("a.tif"))["main"][34377][2]), 70000 + 12 + len(caption))
        write(resource(0x0404, records + b"\x1c\x02\x78\x80\x04" + struct.pack(">I", 66000) + bytes(66000)))
        result = self.succeed("filter", "in.tif", "-f", "box", "-o", "b.jpg")
        self.assert_one_line(result)
        self.assertIn("IPTC", result.err)
        self.assertNotIn(0xED, [marker for marker, _ in segments(self.read("b.jpg"))])
        write(resource(0x03F3, bytes(70000)))
        self.assertEqual(self.succeed("filter", "in.tif", "-f", "box", "-o", "c.jpg").err, "")


HDR = b"""<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:Container="http://ns.google.com/photos/1.0/container/"
 xmlns:Item="http://ns.google.com/photos/1.0/container/item/" xmlns:hdrgm='http://ns.adobe.com/hdr-gain-map/1.0/'
 hdrgm:Version="1.0" dc:format="image/jpeg"><Container:Directory><rdf:Seq>
<rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="Primary" Item:Mime="image/jpeg"/></rdf:li>
<rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="GainMap" Item:Mime="image/jpeg" Item:Length="9"/>
</rdf:li></rdf:Seq></Container:Directory><dc:title>Jena</dc:title></rdf:Description></rdf:RDF></x:xmpmeta>"""


class Parts(support.Case):
    def xmp_after(self, xmp):
        import xml.dom.minidom
        self.write("in.jpg", jpeg(u8(scene(20, 30, 3)), xmp_segment(xmp)))
        result = self.succeed("filter", "in.jpg", "-f", "box", "-o", "out.jpg")
        found = [data[29:] for marker, data in segments(self.read("out.jpg")) if data.startswith(b"http://ns.adobe")]
        if found:
            xml.dom.minidom.parseString(found[0])  # still well-formed
        return result, found[0] if found else None

    def test_gain_map(self):
        result, kept = self.xmp_after(HDR)
        self.assert_one_line(result)
        self.assertIn("gain map", result.err)
        for gone in (b"hdrgm:", b"Container:", b"GainMap"):
            self.assertNotIn(gone, kept.replace(b"xmlns:Container", b"").replace(b"xmlns:hdrgm", b""))
        for there in (b'dc:format="image/jpeg"', b"<dc:title>Jena</dc:title>"):
            self.assertIn(there, kept)

    def test_other_prefix_and_motion(self):
        result, kept = self.xmp_after(HDR.replace(b"hdrgm:", b"g1:").replace(b":hdrgm", b":g1"))
        self.assertNotIn(b"g1:Version", kept)
        motion = (b"<x:xmpmeta xmlns:x='adobe:ns:meta/'><d xmlns:G='http://ns.google.com/photos/1.0/camera/' "
                  b"G:MotionPhoto='1' G:Other='2'/></x:xmpmeta>")
        result, kept = self.xmp_after(motion)
        self.assert_one_line(result)
        self.assertNotIn(b"MotionPhoto", kept)
        self.assertIn(b"G:Other='2'", kept)

    def test_thumbnails(self):
        result, kept = self.xmp_after(b"<x:xmpmeta xmlns:x='adobe:ns:meta/'><d xmlns:xmp='http://ns.adobe.com/xap/1.0/' "
                                      b"xmp:Rating='3'><xmp:Thumbnails><a>AAAA</a></xmp:Thumbnails></d></x:xmpmeta>")
        self.assertEqual(result.err, "")
        self.assertNotIn(b"AAAA", kept)
        self.assertIn(b"xmp:Rating='3'", kept)

    def test_other_xmp_stays(self):
        result, kept = self.xmp_after(XMP)
        self.assertEqual((result.err, kept), ("", XMP))

    def test_text_is_no_property(self):
        """Names of properties in text, in values of other attributes, and in comments."""
        begin = (b"<?xpacket begin='' id='x'?><x:xmpmeta xmlns:x='adobe:ns:meta/'><d xmlns:xmp='http://ns.adobe.com/xap/1.0/' "
                 b"xmlns:hdrgm='http://ns.adobe.com/hdr-gain-map/1.0/' xmlns:dc='http://purl.org/dc/elements/1.1/'")
        end = b"</d></x:xmpmeta>"
        for text in (b"><dc:title>about xmp:Thumbnails here</dc:title>",
                     b"><dc:title>hdrgm:Version is a tag of=\"Ultra HDR\"</dc:title>",
                     b" dc:title=\"see xmp:Thumbnails=' and hdrgm:Version='1.0' there\">",
                     b"><!-- don't < xmp:Thumbnails ='x' <hdrgm:Version>1 -->",
                     b"><dc:title><![CDATA[ it's <xmp:Thumbnails> ]]></dc:title>"):
            result, kept = self.xmp_after(begin + text + end)
            self.assertEqual((result.err, kept), ("", begin + text + end))
        # Beside them, properties are removed.
        result, kept = self.xmp_after(begin + b"><dc:title>it's xmp:Thumbnails </dc:title><xmp:Thumbnails>AAAA</xmp:Thumbnails>" + end)
        self.assertEqual((result.err, kept), ("", begin + b"><dc:title>it's xmp:Thumbnails </dc:title>" + end))
        result, kept = self.xmp_after(begin + b" dc:a='>' hdrgm:Version=\"1'0\" dc:b='2'>" + end)
        self.assertEqual(kept, begin + b" dc:a='>' dc:b='2'>" + end)

    def test_damaged(self):
        for cut in range(300, len(HDR), 97):
            self.write("in.jpg", jpeg(u8(scene(8, 8, 3)), xmp_segment(HDR[:cut])))
            self.succeed("filter", "in.jpg", "-f", "box", "-o", "out.jpg")
        for cut in (HDR.index(b"hdrgm:Version") + 16, HDR.index(b"dc:format") + 14):
            self.write("in.jpg", jpeg(u8(scene(8, 8, 3)), xmp_segment(HDR[:cut])))
            result = self.succeed("filter", "in.jpg", "-f", "box", "-o", "out.jpg")
            self.assertIn("XMP is damaged and is not kept", result.err)
            self.assertNotIn(b"xmpmeta", self.read("out.jpg"))


def find_box(data, path):
    """The content of a nested box of HEIF; meta and ipco are full of others."""
    for kind in path:
        at = data.find(kind)
        assert at >= 4, kind
        length, = struct.unpack_from(">I", data, at - 4)
        data = data[at + 4:at - 4 + length]
    return data


class Bits(support.Case):
    """16 bits are written as 12 in AVIF and as 10 in HEIC."""

    def setUp(self):
        super().setUp()
        steps = np.linspace(0, 65535, 512).round().astype(np.uint16).reshape(16, 32)
        save(self.path("in.png"), np.stack([np.kron(steps, np.ones((4, 4), np.uint16))] * 3, -1))

    def test_depth(self):
        for name, config, depth in (("out.avif", b"av1C", 12), ("out.heic", b"hvcC", 10)):
            with self.subTest(name=name):
                result = self.run_abbe("filter", "in.png", "-f", "identity", "-o", name + "[lossless]")
                if "unknown extension" in result.err:
                    self.skipTest("libvips has no saver for " + name)
                self.assertEqual(result.status, 0, result)
                box = find_box(self.read(name), [config])
                found = (8 + 2 * bool(box[2] & 0x40) + 2 * bool(box[2] & 0x20) if config == b"av1C"
                         else 8 + (box[17] & 7))
                self.assertEqual(found, depth)
                self.succeed("filter", name, "-f", "identity", "-o", "again.png")
                wrong = np.abs(load(self.path("again.png")).astype(int) - load(self.path("in.png")))
                self.assertLessEqual(wrong.max(), 0.5 * 65535 / (2 ** depth - 1) + 1)
                self.assertEqual(load(self.path("again.png")).max(), 65535)

    def test_eight_bits_stay_eight(self):
        save(self.path("in8.png"), u8(scene(32, 32, 3)))
        result = self.run_abbe("filter", "in8.png", "-f", "identity", "-o", "out.avif")
        if result.status == 0:
            self.assertFalse(find_box(self.read("out.avif"), [b"av1C"])[2] & 0x40)

    def test_ten_bits_in_avif(self):
        """libaom would end the process; the options that work are named."""
        if "unknown extension" not in self.run_abbe("filter", "in.png", "-f", "box", "-o", "a.avif").err:
            self.refuse(1, "filter", "in.png", "-f", "box", "-o", "b.avif[bitdepth=10]", says="bitdepth=12")


if __name__ == "__main__":
    support.main()
