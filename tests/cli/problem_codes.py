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

# A code is a word with a hyphen in a statement that reports something.
WORD = re.compile(r'"([a-z]+(?:-[a-z0-9]+)+)"')
OTHERS = {"cuwheel-probe", "no-gpu-code"}
REPORTS = re.compile(r"problem|fault|error|code")


def codes(text):
    return {word for statement in text.split(";") if REPORTS.search(statement) for word in WORD.findall(statement)}


def main():
    tap = Tap()
    sources = {path: path.read_text() for folder in ("src", "include") for path in sorted((TOP / folder).rglob("*.[ch]"))}
    code = {path: re.sub(r"/\*.*?\*/", "", text, flags=re.S) for path, text in sources.items()}
    used = {word for path, text in code.items() if path.suffix == ".c" and path.parent.name != "cli"
            for word in codes(text)}
    documented = set(re.findall(r"^\| `([a-z0-9-]+)` \|", (TOP / "docs/problems.md").read_text(), re.M))
    tap.ok(len(documented) > 20, "the table is found", documented)
    tap.equal(sorted(used - OTHERS - documented), [], "every code of the sources is described")
    literals = {word for text in code.values() for word in re.findall(r'"([a-z0-9-]+)"', text)}
    tap.equal(sorted(documented - literals), [], "every code that is described is in the sources")
    tap.done()


main()
