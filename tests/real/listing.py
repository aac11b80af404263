#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The images of real wheels, counted by library, section, kind, architecture and compression, against counts of an
independent decoder (listing/WHEEL.json)."""
import collections
import json
import re

import real
from tap import Tap

MEMBER = re.compile(r"\(.*\)$", re.S)


def shown(library):
    """Counts of one library record in the terms of listing/: PTX is written with its sm number there."""
    counts = collections.Counter()
    roles = {}
    for number, image in enumerate(library["images"]):
        arch = (image["arch"] or "-").replace("compute_", "sm_")
        counts["|".join([image["section"] or "-", image["kind"], arch, image["compression"]])] += 1
        unit = ("fatbin", image["fatbin"]) if image["fatbin"] is not None else ("bare", number)
        roles[unit] = image["role"]
    return counts, collections.Counter(roles.values()), len(roles)


def gather(report):
    """Libraries by path, an archive over all its members, and the loose cubins apart."""
    found, loose, files = {}, collections.Counter(), 0
    for library in real.libraries(report):
        counts, roles, fatbins = shown(library)
        if not counts:
            continue
        if library["format"] == "cubin":
            files += 1
            for image in library["images"]:
                loose[f"{image['kind']}|{image['arch']}"] += 1
            continue
        path = MEMBER.sub("", library["path"]) if library["format"] == "ar" or "(" in library["path"] else library["path"]
        entry = found.setdefault(path, {"counts": collections.Counter(), "roles": collections.Counter(), "fatbins": 0})
        entry["counts"] += counts
        entry["roles"] += roles
        entry["fatbins"] += fatbins
    return found, {"counts": dict(loose), "files": files} if files else None


def difference(got, wanted):
    keys = sorted(set(got) | set(wanted))
    return "\n".join(f"{key}: wanted {wanted.get(key, 0)}, got {got.get(key, 0)}"
                     for key in keys if got.get(key, 0) != wanted.get(key, 0))


def compare(tap, row):
    name = row["wheel"]
    path = real.fetch(row)
    if not tap.ok(path is not None, f"{name} is there"):
        return
    status, report, errors = real.inspect(path)
    if not tap.ok(report is not None and status == 0, f"{name} is read whole", f"exit status {status}\n{errors}"):
        if report is None:
            return
    wanted = json.loads((real.HERE / "listing" / (name[:-4] + ".json")).read_text())
    found, loose = gather(report)
    tap.equal(sorted(found), sorted(wanted["libraries"]), f"{name}: the libraries with GPU code")
    for library, facts in sorted(wanted["libraries"].items()):
        got = found.get(library, {"counts": {}, "roles": {}, "fatbins": 0})
        for part in ("counts", "roles"):
            lines = difference(got[part], facts[part])
            tap.ok(not lines, f"{name}: {library}: {part}", lines)
        tap.equal(got["fatbins"], facts["fatbins"], f"{name}: {library}: fatbins")
    tap.equal(loose, wanted.get("loose_cubins"), f"{name}: loose cubins")


def main():
    tap = Tap()
    for row in real.rows(real.arguments("compares the listings of those wheels")):
        compare(tap, row)
    tap.done()


main()
