# SPDX-License-Identifier: Apache-2.0
"""The libraries of real wheels one by one, each as a file that cuobjdump can read."""
import os
import tempfile
import zipfile
from pathlib import Path

import pe
import real

ELF_SECTIONS = (".nv_fatbin", "__nv_relfatbin")
# What cuobjdump dies of, rc 1, with what comes before it printed; docs/format.md section 10.
CUT = ("Invalid ELF", "has been removed")


def in_order(library, kinds):
    """The images that cuobjdump -all looks at, in its order: those of the executable section, then the relocatable."""
    sections = {"pe": pe.SECTIONS, "fatbin": (None,)}.get(library["format"], ELF_SECTIONS)
    return [image for section in sections for image in library["images"]
            if image["section"] == section and image["kind"] in kinds]


def libraries(wheel, report, largest=None):
    """(record, path of the file to give to cuobjdump) of each library with images in the usual sections."""
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as folder:
        for library in real.libraries(report):
            if library["format"] not in ("elf", "pe") or "(" in library["path"] or "!" in library["path"]:
                continue
            if not in_order(library, ("cubin", "ptx")) or largest and library["size"] > largest:
                continue
            file = Path(folder) / "library"
            with archive.open(library["path"]) as member, open(file, "wb") as out:
                while piece := member.read(1 << 20):
                    out.write(piece)
            if library["format"] == "pe":
                pe.cut(file, Path(folder) / "cut")
                os.replace(Path(folder) / "cut", file)
            yield library, file
