#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# NVC 1.8 or newer:
#   ./run-nvc.sh VHDL FILES OF THE DESIGN, in compilation order
# Writes dump.fst next to each stimulus.txt.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/cases.sh"
tb=$here/tb.vhd
take_arguments "$@"
mkdir -p "$here/build-nvc"
nvc --std=2008 --work="$here/build-nvc/work" -a "${arguments[@]}" "$tb" -e tb
each_case nvc --std=2008 --work="$here/build-nvc/work" -r --format=fst --wave=dump.fst --dump-arrays tb
