#!/usr/bin/env python3
"""Processes, threads, signals, memory, and arguments of every wrong kind."""
import gc
import itertools
import multiprocessing
import os
import random
import signal
import sys
import threading
import time
import unittest

import support

support.skip_without("numpy")

import numpy as np  # noqa: E402

import abbe  # noqa: E402
from abbe import _abbe  # noqa: E402

PICTURE = np.random.default_rng(1).random((256, 256), dtype="f4")
CALLS = {"full": 1_000_000, "brief": 100_000, "slight": 10_000}[support.EFFORT]


def disk_sum(_=None):
    return float(abbe.filter(PICTURE, "disk:radius=9").sum())


def resident():
    """Bytes of memory that the process has now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Processes(unittest.TestCase):
    def check(self, method):
        expected = disk_sum()  # the parent uses the library's threads first
        with multiprocessing.get_context(method).Pool(2) as pool:
            self.assertEqual(pool.map_async(disk_sum, range(4)).get(60), [expected] * 4)

    def test_fork(self):
        self.check("fork")

    def test_spawn(self):
        self.check("spawn")

    def test_fork_while_threads_filter(self):
        stop = threading.Event()
        expected = disk_sum()

        def work():
            while not stop.is_set():
                disk_sum()

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(5):
                child = os.fork()
                if child == 0:
                    os._exit(0 if disk_sum() == expected else 1)
                self.assertEqual(os.waitpid(child, 0)[1], 0)
        finally:
            stop.set()
            for thread in threads:
                thread.join()


class Threads(unittest.TestCase):
    def test_eight_threads(self):
        expected = disk_sum()
        results = []
        filter = abbe.Filter.from_transfer(lambda fx, fy: np.exp(-20 * (fx * fx + fy * fy)))
        soft = abbe.filter(PICTURE, filter, border="wrap").sum()

        def work():
            for _ in range(20):
                results.append(disk_sum() == expected)
                results.append(abbe.Plan(PICTURE.shape, "f4", filter, border="wrap")(PICTURE).sum() == soft)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [True] * 320)

    def test_other_threads_continue(self):
        """A run does not hold the GIL: another thread goes round meanwhile."""
        plan = abbe.Plan((3000, 3000), "f4", "disk:radius=30", method="direct", threads=1)
        array = np.zeros((3000, 3000), "f4")
        rounds = itertools.count()
        done = threading.Event()

        def count():
            while not done.is_set():
                next(rounds)
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        begin = next(rounds)
        plan(array)
        during = next(rounds) - begin
        done.set()
        thread.join()
        self.assertGreater(during, 10)


class Signals(unittest.TestCase):
    def setUp(self):
        # A shell's background jobs ignore SIGINT, and Python then leaves it so.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))

    def test_interrupt(self):
        """Ctrl-C ends a long run soon, and the plan works afterwards."""
        plan = abbe.Plan((4000, 4000), "f4", "disk:radius=60", method="direct", threads=1)
        array = np.zeros((4000, 4000), "f4")
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            plan(array)
        timer.join()
        small = abbe.Plan((40, 40), "f4", "disk:radius=6")
        self.assertEqual(small(np.ones((40, 40), "f4")).round(4).sum(), 1600)

    def test_interrupted_stack(self):
        plan = abbe.Plan((400, 300, 300), "f4", "disk:radius=40", method="direct", axes=(1, 2), threads=2)
        array = np.zeros((400, 300, 300), "f4")
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            plan(array)
        timer.join()

    def test_handled_signal(self):
        """A signal whose handler returns does not stop the run."""
        seen = []
        old = signal.signal(signal.SIGUSR1, lambda *_: seen.append(time.monotonic()))
        try:
            plan = abbe.Plan((3000, 3000), "f4", "disk:radius=25", method="direct", threads=1)
            timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1))
            timer.start()
            plan(np.zeros((3000, 3000), "f4"))
            timer.join()
            self.assertEqual(len(seen), 1)
        finally:
            signal.signal(signal.SIGUSR1, old)


class Leaks(unittest.TestCase):
    def grow(self, work, calls):
        """Bytes that the process grows by when `work` is called again and again."""
        for _ in range(calls // 10):
            work()
        gc.collect()
        begin = resident()
        for _ in range(calls):
            work()
        gc.collect()
        return resident() - begin

    def test_many_calls(self):
        array = np.ones((4, 4), "f4")
        out = np.empty((4, 4), "f4")
        plan = abbe.Plan((4, 4), "f4", "box:radius=1")
        count = sys.getrefcount(array), sys.getrefcount(out), sys.getrefcount(plan)
        self.assertLess(self.grow(lambda: plan(array, out), CALLS), 1 << 20)
        self.assertEqual(count, (sys.getrefcount(array), sys.getrefcount(out), sys.getrefcount(plan)))

    def test_every_function(self):
        array = np.ones((4, 4), "f4")
        taps = np.ones((3, 3))
        function = abbe.Filter.from_transfer(lambda fx, fy: fx)

        def fail(call, *args, **keywords):
            try:
                call(*args, **keywords)
            except (ValueError, TypeError, OSError, ZeroDivisionError):
                pass

        works = [
            lambda: abbe.filter(array, "box"), lambda: abbe.filter(array, ["box", "sobel"]),
            lambda: abbe.Filter.from_kernel(taps).reach(), lambda: abbe.Filter.from_gains(taps).gain(0.1, 0.1),
            lambda: function.gain(0.1, 0.2), lambda: abbe.Plan((4, 4), "f4", function, border="wrap").explain(),
            lambda: abbe.spectrum(array), lambda: abbe.ispectrum(array), abbe.list_filters,
            lambda: ("gaussian" >> abbe.Filter("sobel")).taps(1), lambda: abbe.find_peaks(array),
            lambda: fail(abbe.filter, array, "nothing"), lambda: fail(abbe.filter, array, "box", out=taps),
            lambda: fail(abbe.filter, array * np.nan, "box"), lambda: fail(abbe.Filter.from_kernel, [["a"]]),
            lambda: fail(abbe.Filter.parse, "kernel:file=x", lambda *_: 1 / 0),
            lambda: fail(abbe.Plan((4, 4), "f4", "box")._handle.run, array, (array, array), False),
            lambda: fail(abbe.Plan((4, 4), "f4", "box")._handle.run, array, (taps,), False),
            lambda: fail(_abbe.spectrum_forward, array, taps),
            lambda: abbe.Device("cpu", 1),
            lambda: _abbe.truncate(array, np.empty((4, 4), "u1"), 0.1, 16),
            lambda: fail(_abbe.truncate, array, array[:2], 0.1, 16),
        ]
        for number, work in enumerate(works):
            self.assertLess(self.grow(work, 2000), 600_000, f"work {number}")

    def test_cycle(self):
        """A filter whose function holds the filter is collected."""
        died = []

        class Watched:
            def __del__(self):
                died.append(1)

        def make():
            watched = Watched()
            holder = []
            holder.append(abbe.Filter.from_transfer(lambda fx, fy: (holder, watched)))

        make()
        gc.collect()
        self.assertEqual(died, [1])


class Nonsense(unittest.TestCase):
    """The extension's own functions with arguments of every kind: exceptions, never a crash."""

    def test_arguments(self):
        choices = random.Random(7)
        plane = np.ones((4, 5), "f4")
        device = _abbe.Device("cpu", 1)
        box = _abbe.parse("box")
        plan = _abbe.Plan(device, (box,), 5, 4, 1, "f32", "f32")
        values = [None, True, 0, 1, -1, 2**31, 2**70, 1.5, float("nan"), float("inf"), "", "box", "reflect", "\0",
                  "ü" * 50, b"", b"12345678", b"1 2 3", (), (1,), (1, 2), (1, 2, 3, 4), [], {}, object(), plane,
                  plane[::-1, ::2], plane.T, np.ones(3), np.ones((2, 3)), np.zeros((0, 3)), np.ones((2, 3), "c16"),
                  np.array(1.0), np.array([b"a"]), np.broadcast_to(plane, (3, 4, 5)), memoryview(b"abc"),
                  bytearray(8), device, box, (box,), (box, box), (plane,), [box], plan, len, lambda *_: 3,
                  lambda x, y: bytes(2 * len(x)), np.ones((3, 4, 5, 2), "f4"), plane.astype("f8"), "f32", "same"]
        calls = [_abbe.parse, _abbe.from_kernel, _abbe.from_separable, _abbe.from_mask, _abbe.from_gains,
                 _abbe.from_transfer, _abbe.chain, _abbe.spectrum_forward, _abbe.spectrum_inverse,
                 _abbe.spectrum_pack, _abbe.spectrum_unpack, _abbe.find_peaks, _abbe.truncate, _abbe.Device, _abbe.Plan,
                 _abbe.Filter, box.taps, box.gain, box.reach, plan.run, plan.candidates]
        names = ["border", "method", "border_value", "tile", "alpha", "nonfinite", "offset", "linear_light",
                 "correlate", "precision", "scale", "runs", "window", "rectangle", "bogus"]
        passed = 0
        for _ in range(min(CALLS, 60_000)):
            call = choices.choice(calls)
            args = [choices.choice(values) for _ in range(choices.randrange(7))]
            keywords = {}
            if call is _abbe.Plan:
                if choices.random() < 0.8:
                    args = [device, (box,), 5, 4, 1, "f32", "f32"]
                    if choices.random() < 0.3:
                        args[choices.randrange(7)] = choices.choice(values)
                keywords = {choices.choice(names): choices.choice(values) for _ in range(choices.randrange(4))}
            elif call is _abbe.Device and args and args[0] in ("vulkan", "gl"):
                continue
            try:
                call(*args, **keywords)
                passed += 1
            except (ValueError, TypeError, OverflowError, MemoryError, OSError, BufferError, UnicodeError,
                    abbe.DeviceError):
                pass
        self.assertGreater(passed, 100)
        self.assertTrue((plane == 1).all() or plane.shape == (4, 5))
        self.assertEqual(abbe.filter(np.ones((9, 9), "f4"), "box").sum(), 81)


if __name__ == "__main__":
    support.main()
