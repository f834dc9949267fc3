#!/bin/bash
#SBATCH --job-name=@NAME@
#SBATCH --array=1-@SHARDS@
#SBATCH --output="@LOG@/shard-%a.txt"
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR1@@MARGIN@
#SBATCH --cpus-per-task=@JOBS@
@OPTIONS@
# One shard of a campaign. The shard resumes where it was stopped by preemption, the time limit of the job, the loss of
# the node, or a crash.
set -u
@SETUP@
out=@OUT@
drra=$out/slurm/drra
shard=$SLURM_ARRAY_TASK_ID
echo "$(date -u +%FT%TZ) shard $shard of @SHARDS@ on $(hostname), restart ${SLURM_RESTART_COUNT:-0}"

# Slurm signals that the time limit is near (USR1), or that the job is preempted (TERM). The campaign is then signalled
# as well and writes its summary.
campaign='' stopped='' signalled=''
# shellcheck disable=SC2317,SC2329 # called by the trap
stop() {
  stopped=1 signalled=1
  [[ -z $campaign ]] || kill -TERM "$campaign"
}
trap stop USR1 TERM

for attempt in 1 2 3; do
  "$drra" fuzz @ARGUMENTS@@KNOWN@ --shard "$shard/@SHARDS@" --jobs @JOBS@ \
    --continue --out "$out/shards/$shard" --failure-log "$out/failures.log" &
  campaign=$!
  [[ -z $stopped ]] || kill -TERM "$campaign"
  wait "$campaign"
  code=$?
  while [[ -n $signalled ]]; do # the signal has ended the wait
    signalled=
    wait "$campaign"
    code=$?
  done
  # Try again if the campaign was killed or the tool failed.
  if [[ -n $stopped ]] || ((code < 3 || code == 4)); then break; fi
  echo "$(date -u +%FT%TZ) shard $shard: attempt $attempt ended with $code"
done

unfinished=$("$drra" cluster status "$out" --unfinished) || unfinished=$shard
if [[ -n $stopped && ,$unfinished, == *,$shard,* ]]; then
  # A job that was cancelled, or that Slurm requeues itself, is no longer running.
  if scontrol show job -o "$SLURM_JOB_ID" | grep -q 'JobState=RUNNING'; then
    echo "$(date -u +%FT%TZ) shard $shard: stopped, resumes when this job runs again"
    scontrol requeue "$SLURM_JOB_ID"
  fi
fi
exit "$code"
