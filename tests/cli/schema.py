#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What cuwheel writes as JSON is valid against docs/schema/report-1.json, and the schema is worth the name: it refuses
a report from which any field is missing."""
import copy
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

VERDICT = {
    "gpu": {"name": "RTX 5090", "cc": "12.0"}, "driver": None, "input": "x.whl", "distribution": "x", "result": "partial",
    "complete": True, "reason": "why", "libraries": [{
        "path": "x.so", "result": "partial", "complete": True, "native": 24, "jit": 17, "none": 2, "gated": 23,
        "specialised": 0, "empty": 12, "self_loaded": {"total": 0, "native": 0, "jit": 0}, "variant": None, "chosen": True,
        "ptx_isa": "8.7", "min_driver": "570.26", "reason": "why", "requires": "what", "functions": ["f"]}]}


def inspect(paths, form):
    result = subprocess.run([CUWHEEL, "inspect", "--format", form, *map(str, paths)], capture_output=True, text=True)
    return result.stdout


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


def main():
    tap = Tap()
    kind = validator_for(ROOT)
    kind.check_schema(ROOT)
    validator = kind(ROOT)

    paths = [path for path in sorted(CORPUS.iterdir()) if not path.name.endswith(".expected.json")]
    report = json.loads(inspect(paths, "json"))
    tap.equal(len(report["inputs"]), len(paths), "an input for each path")
    for number, given in enumerate(report["inputs"]):
        faults = [f"{list(e.absolute_path)}: {e.message}" for e in validator.iter_errors({**report, "inputs": [given]})]
        tap.ok(not faults, f"{paths[number].name} is valid", "\n".join(faults[:10]))

    damaged = CORPUS / "m05_cut_payload.fatbin"
    small = json.loads(inspect([CORPUS / "n130_needed.so", damaged], "json"))
    small["inputs"][0]["problems"] = small["inputs"][1]["problems"]
    small["verdicts"] = [VERDICT]
    tap.ok(validator.is_valid(small), "a report with verdicts is valid")
    for place in required_fields(ROOT, small):
        tap.ok(not validator.is_valid(without(small, place)), "without " + ".".join(map(str, place)) + " it is not")

    lines = [json.loads(line) for line in inspect([damaged], "jsonl").splitlines()]
    tap.equal({line["record"] for line in lines}, {"library", "problem"}, "the records of jsonl")
    for line in lines:
        part = {"library": "library", "problem": "problem"}[line["record"]]
        valid = kind({**ROOT["$defs"][part], "$defs": ROOT["$defs"]}).is_valid(line)
        tap.ok(valid and line["input"] == str(damaged), f"a {part} of jsonl is valid")
    tap.done()


main()
