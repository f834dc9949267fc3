#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Translates the published SiLago fabric to Verilog, for lock-step (README.md):
#   ./lock-step.sh FOLDER                                     the `rtl` folder of its sources
# GHDL names a GHDL 5, by default `ghdl`. The sources are copied to build/, where they and the translation are changed;
# each change states how often its pattern must match. Needs Perl.
set -euo pipefail
here=$(cd "$(dirname "$0")" >/dev/null && pwd)
build=$here/build
sources=${1:?name the rtl folder of the sources}
ghdl=$(type -P "${GHDL:-ghdl}" || true)
[[ $ghdl != */* ]] || ghdl=$(realpath "$ghdl")

# Replaces all matches of a pattern in a file, if they have the expected number; + is any number except 0.
change() { # FILE NUMBER PATTERN REPLACEMENT, the last an expression of Perl
  perl -0777 -e '
    my ($file, $expected, $pattern, $new) = @ARGV;
    open my $in, "<", $file or die "$file: $!\n";
    my $text = <$in>;
    my $found = ($text =~ s/$pattern/eval $new/gme) || 0;
    ($expected eq "+" ? $found : $found == $expected) or die "$file: expected $expected matches of /$pattern/, found $found: if you changed the "
      . "sources there, adapt the pattern or its number in lock-step.sh\n";
    open my $out, ">", $file or die "$file: $!\n";
    print $out $text or die "$file: $!\n"' "$@"
}

# Runs GHDL; its messages, mostly warnings, are shown if it fails.
run() {
  "$ghdl" "$1" --std=08 -fsynopsys -frelaxed --workdir="$build" -P"$build" "${@:2}" 2>>"$build/ghdl.log" ||
    { tail -n 20 "$build/ghdl.log" >&2; echo "$ghdl $1 failed; all messages: $build/ghdl.log" >&2; exit 1; }
}

[[ -f $sources/silagonn_hierarchy.txt ]] || { echo "$sources: not the rtl folder of the sources: it has no silagonn_hierarchy.txt" >&2; exit 1; }
version=$("${ghdl:-false}" --version 2>&1 | head -n 1) || version="${GHDL:-ghdl}: not found"
[[ $version =~ ^GHDL\ ([5-9]|[1-9][0-9])\. ]] || { echo "$version: GHDL 5 or newer is needed; name it in GHDL" >&2; exit 1; }
rm -rf "$build" "$here/silagonn.v" "$here/blocks.vlt"
mkdir "$build"
cp -R "$sources" "$build/rtl"
cp "$here/divider.vhd" "$build/rtl"
cd "$build/rtl"

# `output` is a keyword of Verilog.
change mtrf/InputMux.vhd 2 '(?i)^(?:(?!--).)*?\K\boutput\b' '"selected"'
change mtrf/switchbox.vhd 2 '(?i)^(?:(?!--).)*?\K\boutput\b' '"selected"'

for file in DW/*.vhd; do run -a --work=dware "$file"; done
mapfile -t files < <(sort -u silagonn_hierarchy.txt | grep -v divider_pipe)
run -i "${files[@]}" divider.vhd
run -m silagonn
run --synth --latches --no-formal --out=verilog silagonn >"$build/silagonn.v"

cd "$build"
# Each cell gets the flag of its own distance: wrapper.sv.
change silagonn.v 1 '^   input  Immediate,' '"   input [8:0] Immediate,"'
# shellcheck disable=SC2016 # an expression of Perl
change silagonn.v 16 'mtrf_cols_n(\d)_mtrf_rows_n(\d)_\w+ \([^;]*\.immediate\(Immediate\K\)' '"[" . ($1 + $2 - 2) . "])"'
# wrapper.sv contains the memory macro.
change silagonn.v 1 '(?s)^module sram_model\n.*?^endmodule\n' '""'
# GHDL mistranslates a comparison with -2^31, and `resize` of a signed number to fewer bits (start and step of LOOP).
change silagonn.v 1 "33'b01(?=0{31}\\b)" "\"33'b11\""
for field in 19:14 33:28; do
  # shellcheck disable=SC2016
  change silagonn.v 1 "\\[$field\\]; // extract\\n.*\\n.*// trunc\\n.*\\n.* = \\K(\\w+)\\[5:0\\]" '"{$1\[6], $1\[4:0]}"'
done
# Reset acts at the clock edge, so that the model has one event, not one for each block.
change silagonn.v + '^  always @\(posedge clk\K or posedge n\d+_o(?=\)$)' '""'
mv silagonn.v "$here/silagonn.v"

# A block becomes a class, whose code exists only once, if its inputs are variables of its own.
perl -0777 -ne '
  print "`verilator_config\n";
  while (/^module (silego|mtrf_cell|sequencer|register_file_top|agu|dpu|stile\w*)\n  \((.*?)\);/gms) {
    my ($block, $ports) = ($1, $2);
    print "no_inline -module \"$block\"\n";
    print "public_flat_rd -module \"$block\" -var \"$1\"\n" while $ports =~ /input .*?(?!clk\b)\b(\w+),?$/gm;
  }' "$here/silagonn.v" >"$here/blocks.vlt"
printf '%s is ready; next step: DRRA_RTL=%q cargo build --release\n' "$here" "$here"
