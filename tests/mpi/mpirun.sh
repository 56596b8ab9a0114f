# For the scripts here (". tests/mpi/mpirun.sh"): which MPIs there are, and how to start ranks.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpis="" # names such that mpicc.NAME and mpirun.NAME exist, or "default"
for name in openmpi mpich; do
  command -v mpicc.$name >/dev/null && command -v mpirun.$name >/dev/null && mpis="$mpis $name"
done
[ -z "$mpis" ] && command -v mpicc >/dev/null && command -v mpirun >/dev/null && mpis=default
mpicc_of() { [ "$1" = default ] && echo mpicc || echo "mpicc.$1"; }
mpirun_of() { # mpirun_of NAME: the command up to -np
  run=$([ "$1" = default ] && echo mpirun || echo "mpirun.$1")
  if $run --version 2>&1 | grep -qi 'open *mpi\|openrte'; then
    echo "$run --oversubscribe --bind-to none --mca btl_base_warn_component_unused 0"
  else
    echo "$run"
  fi
}
# SPDX-License-Identifier: MIT
