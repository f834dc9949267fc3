#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# VCS:
#   ./run-vcs.sh SOURCES AND OPTIONS OF THE DESIGN            for example -f my.f +incdir+my
# Writes dump.vcd next to each stimulus.txt.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/cases.sh"
jobs=${JOBS:-1}  # each takes a licence
tb=$here/tb.sv
take_arguments "$@"
build=$here/build-vcs
mkdir -p "$build"
vcs -full64 -sverilog -timescale=1ns/1ps -debug_access+r -top tb -Mdir="$build/csrc" -o "$build/simv" \
  "${arguments[@]}" "$tb"
each_case "$build/simv"
