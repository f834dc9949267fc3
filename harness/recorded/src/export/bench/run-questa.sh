#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Questa or ModelSim, SystemVerilog design:
#   ./run-questa.sh SOURCES AND OPTIONS OF THE DESIGN         for example -f my.f +incdir+my
# Writes dump.vcd next to each stimulus.txt. For a VHDL design, compile it and then tb.vhd with `vcom -2008`,
# and replace `run -all` with `vcd file dump.vcd; vcd add -r /tb/*; run -all`.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/cases.sh"
jobs=${JOBS:-1}  # each takes a licence
tb=$here/tb.sv
take_arguments "$@"
build=$here/build-questa
mkdir -p "$build"
[[ -d $build/work ]] || vlib "$build/work"
vlog -sv -work "$build/work" "${arguments[@]}" "$tb"
each_case vsim -c -lib "$build/work" -voptargs=+acc tb -do "run -all; quit -f"
