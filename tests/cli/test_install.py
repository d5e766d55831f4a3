"""The installed command works from any folder, and its man page and completions are installed."""

import os
import shutil
import subprocess

import support


class Install(support.Case):
    def test_install(self):
        build, cmake = os.environ.get("ABBE_BUILD"), os.environ.get("CMAKE", "cmake")
        if not build:
            self.skipTest("ABBE_BUILD names no build folder")
        prefix = self.path("first")
        subprocess.run([cmake, "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
        moved = shutil.move(prefix, self.path("moved"))
        done = subprocess.run([moved + "/bin/abbe", "filter", "-", "-f", "box", "-o", "-"],
                              capture_output=True, input=support.png_bytes(support.u8(support.scene(20, 30))),
                              env=support.environment())
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(support.load_png(done.stdout).shape, (20, 30))
        for source, target in (("abbe.1", "share/man/man1/abbe.1"),
                               ("completion/abbe.bash", "share/bash-completion/completions/abbe"),
                               ("completion/_abbe", "share/zsh/site-functions/_abbe")):
            with open(f"{support.ROOT}/tools/abbe/{source}") as here, open(f"{moved}/{target}") as there:
                self.assertEqual(here.read(), there.read())


if __name__ == "__main__":
    support.main()
