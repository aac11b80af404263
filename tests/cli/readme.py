#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The runs that README.md shows of files in testdata/ print what it says."""
import os
import pathlib
import re
import shlex
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

CUWHEEL = os.path.abspath(os.environ.get("CUWHEEL", "build/cuwheel"))
TOP = pathlib.Path(__file__).resolve().parents[2]


def main():
    tap = Tap()
    shown = re.findall(r"^```\n\$ (cuwheel [^\n]* testdata/[^\n]*)\n(.*?)^```$", (TOP / "README.md").read_text(), re.M | re.S)
    tap.ok(shown, "there are runs")
    for command, output in shown:
        result = subprocess.run([CUWHEEL, *shlex.split(command)[1:]], cwd=TOP, capture_output=True, text=True)
        tap.equal(result.stdout, output, command)
    tap.done()


main()
