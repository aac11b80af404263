#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cuwheel probe` against a stand-in driver that goes along, refuses, fails, hangs, crashes, breaks its context, is old,
or disagrees."""
import hashlib
import json
import time

from standin import BLACKWELL, CORPUS, CUWHEEL, HOPPER, PROBE, Standin, TOP
from tap import Tap

try:
    from jsonschema.validators import validator_for
except ImportError:
    validator_for = None

MIXED = "n130_mixed.fatbin"  # sm_75 86 90a 100f, compute_100f, sm_120, compute_120 (PTX 9.0)
AGREES, DISAGREES, UNTRIED, NOT_APPLICABLE = "agrees", "disagrees", "not-tried", "not-applicable"
SEEN = []  # every report, for the schema


def check(tap, run, status, findings, name):
    SEEN.append(run)
    tap.ok(run.status == status and run.findings == findings, name, f"wanted {status} {findings}\n{run}")


def predictions(tap, s):
    run = s.probe(MIXED)
    check(tap, run, 0, [AGREES], "a cubin for the device is taken")
    row = run.rows[0]
    tap.equal(row["predicted"]["image"], {"offset": 13008, "kind": "cubin", "arch": "sm_90a"}, "it was predicted")
    tap.equal(row["observed"]["image"], row["predicted"]["image"], "and observed")
    tap.equal((row["observed"]["functions"], row["observed"]["declared"], row["observed"]["missing"]), (2, 2, 0),
              "its functions are counted and found")
    tap.equal(row["observed"]["kernel"], "right", "the probe kernel ran beside it")
    run = s.probe(MIXED, table="device 8.0 Stand-in 8.0\n")
    check(tap, run, 0, [AGREES], "a device that nothing fits")
    tap.equal((run.rows[0]["predicted"]["loads"], run.rows[0]["observed"]["error"]["name"]),
              (False, "CUDA_ERROR_NO_BINARY_FOR_GPU"), "is predicted to refuse, and does, by name")
    run = s.probe("n130_ptx80.fatbin", table="cuda 13000\nisa 9.0\n" + HOPPER)
    check(tap, run, 0, [AGREES], "PTX is compiled")
    tap.equal((run.rows[0]["observed"]["jit_us"], run.rows[0]["observed"]["binary_version"],
               run.rows[0]["observed"]["ptx_version"]), (1500, "9.0", "8.0"), "the time it took, and what became of it")
    run = s.probe("n130_ptx80.fatbin", table="cuda 12080\nisa 8.7\n" + HOPPER)
    check(tap, run, 0, [AGREES], "PTX newer than the driver is refused, as predicted")
    tap.equal(run.rows[0]["observed"]["error"]["number"], 222, "with the error of its own")
    for name, count in (("n135_concat.fatbin", 1), ("f135_size.fatbin", 1), ("text_plain.ptx", 1),
                        ("p130_sm90.cubin", 1), ("x_barecubin.so", 1), ("x_zstdcubin.so", 1), ("x_ptxtext.so", 1),
                        ("n130_debug.fatbin", 1), ("f118_all.fatbin", 1)):
        run = s.probe(name, table="cuda 13050\nisa 9.5\n" + HOPPER)
        check(tap, run, 0, [AGREES] * count, f"{name} goes as predicted")


def whole_corpus(tap, s):
    """Two independent decoders and two independent sets of rules agree on every sound file."""
    names = sorted(p.name for p in CORPUS.iterdir() if not p.name.endswith(".json") and p.name[0] in "fhnp"
                   and not p.name.startswith(("n130_optix", "h_index", "pe_", "n130_dlto.o", "n130_lto90.o")))
    table = "cuda 13050\nisa 9.5\n" + HOPPER + BLACKWELL + "device 8.6 Stand-in 8.6\ndevice 10.3 Stand-in 10.3\n"
    run = s.probe("--each-image", *names, table=table)
    SEEN.append(run)
    wrong = [row for row in run.rows if row["finding"] not in (AGREES, NOT_APPLICABLE)]
    tap.ok(run.status == 0 and not wrong and len(run.rows) > 1000, f"{len(run.rows)} rows of the corpus agree",
           "\n".join(json.dumps(row)[:600] for row in wrong[:8]) or str(run))


def devices(tap, s):
    both = HOPPER + BLACKWELL
    run = s.probe("n130_linked.so", table="cuda 13000\nisa 9.0\n" + both)
    check(tap, run, 0, [NOT_APPLICABLE] * 2 + [AGREES] * 3, "two devices; what does not fit is linked again")
    tap.equal([(row["device"], row["method"], row["predicted"] and row["predicted"]["loads"]) for row in run.rows],
              [(None, "whole", None), (None, "whole", None), (0, "whole", True), (1, "whole", False), (1, "link", True)],
              "the link is for the device that needs it")
    run = s.probe("--device", "1", MIXED, table=both)
    tap.equal([row["device"] for row in run.rows], [1], "--device")
    tap.equal([d["probed"] for d in run.report["devices"]], [False, True], "the report tells which was probed")
    run = s.probe("--device", "0,1", MIXED, table=both)
    tap.equal([row["device"] for row in run.rows], [0, 1], "--device takes several")
    run = s.probe("--device", "2", MIXED, table=both)
    tap.ok(run.status == 2 and not run.stdout and "there is no device 2" in run.stderr, "a device that is not there", run)
    run = s.probe("n130_linked_gap.so", table="cuda 13000\nisa 9.0\n" + BLACKWELL)
    check(tap, run, 0, [NOT_APPLICABLE] * 2 + [AGREES] * 2, "a link that cannot work is predicted so")
    tap.ok("relocatable fatbin 1" in run.rows[3]["predicted"]["reason"], "with the fatbin that lacks an image")


def each_image(tap, s):
    run = s.probe("--each-image", MIXED, table="cuda 13000\nisa 9.0\n" + BLACKWELL)
    check(tap, run, 0, [AGREES] * 8, "each image alone")
    tap.equal([row["image"]["arch"] for row in run.rows if row["observed"]["outcome"] == "loaded" and row["image"]],
              ["sm_120", "compute_120"], "two of them fit")
    run = s.probe("--each-image", "n130_multi.so", table="isa 8.7\n" + BLACKWELL)
    check(tap, run, 0, [AGREES] * 3 + [AGREES] + [NOT_APPLICABLE] * 2, "relocatable images are not loaded alone")
    run = s.probe("n135_tile.fatbin", "n130_rdc.fatbin", "n130_lib.a", table=HOPPER)
    SEEN.append(run)
    tap.ok(run.status == 0 and NOT_APPLICABLE in run.findings, "what no driver loads changes no status", run)
    tap.ok("for a linker to use" in {row["reason"] for row in run.rows}, "archives are for a linker")


def old_drivers(tap, s):
    run = s.probe(MIXED, library=s.old())
    check(tap, run, 0, [AGREES], "a driver without the newer calls")
    tap.equal((run.rows[0]["observed"]["functions"], run.rows[0]["observed"]["declared"]), (None, 2),
              "does not count functions, and they are found by name")
    run = s.probe("--launch", MIXED, table=HOPPER + "plain _kernel\n", library=s.old())
    tap.equal(run.rows[0]["observed"]["not_launched"], 2, "nothing is launched where parameters are not told")
    run = s.probe("n130_ptx80.fatbin", table="cuda 12020\nisa 8.2\n" + HOPPER, library=s.old())
    check(tap, run, 0, [AGREES], "PTX that it does not know")
    tap.ok("driver for CUDA 12.2" in run.rows[0]["predicted"]["reason"], "the reason names its CUDA")


def failures(tap, s):
    for call, kind in (("cuModuleLoadDataEx", UNTRIED), ("cuModuleGetFunction", UNTRIED)):
        run = s.probe(MIXED, table=HOPPER + f"fail {call} 2\n")
        check(tap, run, 3, [kind], f"{call} fails from the start: nothing runs on the device")
        tap.ok("nothing runs on device 0" in run.rows[0]["reason"], "and it is said so", run)
    for call in ("cuDevicePrimaryCtxRetain", "cuCtxSetCurrent", "cuMemAlloc", "cuLaunchKernel", "cuCtxSynchronize",
                 "cuMemcpyDtoH"):
        run = s.probe(MIXED, table=HOPPER + f"fail {call} 999\n")
        check(tap, run, 3, [UNTRIED], f"{call} fails: not tried")
        tap.ok(call in run.rows[0]["reason"] and "999" in run.rows[0]["reason"], "the call and its error are named", run)
    run = s.probe(MIXED, table=HOPPER + "spoil\n")
    check(tap, run, 3, [UNTRIED], "a device that computes wrongly tells nothing")
    for call in ("cuFuncGetAttribute", "cuFuncLoad"):
        run = s.probe(MIXED, table=HOPPER + f"fail {call} 209\n")
        check(tap, run, 1, [DISAGREES], f"{call} fails: the load does")
        tap.equal(run.rows[0]["observed"]["error"]["call"], call, "the call is named")
    for call in ("cuModuleGetFunctionCount", "cuModuleEnumerateFunctions", "cuModuleUnload"):
        run = s.probe(MIXED, table=HOPPER + f"fail {call} 999\n")
        check(tap, run, 0, [AGREES], f"{call} fails: nothing is lost")
    for call in ("cuLinkCreate", "cuLinkAddData", "cuLinkComplete"):
        run = s.probe("n130_linked.so", table="cuda 13000\nisa 9.0\n" + BLACKWELL + f"fail {call} 209\n")
        check(tap, run, 1, [NOT_APPLICABLE] * 2 + [AGREES, DISAGREES], f"{call} fails: the link does")
    for call in ("cuDriverGetVersion",):
        run = s.probe(MIXED, table=HOPPER + f"fail {call} 999\n")
        check(tap, run, 0, [AGREES], f"{call} fails: any PTX counts as known")
    run = s.probe(MIXED, table=HOPPER + "on sm_90a refuse 2\n")
    check(tap, run, 3, [UNTRIED], "out of memory speaks of the machine, not of the image")


def isolation(tap, s):
    """One image of several does it; the others are tried all the same."""
    table = "cuda 13000\nisa 9.0\n" + BLACKWELL
    for action, outcome in (("crash", "crashed"), ("break", "broken-context"), ("spoil", "broken-context")):
        run = s.probe("--each-image", MIXED, table=table + f"on sm_120 {action}\n")
        check(tap, run, 1, [DISAGREES] + [AGREES] * 5 + [DISAGREES, AGREES], f"{action} costs that one image")
        tap.equal(run.outcomes, [outcome] + ["refused"] * 5 + [outcome, "loaded"], f"{action} is observed as {outcome}")
    tap.ok("signal 6" in s.probe(MIXED, table=table + "on sm_120 crash\n").rows[0]["reason"], "the signal is named")
    begin = time.monotonic()
    run = s.probe("--timeout", "1", "--each-image", MIXED, table=table + "on sm_120 hang\n")
    check(tap, run, 1, [DISAGREES] + [AGREES] * 5 + [DISAGREES, AGREES], "a hang costs that one image")
    tap.equal(run.outcomes[0], "timed-out", "it is observed as a hang")
    tap.ok(2 <= time.monotonic() - begin < 20, "and takes the time that --timeout gives")
    run = s.probe("--timeout", "1", "n130_linked.so", table=table + "hang cuLinkComplete\n")
    tap.equal(run.outcomes, ["refused", "timed-out"], "a linker that hangs")
    run = s.probe(MIXED, table=table + "crash cuModuleUnload\n")
    check(tap, run, 1, [DISAGREES], "a crash on the way out is one too")
    run = s.probe(MIXED, MIXED, table=table + "crash cuDevicePrimaryCtxRetain\n")
    check(tap, run, 3, [UNTRIED] * 2, "a driver that crashes at once: nothing is tried")


def disagreements(tap, s):
    run = s.probe(MIXED, table=HOPPER + "on sm_90a refuse 209\n")
    check(tap, run, 1, [DISAGREES], "predicted to load, and refused")
    row = run.rows[0]
    data = (CORPUS / MIXED).read_bytes()
    tap.equal(row["evidence"]["sha256"], hashlib.sha256(data).hexdigest(), "the container's hash")
    tap.equal(row["evidence"]["entry_header"], data[13008:13072].hex(), "the entry's header")
    image = data[13008 + int.from_bytes(data[13012:13016], "little"):][:7448]
    tap.equal(row["evidence"]["image_sha256"], hashlib.sha256(image).hexdigest(), "the image's hash")
    run = s.probe(MIXED, table="device 8.0 Stand-in 8.0\non none accept\n")
    check(tap, run, 1, [DISAGREES], "predicted to be refused, and taken")
    run = s.probe(MIXED, table="device 8.0 Stand-in 8.0\non none refuse 999\n")
    check(tap, run, 1, [DISAGREES], "refused for another reason than predicted")
    run = s.probe(MIXED, table="cuda 13000\nisa 9.0\n" + BLACKWELL + "on sm_120 as 120 90\n")
    check(tap, run, 0, [AGREES], "a cubin made from older PTX is still that cubin")
    run = s.probe("n130_c.o", "n130_needed.so", table="cuda 13000\n" + HOPPER)
    SEEN.append(run)
    run = s.probe("f135_size.fatbin", table="cuda 13050\n" + HOPPER + "on sm_90a as 80 80\n")
    check(tap, run, 1, [DISAGREES], "another image than predicted was taken")
    tap.equal(run.rows[0]["observed"]["image"]["arch"], "sm_80", "its versions tell which")
    run = s.probe("n130_ptx80.fatbin", table="cuda 13000\n" + HOPPER + "on compute_80 as 80 80\n")
    check(tap, run, 1, [DISAGREES], "PTX that was not compiled for the device")
    run = s.probe("p130_sm100f.cubin", table="cuda 13000\ndevice 10.3 Stand-in 10.3\non sm_100 as 103 100\n")
    check(tap, run, 0, [AGREES], "a cubin of the newer kind may be finalized for the device")
    run = s.probe(MIXED, table=HOPPER + "drop _kernel\n")
    check(tap, run, 1, [DISAGREES], "functions that are not found")
    tap.equal((run.rows[0]["observed"]["missing"], len(run.rows[0]["observed"]["missing_names"])), (2, 2),
              "are counted and named")
    text = s.run(PROBE.replace("cuwheel-probe", "cuwheel"), "probe", MIXED, table=HOPPER + "on sm_90a refuse 209\n")
    wanted = ["to report this:", "driver for CUDA 12.8", "Stand-in 9.0 9.0", "predicted image: cubin sm_90a at 0x32d0",
              "cuModuleLoadDataEx gives 209 CUDA_ERROR_NO_BINARY_FOR_GPU", hashlib.sha256(data).hexdigest(),
              data[13008:13072].hex(), "1 tried: 0 as predicted, 1 not as predicted; 0 not tried, 0 not applicable"]
    missing = [word for word in wanted if word not in text.stdout]
    tap.ok(text.status == 1 and not missing, "the table prints a bug report", f"{missing}\n{text}")


def launching(tap, s):
    run = s.probe("--launch", MIXED, table=HOPPER)
    tap.equal(run.rows[0]["observed"]["launched"], 0, "kernels with parameters are not launched")
    run = s.probe("--launch", MIXED, table=HOPPER + "plain _kernel\n")
    check(tap, run, 0, [AGREES], "--launch")
    tap.equal(run.rows[0]["observed"]["launched"], 2, "kernels without parameters are")
    run = s.probe(MIXED, table=HOPPER + "plain _kernel\n")
    tap.equal(run.rows[0]["observed"]["launched"], 0, "but not unasked")
    run = s.probe("--launch", MIXED, table=HOPPER + "plain _kernel\non sm_90a launch 719\n")
    check(tap, run, 1, [DISAGREES], "a launch that fails")
    tap.ok(run.rows[0]["observed"]["launch_name"].endswith("_kernel") and run.outcomes == ["broken-context"],
           "is named, with what became of the context", run)
    run = s.probe("--launch", MIXED, table=HOPPER + "plain _kernel\non sm_90a launch 1\n")
    tap.ok(run.rows[0]["observed"]["launch_error"] is None, "one that wants another shape is no failure", run)


def damage(tap, s):
    for name in ("m42_elf_trunc.fatbin", "m43_elf_not.fatbin", "m44_arch_mismatch.fatbin", "m23_bad_zstd.fatbin",
                 "m25_bad_lz4.fatbin", "m20_usz_big.fatbin", "m19_usz_small.fatbin", "m05_cut_payload.fatbin",
                 "m27_comp_unknown.fatbin", "m45_shoff.cubin", "m46_shnum.cubin", "m16_csz_gt.fatbin",
                 "m49_concat_count.fatbin"):
        run = s.probe(name, table="cuda 13050\n" + HOPPER + "crash cuModuleGetFunctionCount\n")
        SEEN.append(run)
        tap.ok(run.status == 3 and set(run.findings) <= {UNTRIED} and "crashed" not in run.outcomes,
               f"{name} is not handed over", run)
    run = s.probe("--unsafe", "m44_arch_mismatch.fatbin", table="device 8.0 Stand-in 8.0\n")
    tap.ok(run.outcomes == ["loaded"], "--unsafe hands it over", run)
    run = s.probe("--unsafe", "m42_elf_trunc.fatbin")
    tap.ok(run.outcomes == ["refused"] and run.findings == [DISAGREES], "and the driver says what it thinks of it", run)
    run = s.probe("m42_elf_trunc.fatbin", MIXED)
    check(tap, run, 3, [UNTRIED, AGREES], "damage costs the damaged; 3 wins")
    run = s.probe("m42_elf_trunc.fatbin", MIXED, table=HOPPER + "on sm_90a refuse 209\n")
    check(tap, run, 3, [UNTRIED, DISAGREES], "also over a disagreement")
    run = s.probe("--max-image-size", "4096", MIXED)
    check(tap, run, 3, [UNTRIED], "what is larger than the limit is not handed over")
    run = s.probe("nosuch.whl")
    tap.ok(run.status == 3 and "nosuch.whl" in run.stderr, "a file that is not there", run)


def nothing_there(tap, s):
    def only_says(run, words, name):
        lines = run.stderr.splitlines()
        tap.ok(run.status == 3 and not run.stdout and len(lines) == 1 and words in lines[0], name, run)

    only_says(s.probe(MIXED, library=s.none()), "there is no NVIDIA driver here", "no driver")
    only_says(s.probe(MIXED, table="cuda 12080\n"), "finds no GPU here", "no device")
    only_says(s.probe(MIXED, table=HOPPER + "fail cuInit 803\n"), "cuInit gives 803 CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
              "a driver that does not start")
    only_says(s.probe(MIXED, table=HOPPER + "crash cuInit\n"), "signal 6", "a driver that crashes when it starts")
    only_says(s.probe(MIXED, table=HOPPER + "fail cuDeviceGetCount 999\n"), "cuDeviceGetCount gives 999",
              "a driver that does not count")
    out = s.tmp / "report.json"
    run = s.probe("-o", out, MIXED, library=s.none())
    tap.ok(run.status == 3 and not out.exists(), "no report is begun", run)
    run = s.run(PROBE, "--devices", library=s.none())
    tap.ok(run.status == 3 and not run.stdout and "no NVIDIA driver" in run.stderr, "cuwheel-probe --devices alike", run)
    run = s.run(PROBE, "--devices", table="cuda 12080\n" + HOPPER + BLACKWELL)
    tap.ok(run.status == 0 and [line.split("\t")[:3] for line in run.stdout.splitlines()] ==
           [["0", "9.0", "12.8"], ["1", "12.0", "12.8"]], "cuwheel-probe --devices", run)
    run = s.run(PROBE, "--devices", table=HOPPER + "fail cuDeviceGetAttribute 1\n")
    tap.ok(run.status == 3 and not run.stdout and "cuDeviceGetAttribute gives 1" in run.stderr,
           "a device of which nothing is told", run)


def usage(tap, s):
    for words, said in ((["--timeout", "0", MIXED], "--timeout takes"), (["--device", "x", MIXED], "--device takes"),
                        (["--device", "1,", MIXED], "--device takes"), (["--format", "csv", MIXED], "table or json"),
                        ([], "probe what?")):
        run = s.probe(*words)
        tap.ok(run.status == 2 and said in run.stderr and not run.stdout, f"probe {' '.join(words)}", run)
    for closed in ("<&-", "2>&-", "<&- 2>&-", "<&- >&- 2>&-"):
        out = s.tmp / "closed.json"
        run = s.run("sh", "-c", f'exec "$@" {closed}', "sh", CUWHEEL, "probe", "-o", out, "--format", "json", MIXED)
        tap.ok(run.status == 0 and json.loads(out.read_text())["summary"]["agrees"] == 1, f"started with {closed}", run)


def schema(tap):
    if not validator_for:
        tap.skip("the reports are valid", "python3-jsonschema is not installed")
        return
    root = json.loads((TOP / "docs/schema/probe-1.json").read_text())
    kind = validator_for(root)
    kind.check_schema(root)
    faults = [f"{list(e.absolute_path)}: {e.message[:300]}" for run in SEEN if run.report
              for e in kind(root).iter_errors(run.report)]
    tap.ok(not faults and len(SEEN) > 50, f"{len(SEEN)} reports are valid", "\n".join(faults[:10]))
    report = next(run.report for run in SEEN if DISAGREES in run.findings)
    for name in report:
        tap.ok(not kind(root).is_valid({key: value for key, value in report.items() if key != name}),
               f"without {name} one is not")
    row = report["inputs"][0]["observations"][0]
    for name in list(row):
        value = row.pop(name)
        tap.ok(not kind(root).is_valid(report), f"nor without {name} in a row")
        row[name] = value


def main():
    tap = Tap()
    with Standin() as s:
        for part in (predictions, whole_corpus, devices, each_image, old_drivers, failures, isolation, disagreements,
                     launching, damage, nothing_there, usage):
            part(tap, s)
    schema(tap)
    tap.done()


main()
