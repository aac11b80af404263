#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/problems.md lists the codes that the sources can report, all of them and no others."""
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

TOP = pathlib.Path(os.environ.get("CUWHEEL_SOURCE") or pathlib.Path(__file__).resolve().parents[2])

# Words of that form that are no problem codes: roles, results and their reasons, signs of a CUDA version, names.
OTHERS = {
    "isa-l", "link-time", "self-loaded", "static-runtime", "local-version", "version-file", "no-gpu-code",
    "driver-too-old", "ptx-isa", "other-chips", "cuda-toolkit", "nvrtc-builtins",
}
PACKAGE = re.compile(r"nvidia-|sgl")
WORD = re.compile(r'"([a-z]+(?:-[a-z0-9]+)+)"')


def main():
    tap = Tap()
    sources = {path: path.read_text() for folder in ("src", "include") for path in sorted((TOP / folder).rglob("*.[ch]"))}
    code = {path: re.sub(r"/\*.*?\*/", "", text, flags=re.S) for path, text in sources.items()}
    used = {word for path, text in code.items() if path.suffix == ".c" and path.parent.name != "cli"
            for word in WORD.findall(text) if not PACKAGE.match(word)}
    documented = set(re.findall(r"^\| `([a-z0-9-]+)` \|", (TOP / "docs/problems.md").read_text(), re.M))
    tap.ok(len(documented) > 20, "the table is found", documented)
    tap.equal(sorted(used - OTHERS - documented), [], "every code of the sources is described")
    literals = {word for text in code.values() for word in re.findall(r'"([a-z0-9-]+)"', text)}
    tap.equal(sorted(documented - literals), [], "every code that is described is in the sources")
    tap.done()


main()
