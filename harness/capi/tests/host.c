// SPDX-License-Identifier: MIT OR Apache-2.0
// A host that makes mistakes: each is a status, never a crash. Then four threads with a context each. host PROGRAM
#include "drra.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
  if (!(condition)) { \
    fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
    exit(1); \
  }

static void mistakes(drra *context) {
  uint64_t words[4] = {0};
  size_t number;
  bool rising;
  uint32_t bits;
  drra_vecval value = {0, 0};
  drra_difference first;
  char *endless = malloc(DRRA_MAX_TEXT); // exactly, so that a read beyond it is found
  CHECK(endless != NULL);
  memset(endless, 'x', DRRA_MAX_TEXT);
  const char *texts[] = {NULL, "", "\xff", "none", endless};
  for (size_t n = 0; n < sizeof texts / sizeof *texts; n++) {
    drra *other = NULL;
    CHECK(drra_create(texts[n], texts[n], texts[n], &other) == DRRA_BAD_INPUT);
    CHECK(drra_error_count(other) == 1 && drra_error(other, 0) && !drra_error(other, 1));
    CHECK(drra_step(other, 1) == DRRA_BAD_INPUT && drra_done(other));
    drra_destroy(other);
    CHECK(drra_signal(context, texts[n], 1, &number) == DRRA_BAD_INPUT);
    CHECK(drra_stimulus(context, 0, texts[n], 0, words, 4) == DRRA_BAD_INPUT);
    CHECK(drra_read(context, texts[n], words, 4, &bits) == DRRA_BAD_INPUT);
    CHECK(drra_json(context, texts[n]) == NULL);
    CHECK(drra_report(context, texts[n]) == DRRA_BAD_INPUT);
    if (n != 3) CHECK(drra_save_case(context, texts[n]) == DRRA_BAD_INPUT);
  }
  free(endless);
  CHECK(drra_create(NULL, NULL, NULL, NULL) == DRRA_BAD_INPUT);
  CHECK(drra_stimulus(context, 0, "prog_valid", 1, words, 4) == DRRA_BAD_INPUT);
  CHECK(drra_stimulus(context, 0, "prog_valid", 0, NULL, 4) == DRRA_BAD_INPUT);
  CHECK(drra_buffer(context, UINT32_MAX, 0, words) == DRRA_BAD_INPUT);
  CHECK(drra_read(context, "cell[0][0].seq.pc", words, 0, &bits) == DRRA_BAD_INPUT);
  CHECK(drra_set(context, SIZE_MAX, &value) == DRRA_BAD_INPUT && drra_set(context, 0, NULL) == DRRA_BAD_INPUT);
  CHECK(drra_clock(context, &number, &rising) == DRRA_BAD_INPUT && drra_compare(context, 0) == DRRA_BAD_INPUT);
  CHECK(drra_first_difference(context, &first) == DRRA_BAD_INPUT);
  const char *text = NULL;
  CHECK(drra_finish(context, -1, &text) == DRRA_BAD_INPUT && text && !*text);
}

static void *run(void *program) {
  drra *context;
  uint64_t words[4];
  uint32_t bits;
  CHECK(drra_create("8x2", NULL, program, &context) == DRRA_AGREED);
  CHECK(drra_step(context, UINT64_MAX) == DRRA_AGREED && drra_done(context) && drra_cycle(context) == 98);
  CHECK(drra_read(context, "cell[0][0].rf.mem[47]", words, 4, &bits) == DRRA_AGREED && words[0] == 46 && bits == 16);
  drra_destroy(context);
  return NULL;
}

int main(int argc, char **argv) {
  CHECK(argc == 2 && drra_abi() == DRRA_ABI && strlen(drra_version()) > 0);
  mistakes(NULL);
  drra *context;
  CHECK(drra_create(NULL, NULL, argv[1], &context) == DRRA_AGREED);
  mistakes(context);
  CHECK(drra_error_count(context) > 0);
  drra_destroy(context);
  drra_destroy(NULL);
  pthread_t threads[4];
  for (int n = 0; n < 4; n++) CHECK(pthread_create(&threads[n], NULL, run, argv[1]) == 0);
  for (int n = 0; n < 4; n++) CHECK(pthread_join(threads[n], NULL) == 0);
  return 0;
}
