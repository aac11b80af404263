#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `cuwheel check` says of files of the corpus, for each compute capability, against corpus-golden.tsv."""
import collections
import csv
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402
from verdicts import shown, verdicts, wanted  # noqa: E402

CUWHEEL = os.environ.get("CUWHEEL", "build/cuwheel")
TESTDATA = pathlib.Path(os.environ.get("CUWHEEL_TESTDATA", "testdata"))


def main():
    tap = Tap()
    files = collections.defaultdict(dict)
    with open(TESTDATA / "corpus-golden.tsv", newline="") as table:
        for row in csv.DictReader(table, delimiter="\t"):
            files[row["file"]][row["cc"]] = row
    for name, rows in sorted(files.items()):
        found = verdicts(CUWHEEL, TESTDATA / "corpus" / name, sorted(rows, key=float))
        for cc, row in rows.items():
            # Members of an archive are alike.
            tap.equal({str(shown(library)) for library in found[cc].values()}, {str(wanted(row))}, f"{name} {cc}")
    tap.done()


main()
