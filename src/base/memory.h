/* ========================================================================================= >>memory */
#pragma once
#include "../api/calls.h"
#include "platform.h"

/* First touches of 4 KB pages took an eighth of a run with 3e8 bytes. */
#define PERMI_HUGE_BYTES 4194304
#if defined(MADV_HUGEPAGE)
#define PERMI_HUGE_PAGES MADV_HUGEPAGE
#elif PERMI_POSIX && defined(__linux__) && !defined(__cplusplus) /* hidden by -std=c99 */
#define PERMI_HUGE_PAGES 14
extern int madvise(void *memory, size_t bytes, int advice);
#endif

static void *permi_prefer_huge_pages(void *memory, size_t bytes)
{
#if PERMI_POSIX && defined(PERMI_HUGE_PAGES)
  const uintptr_t page = 65535, begin = ((uintptr_t)memory + page) & ~page;
  const uintptr_t end = ((uintptr_t)memory + bytes) & ~page;
  const int error = errno;
  if (memory && bytes >= PERMI_HUGE_BYTES)
    (void)madvise((void *)begin, end - begin, PERMI_HUGE_PAGES);
  errno = error;
#else
  (void)bytes;
#endif
  return memory;
}

static void *permi_allocate(const perm_allocator *allocator, size_t count, size_t size)
{
  const size_t bytes = count && size ? count * size : 1;
  if (size && count > SIZE_MAX / size)
    return NULL;
  return allocator->allocate ? allocator->allocate(bytes, allocator->user_data)
                             : permi_prefer_huge_pages(malloc(bytes), bytes);
}

/* Zeros; fresh pages stay untouched. */
static void *permi_allocate_zeros(const perm_allocator *allocator, size_t count, size_t size)
{
  if (!allocator->allocate && count && size)
    return permi_prefer_huge_pages(calloc(count, size), count * size);
  void *memory = permi_allocate(allocator, count, size);
  return memory ? memset(memory, 0, count * size) : NULL;
}

static void permi_release(const perm_allocator *allocator, void *pointer)
{
  if (!pointer)
    return;
  if (allocator->release)
    allocator->release(pointer, allocator->user_data);
  else if (!allocator->allocate) /* an arena may have no release */
    free(pointer);
}

/* Workspaces: released blocks by classes of sizes, four to a power of two. A block's head holds its class. */
#define PERMI_WORKSPACE_HEAD 16
#define PERMI_MALLOC_BYTES 16
#define PERMI_WORKSPACE_CLASSES 256
typedef struct permi_workspace {
  perm_allocator under;
  double held, limit; /* bytes of all blocks; their limit, of the call's max_bytes */
  void *idle[PERMI_WORKSPACE_CLASSES];
} permi_workspace;

/* Returns the class for so many bytes, *size the block's, with malloc's. */
static size_t permi_workspace_class(size_t bytes, size_t *size)
{
  size_t units = bytes / 16 + (bytes % 16 > 0) + (PERMI_WORKSPACE_HEAD + PERMI_MALLOC_BYTES) / 16, shift = 0;
  for (; units > 7; shift++)
    units = units / 2 + (units & 1);
  *size = units << shift << 4;
  return 4 * shift + units;
}

static void permi_workspace_trim(permi_workspace *workspace)
{
  size_t k, size;
  for (k = 0; k < PERMI_WORKSPACE_CLASSES; k++)
    while (workspace->idle[k]) {
      void *block = workspace->idle[k];
      memcpy(&workspace->idle[k], (char *)block + PERMI_WORKSPACE_HEAD, sizeof block);
      memcpy(&size, (char *)block + sizeof size, sizeof size);
      workspace->held -= (double)size;
      permi_release(&workspace->under, block);
    }
}

static void *permi_workspace_allocate(size_t bytes, void *user_data)
{
  permi_workspace *workspace = (permi_workspace *)user_data;
  size_t size;
  const size_t own = bytes > SIZE_MAX / 2 ? 0 : permi_workspace_class(bytes, &size);
  char *block = own ? (char *)workspace->idle[own] : NULL;
  if (!own)
    return NULL;
  if (block) {
    memcpy(&workspace->idle[own], block + PERMI_WORKSPACE_HEAD, sizeof(void *));
    return block + PERMI_WORKSPACE_HEAD;
  }
  if (workspace->held + (double)size > workspace->limit)
    permi_workspace_trim(workspace);
  block = (char *)permi_allocate(&workspace->under, size - PERMI_MALLOC_BYTES, 1);
  if (!block)
    return NULL;
  memcpy(block, &own, sizeof own);
  memcpy(block + sizeof own, &size, sizeof size);
  workspace->held += (double)size;
  return block + PERMI_WORKSPACE_HEAD;
}

static void permi_workspace_release(void *pointer, void *user_data)
{
  permi_workspace *workspace = (permi_workspace *)user_data;
  char *block = (char *)pointer - PERMI_WORKSPACE_HEAD;
  size_t own;
  memcpy(&own, block, sizeof own);
  memcpy(pointer, &workspace->idle[own], sizeof pointer);
  workspace->idle[own] = block;
}

static void permi_workspace_limit(const perm_allocator *allocator, double limit)
{
  permi_workspace *workspace = (permi_workspace *)allocator->user_data;
  if (allocator->allocate != permi_workspace_allocate)
    return;
  workspace->limit = limit;
  if (workspace->held > limit)
    permi_workspace_trim(workspace);
}

PERM_API perm_status perm_workspace_create(const perm_allocator *under, perm_allocator *allocator)
{
  static const perm_allocator none = {NULL, NULL, NULL};
  if (!allocator)
    return PERM_ERROR_NULL;
  under = under ? under : &none;
  if (!under->allocate != !under->release)
    return PERM_ERROR_OPTION;
  permi_workspace *workspace = (permi_workspace *)permi_allocate_zeros(under, 1, sizeof *workspace);
  if (!workspace)
    return PERM_ERROR_MEMORY;
  workspace->under = *under;
  workspace->limit = (double)INFINITY;
  allocator->allocate = permi_workspace_allocate;
  allocator->release = permi_workspace_release;
  allocator->user_data = workspace;
  return PERM_OK;
}

PERM_API void perm_workspace_free(perm_allocator *allocator)
{
  permi_workspace *workspace = allocator ? (permi_workspace *)allocator->user_data : NULL;
  if (!allocator || allocator->allocate != permi_workspace_allocate)
    return;
  permi_workspace_trim(workspace);
  *allocator = workspace->under;
  permi_release(allocator, workspace);
}

typedef struct permi_pool {
  const perm_allocator *allocator;
  void *last;
  int failed;
} permi_pool;

/* Without memory sets pool->failed for good. */
PERMI_UNUSED static void *permi_pool_get(permi_pool *pool, size_t count, size_t size)
{
  const size_t head = 16; /* alignment */
  char *block = NULL;
  if (!pool->failed && count <= (SIZE_MAX - head) / size)
    block = (char *)permi_allocate(pool->allocator, 1, head + count * size);
  pool->failed = !block;
  if (!block)
    return NULL;
  memcpy(block, &pool->last, sizeof pool->last);
  pool->last = block;
  return block + head;
}

PERMI_UNUSED static void *permi_pool_zeros(permi_pool *pool, size_t count, size_t size)
{
  void *memory = permi_pool_get(pool, count, size);
  return memory ? memset(memory, 0, count * size) : NULL;
}

PERMI_UNUSED static void *permi_pool_kept(permi_pool *pool, const void *from, size_t count, size_t size)
{
  void *kept = from ? permi_pool_get(pool, count, size) : NULL;
  return kept && count ? memcpy(kept, from, count * size) : kept;
}

PERMI_UNUSED static void permi_pool_release(permi_pool *pool)
{
  while (pool->last) {
    void *block = pool->last;
    memcpy(&pool->last, block, sizeof pool->last);
    permi_release(pool->allocator, block);
  }
}

/* Returns log2 n! to 2e-12 (lgamma writes a global: a data race). */
static double permi_log2_factorial(double n)
{
  double x = n + 1, below = 1, y;
  for (; x < 10; x++)
    below *= x;
  y = 1 / (x * x);
  return ((x - 0.5) * log(x) - x + 0.91893853320467274 +
          (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y / 1680))) / x - log(below)) / 0.6931471805599453;
}

/* In files and fingerprints 1 and 2 are precisions that are gone. */
static int permi_precision_number(perm_precision precision)
{
  return precision == PERM_PRECISION_DEFAULT ? 0 : (int)precision + 2;
}

static const perm_options *permi_options(const perm_options *options)
{
  static const perm_options defaults = {PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT, PERM_ISA_AUTO, 0, 0, 0, 0, 0, 0, 0,
                                        NULL, NULL, NULL, {NULL, NULL, NULL}, {0, 0, NULL, 0, NULL},
                                        {NULL, 0, 0, 0, NULL, NULL}, NULL, PERM_FORMAT_AUTO};
  return options ? options : &defaults;
}

/* Returns 1 for one job in several calls, whose limits must not change the plan. */
static int permi_in_pieces(const perm_options *options)
{
  return options->checkpoint.file || options->checkpoint.parts || options->checkpoint.merge;
}

static void permi_result_clear(perm_result *result)
{
  if (result)
    memset(result, 0, sizeof *result);
}

/* Spares a kilobyte, which would take longer than a small permanent. */
static void permi_result_clear_brief(perm_result *result)
{
  memset(result, 0, offsetof(perm_result, integer) + offsetof(perm_integer, word));
  memset(&result->imaginary_integer, 0, offsetof(perm_integer, word));
  memset(&result->modulus, 0, offsetof(perm_result, message) + 1 - offsetof(perm_result, modulus));
}

static void permi_result_by(perm_result *result, int parts, perm_method method, perm_precision precision, perm_isa isa,
                            double terms)
{
  result->is_complex = parts == 2;
  result->method = method;
  result->precision = precision;
  result->isa = isa;
  result->threads = 1;
  result->terms = terms;
}

static void permi_put_point(char *number)
{
  char *at = number + strspn(number, "+-0123456789"), *rest = at + strcspn(at, "0123456789");
  if (*at != 'e' && *rest) {
    *at = '.';
    memmove(at + 1, rest, strlen(rest) + 1);
  }
}

/* vsnprintf with a point in every locale; conversions d u x of int and long long, s c e f g. */
static size_t permi_vsay(char *buffer, size_t size, const char *format, va_list arguments)
{
  size_t length = 0;
  for (; *format; format++) {
    const size_t room = length < size ? size - length : 0;
    char one[32] = "%", number[352], *at = room ? buffer + length : NULL;
    size_t used = 1;
    int wide = 0;
    if (*format != '%') {
      if (room)
        *at = *format;
      length++;
      continue;
    }
    while (!strchr("duxscgef%", *++format)) {
      wide |= *format == 'l';
      if (*format == '*')
        used += (size_t)snprintf(one + used, sizeof one - used, "%d", va_arg(arguments, int));
      else
        one[used++] = *format;
    }
    one[used] = *format;
    one[used + 1] = 0;
    if (*format == 's') {
      length += (size_t)snprintf(at, room, one, va_arg(arguments, const char *));
      continue;
    }
    if (strchr("gef", *format)) {
      snprintf(number, sizeof number, one, va_arg(arguments, double));
      permi_put_point(number);
    } else if (wide) {
      snprintf(number, sizeof number, one, va_arg(arguments, long long));
    } else {
      snprintf(number, sizeof number, one, *format == '%' ? 0 : va_arg(arguments, int));
    }
    length += (size_t)snprintf(at, room, "%s", number);
  }
  if (size)
    buffer[length < size ? length : size - 1] = 0;
  return length;
}

PERMI_PRINTF(3, 4)
static size_t permi_say(char *buffer, size_t size, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  const size_t length = permi_vsay(buffer, size, format, arguments);
  va_end(arguments);
  return length;
}

/* Sets NaN, so that an ignored status cannot look plausible. */
PERMI_PRINTF(4, 5)
static perm_status permi_fail(perm_result *result, perm_status status, int argument, const char *format, ...)
{
  if (result) {
    va_list arguments;
    permi_result_clear(result);
    result->value = result->imaginary = (double)NAN;
    result->error_bound = result->error_estimate = (double)INFINITY;
    result->status = status;
    result->argument = argument;
    va_start(arguments, format);
    permi_vsay(result->message, sizeof result->message, format, arguments);
    va_end(arguments);
  }
  return status;
}

static perm_status permi_fail_memory(perm_result *result)
{
  return permi_fail(result, PERM_ERROR_MEMORY, 0, "out of memory");
}

/* Returns 1 if rows do not overlap and a ptrdiff_t counts their bytes. */
static int permi_stride_fits(int m, int n, ptrdiff_t stride, int bytes)
{
  return stride >= n && (((double)m - 1) * (double)stride + (double)n) * bytes < (double)PTRDIFF_MAX;
}

static perm_status permi_fail_stride(perm_result *result, int argument, const char *name, int m, int n,
                                     ptrdiff_t stride)
{
  return permi_fail(result, PERM_ERROR_STRIDE, argument,
                    stride < n ? "%s is %lld, smaller than the %d columns of a row"
                               : "%s is %lld: %d rows of so many numbers are more bytes than memory has",
                    name, (long long)stride, stride < n ? n : m);
}

/* A meter counts memory for max_bytes. A block's head holds its cost; the last holder releases the meter. */
#define PERMI_METER_HEAD 16
typedef struct permi_meter {
  perm_allocator under;
  double limit, input; /* bytes beside the input, bytes of it */
  size_t live, wanted; /* wanted: the most that were refused */
  size_t holders;
} permi_meter;

static size_t permi_count(size_t *number, size_t difference)
{
#if defined(__GNUC__)
  return __atomic_add_fetch(number, difference, __ATOMIC_ACQ_REL);
#else
  size_t now;
  PERMI_OMP(critical(permi_meter))
  now = *number += difference;
  return now;
#endif
}

static void permi_most(size_t *most, size_t number)
{
#if defined(__GNUC__)
  size_t before = __atomic_load_n(most, __ATOMIC_RELAXED);
  while (before < number &&
         !__atomic_compare_exchange_n(most, &before, number, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
#else
  PERMI_OMP(critical(permi_meter))
  *most = number > *most ? number : *most;
#endif
}

static void permi_meter_leave(permi_meter *meter)
{
  const perm_allocator under = meter->under;
  if (permi_count(&meter->holders, (size_t)-1) == 0)
    permi_release(&under, meter);
}

static void *permi_meter_allocate(size_t bytes, void *user_data)
{
  permi_meter *meter = (permi_meter *)user_data;
  size_t cost = (bytes + 15) / 16 * 16 + PERMI_METER_HEAD + PERMI_MALLOC_BYTES, now;
  char *memory = NULL;
  if (!meter || cost < bytes || cost > SIZE_MAX / 2)
    return NULL;
  if (meter->under.allocate == permi_workspace_allocate)
    permi_workspace_class(bytes + PERMI_METER_HEAD, &cost);
  now = permi_count(&meter->live, cost);
  if ((double)now > meter->limit)
    permi_most(&meter->wanted, now);
  else
    memory = (char *)permi_allocate(&meter->under, bytes + PERMI_METER_HEAD, 1);
  if (!memory) {
    permi_count(&meter->live, (size_t)0 - cost);
    return NULL;
  }
  memcpy(memory, &cost, sizeof cost);
  permi_count(&meter->holders, 1);
  return memory + PERMI_METER_HEAD;
}

static void permi_meter_release(void *pointer, void *user_data)
{
  permi_meter *meter = (permi_meter *)user_data;
  char *memory = (char *)pointer - PERMI_METER_HEAD;
  size_t cost;
  memcpy(&cost, memory, sizeof cost);
  permi_count(&meter->live, (size_t)0 - cost);
  permi_release(&meter->under, memory);
  permi_meter_leave(meter);
}

typedef struct permi_metered {
  permi_environment environment;
  perm_options options;
  permi_meter *meter;
} permi_metered;

/* Begins a call in a sound environment. Returns its options, with a meter for a limit that no outer call counts.
   Without memory for the meter every allocation fails. */
static const perm_options *permi_meter_begin(permi_metered *call, const perm_options *options_given, double input)
{
  const perm_options *options = permi_options(options_given);
  permi_environment_begin(&call->environment);
  call->meter = NULL;
  permi_workspace_limit(&options->allocator, options->max_bytes > 0 ? options->max_bytes - input : (double)INFINITY);
  if (!(options->max_bytes > 0) || options->allocator.allocate == permi_meter_allocate)
    return options;
  permi_meter *meter = (permi_meter *)permi_allocate_zeros(&options->allocator, 1, sizeof *meter);
  if (meter) {
    meter->under = options->allocator;
    meter->input = input;
    meter->limit = options->max_bytes - input;
    meter->holders = 1;
  }
  call->meter = meter;
  call->options = *options;
  call->options.allocator.allocate = permi_meter_allocate;
  call->options.allocator.release = permi_meter_release;
  call->options.allocator.user_data = meter;
  return &call->options;
}

/* Texts such as "3 h 12 min", "9e+12 years", "2.5 GB"; of 0 for a negative number or NaN. */
typedef struct permi_words_of {
  char text[128];
} permi_words_of;

static permi_words_of permi_time_words(double seconds)
{
  permi_words_of words;
  static const char *const unit[] = {"s", "ms", "us", "ns"};
  double s = fmax(seconds, 0);
  int k = 0;
  if (s < 59.95) {
    for (; k < 3 && s > 0 && s < 0.9995; k++)
      s *= 1000;
    permi_say(words.text, sizeof words.text, "%.3g %s", s, unit[k]);
  } else if (s < 172770) { /* whole seconds, from an hour on whole minutes */
    const double whole = s < 3599.5 ? floor(s + 0.5) : floor(s / 60 + 0.5);
    permi_say(words.text, sizeof words.text, s < 3599.5 ? "%.0f min %.0f s" : "%.0f h %.0f min", floor(whole / 60),
              fmod(whole, 60));
  } else if (s <= DBL_MAX) {
    permi_say(words.text, sizeof words.text, "%.3g %s", s / (s < 6.3e7 ? 86400 : 31557600),
              s < 6.3e7 ? "days" : "years");
  } else {
    snprintf(words.text, sizeof words.text, "for ever");
  }
  return words;
}

static permi_words_of permi_size_words(double bytes)
{
  static const char *const unit[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
  permi_words_of words;
  int k = 0;
  bytes = fmax(bytes, 0);
  for (; k < 6 && bytes >= 999.5; k++)
    bytes /= 1000;
  permi_say(words.text, sizeof words.text, "%.3g %s", bytes, bytes == 1 && !k ? "byte" : unit[k]);
  return words;
}

/* PERM_ERROR_MEMORY becomes PERM_ERROR_LIMIT if that was the reason. */
static perm_status permi_meter_verdict(const perm_allocator *allocator, perm_status status, perm_result *result)
{
  const permi_meter *meter = (const permi_meter *)allocator->user_data;
  if (status != PERM_ERROR_MEMORY || allocator->allocate != permi_meter_allocate || !meter || !meter->wanted)
    return status;
  return permi_fail(result, PERM_ERROR_LIMIT, 0,
                    meter->input > 0
                        ? "max_bytes = %s is too little: %s of input and at least %s of work are needed"
                        : "max_bytes = %s is too little: at least %s are needed",
                    permi_size_words(meter->limit + meter->input).text,
                    permi_size_words(meter->input > 0 ? meter->input : (double)meter->wanted).text,
                    permi_size_words((double)meter->wanted).text);
}

static perm_status permi_meter_end(const permi_metered *call, perm_status status, perm_result *result)
{
  if (call->meter) {
    status = permi_meter_verdict(&call->options.allocator, status, result);
    permi_meter_leave(call->meter);
  }
  return permi_environment_end(&call->environment, status);
}

static perm_status permi_kind(perm_status status, int parts, const perm_options *options, perm_result *result)
{
  if (status > 0 && result) {
    result->is_complex = parts == 2;
    result->modulus = permi_options(options)->modulus;
  }
  return status;
}

/* What max_bytes leaves beside the input; 0: no limit. */
static double permi_max_bytes(const perm_options *options)
{
  const permi_meter *meter = (const permi_meter *)options->allocator.user_data;
  return options->allocator.allocate != permi_meter_allocate ? options->max_bytes : fmax(meter ? meter->limit : 0, 1);
}
/* SPDX-License-Identifier: MIT */
