#!/usr/bin/env python3
"""Checks that dependence runs down the layers only, by the includes of sources and the symbols of objects.

Usage: test_layers.py SOURCE_FOLDER OBJECT_FOLDER; NM in the environment names the program to use.
The table MAY_USE is the rule; docs/internals.md explains it.
"""
import functools
import os
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(sys.argv[1])
OBJECTS = pathlib.Path(sys.argv[2])

# A layer may use itself and the layers named here.
MAY_USE = {
    "src/core": {"include"},
    "src/fft": {"include", "src/core"},
    "src/spectrum": {"include", "src/core", "src/fft", "src/device"},
    "src/filter": {"include", "src/core", "src/fft"},
    "src/device": {"include", "src/core", "src/fft", "src/filter"},
    "src/plan": {"include", "src/core", "src/fft", "src/filter", "src/device"},
    "src/cpu": {"include", "src/core", "src/fft", "src/filter", "src/device", "src/spectrum"},
    "src/cuda": {"include", "src/core", "src/fft", "src/filter", "src/device", "kernels"},
    "src/vulkan": {"include", "src/core", "src/fft", "src/filter", "src/device", "shaders"},
    "src/gl": {"include", "src/core", "src/fft", "src/filter", "src/device", "src/spectrum"},
    "scene/text": set(),
    "scene": {"include", "scene/text"},
    "tools/cli": {"include"},
    "tools/picture": {"include", "tools/cli"},
    "tools/abbe": {"include", "scene", "tools/cli", "tools/picture"},
    "bench": {"include", "scene", "tools/cli"},
    "web": {"include", "src/gl"},
    "examples": {"include", "scene/text"},
    "python/extension": {"include"},
}

# The registry is the one file that names the devices.
REGISTRY = "src/device/registry.c"
DEVICE_TABLES = {"cpu_device_table", "cuda_device_table", "vk_device_table", "gl_device_table"}


def layer_of(path):
    """The layer that a path relative to the sources belongs to, or None."""
    for layer in sorted(MAY_USE, reverse=True):  # scene/text before scene
        if path.startswith(layer + "/"):
            return layer
    if path.startswith("include/"):
        return "include"
    for folder in ("shaders", "kernels"):
        if path.startswith(folder + "/"):
            return folder
    return None


def allowed(user, used):
    return used is None or user == used or used in MAY_USE[user]


def include_edges():
    """(file, layer, included file, its layer) for every include of a file of ours."""
    for folder in sorted({layer.split("/")[0] for layer in MAY_USE}):
        for path in sorted((SOURCE / folder).rglob("*")):
            if path.suffix not in (".c", ".h", ".cpp", ".cu"):
                continue
            name = path.relative_to(SOURCE).as_posix()
            for included in re.findall(r'^#include "([^"]+)"', path.read_text(), re.M):
                target = resolve(path, included)
                if target:
                    yield name, layer_of(name), target, layer_of(target)


def resolve(path, included):
    """The file that an include names, relative to the sources; None for a generated one or one of the system.

    Searches like the compiler: beside the including file first, then in the include folders. These are src
    and shaders for the library; for programs, every folder of programs, beginning with their own.
    """
    beside = os.path.normpath(path.parent / included)
    if os.path.isfile(beside):
        return os.path.relpath(beside, SOURCE)
    top = path.relative_to(SOURCE).parts[0]
    folders = ["src", "shaders"]
    if top not in ("src", "web"):
        folders = sorted(PROGRAM_FOLDERS, key=lambda name: name.split("/")[0] != top)
    for folder in folders:
        name = os.path.normpath(f"{folder}/{included}")
        if (SOURCE / name).is_file():
            return name
    return None


PROGRAM_FOLDERS = [folder.relative_to(SOURCE).as_posix()
                   for top in ("scene", "tools", "bench", "examples", "python/extension")
                   for folder in [SOURCE / top, *sorted((SOURCE / top).rglob("*"))] if folder.is_dir()]


@functools.cache
def read_symbols():
    """For each object of the library: the symbols it defines and those it needs."""
    objects = []
    for path in sorted(OBJECTS.rglob("*.o")):
        source = "src/" + path.relative_to(OBJECTS).as_posix().removesuffix(".o")
        if layer_of(source) not in MAY_USE:
            continue
        command = [os.environ.get("NM", "nm"), path]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        defined, needed = set(), set()
        for line in output.splitlines():
            kind, symbol = line.split()[-2:]
            (needed if kind == "U" else defined if kind.isupper() else set()).add(symbol)
        objects.append((source, defined, needed))
    return objects


class Layers(unittest.TestCase):
    def test_includes_run_downward(self):
        edges = list(include_edges())
        self.assertGreater(len(edges), 500, "the sources were not found")
        self.assertEqual([], [f"{name} includes {target}" for name, user, target, used in edges
                              if user and not allowed(user, used)])

    def test_symbols_run_downward(self):
        objects = read_symbols()
        self.assertGreater(len(objects), 50, "the objects were not found")
        home = {symbol: source for source, defined, _ in objects for symbol in defined}
        upward = []
        for source, _, needed in objects:
            for symbol in sorted(needed & home.keys()):
                if source == REGISTRY and symbol in DEVICE_TABLES:
                    continue
                if not allowed(layer_of(source), layer_of(home[symbol])):
                    upward.append(f"{source} uses {symbol} of {home[symbol]}")
        self.assertEqual([], upward)

    def test_environment_is_read_securely(self):
        """A program with the rights of its owner (setuid) must not obey the environment of its caller."""
        self.assertEqual([], [source for source, _, needed in read_symbols() if "getenv" in needed])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
