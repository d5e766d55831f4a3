"""Output files while they are written: renamed folders, SIGKILL, what a killed program left, attributes."""

import concurrent.futures
import fcntl
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import time
import unittest

import numpy as np

import support
from support import ABBE, BRIEF, SANITIZED, environment, has_unnamed_files, save, scene, u8

MODULE = os.environ.get("ABBE_INTERRUPT_MODULE")
needs_module = unittest.skipUnless(MODULE and not SANITIZED, "no module to preload, or a sanitizer first")

OLD = b"what was there before"


class Interrupted(support.Case):
    """Runs of the command that are stopped or killed at a chosen moment; see interrupt.c."""

    def setUp(self):
        super().setUp()
        save(self.path("in.png"), u8(scene(40, 50)))
        self.succeed("filter", "in.png", "-f", "identity", "-o", "whole.png")
        self.whole = self.read("whole.png")
        os.mkdir(self.path("out"))

    def environment_of(self, moment, number, named):
        more = {"ABBE_REFUSE_UNNAMED": "1"} if named else {}
        return environment(LD_PRELOAD=MODULE, ABBE_INTERRUPT=f"{moment}:process:{int(number)}", **more)

    def start(self, moment, number, named, target="out/out.png", **more):
        return subprocess.Popen([ABBE, "filter", "in.png", "-f", "identity", "-o", target], cwd=self.folder,
                                env=self.environment_of(moment, number, named), stderr=subprocess.PIPE,
                                **more)

    def ways(self):
        """Whether files have temporary names, with the moment when they are created."""
        if has_unnamed_files(self.folder):
            yield False, "unnamed"
        yield True, "create"


@needs_module
class RenamedFolder(Interrupted):
    """The folder of the output gets another name while the file is written."""

    def run_renamed(self, named, moment, number=signal.SIGCONT, **more):
        """Stops the command when the file exists, renames its folder, and goes on with that signal."""
        process = self.start(moment, signal.SIGSTOP, named, **more)
        os.waitpid(process.pid, os.WUNTRACED)
        os.rename(self.path("out"), self.path("moved"))
        os.mkdir(self.path("out"))
        process.send_signal(number)
        process.send_signal(signal.SIGCONT)
        _, said = process.communicate(timeout=60)
        found = os.listdir(self.path("moved")), os.listdir(self.path("out"))
        whole = self.read("moved/out.png") if "out.png" in found[0] else None
        shutil.rmtree(self.path("moved"))
        return process.returncode, said.decode(), found, whole

    def test_the_file_is_in_the_renamed_folder(self):
        for named, moment in self.ways():
            for before in (None, OLD):
                with self.subTest(named=named, before=before):
                    if before:
                        self.write("out/out.png", before)
                    status, said, found, content = self.run_renamed(named, moment)
                    self.assertEqual((status, found), (0, (["out.png"], [])))
                    self.assertEqual(content, self.whole)
                    self.assertIn("renamed", said)
                    self.assertEqual(said.count("\n"), 1)

    def test_a_signal_leaves_nothing(self):
        for named, moment in self.ways():
            status, said, found, _ = self.run_renamed(named, moment, signal.SIGTERM)
            self.assertEqual((status, said, found), (-signal.SIGTERM, "", ([], [])), named)

    def test_a_failure_leaves_nothing(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        for named, moment in self.ways():
            status, said, found, _ = self.run_renamed(named, moment, preexec_fn=limit)
            self.assertEqual((status, found), (1, ([], [])), named)
            self.assertEqual(said.count("\n"), 1)


class Killed(Interrupted):
    """SIGKILL, which no program can catch."""

    def names(self):
        return os.listdir(self.path("out"))

    @needs_module
    def test_a_new_file(self):
        if not has_unnamed_files(self.folder):
            self.skipTest("this file system has no files without a name")
        for moment, wanted in (("unnamed", []), ("link", ["out.png"])):
            process = self.start(moment, signal.SIGKILL, named=False)
            process.communicate(timeout=60)
            self.assertEqual((process.returncode, self.names()), (-signal.SIGKILL, wanted), moment)
        self.assertEqual(self.read("out/out.png"), self.whole)

    @needs_module
    def test_the_next_program_removes_what_is_left(self):
        for named, moment in ((True, "create"), (False, "link")):
            if not named and not has_unnamed_files(self.folder):
                continue
            self.write("out/out.png", OLD)
            process = self.start(moment, signal.SIGKILL, named)
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, -signal.SIGKILL)
            self.assertEqual(len(self.names()), 2, moment)
            self.assertEqual(self.read("out/out.png"), OLD)
            self.succeed("filter", "in.png", "-f", "identity", "-o", "out/out.png")
            self.assertEqual(self.names(), ["out.png"], moment)
            self.assertEqual(self.read("out/out.png"), self.whole)

    def trial(self, index):
        """Kills one command at a random moment. Returns its status and the names that it left."""
        chance, folder = random.Random(index), self.path(f"trial{index}")
        os.mkdir(folder)
        if index % 2:
            with open(os.path.join(folder, "out.png"), "wb") as file:
                file.write(OLD)
        process = subprocess.Popen(self.slow + [os.path.join(folder, "out.png")], env=environment())
        time.sleep(chance.uniform(0, 1.3 * self.seconds))
        process.kill()
        process.wait(60)
        return process.returncode, sorted(os.listdir(folder)), index % 2

    def test_random_moments(self):
        """A name that is left needs a kill between two system calls: at most one of these trials."""
        if not has_unnamed_files(self.folder):
            self.skipTest("this file system has no files without a name")
        noise = np.random.default_rng(4).integers(0, 256, (400, 500, 3), np.uint8)
        save(self.path("noise.png"), noise)
        self.slow = [ABBE, "filter", self.path("noise.png"), "-f", "identity", "-o"]
        start = time.monotonic()
        self.succeed(*self.slow[1:], "warm.png")
        self.seconds = time.monotonic() - start
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            outcomes = list(pool.map(self.trial, range(16 if BRIEF else 60)))
        killed = [outcome for outcome in outcomes if outcome[0]]
        self.assertGreater(len(killed), len(outcomes) // 4)
        strays = [names for _, names, replaces in killed if [n for n in names if n != "out.png"]]
        self.assertLessEqual(len(strays), 1, strays)
        for _, names, replaces in killed:
            self.assertIn("out.png" in names, (True,) if replaces else (True, False))


class Abandoned(support.Case):
    """Which files are taken for abandoned by a killed program: made here since the start of the machine, ours,
    regular, with one name, and unlocked."""

    def setUp(self):
        super().setUp()
        save(self.path("in.png"), u8(scene(20, 30)))
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            self.boot = file.read().replace("-", "")[:12]
        os.mkdir(self.path("out"))
        self.write("out/out.png", OLD)

    def name(self, word, boot=None):
        return f"out/.abbe-{boot or self.boot}-{word}.png"

    def remaining(self):
        self.succeed("filter", "in.png", "-f", "box", "-o", "out/out.png")
        return sorted(os.listdir(self.path("out")))

    def test_abandoned(self):
        self.write(self.name("abcdefgh"), "part of a picture")
        self.write(self.name("01234512"), "")
        self.assertEqual(self.remaining(), ["out.png"])

    def test_a_new_file_is_enough(self):
        """The next command need not replace anything."""
        self.write(self.name("abcdefgh"), "part of a picture")
        self.succeed("filter", "in.png", "-f", "box", "-o", "out/new.png")
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["new.png", "out.png"])

    def test_others_stay(self):
        kept = [self.name("locklock"), self.name("linklink"), self.name("otherone", "0123456789ab"),
                self.name("otherone", "unlocked"), "out/.abbe-abcdefgh.png",
                self.name("toolonger"), self.name("UPPERCAS")]
        for name in kept:
            self.write(name, "precious")
        os.link(self.path(kept[1]), self.path("second name"))
        os.mkfifo(self.path(self.name("fifofifo")))
        os.mkdir(self.path(self.name("folderaa")))
        os.symlink("../in.png", self.path(self.name("symbolic")))
        special = [self.name(word) for word in ("fifofifo", "folderaa", "symbolic")]
        if os.geteuid() == 0:
            self.write(self.name("strangea"), "precious")
            os.chown(self.path(self.name("strangea")), 12345, -1)
            kept.append(self.name("strangea"))
        with open(self.path(kept[0]), "rb") as locked:
            fcntl.flock(locked, fcntl.LOCK_EX)
            self.assertEqual(self.remaining(),
                             sorted(os.path.basename(name) for name in kept + special + ["out/out.png"]))
        for name in kept:
            self.assertEqual(self.read(name), b"precious", name)

    @needs_module
    def test_a_file_system_without_locks(self):
        """There a temporary name is of the kind that is never taken for abandoned."""
        env = environment(LD_PRELOAD=MODULE, ABBE_REFUSE_UNNAMED="1", ABBE_REFUSE_LOCKS="1",
                          ABBE_INTERRUPT=f"rename:process:{int(signal.SIGKILL)}")
        result = self.run_abbe("filter", "in.png", "-f", "box", "-o", "out/out.png", env=env)
        self.assertEqual((result.status, os.listdir(self.path("out"))), (-signal.SIGKILL, ["out.png"]))
        # The first file is removed when it turns out that it cannot be locked.
        env["ABBE_INTERRUPT"] = f"create:process:{int(signal.SIGKILL)}:2"
        result = self.run_abbe("filter", "in.png", "-f", "box", "-o", "out/out.png", env=env)
        self.assertEqual(result.status, -signal.SIGKILL)
        left = [name for name in os.listdir(self.path("out")) if name != "out.png"]
        self.assertEqual([name[:15] for name in left], [".abbe-unlocked-"])
        del env["ABBE_INTERRUPT"]
        for more in (env, environment()):
            self.succeed("filter", "in.png", "-f", "box", "-o", "out/out.png", env=more)
            self.assertEqual(sorted(os.listdir(self.path("out"))), sorted(left + ["out.png"]))


class Attributes(support.Case):
    """A file that is replaced passes on what belongs to its name rather than to its content."""

    ACCESS, DEFAULT = "system.posix_acl_access", "system.posix_acl_default"

    def setUp(self):
        super().setUp()
        save(self.path("in.png"), u8(scene(20, 30)))
        self.write("out.png", OLD)
        self.out = self.path("out.png")

    def set_attribute(self, path, name, value):
        try:
            os.setxattr(path, name, value)
        except OSError as error:
            self.skipTest(f"this file system has no {name}: {error}")

    def replace(self, named=False):
        env = environment()
        if named:
            env.update(LD_PRELOAD=MODULE, ABBE_REFUSE_UNNAMED="1")
        result = self.succeed("filter", "in.png", "-f", "box", "-o", "out.png", env=env)
        self.assertEqual(result.err, "")
        self.assertNotEqual(self.read("out.png"), OLD)

    @staticmethod
    def access_list(user, group):
        """user::rw- user:1234:USER group::GROUP mask::rw- other::---, as the system stores it."""
        anyone = 0xffffffff
        entries = ((1, 6, anyone), (2, user, 1234), (4, group, anyone), (16, 6, anyone), (32, 0, anyone))
        return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)

    def test_user_attributes(self):
        values = {"user.rating": b"5", "user.note": bytes(range(256)) * 4, "user.empty": b""}
        for name, value in values.items():
            self.set_attribute(self.out, name, value)
        for named in (False, True) if MODULE and not SANITIZED else (False,):
            self.replace(named)
            found = {name: os.getxattr(self.out, name) for name in os.listxattr(self.out)
                     if name.startswith("user.")}
            self.assertEqual(found, values)

    def test_access_list(self):
        wanted = self.access_list(6, 0)
        self.set_attribute(self.out, self.ACCESS, wanted)
        mode = os.stat(self.out).st_mode
        self.replace()
        self.assertEqual(os.getxattr(self.out, self.ACCESS), wanted)
        self.assertEqual(os.stat(self.out).st_mode, mode)

    def test_no_access_list_stays_none(self):
        """The list that the folder gives to new files does not open a private one."""
        self.set_attribute(self.folder, self.DEFAULT, self.access_list(6, 6))
        os.chmod(self.out, 0o640)
        self.replace()
        self.assertNotIn(self.ACCESS, os.listxattr(self.out))
        self.assertEqual(os.stat(self.out).st_mode & 0o777, 0o640)
        self.succeed("filter", "in.png", "-f", "box", "-o", "new.png")
        self.assertIn(self.ACCESS, os.listxattr(self.path("new.png")))

    def test_mode_and_owner(self):
        for mode in (0o600, 0o644, 0o664, 0o777):
            os.chmod(self.out, mode)
            if os.geteuid() == 0:
                os.chown(self.out, 1234, 5678)
            self.replace()
            entry = os.stat(self.out)
            self.assertEqual(entry.st_mode & 0o7777, mode)
            if os.geteuid() == 0:
                self.assertEqual((entry.st_uid, entry.st_gid), (1234, 5678))

    def test_the_owner_is_another_user(self):
        """Who may not give the file away gives it the group, and else takes the permissions from the group."""
        if os.geteuid() != 0:
            self.skipTest("only root can run as another user")
        os.chmod(self.folder, 0o777)
        for groups, mode, wanted in (([5678], 0o664, (65534, 5678, 0o664)), ([], 0o666, (65534, 65534, 0o606))):
            os.chmod(self.out, mode)
            os.chown(self.out, 1234, 5678)
            try:
                self.succeed("filter", "in.png", "-f", "box", "-o", "out.png", user=65534, group=65534,
                             extra_groups=groups)
            except PermissionError:
                self.skipTest("another user cannot run the command")
            entry = os.stat(self.out)
            self.assertEqual((entry.st_uid, entry.st_gid, entry.st_mode & 0o7777), wanted)

    def test_a_new_file_has_the_mode_of_the_process(self):
        for mask in (0o022, 0o077, 0o002):
            self.succeed("filter", "in.png", "-f", "box", "-o", f"new{mask}.png",
                         preexec_fn=lambda mask=mask: os.umask(mask))
            self.assertEqual(os.stat(self.path(f"new{mask}.png")).st_mode & 0o777, 0o666 & ~mask)


if __name__ == "__main__":
    support.main()
