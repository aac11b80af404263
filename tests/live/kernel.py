#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The probe kernel's PTX assembles with ptxas for every architecture that the toolkit here knows."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from standin import PROBE
from tap import Tap


def main():
    tap = Tap()
    text = subprocess.run([PROBE, "--kernel"], capture_output=True, text=True, check=True).stdout
    tap.ok(".entry cuwheel_probe(" in text, "cuwheel-probe --kernel prints it")
    ptxas = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")
    if not ptxas:
        tap.skip("it assembles", "no ptxas is installed")
        tap.done()
    words = subprocess.run([ptxas, "--help"], capture_output=True, text=True, check=True).stdout
    known = words.split("--gpu-name", 1)[1].split("--", 1)[0]
    archs = sorted(set(re.findall(r"'(sm_[0-9]+[af]?)'", known)))
    tap.ok(len(archs) >= 5, "ptxas names its architectures", known)
    with tempfile.TemporaryDirectory() as tmp:
        source = os.path.join(tmp, "kernel.ptx")
        with open(source, "w") as file:
            file.write(text)
        for arch in archs:
            result = subprocess.run([ptxas, "-arch", arch, source, "-o", os.path.join(tmp, "out")], capture_output=True,
                                    text=True)
            tap.ok(result.returncode == 0, f"it assembles for {arch}", result.stderr)
    tap.done()


if __name__ == "__main__":
    sys.exit(main())
