/* >>checkpoint, >>files */
/* Files that are whole or refused, whatever fails. */

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Operations on files from number `at` on: fail with `error` (once, or all from there on), or move few bytes. */
static struct {
  long count, at;
  int error, persistent, few;
  char name[32]; /* of the operation that was hit */
} test_fault;

static int test_file_fault(const char *operation, size_t *bytes)
{
  const long number = ++test_fault.count;
  if (!test_fault.at || number < test_fault.at || (number > test_fault.at && !test_fault.persistent))
    return 0;
  if (number == test_fault.at)
    snprintf(test_fault.name, sizeof test_fault.name, "%s", operation);
  if (bytes && test_fault.few && *bytes > 7)
    *bytes = *bytes / 2;
  return test_fault.error;
}

static void fault_set(long at, int error, int persistent, int few)
{
  test_fault.count = 0;
  test_fault.at = at;
  test_fault.error = error;
  test_fault.persistent = persistent;
  test_fault.few = few;
  test_fault.name[0] = 0;
}

/* A file of this test and process. */
static const char *checkpoint_path(int which)
{
  static char path[4][200];
  snprintf(path[which], sizeof path[which], "build/%s.%d.%ld.ck", test_now.name, which, (long)getpid());
  return path[which];
}

/* Temporary files beside it that were left, which are removed. */
#include <dirent.h>
static int checkpoint_litter(const char *path)
{
  const char *base = strrchr(path, '/') + 1;
  DIR *directory = opendir("build");
  struct dirent *entry;
  int found = 0;
  while ((entry = readdir(directory)) != NULL)
    if (!strncmp(entry->d_name, base, strlen(base)) && strlen(entry->d_name) > strlen(base)) {
      char name[600];
      snprintf(name, sizeof name, "build/%s", entry->d_name);
      found += !remove(name);
    }
  closedir(directory);
  return found;
}

/* A small job of two leaves, half done. */
static perm_job *checkpoint_job(perm_state **state)
{
  const uint64_t chunks[2] = {40, 1};
  perm_job *job = state_job(2, chunks, NULL);
  perm_result r;
  *state = NULL;
  CHECK(perm_state_create(job, state) == PERM_OK);
  CHECK(state_add(job, *state, 0, 3, 9, &r) == PERM_OK && state_add(job, *state, 0, 30, 40, &r) == PERM_OK);
  return job;
}

static unsigned char *checkpoint_bytes(const perm_job *job, const perm_state *state, const perm_options *options,
                                       size_t *size)
{
  unsigned char *bytes, *again;
  *size = perm_state_encode(job, state, options, NULL, 0);
  bytes = (unsigned char *)malloc(*size + 8);
  again = (unsigned char *)malloc(*size + 8);
  memset(bytes, 0x55, *size + 8);
  memset(again, 0xaa, *size + 8);
  CHECK(perm_state_encode(job, state, options, bytes, *size - 1) == *size && bytes[0] == 0x55);
  CHECK(perm_state_encode(job, state, options, bytes, *size) == *size && bytes[*size] == 0x55);
  CHECK(perm_state_encode(job, state, options, again, *size) == *size && again[*size] == 0xaa);
  CHECK(!memcmp(bytes, again, *size)); /* every byte is written */
  free(again);
  return bytes;
}

static void checkpoint_seal(unsigned char *bytes, size_t size)
{
  permi_put(bytes + size - 8, permi_checksum(bytes, size - 8), 8);
}

TEST(t_checkpoint_round_trip)
{
  static const char note[] = "a note\nof two lines";
  perm_state *state, *back = NULL;
  perm_job *job = checkpoint_job(&state);
  const char *path = checkpoint_path(0);
  perm_options options, found;
  perm_result r;
  char *kept = NULL;
  size_t size;
  unsigned char *bytes;
  memset(&options, 0, sizeof options);
  options.method = PERM_METHOD_GLYNN;
  options.precision = PERM_PRECISION_KAHAN;
  options.certify = 1;
  options.modulus = UINT64_C(1) << 63;
  options.tolerance = 1e-3;
  options.max_bytes = 5e9;
  options.plan_effort = 7;
  options.gpu.devices = PERM_ALL_GPUS;
  options.gpu.cpu_fallback = 1;
  options.checkpoint.part = 3;
  options.checkpoint.parts = 9;
  options.checkpoint.note = note;
  bytes = checkpoint_bytes(job, state, &options, &size);
  CHECK(!memcmp(bytes, "\x89PERM\r\n\x1a\1\0\0\0", 12) && permi_get(bytes + 16, 8) == size);
  CHECK(permi_get(bytes + 24, 8) == perm_job_fingerprint(job) && permi_get(bytes + 100, 4) == 2);
  CHECK(permi_get(bytes + 112 + 8, 8) == 40 && permi_get(bytes + 112 + 16, 8) == 2 && bytes[112 + 24] == 3);
  CHECK(size == 112 + 24 + 32 + PERM_PARTIAL_BYTES + 24 + strlen(note) + 8);
  CHECK(perm_state_decode(job, bytes, size, &back, &r) == PERM_OK && state_equal(state, back));
  perm_state_free(back);
  CHECK(perm_checkpoint_write(job, state, path, &options, &r) == PERM_OK && !checkpoint_litter(path));
  CHECK(perm_checkpoint_read(job, path, &options, &back, &r) == PERM_OK && state_equal(state, back));
  perm_state_free(back);
  memset(&found, 0, sizeof found);
  found.threads = 5;
  CHECK(perm_checkpoint_options(path, &found, &kept, &r) == PERM_OK && kept && !strcmp(kept, note));
  CHECK(found.isa == perm_isa_best() && found.threads == 5);
  found.isa = PERM_ISA_AUTO;
  found.threads = 0;
  found.checkpoint.note = note;
  CHECK(!memcmp(&found, &options, sizeof found));
  free(kept);
  CHECK(perm_checkpoint_options("build", &found, NULL, &r) == PERM_ERROR_FILE);
  CHECK(perm_checkpoint_options("build/no such file", &found, NULL, &r) == PERM_ERROR_FILE);
  CHECK_TEXT(r.message, "cannot open");
  CHECK(perm_checkpoint_write(job, state, "build/no/such/place", NULL, &r) == PERM_ERROR_FILE);
  CHECK_TEXT(r.message, "cannot create the checkpoint: ");
  remove(path);
  free(bytes);
  perm_state_free(state);
  perm_job_free(job);
}

/* Every bit turned, every length: refused with a reason. With a new checksum: refused, or read as a state that holds
   together. */
TEST(t_checkpoint_damage_is_refused)
{
  perm_state *state, *back;
  perm_job *job = checkpoint_job(&state);
  perm_options options;
  perm_result r;
  size_t size, at;
  int bit, accepted = 0;
  unsigned char *bytes;
  memset(&options, 0, sizeof options);
  options.checkpoint.note = "note";
  bytes = checkpoint_bytes(job, state, &options, &size);
  for (at = 0; at < size; at++)
    for (bit = 0; bit < 8; bit++) {
      bytes[at] ^= (unsigned char)(1 << bit);
      back = state;
      CHECK_SHOW(perm_state_decode(job, bytes, size, &back, &r) < 0 && !back && r.message[0], "byte %d", (int)at);
      bytes[at] ^= (unsigned char)(1 << bit);
      if (at < size - 8) {
        bytes[at] ^= (unsigned char)(1 << bit);
        checkpoint_seal(bytes, size);
        if (perm_state_decode(job, bytes, size, &back, &r) == PERM_OK) {
          uint64_t begin, end;
          accepted++;
          CHECK(perm_state_left(job, back, 0, 0, &begin, &end) == PERM_OK && begin == 0 && end == 3);
          CHECK(back->finished[0].count == 2 && back->partial[0].chunks == 16);
          CHECK(at < 112 ? at >= 32 && at < 100 && state_equal(back, state) : at >= 112 + 24 + 32);
          perm_state_free(back);
        }
        bytes[at] ^= (unsigned char)(1 << bit);
        checkpoint_seal(bytes, size);
      }
    }
  CHECK(perm_state_decode(job, bytes, size, &back, &r) == PERM_OK && state_equal(back, state));
  perm_state_free(back);
  CHECK_SHOW(accepted > 1000 && accepted < (int)size * 8, "%d", accepted); /* what only the checksum protects: sums */
  for (at = 0; at < size; at++) {
    unsigned char *cut = (unsigned char *)malloc(at + 1); /* of its very length, for the sanitizers */
    memcpy(cut, bytes, at);
    CHECK(perm_state_decode(job, cut, at, &back, &r) < 0 && !back && r.message[0]);
    if (at >= 120) { /* and as if the file had been made so */
      permi_put(cut + 16, at, 8);
      checkpoint_seal(cut, at);
      CHECK(perm_state_decode(job, cut, at, &back, &r) == PERM_ERROR_FORMAT);
      CHECK_TEXT(r.message, "contradict");
    }
    free(cut);
  }
  CHECK(perm_state_decode(job, bytes, size + 1, &back, &r) == PERM_ERROR_FORMAT);
  CHECK_TEXT(r.message, "cut short or extended");
  free(bytes);
  { /* chunks beyond the leaf, with sums to match */
    const uint64_t chunks[2] = {50, 1};
    perm_job *larger = state_job(2, chunks, NULL);
    perm_state *beyond = NULL;
    CHECK(perm_state_create(larger, &beyond) == PERM_OK && state_add(larger, beyond, 0, 38, 43, &r) == PERM_OK);
    bytes = checkpoint_bytes(larger, beyond, NULL, &size);
    permi_put(bytes + 24, perm_job_fingerprint(job), 8);
    permi_put(bytes + 112 + 8, 40, 8);
    checkpoint_seal(bytes, size);
    CHECK(perm_state_decode(job, bytes, size, &back, &r) == PERM_ERROR_FORMAT && !back);
    free(bytes);
    perm_state_free(beyond);
    perm_job_free(larger);
  }
  perm_state_free(state);
  perm_job_free(job);
}

/* Refused by the name of what differs. */
TEST(t_checkpoint_strangers_are_named)
{
  double a[16 * 16], b[16 * 16];
  const char *path = checkpoint_path(0);
  perm_options options, other;
  permi_dense_plan plan;
  perm_state *state = NULL;
  perm_job *job, *stranger;
  perm_result r;
  char text[64];
  size_t size;
  unsigned char *bytes;
  FILE *file;
  job_matrix(16, a);
  memcpy(b, a, sizeof b);
  b[77] = nextafter(b[77], 2);
  memset(&options, 0, sizeof options);
  options.isa = PERM_ISA_PLAIN;
  options.method = PERM_METHOD_DENSE;
  job = job_make(16, a, &options, &plan);
  CHECK(perm_state_create(job, &state) == PERM_OK);
  CHECK(perm_checkpoint_write(job, state, path, &options, &r) == PERM_OK);
#define STRANGER(matrix, field, value, text)                                                  \
  other = options;                                                                            \
  other.field = value;                                                                        \
  stranger = job_make(16, matrix, &other, &plan);                                             \
  CHECK(perm_job_fingerprint(stranger) != perm_job_fingerprint(job));                         \
  CHECK(perm_checkpoint_read(stranger, path, &other, &state, &r) == PERM_ERROR_STATE && !state); \
  CHECK_TEXT(r.message, text);                                                                \
  CHECK_TEXT(r.message, path);                                                                \
  perm_job_free(stranger);
  perm_state_free(state);
  STRANGER(b, threads, 1, "checkpoint of another matrix")
  STRANGER(a, precision, PERM_PRECISION_DD, "made with precision default, not dd")
  STRANGER(a, method, PERM_METHOD_GLYNN, "made with method dense, not glynn")
  STRANGER(a, certify, 1, "made with certify 0, not 1")
  /* what follows may change the plan: told only if it did */
  STRANGER(b, plan_effort, 2, "made with plan_effort 0, not 2")
  STRANGER(b, max_bytes, 1e9, "made with max_bytes 0, not 1000000000")
  options.tolerance = 1e-3; /* all that differs is named */
  STRANGER(b, precision, PERM_PRECISION_DD, "made with precision default, not dd; tolerance 0, not 0.001")
  options.tolerance = 0;
  if (perm_isa_best() != PERM_ISA_PLAIN) {
    STRANGER(a, isa, perm_isa_best(), "made with isa plain, not")
  }
#undef STRANGER
  CHECK(perm_state_create(job, &state) == PERM_OK);
  other = options;
  other.gpu.devices = 2;
  CHECK(perm_checkpoint_write(job, state, path, &other, &r) == PERM_OK);
  perm_state_free(state);
  stranger = job_make(16, b, &options, &plan);
  other.gpu.devices = 1; /* how many is not blamed */
  CHECK(perm_checkpoint_read(stranger, path, &other, &state, &r) == PERM_ERROR_STATE && !state);
  CHECK_TEXT(r.message, "checkpoint of another matrix");
  CHECK(perm_checkpoint_read(stranger, path, &options, &state, &r) == PERM_ERROR_STATE && !state);
  CHECK_TEXT(r.message, "checkpoint made with gpus 2, not 0");
  other = options;
  other.modulus = 7;
  other.tolerance = 1e-3;
  CHECK(perm_checkpoint_read(stranger, path, &other, &state, &r) == PERM_ERROR_STATE && !state);
  CHECK_TEXT(r.message, "checkpoint made with modulus 0, not 7; tolerance 0, not 0.001; gpus 2, not 0");
  perm_job_free(stranger);
  CHECK(perm_state_create(job, &state) == PERM_OK);
  CHECK(perm_checkpoint_write(job, state, path, &options, &r) == PERM_OK);
  perm_state_free(state);
  other = options;
  other.checkpoint.part = 2;
  other.checkpoint.parts = 3;
  CHECK(perm_checkpoint_read(job, path, &other, &state, &r) == PERM_ERROR_STATE && !state);
  CHECK_TEXT(r.message, "of the whole job, not of part 2 of 3");
  CHECK(perm_state_create(job, &state) == PERM_OK);
  CHECK(perm_checkpoint_write(job, state, path, &other, &r) == PERM_OK);
  bytes = checkpoint_bytes(job, state, &options, &size);
  perm_state_free(state);
  other.checkpoint.part = 1;
  CHECK(perm_checkpoint_read(job, path, &other, &state, &r) == PERM_ERROR_STATE && !state);
  CHECK_TEXT(r.message, "of part 2 of 3, not 1 of 3");
  CHECK(perm_checkpoint_read(job, path, &options, &state, &r) == PERM_OK); /* the whole job takes any */
  perm_state_free(state);
  bytes[12]++;
  checkpoint_seal(bytes, size);
  CHECK(perm_state_decode(job, bytes, size, &state, &r) == PERM_ERROR_STATE);
  snprintf(text, sizeof text, "of perm %d.%d.%d; this is %d.%d.%d", PERM_VERSION_MAJOR, PERM_VERSION_MINOR,
           PERM_VERSION_PATCH + 1, PERM_VERSION_MAJOR, PERM_VERSION_MINOR, PERM_VERSION_PATCH);
  CHECK_TEXT(r.message, text);
  bytes[12]--;
  bytes[8] = 2;
  checkpoint_seal(bytes, size);
  CHECK(perm_state_decode(job, bytes, size, &state, &r) == PERM_ERROR_FORMAT);
  CHECK_TEXT(r.message, "format 2; this version reads 1");
  file = fopen(path, "wb");
  fprintf(file, "%%%%MatrixMarket matrix array real general\n1 1\n5\n");
  fclose(file);
  CHECK(perm_checkpoint_read(job, path, &options, &state, &r) == PERM_ERROR_FORMAT);
  CHECK_TEXT(r.message, "no checkpoint of perm");
  options.checkpoint.file = path; /* nor is such a file overwritten */
  CHECK(perm_compute_real(16, 16, a, 16, &options, &r) == PERM_ERROR_FORMAT);
  CHECK(perm_checkpoint_read(job, path, &options, &state, &r) == PERM_ERROR_FORMAT);
  CHECK(truncate(path, 0) == 0);
  CHECK(perm_checkpoint_read(job, path, &options, &state, &r) == PERM_ERROR_FORMAT);
  CHECK_TEXT(r.message, "cut short: 0 bytes");
  bytes[8] = 1;
  permi_put(bytes + 12, 12345678, 4);
  checkpoint_seal(bytes, size);
  CHECK(perm_state_decode(job, bytes, size, &state, &r) == PERM_ERROR_STATE);
  CHECK_TEXT(r.message, "checkpoint of perm 12.345.678; this is ");
  CHECK(perm_state_decode(job, bytes, PERMI_CHECKPOINT_HEAD + 7, &state, &r) == PERM_ERROR_FORMAT);
  CHECK_TEXT(r.message, "cut short: 119 bytes");
  CHECK(perm_state_decode(job, bytes, PERMI_CHECKPOINT_HEAD + 8, &state, &r) == PERM_ERROR_FORMAT);
  CHECK_TEXT(r.message, "cut short or extended: 120 bytes of ");
  remove(path);
  free(bytes);
  perm_job_free(job);
}

/* Intervals that touch, and numbers of intervals that the file cannot hold, are no state of perm's. */
TEST(t_checkpoint_contradictions)
{
  perm_state *state, *back;
  perm_job *job = checkpoint_job(&state);
  perm_options options;
  perm_result r;
  const char *path = checkpoint_path(0);
  char text = 0, *note = &text;
  size_t size;
  unsigned char *bytes = checkpoint_bytes(job, state, NULL, &size);
  const uint64_t first = permi_get(bytes + 136, 8); /* the leaf: 24 bytes, then intervals */
  memset(&options, 0, sizeof options);
  CHECK(first == 3 && permi_get(bytes + 144, 8) == 9 && permi_get(bytes + 152, 8) == 30);
  permi_put(bytes + 144, 20, 8); /* [3, 9) and [30, 40) as [3, 20) and [20, 29): as many chunks */
  permi_put(bytes + 152, 20, 8);
  permi_put(bytes + 160, 19, 8);
  checkpoint_seal(bytes, size);
  CHECK(perm_state_decode(job, bytes, size, &back, &r) == PERM_ERROR_FORMAT && !back);
  CHECK_TEXT(r.message, "contradict");
  permi_put(bytes + 128, UINT64_C(1) << 61, 8); /* more intervals than memory or file */
  checkpoint_seal(bytes, size);
  CHECK(perm_state_decode(job, bytes, size, &back, &r) == PERM_ERROR_FORMAT && !back);
  free(bytes);
  { /* the same chunks in two intervals that touch: their sums agree, but it is no list of perm's */
    perm_state *whole = NULL, *touching = NULL;
    CHECK(perm_state_create(job, &whole) == PERM_OK && state_add(job, whole, 0, 3, 5, &r) == PERM_OK);
    CHECK(state_add(job, whole, 0, 6, 9, &r) == PERM_OK && whole->finished[0].count == 2);
    CHECK(perm_state_create(job, &touching) == PERM_OK && state_add(job, touching, 0, 3, 9, &r) == PERM_OK);
    whole->finished[0].list[0].end = 6;
    whole->partial[0] = touching->partial[0];
    bytes = checkpoint_bytes(job, whole, NULL, &size);
    CHECK(perm_state_decode(job, bytes, size, &back, &r) == PERM_ERROR_FORMAT && !back);
    free(bytes);
    whole->finished[0].list[0].end = 9; /* nor is one with an interval of no chunks */
    whole->finished[0].list[1].begin = whole->finished[0].list[1].end = 12;
    bytes = checkpoint_bytes(job, whole, NULL, &size);
    CHECK(perm_state_decode(job, bytes, size, &back, &r) == PERM_ERROR_FORMAT && !back);
    free(bytes);
    perm_state_free(whole);
    perm_state_free(touching);
  }
  CHECK(perm_checkpoint_write(job, state, NULL, &options, &r) == PERM_ERROR_NULL && r.argument == 3);
  CHECK(perm_checkpoint_options(NULL, &options, NULL, &r) == PERM_ERROR_NULL && r.argument == 1);
  CHECK(perm_checkpoint_options(path, NULL, NULL, &r) == PERM_ERROR_NULL && r.argument == 2);
  CHECK(perm_checkpoint_options(path, &options, &note, &r) == PERM_ERROR_FILE && !note); /* there is none */
  CHECK(perm_state_encode(NULL, state, NULL, NULL, 0) == 0 && perm_state_encode(job, NULL, NULL, NULL, 0) == 0);
  { /* a state of another job */
    const uint64_t chunks[1] = {40};
    perm_job *smaller = state_job(1, chunks, NULL);
    CHECK(perm_state_encode(smaller, state, NULL, NULL, 0) == 0);
    perm_job_free(smaller);
  }
  perm_state_free(state);
  perm_job_free(job);
}

/* What stands behind a checkpoint, or instead of one, is not read up: one byte more than announced tells enough. What a
   reading leaves in result, and the memory that a note gets. */
TEST(t_checkpoint_reads_no_further)
{
  static char note[20000];
  static unsigned char more[30000];
  const char *path = checkpoint_path(0);
  perm_state *state, *back;
  perm_job *job = checkpoint_job(&state);
  perm_options options, found;
  perm_result r;
  job_memory memory;
  char *kept = NULL, text[120];
  size_t size;
  unsigned char *bytes;
  FILE *file;
  memset(&options, 0, sizeof options);
  memset(note, '.', sizeof note - 1);
  options.checkpoint.note = note;
  options.isa = PERM_ISA_PLAIN;
  bytes = checkpoint_bytes(job, state, &options, &size);
  file = fopen(path, "wb");
  CHECK(fwrite(bytes, 1, size, file) == size && fwrite(more, 1, sizeof more, file) == sizeof more && !fclose(file));
  CHECK(perm_checkpoint_read(job, path, &options, &back, &r) == PERM_ERROR_FORMAT && !back);
  snprintf(text, sizeof text, "checkpoint cut short or extended: %d bytes of %d", (int)size + 1, (int)size);
  CHECK_TEXT(r.message, text);
  CHECK(truncate(path, (off_t)size) == 0);
  CHECK(perm_checkpoint_read(job, path, &options, &back, &r) == PERM_OK && state_equal(back, state));
  CHECK(r.status == PERM_OK && !r.message[0] && !r.argument); /* nothing of the failure before */
  perm_state_free(back);
  memset(&found, 0, sizeof found);
  memset(&memory, 0, sizeof memory);
  found.allocator.allocate = job_allocate;
  found.allocator.release = job_release;
  found.allocator.user_data = &memory;
  CHECK(perm_checkpoint_options(path, &found, &kept, &r) == PERM_OK && !strcmp(kept, note));
  CHECK(found.isa == PERM_ISA_PLAIN && memory.balance == 1 && memory.last >= sizeof note);
  job_release(kept, &memory);
  file = fopen(path, "wb"); /* no checkpoint, and longer than the head of one */
  CHECK(fwrite(more, 1, sizeof more, file) == sizeof more && !fclose(file));
  CHECK(perm_checkpoint_read(job, path, &options, &back, &r) == PERM_ERROR_FORMAT && !back);
  CHECK_TEXT(r.message, "no checkpoint of perm: it begins with other bytes");
  bytes[23] = 1; /* 2^56 bytes more */
  CHECK(perm_state_decode(job, bytes, size, &back, &r) == PERM_ERROR_FORMAT && !back);
  snprintf(text, sizeof text, "cut short or extended: %d bytes of %llu", (int)size,
           (unsigned long long)(UINT64_C(1) << 56) + size);
  CHECK_TEXT(r.message, text);
  options.isa = PERM_ISA_AVX512IFMA; /* its doubles are those of AVX512 */
  memset(&found, 0, sizeof found);
  CHECK(perm_checkpoint_write(job, state, path, &options, &r) == PERM_OK);
  CHECK(perm_checkpoint_options(path, &found, NULL, &r) == PERM_OK);
  CHECK(found.isa == (perm_isa_best() == PERM_ISA_AVX512 ? PERM_ISA_AVX512 : PERM_ISA_AVX512IFMA));
  remove(path);
  free(bytes);
  perm_state_free(state);
  perm_job_free(job);
}

/* Each operation on files fails, alone or with all that follow (as if the machine had died there), at once or after a
   few bytes: the file is the old state or the new one, and what is left beside it is nothing, or what a dead machine
   could not remove. */
TEST(t_checkpoint_faults_of_writing)
{
  static const int error[] = {ENOSPC, EIO, 0};
  const char *path = checkpoint_path(0);
  perm_state *old, *now, *back;
  perm_job *job = checkpoint_job(&old);
  perm_result r;
  int k, persistent, few, old_kept = 0, new_kept = 0, failures = 0;
  long at;
  CHECK(perm_state_create(job, &now) == PERM_OK && perm_state_merge(job, now, old, &r) == PERM_OK);
  CHECK(state_add(job, now, 0, 10, 20, &r) == PERM_OK && state_add(job, now, 1, 0, 1, &r) == PERM_OK);
  for (k = 0; k < 3; k++)
    for (persistent = 0; persistent < 2; persistent++)
      for (few = 0; few < 2; few++)
        for (at = 1;; at++) {
          perm_status status;
          int litter;
          fault_set(0, 0, 0, 0);
          CHECK(perm_checkpoint_write(job, old, path, NULL, &r) == PERM_OK);
          fault_set(at, error[k], persistent, few);
          status = perm_checkpoint_write(job, now, path, NULL, &r);
          CHECK(status == (status ? PERM_ERROR_FILE : PERM_OK));
          if (status != PERM_OK) {
            CHECK_TEXT(r.message, path);
            CHECK_TEXT(r.message, strerror(error[k]));
            failures++;
          } else {
            CHECK(!error[k] || !test_fault.name[0] || !strcmp(test_fault.name, "remove"));
          }
          if (!test_fault.name[0] && !few)
            CHECK(status == PERM_OK);
          {
            const int hit = test_fault.name[0] != 0;
            fault_set(0, 0, 0, 0);
            CHECK_SHOW(perm_checkpoint_read(job, path, NULL, &back, &r) == PERM_OK, "operation %ld: %s", at, r.message);
            if (!back)
              break;
            litter = checkpoint_litter(path);
            CHECK(litter == 0 || (status != PERM_OK && persistent));
            if (status == PERM_OK)
              CHECK(state_equal(back, now));
            else if (state_equal(back, old))
              old_kept++;
            else
              new_kept += state_equal(back, now);
            perm_state_free(back);
            if (!hit)
              break;
          }
        }
  CHECK_SHOW(old_kept >= 20 && new_kept >= (PERMI_POSIX ? 4 : 0) && /* of a directory that is not synchronised */
                old_kept + new_kept == failures, "%d old, %d new of %d", old_kept,
             new_kept, failures);
  remove(path);
  perm_state_free(old);
  perm_state_free(now);
  perm_job_free(job);
}

TEST(t_checkpoint_faults_of_reading)
{
  const char *path = checkpoint_path(0);
  perm_state *state, *back;
  perm_job *job = checkpoint_job(&state);
  perm_options options;
  perm_result r;
  long at;
  int few, failures = 0, truncated = 0;
  static char note[20000]; /* several reads */
  memset(&options, 0, sizeof options);
  memset(note, '.', sizeof note - 1);
  options.checkpoint.note = note;
  fault_set(0, 0, 0, 0);
  CHECK(perm_checkpoint_write(job, state, path, &options, &r) == PERM_OK);
  for (few = 0; few < 2; few++)
    for (at = 1; at < 12; at++) {
      perm_status status;
      fault_set(at, few ? 0 : EIO, 0, few);
      status = perm_checkpoint_read(job, path, &options, &back, &r);
      if (status == PERM_OK) {
        CHECK(few || !test_fault.name[0]);
        CHECK(state_equal(back, state));
        perm_state_free(back);
      } else {
        CHECK(!back && status == PERM_ERROR_FILE);
        CHECK_TEXT(r.message, "Input/output error");
        failures++;
      }
    }
  CHECK_SHOW(failures >= 4 && !truncated, "%d", failures);
  fault_set(0, 0, 0, 0);
  remove(path);
  perm_state_free(state);
  perm_job_free(job);
}

/* Whole runs, with an operation that fails somewhere: the right bits or an error, never a wrong result, and a run
   without faults goes on from what is there. */
TEST(t_checkpoint_faults_of_runs)
{
  double a[20 * 20];
  const char *path = checkpoint_path(0);
  perm_options options, plain;
  perm_result wanted, r;
  int persistent, failed = 0, warned = 0;
  long at;
  job_matrix(19, a);
  memset(&plain, 0, sizeof plain);
  plain.isa = PERM_ISA_PLAIN;
  plain.threads = 1;
  CHECK(perm_compute_real(19, 19, a, 19, &plain, &wanted) == PERM_OK);
  options = plain;
  options.checkpoint.file = path;
  options.checkpoint.seconds = 0.002;
  for (persistent = 0; persistent < 2; persistent++)
    for (at = 1; at < 40; at += at < 18 ? 1 : 7) {
      remove(path);
      fault_set(at, ENOSPC, persistent, 1);
      if (perm_compute_real(19, 19, a, 19, &options, &r) == PERM_OK) {
        CHECK(job_same_bits(&wanted, &r));
        warned += r.message[0] != 0;
      } else {
        CHECK(r.status == PERM_ERROR_FILE && isnan(r.value));
        failed++;
      }
      fault_set(0, 0, 0, 0);
      checkpoint_litter(path);
      CHECK(perm_compute_real(19, 19, a, 19, &options, &r) == PERM_OK && job_same_bits(&wanted, &r));
      CHECK(!r.message[0]);
    }
  CHECK_SHOW(failed >= 6 && warned >= 6, "%d failed, %d warned", failed, warned);
  remove(path);
}

/* When files are written: at the beginning, at the end, and in between as often as asked for. What was stopped and
   could not be written is an error; what was not to be written before the end is not written. */
TEST(t_checkpoint_times)
{
  double a[19 * 19];
  const char *path = checkpoint_path(0);
  volatile int cancel = 1;
  perm_options options;
  perm_result r;
  long once;
  int threads;
  job_matrix(19, a);
  memset(&options, 0, sizeof options);
  options.isa = PERM_ISA_PLAIN;
  options.threads = 1;
  options.checkpoint.file = path;
  fault_set(0, 0, 0, 0);
  CHECK(perm_compute_real(19, 19, a, 19, &options, &r) == PERM_OK);
  once = (test_fault.count - 1) / 2; /* one look whether there is a file, two times written */
  CHECK_SHOW(once >= (PERMI_POSIX ? 5 : 4) && test_fault.count == 2 * once + 1, "%ld", test_fault.count);
  for (threads = 1; threads <= 2; threads++) {
    remove(path);
    options.threads = threads;
    options.checkpoint.seconds = 1e-9;
    test_fault.count = 0;
    CHECK(perm_compute_real(19, 19, a, 19, &options, &r) == PERM_OK);
    CHECK_SHOW(test_fault.count > (threads == 1 ? 6 : 2) * once && (test_fault.count - 1) % once == 0, "%ld",
               test_fault.count); /* of two threads the other one may take most chunks between two looks */
  }
  remove(path);
  options.threads = 1; /* of two, the other one may take all chunks before the first looks */
  options.cancel = &cancel;
  options.checkpoint.seconds = 0;
  CHECK(perm_compute_real(19, 19, a, 19, &options, &r) == PERM_STOPPED_CANCELLED && isnan(r.value));
  remove(path);
  fault_set(once + 2, ENOSPC, 1, 0);
  CHECK(perm_compute_real(19, 19, a, 19, &options, &r) == PERM_ERROR_FILE && isnan(r.value));
  CHECK_TEXT(r.message, "cannot create the checkpoint: ");
  fault_set(0, 0, 0, 0);
  checkpoint_litter(path);
  remove(path);
}
/* SPDX-License-Identifier: MIT */
