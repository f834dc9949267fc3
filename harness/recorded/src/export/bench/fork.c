// SPDX-License-Identifier: MIT OR Apache-2.0
// VPI module for GHDL and Icarus: a design is elaborated only once for many cases. When the simulation is about to
// begin, a process is forked for each case and continues in the folder of the case. Nothing is carried over from one
// case to the next, neither memories nor registers without a reset, and a failing case does not stop the others.
//
// DRRA_CASES: file with one folder per line; DRRA_JOBS: number of parallel processes; DRRA_DUMP: the waveform, if the
// simulator has opened it by then. Each folder gets sim.log, and the exit code in sim.status.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// The parts of vpi_user.h (IEEE 1800, annex K) that are used.
typedef struct t_cb_data {
  int reason;
  int (*cb_rtn)(struct t_cb_data *);
  void *obj, *time, *value;
  int index;
  char *user_data;
} s_cb_data;
enum { cbStartOfSimulation = 11 };
extern void *vpi_register_cb(s_cb_data *);

static void fail(const char *what) {
  perror(what);
  _exit(3);
}

// Redirects further writes to an open file: they are appended to a copy with the same name in this folder.
static void move_dump(const char *path) {
  struct stat wanted, open_file;
  if (stat(path, &wanted)) fail(path);
  for (int fd = 3; fd < 256; fd++) {
    if (fstat(fd, &open_file) || open_file.st_ino != wanted.st_ino) continue;
    int from = open(path, O_RDONLY);
    int to = open(strrchr(path, '/') + 1, O_RDWR | O_CREAT | O_TRUNC, 0666);
    char bytes[65536];
    ssize_t count;
    while ((count = read(from, bytes, sizeof bytes)) > 0)
      if (write(to, bytes, count) != count) fail("dump");
    if (from < 0 || to < 0 || dup2(to, fd) < 0) fail("dump");
    close(from), close(to);
    return;
  }
}

static void enter(const char *folder, const char *dump) {
  if (chdir(folder)) fail(folder);
  int log = open("sim.log", O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (log < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0) fail("sim.log");
  close(log);
  if (dump) move_dump(dump);
}

static struct { pid_t pid; char folder[4096]; } running[1024];

// Waits for one case to end, and returns its slot; -1 if none is running.
static int finished(int jobs) {
  int status;
  pid_t pid;
  // A simulator may have other child processes.
  while ((pid = wait(&status)) > 0) {
    for (int i = 0; i < jobs; i++) {
      if (running[i].pid != pid) continue;
      running[i].pid = 0;
      strcat(running[i].folder, "/sim.status");
      FILE *file = fopen(running[i].folder, "w");
      if (!file) fail(running[i].folder);
      fprintf(file, "%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
      fclose(file);
      return i;
    }
  }
  return -1;
}

static int start(s_cb_data *data) {
  (void)data;
  const char *jobs_text = getenv("DRRA_JOBS");
  int jobs = jobs_text ? atoi(jobs_text) : 1, count = 0;
  jobs = jobs < 1 ? 1 : jobs > 1024 ? 1024 : jobs;
  FILE *file = fopen(getenv("DRRA_CASES"), "r");
  char *cases = NULL, *folder;
  size_t room = 0;
  // Read the whole file before the first fork: a process that ends could move the position in a file shared by all.
  if (!file || getdelim(&cases, &room, '\0', file) < 0) fail("DRRA_CASES");
  fclose(file);
  for (folder = strtok(cases, "\n"); folder; folder = strtok(NULL, "\n")) {
    int place = count < jobs ? count++ : finished(jobs);
    fflush(NULL);  // otherwise each process would write the buffered output again
    pid_t pid = fork();
    if (pid == 0) {
      enter(folder, getenv("DRRA_DUMP"));
      return 0;
    }
    if (pid < 0) fail("fork");
    running[place].pid = pid;
    snprintf(running[place].folder, sizeof running[place].folder - 16, "%s", folder);
  }
  while (finished(jobs) >= 0) {}
  _exit(0);
}

static void startup(void) {
  s_cb_data data = {cbStartOfSimulation, start, NULL, NULL, NULL, 0, NULL};
  if (getenv("DRRA_CASES")) vpi_register_cb(&data);
}
void (*vlog_startup_routines[])(void) = {startup, NULL};
