#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A real wheel installed by pip into a virtual environment shows the same images as the wheel itself, under its own
distribution."""
import subprocess
import sys
import tempfile
from pathlib import Path

import real
from tap import Tap


def site_packages(folder):
    return next(Path(folder).glob("lib/python*/site-packages"))


def install(wheel, folder):
    """A virtual environment with the wheel in it; its tags may be of another Python, so pip gets a target."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True, stdin=subprocess.DEVNULL)
    tag = wheel.name.split("-")[2]
    subprocess.run([sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", "install", "--no-deps", "--no-index",
                    "--only-binary=:all:", "--platform", wheel.name[:-4].split("-")[-1].split(".")[0], "--python-version",
                    f"{tag[2]}.{tag[3:]}", "--target", str(site_packages(folder)), str(wheel)],
                   check=True, stdin=subprocess.DEVNULL)


def images(report, name):
    """Images by library, of the distribution of that name."""
    return {library["path"]: library["images"] for given in report["inputs"] for distribution in given["distributions"]
            if distribution["name"] == name for library in distribution["libraries"] if library["images"]}


def main():
    tap = Tap()
    which = real.arguments("installs such a wheel")
    row = real.rows("faiss_gpu_cu12-1.13.2-" if which in ("small", "all") else which)[0]
    wheel = real.fetch(row)
    if tap.ok(wheel is not None, f"{row['wheel']} is there"):
        with tempfile.TemporaryDirectory() as folder:
            install(wheel, folder)
            _, packed, _ = real.inspect(wheel)
            status, installed, errors = real.inspect(folder)
            tap.ok(status == 0, "the environment is read whole", errors)
            tap.equal(installed["inputs"][0]["kind"], "environment", "it is told to be an environment")
            name = packed["inputs"][0]["distributions"][0]["name"]
            wanted, got = images(packed, name), images(installed, name)
            below = str(site_packages(folder).relative_to(folder)) + "/"
            got = {path.removeprefix(below): found for path, found in got.items()}
            tap.equal(sorted(got), sorted(wanted), f"the libraries of {name}")
            tap.ok(got == wanted and wanted, "the images of each, field by field")
    tap.done()


main()
