#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Everything that must hold, on a machine with a shell and apt: gets what is missing (and says first
# how much that is), then runs all tests. Ends with "N passed, N failed".

set -eu
cd "$(dirname "$0")"
tools/setup check
exec make --no-print-directory check
