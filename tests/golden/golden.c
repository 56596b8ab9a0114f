/* golden.c: the golden record. Some 5,000 seeded problems over every public call, engine, kind of value, precision and
   kernel family; what each answers, to the last bit, stands in record.txt, and what other families answer differently
   in FAMILY.txt. A change that is meant to change nothing must leave all of it as it is.

     make golden           compares every family of this processor, prints the first differences, fails if there are any
     make golden-record    makes the record again (needs AVX-512 IFMA; NEON where it can be emulated)
     make golden-gpu       the same for GPUs (gpu.txt), SKIP without one; make golden-gpu-record makes it

   Usage: golden [--hide FAMILY] [--threads K] [--sample K] [--class NAME] [--show K] [--times] [--gpus]
                 [--compare RECORD [FAMILY] | --less RECORD]
   --hide FAMILY: as on a processor without FAMILY and what is above it; --sample K: every K-th problem; --show K: so
   many differences. --less: only the lines that differ from RECORD's. Without it and --compare: all lines.

   A line is CLASS.NUMBER[.LINE] DESCRIPTION | FIELDS. Every problem has a seed of its own, from its class and number,
   so that a class may be longer or another one be added without a change of others; golden_input.h draws without libm.
   A field is NAME=VALUE: s status (none: 0), m method, p precision, i kernel family (p portable, v the vectors of this
   one, i IFMA), v and w the value, x its exponent, z and y exact integers, e error, q estimate, t terms, E escalations,
   a the bad argument. Doubles are the upper digits of their 64 bits in hexadecimal; h is a hash of many numbers.
   Seconds and bytes that are predicted are masked by #. Lines whose key ends in @ hold fingerprints, which have the
   version in them: they are left out where the version is not the record's.

   The library is another object (golden_library.c), whose clock stands still and whose processor may lack features.
   Only public calls are made. What is renamed in a structure is renamed here: */
#define GOLDEN_ERROR(result) ((result)->error_bound)
#define GOLDEN_ESTIMATE(result) ((result)->error_estimate)

#if !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700 /* mkdtemp */
#endif

#include "perm_more.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(_OPENMP)
#include <omp.h>
#endif

#if defined(GOLDEN_LINKED) /* with the library as users compile it: --hide is no option */
static int golden_hidden;
#else
extern int golden_hidden;
#endif

#include "golden_input.h"

/* ------------------------------------------------------------------------------------------- records, as read */
typedef struct golden_line {
  const char *key, *text; /* text: what follows the key and a blank; in FAMILY.txt it begins with | */
  int met;
} golden_line;

typedef struct golden_record {
  golden_line *line;
  size_t lines, slots;
  size_t *slot; /* 1 + line, by hash of the key; 0: free */
  int version;
  char family[32];
} golden_record;

static uint64_t golden_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
  const unsigned char *byte = (const unsigned char *)bytes;
  size_t k;
  for (k = 0; k < size; k++)
    hash = (hash ^ byte[k]) * UINT64_C(0x100000001b3);
  return hash;
}

#define GOLDEN_HASH UINT64_C(0xcbf29ce484222325)

static void golden_die(const char *what, const char *which)
{
  fprintf(stderr, "golden: %s%s%s\n", what, which ? " " : "", which ? which : "");
  exit(2);
}

static golden_line *golden_find(const golden_record *record, const char *key)
{
  size_t at = record->slots ? golden_hash_bytes(GOLDEN_HASH, key, strlen(key)) % record->slots : 0;
  if (record->slots)
    for (; record->slot[at]; at = (at + 1) % record->slots)
      if (!strcmp(record->line[record->slot[at] - 1].key, key))
        return &record->line[record->slot[at] - 1];
  return NULL;
}

static char *golden_read_file(const char *path, size_t *bytes)
{
  FILE *file = fopen(path, "rb");
  size_t room = 1 << 16, got;
  char *text = (char *)malloc(room);
  *bytes = 0;
  if (!file || !text)
    golden_die("cannot read", path);
  while ((got = fread(text + *bytes, 1, room - *bytes - 1, file)) > 0) {
    *bytes += got;
    if (*bytes == room - 1 && (text = (char *)realloc(text, room *= 2)) == NULL)
      golden_die("out of memory", NULL);
  }
  text[*bytes] = 0;
  fclose(file);
  return text;
}

static golden_record golden_read(const char *path)
{
  golden_record record;
  size_t bytes, room;
  char *text = golden_read_file(path, &bytes), *at, *next;
  memset(&record, 0, sizeof record);
  for (room = 1, at = text; *at; at++)
    room += *at == '\n';
  record.slots = 2 * room;
  record.line = (golden_line *)calloc(room, sizeof *record.line);
  record.slot = (size_t *)calloc(record.slots, sizeof *record.slot);
  if (!record.line || !record.slot)
    golden_die("out of memory", NULL);
  for (at = text; *at; at = next) {
    golden_line *line = &record.line[record.lines];
    char *blank;
    size_t slot;
    next = at + strcspn(at, "\n");
    if (*next)
      *next++ = 0;
    if (*at == '#') {
      if (sscanf(at, "# version %d, family %31s", &record.version, record.family) == 1)
        golden_die("no family in the first line of", path);
      continue;
    }
    blank = strchr(at, ' ');
    if (!blank)
      golden_die("a line without text in", path);
    *blank = 0;
    line->key = at;
    line->text = blank + 1;
    slot = golden_hash_bytes(GOLDEN_HASH, at, strlen(at)) % record.slots;
    while (record.slot[slot])
      slot = (slot + 1) % record.slots;
    record.slot[slot] = ++record.lines;
  }
  if (!record.version)
    golden_die("no first line with the version in", path);
  return record;
}

/* ------------------------------------------------------------------------------------------- the line in work */
typedef enum golden_mode { GOLDEN_ALL, GOLDEN_LESS, GOLDEN_COMPARE } golden_mode;
static struct {
  golden_mode mode;
  int threads, shown, version;
  golden_record base, family;
  size_t lines, differences, left_out;
  char key[64], description[256], fields[8192];
  size_t described, used;
  int line, versioned, gone; /* gone: the problem leaves no line */
} golden_now = {GOLDEN_ALL, 1, 10, 0, {0, 0, 0, 0, 0, ""}, {0, 0, 0, 0, 0, ""}, 0, 0, 0, "", "", "", 0, 0, 0, 0, 0};

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
static void
golden_describe(const char *format, ...)
{
  va_list list;
  int length;
  va_start(list, format);
  length = vsnprintf(golden_now.description + golden_now.described,
                     sizeof golden_now.description - golden_now.described, format, list);
  va_end(list);
  golden_now.described += (size_t)length;
  if (golden_now.described >= sizeof golden_now.description)
    golden_die("a description is too long:", golden_now.description);
}

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
static void
golden_say(const char *format, ...)
{
  va_list list;
  int length;
  va_start(list, format);
  length = vsnprintf(golden_now.fields + golden_now.used, sizeof golden_now.fields - golden_now.used, format, list);
  va_end(list);
  golden_now.used += (size_t)length;
  if (golden_now.used >= sizeof golden_now.fields)
    golden_die("a line is too long:", golden_now.description);
}

static uint64_t golden_double_bits(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static void golden_double(const char *name, double x)
{
  char digits[24];
  size_t length;
  if (x != x) {
    golden_say(" %s=nan", name);
  } else if (x - x != 0) {
    golden_say(" %s=%sinf", name, x < 0 ? "-" : "");
  } else {
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)golden_double_bits(x));
    for (length = 16; length > 1 && digits[length - 1] == '0'; length--)
      digits[length - 1] = 0;
    golden_say(" %s=%s", name, digits);
  }
}

/* "name: recorded 3ff8 = 1.5" */
static void golden_show_field(const char *label, const char *field, size_t length)
{
  char padded[17], *end;
  const char *equal = (const char *)memchr(field, '=', length);
  printf("    %s %.*s", label, (int)length, length ? field : "-");
  if (equal && strchr("vweqt", field[0]) && equal == field + 1 && length - 2 <= 16) {
    uint64_t bits;
    double x;
    memset(padded, '0', 16);
    padded[16] = 0;
    memcpy(padded, equal + 1, length - 2);
    bits = strtoull(padded, &end, 16);
    memcpy(&x, &bits, sizeof x);
    if (!*end)
      printf(" = %.17g", x);
  }
  printf("\n");
}

static size_t golden_field_length(const char *field)
{
  return *field == '"' ? strlen(field) : strcspn(field, " ");
}

/* The fields in which two lines differ; a field is known by what stands before its = sign. */
static void golden_show_fields(const char *recorded, const char *now)
{
  while (*recorded || *now) {
    size_t one = golden_field_length(recorded), other = golden_field_length(now);
    const size_t name = strcspn(recorded, "= "), name_now = strcspn(now, "= ");
    if (name != name_now || strncmp(recorded, now, name) != 0) { /* one of them lacks a field */
      if (!strstr(now, recorded) && *recorded && (!*now || strlen(recorded) >= strlen(now)))
        other = 0;
      else if (*now)
        one = 0;
    }
    if (one != other || strncmp(recorded, now, one) != 0) {
      golden_show_field("recorded", recorded, one);
      golden_show_field("now     ", now, other);
    }
    recorded += one;
    now += other;
    recorded += *recorded == ' ' && (one || !other);
    now += *now == ' ' && (other || !one);
  }
}

static void golden_differs(const char *description, const char *recorded, const char *fields)
{
  golden_now.differences++;
  if (golden_now.differences > (size_t)golden_now.shown)
    return;
  printf("%s  %s\n", golden_now.key, description);
  if (strcmp(description, golden_now.description) != 0)
    printf("    the problem is another: now %s\n", golden_now.description);
  if (recorded)
    golden_show_fields(recorded, fields);
  else
    printf("    not in the record; now %s\n", fields);
}

/* Ends a line of the problem; the next one, if any, has the next number. */
static void golden_end(void)
{
  char *stop = golden_now.key + strlen(golden_now.key), description[256];
  const char *recorded = NULL;
  golden_line *base, *family;
  const char *fields = golden_now.used ? golden_now.fields + 1 : "";
  if (golden_now.line)
    snprintf(stop, sizeof golden_now.key - (size_t)(stop - golden_now.key), ".%d", golden_now.line);
  if (golden_now.versioned)
    strcat(golden_now.key, "@");
  golden_now.fields[golden_now.used] = 0;
  golden_now.description[golden_now.described] = 0;
  base = golden_find(&golden_now.base, golden_now.key);
  family = golden_find(&golden_now.family, golden_now.key);
  snprintf(description, sizeof description, "%s", golden_now.description);
  if (base) {
    const char *bar = strchr(base->text, '|'); /* no description has one */
    recorded = bar && bar[1] ? bar + 2 : "";
    base->met = 1;
    snprintf(description, sizeof description, "%.*s", bar && bar > base->text ? (int)(bar - base->text - 1) : 0,
             base->text);
  }
  if (family) {
    recorded = !strcmp(family->text, "-") ? NULL : family->text[1] ? family->text + 2 : "";
    family->met = 1;
  }
  golden_now.lines += !golden_now.gone;
  if (golden_now.gone) {
    ;
  } else if (golden_now.mode == GOLDEN_ALL) {
    printf("%s %s%s| %s\n", golden_now.key, golden_now.description, golden_now.described ? " " : "", fields);
  } else if (golden_now.mode == GOLDEN_COMPARE && golden_now.versioned && golden_now.version != perm_version()) {
    golden_now.left_out++;
  } else if (!recorded || strcmp(recorded, fields) != 0 || strcmp(description, golden_now.description) != 0) {
    if (golden_now.mode == GOLDEN_COMPARE)
      golden_differs(description, recorded, fields);
    else if (base ? strcmp(description, golden_now.description) != 0 : golden_now.described > 0)
      golden_die("a problem is not that of the record:", golden_now.key);
    else
      printf("%s | %s\n", golden_now.key, fields);
  }
  *stop = 0;
  golden_now.line++;
  golden_now.used = 0;
  golden_now.described = 0;
  golden_now.versioned = 0;
  golden_now.fields[0] = golden_now.description[0] = 0;
}

/* Numbers that are predictions, masked: "3.2 s" and "1e+05 bytes" become "# s" and "# bytes". In place. */
static void golden_mask(char *text)
{
  char *from = text, *to = text;
  while (*from) {
    const size_t digits = strspn(from, "0123456789");
    size_t length = digits;
    if (digits && (from == text || strchr(" (=~>", from[-1]))) {
      if (from[length] == '.')
        length += 1 + strspn(from + length + 1, "0123456789");
      if (from[length] == 'e' && strchr("+-", from[length + 1]))
        length += 2 + strspn(from + length + 2, "0123456789");
      if (!strncmp(from + length, " bytes", 6) ||
          (!strncmp(from + length, " s", 2) && !(from[length + 2] >= 'a' && from[length + 2] <= 'z'))) {
        *to++ = '#';
        from += length;
        continue;
      }
    }
    *to++ = *from++;
  }
  *to = 0;
}

#include "golden_calls.h"

/* ------------------------------------------------------------------------------------------- the program */
static int golden_isa(const char *name)
{
  int isa;
  for (isa = PERM_ISA_PLAIN; isa < PERM_ISA_COUNT; isa++)
    if (!strcmp(name, perm_name("isa", (perm_isa)isa)))
      return isa;
  golden_die("no family has the name", name);
  return 0;
}

static void golden_seed(const char *name, int index)
{
  golden_random_state = golden_hash_bytes(GOLDEN_HASH, name, strlen(name));
  golden_random_state = golden_bits() + (uint64_t)index * UINT64_C(0xd1342543de82ef95);
  golden_random_state = golden_bits();
}

/* Lines of the record that did not come: another family has them, which FAMILY.txt says by a -. Comparing: how many. */
static size_t golden_missing(const golden_record *record)
{
  size_t k, missing = 0;
  for (k = 0; k < record->lines; k++) {
    const char *key = record->line[k].key;
    const golden_line *family = golden_find(&golden_now.family, key);
    if (record->line[k].met)
      continue;
    if (golden_now.mode == GOLDEN_LESS)
      printf("%s -\n", key);
    else if (!family || strcmp(family->text, "-") != 0) {
      if (missing++ < 5)
        printf("%s\n    in the record, but not now\n", key);
    }
  }
  return missing;
}

int main(int count, char **argument)
{
  const char *only = NULL, *family;
  char directory[] = "/tmp/golden.XXXXXX";
  int k, sample = 1, times = 0, gpus = 0, number = 0;
  size_t class;
  for (k = 1; k < count; k++) {
    const char *name = argument[k], *value = k + 1 < count ? argument[k + 1] : NULL;
    if (!strcmp(name, "--times"))
      times = 1;
    else if (!strcmp(name, "--gpus"))
      gpus = 1;
    else if (!value)
      golden_die("unknown, or without its value:", name);
    else if (k++, !strcmp(name, "--hide"))
      golden_hidden = golden_isa(value);
    else if (!strcmp(name, "--threads"))
      golden_now.threads = atoi(value);
    else if (!strcmp(name, "--sample"))
      sample = atoi(value);
    else if (!strcmp(name, "--show"))
      golden_now.shown = atoi(value);
    else if (!strcmp(name, "--class"))
      only = value;
    else if (!strcmp(name, "--less") || !strcmp(name, "--compare")) {
      golden_now.mode = !strcmp(name, "--less") ? GOLDEN_LESS : GOLDEN_COMPARE;
      golden_now.base = golden_read(value);
      golden_now.version = golden_now.base.version;
      if (k + 1 < count && argument[k + 1][0] != '-')
        golden_now.family = golden_read(argument[++k]);
    } else
      golden_die("unknown:", name);
  }
  family = gpus ? "cuda" : perm_name("isa", perm_isa_best());
  if (golden_hidden && perm_isa_best() >= (perm_isa)golden_hidden)
    golden_die("--hide hides nothing: the family is still", family);
  if (golden_now.family.lines && strcmp(golden_now.family.family, family) != 0)
    golden_die("the record is of another family than this, which is", family);
  if (golden_now.mode == GOLDEN_COMPARE && !golden_now.family.lines && strcmp(golden_now.base.family, family) != 0)
    golden_die("the record is of another family, and there is no record of", family);
  if (gpus && !golden_gpu_there()) /* says why */
    return 0;
  if (golden_now.mode != GOLDEN_COMPARE)
    printf("# version %d, family %s\n", perm_version(), family);
#if defined(_OPENMP)
  omp_set_num_threads(golden_now.threads);
#endif
  if (!mkdtemp(directory) || chdir(directory) != 0)
    golden_die("cannot make and enter", directory);
  for (class = 0; class < sizeof golden_class / sizeof golden_class[0]; class ++) {
    const clock_t start = clock();
    const golden_class_entry *entry = &golden_class[class];
    if (entry->gpus != gpus || (only && strcmp(only, entry->name) != 0))
      continue;
    for (k = 0; k < entry->problems; k++) {
      if (number++ % sample)
        continue;
      snprintf(golden_now.key, sizeof golden_now.key, "%s.%d", entry->name, k);
      golden_now.line = 0;
      golden_now.gone = 0;
      golden_seed(entry->name, k);
      entry->run(k);
    }
    if (times)
      fprintf(stderr, "%-12s %5d  %.2f s\n", entry->name, entry->problems, (double)(clock() - start) / CLOCKS_PER_SEC);
  }
  if (chdir("/") != 0 || rmdir(directory) != 0)
    golden_die("files were left in", directory);
  if (golden_now.mode != GOLDEN_ALL && sample == 1 && !only)
    golden_now.differences += golden_missing(&golden_now.base) + golden_missing(&golden_now.family);
  if (golden_now.mode == GOLDEN_COMPARE) {
    if (golden_now.differences > (size_t)golden_now.shown)
      printf("and %llu more\n", (unsigned long long)golden_now.differences - (unsigned long long)golden_now.shown);
    if (golden_now.left_out)
      printf("%llu lines left out: they have the version in them, and the record is of another\n",
             (unsigned long long)golden_now.left_out);
    printf("%s: %llu lines, %llu differ\n", family, (unsigned long long)golden_now.lines,
           (unsigned long long)golden_now.differences);
  }
  return golden_now.mode == GOLDEN_COMPARE && golden_now.differences != 0;
}
/* SPDX-License-Identifier: MIT */
