"""abbe-bench: list, reports, manual, error messages. Figures are checked for consistency, not speed."""

import csv
import io
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

BENCH = os.environ["ABBE_BENCH"]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.path.join(ROOT, "bench", "abbe-bench.1")
TINY = ("--time", "0.01", "--quiet")


class Bench(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="abbe-bench-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_bench(self, *arguments, status=0, **environment):
        """Returns standard output and standard error. FFTW's wisdom stays in the folder of the test."""
        done = subprocess.run([BENCH, *arguments], cwd=self.folder, capture_output=True, text=True,
                              timeout=250,
                              env={**os.environ, "XDG_CACHE_HOME": self.folder, **environment})
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout, done.stderr

    def check_figures(self, contender):
        ordered = [contender[key] for key in ("minimum", "lower_quartile", "median", "upper_quartile")]
        self.assertEqual(ordered, sorted(ordered))
        self.assertGreater(contender["minimum"], 0)
        self.assertGreaterEqual(contender["prepare"], 0)
        self.assertTrue(contender["agrees"], contender)


class Reports(Bench):
    def test_list(self):
        lines = self.run_bench("--list")[0].splitlines()
        names = [line.split()[0] for line in lines if line.startswith("  ")]
        self.assertEqual(len(names), len(set(names)))
        for name in ("plane-256", "plane-4096", "rgba-1024", "gaussian-plane-257", "gaussian-rgba-3",
                     "filter2d-rgba-129", "border-zero-31", "odd-997x991", "gpu-8192", "gpu-half-256",
                     "layouts-rgb-u8-direct-512-9", "sizes-6048x4024",
                     "gl-128", "gl-2048", "frames-1024",
                     "planner-rgba-random-4096-257", "plan-gauss-1024", "plan-disk-2048", "plan-random-201"):
            self.assertIn(name, names)
        self.assertEqual(sum(name.startswith("planner") for name in names), 7 * 8 * 2 * 2)

    def test_json(self):
        report = json.loads(self.run_bench("plane-64", "--seed", "7", "--json", "-", *TINY)[0])
        self.assertEqual((report["program"], report["seed"]), ("abbe-bench", 7))
        self.assertTrue(report["machine"]["cpu"] and report["machine"]["compiler"])
        self.assertEqual(len(report["results"]), 1)
        present = {peer["name"] for peer in report["peers"] if peer["present"]}
        for result in report["results"]:
            self.assertEqual((result["width"], result["height"], result["channels"]), (64, 64, 1))
            self.assertEqual({each["name"] for each in result["contenders"]}, {"Abbe"} | present & {"FFTW"})
            for contender in result["contenders"]:
                self.check_figures(contender)
                self.assertLess(contender["error"], 1e-6)
            for peer in result["contenders"][1:]:
                ratio = peer["median"] / result["contenders"][0]["median"]
                self.assertAlmostEqual(peer["ratio"], ratio, places=4)

    def test_threads(self):
        """Runs without peers: FFTW plans for minutes if its two threads share a processor."""
        report = json.loads(self.run_bench("plane-64", "rgba-64", "--threads", "2,1", "--peers", "none",
                                           "--json", "-", *TINY)[0])
        self.assertEqual([(result["case"], result["threads"]) for result in report["results"]],
                         [("plane-64", 2), ("plane-64", 1), ("rgba-64", 2), ("rgba-64", 1)])

    def test_every_kind_of_work_agrees(self):
        report = json.loads(self.run_bench("rgba-64", "gaussian-plane-3", "gaussian-rgba-5",
                                           "filter2d-plane-3", "filter2d-rgba-9", "border-clamp-31",
                                           "border-mirror-31", "border-zero-31", "--json", "-", *TINY)[0])
        for result in report["results"]:
            for contender in result["contenders"]:
                self.check_figures(contender)

    def test_planner(self):
        report = json.loads(self.run_bench("planner-*-64-9", "--json", "-", *TINY)[0])
        self.assertEqual([cell["case"] for cell in report["results"]],
                         [f"planner-{image}-{kernel}-64-9" for image in ("plane", "rgba")
                          for kernel in ("gauss", "random")])
        for cell in report["results"]:
            timed = {each["method"]: each["minimum"] for each in cell["contenders"] if each["runs"]}
            self.assertAlmostEqual(cell["regret"], timed[cell["chosen"]] / min(timed.values()) - 1, places=4)
            self.assertEqual(timed[cell["best"]], min(timed.values()))
        summary, = report["planner"]
        regrets = [cell["regret"] for cell in report["results"]]
        self.assertEqual((summary["cells"], summary["within"]), (4, sum(each <= 0.15 for each in regrets)))
        self.assertAlmostEqual(summary["worst"], max(regrets), places=6)

    def test_layouts(self):
        report = json.loads(self.run_bench("layouts-rgb-u8-disk-512", "--json", "-", *TINY)[0])
        result, = report["results"]
        self.assertEqual([each["name"] for each in result["contenders"]], ["Abbe", "planes"])
        for contender in result["contenders"]:
            self.check_figures(contender)

    def test_sizes(self):
        """The transform has the size of the picture, whatever its prime factors."""
        report = json.loads(self.run_bench("sizes-997x991", "--peers", "none", "--json", "-", *TINY)[0])
        result, = report["results"]
        self.assertEqual(result["contenders"][0]["detail"], "fft 997x991")
        for contender in result["contenders"]:
            self.check_figures(contender)

    def test_plans(self):
        """Times the creation of plans; the results are checked nevertheless. No peer takes part."""
        report = json.loads(self.run_bench("plan-*-256", "plan-random-31", "--json", "-", *TINY)[0])
        self.assertEqual([(each["case"], each["group"]) for each in report["results"]],
                         [(f"plan-{name}", "plans") for name in ("gauss-256", "disk-256", "random-31")])
        self.assertEqual(report["peers"], [])
        for result in report["results"]:
            contender, = result["contenders"]
            self.assertEqual(contender["name"], "Abbe")
            self.check_figures(contender)
            self.assertLess(contender["error"], 1e-5)

    def test_files_and_table(self):
        out, _ = self.run_bench("plane-64", "--csv", "a.csv", "--markdown", "a.md", "--json", "a.json", *TINY)
        self.assertIn("plane-64", out)
        with open(f"{self.folder}/a.csv") as file:
            rows = list(csv.DictReader(file))
        with open(f"{self.folder}/a.json") as file:
            contenders = json.load(file)["results"][0]["contenders"]
        self.assertEqual([row["contender"] for row in rows], [each["name"] for each in contenders])
        for row, contender in zip(rows, contenders):
            self.assertEqual((row["case"], int(row["runs"])), ("plane-64", contender["runs"]))
            self.assertAlmostEqual(float(row["median"]), contender["median"], places=12)
            self.assertNotIn(None, row)
            self.assertNotIn(None, row.values())
        with open(f"{self.folder}/a.md") as file:
            self.assertIn("| `plane-64` | 1 |", file.read())

    def test_the_command_can_be_typed_again(self):
        """Patterns are quoted, and bytes that are not UTF-8 are replaced."""
        self.run_bench("plane-6?", "--peers", "none", "--json", b"it's \xff.json", "--markdown", "a.md",
                       *TINY)
        with open(os.fsencode(self.folder) + b"/it's \xff.json", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["command"],
                             "abbe-bench 'plane-6?' --peers none --json 'it'\\''s \ufffd.json' "
                             "--markdown a.md --time 0.01 --quiet")
        with open(f"{self.folder}/a.md", "rb") as file:
            self.assertIn(b"abbe-bench 'plane-6?'", file.read())

    def test_threads_count_once(self):
        report = json.loads(self.run_bench("plane-64", "--threads", "1,1", "--peers", "none", "--json", "-",
                                           *TINY)[0])
        self.assertEqual(len(report["results"]), 1)

    def test_without_peers(self):
        out, _ = self.run_bench("plane-64", "--peers", "none", "--csv", "-", *TINY)
        rows = list(csv.DictReader(io.StringIO(out)))
        self.assertEqual([row["contender"] for row in rows], ["Abbe"])

    def test_plot(self):
        fftw = self.run_bench("--version")[0].splitlines()[1]
        if not shutil.which("gnuplot") or "not in this build" in fftw:
            self.skipTest("gnuplot or FFTW is missing")
        self.run_bench("plane-64", "--plot", "a.svg", *TINY)
        with open(f"{self.folder}/a.svg") as file:
            self.assertIn("</svg>", file.read())


@unittest.skipUnless(os.environ.get("ABBE_BENCH_GPU"), "no Vulkan in this build, or sanitizers")
class Gpu(Bench):
    """On Mesa's software driver, with the validation layer, which prints to standard output."""

    def run_gpu(self, *cases):
        enables = "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT"
        out, err = self.run_bench(*cases, "--device", "vulkan:lavapipe", "--json", "a.json",
                                  "--markdown", "a.md", "--peers", "none", "--time", "0.01",
                                  ABBE_VULKAN_CACHE="", VK_INSTANCE_LAYERS="VK_LAYER_KHRONOS_validation",
                                  VK_LAYER_ENABLES=enables)
        if "no GPU is called" in err or "no Vulkan" in err:
            self.skipTest("no software driver")
        self.assertNotRegex(out, "VUID|SYNC-|Validation")
        with open(f"{self.folder}/a.json") as file:
            return {result["case"]: result for result in json.load(file)["results"]}

    def test_device_time(self):
        results = self.run_gpu("gpu-256", "gpu-half-256")
        self.assertEqual([[each["name"] for each in result["contenders"]] for result in results.values()],
                         [["Abbe", "copy"], ["Abbe", "Abbe basic", "copy"]])
        for result in results.values():
            self.assertEqual(result["threads"], 1)
            for contender in result["contenders"]:
                self.check_figures(contender)
        self.assertLess(results["gpu-256"]["contenders"][0]["error"], 1e-5)
        self.assertGreater(results["gpu-half-256"]["contenders"][0]["error"], 1e-5)
        with open(f"{self.folder}/a.md") as file:
            self.assertIn("| `gpu-half-256` | fft 256x256 |", file.read())

    def test_too_large(self):
        """The software driver allows buffers of 128 MiB: the case is left out without an error."""
        self.assertEqual(self.run_gpu("gpu-4096"), {})

    def test_without_a_gpu(self):
        out, err = self.run_bench("gpu", "--time", "0.01", VK_ICD_FILENAMES="/nonexistent",
                                  VK_DRIVER_FILES="/nonexistent", ABBE_VULKAN_SOFTWARE="")
        self.assertEqual(len(err.splitlines()), 1, err)
        self.assertIn("the cases of the group gpu are left out", err)
        self.assertNotIn("gpu-256", out)


@unittest.skipUnless(os.environ.get("ABBE_BENCH_GL"), "no OpenGL in this build, or sanitizers")
class Gl(Bench):
    """On Mesa's software driver, which prints its messages to standard error."""

    def run_gl(self, *cases):
        """Returns the contenders of the cases by name, the table and the page."""
        out, err = self.run_bench(*cases, "--device", "gl:llvmpipe", "--json", "a.json", "--markdown", "a.md",
                                  "--time", "0.01", ABBE_GL_VALIDATE="1")
        self.assertNotIn("gl debug", err)
        self.assertEqual([line for line in err.splitlines() if "FFTW plans" not in line], [])
        with open(f"{self.folder}/a.json") as file:
            results = json.load(file)["results"]
        with open(f"{self.folder}/a.md") as file:
            page = file.read()
        self.assertEqual([result["case"] for result in results], list(cases))
        for result in results:
            for contender in result["contenders"]:
                self.check_figures(contender)
        return [{each["name"]: each for each in result["contenders"]} for result in results], out, page

    def setUp(self):
        super().setUp()
        done = subprocess.run([BENCH, "plane-64", "--device", "gl:llvmpipe", "--peers", "none", *TINY],
                              capture_output=True, text=True)
        for missing in ("libEGL.so.1", "no GPU or driver is called 'llvmpipe'"):
            if missing in done.stderr:
                self.skipTest("no software driver: " + done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_engines(self):
        (engines,), out, page = self.run_gl("gl-128")
        self.assertEqual(set(engines) - {"FFTW"},
                         {"gl:fast", "gl:fialka", "gl:moreland", "gl:fast + copies", "cpu"})
        for name, engine in engines.items():
            self.assertLess(engine["error"], 1e-5, name)
            self.assertIn(f"| `gl-128` | 1 | {name}, ", page)
            ratio = engine["median"] / engines["gl:fast"]["median"]
            self.assertAlmostEqual(engine.get("ratio", 1), ratio, places=4)
        self.assertIn("to fast", out)

    def test_frames(self):
        """The formula is applied to the drawn picture. The scene alone has no result."""
        (frames,), out, page = self.run_gl("frames-128")
        self.assertEqual(list(frames), ["gl:fast", "gl:fialka", "gl:moreland", "cpu", "scene alone"])
        for name in list(frames)[:-1]:
            self.assertTrue(0 < frames[name]["error"] < 2e-5, frames[name])
        self.assertIn("frames/s", out)
        for name, frame in frames.items():
            rate = f"{1 / frame['median']:.1f}"
            self.assertRegex(page, rf"\| `frames-128` \| 1 \| {name}, [^|]* \| {rate} \|")
        self.assertRegex(page, r"gl:moreland, [^\n]* \| 25 \|")

    def test_without_a_gpu(self):
        _, err = self.run_bench("gl", "frames", "plane-64", "--peers", "none", *TINY[:2], ABBE_GL_SOFTWARE="",
                                __EGL_VENDOR_LIBRARY_FILENAMES="/nonexistent")
        self.assertEqual(len(err.splitlines()), 1, err)
        self.assertIn("the cases of the groups gl and frames are left out", err)


class Calibration(Bench):
    def calibrate(self, *arguments, **options):
        """Calibrates one level only, in little time."""
        return self.run_bench("--calibrate", "--device", "cpu:baseline", *arguments, *TINY, **options)

    def test_prices_are_printed_and_written(self):
        out, _ = self.calibrate(ABBE_PRICES="builtin")
        self.assertIn("does not read this file while ABBE_PRICES is set", out)
        path = f"{self.folder}/abbe/prices"
        self.assertIn(path, out)
        with open(path) as file:
            lines = file.read().splitlines()
        self.assertEqual(lines[0], "abbe-prices 1")
        self.assertEqual([line for line in lines if line.startswith("[")], ["[cpu:baseline]"])
        prices = dict(line.split() for line in lines[1:] if line and line[0] not in "#[")
        printed = {line.split()[0]: line.split()[2] for line in out.splitlines() if " x " in line}
        self.assertEqual(set(prices), set(printed))
        self.assertLessEqual({"run", "direct_tap", "separable_tap", "column_flop", "far_byte"}, set(prices))
        for name, price in prices.items():
            self.assertAlmostEqual(float(price) / float(printed[name]), 1, places=2)
            self.assertTrue(0 < float(price) < 1, name)
        self.assertEqual(os.listdir(f"{self.folder}/abbe"), ["prices"])
        self.run_bench("planner-plane-gauss-64-9", "--device", "cpu:baseline", "--json", "-", *TINY,
                       ABBE_PRICES=path)

    def test_prices_of_other_devices_stay(self):
        """A calibration over existing prices replaces its own section only."""
        os.makedirs(f"{self.folder}/abbe")
        path = f"{self.folder}/abbe/prices"
        with open(path, "w") as file:
            file.write("abbe-prices 1\n# old\n[vulkan:1_2]\npass 1e-6\n\n"
                       "[cpu:baseline]\nrun 1e-6\n[auto]\nopen 0.1\n")
        self.assertIn("the library finds them", self.calibrate(ABBE_PRICES="")[0])
        with open(path) as file:
            sections = file.read().split("[")
        self.assertEqual([section.split("]")[0] for section in sections[1:]],
                         ["cpu:baseline", "vulkan:1_2", "auto"])
        self.assertEqual([section.split("]")[1].split() for section in sections[2:]],
                         [["pass", "1e-6"], ["open", "0.1"]])
        self.assertNotIn("run 1e-6", sections[1])

    def test_old_prices_survive_a_failure(self):
        os.makedirs(f"{self.folder}/abbe/prices")
        out, err = self.calibrate(status=1)
        self.assertEqual((out, os.listdir(f"{self.folder}/abbe")), ("", ["prices"]))
        self.assertIn("prices", err)

    def test_there_must_be_a_folder(self):
        for home in ("", "relative"):
            out, err = self.calibrate(status=1, XDG_CACHE_HOME="", HOME=home)
            self.assertIn("no cache folder", err)
            self.assertEqual(os.listdir(self.folder), [])


class Mistakes(Bench):
    def check_wrong(self, *arguments, says, status=2, **environment):
        out, err = self.run_bench(*arguments, status=status, **environment)
        self.assertEqual(len(err.splitlines()), 1, err)
        self.assertTrue(err.startswith("abbe-bench: "), err)
        self.assertIn(says, err)
        self.assertEqual(out, "")

    def test_usage(self):
        self.check_wrong("plane-1025", says="did you mean 'plane-1024'?")
        self.check_wrong("--thread", "1", says="did you mean '--threads'?")
        self.check_wrong("--threads", "1,x", says="'x'")
        self.check_wrong("--time", "soon", says="'soon'")
        self.check_wrong("--peers", "fttw", says="did you mean 'FFTW'?")
        self.check_wrong("--json", "-", "--csv", "-", says="only one report")
        self.check_wrong("--time", "0", says="above 0")
        self.check_wrong("--threads", ",".join(["1"] + [str(n) for n in range(2, 20)]), says="more than 16")
        self.check_wrong("--plot", "a.svg", "--peers", "none", says="no peer")
        self.check_wrong("--calibrate", "plane-64", says="no cases")
        self.check_wrong("--calibrate", "--json", "a.json", says="no report")

    def test_a_full_disk_is_no_success(self):
        alone = ("plane-64", "--peers", "none")
        for arguments in (alone, ("--list",), (*alone, "--csv", "-")):
            with open("/dev/full", "w") as full:
                done = subprocess.run([BENCH, *arguments, *TINY], stdout=full, stderr=subprocess.PIPE,
                                      text=True, timeout=250,
                                      env={**os.environ, "XDG_CACHE_HOME": self.folder})
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn("standard output", done.stderr)

    def test_failures_come_before_the_work(self):
        self.check_wrong("all", "--json", "missing/a.json", says="missing", status=1)
        self.check_wrong("all", "--device", "abacus", says="abacus", status=1)

    def test_no_gnuplot(self):
        if "not in this build" in self.run_bench("--version")[0].splitlines()[1]:
            self.skipTest("FFTW is missing")
        self.check_wrong("all", "--plot", "a.svg", says="gnuplot-nox", status=1, PATH="/nonexistent")


class Manual(Bench):
    """The manual page agrees with --help: each option of one is in the other."""

    def sections(self):
        """{ name: text } of the page, without the escapes of dashes."""
        with open(PAGE, encoding="utf-8") as file:
            parts = re.split(r"^\.SH (.*)$", file.read().replace("\\-", "-"), flags=re.M)
        return dict(zip(parts[1::2], parts[2::2]))

    def test_options(self):
        section = self.sections()["OPTIONS"]
        options = re.findall(r"^  (?:(-\w), |    )(--[\w-]+)", self.run_bench("--help")[0], re.M)
        self.assertGreater(len(options), 10)
        self.assertEqual(re.findall(r'^\.TP\n\.BR? (?:(-\w) ", " )?(--[\w-]+)', section, re.M), options)
        self.assertLessEqual(set(re.findall(r"(?<![\w-])--[a-z][\w-]*", "".join(self.sections().values()))),
                             {name for _, name in options})

    def test_help(self):
        text = self.run_bench("--help")[0]
        self.assertEqual(text, self.run_bench("-h")[0])
        self.assertTrue(text.startswith("usage: abbe-bench "), text)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 110, line)

    def test_examples_select_cases(self):
        """Every case of the examples, here and in the help, is one that --list shows."""
        text = self.sections()["EXAMPLES"].replace("\\(aq", "'")
        text += self.run_bench("--help")[0].split("Examples:")[1]
        words = set(re.findall(r"abbe-bench ((?:[a-z][\w-]*|'[^']*')(?: [a-z][\w-]*)*)", text))
        groups = re.findall(r"^(\w+): ", self.run_bench("--list")[0], re.M)
        self.assertGreater(len(words), 4)
        for word in set(" ".join(words).replace("'", "").split()):
            self.assertTrue(word in groups or "*" in word, word)

    def test_version_and_sections(self):
        version = self.run_bench("--version")[0].split()[1]
        with open(PAGE, encoding="utf-8") as file:
            self.assertIn(f'"abbe {version}"', file.read())
        for name in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "EXAMPLES"):
            self.assertIn(name, self.sections())

    def test_groff_has_nothing_to_say(self):
        if not shutil.which("groff"):
            self.skipTest("no groff")
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-rLL=100n", "-z", PAGE],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
