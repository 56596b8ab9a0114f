/* Fullerenes, by the spiral of their dual: face k joins the last face and the first that have edges left (P. W. Fowler,
   D. E. Manolopoulos, An Atlas of Fullerenes, 1995). */
#ifndef PERM_FULLERENE_H_INCLUDED
#define PERM_FULLERENE_H_INCLUDED

static const int fullerene_spiral[5][12] = { /* of pentagons, from 1 */
    {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {1, 2, 3, 4, 5, 7, 8, 10, 11, 12, 13, 14},
    {1, 7, 9, 11, 13, 15, 18, 20, 22, 24, 26, 32}, {1, 7, 9, 11, 13, 15, 27, 29, 31, 33, 35, 37},
    {1, 7, 9, 11, 13, 15, 28, 30, 32, 34, 36, 42}};

/* Returns the adjacency matrix of the fullerene of n <= 100 atoms, or 0 x 0 if the spiral is of none. */
static perm_matrix fullerene_wind(int n, const int *pentagon)
{
  static int face[60][60], corner[100][3], ends[600];
  int left[60], open[60], faces = n / 2 + 2, first = 0, last = 0, used = 0, corners = 0, good = 1, a, b, c, k;
  perm_matrix matrix;
  memset(&matrix, 0, sizeof matrix);
  memset(face, 0, sizeof face);
  for (k = 0; k < faces; k++)
    left[k] = 6;
  for (k = 0; k < 12; k++)
    left[pentagon[k] - 1] = 5;
  for (k = 0; k < faces && good; k++) {
    const int end = k == faces - 1;
    for (a = first; end && a < last; a++) {
      good &= !face[k][open[a]];
      face[k][open[a]] = face[open[a]][k] = 1;
      left[k]--, left[open[a]]--;
    }
    for (a = 0; !end && k && a < 2; a++)
      do {
        b = a ? open[first] : open[last - 1];
        if (!face[k][b]) {
          face[k][b] = face[b][k] = 1;
          left[k]--, left[b]--;
        }
        if (k > 1 && !left[b])
          first += a, last -= !a;
        else
          break;
      } while (first < last);
    good &= left[k] >= 0 && first < last + (k == 0);
    open[last++] = k;
  }
  for (k = 0; k < faces; k++)
    good &= !left[k];
  for (a = 0; a < faces && good; a++)
    for (b = a + 1; b < faces; b++)
      for (c = b + 1; c < faces; c++)
        if (face[a][b] && face[b][c] && face[a][c] && corners++ < n) {
          corner[corners - 1][0] = a, corner[corners - 1][1] = b;
          corner[corners - 1][2] = c;
        }
  good &= corners == n;
  for (a = 0; a < corners && good; a++)
    for (b = 0; b < a; b++) {
      int both = 0;
      for (k = 0; k < 9; k++)
        both += corner[a][k / 3] == corner[b][k % 3];
      if (both == 2 && used < 3 * n) {
        ends[used++] = a;
        ends[used++] = b;
      }
    }
  if (good && used == 3 * n)
    perm_matrix_from_edges(n, n, (size_t)used / 2, ends, NULL, 1, NULL, &matrix, NULL);
  return matrix;
}

/* One of n = 20, 24, 60, 70 or 80 atoms. */
static perm_matrix fullerene_make(int n)
{
  return fullerene_wind(n, fullerene_spiral[n == 20 ? 0 : n == 24 ? 1 : n == 60 ? 2 : n == 70 ? 3 : 4]);
}

#endif
/* SPDX-License-Identifier: MIT */
