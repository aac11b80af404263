#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `cuwheel kernels` writes as JSON is valid against docs/schema/kernels-1.json, whatever the number of threads."""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

try:
    from jsonschema.validators import validator_for
except ImportError:
    print("1..0 # SKIP python3-jsonschema is not installed")
    sys.exit(0)

CUWHEEL = os.environ.get("CUWHEEL", "build/cuwheel")
TOP = pathlib.Path(__file__).resolve().parents[2]
CORPUS = pathlib.Path(os.environ.get("CUWHEEL_TESTDATA", TOP / "testdata")) / "corpus"
ROOT = json.loads((TOP / "docs/schema/kernels-1.json").read_text())


def kernels(form, jobs):
    paths = [str(path) for path in sorted(CORPUS.iterdir()) if not path.name.endswith(".expected.json")]
    command = [CUWHEEL, "kernels", "--format", form, "--jobs", str(jobs), *paths]
    return len(paths), subprocess.run(command, capture_output=True, text=True).stdout


def main():
    tap = Tap()
    kind = validator_for(ROOT)
    kind.check_schema(ROOT)
    count, text = kernels("json", 1)
    report = json.loads(text)
    tap.equal(len(report["inputs"]), count, "an input for each path")
    for given in report["inputs"]:
        faults = [f"{list(e.absolute_path)}: {e.message}"
                  for e in kind(ROOT).iter_errors({**report, "inputs": [given]})]
        tap.ok(not faults, f"{pathlib.Path(given['path']).name} is valid", "\n".join(faults[:10]))
    tap.ok(kernels("json", 4)[1] == text, "four threads write the same")

    told = [kernel for given in report["inputs"] for distribution in given["distributions"]
            for library in distribution["libraries"] for kernel in library["kernels"]]
    lines = [json.loads(line) for line in kernels("jsonl", 2)[1].splitlines()]
    tap.ok(len(told) > 300, "there are kernels", len(told))
    tap.ok([{key: line[key] for key in told[0]} for line in lines if line["record"] == "kernel"] == told,
           "the lines of jsonl are the kernels of json")
    for name in ("fatbin", "name", "demangled", "static", "images"):
        part = {key: value for key, value in told[0].items() if key != name}
        tap.ok(not kind({**ROOT["$defs"]["kernel"], "$defs": ROOT["$defs"]}).is_valid(part), f"{name} is required")
    tap.done()


main()
