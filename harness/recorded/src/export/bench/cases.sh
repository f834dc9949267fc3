# SPDX-License-Identifier: MIT OR Apache-2.0
# Part of the scripts run-*.sh. `here` is this folder; `each_case COMMAND...` runs a command in the folder
# of every case: those named in CASES, else this folder or, of a campaign, all folders in it.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

each_case() {
  local -a folders=()
  local folder stimulus
  if [[ -n ${CASES:-} ]]; then
    read -r -a folders <<<"$CASES"
  else
    for stimulus in "$here"/stimulus.txt "$here"/*/stimulus.txt; do
      [[ ! -f $stimulus ]] || folders+=("$(dirname "$stimulus")")
    done
  fi
  if [[ ${#folders[@]} == 0 ]]; then
    echo "$here: no case here; name folders with a stimulus.txt in CASES" >&2
    return 2
  fi
  for folder in "${folders[@]}"; do
    echo "$folder"
    (cd "$folder" && "$@")
  done
}
