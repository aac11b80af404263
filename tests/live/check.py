#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`check --gpu this` asks the driver, and `--live` has it confirm the verdict; against a stand-in."""
import json

from standin import BLACKWELL, CUWHEEL, HOPPER, Standin, TOP
from tap import Tap

MIXED = "n130_mixed.fatbin"
MULTI = "n130_multi.so"  # sm_80, sm_120f, compute_120f (PTX 9.0)


def this(tap, s):
    def gpus(*words, **how):
        run = s.run(CUWHEEL, "check", "--format", "json", *words, **how)
        verdicts = run.report["verdicts"] if run.report else []
        return run, [(v["gpu"]["name"], v["gpu"]["cc"], v["driver"] and v["driver"]["cuda"]) for v in verdicts]

    run, got = gpus("--gpu", "this", MIXED, table="cuda 13000\n" + HOPPER)
    tap.equal((run.status, got), (0, [(None, "9.0", "13.0")]), "--gpu this: the device and driver, by the driver")
    run, got = gpus(MIXED, table="cuda 13000\ndevice 12.0 NVIDIA GeForce RTX 5090\n")
    tap.ok(run.status == 0 and got[0][1:] == ("12.0", "13.0") and "5090" in got[0][0], "and where no GPU is named", got)
    run, got = gpus(MIXED, table=HOPPER + BLACKWELL + HOPPER)
    tap.equal([cc for _, cc, _ in got], ["9.0", "12.0"], "two of a kind are judged once")
    run, got = gpus(MIXED, table="device 10.1 Thor by its old name\n")
    tap.equal([cc for _, cc, _ in got], ["11.0"], "10.1 is 11.0")
    run, got = gpus(MIXED, table="device 9.9 A GPU of tomorrow\n")
    tap.equal([cc for _, cc, _ in got], ["9.9"], "a GPU that no table knows is judged by its capability")
    run = s.run(CUWHEEL, "check", MIXED, table=HOPPER + "fail cuDeviceGetAttribute 1\n")
    tap.ok(run.status == 3 and not run.stdout and "capability of device 0" in run.stderr,
           "one of which the driver tells no capability is not judged", run)
    run, got = gpus("--driver-cuda", "12.0", MIXED)
    tap.equal(got[0][2], "12.0", "a driver that is given goes before that of the machine")
    folder = s.tmp / "proc/gpus/0000"
    folder.mkdir(parents=True)
    (folder / "information").write_text("Model: \t\t NVIDIA GeForce RTX 4090\n")
    (s.tmp / "proc/version").write_text("NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.124.06  Sat\n")
    run, got = gpus(MIXED, CUWHEEL_PROC_NVIDIA=str(s.tmp / "proc"))
    tap.equal([cc for _, cc, _ in got], ["8.9"], "where the kernel driver's folder is named, it is asked")
    run = s.run(CUWHEEL, "check", MIXED, library=s.none(), CUWHEEL_PROC_NVIDIA=str(s.tmp / "nothing"))
    tap.ok(run.status == 3 and not run.stdout and "no NVIDIA driver" in run.stderr, "neither", run)


def confirm(tap, s):
    def check(table, *words, **how):
        return s.run(CUWHEEL, "check", "--gpu", "this", "--live", *words, table=table, **how)

    blackwell = "cuda 13000\nisa 9.0\n" + BLACKWELL
    run = check(blackwell, MULTI)
    tap.ok(run.status == 0 and "native" in run.stdout, "a verdict", run)
    tap.ok("asked the driver:" in run.stdout and "1 tried: 1 as predicted" in run.stdout, "and its confirmation", run)
    run = check("device 7.5 Stand-in 7.5\n", MULTI)
    tap.ok(run.status == 1 and "1 tried: 1 as predicted" in run.stdout, "the verdict fails, and the driver agrees", run)
    run = check(blackwell + "on sm_120f refuse 209\n", MULTI)
    tap.ok(run.status == 1 and "to report this:" in run.stdout, "the verdict holds, and the driver disagrees", run)
    run = check("device 7.5 Stand-in 7.5\nfail cuMemAlloc 2\n", MULTI)
    tap.ok(run.status == 3 and "nothing runs on device 0" in run.stdout, "3 wins", run)
    run = check(blackwell, "--format", "json", MULTI, MIXED)
    tap.ok(run.status == 0 and run.report["schema"] == "cuwheel/report/1" and len(run.report["verdicts"]) == 2 and
           run.report["live"]["schema"] == "cuwheel/probe/1", "as JSON", run)
    tap.equal(run.report["live"]["summary"], {"agrees": 2, "disagrees": 0, "not_tried": 0, "not_applicable": 2},
              "with the whole report of the probe")
    try:
        from jsonschema.validators import validator_for
        for name, report in (("report-1", run.report), ("probe-1", run.report["live"])):
            root = json.loads((TOP / f"docs/schema/{name}.json").read_text())
            tap.ok(validator_for(root)(root).is_valid(report), f"valid against {name}.json")
    except ImportError:
        tap.skip("valid against the schemas", "python3-jsonschema is not installed")
    run = check(blackwell, "m42_elf_trunc.fatbin")
    tap.ok(run.status == 3 and "damaged at 0x10" in run.stdout, "damage is not handed over", run)
    out = s.tmp / "out"
    run = check(blackwell, "-o", out, MULTI)
    tap.ok(run.status == 0 and "asked the driver:" in out.read_text(), "into a file", run)
    run = check(blackwell, "--format", "json", "-o", s.tmp / "none.json", MULTI, library=s.none())
    tap.ok(run.status == 3 and not run.stdout and not (s.tmp / "none.json").exists() and
           len(run.stderr.splitlines()) == 1, "no driver: one sentence, no report", run)


def usage(tap, s):
    for words, said in ((["--gpu", "9.0", "--live", MIXED], "--gpu=this --live"),
                        (["--gpu", "this,9.0", "--live", MIXED], "--gpu=this --live"),
                        (["--live", "--format", "csv", MIXED], "table or json")):
        run = s.run(CUWHEEL, "check", *words)
        tap.ok(run.status == 2 and said in run.stderr and not run.stdout, f"check {' '.join(words)}", run)
    run = s.run(CUWHEEL, "inspect", "--live", MIXED)
    tap.ok(run.status == 2, "--live is of check", run)


def main():
    tap = Tap()
    with Standin() as s:
        for part in (this, confirm, usage):
            part(tap, s)
    tap.done()


main()
