# SPDX-License-Identifier: Apache-2.0
"""Verdicts of `cuwheel check` in the terms of the golden tables."""
import collections
import json
import subprocess

COUNTS = ("native", "jit", "gated", "specialised", "none", "empty")
FIELDS = ("result", *COUNTS, "self")


def verdicts(program, path, capabilities):
    """{compute capability: {library: its verdict}} of one run."""
    command = [program, "check", "--format", "json", "--gpu", ",".join(capabilities), str(path)]
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


def wanted(row):
    return {name: row[name] for name in FIELDS}
