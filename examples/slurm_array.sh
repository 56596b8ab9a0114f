#!/bin/bash
# One job in 100 parts without MPI, each a task of an array that runs when there is room, on spot machines too:
#     sbatch slurm_array.sh FILE.mtx
# and, when all parts are done (perm --merge refuses if one is missing, and says which chunks):
#     build/perm --merge parts/*.checkpoint
# A part that was stopped or killed goes on where it was: submit its number again, sbatch --array=17 slurm_array.sh ...
# All machines need the instruction set of the job: name the least one by ISA (plain, avx2, avx512, neon).
#SBATCH --job-name=perm-parts
#SBATCH --array=1-100
#SBATCH --cpus-per-task=16
#SBATCH --time=04:00:00
#SBATCH --signal=TERM@120
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=perm-%A-%a.log
matrix=${1:?usage: sbatch slurm_array.sh FILE.mtx}
parts=${PARTS:-100} # stays 100 when a few numbers are submitted again
export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK
mkdir -p parts

srun --cpus-per-task="$SLURM_CPUS_PER_TASK" \
  build/perm --isa "${ISA:-avx2}" --part "$SLURM_ARRAY_TASK_ID/$parts" \
  --checkpoint "parts/$SLURM_ARRAY_TASK_ID.checkpoint" --json --progress "$matrix"
code=$? # 1: stopped early; all else is an end, 5 too: done, but the tolerance is not met
[ $code -eq 1 ] && scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
exit $code
# SPDX-License-Identifier: MIT
