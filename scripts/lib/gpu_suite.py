"""Prints the tests of the GPU devices, one line each: name, environment, path of the program and arguments,
separated by tabs. The argument is the file that `ctest --show-only=json-v1` wrote."""

import json
import os
import sys

# What the tests on software drivers and on the emulated driver of CUDA set, and a real GPU must not see.
SOFTWARE = ("ABBE_TEST_EFFORT", "ABBE_VULKAN_SOFTWARE", "ABBE_VULKAN_VALIDATE", "ABBE_GL_SOFTWARE",
            "ABBE_GL_VALIDATE", "GALLIVM_", "LP_", "MESA_", "VK_", "LD_LIBRARY_PATH", "ABBE_EMULATOR",
            "ABBE_CUDA_CACHE")

# Long tests that read ABBE_TEST_PART are divided, because drivers compile shaders on one processor.
IN_PARTS = ("test_shapes", "test_lengths", "test_poison")
PARTS = 4


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        tests = json.load(file)["tests"]
    for test in tests:
        command = test.get("command", [""])
        program = os.path.basename(command[0])
        if not test["name"].startswith("test_") or not program.startswith("test_") or program == "test_examples":
            continue
        environment = []
        for entry in test["properties"]:
            if entry["name"] == "ENVIRONMENT":
                environment = [value for value in entry["value"] if not value.startswith(SOFTWARE)]
        if program in IN_PARTS:
            for part in range(PARTS):
                print(f"{test['name']}_{part}", " ".join([*environment, f"ABBE_TEST_PART={part}/{PARTS}"]), command[0],
                      " ".join(command[1:]), sep="\t")
            continue
        print(test["name"], " ".join(environment), command[0], " ".join(command[1:]), sep="\t")


main()
