#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes libraries and wheels of any size and number of fatbins out of the containers of testdata/corpus, without a
compiler. Every container keeps its real entries; filler behind them is as hard to compress as real payloads are."""
import argparse
import random
import struct
import zipfile

import measure

CORPUS = measure.TOP / "testdata/corpus"
CONTAINERS = ["f124_all.fatbin", "f118_size.fatbin", "m00_good.fatbin", "n130_sm110.fatbin"]
BLOCK = 1 << 20
CUBIN = 2


class Filler:
    """Endless bytes, the same each time: `payload` a little compressible, as LZ4 and zstd output is (torch's
    libtorch_cuda.so deflates to 0.62 of its size, its code to 0.3); `code` to about that."""

    def __init__(self):
        rng = random.Random(1)
        skewed = bytes((i * i >> 8) for i in range(256))
        words = [rng.randbytes(rng.choice((3, 5, 7))) for _ in range(3000)]
        self.payload = rng.randbytes(BLOCK).translate(skewed)
        self.code = b"".join(rng.choices(words, k=BLOCK // 3))[:BLOCK]

    @staticmethod
    def pieces(block, size):
        while size > 0:
            yield block[:size]
            size -= len(block)


def entries_of(container):
    """The entries of a container, header and payload together."""
    at, found = 16, []
    while at + 64 <= len(container):
        header, payload = struct.unpack_from("<4xIQ", container, at)
        found.append(container[at:at + header + payload])
        at += header + payload
    return found


def is_cubin(entry):
    return struct.unpack_from("<H", entry)[0] == CUBIN


def bare_entry(like, payload):
    """The header of an entry without strings, before a payload that nothing needs to open: it is never the smallest."""
    header = bytearray(like[:64])
    struct.pack_into("<IQIII", header, 4, 64, payload, payload, 0, struct.unpack_from("<I", like, 0x18)[0])
    struct.pack_into("<QQQ", header, 0x20, 0, struct.unpack_from("<Q", like, 0x28)[0], 0)
    struct.pack_into("<Q", header, 0x38, 2 * payload)
    return bytes(header)


def section_header(name, kind, flags, offset, size, align):
    return struct.pack("<IIQQQQIIQQ", name, kind, flags, offset if flags else 0, offset, size, 0, 0, align, 0)


class Library:
    """An ELF library: .nv_fatbin, then .text. Sizes are known before a byte is written, so that it can be streamed."""

    def __init__(self, size, fatbins, entries=0):
        """`entries`: so many more in the first container, each the copy of a real cubin."""
        real = [(CORPUS / name).read_bytes() for name in CONTAINERS]
        self.filler = Filler()
        self.heads = [entries_of(container) for container in real]
        self.fatbins = fatbins
        least = sum(16 + 64 + sum(map(len, self.heads[i % len(real)])) for i in range(fatbins))
        self.more = next(entry for entry in self.heads[0] if is_cubin(entry)) * entries
        least += len(self.more)
        if least + 1024 > size:
            raise ValueError(f"{fatbins} fatbins need {least + 1024} bytes")
        # Half of what is left is payload, as in torch.
        self.each = (size - least - 1024) // 2 // max(fatbins, 1) & ~7
        self.gpu = least + self.each * fatbins
        self.text = size - self.gpu - 1024

    def container(self, number):
        real = self.heads[number % len(self.heads)]
        cubin = next(entry for entry in real if is_cubin(entry))
        body = b"".join(real) + (self.more if number == 0 else b"")
        yield struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body) + 64 + self.each) + body
        yield bare_entry(cubin, self.each)
        yield from self.filler.pieces(self.filler.payload, self.each)

    def pieces(self):
        names = b"\0.nv_fatbin\0.text\0.shstrtab\0"
        at, text = 64, 64 + self.gpu
        strings = text + self.text
        table = (strings + len(names) + 7) & ~7
        yield b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, table, 0, 64, 0, 0, 64, 4, 3)
        for number in range(self.fatbins):
            yield from self.container(number)
        yield from self.filler.pieces(self.filler.code, self.text)
        yield names + bytes(table - strings - len(names)) + bytes(64)
        yield section_header(1, 1, 2, at, self.gpu, 8)
        yield section_header(12, 1, 6, text, self.text, 16)
        yield section_header(18, 3, 0, strings, len(names), 1)

    def write(self, out):
        for piece in self.pieces():
            out.write(piece)


def make_library(path, size, fatbins, entries=0):
    with open(path, "wb") as out:
        Library(size, fatbins, entries).write(out)


def make_wheel(path, size, fatbins, libraries=4):
    """A wheel of so many bytes of libraries with so many fatbins in all."""
    libraries = min(libraries, fatbins)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as out:
        names = [f"synthetic/lib{i}.so" for i in range(libraries)]
        for i, name in enumerate(names):
            with out.open(name, "w", force_zip64=True) as member:
                Library(size // libraries, fatbins // libraries + (i < fatbins % libraries)).write(member)
        below = "synthetic-1.0.dist-info"
        out.writestr(f"{below}/METADATA", "Metadata-Version: 2.1\nName: synthetic\nVersion: 1.0\n")
        out.writestr(f"{below}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-any\n")
        out.writestr(f"{below}/RECORD", "".join(f"{name},,\n" for name in
                                                [*names, *(f"{below}/{part}" for part in ("METADATA", "WHEEL", "RECORD"))]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("megabytes", type=float)
    parser.add_argument("fatbins", type=int)
    parser.add_argument("output", help="a .whl; anything else becomes one library")
    words = parser.parse_args()
    make = make_wheel if words.output.endswith(".whl") else make_library
    make(words.output, int(words.megabytes * 1e6), words.fatbins)


if __name__ == "__main__":
    main()
