"""Memory that runs out: whatever the limit, the result is whole or there is a message, and nothing is left."""

import os
import resource
import unittest

import support
from support import SANITIZED, load, save, scene, u8

STEP = 5 if os.environ.get("ABBE_TEST_EFFORT") == "full" else 20
LINKER = 127  # the exit status where the program cannot even be loaded


def limited(megabytes):
    limit = megabytes * 1000 * 1000
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


@unittest.skipIf(SANITIZED, "sanitizers need a large address space")
class Memory(support.Case):

    def test_every_limit(self):
        """Runs with 120 to 460 MB of address space end in order: no signal, no rest of a file."""
        samples = u8(scene(600, 800, 3))
        inputs = [save(self.path("in." + kind), samples) for kind in ("png", "jpg", "webp")]
        names = [os.path.basename(name) for name in inputs]
        outputs = {"in.png": "out.webp", "in.jpg": "out.png", "in.webp": "out.tif"}
        whole = 0
        for megabytes in range(120, 461, STEP):
            for name in names:
                with self.subTest(megabytes=megabytes, name=name):
                    result = self.run_abbe("filter", name, "-f", "gaussian:sigma=30", "-o", outputs[name],
                                           preexec_fn=limited(megabytes))
                    self.assertIn(result.status, (0, 1, LINKER), result)
                    left = [outputs[name]] if result.status == 0 else []
                    self.assert_only(*names, *left)
                    if result.status == 0:
                        self.assertEqual(load(self.path(outputs[name])).shape, samples.shape)
                        os.remove(self.path(outputs[name]))
                        whole += 1
                    elif result.status == 1:
                        self.assertRegex(result.err.splitlines()[-1], "^abbe: .*(memory|thread|space|read)")
        self.assertGreater(whole, 0)


if __name__ == "__main__":
    support.main()
