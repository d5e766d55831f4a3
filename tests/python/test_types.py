#!/usr/bin/env python3
"""Types: the package is right by its own annotations, the extension is as its stub says, and users' mistakes are found."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import support

support.skip_without("numpy", "mypy")

PACKAGE = pathlib.Path(os.environ["ABBE_BUILD"], "python/abbe")
SETTINGS = """[mypy]
ignore_missing_imports = True
check_untyped_defs = True
[mypy-numpy.*,scipy.*,dask.*]
follow_imports = skip
"""
RIGHT = """
import abbe
plan = abbe.Plan((480, 640), "f4", ["gaussian:sigma=3", abbe.Filter("sobel")], border="clamp", threads=2)
seconds: float = plan.explain().choice.seconds
reach: int = (abbe.Filter("disk") >> "gaussian").reach(1e-3).left
"""
WRONG = {
    'abbe.Filter(3)': "arg-type",
    'abbe.Plan((4, 4), "f4", "box", bordr="wrap")': "call-arg",
    'abbe.Filter("box").reach().top': "attr-defined",
    'abbe.Device("cpu", threads="2")': "arg-type",
}


class Types(unittest.TestCase):
    def mypy(self, *arguments, module="mypy"):
        with tempfile.TemporaryDirectory() as folder:
            settings = pathlib.Path(folder, "mypy.ini")
            settings.write_text(SETTINGS)
            option = "--config-file" if module == "mypy" else "--mypy-config-file"
            cache = ["--cache-dir", os.devnull] if module == "mypy" else []
            return subprocess.run([sys.executable, "-m", module, f"{option}={settings}", *cache, *map(str, arguments)],
                                  cwd=folder, capture_output=True, text=True,
                                  env={**os.environ, "MYPYPATH": str(PACKAGE.parent)})

    def test_package(self):
        done = self.mypy(PACKAGE)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_stub(self):
        done = self.mypy("abbe._abbe", module="mypy.stubtest")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "program.py")
            program.write_text(RIGHT + "\n".join(WRONG) + "\n")
            done = self.mypy(program)
        found = [line for line in done.stdout.splitlines() if ": error:" in line]
        self.assertEqual(len(found), len(WRONG), done.stdout)
        for line, kind in zip(found, WRONG.values()):
            self.assertIn(f"[{kind}]", line)


if __name__ == "__main__":
    support.main()
