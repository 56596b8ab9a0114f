/* Stand-in for the C library of Visual Studio: what its headers declare of what perm.h and perm_sparse.h use, in its
   ways (macros for errno and streams, float infinities, no POSIX). run.sh has clang read both headers above it. */
#ifndef MSVC_STAND_IN
#define MSVC_STAND_IN
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
/* errno.h */
int *_errno(void);
#define errno (*_errno())
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define EACCES 13
#define EEXIST 17
#define EINVAL 22
#define EWOULDBLOCK 140
/* math.h */
#define _HUGE_ENUF 1e+300
#define INFINITY ((float)(_HUGE_ENUF * _HUGE_ENUF))
#define NAN (-(float)(INFINITY * 0.0F))
#define HUGE_VAL ((double)INFINITY)
double fabs(double), ceil(double), floor(double), sqrt(double), exp(double), exp2(double), expm1(double), log(double);
double log2(double), log10(double), log1p(double), pow(double, double), hypot(double, double), fmod(double, double);
double cos(double), sin(double);
double fmin(double, double), fmax(double, double), fma(double, double, double), copysign(double, double), erfc(double);
double frexp(double, int *), ldexp(double, int);
/* stdio.h */
typedef struct _iobuf { void *_Placeholder; } FILE;
FILE *__acrt_iob_func(unsigned);
#define stdin (__acrt_iob_func(0))
#define stdout (__acrt_iob_func(1))
#define stderr (__acrt_iob_func(2))
#define EOF (-1)
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
FILE *fopen(const char *, const char *);
int fclose(FILE *), fflush(FILE *), ferror(FILE *), feof(FILE *), fputs(const char *, FILE *);
int putc(int, FILE *);
int getc(FILE *), fseek(FILE *, long, int), remove(const char *), rename(const char *, const char *);
int puts(const char *);
long ftell(FILE *);
void clearerr(FILE *);
size_t fread(void *, size_t, size_t, FILE *), fwrite(const void *, size_t, size_t, FILE *);
int fprintf(FILE *, const char *, ...), printf(const char *, ...), snprintf(char *, size_t, const char *, ...);
int vsnprintf(char *, size_t, const char *, __builtin_va_list), vfprintf(FILE *, const char *, __builtin_va_list);
/* stdlib.h */
void *malloc(size_t), *calloc(size_t, size_t), *realloc(void *, size_t);
void qsort(void *, size_t, size_t,
  int (*)(const void *, const void *)), free(void *), abort(void), exit(int);
double strtod(const char *, char **);
int abs(int), atoi(const char *);
long long llabs(long long);
unsigned long long strtoull(const char *, char **, int);
long strtol(const char *, char **, int);
char *getenv(const char *);
/* malloc.h */
void *_aligned_malloc(size_t, size_t), _aligned_free(void *);
/* string.h */
void *memcpy(void *, const void *, size_t), *memmove(void *, const void *, size_t), *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t), strcmp(const char *, const char *);
int strncmp(const char *, const char *, size_t);
size_t strlen(const char *), strspn(const char *, const char *), strcspn(const char *, const char *);
char *strcpy(char *, const char *), *strncpy(char *, const char *, size_t), *strerror(int);
char *strcat(char *, const char *);
#ifdef __cplusplus
}
const void *memchr(const void *, int, size_t);
const char *strchr(const char *, int), *strrchr(const char *, int), *strstr(const char *, const char *);
extern "C" {
#else
void *memchr(const void *, int, size_t);
char *strchr(const char *, int), *strrchr(const char *, int), *strstr(const char *, const char *);
#endif
/* fenv.h */
typedef struct fenv_t { unsigned long control, status; } fenv_t;
#define FE_DFL_ENV ((const fenv_t *)0)
int fegetenv(fenv_t *), fesetenv(const fenv_t *);
/* time.h, locale.h */
typedef long clock_t;
typedef long long time_t;
#define CLOCKS_PER_SEC ((clock_t)1000)
clock_t clock(void);
time_t time(time_t *);
struct lconv { char *decimal_point; };
struct lconv *localeconv(void);
#ifdef __cplusplus
}
#endif
#endif
/* SPDX-License-Identifier: MIT */
