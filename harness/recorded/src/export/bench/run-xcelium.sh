#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Xcelium:
#   ./run-xcelium.sh SOURCES AND OPTIONS OF THE DESIGN        for example -f my.f +incdir+my
# Writes dump.vcd next to each stimulus.txt.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/cases.sh"
jobs=${JOBS:-1}  # each takes a licence
tb=$here/tb.sv
take_arguments "$@"
build=$here/build-xcelium
mkdir -p "$build"
xrun -64bit -sv -timescale 1ns/1ps -access +r -elaborate -top tb -xmlibdirpath "$build" "${arguments[@]}" "$tb"
each_case xrun -64bit -R -xmlibdirpath "$build"
