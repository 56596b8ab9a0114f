#!/bin/sh
# make bench-mpi: one rank against two, one thread each, as Markdown on standard output. Wants two quiet cores.
cd "$(dirname "$0")/../.." || exit 1
. tests/mpi/mpirun.sh
[ -z "$mpis" ] && { echo "SKIP bench-mpi: no MPI (apt-get install libopenmpi-dev openmpi-bin, or mpich)"; exit 0; }
echo "| dense, real | MPI | 1 rank, s | 2 ranks, s | speed-up | bits |"
echo "|---|---|---|---|---|---|"
for mpi in $mpis; do
  make -s build/bench_mpi.$mpi || exit 1
  for n in ${BENCH_N:-26 28 30 32}; do
    for ranks in 1 2 1 2 1 2; do # in turns, for a machine that is not quite quiet
      echo $ranks $($(mpirun_of $mpi | sed 's/--bind-to none/--bind-to core/') -np $ranks build/bench_mpi.$mpi $n 3)
    done | awk -v n=$n -v mpi=$mpi '
      { if (!best[$1] || $2 < best[$1]) best[$1] = $2; if (!value) value = $3; same += value == $3 }
      END { printf "| n = %d | %s | %.3f | %.3f | %.2f | %s |\n", n, mpi, best[1], best[2], best[1] / best[2], same == NR ? "same" : "DIFFERENT" }'
  done
done
# SPDX-License-Identifier: MIT
