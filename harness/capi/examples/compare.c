// SPDX-License-Identifier: MIT OR Apache-2.0
// Compares a design with the golden model while it runs:
//     compare CASE MAP FOLDER [REGISTER CYCLE]
// The design is a second golden model here, so that the example needs no simulator; from CYCLE on, bit 0 of REGISTER is
// inverted. In a simulator, read its signals where this program calls drra_read, and drive its ports with drra_stimulus.
#include "drra.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A signal of the design that the map needs.
struct signal {
  const char *name;
  size_t number;
  uint32_t bits;
};

// The width of a load port of a fabric of size 8x2; 0 for another name.
static uint32_t port_width(const char *name) {
  static const struct signal ports[] = {
    {"prog_valid", 0, 1},      {"prog_instr", 0, 27},     {"prog_imm", 0, 1},      {"prog_row_sel", 0, 2},
    {"prog_col_sel", 0, 8},    {"sram_init_valid", 0, 1}, {"sram_init_row", 0, 2}, {"sram_init_col", 0, 3},
    {"sram_init_addr", 0, 7},  {"sram_init_data", 0, 256}, {"rf_init_valid", 0, 1}, {"rf_init_row", 0, 1},
    {"rf_init_col", 0, 3},     {"rf_init_block", 0, 2},   {"rf_init_data", 0, 256},
  };
  for (size_t n = 0; n < sizeof ports / sizeof *ports; n++)
    if (strcmp(ports[n].name, name) == 0) return ports[n].bits;
  return 0;
}

// Destroys both contexts after printing the errors of one, and returns a status.
static int end(const drra *with_errors, drra *design, drra *check, int status) {
  for (size_t n = 0; drra_error(with_errors, n); n++) fprintf(stderr, "error: %s\n", drra_error(with_errors, n));
  drra_destroy(design);
  drra_destroy(check);
  return status;
}

int main(int argc, char **argv) {
  if (argc != 4 && argc != 6) return DRRA_BAD_INPUT;
  drra *design = NULL, *check = NULL;
  int status = drra_create(NULL, NULL, argv[1], &design);
  if (status != DRRA_AGREED) return end(design, design, check, status);
  status = drra_create(NULL, argv[2], argv[1], &check);
  if (status != DRRA_AGREED) return end(check, design, check, status);

  // Of the signals that the map looks for, add those that the design has.
  static struct signal signals[8192];
  size_t count = 0;
  const char *path;
  for (size_t n = 0; (path = drra_needed(check, n)) != NULL; n++) {
    uint64_t words[4];
    struct signal one = {path + strlen("dut."), 0, port_width(path + strlen("dut."))};
    if (strcmp(one.name, "clk") == 0 || strcmp(one.name, "rst_n") == 0) one.bits = 1;
    if (one.bits == 0 && drra_read(design, one.name, words, 4, &one.bits) != DRRA_AGREED) continue;
    if (drra_signal(check, path, one.bits, &one.number) == DRRA_AGREED && count < 8192) signals[count++] = one;
  }
  status = drra_bind(check);
  if (status != DRRA_AGREED) return end(check, design, check, status);

  // One edge in reset, then one edge for each cycle.
  bool last = false;
  for (uint64_t time = 0; !last && !drra_done(check); time += 10) {
    uint64_t cycle = drra_cycle(design);
    last = drra_done(design);
    for (size_t n = 0; n < count; n++) {
      const struct signal *one = &signals[n];
      uint64_t words[4] = {time > 0, 0, 0, 0}; // rst_n; the value of the clock is not needed
      uint32_t bits;
      if (port_width(one->name) > 0)
        drra_stimulus(check, cycle, one->name, 0, words, 4);
      else if (strchr(one->name, '['))
        drra_read(design, one->name, words, 4, &bits);
      if (argc == 6 && cycle >= strtoull(argv[5], NULL, 10) && strcmp(one->name, argv[4]) == 0) words[0] ^= 1;
      drra_vecval value[8];
      for (uint32_t k = 0; k < 8; k++) value[k] = (drra_vecval){(uint32_t)(words[k / 2] >> k % 2 * 32), 0};
      drra_set(check, one->number, value);
    }
    if (drra_compare(check, time) > DRRA_MISMATCH) break;
    if (time > 0) drra_step(design, 1);
  }

  drra_difference first;
  if (drra_first_difference(check, &first) == DRRA_MISMATCH)
    printf("cycle %llu: %s is %s instead of %s\n", (unsigned long long)first.cycle, first.register_name, first.design,
           first.golden);
  const char *verdict = "no verdict";
  status = drra_finish(check, 0, &verdict);
  printf("%s\n", verdict);
  if (drra_report(check, argv[3]) != DRRA_AGREED) status = DRRA_TOOL_FAILURE;
  return end(check, design, check, status);
}
