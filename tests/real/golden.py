#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `cuwheel check` says of the libraries of real wheels, for each compute capability, against golden.tsv."""
import collections
import csv
import json
import subprocess

import real
from tap import Tap

COUNTS = ("native", "jit", "gated", "specialised", "none", "empty")


def golden():
    """{wheel: {cc: {library: row}}}"""
    table = collections.defaultdict(lambda: collections.defaultdict(dict))
    with open(real.HERE / "golden.tsv", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            table[row["wheel"]][row["cc"]][row["library"]] = row
    return table


def verdicts(path, ccs):
    """{cc: {library: verdict}} of one run of check."""
    command = [real.program(), "check", "--format", "json", "--gpu", ",".join(ccs), str(path)]
    result = subprocess.run(command, capture_output=True)
    found = collections.defaultdict(dict)
    for verdict in json.loads(result.stdout)["verdicts"]:
        for library in verdict["libraries"]:
            found[verdict["gpu"]["cc"]][library["path"]] = library
    return found


def shown(library):
    own = library["self_loaded"]
    return {"result": library["result"], **{name: str(library[name]) for name in COUNTS},
            "self": f"{own['total']}/{own['native']}/{own['jit']}"}


def main():
    tap = Tap()
    table = golden()
    for row in real.rows(real.arguments("judges those wheels")):
        name = row["wheel"]
        path = real.fetch(row)
        if not tap.ok(path is not None, f"{name} is there") or name not in table:
            continue
        found = verdicts(path, sorted(table[name], key=float))
        for cc, libraries in sorted(table[name].items(), key=lambda item: float(item[0])):
            for library, wanted in sorted(libraries.items()):
                got = shown(found[cc][library]) if library in found[cc] else None
                tap.equal(got, {key: wanted[key] for key in ("result", *COUNTS, "self")}, f"{name} {library} {cc}")
            without = [path for path, got in found[cc].items()
                       if path not in libraries and got["result"] not in ("no-gpu-code",)]
            tap.equal(without, [], f"{name} {cc}: no further library with GPU code")
    tap.done()


main()
