// SPDX-License-Identifier: MIT OR Apache-2.0
// Takes what a model prints ($display, messages of assertions and of the simulator). The runtime of Verilator is
// compiled with this file in front of it and with this function in the place of printf.
#pragma once

int drra_model_print(const char* format, ...) __attribute__((format(printf, 1, 2)));
