#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The kernels of real wheels: the (image, entry name) pairs of `cuobjdump -symbols`, and the registers, stack, shared,
local and constant bytes of `cuobjdump -res-usage`, against `cuwheel kernels`."""
import collections
import json
import re
import subprocess

import images
import real
from tap import Tap

HEAD = re.compile(r"^\t?Fatbin (.*) code:$")
SYMBOL = re.compile(r"^\s*FUNC\s+\S+\s+\S+\s+(\S*)\s+(U )?\s*(\S+)$")
FUNCTION = re.compile(r"^\s*Function (.*):$")
NUMBER = re.compile(r"([A-Z]+)(?:\[\d+\])?:(\S+)")


def ours(path, largest=None):
    """Kernels by library, then by the offset of their image: {name: numbers}."""
    process = subprocess.Popen([real.program(), "kernels", "-q", "--format", "jsonl", str(path)], stdout=subprocess.PIPE)
    found = collections.defaultdict(lambda: collections.defaultdict(dict))
    for line in process.stdout:
        kernel = json.loads(line)
        if kernel["record"] != "kernel":
            continue
        for image in kernel["images"]:
            if image["kind"] == "cubin":
                found[kernel["library"]][image["offset"]][kernel["name"]] = image
    return process.wait(), found


def run(mode, file):
    """Lines of cuobjdump, each with the number of its ELF image; then (exit status, what it says of it)."""
    process = subprocess.Popen([real.cuobjdump(), "-all", mode, str(file)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, errors="replace")
    image, lines = -1, []
    for line in process.stdout:
        line = line.rstrip("\n")
        head = HEAD.match(line)
        if head:
            image += head[1] == "elf"
        elif line:
            lines.append((image, line))
    return lines, image + 1, process.stderr.read(), process.wait()


def is_cut(errors, status):
    return status == 1 and any(cause in errors for cause in images.CUT)


def compare_symbols(tap, library, file, kernels):
    lines, count, errors, status = run("-symbols", file)
    cubins = images.in_order(library, ("cubin",))
    if is_cut(errors, status):
        tap.note(f"{library['path']}: cuobjdump stops after {count} of {len(cubins)} images: {errors.strip()[:100]}")
        cubins = cubins[:count - 1]
    elif not tap.ok(status == 0 and count == len(cubins), f"{library['path']}: cuobjdump reads {len(cubins)} images",
                    f"{count}, exit status {status}: {errors[:300]}"):
        return
    wanted = {(image, match[3]) for image, line in lines if image < len(cubins) and (match := SYMBOL.match(line))
              if "ENTRY" in match[1] and not match[2]}
    got = {(number, name) for number, cubin in enumerate(cubins) for name in kernels.get(cubin["offset"], {})}
    tap.ok(got == wanted, f"{library['path']}: {len(wanted)} entry functions in {len(cubins)} images",
           "\n".join([f"only cuobjdump: {pair}" for pair in sorted(wanted - got)[:10]]
                     + [f"only cuwheel: {pair}" for pair in sorted(got - wanted)[:10]]))


def resources(lines, count):
    """By image, then by function: REG, STACK, SHARED, LOCAL and the sum of CONSTANT banks."""
    found = [{} for _ in range(count)]
    function = None
    for image, line in lines:
        head = FUNCTION.match(line)
        if head:
            function = head[1]
        elif function and "REG:" in line:
            numbers = collections.Counter()
            for name, value in NUMBER.findall(line):
                numbers[name] += 0 if value == "UNKNOWN" else int(value)
            found[image][function] = {name: numbers[name] for name in ("REG", "STACK", "SHARED", "LOCAL", "CONSTANT")}
            function = None
    return found


def as_cuobjdump(image):
    """It prints 0 where nothing is recorded."""
    fields = {"REG": "registers", "STACK": "stack", "SHARED": "shared", "LOCAL": "local", "CONSTANT": "constant"}
    return {name: image[field] or 0 for name, field in fields.items()}


def compare_resources(tap, library, file, kernels):
    lines, count, errors, status = run("-res-usage", file)
    cubins = images.in_order(library, ("cubin",))[:count - 1 if is_cut(errors, status) else count]
    wanted, differing, compared = resources(lines, count), [], 0
    for number, cubin in enumerate(cubins):
        for name, image in kernels.get(cubin["offset"], {}).items():
            compared += 1
            if as_cuobjdump(image) != wanted[number].get(name):
                differing.append(f"image {number}, {name}: {wanted[number].get(name)}, here {as_cuobjdump(image)}")
    tap.ok(not differing, f"{library['path']}: {compared} kernels need what -res-usage says", "\n".join(differing[:20]))


def main():
    tap = Tap()
    for row in real.rows(real.arguments("compares their kernels with cuobjdump's")):
        path = real.fetch(row)
        _, report, errors = real.inspect(path) if path else (None, None, "not there")
        if not tap.ok(report is not None, f"{row['wheel']} is read", errors):
            continue
        status, kernels = ours(path)
        tap.ok(status == 0, f"{row['wheel']}: its kernels are read without a problem", status)
        for library, file in images.libraries(path, report):
            compare_symbols(tap, library, file, kernels[library["path"]])
            compare_resources(tap, library, file, kernels[library["path"]])
    tap.done()


main()
