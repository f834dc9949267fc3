// SPDX-License-Identifier: MIT OR Apache-2.0
// A module for vvp that runs many cases with a design that is loaded once: a forked process continues in each folder
// that the environment variable FOLDERS names, one per line, with at most JOBS processes at a time. The output of a
// case is in sim.log in its folder. The exit code is 1 if a case fails.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vpi_user.h>

static int failed = 0;

static void await_one(void) {
  int status = 0;
  if (wait(&status) > 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == 0)) failed = 1;
}

static PLI_INT32 start(p_cb_data data) {
  (void)data;
  const char *list = getenv("FOLDERS"), *jobs = getenv("JOBS");
  char *folders = strdup(list ? list : "");
  int running = 0, most = jobs ? atoi(jobs) : 1;
  for (char *folder = strtok(folders, "\n"); folder; folder = strtok(NULL, "\n")) {
    if (running == most) {
      await_one();
      --running;
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
      if (chdir(folder) != 0 || !freopen("sim.log", "w", stdout)) _exit(2);
      return 0;  // the simulation continues
    }
    if (child < 0) _exit(2);
    ++running;
  }
  while (running-- > 0) await_one();
  _exit(failed);
}

static void enter(void) {
  s_cb_data callback = {.reason = cbStartOfSimulation, .cb_rtn = start};
  vpi_register_cb(&callback);
}

void (*vlog_startup_routines[])(void) = {enter, 0};
