#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A wheel with one large member reads alike with --ahead and without, whole or damaged."""
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

CUWHEEL = os.environ.get("CUWHEEL", "build/cuwheel")
CORPUS = pathlib.Path(os.environ.get("CUWHEEL_TESTDATA", "testdata")) / "corpus"
NOTE = b"--ahead has no effect"


def make(path):
    """Returns where the large member's compressed bytes lie. Letters of six bits shrink to about three quarters."""
    numbers = random.Random(1)
    letters = bytes(range(32, 96)) * 4
    noise = numbers.randbytes(14 << 20).translate(letters)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as wheel:
        for name in ("elf_none.so", "f118_all.fatbin"):
            wheel.write(CORPUS / name, f"small/{name}")
        wheel.writestr("large/lib.so", (CORPUS / "elf_none.so").read_bytes() + noise)
        info = wheel.getinfo("large/lib.so")
    return info.header_offset + 100, info.header_offset + info.compress_size


def inspect(path, *words):
    done = subprocess.run([CUWHEEL, "inspect", "--format", "json", *words, path], capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "large-1-py3-none-any.whl")
        first, last = make(path)
        plain = inspect(path, "--jobs", "1")
        tap.equal(plain[0], 0, "it reads")
        tap.ok(last - first > 9 << 20, "a large member", last - first)
        unable = NOTE in inspect(path, "--ahead", "--jobs", "1")[2]
        for jobs in ("1", "2", "3", "8"):
            status, report, errors = inspect(path, "--ahead", "--jobs", jobs)
            tap.equal((status, report), plain[:2], f"--jobs {jobs}")
            tap.equal(NOTE in errors, unable, f"--jobs {jobs}: whether it says that it cannot")
        tap.equal(inspect(path, "--ahead", "--quiet", "--jobs", "2"), plain, "--quiet")
        with open(path, "r+b") as file:
            for part in (5, 50, 95):
                at = first + (last - first) * part // 100
                file.seek(at)
                was = file.read(64)
                file.seek(at)
                file.write(bytes(byte ^ 0x55 for byte in was))
                file.flush()
                one, two = inspect(path, "-q", "--jobs", "1"), inspect(path, "-q", "--ahead", "--jobs", "2")
                tap.equal((one[0], two[0]), (3, 3), f"damage at {part} of 100: the status")
                file.seek(at)
                file.write(was)
    tap.done()


main()
