# SPDX-License-Identifier: Apache-2.0
"""Runs cuwheel on the stand-in for the CUDA driver; tests/fakecuda/README.md."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

TOP = pathlib.Path(__file__).resolve().parents[2]
CUWHEEL = os.path.abspath(os.environ.get("CUWHEEL", "build/cuwheel"))
PROBE = os.path.join(os.path.dirname(CUWHEEL), "cuwheel-probe")
FAKECUDA = os.path.abspath(os.environ.get("CUWHEEL_FAKECUDA", "build/tests/fakecuda"))
CORPUS = pathlib.Path(os.environ.get("CUWHEEL_TESTDATA", TOP / "testdata")).resolve() / "corpus"
HOPPER = "device 9.0 Stand-in 9.0\n"
BLACKWELL = "device 12.0 Stand-in 12.0\n"


class Run:
    def __init__(self, result):
        self.status = result.returncode
        self.stdout = result.stdout
        self.stderr = result.stderr
        try:
            self.report = json.loads(result.stdout)
        except ValueError:
            self.report = None

    @property
    def rows(self):
        return [row for given in self.report["inputs"] for row in given["observations"]] if self.report else []

    @property
    def findings(self):
        return [row["finding"] for row in self.rows]

    @property
    def outcomes(self):
        return [row["observed"]["outcome"] for row in self.rows if row["observed"]]

    def __str__(self):
        return f"status {self.status}\n{self.stdout[-2500:]}\n{self.stderr}"


class Standin:
    """A folder for tables; a context."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.tmp = pathlib.Path(self.folder.name)
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def environment(self, table, library=FAKECUDA, **more):
        path = self.tmp / "table"
        path.write_text(table)
        return {**os.environ, "FAKECUDA_TABLE": str(path), "LD_LIBRARY_PATH": str(library), **more}

    def run(self, program, *words, table=HOPPER, library=FAKECUDA, stdin=None, **more):
        env = self.environment(table, library, **more)
        return Run(subprocess.run([program, *map(str, words)], cwd=CORPUS, env=env, capture_output=True, text=True,
                                  input=stdin, errors="surrogateescape", timeout=300))

    def probe(self, *words, table=HOPPER, library=FAKECUDA, **more):
        return self.run(CUWHEEL, "probe", "--format", "json", *words, table=table, library=library, **more)

    def old(self):
        return os.path.join(FAKECUDA, "old")

    def none(self):
        """A loader path on which no driver can be opened, also where the machine has one."""
        folder = self.tmp / "none"
        folder.mkdir(exist_ok=True)
        (folder / "libcuda.so.1").write_text("no library\n")
        return folder
