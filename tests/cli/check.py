#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cuwheel check` on made-up machines, environments, folders of variants, and hostile names."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

CUWHEEL = os.path.abspath(os.environ.get("CUWHEEL", "build/cuwheel"))
CORPUS = pathlib.Path(os.environ.get("CUWHEEL_TESTDATA", "testdata")).resolve() / "corpus"
LINKED = CORPUS / "n130_linked.so"  # sm_80, sm_90, and PTX of ISA 9.0 for the others
VERSION = "NVRM version: NVIDIA UNIX {}  {}  Release Build  (dvs-builder@U16)  Wed Feb 26 2025\nGCC version: gcc 12.3.0\n"


def run(*words, env=None):
    """(exit status, standard output, standard error)"""
    result = subprocess.run([CUWHEEL, "check", *map(str, words)], capture_output=True, text=True,
                            env={**os.environ, **(env or {})})
    return result.returncode, result.stdout, result.stderr


def verdicts(*words, env=None):
    return json.loads(run("--format", "json", *words, env=env)[1])["verdicts"]


def machine(folder, models, version):
    """A folder as the NVIDIA kernel driver publishes it."""
    folder.mkdir()
    for number, model in enumerate(models):
        gpu = folder / "gpus" / f"0000:{number:02x}:00.0"
        gpu.mkdir(parents=True)
        (gpu / "information").write_text(f"Model: \t\t {model}\nIRQ:   \t\t 16\nGPU UUID: \t GPU-1234\n")
    if version:
        (folder / "version").write_text(version)
    return {"CUWHEEL_PROC_NVIDIA": str(folder)}


def test_this(tap, tmp):
    two = machine(tmp / "two", ["NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3", "Tesla T4"],
                  VERSION.format("x86_64 Kernel Module", "570.124.06"))
    found = verdicts(LINKED, env=two)
    tap.equal([v["gpu"] for v in found], [{"name": "H100", "cc": "9.0"}, {"name": "T4", "cc": "7.5"}], "each GPU once")
    tap.equal([v["driver"] for v in found], 2 * [{"version": "570.124.06", "cuda": "12.8"}], "the driver of the machine")
    tap.equal(run(LINKED, env=two)[0], 1, "T4 fails")
    found = verdicts("--gpu", "this", "--driver", "600", LINKED, env=two)
    tap.equal(found[0]["driver"]["version"], "600", "a driver that is given goes before it")
    found = verdicts("--gpu", "12.0", LINKED, env=two)
    tap.equal([(v["gpu"]["cc"], v["driver"]) for v in found], [("12.0", None)], "--gpu leaves the machine aside")

    opened = machine(tmp / "open", ["NVIDIA GeForce RTX 5090"],
                     VERSION.format("Open Kernel Module for x86_64", "575.51.03"))
    status, out, _ = run("--gpu", "THIS,8.0", LINKED, env=opened)
    tap.equal(status, 1, "PTX of ISA 9.0 is too new for it")
    tap.ok("on RTX 5090 (12.0), driver 575.51.03: none" in out, "and that is said", out)

    bare = machine(tmp / "bare", ["NVIDIA H200"], None)
    tap.equal([v["driver"] for v in verdicts(LINKED, env=bare)], [None], "a driver without a version is unknown")


def test_no_machine(tap, tmp):
    for name, env, word in (
            ("no driver", {"CUWHEEL_PROC_NVIDIA": str(tmp / "nothing")}, "there is no NVIDIA driver on this machine"),
            ("no GPU", machine(tmp / "empty", [], "x"), "names no GPU"),
            ("a GPU of no table", machine(tmp / "new", ["NVIDIA Quantum 9"], None), "'NVIDIA Quantum 9'"),
            ("no text at all", machine(tmp / "odd", ["\n\n", "\x1b[31m"], "NVRM version: \n"), "cuwheel: ")):
        status, out, err = run(LINKED, env=env)
        tap.equal((status, out), (3, ""), f"{name}: status")
        tap.ok(word in err and "--gpu" in err and "\x1b" not in err, f"{name}: a sentence", err)


def test_variants(tap, tmp):
    folder = tmp / "variants"
    folder.mkdir()
    shutil.copy(CORPUS / "n130_multi.so", folder / "libx_cuda118.so")
    shutil.copy(LINKED, folder / "libx_cuda128.so")
    verdict, = verdicts("--gpu", "9.0", folder)
    tap.equal(verdict["result"], "native", "the best variant counts")
    tap.equal(verdict["choices"][0]["chosen"], "libx_cuda128.so", "and is named")
    tap.equal([library["chosen"] for library in verdict["libraries"]], [False, True], "the other is not chosen")
    status, out, _ = run("--gpu", "9.0", "--cuda", "11.8", folder)
    tap.equal(status, 1, "--cuda chooses another")
    tap.ok("variant  libx_*.so: cuda118 is judged (--cuda 11.8)" in out, "and that is said", out)
    status, _, err = run("--gpu", "9.0", "--require-library", "libx_cuda118.so", folder)
    tap.equal(status, 1, "a variant that is required fails, loaded or not")
    tap.ok("by --require-library" in err, "and that is said", err)
    _, out, _ = run("-v", "--gpu", "9.0", folder)
    tap.ok("libx_cuda118.so (not the variant that is loaded)" in out, "-v lists every variant", out)


def environment(tmp):
    site = tmp / "venv/lib/python3.11/site-packages"
    for name, version, files in (("torch", "2.9.0+cu118", {"torch/lib/libtorch_cuda.so": LINKED}),
                                 ("plain", "1.0", {"plain/none.so": CORPUS / "elf_none.so"}),
                                 ("many", "0.5", {"many/libm_cuda118.so": CORPUS / "n130_multi.so",
                                                  "many/libm_cuda128.so": LINKED})):
        info = site / f"{name}-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        for path, source in files.items():
            (site / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, site / path)
        (info / "RECORD").write_text("".join(f"{path},,\n" for path in files))
    binary = tmp / "venv/bin"
    binary.mkdir()
    (tmp / "venv/pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.11.2\n")
    (binary / "python3.11").symlink_to("/usr/bin/python3.11")
    (binary / "python").symlink_to("python3.11")
    return tmp / "venv"


def test_environment(tap, tmp):
    venv = environment(tmp)
    found = {v["distribution"]: v for v in verdicts("--gpu", "9.0", venv)}
    tap.equal({name: found[name]["result"] for name in ("torch", "plain", "many")},
              {"torch": "native", "plain": "no-gpu-code", "many": "none"}, "each distribution has a verdict")
    reason = found["many"]["choices"][0]["reason"]
    tap.ok(reason.startswith("torch 2.9.0+cu118 is built for CUDA 11.8"), "torch chooses among variants", reason)
    status, out, _ = run("--gpu", "9.0", venv)
    tap.equal(status, 1, "one fails")
    lines = out.splitlines()
    tap.ok(lines[0].startswith(f"{venv} on compute capability 9.0: none: of 2 distributions"), "the first line answers", out)
    tap.ok("  native   torch 2.9.0+cu118" in lines, "native ones in a line", out)
    tap.ok(any(line.startswith("  no code  plain 1.0") for line in lines), "those without code in another", out)
    tap.ok(f"  python   {venv}/bin/python" in out and "owns it, in " in out, "the Python of the one that fails", out)


def test_names(tap, tmp):
    folder = tmp / "evil"
    folder.mkdir()
    shutil.copy(CORPUS / "n130_multi.so", folder / "\x1b[31m|@all<b>`=1.so")
    for form in ("table", "markdown", "csv", "json", "jsonl"):
        _, out, _ = run("--format", form, "--gpu", "9.0", folder)
        tap.ok("\x1b" not in out and "31m" in out, f"{form}: no control character", out)
    _, out, _ = run("--format", "markdown", "--gpu", "9.0", folder)
    tap.ok("@all" not in out and "<b>" not in out and "`" not in out, "markdown: nothing is formatted or mentioned", out)
    tap.equal({line.count("|") for line in out.splitlines() if line.startswith("| <code>")}, {9}, "markdown: cells stay cells")


def test_damage_found_late(tap, tmp):
    """Damage that only some of the work meets is damage for every GPU."""
    library = bytearray((CORPUS / "n130_multi.so").read_bytes())
    images = json.loads(subprocess.run([CUWHEEL, "inspect", "--format=json", CORPUS / "n130_multi.so"],
                                       capture_output=True, text=True).stdout)
    images = images["inputs"][0]["distributions"][0]["libraries"][0]["images"]
    at = next(i["offset"] for i in images if i["arch"] == "sm_120f")
    start = at + int.from_bytes(library[at + 4:at + 8], "little")
    library[start:start + 4] = bytes(4)
    damaged = tmp / "late.so"
    damaged.write_bytes(library)
    status, out, _ = run("--gpu", "8.0,9.0", "--kernels", "--format", "json", damaged)
    found = [(v["result"], v["complete"]) for v in json.loads(out)["verdicts"]]
    tap.equal((status, found), (3, [("unknown", False), ("none", False)]), "incomplete on every GPU, never native")


def main():
    tap = Tap()
    for test in (test_this, test_no_machine, test_variants, test_environment, test_names,
                 test_damage_found_late):
        with tempfile.TemporaryDirectory() as tmp:
            test(tap, pathlib.Path(tmp))
    tap.done()


main()
