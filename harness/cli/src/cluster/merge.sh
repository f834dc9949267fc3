#!/bin/bash
#SBATCH --job-name=@NAME@-merge
#SBATCH --output="@LOG@/merge.txt"
#SBATCH --open-mode=append
#SBATCH --requeue
@OPTIONS@
# Joins the shards of a campaign when all of them have ended. Shards that did not end as they should are submitted
# again, followed by this job.
set -u
@SETUP@
out=@OUT@
drra=$out/slurm/drra
retry=${1:-0}

unfinished=$("$drra" cluster status "$out" --unfinished) || exit
if [[ -n $unfinished ]] && ((retry < @RETRIES@)); then
  echo "$(date -u +%FT%TZ) not ended, submitted again: shards $unfinished"
  array=$(sbatch --parsable --array="$unfinished" "$out/slurm/shard.sh") &&
    sbatch --parsable --dependency="afterany:${array%%;*}" "$out/slurm/merge.sh" $((retry + 1))
  exit
fi

shards=()
for journal in "$out"/shards/*/journal.jsonl; do
  [[ ! -s $journal ]] || shards+=("${journal%/*}")
done
rm -rf "$out/report"
"$drra" merge "${shards[@]}" --out "$out/report"
code=$?
# What is missing is in the result, and 4 among its exit codes.
if [[ -n $unfinished ]]; then
  echo "not ended after @RETRIES@ retries: shards $unfinished; their logs are in $out/log"
fi
exit "$code"
