// SPDX-License-Identifier: MIT OR Apache-2.0
#include "drra-cosim/harness/bridge/open.h"

#include <string>

#include "drra-cosim/harness/bridge/print.h"

#undef fopen

std::FILE* drra_model_open(const char* name, const char* mode) {
  // The folder is empty for the RTL of this project, which reads no files.
  const std::string folder = DRRA_DESIGN_FOLDER, reading = mode;
  const bool looked_up = !folder.empty() && name[0] != '/' && (reading == "r" || reading == "rb");
  std::FILE* file = looked_up ? std::fopen((folder + "/" + name).c_str(), mode) : nullptr;
  if (!file) file = std::fopen(name, mode);
  if (!file && looked_up) {
    drra_model_print("%s is neither in %s nor in the current folder\n", name, folder.c_str());
  }
  return file;
}
