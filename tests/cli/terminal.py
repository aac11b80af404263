#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What cuwheel does on a terminal, when its reader goes away, when the disk is full and when it is interrupted."""
import os
import pathlib
import pty
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from fcntl import ioctl

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

CUWHEEL = os.path.abspath(os.environ.get("CUWHEEL", "build/cuwheel"))
TESTDATA = os.environ.get("CUWHEEL_TESTDATA", "testdata")
GOOD = "corpus/f129_def.fatbin"


def on_terminal(*words, columns=70, env=None):
    """Status and output of a run whose standard output and error are a terminal."""
    leader, follower = pty.openpty()
    ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    clean = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    process = subprocess.Popen([CUWHEEL, *words], stdin=subprocess.DEVNULL, stdout=follower, stderr=follower,
                               env={**clean, "TERM": "xterm", **(env or {})})
    os.close(follower)
    output = b""
    while True:
        try:
            piece = os.read(leader, 4096)
        except OSError:  # the terminal closed
            break
        if not piece:
            break
        output += piece
    os.close(leader)
    return process.wait(), output.decode().replace("\r\n", "\n")


def colours(tap):
    status, text = on_terminal(GOOD)
    tap.equal(status, 0, "status on a terminal")
    tap.ok("\033[1m" in text, "colour on a terminal", repr(text))
    for env, name in (({"NO_COLOR": "1"}, "NO_COLOR"), ({"TERM": "dumb"}, "a dumb terminal")):
        tap.ok("\033" not in on_terminal(GOOD, env=env)[1], f"no colour with {name}")
    tap.ok("\033" in on_terminal(GOOD, env={"NO_COLOR": ""})[1], "colour with an empty NO_COLOR")
    tap.ok("\033" not in on_terminal("--color=never", GOOD)[1], "no colour with --color=never")
    tap.ok("\033" in on_terminal("--color=always", GOOD, env={"NO_COLOR": "1"})[1], "--color=always wins over NO_COLOR")


def widths(tap):
    for columns in (60, 80, 120, 200):
        text = on_terminal("--color=never", GOOD, columns=columns)[1]
        tap.ok(all(len(line) <= columns for line in text.splitlines()), f"lines fit {columns} columns", text)
        tap.ok("compute_120f 1 (PTX 8.8)" in text, f"nothing is cut at {columns} columns", text)


def broken_pipe(tap):
    reading, writing = os.pipe()
    os.close(reading)
    result = subprocess.run([CUWHEEL, "--format", "json", GOOD], stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    tap.equal((result.returncode, result.stderr), (0, b""), "a reader that went away is no error")


def full_disk(tap):
    with open("/dev/full", "wb") as full:
        result = subprocess.run([CUWHEEL, GOOD], stdout=full, stderr=subprocess.PIPE)
    tap.equal((result.returncode, result.stderr),
              (3, b"cuwheel: cannot write standard output: No space left on device\n"), "a full disk is an error")


def interrupted(tap, number):
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen([CUWHEEL, "-o", folder + "/report", "-"], stdin=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL,
                                   preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))  # nohup ignores some
        for _ in range(500):
            if os.listdir(folder):
                break
            time.sleep(0.01)
        begun = os.listdir(folder)
        process.send_signal(number)
        status = process.wait(timeout=60)
        process.stdin.close()
        tap.ok(begun and "report" not in begun, f"{number.name}: the report has a temporary name first", begun)
        tap.equal((status, os.listdir(folder)), (-number, []), f"{number.name}: nothing is left")


def main():
    os.chdir(TESTDATA)
    tap = Tap()
    colours(tap)
    widths(tap)
    broken_pipe(tap)
    full_disk(tap)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        interrupted(tap, number)
    tap.done()


main()
