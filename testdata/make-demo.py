#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the demonstration wheel in testdata/demo from files of testdata/corpus. Same input, same bytes."""
import base64
import hashlib
import pathlib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
NAME, VERSION = "cuwheel_demo", "1.0"
TAG = "cp311-cp311-manylinux_2_28_x86_64"
WHEN = (2025, 1, 1, 0, 0, 0)

# What a wheel for several GPUs holds: a library with plain and device-linked code, one that links the CUDA runtime,
# and one that keeps a kernel of its own outside the usual section.
LIBRARIES = {
    "cuwheel_demo/_C.so": "n130_multi.so",
    "cuwheel_demo/_linked.so": "n130_linked.so",
    "cuwheel_demo/lib/libdemo_ops.so": "n130_needed.so",
    "cuwheel_demo/lib/libdemo_jit.so": "x_ptxtext.so",
}

METADATA = f"""Metadata-Version: 2.1
Name: cuwheel-demo
Version: {VERSION}
Summary: Small CUDA libraries to show cuwheel on
Requires-Dist: nvidia-cuda-runtime-cu13
"""

WHEEL = f"""Wheel-Version: 1.0
Generator: make-demo.py
Root-Is-Purelib: false
Tag: {TAG}
"""


def record_line(path, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(data)}\n"


def main():
    info = f"{NAME}-{VERSION}.dist-info"
    files = {path: (HERE / "corpus" / source).read_bytes() for path, source in LIBRARIES.items()}
    files["cuwheel_demo/__init__.py"] = b""
    files[f"{info}/METADATA"] = METADATA.encode()
    files[f"{info}/WHEEL"] = WHEEL.encode()
    record = "".join(record_line(path, data) for path, data in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()

    out = HERE / "demo" / f"{NAME}-{VERSION}-{TAG}.whl"
    out.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, WHEN)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, data)
    print(out, out.stat().st_size)


main()
