#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# GHDL 2.0 or newer:
#   ./run-ghdl.sh [--tb FILE] VHDL FILES OF THE DESIGN [--lib NAME FILES OF THIS LIBRARY, in compilation order]...
# Writes dump.ghw next to each stimulus.txt, or dump.fst with FST=1. GHDL_FLAGS sets compiler options, and GHDL_RUN sets
# run options, for example --read-wave-opt=FILE to select signals. FST and VCD contain no records; GHW contains
# everything, but not every reader supports two-dimensional arrays in it.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/cases.sh"
tb=$here/tb.vhd
take_arguments "$@"
read -r -a flags <<<"${GHDL_FLAGS:-}"
read -r -a run <<<"${GHDL_RUN:-}"
build=$here/build-ghdl
mkdir -p "$build"
options=(--std=08 --workdir="$build" -P"$build" "${flags[@]}")
set -- "${arguments[@]}" "$tb"
own=()
while [[ $# -gt 0 ]]; do
  if [[ $1 == --lib ]]; then
    library=$2
    shift 2
    while [[ $# -gt 1 && $1 != --lib ]]; do
      ghdl -a "${options[@]}" --work="$library" "$1"
      shift
    done
  else
    own+=("$1")
    shift
  fi
done
ghdl -i "${options[@]}" "${own[@]}"
(cd "$build" && ghdl -m "${options[@]}" tb)
if [[ -n ${FST:-} ]]; then
  each_case ghdl --elab-run "${options[@]}" tb --fst=dump.fst "${run[@]}"
elif make_fork; then
  export DRRA_DUMP=$build/dump.ghw
  forked ghdl --elab-run "${options[@]}" tb --wave="$DRRA_DUMP" --vpi="$build/fork.vpi" "${run[@]}"
else
  each_case ghdl --elab-run "${options[@]}" tb --wave=dump.ghw "${run[@]}"
fi
