/* ============================================================================================ >>job
   Leaves, whose product with a number is the permanent; merging of partials. Why threads change no bits: a counter
   hands out chunks (permi_share), and perm_sum is fixed point, so order is free; in a task one thread makes each
   state, adding terms in its plan's order. */
#pragma once
#include "../base/prices.h"
#include "../api/calls.h"
#include "../base/memory.h"
#include "../base/integers.h"
#include "control.h"

/* A rounding that all terms share: relative to the value and to a part of the sum of |terms|, at most `most` units. */
typedef struct permi_shared {
  double relative, part, most;
} permi_shared;

typedef struct permi_leaf permi_leaf;

struct permi_leaf {
  perm_leaf information;
  /* Adds a chunk, or a whole task, to *partial, which a failing task leaves alone. */
  void (*run_chunk)(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial);
  perm_status (*run_task)(const permi_leaf *leaf, permi_control *control, perm_partial *partial);
  /* Unless NULL, runs many chunks, or a prefix of them. */
  perm_status (*run_range)(const permi_leaf *leaf, uint64_t begin, uint64_t end, permi_control *control,
                           perm_partial *partial);
  void (*release)(const perm_allocator *allocator, void *context);
  size_t (*explain)(const permi_leaf *leaf, char *buffer, size_t size); /* whole lines, like snprintf */
  void *context;  /* immutable once the job exists */
  size_t workspace; /* bytes a thread, 64-aligned: stacks may have 64 KiB */
  int integer;      /* 1: value * 2^scale_exp2 is an integer, the permanent; scale_exp2 <= 0 */
  uint64_t modulus; /* not 0: odd, value is a sum of residues */
  perm_status (*finish)(const permi_leaf *leaf, perm_integer *integer); /* unless NULL, makes the integer of the sum */
  const char *remark; /* for the result's message, or NULL */
  int threaded;
  int measured;   /* 1: `lost` of a partial bounds its error, and `absolute` is the estimate */
  permi_dd scale, scale_imaginary; /* permanent = value * scale * 2^scale_exp2 */
  long long scale_exp2;
  double bound_relative;    /* |error| <= bound_relative * absolute + bound_absolute, scaled */
  double bound_absolute;    /* INFINITY: unproven */
  double bound_value;       /* |error| is larger by bound_value * |value| */
  double estimate_relative; /* estimate = estimate_relative * absolute + estimate_absolute */
  double estimate_absolute; /* + sqrt(estimate_squares * absolute) */
  double estimate_squares;
  permi_shared shared;
};

struct perm_job {
  perm_allocator allocator;
  int leaves, leaf_room, numbered, floats; /* floats: some leaf's */
  permi_leaf *leaf;
  permi_number number; /* if numbered: a factor */
  perm_precision precision;
  int is_complex;
  uint64_t modulus;
  perm_options judged; /* what the result is judged by; zeros: the caller judges */
  double plan_seconds;
  double exact_seconds; /* predicted for integers that are computed in doubles; 0: none are */
  void *context; /* of all leaves, for the functions below; or NULL */
  void (*release)(const perm_allocator *allocator, void *context);
  perm_status (*value)(const perm_job *job, const perm_partial *partials, permi_number *value);
  /* Check finished partials, unless NULL; `sample` some of a file's. What is wrong leaves `strike`, unless NULL. */
  perm_status (*inspect)(const perm_job *job, const perm_partial *partials, perm_state *strike, permi_control *watch,
                       perm_result *result);
  perm_status (*sample)(const perm_job *job, const perm_state *state, permi_control *watch, perm_result *result);
  /* Unless NULL, adds what leaves from `first` on lack, or some of it: >>sweep. */
  perm_status (*sweep)(const perm_job *job, perm_state *state, int first, permi_control *control, int threads,
                       perm_result *result);
  char *note[2]; /* before and after the leaves, or NULL */
  int offers, offer_room;
  perm_offer *offer;
};

/* *array, of `used` items, gets room for `room`. Returns 0, with *array as it was, if that fails or stops. */
static int permi_enlarge(const perm_allocator *allocator, permi_control *watch, void *array, size_t used, size_t room,
                         size_t size)
{
  void *old, *larger = room > used ? permi_allocate(allocator, room, size) : NULL;
  memcpy(&old, array, sizeof old);
  if (!larger || !permi_copy(watch, larger, old, used * size)) {
    permi_release(allocator, larger);
    return 0;
  }
  permi_release(allocator, old);
  memcpy(array, &larger, sizeof larger);
  return 1;
}

/* Makes room for one more item, or returns 0. */
static int permi_grow(const perm_allocator *allocator, void *array, int used, int *room, size_t size)
{
  const int more = *room ? 2 * *room : 4;
  if (used < *room)
    return 1;
  if (!permi_enlarge(allocator, NULL, array, (size_t)used, (size_t)more, size))
    return 0;
  *room = more;
  return 1;
}

static perm_job *permi_job_new(const perm_allocator *allocator, perm_precision precision)
{
  perm_job *job = (perm_job *)permi_allocate_zeros(allocator, 1, sizeof *job);
  if (job) {
    job->allocator = *allocator;
    job->precision = precision;
  }
  return job;
}

/* Lets perm_job_finish judge the result. */
static perm_status permi_job_asked(perm_status status, const perm_options *options, perm_job **job)
{
  if (status == PERM_OK) {
    (*job)->judged.certify = options->certify;
    (*job)->judged.tolerance = options->tolerance;
    (*job)->judged.checkpoint.parts = 1; /* the precision is not raised */
  }
  return status;
}

PERMI_UNUSED
static int permi_job_note(perm_job *job, int after, const char *lines)
{
  const char *before = job->note[after] ? job->note[after] : "";
  const size_t used = strlen(before), more = strlen(lines);
  char *note = (char *)permi_allocate(&job->allocator, used + more + 1, 1);
  if (!note)
    return 0;
  memcpy(note, before, used);
  memcpy(note + used, lines, more + 1);
  permi_release(&job->allocator, job->note[after]);
  job->note[after] = note;
  return 1;
}

static void permi_job_set_constant(perm_job *job, int one)
{
  job->number = permi_number_one();
  if (!one)
    memset(&job->number, 0, sizeof job->number);
  job->number.exact = job->numbered = 1;
}

/* Owns the leaf's context, also on failure. */
static int permi_job_push_leaf(perm_job *job, const permi_leaf *leaf)
{
  if (!permi_grow(&job->allocator, &job->leaf, job->leaves, &job->leaf_room, sizeof *leaf)) {
    leaf->release(&job->allocator, leaf->context);
    return 0;
  }
  job->leaf[job->leaves++] = *leaf;
  return 1;
}

/* Returns 0 if too long or no integer. */
static int permi_leaf_integer(const permi_leaf *leaf, const perm_sum *sum, perm_integer *integer)
{
  const uint64_t p = leaf->modulus;
  if (!permi_sum_integer(sum, integer))
    return 0;
  if (leaf->finish)
    return leaf->finish(leaf, integer) == PERM_OK;
  if (!p)
    return permi_integer_halve(integer, (int)-leaf->scale_exp2);
  permi_integer_reduce(integer, p);
  for (int k = 0; k < -leaf->scale_exp2; k++) /* half of odd r is (r + p)/2 */
    integer->word[0] = integer->word[0] / 2 + (integer->word[0] & 1 ? p / 2 + 1 : 0);
  return 1;
}

static perm_status permi_leaf_number(const permi_leaf *leaf, const perm_partial *partial, permi_number *number)
{
  const double scale_modulus = permi_modulus(leaf->scale.hi, leaf->scale_imaginary.hi) * (1 + 1e-12);
  long long exp2, imaginary_exp2;
  memset(number, 0, sizeof *number);
  if (leaf->integer) {
    if (!permi_leaf_integer(leaf, &partial->value, &number->integer) ||
        !permi_leaf_integer(leaf, &partial->imaginary, &number->imaginary_integer))
      return PERM_ERROR_OVERFLOW;
    number->exact = 1;
  }
  number->value = permi_sum_value(&partial->value, &number->exp2);
  number->imaginary = permi_sum_value(&partial->imaginary, &imaginary_exp2);
  if (number->imaginary.hi != 0) {
    long long d = number->value.hi == 0 ? LLONG_MAX : imaginary_exp2 - number->exp2;
    int shift = -permi_int_exponent(d < 0 ? -d : d);
    if (d > 0) {
      number->value = permi_dd_scale(number->value, shift);
      number->exp2 = imaginary_exp2;
    } else {
      number->imaginary = permi_dd_scale(number->imaginary, shift);
    }
  }
  double absolute = permi_sum_value(&partial->absolute, &exp2).hi;
  absolute = permi_ldexp(absolute, exp2 - number->exp2);
  const double most = permi_ldexp(leaf->shared.most, -number->exp2) * scale_modulus;
  number->exp2 += partial->exp2 + leaf->scale_exp2;
  if (leaf->integer)
    return PERM_OK;
  permi_dd_multiply_complex(&number->value, &number->imaginary, leaf->scale, leaf->scale_imaginary);
  const double modulus = permi_modulus(number->value.hi, number->imaginary.hi);
  absolute *= scale_modulus;
  number->estimate = leaf->estimate_relative == (double)INFINITY
                         ? (double)INFINITY
                         : leaf->estimate_relative * absolute +
                               (0.5 * PERMI_DD_UNIT + 0.1 * leaf->bound_value) * modulus +
                               fmin(leaf->shared.relative * (leaf->shared.part * absolute + modulus), most);
  /* a product of up to n numbers */
  number->error = leaf->bound_relative == (double)INFINITY ? (double)INFINITY
                                                           : leaf->bound_relative * absolute * (1 + 1e-12) +
                                                                 (PERMI_DD_UNIT * (3 + leaf->information.n) +
                                                                  leaf->bound_value) * modulus;
  if (leaf->bound_relative == 0 && leaf->bound_absolute == 0 && partial->lost == 0)
    number->error = number->estimate = 0; /* the scale is a power of two */
  exp2 = leaf->scale_exp2 - number->exp2;
  if (number->error != (double)INFINITY && (leaf->bound_absolute != 0 || partial->lost != 0)) {
    const double lost = permi_ldexp(leaf->bound_absolute * scale_modulus, exp2) +
                        permi_ldexp(partial->lost * scale_modulus, exp2 + partial->exp2);
    number->error += lost + DBL_MIN;
    if (!leaf->measured && (leaf->information.kind == PERM_LEAF_TASK || absolute <= lost))
      number->estimate += lost; /* bounds of ranges are too wide */
  }
  if (leaf->estimate_absolute > 0)
    number->estimate += permi_ldexp(leaf->estimate_absolute * scale_modulus, exp2) + DBL_MIN;
  if (leaf->estimate_squares > 0)
    number->estimate += sqrt(absolute) * sqrt(permi_ldexp(leaf->estimate_squares * scale_modulus, exp2));
  if (number->estimate > number->error)
    number->estimate = number->error;
  return PERM_OK;
}

static void permi_number_reduce(permi_number *number, uint64_t modulus)
{
  if (modulus) {
    permi_integer_reduce(&number->integer, modulus);
    permi_integer_reduce(&number->imaginary_integer, modulus);
  }
}

/* Jobs of more factors than one have a `value`. */
static perm_status permi_job_value(const perm_job *job, const perm_partial *partials, permi_number *value)
{
  perm_status status = PERM_OK;
  if (job->value)
    return job->value(job, partials, value);
  *value = job->numbered ? job->number : permi_number_one();
  if (job->leaves)
    status = permi_leaf_number(job->leaf, partials, value);
  permi_number_reduce(value, job->modulus);
  return status;
}

PERM_API void perm_job_free(perm_job *job)
{
  if (!job)
    return;
  perm_allocator allocator = job->allocator;
  for (int i = 0; i < job->leaves; i++)
    job->leaf[i].release(&allocator, job->leaf[i].context);
  if (job->release)
    job->release(&allocator, job->context);
  permi_release(&allocator, job->leaf);
  permi_release(&allocator, job->note[0]);
  permi_release(&allocator, job->note[1]);
  permi_release(&allocator, job->offer);
  permi_release(&allocator, job);
}

PERMI_UNUSED
static double permi_job_seconds(const perm_job *job)
{
  double seconds = 0;
  for (int i = 0; i < job->leaves; i++)
    seconds += job->leaf[i].information.seconds;
  return seconds;
}

PERM_API int perm_job_leaves(const perm_job *job)
{
  return job ? job->leaves : 0;
}

PERM_API perm_status perm_job_leaf(const perm_job *job, int leaf, perm_leaf *information)
{
  if (!job || !information)
    return PERM_ERROR_NULL;
  if (leaf < 0 || leaf >= job->leaves)
    return PERM_ERROR_RANGE;
  *information = job->leaf[leaf].information;
  return PERM_OK;
}

static uint64_t permi_hash_integer(uint64_t hash, const perm_integer *integer)
{
  hash = permi_hash(hash, (uint64_t)integer->words * 2 + (uint64_t)(integer->negative != 0));
  for (int i = 0; i < integer->words; i++)
    hash = permi_hash(hash, integer->word[i]);
  return hash;
}

static uint64_t permi_hash_dd(uint64_t hash, permi_dd x)
{
  return permi_hash_double(permi_hash_double(hash, x.hi), x.lo);
}

/* Leaves out bounds and predictions, which depend on libm. */
PERM_API uint64_t perm_job_fingerprint(const perm_job *job)
{
  uint64_t hash = permi_hash(PERMI_HASH_START, PERMI_VERSION);
  if (!job)
    return 0;
  hash = permi_hash(hash, (uint64_t)(permi_precision_number(job->precision) * 2 + job->is_complex));
  hash = permi_hash(hash, job->modulus);
  for (int i = 0; i < job->leaves; i++) {
    const permi_leaf *leaf = &job->leaf[i];
    const perm_leaf *information = &leaf->information;
    hash = permi_hash(permi_hash(hash, information->fingerprint), information->chunks);
    hash = permi_hash(hash, (uint64_t)information->kind | (uint64_t)information->method << 8 |
                                (uint64_t)information->isa << 16 | (uint64_t)(leaf->integer != 0) << 24);
    hash = permi_hash_dd(permi_hash_dd(hash, leaf->scale), leaf->scale_imaginary);
    hash = permi_hash(permi_hash(hash, (uint64_t)leaf->scale_exp2), leaf->modulus);
  }
  if (job->numbered) {
    const permi_number *number = &job->number;
    hash = permi_hash_dd(permi_hash_dd(hash, number->value), number->imaginary);
    hash = permi_hash(permi_hash(hash, (uint64_t)number->exp2), (uint64_t)number->exact);
    if (number->exact)
      hash = permi_hash_integer(permi_hash_integer(hash, &number->integer), &number->imaginary_integer);
    hash = permi_hash(hash, UINT64_C(1) << 32);
  }
  for (int i = 0; i < job->leaves; i++) {
    hash = permi_hash(hash, (uint64_t)i);
    hash = job->numbered ? permi_hash(hash, UINT64_C(2) << 32) : hash;
  }
  return hash;
}

PERM_API perm_status perm_partial_merge(perm_partial *into, const perm_partial *from)
{
  permi_environment environment;
  if (!into || !from)
    return PERM_ERROR_NULL;
  if (!from->chunks)
    return PERM_OK;
  if (into->chunks && (into->fingerprint != from->fingerprint || into->exp2 != from->exp2))
    return PERM_ERROR_STATE;
  into->fingerprint = from->fingerprint;
  into->exp2 = from->exp2;
  permi_sum_add(&into->value, &from->value);
  permi_sum_add(&into->imaginary, &from->imaginary);
  permi_sum_add(&into->absolute, &from->absolute);
  into->chunks += from->chunks;
  into->indices += from->indices;
  into->squares += from->squares;
  permi_environment_begin(&environment);
  into->terms += from->terms;
  into->lost += from->lost;
  return permi_environment_end(&environment, PERM_OK);
}

/* Gives n(n-1)/2 and n(n-1)(2n-1)/6, the sums of 0 .. n - 1 and of their squares, modulo 2^64; 3 divides a factor. */
static void permi_prefix_sums(uint64_t n, uint64_t *indices, uint64_t *squares)
{
  uint64_t a = n, b = n ? n - 1 : 0, c = 2 * n - 1;
  if (a & 1)
    b /= 2;
  else
    a /= 2;
  *indices = a * b;
  if (a % 3 == 0)
    a /= 3;
  else if (b % 3 == 0)
    b /= 3;
  else
    c /= 3;
  *squares = a * b * c;
}

static void permi_partial_count(perm_partial *partial, uint64_t begin, uint64_t end)
{
  uint64_t indices[2], squares[2];
  permi_prefix_sums(begin, &indices[0], &squares[0]);
  permi_prefix_sums(end, &indices[1], &squares[1]);
  partial->chunks += end - begin;
  partial->indices += indices[1] - indices[0];
  partial->squares += squares[1] - squares[0];
}

static int permi_partial_agrees(const perm_partial *partial, const perm_partial *other)
{
  return partial->chunks == other->chunks && partial->indices == other->indices && partial->squares == other->squares;
}

static int permi_partial_covers(const perm_partial *partial, uint64_t begin, uint64_t end)
{
  perm_partial all;
  memset(&all, 0, sizeof all);
  permi_partial_count(&all, begin, end);
  return permi_partial_agrees(partial, &all);
}

static size_t permi_workspace_each(const permi_leaf *leaf)
{
  return leaf->workspace ? (leaf->workspace + 127) / 64 * 64 : 0; /* keeps neighbours apart */
}

static int permi_workspace_make(const perm_allocator *allocator, const permi_leaf *leaf, int threads, void **memory)
{
  const size_t each = leaf->run_range ? 0 : permi_workspace_each(leaf);
  const int fits = each && (size_t)threads < SIZE_MAX / each;
  *memory = fits ? permi_allocate(allocator, each * (size_t)threads + 64, 1) : NULL;
  return !each || *memory;
}

static void *permi_workspace_of(const permi_leaf *leaf, void *memory, int thread)
{
  char *at = (char *)memory;
  return at ? at + (64 - ((uintptr_t)at & 63)) % 64 + permi_workspace_each(leaf) * (size_t)thread : NULL;
}

static perm_status permi_leaf_run(const permi_leaf *leaf, uint64_t begin, uint64_t end, void *workspace,
                                  permi_control *control, perm_partial *partial)
{
  perm_status status = PERM_OK;
  if (begin >= end)
    return PERM_OK;
  if (partial->chunks && partial->fingerprint != leaf->information.fingerprint)
    return PERM_ERROR_STATE;
  if (leaf->run_range)
    return leaf->run_range(leaf, begin, end, control, partial);
  if (leaf->information.kind == PERM_LEAF_TASK)
    status = leaf->run_task(leaf, control, partial);
  else
    for (uint64_t chunk = begin; chunk < end; chunk++)
      leaf->run_chunk(leaf, chunk, workspace, partial);
  if (status != PERM_OK)
    return status;
  partial->fingerprint = leaf->information.fingerprint;
  permi_partial_count(partial, begin, end);
  return PERM_OK;
}

PERM_API perm_status perm_job_run(const perm_job *job, int leaf, uint64_t begin, uint64_t end, perm_partial *partial)
{
  permi_environment environment;
  void *memory;
  if (!job || !partial)
    return PERM_ERROR_NULL;
  if (leaf < 0 || leaf >= job->leaves || begin > end || end > job->leaf[leaf].information.chunks)
    return PERM_ERROR_RANGE;
  if (!permi_workspace_make(&job->allocator, &job->leaf[leaf], 1, &memory))
    return PERM_ERROR_MEMORY;
  const perm_status status = PERMI_SOUNDLY(&environment, permi_leaf_run(&job->leaf[leaf], begin, end,
                                                      permi_workspace_of(&job->leaf[leaf], memory, 0), NULL, partial));
  permi_release(&job->allocator, memory);
  return status;
}

static perm_status permi_job_finish(const perm_job *job, const perm_partial *partials, perm_state *strike,
                                    permi_control *watch, perm_result *result)
{
  permi_number number;
  const permi_leaf *costliest = NULL;
  double terms = 0, rounded;
  if (!result)
    return PERM_ERROR_NULL;
  permi_result_clear(result);
  if (!job || (!partials && job->leaves))
    return permi_fail(result, PERM_ERROR_NULL, job ? 2 : 1, "%s is NULL", job ? "partials" : "job");
  for (int i = 0; i < job->leaves; i++) {
    const permi_leaf *leaf = &job->leaf[i];
    if (!permi_partial_covers(&partials[i], 0, leaf->information.chunks) ||
        partials[i].fingerprint != leaf->information.fingerprint)
      return permi_fail(result, PERM_ERROR_STATE, 2, "partial %d holds %llu chunks, not each of its leaf's %llu once",
                        i, (unsigned long long)partials[i].chunks, (unsigned long long)leaf->information.chunks);
    terms += partials[i].terms;
    if (!costliest || leaf->information.seconds > costliest->information.seconds)
      costliest = leaf;
  }
  perm_status status = job->inspect ? job->inspect(job, partials, strike, watch, result) : PERM_OK;
  if (status != PERM_OK)
    return status;
  status = permi_job_value(job, partials, &number);
  if (status == PERM_ERROR_MEMORY)
    return permi_fail_memory(result);
  if (status != PERM_OK)
    return permi_fail(result, status, 0, "an exact integer is too long for this version: use precision default");
  rounded = PERMI_UNIT * permi_modulus(number.value.hi, number.imaginary.hi);
  if ((job->precision == PERM_PRECISION_DEFAULT || job->precision == PERM_PRECISION_KAHAN) && rounded < number.error)
    number.estimate = fmax(number.estimate, rounded); /* no sum in doubles is better, unless that is proved */
  permi_number_result(&number, result);
  if (!result->exact && !permi_arithmetic_is_sound())
    result->error_bound = (double)INFINITY;
  result->is_complex = job->is_complex;
  result->modulus = job->modulus;
  result->method = costliest ? costliest->information.method : PERM_METHOD_STRUCTURE;
  result->isa = costliest ? costliest->information.isa : PERM_ISA_PLAIN;
  /* without an integer: doubles over a power of two */
  result->precision = result->exact                             ? PERM_PRECISION_EXACT
                      : job->precision == PERM_PRECISION_EXACT ? PERM_PRECISION_DD
                                                               : job->precision;
  result->terms = terms;
  result->threads = 1;
  result->plan_seconds = job->plan_seconds;
  if (job->exact_seconds > 0)
    snprintf(result->message, sizeof result->message, "exactly in about %s with precision exact",
             permi_time_words(job->exact_seconds).text);
  else if (costliest && costliest->remark)
    snprintf(result->message, sizeof result->message, "%s", costliest->remark);
  return permi_judge(&job->judged, result);
}

PERM_API perm_status perm_job_finish(const perm_job *job, const perm_partial *partials, perm_result *result)
{
  permi_environment environment;
  return PERMI_SOUNDLY(&environment, permi_job_finish(job, partials, NULL, NULL, result));
}

PERM_API size_t perm_job_explain(const perm_job *job, char *buffer, size_t size)
{
  size_t length = 0;
  if (size)
    buffer[0] = 0;
  for (int i = -2; job && i <= job->leaves; i++) { /* -2, -1: before the leaves */
    const size_t room = length < size ? size - length : 0;
    char *to = room ? buffer + length : NULL;
    const char *note = i == -2 ? job->note[0] : i == job->leaves ? job->note[1] : NULL;
    if (note)
      length += (size_t)snprintf(to, room, "%s", note);
    else if (i == -1 && job->exact_seconds > 0)
      length += permi_say(to, room, "exactly in about %s with precision exact\n",
                          permi_time_words(job->exact_seconds).text);
    else if (i >= 0 && i < job->leaves)
      length += job->leaf[i].explain(&job->leaf[i], to, room);
  }
  return length;
}

PERM_API perm_status perm_job_offer(const perm_job *job, int index, perm_offer *offer)
{
  if (!job || !offer)
    return PERM_ERROR_NULL;
  memset(offer, 0, sizeof *offer);
  if (index < 0 || index >= job->offers)
    return PERM_ERROR_RANGE;
  *offer = job->offer[index];
  return PERM_OK;
}

PERM_API perm_precision perm_job_precision(const perm_job *job, int *proved)
{
  const int numbered = job && job->numbered;
  int exact = !numbered || job->number.exact, known = !numbered || job->number.error < (double)INFINITY, i;
  for (i = 0; job && i < job->leaves; i++) {
    const permi_leaf *leaf = &job->leaf[i];
    exact &= leaf->integer;
    known &= leaf->integer || (leaf->bound_relative < (double)INFINITY && leaf->bound_absolute < (double)INFINITY);
  }
  if (proved)
    *proved = job && known;
  return !job ? PERM_PRECISION_DEFAULT : exact ? PERM_PRECISION_EXACT : job->precision;
}

static int permi_threads(const perm_options *options)
{
#if PERMI_OPENMP
  return options->threads > 0 ? options->threads : omp_get_max_threads();
#else
  (void)options;
  return 1;
#endif
}

/* Thread 0 is the caller, and polls. Threads finish what they took, so the work done is a prefix. */
typedef perm_status (*permi_share_work)(void *context, uint64_t part, int thread);

/* Shares [begin, end) until thread 0 fails or stops. *all, unless NULL, becomes 1 if all was done. */
static perm_status permi_share(int threads, uint64_t begin, uint64_t end, permi_share_work work, void *context,
                               int *all)
{
  uint64_t next = begin;
  int stop = PERM_OK;
  if (threads <= 1 || end - begin < 2) {
    for (; next < end && stop == PERM_OK; next++)
      stop = (int)work(context, next, 0);
    if (all)
      *all = next >= end;
    return (perm_status)stop;
  }
  PERMI_OMP(parallel num_threads(threads))
  {
    permi_environment environment;
    int thread = 0;
    permi_environment_begin(&environment);
#if PERMI_OPENMP
    thread = omp_get_thread_num();
#endif
    for (;;) {
      uint64_t part;
      int stopping;
      PERMI_OMP(atomic read)
      stopping = stop;
      if (stopping)
        break;
      PERMI_OMP(atomic capture)
      part = next++;
      if (part >= end)
        break;
      stopping = (int)work(context, part, thread);
      if (thread == 0 && stopping) {
        PERMI_OMP(atomic write)
        stop = stopping;
      }
    }
    permi_environment_end(&environment, PERM_OK);
  }
  if (all)
    *all = next >= end;
  return (perm_status)stop;
}

typedef struct permi_ranging {
  const permi_leaf *leaf;
  permi_control *control;
  uint64_t begin;
  double per_chunk;
  void *memory;
  perm_partial *partial;
} permi_ranging;

static perm_status permi_ranging_chunk(void *context, uint64_t chunk, int thread)
{
  const permi_ranging *ranging = (const permi_ranging *)context;
  permi_leaf_run(ranging->leaf, chunk, chunk + 1, permi_workspace_of(ranging->leaf, ranging->memory, thread), NULL,
                 &ranging->partial[thread]);
  return thread ? PERM_OK /* polls after the chunk: every call makes progress */
                : permi_control_poll_range(ranging->control,
                                           (double)(chunk + 1 - ranging->begin) * ranging->per_chunk, "summing");
}

/* *done, empty at first, takes chunks [begin, end), or a prefix. */
static perm_status permi_run_range(const perm_job *job, const permi_leaf *leaf, uint64_t begin, uint64_t end,
                                   permi_control *control, int threads, perm_partial *done)
{
  permi_ranging ranging = {leaf, control, begin, leaf->information.seconds / (double)leaf->information.chunks, NULL,
                           done};
  perm_status status = PERM_ERROR_MEMORY;
  int k, all = 0;
  if (leaf->run_range || leaf->information.kind == PERM_LEAF_TASK)
    return permi_leaf_run(leaf, begin, end, NULL, control, done);
  if (leaf->information.seconds < PERMI_PARALLEL_SECONDS)
    threads = 1;
  if (threads > 1)
    ranging.partial = (perm_partial *)permi_allocate_zeros(&job->allocator, (size_t)threads, sizeof(perm_partial));
  if (permi_workspace_make(&job->allocator, leaf, threads, &ranging.memory) && ranging.partial)
    status = permi_share(threads, begin, end, permi_ranging_chunk, &ranging, &all);
  for (k = 0; threads > 1 && ranging.partial && k < threads; k++)
    perm_partial_merge(done, &ranging.partial[k]);
  permi_release(&job->allocator, ranging.memory);
  if (threads > 1)
    permi_release(&job->allocator, ranging.partial);
  return all ? PERM_OK : status;
}
/* SPDX-License-Identifier: MIT */
