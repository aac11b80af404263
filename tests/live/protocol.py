#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Frames of docs/probe-protocol.md: sound, damaged and too long, and programs that are not cuwheel-probe."""
import os
import signal
import struct
import subprocess
import time

from standin import CORPUS, CUWHEEL, FAKECUDA, HOPPER, PROBE, Standin
from tap import Tap

MAGIC = b"CUWP"
HELLO, KERNEL, LOAD, LINK, WELCOME, RESULT, REFUSED = 1, 2, 3, 4, 0x81, 0x82, 0xFF
PROGRAM, NUMBER, REASON, CUDA, DRIVER, DEVICE, CC, NAME, ORDINAL, SECONDS, LAUNCH, IMAGE = range(1, 13)
FOUND, KERNEL_RAN = 43, 50
IMAGE_FILE = "n130_mixed.fatbin"


def field(tag, value):
    data = struct.pack("<Q", value) if isinstance(value, int) else value if isinstance(value, bytes) else value.encode()
    return struct.pack("<II", tag, len(data)) + data


def frame(kind, payload=b"", length=None):
    return MAGIC + struct.pack("<IQ", kind, len(payload) if length is None else length) + payload


def fields(payload):
    found, at = [], 0
    while at < len(payload):
        tag, size = struct.unpack_from("<II", payload, at)
        found.append((tag, payload[at + 8:at + 8 + size]))
        at += 8 + size
    return found


def frames(data):
    found, at = [], 0
    while at < len(data):
        kind, length = struct.unpack_from("<IQ", data, at + 4)
        found.append((kind, dict(fields(data[at + 16:at + 16 + length]))))
        at += 16 + length
    return found


def serve(s, data, table=HOPPER, library=FAKECUDA):
    result = subprocess.run([PROBE, "--serve"], input=data, env=s.environment(table, library), capture_output=True,
                            timeout=60)
    return result.returncode, frames(result.stdout), result.stderr


def sound(tap, s):
    image = (CORPUS / IMAGE_FILE).read_bytes()
    status, got, _ = serve(s, frame(HELLO) + frame(KERNEL, field(ORDINAL, 0)) +
                           frame(LOAD, field(ORDINAL, 0) + field(NAME, "scale_kernel") + field(IMAGE, image)) +
                           frame(LINK, field(ORDINAL, 0) + field(IMAGE, image)))
    tap.equal((status, [kind for kind, _ in got]), (0, [WELCOME, RESULT, RESULT, RESULT]), "each request is answered")
    tap.ok(got[0][1][NUMBER] == struct.pack("<Q", 1) and got[0][1][CUDA] == struct.pack("<Q", 128), "a welcome", got[0])
    tap.ok(all(part[KERNEL_RAN] == struct.pack("<Q", 1) for _, part in got[1:]), "the probe kernel ran each time", got)
    tap.equal(got[2][1][FOUND], struct.pack("<Q", 1), "the name is found")
    status, got, _ = serve(s, frame(HELLO, field(77, b"new")) + frame(KERNEL, field(ORDINAL, 0) + field(99, 5)))
    tap.equal((status, [kind for kind, _ in got]), (0, [WELCOME, RESULT]), "fields that are not known are skipped")
    status, got, _ = serve(s, frame(HELLO), library=s.none())
    tap.ok(status == 0 and b"no NVIDIA driver" in got[0][1][REASON] and CUDA not in got[0][1], "no driver", got)
    status, got, _ = serve(s, b"")
    tap.equal((status, got), (0, []), "nothing asked")
    def given_up(data, call):
        """The other side stays, and asks no more."""
        process = subprocess.Popen([PROBE, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                   env=s.environment(HOPPER + f"hang {call}\n"))
        process.stdin.write(data)
        process.stdin.flush()
        time.sleep(0.3)  # it has read the table
        return process

    ordinal = field(ORDINAL, 0)
    hung = [given_up(frame(HELLO, field(SECONDS, 1)), "cuInit"),
            given_up(frame(KERNEL, ordinal + field(SECONDS, 1)), "cuDevicePrimaryCtxRetain"),
            given_up(frame(LOAD, ordinal + field(SECONDS, 1) + field(IMAGE, image)), "cuModuleUnload")]
    tap.equal([process.wait(60) for process in hung], [-signal.SIGALRM] * 3, "a driver that hangs is given up")
    for process in hung:
        process.stdin.close()
    status, got, _ = serve(s, frame(KERNEL, field(ORDINAL, 7)))
    tap.ok(status == 0 and got[0][0] == RESULT, "a device that is not there is an error of the driver", got)


def damaged(tap, s):
    good = field(ORDINAL, 0)
    for name, data, reason in (
            ("no frame", b"GET / HTTP/1.1\r\n\r\n", b"no frame"),
            ("a frame too long", frame(LOAD, b"", 1 << 40), b"too long"),
            ("a frame of 2^64 - 1 bytes", frame(LOAD, b"", (1 << 64) - 1), b"too long"),
            ("a frame that ends early", frame(LOAD, good, 1 << 30), b"ends early")):
        status, got, _ = serve(s, data)
        tap.ok(status == 1 and len(got) == 1 and got[0][0] == REFUSED and reason in got[0][1][REASON], name, got)
    status, got, _ = serve(s, frame(HELLO)[:7])
    tap.equal((status, got), (1, []), "a frame head that ends early")
    for name, data in (("no image", frame(LOAD, good)), ("two images", frame(LOAD, field(IMAGE, b"x") * 2)),
                       ("a field that runs past its frame", frame(LOAD, good + struct.pack("<II", IMAGE, 99) + b"x")),
                       ("a cut field", frame(LOAD, good + b"\x0c\0\0")), ("a request of no kind", frame(55))):
        status, got, _ = serve(s, data + frame(HELLO))
        tap.equal((status, [kind for kind, _ in got]), (0, [REFUSED, WELCOME]), f"{name} is refused, and it goes on")
    process = subprocess.Popen([PROBE, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               env=s.environment(HOPPER))
    process.stdout.close()
    process.stdin.write(frame(HELLO))
    process.stdin.close()
    tap.equal(process.wait(60), 1, "an answer that nobody reads ends it, without a signal")


def impostors(tap, s):
    """Programs in the place of cuwheel-probe: one sentence, status 3, no report."""
    def script(text):
        path = s.tmp / "impostor"
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return str(path)

    def refused(program, words, name):
        run = s.probe(IMAGE_FILE, CUWHEEL_PROBE=program)
        tap.ok(run.status == 3 and not run.stdout and words in run.stderr and len(run.stderr.splitlines()) == 1, name, run)

    def canned(payload, name):
        path = s.tmp / name
        path.write_bytes(payload)
        return script(f"cat {path}; cat >/dev/null\n")

    version = subprocess.run([CUWHEEL, "--version"], capture_output=True, text=True).stdout.split()[1]
    refused("/nonexistent/cuwheel-probe", "which is no program", "a probe program that is missing")
    (s.tmp / "text").write_text("no program\n")
    refused(str(s.tmp / "text"), "which is no program", "one that cannot be run")
    refused("/bin/true", "ended with status 0", "one that ends at once")
    refused("/bin/false", "ended with status 1", "one that fails")
    refused(script("kill -9 $$\n"), "signal 9", "one that is killed")
    refused(script("echo hello, I am something else\ncat >/dev/null\n"), "does not speak this protocol", "another program")
    refused(canned(frame(WELCOME, b"", 1 << 30), "long"), "too long", "an answer that is too long")
    other = field(PROGRAM, "9.9.9") + field(NUMBER, 1) + field(CUDA, 128)
    refused(canned(frame(WELCOME, other), "other"), "is of version 9.9.9", "another version")
    other = field(PROGRAM, version) + field(NUMBER, 2) + field(CUDA, 128)
    refused(canned(frame(WELCOME, other), "newer"), "install both anew", "another protocol")
    refused(canned(frame(WELCOME, b"\x01\0\0"), "cut"), "version ?", "a damaged welcome")
    alone = s.tmp / "bin"
    alone.mkdir()
    os.symlink(PROBE, alone / "cuwheel-probe")
    run = s.probe(IMAGE_FILE, CUWHEEL_PROBE=str(alone / "cuwheel-probe"))
    tap.equal(run.status, 0, "$CUWHEEL_PROBE names it")

    welcome = field(PROGRAM, version) + field(NUMBER, 1) + field(CUDA, 128) + field(DEVICE, field(CC, 90) + field(NAME, "X"))
    run = s.probe(IMAGE_FILE, CUWHEEL_PROBE=canned(frame(WELCOME, welcome) + frame(REFUSED, field(REASON, "no")), "refuser"))
    tap.ok(run.status == 3 and run.findings == ["not-tried"] and "refused the request: no" in run.rows[0]["reason"],
           "one that refuses everything", run)
    run = s.probe(IMAGE_FILE, CUWHEEL_PROBE=canned(frame(WELCOME, welcome) + frame(RESULT, b"\xff" * 5), "damaged"))
    tap.ok(run.status == 3 and run.findings == ["not-tried"], "an answer that is damaged", run)
    ready = frame(WELCOME, welcome) + frame(RESULT, field(KERNEL_RAN, 1))
    run = s.probe(IMAGE_FILE, CUWHEEL_PROBE=canned(ready + frame(RESULT, field(KERNEL_RAN, 1) + b"\0" * 9), "late"))
    tap.ok(run.status == 3 and run.findings == ["not-tried"], "and one that is damaged later", run)
    odd = "x\x1b[31m\u009b\u202e\n\""
    error = field(35, 209) + b"".join(field(tag, odd) for tag in (36, 37, 38))
    answer = frame(RESULT, field(32, error) + field(39, odd) + field(44, 1) + field(45, odd) + field(KERNEL_RAN, 1))
    welcome = field(PROGRAM, version) + field(NUMBER, 1) + field(CUDA, 128) + field(DRIVER, odd) + field(
        DEVICE, field(CC, 90) + field(NAME, odd))
    path = canned(frame(WELCOME, welcome) + frame(RESULT, field(KERNEL_RAN, 1)) + answer, "odd")
    run = s.run(CUWHEEL, "probe", IMAGE_FILE, CUWHEEL_PROBE=path)
    tap.ok(run.status == 1 and "to report this:" in run.stdout and not set("\x1b\u009b\u202e") & set(run.stdout),
           "what it says is escaped", run)
    begin = time.monotonic()
    refused(script("exec >&-\nexec sleep 50\n"), "closed its pipes", "one that closes its pipes and stays")
    tap.ok(time.monotonic() - begin < 20, "is not waited for")
    (s.tmp / "ready").write_bytes(ready)
    large = s.tmp / "large.ptx"  # more than a pipe takes
    large.write_text(".version 5.0\n.target sm_50\n.address_size 64\n.visible .entry k()\n{\n" + "\tret;\n" * 40000 + "}\n")
    run = s.probe(large, CUWHEEL_PROBE=script(f"cat {s.tmp / 'ready'}\nhead -c 4096 >/dev/null\nexit 5\n"))
    tap.ok(run.status == 3 and run.findings == ["not-tried"] and "status 5" in run.rows[0]["reason"],
           "one that ends before it has the image is no crash by the image", run)
    run = s.probe(IMAGE_FILE, CUDA_FORCE_PTX_JIT="1", CUDA_DISABLE_PTX_JIT="1", CUDA_FORCE_JIT="1", CUDA_DISABLE_JIT="1",
                  CUDA_CACHE_DISABLE="0", CUDA_MODULE_LOADING="LAZY", CUDA_VISIBLE_DEVICES="0",
                  CUWHEEL_PROBE=script(f"env | grep -E '^CUDA_.*(JIT|CACHE|LOADING|VISIBLE)' | sort >{s.tmp / 'env'}\nexec {PROBE} --serve\n"))
    tap.equal((run.status, (s.tmp / "env").read_text().split()),
              (0, ["CUDA_CACHE_DISABLE=1", "CUDA_MODULE_LOADING=EAGER", "CUDA_VISIBLE_DEVICES=0"]),
              "what would change the driver's choice is kept from it, and its cache is off")
    path = script(f"head -c 16 >/dev/null\ncat {s.tmp / 'ready'}\nhead -c 16 >/dev/null\nexit 5\n")
    run = s.probe(IMAGE_FILE, CUWHEEL_PROBE=path)
    tap.ok(run.status in (1, 3) and len(run.rows) == 1 and "status 5" in run.rows[0]["reason"],
           "a pipe that closes is told with its reason, and is no signal", run)


def main():
    tap = Tap()
    with Standin() as s:
        for part in (sound, damaged, impostors):
            part(tap, s)
    tap.done()


main()
