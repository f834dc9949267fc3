#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# The published SiLago fabric with GHDL:
#   ./run-silago.sh [--tb FILE] FOLDER                        the `rtl` folder of its sources
# Like run-ghdl.sh, with the signals in signals.opt. divider.vhd replaces divider_pipe.vhd.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bench=()
if [[ ${1:-} == --tb ]]; then
  bench=(--tb "$(realpath "$2")")
  shift 2
fi
# shellcheck disable=SC2086 # a list of paths
[[ -z ${CASES:-} ]] || CASES=$(realpath $CASES | tr '\n' ' ')
cd "${1:?name the rtl folder of the sources}"
mapfile -t files < <(sort -u silagonn_hierarchy.txt | grep -v divider_pipe)
export CASES GHDL_FLAGS="-fsynopsys -frelaxed ${GHDL_FLAGS:-}"
export GHDL_RUN="--ieee-asserts=disable-at-0 --read-wave-opt=$here/signals.opt ${GHDL_RUN:-}"
exec "$here/run-ghdl.sh" "${bench[@]}" "${files[@]}" "$here/divider.vhd" --lib dware DW/*.vhd
