#!/bin/bash
# One job on many nodes, one rank a node, all its cores: make mpi, put FILE.mtx and build/perm_mpi where the nodes see
# them, sbatch slurm_mpi.sh FILE.mtx. Ten minutes before the time is up Slurm sends SIGTERM: perm_mpi writes the
# checkpoint and ends with exit code 1, and the job is put back into the queue, where it goes on. The same after a node
# has failed: lost is at most the minute since the checkpoint was last written.
#SBATCH --job-name=perm
#SBATCH --nodes=16
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=64
#SBATCH --exclusive
#SBATCH --time=24:00:00
#SBATCH --signal=TERM@600
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=perm-%j.log
matrix=${1:?usage: sbatch slurm_mpi.sh FILE.mtx}
export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK

# Open MPI may want srun --mpi=pmix
srun --cpus-per-task="$SLURM_CPUS_PER_TASK" --kill-on-bad-exit=1 \
  build/perm_mpi --checkpoint "perm-$SLURM_JOB_ID.checkpoint" --json --progress "$matrix" \
  >"perm-$SLURM_JOB_ID.json"
code=$?
# 1: stopped early, what is finished is kept. Another number of nodes may go on with the same file. All else is an end:
# 0 done, 5 done but the tolerance is not met, 2 to 4 errors, which would only come again.
[ $code -eq 1 ] && scontrol requeue "$SLURM_JOB_ID"
exit $code
# SPDX-License-Identifier: MIT
