# perm: exact permanents. `make help` lists the targets.
CC      ?= cc
CXX     ?= c++
CFLAGS  ?= -O2
CXXFLAGS ?= -O2
PREFIX  ?= /usr/local
B       := build

# OpenMP when this compiler has it: the headers work without.
OPENMP  := $(shell echo 'int main(void){return 0;}' | $(CC) -x c -fopenmp - -o /dev/null 2>/dev/null && echo -fopenmp)
# Strict C99 unless the user's CFLAGS say otherwise; warnings are the headers' promise.
STD     := -std=c99
WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wconversion
COMPILE  = $(CC) $(STD) $(WARN) $(OPENMP) -I. $(CFLAGS) $(CPPFLAGS)
LIBS    := -lm

HEADERS := perm.h perm_sparse.h perm_more.h
ROOMS   := $(wildcard src/*.* src/*/*.h)
GENERATE := examples/perm_generate.h examples/perm_random.h examples/command/perm_fractions.h
CLI     := examples/command/perm_cli.c $(wildcard examples/command/perm_cli_*.h) $(GENERATE)
EXAMPLES := $(patsubst examples/%.c,$(B)/%,$(filter-out examples/perm_verify.c,$(wildcard examples/*.c)))

# CUDA: the compiler if there is one, and what to link with where nvcc does not link.
NVCC    ?= $(firstword $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc))
NEED_NVCC = $(or $(NVCC),$(error no nvcc: the CUDA toolkit has it, or say where (NVCC=...)))
WITHOUT_NVCC = $(if $(NVCC),:,echo "SKIP $@: no nvcc (the CUDA toolkit has it; NVCC=...)"; test "$(REQUIRE)" != 1)
CUDALIB  = -L$(abspath $(dir $(realpath $(NVCC)))../lib64) -lcudart_static -ldl -lrt -lpthread
NVFLAGS ?= -O2 -Xcompiler -fPIC
GPU_ARCH = -arch=native
TESTS   := $(wildcard tests/unit/*.[ch] tests/attack/*.h) $(GENERATE)
# The environment variable PERM_MATRICES names a directory of real matrices (docs/tests.md); without it they are skipped.

.PHONY: all run headers setup check golden fuzz bench prices python examples study install uninstall libperm.so clean \
        help cuda mpi dist coverage release-check fuzz-minute fuzz-hours study-samples study-report r-package r-check \
        $(addprefix setup-,ci full) \
        $(addprefix golden-,record gpu gpu-record) $(addprefix bench-,dense sparse python cuda mpi) $(addprefix check-,ci full \
        rooms compile portable proofs mutants isa golden sanitize faults thread valgrind soundness coverage cuda mpi r)

# LEVEL=ci or full is more of setup and check. PART is one part of a target: `make check PART=isa` is `make check-isa`.
LEVEL   =
PART    =

all: $(B)/perm examples ## the command and the examples

run: $(B)/tour ## the main job: exact permanents of real structures and matrices
	$(B)/tour $(if $(PERM_MATRICES),$(wildcard $(PERM_MATRICES)/*.mtx))

headers: ## joins the rooms of src/ into perm.h, perm_sparse.h, perm_more.h, perm_cuda.cu and perm_mpi.c; docs/api.md
	@sh src/join.sh
perm.h: $(ROOMS)
	@sh src/join.sh
perm_sparse.h perm_more.h perm_cuda.cu perm_mpi.c: perm.h

setup: ## install what check needs, by apt-get: C and C++ compilers, Python (LEVEL=ci|full: for more tests; asks first)
	@sh tests/setup.sh $(LEVEL)
setup-ci setup-full:
	@$(MAKE) --no-print-directory setup LEVEL=$(@:setup-%=%)

# Two minutes of two cores with its builds; check-ci under twenty, for CI and releases; check-full hours.
check: $(PART:%=check-%) ## after a change: tests, rooms, command, examples (LEVEL=ci|full: every test; PART=...: one part)
	$(if $(PART),,@$(MAKE) --no-print-directory -j2 $(CHECKED))
	$(if $(PART),,@sh tests/check.sh $(LEVEL))
check-ci check-full:
	@$(MAKE) --no-print-directory check LEVEL=$(@:check-%=%)
CHECKED = $(if $(LEVEL),$(B)/false_proofs $(B)/differential $(B)/tests $(B)/study libperm.so,$(B)/tests_O1) \
  $(B)/perm $(B)/golden_sample examples

# The joined files are what src/ gives; rooms use rooms above and have tests; budgets.
check-rooms:
	@sh tests/house/rooms.sh && sh tests/house/budgets.sh

# The headers in every dialect and compiler; spills in the kernels.
check-compile:
	@sh tests/compile/run.sh

# What comments say about rounding, by Gappa and Coq with Flocq (make setup-ci installs them; REQUIRE=1).
check-proofs:
	@sh tests/proofs/run.sh

# Seeded mutants of the rooms whose errors cost most: which of them no test notices (tests/attack/mutate.py).
MUTANTS ?= --count 2000 --seed 1
check-mutants:
	CC="$(CC)" python3 tests/attack/mutate.py $(MUTANTS)

# Every kernel family forced; all unit tests with families hidden; NEON under emulation (REQUIRE=1).
check-isa: $(B)/tests
	@sh tests/isa.sh

# Other machines under emulation, musl, flags (tests/compile/portable.sh full: every test everywhere).
check-portable:
	@sh tests/compile/portable.sh

# Lines, branches and, of readers, MC/DC that the tests run, by clang 18 or later; fails below 98 and 95 %.
coverage: check-coverage
check-coverage:
	@sh tests/house/coverage.sh

# The unit tests under AddressSanitizer and UndefinedBehaviorSanitizer.
check-sanitize:
	@mkdir -p $(B)
	$(CC) -std=gnu11 -g -O1 $(OPENMP) -fsanitize=address,undefined -fno-sanitize-recover=all -I. tests/unit/all.c \
	  -o $(B)/tests_sanitize $(LIBS)
	$(B)/tests_sanitize

# Failing allocations and writes.
check-faults: $(B)/tests
	$(B)/tests fail && $(B)/tests write

cuda: $(if $(NVCC),$(B)/perm_gpu) ## build/perm_gpu, the command with --gpus (needs nvcc)
	@$(WITHOUT_NVCC)

# GPUs against the CPU, bit for bit and within bounds, with faults (REQUIRE=1: a GPU must be there).
check-cuda:
	@sh tests/cuda/run.sh

# FP64 pipe, yardsticks, our kernels, several GPUs, whole processes: Markdown tables.
bench-cuda: $(if $(NVCC),$(B)/bench_cuda $(B)/perm_gpu)
	@$(WITHOUT_NVCC)
	$(if $(NVCC),$(B)/bench_cuda && sh tests/cuda/processes.sh)

# The golden record: tests/golden/golden.c
# After a change that is meant to change answers, golden-record makes the record again.
golden: $(if $(PART),golden-$(PART),$(B)/golden $(B)/perm.o) ## every answer of the golden record, to the last bit (PART=record|gpu|gpu-record)
	$(if $(PART),,@sh tests/golden/golden.sh compare)
check-golden: golden
golden-record: $(B)/golden $(B)/perm.o
	@sh tests/golden/golden.sh record
golden-gpu golden-gpu-record: $(if $(NVCC),$(B)/golden_gpu)
	@$(WITHOUT_NVCC)
	$(if $(NVCC),@sh tests/golden/golden.sh $(@:golden-%=%))
GOLDEN = tests/golden/golden.c $(wildcard tests/golden/*.h) $(HEADERS)
GOLDEN_BUILD = $(COMPILE) -ffp-contract=off
$(B)/golden_perm.o: tests/golden/golden_library.c tests/unit/inside.h $(HEADERS)
	@mkdir -p $(B)
	$(COMPILE) -c $< -o $@
$(B)/golden: $(GOLDEN) $(B)/golden_perm.o
	$(GOLDEN_BUILD) -c $< -o $@.o
	$(CC) $(OPENMP) $(CFLAGS) $@.o $(B)/golden_perm.o -o $@ $(LDFLAGS) $(LIBS)
$(B)/golden_sample: $(GOLDEN) $(B)/perm.o
	$(GOLDEN_BUILD) -DGOLDEN_LINKED $< $(B)/perm.o -o $@ $(LDFLAGS) $(LIBS)
$(B)/golden_gpu: $(GOLDEN) $(B)/perm_with_gpu.o $(B)/perm_cuda.o
	$(GOLDEN_BUILD) -DGOLDEN_LINKED -DPERM_WITH_CUDA $< $(B)/perm_with_gpu.o $(B)/perm_cuda.o -o $@ $(LDFLAGS) \
	  $(CUDALIB) $(LIBS)

# The headers from several threads at once under ThreadSanitizer.
check-thread:
	@mkdir -p $(B)
	$(CC) -std=gnu11 -g -O1 -fsanitize=thread -I. tests/threads.c -o $(B)/threads $(LIBS) -lpthread
	$(B)/threads

# A fast part of the unit tests, without AVX-512, under valgrind's memcheck.
check-valgrind:
	@sh tests/valgrind.sh

# Bounds against exact permanents, a million random matrices; estimates against an adversary (JOBS=processes).
SOUNDNESS ?= 1000000
SOUNDNESS_SEED ?= 1
CLIMB ?= 1000000
CLIMB_SEED ?= 1
JOBS ?= 1
check-soundness: $(B)/soundness $(B)/climb
	$(B)/soundness $(SOUNDNESS) $(SOUNDNESS_SEED) $(JOBS)
	$(B)/climb --splitters 3000 $(CLIMB_SEED)
	$(B)/climb -j $(JOBS) $(CLIMB) $(CLIMB_SEED) $(CLIMB_ENGINE)
$(B)/residues: tests/attack/residues.c $(wildcard tests/attack/*.h) tests/unit/oracle.h examples/perm_random.h $(B)/perm.o
	$(CC) -std=gnu11 -Wall -Wextra -Wshadow $(OPENMP) -O2 -I. $< $(B)/perm.o -o $@ $(LDFLAGS) $(LIBS)
$(B)/soundness $(B)/climb: $(B)/%: tests/attack/%.c $(wildcard tests/attack/*.h) tests/unit/test.h tests/unit/oracle.h $(B)/perm.o
	$(CC) -std=gnu11 -Wall -Wextra -Wshadow $(OPENMP) -O2 -I. $< $(B)/perm.o -o $@ $(LDFLAGS) $(LIBS)

# The verifier is a file of its own: it shares no name with what asks it.
$(B)/differential: $(wildcard tests/attack/*.[ch]) examples/perm_verify.c $(B)/perm.o
	$(CC) -std=gnu11 -Wall -Wextra -Wshadow $(OPENMP) -O2 -I. tests/attack/differential.c tests/attack/verifier.c \
	  $(B)/perm.o -o $@ $(LDFLAGS) $(LIBS)

# Hours: see tests/release.sh for SCALE, PARTS, JOBS, SEED, FUZZ_SECONDS, SINCE.
release-check: ## all that is measured and attacked before a release, resumable (SCALE=1/1000: a small run)
	@SCALE="$(SCALE)" PARTS="$(PARTS)" CC="$(CC)" sh tests/release.sh
SCALE = 1
PARTS =

# Fuzzing without libFuzzer, the same inputs every time: a minute. The implementation is compiled once.
FUZZ = $(CC) -std=gnu11 -g -O1 $(OPENMP) -fsanitize=address,undefined -fno-sanitize-recover=all -I.
$(B)/fuzz/perm.o: $(HEADERS)
	@mkdir -p $(B)/fuzz
	echo '#include "perm_more.h"' | $(FUZZ) -DPERM_IMPLEMENTATION -x c -c - -o $@
$(B)/fuzz/fuzz_%: tests/attack/fuzz/fuzz_%.c $(wildcard tests/attack/fuzz/*.h) tests/unit/oracle.h $(CLI) examples/perm_verify.c $(B)/fuzz/perm.o
	$(FUZZ) -DPERM_FUZZ_LINKED -DPERM_FUZZ_STANDALONE $< $(B)/fuzz/perm.o -o $@ $(LIBS) -lpthread
$(B)/fuzz/fuzz_checkpoint: tests/attack/fuzz/fuzz_checkpoint.c tests/attack/fuzz/fuzz.h tests/unit/inside.h perm.h
	@mkdir -p $(B)/fuzz
	$(FUZZ) -DPERM_FUZZ_STANDALONE $< -o $@ $(LIBS)
FUZZERS = io checkpoint sparse dense cli proof
fuzz: fuzz-$(or $(PART),minute) ## a minute of fuzzing: readers, calls, command, proofs (PART=hours: by libFuzzer)
fuzz-minute: $(FUZZERS:%=$(B)/fuzz/fuzz_%)
	$(B)/fuzz/fuzz_io 200000
	$(B)/fuzz/fuzz_checkpoint 100000
	$(B)/fuzz/fuzz_sparse 500
	$(B)/fuzz/fuzz_dense 2000
	$(B)/fuzz/fuzz_cli 1000
	$(B)/fuzz/fuzz_proof 20000
	@for input in tests/attack/fuzz/crashers/*; do name=$${input##*/}; $(B)/fuzz/fuzz_$${name%%-*} $$input || exit 1; done

# libFuzzer as OSS-Fuzz has it, FUZZ_SECONDS (3600) for each, FUZZ_JOBS at once, corpora in build/corpus (needs clang).
fuzz-hours:
	@sh tests/attack/fuzz/hours.sh

bench: bench-$(or $(PART),dense) ## rates, ratios, accuracy: run it on a quiet core (PART=sparse|python|cuda|mpi)
bench-dense: $(B)/bench $(B)/bench_O3 $(B)/perm
	@sh bench/bench.sh

# The sparse engines: whole processes, the planner's choice, list steps.
bench-sparse: $(B)/bench_sparse $(B)/perm $(B)/records
	@sh bench/bench_sparse.sh
# What engines are predicted to take, by src/base/prices.h, and take.
prices: $(B)/bench_sparse ## predicted and measured seconds of every engine on this machine, in two minutes
	@$(B)/bench_sparse prices

# The extension module in place: of PYTHON, 3.11 or later, its headers are needed, and only of this call.
PYTHON  ?= python3
EXTENSION = examples/python/_perm.abi3.so
PYTHON_H = $(shell $(PYTHON) -c 'import sys, sysconfig; sys.version_info < (3, 11) or \
             print(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null)
python: $(B)/perm.o ## examples/python/_perm.abi3.so, with which perm.py does without ctypes (PYTHON=..., from 3.11 on)
	@if [ -f "$(PYTHON_H)" ]; then $(MAKE) --no-print-directory -s $(EXTENSION) PYTHON=$(PYTHON); \
	else echo "SKIP $(EXTENSION): $(PYTHON) is not 3.11 or later with Python.h (apt-get install python3-dev)"; \
	  test "$(REQUIRE)" != 1; fi
$(EXTENSION): examples/python/_perm.c $(B)/perm.o # -O3: an option takes 0.09 microseconds, with -O2 0.14
	$(COMPILE) -O3 -isystem $(dir $(PYTHON_H)) -fPIC $(if $(filter Darwin,$(shell uname)),-bundle -undefined dynamic_lookup,\
	  -shared -Wl,-Bsymbolic) $< $(B)/perm.o -o $@.$$$$ $(LDFLAGS) $(LIBS) && mv $@.$$$$ $@

# What small calls from Python cost, and permanents on PyPI, which pip fetches once: Markdown tables, bench.svg.
RIVALS = thewalrus piquasso perceval-quandela qc-permanent python-flint pyehm
bench-python: libperm.so
	@test -x $(B)/venv/bin/python || python3 -m venv $(B)/venv
	@for package in numpy scipy $(RIVALS); do $(B)/venv/bin/pip install -q --disable-pip-version-check $$package || \
	  echo "SKIP $$package: pip cannot install it"; done
	@$(MAKE) --no-print-directory python PYTHON=$(B)/venv/bin/python
	$(B)/venv/bin/python examples/python/bench.py --calls
	$(B)/venv/bin/python examples/python/bench.py --scenes
	OMP_NUM_THREADS=1 $(B)/venv/bin/python examples/python/bench.py --photons
	$(B)/venv/bin/python examples/python/bench.py

examples: $(EXAMPLES) $(B)/perm_verify $(B)/records $(if $(shell command -v $(CXX)),$(B)/cplusplus) ## build examples/

$(B)/perm_verify: examples/perm_verify.c # includes nothing of perm
	@mkdir -p $(B)
	$(CC) $(STD) $(WARN) $(CFLAGS) $(CPPFLAGS) $< -o $@ $(LDFLAGS) -lm

$(B)/false_proofs: tests/attack/false_proofs.c tests/unit/inside.h examples/perm_verify.c perm.h
	@mkdir -p $(B)
	$(CC) -std=gnu11 -Wall -Wextra -Wno-format-truncation -O1 -I. $< -o $@ $(LDFLAGS) $(LIBS)

$(B)/perm: $(CLI) $(B)/perm.o
	$(COMPILE) -DPERM_CLI_LINKED examples/command/perm_cli.c $(B)/perm.o -o $@ $(LDFLAGS) $(LIBS)
# One object for the command and both libraries. -fno-semantic-interposition: its calls to itself stay direct.
PIC     := -fPIC $(shell echo 'int x;' | $(CC) -x c -Werror -fno-semantic-interposition -c - -o /dev/null 2>/dev/null \
             && echo -fno-semantic-interposition)
$(B)/perm.o: $(HEADERS)
	@mkdir -p $(B)
	echo '#include "perm_more.h"' | $(COMPILE) $(PIC) -DPERM_IMPLEMENTATION -x c -c - -o $@

# Examples as they are, but linked with perm.o, which took long to compile; tests/examples.sh does it by their own lines.
LINKED   = (echo '\#line 1 "$<"'; sed 's/^\#define PERM_IMPLEMENTATION$$//' $<)
$(EXAMPLES): $(B)/%: examples/%.c $(wildcard examples/*.h) $(B)/perm.o
	$(LINKED) | $(COMPILE) -Iexamples -x c - -x none $(B)/perm.o -o $@ $(LDFLAGS) -pthread $(LIBS)
$(B)/records: examples/study/records/records.c examples/study/records/records_own.h $(B)/perm.o
	$(LINKED) | $(COMPILE) -Iexamples/study/records -x c - -x none $(B)/perm.o -o $@ $(LDFLAGS) $(LIBS)
$(B)/cplusplus: examples/cplusplus.cpp $(B)/perm.o
	$(LINKED) | $(CXX) -std=c++11 $(WARN) $(OPENMP) -I. $(CXXFLAGS) $(CPPFLAGS) -x c++ - -x none $(B)/perm.o -o $@ $(LDFLAGS)

# The tests look inside the implementation; they want GNU C for 128-bit oracles and constructors.
# LDFLAGS come last: coverage.sh asks for -O0 there.
TESTS_BUILD = $(CC) -std=gnu11 -Wall -Wextra -Wshadow $(SPEED) $(OPENMP) -I. tests/unit/all.c -o $@ $(LDFLAGS) $(LIBS)
$(B)/tests: SPEED = -g -O2
$(B)/tests_O1: SPEED = -O1
$(B)/tests: $(TESTS) $(HEADERS)
	@mkdir -p $(B)
	$(TESTS_BUILD)
$(B)/tests_O1: $(TESTS) $(HEADERS)
	@mkdir -p $(B)
	$(TESTS_BUILD)

# The random-matrix study. SplitMix64 and Box-Muller in vectors need -O3 and these two flags, which change no bits.
STUDY_FLAGS = -O3 -fno-math-errno -fno-trapping-math
STUDY_PARTS = examples/study/study.c examples/study/study.h examples/study/study_sample.h \
  examples/study/study_report.h examples/perm_plot.h
STUDY_STATE ?= $(B)/study.state
STUDY_SECONDS ?= 600
$(B)/study: $(STUDY_PARTS) $(B)/perm.o
	$(COMPILE) $(STUDY_FLAGS) -Iexamples $< $(B)/perm.o -o $@ $(LDFLAGS) $(LIBS)
$(B)/study_gpu: $(STUDY_PARTS) $(B)/perm_with_gpu.o $(B)/perm_cuda.o
	$(COMPILE) $(STUDY_FLAGS) -Iexamples $< $(B)/perm_with_gpu.o $(B)/perm_cuda.o -o $@ $(LDFLAGS) $(CUDALIB) $(LIBS)
study: study-$(or $(PART),samples) ## the random-matrix study for STUDY_SECONDS=600 more (PART=report: its pictures and tables anew)
# More samples; tables and plots go to build/study_report.
study-samples: $(B)/study
	@mkdir -p $(B)/study_report
	$(B)/study --state $(STUDY_STATE) --seconds $(STUDY_SECONDS) --plots $(B)/study_report --table --cells \
	  >$(B)/study_report/tables.md
	@cat $(B)/study_report/tables.md
# Plots and tables of examples/study/README.md from the state file STUDY_STATE.
study-report: $(B)/study
	@test -s $(STUDY_STATE) || { echo "no samples in $(STUDY_STATE): make study, or STUDY_STATE=file"; exit 1; }
	sed '/^## Tables/q' examples/study/README.md >$(B)/study.md && echo >>$(B)/study.md
	$(B)/study --state $(STUDY_STATE) --table --cells --plots examples/study >>$(B)/study.md
	mv $(B)/study.md examples/study/README.md

BENCH_PLAIN = $(B)/bench_plain_O2.o $(B)/bench_plain_native.o $(B)/bench_exact_plain.o
BENCH_PARTS = $(wildcard bench/bench*.[ch]) tests/unit/inside.h tests/unit/oracle.h examples/perm_plot.h
BENCH_BUILD = $(CC) -std=gnu11 -Wall -Wextra $(OPENMP) -I. bench/bench.c $(BENCH_PLAIN) $(LDFLAGS) $(LIBS) -ldl
$(B)/bench_plain_O2.o: bench/bench_plain.c
	@mkdir -p $(B)
	$(CC) -Wall -Wextra -O2 '-DBENCH_NAME(kind)=bench_plain_##kind##_O2' -c $< -o $@
$(B)/bench_plain_native.o: bench/bench_plain.c
	@mkdir -p $(B)
	$(CC) -Wall -Wextra -O3 -march=native '-DBENCH_NAME(kind)=bench_plain_##kind##_native' -c $< -o $@
$(B)/bench_exact_plain.o: bench/bench_exact_plain.c
	@mkdir -p $(B)
	$(CC) -Wall -Wextra -O3 -c $< -o $@
$(B)/bench: $(BENCH_PARTS) perm.h $(BENCH_PLAIN)
	$(BENCH_BUILD) -O2 -o $@
$(B)/bench_O3: $(BENCH_PARTS) perm.h $(BENCH_PLAIN)
	$(BENCH_BUILD) -O3 -o $@

$(B)/bench_sparse: $(wildcard bench/bench*.[ch]) tests/unit/inside.h $(GENERATE) $(HEADERS)
	@mkdir -p $(B)
	$(CC) -std=gnu11 -Wall -Wextra $(OPENMP) -O2 -I. bench/bench_sparse.c -o $@ $(LDFLAGS) $(LIBS)

$(B)/perm_cuda.o: perm_cuda.cu perm.h
	@mkdir -p $(B)
	$(NEED_NVCC) $(NVFLAGS) -c $< -o $@
$(B)/perm_gpu: $(CLI) $(HEADERS) $(B)/perm_cuda.o
	$(COMPILE) -DPERM_WITH_CUDA examples/command/perm_cli.c $(B)/perm_cuda.o -o $@ $(LDFLAGS) $(CUDALIB) $(LIBS)
$(B)/perm_cuda_tests.o: tests/cuda/twin.cu tests/unit/inside.h perm_cuda.cu perm.h
	@mkdir -p $(B)
	$(NEED_NVCC) -O2 -I. -Xcompiler -Wall,-Wextra,-Wshadow -c $< -o $@
$(B)/tests_cuda: tests/cuda/tests.c $(wildcard tests/cuda/*.[ch]) tests/unit/inside.h tests/unit/test.h $(HEADERS) $(B)/perm_cuda_tests.o
	$(CC) -std=gnu11 -Wall -Wextra -Wshadow $(OPENMP) -g -O1 -I. $< $(B)/perm_cuda_tests.o -o $@ $(LDFLAGS) \
	  $(CUDALIB) $(LIBS)
$(B)/bench_cuda: $(wildcard tests/cuda/bench*) tests/unit/inside.h $(GENERATE) $(HEADERS) perm_cuda.cu
	@mkdir -p $(B)
	$(CC) -std=gnu99 -O2 $(OPENMP) $(CPPFLAGS) -I. -c tests/cuda/bench_host.c -o $(B)/perm_with_cuda.o
	$(NEED_NVCC) $(NVFLAGS) $(GPU_ARCH) $(CPPFLAGS) tests/cuda/bench.cu $(B)/perm_with_cuda.o -I. -o $@ \
	  -Xcompiler $(or $(OPENMP),-O2) -ldl

# MPI: MPICC says whose. MPI_CUDA=1: with perm_cuda.cu, each rank on GPUs of its own.
MPICC   ?= mpicc
MPI_CC   = $(patsubst %.default,%,mpicc.$*)
MPI_MAIN = $(STD) $(WARN) $(OPENMP) -I. $(CFLAGS) $(CPPFLAGS) -DPERM_MPI_MAIN perm_mpi.c
mpi: $(if $(MPI_CUDA),$(B)/perm_with_gpu.o $(B)/perm_cuda.o,$(B)/perm.o) ## build/perm_mpi, the command for mpirun and srun (MPICC=..., MPI_CUDA=1: with GPUs)
	@if command -v $(MPICC) >/dev/null; then set -x; \
	  $(MPICC) $(MPI_MAIN) $^ -o $(B)/perm_mpi $(LDFLAGS) $(if $(MPI_CUDA),$(CUDALIB)) $(LIBS); \
	else echo "SKIP perm_mpi: no $(MPICC) (apt-get install libopenmpi-dev openmpi-bin, or mpich)"; test "$(REQUIRE)" != 1; fi

# perm_mpi.c with Open MPI and MPICH: bits, faults, 200 kills (REQUIRE=1: an MPI must be there).
check-mpi: $(B)/perm
	@sh tests/mpi/run.sh full

# Two ranks on two cores against one: a Markdown table.
bench-mpi:
	@sh tests/mpi/bench.sh

# For the tests, one MPI a program: build/tests_mpi.openmpi is built with mpicc.openmpi, .default with mpicc.
$(B)/perm_mpi.%: perm_mpi.c $(CLI) $(B)/perm.o
	$(MPI_CC) $(MPI_MAIN) $(B)/perm.o -o $@ $(LDFLAGS) $(LIBS)
$(B)/tests_mpi.%: tests/mpi/tests.c tests/unit/inside.h tests/unit/test.h perm_mpi.c $(GENERATE) $(B)/perm.o
	$(MPI_CC) -std=gnu11 -Wall -Wextra -Wshadow $(OPENMP) -g -O1 -I. -DPERM_MPI_IMPLEMENTATION \
	  $< $(B)/perm.o -o $@ $(LDFLAGS) $(LIBS)
$(B)/bench_mpi.%: tests/mpi/bench.c perm_mpi.c $(B)/perm.o
	$(MPI_CC) -std=gnu11 -Wall -Wextra -Wshadow $(OPENMP) -O2 -I. -DPERM_MPI_IMPLEMENTATION $< $(B)/perm.o -o $@ $(LDFLAGS) $(LIBS)
$(B)/simulate_mpi: tests/mpi/simulate.c tests/unit/inside.h perm_mpi.c $(B)/perm.o
	$(CC) -std=gnu11 -Wall -Wextra -Wshadow $(OPENMP) -O2 -I. $< $(B)/perm.o -o $@ $(LDFLAGS) $(LIBS)
$(B)/perm_with_gpu.o: $(HEADERS) perm_cuda.cu
	@mkdir -p $(B)
	echo '#include "perm_more.h"' | $(COMPILE) $(PIC) -DPERM_WITH_CUDA -DPERM_IMPLEMENTATION -x c -c - -o $@

# Structures grow with a major version only, and the soname is its.
version  = $(shell sed -n 's/^\#define PERM_VERSION_$(1) \([0-9]*\).*/\1/p' perm.h)
MAJOR   := $(call version,MAJOR)
VERSION := $(MAJOR).$(call version,MINOR).$(call version,PATCH)
RELEASE := $(VERSION)$(shell sed -n 's/^\#define PERM_VERSION_PRERELEASE "\([^"]*\)".*/\1/p' perm.h)
SONAME  := libperm.so.$(MAJOR)
libperm.so: $(B)/libperm.so ## shared library, build/libperm.so (GPU=1: with GPUs; needs nvcc)
.PHONY: $(if $(GPU),$(B)/libperm.so)
$(B)/libperm.so: $(if $(GPU),$(B)/perm_with_gpu.o $(B)/perm_cuda.o,$(B)/perm.o)
	$(CC) -shared $(if $(filter Darwin,$(shell uname)),,-Wl,-soname,$(SONAME)) $(OPENMP) $^ -o $(B)/libperm.so.$(VERSION) \
	  $(LDFLAGS) $(if $(GPU),$(CUDALIB)) $(LIBS)
	ln -sf libperm.so.$(VERSION) $(B)/$(SONAME)
	ln -sf $(SONAME) $@
$(B)/libperm.a: $(B)/perm.o
	rm -f $@
	$(AR) rc $@ $<

# examples/r with the headers as an R package, build/r/permexact_VERSION.tar.gz; R CMD check of it (REQUIRE=1: R must be
# there).
r-package:
	@sh tests/r.sh package
r-check: check-r
check-r:
	@sh tests/r.sh

# Where things go. STATIC=1: libperm.a too. perm_mpi and perm_gpu go with it where they were built.
BUILT    = $(notdir $(wildcard $(B)/perm_mpi $(B)/perm_gpu))
LIBDIR  ?= $(PREFIX)/lib
MANDIR  ?= $(PREFIX)/share/man
COMPLETIONS ?= $(PREFIX)/share/bash-completion/completions
PYTHONDIR ?= $(LIBDIR)/perm/python# perm.py finds libperm.so two directories above
PYTHON_FILES = perm.py perm.pyi perm_exact.py perm_exact.pyi perm_ops.py perm_xla.c $(notdir $(wildcard $(EXTENSION)))
# The shell takes the places from the environment: they may have blanks, at which make's own lists end.
install uninstall: export to = $(DESTDIR)$(PREFIX)
install uninstall: export to_lib = $(DESTDIR)$(LIBDIR)
install uninstall: export to_man = $(DESTDIR)$(MANDIR)/man1
install uninstall: export to_completions = $(DESTDIR)$(COMPLETIONS)
install uninstall: export to_python = $(DESTDIR)$(PYTHONDIR)
install: export pc_prefix = prefix=$(PREFIX)
install: export pc_lib = libdir=$(LIBDIR)
INSTALLED = $(addprefix "$$to"/bin/,perm $(BUILT)) $(addprefix "$$to"/include/,$(HEADERS)) \
  $(addprefix "$$to_lib"/,libperm.so.$(VERSION) $(SONAME) libperm.so $(if $(STATIC),libperm.a) pkgconfig/perm.pc) \
  $(addprefix "$$to_lib"/cmake/perm/,perm-config.cmake perm-config-version.cmake) \
  $(addprefix "$$to_python"/,$(PYTHON_FILES)) "$$to_man"/perm.1 "$$to_completions"/perm
install: $(B)/perm $(B)/libperm.so $(B)/perm.1 $(if $(STATIC),$(B)/libperm.a) ## command, headers, libperm, perm.py, man page, completion to DESTDIR/PREFIX (STATIC=1: libperm.a too)
	install -d $(sort $(dir $(INSTALLED)))
	install -m 755 $(addprefix $(B)/,perm $(BUILT)) "$$to"/bin/
	install -m 644 $(HEADERS) "$$to"/include/
	install -m 755 $(B)/libperm.so.$(VERSION) "$$to_lib"/
	ln -sf libperm.so.$(VERSION) "$$to_lib"/$(SONAME)
	ln -sf $(SONAME) "$$to_lib"/libperm.so
	$(if $(STATIC),install -m 644 $(B)/libperm.a "$$to_lib"/)
	printf '%s\n' "$$pc_prefix" 'includedir=$${prefix}/include' "$$pc_lib" '' 'Name: perm' \
	  'Description: Exact permanents of matrices' 'Version: $(VERSION)' 'Cflags: -I"$${includedir}"' \
	  'Libs: -L"$${libdir}" -lperm' 'Libs.private: $(OPENMP) $(LIBS)' >"$$to_lib"/pkgconfig/perm.pc
	for name in config config-version; do sed 's/@VERSION@/$(VERSION)/' examples/perm-$$name.cmake \
	  >"$$to_lib"/cmake/perm/perm-$$name.cmake || exit 1; done
	install -m 644 $(addprefix examples/python/,$(PYTHON_FILES)) "$$to_python"/
	install -m 644 $(B)/perm.1 "$$to_man"/perm.1
	install -m 644 examples/command/perm.bash "$$to_completions"/perm
	@$(if $(DESTDIR),,ldconfig 2>/dev/null || echo "now run ldconfig, or set LD_LIBRARY_PATH=$${pc_lib#libdir=}")

dist: ## build/perm-VERSION.tar.gz with checksum and SPDX bill of materials: the same bytes from the same commit
	@sh tests/house/dist.sh $(RELEASE)

uninstall: ## removes what install put there (the same variables)
	rm -f $(INSTALLED)

# One text: the command's own.
$(B)/perm.1: examples/command/perm_man.awk $(B)/perm
	{ $(B)/perm --help; echo Methods:; $(B)/perm --list methods; echo Generators:; $(B)/perm --list generators; } | \
	  awk -v version=$(RELEASE) -f examples/command/perm_man.awk >$@

clean: ## remove build/ and the extension module
	rm -rf $(B) $(EXTENSION)

help: # lists what has two #
	@sed -n 's/^\([a-z.-]*\):.*## /\1\t/p' Makefile | expand -t 14
	@echo "check PART=$$(sed -n '/-ci /d; s/^check-\([a-z]*\):.*/\1/p' Makefile | sort | paste -sd '|' -)"
# SPDX-License-Identifier: MIT
