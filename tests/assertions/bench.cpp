// SPDX-License-Identifier: MIT OR Apache-2.0
// Applies the inputs in a file to the fabric, one line per cycle. Writes the location of each violated assertion to
// standard error once, and how often each cover is hit to the file named by the second argument. `prove.py` writes the
// input file and reads the results.
#include <cstdint>
#include <cstdio>
#include <random>
#include <set>
#include <string>

#include "Vfabric.h"
#include "verilated.h"
#if VM_COVERAGE
#include "verilated_cov.h"
#endif

// Called when an assertion is violated. Unlike the library's function, this function continues, because one fault can
// violate several assertions.
void vl_stop(const char* file, int line, const char*) {
  static std::set<std::string> seen;
  const std::string place = std::string(file) + ":" + std::to_string(line);
  if (seen.insert(place).second) std::fprintf(stderr, "%s\n", place.c_str());
}

template <class Wide>
static void fill(Wide& wide, unsigned words, std::mt19937& random) {
  for (unsigned w = 0; w < words; ++w) wide[w] = random();
}

int main(int argc, char** argv) {
  VerilatedContext context;
  context.commandArgs(argc, argv);
  context.randReset(0);
  Vfabric top{&context};
  std::mt19937 random{1};
  std::FILE* const file = std::fopen(argv[1], "r");
  if (file == nullptr) return 2;
  top.io_cell_i = 0x9;  // cell (0,0) and cell (1,1) decode IO
  unsigned reset, valid, instr, imm, rows, cols, sram, rf;
  while (std::fscanf(file, "%u %u %x %u %x %x %u %u", &reset, &valid, &instr, &imm, &rows, &cols,
                     &sram, &rf) == 8) {
    top.rst_ni = !reset;
    top.prog_valid_i = valid;
    top.prog_instr_i = instr;
    top.prog_imm_i = imm;
    top.prog_row_sel_i = rows;
    top.prog_col_sel_i = cols;
    top.sram_init_valid_i = sram;
    top.sram_init_row_i = 1 + random() % 2;
    top.sram_init_col_i = random() % 2;
    top.sram_init_addr_i = random() % 128;
    fill(top.sram_init_data_i, 8, random);
    top.rf_init_valid_i = rf;
    top.rf_init_row_i = random() % 2;
    top.rf_init_col_i = random() % 2;
    top.rf_init_block_i = random() % 4;
    fill(top.rf_init_data_i, 8, random);
    fill(top.io_in_data_i, 16, random);
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }
  std::fclose(file);
#if VM_COVERAGE
  context.coveragep()->write(argv[2]);
#endif
  std::fputs("end\n", stderr);
  return 0;
}
