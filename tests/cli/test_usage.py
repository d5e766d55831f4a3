"""Wrong command lines, every option, and the progress bar."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios

import support
from support import ABBE, SANITIZED, environment, load, save, scene, u8


class Wrong(support.Case):
    """Each mistake gives one line that names it. Status 2 for the command line, 1 for files."""

    def setUp(self):
        super().setUp()
        save(self.path("in.png"), u8(scene(20, 30, 3)))
        save(self.path("b.png"), u8(scene(20, 30)))
        os.mkdir(self.path("folder"))
        os.mkdir(self.path("folder.png"))
        self.write("empty.png", "")
        self.write("text.png", "Dear Ernst,\n")
        self.write("ragged.txt", "1 2 3\n4 5\n6 7 8\n")
        self.write("words.txt", "1 2 three\n4 5 6\n")
        self.write("offset.mat", "2 1 4 1\n1 2\n")
        self.write("zeros.txt", "\n\n# nothing\n")
        self.before = sorted(os.listdir(self.folder))

    def check(self, table):
        for status, arguments, *says in table:
            with self.subTest(arguments=arguments):
                self.refuse(status, *arguments.split(), says=says)
                self.assertEqual(sorted(os.listdir(self.folder)), self.before)

    def test_inputs(self):
        self.check([
            (1, "filter missing.png -f box -o out.png", "missing.png", "No such file"),
            (1, "filter folder -f box -o out.png", "folder"),
            (1, "filter folder.png -f box -o out.png", "folder.png"),
            (1, "filter empty.png -f box -o out.png", "empty.png"),
            (1, "filter text.png -f box -o out.png", "text.png"),
            (1, "filter in.png/x.png -f box -o out.png", "in.png/x.png"),
            (1, "filter - -f box -o out.png", "standard input"),
            (1, "spectrum missing.png -o out.png", "missing.png"),
            (1, "transform missing.png -o out.tif", "missing.png"),
            (1, "transform --inverse missing.tif -o out.png", "missing.tif"),
            (1, "transform --inverse in.png -o out.png", "in.png", "spectrum"),
            (1, "texture --like missing.png --size 16x16 -o out.png", "missing.png"),
        ])

    def test_filters(self):
        self.check([
            (2, "filter in.png -f gausian -o out.png", "gausian", "gaussian"),
            (2, "filter in.png -f zzzzz -o out.png", "zzzzz", "abbe list filters"),
            (2, "filter in.png -f gaussian:sigm=3 -o out.png", "sigm", "sigma"),
            (2, "filter in.png -f gaussian:sigma=-3 -o out.png", "sigma"),
            (2, "filter in.png -f gaussian:sigma=wide -o out.png", "sigma"),
            (2, "filter in.png -f gaussian:sigma -o out.png", "sigma"),
            (2, "filter in.png -f lowpass:shape=gausian -o out.png", "gausian", "gaussian"),
            (2, "filter in.png -f bandpass:low=0.5:high=0.1 -o out.png", "low"),
            (2, "filter in.png -f notch:x=0.5 -o out.png", "y"),
            (2, "filter in.png -f sobel,box -o out.png", "sobel"),
            (2, "filter in.png -f box, -o out.png", "box,"),
            (2, "filter in.png -f kernel -o out.png", "file"),
            (2, "filter in.png -f= -o out.png"),
            (1, "filter in.png -f kernel:file=ragged.txt -o out.png", "ragged.txt", "line 2"),
            (1, "filter in.png -f kernel:file=words.txt -o out.png", "words.txt", "line 1", "three"),
            (1, "filter in.png -f kernel:file=zeros.txt -o out.png", "zeros.txt"),
            (1, "filter in.png -f kernel:file=offset.mat -o out.png", "offset.mat", "offset"),
            (1, "filter in.png -f kernel:file=missing.txt -o out.png", "missing.txt", "No such file"),
            (1, "filter in.png -f kernel:file=folder -o out.png", "folder"),
            (1, "filter in.png -f kernel:file=empty.png -o out.png", "empty.png"),
            (1, "filter in.png -f mask:file=text.png -o out.png", "text.png"),
            (2, "explain 9x9x1 -f gausian", "gausian", "gaussian"),
            (1, "explain 9x9x1 -f kernel:file=ragged.txt", "ragged.txt"),
            (2, "texture --size 9x9 -f gausian -o out.png", "gausian", "gaussian"),
        ])

    def test_results(self):
        self.check([
            (2, "filter in.png -f box", "box", "-o"),
            (2, "filter in.png -o out.png", "-f"),
            (2, "filter in.png", "-f"),
            (2, "filter in.png -f box -f gaussian -o out.png", "box", "-o"),
            (2, "filter in.png -f box -o a.png -o c.png", "c.png", "-f"),
            (2, "filter in.png -f box -o a.png -f gaussian -o a.png", "a.png"),
            (2, "filter in.png b.png -f box -o out.png", "out.png", "{name}"),
            (2, "filter in.png b.png -f box -o -", "{name}"),
            (2, "filter in.png b.png -f box -o out.{ext}", "{name}"),
            (1, "filter in.png -f box -o out.xyz", "out.xyz", "png"),
            (1, "filter in.png -f box -o out", "out", "png"),
            (1, "filter in.png -f box -o out.png[nonsense=3]", "out.png", "nonsense"),
            (1, "filter in.png -f box -o folder.png", "folder.png"),
            (1, "filter in.png -f box -o folder/", "folder"),
            (2, "filter -f box -o out.png", "input"),
            (2, "spectrum in.png", "-o"),
            (2, "spectrum -o out.png", "input"),
            (2, "spectrum in.png b.png -o out.png", "b.png"),
            (1, "spectrum in.png -o out.xyz", "out.xyz"),
            (2, "transform in.png", "-o"),
            (2, "transform -o out.tif", "input"),
            (1, "transform in.png -o out.jpg", "out.jpg", ".tif"),
            (2, "texture --size 9x9 -f box", "-o"),
            (2, "texture --size 9x9 -o out.png", "-f"),
            (1, "texture --size 9x9 -f power -o out.xyz", "out.xyz"),
        ])

    def test_options(self):
        run = "filter in.png -f box -o out.png "
        self.check([
            (2, run + "--border mirrored", "mirrored", "mirror"),
            (2, run + "--border constant:grey", "constant:grey"),
            (2, run + "--border reflect:1", "reflect", "constant"),
            (2, run + "--border constant:inf", "constant:inf"),
            (2, run + "--method ftt", "ftt", "fft"),
            (2, run + "--threads many", "many", "whole number"),
            (2, run + "--threads -1", "-1"),
            (2, run + "--threads 1e3", "1e3"),
            (2, run + "--offset half", "half", "0.5"),
            (2, run + "--offset nan", "nan"),
            (2, run + "--max-pixels 0", "0"),
            (2, run + "--max-pixels 99999999999999999999", "99999999999999999999"),
            (2, run + "--bordr clamp", "--bordr", "--border"),
            (2, run + "--frobnicate", "--frobnicate"),
            (2, run + "-x", "-x"),
            (2, run + "--border", "--border"),
            (2, run + "--linear=yes", "--linear"),
            (1, run + "--device abacus", "abacus", "cpu"),
            (1, "filter in.png -f lowpass -o out.png --method direct", "in.png"),
            (1, "filter in.png -f lowpass -o out.png --method separable", "in.png"),
            (2, "texture --size 0x10 -f power -o out.png", "0x10"),
            (2, "texture --size 10 -f power -o out.png", "10", "x"),
            (2, "texture --size 10x-4 -f power -o out.png", "10x-4"),
            (2, "texture --size 9x9 --seed soup -f power -o out.png", "soup"),
            (2, "texture -f power -o out.png", "--size"),
            (2, "explain", "6000x4000x3"),
            (2, "explain 9x9x3", "-f"),
            (2, "explain 9x9 -f box", "9x9", "channels"),
            (2, "explain 9x9x3:u7 -f box", "u7", "u8"),
            (2, "explain 0x9x3 -f box", "0x9x3"),
            (2, "explain 9x9x3 8x8x3 -f box", "8x8x3"),
            (2, "explain 9x9x3 -f box -n 0", "-n", "'0'"),
            (2, "explain 9x9x3 -f box --pictures few", "--pictures", "few"),
            (2, "list flters", "flters", "filters"),
            (2, "list filters borders", "borders"),
            (2, "fliter in.png", "fliter", "filter"),
            (2, "--verion", "--verion"),
            (2, "help fliter", "fliter"),
        ])

    def test_hints_name_the_help(self):
        result = self.refuse(2, "filter", "in.png")
        self.assertIn("abbe filter --help", result.err)


class Levels(support.Case):
    """Offsets and borders that look like levels of integers are applied, with one line that explains the scale."""

    def test_warning(self):
        save(self.path("in.png"), u8(scene(20, 30)))
        save(self.path("deep.png"), support.u16(scene(20, 30)))
        for options, says in ((["--offset", "128"], ("--offset 128", "0 to 1", "0.502")),
                              (["--offset=-3"], ("--offset -3", "of 255")),
                              (["-b", "constant:7"], ("constant:7", "0.02745"))):
            result = self.succeed("filter", "in.png", "-f", "box", "-o", "out.png", "-q", *options)
            self.assert_one_line(result)
            for text in says:
                self.assertIn(text, result.err)
        result = self.succeed("filter", "deep.png", "in.png", "-f", "box", "-o", "{name}-out.png", "--offset", "300")
        self.assert_one_line(result)
        self.assertIn("of 65535", result.err)
        self.assertEqual(load(self.path("in-out.png")).min(), 255)

    def test_no_warning(self):
        save(self.path("in.png"), u8(scene(20, 30)))
        save(self.path("in.tif"), scene(20, 30).astype("float32"))
        for arguments in (["in.png", "--offset", "0.5"], ["in.png", "--offset=-1"], ["in.png", "-b", "constant:1"],
                          ["in.tif", "--offset", "128"], ["in.tif", "-b", "constant:7"]):
            result = self.succeed("filter", *arguments, "-f", "box", "-o", "out.tif")
            self.assertEqual(result.err, "")


class Every(support.Case):
    """Every option of every subcommand, in every spelling."""

    def setUp(self):
        super().setUp()
        save(self.path("in.png"), u8(scene(20, 30, 4)))

    def same(self, *spellings):
        files = []
        for spelling in spellings:
            self.succeed("filter", "in.png", *spelling)
            files.append(self.read("out.png"))
            os.unlink(self.path("out.png"))
        for file in files[1:]:
            self.assertEqual(file, files[0], spellings)

    def test_spellings(self):
        self.same(("-f", "box", "-o", "out.png", "-b", "clamp", "-m", "fft", "-t", "1", "-d", "cpu"),
                  ("--filter", "box", "--output", "out.png", "--border", "clamp", "--method", "fft",
                   "--threads", "1", "--device", "cpu"),
                  ("--filter=box", "--output=out.png", "--border=clamp", "--method=fft", "--threads=1",
                   "--device=auto"),
                  ("-fbox", "-oout.png", "-bclamp", "-mfft", "-t1", "-dcpu"),
                  ("-b", "wrap", "-b", "clamp", "-f", "box", "-o", "out.png", "-m", "fft"))

    def test_filter_switches(self):
        for options in ("--linear", "--straight-alpha", "--correlate", "--offset 0.1", "--offset=-0.1",
                        "--threads 0", "--max-pixels 600", "--allow-untrusted-formats", "--stats", "-s", "-q",
                        "--quiet", "--method auto", "--border constant"):
            self.succeed("filter", "in.png", "-f", "box", "-o", "out.png", *options.split())

    def test_constant_without_value_is_zero(self):
        self.same(("-f", "box", "-o", "out.png", "-b", "constant"),
                  ("-f", "box", "-o", "out.png", "-b", "zero"))

    def test_single_commands(self):
        common = ("--device", "cpu", "--threads", "1", "--quiet", "--max-pixels", "600",
                  "--allow-untrusted-formats")
        short = ("-d", "cpu", "-t", "1", "-q")
        for options in (common, short):
            self.succeed("transform", "in.png", "-o", "packed.tif", *options)
            self.succeed("transform", "--inverse", "packed.tif", "--output", "again.png", *options)
            self.succeed("spectrum", "in.png", "-o", "spectrum.png", *options)
            self.succeed("spectrum", "in.png", "-o", "phase.png", "--phase", *options)
            self.succeed("texture", "-o", "texture.png", "--size", "20x30", "--seed", "5", "-f", "power",
                         *options)
            self.succeed("texture", "-o", "like.png", "--size", "20x30", "--seed=5", "--like", "in.png",
                         *options)
        self.assertTrue((load(self.path("again.png")) == load(self.path("in.png"))).all())

    def test_explain(self):
        text = self.succeed("explain", "640x480x3:u16", "-f", "gaussian", "-f", "sobel", "--device", "cpu",
                            "--border", "constant:0.5", "--method", "fft", "--threads", "1", "--max-pixels",
                            "99", "--allow-untrusted-formats").out.decode()
        for part in ("640 x 480", "u16", "constant:0.5", "direct", "separable", "fft", "tiles", "* fft"):
            self.assertIn(part, text)
        self.assertNotIn("auto chooses", text)

    def test_explain_says_where(self):
        """auto chooses the CPU for one small picture, and a GPU for many if there is one."""
        nowhere = environment(VK_ICD_FILENAMES="/dev/null", VK_DRIVER_FILES="/dev/null")
        for pictures, reason in ((), "not worth"), (("--pictures", "1000000"), "no GPU"):
            done = support.abbe("explain", "640x480x3", "-f", "disk:radius=9", *pictures, env=nowhere)
            self.assertEqual(done.status, 0, done)
            lines = [line for line in done.out.decode().splitlines() if line.startswith("auto chooses cpu: ")]
            self.assertEqual(len(lines), 1)
            self.assertIn(reason, lines[0])

    def test_list(self):
        for name, part in (("filters", "gaussian"), ("borders", "reflect"), ("devices", "cpu")):
            self.assertIn(part, self.succeed("list", name).out.decode())
            self.assertIn(part, self.succeed("list").out.decode())

    def test_help_and_version(self):
        for command in ("filter", "transform", "spectrum", "texture", "scene", "view", "explain", "list"):
            long = self.succeed(command, "--help")
            self.assertEqual(long.out, self.succeed(command, "-h").out)
            self.assertEqual(long.out, self.succeed("help", command).out)
            self.assertIn(f"abbe {command}", long.out.decode())
        self.assertEqual(self.succeed("--help").out, self.succeed("-h").out)
        self.assertRegex(self.succeed("--version").out.decode(), r"^abbe \d+\.\d+\.\d+\n.*vips")
        self.assertIn("abbe filter", self.succeed().out.decode())


class Progress(support.Case):
    """The bar appears only on a terminal, only after half a second, and is removed at the end."""

    def setUp(self):
        super().setUp()
        save(self.path("in.png"), u8(scene(40, 50)))
        save(self.path("big.tif"), u8(scene(640, 800, 3)))

    def on_terminal(self, *arguments, **env):
        """The output of the command on a terminal of 100 columns."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        process = subprocess.Popen([ABBE, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stderr=slave,
                                   stdout=subprocess.DEVNULL,
                                   env=environment(**{"TERM": "xterm", "ABBE_CPU": "plain", **env}))
        os.close(slave)
        said = b""
        while process.poll() is None or select.select([master], [], [], 0)[0]:
            if select.select([master], [], [], 0.05)[0]:
                try:
                    said += os.read(master, 65536)
                except OSError:  # the other end is closed
                    break
        os.close(master)
        return process.wait(60), said

    # Direct convolution in portable C on one thread, which takes more than a second on any machine.
    TEXT = "disk:radius=12" if SANITIZED else "disk:radius=70"
    SLOW = ("filter", "big.tif", "-f", TEXT, "-o", "out.tif", "-m", "direct", "-t", "1")

    def test_bar(self):
        status, said = self.on_terminal(*self.SLOW)
        self.assertEqual(status, 0)
        for part in ("filtering", "big.tif", "%", "left"):
            self.assertIn(part, said.decode())
        self.assertIn(b"\x1b[36m", said)
        shares = [int(share) for share in re.findall(rb"(\d+)%", said)]
        self.assertGreater(len(set(shares)), 3)
        self.assertEqual(shares, sorted(shares))
        self.assertTrue(said.endswith(b"\r\x1b[K"), said[-40:])

    def test_no_colour(self):
        status, said = self.on_terminal(*self.SLOW, NO_COLOR="1")
        self.assertEqual(status, 0)
        self.assertIn(b"%", said)
        self.assertNotRegex(said, rb"\x1b\[[0-9;]*m")

    def test_without(self):
        for arguments, env in (((*self.SLOW, "--quiet"), {}), (self.SLOW, {"TERM": "dumb"}),
                               (("filter", "in.png", "-f", "box", "-o", "out.png"), {})):
            with self.subTest(arguments=arguments, env=env):
                self.assertEqual(self.on_terminal(*arguments, **env), (0, b""))

    def test_silent_in_a_pipe(self):
        self.assertEqual(self.succeed(*self.SLOW, env=environment(TERM="xterm")).err, "")

    def test_names_stay_clean(self):
        evil = "e\x1b[31m\nvil\u009b.tif"
        os.rename(self.path("big.tif"), self.path(evil))
        status, said = self.on_terminal("filter", evil, *self.SLOW[2:])
        self.assertEqual(status, 0)
        self.assertIn(b"%", said)
        self.assertNotIn(b"\x1b[31m", said)
        self.assertNotIn("\u009b".encode(), said)
        self.assertNotIn(b"\n", said)

    def test_errors_stand_on_a_clean_line(self):
        self.write("bad.png", "nothing")
        status, said = self.on_terminal("filter", "big.tif", "bad.png", *self.SLOW[2:4], "-o", "{name}.tif",
                                        "-m", "direct", "-t", "1")
        self.assertEqual(status, 1)
        self.assertRegex(said, rb"\r\x1b\[Kabbe: bad\.png: [^\r\n]*\r\n")


if __name__ == "__main__":
    support.main()
