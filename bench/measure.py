# SPDX-License-Identifier: Apache-2.0
"""What the measurements share: commands run in turn, what each costs, and the machine they ran on."""
import dataclasses
import datetime
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOP / "tests/real"))
sys.path.insert(0, str(TOP / "tests"))


@dataclasses.dataclass
class Cost:
    wall: float = 0
    cpu: float = 0
    peak: float = 0  # MiB

    def add(self, wall, cpu, peak):
        self.wall += wall
        self.cpu += cpu
        self.peak = max(self.peak, peak)


@dataclasses.dataclass
class Work:
    """Commands that together do one thing. `statuses`: those that do not mean that it failed."""
    name: str
    commands: list
    statuses: tuple = (0,)
    prepare: object = None  # called before each run, not timed; may return further commands


# Linux counts what a process held before exec as its own peak; so a small process starts the command.
LAUNCH = """
import os, sys, time
started = time.monotonic()
child = os.fork()
if child == 0:
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    try:
        os.execvp(sys.argv[1], sys.argv[1:])
    finally:
        os._exit(127)
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), time.monotonic() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
"""


def cost(work):
    total = Cost()
    more = work.prepare() if work.prepare else None
    for command in work.commands + (more or []):
        told = subprocess.run([sys.executable, "-I", "-S", "-c", LAUNCH, *command], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=True)
        status, *figures = told.stdout.split()
        if int(status) not in work.statuses:
            sys.exit(f"exit status {status}: {' '.join(map(str, command))}")
        total.add(*map(float, figures))
    return total


def in_turn(works, rounds, told=True):
    """{name: [Cost of each round]}: all works once to warm up, then each in turn, so that what else the machine does
    falls on all alike."""
    found = {work.name: [] for work in works}
    for number in range(rounds + 1):
        for work in works:
            one = cost(work)
            if number:
                found[work.name].append(one)
        if told:
            print(f"  round {number} of {rounds}", file=sys.stderr, flush=True)
    return found


def median(costs, field):
    return statistics.median(getattr(one, field) for one in costs)


def ratio(costs, others, field):
    """The median of the rounds' ratios."""
    return statistics.median(getattr(a, field) / getattr(b, field) for a, b in zip(costs, others))


def built(name, variable):
    """A program of the build folder."""
    named = os.environ.get(variable)
    for place in [named] if named else [TOP / "build" / name, TOP / "build-test" / name]:
        if os.access(place, os.X_OK):
            return str(place)
    sys.exit(f"There is no {name}: build it first (make bench does), or name it in {variable}.")


def version_of(package):
    found = subprocess.run(["pkg-config", "--modversion", package], capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"


def machine():
    """Lines of Markdown that say what the figures were measured on."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        text = file.read()
    model = re.search(r"model name\s*: (.*)", text)
    numbers = [int(found[1]) if (found := re.search(rf"^{name}\s*: (\d+)", text, re.M)) else 0
               for name in ("cpu family", "model")]
    with open("/proc/meminfo", encoding="utf-8") as file:
        memory = int(re.search(r"MemTotal:\s+(\d+)", file.read())[1]) / 2**20
    libraries = ", ".join(f"{name} {version_of(name)}" for name in ("libisal", "libzip", "libzstd", "liblz4", "zlib"))
    return [
        f"* {datetime.date.today().isoformat()}; {model[1] if model else platform.machine()} (family {numbers[0]}, model "
        f"{numbers[1]}), {len(os.sched_getaffinity(0))} cores, {memory:.0f} GiB; Linux {platform.release()}",
        f"* {libraries}",
    ]


def table(head, rows):
    """A Markdown table."""
    return ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)] + ["| " + " | ".join(row) + " |" for row in rows]
