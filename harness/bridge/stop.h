// SPDX-License-Identifier: MIT OR Apache-2.0
// The output of the RTL during an evaluation, and the end of an evaluation by the RTL or the simulator: $stop, $finish,
// $error, $fatal, violated assertions, fatal errors of the simulator and endless output become an exception. All state
// belongs to the thread that evaluates.
#pragma once

namespace drra {

// Forgets the output of the last evaluation.
void forget_printed();

// Keeps the warnings in the output of the last evaluation for take_warnings (sim.h).
void keep_warnings();

// Forgets everything, for a new simulation.
void forget_stop();

// From now on, or no longer, forgets what the RTL prints and reports at once.
void ignore_all(bool on);

// Throws the event that stopped the RTL, followed by the output of the RTL.
[[noreturn]] void throw_stop();

}  // namespace drra
