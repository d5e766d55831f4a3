"""abbe-bench papers: the page, its charts, its options; and scripts/figures. Every number of a machine on the page is
computed here anew from the JSON and compared. No test depends on speed."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree
import zlib

BENCH = os.environ["ABBE_BENCH"]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SIDES_6 = ("separable-{}-9", "separable-{}-33", "direct-{}")
SIDES_7 = (3, 5, 9, 15, 21, 27, 33, 41, 51, 65, 101)
BANKS = (1, 2, 4, 8)


def cell(value):
    """A number as the page prints it; an empty cell if there is none."""
    if value is None or not value > 0:
        return ""
    return f"{value:.3g}" if value < 1 else f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def divide(a, b):
    return a / b if a and b else None


class Figures:
    """The medians of one JSON report."""

    def __init__(self, report):
        self.report = report
        self.results = {result["case"]: result["contenders"] for result in report["results"]}

    def find(self, case, key, word):
        return next((each.get("median") for each in self.results.get(case, ()) if each.get(key) == word), None)

    def seconds(self, case, contender="Abbe"):
        return self.find(case, "name", contender)

    def rate(self, case, contender="Abbe"):
        return divide(1, self.seconds(case, contender))

    def method(self, gpu, method, size, side):
        if not gpu:
            return self.find(f"fialka7-{size}-{side}", "method", method)
        return self.seconds(f"fialka7-gpu-fft-{size}" if method == "fft" else f"fialka7-gpu-{method}-{size}-{side}")


class Rows:
    """What each row of a machine must hold, by its label without the machine's letter."""

    SIZES = (64, 128, 256, 512, 1024, 2048)
    TRANSFORMS = (256, 512, 1024, 1536, 2048, 2560, 3072, 3584)
    MASKS = {"naive": ("payne", "naive"), "Abbe, CPU": ("payne", "Abbe"), "Abbe, GPU, direct": ("payne-gpu", "Abbe"),
             "Abbe, GPU, planned": ("payne-gpu-auto", "Abbe")}
    METHODS = {"separable": "separable", "not separable": "direct", "FFT": "fft"}

    def __init__(self, figures, published):
        self.figures = figures
        self.published = published  # { label: cells } of the papers' own rows

    def cells(self, label, section):
        """The expected cells, or None for an unknown label."""
        for pattern, method in ((r"(\d+)×\d+, (.+?)(, × the GPU of 2005)?$", self.mask),
                                (r"(\d+)×\d+, (.+) over (naive|FFTW)$", self.speedup),
                                (r"any mask, FFTW$", self.fftw),
                                (r"(\d+)², (CPU|GPU), (16|32) bits$", self.space),
                                (r"(\d+)², (CPU|GPU), (separable|not separable|FFT)$", self.kernel),
                                (r"(CPU|GPU), (FFT|separable, (\d+))$", self.bank),
                                (r"(Abbe, CPU|Abbe, GPU|Abbe, CUDA|FFTW|cuFFT|VkFFT), (ms|MPix/s|× 2007)$", self.transform),
                                (r"Abbe, (CPU|GPU)$", self.basic),
                                (r"(\d+)², (gl:\w+|cpu)$", self.frame)):
            match = re.match(pattern, label)
            if match and not (method == self.mask and " over " in label):
                if method == self.basic and "Moreland" in section:
                    break
                return [cell(value) for value in method(*match.groups())]
        return self.comparison(label) if "Moreland" in section else None

    def mask(self, side, name, over):
        series, contender = self.MASKS[name]
        rates = [self.figures.rate(f"{series}-{size}-{side}", contender) for size in self.SIZES]
        then = self.published[f"{side}×{side}, 2005: GPU"]
        return [divide(a, float(b)) for a, b in zip(rates, then)] if over else rates

    def speedup(self, side, name, peer):
        return [divide(self.figures.seconds(f"payne-{size}-{side}", peer),
                       self.figures.seconds(f"{self.MASKS[name][0]}-{size}-{side}")) for size in self.SIZES]

    def fftw(self):
        return [self.figures.rate(f"payne-{size}-3", "FFTW") for size in self.SIZES]

    def space(self, size, device, bits):
        where = "-gpu-" if device == "GPU" else "-"
        return [self.figures.rate(f"fialka6{where}f{bits}-{name.format(size)}") for name in SIDES_6]

    def kernel(self, size, device, name):
        return [divide(1, self.figures.method(device == "GPU", self.METHODS[name], size, side)) for side in SIDES_7]

    def bank(self, device, name, side):
        gpu = device == "GPU"
        if not side:
            return [self.figures.rate(f"fialka8{'-gpu' * gpu}-{n}") for n in BANKS]
        seconds = self.figures.method(gpu, "separable", 256, int(side))
        return [divide(1, seconds and n * seconds) for n in BANKS]

    def transform(self, name, unit):
        case = {"Abbe, CPU": "podlozhnyuk", "FFTW": "podlozhnyuk", "Abbe, CUDA": "podlozhnyuk-cuda"}.get(
            name, "podlozhnyuk-gpu")
        seconds = [self.figures.seconds(f"{case}-{size}", name.split(",")[0]) for size in self.TRANSFORMS]
        if unit == "ms":
            return [each and 1e3 * each for each in seconds]
        if unit == "MPix/s":
            return [divide(1e-6 * size * size, each) for size, each in zip(self.TRANSFORMS, seconds)]
        return [divide(float(then), each and 1e3 * each) for then, each in zip(self.published["2007, ms"], seconds)]

    def basic(self, device):
        now = self.figures.seconds("podlozhnyuk-256" if device == "CPU" else "podlozhnyuk-gpu-256")
        then = float(self.published["2006: CPU, FFTW" if device == "CPU" else "2006: GPU"][0])
        return [now and 1e3 * now, divide(then, now and 1e3 * now)]

    def frame(self, size, name):
        case = f"shares-{size}"
        whole, scene = self.figures.seconds(case, name), self.figures.seconds(case, "scene alone")
        then = divide(divide(1, whole), float(self.published[f"{size}², 2003"][0]))
        if name == "cpu":
            return [divide(1, whole), whole and 1e3 * whole, None, None, None, None, then]
        blind = self.figures.seconds(case, name + ", no look-ups")
        idle = self.figures.seconds(case, name + ", outputs only")
        return [divide(1, whole), 1e3 * whole, 1e3 * scene, 1e3 * (idle - scene), 1e3 * (blind - idle),
                1e3 * (whole - blind), then]

    def comparison(self, label):
        cases = {"Abbe, CPU": ("moreland-1024", "Abbe"), "FFTW": ("moreland-1024", "FFTW"),
                 "Abbe, GPU": ("moreland-gpu-1024", "Abbe"), "cuFFT": ("moreland-gpu-1024", "cuFFT"),
                 "VkFFT": ("moreland-gpu-1024", "VkFFT"),
                 "`gl:moreland`, with the scene": ("shares-1024", "gl:moreland"),
                 "`gl:fast`, with the scene": ("shares-1024", "gl:fast")}
        if label not in cases:
            return None
        seconds = self.figures.seconds(*cases[label])
        return [cell(1e3 * seconds), cell(divide(float(self.published["2003: FFTW, Xeon of 1.7 GHz"][0]), 1e3 * seconds))]


class Papers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="abbe-papers-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_bench(self, *arguments, status=0, **environment):
        done = subprocess.run([BENCH, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=250,
                              env={**os.environ, "XDG_CACHE_HOME": self.folder, **environment})
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout, done.stderr

    def read(self, name):
        with open(f"{self.folder}/{name}", encoding="utf-8") as file:
            return file.read()

    def write_json(self, name, report):
        with open(f"{self.folder}/{name}", "w", encoding="utf-8") as file:
            json.dump(report, file)

    def page_of(self, *names):
        """The page of reports, without a run."""
        self.run_bench("papers", "--no-run", "--markdown", "page.md", *(part for name in names for part in ("--from", name)))
        return self.read("page.md")

    def rows(self, page):
        """(section, label, cells) of every row of every table."""
        for section in page.split("\n## ")[1:]:
            for line in section.splitlines():
                if line.startswith("|") and not line.startswith("|---"):
                    first, *rest = (part.strip() for part in line.strip("|").split("|"))
                    yield section.splitlines()[0], first, rest

    def check_page(self, page, reports):
        """Compares every row of a machine; returns their number."""
        published = {}  # of labels that occur twice, the first
        for _, label, cells in self.rows(page):
            if re.search(r"\b200\d\b", label):
                published.setdefault(label, cells)
        compared = 0
        quotients = {}
        for section, label, cells in self.rows(page):
            match = re.match(r"(.*?)\b([A-I]): (.*)", label)
            if label.startswith("×"):
                self.check_quotient(label, cells, quotients)
                compared += 1
            if not match or "total" in label:
                continue
            rows = Rows(Figures(reports["ABCDEFGHI".index(match[2])]), published)
            if re.fullmatch(r"(CPU|GPU)(, (not )?separable)?", match[3]) and not match[1]:
                self.check_crossover(rows.figures, match[3], cells)
                compared += 1
                continue
            expected = rows.cells(match[1] + match[3], section)
            self.assertIsNotNone(expected, label)
            self.assertEqual(cells, expected, label)
            if "bits" in label:
                quotients = quotients if match[1] == quotients.get("size") else {"size": match[1]}
                quotients[match[3]] = rows.space(match[1][:-3], *re.match(r"(\w+), (\d+)", match[3]).groups())
            compared += 1
        return compared

    def check_quotient(self, label, cells, rates):
        pairs = {"× on the CPU, 16 over 32 bits": ("CPU, 16 bits", "CPU, 32 bits"),
                 "× GPU over CPU, 32 bits": ("GPU, 32 bits", "CPU, 32 bits"),
                 "× GPU with 16 over CPU with 32 bits": ("GPU, 16 bits", "CPU, 32 bits")}
        a, b = (rates.get(name, [None] * 3) for name in pairs[label])
        self.assertEqual(cells, [cell(divide(x, y)) for x, y in zip(a, b)], label)

    def check_crossover(self, figures, label, cells):
        """Three cells are the sizes of figure 7, four the banks of figure 8."""
        gpu, method = label.startswith("GPU"), "direct" if "not" in label else "separable"
        for i, text in enumerate(cells):
            size, n, bank = (256 << i, 1, None) if len(cells) == 3 else \
                (256, BANKS[i], figures.seconds(f"fialka8{'-gpu' * gpu}-{BANKS[i]}"))
            faster = []  # (side, whether the FFT is faster)
            for side in SIDES_7:
                space, fft = figures.method(gpu, method, size, side), bank or figures.method(gpu, "fft", size, side)
                if space and fft:
                    faster.append((side, n * space > fft))
            slower = [side for side, fft in faster if not fft]
            if not faster:
                self.assertEqual(text, "")
            elif not slower:
                self.assertEqual(text, "below 3")
            elif not faster[-1][1]:
                self.assertEqual(text, "none")
            else:
                above = min(side for side, _ in faster if side > slower[-1])
                self.assertTrue(slower[-1] <= int(text) <= above, (label, text, slower[-1], above))

    def check_counts(self, page, counts):
        lines = {label: cells for section, label, cells in self.rows(page) if "`: " not in label and ".frag`" in label
                 and len(cells) == 6}
        for row in counts:
            cells = lines[f"{row['engine']}: `{row['program']}`"]
            self.assertEqual(cells[:3], [f"{row['operations']:.0f}", f"{row['lookups'] * 16 / 2**20:.0f}",
                                         f"{row['texels'] * 16 / 2**20:.0f}"])

    def check_charts(self):
        names = os.listdir(f"{self.folder}/page")
        for name in names:
            text = self.read(f"page/{name}")
            self.assertEqual(xml.etree.ElementTree.fromstring(text).tag, "{http://www.w3.org/2000/svg}svg")
            self.assertNotRegex(text, r"\b(nan|inf)\b")
            self.assertIn("prefers-color-scheme:dark", text)
            self.assertIn('class="line"', text)
        return sorted(names)


def invent_report(names, skip=""):
    """A report with a time for every case, which depends on its name only."""
    def contender(case, name, **more):
        median = 1e-5 * (1 + zlib.crc32(f"{case} {name} {more}".encode()) % 1000)
        return {"name": name, "detail": "invented", "runs": 3, "median": median, **more}

    results = []
    for case in names:
        if skip and re.match(skip, case):
            continue
        if re.match(r"fialka7-\d", case):
            contenders = [contender(case, "Abbe", method=method) for method in ("direct", "separable", "fft", "tiles")]
        elif case.startswith("shares"):
            contenders = [contender(case, name) for name in ("cpu", "scene alone")] + [
                contender(case, engine + cut) for engine in ("gl:moreland", "gl:fast")
                for cut in ("", ", no look-ups", ", outputs only")]
        else:
            peers = ["naive"] * case.startswith("payne-") + ["FFTW"] * ("gpu" not in case) + ["cuFFT"] * ("gpu" in case)
            contenders = [contender(case, name) for name in ["Abbe", *peers]]
        results.append({"case": case, "threads": 1, "contenders": contenders})
    counts = [{"engine": engine, "program": program, "variants": 2, "arithmetic_least": 3, "arithmetic_most": 5,
               "lookups_least": 1, "lookups_most": 2, "fragments": 1000, "operations": 4000000, "lookups": 2097152,
               "texels": 1048576} for engine, program in (("moreland", "moreland_fft.frag"), ("moreland", "load.frag"),
                                                          ("fialka", "fialka.frag"), ("fast", "step.frag"))]
    return {"program": "abbe-bench", "version": "0.0", "command": "abbe-bench papers", "results": results,
            "machine": {"cpu": "Invented & Sons", "processors": 2, "instructions": "none", "compiler": "cc", "flags": "",
                        "load": 0.1, "vulkan": "NVIDIA H200", "gl": "NVIDIA H200/PCIe/SSE2"},
            "left_out": [{"what": "nothing", "reason": "there was a reason"}], "counts": counts}


class Page(Papers):
    def names(self):
        listed = self.run_bench("--list")[0].split("papers: ")[1].splitlines()[1:]
        return [line.strip() for line in listed if line.startswith("  ")]

    def test_every_number_of_an_invented_report(self):
        names = self.names()
        self.assertGreater(len(names), 250)
        report = invent_report(names)
        self.write_json("a.json", report)
        page = self.page_of("a.json")
        self.assertGreater(self.check_page(page, [report]), 150)
        self.check_counts(page, report["counts"])
        self.assertEqual(self.check_charts(), ["fialka-filters.svg", "fialka-kernels.svg", "moreland.svg", "payne.svg",
                                               "podlozhnyuk.svg"])
        self.assertNotIn("## Not measured", page)
        self.assertIn("2 of the 66 processor clusters", page)
        self.assertIn("Machine A, nothing: there was a reason.", page)
        for line in page.splitlines():
            self.assertNotRegex(line, r"\b(nan|inf)\b")

    def test_two_machines_and_what_neither_measured(self):
        """The first has no GPU, the second lacks a series. The page of the same reports is the same."""
        names = self.names()
        reports = [invent_report(names, r".*-(gpu|cuda)|shares-(512|1024)"), invent_report(names, r"podlozhnyuk|payne-")]
        reports[0]["machine"].update(gl="llvmpipe (LLVM 15)", vulkan="")
        reports[0]["counts"] = []
        for name, report in zip(("a.json", "b.json"), reports):
            self.write_json(name, report)
        page = self.page_of("a.json", "b.json")
        self.assertGreater(self.check_page(page, reports), 130)
        self.assertIn("**Its figures mislead**", page)
        self.assertIn("On machine B OpenGL draws with 2 of the 66", page)
        self.assertIn("- `podlozhnyuk-gpu`: 8 of 8\n", page)
        self.assertNotIn("- `podlozhnyuk`", page)
        self.assertEqual(page, self.page_of("a.json", "b.json"))

    def test_tables_of_the_papers_are_whole(self):
        """Sums and quotients of the published figures agree with each other, as in the papers."""
        self.write_json("a.json", invent_report(self.names()))
        rows = {label: cells for _, label, cells in self.rows(self.page_of("a.json"))}
        for side in (3, 5, 7, 9, 15, 17, 19, 29):
            gpu, naive = (list(map(float, rows[f"{side}×{side}, 2005: {name}"])) for name in ("GPU", "naive"))
            speedups = [list(map(int, each.split(" / "))) for each in rows[f"{side}×{side}, 2005: GPU over naive / FFTW"]]
            for i in range(6):
                self.assertLess(abs(gpu[i] / naive[i] / speedups[i][0] - 1), 0.12, (side, i))
                over_fftw = gpu[i] / float(rows["any mask, 2005: FFTW"][i])
                self.assertLess(abs(over_fftw - speedups[i][1]), max(1, 0.05 * over_fftw), (side, i))
        for size, ms, speed in zip(Rows.TRANSFORMS, rows["2007, ms"], rows["2007, MPix/s"]):
            self.assertLess(abs(size * size / float(ms) / 1e3 / float(speed) - 1), 0.05, size)

    def test_a_run(self):
        """The page of a run equals the page of its JSON."""
        cases = ("payne-64-3", "payne-64-29", "fialka6-f32-direct-256", "fialka6-f16-direct-256", "fialka7-256-9",
                 "fialka8-1", "fialka8-8", "podlozhnyuk-256")
        self.run_bench("papers", *cases, "--time", "0.01", "--quiet", "--json", "a.json", "--markdown", "run/page.md",
                       "--seed", "7", status=1)
        os.mkdir(f"{self.folder}/run")
        self.run_bench("papers", *cases, "--time", "0.01", "--quiet", "--json", "a.json", "--markdown", "run/page.md",
                       "--seed", "7")
        report = json.loads(self.read("a.json"))
        self.assertEqual(sorted(each["case"] for each in report["results"]), sorted(cases))
        for result in report["results"]:
            for contender in result["contenders"]:
                self.assertTrue(contender["runs"] == 0 or contender["agrees"], (result["case"], contender))
        self.assertEqual(self.page_of("a.json"), self.read("run/page.md"))
        self.assertGreater(self.check_page(self.read("page.md"), [report]), 12)
        names = {each["name"] for each in report["results"][0]["contenders"]}
        self.assertLessEqual({"Abbe", "naive"}, names)

    @unittest.skipUnless(os.environ.get("ABBE_BENCH_GL"), "no OpenGL in this build, or sanitizers")
    def test_counts_are_those_of_the_paper(self):
        """Invocations of table 1 at 1024², drawn by the engine of 2003; the shares have no result to be checked."""
        _, err = self.run_bench("papers", "shares-128", "--time", "0.01", "--json", "a.json", "--markdown", "page.md")
        report = json.loads(self.read("a.json"))
        if not report["machine"]["gl"]:
            self.skipTest(err)
        names = [each["name"] for each in report["results"][0]["contenders"]]
        self.assertEqual(len(names), 8, names)
        if not (shutil.which("spirv-opt") and shutil.which("glslangValidator")):
            self.assertEqual(report["counts"], [])
            self.skipTest("spirv-opt or glslangValidator is missing")
        m = 1024
        fragments = {row["program"]: row["fragments"] for row in report["counts"] if row["engine"] == "moreland"}
        self.assertEqual({name[9:-5]: count for name, count in fragments.items() if name.startswith("moreland_")},
                         {"fft": 2 * m * m * 20, "untangle": m * m - 4, "scale": m * m + 2 * m, "tangle": m * m - 4,
                          "pass": m * m + 2 * m, "multiply": m * m})
        self.check_counts(self.read("page.md"), report["counts"])
        for row in report["counts"]:
            self.assertTrue(0 < row["arithmetic_least"] <= row["arithmetic_most"], row)
            self.assertTrue(0 < row["lookups_least"] <= row["lookups_most"], row)
        lookups = {row["program"]: row["lookups_most"] for row in report["counts"]}
        self.assertEqual((lookups["moreland_pass.frag"], lookups["moreland_scale.frag"], lookups["moreland_multiply.frag"],
                          lookups["moreland_tangle.frag"], lookups["fialka.frag"]), (1, 1, 4, 2, 3))


class Mistakes(Papers):
    def check_wrong(self, *arguments, says, status=2):
        out, err = self.run_bench(*arguments, status=status)
        self.assertEqual((len(err.splitlines()), out), (1, ""), err)
        self.assertIn(says, err)

    def test_options(self):
        self.check_wrong("--from", "a.json", says="abbe-bench papers")
        self.check_wrong("plane-64", "--no-run", says="abbe-bench papers")
        self.check_wrong("papers", "--no-run", says="name a file")
        self.check_wrong("papers", "--no-run", "--from", "a.json", "payne-64-3", says="measures nothing")
        self.check_wrong("papers", "--plot", "a.svg", says="its own charts")
        self.check_wrong("papers", "--threads", "1,2", says="its own charts")
        self.check_wrong("papers", "--markdown", "-", says="needs a file")
        self.check_wrong("papers", *["--from", "a.json"] * 9, says="more than 8")
        self.check_wrong("papers", "--markdown", "page.txt", says="end with .md", status=1)
        self.check_wrong("papers", "payne-64-4", says="did you mean")

    def test_files(self):
        self.check_wrong("papers", "--from", "missing.json", "--markdown", "a.md", says="No such file", status=1)
        for text in ("", "{", "[1, 2", '{"a": 1} 2', '{"a"}', '"\\x"', '{"a": tru}', "[" * 100, '"\\u12"', "01x",
                     '"a\nb"', '"\\', '"ab', '{"a": "\\', '{"program": "other"}', "[]", '"\\u0000"'):
            with open(f"{self.folder}/bad.json", "w") as file:
                file.write(text)
            self.check_wrong("papers", "--no-run", "--from", "bad.json", "--markdown", "a.md", status=1,
                             says="not a report of abbe-bench")
        self.assertEqual(os.listdir(self.folder), ["bad.json"])

    def test_a_report_without_results(self):
        """Missing and strange items are empty cells, not a crash."""
        for text in ('{"program": "abbe-bench"}', '{"program": "abbe-bench", "results": {}, "machine": 3, "counts": [{}]}',
                     '{"program": "abbe-bench", "results": [1, {"case": 2}, {"case": "payne-64-3", "contenders": [null]}]}'):
            with open(f"{self.folder}/odd.json", "w") as file:
                file.write(text)
            self.assertIn("## Not measured", self.page_of("odd.json"))


class Readme(Papers):
    """scripts/figures on a README and results of its own."""

    def figures(self, *arguments):
        return subprocess.run([os.path.join(ROOT, "scripts", "figures"), *arguments, f"{self.folder}/README.md", self.folder],
                              capture_output=True, text=True)

    def test_table(self):
        head = "before\n<!-- figures -->\n| a | b | c | |\n|---|---|---|---|\n"
        kept = "| on an NVIDIA H200: FFT · H · inverse FFT, RGBA floats | 1 µs | cuFFT: 2 µs | 2.00 × |\n"
        with open(f"{self.folder}/README.md", "w", encoding="utf-8") as file:
            file.write(head + "| FFT · H · inverse FFT, one float plane | old |\n" + kept + "<!-- /figures -->\nafter\n")
        report = {"peers": [{"name": "FFTW", "version": "3.3.10-sse2"}], "machine": {}, "results": [
            {"case": "plane-1024", "threads": 2, "contenders": []},
            {"case": "plane-1024", "threads": 1, "contenders": [
                {"name": "Abbe", "median": 0.0020049, "runs": 3},
                {"name": "FFTW", "median": 0.0125, "runs": 3, "detail": "patient plan", "ratio": 6.2347}]}]}
        self.write_json("readme.json", report)
        self.assertEqual(self.figures("--check").returncode, 1)
        done = self.figures()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("gpu-1024; its row stays", done.stderr)
        self.assertEqual(self.read("README.md"), head +
                         "| FFT · H · inverse FFT, one float plane | 2.00 ms | FFTW 3.3.10, patient plan: 12.5 ms | 6.23 × |\n" +
                         kept + "\nMachine, command and spread are in [docs/results/readme.md](docs/results/readme.md).\n"
                         "<!-- /figures -->\nafter\n")
        self.assertEqual(self.figures("--check").returncode, 0)
        report["results"][1]["contenders"][0]["median"] = 12.5e-6
        self.write_json("cpu.json", report)
        self.assertEqual(self.figures("--check").returncode, 1)
        self.figures()
        self.assertIn("| 12.5 µs |", self.read("README.md"))

    def test_without_markers(self):
        with open(f"{self.folder}/README.md", "w") as file:
            file.write("nothing\n")
        done = self.figures()
        self.assertIn("no table between", done.stderr)
        self.assertEqual(done.returncode, 1)

    def test_the_readme_agrees_with_the_results(self):
        done = subprocess.run([os.path.join(ROOT, "scripts", "figures"), "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_page_agrees_with_its_json(self):
        """docs/papers.md is the page of the reports in docs/results."""
        results = os.path.join(ROOT, "docs", "results")
        names = sorted(name for name in os.listdir(results) if re.fullmatch(r"papers(-.*)?\.json", name))
        if "papers.json" not in names:
            self.skipTest("no papers.json is kept")
        names.sort(key=lambda name: name != "papers.json")
        with open(os.path.join(ROOT, "docs", "papers.md"), encoding="utf-8") as file:
            self.assertEqual(self.page_of(*(os.path.join(results, name) for name in names)).replace("](page/", "](papers/"),
                             file.read())


if __name__ == "__main__":
    unittest.main()
