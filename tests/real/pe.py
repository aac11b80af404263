# SPDX-License-Identifier: Apache-2.0
"""The fatbins of Windows libraries, which cuobjdump for Linux does not read."""
import struct

SECTIONS = (".nv_fatb", "__nv_rel")


def containers(data):
    """The containers that stand one behind the other in `data`, without what pads them."""
    at, out = 0, b""
    while data[at:at + 4] == b"\x50\xed\x55\xba":
        end = at + 16 + struct.unpack_from("<Q", data, at + 8)[0]
        out += data[at:end] + bytes(-end % 8)
        at = end + -end % 8
        while data[at:at + 8] == bytes(8):
            at += 8
    return out


def cut(path, out):
    """Writes the containers of the usual sections into one loose file. False when there are none."""
    data = path.read_bytes()
    at = struct.unpack_from("<I", data, 0x3C)[0]
    count, optional = struct.unpack_from("<H", data, at + 6)[0], struct.unpack_from("<H", data, at + 20)[0]
    found = {}
    for number in range(count):
        header = at + 24 + optional + 40 * number
        name = data[header:header + 8].rstrip(b"\0").decode("latin-1")
        virtual, _, size, start = struct.unpack_from("<IIII", data, header + 8)
        found[name] = containers(data[start:start + min(size, virtual)])
    cut_out = b"".join(found.get(name, b"") for name in SECTIONS)
    out.write_bytes(cut_out)
    return bool(cut_out)
