#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `cuwheel check` says of the libraries of real wheels, for each compute capability, against golden.tsv."""
import collections
import csv

import real
from tap import Tap
from verdicts import shown, verdicts, wanted


def golden():
    """{wheel: {compute capability: {library: row}}}"""
    table = collections.defaultdict(lambda: collections.defaultdict(dict))
    with open(real.HERE / "golden.tsv", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            table[row["wheel"]][row["cc"]][row["library"]] = row
    return table


def main():
    tap = Tap()
    table = golden()
    for row in real.rows(real.arguments("judges those wheels")):
        name = row["wheel"]
        path = real.fetch(row)
        if not tap.ok(path is not None, f"{name} is there") or name not in table:
            continue
        found = verdicts(real.program(), path, sorted(table[name], key=float))
        for cc, libraries in sorted(table[name].items(), key=lambda item: float(item[0])):
            for library, right in sorted(libraries.items()):
                got = shown(found[cc][library]) if library in found[cc] else None
                tap.equal(got, wanted(right), f"{name} {library} {cc}")
            others = [path for path, got in found[cc].items() if path not in libraries and got["result"] != "no-gpu-code"]
            tap.equal(others, [], f"{name} {cc}: no further library with GPU code")
    tap.done()


main()
