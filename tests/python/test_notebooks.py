#!/usr/bin/env python3
"""The notebooks of examples/python run from top to bottom, and what they assert holds."""
import os
import pathlib
import unittest

import support

support.skip_without("numpy", "nbclient", "nbformat", "ipykernel", "matplotlib", "dask")

import nbclient  # noqa: E402
import nbformat  # noqa: E402

FOLDER = pathlib.Path(os.environ["ABBE_SOURCE"]) / "examples/python"
# Where the pictures of the notebooks go, for whoever wants to see them.
PICTURES = os.environ.get("ABBE_NOTEBOOK_PICTURES")


class Notebooks(unittest.TestCase):
    def test_notebooks(self):
        notebooks = sorted(FOLDER.glob("*.ipynb"))
        self.assertGreaterEqual(len(notebooks), 3)
        for path in notebooks:
            with self.subTest(path.name):
                notebook = nbformat.read(path, as_version=4)
                self.assertFalse(any(cell.get("outputs") for cell in notebook.cells), "outputs are not kept in git")
                nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
                if PICTURES:
                    self.save(path.stem, notebook)

    def save(self, name, notebook):
        import base64
        for cell in notebook.cells:
            for output in cell.get("outputs", []):
                if "image/png" in output.get("data", {}):
                    pathlib.Path(PICTURES, f"{name}.png").write_bytes(base64.b64decode(output.data["image/png"]))


if __name__ == "__main__":
    support.main()
