// SPDX-License-Identifier: MIT OR Apache-2.0
// Opens the files of a design ($readmemh, $fopen). The Verilator runtime is compiled with this file included first and
// with this function in place of fopen.
#pragma once

#include <cstdio>

// Opens a file as fopen does. A relative name that is only read is looked up in the folder of the design first, where
// the simulator of its project would run, and then in the current folder.
std::FILE* drra_model_open(const char* name, const char* mode);
namespace std {
using ::drra_model_open;
}
#define fopen drra_model_open
