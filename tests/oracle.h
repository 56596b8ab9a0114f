/* Slow, independent answers. Nothing here shares code with the headers. */
#ifndef PERM_ORACLE_H_INCLUDED
#define PERM_ORACLE_H_INCLUDED

__extension__ typedef __int128 oracle_int;
#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 oracle_wide; /* 113 bits */
#else
typedef long double oracle_wide;
#endif

/* Permanent by dynamic programming over subsets of columns, exact while it fits 127 bits. n <= 20. */
__attribute__((unused)) static oracle_int oracle_integer(int n, const double *a)
{
  size_t subsets = (size_t)1 << n, s;
  oracle_int *value = (oracle_int *)calloc(subsets, sizeof *value), result;
  value[0] = 1;
  for (s = 0; s < subsets; s++) {
    int row = 0, j;
    for (j = 0; j < n; j++)
      row += (int)(s >> j & 1);
    if (row < n && value[s])
      for (j = 0; j < n; j++)
        if (!(s >> j & 1))
          value[s | (size_t)1 << j] += value[s] * (oracle_int)a[row * n + j];
  }
  result = value[subsets - 1];
  free(value);
  return result;
}

/* The same in quadruple precision: no cancellation beyond the permanent's own. */
static oracle_wide oracle_real(int n, const double *a)
{
  size_t subsets = (size_t)1 << n, s;
  oracle_wide *value = (oracle_wide *)calloc(subsets, sizeof *value), result;
  value[0] = 1;
  for (s = 0; s < subsets; s++) {
    int row = 0, j;
    for (j = 0; j < n; j++)
      row += (int)(s >> j & 1);
    if (row < n && value[s] != 0)
      for (j = 0; j < n; j++)
        if (!(s >> j & 1))
          value[s | (size_t)1 << j] += value[s] * (oracle_wide)a[row * n + j];
  }
  result = value[subsets - 1];
  free(value);
  return result;
}

#endif
