// SPDX-License-Identifier: MIT OR Apache-2.0
// What the RTL says while it is evaluated, and how that ends an evaluation: $stop, $finish, $fatal, violated
// assertions, and texts without end become an exception. All of it belongs to the thread that evaluates.
#pragma once

namespace drra {

// Forgets what was printed in the last evaluation.
void forget_printed();

// Forgets everything, for a simulation that begins.
void forget_stop();

// Throws what stopped the RTL, and behind it what it printed.
[[noreturn]] void throw_stop();

}  // namespace drra
