#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs cuwheel as tests/cli/cases/*.test say. To add a test, add a file:

    # What it shows.
    args: inspect --format csv corpus/m00_good.fatbin
    status: 0
    stdout has:
      input,distribution,library

`args:` starts a run and is split as a shell would; paths are relative to testdata, {tmp} is an empty folder that the
runs of a file share. Then, as far as wanted: `env: NAME=VALUE`, `stdin: FILE`, `status: N` (0 where it is left out), and
blocks of lines indented by two blanks behind `stdout` or `stderr` and `:` (exactly this), ` has:` (each of these in some
line, in this order), ` matches:` (regular expressions, likewise), ` lacks:` (none of these anywhere). `exists: PATH` and
`absent: PATH` look at a file afterwards. A run without a word on stderr must leave it empty."""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

CUWHEEL = os.path.abspath(os.environ.get("CUWHEEL", "build/cuwheel"))
CASES = pathlib.Path(__file__).resolve().parent / "cases"
TESTDATA = os.environ.get("CUWHEEL_TESTDATA", "testdata")
BLOCK = re.compile(r"(stdout|stderr)( has| matches| lacks|):$")


def parse(path):
    """The runs of a file: a list of dictionaries."""
    runs, block = [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if block is not None and line.startswith("  "):
            block.append(line[2:])
            continue
        if not line.strip() or line.startswith("#"):
            continue
        head = BLOCK.match(line)
        key, colon, value = (part.strip() for part in line.partition(":"))
        if head:
            block = runs[-1].setdefault((head[1], head[2].strip() or "is"), [])
        elif colon and key == "args":
            runs.append({"args": value, "env": {}, "status": 0, "files": []})
            block = None
        elif colon and key == "env":
            name, _, setting = value.partition("=")
            runs[-1]["env"][name] = setting
        elif colon and key == "status":
            runs[-1]["status"] = int(value)
        elif colon and key == "stdin":
            runs[-1]["stdin"] = value
        elif colon and key in ("exists", "absent"):
            runs[-1]["files"].append((key, value))
        else:
            sys.exit(f"{path}:{number}: what is this line?")
    return runs


def in_order(lines, wanted, found):
    """Looks for each of `wanted` in a line behind that of the one before; yields those that are missing."""
    at = 0
    for item in wanted:
        hit = next((i for i in range(at, len(lines)) if found(item, lines[i])), None)
        if hit is None:
            yield item
        else:
            at = hit + 1


def faults_of(stream, text, run):
    lines = text.splitlines()
    if (stream, "is") in run and lines != run[stream, "is"]:
        yield f"{stream} is not as wanted"
    for item in in_order(lines, run.get((stream, "has"), []), lambda item, line: item in line):
        yield f"{stream} lacks {item!r}"
    for item in in_order(lines, run.get((stream, "matches"), []), re.search):
        yield f"{stream} matches no {item!r}"
    for item in run.get((stream, "lacks"), []):
        if item in text:
            yield f"{stream} has {item!r}"
    if stream == "stderr" and text and not any(key[0] == "stderr" for key in run if isinstance(key, tuple)):
        yield "stderr is not empty"


def faults(run, tmp):
    words = [word.replace("{tmp}", tmp) for word in shlex.split(run["args"])]
    env = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    stdin = open(os.path.join(TESTDATA, run["stdin"]), "rb") if "stdin" in run else subprocess.DEVNULL
    result = subprocess.run([CUWHEEL, *words], cwd=TESTDATA, env={**env, **run["env"]}, stdin=stdin, capture_output=True)
    output = {name: getattr(result, name).decode("utf-8", "surrogateescape") for name in ("stdout", "stderr")}
    found = []
    if result.returncode != run["status"]:
        found.append(f"status {result.returncode}, wanted {run['status']}")
    for stream, text in output.items():
        found += faults_of(stream, text.replace(tmp, "{tmp}"), run)
    for wanted, path in run["files"]:
        if os.path.exists(path.replace("{tmp}", tmp)) != (wanted == "exists"):
            found.append(f"{path}: wanted {wanted}")
    return found, "\n".join(f"{name}: {text!r}" for name, text in output.items())


def main():
    tap = Tap()
    for path in sorted(CASES.glob("*.test")):
        with tempfile.TemporaryDirectory() as tmp:
            for run in parse(path):
                found, shown = faults(run, tmp)
                tap.ok(not found, f"{path.stem}: cuwheel {run['args']}", "\n".join(found) + "\n" + shown)
    tap.done()


main()
