#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Icarus Verilog 11 or newer:
#   ./run-icarus.sh SOURCES AND OPTIONS OF THE DESIGN         for example -c my.f -I my
# Writes dump.vcd beside each stimulus.txt, or dump.fst with FST=1. Icarus dumps no arrays by itself: name
# the words that are to be seen in tb.sv, $dumpvars(0, tb.dut.my_memory[0]).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/cases.sh"
define=() format=()
[[ -z ${FST:-} ]] || { define=(-DDUMP_FST); format=(-fst); }
mkdir -p "$here/build-icarus"
iverilog -g2012 -s tb -o "$here/build-icarus/tb.vvp" "${define[@]}" "$@" "$here/tb.sv"
each_case vvp -N "$here/build-icarus/tb.vvp" "${format[@]}"
