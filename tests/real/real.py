# SPDX-License-Identifier: Apache-2.0
"""What the tests on real wheels share: the list of wheels, their cache, and runs of cuwheel."""
import csv
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
CACHE = pathlib.Path(os.environ.get("CUWHEEL_WHEEL_CACHE") or pathlib.Path.home() / ".cache/cuwheel-wheels")
sys.path.insert(0, str(TOP / "tests"))

CUOBJDUMP = "13.5.37"

# The small ones, for a run of a few minutes.
SMALL = ["faiss_gpu_cu12-1.13.2-", "xformers-0.0.30-", "torchvision-0.23.0-", "ctranslate2-4.5.0-cp311-cp311-win_amd64"]


def rows(which):
    """The wheels of `small` or `all`, or those whose name starts as `which` says."""
    with open(HERE / "wheels.tsv", newline="") as file:
        table = list(csv.DictReader(file, delimiter="\t"))
    if which == "all":
        return table
    starts = tuple(SMALL) if which == "small" else (which,)
    return [row for row in table if row["wheel"].startswith(starts)]


def program():
    named = os.environ.get("CUWHEEL")
    places = [named] if named else [TOP / "build/cuwheel", TOP / "build-test/cuwheel"]
    for place in places:
        if os.access(place, os.X_OK):
            return str(place)
    sys.exit("There is no cuwheel program: build it first, or name it in CUWHEEL.")


def is_whole(path, row):
    if not path.is_file() or path.stat().st_size != int(row["bytes"]):
        return False
    with open(path, "rb") as file:
        total = hashlib.sha256()
        for piece in iter(lambda: file.read(1 << 20), b""):
            total.update(piece)
    return total.hexdigest() == row["sha256"]


def fetch(row, tries=4):
    """The path of the wheel in the cache, downloaded where it is not there whole. None after `tries` failures."""
    path = CACHE / row["wheel"]
    if is_whole(path, row):
        return path
    CACHE.mkdir(parents=True, exist_ok=True)
    words = row["pip download --no-deps --only-binary=:all: …"].split()
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", "download", "--no-deps",
               "--only-binary=:all:", "--no-cache-dir", "-d", str(CACHE), *words]
    for attempt in range(tries):
        if attempt:
            time.sleep(5 * attempt)
        try:
            result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=1800)
        except subprocess.TimeoutExpired:
            print(f"# {row['wheel']}: half an hour is over", file=sys.stderr)
            continue
        if is_whole(path, row):
            return path
        print(f"# {row['wheel']}: {result.stderr.strip()[-300:] or 'another file came'}", file=sys.stderr)
    return None


def inspect(path, *words):
    """(exit status, parsed JSON report, standard error) of `cuwheel inspect --format json PATH`."""
    result = subprocess.run([program(), "inspect", "--format", "json", *words, str(path)], capture_output=True)
    try:
        report = json.loads(result.stdout)
    except ValueError:
        report = None
    return result.returncode, report, result.stderr.decode(errors="replace")


def cuobjdump():
    """NVIDIA's program, installed into the cache where it is not there yet."""
    folder = CACHE / f"cuobjdump-{CUOBJDUMP}"
    found = sorted(folder.glob("nvidia/*/bin/cuobjdump"))
    if not found:
        subprocess.run([sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", "install", "--no-deps", "--target",
                        str(folder), f"nvidia-cuda-cuobjdump=={CUOBJDUMP}"], check=True, stdin=subprocess.DEVNULL)
        found = sorted(folder.glob("nvidia/*/bin/cuobjdump"))
    found[0].chmod(0o755)
    return str(found[0])


def libraries(report):
    """Every library record of a report."""
    return [library for given in report["inputs"] for distribution in given["distributions"]
            for library in distribution["libraries"]]


def arguments(text):
    """`small`, `all` or the start of a wheel's name, from the command line."""
    if len(sys.argv) > 2 or sys.argv[1:] in (["-h"], ["--help"]):
        sys.exit(f"usage: {pathlib.Path(sys.argv[0]).name} [small|all|WHEEL]: {text}")
    return sys.argv[1] if len(sys.argv) == 2 else "small"
