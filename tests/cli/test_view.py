"""abbe view on a virtual display: keys, wheel and brush, checked by the screen and by saved files."""

import ctypes
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import formulas
import support
from support import ABBE, BRIEF, SANITIZED, abbe, environment, load, np, save, scene, u8

LINE = 22  # pixels from line to line of text
# Side of the picture and of a pane that shows it 1:1: thirteen lines minus two above, three below and a gap.
SIDE = 8 * LINE - 10
WINDOW = (3 * SIDE + 4 * 8, 13 * LINE)
PANE_TOP, PANE_LEFTS = 2 * LINE, [8 + i * (SIDE + 8) for i in range(3)]
SOURCE, SPECTRUM, RESULT = range(3)


def is_there(library):
    try:
        ctypes.CDLL(library)
        return True
    except OSError:
        return False


MISSING = [name for name in ("Xvfb", "xdotool") if not shutil.which(name)]
MISSING += [name for name in ("libglfw.so.3", "libEGL.so.1") if not is_there(name)]


class Display:
    """A screen in memory with its pixels in a file."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="abbe-display-")
        reading, writing = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), "-screen", "0", "800x600x24", "-fbdir", self.folder,
             "-nolisten", "tcp"],
            pass_fds=[writing], stderr=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as file:
            self.name = ":" + file.readline().strip()

    def close(self):
        self.server.terminate()
        self.server.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def pixels(self):
        """(height, width, 3) of the whole screen, from the format of xwd."""
        with open(os.path.join(self.folder, "Xvfb_screen0"), "rb") as file:
            data = file.read()
        head = struct.unpack(">25I", data[:100])
        size, width, height, row, colours = head[0], head[4], head[5], head[12], head[19]
        start = size + 12 * colours
        lines = np.frombuffer(data, np.uint8, row * height, start).reshape(height, row)
        return lines[:, :4 * width].reshape(height, width, 4)[..., 2::-1].astype(float)


DISPLAY = None


def setUpModule():
    global DISPLAY
    if not MISSING:
        DISPLAY = Display()


def tearDownModule():
    if DISPLAY:
        DISPLAY.close()


class Case(support.Case):
    """A test with a window that closes at the end."""

    def start(self, *arguments):
        env = environment(DISPLAY=DISPLAY.name)
        self.process = subprocess.Popen([ABBE, "view", "--window", f"{WINDOW[0]}x{WINDOW[1]}", *arguments],
                                        env=env,
                                        cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.stop)
        self.wait_for(lambda: self.pane(RESULT).max() > 30, "a picture")
        # Without a window manager, the window is in the corner of the screen.
        self.do("mousemove", "5", "5")

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def do(self, *arguments):
        subprocess.run(["xdotool", *arguments], check=True, env=environment(DISPLAY=DISPLAY.name), timeout=30,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def key(self, *keys):
        self.do("key", "--delay", "60", *keys)

    def pane(self, index):
        left = PANE_LEFTS[index]
        return DISPLAY.pixels()[PANE_TOP:PANE_TOP + SIDE, left:left + SIDE]

    def wait_for(self, condition, what, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                self.fail(f"ended with {self.process.returncode}: {self.process.stderr.read()}")
            try:
                if condition():
                    return
            except (FileNotFoundError, struct.error):
                pass
            time.sleep(0.05)
        self.fail(f"no {what} within {seconds} s")

    def settle(self):
        """Waits until only the numbers below the panes change."""
        def still():
            before = [self.pane(i) for i in range(3)]
            time.sleep(0.7)
            return all((self.pane(i) == before[i]).all() for i in range(3))
        self.wait_for(still, "rest")

    def saved(self, number=1):
        """The picture that s saves, and its command line."""
        self.key("s")
        line = self.process.stdout.readline().decode()
        self.assertIn(f"abbe-view-{number}.png", line)
        return load(self.path(f"abbe-view-{number}.png")), line

    def repeated(self, line):
        """The picture that the printed command line makes, under another name."""
        words = shlex.split(line)
        self.assertEqual(words[0], "abbe")
        words[-1] = "again.png"
        self.succeed(*words[1:], env=environment(ABBE_GL_SOFTWARE="1"))
        return load(self.path("again.png"))

    def assert_again(self, line, stored):
        """The command filters bytes and the viewer floats, so their rounding may differ."""
        different = np.abs(self.repeated(line).astype(int) - stored)
        self.assertLessEqual(different.max(), 1)
        self.assertLess(different.mean(), 0.01)

    def quit(self):
        self.key("q")
        self.assertEqual(self.process.wait(30), 0)
        self.assertEqual(self.process.stderr.read(), b"")


@unittest.skipIf(MISSING, f"missing: {' '.join(MISSING)}")
class Teapot(Case):
    SCENE = ("--size", f"{SIDE}x{SIDE}", "--samples", "2")

    def test_filter_and_save(self):
        self.filter_and_save()

    def test_filter_and_save_on_the_gpu(self):
        """The device gl in the context of the window; on a software driver it has no other."""
        self.filter_and_save("--device", "gl")

    def filter_and_save(self, *options):
        self.start(*self.SCENE, *options)
        first = self.pane(SOURCE)
        self.wait_for(lambda: np.abs(self.pane(SOURCE) - first).mean() > 1, "turning")
        self.key("space", "2")
        self.settle()
        source, result = self.pane(SOURCE), self.pane(RESULT)
        self.assertLess(np.abs(np.diff(result, axis=1)).mean(), 0.5 * np.abs(np.diff(source, axis=1)).mean())
        stored, line = self.saved()
        self.assertIn("gaussian:sigma=4'", line)
        self.assertLessEqual(np.abs(stored / 257.0 - result).max(), 1.6)
        np.testing.assert_allclose(self.repeated(line).astype(float), stored.astype(float), atol=40)
        self.quit()

    def test_wheel(self):
        self.start(*self.SCENE, "-f", "box:radius=1", "--angle", "10")
        self.key("space", "6")
        self.settle()
        sharp = np.abs(np.diff(self.pane(RESULT), axis=0)).mean()
        for _ in range(6):
            self.do("click", "5")
        self.settle()
        self.assertLess(np.abs(np.diff(self.pane(RESULT), axis=0)).mean(), 0.8 * sharp)
        _, line = self.saved()
        self.assertIn(f"lowpass:cutoff={0.15 / 1.15 ** 6:.4g}'", line)
        self.key("f")
        _, line = self.saved(2)
        self.assertIn("-f 'box:radius=1'", line)
        self.quit()

    def test_one_pane_alone(self):
        self.start(*self.SCENE)
        self.key("space", "Tab")
        self.settle()
        whole = DISPLAY.pixels()[PANE_TOP:PANE_TOP + SIDE, :WINDOW[0]]
        middle = whole[:, (WINDOW[0] - SIDE) // 2:(WINDOW[0] + SIDE) // 2]
        self.assertGreater(middle.std(), 20)
        self.assertLess(whole[:, :100].std(), 2)
        self.key("Tab", "Tab", "Tab", "h")
        self.settle()
        letters = (DISPLAY.pixels()[PANE_TOP:PANE_TOP + SIDE, :WINDOW[0]] == [236, 233, 226]).all(2)
        self.assertGreater(letters.mean(), 0.01)
        self.quit()


@unittest.skipIf(MISSING, f"missing: {' '.join(MISSING)}")
class Picture(Case):
    def setUp(self):
        super().setUp()
        self.pixels = u8(scene(SIDE, SIDE, 3))
        # A strong wave along x, like the screen of a print: 20 periods.
        wave = 0.2 * np.sin(2 * np.pi * 20 * np.arange(SIDE) / SIDE)
        self.waved = u8(np.clip(0.6 * self.pixels / 255 + 0.2 + wave[None, :, None], 0, 1))
        save(self.path("in.png"), self.waved)

    def place(self, column, row):
        """The position of a frequency of the centred spectrum on the screen."""
        return PANE_LEFTS[SPECTRUM] + SIDE // 2 + column, PANE_TOP + SIDE // 2 + row

    def test_shown_as_it_is(self):
        self.start("in.png")
        self.settle()
        np.testing.assert_allclose(self.pane(SOURCE), self.waved, atol=1)
        np.testing.assert_allclose(self.pane(RESULT), self.waved, atol=1)
        spectrum = self.pane(SPECTRUM)[..., 0]
        peaks = [spectrum[SIDE // 2, SIDE // 2 + k] for k in (0, 20, -20)]
        self.assertGreater(min(peaks), 200)
        self.assertLess(np.median(spectrum), 150)
        self.quit()

    def test_name_that_a_terminal_would_obey(self):
        """The printed command line has no control characters, and names the same file to a shell."""
        name = "it's \x1b]0;gone\x07\x1b[2J\u202e\u00e9.png"
        os.rename(self.path("in.png"), self.path(name))
        self.start(name)
        self.key("3")
        self.settle()
        stored, line = self.saved()
        self.quit()
        self.assertTrue(line.endswith("\n") and line[:-1].isprintable(), line)
        words = subprocess.run(["bash", "-c", "printf '%s\\0' " + line], stdout=subprocess.PIPE, check=True,
                               env=environment()).stdout.decode().split("\0")
        self.assertEqual(words[:3], ["abbe", "filter", name])
        self.succeed("filter", name, *words[3:-2], "again.png")
        self.assertLessEqual(np.abs(load(self.path("again.png")).astype(int) - stored).max(), 1)

    def test_paint_removes(self):
        """Painting over a frequency removes the wave; the opposite frequency is painted too."""
        self.paint_removes("cpu")

    def test_paint_removes_on_the_gpu(self):
        self.paint_removes("gl:fialka")

    def paint_removes(self, device):
        self.start("in.png", "--border", "wrap", "--device", device)
        self.settle()
        x, y = self.place(20, 0)
        self.do("key", "bracketleft", "bracketleft", "bracketleft", "bracketleft")
        self.do("mousemove", str(x), str(y - 6), "mousedown", "1", "sleep", "0.2", "mousemove", str(x),
                str(y + 6), "sleep", "0.2", "mouseup", "1")
        self.settle()
        stored, line = self.saved()
        mask = load(self.path("abbe-view-1-mask.png"))
        self.assertEqual(mask.shape, (SIDE, SIDE))
        middle = SIDE // 2
        self.assertEqual({mask[middle, middle + k] for k in (20, -20)}, {0})
        self.assertEqual({mask[middle, middle], mask[middle, middle + 40], mask[0, 0]}, {255})
        gains = np.fft.ifftshift(mask / 255.0)
        self.assert_levels(stored, support.transferred(self.waved / 255.0, gains), 1, 255)
        np.testing.assert_allclose(self.pane(RESULT), stored, atol=1)
        self.assert_again(line, stored)
        self.quit()

    def test_paint_keeps_and_clears(self):
        self.start("in.png", "--border", "wrap")
        self.key("k")
        self.wait_for(lambda: self.pane(RESULT).max() == 0, "darkness")
        x, y = self.place(0, 0)
        self.do("mousemove", str(x), str(y), "click", "1")
        self.wait_for(lambda: self.pane(RESULT).min() > 20, "light")
        self.settle()
        self.assertLess(np.abs(np.diff(self.pane(RESULT), axis=1)).mean(), 6)
        self.key("u", "u")
        self.wait_for(lambda: np.abs(self.pane(RESULT) - self.waved).max() <= 1, "the picture")
        self.key("r", "r")
        self.wait_for(lambda: np.abs(np.diff(self.pane(RESULT), axis=1)).mean() < 6, "the strokes again")
        self.key("c", "k")
        self.wait_for(lambda: np.abs(self.pane(RESULT) - self.waved).max() <= 1, "the picture")
        self.quit()

    def test_filters_as_the_command_does(self):
        self.start("in.png", "-f", "disk:radius=3", "--border", "clamp", "--device", "cpu")
        self.settle()
        wanted = support.convolved(self.waved / 255.0, formulas.disk(3), "clamp")
        stored, line = self.saved()
        self.assert_levels(stored, wanted, 1, 255)
        self.assert_again(line, stored)
        self.key("b")  # zero
        self.settle()
        self.assertIn("--border zero", self.saved(2)[1])
        self.quit()

    def test_every_device(self):
        """Every device in turn, in memory and on the GPU, with a kernel that shows which way is up."""
        grey = self.waved[..., 0]
        save(self.path("grey.png"), grey)
        self.write("corner.txt", "0 0 0.75\n0 0.25 0\n0 0 0\n")
        kernel = np.array([[0, 0, 0.75], [0, 0.25, 0], [0, 0, 0]])
        self.start("grey.png", "-f", "kernel:file=corner.txt", "--border", "wrap", "--device", "gl")
        wanted = support.convolved(grey / 255.0, kernel, "wrap")
        for number in range(1, 4):
            self.settle()
            np.testing.assert_allclose(self.pane(SOURCE), grey[..., None].repeat(3, 2), atol=1)
            stored, _ = self.saved(number)
            self.assert_levels(stored, wanted, 1, 255)
            np.testing.assert_allclose(self.pane(RESULT), stored[..., None].repeat(3, 2), atol=1)
            self.key("d")
        self.quit()


    def test_click_on_a_peak(self):
        self.start("in.png", "--border", "wrap")
        self.settle()
        self.key("n")
        x, y = self.place(-20, 0)
        marked = [110, 214, 255]
        self.wait_for(lambda: (np.abs(self.pane(SPECTRUM) - marked).max(2) < 60).sum() > 10, "marks")
        self.do("mousemove", str(x), str(y), "click", "1")
        self.settle()
        stored, _ = self.saved()
        before, after = (np.abs(np.fft.fft2(picture[..., 0].astype(float)))[0, 20]
                         for picture in (self.waved, stored))
        self.assertLess(after, 0.05 * before)
        self.quit()

    def test_before_and_after(self):
        self.start("in.png", "-f", "gaussian:sigma=3")
        self.settle()
        result = self.pane(RESULT)
        self.key("x")
        self.settle()
        split, third = self.pane(RESULT), SIDE // 3
        rows = slice(SIDE // 5, SIDE // 3)  # below the words and above the grip
        np.testing.assert_allclose(split[rows, :third], self.waved[rows, :third], atol=1)
        np.testing.assert_array_equal(split[rows, -third:], result[rows, -third:])
        self.quit()


@unittest.skipIf(MISSING, f"missing: {' '.join(MISSING)}")
class Large(Case):
    """A picture that has a preview, and whose whole is filtered beside the window."""

    WIDTH, HEIGHT = 720, 600

    def setUp(self):
        super().setUp()
        wave = 0.2 * np.sin(2 * np.pi * (100 * np.arange(self.WIDTH) / self.WIDTH))
        smooth = scene(self.HEIGHT, self.WIDTH, 3)
        self.waved = u8(np.clip(0.6 * smooth + 0.2 + wave[None, :, None], 0, 1))
        save(self.path("in.png"), self.waved)

    def drop(self, name):
        """Drops a file on the window as a file manager does."""
        env = environment(DISPLAY=DISPLAY.name)
        found = subprocess.run(["xdotool", "search", "--name", "abbe view"], env=env, capture_output=True,
                               check=True, timeout=30)
        subprocess.run([sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "drop.py"),
                        found.stdout.split()[0], self.path(name)], env=env, check=True, timeout=60)

    def test_paint_and_save(self):
        """What is saved is the whole picture, with the strokes at its own resolution."""
        self.start("in.png", "--border", "wrap")
        self.settle()
        scale = SIDE / self.WIDTH
        x, y = PANE_LEFTS[SPECTRUM] + SIDE // 2 + 100 * scale, PANE_TOP + SIDE // 2
        self.do("mousemove", str(round(x)), str(y), "click", "1")
        stored, line = self.saved()
        mask = load(self.path("abbe-view-1-mask.png"))
        self.assertEqual(mask.shape, (self.HEIGHT, self.WIDTH))
        middle = mask[self.HEIGHT // 2]
        self.assertEqual({middle[self.WIDTH // 2 + k] for k in (100, -100)}, {0})
        self.assertEqual(middle[self.WIDTH // 2], 255)
        gains = np.fft.ifftshift(mask / 255.0)
        self.assert_levels(stored, support.transferred(self.waved / 255.0, gains), 1, 255)
        self.assert_again(line, stored)
        self.key("u")
        stored, line = self.saved(2)
        np.testing.assert_array_equal(stored, self.waved)
        self.quit()

    def test_one_to_one(self):
        self.start("in.png")
        self.settle()
        reduced = self.pane(SOURCE)
        self.do("mousemove", str(PANE_LEFTS[SOURCE] + 60), str(PANE_TOP + 70))
        self.key("z")
        self.settle()
        shown, found = self.pane(SOURCE), []
        for top in range(0, self.HEIGHT - SIDE):
            row = self.waved[top, :, 0].astype(float)
            windows = np.lib.stride_tricks.sliding_window_view(row, SIDE)
            close = np.abs(windows - shown[0, :, 0]).max(1) <= 1
            found += [(top, int(left)) for left in np.flatnonzero(close)]
        self.assertTrue(any(np.abs(self.waved[t:t + SIDE, l:l + SIDE] - shown).max() <= 1 for t, l in found))
        self.key("z")
        self.settle()
        np.testing.assert_array_equal(self.pane(SOURCE), reduced)
        self.quit()

    def test_drop(self):
        """Files are opened while others are computed; what is no picture leaves the present one."""
        grey = self.waved[:SIDE, :SIDE, 0]
        save(self.path("grey \u20ac\x07.png"), grey)
        self.write("note.txt", "no picture\n")
        self.start("in.png", "-f", "highpass", "--border", "wrap")
        self.drop("note.txt")
        self.drop("missing.png")
        self.settle()
        self.drop("grey \u20ac\x07.png")
        self.key("1")
        self.wait_for(lambda: np.abs(self.pane(SOURCE) - grey[..., None]).max() <= 1, "the other picture")
        self.settle()
        stored, line = self.saved()
        np.testing.assert_array_equal(stored, grey)
        self.assertNotIn("\x07", line)
        self.key("q")
        self.assertEqual(self.process.wait(30), 0)
        messages = self.process.stderr.read().decode()
        self.assertIn("note.txt", messages)
        self.assertIn("missing.png", messages)


@unittest.skipIf(MISSING, f"missing: {' '.join(MISSING)}")
class Long(Case):
    def memory(self):
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def test_nothing_leaks(self):
        self.nothing_leaks()

    def test_nothing_leaks_on_the_gpu(self):
        self.nothing_leaks("--device", "gl")

    def nothing_leaks(self, *options):
        """Compares the memory of the process in the second and in the last fifth of its time."""
        if SANITIZED:
            self.skipTest("a sanitized program keeps what is freed")
        frames = 200 if BRIEF else 1000
        self.start("--size", "48x48", "--samples", "1", "-f", "lowpass", "--frames", str(frames), *options)
        sizes = []
        while self.process.poll() is None:
            try:
                sizes.append(self.memory())
            except (OSError, IndexError):
                break
            time.sleep(0.05)
        self.assertEqual(self.process.wait(60), 0)
        sizes = [size for size in sizes if size > 0]
        self.assertGreater(len(sizes), 10)
        fifth = len(sizes) // 5
        early, late = (float(np.median(part)) for part in (sizes[fifth:2 * fifth], sizes[-fifth:]))
        # The smallest buffer of a frame, leaked each time, would be 9 kB · 800 frames. Drivers vary a little.
        self.assertLess(late - early, 4 << 20, sizes[::max(1, len(sizes) // 20)])


class Wrong(support.Case):
    def test_usage(self):
        for status, arguments, *says in (
                (2, "--window big", "big"),
                (2, "--frames 0", "--frames"),
                (2, "--size 12", "12"),
                (2, "--material tin", "tin"),
                (2, "-f gausian", "gaussian"),
                (2, "-f box -f box", "two"),
                (2, "a.png b.png", "b.png"),
                (2, "-o out.png", "-o"),
                (1, "missing.png", "missing.png"),
                (1, "--size 9999x9999 --max-pixels 100", "--max-pixels")):
            with self.subTest(arguments=arguments):
                self.refuse(status, "view", *arguments.split(), says=says)

    @unittest.skipUnless(is_there("libglfw.so.3"), "no libglfw.so.3")
    def test_without_display(self):
        env = environment()
        env.pop("DISPLAY", None)
        env.pop("WAYLAND_DISPLAY", None)
        self.refuse(1, "view", says=["DISPLAY"], env=env)

    def test_without_glfw(self):
        self.write("libglfw.so.3", "")
        self.refuse(1, "view", says=["libglfw.so.3", "libglfw3"],
                    env=environment(LD_LIBRARY_PATH=self.folder))

    def test_without_device(self):
        self.refuse(1, "view", "--device", "abacus", says=["abacus"])


if __name__ == "__main__":
    support.main()
