#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every file of testdata/corpus lists as its NAME.expected.json says: image by image, field by field, and a problem at
each place that is named."""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

CUWHEEL = os.environ.get("CUWHEEL", "build/cuwheel")
CORPUS = pathlib.Path(os.environ.get("CUWHEEL_TESTDATA", "testdata")) / "corpus"


def member_of(library):
    """The member of an archive that a library path names: "libx.a(member.o)"."""
    name = library["path"]
    return name[name.index("(") + 1:-1] if name.endswith(")") else None


def images_of(report):
    found = []
    for given in report["inputs"]:
        for distribution in given["distributions"]:
            for library in distribution["libraries"]:
                found += [(member_of(library), image) for image in library["images"]]
    return found


def differences(found, wanted):
    """Members come by name in a report, in the order of the archive in what is wanted."""
    found, wanted = sorted(found, key=lambda pair: pair[0] or ""), sorted(wanted, key=lambda image: image.get("member", ""))
    if len(found) != len(wanted):
        yield f"{len(wanted)} images wanted, {len(found)} found"
    for number, ((member, image), expected) in enumerate(zip(found, wanted)):
        for field, value in expected.items():
            got = member if field == "member" else image.get(field, "(no such field)")
            if got != value:
                yield f"image {number}, {field}: wanted {value!r}, got {got!r}"


def check(tap, path):
    expected = json.loads(path.with_name(path.name + ".expected.json").read_text())
    result = subprocess.run([CUWHEEL, "inspect", "--format", "json", str(path)], capture_output=True)
    try:
        report = json.loads(result.stdout)
    except ValueError:
        tap.ok(False, f"{path.name}: a report", f"exit status {result.returncode}\n{result.stderr.decode()}")
        return
    lines = list(differences(images_of(report), expected["images"]))
    tap.ok(not lines, f"{path.name}: images", "\n".join(lines))

    problems = [problem for given in report["inputs"] for problem in given["problems"]]
    shown = "\n".join(f"{p['severity']} {p['code']} at {p['offset']}: {p['message']}" for p in problems)
    if expected["problems"]:
        places = {problem["offset"] for problem in problems}
        missing = [problem for problem in expected["problems"] if problem["offset"] not in places]
        tap.ok(not missing, f"{path.name}: problems", f"missing {missing}\nreported\n{shown}")
    errors = any(problem["severity"] == "error" for problem in problems)
    tap.equal(result.returncode, 3 if errors else 0, f"{path.name}: exit status")
    if not expected["problems"]:
        tap.ok(all(problem["severity"] == "note" for problem in problems), f"{path.name}: no problem", shown)


def main():
    tap = Tap()
    for path in sorted(CORPUS.iterdir()):
        if not path.name.endswith(".expected.json"):
            check(tap, path)
    tap.done()


main()
