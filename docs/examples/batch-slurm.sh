#!/bin/sh
# A job array over a shared directory: sbatch batch-slurm.sh. A task that is killed or preempted
# may be requeued; what it had begun is continued, by itself or by another task.
#SBATCH --array=1-8
#SBATCH --cpus-per-task=2
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --signal=INT@60
set -e
exec world_llm_agent_demo batch run protocols.toml \
	--shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --jobs 4 --dir /shared/batches/protocols
# Afterwards: world_llm_agent_demo batch run protocols.toml --dir /shared/batches/protocols
# plays what is left, and its exit code is that of the gates.
