/* ===================================================================================== >>checkpoint
   Finished work as a file. Numbers have the least significant byte first; doubles are IEEE's:
     offset  bytes
          0      8  89 50 45 52 4d 0d 0a 1a: changed by a transfer as text
          8      4  format: 1
         12      4  version of perm
         16      8  bytes of the whole file
         24      8  perm_job_fingerprint
         32     64 what the job was planned with: permi_planned
         96      4  0
        100      4  leaves
        104      8  bytes of the note
        112         the leaves, each:
                 8  fingerprint
                 8  chunks
                 8  intervals of finished chunks
                16  each: begin, end
              2168  the partial as in >>state, if there are intervals
                    the note
                 8  checksum of everything before
   Invariants:
     1. The file is absent, or whole, old or new (>>files).
     2. A chunk is stored with its terms or not at all: one thread adds both, one checksum covers both.
     3. A file never holds less than the one it replaces: states only grow. Of two processes the last one wins.
     4. A failure before the rename leaves the old file and the state alone; one after it is reported.
     5. A file is used only if length, checksum, format, version and fingerprints hold, and intervals are in order, in
        the leaf, and agree with number, sum and sum of squares of the partial's chunks. */
#pragma once
#include "state.h"
#include "../base/files.h"

#define PERMI_CHECKPOINT_MAGIC "\211PERM\r\n\032"
#define PERMI_CHECKPOINT_HEAD 112
#define PERMI_CHECKPOINT_LEAF 24

/* Offset 32 on: isa is never PERM_ISA_AUTO, parts 0 is the whole job. */
static const permi_stored permi_planned[] = {
    {offsetof(perm_options, method), 1, 4}, {offsetof(perm_options, precision), 1, 4},
    {offsetof(perm_options, isa), 1, 4}, {offsetof(perm_options, certify), 1, 4},
    {offsetof(perm_options, modulus), 1, 8}, {offsetof(perm_options, tolerance), 1, 8},
    {offsetof(perm_options, max_bytes), 1, 8}, {offsetof(perm_options, plan_effort), 1, 8},
    {offsetof(perm_options, gpu.devices), 1, 4}, {offsetof(perm_options, gpu.cpu_fallback), 1, 4},
    {offsetof(perm_options, checkpoint.part), 1, 4}, {offsetof(perm_options, checkpoint.parts), 1, 4}};
enum { PERMI_PLANNED = sizeof permi_planned / sizeof *permi_planned };

/* Each step is one to one in number and hash, so a change within eight bytes always shows. */
static uint64_t permi_checksum(const unsigned char *bytes, size_t size)
{
  uint64_t hash = PERMI_HASH_START;
  size_t i;
  for (i = 0; i + 8 <= size; i += 8)
    hash = permi_hash(hash, permi_get(bytes + i, 8));
  return permi_hash(permi_hash(hash, permi_get(bytes + i, (int)(size - i))), size);
}

PERM_API size_t perm_state_encode(const perm_job *job, const perm_state *state, const perm_options *options_given,
                                  void *bytes, size_t size)
{
  const perm_options *options = permi_options(options_given);
  perm_options planned = *options;
  unsigned char *to = (unsigned char *)bytes;
  const size_t note = options->checkpoint.note ? strlen(options->checkpoint.note) : 0;
  size_t needed = PERMI_CHECKPOINT_HEAD + note + 8, k;
  if (!job || !state || job->leaves != state->leaves)
    return 0;
  for (int i = 0; i < job->leaves; i++)
    needed += PERMI_CHECKPOINT_LEAF + 16 * state->finished[i].count +
              (state->finished[i].count ? PERM_PARTIAL_BYTES : 0);
  if (!bytes || size < needed)
    return needed;
  memcpy(to, PERMI_CHECKPOINT_MAGIC, 8);
  permi_put(to + 8, 1, 4);
  permi_put(to + 12, PERMI_VERSION, 4);
  permi_put(to + 16, needed, 8);
  permi_put(to + 24, perm_job_fingerprint(job), 8);
  planned.isa = options->isa == PERM_ISA_AUTO ? perm_isa_best() : options->isa;
  planned.checkpoint.part = planned.checkpoint.parts ? planned.checkpoint.part : 0;
  permi_put_or_get(to + 32, &planned, permi_planned, PERMI_PLANNED, 1);
  permi_put(to + 36, (uint64_t)permi_precision_number(options->precision), 4);
  permi_put(to + 96, 0, 4);
  permi_put(to + 100, (uint64_t)job->leaves, 4);
  permi_put(to + 104, note, 8);
  to += PERMI_CHECKPOINT_HEAD;
  for (int i = 0; i < job->leaves; i++) {
    permi_put(to, job->leaf[i].information.fingerprint, 8);
    permi_put(to + 8, job->leaf[i].information.chunks, 8);
    permi_put(to + 16, state->finished[i].count, 8);
    to += PERMI_CHECKPOINT_LEAF;
    for (k = 0; k < state->finished[i].count; k++, to += 16) {
      permi_put(to, state->finished[i].list[k].begin, 8);
      permi_put(to + 8, state->finished[i].list[k].end, 8);
    }
    if (state->finished[i].count)
      to += perm_partial_encode(&state->partial[i], to, PERM_PARTIAL_BYTES);
  }
  if (note)
    memcpy(to, options->checkpoint.note, note);
  permi_put((unsigned char *)bytes + needed - 8, permi_checksum((const unsigned char *)bytes, needed - 8), 8);
  return needed;
}

static void permi_options_decode(const unsigned char *bytes, perm_options *options)
{
  int precision;
  permi_put_or_get((unsigned char *)(uintptr_t)bytes + 32, options, permi_planned, PERMI_PLANNED, 0);
  for (precision = 0; precision < PERM_PRECISION_COUNT &&
                      (uint64_t)permi_precision_number((perm_precision)precision) != permi_get(bytes + 36, 4);)
    precision++;
  options->precision = (perm_precision)precision;
}

/* path is NULL for bytes in memory. */
PERMI_PRINTF(4, 5)
static perm_status permi_checkpoint_fail(perm_result *result, perm_status status, const char *path, const char *format,
                                         ...)
{
  char text[PERM_MESSAGE_BYTES];
  va_list arguments;
  va_start(arguments, format);
  permi_vsay(text, sizeof text, format, arguments);
  va_end(arguments);
  return permi_fail(result, status, 0, "%s%scheckpoint%s", path ? path : "", path ? ": " : "", text);
}

static perm_status permi_checkpoint_check(const unsigned char *bytes, size_t size, const char *path,
                                          perm_result *result)
{
  if (memcmp(bytes, PERMI_CHECKPOINT_MAGIC, size < 8 ? size : 8) != 0)
    return permi_fail(result, PERM_ERROR_FORMAT, 0, "%s%sno checkpoint of perm: it begins with other bytes",
                      path ? path : "", path ? ": " : "");
  if (size < PERMI_CHECKPOINT_HEAD + 8)
    return permi_checkpoint_fail(result, PERM_ERROR_FORMAT, path, " cut short: %llu bytes", (unsigned long long)size);
  if (permi_get(bytes + 8, 4) != 1)
    return permi_checkpoint_fail(result, PERM_ERROR_FORMAT, path, " of format %llu; this version reads 1",
                                 (unsigned long long)permi_get(bytes + 8, 4));
  if (permi_get(bytes + 16, 8) != size)
    return permi_checkpoint_fail(result, PERM_ERROR_FORMAT, path, " cut short or extended: %llu bytes of %llu",
                                 (unsigned long long)size, (unsigned long long)permi_get(bytes + 16, 8));
  if (permi_get(bytes + size - 8, 8) != permi_checksum(bytes, size - 8))
    return permi_checkpoint_fail(result, PERM_ERROR_FORMAT, path, " damaged: its checksum is wrong");
  const unsigned version = (unsigned)permi_get(bytes + 12, 4);
  if (version != PERMI_VERSION)
    return permi_checkpoint_fail(result, PERM_ERROR_STATE, path, " of perm %u.%u.%u; this is %d.%d.%d",
                                 version / 1000000, version / 1000 % 1000, version % 1000, PERM_VERSION_MAJOR,
                                 PERM_VERSION_MINOR, PERM_VERSION_PATCH);
  return PERM_OK;
}

PERMI_COLD static perm_status permi_checkpoint_stranger(const unsigned char *bytes, const perm_options *options,
                                                        const char *path, perm_result *result)
{
  perm_options a, b;
  char text[640] = "";
  size_t used = 0;
  if (!options)
    return permi_checkpoint_fail(result, PERM_ERROR_STATE, path, " of another matrix, or made with other options");
  a = b = *options;
  b.isa = b.isa == PERM_ISA_AUTO ? perm_isa_best() : b.isa;
  permi_options_decode(bytes, &a);
  const struct { const char *name; double made, now; } option[] = {
      {"method", (double)a.method, (double)b.method}, {"precision", (double)a.precision, (double)b.precision},
      {"isa", (double)a.isa, (double)b.isa}, {"certify", (double)a.certify, (double)b.certify},
      {"tolerance", a.tolerance, b.tolerance}, {"plan_effort", a.plan_effort, b.plan_effort},
      {"max_bytes", a.max_bytes, b.max_bytes},
      {"gpus", (double)a.gpu.devices, b.gpu.devices && a.gpu.devices ? (double)a.gpu.devices : b.gpu.devices}};
  if (a.modulus != b.modulus)
    used = permi_say(text, sizeof text, " made with modulus %llu, not %llu", (unsigned long long)a.modulus,
                     (unsigned long long)b.modulus);
  for (size_t k = 0; k < sizeof option / sizeof *option; k++) {
    const double made = option[k].made, now = option[k].now;
    const char *const begin = used ? ";" : " made with", *const name = option[k].name;
    if (made != now)
      used += k < 3 ? permi_say(text + used, sizeof text - used, "%s %s %s, not %s", begin, name,
                                perm_name(name, (int)made), perm_name(name, (int)now))
                    : permi_say(text + used, sizeof text - used, "%s %s %.15g, not %.15g", begin, name, made, now);
  }
  return permi_checkpoint_fail(result, PERM_ERROR_STATE, path, "%s", used ? text : " of another matrix");
}

/* Advances *bytes, which has `left` bytes. Returns 1, 0 if it is invalid, -1 without memory. */
static int permi_leaf_decode(const permi_leaf *leaf, const unsigned char **bytes, size_t left, perm_state *state, int i)
{
  const unsigned char *from = *bytes;
  const uint64_t chunks = leaf->information.chunks;
  permi_intervals *finished = &state->finished[i];
  perm_partial *partial = &state->partial[i], counted;
  if (left < PERMI_CHECKPOINT_LEAF || permi_get(from, 8) != leaf->information.fingerprint ||
      permi_get(from + 8, 8) != chunks)
    return 0;
  const uint64_t count = permi_get(from + 16, 8);
  from += PERMI_CHECKPOINT_LEAF;
  left -= PERMI_CHECKPOINT_LEAF;
  *bytes = from;
  if (!count)
    return 1;
  if (left < PERM_PARTIAL_BYTES || count > (left - PERM_PARTIAL_BYTES) / 16)
    return 0;
  finished->count = (size_t)count;
  finished->list = (permi_interval *)permi_allocate(&state->allocator, finished->count, sizeof *finished->list);
  if (!finished->list)
    return -1;
  memset(&counted, 0, sizeof counted);
  for (size_t k = 0; k < finished->count; k++, from += 16) {
    permi_interval *interval = &finished->list[k];
    interval->begin = permi_get(from, 8);
    interval->end = permi_get(from + 8, 8);
    if ((k && interval->begin <= interval[-1].end) || interval->begin >= interval->end || interval->end > chunks)
      return 0;
    permi_partial_count(&counted, interval->begin, interval->end);
  }
  *bytes = from + PERM_PARTIAL_BYTES;
  return perm_partial_decode(from, PERM_PARTIAL_BYTES, partial) == PERM_OK &&
         partial->fingerprint == leaf->information.fingerprint && permi_partial_agrees(partial, &counted);
}

static perm_status permi_state_decode(const perm_job *job, const unsigned char *bytes, size_t size,
                                      const perm_options *options, const char *path, perm_state **state,
                                      perm_result *result)
{
  int i, good = 1;
  perm_status status = permi_checkpoint_check(bytes, size, path, result);
  if (status != PERM_OK)
    return status;
  const unsigned char *from = bytes + PERMI_CHECKPOINT_HEAD, *end = bytes + size - 8;
  if (permi_get(bytes + 24, 8) != perm_job_fingerprint(job) || permi_get(bytes + 100, 4) != (uint64_t)job->leaves)
    return permi_checkpoint_stranger(bytes, options, path, result);
  if (perm_state_create(job, state) != PERM_OK)
    return permi_fail_memory(result);
  for (i = 0; good == 1 && i < job->leaves; i++)
    good = permi_leaf_decode(&job->leaf[i], &from, (size_t)(end - from), *state, i);
  if (good == 1 && permi_get(bytes + 104, 8) == (uint64_t)(end - from))
    return PERM_OK;
  perm_state_free(*state);
  *state = NULL;
  return good < 0 ? permi_fail_memory(result)
                  : permi_checkpoint_fail(result, PERM_ERROR_FORMAT, path, " whose contents contradict each other");
}

static perm_status permi_check_decode(const perm_job *job, const void *from, const char *name, perm_state **state,
                                      perm_result *result)
{
  permi_result_clear(result);
  if (!state)
    return permi_fail(result, PERM_ERROR_NULL, 4, "state is NULL");
  *state = NULL;
  return job && from ? PERM_OK
                     : permi_fail(result, PERM_ERROR_NULL, job ? 2 : 1, "%s is NULL", job ? name : "job");
}

PERM_API perm_status perm_state_decode(const perm_job *job, const void *bytes, size_t size, perm_state **state,
                                       perm_result *result)
{
  const perm_status status = permi_check_decode(job, bytes, "bytes", state, result);
  return status == PERM_OK
             ? permi_state_decode(job, (const unsigned char *)bytes, size, NULL, NULL, state, result)
             : status;
}

/* Reads at most one byte beyond the announced length. */
static perm_status permi_file_read(const char *path, const perm_allocator *allocator, unsigned char **bytes,
                                   size_t *size, int *missing, perm_result *result)
{
  const char *failed = NULL;
  size_t room = 0, used = 0, got = 1;
  uint64_t wanted = PERMI_CHECKPOINT_HEAD;
  perm_status status = PERM_OK;
  unsigned char *to = NULL;
  FILE *file = permi_file_open(path, &failed, missing);
  if (!file)
    return permi_fail(result, PERM_ERROR_FILE, 0, "%s: cannot open: %s", path, failed);
  while (got && !failed && used < wanted) {
    int fault;
    if (used == room && !permi_enlarge(allocator, NULL, &to, used, room = room ? 2 * room : 4096, 1)) {
      status = permi_fail_memory(result);
      break;
    }
    size_t ask = wanted < room ? (size_t)wanted - used : room - used;
    errno = fault = PERMI_FILE_FAULT("read", &ask);
    got = fault ? 0 : fread(to + used, 1, ask, file);
    if (fault || ferror(file))
      failed = strerror(errno);
    used += got;
    if (wanted == PERMI_CHECKPOINT_HEAD && used >= wanted && !memcmp(to, PERMI_CHECKPOINT_MAGIC, 8)) {
      const uint64_t whole = permi_get(to + 16, 8);
      wanted = whole < UINT64_MAX && whole > wanted ? whole + 1 : wanted; /* one more must not exist */
    }
  }
  fclose(file);
  *bytes = to;
  *size = used;
  if (failed)
    status = permi_fail(result, PERM_ERROR_FILE, 0, "%s: cannot read: %s", path, failed);
  if (status != PERM_OK) {
    permi_release(allocator, to);
    *bytes = NULL;
  }
  return status;
}

typedef struct permi_encoded {
  const unsigned char *bytes;
  size_t size;
} permi_encoded;

static int permi_encoded_print(FILE *stream, const void *what)
{
  const permi_encoded *encoded = (const permi_encoded *)what;
  size_t done = 0, ask;
  for (; done < encoded->size; done += ask) {
    ask = encoded->size - done;
    errno = PERMI_FILE_FAULT("write", &ask);
    if (errno || fwrite(encoded->bytes + done, 1, ask, stream) != ask)
      return 0;
  }
  return 1;
}

static perm_status permi_checkpoint_write(const perm_job *job, const perm_state *state, const char *path,
                                          const perm_options *options, int clean, perm_result *result)
{
  const size_t size = perm_state_encode(job, state, options, NULL, 0);
  unsigned char *bytes = (unsigned char *)permi_allocate(&job->allocator, size, 1);
  const permi_encoded encoded = {bytes, size};
  const char *why, *failed;
  if (!bytes)
    return permi_fail_memory(result);
  perm_state_encode(job, state, options, bytes, size);
  why = permi_file_replace(path, &job->allocator, clean, permi_encoded_print, &encoded, &failed);
  permi_release(&job->allocator, bytes);
  if (why && !failed)
    return permi_fail_memory(result);
  return why ? permi_fail(result, PERM_ERROR_FILE, 3, "%s: cannot %s the checkpoint: %s", path, failed, why) : PERM_OK;
}

PERM_API perm_status perm_checkpoint_write(const perm_job *job, const perm_state *state, const char *path,
                                           const perm_options *options, perm_result *result)
{
  const perm_status status = permi_check_state(job, state, 2, result);
  if (status == PERM_OK && !path)
    return permi_fail(result, PERM_ERROR_NULL, 3, "path is NULL");
  return status == PERM_OK ? permi_checkpoint_write(job, state, path, permi_options(options), 1, result) : status;
}

static perm_status permi_checkpoint_read(const perm_job *job, const char *path, const perm_options *options,
                                         perm_state **state, int *missing, perm_result *result)
{
  const perm_checkpoint_file *wanted = &options->checkpoint;
  perm_options made;
  unsigned char *bytes = NULL;
  size_t size = 0;
  perm_status status = permi_file_read(path, &job->allocator, &bytes, &size, missing, result);
  if (status != PERM_OK)
    return status;
  status = permi_state_decode(job, bytes, size, options, path, state, result);
  if (status == PERM_OK && wanted->parts) {
    permi_options_decode(bytes, &made);
    if (!made.checkpoint.parts)
      status = permi_checkpoint_fail(result, PERM_ERROR_STATE, path, " of the whole job, not of part %d of %d",
                                     wanted->part, wanted->parts);
    else if (made.checkpoint.parts != wanted->parts || made.checkpoint.part != wanted->part)
      status = permi_checkpoint_fail(result, PERM_ERROR_STATE, path, " of part %d of %d, not %d of %d",
                                     made.checkpoint.part, made.checkpoint.parts, wanted->part, wanted->parts);
  }
  if (status != PERM_OK) {
    perm_state_free(*state);
    *state = NULL;
  }
  permi_release(&job->allocator, bytes);
  return status;
}

PERM_API perm_status perm_checkpoint_read(const perm_job *job, const char *path, const perm_options *options,
                                          perm_state **state, perm_result *result)
{
  int missing;
  const perm_status status = permi_check_decode(job, path, "path", state, result);
  return status == PERM_OK ? permi_checkpoint_read(job, path, permi_options(options), state, &missing, result) : status;
}

PERM_API perm_status perm_checkpoint_options(const char *path, perm_options *options, char **note, perm_result *result)
{
  unsigned char *bytes = NULL;
  char *kept = NULL;
  size_t size = 0, length = 0;
  int missing;
  permi_result_clear(result);
  if (!path || !options)
    return permi_fail(result, PERM_ERROR_NULL, path ? 2 : 1, "%s is NULL", path ? "options" : "path");
  if (note)
    *note = NULL;
  perm_status status = permi_file_read(path, &options->allocator, &bytes, &size, &missing, result);
  if (status == PERM_OK)
    status = permi_checkpoint_check(bytes, size, path, result);
  if (status == PERM_OK) {
    perm_options found = *options;
    permi_options_decode(bytes, &found);
    if (permi_isa_doubles(found.isa) == perm_isa_best())
      found.isa = perm_isa_best(); /* the same except for integers, which the fingerprint tells */
    length = (size_t)permi_get(bytes + 104, 8);
    if (permi_bad_option(&found) || permi_get(bytes + 104, 8) > size - PERMI_CHECKPOINT_HEAD - 8)
      status = permi_checkpoint_fail(result, PERM_ERROR_FORMAT, path, " whose contents contradict each other");
    else if (note && length && !(kept = (char *)permi_allocate(&options->allocator, length + 1, 1)))
      status = permi_fail_memory(result);
    else
      *options = found;
  }
  if (kept) {
    memcpy(kept, bytes + size - 8 - length, length);
    kept[length] = 0;
    *note = kept;
  }
  permi_release(&options->allocator, bytes);
  return status;
}
/* SPDX-License-Identifier: MIT */
