#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every public header compiles by itself, as plain C11.
number=0
failed=0
for header in "$CUWHEEL_SOURCE"/include/cuwheel/*.h; do
  number=$((number + 1))
  name=cuwheel/$(basename "$header")
  if printf '#include "%s"\nextern int unused;\n' "$name" |
    $CC -std=c11 -pedantic -Wall -Werror -fsyntax-only -I "$CUWHEEL_SOURCE/include" -x c - >&2; then
    echo "ok $number - $name"
  else
    echo "not ok $number - $name"
    failed=1
  fi
done
echo "1..$number"
exit $failed
