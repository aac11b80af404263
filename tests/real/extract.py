#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `cuwheel extract` writes of real wheels and of the corpus, byte for byte against `cuobjdump -xelf all` and `-xptx
all`; and `cuwheel inspect --verify` finds no fault in the wheels."""
import collections
import filecmp
import re
import subprocess
import tempfile
from pathlib import Path

import images
import real
from tap import Tap

EXTRACTING = re.compile(r"^Extracting (?:ELF|PTX) file(?: and ptxas options)? +\d+: (\S+)", re.M)
OPTIONS = {"cubin": "-xelf", "ptx": "-xptx"}
# Larger libraries are a matter of `all`; cuobjdump writes every image of them.
SMALL_MAX = 128 << 20


def theirs(file, folder, option):
    """(files in the order of images, what it says, exit status); a name that is written twice is None."""
    result = subprocess.run([real.cuobjdump(), "-all", option, "all", str(file)], cwd=folder, capture_output=True, text=True,
                            errors="replace")
    names = EXTRACTING.findall(result.stdout)
    times = collections.Counter(names)
    return [Path(folder) / name if times[name] == 1 else None for name in names], result.stderr, result.returncode


def our_name(library, image):
    """The file that cuwheel writes, without its first part."""
    place = [other["offset"] for other in library["images"] if other["fatbin"] == image["fatbin"]].index(image["offset"])
    return f".f{image['fatbin']}.{place}.{image['arch']}.{image['kind']}"


def compare_kind(tap, library, file, kind, ends):
    ordered = images.in_order(library, (kind,))
    with tempfile.TemporaryDirectory() as there:
        files, errors, status = theirs(file, there, OPTIONS[kind])
        if status == 1 and any(cause in errors for cause in images.CUT):
            tap.note(f"{library['path']}: cuobjdump stops early: {errors.strip()[:100]}")
        elif not tap.ok(status == 0 and len(files) == len(ordered), f"{library['path']}: cuobjdump extracts {kind}",
                        f"{len(files)}, here {len(ordered)}; {errors[:300]}"):
            return
        different = [f"{our_name(library, image)} is not {other.name}" for image, other in zip(ordered, files)
                     if other and not same(ends.get(our_name(library, image)), other)]
        tap.ok(not different, f"{library['path']}: {len(files)} of kind {kind}, byte for byte", "\n".join(different[:20]))


def compare(tap, wheel, library, file):
    path = library["path"]
    with tempfile.TemporaryDirectory() as here:
        written = subprocess.run([real.program(), "extract", "-q", "-o", here, "--library", path, str(wheel)],
                                 capture_output=True, text=True)
        tap.ok(written.returncode == 0, f"{path}: its images are extracted", written.stderr[:400])
        ends = {re.sub(r"^.*?(\.f\d+\.\d+\.\w+\.\w+)$", r"\1", name): Path(here) / name
                for name in written.stdout.split()}
        for kind in OPTIONS:
            compare_kind(tap, library, file, kind, ends)


def same(one, other):
    return one is not None and filecmp.cmp(one, other, shallow=False)


def compare_corpus(tap):
    """Every compression, kind and host that the corpus has in sound files; concatenations, debug code, Tile IR."""
    for file in sorted((real.TOP / "testdata/corpus").iterdir()):
        if file.name.startswith(("f1", "n13")) and file.suffix in (".fatbin", ".so", ".o"):
            _, report, errors = real.inspect(file)
            for library in real.libraries(report):
                if images.in_order(library, ("cubin", "ptx")):
                    compare(tap, file, library, file)


def main():
    tap = Tap()
    compare_corpus(tap)
    which = real.arguments("compares their images with those that cuobjdump extracts")
    for row in real.rows(which):
        path = real.fetch(row)
        status, report, errors = real.inspect(path, "--verify") if path else (None, None, "not there")
        if not tap.ok(report is not None, f"{row['wheel']} is read", errors):
            continue
        tap.ok(status == 0, f"{row['wheel']}: every image is what its entry says", errors[:2000])
        for library, file in images.libraries(path, report, SMALL_MAX if which == "small" else None):
            compare(tap, path, library, file)
    tap.done()


main()
