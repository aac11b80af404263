#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manual page and --help name the same options, letters and commands, and the version is that of the program."""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

CUWHEEL = os.environ.get("CUWHEEL", "build/cuwheel")
TOP = pathlib.Path(__file__).resolve().parents[2]


def run(*words):
    return subprocess.run([CUWHEEL, *words], capture_output=True, text=True, check=True).stdout


def main():
    tap = Tap()
    page = (TOP / "docs/cuwheel.1").read_text().replace("\\-", "-")
    commands = re.findall(r"^  ([a-z]+) ", run("--help").split("Options:")[0], re.M)
    helped, letters = set(), set()
    for text in [run("--help")] + [run(name, "--help") for name in commands if name != "help"]:
        helped |= set(re.findall(r"(--[a-z][a-z-]*)", text.split("Options:")[1]))
        letters |= set(re.findall(r"^ +(-[a-zA-Z]),", text, re.M))
    options = page.split(".SH OPTIONS")[1].split(".SH THE TABLE")[0]
    heads = [line for before, line in zip(options.splitlines(), options.splitlines()[1:]) if before == ".TP"]
    tap.ok(helped, "there are options")
    tap.equal(sorted(set(re.findall(r"(--[a-z][a-z-]*)", "\n".join(heads)))), sorted(helped), "long options")
    tap.equal(sorted(set(re.findall(r"^\.BR (-[a-zA-Z]) ", "\n".join(heads), re.M))), sorted(letters), "letters")
    described = re.findall(r"^\.B ([a-z]+)$", page.split(".SH COMMANDS")[1].split(".SH OPTIONS")[0], re.M)
    tap.equal(sorted(described), sorted(commands), "commands")
    version = run("--version").split()[1]
    tap.ok(f'"cuwheel {version}"' in page, "the version", version)
    tap.done()


main()
