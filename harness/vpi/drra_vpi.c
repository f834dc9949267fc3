// SPDX-License-Identifier: MIT OR Apache-2.0
// VPI plug-in (IEEE 1800, clauses 36 to 38): compares a design with the golden model while a simulator runs it. The
// bench stays as it is. Plusargs:
//
//   +drra_map=FILE           signal map, required
//   +drra_case=FILE          case or program; without it, the stimulus is taken from the ports of the design
//   +drra_out=DIR            folder for the report, result.json and junit.xml
//   +drra_min_compared=N     fails if less than N percent of the state is compared
//   +drra_continue           does not end the simulation at the first difference
//
// The exit code of the simulator is the verdict, as of `drra check`, unless the simulator itself fails first.
//
// Sampling equals that of waveforms: at a clock edge at time t, every signal has the value that it had before any
// change at time t. Therefore a change is only noted when it occurs. When a signal changes at a later time, first the
// clock edge is compared, if there was one, and then the noted values are handed over.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vpi_user.h>

#include "drra.h"

// cocotb's program for Verilator does not export this function; only the plug-in that plusargs control calls it.
#pragma weak vpi_printf

enum { LONGEST_PATH = 4096, UNKNOWN = 2, WORD = sizeof(drra_vecval) };

void drra_vpi_detach(drra *context);

typedef struct watched {
  struct live *owner;
  vpiHandle object, callback;
  drra_vecval *value;
  size_t words;           // of the value
  struct watched *later;  // the next one in the list of changed signals
  bool changed;           // in the current time step
} watched;

// A context whose signals are watched.
typedef struct live {
  struct live *next;
  drra *context;
  void (*done)(void);
  watched *signals, *changed;  // by the numbers of drra_signal; list of those that changed in the current time step
  size_t count, clock;
  bool rising;
  int level;      // of the clock before the current time step: 0, 1, or from UNKNOWN on
  uint64_t time;  // of the current time step
} live;

static live *attached;

// Signals //

// The current value of an object, or NULL if it has no value of bits.
static const drra_vecval *bits_of(vpiHandle object) {
  s_vpi_value value = {.format = vpiVectorVal};
  vpi_get_value(object, &value);
  return (const drra_vecval *)value.value.vector;
}

static uint64_t current_time(void) {
  s_vpi_time now = {.type = vpiSimTime};
  vpi_get_time(NULL, &now);
  return (uint64_t)now.high << 32 | now.low;
}

// True if an object has a value of bits, unlike an array or a scope.
static bool has_bits(vpiHandle object) {
  const PLI_INT32 type = vpi_get(vpiType, object);
  const bool array = type == vpiMemory || type == vpiNetArray || type == vpiRegArray;
  return !array && vpi_get(vpiSize, object) > 0 && bits_of(object);
}

// The object that `rest` names in a scope whose name is the first `used` characters of `name`, or NULL. Simulators want
// names with special characters escaped, and a map does not escape them, so levels are tried in both ways. Names are
// looked up from the top: with a scope, Icarus 11 looks in its parent.
static vpiHandle find(char *name, size_t used, const char *rest, vpiHandle scope) {
  const size_t left = LONGEST_PATH - used;
  vpiHandle scopes = vpi_iterate(scope ? vpiInternalScope : vpiModule, scope), inner, found = NULL;
  while (scopes && !found && (inner = vpi_scan(scopes))) {
    const char *level = vpi_get_str(vpiName, inner);
    if (level && *level == '\\') ++level;
    const size_t length = level ? strcspn(level, " ") : 0;
    if (!length || length + 3 >= left || strncmp(rest, level, length) != 0 || rest[length] != '.') continue;
    for (int escape = 0; escape <= (strcspn(rest, "[]()/.") < length) && !found; ++escape) {
      const int more = snprintf(name + used, left, escape ? "\\%.*s ." : "%.*s.", (int)length, rest);
      found = find(name, used + (size_t)more, rest + length + 1, inner);
    }
  }
  if (found) vpi_free_object(scopes);
  for (int escape = 0; scope && escape < 2 && !found && strlen(rest) + 3 < left; ++escape) {
    snprintf(name + used, left, escape ? "\\%s " : "%s", rest);
    found = vpi_handle_by_name(name, NULL);
  }
  return found;
}

// Adds the signals of the design that the map looks for.
static int resolve(live *all) {
  const char *path;
  char name[LONGEST_PATH];
  for (size_t n = 0; (path = drra_needed(all->context, n)); ++n) {
    vpiHandle object = vpi_handle_by_name((PLI_BYTE8 *)path, NULL);
    if (!object) object = find(name, 0, path, NULL);
    // A bit of a vector is taken from the vector, for which the library asks next.
    const char *index = strrchr(path, '[');
    snprintf(name, sizeof name, "%.*s", index ? (int)(index - path) : 0, path);
    vpiHandle whole = index ? vpi_handle_by_name(name, NULL) : NULL;
    if (!object || !has_bits(object) || (whole && has_bits(whole))) continue;
    watched *more = realloc(all->signals, (all->count + 1) * sizeof *more);
    if (!more) return DRRA_TOOL_FAILURE;
    all->signals = more;
    const uint32_t bits = (uint32_t)vpi_get(vpiSize, object), words = (bits + 31) / 32;
    more[all->count] = (watched){.owner = all, .object = object, .words = words, .value = malloc(words * WORD)};
    if (!more[all->count++].value) return DRRA_TOOL_FAILURE;
    size_t number;
    const int status = drra_signal(all->context, path, bits, &number);
    if (status) return status;
  }
  return drra_bind(all->context);
}

// Callbacks //

// Notes the present value of a signal; without a value, it is unknown.
static void note(watched *signal) {
  const drra_vecval *bits = bits_of(signal->object);
  if (bits) memcpy(signal->value, bits, signal->words * WORD);
  else memset(signal->value, 0xff, signal->words * WORD);
  if (signal->changed) return;
  signal->changed = true;
  signal->later = signal->owner->changed;
  signal->owner->changed = signal;
}

// Finishes a time step: a clock edge uses the values before this step. Returns false if the context is not attached any
// longer.
static bool settle(live *all) {
  const drra_vecval *clock = all->signals[all->clock].value;
  const int before = all->level;
  all->level = (int)((clock->aval & 1) | (clock->bval & 1) << 1);
  const bool edge = before == !all->rising && all->level == all->rising;
  const int status = edge ? drra_compare(all->context, all->time) : DRRA_AGREED;
  for (; all->changed; all->changed = all->changed->later) {
    drra_set(all->context, (size_t)(all->changed - all->signals), all->changed->value);
    all->changed->changed = false;
  }
  if (status <= DRRA_MISMATCH && !(edge && drra_done(all->context))) return true;
  void (*done)(void) = all->done;
  drra_vpi_detach(all->context);
  if (done) done();
  return false;
}

static PLI_INT32 on_change(p_cb_data data) {
  watched *signal = (watched *)data->user_data;
  live *all = signal->owner;
  const uint64_t now = current_time();
  if (now != all->time && !settle(all)) return 0;
  all->time = now;
  note(signal);
  return 0;
}

// The following two functions can also be called for a context that the caller made, as the Python package does.
//
// drra_vpi_attach resolves the signals that the map of the context needs in the design, binds the map, hands over all
// values, and registers the callbacks. It is called from within the simulation, before the reset ends. It returns a
// status of drra.h; the reasons are in drra_error. `done` may be NULL: it is called once, when no clock edges are
// needed any longer (drra_done, or an error), at the first change of a signal after the last edge.
int drra_vpi_attach(drra *context, void (*done)(void)) {
  live *all = malloc(sizeof *all);
  if (!all) return DRRA_TOOL_FAILURE;
  *all = (live){.next = attached, .context = context, .done = done, .level = UNKNOWN, .time = current_time()};
  attached = all;
  int status = resolve(all);
  if (!status) status = drra_clock(context, &all->clock, &all->rising);
  for (size_t n = 0; n < all->count && !status; ++n) {
    static s_vpi_time no_time = {.type = vpiSuppressTime};
    static s_vpi_value no_value = {.format = vpiSuppressVal};
    s_cb_data change = {.reason = cbValueChange, .cb_rtn = on_change, .obj = all->signals[n].object, .time = &no_time,
                        .value = &no_value, .user_data = (PLI_BYTE8 *)&all->signals[n]};
    note(&all->signals[n]);
    all->signals[n].callback = vpi_register_cb(&change);
    if (!all->signals[n].callback) status = DRRA_TOOL_FAILURE;
  }
  if (!status) settle(all);
  else drra_vpi_detach(context);
  return status;
}

// drra_vpi_detach finishes the current time step and removes the callbacks. It is called before drra_finish; a context
// that is not attached is ignored.
void drra_vpi_detach(drra *context) {
  live **link = &attached;
  while (*link && (*link)->context != context) link = &(*link)->next;
  live *all = *link;
  if (!all) return;
  *link = all->next;
  all->done = NULL;
  if (all->changed) settle(all);
  for (size_t n = 0; n < all->count; ++n) {
    if (all->signals[n].callback) vpi_remove_cb(all->signals[n].callback);
    free(all->signals[n].value);
  }
  free(all->signals);
  free(all);
}

// The plug-in //

static drra *context;
static const char *map, *file, *out, *verdict;
static double min_compared;  // percentage of the state
static bool keep_going, over, two_states;
static int exit_code = DRRA_TOOL_FAILURE;
static drra_difference first;

// Prints a text line by line, because simulators limit what they print at a time.
static void print(const char *text) {
  for (size_t length; text && *text; text += length + (text[length] == '\n')) {
    length = strcspn(text, "\n");
    vpi_printf((PLI_BYTE8 *)"%.*s\n", (int)length, text);
  }
}

// Prints the errors, and frees the context. The exit code is then known.
static void finish(int status) {
  const char *error;
  for (size_t n = 0; (error = drra_error(context, n)); ++n) vpi_printf((PLI_BYTE8 *)"drra: %s\n", error);
  exit_code = status || !drra_error(context, 0) ? status : DRRA_TOOL_FAILURE;
  drra_destroy(context);
  context = NULL;
  over = true;
}

// The verdict becomes the exit code, which VPI cannot set.
static void leave(void) {
  if (!exit_code) return;
  if (!over) fputs("drra: the simulation ended without a verdict\n", stderr);
  fflush(NULL);
  _exit(exit_code);
}

static void on_done(void) {
  const bool failed = drra_first_difference(context, &first) || drra_error(context, 0);
  if (failed && !keep_going) vpi_control(vpiFinish, 0);
}

static PLI_INT32 on_end(p_cb_data data) {
  (void)data;
  if (over) return 0;
  drra_vpi_detach(context);
  int status = drra_finish(context, min_compared, &verdict);
  print(verdict);
  if (two_states) print("  not compared: whether values are unknown: Verilator simulates only 0 and 1");
  if (drra_first_difference(context, &first) == DRRA_MISMATCH) print(first.text);
  const int written = out ? drra_report(context, out) : status;
  finish(status ? status : written);
  return 0;
}

// Takes a plusarg of this plug-in. Returns false if it has no meaning.
static bool take(const char *argument) {
  if (strncmp(argument, "+drra_map=", 10) == 0) return *(map = argument + 10);
  if (strncmp(argument, "+drra_case=", 11) == 0) return *(file = argument + 11);
  if (strncmp(argument, "+drra_out=", 10) == 0) return *(out = argument + 10);
  char more;
  if (sscanf(argument, "+drra_min_compared=%lf%c", &min_compared, &more) == 1) {
    return min_compared >= 0 && min_compared <= 100;
  }
  return keep_going = strcmp(argument, "+drra_continue") == 0;
}

// Removes a result of an earlier run, which would seem to be that of this run if this one fails.
static void remove_old(const char *name) {
  char path[LONGEST_PATH];
  if (snprintf(path, sizeof path, "%s/%s", out, name) < (int)sizeof path) remove(path);
}

// Reads the plusargs and begins the comparison. Returns a status of drra.h.
static int begin(void) {
  int status = DRRA_AGREED;
  s_vpi_vlog_info info = {0};
  vpi_get_vlog_info(&info);
  two_states = info.product && strcmp(info.product, "Verilator") == 0;
  for (int i = 0; i < info.argc; ++i) {
    if (!info.argv[i] || strncmp(info.argv[i], "+drra_", 6) != 0 || take(info.argv[i])) continue;
    vpi_printf((PLI_BYTE8 *)"drra: %s: expected +drra_map=FILE, +drra_case=FILE, +drra_out=DIR, "
               "+drra_min_compared=PERCENT (0 to 100), or +drra_continue\n", info.argv[i]);
    status = DRRA_BAD_INPUT;
  }
  if (out) remove_old("result.json");
  if (out) remove_old("junit.xml");
  if (status) return status;
  if (!map) vpi_printf((PLI_BYTE8 *)"drra: no signal map; add +drra_map=FILE\n");
  status = map ? drra_create(NULL, map, file, &context) : DRRA_BAD_INPUT;
  return status ? status : drra_vpi_attach(context, on_done);
}

static PLI_INT32 on_start(p_cb_data data) {
  (void)data;
  atexit(leave);
  // After $reset, the simulation starts again, and has no verdict yet.
  over = false;
  exit_code = DRRA_TOOL_FAILURE;
  const int status = begin();
  if (status) finish(status);
  if (status) vpi_control(vpiFinish, 0);
  return 0;
}

static void enter(void) {
  s_cb_data start = {.reason = cbStartOfSimulation, .cb_rtn = on_start};
  s_cb_data end = {.reason = cbEndOfSimulation, .cb_rtn = on_end};
  vpi_register_cb(&start);
  vpi_register_cb(&end);
}

void (*vlog_startup_routines[])(void) = {enter, NULL};
