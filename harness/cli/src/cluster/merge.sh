#!/bin/bash
#SBATCH --job-name=@NAME@-merge
#SBATCH --output="@LOG@/merge.txt"
#SBATCH --open-mode=append
#SBATCH --requeue
@OPTIONS@
# Merges the shards of a campaign when all of their jobs have ended. Unfinished shards are submitted again, followed by
# this job.
set -u
@SETUP@
out=@OUT@
drra=$out/slurm/drra
retry=${1:-0} retries=@RETRIES@

unfinished=$("$drra" cluster status "$out" --unfinished) || exit
if [[ -n $unfinished ]] && ((retry < retries)); then
  echo "$(date -u +%FT%TZ) resubmitting unfinished shards $unfinished"
  printed=$(sbatch --parsable --array="$unfinished" "$out/slurm/shard.sh") || exit 3
  # The number of the job, and the name of the cluster if there are several; a wrapper may print lines before it.
  array=${printed##*$'\n'}
  array=${array%%;*}
  if [[ ! $array =~ ^[0-9]+$ ]]; then
    echo "sbatch printed no number of a job: $printed; submit $out/slurm/merge.sh again when the shards have ended"
    exit 3
  fi
  sbatch --parsable --dependency="afterany:$array" "$out/slurm/merge.sh" $((retry + 1)) || exit 3
  exit
fi

shards=()
for journal in "$out"/shards/*/journal.jsonl; do
  [[ ! -s $journal ]] || shards+=("${journal%/*}")
done
rm -rf "$out/report"
"$drra" merge "${shards[@]}" --out "$out/report"@KNOWN@
code=$?
# If shards are still unfinished, the result lists the missing cases, and the exit code is 4 unless a case failed.
if [[ -n $unfinished ]]; then
  echo "still unfinished after $retries retries: shards $unfinished; see the logs in $out/log"
fi
exit "$code"
