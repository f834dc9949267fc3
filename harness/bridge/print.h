// SPDX-License-Identifier: MIT OR Apache-2.0
// Receives the output of a model ($display, messages of assertions and of the simulator). The Verilator runtime is
// compiled with this file included first and with this function in place of printf.
#pragma once

int drra_model_print(const char* format, ...) __attribute__((format(printf, 1, 2)));
