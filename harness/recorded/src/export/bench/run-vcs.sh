#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# VCS:
#   ./run-vcs.sh SOURCES AND OPTIONS OF THE DESIGN            for example -f my.f +incdir+my
# Writes dump.vcd beside each stimulus.txt.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/cases.sh"
build=$here/build-vcs
mkdir -p "$build"
vcs -full64 -sverilog -timescale=1ns/1ps -debug_access+r -top tb -Mdir="$build/csrc" -o "$build/simv" \
  "$@" "$here/tb.sv"
each_case "$build/simv"
