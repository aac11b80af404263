#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every entry that NVIDIA's cuobjdump lists of the libraries of real wheels, against cuwheel's, field by field. Where
cuobjdump is known to fail (docs/format.md section 10), a rule says how, and its reason is printed."""
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pe
import real
from tap import Tap

SECTIONS = (".nv_fatbin", "__nv_relfatbin")
KINDS = {"elf": "cubin", "ptx": "ptx", "relocatable ptx": "ptx", "nvvm": "ltoir", "tile ir": "tileir"}
ENTRY = re.compile(r"^(\t?)Fatbin (.*) code:$")
# What it dies of, rc 1, with the entries before it printed.
CUT = ("Invalid ELF", "has been removed")


def parse(text):
    """The entries of a default listing, in the terms of cuwheel's JSON. A concatenation itself is no image."""
    entries, entry = [], None
    for line in text.splitlines():
        head = ENTRY.match(line)
        if head:
            nested, kind = bool(head[1]), head[2]
            entry = {"kind": KINDS.get(kind, "other"), "nested": nested, "compressed": False, "debug": False,
                     "identifier": None, "options": "", "arch": None}
            if kind != "concatenated entry":
                entries.append(entry)
            continue
        key, equals, value = line.lstrip("\t").partition(" = ")
        if entry is None or not line.strip():
            continue
        if key == "arch":
            entry["arch"] = value
        elif key == "code version":
            entry["isa"] = value.strip("[]").replace(",", ".") if entry["kind"] == "ptx" else None
        elif key == "host":
            entry["host"] = value
        elif key == "compile_size":
            entry["bits"] = int(value.rstrip("bit"))
        elif key == "identifier":
            entry["identifier"] = value
        elif key.endswith("Options"):
            entry["options"] = value
        elif line.strip() == "compressed":
            entry["compressed"] = True
        elif line.strip() == "has debug info":
            entry["debug"] = True
    return entries


def ours(image, nested):
    arch = image["arch"]
    return {"kind": image["kind"], "nested": nested, "compressed": image["compression"] != "none" and not nested,
            "debug": bool(image["debug"]), "identifier": image["identifier"],
            "options": (image["options"] or "") if image["kind"] != "cubin" else "",
            "arch": arch.replace("compute_", "sm_") if arch else None, "isa": image["ptx_isa"], "host": image["host"],
            "bits": image["bits"]}


def in_listing(library, sections):
    """The images that cuobjdump looks at, in its order: those of the executable section, then the relocatable."""
    images = []
    for section in sections:
        for image in library["images"]:
            if image["section"] == section:
                images.append(ours(image, image["stored_size"] is None))
    return images


def describe(got, wanted):
    lines = [f"cuobjdump lists {len(wanted)}, cuwheel {len(got)}"] if len(got) != len(wanted) else []
    for number, (one, other) in enumerate(zip(got, wanted)):
        fields = [f"{key} {other.get(key)!r}/{one.get(key)!r}" for key in sorted(one) if one.get(key) != other.get(key)]
        if fields:
            lines.append(f"entry {number}, cuobjdump/cuwheel: " + ", ".join(fields))
    return "\n".join(lines)


def compare(tap, program, library, file, name):
    sections = SECTIONS
    if library["format"] == "pe":
        sections = pe.SECTIONS
        cut = file.with_name("cut.fatbin")
        if not pe.cut(file, cut):
            tap.ok(not in_listing(library, sections), f"{name}: no section of containers")
            return
        tap.note(f"{name}: cuobjdump reads no PE; it is given the containers cut out")
        file = cut
    result = subprocess.run([program, "-all", str(file)], capture_output=True, text=True, errors="replace")
    wanted, got = parse(result.stdout), in_listing(library, sections)
    if result.returncode == 255 and "does not contain device code" in result.stderr:
        tap.ok(not got, f"{name}: no entry in the usual sections", describe(got, []))
        return
    if result.returncode != 0 and any(cause in result.stderr for cause in CUT):
        tap.note(f"{name}: cuobjdump stops after {len(wanted)} of {len(got)} entries: {result.stderr.strip()[:120]}")
        got = got[:len(wanted)]
    elif result.returncode != 0:
        tap.ok(False, f"{name}: cuobjdump reads it", result.stderr.strip()[:400])
        return
    lines = describe(got, wanted)
    tap.ok(not lines, f"{name}: {len(wanted)} entries as cuobjdump lists them", lines)


def main():
    tap = Tap()
    program = real.cuobjdump()
    for row in real.rows(real.arguments("compares the libraries of those wheels with cuobjdump")):
        path = real.fetch(row)
        status, report, errors = real.inspect(path) if path else (None, None, "not there")
        if not tap.ok(report is not None, f"{row['wheel']} is read", errors):
            continue
        with zipfile.ZipFile(path) as wheel, tempfile.TemporaryDirectory() as folder:
            for library in real.libraries(report):
                if library["format"] not in ("elf", "pe") or not library["images"] or "(" in library["path"]:
                    continue
                file = Path(folder) / "library"
                with wheel.open(library["path"]) as member, open(file, "wb") as out:
                    while piece := member.read(1 << 20):
                        out.write(piece)
                compare(tap, program, library, file, library["path"])
    tap.done()


main()
