#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The peak memory of `cuwheel inspect` on real wheels: below 64 MiB whatever their size."""
import os
import subprocess

import real
from tap import Tap

LIMIT_KIB = 64 * 1024


def peak(command):
    """(exit status, peak resident KiB) of a command."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss


def main():
    tap = Tap()
    for row in real.rows(real.arguments("measures the memory that those wheels need")):
        path = real.fetch(row)
        if not tap.ok(path is not None, f"{row['wheel']} is there"):
            continue
        status, used = peak([real.program(), "inspect", "--format", "json", str(path)])
        tap.note(f"{row['wheel']}: {used / 1024:.1f} MiB")
        tap.ok(status == 0 and used < LIMIT_KIB, f"{row['wheel']}: below 64 MiB", f"exit status {status}, {used} KiB")
    tap.done()


main()
