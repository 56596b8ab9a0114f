/* The verifier of proofs, examples/perm_verify.c, as a function: it knows nothing of perm. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 2000
static jmp_buf refused;
static char *said;
static size_t text_used;
static void *taken[16];
static int takes;

static int tell(const char *format, ...)
{
  va_list list;
  va_start(list, format);
  text_used += (size_t)vsnprintf(said + text_used, TEXT_BYTES - text_used, format, list);
  if (text_used > TEXT_BYTES - 1)
    text_used = TEXT_BYTES - 1;
  va_end(list);
  return 0;
}
static void *take(size_t count, size_t bytes)
{
  if (takes == 16)
    abort();
  return taken[takes++] = calloc(count, bytes);
}

#define calloc(count, bytes) take(count, bytes)
#define main verify
#define exit(code) longjmp(refused, (code) + 1)
#define fprintf(stream, ...) tell(__VA_ARGS__)
#define printf(...) tell(__VA_ARGS__)
#include "examples/perm_verify.c"
#undef calloc
#undef main
#undef exit
#undef fprintf
#undef printf

int verifier(const char *matrix, const char *proof, char *to);
/* 0: accepted; `to`, of 2000 bytes, begins with the permanent, or says why not */
int verifier(const char *matrix, const char *proof, char *to)
{
  char name[] = "perm_verify", *argument[4];
  int code;
  argument[0] = name;
  argument[1] = (char *)(uintptr_t)matrix;
  argument[2] = (char *)(uintptr_t)proof;
  argument[3] = NULL;
  said = to;
  text_used = 0;
  n = 0;
  parts = 1;
  memset(entry, 0, sizeof entry);
  code = setjmp(refused);
  code = code ? code - 1 : verify(3, argument);
  while (takes)
    free(taken[--takes]);
  return code;
}
/* SPDX-License-Identifier: MIT */
