/* _perm: permanent() and compute() of perm.py without ctypes: 0.1 to 0.3 microseconds instead of several.

       make python          // examples/python/_perm.abi3.so beside perm.py, which uses it from then on

   One file for CPython 3.11 and all later versions: only the limited API is used, which has had buffers since 3.11.

   There is one text of every rule, in perm.py. These functions take what needs no thought: lists of numbers, arrays
   and memoryviews of the usual types, options of the usual types, an answer without an error. Anything else (they
   decline by returning 0, or NULL without an exception) goes to the function of perm.py of the same name, which
   accepts it or says what is wrong. So answers, errors and their texts are the same in both forms. All other functions
   are perm.py's, which calls the library in this file by ctypes: it exports the headers' functions.

   THE LOCK  of the interpreter is released for all but tiny jobs (order TINY_ORDER at most): to get it back while
   another thread computes takes up to 5 ms, a tiny job microseconds.
   CTRL-C    and progress and cancel of long jobs: on_progress, every 0.1 s, in the calling thread. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include "perm_more.h"

#define TINY_ORDER 12  /* _TINY of perm.py */
#define SMALL_ORDER 20 /* _SMALL of perm.py: up to here perm_real and perm_complex do if no option asks for more */
#define STACK_ORDER 24 /* _BATCH of perm.py: stacks up to here are one call */
#define MOST_COUNTS 64 /* multiplicities of rows, or of columns */
#define MOST_COPIED ((Py_ssize_t)1 << 22) /* entries; larger ones are copied by numpy, whose errors perm.py knows */

/* ---- keywords: rows, cols and out, then the options in the order of perm.py's _Call */

enum {
  ROWS, COLS, OUT, METHOD, PRECISION, ISA, THREADS, CERTIFY, TOLERANCE, MODULUS, MAX_SECONDS, MAX_BYTES, EFFORT, GPUS,
  CPU_FALLBACK, GPU_CACHE, TUNE, CHECKPOINT, CHECKPOINT_SECONDS, PART, MERGE, PROVE, PROGRESS, CANCEL, FORMAT, KEYWORDS
};
static const char *const keyword_names[KEYWORDS] = {
  "rows", "cols", "out", "method", "precision", "isa", "threads", "certify", "tolerance", "modulus", "max_seconds",
  "max_bytes", "effort", "gpus", "cpu_fallback", "gpu_cache", "tune", "checkpoint", "checkpoint_seconds", "part",
  "merge", "prove", "progress", "cancel", "format"};

enum { FIELDS = 20 }; /* of a Result */
static const char *const field_names[FIELDS] = {
  "value", "partial_sum", "exp2", "integer", "exact", "error_bound", "error_estimate", "modulus", "method", "precision",
  "isa", "threads", "gpus", "tuned", "escalated", "terms", "plan_seconds", "seconds", "status", "message"};

enum { PERMANENT, COMPUTE, FUNCTIONS };

/* __name__, _finished, _error, Result, Progress of perm.py; numpy.ndarray, numpy.empty, None without numpy */
enum { NAME, FINISHED, ERROR, RESULT_TYPE, PROGRESS_TYPE, ARRAY_TYPE, EMPTY, LENT };

typedef struct module_state {
  PyObject *general[FUNCTIONS]; /* of perm.py */
  PyObject *lent[LENT];
  PyObject *keyword[KEYWORDS]; /* interned, so that one comparison of pointers finds them */
  PyObject *field[FIELDS];
  PyMethodDef method[FUNCTIONS];
  char *text[FUNCTIONS]; /* signature and docstring */
  int forked;            /* in a child process OpenMP's threads are gone */
} module_state;

/* One call in progress. */
typedef struct call {
  const module_state *state;
  perm_options options;
  perm_result result;
  PyObject *rows, *cols, *out, *progress, *cancel; /* borrowed, NULL: none */
  int asks;                                        /* for more than perm_real and perm_complex give */
  PyThreadState *thread;                           /* while the lock is released */
  int interrupted;                                 /* by Ctrl-C */
  PyObject *error[3];                              /* raised in a callback: type, value, traceback */
} call;

/* ---- options: each function returns 1 if the value is of the usual type and within its range */

static const char *name_of(int keyword, int number)
{
  return keyword == METHOD      ? perm_name("method", (perm_method)number)
         : keyword == PRECISION ? perm_name("precision", (perm_precision)number)
         : keyword == ISA       ? perm_name("isa", (perm_isa)number)
                                : perm_name("format", (perm_format)number);
}

static int take_name(int keyword, PyObject *value, int *number)
{
  Py_ssize_t length;
  const char *word = PyUnicode_CheckExact(value) ? PyUnicode_AsUTF8AndSize(value, &length) : NULL;
  if (!word || (size_t)length != strlen(word)) {
    PyErr_Clear();
    return 0;
  }
  for (*number = 0; strcmp(word, name_of(keyword, *number)); ++*number)
    if (!strcmp(name_of(keyword, *number), "unknown"))
      return 0;
  return strcmp(word, "unknown") != 0;
}

static int take_integer(PyObject *value, long long least, long long most, long long *number)
{
  int overflow;
  if (!PyLong_CheckExact(value))
    return 0;
  *number = PyLong_AsLongLongAndOverflow(value, &overflow);
  return !overflow && *number >= least && *number <= most;
}

static int take_double(PyObject *value, double *number)
{
  long long whole;
  if (value == Py_None || take_integer(value, -((long long)1 << 53), (long long)1 << 53, &whole)) {
    *number = value == Py_None ? 0 : (double)whole;
    return 1;
  }
  *number = PyFloat_CheckExact(value) ? PyFloat_AsDouble(value) : 0;
  return PyFloat_CheckExact(value);
}

static int take_option(call *c, int keyword, PyObject *value)
{
  perm_options *o = &c->options;
  int number = 0, taken = 1;
  long long whole = 0;
  switch (keyword) {
  case METHOD:
  case PRECISION:
  case ISA:
  case FORMAT:
    taken = take_name(keyword, value, &number);
    if (keyword == METHOD)
      o->method = (perm_method)number;
    else if (keyword == PRECISION)
      o->precision = (perm_precision)number;
    else if (keyword == ISA)
      o->isa = (perm_isa)number;
    else
      o->format = (perm_format)number;
    c->asks |= number != 0;
    return taken;
  case THREADS:
    taken = take_integer(value, 0, 4096, &whole);
    o->threads = (int)whole;
    return taken;
  case CERTIFY:
    o->certify = value == Py_True;
    c->asks |= o->certify;
    return value == Py_True || value == Py_False;
  case MODULUS:
    taken = value == Py_None || take_integer(value, 0, INT64_MAX, &whole);
    o->modulus = (uint64_t)whole;
    c->asks |= whole != 0;
    return taken;
  case TOLERANCE:
  case MAX_SECONDS:
  case MAX_BYTES:
  case EFFORT:
  case CHECKPOINT_SECONDS: {
    double *field = keyword == TOLERANCE     ? &o->tolerance
                    : keyword == MAX_SECONDS ? &o->max_seconds
                    : keyword == MAX_BYTES   ? &o->max_bytes
                    : keyword == EFFORT      ? &o->plan_effort
                                             : &o->checkpoint.seconds;
    taken = take_double(value, field);
    c->asks |= !(*field == 0);
    return taken;
  }
  case ROWS:
    c->rows = value == Py_None ? NULL : value;
    return 1;
  case COLS:
    c->cols = value == Py_None ? NULL : value;
    return 1;
  case OUT:
    c->out = value == Py_None ? NULL : value;
    return 1;
  case PROGRESS:
    c->progress = value == Py_None ? NULL : value;
    c->asks |= c->progress != NULL;
    return !c->progress || PyCallable_Check(value);
  case CANCEL:
    c->cancel = value == Py_None ? NULL : value;
    c->asks |= c->cancel != NULL;
    return !c->cancel || PyObject_HasAttrString(value, "is_set");
  case GPUS:
  case CPU_FALLBACK:
  case TUNE: /* these, and the rest, only if they are off */
    return value == Py_False || take_integer(value, 0, 0, &whole);
  default:
    return value == Py_None;
  }
}

/* The arguments after the matrix: rows, cols and out may come without their names, the rest only with them. */
static int take_options(call *c, int function, PyObject *const *arguments, Py_ssize_t positional, PyObject *names)
{
  const Py_ssize_t named = names ? PyTuple_Size(names) : 0;
  Py_ssize_t k;
  int keyword;
  for (k = 1; k < positional; k++)
    if (k > (function == PERMANENT ? 3 : 2) || !take_option(c, ROWS + (int)k - 1, arguments[k]))
      return 0;
  for (k = 0; k < named; k++) {
    PyObject *name = PyTuple_GetItem(names, k);
    for (keyword = 0; keyword < KEYWORDS && name != c->state->keyword[keyword]; keyword++)
      ;
    if (keyword == KEYWORDS || (keyword == OUT && function == COMPUTE) || (keyword < positional - 1) ||
        !take_option(c, keyword, arguments[positional + k]))
      return 0;
  }
  if (c->state->forked)
    c->options.threads = 1;
  return 1;
}

/* ---- matrices */

typedef struct matrix {
  char kind; /* d: double, D: complex, q: int64_t */
  int m, n;
  ptrdiff_t ld;
  const void *data;
  Py_buffer view; /* view.obj is NULL unless the numbers are borrowed */
  void *heap;
  union {
    double real[128];
    int64_t integer[128];
  } numbers; /* small copies: order 8 of complex numbers, 11 of others */
} matrix;

static void matrix_release(matrix *a)
{
  if (a->view.obj)
    PyBuffer_Release(&a->view);
  PyMem_Free(a->heap);
}

/* Memory for a copy of m x n entries. */
static void *matrix_reserve(matrix *a, Py_ssize_t m, Py_ssize_t n, size_t size)
{
  const size_t bytes = (size_t)m * (size_t)n * size;
  if (m > PERM_MAX_LINES || n > PERM_MAX_LINES || m * n > MOST_COPIED)
    return NULL;
  a->m = (int)m, a->n = (int)n, a->ld = n;
  PyMem_Free(a->heap);
  a->heap = bytes > sizeof a->numbers ? PyMem_Malloc(bytes) : NULL;
  a->data = bytes > sizeof a->numbers ? a->heap : &a->numbers;
  return (void *)(uintptr_t)a->data;
}

static int64_t integer_at(const char *place, Py_ssize_t size, int is_signed)
{
  int8_t one;
  int16_t two;
  int32_t four;
  int64_t eight;
  switch (size) {
  case 1: memcpy(&one, place, 1); return is_signed ? one : (uint8_t)one;
  case 2: memcpy(&two, place, 2); return is_signed ? two : (uint16_t)two;
  case 4: memcpy(&four, place, 4); return is_signed ? four : (int64_t)(uint32_t)four;
  default: memcpy(&eight, place, 8); return eight;
  }
}

/* The kind of a buffer's entries, 0 for others; unsigned ones of 64 bits are others. */
static char buffer_kind(const Py_buffer *view, int *is_signed)
{
  const char *format = view->format ? view->format : "B";
  if (*format == '@' || *format == '=' || *format == (PY_LITTLE_ENDIAN ? '<' : '>'))
    format++;
  *is_signed = 1;
  if (!strcmp(format, "d") && view->itemsize == 8)
    return 'd';
  if (!strcmp(format, "Zd") && view->itemsize == 16)
    return 'D';
  if (!*format || format[1])
    return 0;
  if (strchr("bhilq", *format))
    return 'q';
  *is_signed = 0;
  return (char)(strchr("?BHIL", *format) && view->itemsize < 8 ? 'q' : 0);
}

static int borrow(PyObject *object, int flags, Py_buffer *view)
{
  if (!PyObject_GetBuffer(object, view, PyBUF_FORMAT | flags))
    return 1;
  PyErr_Clear();
  view->obj = NULL;
  return 0;
}

/* A matrix lent by an array or memoryview. The library takes rows without gaps at any distance; other places are
   copied, and gaps between rows too if `packed` is set. */
static int take_buffer(int packed, matrix *a)
{
  const Py_buffer *view = &a->view;
  Py_ssize_t size, row, column, i, j;
  char *to;
  const char *from;
  int is_signed;
  a->kind = buffer_kind(view, &is_signed);
  if (!a->kind || view->shape[0] > INT32_MAX || view->shape[1] > INT32_MAX)
    return 0;
  size = a->kind == 'D' ? 16 : 8;
  row = view->strides[0], column = view->strides[1];
  a->m = (int)view->shape[0], a->n = (int)view->shape[1];
  if (view->itemsize == size && (column == size || a->n <= 1) && (uintptr_t)view->buf % 8 == 0 &&
      (a->m <= 1 || (row >= a->n * size && row % size == 0 && (!packed || row == a->n * size)))) {
    a->data = view->buf;
    a->ld = a->m > 1 ? row / size : a->n;
    return 1;
  }
  to = (char *)matrix_reserve(a, a->m, a->n, (size_t)size);
  if (!to)
    return 0;
  for (i = 0; i < a->m; i++) {
    from = (const char *)view->buf + i * row;
    for (j = 0; j < a->n; j++, from += column, to += size)
      if (a->kind == 'q') {
        const int64_t entry = integer_at(from, view->itemsize, is_signed);
        memcpy(to, &entry, 8);
      } else
        memcpy(to, from, (size_t)size);
  }
  return 1;
}

static PyObject *item(PyObject *list, Py_ssize_t k) /* borrowed */
{
  return PyList_CheckExact(list) ? PyList_GetItem(list, k) : PyTuple_GetItem(list, k);
}

/* Length of a list or tuple, -1 for others. */
static Py_ssize_t length_of(PyObject *list)
{
  return PyList_CheckExact(list) ? PyList_Size(list) : PyTuple_CheckExact(list) ? PyTuple_Size(list) : -1;
}

/* Writes an entry of the kind. Returns the kind that it needs, 0 for what perm.py looks at: other types, integers that
   are too long or would be rounded. */
static char take_entry(PyObject *entry, char kind, void *to)
{
  double *number = (double *)to;
  if (PyFloat_CheckExact(entry)) {
    if (kind == 'q')
      return 'd';
    number[0] = PyFloat_AsDouble(entry);
  } else if (PyLong_CheckExact(entry) || PyBool_Check(entry)) {
    int overflow;
    const long long whole = PyLong_AsLongLongAndOverflow(entry, &overflow);
    if (overflow || (kind != 'q' && (whole < -((long long)1 << 53) || whole > (long long)1 << 53)))
      return 0;
    if (kind == 'q') {
      const int64_t exact = whole;
      memcpy(to, &exact, sizeof exact);
      return kind;
    }
    number[0] = (double)whole;
  } else if (PyComplex_CheckExact(entry)) {
    if (kind != 'D')
      return 'D';
    number[0] = PyComplex_RealAsDouble(entry);
    number[1] = PyComplex_ImagAsDouble(entry);
    return kind;
  } else
    return 0;
  if (kind == 'D')
    number[1] = 0;
  return kind;
}

/* A matrix as a list of lists, or tuples. Integers become doubles, and doubles complex, when a later entry is one. */
static int take_lists(PyObject *object, matrix *a)
{
  const Py_ssize_t m = length_of(object), n = m > 0 ? length_of(item(object, 0)) : 0;
  char *to, kind = 'q';
  Py_ssize_t i, j;
  if (n < 1)
    return 0;
again:
  a->kind = kind;
  to = (char *)matrix_reserve(a, m, n, kind == 'D' ? 16 : 8);
  if (!to)
    return 0;
  for (i = 0; i < m; i++) {
    PyObject *row = item(object, i);
    if (length_of(row) != n)
      return 0;
    for (j = 0; j < n; j++, to += kind == 'D' ? 16 : 8) {
      kind = take_entry(item(row, j), kind, to);
      if (!kind)
        return 0;
      if (kind != a->kind)
        goto again;
    }
  }
  return 1;
}

/* A stack of square matrices whose rows and columns have no gaps; matrices may be any distance apart. Others are
   perm.py's to copy. */
static int take_stack(matrix *a)
{
  const Py_buffer *view = &a->view;
  const Py_ssize_t n = view->shape[1], size = view->itemsize, step = view->strides[0];
  int is_signed;
  a->kind = buffer_kind(view, &is_signed);
  a->m = a->n = (int)(n <= STACK_ORDER ? n : 0);
  a->data = view->buf;
  a->ld = step / (size ? size : 1);
  return (a->kind == 'd' || a->kind == 'D' || (a->kind == 'q' && size == 8 && is_signed)) && n == view->shape[2] &&
         n > 0 && n <= STACK_ORDER && view->strides[2] == size && view->strides[1] == n * size && step % size == 0 &&
         step >= n * n * size && (uintptr_t)view->buf % 8 == 0;
}

/* Returns the number of dimensions, 2 or 3, or 0 if it declines. */
static int take_matrix(const module_state *state, PyObject *object, int packed, matrix *a)
{
  if ((PyObject *)Py_TYPE(object) != state->lent[ARRAY_TYPE] && !Py_IS_TYPE(object, &PyMemoryView_Type))
    return take_lists(object, a) ? 2 : 0;
  if (!borrow(object, PyBUF_STRIDES, &a->view))
    return 0;
  return a->view.ndim == 2 && take_buffer(packed, a) ? 2 : a->view.ndim == 3 && take_stack(a) ? 3 : 0;
}

/* Multiplicities: a list or tuple, or a vector, of `size` integers. */
static int take_counts(const module_state *state, PyObject *object, int size, int *counts)
{
  long long whole;
  int k, is_signed, taken = 0;
  Py_buffer view;
  if (size > MOST_COUNTS)
    return 0;
  if (length_of(object) == size) {
    for (k = 0; k < size; k++) {
      if (!take_integer(item(object, k), 0, INT32_MAX, &whole))
        return 0;
      counts[k] = (int)whole;
    }
    return 1;
  }
  if ((PyObject *)Py_TYPE(object) != state->lent[ARRAY_TYPE] || !borrow(object, PyBUF_STRIDES, &view))
    return 0;
  if (view.ndim == 1 && view.shape[0] == size && buffer_kind(&view, &is_signed) == 'q') {
    taken = 1;
    for (k = 0; k < size; k++) {
      const int64_t count = integer_at((const char *)view.buf + k * view.strides[0], view.itemsize, is_signed);
      taken &= count >= 0 && count <= INT32_MAX;
      counts[k] = (int)count;
    }
  }
  PyBuffer_Release(&view);
  return taken;
}

/* ---- the job: without the lock, unless it is tiny */

/* Whether progress or cancel ask for a stop; -1: one of them raised. */
static int asked_to_stop(const call *c, const perm_progress *report)
{
  int stop = 0;
  PyObject *answer = c->cancel ? PyObject_CallMethod(c->cancel, "is_set", NULL) : NULL;
  if (c->cancel) {
    stop = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
  }
  if (!stop && c->progress) {
    PyObject *now = PyObject_CallFunction(c->state->lent[PROGRESS_TYPE], "ddds", report->fraction, report->seconds,
                                          report->seconds_left, report->activity);
    answer = now ? PyObject_CallFunctionObjArgs(c->progress, now, NULL) : NULL;
    stop = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    Py_XDECREF(now);
  }
  return stop;
}

/* Of signals only Ctrl-C stops a job whose handler raises nothing; job_end calls its handler. */
static int on_progress(const perm_progress *report, void *data)
{
  call *c = (call *)data;
  const int released = c->thread != NULL;
  int stop;
  if (c->interrupted || c->error[0])
    return 1;
  if (released)
    PyEval_RestoreThread(c->thread);
  c->interrupted = PyOS_InterruptOccurred();
  stop = c->interrupted ? 1 : PyErr_CheckSignals() ? -1 : asked_to_stop(c, report);
  if (stop < 0)
    PyErr_Fetch(&c->error[0], &c->error[1], &c->error[2]);
  if (released)
    c->thread = PyEval_SaveThread();
  return stop != 0;
}

static void job_begin(call *c, int is_tiny)
{
  c->thread = is_tiny ? NULL : PyEval_SaveThread();
}

/* Returns -1 where an exception has to be raised. */
static int job_end(call *c)
{
  if (c->thread)
    PyEval_RestoreThread(c->thread);
  if (c->error[0]) {
    PyErr_Restore(c->error[0], c->error[1], c->error[2]);
    return -1;
  }
  if (!c->interrupted)
    return 0;
  PyErr_SetInterruptEx(SIGINT);
  return PyErr_CheckSignals();
}

/* ---- answers */

static PyObject *complex_or_real(int is_complex, double real, double imaginary)
{
  return is_complex ? PyComplex_FromDoubles(real, imaginary) : PyFloat_FromDouble(real);
}

static PyObject *python_integer(const perm_integer *integer)
{
  char digits[16 * PERM_INTEGER_WORDS + 2], *to = digits;
  int k, bits;
  if (integer->words == 0)
    return PyLong_FromLong(0);
  if (integer->words == 1 && integer->word[0] <= INT64_MAX)
    return PyLong_FromLongLong(integer->negative ? -(long long)integer->word[0] : (long long)integer->word[0]);
  if (integer->negative)
    *to++ = '-';
  for (k = integer->words - 1; k >= 0; k--)
    for (bits = 60; bits >= 0; bits -= 4)
      *to++ = "0123456789abcdef"[integer->word[k] >> bits & 15];
  *to = 0;
  return PyLong_FromString(digits, NULL, 16);
}

/* A Result with the fields that perm.py's _result gives it, in the order of field_names. They go into its dictionary:
   the constructor is slow. */
static PyObject *make_result(const module_state *state, const perm_result *r, int whole)
{
  PyObject *const value[FIELDS] = {
    complex_or_real(r->is_complex, r->value, r->imaginary),
    complex_or_real(r->is_complex, r->partial_sum, r->partial_imaginary),
    PyLong_FromLongLong(r->exp2),
    whole && r->exact ? python_integer(&r->integer) : Py_NewRef(Py_None),
    PyBool_FromLong(r->exact),
    PyFloat_FromDouble(r->error_bound),
    PyFloat_FromDouble(r->error_estimate),
    PyLong_FromUnsignedLongLong(r->modulus),
    PyUnicode_InternFromString(perm_name("method", r->method)),
    PyUnicode_InternFromString(perm_name("precision", r->precision)),
    PyUnicode_InternFromString(perm_name("isa", r->isa)),
    PyLong_FromLong(r->threads),
    PyLong_FromLong(r->gpus),
    PyLong_FromLong(r->tuned),
    PyLong_FromLong(r->escalated),
    PyFloat_FromDouble(r->terms),
    PyFloat_FromDouble(r->plan_seconds),
    PyFloat_FromDouble(r->seconds),
    PyUnicode_InternFromString(perm_name("status", r->status)),
    PyUnicode_DecodeUTF8(r->message, (Py_ssize_t)strlen(r->message), "replace"),
  };
  PyObject *result = PyType_GenericAlloc((PyTypeObject *)state->lent[RESULT_TYPE], 0);
  PyObject *fields = result ? PyObject_GenericGetDict(result, NULL) : NULL;
  int good = fields != NULL;
  int k;
  for (k = 0; k < FIELDS; k++) {
    good = good && value[k] && !PyDict_SetItem(fields, state->field[k], value[k]);
    Py_XDECREF(value[k]);
  }
  Py_XDECREF(fields);
  if (good)
    return result;
  Py_XDECREF(result);
  return NULL;
}

/* ---- the two functions */

/* Whether a number is 0 or so small that it lacks bits. */
static int is_below(const double *parts, int count)
{
  return fabs(parts[0]) < DBL_MIN && (count == 1 || fabs(parts[1]) < DBL_MIN);
}

/* Whether a permanent of the stack overflowed, or may be 0 by underflow: it is below normal doubles, and a product of
   as many entries can be. perm.py's _refine looks at these. */
static int is_doubtful(const matrix *a, Py_ssize_t count, const double *permanents)
{
  const int parts = a->kind == 'D' ? 2 : 1;
  const double *matrices = (const double *)a->data;
  double least = INFINITY;
  Py_ssize_t k, i;
  int below = 0;
  for (k = 0; k < count * parts; k += parts) {
    if (!isfinite(permanents[k]) || !isfinite(permanents[k + parts - 1]))
      return 1;
    below |= is_below(permanents + k, parts);
  }
  if (!below)
    return 0;
  for (k = 0; k < count; k++)
    for (i = 0; i < (Py_ssize_t)a->n * a->n * parts; i++) {
      const double size = fabs(matrices[k * a->ld * parts + i]);
      least = size > 0 && size < least ? size : least;
    }
  return a->n * log2(least) <= -1000;
}

/* perm_real or perm_complex. NULL where they are not enough: errors, numbers beyond doubles and below them, so also
   0. */
static PyObject *small_permanent(call *c, const matrix *a)
{
  double value[2] = {0, 0};
  job_begin(c, a->n <= TINY_ORDER);
  if (a->kind == 'd')
    value[0] = perm_real(a->n, (const double *)a->data);
  else
    perm_complex(a->n, (const double *)a->data, value);
  job_end(c);
  if (!isfinite(value[0]) || !isfinite(value[1]) || is_below(value, 2))
    return NULL;
  return complex_or_real(a->kind == 'D', value[0], value[1]);
}

/* A stack of matrices by one call, into `out` or a new array. */
static PyObject *stack_permanents(call *c, const matrix *a)
{
  const Py_ssize_t count = a->view.shape[0];
  const size_t apart = (size_t)a->ld;
  PyObject *out = c->out ? Py_NewRef(c->out) : NULL, *error;
  perm_status status;
  Py_buffer view;
  int is_signed, raised;
  if (c->options.precision == PERM_PRECISION_EXACT || c->options.modulus)
    return NULL;
  if (!out && c->state->lent[EMPTY] != Py_None)
    out = PyObject_CallFunction(c->state->lent[EMPTY], "ns", count, a->kind == 'd' ? "d" : "D");
  if (!out)
    return NULL;
  if (!borrow(out, PyBUF_ND | PyBUF_WRITABLE, &view) || view.ndim != 1 || view.shape[0] != count ||
      buffer_kind(&view, &is_signed) != a->kind || (uintptr_t)view.buf % 8) {
    if (view.obj)
      PyBuffer_Release(&view);
    Py_DECREF(out);
    return NULL;
  }
  c->options.progress = on_progress;
  c->options.user_data = c;
  job_begin(c, count <= 1 << TINY_ORDER >> a->n);
  status = a->kind == 'd' ? perm_batch_real(a->n, (size_t)count, (const double *)a->data, apart, &c->options,
                                            (double *)view.buf, &c->result)
                          : perm_batch_complex(a->n, (size_t)count, (const double *)a->data, apart, &c->options,
                                               (double *)view.buf, &c->result);
  raised = job_end(c); /* which gets the lock back: releasing a buffer needs it */
  if (!raised && status == PERM_OK && is_doubtful(a, count, (const double *)view.buf)) {
    PyBuffer_Release(&view);
    Py_DECREF(out);
    return NULL;
  }
  PyBuffer_Release(&view);
  if (!raised) {
    if (status == PERM_OK)
      return out;
    error = PyObject_CallFunction(c->state->lent[ERROR], "isO", (int)status, c->result.message, out);
    if (error)
      PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(error);
  }
  Py_DECREF(out);
  return NULL;
}

/* Whether perm.py would pass the matrix as it is to perm_compute_*: no sparse engine by name, no floats taken as
   integers, no integers taken as floats. */
static int is_direct(const call *c, const matrix *a)
{
  const perm_options *o = &c->options;
  if ((o->method >= PERM_METHOD_FRONTIER && o->method <= PERM_METHOD_TRANSVERSALS) ||
      o->method >= PERM_METHOD_CODEGEN_REGISTERS)
    return 0;
  if (a->kind == 'q')
    return (o->method == PERM_METHOD_AUTO || o->method == PERM_METHOD_EXACT) &&
           (o->precision == PERM_PRECISION_DEFAULT || o->precision == PERM_PRECISION_EXACT);
  return o->precision != PERM_PRECISION_EXACT && !o->modulus;
}

static perm_status run(call *c, const matrix *a, const int *rows, const int *cols)
{
  const double *doubles = (const double *)a->data;
  const int64_t *integers = (const int64_t *)a->data;
  const perm_options *o = &c->options;
  perm_result *r = &c->result;
  if (!rows && !cols)
    return a->kind == 'd'   ? perm_compute_real(a->m, a->n, doubles, a->ld, o, r)
           : a->kind == 'D' ? perm_compute_complex(a->m, a->n, doubles, a->ld, o, r)
                            : perm_compute_integer(a->m, a->n, integers, a->ld, o, r);
  return a->kind == 'd'   ? perm_compute_repeated_real(a->m, a->n, doubles, a->ld, rows, cols, o, r)
         : a->kind == 'D' ? perm_compute_repeated_complex(a->m, a->n, doubles, a->ld, rows, cols, o, r)
                          : perm_compute_repeated_integer(a->m, a->n, integers, a->ld, rows, cols, o, r);
}

static PyObject *computed(call *c, const matrix *a, int function)
{
  int counts[2][MOST_COUNTS];
  const int is_square = a->m == a->n, is_counted = c->rows || c->cols;
  const int is_usual = c->options.method == PERM_METHOD_AUTO || c->options.method == PERM_METHOD_EXACT;
  PyObject *result, *answer;
  perm_status status;
  if ((c->rows && !take_counts(c->state, c->rows, a->m, counts[0])) ||
      (c->cols && !take_counts(c->state, c->cols, a->n, counts[1])) || !is_direct(c, a))
    return NULL;
  c->options.progress = on_progress;
  c->options.user_data = c;
  job_begin(c, is_square && !is_counted && a->n <= TINY_ORDER && is_usual);
  status = run(c, a, c->rows ? counts[0] : NULL, c->cols ? counts[1] : NULL);
  if (job_end(c) || status < 0) /* perm.py meets the same error and raises it, or goes on by residues */
    return NULL;
  if (function == PERMANENT && status == PERM_OK) {
    if (a->kind == 'q' && c->result.exact)
      return python_integer(&c->result.integer);
    if (a->kind != 'q' && c->result.exp2 == 0)
      return complex_or_real(a->kind == 'D', c->result.value, c->result.imaginary);
  }
  result = make_result(c->state, &c->result, a->kind == 'q');
  if (function == COMPUTE || !result)
    return result;
  answer = PyObject_CallFunctionObjArgs(c->state->lent[FINISHED], result, NULL);
  Py_DECREF(result);
  return answer;
}

/* A stack of integers: an array of Python's. */
static PyObject *integer_stack(call *c, const matrix *a)
{
  const Py_ssize_t count = a->view.shape[0];
  PyObject *out;
  matrix one = *a;
  Py_ssize_t k;
  if (c->asks || c->out || c->state->lent[EMPTY] == Py_None)
    return NULL;
  out = PyObject_CallFunction(c->state->lent[EMPTY], "ns", count, "O");
  one.ld = a->n;
  for (k = 0; out && k < count; k++) {
    PyObject *value;
    one.data = (char *)a->data + k * a->ld * 8;
    value = computed(c, &one, PERMANENT);
    if (!value || PySequence_SetItem(out, k, value) < 0 || PyErr_CheckSignals() < 0) {
      Py_DECREF(out);
      out = NULL;
    }
    Py_XDECREF(value);
  }
  return out;
}

static PyObject *call_general(PyObject *function, PyObject *const *arguments, Py_ssize_t positional, PyObject *names)
{
  const Py_ssize_t named = names ? PyTuple_Size(names) : 0;
  PyObject *tuple = PyTuple_New(positional), *dict = named ? PyDict_New() : NULL, *answer = NULL;
  Py_ssize_t k;
  int good = tuple && (!named || dict);
  for (k = 0; good && k < positional; k++)
    good = !PyTuple_SetItem(tuple, k, Py_NewRef(arguments[k]));
  for (k = 0; good && k < named; k++)
    good = !PyDict_SetItem(dict, PyTuple_GetItem(names, k), arguments[positional + k]);
  Py_INCREF(function); /* perm.py may be reloaded meanwhile */
  if (good)
    answer = PyObject_Call(function, tuple, dict);
  Py_DECREF(function);
  Py_XDECREF(tuple);
  Py_XDECREF(dict);
  return answer;
}

static PyObject *call_function(PyObject *module, int function, PyObject *const *arguments, Py_ssize_t positional,
                               PyObject *names)
{
  const module_state *state = (const module_state *)PyModule_GetState(module);
  PyObject *answer = NULL;
  call c;
  matrix a;
  c.state = state;
  c.rows = c.cols = c.out = c.progress = c.cancel = c.error[0] = NULL;
  c.asks = c.interrupted = 0;
  memset(&c.options, 0, sizeof c.options);
  a.view.obj = NULL;
  a.heap = NULL;
  if (positional >= 1 && take_options(&c, function, arguments, positional, names)) {
    const int is_plain = function == PERMANENT && !c.asks && !c.rows && !c.cols;
    const int dimensions = take_matrix(state, arguments[0], is_plain, &a);
    if (dimensions == 3 && function == PERMANENT && !c.rows && !c.cols)
      answer = a.kind == 'q' ? integer_stack(&c, &a) : stack_permanents(&c, &a);
    else if (dimensions == 2 && !c.out) {
      if (is_plain && a.m == a.n && a.kind != 'q' && a.n <= (state->forked ? TINY_ORDER : SMALL_ORDER))
        answer = small_permanent(&c, &a);
      if (!answer && !PyErr_Occurred())
        answer = computed(&c, &a, function);
    }
    matrix_release(&a);
  }
  if (answer || PyErr_Occurred())
    return answer;
  return call_general(state->general[function], arguments, positional, names);
}

static PyObject *permanent(PyObject *module, PyObject *const *arguments, Py_ssize_t positional, PyObject *names)
{
  return call_function(module, PERMANENT, arguments, positional, names);
}

static PyObject *compute(PyObject *module, PyObject *const *arguments, Py_ssize_t positional, PyObject *names)
{
  return call_function(module, COMPUTE, arguments, positional, names);
}

/* ---- the module */

/* A function in front of perm.py's of the same name, with its module, signature and docstring, so that help(), inspect
   and pickle find what they expect. */
static PyObject *make_function(PyObject *module, int function, PyObject *general, const char *text)
{
  static const struct {
    const char *name;
    PyObject *(*call)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);
  } made[FUNCTIONS] = {{"permanent", permanent}, {"compute", compute}};
  module_state *state = (module_state *)PyModule_GetState(module);
  PyMethodDef *method = &state->method[function];
  PyObject *before = state->general[function];
  char *copy = (char *)PyMem_Malloc(strlen(text) + 1);
  if (!copy)
    return PyErr_NoMemory();
  strcpy(copy, text);
  PyMem_Free(state->text[function]);
  state->text[function] = copy;
  state->general[function] = Py_NewRef(general);
  Py_XDECREF(before);
  method->ml_name = made[function].name;
  method->ml_meth = (PyCFunction)(void (*)(void))made[function].call;
  method->ml_flags = METH_FASTCALL | METH_KEYWORDS;
  method->ml_doc = copy;
  return PyCFunction_NewEx(method, module, state->lent[NAME]);
}

/* connect(__name__, _finished, _error, Result, Progress, numpy.ndarray, numpy.empty, (permanent, text), (compute,
   text)): takes what perm.py lends (None in place of numpy's if it is not there), and returns the functions that go
   before those two. perm.py may do so again when it is reloaded; a copy of it under another name is refused. */
static PyObject *connect(PyObject *module, PyObject *arguments)
{
  module_state *state = (module_state *)PyModule_GetState(module);
  PyObject *general[FUNCTIONS], *made[FUNCTIONS], *lent[LENT];
  const char *text[FUNCTIONS];
  int k;
  if (!PyArg_ParseTuple(arguments, "UOOO!OOO(Os)(Os)", &lent[NAME], &lent[FINISHED], &lent[ERROR], &PyType_Type,
                        &lent[RESULT_TYPE], &lent[PROGRESS_TYPE], &lent[ARRAY_TYPE], &lent[EMPTY], &general[0],
                        &text[0], &general[1], &text[1]))
    return NULL;
  if (state->lent[NAME] && PyUnicode_Compare(state->lent[NAME], lent[NAME])) {
    PyErr_Format(PyExc_RuntimeError, "_perm is connected to %U", state->lent[NAME]);
    return NULL;
  }
  for (k = 0; k < LENT; k++) {
    PyObject *before = state->lent[k];
    state->lent[k] = Py_NewRef(lent[k]);
    Py_XDECREF(before);
  }
  made[0] = make_function(module, PERMANENT, general[0], text[0]);
  made[1] = made[0] ? make_function(module, COMPUTE, general[1], text[1]) : NULL;
  if (made[1])
    return Py_BuildValue("(NN)", made[0], made[1]);
  Py_XDECREF(made[0]);
  return NULL;
}

static PyObject *after_fork(PyObject *module, PyObject *nothing)
{
  (void)nothing;
  ((module_state *)PyModule_GetState(module))->forked = 1;
  Py_RETURN_NONE;
}

static int module_execute(PyObject *module)
{
  module_state *state = (module_state *)PyModule_GetState(module);
  PyObject *version = Py_BuildValue("(ii)", PERM_VERSION_MAJOR, PERM_VERSION_MINOR);
  int k, good = version && !PyModule_AddObjectRef(module, "VERSION", version);
  for (k = 0; good && k < KEYWORDS; k++)
    good = (state->keyword[k] = PyUnicode_InternFromString(keyword_names[k])) != NULL;
  for (k = 0; good && k < FIELDS; k++)
    good = (state->field[k] = PyUnicode_InternFromString(field_names[k])) != NULL;
  Py_XDECREF(version);
  return good ? 0 : -1;
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
  module_state *state = (module_state *)PyModule_GetState(module);
  int k;
  for (k = 0; k < FUNCTIONS; k++)
    Py_VISIT(state->general[k]);
  for (k = 0; k < LENT; k++)
    Py_VISIT(state->lent[k]);
  return 0;
}

static int module_clear(PyObject *module)
{
  module_state *state = (module_state *)PyModule_GetState(module);
  int k;
  for (k = 0; k < FUNCTIONS; k++)
    Py_CLEAR(state->general[k]);
  for (k = 0; k < LENT; k++)
    Py_CLEAR(state->lent[k]);
  for (k = 0; k < KEYWORDS; k++)
    Py_CLEAR(state->keyword[k]);
  for (k = 0; k < FIELDS; k++)
    Py_CLEAR(state->field[k]);
  return 0;
}

static void module_free(void *module)
{
  module_state *state = (module_state *)PyModule_GetState((PyObject *)module);
  int k;
  module_clear((PyObject *)module);
  for (k = 0; k < FUNCTIONS; k++)
    PyMem_Free(state->text[k]);
}

/* Interpreters with locks of their own may load this module: it keeps everything in its state. CPython has this slot
   from 3.12 on, and refuses it before; the limited API of 3.11 does not name it. */
#define SLOT_INTERPRETERS 3    /* Py_mod_multiple_interpreters */
#define OWN_LOCKS ((void *)2)  /* Py_MOD_PER_INTERPRETER_GIL_SUPPORTED */

PyMODINIT_FUNC PyInit__perm(void)
{
  static PyMethodDef functions[] = {
    {"connect", connect, METH_VARARGS, "What perm.py lends, once; its permanent and compute without ctypes."},
    {"after_fork", after_fork, METH_NOARGS, "This process has one thread."},
    {NULL, NULL, 0, NULL}};
  static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)(uintptr_t)module_execute}, {SLOT_INTERPRETERS, OWN_LOCKS}, {0, NULL}};
  static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_perm",     "perm.py's calls without ctypes",
                                   sizeof(module_state),  functions,   slots,
                                   module_traverse,       module_clear, module_free};
  if (Py_Version < 0x030C0000)
    slots[1].slot = 0; /* which ends the list */
  return PyModuleDef_Init(&definition);
}
/* SPDX-License-Identifier: MIT */
