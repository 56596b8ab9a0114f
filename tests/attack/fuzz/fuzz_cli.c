/* Fuzzing the command line: bytes make arguments (options of the command, values good and bad, raw bytes), a matrix
   file, a second one and standard input, for main() of perm_cli.c. Nothing may crash, hang or leak; exit codes are 0
   to 4; with --json every line of standard output is a JSON object; standard error says why a code is not 0.

   Everything happens in a directory of its own, which is emptied after every input: names are kept free of slashes. */
#define _GNU_SOURCE 1
#define CLI_COMPUTE(name) perm_compute_##name
#define CLI_PROVE perm_prove_sparse
#define CLI_MAIN cli_main
#ifndef PERM_FUZZ_LINKED
#define PERM_IMPLEMENTATION
#endif
#include <stdio.h>
/* Standard output is memory here, whose buffer is its own: glibc's open_memstream crashes after setvbuf. */
#define setvbuf(file, buffer, mode, size) ((void)(buffer))
#include "examples/command/perm_cli.c"
#include "fuzz.h"
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>

/* Words of the command line; an empty one: raw bytes. Options that need a value get one mostly. */
static const char *const fuzz_flags[] = {"--json", "--explain", "--certify", "--estimate", "--gradient", "--progress",
                                         "--permanental", "--merge", "--cpu-fallback", "--amplitudes",
                                         "--probabilities", "--", "-", "a.mtx", "b.txt", "k.ckpt"};
static const char *const fuzz_valued[] = {
    "--method",  "--precision", "--mod",    "--tolerance", "--threads",    "--isa",      "--gpus",
    "--rows",    "--cols",      "--minors", "--samples",   "--seed",       "--generate", "--write",
    "--relative-error", "--guarantee", "--seconds", "--max-seconds",
    "--max-bytes", "--spy", "--checkpoint", "--checkpoint-seconds",
    "--resume",  "--part",      "--ranks",  "--gpu-cache", "--effort",     "--format", "--npy", "--polynomial",
    "--exactly"};
static const char *const fuzz_values[] = {
    "1", "2", "3", "0", "4", "7", "-1", "1e-12", "0.1", "1e3", "1e6", "1,1,1", "2,0,1", "1,2,0,1", "0,0,0", "1,-,x",
    "x,-", "1/1", "1/2", "2/2", "a.mtx", "b.txt", "k.ckpt", "k2.ckpt", "s.svg", "-", "", "all", "nan", "97", "1000003",
    "9223372036854775808", "18446744073709551616", "edges", "array", "coordinate",
    "plain", "avx2", "avx512", "cuda", "fast", "default",
    "accurate", "dd", "kahan", "exact",
    "auto", "dense", "glynn",
    "ryser", "expansion", "subsets", "multiplicities", "short", "frontier", "lists", "sorting", "arrays", "tree",
    "band", "hybrid", "cached", "dominating", "sparyser", "decompose", "transversals", "structure", "codegen",
    "low-rank", "ones:5", "grid:4:4", "grid:3:3", "er:8:0.5", "uniform:6", "gauss:7", "complex-gauss:5", "circular:4",
    "unitary:4", "dft:5", "bernoulli:8", "band:9:2", "binary:9:0.4", "regular:8:3", "blocks:2:3:0.5", "tree:9",
    "arrow:9:2", "benzene", "pyrene", "mycielskian:3", "hexagonal:2", "uniform:30", "er:30:0.3", "dir"};
#define FUZZ_COUNT(table) (sizeof(table) / sizeof *(table))

static const char *const fuzz_fields[] = {"real", "complex", "integer", "pattern"};

/* -- is a line one JSON object? ---------------------------------------------------------------- */

static const char *fuzz_json_value(const char *p, int depth);

static const char *fuzz_json_string(const char *p)
{
  if (*p++ != '"')
    return NULL;
  for (; *p != '"'; p++) {
    int length = cli_utf8((const unsigned char *)p);
    if ((unsigned char)*p < 32 || !length)
      return NULL;
    if (*p == '\\') {
      p++;
      if (*p == 'u') {
        if (strspn(p + 1, "0123456789abcdefABCDEF") < 4)
          return NULL;
        p += 4;
      } else if (!*p || !strchr("\"\\/bfnrt", *p))
        return NULL;
    } else
      p += length - 1;
  }
  return p + 1;
}

static const char *fuzz_json_number(const char *p)
{
  p += *p == '-';
  if (*p == '0')
    p++;
  else if (*p >= '1' && *p <= '9')
    p += strspn(p, "0123456789");
  else
    return NULL;
  if (*p == '.') {
    if (!strspn(p + 1, "0123456789"))
      return NULL;
    p += 1 + strspn(p + 1, "0123456789");
  }
  if (*p == 'e' || *p == 'E') {
    p += 1 + (p[1] == '-' || p[1] == '+');
    if (!strspn(p, "0123456789"))
      return NULL;
    p += strspn(p, "0123456789");
  }
  return p;
}

/* A list in [] or, of keys and values, in {}. */
static const char *fuzz_json_list(const char *p, int depth)
{
  const char end = *p == '{' ? '}' : ']';
  if (*++p == end)
    return p + 1;
  for (;; p++) {
    if (end == '}') {
      p = fuzz_json_string(p);
      if (!p || *p++ != ':')
        return NULL;
    }
    p = fuzz_json_value(p, depth + 1);
    if (!p || *p == end)
      return p ? p + 1 : NULL;
    if (*p != ',')
      return NULL;
  }
}

static const char *fuzz_json_value(const char *p, int depth)
{
  static const char *const words[3] = {"null", "true", "false"};
  int k;
  if (depth > 20)
    return NULL;
  if (*p == '{' || *p == '[')
    return fuzz_json_list(p, depth);
  if (*p == '"')
    return fuzz_json_string(p);
  for (k = 0; k < 3; k++)
    if (!strncmp(p, words[k], strlen(words[k])))
      return p + strlen(words[k]);
  return fuzz_json_number(p);
}

static int fuzz_is_json(const char *text) /* lines, each an object */
{
  while (*text) {
    const char *end = *text == '{' ? fuzz_json_list(text, 0) : NULL;
    if (!end || *end != '\n')
      return 0;
    text = end + 1;
  }
  return 1;
}

/* -- the surroundings -------------------------------------------------------------------------- */

static volatile long fuzz_began; /* the clock's second when the run began; 0: none is on */

/* What sums for longer than a second is interrupted as Ctrl-C does; what does not heed that for a minute is a hang. */
static void *fuzz_watch(void *unused)
{
  const struct timespec pause = {0, 200000000};
  (void)unused;
  for (;;) {
    long began;
    nanosleep(&pause, NULL);
    began = fuzz_began;
    if (began && (long)time(NULL) > began + 1)
      cli_interrupted = 1;
    FUZZ_REQUIRE(!began || (long)time(NULL) <= began + 60);
  }
  return NULL;
}

static void fuzz_empty_directory(void)
{
  DIR *directory = opendir(".");
  struct dirent *entry;
  FUZZ_REQUIRE(directory != NULL);
  while ((entry = readdir(directory)) != NULL)
    if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") && strcmp(entry->d_name, "dir"))
      FUZZ_REQUIRE(!remove(entry->d_name));
  closedir(directory);
}

static char fuzz_home[64];

static void fuzz_leave(void)
{
  if (!chdir(fuzz_home)) {
    fuzz_empty_directory();
    rmdir("dir");
    if (!chdir("/"))
      rmdir(fuzz_home);
  }
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  pthread_t thread;
  (void)count, (void)arguments;
  fuzz_begin_openmp();
  FUZZ_REQUIRE(!pthread_create(&thread, NULL, fuzz_watch, NULL));
  return 0;
}

/* Only in the run itself: relative paths of the fuzzer's own are to stay right. */
static void fuzz_enter(int *back)
{
  *back = open(".", O_RDONLY | O_DIRECTORY);
  FUZZ_REQUIRE(*back >= 0);
  if (!*fuzz_home) {
    snprintf(fuzz_home, sizeof fuzz_home, "%s/fuzz_cli.%ld", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm",
             (long)getpid());
    FUZZ_REQUIRE(!mkdir(fuzz_home, 0700) && !chdir(fuzz_home) && !mkdir("dir", 0700));
    atexit(fuzz_leave);
  }
  FUZZ_REQUIRE(!chdir(fuzz_home));
}

/* Numbers that ask for work without end, in what is not limited by seconds: orders of generated matrices and sizes that
   files declare (3 and 5 digits), efforts. Names stay here. */
static void fuzz_tame(char *word, int digits)
{
  int run = 0;
  for (; *word; word++) {
    run = *word >= '0' && *word <= '9' ? run + 1 : 0;
    if (*word == '/' || (digits && run > digits))
      *word = digits && *word != '/' ? ' ' : '_';
  }
}

static size_t fuzz_text(fuzz_bytes *from, char *text, size_t most)
{
  size_t length = 0;
  while (length + 1 < most && from->at < from->size) {
    const char c = (char)fuzz_byte(from);
    if (!c)
      break;
    text[length++] = c;
  }
  text[length] = 0;
  return length;
}

/* A matrix of nice entries, or raw text. Returns its length. */
static size_t fuzz_matrix(fuzz_bytes *from, char *text, size_t most)
{
  const unsigned b = fuzz_byte(from);
  size_t length;
  int i, j, m = (int)(b >> 2 & 7) + 1, n = b & 128 ? (int)(fuzz_byte(from) % 9) : m;
  if (b & 64) {
    length = fuzz_text(from, text, most);
    fuzz_tame(text, 5);
    return length;
  }
  length = b & 32 ? 0 : (size_t)snprintf(text, most, "%%%%MatrixMarket matrix array %s general\n%d %d\n",
                                          fuzz_fields[b & 3], n, m);
  for (i = 0; i < m; i++)
    for (j = 0; j < n; j++) {
      const unsigned c = fuzz_byte(from);
      const int value = (int)(c % 7) - 1;
      const char *end = b & 32 && j < n - 1 ? " " : "\n";
      length += (size_t)(c < 200 ? snprintf(text + length, most - length, "%d", value)
                                 : snprintf(text + length, most - length, "%d.%ue%d", value, c,
                                            (int)(fuzz_byte(from)) * (c & 1 ? 1 : -1)));
      if ((b & 3) == 1)
        length += (size_t)snprintf(text + length, most - length, b & 32 ? "+%ui" : " %u", c >> 4);
      length += (size_t)snprintf(text + length, most - length, "%s", end);
    }
  return length;
}

static void fuzz_write(const char *path, const char *text, size_t length)
{
  FILE *file = fopen(path, "wb");
  FUZZ_REQUIRE(file && fwrite(text, 1, length, file) == length && !fclose(file));
}

/* The command catches signals and has a timer of its own; libFuzzer's, by which it finds hangs, are put back. */
typedef struct fuzz_signals {
  struct sigaction action[4];
  struct itimerval timer;
} fuzz_signals;
static const int fuzz_signal[4] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};

static void fuzz_keep_signals(fuzz_signals *kept)
{
  int i;
  for (i = 0; i < 4; i++)
    sigaction(fuzz_signal[i], NULL, &kept->action[i]);
  getitimer(ITIMER_REAL, &kept->timer);
}

static void fuzz_put_signals_back(const fuzz_signals *kept)
{
  int i;
  for (i = 0; i < 4; i++)
    sigaction(fuzz_signal[i], &kept->action[i], NULL);
  setitimer(ITIMER_REAL, &kept->timer, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  enum { MOST = 14, ROOM = 40 };
  static char word[MOST + 1][ROOM], text[4096], input[4096];
  char *argv[MOST + 2], *output = NULL, *complaint = NULL;
  fuzz_bytes from = {data, size, 0};
  FILE *const standard[3] = {stdin, stdout, stderr};
  fuzz_signals signals;
  size_t output_size = 0, complaint_size = 0, length;
  int argc = 1, count, i, json = 0, others = 0, code, back;
  count = (int)(fuzz_byte(&from) % MOST);
  memset(word, 0, sizeof word);
  strcpy(word[0], "perm");
  while (argc < count) {
    const unsigned b = fuzz_byte(&from), c = fuzz_byte(&from);
    char *const here = word[argc++];
    if (b < 100) {
      strcpy(here, fuzz_flags[b % FUZZ_COUNT(fuzz_flags)]);
      if (!strcmp(here, "--estimate") && c < 250) /* 65536 samples take a while */
        strcpy(word[argc++], "--samples=300");
    } else if (b < 240) {
      const char *const option = fuzz_valued[(b - 100) % FUZZ_COUNT(fuzz_valued)];
      const char *const value = fuzz_values[c % FUZZ_COUNT(fuzz_values)];
      if ((b & 1) || argc == count)
        snprintf(here, ROOM, "%s=%s", option, value);
      else {
        strcpy(here, option);
        strcpy(word[argc++], value);
      }
    } else {
      fuzz_text(&from, here, b < 248 ? ROOM : 6);
    }
  }
  for (i = 1; i < argc; i++) {
    const int value = i > 1 && strchr(word[i - 1], '=') == NULL;
    const int generate = !strncmp(word[i], "--generate", 10) || (value && !strncmp(word[i - 1], "--generate", 10));
    fuzz_tame(word[i], generate ? 2 : 0);
    if (!strncmp(word[i], "--effort", 8) || (value && !strncmp(word[i - 1], "--effort", 8)))
      if (strspn(word[i] + (word[i][0] == '-' ? 9 : 0), "0.1234567") < strlen(word[i] + (word[i][0] == '-' ? 9 : 0)) ||
          strlen(word[i]) > 11)
        strcpy(word[i], "--effort=2");
    others |= !strcmp(word[i], "--write=-") || !strcmp(word[i], "--spy=-") || (value && !strcmp(word[i], "-")) ||
              !strcmp(word[i], "--help") || !strcmp(word[i], "-h") || !strcmp(word[i], "--version") ||
              !strcmp(word[i], "-V");
    json |= !strcmp(word[i], "--json");
    if (!strcmp(word[i], "--")) /* then --json may be a file */
      others = 1;
  }
  for (i = 0; i < argc; i++)
    argv[i] = word[i];
  argv[argc] = NULL;
  fuzz_enter(&back);
  length = fuzz_matrix(&from, text, sizeof text);
  fuzz_write("a.mtx", text, length);
  length = fuzz_matrix(&from, text, sizeof text);
  fuzz_write("b.txt", text, length);
  fuzz_write(fuzz_byte(&from) & 1 ? "k.ckpt" : "k3.ckpt", text, length);
  length = fuzz_matrix(&from, input, sizeof input);
  stdin = fmemopen(input, length + 1, "rb");
  stdout = open_memstream(&output, &output_size);
  stderr = open_memstream(&complaint, &complaint_size);
  fuzz_keep_signals(&signals);
  cli_interrupted = 0;
  fuzz_began = (long)time(NULL);
  code = cli_main(argc, argv);
  fuzz_began = 0;
  fuzz_put_signals_back(&signals);
  fclose(stdin);
  fclose(stdout);
  fclose(stderr);
  stdin = standard[0];
  stdout = standard[1];
  stderr = standard[2];
  if (getenv("FUZZ_VERBOSE")) {
    for (i = 0; i < argc; i++)
      fprintf(stderr, "[%s] ", argv[i]);
    fprintf(stderr, "-> %d\n%s%s", code, output, complaint);
  }
  FUZZ_REQUIRE(code >= CLI_DONE && code <= CLI_TOLERANCE);
  FUZZ_REQUIRE(code <= CLI_EARLY || code == CLI_TOLERANCE || complaint_size > 0);
  FUZZ_REQUIRE(!json || others || fuzz_is_json(output));
  FUZZ_REQUIRE(strlen(output) == output_size);
  free(output);
  free(complaint);
  fuzz_empty_directory();
  FUZZ_REQUIRE(!fchdir(back));
  close(back);
  return 0;
}

#if defined(PERM_FUZZ_STANDALONE)
int main(int count, char **arguments)
{
  return fuzz_random_main(count, arguments, 300);
}
#endif
/* SPDX-License-Identifier: MIT */
