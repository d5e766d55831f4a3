"""Builds the extension by the project's CMake files, for pip and setuptools. The wheel serves every Python from 3.11
on, because the extension uses the limited API."""
import os
import pathlib
import re
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

PROJECT = pathlib.Path(__file__).resolve().parent.parent


def read_version():
    """The public header is the one place that knows the version."""
    header = (PROJECT / "include/abbe/abbe.h").read_text()
    return ".".join(re.search(rf"#define ABBE_VERSION_{part} +(\d+)", header)[1]
                    for part in ("MAJOR", "MINOR", "PATCH"))


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        target = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve()
        # The tests name a build of the project that exists, which saves compiling the library again.
        folder = os.environ.get("ABBE_BUILD")
        folder = pathlib.Path(folder) if folder else self.configure()
        subprocess.run(["cmake", "--build", folder, "--parallel", str(os.cpu_count()), "--target", "abbe_python"],
                       check=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(folder / "python/abbe/_abbe.abi3.so"), str(target))

    def configure(self):
        folder = pathlib.Path(self.build_temp).resolve() / "cmake"
        subprocess.run(["cmake", "-S", PROJECT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release",
                        f"-DPython3_EXECUTABLE={sys.executable}",
                        *(f"-DABBE_{part}=OFF" for part in ("TOOLS", "BENCH", "TESTS", "EXAMPLES", "WERROR")),
                        *os.environ.get("CMAKE_ARGS", "").split()], check=True)
        return folder


setup(version=read_version(),
      ext_modules=[Extension("abbe._abbe", [], py_limited_api=True)],
      cmdclass={"build_ext": CMakeBuild},
      options={"bdist_wheel": {"py_limited_api": "cp311"}, "build": {"build_base": str(PROJECT / "build/wheel")}})
