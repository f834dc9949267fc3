#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Icarus Verilog 11 or newer:
#   ./run-icarus.sh SOURCES AND OPTIONS OF THE DESIGN         for example -c my.f -I my
# Writes dump.vcd next to each stimulus.txt, or dump.fst with FST=1. Icarus does not dump arrays automatically:
# list the words to dump in tb.sv, as in $dumpvars(0, tb.dut.my_memory[0]).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/cases.sh"
tb=$here/tb.sv
take_arguments "$@"
define=() format=()
[[ -z ${FST:-} ]] || { define=(-DDUMP_FST); format=(-fst); }
build=$here/build-icarus
mkdir -p "$build"
iverilog -g2012 -s tb -o "$build/tb.vvp" "${define[@]}" "${arguments[@]}" "$tb"
if make_fork; then
  forked vvp -N -M "$build" -m fork "$build/tb.vvp" "${format[@]}"
else
  each_case vvp -N "$build/tb.vvp" "${format[@]}"
fi
