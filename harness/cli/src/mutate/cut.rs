// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cuts two modules at their registers and instances: what enters these becomes an output, what leaves them an
//! input. Two modules whose outputs are the same then are the same in all cycles, provided that all registers
//! are cut; that is checked, and a script that fails has proved nothing.

/// Cuts `gold` and `gate`. Registers end in `_q`, those of memories have an index after it. All other signals lose
/// their names: a register that has got the name of a port it enters would be cut behind that port only, and its next
/// value would not be compared. Resets stay part of the registers, so that `CHECK` finds what these drive.
pub(super) const CUT: &str = "\
select gold gate
rename -hide w:* w:*_q %d w:*_q[*] %d
memory -nomap
memory_map
dffunmap
opt_clean
setundef -zero
expose -evert gold/c:* gate/c:*
expose -cut w:*_q w:*_q[*]
";

/// Ends the script unless all registers load at the same edge of the only clock, drive nothing but what has been
/// cut, and nothing else drives that or looks at it. A register that nobody looks at may be missing.
pub(super) const CHECK: &str = "\
select -set registers t:$*ff* t:$*latch* %u gold gate %u %i
select -set cut o:*_q o:*_q[*] %u gold gate %u %i
select -assert-none @registers r:CLK_POLARITY=0 %i
select -assert-none @registers %ci1:+[CLK] w:* %i i:clk_i %d
select -assert-none @registers %co1:+[Q] w:* %i @cut %d
select -assert-none @cut %co1 c:* %i
design -push-copy
insbuf @cut
select -assert-none @cut %ci1 c:* %i @registers %d
design -pop
";

/// The file of `JOIN`, and what it has: a register becomes a wire from its next value to its output.
pub(super) const WIRE_FILE: &str = "wire.v";
pub(super) const WIRE: &str = "\
(* techmap_celltype = \"$dff\" *)
module _wire (CLK, D, Q);
parameter WIDTH = 1;
parameter CLK_POLARITY = 1;
input CLK;
input [WIDTH-1:0] D;
output [WIDTH-1:0] Q;
assign Q = D;
endmodule
";

/// Makes the next values of registers outputs; ends the script if there still is a state, or a loop: no value fits to
/// a signal that is its own opposite, and of no value anything can be proved.
pub(super) const JOIN: &str = "\
async2sync
dffunmap
techmap -map wire.v
select -assert-none t:$*ff* t:$*latch* %u t:$mem* %u gold gate %u %i
scc -expect 0
select *
";
