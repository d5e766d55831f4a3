"""What the tests of the Python package share."""
import importlib.util
import os
import sys
import unittest

# The amount of work, as for the C tests: slight, brief or full.
EFFORT = os.environ.get("ABBE_TEST_EFFORT", "full")


def skip_without(*modules):
    """Ends the program as skipped where one of the modules is not installed."""
    for name in modules:
        if importlib.util.find_spec(name) is None:
            print(f"skipped: there is no module {name}")
            sys.exit(77)


def main():
    unittest.main(verbosity=1)
