#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What cuwheel writes as JSON is valid against docs/schema/report-1.json, and the schema is worth the name: it refuses
a report from which any field is missing."""
import copy
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

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
DAMAGED = CORPUS / "m05_cut_payload.fatbin"


def run(*words):
    return subprocess.run([CUWHEEL, *map(str, words)], capture_output=True, text=True).stdout


def required_fields(schema, value, place=()):
    """The places of all fields of a report that the schema requires."""
    if "$ref" in schema:
        schema = ROOT["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    for name in schema.get("required", []):
        yield place + (name,)
    for name, part in schema.get("properties", {}).items():
        if isinstance(value, dict) and isinstance(value.get(name), dict):
            yield from required_fields(part, value[name], place + (name,))
        if isinstance(value, dict) and isinstance(value.get(name), list) and value[name]:
            yield from required_fields(part.get("items", {}), value[name][0], place + (name, 0))


def without(report, place):
    changed = copy.deepcopy(report)
    part = changed
    for step in place[:-1]:
        part = part[step]
    del part[place[-1]]
    return changed


ROOT = json.loads((TOP / "docs/schema/report-1.json").read_text())


def report_with_everything():
    """One that has an element in every list: variants, functions, problems, a driver, bytes."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("libx_cuda118.so", "libx_cuda128.so"):
            shutil.copy(CORPUS / "n130_needed.so", pathlib.Path(folder) / name)
        words = ["--gpu", "RTX 5090", "--driver", "570.124", "--bytes", "--format", "json"]
        report = json.loads(run("check", *words, folder, DAMAGED))
    report["inputs"][0]["problems"] = report["inputs"][1]["problems"]
    report["verdicts"][0]["libraries"][0]["functions"] = ["f"]
    return report


def main():
    tap = Tap()
    kind = validator_for(ROOT)
    kind.check_schema(ROOT)
    validator = kind(ROOT)

    paths = [path for path in sorted(CORPUS.iterdir()) if not path.name.endswith(".expected.json")]
    report = json.loads(run("inspect", "--format", "json", *paths))
    tap.equal(len(report["inputs"]), len(paths), "an input for each path")
    for number, given in enumerate(report["inputs"]):
        faults = [f"{list(e.absolute_path)}: {e.message}" for e in validator.iter_errors({**report, "inputs": [given]})]
        tap.ok(not faults, f"{paths[number].name} is valid", "\n".join(faults[:10]))

    small = report_with_everything()
    tap.ok(validator.is_valid(small), "a report with verdicts is valid")
    for place in required_fields(ROOT, small):
        tap.ok(not validator.is_valid(without(small, place)), "without " + ".".join(map(str, place)) + " it is not")

    verdicts = json.loads(run("check", "--gpu", "all", "--format", "json", *paths))["verdicts"]
    for path in paths:
        own = [verdict for verdict in verdicts if verdict["input"] == str(path)]
        faults = [f"{list(e.absolute_path)}: {e.message}" for e in validator.iter_errors({**small, "verdicts": own})]
        tap.ok(not faults, f"the {len(own)} verdicts on {path.name} are valid", "\n".join(faults[:10]))

    lines = [json.loads(line) for line in run("check", "--gpu", "9.0", "--format", "jsonl", DAMAGED).splitlines()]
    tap.equal([line["record"] for line in lines], ["library", "problem", "problem", "verdict"], "the records of jsonl")
    for line in lines:
        part = line["record"]
        valid = kind({**ROOT["$defs"][part], "$defs": ROOT["$defs"]}).is_valid(line)
        tap.ok(valid and line["input"] == str(DAMAGED), f"a {part} of jsonl is valid")
    gpus = json.loads((TOP / "docs/schema/gpus-1.json").read_text())
    kind.check_schema(gpus)
    tap.ok(kind(gpus).is_valid(json.loads(run("gpus", "--format", "json"))), "the GPU table is valid")
    tap.done()


main()
