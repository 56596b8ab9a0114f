/* SPDX-License-Identifier: MIT
   What R calls: matrices, column by column, become perm's rows; back go values, or a pairlist of status and message. */
#define R_NO_REMAP
#include <Rinternals.h>
#include <R_ext/Rdynload.h>
#include <setjmp.h>
#include <unistd.h>
#define PERM_STATIC
#define PERM_IMPLEMENTATION
#include "perm_more.h"

enum { PLAIN_ORDER = 14 }; /* below 200 entries threads are not asked for */
static SEXP attribute[3]; /* symbols */
static pid_t loaded_by; /* its forks (mclapply) lack OpenMP's threads, and would wait for them: they take one */
static SEXP look(void *none) { R_CheckUserInterrupt(); return (SEXP)none; }
static void leave(void *here, Rboolean jump) { if (jump) longjmp(*(jmp_buf *)here, 1); }
/* R's jump at an interrupt may not pass perm's frames: it ends here, perm returns, and answer() lets R jump on. */
static int progress(const perm_progress *now, void *token)
{
  jmp_buf here;
  if (!now || setjmp(here))
    return 1;
  R_UnwindProtect(look, R_NilValue, leave, &here, (SEXP)token);
  return 0;
}

/* Entries row by row: doubles, pairs, or 64-bit integers; NULL: a text has more. */
static void *rows_of(SEXP x, int m, int n)
{
  Rcomplex *rows = (Rcomplex *)R_alloc((size_t)m * (size_t)n + 1, sizeof *rows);
  const double *real = TYPEOF(x) == REALSXP ? REAL(x) : NULL;
  const Rcomplex *pair = TYPEOF(x) == CPLXSXP ? COMPLEX(x) : NULL;
  errno = 0;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      const R_xlen_t from = i + (R_xlen_t)m * j, to = j + (R_xlen_t)n * i;
      if (real)
        ((double *)rows)[to] = real[from];
      else if (pair)
        rows[to] = pair[from];
      else
        ((int64_t *)rows)[to] = TYPEOF(x) == STRSXP ? strtoll(CHAR(STRING_ELT(x, from)), NULL, 10) : INTEGER(x)[from];
    }
  return errno ? NULL : rows;
}

/* With attributes the value, or if that is NULL the permanent, as a double, a complex number or `whole` as text. */
static SEXP answer(perm_result *r, SEXP value, int whole, SEXP token)
{
  const int e = value ? 0 : (int)fmax(-9999, fmin((double)r->exp2, 9999));
  const Rcomplex z = {ldexp(r->value, e), ldexp(r->imaginary, e)};
  const double size = hypot(z.r, z.i); /* from 2^53 on an exact one was rounded; a subnormal bound may have been */
  const double bound = r->exact && !whole && size >= 9007199254740992. ? ldexp(size, -53)
                       : e ? fmax(ldexp(r->error_bound, e), 2 * DBL_MIN) : r->error_bound;
  char text[PERM_TEXT_BYTES];
  if (r->status == PERM_STOPPED_CANCELLED)
    R_ContinueUnwind(token);
  if (r->status == PERM_OK && (whole || e))
    perm_result_text(r, text, sizeof text);
  if (e && !whole && (size > DBL_MAX || size < DBL_MIN)) {
    snprintf(r->message, sizeof r->message, "the permanent does not fit a double: %.100s", text);
    r->status = PERM_ERROR_RANGE;
  }
  if (r->status != PERM_OK) {
    SEXP name = PROTECT(Rf_mkString(perm_name("status", r->status))), message = PROTECT(Rf_mkString(r->message));
    UNPROTECT(2);
    return Rf_list2(name, message);
  }
  value = PROTECT(value ? value : whole ? Rf_mkString(text) : r->is_complex ? Rf_ScalarComplex(z) : Rf_ScalarReal(z.r));
  Rf_setAttrib(value, attribute[0], PROTECT(Rf_ScalarReal(bound)));
  Rf_setAttrib(value, attribute[1], PROTECT(Rf_ScalarReal(ldexp(r->error_estimate, e))));
  Rf_setAttrib(value, attribute[2], PROTECT(Rf_mkString(perm_name("method", r->method))));
  UNPROTECT(4);
  return value;
}

/* `sparse` NULL: a matrix, with copies if rows or cols are not NULL. Else compressed rows: where each starts, and
   columns; if its length is not 0, marginals, and it gets the probabilities that columns (or rows) stay free. */
static SEXP compute(SEXP x, SEXP size, SEXP rows, SEXP cols, SEXP sparse, SEXP options)
{
  const int m = INTEGER(size)[0], n = INTEGER(size)[1], type = TYPEOF(x), whole = type == STRSXP;
  const int dense = sparse == R_NilValue, marginals = Rf_length(sparse) > 0, entries = Rf_length(x);
  const int *r = Rf_isNull(rows) ? NULL : INTEGER(rows), *c = Rf_isNull(cols) ? NULL : INTEGER(cols);
  SEXP token = PROTECT(R_MakeUnwindCont()), value = PROTECT(Rf_allocVector(REALSXP, marginals ? entries : 0));
  size_t *start = (size_t *)R_alloc((size_t)m + 1, sizeof *start);
  void *a = rows_of(x, dense ? m : entries, dense ? n : 1);
  const perm_options o = {
    .threads = (!r && !c && entries < 200) || getpid() == loaded_by ? Rf_asInteger(VECTOR_ELT(options, 0)) : 1,
    .certify = Rf_asLogical(VECTOR_ELT(options, 1)), .max_seconds = Rf_asReal(VECTOR_ELT(options, 2)),
    .modulus = (uint64_t)Rf_asReal(VECTOR_ELT(options, 3)), .progress = progress, .user_data = token,
    .precision = whole ? PERM_PRECISION_EXACT : PERM_PRECISION_DEFAULT};
  perm_result result = {.status = PERM_ERROR_OVERFLOW};
  perm_matrix matrix;
#define COMPUTE(kind)                                                                                                  \
  (r || c ? perm_compute_repeated_##kind(m, n, a, n, r, c, &o, &result) : perm_compute_##kind(m, n, a, n, &o, &result))
  if (a && dense)
    type == REALSXP ? COMPUTE(real) : type == CPLXSXP ? COMPUTE(complex) : COMPUTE(integer);
  else if (a) {
    for (int i = 0; i <= m; i++)
      start[i] = (size_t)r[i];
    perm_matrix_borrow_csr(m, n, start, c, whole ? NULL : a, NULL, whole ? a : NULL,
                           whole ? PERM_KIND_INTEGER : PERM_KIND_REAL, &matrix, &result);
    if (result.status == PERM_OK)
      marginals ? perm_marginals_sparse(&matrix, &o, REAL(value), REAL(sparse), &result)
                : perm_compute_sparse(&matrix, &o, &result);
  }
  value = answer(&result, marginals ? value : NULL, whole, token);
  UNPROTECT(2);
  return value;
}

/* The same of a small plain matrix without options, in half of a call's time; NULL: perm() goes the long way. */
static SEXP plain(SEXP x)
{
  const int type = TYPEOF(x), step = type == CPLXSXP ? 2 : 1;
  const SEXP size = OBJECT(x) || (type != REALSXP && type != CPLXSXP) ? R_NilValue : Rf_getAttrib(x, R_DimSymbol);
  const int n = Rf_length(size) == 2 ? INTEGER(size)[0] : 0;
  double rows[2 * PLAIN_ORDER * PLAIN_ORDER];
  perm_result result;
  if (n < 1 || n > PLAIN_ORDER || n != INTEGER(size)[1])
    return R_NilValue;
  const double *from = step == 2 ? (const double *)COMPLEX(x) : REAL(x);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      memcpy(rows + step * (i * n + j), from + step * (j * n + i), (size_t)step * sizeof *rows);
  if (step == 2)
    perm_compute_complex(n, n, rows, n, NULL, &result);
  else
    perm_compute_real(n, n, rows, n, NULL, &result);
  const SEXP value = result.status == PERM_OK ? answer(&result, NULL, 0, NULL) : R_NilValue;
  return TYPEOF(value) == LISTSXP ? R_NilValue : value;
}

void R_init_permexact(DllInfo *info)
{
  static const R_CallMethodDef methods[] = {
    {"C_compute", (DL_FUNC)&compute, 6}, {"C_plain", (DL_FUNC)&plain, 1}, {NULL, NULL, 0}};
  loaded_by = getpid();
  attribute[0] = Rf_install("error_bound");
  attribute[1] = Rf_install("error_estimate");
  attribute[2] = Rf_install("method");
  R_registerRoutines(info, NULL, methods, NULL, NULL);
  R_useDynamicSymbols(info, FALSE);
}
