"""Folders of pictures, outputs that exist, formats on standard output, several pictures on standard input."""

import io
import os

from PIL import Image

import support
from support import load, png_bytes, save, scene, u8


class Folders(support.Case):
    def setUp(self):
        super().setUp()
        os.makedirs(self.path("photos", "a", "b"))
        self.inputs = ["photos/x.png", "photos/a/y.png", "photos/a/b/z.png"]
        for i, name in enumerate(self.inputs):
            save(self.path(name), u8(scene(20, 30 + i)))

    def found(self, folder):
        return sorted(os.path.relpath(os.path.join(root, name), self.path(folder))
                      for root, _, names in os.walk(self.path(folder)) for name in names)

    def test_recursive(self):
        """Pictures alone, not hidden, not behind links; the order does not depend on the file system."""
        self.write("photos/note.txt", "no picture")
        self.write("photos/.hidden.png", self.read(self.inputs[0]))
        os.symlink("x.png", self.path("photos", "link.png"))
        os.symlink("..", self.path("photos", "a", "loop"))
        for folder in ("photos", "photos//"):
            self.succeed("filter", folder, "--recursive", "-f", "identity", "-o", "out/{dir}/{name}.tif",
                         "--parents")
            self.assertEqual(self.found("out"), ["photos/a/b/z.tif", "photos/a/y.tif", "photos/x.tif"])
        for name in self.inputs:
            self.assertTrue((load(self.path("out", name[:-3] + "tif")) == load(self.path(name))).all())

    def test_what_cannot_be_read_is_said(self):
        """A picture, a folder, and what is in a folder that may be listed but not entered; the others are filtered."""
        save(self.path("photos/a/shut.png"), u8(scene(8, 8)))
        os.mkdir(self.path("photos/none"))
        os.mkdir(self.path("photos/listed"))
        save(self.path("photos/listed/w.png"), u8(scene(8, 8)))
        os.chmod(self.path("photos/a/shut.png"), 0)
        os.chmod(self.path("photos/none"), 0)
        os.chmod(self.path("photos/listed"), 0o444)
        self.addCleanup(os.chmod, self.path("photos/none"), 0o755)
        self.addCleanup(os.chmod, self.path("photos/listed"), 0o755)
        more = {}
        if os.geteuid() == 0:
            os.chmod(self.folder, 0o777)
            more = {"user": 65534, "group": 65534, "extra_groups": []}
            try:
                self.succeed("--version", **more)
            except PermissionError:
                self.skipTest("another user cannot run the command")
        run = ("-f", "identity", "-o", "out/{dir}/{name}.tif", "--parents", "-t", "1")
        result = self.run_abbe("filter", "photos", "--recursive", *run, **more)
        self.assertEqual(result.status, 1, result)
        self.assertEqual(self.found("out"), ["photos/a/b/z.tif", "photos/a/y.tif", "photos/x.tif"])
        self.assertEqual(sorted(line.split(": ")[1] for line in result.err.splitlines()),
                         ["photos/a/shut.png", "photos/listed/w.png", "photos/none"])
        self.refuse(1, "filter", "photos/none", "--recursive", *run, **more, says="photos/none")

    def test_recursive_needs_pictures_and_names(self):
        os.mkdir(self.path("empty"))
        result = self.run_abbe("filter", "empty", "--recursive", "-f", "box", "-o", "{name}.tif")
        self.assertEqual((result.status, result.err.count("\n")), (1, 1))
        self.refuse(2, "filter", "photos", "--recursive", "-f", "box", "-o", "out.tif", says="{name}")
        self.refuse(1, "filter", "photos", "-f", "box", "-o", "out.tif", says="folder")

    def test_dir_never_leaves_the_output(self):
        inside = self.path("photos", "a")
        self.succeed("filter", "../x.png", self.path("photos/a/b/z.png"), "y.png", "-f", "box", "-o",
                     "up/{dir}/{name}.tif", "--parents", cwd=inside)
        below = os.path.relpath(self.path("photos/a/b/z.tif"), "/")
        self.assertEqual(self.found("photos/a/up"), sorted(["x.tif", "y.tif", below]))

    def test_folders_are_made_on_request_only(self):
        self.refuse(1, "filter", self.inputs[0], "-f", "box", "-o", "new/deep/out.png", says="new/deep")
        self.write("file", "")
        self.refuse(1, "filter", self.inputs[0], "-f", "box", "-o", "file/out.png", "--parents", says="file")
        self.succeed("filter", self.inputs[0], "-f", "box", "-o", "new/deep/out.png", "--parents")

    def test_conflicts_in_new_folders(self):
        """Two inputs whose results have one name in a folder that does not exist yet."""
        save(self.path("x.png"), u8(scene(20, 30)))
        self.refuse(1, "filter", "x.png", self.inputs[0], "-f", "box", "-o", "new/{name}.tif", "--parents",
                    says="replace")

    def test_existing(self):
        run = ("filter", *self.inputs[:2], "-f", "box", "-o", "{name}.tif")
        self.write("x.tif", "mine")
        self.succeed(*run, "--existing", "skip")
        self.assertEqual(self.read("x.tif"), b"mine")
        self.assertTrue(os.path.exists(self.path("y.tif")))
        os.unlink(self.path("y.tif"))
        self.refuse(1, *run, "--existing", "refuse", says=("x.tif", "exists"))
        self.assertEqual(self.read("x.tif"), b"mine")
        self.assertTrue(os.path.exists(self.path("y.tif")))
        self.succeed(*run, "--existing", "overwrite")
        self.assertNotEqual(self.read("x.tif"), b"mine")
        self.refuse(2, *run, "--existing", "maybe", says="maybe")

    def test_existing_with_several_results(self):
        """The missing result of a picture is written, the other is kept."""
        self.write("a.tif", "mine")
        self.succeed("filter", self.inputs[0], "-f", "box", "-o", "a.tif", "-f", "sobel", "-o", "b.tif",
                     "--existing", "skip")
        self.assertEqual(self.read("a.tif"), b"mine")
        self.succeed("filter", self.inputs[0], "-f", "sobel", "-o", "alone.tif")
        self.assertTrue((load(self.path("b.tif")) == load(self.path("alone.tif"))).all())

    def test_outputs_that_are_kept_replace_nothing(self):
        """Neither another input, nor several pages."""
        for name in ("x.png", "x-soft.png"):
            save(self.path(name), u8(scene(20, 30)))
        run = ("filter", "x.png", "x-soft.png", "-f", "box", "-o", "{name}-soft.png")
        self.assertIn("would replace the input", self.run_abbe(*run).err)
        before = self.read("x-soft.png")
        os.unlink(self.path("x-soft-soft.png"))
        self.assertEqual(self.succeed(*run, "--existing", "skip").err, "")
        self.assertEqual(self.read("x-soft.png"), before)
        self.assertTrue(os.path.exists(self.path("x-soft-soft.png")))
        frames = [Image.fromarray(u8(scene(20, 30, seed=i))) for i in range(3)]
        frames[0].save(self.path("pages.tif"), save_all=True, append_images=frames[1:])
        run = ("filter", "pages.tif", "--page", "2", "-f", "box", "-o", "pages.tif", "-f", "identity", "-o", "page.png")
        self.assertEqual(self.run_abbe(*run).status, 1)
        self.succeed(*run, "--existing", "skip")
        self.assertTrue((load(self.path("page.png")) == u8(scene(20, 30, seed=1))).all())

    def test_formats_of_outputs_that_are_kept_do_not_matter(self):
        """An extension that is unknown, and a format that cannot hold the depth."""
        self.write("old.xyz", "mine")
        self.write("old.jpg", "mine")
        for number, (old, depth) in enumerate((("old.xyz", ()), ("old.xyz", ("--depth", "16")), ("old.jpg", ("--depth", "16")))):
            new = f"new{number}.tif"
            result = self.succeed("filter", *depth, self.inputs[0], "-f", "box", "-o", old, "-f", "sobel", "-o", new,
                                  "--existing", "skip")
            self.assertEqual((result.err, self.read(old)), ("", b"mine"))
            self.succeed("filter", *depth, self.inputs[0], "-f", "sobel", "-o", "alone.tif")
            got, wanted = load(self.path(new)), load(self.path("alone.tif"))
            self.assertEqual(got.dtype, wanted.dtype)
            self.assertLessEqual(abs(got.astype(int) - wanted).max(), 1)


class Streams(support.Case):
    def setUp(self):
        super().setUp()
        save(self.path("in.png"), u8(scene(20, 30, 3)))

    def test_format_on_standard_output(self):
        for name, form in (("jpg:-", "JPEG"), ("webp:-[Q=50]", "WEBP"), ("tif:-", "TIFF"), ("-", "PNG"),
                           ("PPM:-", "PPM")):
            out = self.succeed("filter", "in.png", "-f", "box", "-o", name).out
            self.assertEqual(Image.open(io.BytesIO(out)).format, form)
        self.assert_only("in.png")

    def test_names_that_look_like_standard_output(self):
        self.refuse(1, "filter", "in.png", "-f", "box", "-o", "-.jpg", says=("jpg:-", "./-.jpg"))
        self.refuse(1, "filter", "in.png", "-f", "box", "-o", "nothing:-", says="nothing:-")
        self.refuse(1, "filter", "in.png", "-f", "box", "-o", "jpg:-[Q=1000]", says="Q")
        self.refuse(2, "filter", "in.png", "-f", "box", "-o", "-", "-f", "box", "-o", "jpg:-",
                    says="standard output")
        self.assert_only("in.png")
        self.succeed("filter", "in.png", "-f", "box", "-o", "./-.jpg")
        self.assert_only("-.jpg", "in.png")

    def pictures(self):
        image = Image.fromarray(u8(scene(20, 30, 3)))
        yield png_bytes(u8(scene(20, 30)))
        for form, more in (("JPEG", {}), ("JPEG", {"progressive": True}), ("WEBP", {}), ("BMP", {}),
                           ("PPM", {})):
            file = io.BytesIO()
            image.save(file, form, **more)
            yield file.getvalue()

    def test_a_second_picture_on_standard_input(self):
        """Nothing of a stream is dropped without a word; one picture, and what is no picture, passes."""
        for data in self.pictures():
            arguments = ("filter", "-", "-f", "box", "-o", "out.tif", "--allow-untrusted-formats")
            for behind in (b"", b"\0\0\0\0", b"trailer of a camera"):
                self.succeed(*arguments, stdin=data + behind)
            os.unlink(self.path("out.tif"))
            self.refuse(1, *arguments, stdin=data + data, says="another picture")
            with open(self.write("two", data * 2), "rb") as two:
                result = support.subprocess.run([support.ABBE, *arguments], cwd=self.folder, stdin=two,
                                                stderr=support.subprocess.PIPE, check=False)
            self.assertEqual(result.returncode, 1)
            self.assertFalse(os.path.exists(self.path("out.tif")))


if __name__ == "__main__":
    support.main()
