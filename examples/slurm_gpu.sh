#!/bin/bash
# One job on the GPUs of several nodes, one rank a GPU: make mpi MPI_CUDA=1, then sbatch slurm_gpu.sh FILE.mtx. Kernels
# are compiled once a node and kept in the directory of --gpu-cache. Stopping and going on as in slurm_mpi.sh; the
# number of GPUs may change in between, but the job stays on GPUs.
#SBATCH --job-name=perm-gpu
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=8
#SBATCH --gpus-per-node=8
#SBATCH --cpus-per-task=8
#SBATCH --time=24:00:00
#SBATCH --signal=TERM@600
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=perm-%j.log
matrix=${1:?usage: sbatch slurm_gpu.sh FILE.mtx}

# Each rank takes the GPU of its number on the node; with srun --gpus-per-task=1 Slurm has seen to that already.
srun --cpus-per-task="$SLURM_CPUS_PER_TASK" --kill-on-bad-exit=1 \
  build/perm_mpi --gpus 1 --gpu-cache "/tmp/perm-$USER" \
  --checkpoint "perm-$SLURM_JOB_ID.checkpoint" --json --progress "$matrix" >"perm-$SLURM_JOB_ID.json"
code=$? # as in slurm_mpi.sh: only what was stopped goes on
[ $code -eq 1 ] && scontrol requeue "$SLURM_JOB_ID"
exit $code
# SPDX-License-Identifier: MIT
