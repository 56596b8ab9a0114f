/* The random-matrix study of P. H. Lundow and K. Markstrom, Efficient computation of permanents, with applications to
   Boson sampling and random matrices, J. Comput. Phys. 455 (2022) 110990: the distribution of X = |per A| / sqrt(n!)
   for complex normal, circular and +-1 entries and for minors of Haar unitaries.
   Build:  make study, or make build/study_gpu with perm_cuda.cu
   Runs add to the state file and may be killed at any time: what has been drawn since the file was last written is
   drawn again by the next run, with the same results. A cell (ensemble, n) is always samples 0 .. count - 1. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include "perm.h"
#include "study_sample.h"
#include "study_report.h"
#if defined(_OPENMP)
#include <omp.h>
#endif

typedef struct study_run {
  const char *state, *plots, *gpu_cache;
  double seconds, samples, batch_bytes, write_seconds;
  int first_n, last_n, wanted[STUDY_ENSEMBLES], gpus, threads, table, report;
  double start;
} study_run;

static double study_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the state: a text file, closed by its checksum
     study 1 seed S
     cell NAME n N count C seconds T
     sums, 8 hexadecimal doubles
     bins FIRST COUNT, then COUNT numbers
     end CELLS CHECKSUM */
static uint64_t study_checksum(const char *text, size_t length)
{
  uint64_t sum = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
  while (length--)
    sum = (sum ^ (unsigned char)*text++) * UINT64_C(0x100000001b3);
  return sum;
}

static void study_save(const study *all, const char *path)
{
  char *text = NULL, *temporary = (char *)malloc(strlen(path) + 5);
  size_t length = 0;
  FILE *file = open_memstream(&text, &length);
  int e, n, k, cells = 0, bad;
  if (!file || !temporary)
    study_die("out of memory", "");
  fprintf(file, "study 1 seed %" PRIu64 "\n", all->seed);
  for (e = 0; e < STUDY_ENSEMBLES; e++)
    for (n = 1; n <= STUDY_MOST_N; n++) {
      const study_cell *cell = all->cell[e][n];
      int first = 0, last = STUDY_BINS - 1;
      if (!cell || !cell->count)
        continue;
      while (!cell->bin[first])
        first++;
      while (!cell->bin[last])
        last--;
      fprintf(file, "cell %s n %d count %" PRIu64 " seconds %.3f\nsums", study_ensembles[e].name, n, cell->count,
              cell->seconds);
      for (k = 0; k < STUDY_POWERS; k++)
        fprintf(file, " %a", cell->sum[k]);
      fprintf(file, "\nbins %d %d", first, last - first + 1);
      for (k = first; k <= last; k++)
        fprintf(file, "%c%" PRIu64, (k - first) % 32 ? ' ' : '\n', cell->bin[k]);
      fprintf(file, "\n");
      cells++;
    }
  fflush(file);
  fprintf(file, "end %d %016" PRIx64 "\n", cells, study_checksum(text, length));
  if (fclose(file))
    study_die("out of memory", "");
  strcat(strcpy(temporary, path), ".tmp");
  file = fopen(temporary, "w");
  bad = !file || fwrite(text, 1, length, file) != length;
  if (file)
    bad |= fclose(file) != 0;
  if (bad || rename(temporary, path))
    study_die("cannot be written", path);
  free(temporary);
  free(text);
}

/* Adds what the file holds, if it exists; a damaged one ends the program. */
static void study_load(study *all, const char *path)
{
  FILE *file = fopen(path, "r");
  char *text = NULL, *at, name[32];
  size_t length = 0, room = 0, got;
  uint64_t seed, checksum, count;
  double seconds;
  int e, n, k, first, bins, cells = 0, used;
  if (!file && errno == ENOENT)
    return;
  do {
    if (room - length < 65536 && !(text = (char *)realloc(text, room = 2 * room + 131072)))
      study_die("out of memory", "");
    length += got = file ? fread(text + length, 1, 65535, file) : 0;
  } while (got);
  if (!file || ferror(file) || fclose(file))
    study_die("cannot be read", path);
  text[length] = 0;
  if (sscanf(text, "study 1 seed %" SCNu64 "%n", &seed, &used) != 1)
    study_die("not a state of this program", path);
  if (seed != all->seed)
    study_die("has samples of another seed", path);
  for (at = text + used;
       sscanf(at, " cell %31s n %d count %" SCNu64 " seconds %lf sums%n", name, &n, &count, &seconds, &used) == 4;
       cells++) {
    study_cell *cell;
    uint64_t total = 0;
    for (e = 0; e < STUDY_ENSEMBLES && strcmp(name, study_ensembles[e].name); e++)
      ;
    if (e == STUDY_ENSEMBLES || n < 1 || n > STUDY_MOST_N)
      study_die("has a cell that this program does not know", path);
    cell = study_cell_at(all, e, n);
    cell->count = count;
    cell->seconds = seconds;
    at += used;
    for (k = 0; k < STUDY_POWERS; k++)
      cell->sum[k] = strtod(at, &at);
    if (sscanf(at, " bins %d %d%n", &first, &bins, &used) != 2 || first < 0 || bins < 0 || bins > STUDY_BINS - first)
      study_die("is damaged", path);
    for (at += used, k = first; k < first + bins; k++)
      total += cell->bin[k] = strtoull(at, &at, 10);
    if (total != count || count % STUDY_BLOCK)
      study_die("is damaged", path);
  }
  while (*at == '\n')
    at++;
  if (sscanf(at, "end %d %" SCNx64, &k, &checksum) != 2 || k != cells ||
      checksum != study_checksum(text, (size_t)(at - text)))
    study_die("is damaged", path);
  free(text);
}

/* ---- samples */

/* Permanents of +-1 matrices are multiples of 2^(n - 1 - floor(log2 n)) (A. R. Kraeuter, N. Seifter, On some questions
   concerning permanents of (1, -1)-matrices, Israel J. Math. 45 (1983) 53-62): the rounding error is removed, and every
   one of them checked. */
static double study_multiple(int n, double permanent)
{
  int log2n = 0;
  double unit, whole;
  while (2 << log2n <= n)
    log2n++;
  unit = ldexp(1, n - 1 - log2n);
  whole = floor(permanent / unit + 0.5);
  if (!(fabs(permanent / unit - whole) < 1e-3))
    study_die("a permanent of signs is not a multiple of the power of two that it must be", "");
  return whole * unit;
}

static int study_bin(double x)
{
  const double at = x > 0 ? (log10(x) - STUDY_FIRST_DECADE) * STUDY_PER_DECADE : -1;
  return at < 0 ? 0 : at >= STUDY_BINS - 2 ? STUDY_BINS - 1 : 1 + (int)at;
}

/* The next `count` samples (a multiple of the block) of a cell: matrices, one batch of permanents, sums. */
static void study_draw(study *all, const study_run *run, int e, int n, int64_t count, double *matrices)
{
  const study_ensemble *ensemble = &study_ensembles[e];
  study_cell *cell = study_cell_at(all, e, n);
  static char compiled[3][STUDY_MOST_N + 1];
  double start;
  const int parts = ensemble->kind == STUDY_BERNOULLI ? 1 : 2;
  const size_t size = (size_t)(n * n * parts), room = study_room(ensemble, n) + 1;
  const int64_t blocks = count / STUDY_BLOCK;
  double *permanents = matrices + (size_t)count * size, *x = permanents + 2 * count, *sums = x + count, root = 1;
  perm_options options;
  perm_result result;
  perm_status status;
  int64_t block, k;
  int power, failed = 0;
  for (k = 2; k <= n; k++)
    root *= sqrt((double)k);
  memset(&options, 0, sizeof options);
  options.threads = run->threads;
  options.tolerance = 1e-7;   /* of permanents near 0 nobody asks for more: they are not computed again */
  if (run->gpus && n >= 12) { /* below, sixteen cores are as fast */
    options.gpu.devices = PERM_ALL_GPUS;
    options.isa = PERM_ISA_CUDA;
    options.gpu.cpu_fallback = 1;
    options.gpu.cache = run->gpu_cache;
    if (!compiled[parts][n]) { /* the kernel, for all cells alike: not this one's time */
      compiled[parts][n] = 1;
      memset(matrices, 0, size * sizeof *matrices);
      if (parts == 2)
        perm_batch_complex(n, 1, matrices, size / 2, &options, permanents, NULL);
      else
        perm_batch_real(n, 1, matrices, size, &options, permanents, NULL);
    }
  }
  start = study_now();
#if defined(_OPENMP)
#pragma omp parallel num_threads(run->threads)
#endif
  {
    double *memory = (double *)malloc(room * sizeof *memory);
    int64_t i, j;
#if defined(_OPENMP)
#pragma omp for schedule(dynamic, 1)
#endif
    for (i = 0; i < blocks; i++)
      for (j = i * STUDY_BLOCK; memory && j < (i + 1) * STUDY_BLOCK; j++)
        study_matrix(all->seed, e, n, cell->count + (uint64_t)j, memory, matrices + (size_t)j * size);
    if (!memory) {
#if defined(_OPENMP)
#pragma omp atomic write
#endif
      failed = 1;
    }
    free(memory);
  }
  if (failed)
    study_die("out of memory", "");
  status = parts == 2 ? perm_batch_complex(n, (size_t)count, matrices, size / 2, &options, permanents, &result)
                      : perm_batch_real(n, (size_t)count, matrices, size, &options, permanents, &result);
  if (status != PERM_OK)
    study_die(perm_status_text(status), result.message);
#if defined(_OPENMP)
#pragma omp parallel for num_threads(run->threads) private(k, power)
#endif
  for (block = 0; block < blocks; block++) {
    double *sum = sums + block * STUDY_POWERS;
    for (power = 0; power < STUDY_POWERS; power++)
      sum[power] = 0;
    for (k = block * STUDY_BLOCK; k < (block + 1) * STUDY_BLOCK; k++) {
      double term = 1;
      x[k] = parts == 2 ? hypot(permanents[2 * k], permanents[2 * k + 1]) / root
                        : fabs(study_multiple(n, permanents[k])) / root;
      for (power = 0; power < STUDY_POWERS; power++)
        sum[power] += term *= x[k];
    }
  }
  for (block = 0; block < blocks; block++)
    for (power = 0; power < STUDY_POWERS; power++)
      cell->sum[power] += sums[block * STUDY_POWERS + power];
  for (k = 0; k < count; k++)
    cell->bin[study_bin(x[k])]++;
  cell->count += (uint64_t)count;
  cell->seconds += study_now() - start;
}

/* Share of the time that a cell gets. Fits use n >= 5; there is little to learn from smaller ones, which are fast. */
static double study_share(int e, int n)
{
  return study_ensembles[e].share * (n < 5 ? 0.1 : n > 18 ? 1.5 : 1);
}

static size_t study_sample_bytes(int e, int n)
{
  const int parts = study_ensembles[e].kind == STUDY_BERNOULLI ? 1 : 2;
  return ((size_t)(n * n * parts) + 4) * sizeof(double);
}

/* How many samples next: what takes about `aim` seconds, at most eight times what the cell has, as memory allows. */
static int64_t study_batch(const study_run *run, const study_cell *cell, int e, int n, double aim)
{
  const double room = run->batch_bytes / (double)study_sample_bytes(e, n), done = cell ? (double)cell->count : 0;
  double count = n < 18 ? 16 * STUDY_BLOCK : STUDY_BLOCK;
  if (done > 0)
    count = fmin(aim * done / fmax(cell->seconds, 1e-6), 8 * done);
  count = fmin(count, room);
  if (run->samples > 0)
    count = fmin(count, run->samples - done);
  return (int64_t)fmax(1, ceil(count / STUDY_BLOCK - 1e-9)) * STUDY_BLOCK;
}

/* Predicted seconds of a sample: as so far, or 2.2 times the order before; INFINITY: that one is too slow already. */
static double study_rate(const study *all, const study_run *run, int e, int n)
{
  const study_cell *cell = all->cell[e][n], *before = all->cell[e][n - 1];
  if (cell)
    return cell->seconds / (double)cell->count;
  if (before)
    return 2.2 * before->seconds / (double)before->count;
  return n > run->first_n && n > study_ensembles[e].first_n ? (double)INFINITY : 0;
}

/* Draws until the time is over or all cells have their samples. The next batch is always for the cell that has had
   least of its share of the time, so that a run can be stopped anywhere, and errors shrink together. */
static void study_work(study *all, const study_run *run)
{
  char over[STUDY_ENSEMBLES][STUDY_MOST_N + 1];
  double *matrices, written = study_now();
  size_t room = (size_t)run->batch_bytes;
  int e, n;
  for (e = 0; e < STUDY_ENSEMBLES; e++) /* a block at least */
    for (n = 1; n <= run->last_n; n++)
      room = room > STUDY_BLOCK * study_sample_bytes(e, n) ? room : STUDY_BLOCK * study_sample_bytes(e, n);
  matrices = (double *)malloc(room + STUDY_BLOCK * study_sample_bytes(0, run->last_n));
  if (!matrices)
    study_die("out of memory", "");
  memset(over, 0, sizeof over);
  for (;;) {
    const double left = run->seconds > 0 ? run->seconds - (study_now() - run->start) : (double)INFINITY;
    const double aim = fmin(fmax(run->seconds / 250, 0.3), 3);
    double least = HUGE_VAL, needed;
    int64_t count;
    int at_e = -1, at_n = 0;
    for (e = 0; e < STUDY_ENSEMBLES; e++)
      for (n = study_ensembles[e].first_n > run->first_n ? study_ensembles[e].first_n : run->first_n; n <= run->last_n;
           n++) {
        const study_cell *cell = all->cell[e][n];
        const double had = cell ? cell->seconds / study_share(e, n) : 0;
        if (!run->wanted[e] || over[e][n] || n > study_ensembles[e].last_n || had >= least)
          continue;
        if (cell && run->samples > 0 && (double)cell->count >= run->samples) {
          over[e][n] = 1;
          continue;
        }
        least = had;
        at_e = e;
        at_n = n;
      }
    if (at_e < 0)
      break;
    count = study_batch(run, all->cell[at_e][at_n], at_e, at_n, aim);
    needed = (double)count * study_rate(all, run, at_e, at_n);
    if (left <= 0 || needed > left || (run->seconds > 0 && !all->cell[at_e][at_n] && needed > run->seconds / 60)) {
      over[at_e][at_n] = 1; /* this one no more, but perhaps another */
      continue;
    }
    study_draw(all, run, at_e, at_n, count, matrices);
    if (run->state && study_now() - written >= run->write_seconds) {
      study_save(all, run->state);
      written = study_now();
    }
  }
  free(matrices);
  if (run->state)
    study_save(all, run->state);
}

static const char study_usage[] =
    "usage: study [--state FILE] [--seconds T] [--samples N] [--n A:B] [--ensembles NAME,...] [--table] [--plots DIR]\n"
    "             [--cells] [--gpus] [--gpu-cache DIR] [--threads K] [--seed S] [--batch-bytes B] [--write-seconds T]\n"
    "Draws for T seconds or until every cell has N samples, adds them to FILE, prints estimates beside the paper's.\n";

static double study_number(const char *text, const char *option)
{
  char *end;
  const double value = strtod(text, &end);
  if (end == text || *end || !(value >= 0))
    study_die("not a number", option);
  return value;
}

int main(int count, char **argument)
{
  static study all;
  study_run run;
  char *name, *colon;
  int i, e, n;
  memset(&run, 0, sizeof run);
  run.start = study_now();
  run.batch_bytes = 256e6;
  run.write_seconds = 30;
  run.first_n = 1;
  run.last_n = STUDY_MOST_N;
  for (e = 0; e < STUDY_ENSEMBLES; e++)
    run.wanted[e] = study_ensembles[e].kind != STUDY_HAAR_QR;
#if defined(_OPENMP)
  run.threads = omp_get_max_threads();
#else
  run.threads = 1;
#endif
  for (i = 1; i < count; i++) {
    const char *option = argument[i], *value = i + 1 < count ? argument[i + 1] : "";
    int takes = 1;
    if (!strcmp(option, "--state"))
      run.state = value;
    else if (!strcmp(option, "--seconds"))
      run.seconds = study_number(value, option);
    else if (!strcmp(option, "--samples"))
      run.samples = study_number(value, option);
    else if (!strcmp(option, "--batch-bytes"))
      run.batch_bytes = study_number(value, option);
    else if (!strcmp(option, "--write-seconds"))
      run.write_seconds = study_number(value, option);
    else if (!strcmp(option, "--threads"))
      run.threads = (int)study_number(value, option) > 0 ? (int)study_number(value, option) : 1;
    else if (!strcmp(option, "--seed"))
      all.seed = strtoull(value, NULL, 10);
    else if (!strcmp(option, "--gpu-cache"))
      run.gpu_cache = value;
    else if (!strcmp(option, "--plots"))
      run.plots = value;
    else if (!strcmp(option, "--n")) {
      run.first_n = (int)strtol(value, &colon, 10);
      run.last_n = *colon ? (int)strtol(colon + 1, NULL, 10) : run.first_n;
      if (run.first_n < 1 || run.last_n > STUDY_MOST_N)
        study_die("orders are 1 to 30", option);
    } else if (!strcmp(option, "--ensembles")) {
      for (e = 0; e < STUDY_ENSEMBLES; e++)
        run.wanted[e] = 0;
      for (name = strtok(argument[i + 1], ","); name; name = strtok(NULL, ",")) {
        for (e = 0; e < STUDY_ENSEMBLES && strcmp(name, study_ensembles[e].name); e++)
          ;
        if (e == STUDY_ENSEMBLES)
          study_die("no such ensemble", name);
        run.wanted[e] = 1;
      }
    } else {
      takes = 0;
      if (!strcmp(option, "--gpus"))
        run.gpus = 1;
      else if (!strcmp(option, "--table"))
        run.table = 1;
      else if (!strcmp(option, "--cells"))
        run.report = 1;
      else {
        fputs(study_usage, strcmp(option, "--help") ? stderr : stdout);
        return strcmp(option, "--help") != 0;
      }
    }
    if (takes && ++i >= count)
      study_die("needs a value", option);
  }
  if (run.state)
    study_load(&all, run.state);
  if (run.seconds > 0 || run.samples > 0)
    study_work(&all, &run);
  if (run.report)
    study_report_cells(&all);
  if (run.table)
    study_report_table(&all);
  if (run.plots)
    study_report_plots(&all, run.plots);
  for (e = 0; e < STUDY_ENSEMBLES; e++)
    for (n = 0; n <= STUDY_MOST_N; n++)
      free(all.cell[e][n]);
  return 0;
}
/* SPDX-License-Identifier: MIT */
