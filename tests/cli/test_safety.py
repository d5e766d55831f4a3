"""Safety of files: full disks, signals, odd targets. The old file stays, or the new file is complete."""

import concurrent.futures
import os
import random
import resource
import shutil
import signal
import subprocess
import time
import unittest

import numpy as np

import support
from support import ABBE, BRIEF, SANITIZED, environment, load, save, scene, u8


def noise(height, width):
    """A picture that no format can compress."""
    return np.random.default_rng(4).integers(0, 256, (height, width, 3), np.uint8)


class Targets(support.Case):
    """Paths where a file cannot or should not be written."""

    def setUp(self):
        super().setUp()
        save(self.path("in.png"), u8(scene(20, 30)))
        self.before = self.read("in.png")

    def refuse_target(self, target, says):
        return self.refuse(1, "filter", "in.png", "-f", "box", "-o", target, says=says)

    def test_missing_folder(self):
        self.refuse_target("nowhere/out.png", ("nowhere", "No such file"))
        self.assert_only("in.png")

    def test_file_as_folder(self):
        self.refuse_target("in.png/out.png", "in.png")
        self.assertEqual(self.read("in.png"), self.before)
        self.assert_only("in.png")

    def test_folder(self):
        os.mkdir(self.path("out.png"))
        self.refuse_target("out.png", "folder")
        self.assertEqual(os.listdir(self.path("out.png")), [])

    def test_symbolic_link(self):
        self.write("precious.png", "precious")
        os.symlink("precious.png", self.path("out.png"))
        self.refuse_target("out.png", "link")
        self.assertTrue(os.path.islink(self.path("out.png")))
        self.assertEqual(self.read("precious.png"), b"precious")

    def test_dangling_link(self):
        os.symlink("nothing", self.path("out.png"))
        self.refuse_target("out.png", "link")
        self.assert_only("in.png", "out.png")

    def test_pipe(self):
        os.mkfifo(self.path("out.png"))
        self.refuse_target("out.png", "pipe")

    def test_name_too_long(self):
        self.refuse_target("x" * 300 + ".png", "")
        self.assert_only("in.png")

    def test_linked_folder_is_fine(self):
        os.mkdir(self.path("real"))
        os.symlink("real", self.path("linked"))
        self.succeed("filter", "in.png", "-f", "box", "-o", "linked/out.png")
        self.assertEqual(os.listdir(self.path("real")), ["out.png"])

    def test_hard_link_is_parted(self):
        """Replacing a file does not change its other hard link."""
        self.write("other.png", "precious")
        os.link(self.path("other.png"), self.path("out.png"))
        self.succeed("filter", "in.png", "-f", "box", "-o", "out.png")
        self.assertEqual(self.read("other.png"), b"precious")

    def test_a_refused_result_stops_before_any_is_written(self):
        self.refuse(1, "filter", "in.png", "-f", "box", "-o", "good.png", "-f", "box", "-o",
                    "nowhere/out.png", says="nowhere")
        self.assert_only("in.png")

    def test_every_command_checks_its_target(self):
        os.mkdir(self.path("out.tif"))
        for arguments in (("transform", "in.png"), ("spectrum", "in.png"),
                          ("texture", "--size", "16x16", "-f", "lowpass")):
            self.refuse(1, *arguments, "-o", "out.tif", says="folder")
            self.refuse(1, *arguments, "-o", "nowhere/out.tif", says="nowhere")


class FullDisk(support.Case):
    FORMATS = ("png", "jpg", "tif", "webp", "tif[compression=deflate]", "tif[tile]", "png[interlace]")

    def limit(self):
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    def test_size_limit(self):
        """RLIMIT_FSIZE simulates a full disk: writing fails in the middle."""
        save(self.path("in.tif"), noise(300, 400))
        for form in self.FORMATS:
            target = "out." + form.split("[")[0]
            options = "[Q=100]" if form in ("jpg", "webp") else ""
            for before in (None, b"what was there"):
                with self.subTest(format=form, before=before):
                    if before:
                        self.write(target, before)
                    self.refuse(1, "filter", "in.tif", "-f", "identity", "-o", f"out.{form}{options}",
                                says=target,
                                preexec_fn=self.limit)
                    self.assert_only("in.tif", *[target] if before else [])
                    self.assertEqual(self.read(target) if before else None, before)
            os.unlink(self.path(target))

    def test_dev_full(self):
        save(self.path("in.tif"), noise(300, 400))
        runs = (("filter", "in.tif", "-f", "box", "-o", "-"), ("spectrum", "in.tif", "-o", "-"),
                ("transform", "in.tif", "-o", "-"), ("texture", "--size", "99x99", "-f", "power", "-o", "-"),
                ("list",), ("list", "filters"), ("explain", "99x99x3", "-f", "box"), ("--help",),
                ("--version",),
                ("filter", "--help"))
        for arguments in runs:
            with self.subTest(arguments=arguments), open("/dev/full", "wb") as full:
                self.refuse(1, *arguments, stdout=full, says=("standard output", "No space left"))

    def test_closed_pipe(self):
        """A closed pipe ends the command by SIGPIPE or with one line."""
        save(self.path("in.tif"), noise(300, 400))
        reader, writer = os.pipe()
        os.close(reader)
        result = self.run_abbe("filter", "in.tif", "-f", "box", "-o", "-", stdout=writer)
        os.close(writer)
        self.assertIn(result.status, (1, -signal.SIGPIPE))
        self.assertLessEqual(result.err.count("\n"), 1)


class Mounts(support.Case):
    """Temporary file systems in a mount namespace that ends with the command."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("disk"))
        unshare = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
        self.unshare = unshare + ["sh", "-c"]
        probe = subprocess.run(self.unshare + ["mount -t tmpfs -o size=1m none disk"], cwd=self.folder,
                               stderr=subprocess.PIPE, check=False)
        if probe.returncode:
            self.skipTest("mounting is not allowed here")
        save(self.path("in.tif"), noise(900, 900))

    def run_mounted(self, prepare, *arguments):
        """Runs the command in `disk` after `prepare`; returns its result and the files in the folder."""
        script = f'{prepare} && {{ "$@" 2>error; echo $? >status; ls -A disk >names; cp disk/old.png kept; }}'
        subprocess.run(self.unshare + [script, "sh", ABBE, *arguments], cwd=self.folder, env=environment(),
                       check=True, timeout=60)
        result = support.Result(int(self.read("status")), b"", self.read("error"))
        return result, self.read("names").split()

    def test_small_disk(self):
        self.write("old.png", "what was there")
        prepare = "mount -t tmpfs -o size=1m none disk && cp old.png disk"
        for form in ("png", "tif", "webp[lossless]"):
            with self.subTest(format=form):
                result, names = self.run_mounted(prepare, "filter", "in.tif", "-f", "identity", "-o",
                                                 f"disk/new.{form}")
                self.assertEqual((result.status, names), (1, [b"old.png"]), result)
                self.assert_one_line(result)
                self.assertIn("No space left", result.err)
        result, names = self.run_mounted(prepare, "filter", "in.tif", "-f", "identity", "-o", "disk/old.png")
        self.assertEqual((result.status, names), (1, [b"old.png"]), result)
        self.assertEqual(self.read("kept"), b"what was there")

    def test_read_only_folder(self):
        self.write("old.png", "what was there")
        prepare = "mount -t tmpfs none disk && cp old.png disk && mount -o remount,ro disk"
        for target in ("disk/old.png", "disk/new.png"):
            result, names = self.run_mounted(prepare, "filter", "in.tif", "-f", "identity", "-o", target)
            self.assertEqual((result.status, names), (1, [b"old.png"]), result)
            self.assert_one_line(result)
            self.assertIn("Read-only file system", result.err)
            self.assertEqual(self.read("kept"), b"what was there")


class Signals(support.Case):
    """Signals at random moments: the target is the old file or the new one, never a part of it."""

    TRIALS = 50 if BRIEF else 200
    SENT = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL, signal.SIGUSR1, signal.SIGALRM,
            signal.SIGVTALRM]
    if not SANITIZED:  # sanitizers report these themselves
        SENT += [signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGTRAP, signal.SIGFPE]

    def setUp(self):
        super().setUp()
        save(self.path("in.tif"), noise(700, 900))
        self.arguments = [ABBE, "filter", self.path("in.tif"), "-f", "identity", "-o"]
        self.succeed(*self.arguments[1:], "new.png[compression=1]")
        self.new, self.old = self.read("new.png"), b"what was there before"
        start = time.monotonic()
        self.succeed(*self.arguments[1:], "new.png[compression=1]")
        self.seconds = time.monotonic() - start

    def trial(self, index):
        chance = random.Random(index)
        number = chance.choice(self.SENT)
        folder = self.path(f"trial{index}")
        target = os.path.join(folder, "out.png")
        os.mkdir(folder)
        with_old = chance.random() < 0.7
        if with_old:
            with open(target, "wb") as file:
                file.write(self.old)
        process = subprocess.Popen(self.arguments + [target + "[compression=1]"], stderr=subprocess.PIPE,
                                   env=environment())
        time.sleep(chance.uniform(0, 1.8 * self.seconds))
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
        found = {name: self.read(os.path.join(folder, name)) for name in os.listdir(folder)}
        shutil.rmtree(folder)
        return number, process.returncode, said, found.pop("out.png", None), with_old, len(found)

    def test_random_moments(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            outcomes = list(pool.map(self.trial, range(self.TRIALS)))
        interrupted = 0
        for index, (number, status, said, target, with_old, strays) in enumerate(outcomes):
            with self.subTest(trial=index, signal=number.name, status=status):
                self.assertIn(status, (0, -number))
                self.assertEqual(said, b"")
                interrupted += status != 0
                if status == 0:
                    self.assertEqual(target, self.new)
                self.assertIn(target, (self.new, self.old if with_old else None))
                # test_targets.py counts what SIGKILL leaves.
                self.assertLessEqual(strays, number == signal.SIGKILL and status != 0)
        self.assertGreater(interrupted, self.TRIALS // 4)

    def interrupt(self, moment, sender, number, named):
        """Exit status, content of the target and names in the folder after a signal at that moment."""
        name = f"{moment}-{sender}-{number.name}-{named}"
        os.mkdir(self.path(name))
        self.write(f"{name}/out.png", self.old)
        env = environment(LD_PRELOAD=os.environ["ABBE_INTERRUPT_MODULE"],
                          ABBE_INTERRUPT=f"{moment}:{sender}:{int(number)}",
                          **({"ABBE_REFUSE_UNNAMED": "1"} if named else {}))
        result = self.run_abbe("filter", "in.tif", "-f", "identity", "-o", f"{name}/out.png[compression=1]",
                               env=env)
        return result.status, self.read(f"{name}/out.png"), os.listdir(self.path(name))

    @unittest.skipUnless("ABBE_INTERRUPT_MODULE" in os.environ, "no module to preload")
    @unittest.skipIf(SANITIZED, "sanitizers must be loaded first, and report faults themselves")
    def test_moments_between_a_file_and_its_entry(self):
        """Signals right after a temporary file is created, linked or renamed, on every kind of thread."""
        numbers = [signal.SIGTERM, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL,
                   signal.SIGTRAP, signal.SIGABRT, signal.SIGSYS]
        moments = [("create", True, self.old), ("rename", True, self.new)]
        if support.has_unnamed_files(self.folder):
            moments += [("link", False, self.new), ("rename", False, self.new)]
        for index, (moment, named, target) in enumerate(moments):
            for place, sender in enumerate(("process", "thread", "other")):
                for number in numbers[(index + place) % 2::2]:
                    with self.subTest(moment=moment, named=named, sender=sender, signal=number.name):
                        self.assertEqual(self.interrupt(moment, sender, number, named),
                                         (-number, target, ["out.png"]))

    def test_ignored_interrupts_stay_ignored(self):
        """nohup and background jobs ignore SIGINT."""
        def ignore():
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        process = subprocess.Popen(self.arguments + [self.path("out.png")], preexec_fn=ignore,
                                   env=environment())
        for _ in range(20):
            process.send_signal(signal.SIGINT)
            time.sleep(self.seconds / 30)
        self.assertEqual(process.wait(60), 0)
        np.testing.assert_array_equal(load(self.path("out.png")), load(self.path("in.tif")))


class Names(support.Case):
    """Names of files may contain anything; messages about them are one clean line."""

    EVIL = ("a\x1b[31mred.png", "line\nbreak.png", "bell\x07\r.png", "c1\u009b31m.png", "turn\u202eround.png",
            b"\xff\xfe\x80.png", "del\x7f.png", "\x1b]0;title\x07.png")

    def test_missing_inputs(self):
        for name in self.EVIL:
            with self.subTest(name=name):
                result = self.refuse(1, "filter", name, "-f", "box", "-o", "out.png")
                result.raw_err.decode("utf-8")
                for character in ("\u009b", "\u202e"):
                    self.assertNotIn(character, result.err)

    def test_files_of_that_name(self):
        for name in map(os.fsencode, self.EVIL):
            with open(os.path.join(os.fsencode(self.folder), name), "wb") as file:
                file.write(support.png_bytes(u8(scene(20, 20))))
            result = self.succeed("filter", name, "-f", "box", "-o", b"out-" + name, "--stats")
            self.assertFalse([b for b in result.raw_err if b < 32 and b != 10])
            self.refuse(1, "filter", name, "-f", "box", "-o", b"nowhere/" + name)
            self.refuse(1, "filter", b"in-" + name, "-f", "box", "-o", name)

    def test_other_arguments(self):
        evil = "\x1b[31m\n\u009b"
        save(self.path("in.png"), u8(scene(20, 20)))
        for arguments in ((evil,), ("filter", "in.png", "-f", evil, "-o", "out.png"), ("filter", "--" + evil),
                          ("filter", "in.png", "-f", "box", "-o", "out." + evil), ("list", evil),
                          ("filter", "in.png", "-f", "box", "-o", "out.png", "--border", evil),
                          ("filter", "in.png", "-f", "box", "-o", "out.png", "--device", evil),
                          ("filter", "in.png", "-f", "kernel:file=" + evil, "-o", "out.png"),
                          ("explain", evil, "-f", "box"), ("texture", "--size", evil, "-o", "out.png")):
            with self.subTest(arguments=arguments):
                result = self.run_abbe(*arguments)
                self.assertIn(result.status, (1, 2))
                self.assert_one_line(result)


if __name__ == "__main__":
    support.main()
