# SPDX-License-Identifier: Apache-2.0
"""Results of a test script, a line each, in the Test Anything Protocol."""
import sys


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = 0

    def ok(self, condition, name, detail=""):
        """One test; `detail` is shown where it fails. Returns the condition."""
        self.count += 1
        if not condition:
            self.failed += 1
        print(f"{'ok' if condition else 'not ok'} {self.count} - {name}".replace("#", "\\#"))
        if not condition:
            for line in str(detail).splitlines()[:40]:
                print(f"# {line}")
        sys.stdout.flush()
        return condition

    def equal(self, got, wanted, name):
        return self.ok(got == wanted, name, f"wanted {wanted!r}\ngot    {got!r}")

    def skip(self, name, reason):
        self.count += 1
        print(f"ok {self.count} - {name} # SKIP {reason}", flush=True)

    def note(self, text):
        print(f"# {text}", flush=True)

    def done(self):
        """Prints the plan and ends the script: 0 when all passed."""
        print(f"1..{self.count}", flush=True)
        sys.exit(1 if self.failed else 0)
