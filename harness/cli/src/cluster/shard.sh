#!/bin/bash
#SBATCH --job-name=@NAME@
#SBATCH --array=1-@SHARDS@
#SBATCH --output="@LOG@/shard-%a.txt"
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR1@@MARGIN@
#SBATCH --cpus-per-task=@JOBS@
@OPTIONS@
# One shard of a campaign. It goes on where it was stopped: by preemption, by the time limit of the job, by the loss
# of the node, by a crash.
set -u
@SETUP@
out=@OUT@
drra=$out/slurm/drra
shard=$SLURM_ARRAY_TASK_ID
echo "$(date -u +%FT%TZ) shard $shard of @SHARDS@ on $(hostname), restart ${SLURM_RESTART_COUNT:-0}"

# Slurm tells that the time limit is near (USR1), or that the job has to give way (TERM). The campaign is told, too,
# and ends with its summary.
campaign= stopped= signalled=
stop() {
  stopped=1 signalled=1
  [[ -z $campaign ]] || kill -TERM "$campaign"
}
trap stop USR1 TERM

for attempt in 1 2 3; do
  "$drra" fuzz @ARGUMENTS@ --shard "$shard/@SHARDS@" --jobs @JOBS@ \
    --continue --out "$out/shards/$shard" --failures "$out/failures.log" &
  campaign=$!
  [[ -z $stopped ]] || kill -TERM "$campaign"
  wait "$campaign"
  code=$?
  while [[ -n $signalled ]]; do # what ended the wait was the signal
    signalled=
    wait "$campaign"
    code=$?
  done
  # Killed, or a failure of the tool: once more.
  if [[ -n $stopped ]] || ((code < 3 || code == 4)); then break; fi
  echo "$(date -u +%FT%TZ) shard $shard: attempt $attempt ended with $code"
done

unfinished=$("$drra" cluster status "$out" --unfinished)
if [[ -n $stopped && ,$unfinished, == *,$shard,* ]]; then
  # A job that was cancelled, or that Slurm queues again by itself, does not count as running any more.
  if scontrol show job -o "$SLURM_JOB_ID" | grep -q 'JobState=RUNNING'; then
    echo "$(date -u +%FT%TZ) shard $shard: stopped, goes on in the next run of this job"
    scontrol requeue "$SLURM_JOB_ID"
  fi
fi
exit "$code"
