#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# GHDL 2.0 or newer:
#   ./run-ghdl.sh VHDL FILES OF THE DESIGN
# Writes dump.ghw beside each stimulus.txt, or dump.fst with FST=1. Options of the run in GHDL_RUN, for
# example --read-wave-opt=FILE to choose signals: FST and VCD have no records, GHW has everything, but
# not every reader reads two-dimensional arrays in it.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/cases.sh"
wave=--wave=dump.ghw
[[ -z ${FST:-} ]] || wave=--fst=dump.fst
read -r -a run <<<"${GHDL_RUN:-}"
build=$here/build-ghdl
mkdir -p "$build"
ghdl -i --std=08 --workdir="$build" "$@" "$here/tb.vhd"
(cd "$build" && ghdl -m --std=08 --workdir="$build" tb)
each_case ghdl --elab-run --std=08 --workdir="$build" tb "$wave" "${run[@]}"
