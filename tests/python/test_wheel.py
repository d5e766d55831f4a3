#!/usr/bin/env python3
"""The wheel: pip builds it without network, from the library that this build has compiled, and it works alone."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import support

support.skip_without("numpy", "pip", "setuptools", "wheel")

SOURCE = pathlib.Path(os.environ["ABBE_SOURCE"])
BUILD = os.environ["ABBE_BUILD"]


class Wheel(unittest.TestCase):
    def test_wheel(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder, "python")  # pip writes beside what it builds
            shutil.copytree(SOURCE / "python", copy, ignore=shutil.ignore_patterns("build", "*.egg-info"))
            shutil.copytree(SOURCE / "include", copy.parent / "include")
            subprocess.run([sys.executable, "-m", "pip", "-q", "wheel", "--no-build-isolation", "--no-index",
                            "--no-deps", "-w", folder, copy], check=True, env={**os.environ, "ABBE_BUILD": BUILD})
            wheel, = pathlib.Path(folder).glob("*.whl")
            self.assertRegex(wheel.name, r"^abbe-\d+\.\d+\.\d+-cp311-abi3-linux_\w+\.whl$")
            with zipfile.ZipFile(wheel) as archive:
                names = set(archive.namelist())
                archive.extractall(f"{folder}/site")
            self.assertLessEqual({"abbe/__init__.py", "abbe/_abbe.abi3.so", "abbe/_abbe.pyi", "abbe/py.typed",
                                  "abbe/ndimage.py", "abbe/signal.py", "abbe/dask.py"}, names)
            program = ("import abbe, numpy; assert abbe.__file__.startswith('%s'); "
                       "print(abbe.__version__, abbe.filter(numpy.ones((8, 8), 'f4'), 'gaussian').sum())" % folder)
            output = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True,
                                    env={**os.environ, "PYTHONPATH": f"{folder}/site"}).stdout.split()
            self.assertEqual(output[0], wheel.name.split("-")[1])
            self.assertAlmostEqual(float(output[1]), 64, 4)
            needed = subprocess.run(["objdump", "-p", f"{folder}/site/abbe/_abbe.abi3.so"], check=True,
                                    capture_output=True, text=True).stdout
            libraries = {line.split()[1] for line in needed.splitlines() if "NEEDED" in line}
            self.assertLessEqual(libraries, {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2",
                                             "ld-linux-aarch64.so.1"})


if __name__ == "__main__":
    support.main()
