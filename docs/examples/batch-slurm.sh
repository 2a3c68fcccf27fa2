#!/bin/sh
# A job array over a shared directory: sbatch batch-slurm.sh. A task that is killed or preempted
# may be requeued; what it had begun is continued, by itself or by another task.
#SBATCH --array=1-8
#SBATCH --cpus-per-task=2
#SBATCH --time=04:00:00
#SBATCH --requeue
# B: sends the signal to this shell, which becomes the program. Without it the signal goes to job steps
# only, and there is none.
#SBATCH --signal=B:INT@60
set -e
# An array may begin with any number and have a step, as in --array=0-14:2.
shard=$(((SLURM_ARRAY_TASK_ID - SLURM_ARRAY_TASK_MIN) / ${SLURM_ARRAY_TASK_STEP:-1} + 1))
exec world_llm_agent_demo batch run protocols.toml \
	--shard "$shard/$SLURM_ARRAY_TASK_COUNT" --jobs 4 --dir /shared/batches/protocols
# Afterwards: world_llm_agent_demo batch run protocols.toml --dir /shared/batches/protocols
# plays what is left, and its exit code is that of the gates.
