/* perm_cuda.cu for tests: a driver that runs the kernels' text on the CPU, chunk by chunk, to test without a GPU and to
   compare with one; and faults on demand. */
#include <sys/mman.h>
#define INSIDE_KERNELS
#define INSIDE_TWINS
#include "../unit/inside.h"

/* The sums of a chunk from those of its threads. */
static void permi_twin_fold(double *room, double *sums)
{
  int half, t, k;
  for (half = 64; half; half /= 2)
    for (t = 0; t < half; t++)
      permi_fold(room, t, half);
  for (k = 0; k < 5; k++)
    sums[k] = room[128 * k];
}

template <int PARTS, int PRODUCT, int LOW>
static void permi_twin_walk(const permi_arguments<512> &a, const double *table, uint64_t chunk, double *room)
{
  int t;
  for (t = 0; t < 128; t++)
    permi_walk<0, PARTS, PRODUCT, LOW, 0, 0, 512, 128>(a, table, chunk, t, room + t);
}

template <int PARTS, int GROUP, int LOW, int MAJORANT, int K>
static void permi_twin_floats(const permi_arguments<1024, float> &a, const float *table, uint64_t chunk, double *room)
{
  for (int t = 0; t < 128; t++)
    permi_float_walk<0, PARTS, GROUP, LOW, MAJORANT, K, 1024>(a, table, chunk, t, room + t);
}

static void permi_twin_float_chunk(const permi_kernel_key *key, const permi_arguments<512> &given, uint64_t chunk,
                                   double *sums)
{
  permi_arguments<1024, float> a;
  double room[5 * 128];
  memcpy(&a, &given, sizeof a);
  const float *table = (const float *)(a.table + (key->n * key->parts + 1) / 2 * 2 * (1 + a.high));
  (key->parts == 2  ? permi_twin_floats<2, 1, 1, 0, 0>
   : !key->low      ? (key->block ? permi_twin_floats<1, 1, 0, 0, 1> : permi_twin_floats<1, 1, 0, 0, 0>)
   : key->form == 3 ? permi_twin_floats<1, 1, 1, 1, 0>
   : key->form == 2 ? permi_twin_floats<1, 1, 1, 0, 0>
                    : permi_twin_floats<1, 4, 1, 0, 0>)(a, table, chunk, room);
  permi_twin_fold(room, sums);
}

static void permi_twin_chunk(const permi_kernel_key *key, const permi_arguments<512> &a, uint64_t chunk, double *sums)
{
  typedef void (*walk)(const permi_arguments<512> &, const double *, uint64_t, double *);
  static const walk walks[2][3][2] = {
      {{permi_twin_walk<1, 0, 0>, NULL},
       {permi_twin_walk<1, 1, 0>, permi_twin_walk<1, 1, 1>},
       {permi_twin_walk<1, 2, 0>, permi_twin_walk<1, 2, 1>}},
      {{permi_twin_walk<2, 0, 0>, NULL},
       {permi_twin_walk<2, 1, 0>, permi_twin_walk<2, 1, 1>},
       {permi_twin_walk<2, 2, 0>, permi_twin_walk<2, 2, 1>}}};
  const int stride = (key->n * key->parts * (1 + key->low) + 1) / 2 * 2;
  double room[5 * 128];
  walks[key->parts - 1][key->product][key->low](a, a.table + stride * (1 + a.high), chunk, room);
  permi_twin_fold(room, sums);
}

template <int P, int SKIPS>
struct permi_twin_shape {
  enum { PARTS = P, GROUPS = 0, ROOM = PERM_GPU_EXACT_WORDS, SUM_ROOM = PERM_GPU_EXACT_WORDS + 4, SKIP = SKIPS };
  const perm_gpu_exact *e;
  PERMI_BOTH int words() const { return e->words; }
  PERMI_BOTH int stride() const { return e->stride; }
  PERMI_BOTH int groups() const { return e->groups; }
  PERMI_BOTH int sum() const { return e->sum; }
  PERMI_BOTH int zeros() const { return e->zeros; }
  PERMI_BOTH int at(int i) const { return e->at[i]; }
  PERMI_BOTH int kind(int i) const { return e->kind[i]; }
  PERMI_BOTH int carries(int i) const { return e->carries[i]; }
  PERMI_BOTH int first(int i) const { return e->first[i]; }
  PERMI_BOTH int product(int i) const { return e->product[i]; }
  PERMI_BOTH int wide(int i) const { return e->wide[i]; }
  PERMI_BOTH int zero_line(int i) const { return e->zero_line[i]; }
  PERMI_BOTH int zero_base(int i) const { return e->zero_base[i]; }
};

template <int P, int SKIPS>
static void permi_twin_exact(const perm_gpu_exact *exact, const permi_arguments<512> &a, uint64_t chunk, uint64_t *out)
{
  typedef permi_twin_shape<P, SKIPS> S;
  const S shape = {exact};
  const unsigned *table = (const unsigned *)a.table, *walk = table + exact->stride * (1 + a.high);
  const unsigned *settings = walk + exact->stride * (2 * a.walk + 1);
  int t, i, k;
  memset(out, 0, (size_t)(P * exact->sum) * sizeof *out);
  for (t = 0; t < 128; t++) {
    const uint64_t number = chunk << 7 | (uint64_t)t;
    unsigned x[PERM_GPU_EXACT_LINES], y[PERM_GPU_EXACT_LINES], sum[P * S::SUM_ROOM] = {0}, m;
    permi_exact_start(shape, table, number, a.high, x);
    for (m = 0; m < 1u << a.walk; m++) {
      const unsigned odd = (m ^ (unsigned)permi_parity(number)) & 1u;
      permi_exact_step(shape, x, x, walk + exact->stride * (m ? permi_walk_row(m - 1) : 2 * a.walk));
      if (SKIPS) {
        const uint64_t zeros = permi_exact_zeros(shape, x, (const unsigned long long *)(settings + 64 * exact->stride));
        for (k = 0; k < 64; k++)
          if (!(zeros >> k & 1)) {
            permi_exact_step(shape, y, x, settings + exact->stride * k);
            permi_exact_term(shape, y, odd ^ (unsigned)permi_parity((unsigned)k), sum);
          }
      } else {
        permi_exact_term(shape, x, odd, sum);
      }
    }
    for (i = 0; i < P * exact->sum; i++)
      out[i] += sum[i / exact->sum * S::SUM_ROOM + i % exact->sum];
  }
}

template <int N, int PARTS, class F>
static void permi_twin_matrix(const double *a, double *result)
{
  permi_batch_room<N, PARTS, F> room;
  const int team = permi_batch_room<N, PARTS, F>::TEAM;
  double fold[5 * 128];
  int plain, pivot, half, i;
  memcpy(room.a, a, sizeof room.a);
  for (i = 0; i < N; i++)
    permi_batch_row_largest(room, i);
  for (i = 0; i < N; i++)
    permi_batch_column_worst(room, i);
  pivot = permi_batch_pivot(room, &plain);
  for (i = 0; i < N; i++)
    permi_batch_row(room, i, pivot, plain);
  permi_batch_arguments(room, plain);
  for (i = 0; i < team; i++)
    permi_batch_walk(room, i, plain, fold + i);
  for (half = team / 2; half; half /= 2)
    for (i = 0; i < half; i++)
      permi_fold(fold, i, half);
  permi_batch_finish(room, fold, 128, result);
}

/* Some orders only: each is code of its own. */
static CUresult permi_twin_batch(const perm_gpu_program *program, const permi_batch_given &given)
{
  const int n = given.n, parts = program->batch, floats = program->floats;
  void (*matrix)(const double *, double *) = NULL;
  size_t k;
#define PERMI_TWIN_ORDER(N)                                                                                            \
  if (n == N)                                                                                                          \
    matrix = floats ? (parts == 2 ? permi_twin_matrix<N, 2, float> : permi_twin_matrix<N, 1, float>)                  \
                    : (parts == 2 ? permi_twin_matrix<N, 2, double> : permi_twin_matrix<N, 1, double>);
#define PERMI_TWIN_SMALL(N)                                                                                            \
  if (n == N && !floats)                                                                                               \
    matrix = parts == 2 ? permi_twin_matrix<N, 2, double> : permi_twin_matrix<N, 1, double>;
  PERMI_TWIN_SMALL(2)
  PERMI_TWIN_SMALL(3)
  PERMI_TWIN_SMALL(5)
  PERMI_TWIN_SMALL(8)
  PERMI_TWIN_SMALL(9)
  PERMI_TWIN_ORDER(10)
  PERMI_TWIN_ORDER(11)
  PERMI_TWIN_ORDER(13)
  PERMI_TWIN_ORDER(17)
#undef PERMI_TWIN_ORDER
#undef PERMI_TWIN_SMALL
  if (!matrix)
    return CUDA_ERROR_NOT_SUPPORTED;
  for (k = 0; k < given.count; k++) {
    double found[4];
    matrix(given.in + k * (size_t)(n * n * parts), found);
    (parts == 2 ? permi_batch_keep<2> : permi_batch_keep<1>)(given, found, k);
  }
  return CUDA_SUCCESS;
}

/* A warp of 32 lanes, which does all tasks of the launch; others seem to be idle, so that it gives trees away, to
   itself. */
template <int DIGITS>
struct permi_twin_signs_shape {
  enum { SMALL = DIGITS, LANES = 32, MOST_PREFIX = 64, MOST_FOURS = 4 };
  const perm_gpu_signs *s;
  PERMI_BOTH int prefix() const { return s->prefix; }
  PERMI_BOTH int depth() const { return s->depth; }
  PERMI_BOTH int more() const { return s->more; }
  PERMI_BOTH int word(int c) const { return s->word[c]; }
  PERMI_BOTH int words() const { return s->word[4]; }
  PERMI_BOTH int root() const { return s->root; }
  PERMI_BOTH int start() const { return s->start; }
  PERMI_BOTH int target() const { return s->target; }
  PERMI_BOTH int odd() const { return s->odd; }
  PERMI_BOTH int column() const { return s->column; }
  PERMI_BOTH int done() const { return s->done; }
  PERMI_BOTH int pattern0() const { return s->pattern[0]; }
  PERMI_BOTH int pattern1() const { return s->pattern[1]; }
  PERMI_BOTH int cut() const { return s->cut; }
  PERMI_BOTH int path() const { return s->path; }
  PERMI_BOTH int room() const { return s->room; }
};

template <int DIGITS>
static void permi_twin_signs(const perm_gpu_signs *signs, const permi_arguments<512> &a, unsigned chunks)
{
  const permi_twin_signs_shape<DIGITS> shape = {signs};
  const unsigned *table = (const unsigned *)a.table;
  const uint64_t *begin = (const uint64_t *)(const void *)(table + signs->path) + signs->paths + a.first;
  unsigned *shared = (unsigned *)calloc((size_t)signs->room + 260, sizeof *shared), chunk;
  permi_signs_warp<permi_twin_signs_shape<DIGITS> > w;
  unsigned long long total[6] = {0};
  int l, k;
  w.queue = (unsigned long long *)a.out;
  w.slots = chunks;
  for (k = 0; k < 65; k++)
    permi_signs_power(shared + 4 * k, k);
  permi_signs_begin(shape, w, table, shared, 0);
  w.queue[PERMI_SIGNS_IDLE] += 3;
  w.queue[PERMI_SIGNS_WARPS] += 3;
  permi_signs_work(shape, w, begin[0], (unsigned)(begin[chunks] - begin[0]) << signs->more);
  for (l = 0; l < 32; l++)
    for (k = 0; k < 6; k++)
      total[k] += w.sum[l][k];
  permi_signs_finish(total, a.out);
  memset(total, 0, sizeof total);
  for (chunk = 1; chunk < chunks; chunk++)
    permi_signs_finish(total, a.out + PERMI_SIGNS_OUT * (size_t)chunk);
  free(shared);
}

template <int PARTS, int FAST>
static void permi_twin_minors(const perm_gpu_program *program, const permi_arguments<512> &a, uint64_t chunk,
                              double *all, double *out)
{
  const int columns = program->minors->columns, size = columns * PARTS;
  const permi_minors_view view = permi_minors_open(a.table, size, chunk);
  const int words = 8 * size * (FAST ? view.digits : 1), apart = words * (FAST ? 1 : 2) + 8 * columns;
  int group, lane, m, bit, i;
  for (group = 0; group < 16; group++) {
    permi_minors_lane<0, PARTS, FAST> o[8];
    double *planes = all + group * apart, other[8][2], weight[8];
    unsigned long long base;
    memset(planes, 0, (size_t)apart * sizeof *planes);
    memset(o, 0, sizeof o);
    for (base = view.begin; base < view.end; base += 16) {
      const unsigned long long number = base + (unsigned long long)group;
      for (lane = 0; lane < 8; lane++)
        weight[lane] = permi_minors_number(o[lane], a.table, view, columns, number, lane);
      for (m = 0; m < view.terms; m++) {
        const int move = (int)view.walk[2 * m + 1], digit = (move < 0 ? -move : move) - 1;
        for (lane = 0; lane < 8; lane++) {
          if (move)
            permi_minors_move(o[lane], view.step + 8 * size * digit + lane, columns, digit, move < 0 ? -1.0 : 1.0,
                              planes + 8 * size * digit + lane);
          permi_minors_forward(o[lane], columns);
        }
        for (bit = 1; bit < 8; bit *= 2) {
          for (lane = 0; lane < 8; lane++)
            memcpy(other[lane], o[lane ^ bit].product, sizeof other[lane]);
          for (lane = 0; lane < 8; lane++)
            permi_minors_meet(o[lane], other[lane], bit);
        }
        for (lane = 0; lane < 8; lane++)
          permi_minors_backward(
              o[lane], columns, permi_mul(view.walk[2 * m], weight[lane]),
              permi_sampled(permi_term_key(chunk, (unsigned)(base - view.begin) / 16, (unsigned)m), a.mask));
      }
      for (lane = 0; lane < 8; lane++)
        permi_minors_put(o[lane], view, columns, number, planes + lane);
    }
    for (lane = 0; lane < 8; lane++)
      for (i = 0; i < columns; i++)
        planes[apart - 8 * columns + 8 * i + lane] = o[lane].absolute[i];
  }
  for (i = 0; i < words + 8 * columns; i++)
    permi_minors_total(all, apart, words, !FAST, i, out);
}

static void permi_twin_minors_chunk(const perm_gpu_program *program, const permi_arguments<512> &a, uint64_t chunk,
                                    double *all, double *out)
{
  typedef void (*run)(const perm_gpu_program *, const permi_arguments<512> &, uint64_t, double *, double *);
  static const run runs[2][2] = {{permi_twin_minors<1, 0>, permi_twin_minors<1, PERM_GPU_MINORS_FAST>},
                                 {permi_twin_minors<2, 0>, permi_twin_minors<2, PERM_GPU_MINORS_FAST>}};
  runs[program->minors->parts - 1][program->minors->fast > 0](program, a, chunk, all, out);
}

static int permi_twin_devices = 1;
static CUresult permi_twin_init(unsigned) { return CUDA_SUCCESS; }
static CUresult permi_twin_count(int *count) { *count = permi_twin_devices; return CUDA_SUCCESS; }
static int permi_twin_shared = 232448; /* as an H200 */
static int permi_twin_card[5]; /* multiprocessors, clock, FP32 over FP64, memory's clock and bus; 0: 2, not told */
static CUresult permi_twin_attribute(int *value, CUdevice_attribute what, CUdevice)
{
  const int *card = permi_twin_card;
  *value = what == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN           ? permi_twin_shared
           : what == CU_DEVICE_ATTRIBUTE_CLOCK_RATE                                 ? card[1]
           : what == CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO      ? card[2]
           : what == CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE                          ? card[3]
           : what == CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH                    ? card[4]
           : what == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT && card[0]            ? card[0]
                                                                                    : 2;
  return CUDA_SUCCESS;
}
static CUresult permi_twin_retain(CUcontext *context, CUdevice) { *context = (CUcontext)1; return CUDA_SUCCESS; }
static CUresult permi_twin_current(CUcontext) { return CUDA_SUCCESS; }
typedef struct permi_twin_kernel { /* its functions */
  permi_kernel_key key;
  int function;
} permi_twin_kernel;
static CUresult permi_twin_load(CUmodule *module, const void *image)
{
  permi_twin_kernel *kernel = (permi_twin_kernel *)calloc(PERMI_FUNCTIONS, sizeof *kernel);
  int k;
  if (!kernel)
    return CUDA_ERROR_OUT_OF_MEMORY;
  for (k = 0; k < PERMI_FUNCTIONS; k++) {
    memcpy(&kernel[k].key, image, sizeof kernel->key);
    kernel[k].function = k;
  }
  *module = (CUmodule)kernel;
  return CUDA_SUCCESS;
}
static CUresult permi_twin_unload(CUmodule module) { free((void *)module); return CUDA_SUCCESS; }
static CUresult permi_twin_function(CUfunction *function, CUmodule module, const char *name)
{
  permi_twin_kernel *kernel = (permi_twin_kernel *)module;
  int k;
  for (k = 0; k < PERMI_FUNCTIONS; k++)
    if (permi_functions[kernel->key.family][k] && !strcmp(permi_functions[kernel->key.family][k], name)) {
      *function = (CUfunction)&kernel[k];
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_NOT_FOUND;
}

/* A thread block of a step: its ways and blocks one after the other. */
template <int CELL, int WORDS, int PARTS>
static void permi_twin_block(const permi_step_arguments &a, unsigned block)
{
  permi_route route[256];
  permi_origin origin[256];
  const unsigned top = a.top[block / (unsigned)a.spans];
  const int ones = permi_ones(top), begin = a.middle_start[ones] + (int)(block % (unsigned)a.spans) * a.span;
  int m, s, first, routes = 0, origins;
  for (s = 0; s < a.ways; s++)
    routes += permi_route_make(a, top, a.way[s], route[routes]);
  for (m = begin; m < begin + a.span && m < a.middle_start[ones + 1]; m++) {
    const int left = a.left[m], count = a.to_start[left + 1] - a.to_start[left];
    for (origins = s = 0; s < routes; s++)
      origins += permi_origin_make(a, a.middle[m], left, route[s], origin[origins]);
    for (first = 0; first < count; first += 2)
      permi_values<CELL, WORDS, PARTS, 2>(a, origin, origins,
                                          a.to_top[top] + a.to_middle[(ones << a.to_shift) + a.middle[m]] +
                                              a.to_start[left],
                                          count, first, 1, a.sizes);
  }
}

/* What is compiled for a kind of values, or NULL. */
typedef void (*permi_twin_cell)(const permi_step_arguments &, unsigned);
#define PERMI_TWIN_CELL(cell, words, parts) permi_twin_block<cell, words, parts>
static permi_twin_cell permi_twin_cell_of(const permi_kernel_key *key)
{
  static const permi_twin_cell cells[4] = {PERMI_TWIN_CELL(0, 1, 1), PERMI_TWIN_CELL(1, 1, 1), PERMI_TWIN_CELL(2, 1, 1),
                                           PERMI_TWIN_CELL(3, 1, 1)};
#define PERMI_TWIN_INTEGERS(parts)                                                                                     \
  {PERMI_TWIN_CELL(4, 1, parts), PERMI_TWIN_CELL(4, 2, parts), PERMI_TWIN_CELL(4, 3, parts),                           \
   PERMI_TWIN_CELL(4, 4, parts), PERMI_TWIN_CELL(4, 5, parts), PERMI_TWIN_CELL(4, 6, parts),                           \
   PERMI_TWIN_CELL(4, 7, parts), PERMI_TWIN_CELL(4, 8, parts), PERMI_TWIN_CELL(4, 9, parts),                           \
   PERMI_TWIN_CELL(4, 10, parts)}
  static const permi_twin_cell integers[2][10] = {PERMI_TWIN_INTEGERS(1), PERMI_TWIN_INTEGERS(2)};
#undef PERMI_TWIN_INTEGERS
  if (key->product == PERM_GPU_INTEGER)
    return key->n > 10 ? NULL : integers[key->parts - 1][key->n - 1];
  return cells[key->product];
}

static CUresult permi_twin_allow(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }

static CUresult permi_twin_step(const permi_kernel_key *key, const permi_step_arguments &a, unsigned blocks)
{
  const permi_twin_cell cell = permi_twin_cell_of(key);
  unsigned block;
  for (block = 0; cell && block < blocks; block++)
    cell(a, block);
  return cell ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

/* The sums of a thread block's |amplitude|^2 as its tree adds them. */
static CUresult permi_twin_photons(const permi_photon_arguments &a, unsigned blocks)
{
  for (unsigned block = 0; block < blocks; block++) {
    double sum[PERMI_PHOTON_THREADS];
    for (unsigned t = 0; t < PERMI_PHOTON_THREADS; t++) {
      const unsigned long long place = a.low + (unsigned long long)PERMI_PHOTON_THREADS * block + t;
      sum[t] = place < a.high ? permi_photon(a, place) : 0;
    }
    for (unsigned half = PERMI_PHOTON_THREADS / 2; a.norm && half; half /= 2)
      for (unsigned t = 0; t < half; t++)
        sum[t] = permi_add(sum[t], sum[t + half]);
    if (a.norm)
      a.norm[block] = sum[0];
  }
  return CUDA_SUCCESS;
}

static CUresult permi_twin_run(CUfunction function, unsigned gx, void **parameters, void **program_given)
{
  const permi_twin_kernel *kernel = (const permi_twin_kernel *)function;
  const permi_step_arguments *step = (const permi_step_arguments *)parameters[0];
  const perm_gpu_program *program = (const perm_gpu_program *)(void *)program_given;
  permi_arguments<512> a;
  unsigned chunk;
  if (kernel->key.family == 2)
    return permi_twin_photons(*(const permi_photon_arguments *)parameters[0], gx);
  if (kernel->key.family == 1 && kernel->function == PERMI_STEP)
    return permi_twin_step(&kernel->key, *step, gx);
  if (kernel->key.family == 1 && kernel->function == PERMI_PLACES) {
    for (chunk = 0; chunk < gx; chunk++)
      for (int k = 0; k < step->words && step->way[chunk].place >= 0; k++)
        step->place[step->way[chunk].place + k] = permi_place(*step, step->way[chunk], k);
    return CUDA_SUCCESS;
  }
  if (kernel->key.family) {
    double *x = (double *)(uintptr_t)*(const CUdeviceptr *)parameters[0];
    for (unsigned long long k = 0; k < *(const unsigned long long *)parameters[1]; k++)
      x[k] = permi_scaled(x[k], *(const double *)parameters[2], *(const double *)parameters[3]);
    return CUDA_SUCCESS;
  }
  if (program && program->batch)
    return permi_twin_batch(program, *(const permi_batch_given *)parameters[0]);
  memcpy(&a, parameters[0], PERMI_HEAD_BYTES + 4096);
  if (program && program->signs) {
    (program->signs->by_table ? permi_twin_signs<1> : permi_twin_signs<0>)(program->signs, a, gx);
    return CUDA_SUCCESS;
  }
  for (chunk = 0; chunk < gx; chunk++)
    if (program && program->exact) {
      const perm_gpu_exact *exact = program->exact;
      uint64_t *out = (uint64_t *)a.out + (size_t)program->sums * chunk;
      if (exact->skip)
        permi_twin_exact<1, 1>(exact, a, a.first + chunk, out);
      else if (exact->parts == 1)
        permi_twin_exact<1, 0>(exact, a, a.first + chunk, out);
      else
        permi_twin_exact<2, 0>(exact, a, a.first + chunk, out);
    } else if (program && program->minors) {
      permi_twin_minors_chunk(program, a, a.first + chunk,
                              a.out + (size_t)program->sums * gx + (size_t)program->scratch * chunk,
                              a.out + (size_t)program->sums * chunk);
    } else if (program) {
      program->twin(program->context, a.first + chunk, a.out + 5 * (size_t)chunk);
    } else {
      (kernel->key.product == PERM_GPU_FLOATS ? permi_twin_float_chunk
                                              : permi_twin_chunk)(&kernel->key, a, a.first + chunk,
                                                                  a.out + 5 * (size_t)chunk);
    }
  return CUDA_SUCCESS;
}
static volatile int permi_twin_compiling; /* milliseconds */
static void permi_twin_compile(void)
{
  const double end = permi_clock() + 1e-3 * permi_twin_compiling;
  while (permi_clock() < end && !permi_cuda.leaving)
    usleep(1000);
}
static CUresult permi_twin_stream(CUstream *stream, unsigned) { *stream = (CUstream)1; return CUDA_SUCCESS; }
static CUresult permi_twin_stream_free(CUstream) { return CUDA_SUCCESS; }
static CUresult permi_twin_event(CUevent *event, unsigned) { *event = (CUevent)1; return CUDA_SUCCESS; }
static CUresult permi_twin_event_free(CUevent) { return CUDA_SUCCESS; }
static CUresult permi_twin_record(CUevent, CUstream) { return CUDA_SUCCESS; }
static CUresult permi_twin_wait(CUevent) { return CUDA_SUCCESS; }
static CUresult permi_twin_allocate_host(void **pointer, size_t bytes)
{
  *pointer = malloc(bytes);
  return *pointer ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
/* Memory of the twin, so that a host's pointer is told from it. What tests give to calls (permi_twin_guard) can be read
   and written by driver calls alone. */
enum { PERMI_TWIN_ROOMS = 512, PERMI_TWIN_PAGE = 65536 };
static struct {
  CUdeviceptr at;
  size_t bytes;
  int guarded;
} permi_twin_room[PERMI_TWIN_ROOMS];
static pthread_mutex_t permi_twin_lock = PTHREAD_MUTEX_INITIALIZER;
static int permi_twin_guard, permi_twin_inside;
/* Driver calls enter (1) and leave (-1). */
static void permi_twin_touch(int way)
{
  pthread_mutex_lock(&permi_twin_lock);
  permi_twin_inside += way;
  for (int k = 0; k < PERMI_TWIN_ROOMS && permi_twin_inside == (way > 0); k++)
    if (permi_twin_room[k].at && permi_twin_room[k].guarded)
      mprotect((void *)(uintptr_t)permi_twin_room[k].at, permi_twin_room[k].bytes,
               way > 0 ? PROT_READ | PROT_WRITE : PROT_NONE);
  pthread_mutex_unlock(&permi_twin_lock);
}
/* Returns the room with so many bytes at the pointer, or PERMI_TWIN_ROOMS. */
static int permi_twin_find(CUdeviceptr pointer, size_t bytes)
{
  int k = 0;
  pthread_mutex_lock(&permi_twin_lock);
  while (k < PERMI_TWIN_ROOMS && !(permi_twin_room[k].at && pointer >= permi_twin_room[k].at &&
                                   pointer + bytes <= permi_twin_room[k].at + permi_twin_room[k].bytes))
    k++;
  pthread_mutex_unlock(&permi_twin_lock);
  return k;
}
static CUresult permi_twin_allocate(CUdeviceptr *pointer, size_t bytes)
{
  const int guarded = permi_twin_guard;
  const size_t size = guarded ? (bytes / PERMI_TWIN_PAGE + 1) * PERMI_TWIN_PAGE : bytes;
  void *room = guarded ? aligned_alloc(PERMI_TWIN_PAGE, size) : malloc(size);
  int k = 0;
  *pointer = (CUdeviceptr)(uintptr_t)room;
  pthread_mutex_lock(&permi_twin_lock);
  while (k < PERMI_TWIN_ROOMS && permi_twin_room[k].at)
    k++;
  if (k < PERMI_TWIN_ROOMS && room) {
    permi_twin_room[k].at = *pointer;
    permi_twin_room[k].bytes = size;
    permi_twin_room[k].guarded = guarded;
  }
  pthread_mutex_unlock(&permi_twin_lock);
  return k < PERMI_TWIN_ROOMS && room ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
static CUresult permi_twin_pointer(void *value, CUpointer_attribute attribute, CUdeviceptr pointer)
{
  if (permi_twin_find(pointer, 1) == PERMI_TWIN_ROOMS)
    return CUDA_ERROR_INVALID_VALUE;
  *(unsigned *)value = attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE ? CU_MEMORYTYPE_DEVICE : 0;
  return CUDA_SUCCESS;
}
static CUresult permi_twin_set(CUdeviceptr to, unsigned char byte, size_t bytes, CUstream)
{
  if (bytes && permi_twin_find(to, bytes) == PERMI_TWIN_ROOMS)
    return CUDA_ERROR_INVALID_VALUE;
  permi_twin_touch(1);
  memset((void *)(uintptr_t)to, byte, bytes);
  permi_twin_touch(-1);
  return CUDA_SUCCESS;
}
static CUresult permi_twin_launch(CUfunction function, unsigned gx, unsigned, unsigned, unsigned, unsigned, unsigned,
                                  unsigned, CUstream, void **parameters, void **program_given)
{
  permi_twin_touch(1);
  const CUresult status = permi_twin_run(function, gx, parameters, program_given);
  permi_twin_touch(-1);
  return status;
}
static CUresult permi_twin_drain(CUstream) { return CUDA_SUCCESS; }
static CUresult permi_twin_release_host(void *pointer) { free(pointer); return CUDA_SUCCESS; }
static CUresult permi_twin_release(CUdeviceptr pointer)
{
  const int k = permi_twin_find(pointer, 0);
  permi_twin_touch(1);
  if (k < PERMI_TWIN_ROOMS)
    permi_twin_room[k].at = 0;
  permi_twin_touch(-1);
  free((void *)(uintptr_t)pointer);
  return CUDA_SUCCESS;
}
static CUresult permi_twin_bytes_go(void *to, const void *from, size_t bytes)
{
  permi_twin_touch(1);
  memcpy(to, from, bytes);
  permi_twin_touch(-1);
  return CUDA_SUCCESS;
}
static CUresult permi_twin_upload(CUdeviceptr to, const void *from, size_t bytes)
{
  return permi_twin_bytes_go((void *)(uintptr_t)to, from, bytes);
}
static CUresult permi_twin_copy(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream)
{
  if (permi_twin_find(to, bytes) == PERMI_TWIN_ROOMS && permi_twin_find(from, bytes) == PERMI_TWIN_ROOMS)
    return CUDA_ERROR_INVALID_VALUE; /* none is of a GPU */
  return permi_twin_bytes_go((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
}
static CUresult permi_twin_send(CUdeviceptr to, const void *from, size_t bytes, CUstream)
{
  return permi_twin_upload(to, from, bytes);
}
static size_t permi_twin_bytes = (size_t)1 << 30;
static CUresult permi_twin_memory(size_t *left, size_t *total)
{
  *left = *total = permi_twin_bytes;
  return CUDA_SUCCESS;
}
static CUresult permi_twin_total(size_t *bytes, CUdevice) { *bytes = permi_twin_bytes; return CUDA_SUCCESS; }
static CUresult permi_twin_push(CUcontext) { return CUDA_SUCCESS; }
static CUresult permi_twin_pop(CUcontext *) { return CUDA_SUCCESS; }
static CUresult permi_twin_synchronise(void) { return CUDA_SUCCESS; }
static CUresult permi_twin_download(void *to, CUdeviceptr from, size_t bytes, CUstream)
{
  return permi_twin_bytes_go(to, (const void *)(uintptr_t)from, bytes);
}
static CUresult permi_twin_text(CUresult, const char **text) { *text = "of the tests"; return CUDA_SUCCESS; }

/* devices > 0: from now on the twin with so many; 0: the real driver, opened again. */
extern "C" void perm_cuda_test_driver(int devices)
{
  pthread_mutex_lock(&permi_cuda_lock);
  while (permi_cuda.threads)
    pthread_cond_wait(&permi_made, &permi_cuda_lock);
  while (permi_cuda.loaded) {
    permi_loaded *loaded = permi_cuda.loaded;
    permi_cuda.loaded = loaded->next;
    permi_cuda.driver.unload(loaded->module);
    free(loaded->image);
    free(loaded);
  }
  permi_cuda.driver_state = permi_cuda.nvrtc_state = 0;
  memset(permi_cuda.context, 0, sizeof permi_cuda.context);
  permi_cuda.twin = devices > 0 ? permi_twin_compile : NULL;
  permi_twin_devices = devices;
  if (devices > 0) {
#define PERMI_TWIN(name, symbol, parameters) permi_cuda.driver.name = permi_twin_##name;
    PERMI_DRIVER_LIST(PERMI_TWIN)
#undef PERMI_TWIN
  }
  pthread_mutex_unlock(&permi_cuda_lock);
}

/* What the twin says that a block may share, from the next perm_cuda_test_driver on. */
extern "C" void perm_cuda_test_shared(int bytes)
{
  permi_twin_shared = bytes;
}

/* What the twin says of its card, from the next perm_cuda_test_driver on; NULL: two multiprocessors, nothing else. */
extern "C" void perm_cuda_test_card(const int card[5])
{
  memset(permi_twin_card, 0, sizeof permi_twin_card);
  if (card)
    memcpy(permi_twin_card, card, sizeof permi_twin_card);
}

/* The memory that the twin says it has. */
extern "C" void perm_cuda_test_memory(size_t bytes)
{
  permi_twin_bytes = bytes;
}

/* Memory of the first GPU: returns some, with the bytes of `to` unless NULL, or, given it, copies it to `to` and frees
   it. */
extern "C" void *perm_cuda_test_resident(void *memory, size_t bytes, void *to)
{
  char message[PERM_MESSAGE_BYTES];
  CUdeviceptr at = (CUdeviceptr)(uintptr_t)memory;
  if (!perm_cuda_devices(1, message) || !permi_current(0, message))
    return NULL;
  if (!memory) {
    permi_twin_guard = permi_cuda.twin != NULL;
    permi_cuda.driver.allocate(&at, bytes);
    permi_twin_guard = 0;
    if (to)
      permi_cuda.driver.upload(at, to, bytes);
    permi_cuda.driver.synchronise();
    return (void *)(uintptr_t)at;
  }
  permi_cuda.driver.download(to, at, bytes, NULL);
  permi_cuda.driver.synchronise();
  permi_cuda.driver.release(at);
  return NULL;
}

/* How long the twin takes to compile a kernel. */
extern "C" void perm_cuda_test_compiling(int milliseconds)
{
  permi_twin_compiling = milliseconds;
}

/* Threads that make modules. */
extern "C" int perm_cuda_test_making(void)
{
  int threads;
  pthread_mutex_lock(&permi_cuda_lock);
  threads = permi_cuda.threads;
  pthread_mutex_unlock(&permi_cuda_lock);
  return threads;
}

/* Lets the call after the next `calls` fail; below 0: none. Returns what was left of the last such order. */
extern "C" long perm_cuda_test_fault(long calls)
{
  return __atomic_exchange_n(&permi_fault_after, calls, __ATOMIC_RELAXED);
}

/* What NVRTC, if it is here, makes of a kernel for an architecture; the caller frees it. No GPU is needed. */
static char *permi_test_compile(const permi_kernel_key *key, const perm_gpu_program *program, int arch, size_t *size,
                                char *message)
{
  char *source = permi_source(key, program);
  char *image = NULL;
  int open;
  pthread_mutex_lock(&permi_cuda_lock);
  open = permi_nvrtc_open();
  pthread_mutex_unlock(&permi_cuda_lock);
  if (!open)
    snprintf(message, PERM_MESSAGE_BYTES, "%s", permi_cuda.nvrtc_message);
  else if (source)
    image = permi_compile(source, arch, size, message);
  free(source);
  return image;
}

/* Adds a product, as four values of the kernel of the sign search, to a sum of 6 words. */
/* Chunks of the next launch on a GPU of 10 multiprocessors that does so many chunks a second. */
extern "C" unsigned perm_cuda_test_piece(int shares_tasks, double chunks_per_second, unsigned chunks)
{
  const perm_gpu_signs signs = {};
  perm_gpu_program program = {};
  perm_gpu_work work = {};
  permi_worker worker = {};
  permi_team team = {};
  permi_run run = {};
  char message[PERM_MESSAGE_BYTES];
  const int processors = permi_cuda.processors[0];
  permi_piece *piece;
  unsigned taken;
  program.signs = shares_tasks ? &signs : NULL;
  work.program = &program;
  run.gpus = 1;
  run.end = chunks;
  team.job = &run;
  pthread_mutex_init(&team.lock, NULL);
  worker.team = &team;
  worker.work = &work;
  worker.chunks_per_second = chunks_per_second;
  permi_cuda.processors[0] = 10;
  piece = permi_take(&worker, message);
  permi_cuda.processors[0] = processors;
  taken = piece ? (unsigned)(piece->end - piece->begin) : 0;
  free(piece);
  pthread_mutex_destroy(&team.lock);
  return taken;
}

extern "C" void perm_cuda_test_signs_add(int small, const long long *value, unsigned *sum)
{
  uint4 powers[65]; /* aligned */
  unsigned *power = (unsigned *)powers;
  int k;
  for (k = 0; k < 65; k++)
    permi_signs_power(power + 4 * k, k);
  if (small)
    permi_digits<1>::add(power, sum, (unsigned)value[0], (unsigned)value[1], (unsigned)value[2], (unsigned)value[3]);
  else
    permi_digits<0>::add(power, sum, value[0], value[1], value[2], value[3]);
}

extern "C" char *perm_cuda_test_compile(const perm_gpu_work *work, int arch, size_t *size, char *message)
{
  const permi_kernel_key key = permi_key(work, -1);
  return permi_test_compile(&key, work->program, arch, size, message);
}

extern "C" char *perm_cuda_test_compile_batch(int n, int parts, int floats, int arch, size_t *size, char *message)
{
  perm_gpu_program program;
  perm_gpu_work work;
  char text[512];
  permi_batch_plan(n, parts, floats, text, &program, &work);
  return perm_cuda_test_compile(&work, arch, size, message);
}

/* The same for a step of the frontier's dynamic program. */
extern "C" char *perm_cuda_test_compile_step(perm_gpu_cell cell, int words, int parts, int arch, size_t *size,
                                             char *message)
{
  const permi_kernel_key key = permi_step_key(cell, words, parts, 0);
  return permi_test_compile(&key, NULL, arch, size, message);
}
extern "C" char *perm_cuda_test_compile_amplitudes(int arch, size_t *size, char *message)
{
  permi_kernel_key key;
  memset(&key, 0, sizeof key);
  key.family = 2;
  return permi_test_compile(&key, NULL, arch, size, message);
}
/* SPDX-License-Identifier: MIT */
