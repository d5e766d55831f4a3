"""Picture files: pixels, depth, profile, metadata and orientation are kept."""

import numpy as np
import tifffile
from PIL import Image, ImageCms, ImageOps

import support
from support import convolved, load, opened, png_bytes, png_chunk, png_header, save, scene, u16, u8

PROFILE = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
ORIENTATION, CAMERA, PREDICTOR = 274, 271, 317


def exif(orientation=1, camera="Abbe & Zeiss"):
    tags = Image.Exif()
    tags[ORIENTATION], tags[CAMERA] = orientation, camera
    return tags.tobytes()


class RoundTrips(support.Case):
    """The identity filter with lossless files."""

    def round_trip(self, source, result="out.png", wanted=None):
        self.succeed("filter", source, "-f", "identity", "-o", result)
        got = load(self.path(result.split("[")[0]))
        wanted = load(self.path(source)) if wanted is None else wanted
        self.assertEqual(got.dtype, wanted.dtype)
        np.testing.assert_array_equal(got, wanted)

    def test_png(self):
        for convert in (u8, u16):
            for channels in (None, 2, 3, 4):
                with self.subTest(convert=convert.__name__, channels=channels):
                    save(self.path("in.png"), convert(scene(23, 31, channels)))
                    self.round_trip("in.png")

    def test_png_transparent_colours(self):
        """The identity is exact except for the colours of fully transparent pixels."""
        picture = u8(scene(16, 16, 4))
        picture[4:8, :, 3] = 0
        save(self.path("in.png"), picture)
        self.succeed("filter", "in.png", "-f", "identity", "-o", "out.png")
        result = load(self.path("out.png"))
        seen = picture[..., 3] > 0
        np.testing.assert_array_equal(result[seen], picture[seen])
        np.testing.assert_array_equal(result[..., 3], picture[..., 3])

    def test_png_palette(self):
        picture = Image.fromarray(u8(scene(23, 31, 3))).quantize(37)
        picture.save(self.path("in.png"))
        self.round_trip("in.png", wanted=np.asarray(picture.convert("RGB")))
        picture.info["transparency"] = 3
        picture.save(self.path("in.png"), transparency=3)
        self.succeed("filter", "in.png", "-f", "identity", "-o", "out.png")
        self.assertEqual(load(self.path("out.png")).shape, (23, 31, 4))

    def test_png_few_bits(self):
        bits = scene(23, 31) > 0.5
        Image.fromarray(bits).save(self.path("in.png"))
        self.round_trip("in.png", wanted=np.where(bits, 255, 0).astype(np.uint8))
        levels = np.arange(16, dtype=np.uint8)[None, :].repeat(4, 0)
        packed = levels[:, ::2] << 4 | levels[:, 1::2]
        raw = b"".join(b"\0" + row.tobytes() for row in packed)
        self.write("in.png", png_header(16, 4, 4, 0) + png_chunk(b"IDAT", support.zlib.compress(raw)) +
                   png_chunk(b"IEND", b""))
        self.round_trip("in.png", wanted=levels * 17)

    def test_png_interlaced(self):
        picture = u8(scene(8, 8))
        passes = ((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0,
                                                                                                       2, 1))
        raw = b"".join(b"\0" + row.tobytes() for y, x, dy, dx in passes for row in picture[y::dy, x::dx])
        self.write("in.png", png_header(8, 8, 8, 0, 1) + png_chunk(b"IDAT", support.zlib.compress(raw)) +
                   png_chunk(b"IEND", b""))
        self.round_trip("in.png", wanted=picture)

    def test_tiff(self):
        for name, convert in (("u8", u8), ("u16", u16), ("f32", lambda v: v.astype(np.float32) * 5 - 2)):
            for channels in (None, 3):
                for layout in ({}, {"tile": (32, 16)}, {"bigtiff": True}, {"byteorder": ">"},
                               {"compression": "zlib", "predictor": name != "f32"}):
                    with self.subTest(type=name, channels=channels, layout=layout):
                        save(self.path("in.tif"), convert(scene(45, 51, channels)), **layout)
                        self.round_trip("in.tif", "out.tif")

    def test_tiff_with_alpha(self):
        for convert in (u8, u16):
            save(self.path("in.tif"), convert(scene(23, 31, 4)))
            self.round_trip("in.tif", "out.tif")

    def test_tiff_in_planes(self):
        picture = u8(scene(23, 31, 3))
        tifffile.imwrite(self.path("in.tif"), picture.transpose(2, 0, 1), photometric="rgb",
                         planarconfig="separate", metadata=None)
        self.round_trip("in.tif", "out.tif", wanted=picture)

    def test_tiff_written_tiled_big_and_compressed(self):
        picture = u16(scene(45, 51, 3))
        save(self.path("in.tif"), picture)
        self.round_trip("in.tif", "out.tif[tile,tile_width=32,tile_height=32,bigtiff,compression=deflate]")
        with tifffile.TiffFile(self.path("out.tif")) as file:
            self.assertTrue(file.is_bigtiff and file.pages[0].is_tiled)

    def test_tiff_keeps_compression_and_tiles(self):
        """A TIFF is stored like the TIFF that it was made from, unless the name says otherwise or its samples differ."""
        def storage(name):
            with tifffile.TiffFile(self.path(name)) as file:
                page = file.pages[0]
                return int(page.compression), (page.tilewidth, page.tilelength) if page.is_tiled else None
        save(self.path("in.png"), u8(scene(45, 51)))
        for compression, number in (("none", 1), ("lzw", 5), ("deflate", 8), ("packbits", 32773), ("zstd", 50000)):
            for tile, sides in (("", None), (",tile,tile_width=32,tile_height=16", (32, 16))):
                self.succeed("filter", "in.png", "-f", "identity", "-o", f"in.tif[compression={compression}{tile}]")
                self.succeed("filter", "in.tif", "-f", "identity", "-o", "out.tif", "-f", "identity", "-o", "16.tif", "--depth",
                             "16", "-f", "identity", "-o", "float.tif", "--depth", "float", "-f", "identity", "-o",
                             "lzw.tif[compression=lzw]")
                with self.subTest(compression=compression, tile=tile):
                    self.assertEqual([storage(name) for name in ("out.tif", "16.tif", "float.tif", "lzw.tif")],
                                     [(number, sides), (number, sides), (1, sides), (5, sides)])
        self.succeed("filter", "in.png", "-f", "identity", "-o", "out.tif")
        self.assertEqual(storage("out.tif"), (8, None))
        self.succeed("filter", "in.png", "-f", "identity", "-o", "in.tif[compression=jpeg]")
        self.succeed("filter", "in.tif", "-f", "identity", "-o", "out.tif")
        self.assertEqual(storage("out.tif"), (8, None), "a result is not compressed with losses unless that is asked for")

    def test_options_replace_defaults(self):
        """An option of the name wins over the default of the format, with any space around its key."""
        save(self.path("in.png"), u8(scene(23, 31, 3)))
        self.round_trip("in.png", "out.tif[predictor=none]")
        with tifffile.TiffFile(self.path("out.tif")) as file:
            self.assertNotIn(PREDICTOR, file.pages[0].tags)
        for extension in ("jpg", "webp"):
            written = []
            for options in ("Q=10", "Q =10", "\tQ=10", " Q = 10 "):
                self.succeed("filter", "in.png", "-f", "identity", "-o", f"out.{extension}[{options}]")
                written.append(self.read(f"out.{extension}"))
            self.assertEqual(len(set(written)), 1, extension)
            self.succeed("filter", "in.png", "-f", "identity", "-o", f"out.{extension}")
            self.assertLess(len(written[0]), len(self.read(f"out.{extension}")))

    def test_webp(self):
        for channels in (3, 4):
            picture = u8(scene(23, 31, channels))
            Image.fromarray(picture).save(self.path("in.webp"), lossless=True, exact=True)
            self.round_trip("in.webp", "out.webp[lossless]")
            self.round_trip("in.webp", "out.png")

    def test_jpeg(self):
        for channels in (None, 3):
            smooth = convolved(scene(64, 80, channels), np.ones((5, 5)) / 25)
            Image.fromarray(u8(smooth)).save(self.path("in.jpg"), quality=95)
            self.succeed("filter", "in.jpg", "-f", "identity", "-o", "out.jpg[Q=98]", "-f", "identity", "-o",
                         "out.png")
            wanted = load(self.path("in.jpg")).astype(int)
            # Decoders may differ by one level; a second JPEG differs by a few.
            self.assertLessEqual(np.abs(load(self.path("out.png")) - wanted).max(), 2)
            self.assertLess(np.abs(load(self.path("out.jpg")) - wanted).mean(), 2)

    def test_gif(self):
        picture = Image.fromarray(u8(scene(23, 31, 3))).quantize(200)
        picture.save(self.path("in.gif"))
        self.round_trip("in.gif", wanted=np.asarray(picture.convert("RGB")))

    def test_cmyk_and_other_spaces_survive(self):
        Image.fromarray(u8(scene(64, 64, 4)), "CMYK").save(self.path("in.jpg"), quality=95)
        self.succeed("filter", "in.jpg", "-f", "box", "-o", "out.jpg", "-f", "box", "-o", "out.tif")
        self.assertEqual(opened(self.path("out.jpg")).mode, "CMYK")
        self.assertEqual(load(self.path("out.tif")).shape, (64, 64, 4))

    def test_cmyk_becomes_rgb(self):
        """In floats as in bytes; PFM has no CMYK."""
        Image.new("CMYK", (16, 16), (200, 40, 90, 30)).save(self.path("in.jpg"), quality=98)
        self.succeed("filter", "in.jpg", "-f", "identity", "-o", "out.png", "-f", "identity", "-o", "out.pfm")
        data = self.read("out.pfm")
        self.assertTrue(data.startswith(b"PF\n16 16\n"))
        floats = np.frombuffer(data[-16 * 16 * 12:], "<f4").reshape(16, 16, 3)
        self.assertLess(np.abs(floats - load(self.path("out.png")) / 255).max(), 0.01)

    def test_extensions_in_capitals(self):
        save(self.path("in.png"), u8(scene(23, 31, 3)))
        self.succeed("filter", "in.png", "-f", "identity", "-o", "OUT.JPG", "-f", "identity", "-o",
                     "OUT.TIFF")
        self.assertEqual(opened(self.path("OUT.JPG")).format, "JPEG")
        self.assertEqual(opened(self.path("OUT.TIFF")).format, "TIFF")

    def test_content_counts_not_the_name_of_the_input(self):
        self.write("really.jpg", png_bytes(u8(scene(23, 31))))
        self.round_trip("really.jpg", wanted=u8(scene(23, 31)))


class Depth(support.Case):
    def test_depth_stays(self):
        for convert, extension in ((u8, "png"), (u16, "png"), (u8, "tif"), (u16, "tif"), (np.float32, "tif")):
            picture = convert(scene(23, 31, 3))
            save(self.path(f"in.{extension}"), picture)
            self.succeed("filter", f"in.{extension}", "-f", "gaussian", "-o", f"out.{extension}")
            self.assertEqual(load(self.path(f"out.{extension}")).dtype, picture.dtype)

    def test_float_is_not_clipped(self):
        picture = (scene(23, 31) * 100 - 50).astype(np.float32)
        save(self.path("in.tif"), picture)
        self.succeed("filter", "in.tif", "-f", "identity", "-o", "out.tif", "-f", "laplacian", "-o",
                     "edges.tif")
        np.testing.assert_array_equal(load(self.path("out.tif")), picture)
        self.assertLess(load(self.path("edges.tif")).min(), -1)

    def test_doubles_are_refused(self):
        """libvips cannot read 64-bit TIFF files; the command prints an error."""
        save(self.path("in.tif"), scene(23, 31))
        self.refuse(1, "filter", "in.tif", "-f", "identity", "-o", "out.tif", says="in.tif")

    def test_not_a_number_is_refused(self):
        picture = scene(23, 31).astype(np.float32)
        picture[3, 4] = np.nan
        save(self.path("in.tif"), picture)
        self.refuse(1, "filter", "in.tif", "-f", "box", "-o", "out.tif", says="in.tif")
        self.assert_only("in.tif")


class Metadata(support.Case):
    def result_of(self, extension, output=None, **more):
        Image.fromarray(u8(scene(48, 64, 3))).save(self.path(f"in.{extension}"), **more)
        output = output or f"out.{extension}"
        self.succeed("filter", f"in.{extension}", "-f", "gaussian", "-o", output)
        return opened(self.path(output))

    def test_profile(self):
        for extension in ("png", "jpg", "tif", "webp"):
            with self.subTest(extension=extension):
                image = self.result_of(extension, icc_profile=PROFILE)
                self.assertEqual(image.info.get("icc_profile"), PROFILE)

    def test_profile_across_formats(self):
        for extension, output in (("jpg", "out.png"), ("png", "out.tif"), ("tif", "out.webp"), ("webp",
                                                                                                "out.jpg")):
            with self.subTest(extension=extension, output=output):
                image = self.result_of(extension, output, icc_profile=PROFILE)
                self.assertEqual(image.info.get("icc_profile"), PROFILE)

    def test_exif(self):
        for extension in ("jpg", "webp", "png"):
            with self.subTest(extension=extension):
                image = self.result_of(extension, exif=exif())
                self.assertEqual(image.getexif().get(CAMERA), "Abbe & Zeiss")

    def test_resolution(self):
        for extension in ("png", "jpg", "tif"):
            with self.subTest(extension=extension):
                image = self.result_of(extension, dpi=(300, 150))
                tags = image.getexif()
                found = (tags.get(282), tags.get(283)) if 282 in tags else image.info["dpi"]
                np.testing.assert_allclose([float(d) for d in found], (300, 150), atol=0.05)

    def test_description(self):
        picture = u8(scene(20, 30))
        save(self.path("in.tif"), picture, description="a lens in Jena")
        self.succeed("filter", "in.tif", "-f", "box", "-o", "out.tif")
        with tifffile.TiffFile(self.path("out.tif")) as file:
            self.assertEqual(file.pages[0].description, "a lens in Jena")


class Orientation(support.Case):
    """Orientation tags: pictures are filtered upright and stored in the orientation of their source."""

    # The inverse of each tag: the stored picture from the upright one.
    HELD = {1: lambda a: a, 2: lambda a: a[:, ::-1], 3: lambda a: a[::-1, ::-1], 4: lambda a: a[::-1],
            5: lambda a: a.swapaxes(0, 1), 6: lambda a: np.rot90(a), 7: lambda a: np.rot90(a, 2).swapaxes(0,
                                                                                                          1),
            8: lambda a: np.rot90(a, -1)}

    def save_held(self, extension, samples, orientation, **more):
        samples = np.ascontiguousarray(samples)
        if extension == "tif":
            save(self.path("in.tif"), samples, extratags=[(ORIENTATION, "H", 1, orientation, True)])
        else:
            Image.fromarray(samples).save(self.path(f"in.{extension}"), exif=exif(orientation), **more)

    def tag_of(self, name):
        if name.endswith(".tif"):
            with tifffile.TiffFile(self.path(name)) as file:
                tag = file.pages[0].tags.get(ORIENTATION)
                return tag.value if tag else 1
        return opened(self.path(name)).getexif().get(ORIENTATION, 1)

    def check(self, extension, levels, options="", **more):
        seen = np.zeros((40, 64, 3), np.uint8)
        seen[8:34, 30] = 240
        seen[0, :5] = 255  # makes every corner different
        blurred = convolved(seen / 255, np.full((1, 15), 1 / 15))
        for orientation, held in self.HELD.items():
            with self.subTest(extension=extension, orientation=orientation):
                self.save_held(extension, held(seen), orientation, **more)
                self.succeed("filter", f"in.{extension}", "-f", "motion:angle=0", "-o",
                             f"out.{extension}{options}")
                self.assertEqual(self.tag_of(f"out.{extension}"), orientation)
                self.assert_levels(load(self.path(f"out.{extension}")), held(blurred), levels, 255)

    def test_the_table_is_that_of_exif(self):
        seen = u8(scene(16, 24, 3))
        for orientation, held in self.HELD.items():
            self.save_held("png", held(seen), orientation)
            upright = ImageOps.exif_transpose(opened(self.path("in.png")))
            np.testing.assert_array_equal(np.asarray(upright), seen)

    def test_tiff(self):
        self.check("tif", 1)

    def test_jpeg(self):
        self.check("jpg", 24, "[Q=100]", quality=100, subsampling=0)

    def test_webp(self):
        self.check("webp", 1, "[lossless]", lossless=True)

    def test_png(self):
        self.check("png", 1)

    def test_across_formats(self):
        """A format without the tag stores the picture upright; others keep its orientation."""
        seen = u8(convolved(scene(20, 30, 3), np.ones((5, 5)) / 25))
        for extension in ("tif", "jpg", "png", "webp"):
            self.save_held(extension, np.rot90(seen), 6, **{"quality": 100} if extension != "tif" else {})
            for output in ("out.tif", "out.jpg[Q=100]", "out.png", "out.webp[lossless]", "out.gif"):
                with self.subTest(extension=extension, output=output):
                    self.succeed("filter", f"in.{extension}", "-f", "identity", "-o", output)
                    name = output.split("[")[0]
                    gif = name == "out.gif" and np.asarray(opened(self.path(name)).convert("RGB"))
                    held = self.HELD[self.tag_of(name)](seen)
                    self.assert_levels(load(self.path(name)) if gif is False else gif, held / 255, 40, 255)

    def test_senseless_tags_are_no_turn(self):
        seen = u8(scene(20, 30, 3))
        for orientation in (0, 9, 255):
            self.save_held("tif", seen, orientation)
            self.succeed("filter", "in.tif", "-f", "identity", "-o", "out.tif")
            np.testing.assert_array_equal(load(self.path("out.tif")), seen)


if __name__ == "__main__":
    support.main()
