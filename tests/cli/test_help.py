"""Introduction, help, lists, explain, man page and completions; and that they agree."""

import os
import re
import resource
import shutil
import subprocess

import support
from support import ABBE, ROOT, SANITIZED, abbe, np, save, u8

COMMANDS = ["filter", "combine", "transform", "spectrum", "texture", "tile", "scene", "view", "explain", "list"]
TOOL = os.path.join(ROOT, "tools", "abbe")
BORDERS = ["reflect", "mirror", "clamp", "zero", "constant", "wrap"]
METHODS = ["direct", "separable", "fft", "tiles"]


def text_of(*names):
    with open(os.path.join(TOOL, *names), encoding="utf-8") as file:
        return file.read()


def output(*arguments):
    result = abbe(*arguments)
    assert result.status == 0 and not result.err, (arguments, result)
    return result.out.decode()


def help_options(command):
    """{ "--name": "-n" or None } of a command's help."""
    found = re.findall(r"^  (?:(-\w), |    )(--[\w-]+)", output(command, "--help"), re.M)
    return {name: letter or None for letter, name in found}


def long_options(text):
    return set(re.findall(r"(?<![\w-])--[a-z][\w-]*", text))


def catalogue():
    """{ name: parameters } as abbe list filters shows them."""
    rows = re.findall(r"^  ([a-z]+) +((?:\[?[a-z_]+=\S* ?)*)", output("list", "filters"), re.M)
    return {name: parameters.strip() for name, parameters in rows}


class Talk(support.Case):
    def test_bare(self):
        text = output()
        self.assertIn("abbe filter photo.jpg -f ", text)
        self.assertIn("abbe --help", text)
        self.assertIn("man abbe", text)
        self.assertLessEqual(text.count("\n"), 15)

    def test_version(self):
        with open(os.path.join(ROOT, "include", "abbe", "abbe.h")) as file:
            header = file.read()
        version = ".".join(re.findall(r"#define ABBE_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))
        for option in ("--version", "-V"):
            self.assertRegex(output(option), rf"\Aabbe {re.escape(version)}\n.*vips.* \d+\.\d+.*\n\Z")
        self.assertIn(f'"abbe {version}"', text_of("abbe.1"))

    def test_help_of_all(self):
        text = output("--help")
        self.assertEqual(text, output("-h"))
        self.assertEqual(text, output("help"))
        for command in COMMANDS:
            self.assertRegex(text, rf"(?m)^  {command} +\w")

    def test_help_of_each(self):
        for command in COMMANDS:
            text = output(command, "--help")
            self.assertEqual(text, output("help", command))
            self.assertEqual(text, output(command, "-h"))
            self.assertTrue(text.startswith(f"usage: abbe {command}"), text)
            self.assertIn("\nExamples:\n", text)
            self.assertIn(f"  abbe {command}", text.split("Examples:")[1])
            for line in text.splitlines():
                self.assertLessEqual(len(line), 110, line)

    def test_one_letter_means_one_option(self):
        names = {}
        for command in COMMANDS:
            for name, letter in help_options(command).items():
                if letter:
                    self.assertEqual(names.setdefault(letter, name), name)

    def test_wrong_usage(self):
        self.refuse(2, "fliter", says=["'fliter'", "did you mean 'filter'?", "abbe --help"])
        self.refuse(2, "zzzzzzzz", says=["unknown command 'zzzzzzzz'", "abbe filter IN -f FILTER -o OUT"])
        self.refuse(2, "--versoin", says=["unknown option '--versoin'"])
        self.refuse(2, "help", "exlpain", says=["did you mean 'explain'?"])
        self.refuse(2, "", says=["unknown command ''"])
        self.refuse(2, "list", "filter", says=["did you mean 'filters'?"])
        self.refuse(2, "list", "zzzzzzzz", says=["filters, borders, devices"])
        self.refuse(2, "list", "filters", "borders", says=["list takes one name"])
        self.refuse(2, "list", "--verbose", says=["--verbose"])
        self.refuse(2, "a\x1b[31mb", says=["a?[31mb"])

    def test_full_output(self):
        with open("/dev/full", "w") as full:
            for arguments in ([], ["--help"], ["list"], ["explain", "64x64x1", "-f", "box"]):
                result = abbe(*arguments, stdout=full)
                self.assertEqual((result.status, result.err),
                                 (1, "abbe: standard output: No space left on device\n"))


class Lists(support.Case):
    def test_filters(self):
        found = catalogue()
        self.assertEqual(len(found), 26)
        self.assertEqual(found["gaussian"], "sigma=2 truncate=4 [sigma_x=] [sigma_y=]")
        self.assertEqual(found["identity"], "")
        space, frequency = output("list", "filters").split("Filters in frequency")
        for name in ("identity", "gaussian", "sobel", "gabor", "kernel"):
            self.assertRegex(space, rf"(?m)^  {name} ")
        for name in ("lowpass", "bandreject", "notch", "streak", "power", "mask"):
            self.assertRegex(frequency, rf"(?m)^  {name} ")

    def test_defaults_are_true(self):
        """A filter with its listed defaults as parameters equals the filter without them."""
        for name, parameters in catalogue().items():
            keys = [key for key in parameters.split() if not key.endswith(("=", "]"))]
            required = [key + "0.1" for key in parameters.split() if key.endswith("=")]
            if "file=" in parameters:
                continue
            shape = ["explain", "64x48x1", "-f"]
            plain, full = (output(*shape, ":".join([name, *required, *more])) for more in ([], keys))
            self.assertEqual(plain.splitlines()[2:], full.splitlines()[2:])

    def test_keys_of_one_filter(self):
        for name, parameters in catalogue().items():
            text = output("list", name)
            self.assertRegex(text, rf"\A{name}: \w")
            self.assertEqual(re.findall(r"^  (\S*=\S*) ", text, re.M), parameters.split())
            for line in text.splitlines():
                self.assertLessEqual(len(line), 100, line)
        self.assertRegex(output("list", "gaussian"), r"(?m)^  sigma=2 +0\.01 to 10000 pixels +standard deviation$")

    def test_borders(self):
        text = output("list", "borders")
        for name in BORDERS:
            self.assertRegex(text, rf"(?m)^  {name} +\S{{3,4}}\|abcd\|\S{{3,4}} ")
        self.assertIn("dcba|abcd|dcba", text)

    def test_devices(self):
        text = output("list", "devices")
        self.assertRegex(text, r"(?m)^  cpu .*\n +cpu: .*cpu, [0-9.]+ \w+, \w+$")
        for name in re.findall(r"(?m)^ +(cuda:\d+|vulkan:\d+|gl:\d+): ", text):
            self.assertTrue(name)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 100, line)

    def test_all_and_widths(self):
        text = output("list")
        for name in ("filters", "borders", "devices"):
            self.assertIn(output("list", name), text)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 100, line)

    def test_start_up_time(self):
        if SANITIZED:
            self.skipTest("a sanitized program")
        times = []
        for _ in range(21):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            abbe("list", "filters")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        # Processor time, because on a busy machine every command waits. Opening a driver takes far more.
        self.assertLess(min(times), 0.050)


class Explain(support.Case):
    def explain(self, *arguments):
        """The first line, and { method: (chosen, rest of its row) }."""
        text = self.succeed("explain", *arguments).out.decode()
        rows = re.findall(r"^([ *]) (direct|separable|fft|tiles)(?:, even)? +(.*)$", text, re.M)
        # The method fft is listed twice where even transforms compete with a larger grid: first what is cheaper.
        self.assertIn([row[1] for row in rows], (METHODS, METHODS[:3] + METHODS[2:]))
        return text.splitlines()[0], {row[1]: (row[0] == "*", row[2]) for row in reversed(rows)}

    def chosen(self, *arguments):
        _, rows = self.explain(*arguments)
        names = [name for name, (star, _) in rows.items() if star]
        self.assertEqual(len(names), 1)
        return names[0]

    def test_first_line(self):
        line, _ = self.explain("640x480x3:u16", "-f", "box", "-t", "3", "--border", "constant:0.25")
        self.assertEqual(line, "cpu, 3 threads: 640 x 480, 3 channels of u16, border constant:0.25")
        line, _ = self.explain("64x48x1", "-f", "box", "-t1", "-d", "cpu")
        self.assertEqual(line, "cpu, 1 thread: 64 x 48, 1 channel of u8, border reflect")

    def test_figures(self):
        _, rows = self.explain("640x480x3", "-f", "gaussian:sigma=9")
        figure = r"[\d.]+ (µs|ms|s|min|h) +[\d.]+ (bytes|kB|MB|GB)"
        for method in METHODS:
            self.assertRegex(rows[method][1], rf"^{figure} ")
        planning = r"[\d.]+ (µs|ms|s)$"
        self.assertRegex(rows["direct"][1], r" - +- +- +-$")
        self.assertRegex(rows["separable"][1], r" - +- +1 +-$")
        self.assertRegex(rows["fft"][1], r" \d+ x \d+ +640 x 480 +- +" + planning)
        self.assertRegex(rows["tiles"][1], r" \d+ x \d+ +\d+ x \d+ +- +" + planning)

    def test_reasons(self):
        _, rows = self.explain("640x480x3", "-f", "lowpass")
        for method in ("direct", "separable", "tiles"):
            self.assertRegex(rows[method][1], "^not possible: a transfer function ")
        self.assertTrue(rows["fft"][0])

    def test_choice_is_what_filter_does(self):
        shapes = [(48, 64, 1), (480, 640, 3)]
        filters = ["box:radius=1", "sharpen", "gaussian:sigma=30", "disk:radius=20", "lowpass",
                   "motion:angle=30"]
        for height, width, channels in shapes:
            picture = u8(support.scene(height, width, channels if channels > 1 else None))
            save(self.path("in.png"), picture)
            for text in filters:
                chosen = self.chosen(f"{width}x{height}x{channels}", "-f", text)
                stats = self.succeed("filter", "in.png", "-f", text, "-o", "out.png", "--stats").err
                self.assertRegex(stats, rf"\b{chosen}\b", (text, width))

    def test_method_can_be_forced(self):
        for method in METHODS:
            self.assertEqual(self.chosen("64x64x1", "-f", "box", "--method", method), method)
        self.refuse(1, "explain", "64x64x1", "-f", "lowpass", "-m", "direct", says="transfer function")

    def test_kernel_file(self):
        self.write("taps.txt", "1 2 1\n2 4 2\n1 2 1\n")
        text = self.succeed("explain", "64x64x1", "-f", "kernel:file=taps.txt").out.decode()
        self.assertIn("kernel:file=taps.txt: a kernel of 3 x 3 taps\n", text)
        save(self.path("taps.png"), np.full((5, 7), 255, np.uint8))
        text = self.succeed("explain", "64x64x1", "-f", "kernel:file=taps.png").out.decode()
        self.assertIn("a kernel of 7 x 5 taps\n", text)
        self.refuse(1, "explain", "64x64x1", "-f", "kernel:file=none.txt", says="none.txt")

    def test_control_characters_stay_away(self):
        self.write("a\x1b[31m.txt", "1 1\n")
        text = self.succeed("explain", "64x64x1", "-f", "kernel:file=a\x1b[31m.txt").out
        self.assertNotIn(b"\x1b", text)

    def test_wrong_usage(self):
        for shape in ("0x10x3", "10x0x3", "10x10x0", "10x10x65", "axbxc", "10x10x3x4", "-5x5x1", "10x10x3u8",
                      "", "99999999999999999999x1x1"):
            arguments = ["--", shape] if shape.startswith("-") else [shape]
            self.refuse(2, "explain", "-f", "box", *arguments, says="WIDTHxHEIGHTxCHANNELS")
        self.refuse(2, "explain", "10x10", "-f", "box", says="10x10x3")
        self.refuse(2, "explain", "10x10x3:bytes", "-f", "box", says="u8, u16, f16, f32")
        self.refuse(2, "explain", "10x10x3", says="-f FILTER")
        self.refuse(2, "explain", "-f", "box", says="6000x4000x3")
        self.refuse(2, "explain", "10x10x3", "20x20x3", "-f", "box", says="'20x20x3'")
        self.refuse(2, "explain", "10x10x3", "-f", "gausian", says="gaussian")
        self.refuse(2, "explain", "10x10x3", "-f", "box", "--border", "mirrored", says="mirror")
        self.refuse(2, "explain", "10x10x3", "-f", "box", "--method", "ftt", says="fft")


class Manual(support.Case):
    def sections(self):
        """{ command: text of its .SS } of the man page, without the escapes of dashes."""
        plain = text_of("abbe.1").replace("\\-", "-")
        parts = re.split(r"^\.S[SH] \"?(.*?)\"?$", plain, flags=re.M)
        return dict(zip(parts[1::2], parts[2::2]))

    def test_options(self):
        shared = self.sections()["Options that commands share"]
        for command in COMMANDS:
            section = self.sections()[f"abbe {command}"]
            options = help_options(command)
            self.assertTrue(options)
            self.assertEqual(long_options(section), set(options), command)
            for name, letter in options.items():
                entry = f'.TP\n.BR {letter} ", " {name}' if letter else f".TP\n.BR {name}"
                self.assertRegex(section + shared, re.escape(entry) + r"[ \n]", (command, name))

    def test_shared_options_are_real(self):
        shared = long_options(self.sections()["Options that commands share"])
        self.assertLessEqual(shared - {"--version"}, set().union(*map(help_options, COMMANDS)))

    def test_filters(self):
        space, frequency = self.sections()["In space"], self.sections()["In frequency"]
        listed = output("list", "filters").split("Filters in frequency")
        for name, parameters in catalogue().items():
            section = space if re.search(rf"(?m)^  {name} ", listed[0]) else frequency
            wanted = f'.B "{name} {parameters}"' if parameters else f".B {name}"
            self.assertIn(wanted + "\n", section)
        names = re.findall(r'^\.TP\n\.B "?([a-z]+)', space + frequency, re.M)
        self.assertEqual(sorted(names), sorted(catalogue()))

    def test_borders_and_sections(self):
        for name in BORDERS:
            self.assertRegex(self.sections()["BORDERS"], rf"(?m)^{name}\t")
        for name in ("NAME", "SYNOPSIS", "EXIT STATUS", "ENVIRONMENT", "FILES", "CONVENTIONS", "EXAMPLES"):
            self.assertIn(name, self.sections())
        self.assertIn("NO_COLOR", self.sections()["ENVIRONMENT"])

    def test_groff_has_nothing_to_say(self):
        if not shutil.which("groff"):
            self.skipTest("no groff")
        done = subprocess.run(["groff", "-t", "-man", "-Tutf8", "-ww", "-rLL=100n", "-z", TOOL + "/abbe.1"],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_examples_run(self):
        """abbe accepts every filter of the examples, in the man page and in the help."""
        texts = [self.sections()["EXAMPLES"], output()] + [output(command, "--help") for command in COMMANDS]
        lines = re.findall(r"^(?:  |\.B )(abbe(?: \S+)+)", "\n".join(texts), re.M)
        filters = set(re.findall(r" -f ([a-z][^\s')]*)", "\n".join(lines)))
        self.assertGreater(len(filters), 10)
        for text in filters:
            if "file=" not in text:
                self.succeed("explain", "64x64x3", "-f", text)


BASH = r"""
source "$1"
COMP_LINE=$2 COMP_POINT=${#2} COMP_TYPE=9
compopt() { [ -z "$SHOWS_COMPOPT" ] || echo "compopt $*"; }
_abbe
printf '%s\n' "${COMPREPLY[@]}"
"""


class Completion(support.Case):
    def bash(self, line, **more):
        """The completions that bash offers at the end of the line."""
        folder = self.path("bin")
        os.makedirs(folder, exist_ok=True)
        if not os.path.exists(folder + "/abbe"):
            os.symlink(ABBE, folder + "/abbe")
        env = support.environment(PATH=f"{folder}:{os.environ['PATH']}", **more)
        done = subprocess.run(["bash", "-c", BASH, "bash", TOOL + "/completion/abbe.bash", line],
                              capture_output=True, text=True, env=env)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_bash_commands_and_options(self):
        self.assertEqual(sorted(self.bash("abbe ")), sorted([*COMMANDS, "help", "--help", "--version"]))
        self.assertEqual(self.bash("abbe sp"), ["spectrum"])
        self.assertEqual(sorted(self.bash("abbe help ")), sorted(COMMANDS))
        for command in COMMANDS:
            self.assertEqual(sorted(self.bash(f"abbe {command} --")), sorted(help_options(command)))

    def test_bash_values(self):
        self.assertEqual(sorted(self.bash("abbe filter a.png -f ")), sorted(catalogue()))
        self.assertEqual(self.bash("abbe filter a.png -f gau"), ["gaussian"])
        self.assertEqual(self.bash("abbe filter a.png --filter=gau"), ["gaussian"])
        self.assertEqual(self.bash("abbe filter a.png -f gaussian:s"), ["sigma=", "sigma_x=", "sigma_y="])
        self.assertEqual(self.bash("abbe filter a.png -f gaussian:sigma=3,sha"), ["3,sharpen"])
        self.assertEqual(sorted(self.bash("abbe filter a.png -f bandpass:")),
                         ["high=", "low=", "order=", "shape="])
        self.assertEqual(self.bash("abbe filter a.png -f sobel:"), ["axis="])
        self.assertEqual(self.bash("abbe filter a.png -f kernel:file=a"), [])
        self.assertEqual(self.bash("abbe filter a.png -o ou"), [])
        borders = [name for name in self.bash("abbe filter a.png --border ") if not name.endswith(":")]
        self.assertEqual(sorted(borders), sorted(BORDERS))
        self.assertEqual(sorted(self.bash("abbe explain 1x1x1 -m ")), sorted(["auto", *METHODS]))
        self.assertEqual(self.bash("abbe spectrum --device "), ["auto", "cpu", "cuda", "vulkan", "gl"])
        self.assertEqual(self.bash("abbe list "), ["filters", "borders", "devices", *catalogue()])
        self.assertEqual(self.bash("abbe spectrum ph"), [])

    def test_bash_numbers(self):
        """After an option that takes a number or a size, bash offers no files."""
        for command in COMMANDS:
            for name in re.findall(r"(--[\w-]+) (?:N|VALUE|WxH|DEGREES|FACTOR)\b", output(command, "--help")):
                words = self.bash(f"abbe {command} {name} ", SHOWS_COMPOPT="1")
                self.assertEqual(words, ["compopt", "+o", "default"], (command, name))

    def test_zsh_options(self):
        """The branch of each command contains its options, directly or in variables."""
        text = text_of("completion", "_abbe")
        groups = dict(re.findall(r"^    (\w+)=(\(.*?\)$)", text, re.M | re.S))
        for command in COMMANDS:
            branch = re.search(rf"^    {command}\)(.*?);;", text, re.M | re.S).group(1)
            whole = branch + "".join(groups[name] for name in re.findall(r"\$(\w+)", branch))
            letters = re.findall(r"\{(-\w),(--[\w-]+)\}", whole)
            found = dict.fromkeys(long_options(whole.replace("{", " ").replace(",--", " --")))
            found.update({name: letter for letter, name in letters})
            self.assertEqual(found, help_options(command), command)

    def test_zsh_reads_it(self):
        if not shutil.which("zsh"):
            self.skipTest("no zsh")
        done = subprocess.run(["zsh", "-n", TOOL + "/completion/_abbe"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    support.main()
