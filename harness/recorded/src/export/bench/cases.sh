# SPDX-License-Identifier: MIT OR Apache-2.0
# Shared by the scripts run-*.sh. `here` is this folder; `folders` are the case folders: the folders listed in CASES, or
# else this folder, or the folders in it if it is a campaign. A simulation that fails does not stop the others. The
# output of each simulation is written to sim.log next to its stimulus.txt, and its exit code is written to sim.status,
# which is empty from the start of a script until the simulation has ended. JOBS simulations run in parallel.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
jobs=${JOBS:-$(nproc)}
folders=() arguments=()

# Extracts `--tb FILE`, which replaces the test bench in this folder, from the arguments of a script, and finds the case
# folders. Their earlier results are removed at once, so that nobody takes them for those of the present design. A FIFO
# is kept, because someone reads the waveform from it.
take_arguments() {
  local stimulus folder dump
  while [[ $# -gt 0 ]]; do
    if [[ $1 == --tb ]]; then
      tb=$2
      shift 2
    else
      arguments+=("$1")
      shift
    fi
  done
  if [[ -d ${CASES:-} || ${CASES:-} == *$'\n'* ]]; then
    mapfile -t folders <<<"$CASES"
  elif [[ -n ${CASES:-} ]]; then
    read -r -a folders <<<"$CASES"
  else
    for stimulus in "$here"/stimulus.txt "$here"/*/stimulus.txt; do
      [[ ! -f $stimulus ]] || folders+=("$(dirname "$stimulus")")
    done
  fi
  if [[ ${#folders[@]} == 0 ]]; then
    echo "$here: no case in this folder; list folders with a stimulus.txt in CASES" >&2
    exit 2
  fi
  for folder in "${folders[@]}"; do
    : >"$folder/sim.status"
    for dump in "$folder"/dump.{vcd,fst,ghw}; do
      [[ -p $dump ]] || rm -f "$dump"
    done
  done
}

# Starts to show progress.
begin() {
  exec {watch}> >(progress)
  watcher=$!
}

# Shows on standard error how many of several cases have ended, until `watch` is closed: at a terminal, in a line that
# is updated every second; otherwise, in a new line every minute.
progress() {
  local folder status result period=60 form='%s\n'
  local -i ended failed
  [[ ${#folders[@]} -gt 1 ]] || return 0
  [[ ! -t 2 ]] || period=1 form='\r%s\e[K'
  while status=0; read -rt "$period" || status=$?; ((status > 128)); do
    ended=0 failed=0
    for folder in "${folders[@]}"; do
      read -r result 2>/dev/null <"$folder/sim.status" || continue
      ended+=1
      [[ $result == 0 ]] || failed+=1
    done
    # shellcheck disable=SC2059 # a constant
    printf "$form" "$ended of ${#folders[@]} simulated, $failed failed" >&2
  done
  [[ ! -t 2 ]] || printf '\r\e[K' >&2
}

# Runs a command in the folder of every case.
each_case() {
  local folder running=()
  begin
  for folder in "${folders[@]}"; do
    while (($(jobs -rp | wc -l) >= jobs)); do wait -n || true; done
    (
      cd "$folder"
      status=0
      "$@" >sim.log 2>&1 {watch}>&- || status=$?
      echo "$status" >sim.status
    ) &
    running+=($!)
  done
  wait "${running[@]}" || true
  summary
}

# Runs a single command for all cases: a simulator that loads fork.vpi (fork.c), so a design is elaborated only once.
# Without a C compiler, there is no fork.vpi, and the command must be run for each case.
forked() {
  local folder
  begin
  for folder in "${folders[@]}"; do (cd "$folder" && pwd); done >"$build/cases"
  DRRA_CASES=$build/cases DRRA_JOBS=$jobs "$@" >"$build/sim.log" 2>&1 {watch}>&- || cat "$build/sim.log" >&2
  summary
}

# True if there are several cases, and fork.vpi could be built for them.
make_fork() {
  [[ ${#folders[@]} -gt 1 ]] || return
  "${CC:-cc}" -O1 -shared -fPIC -o "$build/fork.vpi" "$here/fork.c" && return
  echo "fork.c could not be compiled, so the design is elaborated separately for each case" >&2
  return 1
}

summary() {
  local folder failed=0
  exec {watch}>&-
  wait "$watcher" || true
  for folder in "${folders[@]}"; do
    [[ $(cat "$folder/sim.status" 2>/dev/null) != 0 ]] || continue
    failed=$((failed + 1))
    echo "FAILED: $folder"
    tail -n 10 "$folder/sim.log" 2>/dev/null || true
  done
  [[ ${#folders[@]} != 1 || $failed != 0 ]] || cat "${folders[0]}/sim.log"
  echo "${#folders[@]} simulated, $failed failed"
  [[ $failed == 0 ]]
}
