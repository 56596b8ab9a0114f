// SPDX-License-Identifier: MIT
/* The permanents of a stack of square matrices as a target of XLA's FFI on the CPU.

   perm_ops.py compiles this against jax's headers and sets the two variables. The interpreter's lock is taken only for
   what is rare, which Python computes: numbers beyond doubles or below, errors, rectangles, large orders. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include "xla/ffi/api/c_api.h"

/* perm_batch_real, perm_batch_complex; _in_python of perm_ops.py */
int (*perm_xla_batch[2])(int n, size_t count, const double *a, size_t stride, void *options, double *to, void *result);
int (*perm_xla_python)(int type, int rank, int64_t *dims, void *a, void *to, char *message);

/* As _refine of perm.py: values are finite, and none may be 0 by underflow of products of n entries. */
static int is_sound(size_t count, int parts, const double *values, int n, size_t entries, const double *a)
{
  double least = DBL_MAX, smallest = 1;
  for (size_t k = 0; k < count * parts; k += parts) {
    const double x = fabs(values[k]), y = fabs(values[k + parts - 1]);
    if (!(x <= DBL_MAX && y <= DBL_MAX))
      return 0;
    least = fmin(least, fmax(x, y));
  }
  for (size_t k = 0; k < entries && least < DBL_MIN; k++)
    smallest = a[k] != 0 ? fmin(smallest, fabs(a[k])) : smallest;
  return n * log2(smallest) > -1000;
}

/* Writes the permanents of these matrices of order n by one call. Returns 0 if they are not right. */
static int computes(int parts, int single, int n, size_t count, void *a, void *to)
{
  const size_t entries = count * n * n * parts, numbers = count * parts;
  double *room = single ? malloc((entries + numbers + 1) * sizeof(double)) : NULL;
  if (single && !room)
    return 0;
  for (size_t k = 0; k < entries && single; k++)
    room[k] = ((float *)a)[k];
  double *given = single ? room : a, *values = single ? room + entries : to;
  const int good = !perm_xla_batch[parts - 1](n, count, given, (size_t)n * n, NULL, values, NULL) &&
                   is_sound(count, parts, values, n, entries, given);
  for (size_t k = 0; k < numbers && single; k++)
    ((float *)to)[k] = (float)values[k];
  free(room);
  return good;
}

XLA_FFI_Error *perm_xla(XLA_FFI_CallFrame *frame)
{
  if (frame->extension_start && frame->extension_start->type == XLA_FFI_Extension_Metadata) {
    XLA_FFI_Metadata *about = ((XLA_FFI_Metadata_Extension *)frame->extension_start)->metadata;
    about->api_version.major_version = XLA_FFI_API_MAJOR;
    about->api_version.minor_version = XLA_FFI_API_MINOR;
    return NULL;
  }
  const XLA_FFI_Buffer *a = frame->args.args[0], *to = frame->rets.rets[0];
  const int parts = a->dtype == XLA_FFI_DataType_C64 || a->dtype == XLA_FFI_DataType_C128 ? 2 : 1;
  const int single = a->dtype == XLA_FFI_DataType_F32 || a->dtype == XLA_FFI_DataType_C64, rank = (int)a->rank;
  const int64_t m = a->dims[rank - 2], n = a->dims[rank - 1];
  size_t count = 1;
  for (int k = 0; k < rank - 2; k++)
    count *= (size_t)a->dims[k];
  char message[512];
  if ((m == n && n <= 24 && computes(parts, single, (int)n, count, a->data, to->data)) ||
      !perm_xla_python(2 * parts - single - 1, rank, a->dims, a->data, to->data, message))
    return NULL;
  XLA_FFI_Error_Create_Args error = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, NULL, message,
                                     XLA_FFI_Error_Code_INVALID_ARGUMENT};
  return frame->api->XLA_FFI_Error_Create(&error);
}
