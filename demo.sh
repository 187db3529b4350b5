#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The main job on a machine with a shell and apt: gets what is missing (and says first how much that
# is), builds the sample kernel in all its variants, boots them, prints the tables.

set -eu
cd "$(dirname "$0")"
tools/setup demo
exec make --no-print-directory demo
